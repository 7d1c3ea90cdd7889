//! The one mapping from the keys of players to the settings of the tree search.

use banmen_search::mcts::{
    AmafUpdates, FinalMove, Opponent, Order, Parallel, Rave, Selection, Settings, TerminalCheck, Total, Unvisited,
    VirtualVisits, Widening,
};

use crate::Options;

/// The base of PUCT in AlphaZero (Silver et al. 2018).
const ALPHAZERO_BASE: f64 = 19_652.0;

/// The settings that the keys of a player give to the tree search. A setting for which the player has no key stays as
/// it is in `settings`.
///
/// | key | setting | values |
/// |---|---|---|
/// | `selection`, `c`, `epsilon` | [`Settings::selection`] | `ucb1`, `ucb1-tuned`, `puct`, `alphazero`: `puct` with the base 19652, `puct-log`, `newucb` with `epsilon` |
/// | `total` | [`Settings::total`] | `parent`, `root` |
/// | `unvisited`, `hope` | [`Settings::unvisited`] | `first`, `parent`, `value` with `hope` |
/// | `threshold`, `levels` | [`Settings::expansion`] | integers |
/// | `terminal` | when children are checked for the end of the game | `visited`, `listed` |
/// | `order` | the order of children | `listed`, `shuffled`, `prior` |
/// | `widening` | [`Settings::widening`] | `off`, `coulom`, `chaslot` |
/// | `widening-first`, `widening-a`, `widening-b` | its numbers; 1, 40 and 1.4 without these keys | integer, numbers |
/// | `virtual` | [`Settings::virtual_visits`] | a number, 0 for none |
/// | `virtual-low`, `virtual-high` | their values; 0 and 1 without these keys | numbers |
/// | `opponent` | [`Settings::opponent`] | `minimising`, `random`, `cooperating` |
/// | `rave`, `rave-bias` | [`Settings::rave`] | the `k` of the schedule, or the bias of AMAF means, which goes first; 0 for none |
/// | `amaf` | [`Settings::amaf`] | `off`, `path`, `root`: of the nodes on the path, all or the root |
/// | `amaf-weight`, `amaf-decay` | the weight of its updates | numbers |
/// | `amaf-parents`, `amaf-children` | the bounds of visits | maxima |
/// | `parallel` | [`Settings::parallel`] | `tree`, with a virtual loss of 1, `root` |
/// | `solver`, `reuse` | [`Settings::solver`], [`Settings::reuse`] | `on`, `off` |
/// | `choice` | [`Settings::final_move`] | `visits`, `simulations`, `mean`, `first-mean`, `secure` |
/// | `early-stop` | [`Settings::early_stop`] | a number, 0 for never |
/// | `table` | [`Settings::bytes`] | MiB |
///
/// # Panics
/// When a key of one of these names has a value that is not listed here: a mistake in the player's key table.
#[must_use]
pub fn mcts_settings(mut settings: Settings, options: &Options) -> Settings {
    let switch = |name: &str| options.chosen(name, &[("on", true), ("off", false)]);
    let number = |name: &str, otherwise: f64| if options.has(name) { options.number(name) } else { otherwise };
    if options.has("selection") {
        let c = options.number("c");
        settings.selection = options.chosen(
            "selection",
            &[
                ("ucb1", Selection::Ucb1 { c }),
                ("ucb1-tuned", Selection::Ucb1Tuned { c }),
                ("puct", Selection::Puct { c, base: None }),
                ("alphazero", Selection::Puct { c, base: Some(ALPHAZERO_BASE) }),
                ("puct-log", Selection::PuctLog { c }),
                ("newucb", Selection::NewUcb { c, e: 1.0 }),
            ],
        );
    } else if options.has("c") {
        let (Selection::Ucb1 { c }
        | Selection::Ucb1Tuned { c }
        | Selection::Puct { c, .. }
        | Selection::PuctLog { c }
        | Selection::NewUcb { c, .. }
        | Selection::Custom { c, .. }) = &mut settings.selection;
        *c = options.number("c");
    }
    if options.has("epsilon")
        && let Selection::NewUcb { e, .. } | Selection::Custom { e, .. } = &mut settings.selection
    {
        *e = options.number("epsilon");
    }
    if options.has("total") {
        settings.total = options.chosen("total", &[("parent", Total::Parent), ("root", Total::Root)]);
    }
    if options.has("unvisited") {
        let hope = number("hope", 0.0);
        settings.unvisited = options.chosen(
            "unvisited",
            &[
                ("first", Unvisited::First),
                ("parent", Unvisited::Parent { reduction: 0.0 }),
                ("value", Unvisited::Value(hope)),
            ],
        );
    }
    if options.has("threshold") {
        settings.expansion.threshold = options.integer("threshold") as u32;
    }
    if options.has("levels") {
        settings.expansion.levels = options.integer("levels") as u32;
    }
    if options.has("terminal") {
        let known = [("visited", TerminalCheck::Visited), ("listed", TerminalCheck::Listed)];
        settings.expansion.terminal = options.chosen("terminal", &known);
    }
    if options.has("order") {
        let orders = [("listed", Order::Listed), ("shuffled", Order::Shuffled), ("prior", Order::Prior)];
        settings.expansion.order = options.chosen("order", &orders);
    }
    if options.has("widening") {
        let first = if options.has("widening-first") { options.integer("widening-first") as u32 } else { 1 };
        let (a, b) = (number("widening-a", 40.0), number("widening-b", 1.4));
        let coulom = Widening::Coulom { first, a, b };
        let chaslot = Widening::Chaslot { first, a, b };
        let known = [("off", None), ("coulom", Some(coulom)), ("chaslot", Some(chaslot))];
        settings.widening = options.chosen("widening", &known);
    }
    if options.has("virtual") {
        let (visits, low, high) = (options.number("virtual"), number("virtual-low", 0.0), number("virtual-high", 1.0));
        settings.virtual_visits = (visits > 0.0).then_some(VirtualVisits { visits, low, high });
    }
    if options.has("opponent") {
        settings.opponent = options.chosen(
            "opponent",
            &[
                ("minimising", Opponent::Minimising),
                ("random", Opponent::Random),
                ("cooperating", Opponent::Cooperating),
            ],
        );
    }
    if options.has("rave") {
        let k = options.number("rave");
        settings.rave = (k > 0.0).then_some(Rave::Schedule { k });
    }
    if options.has("rave-bias") {
        let bias = options.number("rave-bias");
        settings.rave = (bias > 0.0).then_some(Rave::Error { bias }).or(settings.rave);
    }
    if options.has("amaf") {
        let updates = AmafUpdates::default();
        let amaf = [("off", None), ("path", Some(updates)), ("root", Some(AmafUpdates { root_only: true, ..updates }))];
        settings.amaf = options.chosen("amaf", &amaf);
    }
    if let Some(amaf) = &mut settings.amaf {
        let bound = |name| options.maximum(name).and_then(|visits| u32::try_from(visits).ok());
        if options.has("amaf-weight") {
            amaf.weight = options.number("amaf-weight");
        }
        if options.has("amaf-decay") {
            amaf.decay = options.number("amaf-decay");
        }
        if options.has("amaf-parents") {
            amaf.parent_max = bound("amaf-parents");
        }
        if options.has("amaf-children") {
            amaf.child_max = bound("amaf-children");
        }
    }
    if options.has("parallel") {
        let known = [("tree", Parallel::Tree { virtual_loss: 1 }), ("root", Parallel::Root)];
        settings.parallel = options.chosen("parallel", &known);
    }
    if options.has("solver") {
        settings.solver = switch("solver");
    }
    if options.has("choice") {
        settings.final_move = options.chosen(
            "choice",
            &[
                ("visits", FinalMove::Visits),
                ("simulations", FinalMove::Simulations),
                ("mean", FinalMove::Mean),
                ("first-mean", FinalMove::FirstMean),
                ("secure", FinalMove::Secure { a: 1.0 }),
            ],
        );
    }
    if options.has("early-stop") {
        let part = options.number("early-stop");
        settings.early_stop = (part > 0.0).then_some(part);
    }
    if options.has("reuse") {
        settings.reuse = switch("reuse");
    }
    if options.has("table") {
        settings.bytes = (options.integer("table") as usize) << 20;
    }
    settings
}

#[cfg(test)]
mod tests {
    use banmen_search::mcts::Expansion;

    use banmen_search::mcts::SelectionRule;

    use super::*;
    use crate::{Key, Kind};

    const fn key(name: &'static str, kind: Kind, default: &'static str) -> Key {
        Key::new(name, kind, default, "", "")
    }

    /// Every key and every word that the mapping knows.
    const KEYS: &[Key] = &[
        key("selection", Kind::Choice(&["ucb1", "ucb1-tuned", "puct", "alphazero", "puct-log", "newucb"]), "ucb1"),
        key("c", Kind::Number(0.0, 9.0), "0.5"),
        key("epsilon", Kind::Number(0.0, 9.0), "0.25"),
        key("total", Kind::Choice(&["parent", "root"]), "parent"),
        key("unvisited", Kind::Choice(&["first", "parent", "value"]), "first"),
        key("hope", Kind::Number(0.0, 1.0), "0.75"),
        key("threshold", Kind::Integer(1, 9), "3"),
        key("levels", Kind::Integer(1, 2), "2"),
        key("terminal", Kind::Choice(&["visited", "listed"]), "visited"),
        key("order", Kind::Choice(&["listed", "shuffled", "prior"]), "listed"),
        key("widening", Kind::Choice(&["off", "coulom", "chaslot"]), "off"),
        key("widening-first", Kind::Integer(1, 99), "2"),
        key("widening-a", Kind::Number(1.0, 999.0), "50"),
        key("widening-b", Kind::Number(1.01, 9.0), "1.3"),
        key("virtual", Kind::Number(0.0, 99.0), "0"),
        key("virtual-low", Kind::Number(0.0, 1.0), "0.25"),
        key("virtual-high", Kind::Number(0.0, 1.0), "0.75"),
        key("early-stop", Kind::Number(0.0, 1.0), "0"),
        key("opponent", Kind::Choice(&["minimising", "random", "cooperating"]), "minimising"),
        key("rave", Kind::Number(0.0, 1e6), "0"),
        key("rave-bias", Kind::Number(0.0, 9.0), "0"),
        key("amaf", Kind::Choice(&["off", "path", "root"]), "off"),
        key("parallel", Kind::Choice(&["tree", "root"]), "tree"),
        key("solver", Kind::Choice(&["on", "off"]), "off"),
        key("choice", Kind::Choice(&["visits", "simulations", "mean", "first-mean", "secure"]), "visits"),
        key("reuse", Kind::Choice(&["on", "off"]), "off"),
        key("table", Kind::Integer(1, 64), "2"),
    ];

    #[test]
    fn every_word_gives_the_setting_of_its_name() {
        let base = mcts_settings(Settings::default(), &Options::new(KEYS, &[]).expect("the defaults"));
        assert_eq!((base.expansion.threshold, base.expansion.levels, base.bytes), (3, 2, 2 << 20));
        let cases = [
            ("selection=ucb1", Settings { selection: Selection::Ucb1 { c: 0.5 }, ..base }),
            ("selection=ucb1-tuned", Settings { selection: Selection::Ucb1Tuned { c: 0.5 }, ..base }),
            ("selection=puct", Settings { selection: Selection::Puct { c: 0.5, base: None }, ..base }),
            ("selection=alphazero", Settings { selection: Selection::Puct { c: 0.5, base: Some(19_652.0) }, ..base }),
            ("selection=puct-log", Settings { selection: Selection::PuctLog { c: 0.5 }, ..base }),
            ("selection=newucb", Settings { selection: Selection::NewUcb { c: 0.5, e: 0.25 }, ..base }),
            ("total=parent", Settings { total: Total::Parent, ..base }),
            ("total=root", Settings { total: Total::Root, ..base }),
            ("unvisited=first", Settings { unvisited: Unvisited::First, ..base }),
            ("unvisited=parent", Settings { unvisited: Unvisited::Parent { reduction: 0.0 }, ..base }),
            ("unvisited=value", Settings { unvisited: Unvisited::Value(0.75), ..base }),
            ("opponent=minimising", Settings { opponent: Opponent::Minimising, ..base }),
            ("opponent=random", Settings { opponent: Opponent::Random, ..base }),
            ("opponent=cooperating", Settings { opponent: Opponent::Cooperating, ..base }),
            ("rave=300", Settings { rave: Some(Rave::Schedule { k: 300.0 }), ..base }),
            ("rave=0", Settings { rave: None, ..base }),
            ("rave-bias=0.5", Settings { rave: Some(Rave::Error { bias: 0.5 }), ..base }),
            ("rave-bias=0", Settings { rave: None, ..base }),
            ("parallel=tree", Settings { parallel: Parallel::Tree { virtual_loss: 1 }, ..base }),
            ("parallel=root", Settings { parallel: Parallel::Root, ..base }),
            ("terminal=visited", base),
            (
                "terminal=listed",
                Settings { expansion: Expansion { terminal: TerminalCheck::Listed, ..base.expansion }, ..base },
            ),
            ("widening=off", Settings { widening: None, ..base }),
            ("widening=coulom", Settings { widening: Some(Widening::Coulom { first: 2, a: 50.0, b: 1.3 }), ..base }),
            ("widening=chaslot", Settings { widening: Some(Widening::Chaslot { first: 2, a: 50.0, b: 1.3 }), ..base }),
            ("virtual=0", Settings { virtual_visits: None, ..base }),
            (
                "virtual=3",
                Settings { virtual_visits: Some(VirtualVisits { visits: 3.0, low: 0.25, high: 0.75 }), ..base },
            ),
            ("early-stop=0", Settings { early_stop: None, ..base }),
            ("early-stop=0.5", Settings { early_stop: Some(0.5), ..base }),
            ("amaf=off", Settings { amaf: None, ..base }),
            ("amaf=path", Settings { amaf: Some(AmafUpdates::default()), ..base }),
            ("amaf=root", Settings { amaf: Some(AmafUpdates { root_only: true, ..AmafUpdates::default() }), ..base }),
            ("solver=on", Settings { solver: true, ..base }),
            ("solver=off", Settings { solver: false, ..base }),
            ("choice=visits", Settings { final_move: FinalMove::Visits, ..base }),
            ("choice=simulations", Settings { final_move: FinalMove::Simulations, ..base }),
            ("choice=mean", Settings { final_move: FinalMove::Mean, ..base }),
            ("choice=first-mean", Settings { final_move: FinalMove::FirstMean, ..base }),
            ("choice=secure", Settings { final_move: FinalMove::Secure { a: 1.0 }, ..base }),
            ("reuse=on", Settings { reuse: true, ..base }),
            ("reuse=off", Settings { reuse: false, ..base }),
            ("table=64", Settings { bytes: 64 << 20, ..base }),
        ];
        for (text, expected) in cases {
            let pair = text.split_once('=').expect("a key and a value");
            let options = Options::new(KEYS, &[pair]).expect(text);
            assert_eq!(mcts_settings(Settings::default(), &options), expected, "{text}");
        }
        let ordered = |word| {
            let options = Options::new(KEYS, &[("order", word)]).expect(word);
            mcts_settings(Settings::default(), &options).expansion.order
        };
        let orders = [ordered("listed"), ordered("shuffled"), ordered("prior")];
        assert_eq!(orders, [Order::Listed, Order::Shuffled, Order::Prior]);
    }

    #[test]
    fn numbers_of_amaf_reach_its_updates() {
        const KEYS: &[Key] = &[
            key("amaf", Kind::Choice(&["off", "path"]), "path"),
            key("amaf-weight", Kind::Number(0.0, 1.0), "0.5"),
            key("amaf-decay", Kind::Number(0.0, 1.0), "0.25"),
            key("amaf-parents", Kind::Maximum(1_000_000), "0"),
            key("amaf-children", Kind::Maximum(1_000_000), "300"),
        ];
        let amaf = |pairs| {
            let options = Options::new(KEYS, pairs).expect("keys of the table");
            mcts_settings(Settings::default(), &options).amaf
        };
        let updates = AmafUpdates { weight: 0.5, decay: 0.25, child_max: Some(300), ..AmafUpdates::default() };
        assert_eq!(amaf(&[]), Some(updates));
        let bounded = AmafUpdates { parent_max: Some(9), child_max: None, ..updates };
        assert_eq!(amaf(&[("amaf-parents", "9"), ("amaf-children", "0")]), Some(bounded));
        assert_eq!(amaf(&[("amaf", "off")]), None);
    }

    #[test]
    fn keeps_what_the_player_has_no_key_for() {
        const C: &[Key] = &[key("c", Kind::Number(0.0, 9.0), "0.5")];
        let base = Settings { selection: Selection::Puct { c: 3.0, base: Some(7.0) }, ..Settings::default() };
        let settings = mcts_settings(base, &Options::new(C, &[]).expect("the defaults"));
        assert_eq!(settings, Settings { selection: Selection::Puct { c: 0.5, base: Some(7.0) }, ..base });
    }

    /// A player with a rule of its own has keys for both of its parameters.
    #[test]
    fn keys_reach_the_parameters_of_a_rule_of_another_crate() {
        const BOTH: &[Key] = &[key("c", Kind::Number(0.0, 9.0), "0.5"), key("epsilon", Kind::Number(0.0, 9.0), "0.25")];
        let rule = SelectionRule { name: "own", term: |child, _| child.c + child.e };
        let of = |c, e| Settings { selection: Selection::Custom { rule, c, e }, ..Settings::default() };
        let settings =
            mcts_settings(of(1.0, 1.0), &Options::new(BOTH, &[("epsilon", "0.75")]).expect("values in range"));
        assert_eq!(settings, of(0.5, 0.75));
        assert_eq!(mcts_settings(of(1.0, 1.0), &Options::new(&[], &[]).expect("no keys")), of(1.0, 1.0));
    }

    #[test]
    #[should_panic(expected = "the value last of the key `order` has no meaning")]
    fn panics_on_a_word_that_it_does_not_know() {
        const ORDER: &[Key] = &[key("order", Kind::Choice(&["last"]), "last")];
        let _ = mcts_settings(Settings::default(), &Options::new(ORDER, &[]).expect("the defaults"));
    }
}
