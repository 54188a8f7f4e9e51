//! Events: what happened in a workspace, and how addresses are told.

mod conversation_body;
mod event;
mod event_type;
mod system;

pub use conversation_body::EventConversationBody;
pub use event::{CapturedLead, Customer, Event, EventData};
pub use event_type::{EventType, UnknownEvent};
pub use system::{BookedAppointment, Booking, BookingWish, PlacedOrder};
