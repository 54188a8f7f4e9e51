//! Contacts whose names are requested from the networks.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, QueryDsl, Queryable, Selectable, SelectableHelper,
    dsl::exists,
};
use domain::{
    contacts::{
        Identity,
        ports::{UnnamedContact, UnnamedContacts},
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};
use futures_util::future::try_join3;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::row::ContactRow;
use crate::{
    contacts::PgContacts,
    error::{failed, locked, unreadable},
    places,
    schema::{accounts, channels, contacts, conversations, identities, workspaces},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = identities)]
struct UnnamedRow {
    kind: String,
    value: String,
    contact_id: uuid::Uuid,
    profile_attempts: i32,
}

struct Way {
    account: AccountId,
    token_sealed: Vec<u8>,
}

#[async_trait]
impl UnnamedContacts for PgContacts {
    async fn workspaces_with_unnamed(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up in the index for each workspace, however many are due.
        let due = identities::table
            .filter(identities::workspace_id.eq(workspaces::workspace_id))
            .filter(identities::profile_due_at.le(now))
            .select(identities::value);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_unnamed(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<UnnamedContact>, StoreError> {
        let transaction = self.database.transaction().await?;
        let due = identities::table
            .filter(identities::workspace_id.eq(workspace.uuid()))
            .filter(identities::profile_due_at.le(now))
            .order((identities::profile_due_at, identities::kind, identities::value))
            .limit(i64::from(limit))
            .select(UnnamedRow::as_select())
            .for_update()
            .skip_locked()
            .load::<UnnamedRow>(&mut &*transaction);
        let claimed = transaction.begin_with(due).await.map_err(failed)?;
        if claimed.is_empty() {
            return Ok(Vec::new());
        }
        // Each by its whole key: for a list of keys, the plan may read all identities of a workspace instead.
        let mut leases = transaction.flight();
        for row in &claimed {
            let person = identities::table.find((workspace.uuid(), row.kind.as_str(), row.value.as_str()));
            leases.add(diesel::update(person).set((
                identities::profile_due_at.eq(lease_until),
                identities::profile_attempts.eq(row.profile_attempts.saturating_add(1)),
            )));
        }
        let ids: Vec<uuid::Uuid> = claimed.iter().map(|row| row.contact_id).collect();
        let people = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq_any(&ids))
            .select((ContactRow::as_select(), contacts::avatar_url))
            .load::<(ContactRow, Option<String>)>(&mut &*transaction);
        let channel =
            channels::id.eq(conversations::channel_id).and(channels::workspace_id.eq(workspace.uuid()));
        let account = accounts::id.eq(channels::account_id).and(accounts::workspace_id.eq(workspace.uuid()));
        let ways = conversations::table
            .inner_join(channels::table.on(channel))
            .inner_join(accounts::table.on(account))
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::contact_id.eq_any(&ids))
            .order(conversations::last_message_at)
            .select((conversations::contact_id, conversations::channel, accounts::id, accounts::token_sealed))
            .load::<(uuid::Uuid, String, uuid::Uuid, Vec<u8>)>(&mut &*transaction);
        let flight = try_join3(leases.counts(), people, ways);
        let (_, people, ways) = transaction.commit_with(flight).await.map_err(failed)?;
        let people: HashMap<_, _> =
            people.into_iter().map(|(contact, picture)| (contact.id(), (contact, picture))).collect();
        // Of several over one network, the one they wrote over last.
        let ways: HashMap<_, _> = ways
            .into_iter()
            .map(|(contact, network, account, token_sealed)| {
                ((contact, network), Way { account: account.into(), token_sealed })
            })
            .collect();
        let mut unnamed_contacts = Vec::with_capacity(claimed.len());
        for row in claimed {
            let contact = row.contact_id;
            // An unreadable contact stays, and is due again after the lease; the others continue.
            match self.unnamed_contact(workspace, &row, &people, &ways) {
                Ok(unnamed_contact) => unnamed_contacts.push(unnamed_contact),
                Err(error) => tracing::error!(%workspace, %contact, %error, "not readable"),
            }
        }
        Ok(unnamed_contacts)
    }

    async fn asked(
        &self,
        workspace: WorkspaceId,
        person: &Identity,
        again_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        diesel::update(identities::table)
            .filter(identities::workspace_id.eq(workspace.uuid()))
            .filter(identities::kind.eq(person.kind()))
            .filter(identities::value.eq(person.value()))
            .set(identities::profile_due_at.eq(again_at))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}

impl PgContacts {
    fn unnamed_contact(
        &self,
        workspace: WorkspaceId,
        row: &UnnamedRow,
        people: &HashMap<uuid::Uuid, (ContactRow, Option<String>)>,
        ways: &HashMap<(uuid::Uuid, String), Way>,
    ) -> Result<UnnamedContact, StoreError> {
        let identity = Identity::read(&row.kind, &row.value).ok_or_else(|| unreadable("identity"))?;
        let network = identity.channel().as_str().to_owned();
        let (contact, avatar_url) =
            people.get(&row.contact_id).cloned().ok_or_else(|| unreadable("person of an identity"))?;
        let way = ways.get(&(row.contact_id, network));
        Ok(UnnamedContact {
            contact: contact.read()?,
            avatar_url,
            identity,
            token: way.map(|way| self.token(workspace, way)).transpose()?,
            attempt: u32::try_from(row.profile_attempts).unwrap_or_default().saturating_add(1),
        })
    }

    fn token(&self, workspace: WorkspaceId, way: &Way) -> Result<SecretString, StoreError> {
        let place = places::token(workspace, way.account);
        let token = self.database.vault.open(&way.token_sealed, &place).map_err(locked)?;
        Ok(SecretString::from(String::from_utf8(token).map_err(|_| unreadable("token"))?))
    }
}
