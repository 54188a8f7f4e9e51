//! Sending: from a request to the network and into the ledger, once.
//!
//! `request` is what a caller asked; `choose` and `plan` refuse or plan it, purely; `ledger` has what is kept of
//! a send; `idempotency` says what a repeated key means; `record` writes down what the network accepted;
//! `send_template` is the way from one end to the other.

mod choose;
mod fill;
mod idempotency;
mod ledger;
mod message;
mod plan;
pub mod ports;
mod record;
mod refusal;
mod request;
mod send_template;

pub use choose::{Catalogue, Choice};
pub use idempotency::{IdempotencyKey, KeyClaim, KeyHolder, KeyVerdict, MAX_KEY_CHARS};
pub use ledger::{Intent, LedgerEntry, Notice, SendResult, SendState};
pub use message::{BodyValue, ButtonValue, HeaderValue, TemplateMessage};
pub use plan::{PlannedSend, plan};
pub use record::{AcceptedSend, NoticeRecord, Recorder, ThreadParts};
pub use refusal::{PlanLimitReason, Refusal};
pub use request::{HeaderRequest, TemplateRequest, Variables};
pub use send_template::{SendError, SendTemplate, Sent};
