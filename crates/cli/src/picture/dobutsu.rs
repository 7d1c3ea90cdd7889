//! Dobutsu shogi: tiles with an animal and a dot for each way in which it may step; a tile points away from its owner.

use std::f64::consts::PI;

use banmen_catalog::SideName;

use super::look::{Look, disc, no_mark, no_terrain};

pub(super) const LOOK: Look = Look {
    view: "dobutsu",
    facing: true,
    legal: true,
    fixed: &[
        (".shade", "fill:none;stroke:rgb(40 25 5/0.22);stroke-width:8"),
        (".wood", "fill:#fdf3dc;stroke:#4a2f17;stroke-width:2.5"),
        (".tile.second .wood", "fill:#d5e5ee;stroke:#1f4258"),
        (".dots", "fill:#4a2f17"),
        (".tile.second .dots", "fill:#1f4258"),
        (".animal path", "stroke:#3a2410;stroke-width:2;stroke-linejoin:round;stroke-linecap:round"),
        (".animal .line", "fill:none;stroke-width:3"),
        (".animal .thin", "fill:none;stroke-width:1.4"),
        (".mane", "fill:#c86f21"),
        (".gold", "fill:#f6bd4f"),
        (".dark", "fill:#8d5522"),
        (".pale", "fill:#fff1d2"),
        (".grey", "fill:#94a6b4"),
        (".yolk", "fill:#ffdb45"),
        (".white", "fill:#ffffff"),
        (".red", "fill:#d8412f"),
        (".beak", "fill:#f08a24"),
        (".animal .solid", "fill:#2a1a0c;stroke:none"),
    ],
    colours: &[
        (".frame", "fill", "#6f5033", "#3a2a1c"),
        (".label", "fill", "#ecd9bd", "#c8b396"),
        (".tray", "fill", "#5b4028", "#2b1f14"),
        (".field", "fill", "#ecdfb9", "#c9b98c"),
        (".home", "fill", "#e0cd9b", "#b9a672"),
        (".lines", "stroke", "#8a734c", "#6f5a37"),
        (".last-cell", "stroke", "#c8331c", "#a01f0c"),
        (".check", "fill", "#c8331c", "#a01f0c"),
        (".legal", "fill", "#4b6b2f", "#3d5a24"),
    ],
    ground,
    terrain: no_terrain,
    piece: |piece, owner| tile(piece, owner, "abcdeg"),
    mark: no_mark,
    last: "<rect class=\"last-cell\" x=\"-45\" y=\"-45\" width=\"90\" height=\"90\" rx=\"8\"/>",
};

/// The game of the article, whose hen does not step back.
pub(super) const ARTICLE: Look =
    Look { view: "dobutsu-article", piece: |piece, owner| tile(piece, owner, "abcde"), ..LOOK };

const TILE: &str = "M-41-22q0-8 7-10l29-9q5-2 10 0l29 9q7 2 7 10v54q0 9-9 9h-64q-9 0-9-9z";

fn ground(width: usize, height: usize) -> String {
    let (across, down) = (width * 100, height * 100);
    format!(
        "<rect class=\"field\" width=\"{across}\" height=\"{down}\" rx=\"3\"/>\
         <path class=\"home\" d=\"M0 0H{across}V100H0zM0 {}H{across}v100H0z\"/>",
        down.saturating_sub(100)
    )
}

/// The dot of a step, by its letter: from the left to the right, and from the front to the back.
const fn dot(step: char) -> (f64, f64) {
    match step {
        'a' => (-30.0, -24.0),
        'b' => (0.0, -34.0),
        'c' => (30.0, -24.0),
        'd' => (-34.0, 3.0),
        'e' => (34.0, 3.0),
        'f' => (-31.0, 33.0),
        'g' => (0.0, 35.0),
        _ => (31.0, 33.0),
    }
}

fn tile(piece: &str, owner: SideName, hen: &str) -> String {
    let steps = match piece {
        "lion" => "abcdefgh",
        "giraffe" => "bdeg",
        "elephant" => "acfh",
        "chick" => "b",
        "hen" => hen,
        _ => "",
    };
    let dots: String = steps.chars().map(dot).map(|(x, y)| disc(x, y, 4.0)).collect();
    let animal: String =
        animal(piece).into_iter().map(|(class, d)| format!("<path class=\"{class}\" d=\"{d}\"/>")).collect();
    format!(
        "<g class=\"tile {}\"><path class=\"shade\" d=\"{TILE}\"/><path class=\"wood\" d=\"{TILE}\"/>\
         <path class=\"dots\" d=\"{dots}\"/><g class=\"animal\" transform=\"translate(0 2) scale(1.15)\">{animal}</g></g>",
        owner.as_str()
    )
}

/// Two discs, left and right.
fn pair(x: f64, y: f64, r: f64) -> String {
    disc(-x, y, r) + &disc(x, y, r)
}

/// A ring of bumps.
fn mane() -> String {
    let at = |part: f64| {
        let angle = part * PI / 6.0;
        format!("{:.1} {:.1}", 20.0 * angle.sin(), -20.0 * angle.cos())
    };
    let bumps: String = (1..=12u8).map(|part| format!("A6.2 6.2 0 0 1 {}", at(f64::from(part)))).collect();
    format!("M{}{bumps}", at(0.0))
}

fn animal(piece: &str) -> Vec<(&'static str, String)> {
    let shape = |class, d: &str| (class, d.to_owned());
    match piece {
        "lion" => vec![
            ("mane", mane()),
            ("gold", pair(12.5, -11.0, 4.5)),
            ("gold", disc(0.0, 1.0, 14.5)),
            shape("pale", "M0 3c-9-1-11 9-4 10.5 2 .5 4-.5 4-2 0 1.5 2 2.5 4 2 7-1.5 5-11.5-4-10.5z"),
            shape("solid", "M-4 2h8l-4 4.5z"),
            ("solid", pair(6.0, -3.0, 2.0)),
        ],
        "giraffe" => vec![
            shape("line", "M-5.5-14-7-22M5.5-14 7-22"),
            ("dark", pair(7.0, -23.0, 3.0)),
            shape("gold", "M-9-12-21-15q1 8 11 8zM9-12 21-15q-1 8-11 8z"),
            shape("gold", "M0-17c8 0 11 5 10 12L8 14q-2 9-8 9t-8-9l-2-19c-1-7 2-12 10-12z"),
            shape("dark", "M-3-17h6l-1 6h-4zM-10-2l4 2 .5 5-3 1zM10-2l-4 2-.5 5 3 1z"),
            shape("pale", "M0 7c6 0 9 3 9 8s-4 8-9 8-9-3-9-8 3-8 9-8z"),
            ("solid", pair(5.5, -6.5, 2.0) + &pair(3.5, 14.0, 1.4)),
        ],
        "elephant" => vec![
            shape("grey", "M-8-14c-9-6-17 0-17 9s8 16 16 11zM8-14c9-6 17 0 17 9s-8 16-16 11z"),
            shape("pale", "M-5 8-11 8q-1 7 3 11 4-4 4-9zM5 8l6 0q1 7-3 11-4-4-4-9z"),
            shape("grey", "M0-20c9 0 13 6 13 14 0 6-3 11-8 13v10c0 7-10 7-10 0V7c-5-2-8-7-8-13 0-8 4-14 13-14z"),
            shape("thin", "M-2 10h4M-2 14h4"),
            ("solid", pair(6.0, -6.0, 2.0)),
        ],
        "chick" => vec![
            shape("line", "M0-16q-5-3-4-7M0-16q0-5 3-8M0-16q5-1 7-4"),
            ("yolk", disc(0.0, 2.0, 18.0)),
            shape("yolk", "M-17 0q-8 3-7 10 6 0 9-4zM17 0q8 3 7 10-6 0-9-4z"),
            shape("beak", "M-5.5 3q5.5-4 11 0l-5.5 7z"),
            ("solid", pair(7.5, -4.0, 2.2)),
        ],
        "hen" => vec![
            shape("red", "M-9-12c-6-6-1-12 3-9 0-6 10-6 11-1 6-2 8 6 3 10z"),
            shape("white", "M0-15c10 0 13 7 13 14 7 1 8-3 8-7 4 13-1 29-21 29S-25 5-21-8c0 4 1 8 8 7 0-7 3-14 13-14z"),
            shape("red", "M-1 9q-5 9 1 10t1-10z"),
            shape("beak", "M-7 2q7-5 14 0l-7 8z"),
            ("solid", pair(7.0, -5.0, 2.2)),
        ],
        _ => Vec::new(),
    }
}
