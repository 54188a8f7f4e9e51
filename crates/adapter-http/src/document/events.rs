//! Webhook events: those that `domain::events::Event` writes, and those that are yet to be written.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::{
    conversations::{Channel, Group, Status},
    messages::{EventMessage, TemplateRef},
    values::{Id, Phone, Timestamp},
};

/// The person an event is about.
#[derive(ToSchema)]
pub(super) struct Customer {
    /// The contact.
    id: Id,
    #[schema(required = true)]
    name: Option<String>,
    #[schema(required = true)]
    phone: Option<Phone>,
}

/// `data` of every `conversation.*` event.
#[derive(ToSchema)]
pub(super) struct ConversationData {
    conversation: EventConversation,
    /// On every one but `conversation.created`, why: `manual`, a sweeper's name, `automation:<name>`, or
    /// `ai_escalation: <text>` when the assistant handed over.
    #[schema(nullable = false)]
    reason: Option<String>,
    /// On `conversation.created`: true when a closed conversation came back, false when a new one was made.
    #[schema(nullable = false)]
    reopened: Option<bool>,
    customer: Customer,
}

/// A conversation as an event carries it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct EventConversation {
    id: Id,
    #[schema(inline)]
    channel: Channel,
    #[schema(inline)]
    status: Status,
    /// The person who holds it.
    #[schema(required = true)]
    assigned_to: Option<Id>,
    #[schema(required = true)]
    group: Option<Group>,
    /// The contact.
    customer_id: Id,
    last_message_at: Timestamp,
    created_at: Timestamp,
}

/// `data` of `message.received` and `message.sent`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct MessageData {
    conversation_id: Id,
    message: EventMessage,
    customer: Customer,
}

/// `data` of `message.delivered`, `message.read` and `message.failed`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct DeliveryData {
    /// Null for a one-time code and for what a send-only number sent.
    #[schema(required = true)]
    conversation_id: Option<Id>,
    /// The id that the send answered with.
    message_id: Id,
    #[schema(inline)]
    status: DeliveryStatus,
    /// The network's own id.
    provider_message_id: String,
    /// What the send carried; null for a message from the inbox.
    #[schema(required = true)]
    reference: Option<String>,
    /// Null for a message that no template made.
    #[schema(required = true)]
    template: Option<TemplateRef>,
    /// Null unless `failed`.
    #[schema(required = true)]
    error: Option<DeliveryError>,
    /// When, by the network's clock.
    occurred_at: Timestamp,
    /// Null for a one-time code and for what a send-only number sent.
    #[schema(required = true)]
    customer: Option<Customer>,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum DeliveryStatus {
    Delivered,
    Read,
    Failed,
}

/// Why a message could not be delivered.
#[derive(ToSchema)]
pub(super) struct DeliveryError {
    /// The network's own code, where it names one.
    #[schema(required = true)]
    code: Option<i64>,
    /// Its words.
    message: String,
}

/// `data` of `lead.captured`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct LeadData {
    conversation_id: Id,
    lead: Lead,
    customer: Customer,
}

/// Somebody to follow up with.
#[derive(ToSchema)]
pub(super) struct Lead {
    #[schema(required = true)]
    name: Option<String>,
    #[schema(required = true)]
    phone: Option<String>,
    /// What they need.
    need: String,
}

/// `data` of `booking.requested`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct BookingData {
    conversation_id: Id,
    booking: Booking,
    customer: Customer,
}

/// A request for a person to confirm, or what was booked in the workspace's own system.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Booking {
    Booked(BookedAppointment),
    Requested(RequestedAppointment),
}

/// A wish, where the workspace has no booking system.
#[derive(Serialize, ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct RequestedAppointment {
    #[schema(required = true)]
    name: Option<String>,
    #[schema(required = true)]
    phone: Option<String>,
    #[schema(required = true)]
    service: Option<String>,
    /// As the customer said it.
    #[schema(required = true)]
    preferred_time: Option<String>,
}

/// An appointment, as the workspace's own system returned it.
#[derive(Serialize, ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct BookedAppointment {
    id: String,
    /// ISO 8601 with the offset that the system gave.
    #[schema(format = DateTime)]
    starts_at: String,
    /// ISO 8601 with the offset that the system gave.
    #[schema(required = true, format = DateTime)]
    ends_at: Option<String>,
    #[schema(required = true)]
    service: Option<String>,
    /// The system's own word.
    #[schema(required = true)]
    status: Option<String>,
    #[schema(inline)]
    source: BookingSource,
}

#[derive(Serialize, ToSchema)]
#[schema(rename_all = "lowercase")]
enum BookingSource {
    System,
}

/// `data` of `order.placed` and `order.cancelled`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct OrderData {
    conversation_id: Id,
    order: Order,
    customer: Customer,
}

/// An order in the connected store.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct Order {
    id: String,
    /// What the customer sees on the receipt.
    number: String,
    /// Where it stands.
    state: String,
    total: f64,
    #[schema(required = true)]
    currency: Option<String>,
    #[schema(required = true)]
    placed_at: Option<String>,
    #[schema(required = true)]
    tracking_url: Option<String>,
    lines: Vec<OrderLine>,
}

/// One position of an order.
#[derive(ToSchema)]
pub(super) struct OrderLine {
    title: String,
    quantity: f64,
    price: f64,
}

/// `data` of `ping`.
#[derive(ToSchema)]
pub(super) struct PingData {
    /// A sentence.
    message: String,
}

/// The workspace.
#[derive(ToSchema)]
pub(super) struct EventTeam {
    id: Id,
}
