//! A filled template, ready for the network.

use std::fmt;

use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    channels::ChannelKind,
    contacts::Identity,
    ids::MessageId,
    messages::TemplateRef,
    phone::PhoneNumber,
    systems::PhotoUrl,
};

/// To whom a text goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// A number on WhatsApp.
    Phone(PhoneNumber),
    /// Somebody whom the network knows by an id.
    User(Identity),
}

impl Recipient {
    /// Whom this identity names.
    pub fn of(identity: Identity) -> Self {
        match identity {
            Identity::Phone(phone) => Self::Phone(phone),
            user => Self::User(user),
        }
    }

    /// Over which network they are reached.
    pub fn channel(&self) -> ChannelKind {
        match self {
            Self::Phone(_) => ChannelKind::Whatsapp,
            Self::User(user) => user.channel(),
        }
    }

    /// The number or the id, for taking it out of texts that must not name anybody.
    pub fn value(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.as_str(),
            Self::User(user) => user.value(),
        }
    }
}

/// By what right a text is sent to somebody who wrote first. WhatsApp keeps its own time and ignores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyWindow {
    /// Anybody answers, for 24 hours.
    Within24h,
    /// A person of the team answers, after that and within 7 days.
    HumanAgent,
}

/// A place on the map.
#[derive(Clone, Default, PartialEq)]
pub struct Location {
    /// In degrees, north of the equator.
    pub latitude: f64,
    /// In degrees, east of Greenwich.
    pub longitude: f64,
    /// What it is called.
    pub name: Option<String>,
    /// Where it is, in words.
    pub address: Option<String>,
}

/// What fills the header.
#[derive(Clone, PartialEq)]
pub enum HeaderValue {
    /// The value of a text header's variable; its name where the template names its variables.
    Text {
        /// The variable's name, or its number.
        label: String,
        /// The value.
        text: String,
    },
    /// A link to an image.
    Image(String),
    /// A link to a video.
    Video(String),
    /// A link to a document, and its name on the phone.
    Document {
        /// The link.
        link: String,
        /// The name.
        filename: Option<String>,
    },
    /// A place on the map.
    Location(Location),
}

/// A value of the body. The label is a number or a name, as in the template's text.
#[derive(Clone, PartialEq, Eq)]
pub struct BodyValue {
    /// Which variable.
    pub label: String,
    /// Its value.
    pub text: String,
}

/// What completes a URL button.
#[derive(Clone, PartialEq, Eq)]
pub struct ButtonValue {
    /// The button's position among all buttons, from 0.
    pub position: usize,
    /// The value.
    pub text: String,
}

/// Buttons under a text, at most: what WhatsApp takes (Graph API reference, A.4).
pub const MAX_REPLY_BUTTONS: usize = 3;
/// Characters of a button's title, at most, on every network.
pub const MAX_BUTTON_TITLE_CHARS: usize = 20;
/// Characters of a button's id, at most: what WhatsApp takes.
pub const MAX_BUTTON_ID_CHARS: usize = 256;

/// A button under a text, which a customer taps instead of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyButton {
    /// What comes back when it is tapped; the customer does not see it.
    pub id: String,
    /// What the customer sees.
    pub title: String,
}

/// A plain text as the network needs it, with buttons under it where there are any. Prints nothing of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct TextMessage {
    /// The tag that the network echoes in every status.
    pub tag: MessageId,
    /// To whom.
    pub to: Recipient,
    /// The text.
    pub text: String,
    /// What can be tapped under it, [`MAX_REPLY_BUTTONS`] at most.
    pub buttons: Vec<ReplyButton>,
    /// By what right.
    pub window: ReplyWindow,
}

impl fmt::Debug for TextMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A file as the network needs it. Prints nothing of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct FileMessage {
    /// The tag that the network echoes in every status.
    pub tag: MessageId,
    /// To whom.
    pub to: Recipient,
    /// As what the network carries it.
    pub kind: AttachmentKind,
    /// The file.
    pub file: StoredAttachment,
    /// Where the network can fetch it for a while.
    pub link: String,
    /// The text that goes with it.
    pub caption: Option<String>,
    /// By what right.
    pub window: ReplyWindow,
}

impl fmt::Debug for FileMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A photo that the network fetches by its link. Prints nothing of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct PhotoMessage {
    /// The tag that the network echoes in every status.
    pub tag: MessageId,
    /// To whom.
    pub to: Recipient,
    /// Where it is.
    pub photo: PhotoUrl,
    /// By what right.
    pub window: ReplyWindow,
}

impl fmt::Debug for PhotoMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhotoMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A template send as the network needs it. Prints nothing of its contents: they may be a one-time code.
#[derive(Clone, PartialEq)]
pub struct TemplateMessage {
    /// The tag that the network echoes in every status.
    pub tag: MessageId,
    /// To whom.
    pub to: PhoneNumber,
    /// The template.
    pub template: TemplateRef,
    /// The header's value.
    pub header: Option<HeaderValue>,
    /// The body's values, in order.
    pub body: Vec<BodyValue>,
    /// The buttons' values, in order. A one-time code fills its button too.
    pub buttons: Vec<ButtonValue>,
    /// What it waits for.
    pub priority: Priority,
}

/// Whose turn it is where several sends wait for the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Somebody waits for it: a notice, a one-time code, a reply.
    Ordinary,
    /// Nobody does: it takes the turns that are left.
    Broadcast,
}

impl fmt::Debug for TemplateMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateMessage")
            .field("tag", &self.tag)
            .field("template", &self.template)
            .finish_non_exhaustive()
    }
}
