//! Selection rules of other crates.

#[macro_use]
mod mcts_games;

use banmen_search::Limits;
use banmen_search::mcts::{
    Guide, Mcts, NewChildren, SearchPosition, Selection, SelectionRule, Settings, SettingsError, Total, Uniform,
    Unvisited,
};
use mcts_games::{ConnectFour, with_budget};

fn playouts(count: u64) -> Limits {
    Limits { playouts: Some(count), ..Limits::default() }
}

/// The built-in rules as another crate would write them. Those of UCB1 by whether children without visits are explored, as
/// with [`Unvisited::Parent`].
const UCB1: SelectionRule = SelectionRule {
    name: "ucb1",
    term: |child, _| if child.visits == 0.0 { 0.0 } else { child.c * (libm::log(child.total) / child.visits).sqrt() },
};
const UCB1_TUNED: SelectionRule = SelectionRule {
    name: "ucb1-tuned",
    term: |child, _| {
        let ln = libm::log(child.total);
        let spread = (child.variance + (2.0 * ln / child.visits).sqrt()).min(0.25);
        if child.visits == 0.0 { 0.0 } else { child.c * (ln / child.visits * spread).sqrt() }
    },
};
const EXPLORING_UCB1: SelectionRule = SelectionRule {
    name: "exploring-ucb1",
    term: |child, _| child.c * (libm::log(child.total) / child.visits.max(1.0)).sqrt(),
};
const EXPLORING_UCB1_TUNED: SelectionRule = SelectionRule {
    name: "exploring-ucb1-tuned",
    term: |child, _| {
        let (ln, visits) = (libm::log(child.total), child.visits.max(1.0));
        child.c * (ln / visits * (child.variance + (2.0 * ln / visits).sqrt()).min(0.25)).sqrt()
    },
};
const PUCT: SelectionRule =
    SelectionRule { name: "puct", term: |child, _| child.c * child.total.sqrt() * child.prior / (1.0 + child.visits) };
const NEW_UCB: SelectionRule = SelectionRule {
    name: "newucb",
    term: |child, rng| {
        let exploration = child.c * (2.0 * libm::log(child.total + child.e) / (child.visits + child.e)).sqrt();
        exploration + rng.unit() * child.e
    },
};

/// Uneven priors.
#[derive(Clone)]
struct Uneven;

impl Guide<ConnectFour> for Uneven {
    const PRIORS: bool = true;

    uniform_playouts!(ConnectFour, u32::MAX);

    fn evaluate(&mut self, _: &SearchPosition<'_, ConnectFour>, children: &mut NewChildren<'_, u8>) -> Option<f64> {
        (0..).zip(children.priors.iter_mut()).for_each(|(index, prior)| *prior = 1.0 + (index * 5 % 3) as f32);
        None
    }
}

/// A rule of another crate sees what the built-in ones see: repeated by it they grow the same trees.
#[test]
fn rules_of_other_crates_grow_the_trees_of_the_built_in_ones() {
    let uneven = |settings: Settings, seed| -> Mcts<ConnectFour, Uneven> {
        Mcts::new(&ConnectFour, settings, Uneven, seed).expect("the settings are sound")
    };
    for (selection, [rule, exploring], e) in [
        (Selection::Ucb1 { c: 0.7 }, [UCB1, EXPLORING_UCB1], 0.0),
        (Selection::Ucb1Tuned { c: 0.7 }, [UCB1_TUNED, EXPLORING_UCB1_TUNED], 0.0),
        (Selection::Puct { c: 0.7, base: None }, [PUCT, PUCT], 0.0),
        (Selection::NewUcb { c: 0.7, e: 0.01 }, [NEW_UCB, NEW_UCB], 0.01),
    ] {
        for unvisited in [Unvisited::First, Unvisited::Value(0.5), Unvisited::Parent { reduction: 0.1 }] {
            let rule = if matches!(unvisited, Unvisited::Parent { .. }) { exploring } else { rule };
            let custom = Selection::Custom { rule, c: 0.7, e };
            for total in [Total::Parent, Total::Root] {
                let grow = |selection| {
                    let settings = Settings { selection, unvisited, total, bytes: 1 << 20, ..Settings::default() };
                    let mut mcts = uneven(settings, 5);
                    with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(1_500), |_| {}));
                    (mcts.children(&[]), mcts.children(&[3]), mcts.children(&[3, 3]), mcts.statistics().nodes)
                };
                let (built_in, own) = (grow(selection), grow(custom));
                assert_eq!(built_in, own, "{selection:?}, {unvisited:?}, {total:?}");
                let other = Selection::Custom { rule, c: 0.3, e };
                assert_ne!(own, grow(other), "{}: another weight", rule.name);
            }
        }
    }
}

/// The parent's mean alone would leave the first child that is visited the only one.
#[test]
fn children_without_visits_that_are_valued_like_their_parent_are_explored() {
    for selection in [Selection::Ucb1 { c: 1.0 }, Selection::Ucb1Tuned { c: 1.0 }] {
        let unvisited = Unvisited::Parent { reduction: 0.0 };
        let settings = Settings { selection, unvisited, bytes: 1 << 20, ..Settings::default() };
        let mut mcts = Mcts::<_, Uniform>::new(&ConnectFour, settings, Uniform::default(), 1).expect("sound settings");
        with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(1_500), |_| {}));
        let children = mcts.children(&[]);
        assert!(children.iter().all(|(_, stats)| stats.visits >= 10.0), "{selection:?}: {children:?}");
    }
}

#[test]
fn terms_that_are_no_numbers_count_as_0_and_weights_that_are_none_are_refused() {
    let new = |term, c, e| {
        let selection = Selection::Custom { rule: SelectionRule { name: "nothing", term }, c, e };
        Mcts::<_, Uniform>::new(
            &ConnectFour,
            Settings { selection, bytes: 1 << 20, ..Settings::default() },
            Uniform::default(),
            1,
        )
    };
    let grow = |term| {
        let mut mcts = new(term, 1.0, 0.0).expect("the settings are sound");
        with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(500), |_| {}));
        mcts.children(&[])
    };
    let zero = grow(|_, _| 0.0);
    assert_eq!(grow(|_, _| f64::NAN), zero);
    assert_eq!(grow(|_, _| f64::NEG_INFINITY), zero);
    assert_ne!(grow(|child, _| 1.0 / (1.0 + child.visits)), zero);
    for (c, e, name) in [(-1.0, 0.0, "c"), (f64::NAN, 0.0, "c"), (1.0, f64::INFINITY, "e")] {
        let refused = new(|_, _| 0.0, c, e).err();
        assert!(matches!(refused, Some(SettingsError::Range(found, _)) if found == name), "{c}, {e}: {refused:?}");
    }
}
