//! A contact as a row.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, Queryable, QueryableByName, Selectable,
    SelectableHelper,
    dsl::{AsSelect, array, count},
    pg::Pg,
    sql_types::{Array, BigInt, Nullable, Text},
};
use domain::{
    channels::ChannelKind,
    contacts::{Contact, ContactProfile, ContactSource},
    errors::StoreError,
    ids::WorkspaceId,
    paging::Position,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use crate::{
    error::unreadable,
    schema::{contacts, conversation_tags, conversations},
    sql::{Insert, Selected},
};

#[derive(Clone, Queryable, Selectable, QueryableByName)]
#[diesel(table_name = contacts)]
pub(crate) struct ContactRow {
    id: uuid::Uuid,
    name: Option<String>,
    phone: Option<String>,
    source: String,
    created_at: OffsetDateTime,
}

impl ContactRow {
    pub(crate) const fn id(&self) -> uuid::Uuid {
        self.id
    }

    pub(crate) fn read(self) -> Result<Contact, StoreError> {
        let phone = self.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        Ok(Contact {
            id: self.id.into(),
            name: self.name,
            phone: phone.map_err(|_| unreadable("phone number"))?,
            source: ContactSource::read(&self.source).ok_or_else(|| unreadable("source"))?,
            created_at: self.created_at,
        })
    }
}

/// Sets every column of a contact. All writers of new contacts use it, so that none misses a field.
pub(crate) fn with_contact<'a, R>(
    rows: Insert<'a, contacts::table, R>,
    contact: impl Fn(&'a R) -> &'a Contact + Copy,
) -> Insert<'a, contacts::table, R> {
    rows.column(contacts::id, move |row| contact(row).id.uuid())
        .column(contacts::name, move |row| contact(row).name.as_deref())
        .column(contacts::phone, move |row| contact(row).phone.as_ref().map(PhoneNumber::as_str))
        .column(contacts::source, move |row| contact(row).source.as_str())
        .column(contacts::created_at, move |row| contact(row).created_at)
}

#[derive(Queryable, QueryableByName)]
pub(super) struct ProfileRow {
    #[diesel(embed)]
    pub(super) contact: ContactRow,
    #[diesel(embed)]
    pub(super) shown: ShownRow,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) conversations: Option<i64>,
    #[diesel(sql_type = Array<Text>)]
    pub(super) tags: Vec<String>,
}

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = contacts)]
pub(super) struct ShownRow {
    avatar_url: Option<String>,
    channels: Vec<String>,
    last_active_at: Option<OffsetDateTime>,
}

#[expect(
    clippy::type_complexity,
    reason = "one part for each field of the row; nothing else names the whole"
)]
pub(super) fn profile(
    workspace: WorkspaceId,
) -> (
    AsSelect<ContactRow, Pg>,
    AsSelect<ShownRow, Pg>,
    impl Selected<contacts::table, Nullable<BigInt>>,
    impl Selected<contacts::table, Array<Text>>,
) {
    (ContactRow::as_select(), ShownRow::as_select(), conversations_of(workspace), tags_of(workspace))
}

fn conversations_of(workspace: WorkspaceId) -> impl Selected<contacts::table, Nullable<BigInt>> {
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(contacts::id))
        .select(count(conversations::id))
        .single_value()
}

fn tags_of(workspace: WorkspaceId) -> impl Selected<contacts::table, Array<Text>> {
    let of_conversation = conversation_tags::conversation_id
        .eq(conversations::id)
        .and(conversation_tags::workspace_id.eq(workspace.uuid()));
    let tags = conversations::table
        .inner_join(conversation_tags::table.on(of_conversation))
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(contacts::id))
        .select(conversation_tags::tag);
    array::<Text, _>(tags)
}

impl ProfileRow {
    pub(super) fn comes_after(&self, place: Option<Position>) -> bool {
        place.is_none_or(|place| (self.contact.created_at, self.contact.id) < (place.at, place.id))
    }

    pub(super) fn read(self) -> Result<ContactProfile, StoreError> {
        let Self { contact, shown, conversations, mut tags } = self;
        tags.sort_unstable();
        tags.dedup();
        let mut channels = shown.channels;
        channels.sort_unstable();
        let channels = channels.iter().map(|kind| ChannelKind::read(kind));
        Ok(ContactProfile {
            contact: contact.read()?,
            avatar_url: shown.avatar_url,
            channels: channels.collect::<Option<_>>().ok_or_else(|| unreadable("channel"))?,
            tags,
            conversations: u64::try_from(conversations.unwrap_or_default())
                .map_err(|_| unreadable("count"))?,
            last_active_at: shown.last_active_at,
        })
    }
}
