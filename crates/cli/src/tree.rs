//! Search trees as text.

use std::iter::once;

use banmen_protocol::messages::{Formula, FormulaName, SearchTree, TreeNode};
use unicode_width::UnicodeWidthStr;

use crate::output::thousands;

/// A column of the table: its heading, and the cell of a node. The number is the node's place.
type Column<'t> = (&'static str, Box<dyn Fn(usize, &TreeNode) -> String + 't>);

/// A tree as a table: a row for each node, indented by its depth. The first line names the formula.
pub(crate) fn text(tree: &SearchTree) -> String {
    let nodes = &tree.nodes;
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    // The children of each node that have a row.
    let mut rows_below = vec![0; nodes.len()];
    for node in nodes {
        let parent = node.parent.filter(|&parent| parent < depths.len());
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        parent.into_iter().for_each(|parent| rows_below[parent] += 1);
    }
    let number = |x: f64| if x.fract() == 0.0 { thousands(x as u64) } else { format!("{x:.2}") };
    let optional = |x: Option<String>| x.unwrap_or_else(|| "·".to_owned());
    let columns: [Option<Column<'_>>; 8] = [
        Some(("visits", Box::new(move |_, node| number(node.visits)))),
        Some((
            "share",
            Box::new(|_, node| {
                let parent = node.parent.and_then(|parent| nodes.get(parent));
                let share = parent.filter(|parent| parent.visits > 0.0).map(|parent| node.visits / parent.visits);
                optional(share.map(percent))
            }),
        )),
        Some(("value", Box::new(move |_, node| optional(node.value.map(percent))))),
        uneven_priors(nodes).then(|| ("prior", Box::new(|_, node: &TreeNode| percent(node.prior)) as Box<_>)),
        nodes.iter().any(|node| node.amaf.is_some()).then(|| {
            let cell = move |_, node: &TreeNode| {
                let amaf = node.amaf.filter(|amaf| amaf.visits > 0.0);
                optional(amaf.and_then(|amaf| Some(format!("{} of {}", percent(amaf.value?), number(amaf.visits)))))
            };
            ("AMAF", Box::new(cell) as Box<_>)
        }),
        Some((
            "score",
            Box::new(move |_, node| {
                let score = node.score.map(|score| {
                    let sum = score.mean + score.exploration;
                    format!("{:.3} + {:.3} = {sum:.3}", score.mean, score.exploration)
                });
                optional(score)
            }),
        )),
        nodes.iter().any(|node| node.bounds.is_some()).then(|| {
            let cell = move |_, node: &TreeNode| match node.bounds {
                Some([low, high]) if low == high => format!("= {}", percent(low)),
                Some([low, high]) => format!("{} to {}", percent(low), percent(high)),
                None => "·".to_owned(),
            };
            ("proven", Box::new(cell) as Box<_>)
        }),
        Some((
            "more",
            Box::new(move |place: usize, node: &TreeNode| match node.children - rows_below[place].min(node.children) {
                0 => String::new(),
                hidden => format!("+{}", thousands(hidden as u64)),
            }),
        )),
    ];
    let columns: Vec<Column<'_>> = columns.into_iter().flatten().collect();
    let head = once("move".to_owned()).chain(columns.iter().map(|(name, _)| (*name).to_owned()));
    let mut rows: Vec<Vec<String>> = vec![head.collect()];
    for (place, node) in nodes.iter().enumerate() {
        let name = node.m.as_deref().or(node.part.as_deref()).unwrap_or("root");
        let cells = columns.iter().map(|(_, cell)| cell(place, node));
        rows.push(once(format!("{}{name}", "  ".repeat(depths[place]))).chain(cells).collect());
    }
    let decided = tree.decided.as_ref().map(|decided| format!(" after {decided}")).unwrap_or_default();
    let (shown, size) = (thousands(nodes.len() as u64), thousands(tree.size));
    format!("tree{decided}: {shown} of {size} nodes, score {}\n{}", formula(&tree.formula), right_aligned(&rows))
}

/// Whether priors differ among siblings.
fn uneven_priors(nodes: &[TreeNode]) -> bool {
    let mut first: Vec<Option<f64>> = vec![None; nodes.len()];
    nodes.iter().any(|node| {
        let Some(first) = node.parent.and_then(|parent| first.get_mut(parent)) else { return false };
        (*first.get_or_insert(node.prior) - node.prior).abs() > 1e-6
    })
}

fn percent(x: f64) -> String {
    format!("{:.1} %", x * 100.0)
}

/// The formula of the selection, with its constants.
fn formula(formula: &Formula) -> String {
    let c = (formula.c * 1000.0).round() / 1000.0;
    let mut text = match formula.name {
        FormulaName::Ucb1 => format!("q + {c} √(ln N / n)"),
        FormulaName::Ucb1Tuned => format!("q + {c} √(ln N / n · min(¼, V))"),
        FormulaName::Puct => match formula.base {
            Some(base) => format!("q + ({c} + ln((N + {base} + 1) / {base})) P √N / (1 + n)"),
            None => format!("q + {c} P √N / (1 + n)"),
        },
        FormulaName::PuctLog => format!("q + {c} P √N ln(N + 1) / (1 + n)"),
        FormulaName::NewUcb => {
            let e = formula.e.unwrap_or(1.0);
            format!("q + {c} √(2 ln(N + {e}) / (n + {e})) + {e} R")
        }
        FormulaName::Custom => format!("q + {}, c = {c}", formula.rule.unwrap_or_default()),
    };
    if let Some(k) = formula.rave {
        text.push_str(&format!(", q with RAVE, k = {k}"));
    }
    if let Some(bias) = formula.rave_bias {
        text.push_str(&format!(", q with RAVE, b = {bias}"));
    }
    text
}

/// Lays rows out in columns, all but the first one to the right.
fn right_aligned(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.width());
            line.push_str(&if at == 0 { format!("{cell}{padding}") } else { format!("  {padding}{cell}") });
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
