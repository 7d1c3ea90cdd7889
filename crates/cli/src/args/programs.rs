//! What outside programs may use.

use std::path::PathBuf;
use std::time::Duration;

use banmen_programs::Programs;
use clap::Args as ClapArgs;

/// Bounds of outside programs that play.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Outside programs")]
pub(crate) struct ProgramArgs {
    /// How much longer than its limit a program may take for a move [default: 100ms]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    program_margin: Option<Duration>,
    /// How long a program may take to start, or to answer without a limit of time [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    program_patience: Option<Duration>,
    /// The address space of each process of a program, in MiB; 0 for any [default: 4096]
    #[arg(long, value_name = "MIB")]
    program_memory: Option<u32>,
    /// Log what programs write to their standard error into this folder, a file for each start
    #[arg(long, value_name = "FOLDER")]
    program_log: Option<PathBuf>,
}

impl ProgramArgs {
    /// The bounds; those of the house where nothing is said.
    pub(crate) fn programs(&self) -> Programs {
        let house = Programs::ALLOWED;
        let memory = |mib: u32| (mib > 0).then_some(u64::from(mib) << 20);
        Programs {
            margin: self.program_margin.unwrap_or(house.margin),
            patience: self.program_patience.unwrap_or(house.patience),
            memory: self.program_memory.map_or(house.memory, memory),
            log: self.program_log.clone(),
            ..house
        }
    }
}
