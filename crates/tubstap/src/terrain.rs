//! Terrain: `Consts.cs` and `Spec.cs` of TUBSTAP 0108.

use crate::kind::Class;

/// What a cell consists of, in the order of the original's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Terrain {
    /// 0: nothing can enter, such as the border of every map.
    #[default]
    NoEntry,
    /// 1.
    Plain,
    /// 2: only air units can enter.
    Sea,
    /// 3.
    Forest,
    /// 4: vehicles cannot enter.
    Mountain,
    /// 5.
    Road,
    /// 6.
    Fortress,
}

impl Terrain {
    /// All kinds of terrain, in the order of their numbers.
    pub const ALL: [Terrain; 7] = [
        Terrain::NoEntry,
        Terrain::Plain,
        Terrain::Sea,
        Terrain::Forest,
        Terrain::Mountain,
        Terrain::Road,
        Terrain::Fortress,
    ];

    /// The number in files, 0 to 6.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The terrain of a number in files.
    #[must_use]
    pub fn of_index(index: usize) -> Option<Terrain> {
        Terrain::ALL.get(index).copied()
    }

    /// The name, in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["no-entry", "plain", "sea", "forest", "mountain", "road", "fortress"][self.index()]
    }

    /// Defence stars: how much it protects a ground unit, 0 to 4.
    #[must_use]
    pub const fn stars(self) -> u8 {
        [0, 1, 0, 3, 4, 0, 4][self.index()]
    }

    /// Movement points that entering costs a class of units, 1 or 2; `None` where it cannot enter.
    #[must_use]
    pub const fn cost(self, class: Class) -> Option<u8> {
        match (self, class) {
            (Terrain::NoEntry, _)
            | (Terrain::Sea, Class::Vehicle | Class::Foot)
            | (Terrain::Mountain, Class::Vehicle) => None,
            (Terrain::Forest, Class::Vehicle) | (Terrain::Mountain, Class::Foot) => Some(2),
            _ => Some(1),
        }
    }
}
