//! `/conversations/{id}/orders/{reference}`, `…/customer` and `…/slots`: answers of the workspace's own
//! system for a conversation.

use actix_web::web::Path;
use domain::{
    currency::Currency,
    external_id::ExternalId,
    ids::ConversationId,
    orders::{Order, OrderLine},
    since::read_since,
    systems::{CustomerRecord, FieldValue, LONGEST_SERVICE, Slot, SlotQuery, Slots},
    text::PlainText,
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    super::act::{self, Answer, Call},
    query::conversation,
};
use crate::{dashboard::failure::SoughtKind, problem::Problem, query::Parameters};

/// Time from its beginning for which slots are requested if no end is given.
const USUAL_SPAN: Duration = Duration::days(7);
/// Longest time for which slots can be requested.
const LONGEST_SPAN: Duration = Duration::days(92);

/// An order of the conversation's customer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderBody {
    id: ExternalId,
    /// What the customer sees on the receipt.
    number: ExternalId,
    /// `pending`, `confirmed`, `processing`, `shipped`, `delivered`, `cancelled`, `refunded` or `unknown`.
    status: &'static str,
    /// Decimal digits, as the system wrote them.
    total: String,
    /// What it costs is in this.
    currency: String,
    #[serde(with = "domain::clock::timestamp::option")]
    placed_at: Option<OffsetDateTime>,
    tracking_url: Option<String>,
    lines: Vec<LineBody>,
}

/// One line of an order.
#[derive(Serialize)]
struct LineBody {
    title: String,
    quantity: u32,
    /// Decimal digits.
    price: String,
}

impl OrderBody {
    fn of(order: Order, currency: Currency) -> Self {
        let currency = order.currency.unwrap_or(currency);
        let line = |OrderLine { title, quantity, price }| LineBody {
            title: title.as_str().to_owned(),
            quantity,
            price: price.in_currency(currency).as_str().to_owned(),
        };
        Self {
            id: order.id,
            number: order.number,
            status: order.status.as_str(),
            total: order.total.in_currency(currency).as_str().to_owned(),
            currency: currency.to_string(),
            placed_at: order.placed_at,
            tracking_url: order.tracking.map(|link| link.as_str().to_owned()),
            lines: order.lines.into_iter().map(line).collect(),
        }
    }
}

/// What the system lets the customer hear of themselves.
#[derive(Serialize)]
struct RecordAnswer {
    /// Null where the system does not know them.
    customer: Option<RecordBody>,
}

/// What the system says of a customer.
#[derive(Serialize)]
struct RecordBody {
    id: Option<ExternalId>,
    name: Option<String>,
    /// In the system's order.
    fields: Vec<FieldBody>,
}

/// One thing that it says.
#[derive(Serialize)]
struct FieldBody {
    label: String,
    /// A text, a number, yes or no, or nothing.
    #[serde(serialize_with = "as_it_came")]
    value: FieldValue,
}

/// Serializes a field; a number keeps the digits that the system sent.
fn as_it_came<S: Serializer>(value: &FieldValue, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        FieldValue::Text(Some(text)) => serializer.serialize_str(text.as_str()),
        FieldValue::Text(None) | FieldValue::Null => serializer.serialize_none(),
        FieldValue::Bool(value) => serializer.serialize_bool(*value),
        FieldValue::Number(written) => {
            RawValue::from_string(written.clone()).map_err(S::Error::custom)?.serialize(serializer)
        }
    }
}

impl From<Option<CustomerRecord>> for RecordAnswer {
    fn from(record: Option<CustomerRecord>) -> Self {
        let field = |(label, value): (PlainText, _)| FieldBody { label: label.as_str().to_owned(), value };
        let customer = record.map(|CustomerRecord { id, name, fields }| RecordBody {
            id,
            name: name.map(|name| name.as_str().to_owned()),
            fields: fields.into_iter().map(field).collect(),
        });
        Self { customer }
    }
}

/// Times that can be booked.
#[derive(Serialize)]
struct SlotsBody {
    /// The services that there are times for, where the system names them.
    services: Vec<String>,
    /// At most 30.
    slots: Vec<SlotBody>,
}

/// A time that can be booked.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SlotBody {
    id: ExternalId,
    /// With the system's own offset.
    starts_at: String,
    ends_at: String,
    service: String,
}

impl From<Slot> for SlotBody {
    fn from(slot: Slot) -> Self {
        // Parsed times can always be formatted.
        let written = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
        Self {
            id: slot.id,
            starts_at: written(slot.span.starts_at()),
            ends_at: written(slot.span.ends_at()),
            service: slot.service.as_str().to_owned(),
        }
    }
}

impl From<Slots> for SlotsBody {
    fn from(Slots { services, slots }: Slots) -> Self {
        let services = services.into_iter().map(|service| service.as_str().to_owned());
        Self { services: services.collect(), slots: slots.into_iter().map(SlotBody::from).collect() }
    }
}

/// An order of the customer who writes in the conversation, by its number or its id. It is found only where
/// it was placed under the number that the network has told of them: an order of anybody else is answered as
/// one that there is not.
pub(in crate::pages) async fn order(call: Call, path: Path<(String, String)>) -> Answer {
    let (workspace, id, (_, reference)) = (call.workspace(), conversation(&call)?, path.into_inner());
    let found = call
        .app
        .run(move |app| async move { app.dashboard.systems.look_up.order(workspace, id, &reference).await });
    let (order, currency) = found.await?.map_err(|error| SoughtKind("order").not_looked_up(error))?;
    act::ok(&OrderBody::of(order, currency))
}

/// What the workspace's own system lets the customer who writes in the conversation hear of themselves. They
/// are looked up by the number that the network has told of them, and by no other.
pub(in crate::pages) async fn record(call: Call) -> Answer {
    let (workspace, id) = (call.workspace(), conversation(&call)?);
    let found =
        call.app.run(move |app| async move { app.dashboard.systems.look_up.record(workspace, id).await });
    let found = found.await?.map_err(|error| SoughtKind("customer").not_looked_up(error))?;
    act::ok(&RecordAnswer::from(found))
}

/// Times of the workspace's own system that the conversation's customer can be offered.
pub(in crate::pages) async fn slots(call: Call) -> Answer {
    let query = slot_query(&call.parameters()?, call.app.clock.now())?;
    act::ok(&SlotsBody::from(free(&call, conversation(&call)?, query).await?))
}

/// Looks the free times up.
pub(super) async fn free(call: &Call, id: ConversationId, query: SlotQuery) -> Result<Slots, Problem> {
    let workspace = call.workspace();
    let found = call
        .app
        .run(move |app| async move { app.dashboard.systems.look_up.slots(workspace, id, &query).await });
    found.await?.map_err(|error| SoughtKind("time").not_looked_up(error))
}

fn slot_query(parameters: &Parameters, now: OffsetDateTime) -> Result<SlotQuery, Problem> {
    let form = "a date or a date and time";
    let from = parameters.read("from", read_since, form)?.unwrap_or(now);
    let to = parameters.read("to", read_since, form)?.or_else(|| from.checked_add(USUAL_SPAN));
    let is_span = |to: &OffsetDateTime| from < *to && *to - from <= LONGEST_SPAN;
    let days = LONGEST_SPAN.whole_days();
    let to = to.filter(is_span).ok_or_else(|| {
        Problem::invalid(format!("`to` must be after `from`, and at most {days} days later"))
    })?;
    let read = |text: &str| PlainText::read_whole(text, LONGEST_SERVICE).filter(|(_, whole)| *whole);
    let service = parameters.read("service", read, "1 to 200 characters that show something")?;
    Ok(SlotQuery { from, to, service: service.map(|(service, _)| service) })
}
