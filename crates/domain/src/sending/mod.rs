//! Sending: from a request to the network and into the ledger, once.
//!
//! `request` holds what a caller asks for; `choose` and `plan` plan it or refuse it, purely; `ledger` holds
//! the records of a send; `idempotency` decides what a repeated key means; `once` asks the network, `record`
//! stores what it accepted, and `unfinished` retries where storing failed. The use cases are `send_template`,
//! `send_in_conversation`, `send_to_contact` and `send_reply`.

mod accepted;
mod choose;
mod fill;
mod forget_keys;
mod idempotency;
mod ledger;
mod message;
mod once;
mod ordinary;
mod plan;
mod plan_use;
pub mod ports;
mod record;
mod refusal;
mod reply_context;
mod request;
mod send_in_conversation;
mod send_reply;
mod send_template;
mod send_to_contact;
mod unfinished;

pub use accepted::{AcceptedSend, ConversationEffect, ConversationParts};
pub use choose::{Catalogue, Choice};
pub use forget_keys::ForgetKeys;
pub use idempotency::{IdempotencyKey, KeyClaim, KeyHolder, KeyVerdict, MAX_KEY_CHARS};
pub use ledger::{
    ConversationEntry, Intent, LedgerEntry, Reply, SendAttempt, SendResult, SendState, TemplateSend,
};
pub use message::{
    BodyValue, ButtonValue, FileMessage, HeaderValue, Location, MAX_BUTTON_ID_CHARS, MAX_BUTTON_TITLE_CHARS,
    MAX_REPLY_BUTTONS, PhotoMessage, Priority, Recipient, ReplyWindow, TemplateMessage, TextMessage,
    UploadedFile,
};
pub use once::{Outgoing, SendError, SendOnce};
pub use ordinary::{OrdinarySends, UnderWay};
pub use plan::{PlannedSend, plan};
pub use plan_use::PlanUse;
pub use record::Recorder;
pub use refusal::{PlanLimitReason, Refusal, TextLimit};
pub use reply_context::ReplyContext;
pub(crate) use request::is_one_line;
pub use request::{HeaderRequest, TemplateRequest, Variables};
pub use send_in_conversation::{ListConversationTemplates, SendInConversation, SentInConversation};
pub use send_reply::{CaptionedPhoto, OfAnswer, Replied, ReplyRequest, SendReply, fits};
pub use send_template::{SendTemplate, Sent};
pub use send_to_contact::{ListContactTemplates, SendToContact};
pub use unfinished::{Finished, KnownOutcome, Unfinished};
