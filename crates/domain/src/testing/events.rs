//! An event of each kind.

use super::{a_contact, a_conversation, a_message, a_moment, a_network_message_id, a_sent_message, a_status};
use crate::{
    messages::{DeliveryStatus, Message, Role},
    webhooks::{CapturedLead, Customer, Event, EventData, EventType},
};

/// One as the service writes it; `None` of a kind that nothing emits yet.
pub fn an_event(kind: EventType) -> Option<Event> {
    let customer = Customer::of(&a_contact());
    let status = |status| {
        Event::message_status(&a_sent_message(), &a_status(status), &a_network_message_id(), a_moment())
    };
    let event = match kind {
        EventType::ConversationCreated => {
            Event::conversation_created(a_conversation(), false, customer, a_moment())
        }
        EventType::ConversationAssigned
        | EventType::ConversationClosed
        | EventType::ConversationReturned
        | EventType::ConversationSentToGroup => {
            Event::conversation_moved(kind, a_conversation(), "manual".into(), customer, a_moment())
        }
        EventType::MessageReceived => {
            let message = Message { role: Role::Customer, meta: None, ..a_message() };
            Event::message_received(message, customer)
        }
        EventType::MessageSent => Event::message_sent(a_message(), customer),
        EventType::MessageDelivered => status(DeliveryStatus::Delivered),
        EventType::MessageRead => status(DeliveryStatus::Read),
        EventType::MessageFailed => status(DeliveryStatus::Failed),
        EventType::Ping => {
            let data = EventData::Ping { message: "hello".to_owned() };
            Event { kind, created_at: a_moment(), data }
        }
        EventType::LeadCaptured => {
            let lead = CapturedLead {
                name: customer.name.clone(),
                phone: customer.phone.clone(),
                need: "ثلاجة ١٦ قدم".to_owned(),
            };
            Event::lead_captured(a_conversation().id, lead, customer, a_moment())
        }
        EventType::BookingRequested | EventType::OrderPlaced | EventType::OrderCancelled => return None,
    };
    Some(event)
}
