//! Tools that a model is offered. A customer's phone number, their id and an idempotency key are parameters
//! of none: code knows them, and no model does.

use serde_json::{Map, Value, json};

use super::{
    model::ToolDescription,
    speech::{self, Evidence},
};
use crate::systems::{Capabilities, Capability};

/// Longest search, reference or service in a model's arguments, in characters.
pub(super) const LONGEST_ARGUMENT: usize = 200;
/// Placeholder for a phone number, or another long number of a customer's, in whatever a model is shown.
pub(super) const NUMBER: &str = "[number]";

/// Name of the tool that every answer is given by, whatever the others are.
pub const ANSWER: &str = "answer";

/// Describes for a model the tools among `tools` that it may now use, and the one that every answer is given
/// by. What refers to something that the turn has to read first is told once it is read.
pub(super) fn describe(tools: &[Tool], evidence: &Evidence) -> Vec<ToolDescription> {
    let purpose = "Answer the customer with acts, in order: code words them. wording, if any, says the same in your words.";
    let schema = speech::schema(evidence, tools.contains(&Tool::CaptureLead));
    let told = tools.iter().filter(|tool| tool.is_told(evidence)).map(|tool| tool.description());
    told.chain([ToolDescription { name: ANSWER, purpose, schema }]).collect()
}

/// A tool that reads, records something, asks the customer to confirm something, or asks for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    SearchProducts,
    GetProduct,
    /// Searches the owner's documents.
    SearchKnowledge,
    /// Asks the customer to confirm an order.
    PlaceOrder,
    GetOrderStatus,
    /// Asks the customer to confirm the cancellation of an order.
    CancelOrder,
    /// Reads what the system lets the customer hear of themselves.
    LookupCustomerRecord,
    ListAppointmentSlots,
    /// Asks the customer to confirm a booking.
    BookAppointment,
    /// Records that the customer would like an appointment, where no system has a calendar.
    RequestBooking,
    /// Records the customer to follow up with.
    CaptureLead,
    HandOver,
}

impl Tool {
    pub const ALL: [Self; 12] = [
        Self::SearchProducts,
        Self::GetProduct,
        Self::SearchKnowledge,
        Self::PlaceOrder,
        Self::GetOrderStatus,
        Self::CancelOrder,
        Self::LookupCustomerRecord,
        Self::ListAppointmentSlots,
        Self::BookAppointment,
        Self::RequestBooking,
        Self::CaptureLead,
        Self::HandOver,
    ];

    /// Returns its name; tools of a system have the contract's names.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SearchProducts => "searchProducts",
            Self::GetProduct => "getProduct",
            Self::SearchKnowledge => "searchKnowledge",
            Self::PlaceOrder => "placeOrder",
            Self::GetOrderStatus => "getOrderStatus",
            Self::CancelOrder => "cancelOrder",
            Self::LookupCustomerRecord => "lookupCustomerRecord",
            Self::ListAppointmentSlots => "listAppointmentSlots",
            Self::BookAppointment => "bookAppointment",
            Self::RequestBooking => "requestBooking",
            Self::CaptureLead => "captureLead",
            Self::HandOver => "handOver",
        }
    }

    /// Returns the capability that the system must declare; `None` for the service's own tools.
    const fn needs(self) -> Option<Capability> {
        match self {
            Self::SearchProducts | Self::GetProduct => Some(Capability::Catalog),
            Self::PlaceOrder | Self::GetOrderStatus | Self::CancelOrder => Some(Capability::Orders),
            Self::LookupCustomerRecord => Some(Capability::Customers),
            Self::ListAppointmentSlots | Self::BookAppointment => Some(Capability::Appointments),
            Self::SearchKnowledge | Self::RequestBooking | Self::CaptureLead | Self::HandOver => None,
        }
    }

    pub(super) const fn asks_system(self) -> bool {
        self.needs().is_some()
    }

    /// Returns whether it touches what belongs to the holder of the customer's number.
    const fn needs_verified_number(self) -> bool {
        matches!(self, Self::GetOrderStatus | Self::CancelOrder | Self::LookupCustomerRecord)
    }

    /// Lists the tools of a turn: the service's own and those that the system declares; what belongs to a
    /// number only if the number is verified, and the documents' only if there are any.
    pub fn offered(
        capabilities: Option<&Capabilities>,
        has_verified_number: bool,
        has_documents: bool,
    ) -> Vec<Self> {
        let has = |needed| capabilities.is_some_and(|declared| declared.has(needed));
        let usable = |tool: &Self| {
            tool.needs().is_none_or(has)
                && (has_verified_number || !tool.needs_verified_number())
                && (has_documents || *tool != Self::SearchKnowledge)
                // A system with a calendar is asked for its slots.
                && !(*tool == Self::RequestBooking && has(Capability::Appointments))
        };
        Self::ALL.into_iter().filter(usable).collect()
    }

    /// Returns whether a model is told of it while this is the evidence.
    const fn is_told(self, evidence: &Evidence) -> bool {
        match self {
            Self::GetProduct | Self::PlaceOrder => !evidence.products.is_empty(),
            Self::BookAppointment => !evidence.slots.is_empty(),
            // An act notes a wish without a request of its own.
            Self::CaptureLead => false,
            _ => true,
        }
    }

    /// Returns its description for a model.
    pub fn description(self) -> ToolDescription {
        let (purpose, properties, required) = self.form();
        let mut schema = json!({ "type": "object", "properties": properties });
        // That a lone parameter is needed goes without saying.
        if let (2.., Some(fields)) = (properties.as_object().map_or(0, Map::len), schema.as_object_mut()) {
            fields.insert("required".to_owned(), required.into());
        }
        ToolDescription { name: self.as_str(), purpose, schema }
    }

    /// Returns its purpose, its parameters and the required ones among them.
    fn form(self) -> (&'static str, Value, &'static [&'static str]) {
        match self {
            Self::SearchProducts => {
                ("Find products by the customer's words.", json!({ "query": text() }), &["query"])
            }
            Self::GetProduct => ("Read one product.", json!({ "id": text() }), &["id"]),
            Self::SearchKnowledge => ("Search its documents.", json!({ "query": text() }), &["query"]),
            Self::PlaceOrder => ("Have the customer confirm an order.", order_form(), &["lines", "address"]),
            Self::GetOrderStatus => {
                ("Read an order by its number.", json!({ "reference": text() }), &["reference"])
            }
            Self::CancelOrder => (
                "Have the customer confirm a cancellation.",
                json!({ "reference": text(), "reason": text() }),
                &["reference"],
            ),
            Self::LookupCustomerRecord => ("Read the customer's record.", json!({}), &[]),
            Self::ListAppointmentSlots => (
                "Read free times between days (2026-01-31).",
                json!({ "from": text(), "to": text(), "service": text() }),
                &["from", "to"],
            ),
            Self::BookAppointment => (
                "Have the customer confirm a free time.",
                json!({
                    "startsAt": text(),
                    "service": text(),
                    "name": text(),
                    "phone": number(),
                    "note": text(),
                }),
                &["startsAt"],
            ),
            Self::RequestBooking => (
                "Note a wish for an appointment, for the team.",
                json!({ "service": text(), "preferredTime": text(), "name": text() }),
                &["service"],
            ),
            Self::CaptureLead => (
                "Note who wants to hear from the team.",
                json!({ "name": text(), "need": text() }),
                &["need"],
            ),
            Self::HandOver => ("Call a person.", json!({}), &[]),
        }
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "string", "enum": [NUMBER] })
}

fn order_form() -> Value {
    json!({
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "productId": text(),
                    "variantId": text(),
                    "quantity": { "type": "integer" },
                },
                "required": ["productId", "quantity"],
            },
        },
        "name": text(),
        "deliveryPhone": number(),
        "address": {
            "type": "object",
            "properties": { "line1": text(), "city": text(), "province": text(), "notes": text() },
            "required": ["line1", "city", "province"],
        },
        "note": text(),
    })
}

#[cfg(test)]
mod tests {
    use super::Tool;
    use crate::systems::{Capabilities, Capability};

    const OWN: [Tool; 4] = [Tool::SearchKnowledge, Tool::RequestBooking, Tool::CaptureLead, Tool::HandOver];

    #[test]
    fn tools_are_offered_by_what_the_system_declares_under_the_contracts_names() {
        for capability in Capability::ALL {
            let declared: Capabilities = std::iter::once(capability).collect();
            let offered = Tool::offered(Some(&declared), true, true);
            let names: Vec<_> =
                offered.iter().filter(|tool| !OWN.contains(tool)).map(|tool| tool.as_str()).collect();
            assert_eq!(names, capability.tools(), "{capability:?}");
            let wishes = offered.contains(&Tool::RequestBooking);
            assert_eq!(wishes, capability != Capability::Appointments, "{capability:?}");
        }
        assert_eq!(Tool::offered(None, true, true), OWN);
        assert!(!Tool::offered(None, true, false).contains(&Tool::SearchKnowledge));
    }

    #[test]
    fn without_a_verified_number_nothing_of_one_is_looked_up_or_cancelled() {
        let all: Capabilities = Capability::ALL.into_iter().collect();
        let offered = Tool::offered(Some(&all), false, true);
        for tool in [Tool::GetOrderStatus, Tool::CancelOrder, Tool::LookupCustomerRecord] {
            assert!(!offered.contains(&tool), "{tool:?}");
            assert!(Tool::offered(Some(&all), true, true).contains(&tool), "{tool:?}");
        }
    }

    #[test]
    fn no_tool_takes_a_phone_number_an_id_of_the_customer_a_key_or_money() {
        for tool in Tool::ALL {
            let mut schema = tool.description().schema;
            schema.sort_all_objects();
            // Of a number, an argument may only say that the customer has written one.
            let written = r#"hone":{"enum":["[number]"],"type":"string"}"#;
            let bare = schema.to_string().replace(&format!("\"deliveryP{written}"), "");
            let bare = bare.replace(&format!("\"p{written}"), "");
            for word in ["phone", "customer", "key", "price", "total", "discount"] {
                assert!(!bare.to_lowercase().contains(word), "{tool:?} {word}");
            }
        }
    }
}
