//! Strengths of move features are recovered from games of a player that chooses by known ones.

use std::ops::ControlFlow;

use banmen_arena::{Contestant, Store};
use banmen_catalog::{
    AnyGame, Board, Entry, ErrorCode, FeatureGroup, FeatureSet, FeatureSetInfo, GammaTable, Key, Kind, MoveFeatures,
    PlayerEntry, View,
};
use banmen_game::{Game, GameState, Notation, Outcome, Rng, Side, TextError, mix};
use banmen_learn::{Learned, RatingSpec, Training};
use banmen_search::{Limits, Player, Report, StopFlag, Task};

const PLIES: u8 = 24;

/// A game of 24 plies in which everything is drawn from a key: the number of moves and the features of each. Every eighth
/// position has a pass alone, and every ninth a pass beside the other moves.
#[derive(Clone, Debug, PartialEq)]
struct Features;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct At {
    key: u64,
    ply: u8,
}

const PASS: u8 = 255;

fn count(at: At) -> u8 {
    2 + (mix(at.key ^ 1) % 9) as u8
}

/// The feature of the first group, 0 to 3, and those of the second one, some of 4 to 9. Feature 10 never occurs.
fn features(at: At, m: u8, team: &mut Vec<usize>) {
    if m == PASS {
        return;
    }
    let drawn = mix(at.key ^ mix(u64::from(m) + 7));
    team.push((drawn % 4) as usize);
    team.extend((0..6).filter(|bit| drawn >> (8 + 2 * bit) & 3 == 0).map(|bit| 4 + bit));
}

impl Game for Features {
    type Position = At;
    type Move = u8;
    type History = ();

    fn start(&self) -> At {
        At { key: 5, ply: 0 }
    }

    fn side_to_move(&self, at: &At) -> Side {
        if at.ply.is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self, at: &At, (): &()) -> Option<Outcome> {
        (at.ply == PLIES).then_some(Outcome { winner: None, margin: None, by: "end" })
    }

    fn visit_moves<B>(&self, at: &At, mut visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if at.ply == PLIES {
            return ControlFlow::Continue(());
        }
        let passes = mix(at.key ^ 3);
        if !passes.is_multiple_of(8) {
            (0..count(*at)).try_for_each(&mut visit)?;
        }
        if passes.is_multiple_of(8) || passes.is_multiple_of(9) { visit(PASS) } else { ControlFlow::Continue(()) }
    }

    fn play(&self, at: &mut At, m: u8) {
        *at = At { key: mix(at.key ^ mix(u64::from(m))), ply: at.ply + 1 };
    }

    fn key(&self, at: &At) -> u64 {
        at.key
    }

    fn max_plies(&self) -> usize {
        PLIES.into()
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok()
    }

    fn pass(&self) -> Option<u8> {
        Some(PASS)
    }
}

impl Notation for Features {
    fn dialects(&self) -> &'static [&'static str] {
        &["key"]
    }

    fn parse_position(&self, text: &str) -> Result<(Self, At), TextError> {
        let (ply, key) = text.split_once(':').ok_or_else(|| TextError::unreadable("ply", 0, "no ply and key"))?;
        match (ply.parse(), key.parse()) {
            (Ok(ply), Ok(key)) if ply <= PLIES => Ok((Features, At { key, ply })),
            _ => Err(TextError::unreadable("ply", 0, "no ply and key")),
        }
    }

    fn format_position(&self, at: &At, _: &str) -> String {
        format!("{}:{}", at.ply, at.key)
    }

    fn parse_move(&self, at: &At, text: &str) -> Result<u8, TextError> {
        let m = text.parse().ok().filter(|&m| self.moves(at).contains(&m));
        m.ok_or_else(|| TextError::illegal("no", "not a move"))
    }

    fn format_move(&self, _: &At, m: u8, _: &str) -> String {
        m.to_string()
    }
}

impl View for Features {
    fn board(&self, _: &GameState<Self>) -> Board {
        Board::empty(1, 1, |_, _| "a".to_owned())
    }
}

/// The strengths by which the player chooses, in the first twelve plies and in the others.
const TRUE: [[f64; 11]; 2] =
    [[4.0, 1.0, 0.5, 0.5, 3.0, 1.0, 0.25, 1.0, 2.0, 0.5, 1.0], [0.5, 2.0, 0.5, 2.0, 1.0, 0.2, 1.0, 5.0, 1.0, 1.0, 1.0]];

fn phase(at: At) -> usize {
    usize::from(at.ply >= PLIES / 2)
}

/// Chooses by these strengths. A pass has strength 1.
struct Chooser(Rng);

impl Player<Features> for Chooser {
    fn new_game(&mut self, _: &GameState<Features>, seed: u64) {
        self.0 = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, Features>) -> Report<u8> {
        let at = *task.state.position();
        let moves = Features.moves(&at);
        let strength = |&m: &u8| {
            let mut team = Vec::new();
            features(at, m, &mut team);
            team.iter().map(|&feature| TRUE[phase(at)][feature]).product::<f64>()
        };
        let strengths: Vec<f64> = moves.iter().map(strength).collect();
        let mut left = self.0.unit() * strengths.iter().sum::<f64>();
        let at = strengths.iter().position(|strength| {
            left -= strength;
            left < 0.0
        });
        Report::of(moves[at.unwrap_or(moves.len() - 1)], 0.5)
    }
}

struct Both {
    phases: usize,
}

impl MoveFeatures<Features> for Both {
    fn phases(&self) -> Vec<String> {
        ["early", "late"][..self.phases].iter().map(ToString::to_string).collect()
    }

    fn groups(&self) -> Vec<FeatureGroup> {
        let group = |name: &str, range: std::ops::Range<usize>, exclusive| FeatureGroup {
            name: name.to_owned(),
            features: range.map(|number| format!("f{number}")).collect(),
            exclusive,
            columns: None,
        };
        vec![group("one", 0..4, true), group("some", 4..11, false)]
    }

    fn phase(&self, state: &GameState<Features>) -> usize {
        phase(*state.position()).min(self.phases - 1)
    }

    fn team(&self, state: &GameState<Features>, m: u8, team: &mut Vec<usize>) {
        features(*state.position(), m, team);
    }
}

fn entry() -> Entry<Features> {
    const KEYS: &[Key] =
        &[Key { name: "phases", kind: Kind::Integer(1, 2), default: "2", summary: "phases", source: "" }];
    Entry::new("features", Features)
        .player(PlayerEntry {
            name: "chooser",
            summary: "by strengths",
            source: "",
            keys: &[],
            make: |_, _, seed, _| Ok(Box::new(Chooser(Rng::new(seed)))),
        })
        .ratings(FeatureSet {
            info: FeatureSetInfo { name: "both", summary: "", source: "", keys: KEYS, player: "chooser" },
            make: |_, options| Ok(Box::new(Both { phases: options.integer("phases") as usize })),
        })
}

fn spec(games: usize, held_out: usize) -> RatingSpec {
    let player = Contestant::new("chooser", Limits::nodes(1));
    RatingSpec { features: "both".to_owned(), training: Training { games, held_out, ..Training::new(player) } }
}

fn learn(spec: &RatingSpec, store: &Store) -> Learned {
    let game = entry().in_memory();
    spec.learn(&game, store, 2, &StopFlag::default(), &mut |_| {}).expect("games of the chooser")
}

#[test]
fn known_strengths_are_recovered() {
    let store = Store::memory().expect("memory");
    let learned = learn(&spec(600, 100), &store);
    let table = &learned.table;
    assert_eq!((table.game.as_str(), table.rules.as_str(), table.player.as_str()), ("features", "default", "chooser"));
    assert_eq!((table.limits.as_deref(), table.random_plies), (Some("nodes=1"), Some(0)));
    for (number, (phase, fit)) in table.phases.iter().zip(&learned.fits).enumerate() {
        assert!(fit.converged, "{fit:?}");
        // Twelve plies a game, without the forced passes.
        assert!((6_000..6_600).contains(&phase.choices), "{}", phase.choices);
        let gammas: Vec<f64> =
            phase.groups.iter().flat_map(|group| &group.features).map(|feature| feature.gamma).collect();
        let errors: Vec<f64> = gammas.iter().zip(TRUE[number]).map(|(found, wanted)| (found / wanted).ln()).collect();
        // Only the few passes beside other moves, which have no features, say something about the scale of the first group.
        let scale = errors[..4].iter().sum::<f64>() / 4.0;
        assert!(scale.abs() < 0.5, "{scale} in {errors:?}");
        for (feature, error) in errors.iter().enumerate() {
            let error = if feature < 4 { error - scale } else { *error };
            assert!(error.abs() < 0.1, "phase {number}, feature {feature}: {errors:?}");
        }
        let never = &phase.groups[1].features[6];
        assert_eq!((never.chosen, never.seen, never.name.as_str()), (0, 0, "f10"));
        assert!((never.gamma - 1.0).abs() < 1e-9, "a feature without data has the strength of the prior");
        let some = &phase.groups[1].features[0];
        assert!(some.chosen > 500 && some.seen > some.chosen, "{some:?}");

        let (own, other) = (fit.training, fit.held_out);
        assert_eq!(own.choices, phase.choices);
        assert!((1_000..1_100).contains(&other.choices));
        let [own, other] = [own, other].map(|quality| {
            assert!(quality.mean(quality.log_likelihood) > quality.mean(quality.uniform) + 0.1, "{quality:?}");
            // Six moves a choice, of which the strongest is played most often.
            assert!((0.3..0.7).contains(&quality.mean(quality.first)), "{quality:?}");
            quality.mean(quality.log_likelihood)
        });
        assert!((own - other).abs() < 0.1, "what is learned holds for other games: {own} and {other}");
    }
}

#[test]
fn learning_continues_where_it_was_and_does_not_depend_on_threads() {
    let (store, whole) = (Store::memory().expect("memory"), Store::memory().expect("memory"));
    let (small, large) = (spec(20, 4), spec(40, 4));
    let game = entry().in_memory();
    learn(&small, &store);
    let mut counts = Vec::new();
    let resumed = large.learn(&game, &store, 1, &StopFlag::default(), &mut |count| counts.push(count));
    assert_eq!((counts.first(), counts.last()), (Some(&24), Some(&44)), "only the missing games are played");
    assert_eq!(resumed, Ok(learn(&large, &whole)));
    assert_ne!(resumed.map(|learned| learned.table), Ok(learn(&small, &store).table));

    let stop = StopFlag::default();
    stop.stop();
    let stopped = large.learn(&game, &Store::memory().expect("memory"), 1, &stop, &mut |_| {});
    assert_eq!(stopped.expect_err("stopped").code, ErrorCode::Stopped);
}

#[test]
fn keys_of_the_features_hold_and_files_belong_to_them() {
    let store = Store::memory().expect("memory");
    let one = learn(&RatingSpec { features: "both:phases=1".to_owned(), ..spec(10, 0) }, &store);
    let two = learn(&spec(10, 0), &store);
    assert_eq!((one.table.phases.len(), two.table.phases.len()), (1, 2));
    let choices = |learned: &Learned| learned.table.phases.iter().map(|phase| phase.choices).sum::<u64>();
    assert_eq!(choices(&one), choices(&two), "the same games");
    assert_eq!(one.fits[0].held_out.choices, 0);

    let table = GammaTable::read(&two.table.write()).expect("as it was written");
    assert_eq!(table, two.table);
    let game = entry().in_memory();
    let features = game.ratings().expect("features").features(None, "both").expect("the set");
    let gammas = table.gammas(&features.phases(), &features.groups()).expect("the same features");
    assert_eq!(gammas[1][4], two.table.phases[1].groups[1].features[0].gamma);
    let other = game.ratings().expect("features").features(None, "both:phases=1").expect("the set");
    let refused = table.gammas(&other.phases(), &other.groups()).expect_err("another number of phases");
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (ErrorCode::BadRatings, "phase number 2 is `late`, not nothing")
    );
}

#[test]
fn refuses_what_can_not_be_learned() {
    let store = Store::memory().expect("memory");
    let refused = |game: &dyn AnyGame, spec: &RatingSpec| {
        let error = spec.learn(game, &store, 1, &StopFlag::default(), &mut |_| {}).expect_err("refused");
        (error.code, error.message)
    };
    let game = entry().in_memory();
    let named = |features: &str| RatingSpec { features: features.to_owned(), ..spec(2, 0) };
    let (code, message) = refused(&game, &named("bth"));
    assert_eq!(code, ErrorCode::Unsupported);
    assert!(message.contains("`bth`") && message.contains("nearest name is `both`"), "{message}");
    assert_eq!(refused(&game, &named("both:phases=3")).0, ErrorCode::OutOfRange);
    for (games, held_out, key) in [(0, 0, "games=0"), (3, 0, "games=3"), (2, 1, "held-out=1")] {
        let (code, message) = refused(&game, &spec(games, held_out));
        assert!(code == ErrorCode::OutOfRange && message.contains(key), "{message}");
    }
    let without = Entry::new("features", Features).in_memory();
    let (code, message) = refused(&without, &spec(2, 0));
    assert_eq!(code, ErrorCode::Unsupported);
    assert!(message.contains("features describes no features of its moves"), "{message}");
}
