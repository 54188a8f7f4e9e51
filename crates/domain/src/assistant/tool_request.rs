//! What a model asks of tools, read.

use std::num::NonZeroU32;

use serde::Deserialize;
use time::{Date, Duration, OffsetDateTime, macros::format_description};

use super::{Tool, ToolCall, TurnBrief, toolbox::LONGEST_ARGUMENT, toolbox::NUMBER};
use crate::{
    appointments::{LONGEST_WISH, SlotQuery},
    consent::{LONGEST_NOTE, MAX_QUANTITY, Wanted, WantedLine},
    customer_records::{LONGEST_LABEL, LONGEST_NEED},
    orders::DeliveryAddress,
    phone::Region,
    systems::ExternalId,
    text::PlainText,
};

/// Times are asked for over this stretch at most.
const LONGEST_SPAN: Duration = Duration::days(60);
/// An order is cancelled for this reason where nobody has said one.
const CANCELLED_BECAUSE: &str = "طلب الزبون إلغاءه في المحادثة";

/// A model asked for this, and it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRequest {
    /// The model calls [`Tool::SearchProducts`] with these words.
    SearchProducts(PlainText),
    /// The model calls [`Tool::GetProduct`] with this id.
    GetProduct(ExternalId),
    /// The model calls [`Tool::GetOrderStatus`] with what the customer calls the order.
    GetOrderStatus(PlainText),
    /// The model calls [`Tool::LookupCustomerRecord`].
    LookupCustomerRecord,
    /// The model calls [`Tool::ListAppointmentSlots`].
    ListAppointmentSlots(SlotQuery),
    /// The model calls [`Tool::PlaceOrder`], [`Tool::BookAppointment`] or [`Tool::CancelOrder`]: the customer
    /// is asked to confirm it.
    Propose(Tool, Box<Wanted>),
    /// The model calls [`Tool::RequestBooking`].
    RequestBooking {
        name: Option<PlainText>,
        service: PlainText,
        /// It is in the customer's own words.
        preferred_time: Option<PlainText>,
    },
    /// The model calls [`Tool::CaptureLead`].
    CaptureLead { name: Option<PlainText>, need: PlainText },
    /// The model calls [`Tool::HandOver`].
    HandOver,
}

/// What a model asked for cannot be done; the text says why, in words for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolCallError {
    /// The tool was not offered.
    #[error("there is no such tool")]
    NotOffered,
    /// The arguments are no JSON object of the tool's schema.
    #[error("the arguments do not follow the tool's schema")]
    Malformed,
    /// An argument cannot be used.
    #[error("`{0}` cannot be used: {1}")]
    Unusable(&'static str, &'static str),
    /// A time has passed.
    #[error("`{field}` is in the past: it is now {now}")]
    Past {
        field: &'static str,
        /// What day and time it is.
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

/// Models write an id that looks like a number as one.
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
    /// Returns the tool that it asks for.
    pub const fn tool(&self) -> Tool {
        match self {
            Self::SearchProducts(_) => Tool::SearchProducts,
            Self::GetProduct(_) => Tool::GetProduct,
            Self::GetOrderStatus(_) => Tool::GetOrderStatus,
            Self::LookupCustomerRecord => Tool::LookupCustomerRecord,
            Self::ListAppointmentSlots(_) => Tool::ListAppointmentSlots,
            Self::Propose(tool, _) => *tool,
            Self::RequestBooking { .. } => Tool::RequestBooking,
            Self::CaptureLead { .. } => Tool::CaptureLead,
            Self::HandOver => Tool::HandOver,
        }
    }

    /// Reads a call of one of the tools that the turn offers.
    ///
    /// # Errors
    /// [`ToolCallError`], which the model is told.
    pub fn read(call: &ToolCall, brief: &TurnBrief) -> Result<Self, ToolCallError> {
        let tool = brief.tools.iter().find(|tool| tool.as_str() == call.name);
        let tool = *tool.ok_or(ToolCallError::NotOffered)?;
        let written = call.arguments.as_str();
        Ok(match tool {
            Tool::SearchProducts => {
                let Search { query } = arguments(written)?;
                Self::SearchProducts(plain("query", &with_reference("query", query, brief)?)?)
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
            // Whatever is written beside it, a person is asked for: nothing of that is used.
            Tool::HandOver => Self::HandOver,
        })
    }
}

/// Models leave the arguments of a tool that has none empty.
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

/// Reads a text without `[number]`, which is said to models alone.
fn unmasked(written: &str, longest: usize) -> Option<PlainText> {
    PlainText::read(&written.replace(NUMBER, ""), longest)
}

/// Puts the long number that the customer has typed where the model says that there is one.
fn with_reference(field: &'static str, written: String, brief: &TurnBrief) -> Result<String, ToolCallError> {
    if !written.contains(NUMBER) {
        return Ok(written);
    }
    let nothing = ToolCallError::Unusable(field, "the customer has written no long number: ask for it");
    Ok(written.replace(NUMBER, &brief.typed_reference().ok_or(nothing)?))
}

/// Reads a moment, which a clock of the workspace shows where it has no offset.
fn moment(field: &'static str, written: &str, brief: &TurnBrief) -> Result<OffsetDateTime, ToolCallError> {
    brief.zone.read_moment(written).ok_or(ToolCallError::Unusable(
        field,
        "it is no time, as 2026-01-31T09:00:00+03:00, and no day, as 2026-01-31",
    ))
}

/// Reads a day as the moment that it begins; `None` where it is written otherwise.
fn day(written: &str, days_later: i64, brief: &TurnBrief) -> Option<OffsetDateTime> {
    let day = Date::parse(written.trim(), format_description!("[year]-[month]-[day]")).ok()?;
    let day = day.checked_add(Duration::days(days_later))?;
    brief.zone.moment(&format!("{day}T00:00"))
}

/// Refuses a time that has passed, and tells what it is now.
fn to_come(
    field: &'static str,
    at: OffsetDateTime,
    brief: &TurnBrief,
) -> Result<OffsetDateTime, ToolCallError> {
    if at > brief.now { Ok(at) } else { Err(ToolCallError::Past { field, now: brief.told_now() }) }
}

fn between(asked: &Between, brief: &TurnBrief) -> Result<SlotQuery, ToolCallError> {
    let from = day(&asked.from, 0, brief).map_or_else(|| moment("from", &asked.from, brief), Ok)?;
    // Who names a day means all of it.
    let to = day(&asked.to, 1, brief).map_or_else(|| moment("to", &asked.to, brief), Ok)?;
    let today = |at: OffsetDateTime| brief.zone.told(at).date() == brief.zone.told(brief.now).date();
    // Of a day that has begun, what is left of it is meant.
    let from = if today(from) { from.max(brief.now) } else { to_come("from", from, brief)? };
    let to = to_come("to", to, brief)?;
    if from >= to || to - from > LONGEST_SPAN + Duration::DAY {
        return Err(ToolCallError::Unusable("to", "it is not after `from`, or over 60 days after it"));
    }
    let service = optional(asked.service.clone(), LONGEST_ARGUMENT);
    Ok(SlotQuery { from, to: to.min(from + LONGEST_SPAN), service })
}

/// Returns the number that the customer has typed, where the model says that it is to be called.
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
