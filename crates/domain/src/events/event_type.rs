//! Names of events, none of which is ever renamed (docs/use/rest-api.md, "Names of events").

use std::{fmt, str::FromStr};

use serde::Serialize;

macro_rules! event_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Kind of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        pub enum EventType {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
            /// A test, sent whatever the address subscribes to.
            #[serde(rename = "ping")]
            Ping,
        }

        impl EventType {
            /// Events that an address can subscribe to: all but [`Self::Ping`].
            pub const SUBSCRIBABLE: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Ping => "ping",
                }
            }

            /// Parses a name, `ping` included.
            pub fn read(name: &str) -> Option<Self> {
                Self::SUBSCRIBABLE.iter().copied().chain([Self::Ping]).find(|event| event.as_str() == name)
            }
        }
    };
}

event_types! {
    /// A customer wrote for the first time, or into a closed conversation.
    ConversationCreated = "conversation.created",
    /// A member took the conversation or was given it; or, with `assignedTo` null, it waits for a member:
    /// the assistant handed it over, or its assignee has left the team.
    ConversationAssigned = "conversation.assigned",
    ConversationClosed = "conversation.closed",
    ConversationReturned = "conversation.returned",
    ConversationSentToGroup = "conversation.sent_to_group",
    MessageReceived = "message.received",
    /// A message of the assistant or the team was sent.
    MessageSent = "message.sent",
    /// A sent message is on the customer's phone.
    MessageDelivered = "message.delivered",
    /// The customer opened a sent message.
    MessageRead = "message.read",
    /// A sent message could not be delivered.
    MessageFailed = "message.failed",
    /// The team or the assistant recorded somebody to follow up with.
    LeadCaptured = "lead.captured",
    /// A booking was made in the workspace's system, or, without one, an appointment was asked for.
    BookingRequested = "booking.requested",
    OrderPlaced = "order.placed",
    OrderCancelled = "order.cancelled",
}

/// Error for a name that is no event to subscribe to.
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
