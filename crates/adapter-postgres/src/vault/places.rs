//! Where each sealed value is kept: what it is bound to.
//!
//! A value opens at the place it was sealed for and nowhere else, so that a row that somebody copies to another
//! workspace, column or row does not open there. What copies a value opens it and seals it anew; only an update that is
//! set aside stays sealed as the journal sealed it, since some of them cannot be opened.

use domain::{
    ids::{
        AccountId, ConversationId, DeliveryId, DraftId, JournalId, LeadId, MemberId, MessageId, ModelKeyId,
        SystemCallId, SystemId, WebhookAddressId, WorkspaceId,
    },
    vault::SealContext,
};

/// An account's token.
pub(crate) fn token(workspace: WorkspaceId, account: AccountId) -> SealContext {
    SealContext::new("accounts.token_sealed", workspace, account, format!("account-token:{account}"))
}

/// A member's second factor.
pub(crate) fn totp(workspace: WorkspaceId, member: MemberId) -> SealContext {
    SealContext::new("members.totp_sealed", workspace, member, format!("totp:{member}"))
}

/// The secret that signs what an address gets.
pub(crate) fn secret(workspace: WorkspaceId, address: WebhookAddressId) -> SealContext {
    SealContext::new(
        "webhook_addresses.secret_sealed",
        workspace,
        address,
        format!("webhook-secret:{address}"),
    )
}

/// The secret that it had before, which signs beside the other for a while.
pub(crate) fn previous_secret(workspace: WorkspaceId, address: WebhookAddressId) -> SealContext {
    let column = "webhook_addresses.previous_secret_sealed";
    SealContext::new(column, workspace, address, format!("webhook-secret:{address}"))
}

/// What a workspace's own system knows us by.
pub(crate) fn system_secret(workspace: WorkspaceId, system: SystemId) -> SealContext {
    SealContext::new("systems.secret_sealed", workspace, system, format!("system-secret:{system}"))
}

/// A workspace's own key to the language model.
pub(crate) fn model_key(workspace: WorkspaceId, key: ModelKeyId) -> SealContext {
    SealContext::new("model_keys.key_sealed", workspace, key, format!("model-key:{key}"))
}

/// What a system said when it refused.
pub(crate) fn call_message(workspace: WorkspaceId, call: SystemCallId) -> SealContext {
    SealContext::new("system_calls.message_sealed", workspace, call, format!("system-call:{call}"))
}

/// What a system is told of a lead.
pub(crate) fn lead_push(workspace: WorkspaceId, lead: LeadId) -> SealContext {
    SealContext::new("leads.push_sealed", workspace, lead, format!("lead-push:{lead}"))
}

/// What a system would be sent once a customer has confirmed it.
pub(crate) fn draft_proposal(workspace: WorkspaceId, draft: DraftId) -> SealContext {
    SealContext::new("drafts.proposal_sealed", workspace, draft, format!("draft:{draft}"))
}

/// What a prepared reply says.
pub(crate) fn prepared_reply(workspace: WorkspaceId, message: MessageId) -> SealContext {
    SealContext::new("prepared_replies.reply_sealed", workspace, message, format!("prepared-reply:{message}"))
}

/// What a network is asked for, to have one of a message's files.
pub(crate) fn file_source(workspace: WorkspaceId, message: MessageId, position: i32) -> SealContext {
    let row = format!("{message}/{position}");
    SealContext::new(
        "attachments.source_sealed",
        workspace,
        row,
        format!("attachment-source:{message}:{position}"),
    )
}

/// The network's id of what was sent.
pub(crate) fn network_id(workspace: WorkspaceId, send: MessageId) -> SealContext {
    SealContext::new("sends.network_id_sealed", workspace, send, format!("network-message-id:{send}"))
}

/// The network's id of the newest message that it was not told is read.
pub(crate) fn unread_message(workspace: WorkspaceId, conversation: ConversationId) -> SealContext {
    let formerly = format!("unread-message:{conversation}");
    SealContext::new("unread_messages.network_id_sealed", workspace, conversation, formerly)
}

/// A delivery's body.
pub(crate) fn delivery_body(workspace: WorkspaceId, delivery: DeliveryId) -> SealContext {
    SealContext::new("delivery_log.body_sealed", workspace, delivery, format!("delivery:{delivery}"))
}

/// What a receiver answered to an attempt.
pub(crate) fn answer(workspace: WorkspaceId, delivery: DeliveryId, attempt: i32) -> SealContext {
    let row = format!("{delivery}/{attempt}");
    SealContext::new("delivery_attempts.answer_sealed", workspace, row, format!("delivery-answer:{delivery}"))
}

/// An update in the journal, and set aside from there.
pub(crate) fn journal_item(workspace: WorkspaceId, update: JournalId) -> SealContext {
    SealContext::new("journal.item_sealed", workspace, update, format!("journal:{update}"))
}

/// A post that nobody could read, which is of no workspace.
pub(crate) fn quarantined_post(row: i64) -> SealContext {
    SealContext::of_no_workspace("quarantine.payload_sealed", row, "quarantine")
}
