//! Othello: felt with its four dots, and discs with a black and a white face; the white one has a ring.

use banmen_catalog::SideName;

use super::look::{Look, no_mark, no_terrain};

pub(super) const LOOK: Look = Look {
    view: "othello",
    facing: false,
    legal: true,
    fixed: &[
        (".felt", "fill:url(#sheen-felt)"),
        (".disc .shade", "fill:rgb(0 0 0/0.25)"),
        (".disc.first .face", "fill:url(#sheen-first)"),
        (".disc.second .face", "fill:url(#sheen-second)"),
        (".ring", "fill:none;stroke-width:2.5"),
    ],
    colours: &[
        (".frame", "fill", "#1c3c2f", "#14281f"),
        (".label", "fill", "#b9d3c5", "#93b3a3"),
        (".felt-high", "stop-color", "#2f8060", "#2d7a5b"),
        (".felt-low", "stop-color", "#297455", "#276c50"),
        (".first-high", "stop-color", "#25282a", "#232628"),
        (".first-low", "stop-color", "#17191b", "#101213"),
        (".second-high", "stop-color", "#ffffff", "#ffffff"),
        (".second-low", "stop-color", "#efeade", "#e6e1d5"),
        (".ink", "fill", "#1b5640", "#15412f"),
        (".lines", "stroke", "#1b5640", "#15412f"),
        (".disc.first .back", "fill", "#efeade", "#e6e1d5"),
        (".disc.second .back", "fill", "#17191b", "#101213"),
        (".ring", "stroke", "#8f8874", "#8a8370"),
        (".legal", "fill", "#d9f0e2", "#c4e5d2"),
        (".flipped", "stroke", "#d9f0e2", "#c4e5d2"),
        (".last", "fill", "#e2533a", "#e85f45"),
    ],
    ground,
    terrain: no_terrain,
    piece,
    mark: no_mark,
    last: "<rect class=\"last\" x=\"-9\" y=\"-9\" width=\"18\" height=\"18\" rx=\"3\"/>",
};

fn ground(width: usize, height: usize) -> String {
    let sheen = |name: &str| {
        format!(
            "<linearGradient id=\"sheen-{name}\" x2=\"0\" y2=\"1\"><stop class=\"{name}-high\" offset=\"0\"/>\
             <stop class=\"{name}-low\" offset=\"1\"/></linearGradient>"
        )
    };
    let mut ground = format!("<defs>{}{}{}</defs>", sheen("felt"), sheen("first"), sheen("second"));
    let (across, down) = (width * 100, height * 100);
    ground.push_str(&format!("<rect class=\"felt\" width=\"{across}\" height=\"{down}\" rx=\"3\"/>"));
    for x in [200, across.saturating_sub(200)] {
        for y in [200, down.saturating_sub(200)] {
            ground.push_str(&format!("<circle class=\"ink\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/>"));
        }
    }
    ground
}

fn piece(_: &str, owner: SideName) -> String {
    let ring = if owner == SideName::Second { "<circle class=\"ring\" r=\"25\"/>" } else { "" };
    format!(
        "<g class=\"disc {}\"><circle class=\"shade\" cx=\"2\" cy=\"7\" r=\"40\"/>\
         <circle class=\"back\" cy=\"3.5\" r=\"40\"/><circle class=\"face\" r=\"40\"/>{ring}</g>",
        owner.as_str()
    )
}
