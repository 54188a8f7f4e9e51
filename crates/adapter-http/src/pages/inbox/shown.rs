//! A conversation as a page shows it.

use std::collections::HashMap;

use dashboard_pages::{
    Bubble, Choice, Composer, File, InboxQuery, Moment, Person, ProposalRow, Thread, Words, words::InboxWords,
};
use domain::{
    attachments::Attachment,
    consent::ports::DraftRecord,
    contacts::ContactProfile,
    conversations::Conversation,
    messages::{ListedMessage, Message, MessageDelivery, Role},
    paging::Page,
    sending::{closes_at, takes_words},
};
use time::OffsetDateTime;

use super::{
    Refused,
    found::{Found, Team},
};
use crate::{App, dashboard::SignedIn};

/// Most characters of a message that another quotes.
const QUOTED: usize = 120;

pub(super) fn of<'a>(
    found: Found,
    app: &App,
    by: &SignedIn,
    query: &'a InboxQuery,
    team: &Team,
    words: &'static Words,
    refused: Refused,
) -> Thread<'a> {
    let Found { conversation, tags, messages, before, contact, others, drafts } = found;
    let now = app.clock.now();
    let is_closed = before.is_none() && !takes(&conversation, &messages, now);
    let closes_at =
        closes_at(conversation.channel_kind, wrote(&messages)).filter(|closes_at| *closes_at > now);
    let id = conversation.id.to_string();
    let (draft, key) = refused.draft.unwrap_or_else(|| (String::new(), app.ids.next().to_string()));
    let link = |cursor: &str| {
        let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
        let path = query.conversation(&id);
        format!("{path}{}before={cursor}", if path.contains('?') { '&' } else { '?' })
    };
    Thread {
        words,
        query,
        channel: conversation.channel_kind,
        status: conversation.status,
        holder: conversation.assigned_to.and_then(|member| team.names.get(&member.to_string()).cloned()),
        is_mine: conversation.assigned_to == Some(by.session.member),
        group: conversation.group.map(|group| group.name),
        tags,
        members: members(team),
        groups: groups(team),
        earlier: messages.next.as_deref().map(link),
        is_earlier: before.is_some(),
        bubbles: bubbles(messages, &team.names, &words.inbox),
        person: person(contact, &others, query, words),
        proposals: drafts.iter().map(proposal).collect(),
        composer: Composer { key, draft, is_closed, closes_at: closes_at.map(Moment::from) },
        refused: refused.because,
        id,
    }
}

/// Whether the network takes free words now, as far as the newest messages tell.
fn takes(conversation: &Conversation, messages: &Page<ListedMessage>, now: OffsetDateTime) -> bool {
    // Of a page without the customer's words, they may have written right before it.
    let before = messages.next.is_some().then(|| messages.rows.last()).flatten();
    let wrote = wrote(messages).or_else(|| before.map(|row| row.message.created_at));
    takes_words(conversation.channel_kind, wrote, now)
}

fn proposal(draft: &DraftRecord) -> ProposalRow {
    ProposalRow {
        id: draft.id.to_string(),
        kind: draft.kind,
        state: draft.state,
        outcome: draft.commitment.map(|commitment| commitment.state),
        until: draft.expires_at.into(),
    }
}

/// When the customer last wrote, where that is on the page.
fn wrote(messages: &Page<ListedMessage>) -> Option<OffsetDateTime> {
    let customers = |row: &&ListedMessage| row.message.role == Role::Customer;
    messages.rows.iter().find(customers).map(|row| row.message.created_at)
}

fn members(team: &Team) -> Vec<Choice> {
    let choice = |id: String| {
        let name = team.names.get(&id).cloned().unwrap_or_default();
        Choice { value: format!("member:{id}"), name }
    };
    team.members.iter().map(|member| choice(member.id.to_string())).collect()
}

fn groups(team: &Team) -> Vec<Choice> {
    let choice = |id: String, name: &str| Choice { value: format!("group:{id}"), name: name.to_owned() };
    team.groups.iter().map(|group| choice(group.id.to_string(), &group.name)).collect()
}

fn person(profile: ContactProfile, others: &[Conversation], query: &InboxQuery, words: &Words) -> Person {
    let contact = profile.contact;
    let phone = contact.phone.map(|phone| phone.as_str().to_owned());
    let name = contact.name.clone().or_else(|| phone.clone());
    let other =
        |other: &Conversation| (query.conversation(&other.id.to_string()), other.channel_kind, other.status);
    Person {
        id: contact.id.to_string(),
        name: name.unwrap_or_else(|| words.inbox.nameless.to_owned()),
        written_name: contact.name.unwrap_or_default(),
        phone,
        since: contact.created_at.into(),
        others: others.iter().map(other).collect(),
    }
}

fn bubbles(
    messages: Page<ListedMessage>,
    names: &HashMap<String, String>,
    words: &InboxWords,
) -> Vec<Bubble> {
    let texts: HashMap<_, String> = messages
        .rows
        .iter()
        .map(|row| (row.message.id, row.message.content.chars().take(QUOTED).collect()))
        .collect();
    let mut day = String::new();
    let mut shown = Vec::with_capacity(messages.rows.len());
    for ListedMessage { message, delivery } in messages.rows.into_iter().rev() {
        let quote = message.context.reply_to.map(|id| {
            texts
                .get(&id)
                .filter(|text| !text.is_empty())
                .cloned()
                .unwrap_or_else(|| words.earlier_message.to_owned())
        });
        let its_day = Moment::from(message.created_at).day();
        let begins_day = its_day != day;
        day = its_day;
        shown.push(bubble(message, delivery.as_ref(), quote, begins_day, names, words));
    }
    shown
}

fn bubble(
    message: Message,
    delivery: Option<&MessageDelivery>,
    quote: Option<String>,
    begins_day: bool,
    names: &HashMap<String, String>,
    words: &InboxWords,
) -> Bubble {
    let text = match message.role {
        Role::System => words.notice(&message.content),
        Role::Customer | Role::Assistant | Role::Team => message.content,
    };
    let notes = [
        (message.context.forwarded, words.forwarded),
        (message.marks.edited_at.is_some(), words.edited),
        (message.marks.deleted_at.is_some(), words.deleted),
    ];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note).collect();
    Bubble {
        id: message.id.to_string(),
        role: message.role,
        by: message.sender_id.and_then(|id| names.get(&id).cloned()),
        text,
        transcription: message.transcription,
        files: message.attachments.into_iter().map(|file| of_file(file, words)).collect(),
        quote,
        reaction: message.marks.reaction.map(|reaction| reaction.emoji),
        notes,
        stage: delivery.map(MessageDelivery::stage),
        failure: delivery.and_then(|delivery| failure(delivery, words)),
        at: message.created_at.into(),
        begins_day,
    }
}

/// Why it failed: in our words where people meet the code, else in the network's.
fn failure(delivery: &MessageDelivery, words: &InboxWords) -> Option<String> {
    let (code, said) = delivery.failure()?;
    let ours = code.and_then(|code| words.failure(code)).map(str::to_owned);
    let said = || said.filter(|said| !said.is_empty()).map(str::to_owned);
    let code = || code.map(|code| code.to_string());
    Some(ours.or_else(said).or_else(code).unwrap_or_default())
}

/// Links to our own files lose their host: a page may show what is on its own, whatever name it was reached by.
fn of_file(file: Attachment, words: &InboxWords) -> File {
    let ours = file.url.find("/attachments/").and_then(|start| file.url.get(start..));
    let ours = ours.filter(|path| path.contains("?expires=") && path.contains("&signature="));
    let title = file.title.unwrap_or_else(|| words.kind(&file.kind).to_owned());
    File { kind: file.kind, is_ours: ours.is_some(), url: ours.unwrap_or(&file.url).to_owned(), title }
}
