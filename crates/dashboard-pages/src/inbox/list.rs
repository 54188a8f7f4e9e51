//! List of conversations.

use std::collections::HashMap;

use askama::Template;
use domain::{
    channels::ChannelKind,
    conversation::ConversationStatus,
    conversations::inbox::{InboxRow, MOST_UNREAD, Preview, PreviewKind},
    ids::ChannelId,
    messages::Role,
    zone::Zone,
};

use super::{Choice, InboxQuery, initials};
use crate::{
    icon::{self, Drawing},
    moment::Moment,
    refused::Refused,
    version,
    words::{InboxWords, Words},
};

/// A list that can be chosen.
#[derive(Debug, Clone)]
pub struct Tab {
    pub name: String,
    /// Number of open conversations as it is shown, with that word where it has others too; empty where they
    /// are not counted.
    pub count: String,
    pub href: String,
    /// Whether it is the one shown.
    pub is_shown: bool,
}

/// A conversation in the list.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: String,
    pub name: String,
    /// Initials that stand for their picture.
    pub initials: String,
    pub channel: ChannelKind,
    /// The workspace's number that it goes over, if it does.
    pub number: Option<String>,
    /// Name of the workspace's page that it goes over, if it does.
    pub page: Option<String>,
    pub status: ConversationStatus,
    /// Name of the member who holds it.
    pub holder: Option<String>,
    pub group: Option<String>,
    pub tags: Vec<String>,
    /// Beginning of its newest message.
    pub preview: String,
    /// Kind of the newest message, where it is not words.
    pub kind: Option<&'static str>,
    /// Author of the newest message.
    pub by: Option<Role>,
    /// Why nobody of the team has it yet, where that is known.
    pub reason: Option<String>,
    /// When the newest message was recorded.
    pub at: Moment,
    /// Since when the customer waits for an answer.
    pub waits_since: Option<Moment>,
    /// Newest messages that the member has not seen.
    pub unread: u32,
}

impl Row {
    /// Makes a row; `members` maps ids to names, `pages` the channels connected through a page to its name.
    pub fn of(
        row: InboxRow,
        members: &HashMap<String, String>,
        pages: &HashMap<ChannelId, String>,
        words: &Words,
    ) -> Self {
        let InboxRow {
            conversation,
            contact,
            tags,
            last_message,
            notice,
            read,
            waiting_since,
            number: over,
            ..
        } = row;
        let number = contact.phone.map(|phone| phone.as_str().to_owned());
        let name = contact.name.or(number).unwrap_or_else(|| words.inbox.nameless.to_owned());
        let by = last_message.as_ref().map(|message| message.role);
        let at = last_message.as_ref().map_or(conversation.last_message_at, |message| message.created_at);
        let kind = last_message.as_ref().and_then(|message| words.inbox.preview_kind(message.kind));
        let told = |notice: Preview| match &notice.system_message {
            Some(line) => words.told(line, notice.sender_id.as_deref(), members),
            None => words.system_message(&notice.text),
        };
        let is_unassigned =
            conversation.status == ConversationStatus::Open && conversation.assigned_to.is_none();
        let reason = notice.filter(|_| is_unassigned).map(told);
        let preview = last_message.map(|message| match message.kind {
            PreviewKind::SystemMessage => String::new(),
            // The stand-in text of a file that could not be had says no more than its kind.
            PreviewKind::File(kind) if message.text == kind.stand_in() => String::new(),
            PreviewKind::Text | PreviewKind::Template | PreviewKind::File(_) => {
                words.inbox.text(&message.text, message.role).into_owned()
            }
        });
        let holder = conversation.assigned_to.and_then(|member| members.get(&member.to_string()).cloned());
        Self {
            id: conversation.id.to_string(),
            initials: initials(&name),
            name,
            channel: conversation.channel_kind,
            status: conversation.status,
            waits_since: waiting_since.map(Into::into),
            kind,
            holder,
            group: conversation.group.map(|group| group.name),
            tags,
            preview: preview.unwrap_or_default(),
            by,
            reason,
            unread: if conversation.status == ConversationStatus::Closed { 0 } else { read.unread },
            page: pages.get(&conversation.channel).cloned(),
            number: over.map(|number| number.as_str().to_owned()),
            at: at.into(),
        }
    }

    /// Returns the number of unseen messages as it is shown: counting stops at a number that stands for more.
    fn unread(&self) -> String {
        let more = if self.unread >= MOST_UNREAD { "+" } else { "" };
        format!("{}{more}", self.unread.min(MOST_UNREAD - 1))
    }

    fn version(&self) -> String {
        version::of(self)
    }
}

/// List of conversations with its filters.
#[derive(Template)]
#[template(path = "inbox/list.html")]
pub struct InboxList<'a> {
    pub words: &'static Words,
    pub zone: Zone,
    pub query: &'a InboxQuery,
    /// Lists to choose from.
    pub tabs: Vec<Tab>,
    /// Lists of what each member holds.
    pub holders: Vec<Tab>,
    pub tags: Vec<String>,
    /// Unseen notes that mention the member: path, author, and text.
    pub mentions: Vec<(String, String, String)>,
    pub rows: Vec<Row>,
    /// Path of the next page.
    pub next: Option<String>,
    pub open: Option<String>,
    /// Members that conversations can be given to, and groups that they can be sent to.
    pub takers: (Vec<Choice>, Vec<Choice>),
    /// Conversations that were chosen for a move that failed, in full or in part.
    pub chosen: Vec<String>,
    /// Why nothing could be listed, or not everything moved.
    pub refused: Option<Refused>,
}

impl InboxList<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "a time is told without a zone where there is no workspace")]
    const fn zone(&self) -> Option<&Zone> {
        Some(&self.zone)
    }

    const fn w(&self) -> &'static InboxWords {
        &self.words.inbox
    }

    /// Returns the name and the count of the view that is shown.
    fn view(&self) -> (&str, &str) {
        let shown = self.tabs.iter().chain(&self.holders).find(|tab| tab.is_shown);
        shown.map_or((self.w().all, ""), |tab| (&tab.name, &tab.count))
    }

    /// Returns what narrows the view: its name, its value in words, and the path without it.
    fn chips(&self) -> Vec<(&'static str, &str, String)> {
        let (w, query) = (self.w(), self.query);
        let status = ConversationStatus::read(&query.status).map_or("", |status| w.of_status(&status));
        let channel = ChannelKind::read(&query.channel).map_or("", |channel| w.network(&channel));
        let without = |query: InboxQuery| InboxQuery { cursor: String::new(), ..query }.list();
        let chips = [
            (w.find, query.search.as_str(), without(InboxQuery { search: String::new(), ..query.clone() })),
            (w.status, status, without(InboxQuery { status: String::new(), ..query.clone() })),
            (w.channel, channel, without(InboxQuery { channel: String::new(), ..query.clone() })),
            (w.tag, &query.tag, without(InboxQuery { tag: String::new(), ..query.clone() })),
        ];
        chips.into_iter().filter(|(_, value, _)| !value.is_empty()).collect()
    }

    /// Lists the networks, each with the drawing that stands for it.
    fn signs() -> [(ChannelKind, Drawing); ChannelKind::ALL.len()] {
        ChannelKind::ALL.map(|channel| {
            let sign = match channel {
                ChannelKind::Whatsapp => icon::WHATSAPP,
                ChannelKind::Messenger => icon::MESSENGER,
                ChannelKind::Instagram => icon::INSTAGRAM,
            };
            (channel, sign.drawing())
        })
    }

    fn is_open(&self, row: &Row) -> bool {
        self.open.as_ref() == Some(&row.id)
    }

    fn is_chosen(&self, row: &Row) -> bool {
        self.chosen.contains(&row.id)
    }

    /// Returns the number of conversations with something new, as it is shown; `None` where there is none.
    pub fn unread(&self) -> Option<String> {
        let unread = self.rows.iter().filter(|row| row.unread > 0).count();
        let more = if self.next.is_some() && unread == self.rows.len() { "+" } else { "" };
        (unread > 0).then(|| format!("{unread}{more}"))
    }
}

#[cfg(test)]
mod tests {
    use domain::{channels::ChannelKind, conversation::ConversationStatus};
    use time::macros::datetime;

    use super::Row;

    fn row() -> Row {
        Row {
            id: "1".to_owned(),
            name: "Sara".to_owned(),
            initials: "S".to_owned(),
            channel: ChannelKind::Whatsapp,
            number: None,
            page: None,
            status: ConversationStatus::Open,
            holder: None,
            group: None,
            tags: vec![],
            preview: "Hello".to_owned(),
            kind: None,
            by: None,
            reason: None,
            at: datetime!(2026-11-21 10:00 UTC).into(),
            waits_since: None,
            unread: 1,
        }
    }

    #[test]
    fn a_number_that_counting_stops_at_stands_for_more() {
        for (unread, shown) in [(1, "1"), (99, "99"), (100, "99+")] {
            assert_eq!(Row { unread, ..row() }.unread(), shown);
        }
    }

    #[test]
    fn a_row_is_another_as_soon_as_it_shows_anything_else() {
        let before = row().version();
        assert_eq!(before, row().version());
        for changed in [
            Row { name: "Sara A.".to_owned(), initials: "SA".to_owned(), ..row() },
            Row { tags: vec!["VIP".to_owned()], ..row() },
            Row { unread: 2, ..row() },
            Row { page: Some("Shop".to_owned()), ..row() },
            Row { holder: Some("Ali".to_owned()), ..row() },
        ] {
            assert_ne!(changed.version(), before, "{changed:?}");
        }
    }
}
