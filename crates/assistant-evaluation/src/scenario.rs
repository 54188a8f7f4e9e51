//! Scenarios: who a customer is, what they answer to what, and the required outcome. They are in
//! `scenarios/*.toml`.

use anyhow::{Context, ensure};
use serde::Deserialize;

/// Themes, each in a file of its own.
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
    /// Unique among all scenarios.
    pub(crate) name: String,
    /// Who the customer is and what they want, for a model that plays them.
    pub(crate) who: String,
    #[serde(default)]
    pub(crate) over: Network,
    /// Capabilities of the business's own system.
    #[serde(default)]
    pub(crate) system: System,
    /// Orders that the shop has at the beginning.
    #[serde(default)]
    pub(crate) given: Given,
    /// Wordings of the opening.
    pub(crate) opens: Vec<String>,
    /// Opening without words, in place of those: a sample of the network's stand-in.
    pub(crate) opens_with: Option<String>,
    /// Whether they may greet before they come to the point.
    #[serde(default = "yes")]
    pub(crate) greets: bool,
    /// Answers of the customer; the first that fits is used, each once.
    #[serde(default)]
    pub(crate) lines: Vec<Line>,
    /// Required outcome.
    #[serde(default)]
    pub(crate) ends: Ends,
    #[serde(skip)]
    pub(crate) theme: &'static str,
}

/// An answer of the customer's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// Texts of which the business's last messages contain one.
    pub(crate) to: Vec<String>,
    /// Wordings; a line break separates two messages.
    #[serde(default)]
    pub(crate) says: Vec<String>,
    /// Button that is tapped, under the newest summary or under the first one.
    pub(crate) taps: Option<Tap>,
    /// Change in the shop before the customer answers.
    pub(crate) meanwhile: Option<Repricing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tap {
    Confirm,
    Change,
    /// Confirms the first summary, whatever came after it.
    FirstConfirm,
}

/// A new price of a product or a variant.
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

/// Capabilities of the business's own system.
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

/// Orders that the shop has when the conversation begins. `{own}` and `{foreign}` stand for their numbers.
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
    /// The ordered item, once: a product without variants, or a variant.
    pub(crate) item: String,
    /// State, if not the initial one.
    pub(crate) status: Option<String>,
}

/// Required outcome of a conversation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ends {
    /// Exactly these orders were placed.
    pub(crate) orders: Vec<ExpectedOrder>,
    /// Whether their own order was cancelled.
    pub(crate) cancelled: bool,
    /// Number of booked slots.
    pub(crate) appointments: usize,
    /// Number of recorded wishes for an appointment.
    pub(crate) wishes: usize,
    /// Number of recorded leads.
    pub(crate) leads: usize,
    /// Possible reasons of the hand-over; empty if the assistant keeps the conversation.
    pub(crate) handed_over: Vec<String>,
    /// Texts that were all said; `|` separates alternatives.
    pub(crate) told: Vec<String>,
    /// Texts of which none was said.
    pub(crate) untold: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedOrder {
    /// Lines, each with the product's or the variant's id and the quantity.
    pub(crate) lines: Vec<(String, u64)>,
    pub(crate) name: Option<String>,
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
    /// Loads all scenarios, in the order of their files.
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
