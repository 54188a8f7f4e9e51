//! Messages ready for the network: filled templates, texts, files and photos.

use std::fmt;

use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    channels::ChannelKind,
    contacts::Identity,
    ids::MessageId,
    link::PhotoUrl,
    messages::{ReplyButton, TemplateRef},
    phone::PhoneNumber,
};

/// Recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// Number on WhatsApp.
    Phone(PhoneNumber),
    /// Id by which the network knows the recipient.
    User(Identity),
}

impl Recipient {
    /// Returns the recipient that this identity names.
    pub fn of(identity: Identity) -> Self {
        match identity {
            Identity::Phone(phone) => Self::Phone(phone),
            user => Self::User(user),
        }
    }

    /// Returns the network over which the recipient is reached.
    pub fn channel(&self) -> ChannelKind {
        match self {
            Self::Phone(_) => ChannelKind::Whatsapp,
            Self::User(user) => user.channel(),
        }
    }

    /// Returns the number or the id, for removing it from texts that must not name anybody.
    pub fn value(&self) -> &str {
        match self {
            Self::Phone(phone) => phone.as_str(),
            Self::User(user) => user.value(),
        }
    }
}

/// Rule under which a network lets an answer to a customer through. WhatsApp keeps its own time and ignores
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyWindow {
    /// Answer by anybody, within 24 hours of the customer's last message.
    Within24h,
    /// Answer by a team member, after 24 hours and within 7 days.
    HumanAgent,
}

/// A place on the map.
#[derive(Clone, Default, PartialEq)]
pub struct Location {
    /// Degrees north of the equator.
    pub latitude: f64,
    /// Degrees east of Greenwich.
    pub longitude: f64,
    pub name: Option<String>,
    pub address: Option<String>,
}

/// Value that fills a template's header.
#[derive(Clone, PartialEq)]
pub enum HeaderValue {
    /// Value of a text header's variable.
    Text {
        /// Name or number of the variable.
        label: String,
        text: String,
    },
    /// Link to an image.
    Image(String),
    /// Link to a video.
    Video(String),
    /// Link to a document, and its file name on the phone.
    Document { link: String, filename: Option<String> },
    /// Place on the map.
    Location(Location),
}

/// Value of a variable in the body.
#[derive(Clone, PartialEq, Eq)]
pub struct BodyValue {
    /// Name or number of the variable, as in the template's text.
    pub label: String,
    pub text: String,
}

/// Value for a button: the end of a URL button's link, or a one-time code.
#[derive(Clone, PartialEq, Eq)]
pub struct ButtonValue {
    /// Position among all buttons, from 0.
    pub position: usize,
    pub text: String,
}

/// Most buttons under a text, as WhatsApp allows (docs/run/networks.md, "Buttons under a text").
pub const MAX_REPLY_BUTTONS: usize = 3;
/// Longest title of a button, on every network.
pub const MAX_BUTTON_TITLE_CHARS: usize = 20;
/// Longest id of a button, as WhatsApp allows.
pub const MAX_BUTTON_ID_CHARS: usize = 256;

/// A plain text as the network needs it, with any buttons under it. `Debug` shows the tag alone.
#[derive(Clone, PartialEq, Eq)]
pub struct TextMessage {
    /// Echoed by the network in every status.
    pub tag: MessageId,
    pub to: Recipient,
    pub text: String,
    /// At most [`MAX_REPLY_BUTTONS`].
    pub buttons: Vec<ReplyButton>,
    pub window: ReplyWindow,
}

impl fmt::Debug for TextMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A file as the network needs it. `Debug` shows the tag alone.
#[derive(Clone, PartialEq, Eq)]
pub struct FileMessage {
    pub tag: MessageId,
    pub to: Recipient,
    pub kind: AttachmentKind,
    pub file: StoredAttachment,
    /// Link by which the network can fetch the file for a while.
    pub link: String,
    /// `None` if the network fetches the file by its link.
    pub uploaded: Option<UploadedFile>,
    pub caption: Option<String>,
    pub window: ReplyWindow,
}

/// Id by which a network has an uploaded file, for messages of one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile(String);

impl UploadedFile {
    /// Wraps the network's id.
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

/// A photo that the network fetches by its link. `Debug` shows the tag alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PhotoMessage {
    pub tag: MessageId,
    pub to: Recipient,
    pub photo: PhotoUrl,
    /// Text under the photo, on networks that have one.
    pub caption: Option<String>,
    pub window: ReplyWindow,
}

impl fmt::Debug for PhotoMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhotoMessage").field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A filled template as the network needs it. `Debug` shows the tag and the template alone.
#[derive(Clone, PartialEq)]
pub struct TemplateMessage {
    pub tag: MessageId,
    pub to: PhoneNumber,
    pub template: TemplateRef,
    pub header: Option<HeaderValue>,
    /// In the order of the template's variables.
    pub body: Vec<BodyValue>,
    /// Values of the URL buttons that need one, in order, and the code if a button takes it.
    pub buttons: Vec<ButtonValue>,
    pub priority: Priority,
}

/// Precedence of a send where several wait for the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// For sends that somebody waits for: template sends, one-time codes, replies.
    Ordinary,
    /// For messages of broadcasts, which take the turns that are left.
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
