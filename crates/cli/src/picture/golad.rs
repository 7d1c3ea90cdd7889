//! GOLAD: discs of the first side and squares of the second; those that will die are hollow, those to be born small.

use banmen_catalog::{Cell, SideName};

use super::look::{Look, field, no_terrain};

pub(super) const LOOK: Look = Look {
    view: "golad",
    facing: false,
    legal: false,
    fixed: &[(".last-cell", "stroke-width:7")],
    colours: &[
        (".frame", "fill", "#39424d", "#14171b"),
        (".label", "fill", "#dfe4ea", "#a9b2bc"),
        (".field", "fill", "#f7f5ee", "#1d2126"),
        (".lines", "stroke", "#e0dccf", "#2e343b"),
        (".life.first", "fill", "#c2362b", "#f0796c"),
        (".life.second", "fill", "#1d5ca6", "#72aef0"),
        (".hollow", "fill", "#f7f5ee", "#1d2126"),
        (".last-cell", "stroke", "#12813f", "#5ad08c"),
    ],
    ground: field,
    terrain: no_terrain,
    piece: |_, owner| sign(owner, 40.0, &format!("life {}", owner.as_str())),
    mark,
    last: "<rect class=\"last-cell\" x=\"-45\" y=\"-45\" width=\"90\" height=\"90\" rx=\"8\"/>",
};

/// A disc for the first side, a square for the second.
fn sign(owner: SideName, r: f64, class: &str) -> String {
    match owner {
        SideName::First => format!("<circle class=\"{class}\" r=\"{r}\"/>"),
        SideName::Second => {
            let [half, edge, radius] = [-0.92, 1.84, 0.14].map(|part| format!("{:.2}", part * r));
            format!(
                "<rect class=\"{class}\" x=\"{half}\" y=\"{half}\" width=\"{edge}\" height=\"{edge}\" rx=\"{radius}\"/>"
            )
        }
    }
}

fn mark(tag: &str, cell: &Cell, _: SideName) -> Option<String> {
    match tag {
        "dies" => Some(sign(cell.owner?, 25.0, "hollow")),
        "born-first" => Some(sign(SideName::First, 15.0, "life first")),
        "born-second" => Some(sign(SideName::Second, 15.0, "life second")),
        _ => None,
    }
}
