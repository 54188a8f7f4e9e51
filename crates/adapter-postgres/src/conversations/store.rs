//! The store of conversations.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, SelectableHelper,
    dsl::{exists, not},
    result::Error,
};
use diesel_async::AsyncPgConnection;
use domain::{
    conversation::{Conversation, ConversationStatus},
    conversations::{
        Change, Command, ConversationFilter, DecisionContext, StepOf,
        ports::{ConversationStore, Departure},
    },
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    live::LiveKind,
    messages::Role,
    paging::PageRequest,
};
use futures_util::future::try_join3;
use time::OffsetDateTime;

use super::{
    alias::current_conversation,
    context::{asked_group, asked_member, context},
    row::{ConversationRow, group_name},
};
use crate::{
    assistant::{Spoken, customers_waited},
    contacts::current_contact,
    conversations::PgConversations,
    error::{failed, is_missing_reference},
    live::tell,
    schema::{automation_triggers, conversations, departures, messages},
    sql::{RunQueryDsl, after, insert, storable},
    webhooks::{enqueue, subscribers},
};

#[async_trait]
impl ConversationStore for PgConversations {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError> {
        // Each filter is a text of its own with its own index, so that a kept plan suits every page.
        let mut found = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(after(conversations::created_at, conversations::id, page.after))
            .order((conversations::created_at.desc(), conversations::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .select((ConversationRow::as_select(), group_name(workspace)))
            .into_boxed();
        if let Some(contact) = filter.contact {
            found = found.filter(conversations::contact_id.eq(current_contact(workspace, contact)));
        }
        if let Some(group) = filter.group {
            found = found.filter(conversations::group_id.eq(group.uuid()));
        }
        if let Some(status) = filter.status {
            found = found.filter(conversations::status.eq(status.as_str()));
        }
        if let Some(since) = filter.since {
            found = found.filter(conversations::created_at.ge(since));
        }
        let mut connection = self.database.connection().await?;
        let rows: Vec<(ConversationRow, Option<String>)> =
            found.load(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(|(row, group)| row.read(group)).collect()
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(ConversationRow, Option<String>)> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, id)))
            .select((ConversationRow::as_select(), group_name(workspace)))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(|(row, group)| row.read(group)).transpose()
    }

    async fn decision_context(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<DecisionContext>, StoreError> {
        let connection = self.database.connection().await?;
        let found = try_join3(
            context(&connection, workspace, id),
            asked_group(&connection, workspace, command),
            asked_member(&connection, workspace, command),
        );
        let found = found.await.optional().map_err(failed)?;
        found.map(|(context, group, member)| context.read(command, group, member)).transpose()
    }

    async fn commit(&self, workspace: WorkspaceId, change: &Change) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let moved = transaction.begin_with(try_join3(
            write(&transaction, workspace, change),
            count_step(&transaction, workspace, change.step),
            subscribers(&transaction, workspace, &change.events),
        ));
        let (written, counted, subscribers) = moved.await.map_err(lost_or_failed)?;
        if written == 0 || counted == 0 {
            return Err(StoreError::Stale);
        }
        let deliveries = self.database.deliveries(workspace, &subscribers, &change.events)?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(messages::table, workspace, &change.system_messages)
                .column(messages::id, |message| message.id.uuid())
                .column(messages::conversation_id, |_| change.conversation.id.uuid())
                .column(messages::role, |_| Role::System.as_str())
                .column(messages::sender_id, |message| message.sender_id.as_deref())
                .column(messages::content, |message| storable(&message.content))
                .column(messages::notice, |message| {
                    message.system_message.as_ref().map(|told| serde_json::json!(told))
                })
                .column(messages::created_at, |message| message.created_at),
        );
        if let Some(says) = &change.says {
            self.database.add_prepared(&mut flight, workspace, &says.reply, says.due_at)?;
        }
        if change.returns_unanswered {
            let spoken = Spoken { conversation: change.conversation.id, at: change.at };
            customers_waited(&mut flight, workspace, &[spoken]);
        }
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &[(Some(change.conversation.id), None)]);
        enqueue(&mut flight, workspace, &deliveries);
        transaction.commit_with(flight.counts()).await.map_err(lost_or_failed)?;
        Ok(())
    }

    async fn held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let mut connection = self.database.connection().await?;
        let ids: Vec<uuid::Uuid> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::assigned_to.eq(member.uuid()))
            .select(conversations::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(ids.into_iter().map(ConversationId::from).collect())
    }

    async fn departures(&self, most: u32) -> Result<Vec<Departure>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, uuid::Uuid, uuid::Uuid)> = departures::table
            .order(departures::left_at)
            .limit(i64::from(most))
            .select((departures::workspace_id, departures::member_id, departures::removed_by))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(workspace, member, removed_by): (uuid::Uuid, uuid::Uuid, uuid::Uuid)| Departure {
            workspace: workspace.into(),
            member: member.into(),
            removed_by: removed_by.into(),
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn settle_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let held = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::assigned_to.eq(member.uuid()))
            .select(conversations::id);
        let mut connection = self.database.connection().await?;
        diesel::delete(departures::table)
            .filter(departures::workspace_id.eq(workspace.uuid()))
            .filter(departures::member_id.eq(member.uuid()))
            .filter(departures::left_at.le(left_until))
            .filter(not(exists(held)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}

/// Moves the conversation, if it has not changed since that was decided.
fn write<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    change: &Change,
) -> impl Future<Output = QueryResult<usize>> + Send + 'c {
    let Change { conversation, at, system_messages, says, .. } = change;
    let is_closed = conversation.status == ConversationStatus::Closed;
    let stamped_at = system_messages.iter().map(|message| message.created_at).fold(*at, OffsetDateTime::max);
    diesel::update(conversations::table)
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq(conversation.id.uuid()))
        .filter(conversations::version.eq(change.before_version))
        .filter(conversations::last_message_at.eq(change.before_last_message_at))
        .filter(conversations::stamped_at.is_null().or(conversations::stamped_at.lt(*at)))
        .set((
            conversations::status.eq(conversation.status.as_str()),
            conversations::assigned_to.eq(conversation.assigned_to.map(MemberId::uuid)),
            conversations::group_id.eq(conversation.group.as_ref().map(|group| group.id.uuid())),
            conversations::announced.eq(conversation.announced),
            conversations::version.eq(conversation.version),
            conversations::moved_at.eq(*at),
            conversations::stamped_at.eq(stamped_at),
            is_closed.then(|| conversations::waiting_since.eq(None::<OffsetDateTime>)),
            says.as_ref().map(|says| {
                (
                    conversations::hand_over_message_id.eq(says.reply.id.uuid()),
                    conversations::handed_over_at.eq(says.reply.handed_over_at),
                    conversations::more_message_id.eq(None::<uuid::Uuid>),
                )
            }),
            (conversation.status != ConversationStatus::Open)
                .then(|| conversations::handed_over_at.eq(None::<OffsetDateTime>)),
        ))
        .execute(&mut { connection })
}

/// Counts the change as the next step of a rule; 0 if it is not the next one, 1 for a change that is no step.
async fn count_step(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    step: Option<StepOf>,
) -> QueryResult<usize> {
    let Some(StepOf { message, place }) = step else { return Ok(1) };
    diesel::update(automation_triggers::table)
        .filter(automation_triggers::workspace_id.eq(workspace.uuid()))
        .filter(automation_triggers::message_id.eq(message.uuid()))
        .filter(automation_triggers::done.eq(i32::try_from(place).unwrap_or(i32::MAX)))
        .set(automation_triggers::done.eq(automation_triggers::done + 1))
        .execute(&mut { connection })
        .await
}

/// Something that the change refers to, such as its group, may have been deleted meanwhile.
fn lost_or_failed(error: Error) -> StoreError {
    if is_missing_reference(&error) { StoreError::Stale } else { failed(error) }
}
