//! A contact on the wire (docs/use/rest-api.md, "Shapes").

use domain::{
    channels::ChannelKind,
    contacts::{Contact, ContactProfile, ContactsPage},
    ids::ContactId,
    phone::PhoneNumber,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::schema::{contacts::Source, conversations::Channel, values};

/// A person the workspace knows.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Contact)]
pub(crate) struct ContactBody {
    #[schema(value_type = values::Id)]
    id: ContactId,
    /// The team's own name for the person, or the one they gave.
    #[schema(required = true)]
    name: Option<String>,
    /// Null for a person on Messenger or Instagram who never shared one.
    #[schema(value_type = Option<values::Phone>, required = true)]
    phone: Option<PhoneNumber>,
    #[schema(required = true)]
    avatar_url: Option<String>,
    /// Every channel that the person has written from.
    #[schema(value_type = Vec<Channel>, inline)]
    channels: Vec<&'static str>,
    /// The tags on any of the person's conversations.
    tags: Vec<String>,
    /// How many conversations the person has.
    conversations: u64,
    #[schema(value_type = Source, inline)]
    source: &'static str,
    /// When they last wrote; null for somebody who never did.
    #[serde(with = "domain::clock::timestamp::option")]
    #[schema(value_type = Option<values::Timestamp>, required = true)]
    last_active_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    created_at: OffsetDateTime,
}

/// A page of contacts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Contacts)]
pub(crate) struct ContactsBody {
    rows: Vec<ContactBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
    next_cursor: Option<String>,
    /// How many contacts pass the filter, on all pages.
    total: u64,
}

/// A person to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContactForm)]
pub(crate) struct AddBody {
    /// Their number, in any spelling.
    #[schema(example = "0770 123 4567")]
    pub(crate) phone: String,
    /// What to call them, white space at the ends not counted.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) name: Option<String>,
}

/// Another name.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ContactName)]
pub(crate) struct RenameBody {
    /// What to call them, white space at the ends not counted.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) name: String,
}

impl From<ContactProfile> for ContactBody {
    fn from(profile: ContactProfile) -> Self {
        let ContactProfile { contact, avatar_url, channels, tags, conversations, last_active_at } = profile;
        let Contact { id, name, phone, source, created_at } = contact;
        Self {
            id,
            name,
            phone,
            avatar_url,
            channels: channels.into_iter().map(ChannelKind::as_str).collect(),
            tags,
            conversations,
            source: source.as_str(),
            last_active_at,
            created_at,
        }
    }
}

impl From<ContactsPage> for ContactsBody {
    fn from(ContactsPage { page, total }: ContactsPage) -> Self {
        Self { rows: page.rows.into_iter().map(ContactBody::from).collect(), next_cursor: page.next, total }
    }
}
