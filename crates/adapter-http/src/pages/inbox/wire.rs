//! Bodies of the inbox.

use std::collections::HashMap;

use domain::{
    assistant::AssistantSettings,
    conversation::{Conversation, ConversationStatus},
    conversations::inbox::{Attention, InboxContact, InboxRow, Preview},
    ids::{BroadcastId, ContactId},
    messages::{ListedMessage, MessageBody},
    paging::Page,
    phone::PhoneNumber,
};
use serde::Serialize;
use time::OffsetDateTime;

use super::{seen::ReadStateBody, system_messages::SystemMessageBody};
use crate::{conversations::wire::ConversationBody, messages::MessagesBody};

/// A person as the inbox shows them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContactBody {
    id: ContactId,
    name: Option<String>,
    phone: Option<PhoneNumber>,
    avatar_url: Option<String>,
}

/// The beginning of a message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PreviewBody {
    role: &'static str,
    kind: &'static str,
    /// Its first 200 characters; empty where a file came without words.
    text: String,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

/// Until when a network takes one's own words.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplyWindowBody {
    /// A time that has passed: only a template reaches the customer, where their network has templates.
    #[serde(with = "domain::clock::timestamp")]
    closes_at: OffsetDateTime,
}

/// A conversation in a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowBody {
    conversation: ConversationBody,
    contact: ContactBody,
    tags: Vec<String>,
    /// The newest message that somebody wrote; null where there is none.
    last_message: Option<PreviewBody>,
    read: ReadStateBody,
    /// How long one may answer in one's own words; null where the customer has never written.
    reply_window: Option<ReplyWindowBody>,
    /// When the customer wrote first after they were last written to; null when they wait for nothing, or the
    /// conversation is closed.
    #[serde(with = "domain::clock::timestamp::option")]
    waiting_since: Option<OffsetDateTime>,
    /// Whether the assistant answers what the customer writes there, so that nobody of the team has to: the
    /// conversation is its own, and it is switched on for this customer.
    assistant_answers: bool,
    /// The workspace's number that it runs over; null where it runs over a page or an Instagram account.
    number: Option<PhoneNumber>,
}

/// A page of the inbox.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageBody {
    rows: Vec<RowBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl RowBody {
    fn new(row: InboxRow, assistant: &AssistantSettings) -> Self {
        let is_its_own = row.conversation.status == ConversationStatus::Bot;
        let reply_window = row.reply_closes_at().map(|closes_at| ReplyWindowBody { closes_at });
        let InboxContact { id, name, phone, avatar_url } = row.contact;
        let preview = |Preview { role, kind, text, created_at, .. }| PreviewBody {
            role: role.as_str(),
            kind: kind.as_str(),
            text,
            created_at,
        };
        Self {
            assistant_answers: is_its_own && assistant.answers(phone.as_ref()),
            conversation: row.conversation.into(),
            contact: ContactBody { id, name, phone, avatar_url },
            tags: row.tags,
            last_message: row.last_message.map(preview),
            read: row.read.into(),
            reply_window,
            waiting_since: row.waiting_since,
            number: row.number,
        }
    }
}

impl PageBody {
    pub(super) fn new(page: Page<InboxRow>, assistant: &AssistantSettings) -> Self {
        let rows = page.rows.into_iter().map(|row| RowBody::new(row, assistant));
        Self { rows: rows.collect(), next_cursor: page.next }
    }
}

/// A conversation as the team sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::pages) struct InboxBody {
    conversation: ConversationBody,
    tags: Vec<String>,
    /// How long one may answer in one's own words; null where the customer has never written.
    reply_window: Option<ReplyWindowBody>,
    /// When the customer wrote first after they were last written to; null when they wait for nothing, or the
    /// conversation is closed.
    #[serde(with = "domain::clock::timestamp::option")]
    waiting_since: Option<OffsetDateTime>,
}

/// A page of a conversation's messages, and of which broadcasts they are.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ConversationMessagesBody {
    data: Vec<MessageBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
    /// The broadcasts that `meta.reference` of these messages names.
    broadcasts: Vec<BroadcastNameBody>,
    /// What the `system` messages of these tell, as data. Lines from before it was kept have none here.
    notices: Vec<SystemMessageBody>,
}

/// What a broadcast is called.
#[derive(Serialize)]
struct BroadcastNameBody {
    id: BroadcastId,
    name: String,
}

impl InboxBody {
    pub(in crate::pages) fn new(
        conversation: Conversation,
        tags: Vec<String>,
        attention: Option<Attention>,
    ) -> Self {
        let closes_at = attention.and_then(|attention| attention.reply_closes_at());
        Self {
            conversation: conversation.into(),
            tags,
            reply_window: closes_at.map(|closes_at| ReplyWindowBody { closes_at }),
            waiting_since: attention.and_then(|attention| attention.waiting_since),
        }
    }
}

impl ConversationMessagesBody {
    pub(super) fn new(page: Page<ListedMessage>, names: HashMap<BroadcastId, String>) -> Self {
        let mut broadcasts: Vec<_> =
            names.into_iter().map(|(id, name)| BroadcastNameBody { id, name }).collect();
        broadcasts.sort_unstable_by_key(|broadcast| broadcast.id);
        let notices = page.rows.iter().filter_map(|row| SystemMessageBody::of(&row.message)).collect();
        let MessagesBody { data, next_cursor } = page.into();
        Self { data, next_cursor, broadcasts, notices }
    }
}
