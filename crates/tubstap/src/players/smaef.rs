//! `Sample_MaxActionEvalFunc`, the rule-based player of the original distribution: the attack of the largest value, and where
//! none is worth it, one step of a random unit.

use banmen_catalog::PlayerEntry;
use banmen_game::{GameState, Rng};
use banmen_search::{Player, Report, Task};

use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::{Position, bits};

struct Smaef {
    rng: Rng,
}

/// An attack is played only if its value is larger.
const LEAST: i64 = -20;

impl Player<Tubstap> for Smaef {
    fn new_game(&mut self, _: &GameState<Tubstap>, seed: u64) {
        self.rng = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, Tubstap>) -> Report<Move> {
        let (game, position) = (task.state.game(), task.state.position());
        Report::of(choose(game, position, &mut self.rng), 0.5)
    }
}

/// The action that the player chooses in an unfinished position.
pub(super) fn choose(game: &Tubstap, position: &Position, rng: &mut Rng) -> Move {
    attack(game, position).unwrap_or_else(|| step(game, position, rng))
}

/// The largest damage that each enemy could do now to a unit that has acted in this turn; 0 for those that can do none.
fn threats(game: &Tubstap, position: &Position) -> [i64; Position::MAX_UNITS] {
    let side = position.side();
    let mut threats = [0; Position::MAX_UNITS];
    for enemy in bits(position.alive(side.other())) {
        let attacks = game.options(position, enemy).attacks.into_iter();
        let acted = attacks.filter(|&(_, target)| position.acted() >> target & 1 == 1);
        let damage = acted.map(|(from, target)| i64::from(game.exchange(position, enemy, from, target).0));
        threats[enemy] = damage.max().unwrap_or(0);
    }
    threats
}

/// The attack of the largest value, the first of them: units by number, enemies by number, and the cells to the right of
/// the enemy, above, to the left and below. None if the value is too small.
fn attack(game: &Tubstap, position: &Position) -> Option<Move> {
    let threats = threats(game, position);
    let mut best: Option<(i64, Move)> = None;
    for unit in bits(position.able()) {
        let mut attacks = game.options(position, unit).attacks;
        attacks.sort_by_key(|&(from, target)| (target, order(from, position.cell(target))));
        for (from, target) in attacks {
            let (damage, counter) = game.exchange(position, unit, from, target);
            if damage == 0 {
                continue;
            }
            let value =
                i64::from(damage) * (10 + threats[target]) - i64::from(counter) * (10 + i64::from(position.hp(unit)));
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, Move::attack(unit, from, target)));
            }
        }
    }
    best.filter(|&(value, _)| value > LEAST).map(|(_, m)| m)
}

/// The place of a cell among the cells from which an enemy is attacked: right, above, left, below.
fn order(from: Cell, enemy: Cell) -> u8 {
    match (from.x().cmp(&enemy.x()), from.y().cmp(&enemy.y())) {
        (std::cmp::Ordering::Greater, _) => 0,
        (_, std::cmp::Ordering::Less) => 1,
        (std::cmp::Ordering::Less, _) => 2,
        _ => 3,
    }
}

/// A random unit goes to the cell of the largest value: five for each defence star, and the more the stronger the unit is
/// against an enemy nearby. The first of the best: columns from the left, in a column from above.
fn step(game: &Tubstap, position: &Position, rng: &mut Rng) -> Move {
    let able = position.able();
    let unit = bits(able).nth(rng.index(able.count_ones() as usize)).unwrap_or_default();
    let kind = position.kind(unit);
    let value = |cell: Cell| {
        let stars = if kind.is_air() { 0 } else { game.field().stars(cell) };
        let enemies = bits(position.alive(position.side().other()));
        let near =
            enemies.map(|enemy| kind.power(position.kind(enemy)) / (cell.distance(position.cell(enemy)) as u32 + 5));
        5 * stars + near.max().unwrap_or(0)
    };
    let mut cells = game.options(position, unit).cells;
    cells.sort_by_key(|cell| (std::cmp::Reverse(value(*cell)), cell.x(), cell.y()));
    Move::quiet(unit, cells.first().copied().unwrap_or(position.cell(unit)))
}

/// The player.
pub(crate) fn entry() -> PlayerEntry<Tubstap> {
    PlayerEntry {
        name: "smaef",
        summary: "the rule-based player of the original: the attack of the largest value, else a step of a random unit",
        source: "Sample_MaxActionEvalFunc of TUBSTAP 0108",
        keys: &[],
        make: |_, _, seed, _| Ok(Box::new(Smaef { rng: Rng::new(seed) })),
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Notation};

    use super::*;
    use crate::maps;

    /// The choices of the original in `tests/data/smaef.txt`.
    #[test]
    fn attacks_as_the_original() {
        let blocks = include_str!("../../tests/data/smaef.txt").split("END").filter(|block| !block.trim().is_empty());
        let mut seen = 0;
        for block in blocks {
            let lines: Vec<&str> = block.lines().filter(|line| !line.is_empty()).collect();
            let (game, position) = maps::standard().parse_position(&lines[1..5].join(" ")).expect("a position");
            let expected = lines[5].strip_prefix("SMAEF ").expect("a choice");
            assert_eq!(attack(&game, &position).map(|m| m.to_string()).as_deref(), Some(expected), "{}", lines[0]);
            seen += 1;
        }
        assert_eq!(seen, 8);
    }

    /// A forest within reach is worth more than the nearest cell to the enemy; a mountain would be, but costs too much.
    #[test]
    fn steps_to_the_cell_of_the_largest_value() {
        let text = "SIZE 8 5 LIMIT 9 THRESHOLD 1 TERRAIN 00000000/01131110/01111110/01141110/00000000 \
                    UNITS 0:I:0:1,2:10:0 1:I:1:6,2:10:0";
        let (game, position) = maps::standard().parse_position(text).expect("a position");
        assert_eq!(attack(&game, &position), None, "the enemy is out of reach");
        let m = step(&game, &position, &mut Rng::new(1));
        assert_eq!(m.to_string(), "0@3,1");
        assert_eq!(game.check(&position, m), Ok(()));
    }

    /// Without an attack each unit that can act is drawn.
    #[test]
    fn steps_with_a_random_unit() {
        let game = maps::standard();
        let position = game.start();
        let mut rng = Rng::new(1);
        let drawn = (0..200).fold(0, |set: u32, _| set | 1 << step(&game, &position, &mut rng).unit().unwrap_or(31));
        assert_eq!(drawn, position.able());
    }
}
