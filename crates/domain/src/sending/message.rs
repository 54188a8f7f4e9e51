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

/// A text goes to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// They have a number on WhatsApp.
    Phone(PhoneNumber),
    /// The network knows them by an id.
    User(Identity),
}

impl Recipient {
    /// Returns whom this identity names.
    pub fn of(identity: Identity) -> Self {
        match identity {
            Identity::Phone(phone) => Self::Phone(phone),
            user => Self::User(user),
        }
    }

    /// Returns over which network they are reached.
    pub fn channel(&self) -> ChannelKind {
        match self {
            Self::Phone(_) => ChannelKind::Whatsapp,
            Self::User(user) => user.channel(),
        }
    }

    /// Returns the number or the id, for taking it out of texts that must not name anybody.
    pub fn value(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.as_str(),
            Self::User(user) => user.value(),
        }
    }
}

/// It says by what right a text is sent to somebody who wrote first. WhatsApp keeps its own time and ignores
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyWindow {
    /// Anybody answers, for 24 hours.
    Within24h,
    /// A person of the team answers, after that and within 7 days.
    HumanAgent,
}

/// It is a place on the map.
#[derive(Clone, Default, PartialEq)]
pub struct Location {
    /// It is in degrees, north of the equator.
    pub latitude: f64,
    /// It is in degrees, east of Greenwich.
    pub longitude: f64,
    pub name: Option<String>,
    /// It says where the place is, in words.
    pub address: Option<String>,
}

/// It fills the header.
#[derive(Clone, PartialEq)]
pub enum HeaderValue {
    /// It is the value of a text header's variable; its name where the template names its variables.
    Text {
        /// It is the variable's name, or its number.
        label: String,
        text: String,
    },
    /// It is a link to an image.
    Image(String),
    /// It is a link to a video.
    Video(String),
    /// It is a link to a document, and its name on the phone.
    Document { link: String, filename: Option<String> },
    /// It is a place on the map.
    Location(Location),
}

/// It is a value of the body. The label is a number or a name, as in the template's text.
#[derive(Clone, PartialEq, Eq)]
pub struct BodyValue {
    /// It names the variable.
    pub label: String,
    pub text: String,
}

/// It completes a URL button.
#[derive(Clone, PartialEq, Eq)]
pub struct ButtonValue {
    /// It is the button's position among all buttons, from 0.
    pub position: usize,
    pub text: String,
}

/// A text has at most so many buttons: what WhatsApp takes (docs/networks.md, "Buttons under a text").
pub const MAX_REPLY_BUTTONS: usize = 3;
/// A button's title has at most so many characters, on every network.
pub const MAX_BUTTON_TITLE_CHARS: usize = 20;
/// A button's id has at most so many characters: what WhatsApp takes.
pub const MAX_BUTTON_ID_CHARS: usize = 256;

/// It is a button under a text, which a customer taps instead of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyButton {
    /// It comes back when the button is tapped; the customer does not see it.
    pub id: String,
    /// The customer sees it.
    pub title: String,
}

/// It is a plain text as the network needs it, with buttons under it where there are any. It prints nothing
/// of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct TextMessage {
    /// It is the tag that the network echoes in every status.
    pub tag: MessageId,
    pub to: Recipient,
    pub text: String,
    /// There are [`MAX_REPLY_BUTTONS`] at most; they can be tapped under the text.
    pub buttons: Vec<ReplyButton>,
    /// It is the right by which it is sent.
    pub window: ReplyWindow,
}

impl fmt::Debug for TextMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// It is a file as the network needs it. It prints nothing of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct FileMessage {
    /// It is the tag that the network echoes in every status.
    pub tag: MessageId,
    pub to: Recipient,
    pub kind: AttachmentKind,
    pub file: StoredAttachment,
    /// The network can fetch the file there for a while.
    pub link: String,
    /// The network has the file by this id, where it was given it.
    pub uploaded: Option<UploadedFile>,
    /// It is the text that goes with the file.
    pub caption: Option<String>,
    pub window: ReplyWindow,
}

/// It is the id by which a network has a file that it was given, for messages of one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile(String);

impl UploadedFile {
    /// Makes one of the network's id.
    pub const fn new(id: String) -> Self {
        Self(id)
    }

    /// Returns the network's id.
    pub fn id(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for FileMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// It is a photo that the network fetches by its link. It prints nothing of its contents.
#[derive(Clone, PartialEq, Eq)]
pub struct PhotoMessage {
    /// It is the tag that the network echoes in every status.
    pub tag: MessageId,
    pub to: Recipient,
    pub photo: PhotoUrl,
    pub window: ReplyWindow,
}

impl fmt::Debug for PhotoMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhotoMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

#[derive(Clone, PartialEq)]
pub struct TemplateMessage {
    /// It is the tag that the network echoes in every status.
    pub tag: MessageId,
    pub to: PhoneNumber,
    pub template: TemplateRef,
    /// It is the value of the header's variable, link or place.
    pub header: Option<HeaderValue>,
    /// They are the body's values, in order.
    pub body: Vec<BodyValue>,
    /// They are the buttons' values, in order. A one-time code fills its button too.
    pub buttons: Vec<ButtonValue>,
    pub priority: Priority,
}

/// It says whose turn it is where several sends wait for the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Somebody waits for it: a template send, a one-time code, a reply.
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
