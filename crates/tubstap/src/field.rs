//! Size and terrain of a map, and tables computed from them once, so that a position holds units only.

use std::fmt;

use crate::cells::{Cell, Cells, Wide};
use crate::kind::{Class, Kind};
use crate::terrain::Terrain;

/// Size and terrain of a map.
pub struct Field {
    width: u8,
    height: u8,
    terrain: [Terrain; Cell::COUNT],
    stars: [u8; Cell::COUNT],
    form: Form,
}

/// The tables in the form that fits the size of the map.
pub(crate) enum Form {
    /// At most 8 by 8 cells inside.
    Small(Box<Reach<u64>>),
    /// More.
    Large(Box<Reach<Wide>>),
}

/// Why rows of terrain are no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Too few or too many columns or rows.
    #[error("a map of {width} by {height} cells is not possible: 3 to 18 columns and rows, with the border")]
    Size {
        /// Columns, with the border.
        width: usize,
        /// Rows, with the border.
        height: usize,
    },
    /// A row of another length than the map's width.
    #[error("row {y} has {found} cells instead of {width}")]
    Row {
        /// The row, from 0.
        y: usize,
        /// How many cells it has.
        found: usize,
        /// How many it should have.
        width: usize,
    },
    /// A cell of the border that is not 0.
    #[error("{x},{y} is on the border, which must be all 0 (no entry)")]
    OpenBorder {
        /// The column, from 0.
        x: usize,
        /// The row, from 0.
        y: usize,
    },
}

impl FieldError {
    /// The reason in one word, for programs.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            FieldError::Size { .. } => "size",
            FieldError::Row { .. } => "row_length",
            FieldError::OpenBorder { .. } => "open_border",
        }
    }

    /// The column and row of the fault, from 0; a column past the end where a row is too short.
    #[must_use]
    pub fn place(&self) -> Option<(usize, usize)> {
        match *self {
            FieldError::Size { .. } => None,
            FieldError::Row { y, found, width } => Some((found.min(width), y)),
            FieldError::OpenBorder { x, y } => Some((x, y)),
        }
    }
}

impl Field {
    /// The most columns and rows, with the border.
    pub const MAX_SIZE: usize = Cell::LAST + 2;

    /// The map of these rows, from the top, which include the border.
    ///
    /// # Errors
    /// When the size is out of range, a row has another length, or the border is open.
    pub fn new(rows: &[Vec<Terrain>]) -> Result<Field, FieldError> {
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        let sizes = 3..=Field::MAX_SIZE;
        if !sizes.contains(&width) || !sizes.contains(&height) {
            return Err(FieldError::Size { width, height });
        }
        let mut terrain = [Terrain::NoEntry; Cell::COUNT];
        for (y, row) in rows.iter().enumerate() {
            if row.len() != width {
                return Err(FieldError::Row { y, found: row.len(), width });
            }
            for (x, &ground) in row.iter().enumerate() {
                let border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
                match Cell::new(x, y).filter(|_| !border) {
                    Some(cell) => terrain[cell.index()] = ground,
                    None if ground != Terrain::NoEntry => return Err(FieldError::OpenBorder { x, y }),
                    None => {}
                }
            }
        }
        let form = if width.max(height) <= u64::SIZE + 2 {
            Form::Small(Reach::new(&terrain))
        } else {
            Form::Large(Reach::new(&terrain))
        };
        let stars = terrain.map(Terrain::stars);
        Ok(Field { width: width as u8, height: height as u8, terrain, stars, form })
    }

    /// Columns, with the border: 3 to 18.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width.into()
    }

    /// Rows, with the border: 3 to 18.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height.into()
    }

    /// The terrain of a cell; no entry outside the map.
    #[must_use]
    pub fn terrain(&self, cell: Cell) -> Terrain {
        self.terrain[cell.index()]
    }

    /// The terrain of a row, with the border.
    pub fn row(&self, y: usize) -> impl Iterator<Item = Terrain> {
        (0..self.width()).map(move |x| Cell::new(x, y).map_or(Terrain::NoEntry, |cell| self.terrain(cell)))
    }

    /// Whether the map has these rows.
    pub(crate) fn has_rows(&self, rows: &[Vec<Terrain>]) -> bool {
        rows.len() == self.height() && (0..).zip(rows).all(|(y, row)| self.row(y).eq(row.iter().copied()))
    }

    /// The cells inside the border, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let (width, height) = (self.width(), self.height());
        (1..height - 1).flat_map(move |y| (1..width - 1).filter_map(move |x| Cell::new(x, y)))
    }

    /// The defence stars of a cell, 0 to 4.
    #[must_use]
    #[inline]
    pub fn stars(&self, cell: Cell) -> u32 {
        self.stars[cell.index()].into()
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.height == other.height && self.terrain == other.terrain
    }
}

impl Eq for Field {}

/// The rows of the terrain's numbers.
impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in 0..self.height() {
            f.write_str(if y == 0 { "" } else { "/" })?;
            self.row(y).try_for_each(|terrain| write!(f, "{}", terrain.index()))?;
        }
        Ok(())
    }
}

/// Where units can go on a map.
pub(crate) struct Reach<B> {
    /// For each class the cells that cost 1, and those that cost 2.
    costs: [[B; 2]; 3],
    /// For each kind and cell, where a unit that stands there can go on a map without units; its own cell is one of them.
    free: [[B; Cell::COUNT]; 6],
    /// For each kind and cell, what a unit that stands there could attack on a map without other units.
    threat: [[B; Cell::COUNT]; 6],
    /// The neighbours of each cell.
    beside: [B; Cell::COUNT],
}

impl<B: Cells> Reach<B> {
    fn new(terrain: &[Terrain; Cell::COUNT]) -> Box<Self> {
        let board: Vec<Cell> = Cell::all().filter(|cell| cell.x() <= B::SIZE && cell.y() <= B::SIZE).collect();
        let costing = |class, cost| {
            board
                .iter()
                .filter(|cell| terrain[cell.index()].cost(class) == Some(cost))
                .fold(B::EMPTY, |set, &cell| set | B::only(cell))
        };
        let mut reach = Box::new(Reach {
            costs: Class::ALL.map(|class| [costing(class, 1), costing(class, 2)]),
            free: [[B::EMPTY; Cell::COUNT]; 6],
            threat: [[B::EMPTY; Cell::COUNT]; 6],
            beside: [B::EMPTY; Cell::COUNT],
        });
        for &cell in &board {
            let within = |distance| (0..distance).fold(B::only(cell), |set, _| set | set.beside());
            reach.beside[cell.index()] = B::only(cell).beside();
            // No unit is ever on a cell that no unit can enter.
            if terrain[cell.index()] == Terrain::NoEntry {
                continue;
            }
            for kind in Kind::ALL {
                let free = reach.flood(kind, cell, B::EMPTY);
                reach.free[kind.index()][cell.index()] = free;
                reach.threat[kind.index()][cell.index()] =
                    if kind.is_direct() { free.beside() } else { within(3) & !within(1) };
            }
        }
        reach
    }

    /// Where a unit can go at most: units of its own side do not stop it, nor do they keep it from ending there.
    #[inline(always)]
    pub(crate) fn cells(&self, kind: Kind, from: Cell, enemies: B) -> B {
        let free = self.free[kind.index()][from.index()];
        if (free & enemies).is_empty() { free } else { self.flood(kind, from, enemies) }
    }

    /// The cells that the movement points reach, computed point by point: a cell that costs 2 is entered from the cells
    /// reached two points before.
    #[inline]
    fn flood(&self, kind: Kind, from: Cell, enemies: B) -> B {
        let [one, two] = self.costs[kind.class() as usize].map(|cells| cells & !enemies);
        let (mut before, mut reached) = (B::EMPTY, B::only(from));
        for _ in 0..kind.points() {
            let next = reached | reached.beside() & one | before.beside() & two;
            before = reached;
            reached = next;
        }
        reached
    }

    /// What a unit that stands there could attack if no other unit were in its way.
    #[inline(always)]
    pub(crate) fn threat(&self, kind: Kind, from: Cell) -> B {
        self.threat[kind.index()][from.index()]
    }

    /// Whether a unit that stands at `from` could attack what stands on a cell if no other unit were in its way.
    #[inline(always)]
    pub(crate) fn threatens(&self, kind: Kind, from: Cell, cell: Cell) -> bool {
        self.threat[kind.index()][from.index()].contains(cell)
    }

    /// The neighbours of a cell.
    #[inline(always)]
    pub(crate) fn beside(&self, cell: Cell) -> B {
        self.beside[cell.index()]
    }
}
