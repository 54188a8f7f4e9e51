//! A contact as a row.

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    channels::ChannelKind,
    contacts::{Contact, ContactProfile, ContactSource},
    errors::StoreError,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use crate::error::unreadable;

/// The columns of a [`ContactRow`], out of a table or a part of a statement called `contact`. The statement's first
/// value is the workspace. Names are sorted byte by byte, whatever the cluster's locale.
macro_rules! profile {
    () => {
        "contact.id, contact.name, contact.phone, contact.avatar_url, contact.channels, contact.source,
         contact.last_active_at, contact.created_at,
         (SELECT count(*) FROM conversations conversation
          WHERE conversation.workspace_id = $1 AND conversation.contact_id = contact.id) AS conversations,
         ARRAY(SELECT DISTINCT tagged.tag COLLATE \"C\" AS tag
               FROM conversations conversation
               JOIN conversation_tags tagged
                 ON tagged.workspace_id = $1 AND tagged.conversation_id = conversation.id
               WHERE conversation.workspace_id = $1 AND conversation.contact_id = contact.id
               ORDER BY tag) AS tags"
    };
}
pub(super) use profile;

#[derive(QueryableByName)]
pub(super) struct ContactRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    channels: Vec<String>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_active_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    conversations: i64,
    #[diesel(sql_type = Array<Text>)]
    tags: Vec<String>,
}

impl ContactRow {
    pub(super) fn read(self) -> Result<ContactProfile, StoreError> {
        let phone = self.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        let mut channels = self.channels;
        channels.sort_unstable();
        let channels = channels.iter().map(|kind| ChannelKind::read(kind));
        Ok(ContactProfile {
            contact: Contact {
                id: self.id.into(),
                name: self.name,
                phone: phone.map_err(|_| unreadable("phone number"))?,
                source: ContactSource::read(&self.source).ok_or_else(|| unreadable("source"))?,
                created_at: self.created_at,
            },
            avatar_url: self.avatar_url,
            channels: channels.collect::<Option<_>>().ok_or_else(|| unreadable("channel"))?,
            tags: self.tags,
            conversations: u64::try_from(self.conversations).map_err(|_| unreadable("count"))?,
            last_active_at: self.last_active_at,
        })
    }
}
