//! The names of events. They never change (docs/rest-api.md, "Names of events").

use std::{fmt, str::FromStr};

macro_rules! event_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// It says what happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum EventType {
            $($(#[$doc])* $variant,)*
            /// It is the test button; it is sent whatever an address subscribes to.
            Ping,
        }

        impl EventType {
            /// An address can subscribe to all of these.
            pub const SUBSCRIBABLE: &[Self] = &[$(Self::$variant,)*];

            /// Returns its name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Ping => "ping",
                }
            }

            /// Reads its name; that of the test button as well.
            pub fn read(name: &str) -> Option<Self> {
                Self::SUBSCRIBABLE.iter().copied().chain([Self::Ping]).find(|event| event.as_str() == name)
            }
        }
    };
}

event_types! {
    /// A customer wrote for the first time, or came back to a closed conversation.
    ConversationCreated = "conversation.created",
    /// A person took the conversation or was given it; or it waits for one, with `assignedTo` null: the assistant handed it
    /// over, or who held it has left the team.
    ConversationAssigned = "conversation.assigned",
    /// The conversation was closed.
    ConversationClosed = "conversation.closed",
    /// The conversation went back to the assistant.
    ConversationReturned = "conversation.returned",
    /// The conversation was sent to a group.
    ConversationSentToGroup = "conversation.sent_to_group",
    /// The customer wrote.
    MessageReceived = "message.received",
    /// The assistant or the team wrote.
    MessageSent = "message.sent",
    /// A message of the team is on the phone.
    MessageDelivered = "message.delivered",
    /// A message of the team was opened.
    MessageRead = "message.read",
    /// A message of the team could not be delivered.
    MessageFailed = "message.failed",
    /// Somebody to follow up with was written down.
    LeadCaptured = "lead.captured",
    /// The assistant took or made a booking.
    BookingRequested = "booking.requested",
    /// The assistant placed an order.
    OrderPlaced = "order.placed",
    /// The assistant cancelled an order.
    OrderCancelled = "order.cancelled",
}

/// The text names no event to subscribe to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no event `{0}` to subscribe to")]
pub struct UnknownEvent(pub String);

impl FromStr for EventType {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::SUBSCRIBABLE.iter().find(|event| event.as_str() == text);
        found.copied().ok_or_else(|| UnknownEvent(text.to_owned()))
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::EventType;

    #[test]
    fn every_subscribable_event_reads_back_from_its_name_and_ping_is_none() {
        for event in EventType::SUBSCRIBABLE {
            assert_eq!(event.as_str().parse(), Ok(*event));
        }
        assert!("ping".parse::<EventType>().is_err());
        assert_eq!((EventType::read("ping"), EventType::read("pong")), (Some(EventType::Ping), None));
    }
}
