//! Places of sealed values, which they are bound to: a function for each kind of value.
//!
//! A value can be opened only at the place it was sealed for, so that a row copied to another workspace,
//! column or row cannot be opened there. Code that moves a value opens and reseals it; only updates in the
//! quarantine stay sealed for the journal, since some of them cannot be opened.

use domain::{
    ids::{
        AccountId, ConversationId, DeliveryId, DraftId, JournalId, LeadId, MemberId, MessageId, ModelKeyId,
        SystemCallId, SystemId, WebhookAddressId, WorkspaceId,
    },
    vault::SealContext,
};

pub(crate) fn token(workspace: WorkspaceId, account: AccountId) -> SealContext {
    SealContext::new("accounts.token_sealed", workspace, account, format!("account-token:{account}"))
}

pub(crate) fn totp(workspace: WorkspaceId, member: MemberId) -> SealContext {
    SealContext::new("members.totp_sealed", workspace, member, format!("totp:{member}"))
}

/// Returns the place of the secret that signs deliveries to an address.
pub(crate) fn secret(workspace: WorkspaceId, address: WebhookAddressId) -> SealContext {
    SealContext::new(
        "webhook_addresses.secret_sealed",
        workspace,
        address,
        format!("webhook-secret:{address}"),
    )
}

/// Returns the place of an address's previous secret, which signs beside the current one for a while.
pub(crate) fn previous_secret(workspace: WorkspaceId, address: WebhookAddressId) -> SealContext {
    let column = "webhook_addresses.previous_secret_sealed";
    SealContext::new(column, workspace, address, format!("webhook-secret:{address}"))
}

/// Returns the place of the secret that authenticates us to a workspace's own system.
pub(crate) fn system_secret(workspace: WorkspaceId, system: SystemId) -> SealContext {
    SealContext::new("systems.secret_sealed", workspace, system, format!("system-secret:{system}"))
}

pub(crate) fn model_key(workspace: WorkspaceId, key: ModelKeyId) -> SealContext {
    SealContext::new("model_keys.key_sealed", workspace, key, format!("model-key:{key}"))
}

pub(crate) fn call_message(workspace: WorkspaceId, call: SystemCallId) -> SealContext {
    SealContext::new("system_calls.message_sealed", workspace, call, format!("system-call:{call}"))
}

/// Returns the place of the data of a lead for a system.
pub(crate) fn lead_push(workspace: WorkspaceId, lead: LeadId) -> SealContext {
    SealContext::new("leads.push_sealed", workspace, lead, format!("lead-push:{lead}"))
}

/// Returns the place of the data that a system is sent once a customer confirms it.
pub(crate) fn draft_proposal(workspace: WorkspaceId, draft: DraftId) -> SealContext {
    SealContext::new("drafts.proposal_sealed", workspace, draft, format!("draft:{draft}"))
}

pub(crate) fn prepared_reply(workspace: WorkspaceId, message: MessageId) -> SealContext {
    SealContext::new("prepared_replies.reply_sealed", workspace, message, format!("prepared-reply:{message}"))
}

/// Returns the place of the source from which a network serves a message's file.
pub(crate) fn file_source(workspace: WorkspaceId, message: MessageId, position: i32) -> SealContext {
    let row = format!("{message}/{position}");
    SealContext::new(
        "attachments.source_sealed",
        workspace,
        row,
        format!("attachment-source:{message}:{position}"),
    )
}

pub(crate) fn network_id(workspace: WorkspaceId, send: MessageId) -> SealContext {
    SealContext::new("sends.network_id_sealed", workspace, send, format!("network-message-id:{send}"))
}

/// Returns the place of the network id of a conversation's newest message that is unread at the network.
pub(crate) fn unread_message(workspace: WorkspaceId, conversation: ConversationId) -> SealContext {
    let formerly = format!("unread-message:{conversation}");
    SealContext::new("unread_messages.network_id_sealed", workspace, conversation, formerly)
}

pub(crate) fn delivery_body(workspace: WorkspaceId, delivery: DeliveryId) -> SealContext {
    SealContext::new("delivery_log.body_sealed", workspace, delivery, format!("delivery:{delivery}"))
}

pub(crate) fn answer(workspace: WorkspaceId, delivery: DeliveryId, attempt: i32) -> SealContext {
    let row = format!("{delivery}/{attempt}");
    SealContext::new("delivery_attempts.answer_sealed", workspace, row, format!("delivery-answer:{delivery}"))
}

/// Returns the place of an update in the journal, which it keeps in the quarantine.
pub(crate) fn journal_item(workspace: WorkspaceId, update: JournalId) -> SealContext {
    SealContext::new("journal.item_sealed", workspace, update, format!("journal:{update}"))
}

/// Returns the place of an unreadable post, which belongs to no workspace.
pub(crate) fn quarantined_post(row: i64) -> SealContext {
    SealContext::of_no_workspace("quarantine.payload_sealed", row, "quarantine")
}
