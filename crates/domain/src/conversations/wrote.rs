//! Effect of a customer's message on their conversation.

use time::OffsetDateTime;

use super::change::Change;
use crate::{
    conversation::{Conversation, ConversationStatus},
    events::{Customer, Event},
};

/// Returns the conversation after its customer wrote at `now`, by our clock. A conversation that has not been
/// announced (one that was just made, see [`Conversation::new`], or that a template send made) is announced;
/// a closed one comes back to the assistant and is announced as reopened; of any other, only the time of its
/// last message moves.
pub fn customer_wrote(conversation: &Conversation, customer: &Customer, now: OffsetDateTime) -> Change {
    let mut next = conversation.clone();
    next.last_message_at = conversation.last_message_at.max(now);
    let closed = conversation.status == ConversationStatus::Closed;
    let mut events = Vec::new();
    if closed || !conversation.announced {
        if closed {
            next.status = ConversationStatus::Bot;
        }
        next.announced = true;
        next.version += 1;
        events.push(Event::conversation_created(next.clone(), conversation.announced, customer.clone(), now));
    }
    Change {
        before_version: conversation.version,
        before_last_message_at: conversation.last_message_at,
        step: None,
        returns_unanswered: false,
        at: now,
        conversation: next,
        system_messages: Vec::new(),
        events,
        says: None,
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::customer_wrote;
    use crate::{
        conversation::{Conversation, ConversationStatus},
        events::{Customer, EventData, EventType},
        testing::{a_contact, a_conversation, a_moment},
    };

    /// Returns the conversation's status afterwards and, if it is announced, whether as reopened.
    fn after(status: ConversationStatus, announced: bool) -> (ConversationStatus, Option<bool>) {
        let conversation = Conversation { status, announced, ..a_conversation() };
        let change = customer_wrote(&conversation, &Customer::of(&a_contact()), a_moment());
        let moved = i64::from(!change.events.is_empty());
        assert_eq!(change.conversation.version, conversation.version + moved);
        assert_eq!(change.conversation.last_message_at, a_moment());
        assert!(change.conversation.announced && change.system_messages.is_empty());
        let told = change.events.first().map(|event| {
            assert_eq!(event.kind, EventType::ConversationCreated);
            let EventData::Conversation { conversation, reopened, reason, .. } = &event.data else {
                panic!("an event of another kind")
            };
            assert_eq!((conversation, reason), (&change.conversation, &None));
            reopened.unwrap()
        });
        (change.conversation.status, told)
    }

    #[test]
    fn the_first_message_announces_a_conversation_and_one_into_a_closed_conversation_reopens_it() {
        use ConversationStatus::{Bot, Closed, Open};
        for (status, announced, expected) in [
            (Bot, false, (Bot, Some(false))),
            (Open, false, (Open, Some(false))),
            (Closed, false, (Bot, Some(false))),
            (Closed, true, (Bot, Some(true))),
            (Bot, true, (Bot, None)),
            (Open, true, (Open, None)),
        ] {
            assert_eq!(after(status, announced), expected, "{status:?}, announced: {announced}");
        }
    }

    #[test]
    fn a_clock_behind_the_last_message_does_not_move_it_back() {
        let conversation = a_conversation();
        let earlier = conversation.last_message_at - Duration::hours(1);
        let change = customer_wrote(&conversation, &Customer::of(&a_contact()), earlier);
        assert_eq!(change.conversation.last_message_at, conversation.last_message_at);
    }
}
