//! An event and its body on the wire (docs/webhooks.md, "What arrives").

use std::{borrow::Cow, fmt};

use serde::Serialize;
use time::OffsetDateTime;

use super::{BookedAppointment, Booking, BookingWish, EventType, PlacedOrder};
use crate::{
    contacts::Contact,
    conversations::{Conversation, EventConversationBody},
    ids::{ContactId, ConversationId, DeliveryId, MessageId, WorkspaceId},
    inbound::{SentMessage, StatusUpdate},
    messages::{DeliveryStatus, EventMessageBody, Message, NetworkError, NetworkMessageId, TemplateRef},
    phone::PhoneNumber,
};

/// Something happened in a workspace.
#[derive(Debug, Clone)]
pub struct Event {
    pub kind: EventType,
    pub created_at: OffsetDateTime,
    pub data: EventData,
}

/// An event is about this person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Customer {
    pub id: ContactId,
    pub name: Option<String>,
    pub phone: Option<PhoneNumber>,
}

impl Customer {
    /// Makes the contact as events show it.
    pub fn of(contact: &Contact) -> Self {
        let Contact { id, name, phone, source: _, created_at: _ } = contact;
        Self { id: *id, name: name.clone(), phone: phone.clone() }
    }
}

/// An event says this, by its kind.
#[derive(Debug, Clone)]
pub enum EventData {
    /// A conversation began, came back, or moved.
    Conversation {
        /// It is the conversation as it is now.
        conversation: Conversation,
        /// It says why the conversation moved; `None` for one that began or came back.
        reason: Option<Cow<'static, str>>,
        /// It says whether a closed conversation came back; `None` for a move.
        reopened: Option<bool>,
        customer: Customer,
    },
    /// It is about a message of a conversation.
    Message { message: Box<Message>, customer: Customer },
    /// It is about what became of a sent message.
    Status {
        /// It is `None` for what is kept nowhere.
        conversation: Option<ConversationId>,
        message: MessageId,
        status: DeliveryStatus,
        network_id: NetworkMessageId,
        /// It is the caller's own id.
        reference: Option<String>,
        /// The message was made from this template.
        template: Option<TemplateRef>,
        error: Option<NetworkError>,
        /// It is the time by the network's clock.
        occurred_at: OffsetDateTime,
        /// The message went to them; `None` for what is kept nowhere.
        customer: Option<Customer>,
    },
    /// Somebody to follow up with was written down.
    Lead {
        conversation: ConversationId,
        /// It says who they are, and what they need.
        lead: CapturedLead,
        customer: Customer,
    },
    /// An order was placed or cancelled.
    Order {
        /// It was confirmed in this conversation.
        conversation: ConversationId,
        order: Box<PlacedOrder>,
        customer: Customer,
    },
    /// An appointment was made, or is wished for.
    Booking { conversation: ConversationId, booking: Booking, customer: Customer },
    /// It is a sentence, for the test button.
    Ping { message: String },
}

/// Somebody is to be followed up with. It prints nothing of them.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct CapturedLead {
    pub name: Option<String>,
    /// It is the number that the network has told of them.
    pub phone: Option<PhoneNumber>,
    pub need: String,
}

impl fmt::Debug for CapturedLead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CapturedLead(…)")
    }
}

impl Event {
    /// Tells that the customer wrote for the first time, or into a closed conversation.
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

    /// Tells that a conversation was assigned, closed, returned or sent to a group, for the reason.
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

    /// Tells that a customer wrote.
    pub fn message_received(message: Message, customer: Customer) -> Self {
        Self {
            kind: EventType::MessageReceived,
            created_at: message.created_at,
            data: EventData::Message { message: Box::new(message), customer },
        }
    }

    /// Tells that a message left.
    pub fn message_sent(message: Message, customer: Customer) -> Self {
        Self {
            kind: EventType::MessageSent,
            created_at: message.created_at,
            data: EventData::Message { message: Box::new(message), customer },
        }
    }

    /// Tells that a sent message moved forward. `now` is when we heard of it, which keeps events in order;
    /// the network's own time, in whole seconds, is in the event.
    pub fn message_status(
        sent: &SentMessage,
        update: &StatusUpdate,
        network_id: &NetworkMessageId,
        now: OffsetDateTime,
    ) -> Self {
        let failed = update.status == DeliveryStatus::Failed;
        Self {
            kind: match update.status {
                DeliveryStatus::Sent => EventType::MessageSent,
                DeliveryStatus::Delivered => EventType::MessageDelivered,
                DeliveryStatus::Read => EventType::MessageRead,
                DeliveryStatus::Failed => EventType::MessageFailed,
            },
            created_at: now,
            data: EventData::Status {
                conversation: sent.conversation(),
                message: sent.entry.intent.id,
                status: update.status,
                network_id: network_id.clone(),
                reference: sent.entry.intent.reference.clone(),
                template: sent.entry.intent.template.clone(),
                error: failed.then(|| update.error.clone().unwrap_or_else(|| NetworkError::unsaid(None))),
                occurred_at: update.at,
                customer: sent.customer.clone(),
            },
        }
    }

    /// Tells that somebody to follow up with was written down in a conversation.
    pub const fn lead_captured(
        conversation: ConversationId,
        lead: CapturedLead,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Lead { conversation, lead, customer };
        Self { kind: EventType::LeadCaptured, created_at: now, data }
    }

    /// Tells that an order was placed.
    pub fn order_placed(
        conversation: ConversationId,
        order: PlacedOrder,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Order { conversation, order: Box::new(order), customer };
        Self { kind: EventType::OrderPlaced, created_at: now, data }
    }

    /// Tells that an order was cancelled.
    pub fn order_cancelled(
        conversation: ConversationId,
        order: PlacedOrder,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        Self { kind: EventType::OrderCancelled, ..Self::order_placed(conversation, order, customer, now) }
    }

    /// Tells that an appointment was made in the workspace's own system.
    pub const fn booked(
        conversation: ConversationId,
        booked: BookedAppointment,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Booking { conversation, booking: Booking::Booked(booked), customer };
        Self { kind: EventType::BookingRequested, created_at: now, data }
    }

    /// Tells that somebody would like an appointment.
    pub const fn booking_wished(
        conversation: ConversationId,
        wish: BookingWish,
        customer: Customer,
        now: OffsetDateTime,
    ) -> Self {
        let data = EventData::Booking { conversation, booking: Booking::Wished(wish), customer };
        Self { kind: EventType::BookingRequested, created_at: now, data }
    }

    /// Returns the message that it is about, where it is about one.
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

    /// Returns the contact that it is about, where it is about one.
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

    /// Writes the body of this event's delivery `id`, which is final: every attempt sends these bytes.
    pub fn body(&self, id: DeliveryId, workspace: WorkspaceId) -> Vec<u8> {
        let envelope = Envelope {
            id,
            kind: self.kind.as_str(),
            created_at: self.created_at,
            team: Team { id: workspace },
            data: DataBody::of(self.data.clone()),
        };
        // Every key is a string and every value a plain one, so that writing it cannot fail.
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
