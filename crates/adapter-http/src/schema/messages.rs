//! Messages as `domain::messages::MessageBody` writes them.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use utoipa::ToSchema;

use super::values::{Id, Timestamp};

/// One message of a conversation.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Message {
    id: Id,
    conversation_id: Id,
    #[schema(inline)]
    role: Role,
    /// The person of the team who wrote it, where it was one.
    #[schema(required = true)]
    sender_id: Option<String>,
    /// Its text. A location or a shared contact card is rendered into it.
    content: String,
    attachments: Vec<Attachment>,
    /// A voice note as words.
    #[schema(required = true)]
    transcription: Option<String>,
    created_at: Timestamp,
    /// When the customer wrote it, by the network's clock: what a network posts late has an earlier time than
    /// `createdAt`. Only on customers' messages.
    #[schema(nullable = false)]
    sent_at: Option<Timestamp>,
    /// Only on a message that a template send made.
    #[schema(nullable = false)]
    meta: Option<MessageMeta>,
    /// Only on a message that refers to something, that lacks a file, or that something was done to since.
    #[schema(nullable = false)]
    context: Option<MessageContext>,
    /// What became of it; absent where this service did not send it: what customers wrote, what the team
    /// wrote in the network's own app, and the conversation's own notices.
    #[schema(nullable = false)]
    delivery: Option<MessageDelivery>,
}

/// What became of a message that was sent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct MessageDelivery {
    #[schema(inline)]
    status: DeliveryStage,
    /// Only on what failed.
    #[schema(required = true)]
    error: Option<DeliveryError>,
    /// Since when.
    at: Timestamp,
}

/// `in_flight` while the network is being asked, a minute at most; `unknown` where it was asked and nobody
/// knows whether it took the message; `sent` once it did. `delivered` and `read` are told by WhatsApp and
/// Messenger, `read` alone by Instagram; `failed` says that it could not be delivered, which `delivered` or
/// `read` may correct where a customer has several devices.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
enum DeliveryStage {
    InFlight,
    Unknown,
    Sent,
    Delivered,
    Read,
    Failed,
}

/// What the network says against a message.
#[derive(ToSchema)]
#[schema(as = MessageDeliveryError)]
struct DeliveryError {
    /// The network's own code.
    #[schema(required = true)]
    code: Option<i64>,
    /// Its words. Of one-time codes and of what send-only numbers send they are not kept.
    #[schema(required = true)]
    message: Option<String>,
}

/// A message as an event carries it: its conversation stands beside it.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct EventMessage {
    id: Id,
    #[schema(inline)]
    role: Role,
    /// Its text.
    content: String,
    attachments: Vec<Attachment>,
    /// A voice note as words.
    #[schema(required = true)]
    transcription: Option<String>,
    created_at: Timestamp,
    /// When the customer wrote it, by the network's clock: what a network posts late has an earlier time than
    /// `createdAt`. Only on customers' messages.
    #[schema(nullable = false)]
    sent_at: Option<Timestamp>,
    /// Only on a message that a template send made.
    #[schema(nullable = false)]
    meta: Option<MessageMeta>,
    /// Only on a message that refers to something, or that lacks a file.
    #[schema(nullable = false)]
    context: Option<EventMessageContext>,
}

/// `system` messages are the conversation's own notices, such as assigned or closed.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum Role {
    Customer,
    Assistant,
    Team,
    System,
}

/// A file that came with a message.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Attachment {
    #[schema(inline)]
    kind: AttachmentKind,
    /// A signed link that is good for 24 hours: fetch the file on receipt, do not store the link.
    #[schema(format = "uri")]
    url: String,
    /// The MIME type.
    content_type: String,
    /// The size.
    #[schema(minimum = 0)]
    bytes: u64,
    #[schema(required = true)]
    title: Option<String>,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum AttachmentKind {
    Image,
    Video,
    Audio,
    Document,
    Sticker,
    File,
}

/// What a template send left on its message.
#[derive(ToSchema)]
pub(crate) struct MessageMeta {
    template: TemplateRef,
    /// The caller's own id for the send.
    #[schema(required = true)]
    reference: Option<String>,
    #[schema(inline)]
    via: Via,
}

/// What a message refers to. Every part is absent where there is nothing to tell.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct EventMessageContext {
    /// The message of this conversation that it answers.
    #[schema(nullable = false)]
    reply_to: Option<Id>,
    /// Set when it answers a message that is not known here.
    #[schema(nullable = false)]
    reply_to_unknown: Option<bool>,
    /// Set when the customer passed it on from elsewhere.
    #[schema(nullable = false)]
    forwarded: Option<bool>,
    /// Set when another app, or the network's own inbox, held the conversation when it was written. The
    /// assistant and rules leave it alone.
    #[schema(nullable = false)]
    held_elsewhere: Option<bool>,
    #[schema(nullable = false)]
    product: Option<MessageProduct>,
    #[schema(nullable = false)]
    story: Option<MessageStory>,
    #[schema(nullable = false)]
    referral: Option<MessageReferral>,
    #[schema(nullable = false)]
    reply: Option<MessageTappedReply>,
    /// The kinds of its files that could not be had.
    #[schema(inline, nullable = false)]
    unavailable: Option<Vec<AttachmentKind>>,
}

/// What a message refers to, and what was done to it since. Every part is absent where there is nothing to
/// tell.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct MessageContext {
    /// The message of this conversation that it answers.
    #[schema(nullable = false)]
    reply_to: Option<Id>,
    /// Set when it answers a message that is not known here.
    #[schema(nullable = false)]
    reply_to_unknown: Option<bool>,
    /// Set when the customer passed it on from elsewhere.
    #[schema(nullable = false)]
    forwarded: Option<bool>,
    /// Set when another app, or the network's own inbox, held the conversation when it was written. The
    /// assistant and rules leave it alone.
    #[schema(nullable = false)]
    held_elsewhere: Option<bool>,
    #[schema(nullable = false)]
    product: Option<MessageProduct>,
    #[schema(nullable = false)]
    story: Option<MessageStory>,
    #[schema(nullable = false)]
    referral: Option<MessageReferral>,
    #[schema(nullable = false)]
    reply: Option<MessageTappedReply>,
    /// The kinds of its files that could not be had.
    #[schema(inline, nullable = false)]
    unavailable: Option<Vec<AttachmentKind>>,
    #[schema(nullable = false)]
    reaction: Option<MessageReaction>,
    /// When the customer replaced its text.
    #[schema(nullable = false)]
    edited_at: Option<Timestamp>,
    /// When it was deleted at the network. The text stays.
    #[schema(nullable = false)]
    deleted_at: Option<Timestamp>,
}

/// The button, the row of a list or the suggested answer that the customer tapped instead of writing.
#[derive(ToSchema)]
pub(crate) struct MessageTappedReply {
    /// The id or payload that the business gave it.
    id: String,
    /// What the customer saw.
    title: String,
}

/// The product of a catalogue at the network that a message asks about.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct MessageProduct {
    id: String,
    #[schema(nullable = false)]
    catalog_id: Option<String>,
    /// Its name, as the customer saw it.
    #[schema(nullable = false)]
    title: Option<String>,
    /// The line under its name, mostly the price.
    #[schema(nullable = false)]
    subtitle: Option<String>,
}

/// The business's story that a message answers.
#[derive(ToSchema)]
pub(crate) struct MessageStory {
    /// Where it is shown, for a while.
    url: String,
}

/// The advertisement, post or link that led the customer here, as far as the network tells.
#[derive(ToSchema)]
pub(crate) struct MessageReferral {
    /// What it is, such as `ad`, `post`, `ads` or `shortlink`.
    #[schema(nullable = false)]
    source: Option<String>,
    /// Its id at the network.
    #[schema(nullable = false)]
    id: Option<String>,
    #[schema(nullable = false)]
    title: Option<String>,
    #[schema(nullable = false)]
    text: Option<String>,
    #[schema(nullable = false)]
    url: Option<String>,
    /// What the business wrote into the link.
    #[schema(nullable = false, rename = "ref")]
    reference: Option<String>,
    /// The network's id of the click, by which an advertiser reports what came of it.
    #[schema(nullable = false, rename = "clickId")]
    click_id: Option<String>,
}

/// A customer's reaction to a message.
#[derive(ToSchema)]
pub(crate) struct MessageReaction {
    /// The sign, such as 👍.
    emoji: String,
    at: Timestamp,
}

/// Where the template was sent: by the API, or by a member at the dashboard.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
enum Via {
    Api,
    Dashboard,
}

/// The template that a message was made from.
#[derive(ToSchema)]
pub(crate) struct TemplateRef {
    name: String,
    /// A language code.
    language: String,
}
