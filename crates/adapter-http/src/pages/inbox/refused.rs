//! Refused actions in a conversation.

use dashboard_pages::Refused;
use domain::ids::MemberId;

/// A refused action in a conversation, with its input to show again.
#[derive(Default)]
pub(super) struct RefusedAct {
    pub(super) refused: Option<Refused>,
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
