//! A conversation on a page.

use std::collections::HashMap;

use dashboard_pages::{
    Bubble, Composer, File, InboxQuery, Moment, Person, ProposalRow, ShownConversation, Words,
    words::InboxWords,
};
use domain::{
    attachments::{Attachment, AttachmentKind, ContentType},
    channels::{closes_at, takes_words},
    consent::ports::DraftRecord,
    contacts::{Contact, ContactProfile},
    conversation::Conversation,
    conversations::undo,
    ids::{BroadcastId, MemberId},
    messages::{DeliveryStatus, ListedMessage, Message, MessageDelivery, Role, Stage},
    notes::Note,
    paging::Page,
    zone::Zone,
};
use time::{Duration, OffsetDateTime};

use super::{
    super::{act::Call, links::explained, messages::failure},
    found::{Found, Team},
    refused::RefusedAct,
};

/// Most characters of a quoted message.
const QUOTED: usize = 120;
/// Difference between writing and recording from which both times are shown.
const LATE: Duration = Duration::MINUTE;

pub(super) fn of<'a>(
    found: Found,
    Call { app, by, .. }: &Call,
    query: &'a InboxQuery,
    team: &Team,
    words: &'static Words,
    refused: RefusedAct,
) -> ShownConversation<'a> {
    let Found {
        conversation,
        tags,
        messages,
        broadcasts,
        before,
        contact,
        gets_marketing,
        others,
        drafts,
        notes,
        canned,
        present,
    } = found;
    let now = app.clock.now();
    let is_closed = before.is_none() && !takes(&conversation, &messages, now);
    let closes_at =
        closes_at(conversation.channel_kind, wrote(&messages)).filter(|closes_at| *closes_at > now);
    let id = conversation.id.to_string();
    let insert = refused.insert.and_then(|name| canned.iter().find(|reply| reply.shortcut.as_str() == name));
    let insert = insert.map(|reply| reply.text.clone()).unwrap_or_default();
    let (draft, key) = refused.draft.unwrap_or_else(|| (insert, app.ids.next().to_string()));
    let link = |cursor: &str| {
        let cursor: String = url::form_urlencoded::byte_serialize(cursor.as_bytes()).collect();
        let path = query.conversation(&id);
        format!("{path}{}before={cursor}", if path.contains('?') { '&' } else { '?' })
    };
    let earlier = messages.next.as_deref().map(link);
    let elsewhere = |message: &str| query.message(&id, message);
    let (is_newest, bucket) = (before.is_none(), app.edge.files.as_deref());
    let zone = &by.session.time_zone;
    let viewer = by.session.member.to_string();
    let known = Known { broadcasts: &broadcasts, bucket, names: &team.names, words, zone, viewer: &viewer };
    let newest = messages.rows.first().filter(|_| is_newest).map(|row| &row.message);
    let is_here = |member| team.members.iter().any(|known| known.id == member);
    let undo = newest.filter(|newest| {
        undo(newest, &viewer, now).is_some_and(|command| command.member().is_none_or(is_here))
    });
    let undo = undo.map(|newest| newest.id.to_string());
    let mut bubbles = bubbles(messages, notes, is_newest, &known, elsewhere);
    for bubble in &mut bubbles {
        bubble.explained = bubble.stage.map(|_| explained(&bubble.id));
        // If the network accepts no free text, a retry would fail again.
        bubble.retry = bubble.retry.take().filter(|_| !is_closed);
        bubble.undo = undo.clone().filter(|id| *id == bubble.id);
    }
    ShownConversation {
        words,
        zone: zone.clone(),
        query,
        channel: conversation.channel_kind,
        status: conversation.status,
        holder: conversation.assigned_to.and_then(|member| team.names.get(&member.to_string()).cloned()),
        is_mine: conversation.assigned_to == Some(by.session.member),
        group: conversation.group.map(|group| group.name),
        tags,
        members: team.member_choices(),
        groups: team.group_choices(),
        earlier,
        is_earlier: before.is_some(),
        bubbles,
        person: Person { gets_marketing, ..person(contact, &others, refused.name, query, words) },
        proposals: drafts.iter().map(proposal).collect(),
        composer: Composer { key, draft, is_closed, closes_at: closes_at.map(Moment::from) },
        present_for: present.iter().map(|here| (here.until - now).whole_seconds().max(0)).min(),
        present: present
            .into_iter()
            .filter_map(|here| Some((team.names.get(&here.member.to_string())?.clone(), here.doing)))
            .collect(),
        canned: canned.into_iter().map(|reply| (reply.shortcut.as_str().to_owned(), reply.text)).collect(),
        note_draft: refused.note.unwrap_or_default(),
        note_for: refused.mentions.iter().map(ToString::to_string).collect(),
        tag_draft: refused.tag.unwrap_or_default(),
        refused: refused.refused,
        id,
    }
}

/// Returns whether the network accepts free text now, as far as the page's messages tell.
fn takes(conversation: &Conversation, messages: &Page<ListedMessage>, now: OffsetDateTime) -> bool {
    // On a page without a message of the customer, they may have written right before it.
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

/// Returns when the customer last wrote; `None` if that is not on the page.
fn wrote(messages: &Page<ListedMessage>) -> Option<OffsetDateTime> {
    let customers = messages.rows.iter().filter(|row| row.message.role == Role::Customer);
    customers.map(|row| row.message.sent_at.unwrap_or(row.message.created_at)).max()
}

fn person(
    profile: ContactProfile,
    (others, more): &(Vec<Conversation>, bool),
    name_draft: Option<String>,
    query: &InboxQuery,
    words: &Words,
) -> Person {
    let ContactProfile { contact, avatar_url: _, channels: _, tags: _, conversations: _, last_active_at: _ } =
        profile;
    let Contact { id, name: written_name, phone, source: _, created_at } = contact;
    let phone = phone.map(|phone| phone.as_str().to_owned());
    let name = written_name.clone().or_else(|| phone.clone());
    let other =
        |other: &Conversation| (query.conversation(&other.id.to_string()), other.channel_kind, other.status);
    Person {
        id: id.to_string(),
        name: name.unwrap_or_else(|| words.inbox.nameless.to_owned()),
        written_name: written_name.unwrap_or_default(),
        name_draft,
        phone,
        since: created_at.into(),
        gets_marketing: None,
        others: others.iter().map(other).collect(),
        all: more.then(|| format!("/dashboard/contacts/{id}/conversations")),
    }
}

/// Context for rendering messages.
struct Known<'a> {
    broadcasts: &'a HashMap<BroadcastId, String>,
    /// Base URL of the files in a bucket, which this process does not serve.
    bucket: Option<&'a str>,
    names: &'a HashMap<String, String>,
    words: &'a Words,
    /// Zone that determines the days.
    zone: &'a Zone,
    /// Id of the member who looks.
    viewer: &'a str,
}

fn bubbles(
    messages: Page<ListedMessage>,
    notes: Vec<Note>,
    is_newest: bool,
    known: &Known<'_>,
    elsewhere: impl Fn(&str) -> String,
) -> Vec<Bubble> {
    let Known { broadcasts, names, words, zone, .. } = *known;
    let times = || messages.rows.iter().map(|row| row.message.created_at);
    // A page shows the notes of its time; the newest page also later ones, the last page also earlier ones.
    let from = messages.next.as_ref().and_then(|_| times().min());
    let until = times().max().filter(|_| !is_newest);
    let is_of_page = |note: &Note| {
        from.is_none_or(|from| note.created_at >= from) && until.is_none_or(|until| note.created_at <= until)
    };
    let texts: HashMap<_, String> = messages
        .rows
        .iter()
        .map(|row| {
            let text = words.inbox.text(&row.message.content, row.message.role);
            (row.message.id, text.chars().take(QUOTED).collect())
        })
        .collect();
    let mut notes = notes.into_iter().rev().filter(is_of_page).peekable();
    let mut shown: Vec<Bubble> = Vec::with_capacity(messages.rows.len());
    for ListedMessage { message, delivery } in messages.rows.into_iter().rev() {
        let quote = message.context.reply_to.map(|id| {
            let here = texts.get(&id);
            let text = here.filter(|text| !text.is_empty()).cloned();
            let text = text.unwrap_or_else(|| words.inbox.earlier_message.to_owned());
            let id = id.to_string();
            (text, if here.is_some() { format!("#message-{id}") } else { elsewhere(&id) })
        });
        while let Some(note) = notes.next_if(|note| note.created_at < message.created_at) {
            shown.push(note_bubble(note, names));
        }
        let reference = message.meta.as_ref().and_then(|meta| meta.reference.as_deref());
        let broadcast = reference.and_then(|reference| reference.parse::<BroadcastId>().ok());
        let broadcast = broadcast.and_then(|id| Some((id.to_string(), broadcasts.get(&id)?.clone())));
        let plain = bubble(message, delivery.as_ref(), quote, known);
        shown.push(Bubble { broadcast, ..plain });
    }
    shown.extend(notes.map(|note| note_bubble(note, names)));
    let mut before: Option<(&Bubble, String)> = None;
    for bubble in &mut shown {
        let day = bubble.at.day(Some(zone));
        let is_same_day = before.as_ref().is_some_and(|(_, of_before)| *of_before == day);
        bubble.begins_day = !is_same_day;
        bubble.goes_on = is_same_day && before.is_some_and(|(before, _)| bubble.follows(before));
        before = Some((bubble, day));
    }
    shown
}

fn note_bubble(note: Note, names: &HashMap<String, String>) -> Bubble {
    let called = |member: &MemberId| names.get(&member.to_string()).cloned();
    Bubble {
        id: note.id.to_string(),
        role: Role::System,
        by: called(&note.author),
        text: note.text,
        transcription: None,
        files: Vec::new(),
        quote: None,
        reaction: None,
        notes: Vec::new(),
        stage: None,
        failure: None,
        broadcast: None,
        at: note.created_at.into(),
        written_at: None,
        begins_day: false,
        goes_on: false,
        is_colleagues: false,
        note_for: Some(note.mentions.iter().filter_map(called).collect()),
        explained: None,
        retry: None,
        undo: None,
    }
}

fn bubble(
    message: Message,
    delivery: Option<&MessageDelivery>,
    quote: Option<(String, String)>,
    known: &Known<'_>,
) -> Bubble {
    let Known { bucket, names, words, viewer, .. } = *known;
    // The same key for every viewer, so that two who retry send one message. A message that fails again has
    // its own key.
    let retry = can_go_again(&message, delivery).then(|| format!("again-{}", message.id));
    let text = match message.role {
        Role::System => match &message.system_message {
            Some(line) => words.told(line, message.sender_id.as_deref(), names),
            None => words.system_message(&message.content),
        },
        Role::Customer | Role::Assistant | Role::Team => {
            words.inbox.text(&message.content, message.role).into_owned()
        }
    };
    let words = &words.inbox;
    // A message that the network delivers late was written earlier than it was recorded.
    let written_at = message.sent_at.filter(|sent| (message.created_at - *sent).abs() > LATE);
    let notes = [
        (message.context.reply_to_unknown, words.answers_unknown),
        (message.context.forwarded, words.forwarded),
        (message.context.held_elsewhere, words.held_elsewhere),
        (message.marks.edited_at.is_some(), words.edited),
        (message.marks.deleted_at.is_some(), words.deleted),
    ];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note).collect();
    let is_colleagues =
        message.role == Role::Team && message.sender_id.as_ref().is_some_and(|sender| sender != viewer);
    Bubble {
        id: message.id.to_string(),
        role: message.role,
        by: message.sender_id.and_then(|id| names.get(&id).cloned()),
        text,
        transcription: message.transcription,
        files: message.attachments.into_iter().map(|file| of_file(file, bucket, words)).collect(),
        quote,
        reaction: message.marks.reaction.map(|reaction| reaction.emoji),
        notes,
        stage: delivery.map(MessageDelivery::stage),
        failure: delivery.and_then(|delivery| why(delivery, words)),
        broadcast: None,
        at: message.created_at.into(),
        written_at: written_at.map(Moment::from),
        begins_day: false,
        goes_on: false,
        is_colleagues,
        note_for: None,
        explained: None,
        retry,
        undo: None,
    }
}

/// Returns whether the text can be sent again: a member wrote it, it has no file, and the network accepted
/// nothing.
fn can_go_again(message: &Message, delivery: Option<&MessageDelivery>) -> bool {
    let failed = delivery.is_some_and(|delivery| delivery.stage() == Stage::Reported(DeliveryStatus::Failed));
    let alone = message.attachments.is_empty() && message.context.unavailable.is_empty();
    let photo = AttachmentKind::ALL.into_iter().any(|kind| message.content == kind.stand_in());
    failed
        && message.role == Role::Team
        && message.meta.is_none()
        && alone
        && !photo
        && !message.content.is_empty()
}

/// Returns why it failed: `None` if it did not, an empty text if nobody knows.
fn why(delivery: &MessageDelivery, words: &InboxWords) -> Option<String> {
    let (code, said) = delivery.failure()?;
    Some(failure(code, said, words).unwrap_or_default())
}

/// Removes the host from links to our own files, so that the page shows them under any name of this server.
/// Files in the bucket are shown, too.
fn of_file(file: Attachment, bucket: Option<&str>, words: &InboxWords) -> File {
    let ours = file.url.find("/attachments/").and_then(|start| file.url.get(start..));
    let ours = ours.filter(|path| path.contains("?expires=") && path.contains("&signature="));
    let is_kept =
        bucket.and_then(|bucket| file.url.strip_prefix(bucket)).is_some_and(|path| path.starts_with('/'));
    let title = file.title.unwrap_or_else(|| words.kind(&file.kind).to_owned());
    let is_shown = (ours.is_some() || is_kept) && ContentType::read(file.content_type).is_shown();
    File { kind: file.kind, is_shown, bytes: file.bytes, url: ours.unwrap_or(&file.url).to_owned(), title }
}
