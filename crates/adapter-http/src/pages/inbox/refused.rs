//! Refused actions in a conversation.

use dashboard_pages::Outcome;
use domain::ids::MemberId;

/// A refused action in a conversation, with its input to show again.
#[derive(Default)]
pub(super) struct Refused {
    pub(super) because: Option<&'static str>,
    /// Outcome of the message, if one was to be sent.
    pub(super) outcome: Option<Outcome>,
    /// Text and idempotency key.
    pub(super) draft: Option<(String, String)>,
    pub(super) note: Option<String>,
    pub(super) mentions: Vec<MemberId>,
    pub(super) tag: Option<String>,
    /// New name of the contact.
    pub(super) name: Option<String>,
    /// Shortcut of the canned reply to insert; set without a refusal.
    pub(super) insert: Option<String>,
}
