//! Presence of members in conversations.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    live::LiveKind,
    presence::{Doing, Present, ports::PresenceStore},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    Database,
    conversations::current_conversation,
    error::{failed, is_missing_reference, unreadable},
    live::tell_of,
    schema::{conversations, presences},
    sql::RunQueryDsl,
};

/// Presence of members in conversations.
#[derive(Clone)]
pub struct PgPresence {
    pub(crate) database: Database,
}

type Row = (uuid::Uuid, String, OffsetDateTime);

fn read((member, doing, until): Row) -> Result<Present, StoreError> {
    let doing = Doing::read(&doing).ok_or_else(|| unreadable("doing"))?;
    Ok(Present { member: member.into(), doing, until })
}

#[async_trait]
impl PresenceStore for PgPresence {
    async fn note(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        here: Present,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let known = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select(conversations::id)
            .load::<uuid::Uuid>(&mut connection);
        let before = presences::table
            .filter(presences::workspace_id.eq(workspace.uuid()))
            .filter(presences::conversation_id.eq(current_conversation(workspace, conversation)))
            .filter(presences::member_id.eq(here.member.uuid()))
            .filter(presences::until.gt(now))
            .select(presences::doing)
            .load::<String>(&mut connection);
        let (known, before) = transaction.begin_with(try_join(known, before)).await.map_err(failed)?;
        let Some(conversation) = known.into_iter().next() else { return Ok(false) };
        let mut flight = transaction.flight();
        let shown = (presences::doing.eq(here.doing.as_str()), presences::until.eq(here.until));
        flight.add(
            diesel::insert_into(presences::table)
                .values((
                    presences::workspace_id.eq(workspace.uuid()),
                    presences::conversation_id.eq(conversation),
                    presences::member_id.eq(here.member.uuid()),
                    shown,
                ))
                .on_conflict((presences::workspace_id, presences::conversation_id, presences::member_id))
                .do_update()
                .set(shown),
        );
        flight.add(
            diesel::delete(presences::table)
                .filter(presences::workspace_id.eq(workspace.uuid()))
                .filter(presences::member_id.eq(here.member.uuid()))
                .filter(presences::until.le(now)),
        );
        if before.iter().all(|doing| doing != here.doing.as_str()) {
            tell_of(&mut flight, workspace, here.member, LiveKind::PresenceChanged, conversation.into());
        }
        match transaction.commit_with(flight.counts()).await {
            Ok(_) => Ok(true),
            // The conversation was just merged into another one.
            Err(error) if is_missing_reference(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    async fn leave(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        member: MemberId,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let gone = diesel::delete(presences::table)
            .filter(presences::workspace_id.eq(workspace.uuid()))
            .filter(presences::conversation_id.eq(current_conversation(workspace, conversation)))
            .filter(presences::member_id.eq(member.uuid()))
            .returning(presences::conversation_id)
            .get_result::<uuid::Uuid>(&mut &*transaction);
        let gone = transaction.begin_with(gone).await.optional().map_err(failed)?;
        let mut flight = transaction.flight();
        if let Some(conversation) = gone {
            tell_of(&mut flight, workspace, member, LiveKind::PresenceChanged, conversation.into());
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn present(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        now: OffsetDateTime,
    ) -> Result<Option<Vec<Present>>, StoreError> {
        let mut connection = self.database.connection().await?;
        let known: Option<uuid::Uuid> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select(conversations::id)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(conversation) = known else { return Ok(None) };
        let rows: Vec<Row> = presences::table
            .filter(presences::workspace_id.eq(workspace.uuid()))
            .filter(presences::conversation_id.eq(conversation))
            .filter(presences::until.gt(now))
            .select((presences::member_id, presences::doing, presences::until))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(read).collect::<Result<_, _>>().map(Some)
    }
}
