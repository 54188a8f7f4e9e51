//! Links for another password.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    access::{
        audit::AuditEntry,
        members::EmailAddress,
        resets::{
            NewReset, OpenReset, ResetHash,
            ports::{Reachable, ResetStore},
        },
        sessions::PasswordHash,
    },
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{
    audit::audit,
    credentials::forget_factor,
    members::{end_sessions, void_resets},
};
use crate::{
    access::PgAccess,
    error::failed,
    schema::{member_logins, members, password_resets, workspaces},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = password_resets)]
struct OpenRow {
    workspace_id: uuid::Uuid,
    member_id: uuid::Uuid,
    mailed: bool,
    expires_at: OffsetDateTime,
}

/// A link that is being used.
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
        let of_login = members::workspace_id
            .eq(member_logins::workspace_id)
            .and(members::id.eq(member_logins::member_id));
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, uuid::Uuid, String, String)> = member_logins::table
            .inner_join(members::table.on(of_login))
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(member_logins::workspace_id)))
            .filter(member_logins::email.eq(email.as_str()))
            .filter(members::left_at.is_null())
            .filter(members::password_hash.is_not_null())
            .filter(workspaces::reset_by_mail)
            .order((members::mailbox_proven_at.is_null(), members::created_at, members::id))
            .limit(i64::try_from(most).unwrap_or(i64::MAX))
            .select((members::workspace_id, members::id, workspaces::name, workspaces::locale))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(workspace, member, workspace_name, locale): (uuid::Uuid, uuid::Uuid, String, String)| {
            Reachable { workspace: workspace.into(), member: member.into(), workspace_name, locale }
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        reset: &NewReset,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let void = void_resets(connection, workspace, reset.member);
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
        let of_link = members::workspace_id
            .eq(password_resets::workspace_id)
            .and(members::id.eq(password_resets::member_id));
        let mut connection = self.database.connection().await?;
        let found = password_resets::table
            .inner_join(members::table.on(of_link))
            .inner_join(workspaces::table.on(workspaces::workspace_id.eq(password_resets::workspace_id)))
            .filter(password_resets::token_hash.eq(hash.0.as_slice()))
            .filter(password_resets::expires_at.gt(now))
            .filter(members::left_at.is_null())
            .select((OpenRow::as_select(), members::email, workspaces::name))
            .get_result::<(OpenRow, String, String)>(&mut connection)
            .await
            .optional();
        Ok(found.map_err(failed)?.map(|(link, email, workspace_name)| OpenReset {
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
        // The link first and the member then, as whoever removes them.
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
        let (_, written) = transaction.send(try_join(void, write)).await.map_err(failed)?;
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
