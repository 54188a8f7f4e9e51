//! Page of a conversation, with the person and what can be done.

use askama::Template;
use domain::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    conversation::ConversationStatus,
    messages::{DeliveryStatus, Role, Stage},
    presence::Doing,
    zone::Zone,
};
use time::Duration;

use super::{InboxQuery, ProposalRow};
use crate::{
    moment::Moment,
    refused::Refused,
    version,
    words::{InboxWords, Words},
};

/// A file of a message.
#[derive(Debug, Clone)]
pub struct File {
    pub kind: AttachmentKind,
    pub url: String,
    /// Its name, or else its kind.
    pub title: String,
    /// Its size; 0 where this server does not store it.
    pub bytes: u64,
    /// Whether this server stores it and browsers know its type, so that a page may show it.
    pub is_shown: bool,
}

impl File {
    const fn is_picture(&self) -> bool {
        self.is_shown && matches!(self.kind, AttachmentKind::Image | AttachmentKind::Sticker)
    }

    const fn is_sound(&self) -> bool {
        self.is_shown && matches!(self.kind, AttachmentKind::Audio)
    }

    const fn is_film(&self) -> bool {
        self.is_shown && matches!(self.kind, AttachmentKind::Video)
    }

    /// Returns its size in words; `None` where it is not known.
    fn size(&self) -> Option<String> {
        const KILO: u64 = 1024;
        match self.bytes {
            0 => None,
            bytes if bytes < KILO => Some(format!("{bytes} B")),
            bytes if bytes < KILO * KILO => Some(format!("{} KB", bytes / KILO)),
            bytes => {
                Some(format!("{}.{} MB", bytes / (KILO * KILO), bytes % (KILO * KILO) * 10 / (KILO * KILO)))
            }
        }
    }
}

/// Longest time between two messages of an author that are shown as one group.
const TOGETHER: Duration = Duration::MINUTE;

/// A message as it is shown.
#[derive(Debug, Clone)]
pub struct Bubble {
    pub id: String,
    pub role: Role,
    /// Name of the member who wrote it.
    pub by: Option<String>,
    pub text: String,
    /// Transcription of its voice note.
    pub transcription: Option<String>,
    pub files: Vec<File>,
    /// Beginning of the message that it answers, and the path of that.
    pub quote: Option<(String, String)>,
    pub reaction: Option<String>,
    /// Further marks: forwarded, edited, deleted.
    pub notes: Vec<&'static str>,
    /// Progress of its delivery, if we sent it.
    pub stage: Option<Stage>,
    pub failure: Option<String>,
    /// Id and name of its broadcast.
    pub broadcast: Option<(String, String)>,
    /// When it was recorded.
    pub at: Moment,
    /// When the customer wrote it, where that was at another time.
    pub written_at: Option<Moment>,
    /// Whether it is the first of its day.
    pub begins_day: bool,
    /// Whether it follows one of the same author within a minute.
    pub goes_on: bool,
    /// Whether another member wrote it, and not the viewer.
    pub is_colleagues: bool,
    /// Members that it mentions, if it is a note to the team and no message.
    pub note_for: Option<Vec<String>>,
    /// Path of the page about its delivery, if we sent it.
    pub explained: Option<String>,
    /// Key to send it again under, if it failed and can be sent again.
    pub retry: Option<String>,
    /// Message that names the move to undo, if it tells of one that the viewer can: this one.
    pub undo: Option<String>,
}

impl Bubble {
    /// Returns whether it belongs to the same group as the one before it.
    pub fn follows(&self, before: &Self) -> bool {
        let is_same = (self.role, &self.by, &self.note_for) == (before.role, &before.by, &before.note_for);
        is_same
            && self.role != Role::System
            && self.note_for.is_none()
            && self.at.since(before.at) <= TOGETHER
    }

    /// Returns a version that changes whenever anything shown does. Links to its files are left out: they
    /// differ each time, and lead to the same.
    fn version(&self) -> String {
        let mut shown = self.clone();
        for file in &mut shown.files {
            file.url.clear();
        }
        version::of(&shown)
    }

    const fn side(&self) -> &'static str {
        if self.note_for.is_some() {
            return "note";
        }
        match self.role {
            Role::Customer => "theirs",
            Role::Assistant | Role::Team => "ours",
            Role::System => "notice",
        }
    }

    fn tick(&self) -> Option<&'static str> {
        self.stage.map(|stage| match stage {
            Stage::InFlight => "…",
            Stage::Unknown => "?",
            Stage::Reported(DeliveryStatus::Sent) => "✓",
            Stage::Reported(DeliveryStatus::Delivered | DeliveryStatus::Read) => "✓✓",
            Stage::Reported(DeliveryStatus::Failed) => "!",
        })
    }

    fn stage_name(&self) -> &'static str {
        self.stage.map(Stage::as_str).unwrap_or_default()
    }
}

/// A member or a group that a conversation can be given to.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Posted value.
    pub value: String,
    /// Label.
    pub name: String,
}

/// Composer of a reply.
#[derive(Debug, Clone)]
pub struct Composer {
    /// Idempotency key of the draft, so that it is sent once however often it is posted.
    pub key: String,
    /// Text that was typed and refused.
    pub draft: String,
    /// Whether the network takes no free text any more.
    pub is_closed: bool,
    /// Until when it takes free text, where that is known.
    pub closes_at: Option<Moment>,
}

/// Person whom a conversation is with.
#[derive(Debug, Clone)]
pub struct Person {
    pub id: String,
    pub name: String,
    pub written_name: String,
    /// Typed name that was refused.
    pub name_draft: Option<String>,
    pub phone: Option<String>,
    /// Since when they are known.
    pub since: Moment,
    /// Whether they get marketing; `None` without a number that it could go to.
    pub gets_marketing: Option<bool>,
    /// Their other conversations: path, network, and status.
    pub others: Vec<(String, ChannelKind, ConversationStatus)>,
    /// Path of all their conversations, where there are more.
    pub all: Option<String>,
}

/// A conversation, with everything beside it.
#[derive(Template)]
#[template(path = "inbox/conversation.html")]
pub struct ShownConversation<'a> {
    pub words: &'static Words,
    pub zone: Zone,
    /// Filter of the list beside it.
    pub query: &'a InboxQuery,
    pub id: String,
    pub channel: ChannelKind,
    pub status: ConversationStatus,
    /// Name of the member who holds it.
    pub holder: Option<String>,
    /// Whether the viewer holds it.
    pub is_mine: bool,
    pub group: Option<String>,
    pub tags: Vec<String>,
    pub members: Vec<Choice>,
    pub groups: Vec<Choice>,
    /// Messages, the oldest first.
    pub bubbles: Vec<Bubble>,
    /// Path of the page with earlier messages.
    pub earlier: Option<String>,
    /// Whether this page has earlier messages, and not the newest.
    pub is_earlier: bool,
    pub person: Person,
    /// What the customer was asked to confirm, newest first.
    pub proposals: Vec<ProposalRow>,
    pub composer: Composer,
    /// Canned replies, by shortcut and text.
    pub canned: Vec<(String, String)>,
    /// Names of the others in it right now, and what they do.
    pub present: Vec<(String, Doing)>,
    /// Seconds for which `present` is valid; `None` where nobody is present.
    pub present_for: Option<i64>,
    /// Typed note that was refused.
    pub note_draft: String,
    /// Ids of the members that it was to mention.
    pub note_for: Vec<String>,
    /// Typed tag that was refused.
    pub tag_draft: String,
    pub refused: Option<Refused>,
}

impl ShownConversation<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "a time is told without a zone where there is no workspace")]
    const fn zone(&self) -> Option<&Zone> {
        Some(&self.zone)
    }

    const fn w(&self) -> &'static InboxWords {
        &self.words.inbox
    }

    /// Returns the path of the conversation with a canned reply in the composer.
    fn insert(&self, shortcut: &str) -> String {
        let shortcut: String = url::form_urlencoded::byte_serialize(shortcut.as_bytes()).collect();
        let path = self.query.conversation(&self.id);
        format!("{path}{}insert={shortcut}#text", if path.contains('?') { '&' } else { '?' })
    }

    /// Returns whether the person gets marketing, in words, and the posted value and label of the button that
    /// changes it.
    fn marketing(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let words = self.w();
        self.person.gets_marketing.map(|gets| {
            if gets {
                (words.gets_marketing, "yes", words.stop_marketing)
            } else {
                (words.gets_no_marketing, "no", words.resume_marketing)
            }
        })
    }

    /// Returns whether a note is written, and not an answer.
    fn writes_note(&self) -> bool {
        !self.note_draft.is_empty() || self.refused.as_ref().is_some_and(|refused| refused.is_of("notes"))
    }

    /// Returns whether its network has templates.
    const fn has_templates(&self) -> bool {
        self.channel.has_templates()
    }

    /// Returns whether the person's part holds typed words that were refused: reloading it would lose them.
    fn holds_typed_words(&self) -> bool {
        self.person.name_draft.is_some() || !self.tag_draft.is_empty()
    }

    fn is_mentioned(&self, id: &str) -> bool {
        self.note_for.iter().any(|mentioned| mentioned == id)
    }

    fn act(&self, what: &str) -> String {
        self.query.act(&self.id, what)
    }

    fn is_closed(&self) -> bool {
        self.status == ConversationStatus::Closed
    }

    fn is_bots(&self) -> bool {
        self.status == ConversationStatus::Bot
    }
}

#[cfg(test)]
mod tests {
    use domain::{attachments::AttachmentKind, messages::Role};
    use time::macros::datetime;

    use super::{Bubble, File};

    fn bubble() -> Bubble {
        let file = File {
            kind: AttachmentKind::Audio,
            url: "/attachments/a?expires=1&signature=b".to_owned(),
            title: "Voice".to_owned(),
            bytes: 0,
            is_shown: true,
        };
        Bubble {
            id: "1".to_owned(),
            role: Role::Customer,
            by: None,
            text: "One".to_owned(),
            transcription: None,
            files: vec![file],
            quote: None,
            reaction: None,
            notes: vec!["Edited"],
            stage: None,
            failure: None,
            at: datetime!(2026-11-21 10:00 UTC).into(),
            written_at: None,
            begins_day: false,
            goes_on: false,
            is_colleagues: false,
            note_for: None,
            explained: None,
            retry: None,
            undo: None,
            broadcast: None,
        }
    }

    #[test]
    fn a_second_edit_and_words_that_come_late_make_another_bubble_and_a_fresh_link_does_not() {
        let before = bubble().version();
        for changed in [
            Bubble { text: "Two".to_owned(), ..bubble() },
            Bubble { transcription: Some("words".to_owned()), ..bubble() },
            Bubble { failure: Some("too long ago".to_owned()), ..bubble() },
            Bubble { retry: Some("key".to_owned()), ..bubble() },
            Bubble { undo: Some("message".to_owned()), ..bubble() },
        ] {
            assert_ne!(changed.version(), before);
        }
        let mut linked = bubble();
        linked.files[0].url = "/attachments/a?expires=2&signature=c".to_owned();
        assert_eq!(linked.version(), before);
    }
}
