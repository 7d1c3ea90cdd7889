//! Blokus Duo: squares with a stroke or a ring, and the corners to which the next piece can be attached.

use banmen_catalog::{Cell, SideName};

use super::look::{Look, field, no_terrain, square};

pub(super) const LOOK: Look = Look {
    view: "blokus",
    facing: false,
    legal: false,
    fixed: &[
        (".body", "stroke-width:4"),
        (".pattern", "fill:none;stroke-width:9;stroke-linecap:round"),
        (".start-cell", "fill:none;stroke-width:6"),
        (".waits", "opacity:0.35"),
        (".last-cell", "stroke-width:5"),
    ],
    colours: &[
        (".frame", "fill", "#3d3a48", "#15161a"),
        (".label", "fill", "#dcd9e6", "#aeb0ba"),
        (".field", "fill", "#f4f3f0", "#23262b"),
        (".lines", "stroke", "#d6d3cb", "#363b42"),
        (".first .body", "fill", "#6a3fa8", "#a07be0"),
        (".first .body", "stroke", "#4a2880", "#6d49ad"),
        (".first .pattern", "stroke", "#d9c8f3", "#2a1650"),
        (".second .body", "fill", "#e38a1c", "#f0a548"),
        (".second .body", "stroke", "#a85f08", "#a86a1c"),
        (".second .pattern", "stroke", "#5a3000", "#4a2a00"),
        (".corner.first", "fill", "#6a3fa8", "#a07be0"),
        (".corner.second", "fill", "#e38a1c", "#f0a548"),
        (".start-cell", "stroke", "#8c8778", "#747a70"),
        (".last-cell", "stroke", "#14161a", "#ffffff"),
    ],
    ground: field,
    terrain: no_terrain,
    piece,
    mark,
    last: "<rect class=\"last-cell\" x=\"-40\" y=\"-40\" width=\"80\" height=\"80\" rx=\"8\"/>",
};

fn piece(_: &str, owner: SideName) -> String {
    let pattern = match owner {
        SideName::First => "<path class=\"pattern\" d=\"M-25 25 25-25\"/>",
        SideName::Second => "<circle class=\"pattern\" r=\"19\"/>",
    };
    format!("<g class=\"square {}\">{}{pattern}</g>", owner.as_str(), square("body", 48, 7))
}

fn mark(tag: &str, _: &Cell, side: SideName) -> Option<String> {
    let (owner, shape) = match tag {
        "start" => return Some("<circle class=\"start-cell\" r=\"26\"/>".to_owned()),
        "corner-first" => (SideName::First, "M-38-38h26l-26 26z"),
        "corner-second" => (SideName::Second, "M38 38h-26l26-26z"),
        _ => return None,
    };
    let waits = if owner == side { "" } else { " waits" };
    Some(format!("<path class=\"corner {}{waits}\" d=\"{shape}\"/>", owner.as_str()))
}
