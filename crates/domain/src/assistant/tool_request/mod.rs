//! Parsed tool calls of a model.

use std::num::NonZeroU32;

use serde::Deserialize;
use time::{Date, Duration, OffsetDateTime, macros::format_description};

use super::{
    brief::TurnBrief,
    model::ToolCall,
    toolbox::{LONGEST_ARGUMENT, NUMBER, Tool},
};
use crate::{
    appointments::LONGEST_WISH,
    consent::{LONGEST_NOTE, MAX_QUANTITY, Wanted, WantedLine},
    customer_records::LONGEST_NEED,
    external_id::ExternalId,
    orders::DeliveryAddress,
    phone::Region,
    systems::{LONGEST_LABEL, SlotQuery},
    text::PlainText,
};

/// Longest range of times that a system is asked for.
const LONGEST_SPAN: Duration = Duration::days(60);
/// Reason of a cancellation if nobody has said one: the customer asked for it in the conversation.
const CANCELLED_BECAUSE: &str = "طلب الزبون إلغاءه في المحادثة";

/// A parsed tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRequest {
    /// Search for products by these words.
    SearchProducts(PlainText),
    /// Product by its id.
    GetProduct(ExternalId),
    /// Search the documents for these words.
    SearchKnowledge(PlainText),
    /// Order by what the customer calls it.
    GetOrderStatus(PlainText),
    /// Record of the customer.
    LookupCustomerRecord,
    /// Free times.
    ListAppointmentSlots(SlotQuery),
    /// [`Tool::PlaceOrder`], [`Tool::BookAppointment`] or [`Tool::CancelOrder`], which the customer is asked
    /// to confirm.
    Propose(Tool, Box<Wanted>),
    /// Wish for an appointment.
    RequestBooking {
        name: Option<PlainText>,
        service: PlainText,
        /// In the customer's own words.
        preferred_time: Option<PlainText>,
    },
    /// Lead to follow up with.
    CaptureLead { name: Option<PlainText>, need: PlainText },
    /// Request for a person.
    HandOver,
}

/// Reason a tool call cannot be carried out; its text is for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolCallError {
    #[error("there is no such tool")]
    NotOffered,
    #[error("the arguments do not follow the tool's schema")]
    Malformed,
    /// An argument, and why it cannot be used.
    #[error("`{0}` cannot be used: {1}")]
    Unusable(&'static str, &'static str),
    #[error("`{field}` is in the past: it is now {now}")]
    Past {
        field: &'static str,
        /// Current day and time, as the model is told them.
        now: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ById {
    id: Id,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByReference {
    reference: Id,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Between {
    from: String,
    to: String,
    service: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Order {
    lines: Vec<Line>,
    name: Option<String>,
    delivery_phone: Option<String>,
    address: Address,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    product_id: Id,
    variant_id: Option<Id>,
    quantity: NonZeroU32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Address {
    line1: String,
    city: String,
    province: String,
    notes: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Booking {
    starts_at: String,
    service: Option<String>,
    name: Option<String>,
    phone: Option<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wish {
    service: String,
    preferred_time: Option<String>,
    name: Option<String>,
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

/// An id, which models write as a number if it looks like one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
}

impl Id {
    fn written(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }

    fn read(self, field: &'static str) -> Result<ExternalId, ToolCallError> {
        ExternalId::of_text(&self.written())
            .ok_or(ToolCallError::Unusable(field, "it is none that a tool returned"))
    }
}

impl ToolRequest {
    pub const fn tool(&self) -> Tool {
        match self {
            Self::SearchProducts(_) => Tool::SearchProducts,
            Self::GetProduct(_) => Tool::GetProduct,
            Self::SearchKnowledge(_) => Tool::SearchKnowledge,
            Self::GetOrderStatus(_) => Tool::GetOrderStatus,
            Self::LookupCustomerRecord => Tool::LookupCustomerRecord,
            Self::ListAppointmentSlots(_) => Tool::ListAppointmentSlots,
            Self::Propose(tool, _) => *tool,
            Self::RequestBooking { .. } => Tool::RequestBooking,
            Self::CaptureLead { .. } => Tool::CaptureLead,
            Self::HandOver => Tool::HandOver,
        }
    }

    /// Parses a call of one of the tools that the turn offers.
    pub fn read(call: &ToolCall, brief: &TurnBrief) -> Result<Self, ToolCallError> {
        let tool = brief.tools.iter().find(|tool| tool.as_str() == call.name);
        let tool = *tool.ok_or(ToolCallError::NotOffered)?;
        let written = call.arguments.as_str();
        Ok(match tool {
            Tool::SearchProducts => {
                let Search { query } = arguments(written)?;
                Self::SearchProducts(plain("query", &with_reference("query", query, brief)?)?)
            }
            Tool::SearchKnowledge => {
                let Search { query } = arguments(written)?;
                Self::SearchKnowledge(plain("query", &query)?)
            }
            Tool::GetProduct => Self::GetProduct(arguments::<ById>(written)?.id.read("id")?),
            Tool::GetOrderStatus => {
                let ByReference { reference, reason: _ } = arguments(written)?;
                let reference = with_reference("reference", reference.written(), brief)?;
                Self::GetOrderStatus(plain("reference", &reference)?)
            }
            Tool::LookupCustomerRecord => {
                arguments::<Nothing>(written)?;
                Self::LookupCustomerRecord
            }
            Tool::ListAppointmentSlots => Self::ListAppointmentSlots(between(&arguments(written)?, brief)?),
            Tool::PlaceOrder => propose(tool, order(arguments(written)?, brief)?),
            Tool::BookAppointment => propose(tool, booking(&arguments(written)?, brief)?),
            Tool::CancelOrder => propose(tool, cancellation(arguments(written)?, brief)?),
            Tool::RequestBooking => {
                let Wish { service, preferred_time, name } = arguments(written)?;
                Self::RequestBooking {
                    name: optional(name, LONGEST_LABEL),
                    service: required("service", &service, LONGEST_WISH)?,
                    preferred_time: optional(preferred_time, LONGEST_WISH),
                }
            }
            Tool::CaptureLead => {
                let Lead { name, need } = arguments(written)?;
                let need = required("need", &need, LONGEST_NEED)?;
                Self::CaptureLead { name: optional(name, LONGEST_LABEL), need }
            }
            // The arguments are not parsed: none of them is used.
            Tool::HandOver => Self::HandOver,
        })
    }
}

/// Parses arguments; models leave those of a tool that has none empty.
fn arguments<'a, T: Deserialize<'a>>(written: &'a str) -> Result<T, ToolCallError> {
    let written = if written.trim().is_empty() { "{}" } else { written };
    serde_json::from_str(written).map_err(|_| ToolCallError::Malformed)
}

fn propose(tool: Tool, wanted: Wanted) -> ToolRequest {
    ToolRequest::Propose(tool, Box::new(wanted))
}

fn required(field: &'static str, written: &str, longest: usize) -> Result<PlainText, ToolCallError> {
    unmasked(written, longest).ok_or(ToolCallError::Unusable(field, "it is blank"))
}

fn plain(field: &'static str, written: &str) -> Result<PlainText, ToolCallError> {
    required(field, written, LONGEST_ARGUMENT)
}

fn optional(written: Option<String>, longest: usize) -> Option<PlainText> {
    written.and_then(|written| unmasked(&written, longest))
}

/// Parses a text without `[number]`, which only models are told.
fn unmasked(written: &str, longest: usize) -> Option<PlainText> {
    PlainText::read(&written.replace(NUMBER, ""), longest)
}

/// Replaces `[number]` by the long number that the customer typed last.
fn with_reference(field: &'static str, written: String, brief: &TurnBrief) -> Result<String, ToolCallError> {
    if !written.contains(NUMBER) {
        return Ok(written);
    }
    let nothing = ToolCallError::Unusable(field, "the customer has written no long number: ask for it");
    Ok(written.replace(NUMBER, &brief.typed_reference().ok_or(nothing)?))
}

/// Parses a moment; without an offset, by the workspace's clock.
fn moment(field: &'static str, written: &str, brief: &TurnBrief) -> Result<OffsetDateTime, ToolCallError> {
    brief.zone.read_moment(written).ok_or(ToolCallError::Unusable(
        field,
        "it is no time, as 2026-01-31T09:00:00+03:00, and no day, as 2026-01-31",
    ))
}

/// Parses a day as the moment that it begins, `days_later` days on; `None` if it is no day.
fn day(written: &str, days_later: i64, brief: &TurnBrief) -> Option<OffsetDateTime> {
    let day = Date::parse(written.trim(), format_description!("[year]-[month]-[day]")).ok()?;
    let day = day.checked_add(Duration::days(days_later))?;
    brief.zone.moment(&format!("{day}T00:00"))
}

/// Refuses a time that has passed, and tells what time it is now.
fn to_come(
    field: &'static str,
    at: OffsetDateTime,
    brief: &TurnBrief,
) -> Result<OffsetDateTime, ToolCallError> {
    if at > brief.now { Ok(at) } else { Err(ToolCallError::Past { field, now: brief.told_now() }) }
}

fn between(asked: &Between, brief: &TurnBrief) -> Result<SlotQuery, ToolCallError> {
    let from = day(&asked.from, 0, brief).map_or_else(|| moment("from", &asked.from, brief), Ok)?;
    // A day means all of it.
    let to = day(&asked.to, 1, brief).map_or_else(|| moment("to", &asked.to, brief), Ok)?;
    let today = |at: OffsetDateTime| brief.zone.told(at).date() == brief.zone.told(brief.now).date();
    // Of today, what is left is meant.
    let from = if today(from) { from.max(brief.now) } else { to_come("from", from, brief)? };
    let to = to_come("to", to, brief)?;
    if from >= to || to - from > LONGEST_SPAN + Duration::DAY {
        return Err(ToolCallError::Unusable("to", "it is not after `from`, or over 60 days after it"));
    }
    let service = optional(asked.service.clone(), LONGEST_ARGUMENT);
    Ok(SlotQuery { from, to: to.min(from + LONGEST_SPAN), service })
}

/// Returns the number that the customer has typed, if the model says that it is to be called.
fn typed_number(
    field: &'static str,
    written: Option<&str>,
    brief: &TurnBrief,
) -> Result<Option<String>, ToolCallError> {
    match written {
        None => Ok(None),
        Some(NUMBER) => {
            let nothing = ToolCallError::Unusable(field, "the customer has written no number: ask for one");
            brief.typed_number().map(Some).ok_or(nothing)
        }
        Some(_) => Err(ToolCallError::Unusable(field, "it is [number], where the customer has written one")),
    }
}

fn order(asked: Order, brief: &TurnBrief) -> Result<Wanted, ToolCallError> {
    let Order { lines, name, delivery_phone, address, note } = asked;
    Ok(Wanted::Order {
        lines: lines.into_iter().map(line).collect::<Result<_, _>>()?,
        name: optional(name, LONGEST_LABEL),
        phone: typed_number("deliveryPhone", delivery_phone.as_deref(), brief)?,
        email: None,
        address: delivered_to(address, brief.region)?,
        note: optional(note, LONGEST_NOTE),
    })
}

fn line(asked: Line) -> Result<WantedLine, ToolCallError> {
    if asked.quantity.get() > MAX_QUANTITY {
        return Err(ToolCallError::Unusable("quantity", "it is 1 to 999"));
    }
    let variant = asked.variant_id.map(|id| id.read("variantId")).transpose()?;
    Ok(WantedLine { product: asked.product_id.read("productId")?, variant, quantity: asked.quantity })
}

fn delivered_to(asked: Address, country: Region) -> Result<DeliveryAddress, ToolCallError> {
    Ok(DeliveryAddress {
        line1: plain("address.line1", &asked.line1)?,
        city: plain("address.city", &asked.city)?,
        province: plain("address.province", &asked.province)?,
        country,
        notes: optional(asked.notes, LONGEST_ARGUMENT),
    })
}

fn booking(asked: &Booking, brief: &TurnBrief) -> Result<Wanted, ToolCallError> {
    Ok(Wanted::Booking {
        slot: None,
        starts_at: to_come("startsAt", moment("startsAt", &asked.starts_at, brief)?, brief)?,
        service: optional(asked.service.clone(), LONGEST_ARGUMENT),
        name: optional(asked.name.clone(), LONGEST_LABEL),
        phone: typed_number("phone", asked.phone.as_deref(), brief)?,
        note: optional(asked.note.clone(), LONGEST_NOTE),
    })
}

fn cancellation(asked: ByReference, brief: &TurnBrief) -> Result<Wanted, ToolCallError> {
    let reference = with_reference("reference", asked.reference.written(), brief)?;
    let reference = plain("reference", &reference)?.as_str().to_owned();
    let reason = optional(asked.reason, LONGEST_NOTE);
    let reason = reason.or_else(|| PlainText::read(CANCELLED_BECAUSE, LONGEST_NOTE));
    let reason = reason.ok_or(ToolCallError::Unusable("reason", "it is blank"))?;
    Ok(Wanted::Cancellation { reference, reason })
}

#[cfg(test)]
mod tests;
