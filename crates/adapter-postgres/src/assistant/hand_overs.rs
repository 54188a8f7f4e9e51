//! What was handed over lately, of the log of turns.

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, dsl::count_star};
use domain::{
    assistant::{
        HandOverReason,
        rehearsal::{HandedOver, ports::HandOverLog},
    },
    errors::StoreError,
    ids::WorkspaceId,
    messages::Role,
};
use time::OffsetDateTime;

use super::PgAssistants;
use crate::{
    error::failed,
    schema::{assistant_turn_log, messages},
    sql::{RunQueryDsl, word},
};

const HANDED_OVER: &str = "handed_over";

fn reason(name: Option<String>) -> Option<HandOverReason> {
    HandOverReason::read(&name?)
}

#[async_trait]
impl HandOverLog for PgAssistants {
    async fn count_hand_overs(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
    ) -> Result<Vec<(HandOverReason, u64)>, StoreError> {
        let mut connection = self.database.connection().await?;
        let counts: Vec<(Option<String>, i64)> = assistant_turn_log::table
            .filter(assistant_turn_log::workspace_id.eq(workspace.uuid()))
            .filter(assistant_turn_log::outcome.eq(word(HANDED_OVER)))
            .filter(assistant_turn_log::created_at.ge(since))
            .group_by(assistant_turn_log::reason)
            .select((assistant_turn_log::reason, count_star()))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let known = |(name, count)| Some((reason(name)?, u64::try_from(count).unwrap_or_default()));
        Ok(counts.into_iter().filter_map(known).collect())
    }

    async fn hand_overs(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        most: u32,
    ) -> Result<Vec<HandedOver>, StoreError> {
        let mut connection = self.database.connection().await?;
        let written = messages::table
            .filter(messages::workspace_id.eq(workspace.uuid()))
            .filter(messages::conversation_id.eq(assistant_turn_log::conversation_id))
            .filter(messages::created_at.le(assistant_turn_log::created_at))
            .filter(messages::role.eq(Role::Customer.as_str()))
            .filter(messages::deleted_at.is_null())
            .order((messages::created_at.desc(), messages::id.desc()))
            .select(messages::content)
            .single_value();
        let rows: Vec<(uuid::Uuid, Option<String>, OffsetDateTime, Option<String>)> =
            assistant_turn_log::table
                .filter(assistant_turn_log::workspace_id.eq(workspace.uuid()))
                .filter(assistant_turn_log::outcome.eq(word(HANDED_OVER)))
                .filter(assistant_turn_log::created_at.ge(since))
                .order(assistant_turn_log::created_at.desc())
                .limit(i64::from(most))
                .select((
                    assistant_turn_log::conversation_id,
                    assistant_turn_log::reason,
                    assistant_turn_log::created_at,
                    written,
                ))
                .load(&mut connection)
                .await
                .map_err(failed)?;
        let handed_over = |(conversation, name, at, question): (uuid::Uuid, _, _, _)| {
            Some(HandedOver { conversation: conversation.into(), reason: reason(name)?, at, question })
        };
        Ok(rows.into_iter().filter_map(handed_over).collect())
    }
}
