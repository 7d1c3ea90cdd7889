//! The options that bound external programs.

use std::path::PathBuf;
use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_programs::{Charge, Programs};
use clap::Args as ClapArgs;

use super::ClockArg;

/// The heading of these options in help texts. A heading of the whole struct would hold for all options after it, too.
const HEADING: &str = "External programs";

/// Bounds of external programs that play.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub(crate) struct ProgramArgs {
    /// Time that a program may exceed its limit by [default: 100ms]
    #[arg(long, value_name = "TIME", value_parser = super::limits::duration, help_heading = HEADING)]
    program_margin: Option<Duration>,
    /// Time to start, and to answer where no time limit applies [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = super::limits::duration, help_heading = HEADING)]
    program_patience: Option<Duration>,
    /// Address space of each process of a program, in MiB; 0 for no limit [default: 4096]
    #[arg(long, value_name = "MIB", help_heading = HEADING)]
    program_memory: Option<u32>,
    /// Log the programs' standard error into this folder, one file per start
    #[arg(long, value_name = "FOLDER", help_heading = HEADING)]
    program_log: Option<PathBuf>,
}

impl ProgramArgs {
    /// The bounds, with defaults for those that are not given.
    pub(crate) fn programs(&self) -> Programs {
        let defaults = Programs::ALLOWED;
        let memory = |mib: u32| (mib > 0).then_some(u64::from(mib) << 20);
        Programs {
            margin: self.program_margin.unwrap_or(defaults.margin),
            patience: self.program_patience.unwrap_or(defaults.patience),
            memory: self.program_memory.map_or(defaults.memory, memory),
            log: self.program_log.clone(),
            supervisor: Some(crate::supervisor::command()),
            ..defaults
        }
    }

    /// The same where programs may be started; else none are, and bounds for them are refused.
    ///
    /// # Errors
    /// `programs_not_allowed` for bounds that would have no effect.
    pub(crate) fn allowed_if(&self, allowed: bool) -> Result<Programs, Error> {
        if allowed {
            return Ok(self.programs());
        }
        if *self != ProgramArgs::default() {
            let message = "bounds of external programs go with --allow-programs";
            return Err(Error::new(ErrorCode::ProgramsNotAllowed, message));
        }
        Ok(Programs::REFUSED)
    }

    /// The same, with the thinking time of the programs measured by this clock.
    pub(crate) fn measured_by(&self, clock: ClockArg) -> Programs {
        let charge = match clock {
            ClockArg::Cpu => Charge::Cpu,
            ClockArg::Wall => Charge::Wall,
        };
        Programs { charge, ..self.programs() }
    }
}
