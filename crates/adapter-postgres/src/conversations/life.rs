//! The life of a conversation: what a decision rests on, and its commit.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    conversations::{Change, Command, DecisionContext, Group, TeamMembership},
    errors::StoreError,
    ids::{ConversationId, GroupId, MemberId, WorkspaceId},
    webhooks::Customer,
};
use time::OffsetDateTime;

use super::{
    alias::conversation_now,
    row::{ConversationRow, conversation},
};
use crate::{
    PgStore,
    error::{failed, is_missing_reference},
    live::live_change,
    sending::read_phone,
    sql::{Bind, sql, storable},
    webhooks::{Count, enqueue_deliveries, owing},
};

/// $3 is the person that the command is about, $4 the group.
pub(super) const SCENE: &str = concat!(
    "SELECT ",
    conversation!(),
    ", conversation.moved_at, contact.name AS customer_name, contact.phone AS customer_phone,
       EXISTS (SELECT FROM members
               WHERE workspace_id = $1 AND id = conversation.assigned_to AND left_at IS NULL) AS holder_is_here,
       EXISTS (SELECT FROM members
               WHERE workspace_id = $1 AND id = $3 AND left_at IS NULL) AS member_is_here,
       (SELECT name FROM groups WHERE workspace_id = $1 AND id = $4) AS asked_group,
       EXISTS (SELECT FROM group_members
               WHERE workspace_id = $1 AND group_id = $4 AND member_id = $3) AS member_is_in_group,
       coalesce((
           SELECT role = 'customer' FROM messages
           WHERE workspace_id = $1 AND conversation_id = conversation.id AND role <> 'system'
           ORDER BY created_at DESC, id DESC LIMIT 1), false) AS unanswered
     FROM conversations conversation
     JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = conversation.contact_id
     WHERE conversation.workspace_id = $1 AND conversation.id = ",
    conversation_now!("$2"),
);

/// $20 and $21 are the step of a rule that it is: there its being the next one is a condition, too.
pub(super) const COMMIT: &str = concat!(
    "WITH owing AS (
        UPDATE conversations
        SET status = $8, assigned_to = $9, group_id = $10, announced = $11, version = $12, moved_at = $19,
            stamped_at = greatest($19, (SELECT max(stamp) FROM unnest($18) AS notice (stamp)))
        WHERE workspace_id = $1 AND id = $7 AND version = $13 AND last_message_at = $14
          AND (stamped_at >= $19) IS NOT TRUE
          AND ($20::uuid IS NULL OR EXISTS (
              SELECT FROM automation_triggers
              WHERE workspace_id = $1 AND message_id = $20 AND done = $21))
        RETURNING id
    ), step AS (
        UPDATE automation_triggers SET done = done + 1
        FROM owing WHERE workspace_id = $1 AND message_id = $20 AND done = $21
    ), notice AS (
        INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, created_at)
        SELECT $1, notice.id, owing.id, 'system', notice.sender_id, notice.content, notice.created_at
        FROM owing, unnest($15, $16, $17, $18) AS notice (id, sender_id, content, created_at)
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT id AS conversation_id, NULL::uuid AS message_id FROM owing"
    ),
    ", ",
    enqueue_deliveries!(),
    " SELECT count(*) FROM owing",
);

pub(super) const HELD: &str = "SELECT id FROM conversations WHERE workspace_id = $1 AND assigned_to = $2";

#[derive(QueryableByName)]
struct HeldConversation {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
#[expect(clippy::struct_excessive_bools, reason = "a row as the query answers it")]
struct SceneRow {
    #[diesel(embed)]
    conversation: ConversationRow,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    moved_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    customer_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    customer_phone: Option<String>,
    #[diesel(sql_type = Bool)]
    holder_is_here: bool,
    #[diesel(sql_type = Bool)]
    member_is_here: bool,
    #[diesel(sql_type = Nullable<Text>)]
    asked_group: Option<String>,
    #[diesel(sql_type = Bool)]
    member_is_in_group: bool,
    #[diesel(sql_type = Bool)]
    unanswered: bool,
}

impl SceneRow {
    fn read(self, asked_group: Option<GroupId>) -> Result<DecisionContext, StoreError> {
        let conversation = self.conversation.read()?;
        let customer = Customer {
            id: conversation.contact,
            name: self.customer_name,
            phone: self.customer_phone.as_deref().map(read_phone).transpose()?,
        };
        Ok(DecisionContext {
            conversation,
            customer,
            holder_is_here: self.holder_is_here,
            moved_at: self.moved_at,
            unanswered: self.unanswered,
            group: asked_group.zip(self.asked_group).map(|(id, name)| Group { id, name }),
            member: match (self.member_is_here, self.member_is_in_group) {
                (false, _) => TeamMembership::Stranger,
                (true, false) => TeamMembership::OnTeam,
                (true, true) => TeamMembership::InGroup,
            },
        })
    }
}

impl PgStore {
    pub(super) async fn find_scene(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<DecisionContext>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(SCENE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Nullable<Uuid>, _>(command.member().map(MemberId::uuid))
            .bind::<Nullable<Uuid>, _>(command.group().map(GroupId::uuid))
            .get_result::<SceneRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(|row| row.read(command.group())).transpose()
    }

    pub(super) async fn commit_change(
        &self,
        workspace: WorkspaceId,
        change: &Change,
    ) -> Result<(), StoreError> {
        let Change { conversation, notices, .. } = change;
        let mut connection = self.connection().await?;
        let events: Vec<_> = change.events.iter().collect();
        let owed = self.owed(&mut connection, workspace, &events).await?;
        let ids: Vec<_> = notices.iter().map(|notice| notice.id.uuid()).collect();
        let senders: Vec<_> = notices.iter().map(|notice| notice.sender_id.as_deref()).collect();
        let contents: Vec<_> = notices.iter().map(|notice| storable(&notice.content)).collect();
        let times: Vec<_> = notices.iter().map(|notice| notice.created_at).collect();
        let written = owing(COMMIT, workspace, &owed)
            .bind::<Uuid, _>(conversation.id.uuid())
            .bind::<Text, _>(conversation.status.as_str())
            .bind::<Nullable<Uuid>, _>(conversation.assigned_to.map(MemberId::uuid))
            .bind::<Nullable<Uuid>, _>(conversation.group.as_ref().map(|group| group.id.uuid()))
            .bind::<Bool, _>(conversation.announced)
            .bind::<BigInt, _>(conversation.version)
            .bind::<BigInt, _>(change.before_version)
            .bind::<Timestamptz, _>(change.before_last_message_at)
            .bind::<Array<Uuid>, _>(ids)
            .bind::<Array<Nullable<Text>>, _>(senders)
            .bind::<Array<Text>, _>(contents)
            .bind::<Array<Timestamptz>, _>(times)
            .bind::<Timestamptz, _>(change.at)
            .bind::<Nullable<Uuid>, _>(change.step.map(|step| step.message.uuid()))
            .bind::<Nullable<Integer>, _>(
                change.step.map(|step| i32::try_from(step.place).unwrap_or(i32::MAX)),
            )
            .get_result::<Count>(&mut connection)
            .await;
        match written {
            Ok(written) if written.count > 0 => Ok(()),
            Ok(_) => Err(StoreError::Stale),
            // The group went meanwhile.
            Err(error) if is_missing_reference(&error) => Err(StoreError::Stale),
            Err(error) => Err(failed(error)),
        }
    }

    pub(super) async fn conversations_held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<HeldConversation> = sql(HELD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.id.into()).collect())
    }
}
