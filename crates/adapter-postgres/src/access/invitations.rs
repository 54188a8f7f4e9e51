//! Invitations.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper, upsert::excluded,
};
use diesel_async::AsyncPgConnection;
use domain::{
    access::members::{
        Invitation, InviteError, Language, Member, OpenInvitation, Role,
        ports::{Acceptance, InvitationHash, InvitationStore},
    },
    audit::{Actor, AuditEntry},
    email::EmailAddress,
    errors::StoreError,
    ids::{InvitationId, MemberId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{members::MemberRow, sessions};
use crate::{
    access::PgAccess,
    audit::audit,
    error::{failed, unreadable},
    schema::{invitations, member_logins, members, workspaces},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = invitations)]
struct InvitationRow {
    id: uuid::Uuid,
    workspace_id: uuid::Uuid,
    email: String,
    role: String,
    created_at: OffsetDateTime,
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

#[derive(Queryable, Selectable)]
#[diesel(table_name = invitations)]
struct UsedRow {
    email: String,
    role: String,
    from_operator: bool,
    mailed: bool,
}

#[async_trait]
impl InvitationStore for PgAccess {
    async fn add(
        &self,
        workspace: WorkspaceId,
        invitation: &Invitation,
        hash: InvitationHash,
        mailed: bool,
        entry: &AuditEntry,
    ) -> Result<OpenInvitation, InviteError> {
        let invited_by = entry.actor.member();
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let inviting = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .select((workspaces::name, workspaces::locale))
            .load::<(String, String)>(&mut connection);
        let joined = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::email.eq(invitation.email.as_str()))
            .filter(members::left_at.is_null())
            .select(members::password_hash.is_not_null())
            .load::<bool>(&mut connection);
        let (inviting, joined) = transaction.begin_with(try_join(inviting, joined)).await.map_err(failed)?;
        let Some((workspace_name, locale)) = inviting.into_iter().next() else {
            return Err(InviteError::UnknownWorkspace);
        };
        // An operator's link is also for a member who has not joined yet.
        if joined.into_iter().any(|joined| joined || invited_by.is_some()) {
            return Err(InviteError::AlreadyMember);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::delete(
            invitations::table
                .filter(invitations::workspace_id.eq(workspace.uuid()))
                .filter(invitations::email.eq(invitation.email.as_str())),
        ));
        flight.add(diesel::insert_into(invitations::table).values((
            invitations::token_hash.eq(hash.0.as_slice()),
            invitations::id.eq(invitation.id.uuid()),
            invitations::workspace_id.eq(workspace.uuid()),
            invitations::email.eq(invitation.email.as_str()),
            invitations::role.eq(invitation.role.as_str()),
            invitations::created_at.eq(invitation.created_at),
            invitations::expires_at.eq(invitation.expires_at),
            invitations::invited_by.eq(invited_by.map(MemberId::uuid)),
            invitations::from_operator.eq(invited_by.is_none()),
            invitations::mailed.eq(mailed),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(OpenInvitation { invitation: invitation.clone(), workspace_name, locale })
    }

    async fn find(
        &self,
        hash: InvitationHash,
        now: OffsetDateTime,
    ) -> Result<Option<OpenInvitation>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found = invitations::table
            .filter(invitations::token_hash.eq(hash.0.as_slice()))
            .filter(invitations::expires_at.gt(now))
            .select(InvitationRow::as_select())
            .get_result::<InvitationRow>(&mut connection)
            .await
            .optional();
        let Some(invitation) = found.map_err(failed)? else { return Ok(None) };
        let inviting = workspaces::table
            .filter(workspaces::workspace_id.eq(invitation.workspace_id))
            .select((workspaces::name, workspaces::locale))
            .get_result::<(String, String)>(&mut connection)
            .await
            .optional();
        let Some((workspace_name, locale)) = inviting.map_err(failed)? else { return Ok(None) };
        Ok(Some(OpenInvitation { invitation: invitation.read()?, workspace_name, locale }))
    }

    async fn list(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Vec<Invitation>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<InvitationRow> = invitations::table
            .filter(invitations::workspace_id.eq(workspace.uuid()))
            .filter(invitations::expires_at.gt(now))
            .order((invitations::created_at.desc(), invitations::id.desc()))
            .select(InvitationRow::as_select())
            .load(&mut connection)
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
        let this = invitations::table
            .filter(invitations::workspace_id.eq(workspace.uuid()))
            .filter(invitations::id.eq(id.uuid()));
        Ok(self.database.change_audited(diesel::delete(this), workspace, entry).await? > 0)
    }

    async fn accept(
        &self,
        workspace: WorkspaceId,
        acceptance: &Acceptance,
    ) -> Result<Option<Member>, StoreError> {
        let transaction = self.database.transaction().await?;
        let connection: &AsyncPgConnection = &transaction;
        let link = invitations::table
            .filter(invitations::token_hash.eq(acceptance.invitation.0.as_slice()))
            .filter(invitations::workspace_id.eq(workspace.uuid()))
            .filter(invitations::expires_at.gt(acceptance.now));
        let used = diesel::delete(link)
            .returning(UsedRow::as_returning())
            .get_result::<UsedRow>(&mut { connection });
        let used = transaction.begin_with(used).await.optional();
        let Some(used) = used.map_err(failed)? else { return Ok(None) };
        let language = acceptance.language.map(Language::as_str);
        // A member who has not joined can join only by an operator's link, and keeps their id and role; one
        // who has joined is never touched. Members who left are no longer known.
        let joins = async {
            if !used.from_operator {
                return Ok(Vec::new());
            }
            let waiting = members::table
                .filter(members::workspace_id.eq(workspace.uuid()))
                .filter(members::email.eq(&used.email))
                .filter(members::left_at.is_null())
                .filter(members::password_hash.is_null());
            let join = diesel::update(waiting)
                .set((
                    members::name.eq(&acceptance.name),
                    members::password_hash.eq(&acceptance.password.0),
                    members::language.eq(language),
                ))
                .returning(MemberRow::as_returning());
            join.load::<MemberRow>(&mut { connection }).await
        };
        let comes = diesel::insert_into(members::table)
            .values((
                members::workspace_id.eq(workspace.uuid()),
                members::id.eq(acceptance.member_if_new.uuid()),
                members::email.eq(&used.email),
                members::role.eq(&used.role),
                members::created_at.eq(acceptance.now),
                members::name.eq(&acceptance.name),
                members::password_hash.eq(&acceptance.password.0),
                members::language.eq(language),
                members::mailbox_proven_at.eq(used.mailed.then_some(acceptance.now)),
            ))
            .on_conflict_do_nothing()
            .returning(MemberRow::as_returning())
            .load::<MemberRow>(&mut { connection });
        let (joined, come) = transaction.send(try_join(joins, comes)).await.map_err(failed)?;
        let Some(member) = joined.into_iter().chain(come).next() else { return Ok(None) };
        let member = member.read()?;
        let mut flight = transaction.flight();
        flight.add(diesel::delete(
            invitations::table
                .filter(invitations::workspace_id.eq(workspace.uuid()))
                .filter(invitations::email.eq(&used.email)),
        ));
        let login = (
            member_logins::email.eq(&used.email),
            member_logins::workspace_id.eq(workspace.uuid()),
            member_logins::member_id.eq(member.id.uuid()),
        );
        // This table is not colocated with a workspace's rows, so its values cannot be selected from one.
        flight.add(
            diesel::insert_into(member_logins::table)
                .values(login)
                .on_conflict((member_logins::email, member_logins::workspace_id))
                .do_update()
                .set(member_logins::member_id.eq(excluded(member_logins::member_id))),
        );
        sessions::add(&mut flight, workspace, member.id, &acceptance.session);
        let entry = AuditEntry { actor: Actor::Member(member.id), ..acceptance.entry.clone() }.to(member.id);
        audit(&mut flight, workspace, &entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(Some(member))
    }
}
