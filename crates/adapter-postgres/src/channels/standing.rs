//! The standing of accounts at their network.

use async_trait::async_trait;
use diesel::{BoolExpressionMethods, ExpressionMethods, PgExpressionMethods};
use domain::{
    channels::{AccountStanding, alert_of_standing, ports::AccountStandings},
    errors::StoreError,
    ids::WorkspaceId,
    live::LiveKind,
};

use super::health::{NewAlert, alert};
use crate::{
    channels::PgChannels,
    error::{failed, unreadable},
    live::tell,
    schema::accounts,
    sql::RunQueryDsl,
};

#[async_trait]
impl AccountStandings for PgChannels {
    async fn set_standing(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
        standing: &AccountStanding,
    ) -> Result<bool, StoreError> {
        let kept = serde_json::to_value(standing).map_err(|error| StoreError::Internal(error.to_string()))?;
        let transaction = self.database.transaction().await?;
        // A later report stays, and a repeated one is no news.
        let is_news = accounts::standing_at.is_null().or(accounts::standing_at.le(standing.since));
        let changed = diesel::update(accounts::table)
            .filter(accounts::workspace_id.eq(workspace.uuid()))
            .filter(accounts::network_id.eq(network_id))
            .filter(accounts::disconnected_at.is_null())
            .filter(is_news)
            .filter(accounts::standing.is_distinct_from(&kept))
            .set((accounts::standing.eq(&kept), accounts::standing_at.eq(standing.since)))
            .execute(&mut &*transaction);
        if transaction.begin_with(changed).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        let (detail, since) = (standing.detail.as_deref(), standing.since);
        let news = alert_of_standing(standing)
            .map(|kind| NewAlert::of_account(&self.database, network_id, kind, detail, since));
        alert(&mut flight, workspace, news.as_slice());
        tell(&mut flight, workspace, LiveKind::ChannelsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}

pub(crate) fn read_standing(kept: Option<serde_json::Value>) -> Result<Option<AccountStanding>, StoreError> {
    kept.map(serde_json::from_value).transpose().map_err(|_| unreadable("standing"))
}
