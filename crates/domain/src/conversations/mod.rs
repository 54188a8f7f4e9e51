//! Conversations between a contact and a channel: reading them, and moving them.
//!
//! `moves` has who asks for a move and for what; `decide` has the rules, one function in one table; a
//! [`Change`] is what is committed; `wrote` is the effect of a customer's message, and `system_message` what
//! the conversation itself says of a move. `inbox` has the team's lists.

mod change;
mod change_conversation;
mod decide;
mod filter;
mod get;
pub mod inbox;
mod list;
mod merge;
mod moves;
pub mod ports;
mod receipt;
mod receipts;
mod system_message;
mod tags;
mod undo;
mod waiting;
mod wrote;

pub use change::{Change, SaidOfMove, StepOf};
pub use change_conversation::{ChangeConversation, ChangeError, Moved};
pub use decide::{DecisionContext, MoveRefusal, TeamMembership, decide};
pub use filter::ConversationFilter;
pub use get::GetConversation;
pub use list::ListConversations;
pub use merge::{ConversationMerge, MergedConversation, merge};
pub use moves::{Actor, Command, Move};
pub use ports::{MOST_TAGS, TagError};
pub use receipt::{DueReceipt, PersonId, ReadMark};
pub use receipts::{ReceiptError, ShowTyping, TellRead};
pub use tags::{MOST_LISTED_TAGS, TagConversation};
pub use undo::{UNDONE_WITHIN, undo};
pub use waiting::Waiting;
pub use wrote::customer_wrote;
