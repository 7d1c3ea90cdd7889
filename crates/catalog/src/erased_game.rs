//! A game without its types.

use std::path::Path;
use std::sync::Arc;

use banmen_game::{Game, GameState, Notation};

use crate::entry::ClassFn;
use crate::erased_player::ErasedPlayer;
use crate::erased_state::{ErasedState, typed};
use crate::measure::ErasedMeasures;
use crate::ratings::ErasedRatings;
use crate::record::ErasedFormats;
use crate::solver::ErasedSolver;
use crate::variants::Variants;
use crate::{
    AnyGame, AnyPlayer, AnyState, Bench, Error, ErrorCode, GtpRules, Info, LeadFn, Learning, Measures, Options,
    OtherSideFn, PerftFn, PlayerEntry, PlayerInfo, PlayerText, Ratings, RecordFormats, Solver, StartFn, Tablebases,
    View,
};

/// A game of type `G`, as its [`Entry`](crate::Entry) described it.
pub(crate) struct ErasedGame<G: Game> {
    pub(crate) info: Info,
    pub(crate) variants: Arc<Variants<G>>,
    pub(crate) players: Vec<PlayerEntry<G>>,
    /// The names of those that show their trees.
    pub(crate) trees: Vec<&'static str>,
    /// The names of those that show the windows of their alpha-beta searches.
    pub(crate) windows: Vec<&'static str>,
    pub(crate) perft: PerftFn<G>,
    pub(crate) solver: Option<ErasedSolver<G>>,
    pub(crate) tablebases: Option<Box<dyn Tablebases>>,
    pub(crate) measures: Option<ErasedMeasures<G>>,
    pub(crate) formats: Option<ErasedFormats<G>>,
    pub(crate) ratings: Option<ErasedRatings<G>>,
    pub(crate) learning: Option<Box<dyn Learning>>,
    pub(crate) starts: Option<StartFn>,
    pub(crate) gtp: Option<GtpRules>,
    pub(crate) other_side: Option<OtherSideFn<G>>,
    pub(crate) class: ClassFn<G>,
    pub(crate) lead: Option<LeadFn<G>>,
    pub(crate) bench: Bench,
}

impl<G: Notation + View> ErasedGame<G> {
    /// The player of this text, which may lack a table.
    fn make(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<ErasedPlayer<G>, Error> {
        let game = self.variants.get(rules)?;
        let name = PlayerText::name_of(text);
        let Some(entry) = self.players.iter().find(|player| player.name == name) else {
            let known = self.players.iter().map(|player| player.name);
            return Err(Error::unknown(ErrorCode::UnknownPlayer, "player", name, known));
        };
        let text = PlayerText::parse(text)?;
        let options = Options::new(entry.keys, &text.pairs)?;
        match (entry.make)(game, &options, seed, &self.variants.data) {
            Ok(player) => Ok(ErasedPlayer { player, variants: Arc::clone(&self.variants) }),
            Err(error) => Err(self.variants.locate(error)),
        }
    }
}

impl<G: Notation + View> AnyGame for ErasedGame<G> {
    fn info(&self) -> &Info {
        &self.info
    }

    fn state(&self, rules: Option<&str>, position: Option<&str>) -> Result<Box<dyn AnyState>, Error> {
        let game = self.variants.get(rules)?;
        let state = match position {
            None | Some("start") => GameState::new(game.clone()),
            Some(text) => {
                let (game, position) = game.parse_position(text).map_err(|error| Error::position(text, &error))?;
                GameState::from(game, position)
            }
        };
        Ok(Box::new(ErasedState { state, perft: self.perft }))
    }

    fn players(&self) -> Vec<PlayerInfo> {
        let info = |player: &PlayerEntry<G>| PlayerInfo {
            name: player.name,
            summary: player.summary,
            source: player.source,
            keys: player.keys,
            tree: self.trees.contains(&player.name),
            windows: self.windows.contains(&player.name),
        };
        self.players.iter().map(info).collect()
    }

    fn player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error> {
        let mut player = self.make(rules, text, seed)?;
        player.needs_no_table(&GameState::new(self.variants.get(rules)?.clone()))?;
        Ok(Box::new(player))
    }

    fn partial_player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error> {
        Ok(Box::new(self.make(rules, text, seed)?))
    }

    fn read_file(&self, path: &Path) -> Result<Vec<u8>, Error> {
        self.variants.data.read_file(path)
    }

    fn keep_file(&self, name: &str, contents: Arc<[u8]>) {
        self.variants.data.keep_file(name, contents);
    }

    fn bench(&self) -> &Bench {
        &self.bench
    }

    fn solver(&self) -> Option<&dyn Solver> {
        self.solver.as_ref().map(|solver| solver as &dyn Solver)
    }

    fn tablebases(&self) -> Option<&dyn Tablebases> {
        self.tablebases.as_deref()
    }

    fn starts(&self) -> Option<StartFn> {
        self.starts
    }

    fn measures(&self) -> Option<&dyn Measures> {
        self.measures.as_ref().map(|measures| measures as &dyn Measures)
    }

    fn record_formats(&self) -> Option<&dyn RecordFormats> {
        self.formats.as_ref().map(|formats| formats as &dyn RecordFormats)
    }

    fn ratings(&self) -> Option<&dyn Ratings> {
        self.ratings.as_ref().map(|ratings| ratings as &dyn Ratings)
    }

    fn learning(&self) -> Option<&dyn Learning> {
        self.learning.as_deref()
    }

    fn gtp(&self) -> Option<&GtpRules> {
        self.gtp.as_ref()
    }

    fn other_side(&self, state: &dyn AnyState) -> Option<Box<dyn AnyState>> {
        let state = typed::<G>(state).ok()?;
        let position = self.other_side?(state.position());
        Some(Box::new(ErasedState { state: GameState::from(state.game().clone(), position), perft: self.perft }))
    }

    fn lead(&self, state: &dyn AnyState) -> Option<i64> {
        let state = typed::<G>(state).ok()?;
        self.lead.map(|lead| lead(state.position()))
    }

    fn symmetry_class(&self, state: &dyn AnyState) -> Option<u64> {
        let state = typed::<G>(state).ok()?;
        Some((self.class)(state.game(), state.position()))
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::GameState;

    use crate::test_game::Row;
    use crate::{AnyGame, Entry, ErrorCode, Format, Header, Termination};

    #[test]
    fn offers_only_the_abilities_that_were_registered() {
        let plain = Entry::new("row", Row { cells: 3 }).in_memory();
        assert!(plain.solver().is_none() && plain.tablebases().is_none() && plain.starts().is_none());
        assert!(
            plain.measures().is_none()
                && plain.record_formats().is_none()
                && plain.ratings().is_none()
                && plain.learning().is_none()
                && plain.gtp().is_none()
                && !plain.info().solvable
        );
        assert_eq!((plain.bench().positions, plain.bench().depth), (&["start"][..], 8));

        let able = Entry::new("row", Row { cells: 3 })
            .solver(|_, _, _, _, _| Ok(crate::Solution::default()))
            .tablebases()
            .starts(|series, number| format!("{series}/{number}"))
            .format(Format {
                name: "bits",
                write: |_, state| Ok(state.position().to_string()),
                // The cells that are taken, in order, in a game that the text says was resigned.
                read: |game, text| {
                    let mut state = GameState::new(game.clone());
                    text.iter().for_each(|cell| state.play(cell - b'0'));
                    let resigned = Termination { winner: None, by: "resignation".to_owned() };
                    Ok(vec![(Header { termination: Some(resigned), ..Header::default() }, state)])
                },
                rewrite: None,
            })
            .in_memory();
        assert!(able.solver().is_some() && able.tablebases().is_some() && able.info().solvable);
        assert_eq!(able.starts().map(|start| start(7, 2)).as_deref(), Some("7/2"));
        let formats = able.record_formats().expect("a format");
        assert_eq!(formats.names(), ["bits"]);
        let stated = |text: &[u8]| formats.read("bits", None, text).expect("a game")[0].header.termination.is_some();
        assert!(stated(b"02") && !stated(b"021"), "the rules decide what they ended");
        let state = able.state(None, Some("5")).expect("a position");
        assert_eq!(formats.write("bits", &Header::default(), state.as_ref()).as_deref(), Ok("5"));
        assert_eq!(
            formats.write("bit", &Header::default(), state.as_ref()).expect_err("unknown").code,
            ErrorCode::UnknownFormat
        );
    }
}
