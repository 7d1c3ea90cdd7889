//! Random fair maps: a rotation by 180° exchanges the sides, and keeps units and terrain otherwise the same.

use std::sync::Arc;

use banmen_game::{Rng, Side};

use crate::cells::Cell;
use crate::field::Field;
use crate::game::Tubstap;
use crate::kind::Kind;
use crate::position::Unit;
use crate::terrain::Terrain;

/// Cells inside the border.
const SIZES: [usize; 3] = [6, 7, 8];

/// Units of a side.
const UNITS: [usize; 4] = [3, 4, 5, 6];

/// The kinds of units, each as often as it is listed.
const KINDS: [Kind; 10] = [
    Kind::Infantry,
    Kind::Infantry,
    Kind::Infantry,
    Kind::Panzer,
    Kind::Panzer,
    Kind::Cannon,
    Kind::AntiAir,
    Kind::AntiAir,
    Kind::Attacker,
    Kind::Fighter,
];

/// Terrain, each kind as often as it is listed.
const TERRAIN: [Terrain; 20] = {
    use Terrain::{Forest, Fortress, Mountain, Plain, Road, Sea};
    [
        Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain, Plain, Forest, Forest, Forest, Forest, Mountain,
        Mountain, Sea, Road, Road, Fortress,
    ]
};

/// Turns of both sides, and the difference that does not decide, as on map01.
const LIMIT: u16 = 29;
const THRESHOLD: u16 = 10;

/// The map of a seed: 6 to 8 columns and rows inside the border, 3 to 6 units a side, all with 10 hit points. The map
/// looks the same to both sides: a rotation by 180° exchanges them. Every vehicle and every infantry could reach every
/// unit of its class if no other units were there. Red still has the advantage of the first move.
#[must_use]
pub fn random_map(seed: u64) -> Tubstap {
    let mut rng = Rng::new(seed);
    // Most maps are connected: a few attempts are enough.
    loop {
        if let Some(game) = attempt(&mut rng) {
            return game;
        }
    }
}

fn attempt(rng: &mut Rng) -> Option<Tubstap> {
    let (width, height) = (SIZES[rng.index(SIZES.len())], SIZES[rng.index(SIZES.len())]);
    let mut rows = vec![vec![Terrain::NoEntry; width + 2]; height + 2];
    for index in 0..(width * height).div_ceil(2) {
        let (x, y) = (index % width + 1, index / width + 1);
        let terrain = TERRAIN[rng.index(TERRAIN.len())];
        rows[y][x] = terrain;
        rows[height + 1 - y][width + 1 - x] = terrain;
    }
    let field = Arc::new(Field::new(&rows).ok()?);
    let count = UNITS[rng.index(UNITS.len())];
    let mut red: Vec<Unit> = Vec::new();
    // Red begins in the columns of the left third.
    let mut places: Vec<Cell> = field.cells().filter(|cell| cell.x() <= width / 3).collect();
    while red.len() < count && !places.is_empty() {
        let cell = places.swap_remove(rng.index(places.len()));
        // The first unit is on the ground, so that each side can reach and fight the other's.
        let kind = match KINDS[rng.index(KINDS.len())] {
            kind if red.is_empty() && kind.is_air() => Kind::AntiAir,
            kind => kind,
        };
        if field.terrain(cell).cost(kind.class()).is_some() {
            red.push(Unit { kind, side: Side::First, cell, hp: 10, acted: false });
        }
    }
    if red.len() < count {
        return None;
    }
    let turned = |cell: Cell| Cell::new(width + 1 - cell.x(), height + 1 - cell.y());
    let blue: Option<Vec<Unit>> =
        red.iter().map(|unit| Some(Unit { side: Side::Second, cell: turned(unit.cell)?, ..*unit })).collect();
    let units: Vec<Unit> = red.into_iter().chain(blue?).collect();
    let connected = units.iter().all(|unit| {
        let reached = connected(&field, unit);
        units.iter().all(|other| other.kind.class() != unit.kind.class() || reached[other.cell.index()])
    });
    let units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
    if !connected {
        return None;
    }
    Tubstap::new(field, LIMIT, THRESHOLD, &units, 0).ok()
}

/// The cells that a unit can reach in any number of turns on a map without other units.
fn connected(field: &Field, unit: &Unit) -> [bool; Cell::COUNT] {
    let mut reached = [false; Cell::COUNT];
    let mut open = vec![unit.cell];
    while let Some(cell) = open.pop() {
        if std::mem::replace(&mut reached[cell.index()], true) {
            continue;
        }
        let (x, y) = (cell.x(), cell.y());
        let beside = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
        let cells = beside.into_iter().filter_map(|(x, y)| Cell::new(x, y));
        open.extend(cells.filter(|&cell| field.terrain(cell).cost(unit.kind.class()).is_some()));
    }
    reached
}
