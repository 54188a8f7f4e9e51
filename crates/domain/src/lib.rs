//! The core: types, rules, use cases and ports. No I/O, no async runtime, no framework.
//!
//! Each folder is a noun: its types and pure rules, `ports.rs` with what the use cases need from outside, and
//! the use cases. A rule is a function over plain values; a use case loads, decides, commits. Folders stand
//! on floors, and import only from those below: `floors.txt` has the order.
//!
//! Deliberately absent: SQL, HTTP, timers, randomness, environment. Time, ids and randomness are ports
//! ([`clock`], [`ids`], [`vault`]).

pub mod access;
pub mod appointments;
pub mod assistant;
pub mod attachments;
pub mod audit;
pub mod automations;
pub mod broadcasts;
pub mod canned_replies;
pub mod catalogue;
pub mod channels;
pub mod clock;
pub mod consent;
pub mod contacts;
pub mod conversation;
pub mod conversations;
pub mod currency;
pub mod customer_records;
pub mod deps;
pub mod email;
pub mod errors;
pub mod events;
pub mod external_id;
pub mod fence;
pub mod fulfilment;
pub mod groups;
mod hex;
pub mod ids;
pub mod inbound;
pub mod knowledge;
pub mod language;
pub mod lease;
pub mod link;
pub mod live;
pub mod messages;
pub mod money;
pub mod notes;
pub mod orders;
pub mod paging;
pub mod pause_reason;
pub mod phone;
pub mod presence;
pub mod removal;
pub mod sending;
pub mod signals;
pub mod since;
pub mod systems;
pub mod tag;
pub mod templates;
pub mod text;
pub mod vault;
pub mod webhooks;
pub mod workspaces;
pub mod zone;

#[cfg(any(test, feature = "mocks"))]
pub mod testing;
