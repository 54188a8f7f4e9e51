//! Invitations.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Binary, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::{
        audit::{Actor, AuditEntry},
        members::{
            EmailAddress, Invitation, Member, OpenInvitation, Role,
            ports::{Acceptance, InvitationHash, InvitationStore, NotInvited},
        },
    },
    errors::StoreError,
    ids::{InvitationId, MemberId, WorkspaceId},
};
use time::OffsetDateTime;

use super::{
    members::{MemberRow, member_columns},
    sessions, write_audit,
};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// The workspace, and whether the address is a member's; $3 is whether one who has not joined counts.
pub(super) const MAY_INVITE: &str = "
    SELECT name, locale, EXISTS (
        SELECT FROM members
        WHERE workspace_id = $1 AND email = $2 AND left_at IS NULL AND ($3 OR password_hash IS NOT NULL)
    ) AS known
    FROM workspaces WHERE workspace_id = $1";

pub(super) const REPLACE: &str = "DELETE FROM invitations WHERE workspace_id = $1 AND email = $2";

pub(super) const ADD: &str = "
    INSERT INTO invitations
        (token_hash, id, workspace_id, email, role, created_at, expires_at, invited_by, from_operator, mailed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8 IS NULL, $9)";

pub(super) const FIND: &str = "
    SELECT invitation.id, invitation.workspace_id, email, role, invitation.created_at, expires_at,
           workspace.name AS workspace_name, workspace.locale
    FROM invitations invitation JOIN workspaces workspace ON workspace.workspace_id = invitation.workspace_id
    WHERE token_hash = $1 AND expires_at > $2";

pub(super) const LIST: &str = "
    SELECT id, workspace_id, email, role, created_at, expires_at FROM invitations
    WHERE workspace_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC";

pub(super) const WITHDRAW: &str = "DELETE FROM invitations WHERE workspace_id = $1 AND id = $2";

/// Whoever left is not known any more. A member who has not joined joins by an operator's link alone, and keeps their
/// id and role; one who has is never touched.
pub(super) const ACCEPT: &str = concat!(
    "WITH used AS (
        DELETE FROM invitations WHERE token_hash = $1 AND workspace_id = $2 AND expires_at > $3
        RETURNING email, role, from_operator, mailed
    ), others AS (
        DELETE FROM invitations USING used
        WHERE invitations.workspace_id = $2 AND invitations.email = used.email AND token_hash <> $1
    ), member AS (
        INSERT INTO members AS known
            (workspace_id, id, email, role, created_at, name, password_hash, mailbox_proven_at)
        SELECT $2, $4, used.email, used.role, $3, $5, $6, CASE WHEN used.mailed THEN $3 END FROM used
        ON CONFLICT (workspace_id, email) WHERE left_at IS NULL DO UPDATE SET
            name = excluded.name, password_hash = excluded.password_hash
        WHERE known.password_hash IS NULL AND (SELECT from_operator FROM used)
        RETURNING *
    ), login AS (
        INSERT INTO member_logins (email, workspace_id, member_id) SELECT email, $2, id FROM member
        ON CONFLICT (email, workspace_id) DO UPDATE SET member_id = excluded.member_id
    )
    SELECT ",
    member_columns!(),
    " FROM member"
);

#[derive(QueryableByName)]
struct Inviting {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    locale: String,
    #[diesel(sql_type = Bool)]
    known: bool,
}

#[derive(QueryableByName)]
struct InvitationRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
}

impl InvitationRow {
    fn read(self) -> Result<Invitation, StoreError> {
        Ok(Invitation {
            id: self.id.into(),
            workspace: self.workspace_id.into(),
            email: EmailAddress::kept(self.email),
            role: Role::read(&self.role).ok_or_else(|| unreadable("role"))?,
            created_at: self.created_at,
            expires_at: self.expires_at,
        })
    }
}

#[derive(QueryableByName)]
struct OpenRow {
    #[diesel(embed)]
    invitation: InvitationRow,
    #[diesel(sql_type = Text)]
    workspace_name: String,
    #[diesel(sql_type = Text)]
    locale: String,
}

#[async_trait]
impl InvitationStore for PgStore {
    async fn add(
        &self,
        workspace: WorkspaceId,
        invitation: &Invitation,
        hash: InvitationHash,
        mailed: bool,
        entry: &AuditEntry,
    ) -> Result<Result<OpenInvitation, NotInvited>, StoreError> {
        let invited_by = entry.actor.member();
        let mut transaction = self.begin().await?;
        let inviting = sql(MAY_INVITE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(invitation.email.as_str())
            .bind::<Bool, _>(invited_by.is_some())
            .get_result::<Inviting>(&mut transaction)
            .await
            .optional();
        let Some(inviting) = inviting.map_err(failed)? else { return Ok(Err(NotInvited::NoWorkspace)) };
        if inviting.known {
            return Ok(Err(NotInvited::AlreadyMember));
        }
        sql(REPLACE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(invitation.email.as_str())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        sql(ADD)
            .bind::<Binary, _>(hash.0)
            .bind::<Uuid, _>(invitation.id.uuid())
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(invitation.email.as_str())
            .bind::<Text, _>(invitation.role.as_str())
            .bind::<Timestamptz, _>(invitation.created_at)
            .bind::<Timestamptz, _>(invitation.expires_at)
            .bind::<Nullable<Uuid>, _>(invited_by.map(MemberId::uuid))
            .bind::<Bool, _>(mailed)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        let Inviting { name: workspace_name, locale, .. } = inviting;
        Ok(Ok(OpenInvitation { invitation: invitation.clone(), workspace_name, locale }))
    }

    async fn find(
        &self,
        hash: InvitationHash,
        now: OffsetDateTime,
    ) -> Result<Option<OpenInvitation>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Binary, _>(hash.0)
            .bind::<Timestamptz, _>(now)
            .get_result::<OpenRow>(&mut connection)
            .await
            .optional();
        let Some(OpenRow { invitation, workspace_name, locale }) = row.map_err(failed)? else {
            return Ok(None);
        };
        Ok(Some(OpenInvitation { invitation: invitation.read()?, workspace_name, locale }))
    }

    async fn list(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Vec<Invitation>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<InvitationRow> = sql(LIST)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(InvitationRow::read).collect()
    }

    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        id: InvitationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let found = sql(WITHDRAW)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if found == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn accept(
        &self,
        workspace: WorkspaceId,
        acceptance: &Acceptance,
    ) -> Result<Option<Member>, StoreError> {
        let mut transaction = self.begin().await?;
        let member = sql(ACCEPT)
            .bind::<Binary, _>(acceptance.invitation.0)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(acceptance.now)
            .bind::<Uuid, _>(acceptance.member_if_new.uuid())
            .bind::<Text, _>(&acceptance.name)
            .bind::<Text, _>(&acceptance.password.0)
            .get_result::<MemberRow>(&mut transaction)
            .await
            .optional();
        let Some(member) = member.map_err(failed)? else { return Ok(None) };
        let member = member.read()?;
        sessions::add(&mut transaction, workspace, member.id, &acceptance.session).await?;
        let entry = AuditEntry { actor: Actor::Member(member.id), ..acceptance.entry.clone() }.to(member.id);
        write_audit(&mut transaction, workspace, &entry).await?;
        transaction.commit().await?;
        Ok(Some(member))
    }
}
