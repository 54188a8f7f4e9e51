//! Bodies of the inbox.

use domain::{
    assistant::AssistantSettings,
    conversation::ConversationStatus,
    conversations::inbox::{InboxContact, InboxRow, Preview},
    ids::ContactId,
    paging::Page,
    phone::PhoneNumber,
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{conversations::wire::ConversationBody, dashboard::conversations::seen::ReadStateBody};

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
pub(crate) struct ReplyWindowBody {
    /// A time that has passed: only a template reaches the customer, where their network has templates.
    #[serde(with = "domain::clock::timestamp")]
    pub(crate) closes_at: OffsetDateTime,
}

/// A conversation in a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RowBody {
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
pub(crate) struct PageBody {
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
