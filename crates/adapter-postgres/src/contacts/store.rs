//! The store of contacts.

use async_trait::async_trait;
use diesel::{
    OptionalExtension,
    sql_types::{Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    contacts::{
        Contact, ContactFilter, ContactProfile, KeptSignal,
        ports::{ContactStore, FoundContacts, Naming},
    },
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    paging::PageRequest,
    phone::PhoneNumber,
};

use super::{
    alias::contact_now,
    count::{count_contacts, searchable},
    row::{ContactRow, profile},
};
use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    live::live_change,
    sql::{Bind, sql},
};

pub(super) const FIND: &str = concat!(
    "SELECT ",
    profile!(),
    " FROM contacts contact WHERE contact.workspace_id = $1 AND contact.id = ",
    contact_now!("$2")
);

pub(super) const FIND_BY_PHONE: &str = concat!(
    "SELECT ",
    profile!(),
    " FROM contacts contact WHERE contact.workspace_id = $1 AND contact.phone = $2"
);

pub(super) const ADD: &str = concat!(
    "WITH new_contact AS (
        INSERT INTO contacts (workspace_id, id, name, phone, source, created_at, searchable)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (workspace_id, phone) DO NOTHING
        RETURNING id, searchable
    ), ",
    count_contacts!(),
    " SELECT FROM new_contact",
);

/// Parts that the old text has and the new one lacks are counted down, and the other way about.
pub(super) const NAME: &str = concat!(
    "WITH known AS MATERIALIZED (
        SELECT id, searchable FROM contacts
        WHERE workspace_id = $1 AND id = $2 AND phone IS NOT DISTINCT FROM $3
          AND (NOT $4 OR name IS NOT DISTINCT FROM $5)
        FOR UPDATE
    ), named AS (
        UPDATE contacts SET name = $6, searchable = $7
        FROM known WHERE contacts.workspace_id = $1 AND contacts.id = known.id
    ), recounted AS (
        INSERT INTO contact_part_counts AS counts (workspace_id, part, slot, contacts)
        SELECT $1, part, contact_slot(id), sum(change)
        FROM (
            SELECT id, unnest(short_parts($7)) AS part, 1 AS change FROM known
            UNION ALL
            SELECT id, unnest(short_parts(searchable)), -1 FROM known
        ) changes
        GROUP BY id, part HAVING sum(change) <> 0 ORDER BY part
        ON CONFLICT (workspace_id, part, slot) DO UPDATE SET contacts = counts.contacts + excluded.contacts
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation.id AS conversation_id, NULL::uuid AS message_id
         FROM known JOIN conversations conversation ON conversation.workspace_id = $1 AND conversation.contact_id = known.id"
    ),
    " SELECT FROM known"
);

#[async_trait]
impl ContactStore for PgStore {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError> {
        self.list_contacts(workspace, filter, page).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Option<ContactProfile>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .get_result::<ContactRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(ContactRow::read).transpose()
    }

    async fn signals(&self, workspace: WorkspaceId, id: ContactId) -> Result<Vec<KeptSignal>, StoreError> {
        self.list_signals(workspace, id).await
    }

    async fn find_by_phone(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<ContactProfile>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND_BY_PHONE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(phone.as_str())
            .get_result::<ContactRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(ContactRow::read).transpose()
    }

    async fn add(&self, workspace: WorkspaceId, contact: &Contact) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let added = sql(ADD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(contact.id.uuid())
            .bind::<Nullable<Text>, _>(contact.name.as_deref())
            .bind::<Nullable<Text>, _>(contact.phone.as_ref().map(PhoneNumber::as_str))
            .bind::<Text, _>(contact.source.as_str())
            .bind::<Timestamptz, _>(contact.created_at)
            .bind::<Text, _>(searchable(contact.name.as_deref(), contact.phone.as_ref()))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(added > 0)
    }

    async fn add_unknown(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
    ) -> Result<Vec<PhoneNumber>, StoreError> {
        self.add_unknown_contacts(workspace, contacts).await
    }

    async fn find_all_by_phone(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<Contact>, StoreError> {
        self.contacts_with(workspace, phones).await
    }

    async fn name(&self, workspace: WorkspaceId, naming: &Naming) -> Result<bool, StoreError> {
        let Naming { contact, name, only_if_unchanged, entry } = naming;
        let mut transaction = self.begin().await?;
        let named = sql(NAME)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(contact.id.uuid())
            .bind::<Nullable<Text>, _>(contact.phone.as_ref().map(PhoneNumber::as_str))
            .bind::<Bool, _>(*only_if_unchanged)
            .bind::<Nullable<Text>, _>(contact.name.as_deref())
            .bind::<Text, _>(name.as_str())
            .bind::<Text, _>(searchable(Some(name.as_str()), contact.phone.as_ref()))
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if let Some(entry) = entry.as_ref().filter(|_| named > 0) {
            write_audit(&mut transaction, workspace, entry).await?;
        }
        transaction.commit().await?;
        Ok(named > 0)
    }
}
