//! Members.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, NullableExpressionMethods, OptionalExtension, QueryDsl,
    QueryResult, Queryable, Selectable, SelectableHelper, dsl::IsNotNull,
};
use diesel_async::AsyncPgConnection;
use domain::{
    access::members::{
        FormerMember, Language, Member, Role,
        ports::{MemberStore, Revocation},
    },
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use futures_util::future::{try_join, try_join3};
use time::OffsetDateTime;

use super::factors::forget_factor;
use crate::{
    access::PgAccess,
    audit::audit,
    error::{failed, unreadable},
    schema::{
        api_keys, departures, group_members, invitations, member_logins, members, password_resets, sessions,
        systems,
    },
    sql::RunQueryDsl,
    transaction::{Flight, Transaction},
    webhooks::remove_addresses_of,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
pub(super) struct MemberRow {
    workspace_id: uuid::Uuid,
    id: uuid::Uuid,
    email: String,
    name: Option<String>,
    role: String,
    #[diesel(select_expression = members::password_hash.is_not_null())]
    #[diesel(select_expression_type = IsNotNull<members::password_hash>)]
    joined: bool,
    #[diesel(select_expression = members::totp_confirmed_at.is_not_null())]
    #[diesel(select_expression_type = IsNotNull<members::totp_confirmed_at>)]
    second_factor: bool,
    language: Option<String>,
    created_at: OffsetDateTime,
}

impl MemberRow {
    pub(super) fn read(self) -> Result<Member, StoreError> {
        Ok(Member {
            id: self.id.into(),
            workspace: self.workspace_id.into(),
            email: EmailAddress::kept(self.email),
            name: self.name,
            role: Role::read(&self.role).ok_or_else(|| unreadable("role"))?,
            joined: self.joined,
            second_factor: self.second_factor,
            language: language(self.language)?,
            created_at: self.created_at,
        })
    }
}

pub(super) fn language(kept: Option<String>) -> Result<Option<Language>, StoreError> {
    kept.map(|code| Language::read(&code).ok_or_else(|| unreadable("language"))).transpose()
}

pub(super) fn void_resets(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
) -> impl Future<Output = QueryResult<usize>> + Send + '_ {
    let links = password_resets::table
        .filter(password_resets::workspace_id.eq(workspace.uuid()))
        .filter(password_resets::member_id.eq(member.uuid()));
    diesel::delete(links).execute(&mut { connection })
}

fn void_made(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
) -> impl Future<Output = QueryResult<usize>> + Send + '_ {
    let made = invitations::table
        .filter(invitations::workspace_id.eq(workspace.uuid()))
        .filter(invitations::invited_by.eq(member.uuid()));
    diesel::delete(made).execute(&mut { connection })
}

/// Deletes the invitations that the member made, whose links they may know, and the one to their own address.
fn void_links<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
    address: &'c str,
) -> impl Future<Output = QueryResult<usize>> + Send + 'c {
    let links = invitations::table
        .filter(invitations::workspace_id.eq(workspace.uuid()))
        .filter(invitations::invited_by.eq(member.uuid()).or(invitations::email.eq(address)));
    diesel::delete(links).execute(&mut { connection })
}

/// Loads and locks the owners, so that nobody else removes one meanwhile.
fn locked_owners(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
) -> impl Future<Output = QueryResult<Vec<uuid::Uuid>>> + Send + '_ {
    members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::role.eq(Role::Owner.as_str()))
        .filter(members::left_at.is_null())
        .order(members::id)
        .select(members::id)
        .for_update()
        .load(&mut { connection })
}

pub(super) fn end_sessions(flight: &mut Flight<'_>, workspace: WorkspaceId, member: MemberId) {
    flight.add(diesel::delete(
        sessions::table
            .filter(sessions::workspace_id.eq(workspace.uuid()))
            .filter(sessions::member_id.eq(member.uuid())),
    ));
}

#[async_trait]
impl MemberStore for PgAccess {
    async fn team(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<MemberRow> = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::left_at.is_null())
            .order((members::created_at, members::id))
            .select(MemberRow::as_select())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(MemberRow::read).collect()
    }

    async fn former(&self, workspace: WorkspaceId) -> Result<Vec<FormerMember>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, Option<String>, String, OffsetDateTime)> = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::left_at.is_not_null())
            .order((members::created_at, members::id))
            .select((members::id, members::name, members::email, members::left_at.assume_not_null()))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(id, name, email, left_at): (uuid::Uuid, Option<String>, String, OffsetDateTime)| {
            FormerMember { id: id.into(), name: name.unwrap_or(email), left_at }
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn rename(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let present = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null());
        let rename = diesel::update(present).set(members::name.eq(name));
        Ok(self.database.change_audited(rename, workspace, entry).await? > 0)
    }

    async fn choose_language(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        language: Language,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let present = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null());
        let choose = diesel::update(present).set(members::language.eq(language.as_str()));
        Ok(self.database.change_audited(choose, workspace, entry).await? > 0)
    }

    async fn set_role(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let connection: &AsyncPgConnection = &transaction;
        let void = async {
            if role == Role::Owner { Ok(0) } else { void_made(connection, workspace, member).await }
        };
        let owners = locked_owners(connection, workspace);
        let present = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null());
        let set = diesel::update(present).set(members::role.eq(role.as_str())).execute(&mut { connection });
        let (_, owners, changed) =
            transaction.begin_with(try_join3(void, owners, set)).await.map_err(failed)?;
        if changed == 0 || (role != Role::Owner && !has_another(&owners, member)) {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        revocation: &Revocation,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        // An address never changes. Read separately, as invitations are not stored with members.
        let address = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .select(members::email)
            .get_result::<String>(&mut connection);
        let address = transaction.begin_with(address).await.optional().map_err(failed)?;
        let Some(address) = address else { return Err(StoreError::Stale) };
        // Links before the member, in the order in which accepting a link locks them.
        let links = try_join(
            void_links(connection, workspace, member, &address),
            void_resets(connection, workspace, member),
        );
        let owners = locked_owners(connection, workspace);
        let present = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::role.eq(role.as_str()))
            .filter(members::left_at.is_null());
        let leave = diesel::update(present)
            .set((members::left_at.eq(entry.at), members::password_hash.eq(None::<&str>)))
            .execute(&mut connection);
        let (_, owners, left) = transaction.send(try_join3(links, owners, leave)).await.map_err(failed)?;
        if left == 0 {
            return Err(StoreError::Stale);
        }
        if role == Role::Owner && !has_another(&owners, member) {
            return Err(StoreError::Stale);
        }
        // After the member: what they were creating is committed by now, or fails.
        revoke(&transaction, workspace, member, revocation, entry.at).await?;
        let mut flight = transaction.flight();
        for entry in [&revocation.api_keys, &revocation.webhook_addresses, &revocation.system] {
            entry.iter().flatten().for_each(|entry| audit(&mut flight, workspace, entry));
        }
        forget_factor(&mut flight, workspace, member);
        flight.add(diesel::delete(
            member_logins::table
                .filter(member_logins::email.eq(&address))
                .filter(member_logins::workspace_id.eq(workspace.uuid())),
        ));
        end_sessions(&mut flight, workspace, member);
        flight.add(diesel::delete(
            group_members::table
                .filter(group_members::workspace_id.eq(workspace.uuid()))
                .filter(group_members::member_id.eq(member.uuid())),
        ));
        flight.add(diesel::insert_into(departures::table).values((
            departures::workspace_id.eq(workspace.uuid()),
            departures::member_id.eq(member.uuid()),
            departures::removed_by.eq(entry.actor.member().unwrap_or(member).uuid()),
            departures::left_at.eq(entry.at),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}

/// Revokes those things the member made that `revocation` lists. [`StoreError::Stale`] if counts differ.
async fn revoke(
    transaction: &Transaction,
    workspace: WorkspaceId,
    member: MemberId,
    revocation: &Revocation,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut connection: &AsyncPgConnection = transaction;
    let is_all = |told: &[AuditEntry], changed: usize| {
        if told.len() == changed { Ok(()) } else { Err(StoreError::Stale) }
    };
    if let Some(told) = &revocation.api_keys {
        let made = api_keys::table
            .filter(api_keys::workspace_id.eq(workspace.uuid()))
            .filter(api_keys::creator_id.eq(member.uuid()))
            .filter(api_keys::revoked_at.is_null());
        let revoked = diesel::update(made).set(api_keys::revoked_at.eq(at)).execute(&mut connection);
        is_all(told, transaction.send(revoked).await.map_err(failed)?)?;
    }
    if let Some(told) = &revocation.webhook_addresses {
        let removed = remove_addresses_of(transaction, workspace, member, at);
        is_all(told, transaction.send(removed).await.map_err(failed)?)?;
    }
    if let Some(told) = &revocation.system {
        let connected = systems::table
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .filter(systems::creator_id.eq(member.uuid()));
        let disconnected = diesel::delete(connected).execute(&mut connection);
        is_all(told, transaction.send(disconnected).await.map_err(failed)?)?;
    }
    Ok(())
}

fn has_another(owners: &[uuid::Uuid], member: MemberId) -> bool {
    owners.iter().any(|owner| *owner != member.uuid())
}
