//! Notes, and mentions of members until they have seen them.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    live::LiveKind,
    notes::{Note, NoteError, ports::NoteStore},
    paging::PageRequest,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    Database,
    conversations::current_conversation,
    error::{failed, is_missing_reference},
    live,
    schema::{conversations, members, notes, unseen_mentions},
    sql::{RunQueryDsl, after, storable},
};

/// Notes.
#[derive(Clone)]
pub struct PgNotes {
    pub(crate) database: Database,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = notes)]
struct NoteRow {
    id: uuid::Uuid,
    conversation_id: uuid::Uuid,
    author_id: uuid::Uuid,
    text: String,
    mentions: Vec<Option<uuid::Uuid>>,
    created_at: OffsetDateTime,
}

impl From<NoteRow> for Note {
    fn from(row: NoteRow) -> Self {
        Self {
            id: row.id.into(),
            conversation: row.conversation_id.into(),
            author: row.author_id.into(),
            text: row.text,
            mentions: row.mentions.into_iter().flatten().map(Into::into).collect(),
            created_at: row.created_at,
        }
    }
}

#[async_trait]
impl NoteStore for PgNotes {
    async fn add(&self, workspace: WorkspaceId, note: &Note) -> Result<ConversationId, NoteError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let mentioned: Vec<_> = note.mentions.iter().copied().map(MemberId::uuid).collect();
        let conversation = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, note.conversation)))
            .select(conversations::id)
            .load::<uuid::Uuid>(&mut connection);
        let known = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq_any(mentioned.clone()))
            .filter(members::left_at.is_null())
            .select(members::id)
            .load::<uuid::Uuid>(&mut connection);
        let (conversation, known) =
            transaction.begin_with(try_join(conversation, known)).await.map_err(failed)?;
        let Some(conversation) = conversation.into_iter().next() else {
            return Err(NoteError::UnknownConversation);
        };
        if known.len() != mentioned.len() {
            return Err(NoteError::UnknownMember);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(notes::table).values((
            notes::workspace_id.eq(workspace.uuid()),
            notes::id.eq(note.id.uuid()),
            notes::conversation_id.eq(conversation),
            notes::author_id.eq(note.author.uuid()),
            notes::text.eq(storable(&note.text)),
            notes::mentions.eq(mentioned.iter().copied().map(Some).collect::<Vec<_>>()),
            notes::created_at.eq(note.created_at),
        )));
        let mention = |member: uuid::Uuid| {
            (
                unseen_mentions::workspace_id.eq(workspace.uuid()),
                unseen_mentions::member_id.eq(member),
                unseen_mentions::note_id.eq(note.id.uuid()),
                unseen_mentions::conversation_id.eq(conversation),
                unseen_mentions::created_at.eq(note.created_at),
            )
        };
        // The author of a note has seen it.
        let others = mentioned.into_iter().filter(|member| *member != note.author.uuid());
        let others: Vec<_> = others.map(mention).collect();
        if !others.is_empty() {
            flight.add(diesel::insert_into(unseen_mentions::table).values(others));
        }
        let conversation = ConversationId::from(conversation);
        live::tell(&mut flight, workspace, LiveKind::NoteAdded, &[(Some(conversation), None)]);
        match transaction.commit_with(flight.counts()).await {
            Ok(_) => Ok(conversation),
            // The conversation was just merged into another one.
            Err(error) if is_missing_reference(&error) => Err(StoreError::Stale.into()),
            Err(error) => Err(failed(error).into()),
        }
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<Note>>, StoreError> {
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
        let rows = notes::table
            .filter(notes::workspace_id.eq(workspace.uuid()))
            .filter(notes::conversation_id.eq(conversation))
            .filter(after(notes::created_at, notes::id, page.after))
            .order((notes::created_at.desc(), notes::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .select(NoteRow::as_select())
            .load::<NoteRow>(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Some(rows.into_iter().map(Note::from).collect()))
    }

    async fn mentions(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<Note>, StoreError> {
        let mut connection = self.database.connection().await?;
        let unseen: Vec<uuid::Uuid> = unseen_mentions::table
            .filter(unseen_mentions::workspace_id.eq(workspace.uuid()))
            .filter(unseen_mentions::member_id.eq(member.uuid()))
            .order((unseen_mentions::created_at.desc(), unseen_mentions::note_id.desc()))
            .limit(most.into())
            .select(unseen_mentions::note_id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        if unseen.is_empty() {
            return Ok(Vec::new());
        }
        let rows = notes::table
            .filter(notes::workspace_id.eq(workspace.uuid()))
            .filter(notes::id.eq_any(unseen))
            .order((notes::created_at.desc(), notes::id.desc()))
            .select(NoteRow::as_select())
            .load::<NoteRow>(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(Note::from).collect())
    }

    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let known: Option<uuid::Uuid> = unseen_mentions::table
            .filter(unseen_mentions::workspace_id.eq(workspace.uuid()))
            .filter(unseen_mentions::member_id.eq(member.uuid()))
            .filter(unseen_mentions::conversation_id.eq(current_conversation(workspace, conversation)))
            .select(unseen_mentions::conversation_id)
            .limit(1)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        // There is nearly always none, and then nobody is notified.
        let Some(conversation) = known else { return Ok(()) };
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.add(
            diesel::delete(unseen_mentions::table)
                .filter(unseen_mentions::workspace_id.eq(workspace.uuid()))
                .filter(unseen_mentions::member_id.eq(member.uuid()))
                .filter(unseen_mentions::conversation_id.eq(conversation)),
        );
        live::tell_of(&mut flight, workspace, member, LiveKind::ConversationChanged, conversation.into());
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }
}
