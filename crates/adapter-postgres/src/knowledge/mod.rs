//! Documents that assistants may cite.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{DocumentId, MemberId, WorkspaceId},
    knowledge::{
        Document, MOST_DOCUMENTS, MOST_PASSAGES, Passage, PassageOf, Source,
        ports::{Kept, KnowledgeStore},
    },
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    Database,
    audit::audit,
    bounds::in_turn,
    error::{failed, unreadable},
    schema::{knowledge_documents, knowledge_passages},
    sql::{RunQueryDsl, insert, storable},
};

/// Documents and their passages.
#[derive(Clone)]
pub struct PgKnowledge {
    pub(crate) database: Database,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = knowledge_documents)]
struct DocumentRow {
    id: uuid::Uuid,
    title: String,
    source: String,
    bytes: i32,
    passages: i32,
    changed_by: Option<uuid::Uuid>,
    changed_at: OffsetDateTime,
}

impl DocumentRow {
    fn read(self) -> Result<Document, StoreError> {
        Ok(Document {
            id: self.id.into(),
            title: self.title,
            source: Source::read(&self.source).ok_or_else(|| unreadable("source of a document"))?,
            bytes: u32::try_from(self.bytes).map_err(|_| unreadable("size of a document"))?,
            passages: u32::try_from(self.passages).map_err(|_| unreadable("number of passages"))?,
            changed_by: self.changed_by.map(MemberId::from),
            changed_at: self.changed_at,
        })
    }
}

fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[async_trait]
impl KnowledgeStore for PgKnowledge {
    async fn documents(&self, workspace: WorkspaceId) -> Result<Vec<Document>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<DocumentRow> = knowledge_documents::table
            .filter(knowledge_documents::workspace_id.eq(workspace.uuid()))
            .order((knowledge_documents::title, knowledge_documents::id))
            .select(DocumentRow::as_select())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(DocumentRow::read).collect()
    }

    async fn document(
        &self,
        workspace: WorkspaceId,
        document: DocumentId,
    ) -> Result<Option<(Document, Vec<Passage>)>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<DocumentRow> = knowledge_documents::table
            .filter(knowledge_documents::workspace_id.eq(workspace.uuid()))
            .filter(knowledge_documents::id.eq(document.uuid()))
            .select(DocumentRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(row) = row else { return Ok(None) };
        let passages: Vec<(String, Vec<String>)> = knowledge_passages::table
            .filter(knowledge_passages::workspace_id.eq(workspace.uuid()))
            .filter(knowledge_passages::document_id.eq(document.uuid()))
            .order(knowledge_passages::number)
            .select((knowledge_passages::heading, knowledge_passages::sentences))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let passage = |(heading, sentences)| Passage { heading, sentences };
        Ok(Some((row.read()?, passages.into_iter().map(passage).collect())))
    }

    async fn has_documents(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let one: Option<uuid::Uuid> = knowledge_documents::table
            .filter(knowledge_documents::workspace_id.eq(workspace.uuid()))
            .select(knowledge_documents::id)
            .limit(1)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(one.is_some())
    }

    async fn passages(&self, workspace: WorkspaceId) -> Result<Vec<PassageOf>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, String, i32, String, Vec<String>)> = knowledge_passages::table
            .inner_join(
                knowledge_documents::table.on(knowledge_documents::workspace_id
                    .eq(knowledge_passages::workspace_id)
                    .and(knowledge_documents::id.eq(knowledge_passages::document_id))),
            )
            .filter(knowledge_passages::workspace_id.eq(workspace.uuid()))
            .order((knowledge_documents::title, knowledge_passages::document_id, knowledge_passages::number))
            .limit(i64::from(MOST_PASSAGES))
            .select((
                knowledge_documents::id,
                knowledge_documents::title,
                knowledge_passages::number,
                knowledge_passages::heading,
                knowledge_passages::sentences,
            ))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let passage = |(document, title, number, heading, sentences): (uuid::Uuid, _, i32, _, _)| {
            let number = u32::try_from(number).map_err(|_| unreadable("place of a passage"))?;
            Ok(PassageOf {
                document: document.into(),
                title,
                number,
                passage: Passage { heading, sentences },
            })
        };
        rows.into_iter().map(passage).collect()
    }

    async fn keep(
        &self,
        workspace: WorkspaceId,
        document: &Document,
        passages: &[Passage],
        replaces: bool,
        entry: &AuditEntry,
    ) -> Result<Kept, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let known = knowledge_documents::table
            .filter(knowledge_documents::workspace_id.eq(workspace.uuid()))
            .select((knowledge_documents::id, knowledge_documents::passages))
            .load::<(uuid::Uuid, i32)>(&mut connection);
        let both = try_join(in_turn(&transaction, workspace), known);
        let (_, known) = transaction.begin_with(both).await.map_err(failed)?;
        let is_known = known.iter().any(|(id, _)| *id == document.id.uuid());
        if replaces != is_known {
            return Ok(Kept::Unknown);
        }
        let others = known.iter().filter(|(id, _)| *id != document.id.uuid());
        let passages_of_others: i64 = others.clone().map(|(_, passages)| i64::from(*passages)).sum();
        if !replaces && known.len() >= usize::try_from(MOST_DOCUMENTS).unwrap_or(usize::MAX) {
            return Ok(Kept::NoRoomForDocument);
        }
        if passages_of_others + i64::from(document.passages) > i64::from(MOST_PASSAGES) {
            return Ok(Kept::NoRoomForPassages);
        }
        let rows = [document];
        let mut flight = transaction.flight();
        flight.add(
            diesel::delete(knowledge_passages::table)
                .filter(knowledge_passages::workspace_id.eq(workspace.uuid()))
                .filter(knowledge_passages::document_id.eq(document.id.uuid())),
        );
        flight.insert(
            insert(knowledge_documents::table, workspace, &rows)
                .column(knowledge_documents::id, |row| row.id.uuid())
                .column(knowledge_documents::title, |row| storable(&row.title))
                .column(knowledge_documents::source, |row| row.source.as_str())
                .column(knowledge_documents::bytes, |row| signed(row.bytes))
                .column(knowledge_documents::passages, |row| signed(row.passages))
                .column(knowledge_documents::changed_by, |row| row.changed_by.map(MemberId::uuid))
                .column(knowledge_documents::changed_at, |row| row.changed_at)
                .on_conflict((knowledge_documents::id,))
                .set_excluded(knowledge_documents::title)
                .set_excluded(knowledge_documents::source)
                .set_excluded(knowledge_documents::bytes)
                .set_excluded(knowledge_documents::passages)
                .set_excluded(knowledge_documents::changed_by)
                .set_excluded(knowledge_documents::changed_at),
        );
        let numbered: Vec<(i32, &Passage)> = (1..).zip(passages).collect();
        flight.insert(
            insert(knowledge_passages::table, workspace, &numbered)
                .column(knowledge_passages::document_id, |_| document.id.uuid())
                .column(knowledge_passages::number, |(number, _)| *number)
                .column(knowledge_passages::heading, |(_, passage)| storable(&passage.heading))
                .list(knowledge_passages::sentences, |(_, passage)| {
                    passage.sentences.iter().map(|sentence| storable(sentence)).collect()
                }),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(Kept::Yes)
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        document: DocumentId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let passages = diesel::delete(knowledge_passages::table)
            .filter(knowledge_passages::workspace_id.eq(workspace.uuid()))
            .filter(knowledge_passages::document_id.eq(document.uuid()))
            .execute(&mut connection);
        let removed = diesel::delete(knowledge_documents::table)
            .filter(knowledge_documents::workspace_id.eq(workspace.uuid()))
            .filter(knowledge_documents::id.eq(document.uuid()))
            .execute(&mut connection);
        // A document that is replaced meanwhile has other passages: its replacement locks the workspace.
        let held = in_turn(&transaction, workspace);
        let all = try_join(held, try_join(passages, removed));
        let (_, (_, removed)) = transaction.begin_with(all).await.map_err(failed)?;
        if removed == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}
