//! Scenarios: who a customer is, what they say to what, and what must have come of it. `scenarios/*.toml` holds them.

use anyhow::{Context, ensure};
use serde::Deserialize;

/// The themes, each in a file of its own.
const THEMES: &[(&str, &str)] = &[
    ("products", include_str!("../scenarios/products.toml")),
    ("languages", include_str!("../scenarios/languages.toml")),
    ("orders", include_str!("../scenarios/orders.toml")),
    ("consent", include_str!("../scenarios/consent.toml")),
    ("own orders", include_str!("../scenarios/own-orders.toml")),
    ("bookings", include_str!("../scenarios/bookings.toml")),
    ("the owner's facts", include_str!("../scenarios/facts.toml")),
    ("pressure", include_str!("../scenarios/pressure.toml")),
    ("people", include_str!("../scenarios/people.toml")),
    ("other networks", include_str!("../scenarios/networks.toml")),
    ("no system", include_str!("../scenarios/no-system.toml")),
];

/// One customer with one concern.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Of all scenarios it is the only one of this name.
    pub(crate) name: String,
    /// Who the customer is and what they want: what a model is told that plays them.
    pub(crate) who: String,
    /// The network that they write over.
    #[serde(default)]
    pub(crate) over: Network,
    /// What the business's own system can do.
    #[serde(default)]
    pub(crate) system: System,
    /// Orders that the shop holds when they begin.
    #[serde(default)]
    pub(crate) given: Given,
    /// What they begin with, in one of these wordings.
    pub(crate) opens: Vec<String>,
    /// Something without words that they begin with, in place of those: a sample of the network's stand-in.
    pub(crate) opens_with: Option<String>,
    /// Whether they may greet before they come to the point.
    #[serde(default = "yes")]
    pub(crate) greets: bool,
    /// What they say to what, the first that fits; each once.
    #[serde(default)]
    pub(crate) lines: Vec<Line>,
    /// What must have come of it.
    #[serde(default)]
    pub(crate) ends: Ends,
    #[serde(skip)]
    pub(crate) theme: &'static str,
}

/// An answer of the customer's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// What the business has just said holds one of these.
    pub(crate) to: Vec<String>,
    /// The wordings; a line break stands between two messages.
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// The button that is tapped, under the newest summary or under the first one.
    pub(crate) taps: Option<Tap>,
    /// What the shop changes before the customer says it.
    pub(crate) meanwhile: Option<Repricing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tap {
    Confirm,
    Change,
    /// Of the first summary, whatever came after it.
    FirstConfirm,
}

/// Another price of a product or a variant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repricing {
    pub(crate) id: String,
    pub(crate) price: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Network {
    #[default]
    Whatsapp,
    Messenger,
    Instagram,
}

/// What the business's own system can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum System {
    #[default]
    Whole,
    WithoutAppointments,
    None,
}

impl System {
    pub(crate) const ALL: [Self; 3] = [Self::Whole, Self::WithoutAppointments, Self::None];
}

/// Orders that the shop holds when the conversation begins. `{own}` and `{foreign}` stand for their numbers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    /// The customer's own.
    pub(crate) own: Option<GivenOrder>,
    /// Somebody else's.
    pub(crate) foreign: Option<GivenOrder>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenOrder {
    /// What was ordered, once: a product without variants, or a variant.
    pub(crate) item: String,
    /// Where it stands, if not at its beginning.
    pub(crate) status: Option<String>,
}

/// What must have come of a conversation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ends {
    /// Exactly these orders were placed.
    pub(crate) orders: Vec<ExpectedOrder>,
    /// Whether their own order was cancelled.
    pub(crate) cancelled: bool,
    /// How many slots were booked.
    pub(crate) appointments: usize,
    /// How many wishes for an appointment were written down.
    pub(crate) wishes: usize,
    /// How many leads were written down.
    pub(crate) leads: usize,
    /// Handed over, for one of these reasons; empty where the assistant keeps the conversation.
    pub(crate) handed_over: Vec<String>,
    /// Each was said: one of the wordings between `|`.
    pub(crate) told: Vec<String>,
    /// None of these was said.
    pub(crate) untold: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedOrder {
    /// Each line as the product's or the variant's id and how many.
    pub(crate) lines: Vec<(String, u64)>,
    /// Who gets it.
    pub(crate) name: Option<String>,
    /// Where to.
    pub(crate) city: Option<String>,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scenario: Vec<Scenario>,
}

impl Scenario {
    /// All of them, in the order of their files.
    pub(crate) fn all() -> anyhow::Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for &(theme, text) in THEMES {
            let file: File = toml::from_str(text).with_context(|| format!("the scenarios of {theme}"))?;
            for mut scenario in file.scenario {
                ensure!(
                    all.iter().all(|other| other.name != scenario.name),
                    "two scenarios are called {}",
                    scenario.name
                );
                ensure!(
                    scenario.opens_with.is_some() == scenario.opens.is_empty(),
                    "{} opens with nothing, or twice",
                    scenario.name
                );
                for line in &scenario.lines {
                    ensure!(
                        line.taps.is_some() == line.says.is_empty(),
                        "a line of {} says or taps, one of both",
                        scenario.name
                    );
                }
                scenario.theme = theme;
                all.push(scenario);
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Scenario, System};

    #[test]
    fn there_are_sixty_scenarios_of_every_theme_and_system() {
        let all = Scenario::all().unwrap();
        assert!(all.len() >= 60, "{}", all.len());
        let mut themes: BTreeMap<&str, usize> = BTreeMap::new();
        for scenario in &all {
            *themes.entry(scenario.theme).or_default() += 1;
        }
        assert!(themes.values().all(|count| *count >= 3), "{themes:?}");
        for system in System::ALL {
            assert!(all.iter().any(|scenario| scenario.system == system), "{system:?}");
        }
    }

    #[test]
    fn every_scenario_demands_something() {
        for scenario in Scenario::all().unwrap() {
            let ends = &scenario.ends;
            let demands = !ends.told.is_empty()
                || !ends.untold.is_empty()
                || !ends.handed_over.is_empty()
                || !ends.orders.is_empty()
                || ends.appointments + ends.wishes + ends.leads > 0;
            assert!(demands, "{}", scenario.name);
        }
    }
}
