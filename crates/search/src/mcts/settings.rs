//! The settings of a search, and which of them contradict each other.

use std::fmt;

use banmen_game::{Game, Rng};

use super::tree::Tree;
use super::{Guide, Payload};

/// How a child is selected during the descent. `N` is the visits of the parent (before this descent; see [`Total`]), `n` those
/// of the child, `q` its mean and `P` its prior, from the view of the side that chooses; rewards are in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// `q + c √(ln N / n)`. Auer, Cesa-Bianchi and Fischer 2002; Kocsis and Szepesvári 2006: `c = √2`.
    Ucb1 {
        /// The weight of exploration, at least 0.
        c: f64,
    },
    /// `q + c √(ln N / n · min(¼, V))` with `V` = variance of the child's rewards `+ √(2 ln N / n)`. Auer,
    /// Cesa-Bianchi and Fischer 2002, section 4: `c = 1`.
    Ucb1Tuned {
        /// The weight of exploration, at least 0.
        c: f64,
    },
    /// `q + (c + ln((N + base + 1) / base)) P √N / (1 + n)`. Silver et al. 2018: `c = 1.25`, `base = 19652`; without a
    /// base the factor is `c` alone (Silver et al. 2017). `N` counts the visits before the parent was expanded too, so
    /// the first selection below it already depends on the priors.
    Puct {
        /// The weight of exploration, at least 0.
        c: f64,
        /// Visits after which the weight begins to grow, above 0; `None`: it does not grow.
        base: Option<f64>,
    },
    /// `q + c P √N ln(N + 1) / (1 + n)`: it explores more than PUCT as `N` grows. Pentobi selects with this factor
    /// of `N` over `n`, where children always have visits ([`VirtualVisits`]).
    PuctLog {
        /// The weight of exploration, at least 0.
        c: f64,
    },
    /// `q + c √(2 ln(N + e) / (n + e)) + R e` with `R` drawn for every child from [0, 1), in the order of the
    /// children: the newUCB of Suzuki and Ito 2019, section 4.3, who take `e = 1`. Finite without visits: `q` is then
    /// what [`Unvisited`] says.
    NewUcb {
        /// The weight of exploration, at least 0.
        c: f64,
        /// Added to visits, and the weight of the random part, above 0.
        e: f64,
    },
    /// `q + t` with the term `t` of a rule from any crate.
    Custom {
        /// The rule.
        rule: SelectionRule,
        /// The weight of exploration, at least 0.
        c: f64,
        /// A further parameter of the rule.
        e: f64,
    },
}

impl Selection {
    /// Whether the variances of rewards count, so that their squares are added up.
    pub(super) fn uses_variance(&self) -> bool {
        matches!(self, Selection::Ucb1Tuned { .. } | Selection::Custom { .. })
    }
}

/// A rule of selection, for [`Selection::Custom`]. Where it takes its functions from the crate `libm`, and not from the standard
/// library, it has the same results on every machine.
///
/// ```
/// use banmen_search::mcts::{Candidate, Selection, SelectionRule, Settings};
///
/// /// UCB1 with a cube root in place of the square root.
/// const CUBE_ROOT: SelectionRule = SelectionRule {
///     name: "cube-root",
///     term: |child: &Candidate, _| child.c * libm::cbrt(libm::log(child.total) / child.visits),
/// };
/// let settings = Settings { selection: Selection::Custom { rule: CUBE_ROOT, c: 0.7, e: 0.0 }, ..Settings::default() };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SelectionRule {
    /// Its name in reports of the tree. Rules of the same name count as the same.
    pub name: &'static str,
    /// What is added to the mean of a child; 0 in place of a number that is not finite. It is called for each child that can
    /// be selected, in the order of the children, except as [`Unvisited`] says, and where the tree is reported. Randomness comes
    /// from the stream of the thread; a report has the term of one draw.
    pub term: fn(&Candidate, &mut Rng) -> f64,
}

impl PartialEq for SelectionRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What a [`SelectionRule`] sees of a child, from the view of the side that chooses; rewards are in [0, 1]. Tests begin with the
/// default, in which all numbers are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// Visits of the parent, at least 1.
    pub parent: f64,
    /// `N`: the visits that [`Total`] says, at least 1.
    pub total: f64,
    /// Visits of the child; 0 where [`Unvisited`] gives it a value.
    pub visits: f64,
    /// The mean of its rewards, with the AMAF mean blended in; without visits what [`Unvisited`] says.
    pub mean: f64,
    /// The variance of its rewards; 0 without visits.
    pub variance: f64,
    /// Its prior.
    pub prior: f64,
    /// The weight of exploration, times [`Guide::exploration`].
    pub c: f64,
    /// The further parameter.
    pub e: f64,
}

/// Which visits are the `N` of a [`Selection`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// Those of the parent.
    Parent,
    /// Those of the root: all simulations of this decision, also those made before
    /// [`Mcts::advance`](super::Mcts::advance) led to another root, and what was kept from earlier decisions.
    Root,
}

/// The value of a child without visits: first-play urgency (Gelly and Wang 2007).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unvisited {
    /// Higher than any other: all children are visited once, in their order.
    First,
    /// This value, from the view of the side that chooses. UCB1 compares it with whole scores, PUCT and newUCB use it as the
    /// mean.
    Value(f64),
    /// The parent's mean (½ while it has none) less a reduction. UCB1 explores such a child like one with a single visit, PUCT
    /// and newUCB use the value as the mean.
    Parent {
        /// Subtracted from the parent's mean.
        reduction: f64,
    },
}

/// The order of children. Of equal ones the first is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the game lists the moves.
    Listed,
    /// Shuffled when they are made.
    Shuffled,
    /// By descending prior, which the guide has to give; of equals as listed.
    Prior,
}

/// Progressive widening: only the first `k` children of a node can be selected, and `k` grows with the logarithm of the
/// node's simulations; most useful with [`Order::Prior`]. Where the solver has pruned all of them, the others can be
/// selected too. [`Opponent::Random`] chooses among all children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Widening {
    /// `first` children, and the `n`th one more from `t_n` simulations on, `t_0 = 0`, `t_{n+1} = t_n + a bⁿ`. Coulom 2007,
    /// "Computing Elo ratings of move patterns in the game of Go": `a = 40`, `b = 1.4` and one child at first.
    Coulom {
        /// Children that can be selected at once, at least 1.
        first: u32,
        /// Simulations until the next one, above 0.
        a: f64,
        /// Their growth from one to the next, above 1.
        b: f64,
    },
    /// `first` children, and the `n`th one more from `a bⁿ` simulations on: progressive unpruning. Chaslot et al. 2008,
    /// "Progressive strategies for Monte-Carlo tree search", whose `k_init` is `first`.
    Chaslot {
        /// Children that can be selected at once, at least 1.
        first: u32,
        /// Simulations until the next one, less a factor of `b`, above 0.
        a: f64,
        /// Their growth from one to the next, above 1.
        b: f64,
    },
}

impl Widening {
    /// How many children can be selected after so many simulations through their parent.
    #[must_use]
    pub fn width(&self, simulations: f64) -> usize {
        // Rounding must not move a threshold that equals a whole number of simulations past that number.
        let simulations = simulations + 1e-6;
        let (first, x, b) = match *self {
            Widening::Coulom { first, a, b } => (first, 1.0 + simulations * (b - 1.0) / a, b),
            Widening::Chaslot { first, a, b } => (first, (simulations / a).max(1.0), b),
        };
        (first as usize).saturating_add((libm::log(x) / libm::log(b)) as usize)
    }

    fn parameters(&self) -> (u32, f64, f64) {
        let (Widening::Coulom { first, a, b } | Widening::Chaslot { first, a, b }) = *self;
        (first, a, b)
    }
}

/// Virtual visits of a new child, with a value that follows from its prior: `low + (high − low) P / P_max`, where `P_max` is
/// the highest prior among the new children, from the view of the side that chooses. They count like visits, except for
/// [`Expansion::threshold`] and [`Widening`]. So no child is without visits, and no selection has to try hundreds of
/// children once. The root has them too, with the value ½.
///
/// "Equivalent experience" of heuristic prior knowledge: Gelly and Silver 2007, section 6. Pentobi's children begin with 3
/// visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualVisits {
    /// How many, above 0 and at most 10⁶.
    pub visits: f64,
    /// The value of a child whose prior is 0, in [0, 1].
    pub low: f64,
    /// The value of the child with the highest prior, in [0, 1].
    pub high: f64,
}

/// When the search checks whether a child is terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalCheck {
    /// At its first visit.
    Visited,
    /// When it is made: the solver then never misses a move that wins at once.
    Listed,
    /// When it is made, and a terminal child is left out, on the first of two levels or the only one, except below a root that
    /// is expanded before the first descent: what the program of the Dobutsu shogi article does. A node whose children
    /// are all left out stays a leaf.
    Skipped,
}

/// How the tree grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// A descent that meets a leaf with at least so many visits expands it and goes on; at least 1.
    pub threshold: u32,
    /// Whether each halving of the free space doubles the visits that a leaf needs, so that a long search goes on to grow
    /// the tree, ever more slowly. Without it the tree grows until it is full, and then no more. No effect before half of
    /// the space is used.
    pub thrifty: bool,
    /// Levels made at once: 1 for the children, 2 for their children too.
    pub levels: u32,
    /// When children are checked for the end of the game.
    pub terminal: TerminalCheck,
    /// The order of the children.
    pub order: Order,
    /// Whether the root gets its children (one level) before the first descent.
    pub root: bool,
}

impl Default for Expansion {
    /// One level at the second visit, whatever space is free, the root at once; children are checked for the end of the game at their first
    /// visit, and keep the order of the list.
    fn default() -> Self {
        Expansion {
            threshold: 1,
            thrifty: false,
            levels: 1,
            terminal: TerminalCheck::Visited,
            order: Order::Listed,
            root: true,
        }
    }
}

/// How the other side selects in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// The best child for itself.
    Minimising,
    /// The best child for the side that searches.
    Cooperating,
    /// Any child with the same probability.
    Random,
}

/// The weight of a child's AMAF mean against that of its own mean. `n` visits, `m` AMAF visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rave {
    /// `β = √(k / (3N + k))`. Gelly and Silver 2007.
    Schedule {
        /// Visits of the parent at which both means count the same, above 0.
        k: f64,
    },
    /// `β = m / (n + m + 4 n m b²)`: the least mean squared error. Gelly and Silver 2011, section 5.
    Error {
        /// The assumed bias of AMAF means, above 0.
        bias: f64,
    },
}

/// AMAF results in the ordinary counters: at a node of the path, the result of a simulation also goes to the visits and the
/// sum of every other child whose move the side that chose there made later in the simulation, in the tree or in the
/// playout; several times later, once. Selection and [`FinalMove::Visits`] treat these results like others, but a leaf is
/// expanded by its simulations alone. Sasaki and Kotani, "Monte-Carlo Tree Search in the Game of Blokus-Duo", section 3.1,
/// do not say where the results of AMAF go; the defaults are our reading.
///
/// An update weighs `weight · (1 − decay · d / L)`, `d` plies after the node in a simulation that goes on for `L` plies
/// from there, times [`Guide::amaf_weight`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AmafUpdates {
    /// Whether only children of the root get results.
    pub root_only: bool,
    /// The weight of an update, above 0 and at most 1.
    pub weight: f64,
    /// How much of the weight is lost toward the end of the simulation, 0 to 1.
    pub decay: f64,
    /// The children of a node with more visits, this simulation included, get no results; `None`: no bound.
    pub parent_max: Option<u32>,
    /// A child with more visits gets no results; `None`: no bound.
    pub child_max: Option<u32>,
}

impl Default for AmafUpdates {
    /// At every node of the path, with full weight.
    fn default() -> Self {
        AmafUpdates { root_only: false, weight: 1.0, decay: 0.0, parent_max: None, child_max: None }
    }
}

/// Which move is played in the end. Moves that are proven to be worse than another are not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FinalMove {
    /// Most visits; of equals the higher mean.
    Visits,
    /// Most simulations through the child, which are its visits without AMAF results; of equals the higher mean.
    Simulations,
    /// The highest mean; of equals more visits.
    Mean,
    /// The highest mean; of equals the first child in the order, however few visits it has. What Muto's M-UCT plays.
    FirstMean,
    /// The highest `q − a / √n`. Chaslot et al. 2008.
    Secure {
        /// The penalty for few visits, at least 0.
        a: f64,
    },
}

/// How several threads search together. How many there are is up to [`Task::threads`](crate::Task::threads) and
/// [`Mcts::set_threads`](super::Mcts::set_threads); a single thread searches as if this were not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// On one tree (tree parallelisation). To the other threads each descent under way counts as `virtual_loss` lost visits of
    /// the nodes on its path that have fewer than 16 visits (Chaslot, Winands and van den Herik 2008; Segal 2010).
    Tree {
        /// 1 to 64.
        virtual_loss: u32,
    },
    /// Each on a tree of its own, whose root statistics are added (root parallelisation: Cazenave and Jouandeau 2007). The
    /// memory is divided among the trees.
    Root,
}

/// All choices that do not change a type. Write `Settings { solver: true, ..Settings::default() }`: choices
/// may be added, and their defaults change no search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How a child is selected.
    pub selection: Selection,
    /// Which visits are the total of the selection.
    pub total: Total,
    /// The value of a child without visits.
    pub unvisited: Unvisited,
    /// How the tree grows.
    pub expansion: Expansion,
    /// Whether only some children can be selected at first.
    pub widening: Option<Widening>,
    /// Whether children begin with virtual visits.
    pub virtual_visits: Option<VirtualVisits>,
    /// How the other side selects.
    pub opponent: Opponent,
    /// Whether and how AMAF means count; needs the payload [`super::Amaf`] or [`super::IndexedAmaf`].
    pub rave: Option<Rave>,
    /// Whether AMAF results go into the ordinary counters; needs one of these payloads too, and no RAVE.
    pub amaf: Option<AmafUpdates>,
    /// Whether score bounds are kept and used (Cazenave and Saffidine 2010).
    pub solver: bool,
    /// Which move is played.
    pub final_move: FinalMove,
    /// Whether [`Player::think`](crate::Player::think) stops when the best move leads by more visits than this part, above
    /// 0 and at most 1, of the simulations that are left: with 1 when nothing can change it any more (except a proof, or
    /// a higher speed), with less when that is improbable. Simulations are left by the limit of playouts, and by the time
    /// at the speed so far; limits of nodes and depth do not count. Baier and Winands 2012, "Time management for Monte-Carlo
    /// tree search in Go", STOP.
    pub early_stop: Option<f64>,
    /// How several threads search together.
    pub parallel: Parallel,
    /// Whether the part of the tree below the moves that were played is kept for the next decision.
    pub reuse: bool,
    /// Memory of the tree or trees in bytes: of fixed size, allocated when the first game or search begins.
    pub bytes: usize,
}

impl Default for Settings {
    /// Plain UCT for a minimising opponent: UCB1 with `c = √2`, expansion at the second visit, 64 MiB.
    fn default() -> Self {
        Settings {
            selection: Selection::Ucb1 { c: std::f64::consts::SQRT_2 },
            total: Total::Parent,
            unvisited: Unvisited::First,
            expansion: Expansion::default(),
            widening: None,
            virtual_visits: None,
            opponent: Opponent::Minimising,
            rave: None,
            amaf: None,
            solver: false,
            final_move: FinalMove::Visits,
            early_stop: None,
            parallel: Parallel::Tree { virtual_loss: 1 },
            reuse: false,
            bytes: 64 << 20,
        }
    }
}

/// Why settings are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingsError {
    /// A number is outside its range; the name of the setting and its range.
    Range(&'static str, &'static str),
    /// The solver proves the result of best play, and this opponent does not play its best.
    SolverNeedsMinimising,
    /// The solver proves nothing if moves are left out of the tree.
    SolverNeedsAllMoves,
    /// The kept tree has no node for moves that end the game, and its new root would not know them.
    ReuseNeedsEnds,
    /// An order by prior, and a guide that gives none.
    OrderNeedsPriors,
    /// An early stop, and a final move that visits do not decide.
    EarlyStopNeedsVisits,
    /// An early stop of a search that divides its budget among stages.
    StagesWithoutEarlyStop,
    /// RAVE or AMAF updates without a payload that holds AMAF counters.
    RaveNeedsAmaf,
    /// RAVE and AMAF updates together.
    RaveOrAmaf,
    /// A guide that gives values evaluates a leaf at its first visit, one level at a time.
    ValuesNeedFirstVisit,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Range(name, range) => write!(f, "{name} has to be {range}"),
            SettingsError::SolverNeedsMinimising => {
                f.write_str("the solver proves what best play gives, so the opponent has to be minimising")
            }
            SettingsError::SolverNeedsAllMoves => {
                f.write_str("the solver proves nothing where moves are left out of the tree")
            }
            SettingsError::ReuseNeedsEnds => f.write_str(
                "a tree that leaves out moves that end the game cannot be kept: its new root would miss them",
            ),
            SettingsError::OrderNeedsPriors => f.write_str("the order by prior needs a guide that gives priors"),
            SettingsError::EarlyStopNeedsVisits => {
                f.write_str("a search can stop early only where visits or simulations decide the final move")
            }
            SettingsError::StagesWithoutEarlyStop => {
                f.write_str("a search that divides its budget among stages cannot stop early")
            }
            SettingsError::RaveNeedsAmaf => f.write_str("RAVE and AMAF need nodes that hold AMAF counters"),
            SettingsError::RaveOrAmaf => f.write_str(
                "AMAF results go into counters of their own (RAVE) or into the ordinary ones, not into both",
            ),
            SettingsError::ValuesNeedFirstVisit => {
                f.write_str("a guide that gives values needs a threshold of 1 and one level")
            }
        }
    }
}

impl std::error::Error for SettingsError {}

impl Settings {
    /// Checks all settings together.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check<G: Game, K: Guide<G>, X: Payload<G>>(&self) -> Result<(), SettingsError> {
        let range = |good: bool, name, range| if good { Ok(()) } else { Err(SettingsError::Range(name, range)) };
        let weight = |x: f64| x.is_finite() && x >= 0.0;
        let positive = |x: f64| x.is_finite() && x > 0.0;
        match self.selection {
            Selection::Ucb1 { c } | Selection::Ucb1Tuned { c } => range(weight(c), "c", "a number of at least 0")?,
            Selection::Puct { c, base } => {
                range(weight(c), "c", "a number of at least 0")?;
                range(base.is_none_or(positive), "base", "a number above 0")?;
            }
            Selection::PuctLog { c } => range(weight(c), "c", "a number of at least 0")?,
            Selection::NewUcb { c, e } => {
                range(weight(c), "c", "a number of at least 0")?;
                range(positive(e), "e", "a number above 0")?;
            }
            Selection::Custom { c, e, .. } => {
                range(weight(c), "c", "a number of at least 0")?;
                range(e.is_finite(), "e", "a number")?;
            }
        }
        match self.unvisited {
            Unvisited::First => {}
            Unvisited::Value(x) | Unvisited::Parent { reduction: x } => range(x.is_finite(), "unvisited", "a number")?,
        }
        range(self.expansion.threshold >= 1, "threshold", "at least 1")?;
        range(matches!(self.expansion.levels, 1 | 2), "levels", "1 or 2")?;
        if self.expansion.order == Order::Prior && !(K::PRIORS || K::VALUES) {
            return Err(SettingsError::OrderNeedsPriors);
        }
        if let Some(widening) = self.widening {
            let (first, a, b) = widening.parameters();
            range(first >= 1, "the first width", "at least 1")?;
            range(positive(a), "the width's a", "a number above 0")?;
            range(b.is_finite() && b > 1.0, "the width's b", "a number above 1")?;
        }
        if let Some(VirtualVisits { visits, low, high }) = self.virtual_visits {
            range(visits > 0.0 && visits <= 1e6, "the number of virtual visits", "above 0 and at most a million")?;
            range((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high), "the value of virtual visits", "0 to 1")?;
        }
        if let Some(certainty) = self.early_stop {
            range(certainty > 0.0 && certainty <= 1.0, "early stop", "above 0 and at most 1")?;
            if !matches!(self.final_move, FinalMove::Visits | FinalMove::Simulations) {
                return Err(SettingsError::EarlyStopNeedsVisits);
            }
        }
        if K::VALUES && (self.expansion.threshold, self.expansion.levels) != (1, 1) {
            return Err(SettingsError::ValuesNeedFirstVisit);
        }
        match self.rave {
            None => {}
            Some(_) if !X::AMAF => return Err(SettingsError::RaveNeedsAmaf),
            Some(Rave::Schedule { k: x } | Rave::Error { bias: x }) => range(positive(x), "rave", "a number above 0")?,
        }
        if let Some(amaf) = self.amaf {
            if !X::AMAF {
                return Err(SettingsError::RaveNeedsAmaf);
            }
            if self.rave.is_some() {
                return Err(SettingsError::RaveOrAmaf);
            }
            range(amaf.weight > 0.0 && amaf.weight <= 1.0, "the AMAF weight", "above 0 and at most 1")?;
            range((0.0..=1.0).contains(&amaf.decay), "the AMAF decay", "0 to 1")?;
        }
        if let FinalMove::Secure { a } = self.final_move {
            range(weight(a), "a", "a number of at least 0")?;
        }
        if self.solver {
            if self.opponent != Opponent::Minimising {
                return Err(SettingsError::SolverNeedsMinimising);
            }
            if K::FILTERS || K::CANDIDATES || self.expansion.terminal == TerminalCheck::Skipped {
                return Err(SettingsError::SolverNeedsAllMoves);
            }
        }
        if self.reuse && self.expansion.terminal == TerminalCheck::Skipped {
            return Err(SettingsError::ReuseNeedsEnds);
        }
        if let Parallel::Tree { virtual_loss } = self.parallel {
            range((1..=64).contains(&virtual_loss), "virtual loss", "1 to 64")?;
        }
        range(self.bytes >= Tree::<X>::MIN_BYTES, "bytes", "at least 4096")?;
        range(self.bytes <= Tree::<X>::MAX_BYTES, "bytes", "less than 2^32 nodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first simulation at which each width is reached.
    fn steps(widening: Widening, count: usize) -> Vec<u32> {
        let first = widening.width(0.0);
        (first + 1..first + 1 + count)
            .map(|width| (0..).find(|&n| widening.width(f64::from(n)) >= width).expect("it grows"))
            .collect()
    }

    #[test]
    fn widths_grow_by_the_formulas_of_their_papers() {
        let coulom = Widening::Coulom { first: 1, a: 40.0, b: 1.4 };
        // 40, 40 + 56, … + 78.4, … + 109.76, … + 153.664.
        assert_eq!((coulom.width(0.0), steps(coulom, 5)), (1, vec![40, 96, 175, 285, 438]));
        let chaslot = Widening::Chaslot { first: 5, a: 50.0, b: 1.5 };
        assert_eq!((chaslot.width(0.0), steps(chaslot, 4)), (5, vec![75, 113, 169, 254]));
        let doubled = Widening::Chaslot { first: 2, a: 3.0, b: 2.0 };
        assert_eq!(steps(doubled, 20), (1..=20).map(|n| 3 << n).collect::<Vec<_>>());
    }
}
