//! Events and their bodies on the wire (docs/use/webhooks.md, "What arrives").

use std::{borrow::Cow, fmt};

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    conversation_body::EventConversationBody,
    event_type::EventType,
    system::{BookedAppointment, Booking, BookingWish, PlacedOrder},
};
use crate::{
    contacts::Contact,
    conversation::Conversation,
    ids::{ContactId, ConversationId, DeliveryId, MessageId, WorkspaceId},
    messages::{DeliveryStatus, EventMessageBody, Message, NetworkError, NetworkMessageId, TemplateRef},
    phone::PhoneNumber,
};

/// Something that happened in a workspace.
#[derive(Debug, Clone)]
pub struct Event {
    pub kind: EventType,
    pub created_at: OffsetDateTime,
    pub data: EventData,
}

/// Person that an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Customer {
    pub id: ContactId,
    pub name: Option<String>,
    pub phone: Option<PhoneNumber>,
}

impl Customer {
    /// Creates the customer as events show the contact.
    pub fn of(contact: &Contact) -> Self {
        let Contact { id, name, phone, source: _, created_at: _ } = contact;
        Self { id: *id, name: name.clone(), phone: phone.clone() }
    }
}

/// Payload of an event, by its kind.
#[derive(Debug, Clone)]
pub enum EventData {
    /// A conversation began, was reopened, or moved.
    Conversation {
        /// State after the event.
        conversation: Conversation,
        /// Reason of a move; `None` for a conversation that began or was reopened.
        reason: Option<Cow<'static, str>>,
        /// Whether a closed conversation was reopened; `None` for a move.
        reopened: Option<bool>,
        customer: Customer,
    },
    /// A message of a conversation.
    Message { message: Box<Message>, customer: Customer },
    /// New status of a sent message.
    Status {
        /// `None` for a send that no conversation records, such as a one-time code.
        conversation: Option<ConversationId>,
        message: MessageId,
        status: DeliveryStatus,
        network_id: NetworkMessageId,
        /// The caller's own id of the send.
        reference: Option<String>,
        template: Option<TemplateRef>,
        error: Option<NetworkError>,
        /// Time by the network's clock.
        occurred_at: OffsetDateTime,
        /// Recipient; `None` for a send that no conversation records.
        customer: Option<Customer>,
    },
    /// A captured lead.
    Lead {
        conversation: ConversationId,
        /// Who they are and what they need.
        lead: CapturedLead,
        customer: Customer,
    },
    /// A placed or cancelled order.
    Order {
        /// Conversation in which the customer confirmed the order or its cancellation.
        conversation: ConversationId,
        order: Box<PlacedOrder>,
        customer: Customer,
    },
    /// An appointment was made or asked for.
    Booking { conversation: ConversationId, booking: Booking, customer: Customer },
    /// Payload of a test ping.
    Ping { message: String },
}

/// Somebody to follow up with. `Debug` shows nothing of them.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct CapturedLead {
    pub name: Option<String>,
    /// Number known from the network.
    pub phone: Option<PhoneNumber>,
    pub need: String,
}

impl fmt::Debug for CapturedLead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CapturedLead(…)")
    }
}

impl Event {
    /// Creates `conversation.created`; `reopened` if the customer wrote into a closed conversation.
    pub const fn conversation_created(
        conversation: Conversation,
        reopened: bool,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let reopened = Some(reopened);
        Self {
            kind: EventType::ConversationCreated,
            created_at: now,
            data: EventData::Conversation { conversation, reason: None, reopened, customer },
        }
    }

    /// Creates the event of a conversation that was assigned, closed, returned or sent to a group.
    pub const fn conversation_moved(
        kind: EventType,
        conversation: Conversation,
        reason: Cow<'static, str>,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let reason = Some(reason);
        Self {
            kind,
            created_at: now,
            data: EventData::Conversation { conversation, reason, reopened: None, customer },
        }
    }

    /// Creates `message.received`.
    pub fn message_received(message: Message, customer: Customer) -> Self {
        Self {
            kind: EventType::MessageReceived,
            created_at: message.created_at,
            data: EventData::Message { message: Box::new(message), customer },
        }
    }

    /// Creates `message.sent` for a message of a conversation.
    pub fn message_sent(message: Message, customer: Customer) -> Self {
        Self {
            kind: EventType::MessageSent,
            created_at: message.created_at,
            data: EventData::Message { message: Box::new(message), customer },
        }
    }

    /// Creates `lead.captured`.
    pub const fn lead_captured(
        conversation: ConversationId,
        lead: CapturedLead,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Lead { conversation, lead, customer };
        Self { kind: EventType::LeadCaptured, created_at: now, data }
    }

    /// Creates `order.placed`.
    pub fn order_placed(
        conversation: ConversationId,
        order: PlacedOrder,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Order { conversation, order: Box::new(order), customer };
        Self { kind: EventType::OrderPlaced, created_at: now, data }
    }

    /// Creates `order.cancelled`.
    pub fn order_cancelled(
        conversation: ConversationId,
        order: PlacedOrder,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        Self { kind: EventType::OrderCancelled, ..Self::order_placed(conversation, order, customer, now) }
    }

    /// Creates `booking.requested` for an appointment made in the workspace's own system.
    pub const fn booked(
        conversation: ConversationId,
        booked: BookedAppointment,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Booking { conversation, booking: Booking::Booked(booked), customer };
        Self { kind: EventType::BookingRequested, created_at: now, data }
    }

    /// Creates `booking.requested` for an appointment that somebody would like.
    pub const fn booking_wished(
        conversation: ConversationId,
        wish: BookingWish,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Booking { conversation, booking: Booking::Wished(wish), customer };
        Self { kind: EventType::BookingRequested, created_at: now, data }
    }

    /// Returns the message that the event is about, if any.
    pub const fn message(&self) -> Option<MessageId> {
        match &self.data {
            EventData::Message { message, .. } => Some(message.id),
            EventData::Status { message, .. } => Some(*message),
            EventData::Conversation { .. }
            | EventData::Lead { .. }
            | EventData::Order { .. }
            | EventData::Booking { .. }
            | EventData::Ping { .. } => None,
        }
    }

    /// Returns the contact that the event is about, if any.
    pub fn contact(&self) -> Option<ContactId> {
        match &self.data {
            EventData::Conversation { customer, .. }
            | EventData::Message { customer, .. }
            | EventData::Lead { customer, .. }
            | EventData::Order { customer, .. }
            | EventData::Booking { customer, .. } => Some(customer.id),
            EventData::Status { customer, .. } => customer.as_ref().map(|customer| customer.id),
            EventData::Ping { .. } => None,
        }
    }

    /// Serializes the body of delivery `id`. The body is final: every attempt sends these bytes.
    pub fn body(&self, id: DeliveryId, workspace: WorkspaceId) -> Vec<u8> {
        let envelope = Envelope {
            id,
            kind: self.kind.as_str(),
            created_at: self.created_at,
            team: Team { id: workspace },
            data: DataBody::of(self.data.clone()),
        };
        // Cannot fail: every key is a string, and every value a plain one.
        serde_json::to_vec(&envelope).unwrap_or_default()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    id: DeliveryId,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(with = "crate::clock::timestamp")]
    created_at: OffsetDateTime,
    team: Team,
    data: DataBody,
}

#[derive(Serialize)]
struct Team {
    id: WorkspaceId,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum DataBody {
    Conversation {
        conversation: Box<EventConversationBody>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Cow<'static, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reopened: Option<bool>,
        customer: Customer,
    },
    Message {
        conversation_id: ConversationId,
        message: Box<EventMessageBody>,
        customer: Customer,
    },
    Status {
        conversation_id: Option<ConversationId>,
        message_id: MessageId,
        status: &'static str,
        provider_message_id: String,
        reference: Option<String>,
        template: Option<TemplateRef>,
        error: Option<NetworkError>,
        #[serde(with = "crate::clock::timestamp")]
        occurred_at: OffsetDateTime,
        customer: Option<Customer>,
    },
    Lead {
        conversation_id: ConversationId,
        lead: CapturedLead,
        customer: Customer,
    },
    Order {
        conversation_id: ConversationId,
        order: Box<PlacedOrder>,
        customer: Customer,
    },
    Booking {
        conversation_id: ConversationId,
        booking: Booking,
        customer: Customer,
    },
    Ping {
        message: String,
    },
}

impl DataBody {
    fn of(data: EventData) -> Self {
        match data {
            EventData::Conversation { conversation, reason, reopened, customer } => {
                Self::Conversation { conversation: Box::new(conversation.into()), reason, reopened, customer }
            }
            EventData::Message { message, customer } => Self::Message {
                conversation_id: message.conversation,
                message: Box::new(EventMessageBody::from(*message)),
                customer,
            },
            EventData::Status {
                conversation,
                message,
                status,
                network_id,
                reference,
                template,
                error,
                occurred_at,
                customer,
            } => Self::Status {
                conversation_id: conversation,
                message_id: message,
                status: status.as_str(),
                provider_message_id: network_id.reveal().to_owned(),
                reference,
                template,
                error,
                occurred_at,
                customer,
            },
            EventData::Lead { conversation, lead, customer } => {
                Self::Lead { conversation_id: conversation, lead, customer }
            }
            EventData::Order { conversation, order, customer } => {
                Self::Order { conversation_id: conversation, order, customer }
            }
            EventData::Booking { conversation, booking, customer } => {
                Self::Booking { conversation_id: conversation, booking, customer }
            }
            EventData::Ping { message } => Self::Ping { message },
        }
    }
}
