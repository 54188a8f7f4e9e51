//! Worded answers, and the messages that they are sent as.

use super::{phrase::Phrase, spoken::Spoken};
use crate::{
    channels::ChannelKind,
    link::PhotoUrl,
    sending::{TextLimit, fits},
};

/// An answer in code's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    pub(super) paragraphs: Vec<Paragraph>,
    /// Whether it is in a language that is written so.
    pub(super) is_right_to_left: bool,
}

/// Wording of one act.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Paragraph {
    pub(super) spoken: Spoken,
    pub(super) photo: Option<PhotoUrl>,
    /// Draft whose summary it is.
    pub(super) draft: Option<String>,
}

/// A message of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Text(String),
    Photo {
        url: PhotoUrl,
        caption: Option<String>,
    },
    /// The summary that a customer confirms by its buttons.
    Summary {
        draft: String,
        text: String,
    },
}

impl Message {
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Summary { text, .. } => Some(text),
            Self::Photo { caption, .. } => caption.as_deref(),
        }
    }
}

impl Paragraph {
    pub(super) fn of(spoken: Spoken) -> Self {
        Self { spoken, photo: None, draft: None }
    }
}

impl Speech {
    /// Returns the whole text but the summaries, and the facts in it.
    pub(super) fn spoken(&self) -> Spoken {
        let paragraphs = self.paragraphs.iter().filter(|paragraph| paragraph.draft.is_none());
        Spoken::of_paragraphs(paragraphs.map(|paragraph| paragraph.spoken.clone()))
    }

    /// Returns the text in one piece, without summaries.
    pub fn text(&self) -> String {
        self.spoken().text
    }

    /// Returns the answer in another wording; summaries stay as they are.
    pub fn in_words(self, wording: &str) -> Self {
        let words = Spoken { text: wording.trim().to_owned(), ..Spoken::default() };
        let (summaries, worded): (Vec<_>, Vec<_>) =
            self.paragraphs.into_iter().partition(|paragraph| paragraph.draft.is_some());
        let mut photos = worded.into_iter().filter_map(|paragraph| paragraph.photo);
        let first = Paragraph { photo: photos.next(), ..Paragraph::of(words) };
        let others = photos.map(|photo| Paragraph { photo: Some(photo), ..Paragraph::default() });
        let paragraphs = std::iter::once(first).chain(others).chain(summaries).collect();
        Self { paragraphs, is_right_to_left: self.is_right_to_left }
    }

    /// Joins the answer to as few messages as the network takes: text is the caption of the photo where
    /// photos have captions.
    pub fn messages(&self, channel: ChannelKind) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut joined = Joined::default();
        for paragraph in &self.paragraphs {
            if let Some(draft) = &paragraph.draft {
                self.close(std::mem::take(&mut joined), channel, &mut messages);
                messages.push(Message::Summary { draft: draft.clone(), text: paragraph.spoken.text.clone() });
                continue;
            }
            // Nobody is greeted below a photo.
            let greets_above = paragraph.photo.is_some() && !has_captions(channel) && joined.only_greets();
            if greets_above || (paragraph.photo.is_some() && joined.photo.is_some()) {
                self.close(std::mem::take(&mut joined), channel, &mut messages);
            }
            joined.photo = joined.photo.or_else(|| paragraph.photo.clone());
            joined.paragraphs.push(paragraph.spoken.clone());
        }
        self.close(joined, channel, &mut messages);
        messages
    }

    fn close(&self, joined: Joined, channel: ChannelKind, messages: &mut Vec<Message>) {
        let text = Spoken::of_paragraphs(joined.paragraphs.into_iter()).text;
        let text = if self.is_right_to_left { in_its_direction(&text) } else { text };
        let Some(url) = joined.photo else {
            messages.extend(split(&text, channel).into_iter().map(Message::Text));
            return;
        };
        if has_captions(channel) && TextLimit::Caption.fits(&text) {
            messages.push(Message::Photo { url, caption: Some(text).filter(|text| !text.is_empty()) });
        } else {
            messages.push(Message::Photo { url, caption: None });
            messages.extend(split(&text, channel).into_iter().map(Message::Text));
        }
    }
}

/// Paragraphs of one message.
#[derive(Default)]
struct Joined {
    paragraphs: Vec<Spoken>,
    photo: Option<PhotoUrl>,
}

impl Joined {
    fn only_greets(&self) -> bool {
        let mut spans = self.paragraphs.iter().flat_map(|paragraph| &paragraph.spans);
        !self.paragraphs.is_empty() && spans.all(|span| span.phrase.is_some_and(Phrase::greets))
    }
}

const fn has_captions(channel: ChannelKind) -> bool {
    match channel {
        ChannelKind::Whatsapp => true,
        ChannelKind::Messenger | ChannelKind::Instagram => false,
    }
}

/// Marks the lines that would begin at the wrong side: those whose letters are all isolated.
fn in_its_direction(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| format!("{}{line}", mark_of(line))).collect();
    lines.join("\n")
}

fn mark_of(line: &str) -> &'static str {
    let (mut depth, mut is_isolated) = (0_u32, false);
    for c in line.chars() {
        match c {
            '\u{2068}' => (depth, is_isolated) = (depth + 1, true),
            '\u{2069}' => depth = depth.saturating_sub(1),
            c if depth == 0 && c.is_alphabetic() => return "",
            _ => {}
        }
    }
    if is_isolated { "\u{200f}" } else { "" }
}

/// Splits a text into pieces that the network takes, between lines where it can.
fn split(text: &str, channel: ChannelKind) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut piece = String::new();
    for line in text.split_inclusive('\n') {
        if !fits(channel, &format!("{piece}{line}"), false) {
            pieces.push(std::mem::take(&mut piece));
        }
        for c in line.chars() {
            // A single line longer than a message is cut between letters.
            if !piece.is_empty() && !fits_with(&piece, c, channel) {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.push(c);
        }
    }
    pieces.push(piece);
    pieces.iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// Returns whether a piece still fits with one more letter; only near its limit is that counted out.
fn fits_with(piece: &str, c: char, channel: ChannelKind) -> bool {
    piece.len() + c.len_utf8() <= TextLimit::of(channel).characters()
        || fits(channel, &format!("{piece}{c}"), false)
}
