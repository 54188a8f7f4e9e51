//! `/contacts/{id}`: a person with their conversations, in the browser `/dashboard/contacts/{id}`.

use dashboard_pages::{ConversationRow, PersonsConversationsPage, Section};
use domain::{
    contacts::{ContactProfile, ContactSignal, KeptSignal},
    conversation::Conversation,
    conversations::ConversationFilter,
    ids::{ChannelId, ContactId},
    messages::Referral,
    paging::{AskedPage, Page, PageLimit},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call},
        answer::{ok, see_other},
        inbox::InboxBody,
    },
    PATH, first_message, unknown,
};
use crate::{contacts::wire::ContactBody, paging::read_page, problem::Problem};

/// Most conversations shown of one person; each is of another number, page or account of the workspace.
const MOST_CONVERSATIONS: u64 = 100;

/// A person with all their conversations.
#[derive(Serialize)]
struct PersonBody {
    contact: ContactBody,
    /// The newest first: one for each number, page or account that they have written to.
    conversations: Vec<InboxBody>,
    /// What they told networks without writing, the latest first: of each kind the latest over each number,
    /// page or account.
    signals: Vec<SignalBody>,
}

/// What a person told a network without writing.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SignalBody {
    kind: &'static str,
    /// The number, page or account.
    channel_id: ChannelId,
    channel: &'static str,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
    /// Whether they want no marketing, or nothing more of what they opted in to; null for a referral.
    stopped: Option<bool>,
    /// What they were shown when they opted in.
    title: Option<String>,
    /// What the business gave the opt-in to be known by.
    payload: Option<String>,
    referral: Option<Referral>,
}

impl From<KeptSignal> for SignalBody {
    fn from(KeptSignal { channel, channel_kind, at, signal }: KeptSignal) -> Self {
        let kind = signal.kind();
        let (stopped, title, payload, referral) = match signal {
            ContactSignal::Marketing { stopped } => (Some(stopped), None, None, None),
            ContactSignal::OptIn { stopped, title, payload } => (Some(stopped), title, payload, None),
            ContactSignal::Referral { referral } => (None, None, None, Some(*referral)),
        };
        let channel_id = channel;
        Self { kind, channel_id, channel: channel_kind.as_str(), at, stopped, title, payload, referral }
    }
}

/// Loads the person in the path with a page of their conversations, the newest first.
async fn found(call: &Call, asked: AskedPage) -> Result<(ContactProfile, Page<Conversation>), Problem> {
    let (workspace, contact): (_, ContactId) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move {
        let Some(profile) = app.get_contact.run(workspace, contact).await? else { return Ok(None) };
        let filter = ConversationFilter { contact: Some(contact), ..ConversationFilter::default() };
        let listed = app.list_conversations.run(workspace, filter, &asked).await?;
        Ok::<_, Problem>(Some((profile, listed)))
    });
    found.await?.ok_or_else(unknown)
}

/// A person and their conversations; in the browser, their newest conversation, or the templates that can be
/// sent if there is none.
pub(in crate::pages) async fn show(call: Call) -> Answer {
    let most = if call.is_of_api() { MOST_CONVERSATIONS } else { 1 };
    let asked = AskedPage { limit: PageLimit::new(most).unwrap_or_default(), cursor: None };
    let (profile, listed) = found(&call, asked).await?;
    if call.is_of_api() {
        return act::ok(&body(&call, profile, listed.rows).await?);
    }
    match listed.rows.first() {
        Some(newest) => Ok(see_other(&format!("/dashboard/inbox/{}", newest.id))),
        None => first_message::show(call).await,
    }
}

async fn body(
    call: &Call,
    profile: ContactProfile,
    conversations: Vec<Conversation>,
) -> Result<PersonBody, Problem> {
    let (workspace, contact) = (call.workspace(), profile.contact.id);
    let known = call.run(move |app| async move {
        let ids: Vec<_> = conversations.iter().map(|conversation| conversation.id).collect();
        let tags = app.tag_conversation.tags_of(workspace, &ids).await?;
        let mut bodies = Vec::new();
        for (conversation, tags) in conversations.into_iter().zip(tags) {
            let attention = app.dashboard.list_inbox.attention(workspace, conversation.id).await?;
            bodies.push(InboxBody::new(conversation, tags, attention));
        }
        Ok::<_, Problem>((bodies, app.get_contact.signals(workspace, contact).await?))
    });
    let (conversations, signals) = known.await?;
    let signals = signals.into_iter().map(SignalBody::from).collect();
    Ok(PersonBody { contact: profile.into(), conversations, signals })
}

/// Shows all conversations with a person, page by page.
pub(in crate::pages) async fn conversations(call: Call) -> Answer {
    let (profile, listed) = found(&call, read_page(&call.parameters()?)?).await?;
    let frame = call.frame(Section::Contacts).await?;
    let person = profile.contact;
    let phone = person.phone.map(|phone| phone.as_str().to_owned());
    let more = |cursor: String| {
        let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
        format!("{PATH}/{}/conversations?cursor={cursor}", person.id)
    };
    let row = |conversation: Conversation| ConversationRow {
        id: conversation.id.to_string(),
        href: format!("/dashboard/inbox/{}", conversation.id),
        channel: conversation.channel_kind,
        status: conversation.status,
        at: conversation.last_message_at.into(),
    };
    ok(&PersonsConversationsPage {
        frame: &frame,
        name: person.name.or(phone).unwrap_or_else(|| frame.words().inbox.nameless.to_owned()),
        conversations: listed.rows.into_iter().map(row).collect(),
        more: listed.next.map(more),
    })
}
