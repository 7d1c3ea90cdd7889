//! TUBSTAP: terrain by tones and patterns; units as squares of the first side and discs of the second, with a sign of
//! their kind.

use banmen_catalog::{Cell, SideName};

use super::look::{Look, disc, square};

pub(super) const LOOK: Look = Look {
    view: "tubstap",
    facing: false,
    legal: false,
    fixed: &[
        (".pattern", "fill:none;stroke-width:3.5;stroke-linecap:round;stroke-linejoin:round"),
        (".filled .pattern", "stroke:none"),
        (".sea .pattern", "stroke-width:4.5"),
        (".no-entry .pattern", "stroke-width:6"),
        (".way", "fill:none;stroke-width:34;stroke-linecap:square"),
        (".dashes", "fill:none;stroke-width:4;stroke-dasharray:12 10"),
        (".body", "stroke:#ffffff;stroke-width:4"),
        (".spent .body", "stroke-width:7"),
        (".sign", "fill:#ffffff"),
        (".sign .line", "fill:none;stroke:#ffffff;stroke-width:7;stroke-linecap:round"),
        (".spent .sign", "opacity:0.75"),
        (".last-cell", "stroke-width:3"),
        (
            ".cell-label",
            "font-size:31px;font-weight:750;text-anchor:end;fill:#ffffff;stroke:#14161a;stroke-width:8;\
             stroke-linejoin:round;paint-order:stroke",
        ),
        (".done circle", "fill:#ffffff;stroke:#14161a;stroke-width:2"),
        (".done path", "fill:none;stroke:#14161a;stroke-width:4;stroke-linecap:round;stroke-linejoin:round"),
    ],
    colours: &[
        (".frame", "fill", "#3b4136", "#14170f"),
        (".label", "fill", "#d9dccb", "#aeb39d"),
        (".lines", "stroke", "rgb(60 60 40/0.28)", "rgb(0 0 0/0.4)"),
        (".field", "fill", "#e3e8c4", "#4b5637"),
        (".plain .tone", "fill", "#e3e8c4", "#4b5637"),
        (".plain .pattern", "stroke", "#b2bd84", "#6b7850"),
        (".forest .tone", "fill", "#a9cd8f", "#2c4a2c"),
        (".forest .pattern", "fill", "#4d8240", "#5d8f55"),
        (".mountain .tone", "fill", "#d9c2a0", "#55452f"),
        (".mountain .pattern", "fill", "#a58259", "#83694a"),
        (".sea .tone", "fill", "#aed5e8", "#1e3f5c"),
        (".sea .pattern", "stroke", "#5c9dc0", "#4f83ab"),
        (".road .tone", "fill", "#d8dcc0", "#454d36"),
        (".way", "stroke", "#a9a89f", "#77766e"),
        (".dashes", "stroke", "#d8dcc0", "#454d36"),
        (".fortress .tone", "fill", "#d6d3cd", "#4a4a4e"),
        (".fortress .pattern", "fill", "#8f8a82", "#85858c"),
        (".no-entry .tone", "fill", "#6e7068", "#0e100c"),
        (".no-entry .pattern", "stroke", "#8b8d84", "#2c2f28"),
        (".first .body", "fill", "#b92d22", "#d6493c"),
        (".second .body", "fill", "#1d4fae", "#3f78dd"),
        (".spent .body", "fill", "#85837d", "#5d5d58"),
        (".spent .first .body", "stroke", "#b92d22", "#d6493c"),
        (".spent .second .body", "stroke", "#1d4fae", "#3f78dd"),
        (".last-cell", "stroke", "#14161a", "#ffffff"),
    ],
    ground: |width, height| format!("<rect class=\"field\" width=\"{}\" height=\"{}\"/>", width * 100, height * 100),
    terrain,
    piece,
    mark,
    last: "<rect class=\"last-cell\" x=\"-46\" y=\"-46\" width=\"92\" height=\"92\" rx=\"8\"/>",
};

fn piece(kind: &str, owner: SideName) -> String {
    let (filled, line) = sign(kind);
    let body = match owner {
        SideName::First => square("body", 36, 9),
        SideName::Second => "<circle class=\"body\" r=\"38\"/>".to_owned(),
    };
    format!(
        "<g class=\"unit {}\">{body}<g class=\"sign\" transform=\"translate(-6 -9) scale(0.8)\"><path d=\"{filled}\"/>\
         <path class=\"line\" d=\"{line}\"/></g></g>",
        owner.as_str()
    )
}

/// The sign of a kind of unit: what is filled, and what is drawn with a broad line.
fn sign(kind: &str) -> (String, String) {
    let (filled, line) = match kind {
        "F" => ("M0-29 5-11 25 7v7L6 9 4 20l8 6v4L0 27l-12 3v-4l8-6L-6 9l-19 5V7L-5-11z", ""),
        "P" => {
            ("M-20 7h40a8 8 0 0 1 0 16h-40a8 8 0 0 1 0-16zM-20 4l5-9h30l5 9zM-11-7v-8q0-3 3-3H6q3 0 3 3v8z", "M9-13h18")
        }
        "R" => ("M-24 11h48v6q0 7-7 7h-34q-7 0-7-7zM-14 8V1q0-3 3-3h22q3 0 3 3v7z", "M-7-2 3-24M5-2 15-24"),
        "A" => {
            let wings = "M0-27q5 4 5 13l22 5v8H5L4 13l9 6v6h-26v-6l9-6L-5-1h-22v-8l22-5q0-9 5-13z";
            return (wings.to_owned() + &disc(-17.0, 7.0, 4.5) + &disc(17.0, 7.0, 4.5), String::new());
        }
        "U" => return (disc(-7.0, 12.0, 4.0), disc(-7.0, 12.0, 11.0) + "M-27 22-7 12M-13 5 23-19"),
        "I" => return (disc(0.0, -15.0, 9.0) + "M-15 25V11Q-15-3 0-3t15 14v14z", String::new()),
        _ => ("", ""),
    };
    (filled.to_owned(), line.to_owned())
}

fn terrain(name: &str, beside: [Option<&str>; 4]) -> String {
    let filled = if matches!(name, "forest" | "mountain" | "fortress") { " filled" } else { "" };
    let ground = "<rect class=\"tone\" x=\"-50\" y=\"-50\" width=\"100\" height=\"100\"/>";
    let pattern = match name {
        "plain" => "M-38 38l3-8 3 8m64-68 3-8 3 8M-40-30l3-8 3 8m68 68 3-8 3 8".to_owned(),
        "forest" => {
            let trees = [(-36, -33), (0, -36), (36, -33), (-37, 2), (37, 2), (-36, 38), (0, 40), (36, 38), (0, 3)];
            trees.map(|(x, y)| format!("M{x} {}l10 17h-7v5h-6v-5h-7z", y - 13)).concat()
        }
        "mountain" => "M-50 50-28-8-12 28 8-46 32 16 40 0 50 22V50z".to_owned(),
        "sea" => [-36, -12, 12, 36].map(|y| format!("M-46 {y}q11.5-12 23 0t23 0 23 0 23 0")).concat(),
        "fortress" => "M-46 46v-92h15v12h16v-12h30v12h16v-12h15v92H17V22q0-14-17-14t-17 14v24z".to_owned(),
        "no-entry" => "M-50 0 0-50M-50 50 50-50M0 50 50 0".to_owned(),
        "road" => {
            // From the middle up, right, down and left; square ends lead to the edge of the cell.
            let ways = ["M0 0V-33", "M0 0H33", "M0 0V33", "M0 0H-33"].into_iter().zip(beside);
            let ways: String =
                ways.filter(|(_, near)| matches!(near, Some("road" | "fortress"))).map(|(way, _)| way).collect();
            let ways = if ways.is_empty() { "M-33 0H33" } else { &ways };
            return format!(
                "<g class=\"road\">{ground}<path class=\"way\" d=\"{ways}\"/><path class=\"dashes\" d=\"{ways}\"/></g>"
            );
        }
        _ => String::new(),
    };
    format!("<g class=\"{name}{filled}\">{ground}<path class=\"pattern\" d=\"{pattern}\"/></g>")
}

fn mark(tag: &str, _: &Cell, _: SideName) -> Option<String> {
    let done = "<g class=\"done\"><circle cx=\"-34\" cy=\"-34\" r=\"13\"/><path d=\"M-40-34l5 5 8-10\"/></g>";
    (tag == "acted").then(|| done.to_owned())
}
