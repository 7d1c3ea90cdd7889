//! The six kinds of units: `Spec.cs` of TUBSTAP 0108.

/// A kind of unit, in the order of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `F`: air; attacks air units only.
    Fighter,
    /// `A`: air; attacks ground units only.
    Attacker,
    /// `P`: a tank.
    Panzer,
    /// `U`: artillery. Attacks at a distance of 2 or 3, from where it stands.
    Cannon,
    /// `R`: attacks everything.
    AntiAir,
    /// `I`: slow, and the only ground unit that enters mountains.
    Infantry,
}

/// How a unit moves: which terrain it can enter, and at what cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Fighters and attackers.
    Air,
    /// Panzers, cannons and antiair.
    Vehicle,
    /// Infantry.
    Foot,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub const ALL: [Class; 3] = [Class::Air, Class::Vehicle, Class::Foot];
}

/// Attack power: a row for each attacker, a column for each defender.
const POWER: [[u8; 6]; 6] = [
    [55, 65, 0, 0, 0, 0],
    [0, 0, 105, 105, 85, 115],
    [0, 0, 55, 70, 75, 75],
    [0, 0, 60, 75, 65, 90],
    [70, 70, 15, 50, 45, 105],
    [0, 0, 5, 10, 3, 55],
];

/// 2²⁰ divided by 100 plus this number, rounded up: see [`Kind::damage`].
const RECIPROCALS: [u32; 64] = {
    let mut table = [0; 64];
    let mut at = 0;
    while at < 64 {
        table[at] = (1u32 << 20).div_ceil(100 + at as u32);
        at += 1;
    }
    table
};

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 6] =
        [Kind::Fighter, Kind::Attacker, Kind::Panzer, Kind::Cannon, Kind::AntiAir, Kind::Infantry];

    /// The number of the kind, 0 to 5.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the kind.
    #[must_use]
    pub const fn letter(self) -> char {
        self.symbol().as_bytes()[0] as char
    }

    /// The letter of the kind as a text.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        ["F", "A", "P", "U", "R", "I"][self.index()]
    }

    /// The kind of a letter, in either case.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["fighter", "attacker", "panzer", "cannon", "antiair", "infantry"][self.index()]
    }

    /// The kind of a name in files.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Points that a unit has for one movement.
    #[must_use]
    pub const fn points(self) -> u32 {
        [9, 7, 6, 5, 6, 3][self.index()]
    }

    /// How it moves.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Kind::Fighter | Kind::Attacker => Class::Air,
            Kind::Panzer | Kind::Cannon | Kind::AntiAir => Class::Vehicle,
            Kind::Infantry => Class::Foot,
        }
    }

    /// Whether it is an air unit, which terrain does not protect.
    #[must_use]
    #[inline]
    pub const fn is_air(self) -> bool {
        matches!(self, Kind::Fighter | Kind::Attacker)
    }

    /// Whether it attacks its neighbours, after moving or not. Otherwise it attacks at a distance of 2 or 3, without
    /// moving, and neither strikes back nor is struck back at.
    #[must_use]
    #[inline]
    pub const fn is_direct(self) -> bool {
        !matches!(self, Kind::Cannon)
    }

    /// The power of its attack on a kind, 0 to 115; 0 means that it cannot harm it.
    #[must_use]
    #[inline]
    pub const fn power(self, target: Kind) -> u32 {
        POWER[self.index()][target.index()] as u32
    }

    /// The damage in hit points of an attack by a unit with `hp` hit points (1 to 10) on `target` with `target_hp`, on a cell
    /// with so many defence stars (0 to 4):
    /// `min(target_hp, floor((power · hp + 70) / (100 + stars · target_hp)))`, where air units have no stars.
    #[must_use]
    #[inline]
    pub fn damage(self, hp: u32, target: Kind, target_hp: u32, stars: u32) -> u32 {
        let stars = if target.is_air() { 0 } else { stars };
        // The division by a multiplication: exact, as the dividend is below 2²⁰ / 163.
        let reciprocal = RECIPROCALS[(stars * target_hp) as usize & 63];
        (((self.power(target) * hp + 70) * reciprocal) >> 20).min(target_hp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_the_formula() {
        for (attacker, target) in Kind::ALL.into_iter().flat_map(|a| Kind::ALL.map(|b| (a, b))) {
            for (hp, target_hp, stars) in (1..=10)
                .flat_map(|hp| (1..=10).flat_map(move |target_hp| (0..=4).map(move |stars| (hp, target_hp, stars))))
            {
                let shown = if target.is_air() { 0 } else { stars };
                let expected = ((attacker.power(target) * hp + 70) / (100 + shown * target_hp)).min(target_hp);
                assert_eq!(attacker.damage(hp, target, target_hp, stars), expected);
            }
        }
    }

    #[test]
    fn letters_and_names_denote_kinds() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_letter(kind.letter()), Some(kind));
            assert_eq!(Kind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of_letter('X'), None);
        assert_eq!(Kind::of_name("tank"), None);
    }
}
