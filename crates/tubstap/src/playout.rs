//! The attack-leaning playouts of Muto's M-UCT, and their reward.
//!
//! With probability 0.8, if there is an attack: one of all attacks of all units that can act, each with the same
//! probability, those without damage among them. Otherwise one of the units that can act, each with the same probability,
//! and one of its actions: attacks that do damage, and moves, also to its own cell. Source: the program of M-UCT's author,
//! the public repository mu-to/TUBSTAP.
//!
//! The original plays one turn too many where a playout begins in or after the other side's turn; this one does not.

use banmen_game::{Game, Outcome, PlayoutEnd, Rng, Side};

use crate::cells::{Cell, Cells};
use crate::field::{Field, Form, Reach};
use crate::game::Tubstap;
use crate::moves::{Move, cells_of};
use crate::position::{Position, bits};

/// The reward of a playout that reaches the turn limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reward {
    /// As in M-UCT: a difference of hit points equal to the threshold wins. Where the threshold is 0, equal sums win for the
    /// side that searches.
    #[default]
    Original,
    /// As the rules decide: only a larger difference wins.
    Rules,
}

/// The playouts and rewards of M-UCT.
#[derive(Clone, Debug, PartialEq)]
pub struct AttackLeaning {
    /// The probability of an attack where there is one, as a part of 2⁶⁴.
    attack: u64,
    reward: Reward,
    /// The side that searches.
    root: Side,
    /// Of so many random attacks the best one is played.
    choices: u32,
    /// The worth of a hit point of each kind, by which the best one is chosen.
    values: [i32; 6],
}

impl AttackLeaning {
    /// The probability of an attack in M-UCT.
    pub const PROBABILITY: f64 = 0.8;

    /// Playouts that attack with this probability, clamped to [0, 1], where there is an attack.
    #[must_use]
    pub fn new(probability: f64, reward: Reward) -> Self {
        // A conversion to an integer saturates.
        AttackLeaning {
            attack: (probability * 2.0 * (1u64 << 63) as f64) as u64,
            reward,
            root: Side::First,
            choices: 1,
            values: [1; 6],
        }
    }

    /// Plays the best of `choices` random attacks: by damage less counter-damage, where a hit point of each kind has its value.
    /// Where that gains nothing, an action is chosen as where there is no attack.
    #[must_use]
    pub fn best_of(self, choices: u32, values: [i32; 6]) -> Self {
        AttackLeaning { choices, values, ..self }
    }

    /// Sets the side that searches: for it equal sums win by [`Reward::Original`] where the threshold is 0.
    pub fn begin(&mut self, root: Side) {
        self.root = root;
    }

    /// Plays from `position` until the game is over or `cap` actions are played, and leaves it there. Calls `played` with
    /// each action and its side.
    pub fn run(
        &self,
        game: &Tubstap,
        position: &mut Position,
        cap: u32,
        rng: &mut Rng,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        match game.field().form() {
            Form::Small(reach) => self.run_in(game, reach, position, cap, rng, played),
            // All callers share the code for large boards, where a call an action is little: each caller's own would be a
            // twentieth of a module for browsers.
            Form::Large(reach) => {
                self.run_in(game, reach, position, cap, rng, &mut played as &mut dyn FnMut(Side, Move))
            }
        }
    }

    fn run_in<B: Cells>(
        &self,
        game: &Tubstap,
        reach: &Reach<B>,
        position: &mut Position,
        cap: u32,
        rng: &mut Rng,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let mut plies = 0;
        if game.is_over(position) {
            return PlayoutEnd { outcome: game.outcome(position, &()), plies };
        }
        let mut board = Board::<B>::new(position);
        loop {
            // A turn.
            let side = position.side();
            let mut turn = Turn::new(reach, position, &board, side);
            while position.able() != 0 {
                if plies == cap {
                    return PlayoutEnd { outcome: None, plies };
                }
                let m = turn.choose(self, game.field(), position, &board, rng);
                let (unit, to) = (m.unit, m.to);
                played(side, m.as_move());
                board.step(side, unit, position.cell(unit), to);
                plies += 1;
                let enemies = position.alive(side.other());
                position.act(game.field(), unit, to, m.target);
                if m.target.is_none() {
                    continue;
                }
                if position.alive(side) >> unit & 1 == 0 {
                    board.remove(side, to);
                    if position.alive(side) == 0 {
                        return PlayoutEnd { outcome: game.outcome(position, &()), plies };
                    }
                }
                if position.alive(side.other()) != enemies {
                    if position.alive(side.other()) == 0 {
                        return PlayoutEnd { outcome: game.outcome(position, &()), plies };
                    }
                    board.remove(side.other(), turn.attacked);
                    turn = Turn::new(reach, position, &board, side);
                }
            }
            position.pass_turns(game.limit());
            if position.turn() >= game.limit() {
                return PlayoutEnd { outcome: game.outcome(position, &()), plies };
            }
        }
    }

    /// The reward for the first side of a position where the game is over.
    #[must_use]
    pub fn reward(&self, game: &Tubstap, position: &Position, outcome: &Outcome) -> f64 {
        let wiped_out = Side::BOTH.into_iter().any(|side| position.alive(side) == 0);
        if self.reward == Reward::Rules || wiped_out {
            return outcome.score(Side::First);
        }
        let [own, other] = [self.root, self.root.other()].map(|side| position.hit_points(side));
        let threshold = u32::from(game.threshold());
        let reward = if own >= other + threshold {
            1.0
        } else if own.abs_diff(other) < threshold {
            0.5
        } else {
            0.0
        };
        if self.root == Side::First { reward } else { 1.0 - reward }
    }
}

impl Default for AttackLeaning {
    fn default() -> Self {
        AttackLeaning::new(AttackLeaning::PROBABILITY, Reward::Original)
    }
}

/// The part of a position that a playout updates incrementally.
struct Board<B> {
    /// The cells of each side's units.
    cells: [B; 2],
    /// The number of the unit on each cell; without meaning where there is none.
    units: [u8; Cell::COUNT],
}

impl<B: Cells> Board<B> {
    fn new(position: &Position) -> Self {
        let mut units = [0; Cell::COUNT];
        for side in Side::BOTH {
            bits(position.alive(side)).for_each(|unit| units[position.cell(unit).index()] = unit as u8);
        }
        Board { cells: Side::BOTH.map(|side| cells_of(position, position.alive(side))), units }
    }

    #[inline(always)]
    fn step(&mut self, side: Side, unit: usize, from: Cell, to: Cell) {
        let cells = &mut self.cells[side.index()];
        *cells = *cells & !B::only(from) | B::only(to);
        self.units[to.index()] = unit as u8;
    }

    #[inline(always)]
    fn remove(&mut self, side: Side, cell: Cell) {
        self.cells[side.index()] = self.cells[side.index()] & !B::only(cell);
    }
}

/// An action that was chosen.
#[derive(Clone, Copy)]
struct Chosen {
    unit: usize,
    to: Cell,
    target: Option<usize>,
}

impl Chosen {
    #[inline(always)]
    fn as_move(self) -> Move {
        match self.target {
            Some(target) => Move::attack(self.unit, self.to, target),
            None => Move::quiet(self.unit, self.to),
        }
    }
}

/// What stays the same in a turn until an enemy is destroyed.
struct Turn<'r, B> {
    reach: &'r Reach<B>,
    side: Side,
    /// The cells of the enemies.
    enemies: B,
    /// The cells above, below, to the left and to the right of enemies.
    steps: [B; 4],
    /// Where each unit can go at most, of the units in `known`.
    cells: [B; Position::MAX_UNITS],
    known: u32,
    /// The units that can attack if no unit of their side is in the way.
    attackers: u32,
    /// The cell of the unit that was attacked last.
    attacked: Cell,
}

impl<'r, B: Cells> Turn<'r, B> {
    #[inline(always)]
    fn new(reach: &'r Reach<B>, position: &Position, board: &Board<B>, side: Side) -> Self {
        let enemies = board.cells[side.other().index()];
        let steps = enemies.steps();
        let [up, down, left, right] = steps;
        let beside = up | down | left | right;
        let mut turn = Turn {
            reach,
            side,
            enemies,
            steps,
            cells: [B::EMPTY; Position::MAX_UNITS],
            known: 0,
            attackers: 0,
            attacked: Cell::of_index(0),
        };
        for unit in bits(position.able()) {
            let (kind, from) = (position.kind(unit), position.cell(unit));
            if (reach.threat(kind, from) & enemies).is_empty() {
                continue;
            }
            let attacks = if kind.is_direct() { !(turn.cells(position, unit) & beside).is_empty() } else { true };
            turn.attackers |= u32::from(attacks) << unit;
        }
        turn
    }

    /// Where a unit can go at most.
    #[inline(always)]
    fn cells(&mut self, position: &Position, unit: usize) -> B {
        if self.known >> unit & 1 == 0 {
            self.known |= 1 << unit;
            self.cells[unit] = self.reach.cells(position.kind(unit), position.cell(unit), self.enemies);
        }
        self.cells[unit]
    }

    /// Chooses an action. A unit can act.
    #[inline(always)]
    fn choose(
        &mut self,
        playout: &AttackLeaning,
        field: &Field,
        position: &Position,
        board: &Board<B>,
        rng: &mut Rng,
    ) -> Chosen {
        let own = board.cells[self.side.index()];
        let free = !(own | self.enemies);
        let mut counts = [0; Position::MAX_UNITS];
        let mut total = 0;
        let attackers = self.attackers & position.able();
        for unit in bits(attackers) {
            let (kind, from) = (position.kind(unit), position.cell(unit));
            let count = if kind.is_direct() {
                let cells = self.cells[unit] & free | B::only(from);
                self.steps.iter().map(|&step| (cells & step).count()).sum()
            } else {
                (self.reach.threat(kind, from) & self.enemies).count()
            };
            counts[unit] = count;
            total += count;
        }
        if total > 0 && rng.bits() < playout.attack {
            let (mut best, mut most) = (None, 0);
            for _ in 0..playout.choices {
                let mut rank = rng.below(total.into()) as u32;
                let mut left = attackers;
                let mut unit = left.trailing_zeros() as usize;
                while rank >= counts[unit % 32] {
                    rank -= counts[unit % 32];
                    left &= left - 1;
                    unit = left.trailing_zeros() as usize;
                }
                let chosen = self.attack(position, board, unit, free, rank);
                if playout.choices == 1 {
                    return chosen;
                }
                let Some(target) = chosen.target else { continue };
                let (damage, counter) = position.exchange(field, unit, chosen.to, target);
                let gain = damage as i32 * playout.values[position.kind(target).index()]
                    - counter as i32 * playout.values[position.kind(unit).index()];
                if gain > most {
                    (best, most) = (Some((chosen, self.attacked)), gain);
                }
            }
            if let Some((chosen, attacked)) = best {
                self.attacked = attacked;
                return chosen;
            }
        }
        let able = position.able();
        let mut rank = rng.below(able.count_ones().into());
        let mut units = able;
        while rank > 0 {
            units &= units - 1;
            rank -= 1;
        }
        self.act(field, position, units.trailing_zeros() as usize, free, rng)
    }

    /// The attack of a unit with this rank among its attacks.
    #[inline(always)]
    fn attack(&mut self, position: &Position, board: &Board<B>, unit: usize, free: B, mut rank: u32) -> Chosen {
        let (kind, from) = (position.kind(unit), position.cell(unit));
        if !kind.is_direct() {
            self.attacked = (self.reach.threat(kind, from) & self.enemies).nth(rank);
            return Chosen { unit, to: from, target: Some(board.units[self.attacked.index()].into()) };
        }
        let cells = self.cells[unit] & free | B::only(from);
        // The way from a cell above an enemy to the enemy is down, and so on.
        let mut to = from;
        for (step, back) in self.steps.into_iter().zip([16, -16, 1, -1]) {
            let count = (cells & step).count();
            if rank < count {
                to = (cells & step).nth(rank);
                self.attacked = Cell::of_index((to.index() as i32 + back) as u8);
                break;
            }
            rank -= count;
        }
        Chosen { unit, to, target: Some(board.units[self.attacked.index()].into()) }
    }

    /// One of the actions of a unit: its moves, and the attacks that do damage.
    #[inline(always)]
    fn act(&mut self, field: &Field, position: &Position, unit: usize, free: B, rng: &mut Rng) -> Chosen {
        let (kind, from) = (position.kind(unit), position.cell(unit));
        let cells = self.cells(position, unit) & free | B::only(from);
        let quiet = cells.count();
        let mut total = quiet;
        let mut ways = [0; Position::MAX_UNITS];
        let targets = if self.attackers >> unit & 1 == 1 { position.alive(self.side.other()) } else { 0 };
        let threat = self.reach.threat(kind, from);
        for target in bits(targets) {
            let at = position.cell(target);
            if !threat.contains(at) {
                continue;
            }
            let (other, hp) = (position.kind(target), position.hp(target));
            if kind.damage(position.hp(unit), other, hp, field.stars(at)) > 0 {
                ways[target] = if kind.is_direct() { (self.reach.beside(at) & cells).count() } else { 1 };
                total += ways[target];
            }
        }
        let mut rank = rng.below(total.into()) as u32;
        if rank < quiet {
            return Chosen { unit, to: cells.nth(rank), target: None };
        }
        rank -= quiet;
        for target in bits(targets) {
            if rank < ways[target] {
                self.attacked = position.cell(target);
                let to = if kind.is_direct() { (self.reach.beside(self.attacked) & cells).nth(rank) } else { from };
                return Chosen { unit, to, target: Some(target) };
            }
            rank -= ways[target];
        }
        Chosen { unit, to: from, target: None }
    }
}
