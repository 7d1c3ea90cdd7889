//! The board as data to draw.

use banmen_catalog::{Board, View};
use banmen_game::{GameState, Side};
use serde_json::{Map, Value, json};

use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::{Position, bits};
use crate::terrain::Terrain;

/// The cells inside the border, with their terrain. A unit is a piece named by its letter (`F A P U R I`), and labelled with its
/// hit points; units of the side to move that have acted, and units of the other side that miss their next turn, are
/// tagged `acted`, the cell of the last move's unit and of its target `last`. `extra` has turns played (`turn`) and their
/// `limit`, the `threshold`, the hit points of both sides (`first`, `second`), the units by number (`units`: their cells)
/// the defence stars of the map's terrains (`stars`), the names of the kinds of units on it by letter (`kinds`), and the last
/// action (`last`). While the game goes on, it also has
///
/// - `reach`: for each unit the cells on which it could be after its turn, as the others stand now;
/// - `attacks`: for each listed attack its damage and the damage of the counter-attack;
/// - `threats`: for each cell without a unit of the other side those of its units that could attack a unit there in their next
///   turn, as all stand now;
/// - `danger`: for each unit of the side to move, and each cell of its reach where it would not be 0, the hit points that
///   it would lose there if all units that threaten the cell attacked it, one after the other, the strongest first.
impl View for Tubstap {
    fn board(&self, state: &GameState<Self>) -> Board {
        let (position, field) = (state.position(), self.field());
        let (width, height) = (field.width() - 2, field.height() - 2);
        let name = |x: usize, y: usize| Cell::new(x + 1, y + 1).map(|cell| cell.to_string()).unwrap_or_default();
        let index = |cell: Cell| (cell.y() - 1) * width + cell.x() - 1;
        let mut board = Board::empty(width, height, name);
        for cell in field.cells() {
            board.set_terrain(index(cell), field.terrain(cell).name());
        }
        let (mut units, mut kinds) = (Map::new(), Map::new());
        for (number, unit) in position.units() {
            kinds.insert(unit.kind.symbol().to_owned(), unit.kind.name().into());
            let at = index(unit.cell);
            board.put(at, unit.kind.symbol(), unit.side);
            board.set_label(at, unit.hp.to_string());
            if unit.acted {
                board.tag(at, "acted");
            }
            units.insert(number.to_string(), unit.cell.to_string().into());
        }
        if let Some((before, &m)) = state.before().zip(state.moves().last())
            && let Some(unit) = m.unit()
        {
            board.tag(index(m.to()), "last");
            if let Some(cell) = m.target().and_then(|target| Some(before.unit(target)?.cell)) {
                board.tag(index(cell), "last");
            }
            board.extra.insert("last".to_owned(), self.action(before, m, unit));
        }
        let stars: Map<_, _> =
            field.cells().map(|cell| field.terrain(cell)).map(|t| (t.name().to_owned(), t.stars().into())).collect();
        board.extra.insert("stars".to_owned(), Value::Object(stars));
        board.extra.insert("units".to_owned(), Value::Object(units));
        board.extra.insert("kinds".to_owned(), Value::Object(kinds));
        board.extra.insert("turn".to_owned(), json!(position.turn()));
        board.extra.insert("limit".to_owned(), json!(self.limit()));
        board.extra.insert("threshold".to_owned(), json!(self.threshold()));
        for side in Side::BOTH {
            board.extra.insert(side.name().to_owned(), position.hit_points(side).into());
        }
        if !self.is_over(position) {
            for (name, facts) in self.prospects(position) {
                board.extra.insert(name.to_owned(), facts);
            }
        }
        board
    }
}

impl Tubstap {
    /// The action of a unit, as it was in the position before: `move`, `unit`, its `kind`, `from` and `to`; of an attack
    /// `target`, `target_kind`, `target_at`, `damage` and `counter`, too.
    fn action(&self, before: &Position, m: Move, unit: usize) -> Value {
        let mut action = json!({
            "move": m.to_string(), "unit": unit.to_string(), "kind": before.kind(unit).symbol(),
            "from": before.cell(unit).to_string(), "to": m.to().to_string(),
        });
        if let (Some(target), Some(action)) = (m.target(), action.as_object_mut()) {
            let (damage, counter) = self.exchange(before, unit, m.to(), target);
            action.insert("target".to_owned(), target.to_string().into());
            action.insert("target_kind".to_owned(), before.kind(target).symbol().into());
            action.insert("target_at".to_owned(), before.cell(target).to_string().into());
            action.insert("damage".to_owned(), damage.into());
            action.insert("counter".to_owned(), counter.into());
        }
        action
    }

    /// What units could do: `reach`, `attacks`, `threats` and `danger` of the board.
    fn prospects(&self, position: &Position) -> [(&'static str, Value); 4] {
        let side = position.side();
        let alive = |side| bits(position.alive(side));
        let (mut reach, mut attacks, mut threats, mut danger) = (Map::new(), Map::new(), Map::new(), Map::new());
        let cells = |unit| self.options(position, unit).cells;
        for unit in Side::BOTH.into_iter().flat_map(alive) {
            let names: Vec<String> = cells(unit).iter().map(Cell::to_string).collect();
            reach.insert(unit.to_string(), names.into());
        }
        let _ = self.visit_listed(position, Listed::USUAL, |m| {
            if let (Some(unit), Some(target)) = (m.unit(), m.target()) {
                let (damage, counter) = self.exchange(position, unit, m.to(), target);
                attacks.insert(m.to_string(), json!([damage, counter]));
            }
            std::ops::ControlFlow::<()>::Continue(())
        });
        let mut attackers = [0u32; Cell::COUNT];
        for enemy in alive(side.other()).filter(|&enemy| position.acted() >> enemy & 1 == 0) {
            for cell in self.attackable(position, enemy, &cells(enemy)) {
                attackers[cell.index()] |= 1 << enemy;
            }
        }
        let own = |cell| position.unit_on(cell).is_some_and(|unit| position.alive(side.other()) >> unit & 1 == 1);
        for cell in self.field().cells().filter(|&cell| attackers[cell.index()] != 0 && !own(cell)) {
            let names: Vec<String> = bits(attackers[cell.index()]).map(|enemy| enemy.to_string()).collect();
            threats.insert(cell.to_string(), names.into());
        }
        for unit in alive(side) {
            let mut losses = Map::new();
            for cell in cells(unit) {
                let loss = self.loss(position, unit, cell, attackers[cell.index()]);
                if loss > 0 {
                    losses.insert(cell.to_string(), loss.into());
                }
            }
            danger.insert(unit.to_string(), Value::Object(losses));
        }
        [("reach", reach.into()), ("attacks", attacks.into()), ("threats", threats.into()), ("danger", danger.into())]
    }

    /// The cells on which a unit could attack something at its turn, if it can be on these after moving.
    fn attackable(&self, position: &Position, unit: usize, reach: &[Cell]) -> impl Iterator<Item = Cell> {
        let (direct, from) = (position.kind(unit).is_direct(), position.cell(unit));
        let mut beside = [false; Cell::COUNT];
        for cell in reach {
            let (x, y) = (cell.x(), cell.y());
            let near = [Cell::new(x - 1, y), Cell::new(x + 1, y), Cell::new(x, y - 1), Cell::new(x, y + 1)];
            for cell in near.into_iter().flatten() {
                beside[cell.index()] = true;
            }
        }
        self.field().cells().filter(move |&cell| {
            let in_range = if direct { beside[cell.index()] } else { (2..=3).contains(&from.distance(cell)) };
            in_range && self.field().terrain(cell) != Terrain::NoEntry
        })
    }

    /// The hit points that a unit would lose on a cell if these units attacked it, one after the other, the strongest first.
    fn loss(&self, position: &Position, unit: usize, cell: Cell, attackers: u32) -> u32 {
        let (kind, full, stars) = (position.kind(unit), position.hp(unit), self.field().stars(cell));
        let damage = |enemy: usize, left| position.kind(enemy).damage(position.hp(enemy), kind, left, stars);
        let mut enemies: Vec<usize> = bits(attackers).collect();
        enemies.sort_by_key(|&enemy| std::cmp::Reverse(damage(enemy, full)));
        full - enemies.into_iter().fold(full, |left, enemy| if left == 0 { 0 } else { left - damage(enemy, left) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use banmen_game::{Game, Rng};

    use super::*;
    use crate::maps;
    use crate::moves::visit;

    /// Random games on these maps, up to their ends: what a check says of each state.
    fn random_states(mut check: impl FnMut(&Tubstap, &GameState<Tubstap>, &Board)) {
        for (seed, map) in ["map01", "map02", "map03", "GPW_Sato"].iter().enumerate() {
            let game = maps::named(map).expect("a map");
            let mut state = GameState::new(game.clone());
            let mut random = Rng::new(seed as u64);
            while state.outcome().is_none() {
                check(&game, &state, &game.board(&state));
                let mut moves = Vec::new();
                let _ = game.visit_moves(state.position(), |m| {
                    moves.push(m);
                    std::ops::ControlFlow::<()>::Continue(())
                });
                state.play(moves[random.below(moves.len() as u64) as usize]);
            }
            let board = game.board(&state);
            assert!(["reach", "attacks", "threats", "danger"].iter().all(|name| !board.extra.contains_key(*name)));
        }
    }

    #[test]
    fn reach_and_attacks_are_those_of_the_moves() {
        random_states(|game, state, board| {
            let position = state.position();
            let (mut quiet, mut attacks) = (BTreeSet::new(), BTreeSet::new());
            let _ = game.visit_moves(position, |m| {
                let unit = m.unit().expect("the end of the turn is not listed");
                match m.target() {
                    None => {
                        quiet.insert((unit.to_string(), m.to().to_string()));
                    }
                    Some(target) => {
                        let mut next = *position;
                        game.play(&mut next, m);
                        let left = |number| next.unit(number).map_or(0, |unit| u32::from(unit.hp));
                        let lost = [target, unit].map(|number| position.hp(number) - left(number));
                        assert_eq!(board.extra["attacks"][m.to_string()], json!(lost), "{m:?}");
                        attacks.insert(m.to_string());
                    }
                }
                std::ops::ControlFlow::<()>::Continue(())
            });
            let listed = board.extra["attacks"].as_object().expect("an object").keys().cloned();
            assert_eq!(listed.collect::<BTreeSet<_>>(), attacks);
            let able = bits(position.able()).map(|unit| unit.to_string());
            let reach = able.flat_map(|unit| {
                let cells = board.extra["reach"][&unit].as_array().expect("cells").clone();
                cells.into_iter().map(move |cell| (unit.clone(), cell.as_str().expect("a name").to_owned()))
            });
            assert_eq!(reach.collect::<BTreeSet<_>>(), quiet);
        });
    }

    /// After the end of the turn the other side's attacks on the units that stood still are those that were announced, and an attack
    /// alone does the damage that was.
    #[test]
    fn threats_and_danger_are_those_of_the_next_turn() {
        let (mut alone, mut together) = (0, 0);
        random_states(|game, state, board| {
            let (position, side) = (state.position(), state.position().side());
            let mut next = *position;
            game.play(&mut next, Move::END);
            if next.side() == side || game.is_over(&next) {
                return;
            }
            for (number, unit) in position.units().filter(|(_, unit)| unit.side == side) {
                let (mut attackers, mut damage) = (BTreeSet::new(), Vec::new());
                let listed = Listed { zero_damage: true, ..Listed::USUAL };
                let _ = visit(game.field(), &next, listed, |m| {
                    if m.target() == Some(number) {
                        let enemy = m.unit().expect("a unit");
                        if attackers.insert(enemy) {
                            damage.push(game.exchange(&next, enemy, m.to(), number).0);
                        }
                    }
                    std::ops::ControlFlow::<()>::Continue(())
                });
                let cell = unit.cell.to_string();
                let names = attackers.iter().map(|enemy| enemy.to_string()).collect::<Vec<_>>();
                assert_eq!(*board.extra["threats"].get(&cell).unwrap_or(&json!([])), json!(names), "{cell}");
                let loss =
                    board.extra["danger"][number.to_string()].get(&cell).map_or(0, |n| n.as_u64().expect("a number"));
                let (strongest, sum) = (damage.iter().max().copied().unwrap_or(0), damage.iter().sum::<u32>());
                if damage.len() == 1 {
                    assert_eq!(loss, u64::from(sum));
                    alone += 1;
                } else if sum > 0 {
                    assert!(loss >= u64::from(strongest) && loss <= u64::from(unit.hp), "{loss} of {damage:?}");
                    together += 1;
                }
            }
        });
        assert!(alone > 50 && together > 50, "{alone} {together}");
    }

    /// Two infantries of 10 hit points beside one on a plain: the first attack does 5 (620/110), the second 5 (620/105).
    #[test]
    fn attacks_come_one_after_the_other() {
        let text = "SIZE 6 4 LIMIT 9 THRESHOLD 0 TERRAIN 000000/011110/011110/000000 TURN 0 SIDE 0 \
                    UNITS 0:I:0:1,1:10:0 1:I:1:3,1:10:0 2:I:1:3,2:10:0 3:I:1:4,2:10:1";
        let (game, position) = crate::notation::parse_position(&maps::standard(), text).expect("a position");
        let state = GameState::from(game.clone(), position);
        let board = game.board(&state);
        assert_eq!(board.extra["danger"]["0"]["1,1"], 10);
        assert_eq!(board.extra["threats"]["1,1"], json!(["1", "2"]), "unit 3 misses its turn");
        let mut next = state;
        next.play(Move::attack(0, Cell::new(2, 1).expect("a cell"), 1));
        let last = &game.board(&next).extra["last"];
        let expected = json!({
            "move": "0@2,1>1", "unit": "0", "kind": "I", "from": "1,1", "to": "2,1",
            "target": "1", "target_kind": "I", "target_at": "3,1", "damage": 5, "counter": 3,
        });
        assert_eq!(*last, expected);
        assert!(board.extra.get("last").is_none());
    }
}
