//! An event of each kind.

use super::{a_contact, a_conversation, a_message, a_moment, a_network_message_id, a_sent_message, a_status};
use crate::{
    events::{BookedAppointment, CapturedLead, Customer, Event, EventData, EventType, PlacedOrder},
    external_id::ExternalId,
    messages::{DeliveryStatus, Message, Role},
    money::Money,
    orders::{Order, OrderLine, OrderStatus},
    systems::{Appointment, Span},
    text::PlainText,
};

/// Makes an event of this kind as the service writes it; `None` only if a sample value is invalid.
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
        EventType::BookingRequested => Event::booked(
            a_conversation().id,
            BookedAppointment::of(&an_appointment()?),
            customer,
            a_moment(),
        ),
        EventType::OrderPlaced => Event::order_placed(a_conversation().id, an_order()?, customer, a_moment()),
        EventType::OrderCancelled => {
            Event::order_cancelled(a_conversation().id, an_order()?, customer, a_moment())
        }
    };
    Some(event)
}

fn an_order() -> Option<PlacedOrder> {
    let line =
        OrderLine {
            title: PlainText::read("حليب", 200)?, quantity: 2, price: Money::of_number("15000")?
        };
    let order = Order {
        id: ExternalId::of_number("1001")?,
        number: ExternalId::of_text("A-1001")?,
        status: OrderStatus::Pending,
        stage: OrderStatus::Pending.into(),
        total: Money::of_number("30000")?,
        currency: None,
        placed_at: Some(a_moment()),
        tracking: None,
        lines: vec![line],
    };
    Some(PlacedOrder::of(&order, "IQD".parse().ok()?))
}

fn an_appointment() -> Option<Appointment> {
    Some(Appointment {
        id: ExternalId::of_text("ap-1")?,
        span: Span::new(a_moment(), a_moment() + time::Duration::HOUR)?,
        service: PlainText::read("حلاقة", 200)?,
        status: PlainText::read("confirmed", 200)?,
    })
}
