//! A conversation, what can be done with it, and whom it is with.

use askama::Template;
use domain::{
    attachments::AttachmentKind,
    automations::Zone,
    channels::ChannelKind,
    conversations::ConversationStatus,
    messages::{DeliveryStatus, Role, Stage},
    presence::Doing,
};

use super::{InboxQuery, ProposalRow};
use crate::{
    moment::Moment,
    version,
    words::{InboxWords, Words},
};

/// A file of a message.
#[derive(Debug, Clone)]
pub struct File {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where it is.
    pub url: String,
    /// Its name, or what it is.
    pub title: String,
    /// Whether this server has it and browsers know its type, so that a page may show it.
    pub is_shown: bool,
}

impl File {
    const fn is_picture(&self) -> bool {
        self.is_shown && matches!(self.kind, AttachmentKind::Image | AttachmentKind::Sticker)
    }

    const fn is_sound(&self) -> bool {
        self.is_shown && matches!(self.kind, AttachmentKind::Audio)
    }
}

/// A message as it is shown.
#[derive(Debug, Clone)]
pub struct Bubble {
    /// Its id.
    pub id: String,
    /// Who wrote it.
    pub role: Role,
    /// Which person of the team, by name.
    pub by: Option<String>,
    /// Its words.
    pub text: String,
    /// The words of its voice note.
    pub transcription: Option<String>,
    /// Its files.
    pub files: Vec<File>,
    /// The beginning of the message that it answers, and where that is.
    pub quote: Option<(String, String)>,
    /// The customer's reaction.
    pub reaction: Option<String>,
    /// What else is known of it: passed on, edited, deleted.
    pub notes: Vec<&'static str>,
    /// How far it has come, where we sent it.
    pub stage: Option<Stage>,
    /// Why it failed.
    pub failure: Option<String>,
    /// The broadcast that it is of, by its id and its name.
    pub broadcast: Option<(String, String)>,
    /// When it was recorded.
    pub at: Moment,
    /// When the customer wrote it, where that was at another time.
    pub written_at: Option<Moment>,
    /// Whether it is the first of its day.
    pub begins_day: bool,
    /// Whom it mentions, where it is a note to the team and no message.
    pub note_for: Option<Vec<String>>,
    /// Where it is told what became of it, where we sent it.
    pub explained: Option<String>,
    /// What it can be sent under anew, where it failed and can be.
    pub retry: Option<String>,
}

impl Bubble {
    /// Changes whenever anything that it shows does. Links to its files are others each time, and lead to the same.
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
    /// What is posted.
    pub value: String,
    /// What it is called.
    pub name: String,
}

/// Where a reply is written.
#[derive(Debug, Clone)]
pub struct Composer {
    /// What the draft is sent under, so that it is sent once however often it is posted.
    pub key: String,
    /// What was written and not taken.
    pub draft: String,
    /// Whether the network takes no free words any more.
    pub is_closed: bool,
    /// Until when it takes them, where that is known.
    pub closes_at: Option<Moment>,
}

/// Whom a conversation is with.
#[derive(Debug, Clone)]
pub struct Person {
    /// Their id.
    pub id: String,
    /// What they are called.
    pub name: String,
    /// The team's own name for them.
    pub written_name: String,
    /// A name that was not taken.
    pub name_draft: Option<String>,
    /// Their number.
    pub phone: Option<String>,
    /// Since when they are known.
    pub since: Moment,
    /// Whether they get marketing, where they have a number that it goes to.
    pub gets_marketing: Option<bool>,
    /// Their other conversations: where each is, over which network, and who answers.
    pub others: Vec<(String, ChannelKind, ConversationStatus)>,
    /// Where all of them are, where there are more.
    pub all: Option<String>,
}

/// Why something was not done.
#[derive(Debug, Clone)]
pub struct NotDone<'a> {
    /// The sentence.
    pub because: &'a str,
    /// What became of it then.
    pub outcome: Outcome,
    /// Where it is told what became of it, where that is known.
    pub explained: Option<String>,
}

/// What became of an answer that was not taken like the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was sent.
    Refused,
    /// The network refused it, and it stands in the conversation as failed.
    Recorded,
    /// Nobody knows whether it was sent: its id, where that is known.
    Unclear(Option<String>),
}

impl Outcome {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Recorded => "recorded",
            Self::Unclear(_) => "unclear",
        }
    }

    /// Which message nobody knows of, where that is known.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Refused | Self::Recorded => None,
            Self::Unclear(id) => id.as_deref(),
        }
    }
}

/// A conversation.
#[derive(Template)]
#[template(path = "inbox/conversation.html")]
pub struct ShownConversation<'a> {
    /// What it says.
    pub words: &'static Words,
    /// Where the clock is that its times are told by.
    pub zone: Zone,
    /// The list beside it.
    pub query: &'a InboxQuery,
    /// Its id.
    pub id: String,
    /// Over which network.
    pub channel: ChannelKind,
    /// Who answers.
    pub status: ConversationStatus,
    /// Who of the team holds it.
    pub holder: Option<String>,
    /// Whether whoever looks at it does.
    pub is_mine: bool,
    /// The group it was sent to.
    pub group: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whom it can be given to.
    pub members: Vec<Choice>,
    /// Where it can be sent.
    pub groups: Vec<Choice>,
    /// Its messages, the oldest first.
    pub bubbles: Vec<Bubble>,
    /// The page with earlier messages.
    pub earlier: Option<String>,
    /// Whether this page has earlier messages, and not the newest.
    pub is_earlier: bool,
    /// With whom.
    pub person: Person,
    /// What the customer was asked to confirm, newest first.
    pub proposals: Vec<ProposalRow>,
    /// Where a reply is written.
    pub composer: Composer,
    /// Short texts to answer with, by shortcut and text.
    pub canned: Vec<(String, String)>,
    /// Who else is in it right now, and what they do.
    pub present: Vec<(String, Doing)>,
    /// For how many seconds that is known; nothing where nobody is.
    pub present_for: Option<i64>,
    /// A note that was not taken.
    pub note_draft: String,
    /// The ids of those whom it was to mention.
    pub note_for: Vec<String>,
    /// A tag that was not taken.
    pub tag_draft: String,
    /// Why something was not done.
    pub refused: Option<NotDone<'a>>,
}

impl ShownConversation<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "a time is told without a zone where there is no workspace")]
    const fn zone(&self) -> Option<&Zone> {
        Some(&self.zone)
    }

    const fn w(&self) -> &'static InboxWords {
        &self.words.inbox
    }

    /// The conversation with a canned reply in the place where one is written.
    fn insert(&self, shortcut: &str) -> String {
        let shortcut: String = url::form_urlencoded::byte_serialize(shortcut.as_bytes()).collect();
        let path = self.query.conversation(&self.id);
        format!("{path}{}insert={shortcut}#text", if path.contains('?') { '&' } else { '?' })
    }

    /// Whether the person gets marketing, and what changes that: what is posted, and what the button says.
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

    /// Whether its network has templates.
    const fn has_templates(&self) -> bool {
        self.channel.has_templates()
    }

    /// Whether the person's part holds what was typed and not taken: it is not loaded anew then, or that were gone.
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
            note_for: None,
            explained: None,
            retry: None,
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
        ] {
            assert_ne!(changed.version(), before);
        }
        let mut linked = bubble();
        linked.files[0].url = "/attachments/a?expires=2&signature=c".to_owned();
        assert_eq!(linked.version(), before);
    }
}
