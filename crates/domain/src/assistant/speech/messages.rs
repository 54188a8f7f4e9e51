//! Worded answers, and the messages that they are sent as.

use super::spoken::Spoken;
use crate::{
    channels::ChannelKind,
    link::PhotoUrl,
    sending::{TextLimit, fits},
};

/// An answer in code's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    pub(super) paragraphs: Vec<Paragraph>,
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
        let mut all = Spoken::default();
        for paragraph in self.paragraphs.iter().filter(|paragraph| paragraph.draft.is_none()) {
            all.add_paragraph(paragraph.spoken.clone());
        }
        all
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
        Self { paragraphs: std::iter::once(first).chain(others).chain(summaries).collect() }
    }

    /// Joins the answer to as few messages as the network takes: text is the caption of the photo where
    /// photos have captions.
    pub fn messages(&self, channel: ChannelKind) -> Vec<Message> {
        let mut messages = Vec::new();
        let mut joined = Paragraph::default();
        for paragraph in &self.paragraphs {
            if let Some(draft) = &paragraph.draft {
                std::mem::take(&mut joined).close(channel, &mut messages);
                messages.push(Message::Summary { draft: draft.clone(), text: paragraph.spoken.text.clone() });
                continue;
            }
            if paragraph.photo.is_some() && joined.photo.is_some() {
                std::mem::take(&mut joined).close(channel, &mut messages);
            }
            joined.photo = joined.photo.or_else(|| paragraph.photo.clone());
            joined.spoken.add_paragraph(paragraph.spoken.clone());
        }
        joined.close(channel, &mut messages);
        messages
    }
}

impl Paragraph {
    fn close(self, channel: ChannelKind, messages: &mut Vec<Message>) {
        let text = self.spoken.text;
        let Some(url) = self.photo else {
            messages.extend(split(&text, channel).into_iter().map(Message::Text));
            return;
        };
        let has_captions = match channel {
            ChannelKind::Whatsapp => true,
            ChannelKind::Messenger | ChannelKind::Instagram => false,
        };
        if has_captions && TextLimit::Caption.fits(&text) {
            messages.push(Message::Photo { url, caption: Some(text).filter(|text| !text.is_empty()) });
        } else {
            messages.push(Message::Photo { url, caption: None });
            messages.extend(split(&text, channel).into_iter().map(Message::Text));
        }
    }
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
