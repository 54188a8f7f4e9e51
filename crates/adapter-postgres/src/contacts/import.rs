//! Many contacts at once.

use diesel::{
    QueryableByName,
    sql_types::{Array, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    contacts::{Contact, ContactSource},
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::count::{count_contacts, searchable};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, Columns, sql},
};

pub(super) const ADD_UNKNOWN: &str = concat!(
    "WITH new_contact AS (
        INSERT INTO contacts (workspace_id, id, name, phone, source, created_at, searchable)
        SELECT $1, id, name, phone, source, created_at, searchable
        FROM unnest($2, $3, $4, $5, $6, $7) AS person (id, name, phone, source, created_at, searchable)
        ORDER BY phone
        ON CONFLICT (workspace_id, phone) DO NOTHING
        RETURNING id, phone, searchable
    ), ",
    count_contacts!(),
    " SELECT phone FROM new_contact",
);

pub(super) const FIND_ALL_BY_PHONE: &str = "
    SELECT id, name, phone, source, created_at FROM contacts WHERE workspace_id = $1 AND phone = ANY($2)";

#[derive(QueryableByName)]
struct PhoneRow {
    #[diesel(sql_type = Text)]
    phone: String,
}

#[derive(QueryableByName)]
struct PersonRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Text)]
    phone: String,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl PersonRow {
    fn read(self) -> Result<Contact, StoreError> {
        Ok(Contact {
            id: self.id.into(),
            name: self.name,
            phone: Some(number(&self.phone)?),
            source: ContactSource::read(&self.source).ok_or_else(|| unreadable("source"))?,
            created_at: self.created_at,
        })
    }
}

fn number(kept: &str) -> Result<PhoneNumber, StoreError> {
    PhoneNumber::from_e164(kept).map_err(|_| unreadable("phone number"))
}

impl PgStore {
    pub(super) async fn add_unknown_contacts(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
    ) -> Result<Vec<PhoneNumber>, StoreError> {
        let columns = Columns(contacts);
        let mut connection = self.connection().await?;
        let added: Vec<PhoneRow> = sql(ADD_UNKNOWN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(columns.of(|contact| contact.id.uuid()))
            .bind::<Array<Nullable<Text>>, _>(columns.of(|contact| contact.name.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(
                columns.of(|contact| contact.phone.as_ref().map(PhoneNumber::as_str)),
            )
            .bind::<Array<Text>, _>(columns.of(|contact| contact.source.as_str()))
            .bind::<Array<Timestamptz>, _>(columns.of(|contact| contact.created_at))
            .bind::<Array<Text>, _>(
                columns.of(|contact| searchable(contact.name.as_deref(), contact.phone.as_ref())),
            )
            .load(&mut connection)
            .await
            .map_err(failed)?;
        added.iter().map(|row| number(&row.phone)).collect()
    }

    pub(super) async fn contacts_with(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<Contact>, StoreError> {
        let mut connection = self.connection().await?;
        let found: Vec<PersonRow> = sql(FIND_ALL_BY_PHONE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Text>, _>(phones.iter().map(PhoneNumber::as_str).collect::<Vec<_>>())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        found.into_iter().map(PersonRow::read).collect()
    }
}
