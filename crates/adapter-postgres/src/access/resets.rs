//! Links for resetting passwords.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    access::{
        resets::{
            NewReset, OpenReset, ResetHash,
            ports::{Reachable, ResetStore},
        },
        sessions::PasswordHash,
    },
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use futures_util::future::{try_join, try_join_all, try_join3};
use time::OffsetDateTime;

use super::{
    credentials::{logins, wait_for_turn},
    factors::forget_factor,
    members::{end_sessions, language, void_resets},
};
use crate::{
    access::PgAccess,
    audit::audit,
    error::failed,
    schema::{members, password_resets, workspaces},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = password_resets)]
struct OpenRow {
    workspace_id: uuid::Uuid,
    member_id: uuid::Uuid,
    mailed: bool,
    expires_at: OffsetDateTime,
}

/// A member who may be mailed a link, with the name of their workspace.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = members)]
struct ReachableRow {
    workspace_id: uuid::Uuid,
    id: uuid::Uuid,
    created_at: OffsetDateTime,
    language: Option<String>,
    mailbox_proven_at: Option<OffsetDateTime>,
    #[diesel(select_expression = workspaces::name)]
    name: String,
    #[diesel(select_expression = workspaces::locale)]
    locale: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = password_resets)]
struct UsedRow {
    member_id: uuid::Uuid,
    mailed: bool,
    drops_factor: bool,
}

#[async_trait]
impl ResetStore for PgAccess {
    async fn reachable(&self, email: &EmailAddress, most: usize) -> Result<Vec<Reachable>, StoreError> {
        let connection = self.database.connection().await?;
        let connection: &AsyncPgConnection = &connection;
        let logins = logins(connection, email).await.map_err(failed)?;
        let of_login = |(workspace, member): (uuid::Uuid, uuid::Uuid)| async move {
            let reachable = members::table
                .inner_join(workspaces::table.on(workspaces::workspace_id.eq(members::workspace_id)))
                .filter(members::workspace_id.eq(workspace))
                .filter(workspaces::workspace_id.eq(workspace))
                .filter(members::id.eq(member))
                .filter(members::left_at.is_null())
                .filter(members::password_hash.is_not_null())
                .filter(workspaces::reset_by_mail)
                .select(ReachableRow::as_select());
            reachable.load::<ReachableRow>(&mut { connection }).await
        };
        let mut rows = try_join_all(logins.into_iter().map(of_login)).await.map_err(failed)?.concat();
        rows.sort_unstable_by_key(|row| (row.mailbox_proven_at.is_none(), row.created_at, row.id));
        rows.truncate(most);
        let read = |row: ReachableRow| {
            Ok::<_, StoreError>(Reachable {
                workspace: row.workspace_id.into(),
                member: row.id.into(),
                workspace_name: row.name,
                locale: row.locale,
                language: language(row.language)?,
            })
        };
        rows.into_iter().map(read).collect()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        reset: &NewReset,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let void = async move {
            if reset.mailed {
                void_mailed(connection, workspace, reset.member).await
            } else {
                void_resets(connection, workspace, reset.member).await
            }
        };
        let known = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(reset.member.uuid()))
            .filter(members::left_at.is_null())
            .filter(members::password_hash.is_not_null())
            .select(members::id)
            .load::<uuid::Uuid>(&mut connection);
        let (_, known) = transaction.begin_with(try_join(void, known)).await.map_err(failed)?;
        if known.is_empty() {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(password_resets::table).values((
            password_resets::token_hash.eq(reset.hash.0.as_slice()),
            password_resets::workspace_id.eq(workspace.uuid()),
            password_resets::member_id.eq(reset.member.uuid()),
            password_resets::mailed.eq(reset.mailed),
            password_resets::drops_factor.eq(reset.drops_factor),
            password_resets::created_at.eq(reset.created_at),
            password_resets::expires_at.eq(reset.expires_at),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn find(&self, hash: ResetHash, now: OffsetDateTime) -> Result<Option<OpenReset>, StoreError> {
        let mut connection = self.database.connection().await?;
        let link = password_resets::table
            .filter(password_resets::token_hash.eq(hash.0.as_slice()))
            .filter(password_resets::expires_at.gt(now))
            .select(OpenRow::as_select())
            .get_result::<OpenRow>(&mut connection)
            .await
            .optional();
        let Some(link) = link.map_err(failed)? else { return Ok(None) };
        let member = members::table
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(members::workspace_id)))
            .filter(members::workspace_id.eq(link.workspace_id))
            .filter(workspaces::workspace_id.eq(link.workspace_id))
            .filter(members::id.eq(link.member_id))
            .filter(members::left_at.is_null())
            .select((members::email, workspaces::name))
            .get_result::<(String, String)>(&mut connection)
            .await
            .optional();
        Ok(member.map_err(failed)?.map(|(email, workspace_name)| OpenReset {
            workspace: link.workspace_id.into(),
            workspace_name,
            member: link.member_id.into(),
            email: EmailAddress::kept(email),
            mailed: link.mailed,
            expires_at: link.expires_at,
        }))
    }

    async fn complete(
        &self,
        workspace: WorkspaceId,
        hash: ResetHash,
        password: &PasswordHash,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        // The link before the member, in the order in which removing a member locks them.
        let link = password_resets::table
            .filter(password_resets::token_hash.eq(hash.0.as_slice()))
            .filter(password_resets::workspace_id.eq(workspace.uuid()))
            .filter(password_resets::expires_at.gt(entry.at));
        let used =
            diesel::delete(link).returning(UsedRow::as_returning()).get_result::<UsedRow>(&mut connection);
        let used = transaction.begin_with(used).await.optional();
        let Some(used) = used.map_err(failed)? else { return Ok(false) };
        let member = MemberId::from(used.member_id);
        let void = void_resets(connection, workspace, member);
        let present = || {
            members::table
                .filter(members::workspace_id.eq(workspace.uuid()))
                .filter(members::id.eq(member.uuid()))
                .filter(members::left_at.is_null())
        };
        let write = diesel::update(present())
            .set(members::password_hash.eq(password.0.as_str()))
            .execute(&mut connection);
        let turn = wait_for_turn(connection, member.uuid());
        let (_, _, written) = transaction.send(try_join3(void, turn, write)).await.map_err(failed)?;
        if written == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        if used.mailed {
            flight.add(diesel::update(present()).set(members::mailbox_proven_at.eq(entry.at)));
        }
        if used.drops_factor {
            forget_factor(&mut flight, workspace, member);
        }
        end_sessions(&mut flight, workspace, member);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let by_mail = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .select(workspaces::reset_by_mail)
            .get_result::<bool>(&mut connection)
            .await
            .optional();
        Ok(by_mail.map_err(failed)?.unwrap_or(false))
    }

    async fn set_by_mail(
        &self,
        workspace: WorkspaceId,
        by_mail: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        if !by_mail {
            flight.add(diesel::delete(
                password_resets::table
                    .filter(password_resets::workspace_id.eq(workspace.uuid()))
                    .filter(password_resets::mailed),
            ));
        }
        let this = workspaces::table.filter(workspaces::workspace_id.eq(workspace.uuid()));
        flight.add(diesel::update(this).set(workspaces::reset_by_mail.eq(by_mail)));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}

/// Deletes the links that were mailed to a member. Keeps those that an operator handed over: anybody can
/// request a mailed link, and must not be able to invalidate an operator's.
fn void_mailed(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
) -> impl Future<Output = QueryResult<usize>> + Send + '_ {
    let mailed = password_resets::table
        .filter(password_resets::workspace_id.eq(workspace.uuid()))
        .filter(password_resets::member_id.eq(member.uuid()))
        .filter(password_resets::mailed);
    diesel::delete(mailed).execute(&mut { connection })
}
