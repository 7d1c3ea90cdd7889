//! Files of move ratings.

use serde::Deserialize;

use crate::{Error, ErrorCode, FeatureGroup};

/// The strengths of move features, as fitted to games: a TOML file that people can read.
///
/// ```
/// use banmen_catalog::GammaTable;
///
/// let text = r#"
/// game = "stones"
/// rules = "default"
/// features = "counts"
/// player = "random"
/// limits = "nodes=1"
/// random_plies = 2
/// games = 40
/// seed = 1
///
/// [[phases]]
/// name = "opening"
/// choices = 120
///
/// [[phases.groups]]
/// name = "stones"
/// features = [
///   { name = "one", gamma = 0.5, chosen = 40, seen = 120 },
///   { name = "two", gamma = 2.0, chosen = 80, seen = 120 },
/// ]
/// "#;
/// let table = GammaTable::read(text)?;
/// assert_eq!(table.phases[0].groups[0].features[1].gamma, 2.0);
/// assert_eq!(GammaTable::read(&table.write())?, table);
/// # Ok::<(), banmen_catalog::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GammaTable {
    /// The game.
    pub game: String,
    /// The variant of its rules.
    pub rules: String,
    /// The set of features, as text.
    pub features: String,
    /// The player whose games they were fitted to.
    pub player: String,
    /// Its limits for a move, such as `playouts=1000`; empty where it had none. Older files do not state them.
    pub limits: Option<String>,
    /// Random plies before the player began. Older files do not state them.
    pub random_plies: Option<u32>,
    /// The number of these games.
    pub games: usize,
    /// The seed of these games, below 2⁶³.
    pub seed: u64,
    /// The phases of a game.
    pub phases: Vec<PhaseGammas>,
}

/// The strengths in one phase of a game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseGammas {
    /// The name of the phase.
    pub name: String,
    /// Choices among at least two moves that the strengths were fitted to.
    pub choices: u64,
    /// The groups of features.
    pub groups: Vec<GroupGammas>,
}

/// The strengths of a group of features.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupGammas {
    /// The name of the group.
    pub name: String,
    /// Its features.
    pub features: Vec<FeatureGamma>,
}

/// The strength of a feature.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureGamma {
    /// The name of the feature.
    pub name: String,
    /// The strength, above 0. Elo is 400 log₁₀ γ.
    pub gamma: f64,
    /// Choices in which a move with the feature was played.
    pub chosen: u64,
    /// Choices in which some legal move had the feature.
    pub seen: u64,
}

impl GammaTable {
    /// Reads a file.
    ///
    /// # Errors
    /// `bad_ratings`: the line and what is wrong there.
    pub fn read(text: &str) -> Result<GammaTable, Error> {
        let bad = |error: toml::de::Error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map_or_else(String::new, |line| format!("line {line}: "));
            let error = Error::new(ErrorCode::BadRatings, format!("{place}{}", error.message()));
            Error { at: line, ..error }
        };
        let table: GammaTable = toml::from_str(text).map_err(bad)?;
        for phase in &table.phases {
            for group in &phase.groups {
                let wrong = group.features.iter().find(|feature| !(feature.gamma.is_finite() && feature.gamma > 0.0));
                if let Some(FeatureGamma { name, gamma, .. }) = wrong {
                    let message = format!(
                        "phase `{}`, group `{}`, feature `{name}`: {gamma} is no strength above 0",
                        phase.name, group.name
                    );
                    return Err(Error::new(ErrorCode::BadRatings, message));
                }
            }
        }
        Ok(table)
    }

    /// Writes the file. [`GammaTable::read`] reads the same table from it.
    #[must_use]
    pub fn write(&self) -> String {
        // A string of JSON is one of TOML, which refuses one more control character.
        let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
        let mut out = String::from("# Strengths of move features. Elo is 400 times the decimal logarithm of gamma.\n");
        let mut line = |line: String| {
            out.push_str(&line);
            out.push('\n');
        };
        line(format!("game = {}", quoted(&self.game)));
        line(format!("rules = {}", quoted(&self.rules)));
        line(format!("features = {}", quoted(&self.features)));
        line(format!("player = {}", quoted(&self.player)));
        if let Some(limits) = &self.limits {
            line(format!("limits = {}", quoted(limits)));
        }
        if let Some(plies) = self.random_plies {
            line(format!("random_plies = {plies}"));
        }
        line(format!("games = {}", self.games));
        line(format!("seed = {}", self.seed));
        for phase in &self.phases {
            line(format!("\n[[phases]]\nname = {}\nchoices = {}", quoted(&phase.name), phase.choices));
            for group in &phase.groups {
                line(format!("\n[[phases.groups]]\nname = {}\nfeatures = [", quoted(&group.name)));
                for FeatureGamma { name, gamma, chosen, seen } in &group.features {
                    let name = quoted(name);
                    line(format!("  {{ name = {name}, gamma = {gamma:?}, chosen = {chosen}, seen = {seen} }},"));
                }
                line("]".to_owned());
            }
        }
        out
    }

    /// The strengths of all features of each phase, in the order in which the game numbers them.
    ///
    /// # Errors
    /// `bad_ratings` where phases, groups or features have other names, or another order.
    pub fn gammas(&self, phases: &[String], groups: &[FeatureGroup]) -> Result<Vec<Vec<f64>>, Error> {
        same_names("phase", self.phases.iter().map(|phase| &phase.name), phases)?;
        let mut gammas = Vec::new();
        for phase in &self.phases {
            let within =
                |error: Error| Error::new(ErrorCode::BadRatings, format!("phase `{}`, {}", phase.name, error.message));
            same_names("group", phase.groups.iter().map(|group| &group.name), groups.iter().map(|group| &group.name))
                .map_err(within)?;
            for (found, wanted) in phase.groups.iter().zip(groups) {
                let what = format!("group `{}`, feature", found.name);
                same_names(&what, found.features.iter().map(|feature| &feature.name), &wanted.features)
                    .map_err(within)?;
            }
            let features = phase.groups.iter().flat_map(|group| &group.features);
            gammas.push(features.map(|feature| feature.gamma).collect());
        }
        Ok(gammas)
    }
}

/// Refuses names that are not the wanted ones in their order.
fn same_names<'a>(
    what: &str,
    found: impl IntoIterator<Item = &'a String>,
    wanted: impl IntoIterator<Item = &'a String>,
) -> Result<(), Error> {
    let (mut found, mut wanted) = (found.into_iter(), wanted.into_iter());
    for number in 1.. {
        let (found, wanted) = (found.next(), wanted.next());
        if found.is_none() && wanted.is_none() {
            break;
        }
        if found != wanted {
            let shown = |name: Option<&String>| name.map_or_else(|| "nothing".to_owned(), |name| format!("`{name}`"));
            let message = format!("{what} number {number} is {}, not {}", shown(found), shown(wanted));
            return Err(Error::new(ErrorCode::BadRatings, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> GammaTable {
        let feature = |name: &str, gamma, chosen| FeatureGamma { name: name.to_owned(), gamma, chosen, seen: 9 };
        let group = |name: &str, features| GroupGammas { name: name.to_owned(), features };
        let phase = |name: &str, first| PhaseGammas {
            name: name.to_owned(),
            choices: 12,
            groups: vec![
                group("piece", vec![feature("X \"5\"", first, 3), feature("\u{7}\u{7f}Ü", 1e-9, 0)]),
                group("square", vec![feature("a1", 12345.678, 7)]),
            ],
        };
        GammaTable {
            game: "row".to_owned(),
            rules: "default".to_owned(),
            features: "paper:squares=own".to_owned(),
            player: "mcts:playouts=10".to_owned(),
            limits: None,
            random_plies: None,
            games: 40,
            seed: 7,
            phases: vec![phase("opening", 2.0), phase("end", 1.0 / 3.0)],
        }
    }

    fn group(name: &str, features: &[&str]) -> FeatureGroup {
        let features = features.iter().map(ToString::to_string).collect();
        FeatureGroup { name: name.to_owned(), features, exclusive: true, columns: None }
    }

    #[test]
    fn file_is_read_as_it_was_written() {
        let old = table().write();
        assert_eq!(GammaTable::read(&old), Ok(table()));
        let new = GammaTable { limits: Some("playouts=1000".to_owned()), random_plies: Some(2), ..table() };
        let text = new.write();
        let stated = "limits = \"playouts=1000\"\nrandom_plies = 2\ngames = 40\n";
        assert!(text.contains(stated) && text.replace(stated, "games = 40\n") == old, "{text}");
        assert_eq!(GammaTable::read(&text), Ok(new));
    }

    #[test]
    fn names_have_to_be_those_of_the_game() {
        let phases = ["opening", "end"].map(str::to_owned);
        let groups = [group("piece", &["X \"5\"", "\u{7}\u{7f}Ü"]), group("square", &["a1"])];
        let gammas = table().gammas(&phases, &groups).expect("the same names");
        assert_eq!(gammas, [[2.0, 1e-9, 12345.678], [1.0 / 3.0, 1e-9, 12345.678]]);
        let refused = |phases: &[String], groups: &[FeatureGroup]| {
            table().gammas(phases, groups).expect_err("other names").message
        };
        assert_eq!(refused(&phases[..1], &groups), "phase number 2 is `end`, not nothing");
        assert_eq!(refused(&phases, &groups[..1]), "phase `opening`, group number 2 is `square`, not nothing");
        let other = [groups[0].clone(), group("square", &["b1"])];
        assert_eq!(refused(&phases, &other), "phase `opening`, group `square`, feature number 1 is `a1`, not `b1`");
    }

    #[test]
    fn refuses_a_wrong_file_with_the_place() {
        let text = table().write();
        for (from, to, message) in [
            ("games = 40", "games = \"many\"", "line 6: "),
            ("gamma = 2.0", "gamma = -2.0", "phase `opening`, group `piece`, feature `X \"5\"`: -2 is no strength"),
            ("gamma = 2.0", "gamma = inf", "inf is no strength"),
            ("seed = 7", "seed = 7\nsize = 4", "line 8: unknown field `size`"),
            ("seed = 7", "seed = ", "line 7: "),
        ] {
            let error = GammaTable::read(&text.replacen(from, to, 1)).expect_err(message);
            assert!(error.code == ErrorCode::BadRatings && error.message.contains(message), "{error}");
        }
    }
}
