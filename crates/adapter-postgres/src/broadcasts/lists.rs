//! Lists of numbers that broadcasts go to.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
    sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    broadcasts::{BroadcastList, BroadcastState, ColumnValues, ListedNumber, ports::BroadcastListStore},
    contacts::{Contact, ContactSource},
    errors::StoreError,
    ids::{BroadcastListId, WorkspaceId},
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::{PgBroadcasts, audience::is_audience};
use crate::{
    audit::audit,
    bounds,
    error::{failed, unreadable},
    schema::{broadcast_list_people, broadcast_lists},
    sql::{RunQueryDsl, first_and_last, insert, statement, storable},
};

pub(super) const PEOPLE: &str =
    "SELECT listed.id, listed.phone, listed.filled_in, contact.id AS contact_id, contact.name,
           contact.source, contact.created_at
    FROM (
        SELECT id, phone, filled_in FROM broadcast_list_people
        WHERE workspace_id = :workspace AND list_id = :list AND id > :after ORDER BY id LIMIT :limit
    ) listed
    LEFT JOIN LATERAL (
        SELECT id, name, source, created_at FROM contacts
        WHERE workspace_id = :workspace AND phone = listed.phone LIMIT 1
    ) contact ON true
    ORDER BY listed.id";

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcast_lists)]
struct ListRow {
    id: uuid::Uuid,
    name: String,
    titles: Vec<String>,
    people: i64,
    complete: bool,
    created_at: OffsetDateTime,
}

impl ListRow {
    fn read(self) -> Result<BroadcastList, StoreError> {
        Ok(BroadcastList {
            id: self.id.into(),
            name: self.name,
            columns: self.titles,
            people: u64::try_from(self.people).map_err(|_| unreadable("count"))?,
            complete: self.complete,
            created_at: self.created_at,
        })
    }
}

#[derive(QueryableByName)]
struct PersonRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    phone: String,
    #[diesel(sql_type = Jsonb)]
    filled_in: serde_json::Value,
    #[diesel(sql_type = Nullable<Uuid>)]
    contact_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    source: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
}

fn number(text: &str) -> Result<PhoneNumber, StoreError> {
    PhoneNumber::from_e164(text).map_err(|_| unreadable("number"))
}

fn values(kept: serde_json::Value) -> Result<ColumnValues, StoreError> {
    serde_json::from_value(kept).map_err(|_| unreadable("columns of a list"))
}

impl PersonRow {
    fn read(self) -> Result<(ListedNumber, Option<Contact>), StoreError> {
        let phone = number(&self.phone)?;
        let contact = match (self.contact_id, self.source, self.created_at) {
            (Some(id), Some(source), Some(created_at)) => Some(Contact {
                id: id.into(),
                name: self.name,
                phone: Some(phone.clone()),
                source: ContactSource::read(&source).ok_or_else(|| unreadable("source"))?,
                created_at,
            }),
            _ => None,
        };
        Ok((ListedNumber { id: self.id, phone, values: values(self.filled_in)? }, contact))
    }
}

#[async_trait]
impl BroadcastListStore for PgBroadcasts {
    async fn lists(&self, workspace: WorkspaceId) -> Result<Vec<BroadcastList>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows = broadcast_lists::table
            .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
            .order(broadcast_lists::id.desc())
            .select(ListRow::as_select())
            .load::<ListRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ListRow::read).collect()
    }

    async fn complete_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
    ) -> Result<Option<BroadcastList>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = broadcast_lists::table
            .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_lists::id.eq(id.uuid()))
            .filter(broadcast_lists::complete.eq(true))
            .select(ListRow::as_select())
            .get_result::<ListRow>(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(ListRow::read).transpose()
    }

    async fn begin(
        &self,
        workspace: WorkspaceId,
        list: &BroadcastList,
        most: u32,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let known = broadcast_lists::table
            .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
            .count()
            .get_result::<i64>(&mut &*transaction);
        if !bounds::has_room(&transaction, workspace, known, most).await? {
            return Ok(false);
        }
        let begun = diesel::insert_into(broadcast_lists::table)
            .values((
                broadcast_lists::workspace_id.eq(workspace.uuid()),
                broadcast_lists::id.eq(list.id.uuid()),
                broadcast_lists::name.eq(storable(&list.name)),
                broadcast_lists::titles.eq(&list.columns),
                broadcast_lists::people.eq(0_i64),
                broadcast_lists::complete.eq(false),
                broadcast_lists::created_at.eq(list.created_at),
            ))
            .execute(&mut &*transaction);
        transaction.commit_with(begun).await.map_err(failed)?;
        Ok(true)
    }

    async fn add_to(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: &[ListedNumber],
    ) -> Result<u64, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(broadcast_list_people::table, workspace, people)
                .column(broadcast_list_people::list_id, |_| id.uuid())
                .column(broadcast_list_people::phone, |listed| listed.phone.as_str())
                .column(broadcast_list_people::id, |listed| listed.id)
                .column(broadcast_list_people::filled_in, |listed| serde_json::json!(listed.values))
                .in_order_of(broadcast_list_people::phone)
                .on_conflict_do_nothing(),
        );
        let counts = transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(counts.into_iter().map(|count| u64::try_from(count).unwrap_or(u64::MAX)).sum())
    }

    async fn complete(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: u64,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(broadcast_lists::table)
                .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
                .filter(broadcast_lists::id.eq(id.uuid()))
                .set((
                    broadcast_lists::people.eq(i64::try_from(people).unwrap_or(i64::MAX)),
                    broadcast_lists::complete.eq(true),
                )),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn is_needed(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<bool, StoreError> {
        let open = BroadcastState::ALL.into_iter().filter(|state| !state.is_over());
        let open: Vec<BroadcastState> = open.collect();
        is_audience(&self.database, workspace, &open, &["list"], id.to_string()).await
    }

    async fn forget(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<(), StoreError> {
        self.take_out(workspace, id, None).await.map(drop)
    }

    async fn remove_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        self.take_out(workspace, id, Some(entry)).await
    }

    async fn people_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        after: Option<uuid::Uuid>,
        limit: u32,
    ) -> Result<Vec<(ListedNumber, Option<Contact>)>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows = statement(PEOPLE)
            .of(workspace)
            .bind::<Uuid, _>("list", id.uuid())
            .bind::<Uuid, _>("after", after.unwrap_or_default())
            .bind::<BigInt, _>("limit", i64::from(limit))
            .load::<PersonRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(PersonRow::read).collect()
    }

    async fn values_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        phones: &[PhoneNumber],
    ) -> Result<HashMap<PhoneNumber, ColumnValues>, StoreError> {
        let phones: Vec<&str> = phones.iter().map(PhoneNumber::as_str).collect();
        let Some((first, last)) = first_and_last(phones.iter().copied()) else { return Ok(HashMap::new()) };
        let mut connection = self.database.connection().await?;
        let rows: Vec<(String, serde_json::Value)> = broadcast_list_people::table
            .filter(broadcast_list_people::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_list_people::list_id.eq(id.uuid()))
            .filter(broadcast_list_people::phone.between(first, last))
            .filter(broadcast_list_people::phone.eq_any(&phones))
            .select((broadcast_list_people::phone, broadcast_list_people::filled_in))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(|(phone, kept)| Ok((number(&phone)?, values(kept)?))).collect()
    }
}

impl PgBroadcasts {
    async fn take_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        entry: Option<&AuditEntry>,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        // From here on no broadcast can begin with it.
        let hidden = diesel::update(broadcast_lists::table)
            .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_lists::id.eq(id.uuid()))
            .set(broadcast_lists::complete.eq(false))
            .execute(&mut connection);
        if transaction.begin_with(hidden).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::delete(broadcast_list_people::table)
                .filter(broadcast_list_people::workspace_id.eq(workspace.uuid()))
                .filter(broadcast_list_people::list_id.eq(id.uuid())),
        );
        flight.add(
            diesel::delete(broadcast_lists::table)
                .filter(broadcast_lists::workspace_id.eq(workspace.uuid()))
                .filter(broadcast_lists::id.eq(id.uuid())),
        );
        if let Some(entry) = entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}
