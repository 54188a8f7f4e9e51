//! The tools that a model is offered, and what it asks of them. A phone number, a customer's id and an idempotency key
//! are parameters of none: code knows them, and no model does.

use serde::Deserialize;
use serde_json::{Value, json};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use super::{ToolCall, ToolDescription};
use crate::{
    appointments::SlotQuery,
    customer_records::{LONGEST_LABEL, LONGEST_NEED},
    systems::{Capabilities, Capability, ExternalId},
    text::PlainText,
};

/// Characters of a search, a reference or a service that a model asks for.
const LONGEST_ARGUMENT: usize = 200;
/// The longest stretch that times are asked for.
const LONGEST_SPAN: Duration = Duration::days(60);

/// A tool that reads, writes somebody down, or asks for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Finds products.
    SearchProducts,
    /// Reads one product.
    GetProduct,
    /// Reads an order of the customer's.
    GetOrderStatus,
    /// Reads what the system lets the customer hear of themselves.
    LookupCustomerRecord,
    /// Reads free times.
    ListAppointmentSlots,
    /// Writes the customer down to follow up with.
    CaptureLead,
    /// Asks for a person.
    HandOver,
}

/// What a model asked for, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRequest {
    /// [`Tool::SearchProducts`] by these words.
    SearchProducts(PlainText),
    /// [`Tool::GetProduct`] of this id.
    GetProduct(ExternalId),
    /// [`Tool::GetOrderStatus`] of the order that the customer calls so.
    GetOrderStatus(PlainText),
    /// [`Tool::LookupCustomerRecord`].
    LookupCustomerRecord,
    /// [`Tool::ListAppointmentSlots`].
    ListAppointmentSlots(SlotQuery),
    /// [`Tool::CaptureLead`].
    CaptureLead {
        /// What the customer said they are called.
        name: Option<PlainText>,
        /// What they need.
        need: PlainText,
    },
    /// [`Tool::HandOver`].
    HandOver,
}

/// What a model asked for cannot be done, in words for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolCallError {
    /// It was not offered.
    #[error("there is no such tool")]
    NotOffered,
    /// The arguments are no JSON object of the tool's schema.
    #[error("the arguments do not follow the tool's schema")]
    Malformed,
    /// An argument cannot be used.
    #[error("`{0}` cannot be used: {1}")]
    Unusable(&'static str, &'static str),
}

impl Tool {
    /// Every tool.
    pub const ALL: [Self; 7] = [
        Self::SearchProducts,
        Self::GetProduct,
        Self::GetOrderStatus,
        Self::LookupCustomerRecord,
        Self::ListAppointmentSlots,
        Self::CaptureLead,
        Self::HandOver,
    ];

    /// Its name; those of a system's tools are the contract's.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SearchProducts => "searchProducts",
            Self::GetProduct => "getProduct",
            Self::GetOrderStatus => "getOrderStatus",
            Self::LookupCustomerRecord => "lookupCustomerRecord",
            Self::ListAppointmentSlots => "listAppointmentSlots",
            Self::CaptureLead => "captureLead",
            Self::HandOver => "handOver",
        }
    }

    /// What the system has to declare for it.
    const fn needs(self) -> Option<Capability> {
        match self {
            Self::SearchProducts | Self::GetProduct => Some(Capability::Catalog),
            Self::GetOrderStatus => Some(Capability::Orders),
            Self::LookupCustomerRecord => Some(Capability::Customers),
            Self::ListAppointmentSlots => Some(Capability::Appointments),
            Self::CaptureLead | Self::HandOver => None,
        }
    }

    /// Whether it reads what belongs to whoever has the customer's number.
    const fn needs_verified_number(self) -> bool {
        matches!(self, Self::GetOrderStatus | Self::LookupCustomerRecord)
    }

    /// The tools of a turn: those that the system declares, and of what belongs to a number only where it is verified.
    pub fn offered(capabilities: Option<&Capabilities>, has_verified_number: bool) -> Vec<Self> {
        let declared = |tool: &Self| {
            tool.needs().is_none_or(|needed| capabilities.is_some_and(|declared| declared.has(needed)))
        };
        let known = |tool: &Self| has_verified_number || !tool.needs_verified_number();
        Self::ALL.into_iter().filter(|tool| declared(tool) && known(tool)).collect()
    }

    /// As a model is told of it.
    pub fn description(self) -> ToolDescription {
        let text = || json!({ "type": "string", "maxLength": LONGEST_ARGUMENT });
        let (purpose, properties, required): (_, Value, &[&str]) = match self {
            Self::SearchProducts => (
                "Find products by the customer's own words, with prices and availability.",
                json!({ "query": text() }),
                &["query"],
            ),
            Self::GetProduct => ("Read one product that a search found.", json!({ "id": text() }), &["id"]),
            Self::GetOrderStatus => (
                "Read an order of this customer by the number on its receipt.",
                json!({ "reference": text() }),
                &["reference"],
            ),
            Self::LookupCustomerRecord => {
                ("Read what the business's system tells this customer of themselves.", json!({}), &[])
            }
            Self::ListAppointmentSlots => (
                "Read free times between two moments, 60 days apart at most.",
                json!({
                    "from": { "type": "string", "format": "date-time" },
                    "to": { "type": "string", "format": "date-time" },
                    "service": text(),
                }),
                &["from", "to"],
            ),
            Self::CaptureLead => (
                "Write this customer down for the team to follow up with. Only where the customer wants that.",
                json!({ "name": text(), "need": { "type": "string", "maxLength": LONGEST_NEED } }),
                &["need"],
            ),
            Self::HandOver => (
                "Give the conversation to a person: when asked to, on a complaint, or when nothing else helps.",
                json!({}),
                &[],
            ),
        };
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        ToolDescription { name: self.as_str(), purpose, schema }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ById {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByReference {
    reference: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Between {
    from: String,
    to: String,
    service: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lead {
    name: Option<String>,
    need: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl ToolRequest {
    /// The tool that it asks for.
    pub const fn tool(&self) -> Tool {
        match self {
            Self::SearchProducts(_) => Tool::SearchProducts,
            Self::GetProduct(_) => Tool::GetProduct,
            Self::GetOrderStatus(_) => Tool::GetOrderStatus,
            Self::LookupCustomerRecord => Tool::LookupCustomerRecord,
            Self::ListAppointmentSlots(_) => Tool::ListAppointmentSlots,
            Self::CaptureLead { .. } => Tool::CaptureLead,
            Self::HandOver => Tool::HandOver,
        }
    }

    /// Reads a call of one of the tools that were `offered`.
    ///
    /// # Errors
    /// [`ToolCallError`], which the model is told.
    pub fn read(call: &ToolCall, offered: &[Tool]) -> Result<Self, ToolCallError> {
        let tool = offered.iter().find(|tool| tool.as_str() == call.name).ok_or(ToolCallError::NotOffered)?;
        let written = call.arguments.as_str();
        Ok(match tool {
            Tool::SearchProducts => {
                Self::SearchProducts(plain("query", &arguments::<Search>(written)?.query)?)
            }
            Tool::GetProduct => {
                let id = ExternalId::of_text(&arguments::<ById>(written)?.id);
                Self::GetProduct(id.ok_or(ToolCallError::Unusable("id", "it is none of a product"))?)
            }
            Tool::GetOrderStatus => {
                Self::GetOrderStatus(plain("reference", &arguments::<ByReference>(written)?.reference)?)
            }
            Tool::LookupCustomerRecord => {
                arguments::<Nothing>(written)?;
                Self::LookupCustomerRecord
            }
            Tool::ListAppointmentSlots => Self::ListAppointmentSlots(between(&arguments(written)?)?),
            Tool::CaptureLead => {
                let lead = arguments::<Lead>(written)?;
                let name = lead.name.and_then(|name| PlainText::read(&name, LONGEST_LABEL));
                let need = PlainText::read(&lead.need, LONGEST_NEED);
                Self::CaptureLead { name, need: need.ok_or(ToolCallError::Unusable("need", "it is blank"))? }
            }
            Tool::HandOver => {
                arguments::<Nothing>(written)?;
                Self::HandOver
            }
        })
    }
}

/// Models leave the arguments of a tool that has none empty.
fn arguments<'a, T: Deserialize<'a>>(written: &'a str) -> Result<T, ToolCallError> {
    let written = if written.trim().is_empty() { "{}" } else { written };
    serde_json::from_str(written).map_err(|_| ToolCallError::Malformed)
}

fn plain(field: &'static str, written: &str) -> Result<PlainText, ToolCallError> {
    PlainText::read(written, LONGEST_ARGUMENT).ok_or(ToolCallError::Unusable(field, "it is blank"))
}

fn between(asked: &Between) -> Result<SlotQuery, ToolCallError> {
    let moment = |field, written: &str| {
        OffsetDateTime::parse(written, &Rfc3339).map_err(|_| {
            ToolCallError::Unusable(field, "it is no time with an offset, as 2026-01-31T09:00:00+03:00")
        })
    };
    let (from, to) = (moment("from", &asked.from)?, moment("to", &asked.to)?);
    if from >= to || to - from > LONGEST_SPAN {
        return Err(ToolCallError::Unusable("to", "it is not after `from`, or over 60 days after it"));
    }
    let service = asked.service.as_deref().and_then(|service| PlainText::read(service, LONGEST_ARGUMENT));
    Ok(SlotQuery { from, to, service })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Tool, ToolCall, ToolCallError, ToolRequest};
    use crate::systems::{Capabilities, Capability};

    fn read(name: &str, arguments: &str) -> Result<ToolRequest, ToolCallError> {
        let call = ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        ToolRequest::read(&call, &Tool::ALL)
    }

    #[test]
    fn tools_are_offered_by_what_the_system_declares_under_the_contracts_names() {
        for capability in Capability::ALL {
            let declared: Capabilities = std::iter::once(capability).collect();
            let of_a_system = |tool: &Tool| !matches!(tool, Tool::CaptureLead | Tool::HandOver);
            let offered = Tool::offered(Some(&declared), true).into_iter().filter(of_a_system);
            let names: Vec<_> = offered.map(Tool::as_str).collect();
            assert!(!names.is_empty(), "{capability:?}");
            assert!(names.iter().all(|name| capability.tools().contains(name)), "{names:?}");
        }
        assert_eq!(Tool::offered(None, true), [Tool::CaptureLead, Tool::HandOver]);
    }

    #[test]
    fn without_a_verified_number_nothing_is_looked_up_by_one() {
        let all: Capabilities = Capability::ALL.into_iter().collect();
        let offered = Tool::offered(Some(&all), false);
        assert!(!offered.contains(&Tool::GetOrderStatus) && !offered.contains(&Tool::LookupCustomerRecord));
        let call =
            ToolCall { id: String::new(), name: "getOrderStatus".to_owned(), arguments: String::new() };
        assert_eq!(ToolRequest::read(&call, &offered), Err(ToolCallError::NotOffered));
    }

    #[test]
    fn no_tool_takes_a_phone_an_id_of_the_customer_or_a_key() {
        for tool in Tool::ALL {
            let schema = tool.description().schema.to_string().to_lowercase();
            for word in ["phone", "customer", "key", "price", "total"] {
                assert!(!schema.contains(word), "{tool:?} {word}");
            }
        }
    }

    #[test]
    fn broken_arguments_are_told_apart_from_good_ones() {
        assert!(read("searchProducts", r#"{"query":"حليب"}"#).is_ok());
        assert_eq!(read("handOver", ""), Ok(ToolRequest::HandOver));
        for (name, arguments, error) in [
            ("placeOrder", "{}", ToolCallError::NotOffered),
            ("searchProducts", "", ToolCallError::Malformed),
            ("searchProducts", r#"{"query":"#, ToolCallError::Malformed),
            ("searchProducts", r#"{"query":1}"#, ToolCallError::Malformed),
            ("lookupCustomerRecord", r#"{"phone":"07701234567"}"#, ToolCallError::Malformed),
            ("searchProducts", r#"{"query":" "}"#, ToolCallError::Unusable("query", "it is blank")),
        ] {
            assert_eq!(read(name, arguments), Err(error), "{name} {arguments}");
        }
        let span = r#"{"from":"2026-11-25T09:00:00+03:00","to":"2026-11-20T09:00:00+03:00"}"#;
        assert!(matches!(read("listAppointmentSlots", span), Err(ToolCallError::Unusable("to", _))));
    }

    proptest! {
        #[test]
        fn no_arguments_panic(name in "searchProducts|getProduct|listAppointmentSlots|captureLead", arguments in ".{0,60}") {
            let _ = read(&name, &arguments);
        }
    }
}
