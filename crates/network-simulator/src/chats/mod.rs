//! Chats as people have them on their phones.

mod act;
pub(crate) mod bubble;

use std::collections::{BTreeSet, VecDeque};

use serde::Serialize;
use time::OffsetDateTime;

use crate::clock;
use crate::config::Status;
use crate::log::Recent;

pub(crate) use act::Act;
use bubble::Bubble;

/// Most lines that a phone keeps of a chat.
const LINES: usize = 300;

/// Key of a chat: the number's, page's or Instagram account's id, and the person's id there.
pub(crate) type Whose = (String, String);

#[derive(Debug)]
pub(crate) struct Chats {
    by_person: Recent<Whose, VecDeque<Line>>,
    /// Chats of people's messages, by the messages' ids.
    by_message: Recent<String, Whose>,
    /// Times until which phones show that the business is typing.
    typing: Recent<Whose, OffsetDateTime>,
}

#[derive(Debug)]
struct Line {
    id: String,
    at: OffsetDateTime,
    way: Way,
    bubble: Bubble,
    edited: bool,
    deleted: bool,
    reactions: BTreeSet<String>,
}

/// Sender of a line and its progress.
#[derive(Debug)]
enum Way {
    /// Whether the callback accepted it.
    FromPerson { taken: bool },
    /// Times of the steps; with `by_hand`, somebody sets them and the message is on the phone meanwhile.
    FromBusiness { steps: Vec<(Status, OffsetDateTime)>, by_hand: bool },
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownLine<'a> {
    id: &'a str,
    mine: bool,
    at: String,
    /// `sent`, `taken`, `delivered`, `read` or `failed`.
    state: &'static str,
    edited: bool,
    deleted: bool,
    reactions: &'a BTreeSet<String>,
    #[serde(flatten)]
    bubble: &'a Bubble,
}

impl Chats {
    pub(crate) fn new(keep: usize) -> Self {
        Self { by_person: Recent::new(keep), by_message: Recent::new(keep), typing: Recent::new(keep) }
    }

    /// Records an act of a person; `id` is the message's, if it is one.
    pub(crate) fn person_did(&mut self, whose: &Whose, id: &str, act: Act, at: OffsetDateTime) {
        match act {
            Act::Says(bubble) => {
                self.by_message.put(id.to_owned(), whose.clone());
                self.add(whose, id, at, Way::FromPerson { taken: false }, bubble);
            }
            Act::Reacts { about, emoji } => self.change(whose, &about, |line| {
                line.reactions.clear();
                line.reactions.extend(emoji);
            }),
            Act::Edits { about, text } => self.change(whose, &about, |line| {
                line.bubble.text = Some(text);
                line.edited = true;
            }),
            Act::Deletes { about } => self.change(whose, &about, |line| {
                line.bubble = Bubble::default();
                line.deleted = true;
            }),
        }
    }

    /// Records that the callback accepted a person's message.
    pub(crate) fn taken(&mut self, whose: &Whose, id: &str) {
        self.change(whose, id, |line| line.way = Way::FromPerson { taken: true });
    }

    /// Records a message of a business with the times of its steps.
    pub(crate) fn business_sent(
        &mut self,
        whose: &Whose,
        id: &str,
        at: OffsetDateTime,
        (steps, by_hand): (Vec<(Status, OffsetDateTime)>, bool),
        bubble: Bubble,
    ) {
        self.typing.put(whose.clone(), at);
        self.add(whose, id, at, Way::FromBusiness { steps, by_hand }, bubble);
    }

    /// Shows until then that the business is typing, unless a message comes before.
    pub(crate) fn types(&mut self, whose: &Whose, until: OffsetDateTime) {
        self.typing.put(whose.clone(), until);
    }

    /// Shows the same to whoever wrote a message.
    pub(crate) fn types_to_writer_of(&mut self, message: &str, until: OffsetDateTime) {
        if let Some(whose) = self.by_message.get(&message.to_owned()).cloned() {
            self.types(&whose, until);
        }
    }

    /// Returns whether the phone shows at `now` that the business is typing.
    pub(crate) fn is_typing(&self, whose: &Whose, now: OffsetDateTime) -> bool {
        self.typing.get(whose).is_some_and(|until| now < *until)
    }

    /// Sets by hand how far a business's message got.
    pub(crate) fn ticked(&mut self, whose: &Whose, id: &str, status: Status, at: OffsetDateTime) {
        self.change(whose, id, |line| {
            if let Way::FromBusiness { steps, .. } = &mut line.way {
                // Later planned steps are overtaken.
                steps.retain(|(_, planned)| *planned <= at);
                steps.push((status, at));
            }
        });
    }

    /// Lists what the phone shows at `now`, oldest first; without what has not reached it.
    pub(crate) fn shown(&self, whose: &Whose, now: OffsetDateTime) -> Vec<ShownLine<'_>> {
        let lines = self.by_person.get(whose).into_iter().flatten();
        lines.filter_map(|line| line.shown(now)).collect()
    }

    fn add(&mut self, whose: &Whose, id: &str, at: OffsetDateTime, way: Way, bubble: Bubble) {
        if self.by_person.get(whose).is_none() {
            self.by_person.put(whose.clone(), VecDeque::new());
        }
        let Some(lines) = self.by_person.get_mut(whose) else { return };
        let (edited, deleted, reactions) = (false, false, BTreeSet::new());
        lines.push_back(Line { id: id.to_owned(), at, way, bubble, edited, deleted, reactions });
        if lines.len() > LINES {
            lines.pop_front();
        }
    }

    fn change(&mut self, whose: &Whose, id: &str, change: impl FnOnce(&mut Line)) {
        let lines = self.by_person.get_mut(whose);
        if let Some(line) = lines.into_iter().flatten().find(|line| line.id == id) {
            change(line);
        }
    }
}

impl Line {
    fn shown(&self, now: OffsetDateTime) -> Option<ShownLine<'_>> {
        let (mine, state) = match &self.way {
            Way::FromPerson { taken } => (true, if *taken { "taken" } else { "sent" }),
            Way::FromBusiness { steps, by_hand } => {
                let reached =
                    steps.iter().filter(|(_, at)| *at <= now).map(|(status, _)| *status).next_back();
                let state = match reached {
                    Some(Status::Delivered) => "delivered",
                    Some(Status::Read) => "read",
                    Some(Status::Failed) if *by_hand => "failed",
                    Some(Status::Sent) | None if *by_hand => "sent",
                    Some(Status::Sent | Status::Failed) | None => return None,
                };
                (false, state)
            }
        };
        Some(ShownLine {
            id: &self.id,
            mine,
            at: clock::rfc3339(self.at),
            state,
            edited: self.edited,
            deleted: self.deleted,
            reactions: &self.reactions,
            bubble: &self.bubble,
        })
    }
}
