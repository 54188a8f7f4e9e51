//! What the networks newly say of a contact, and contacts that turn out to be one person.

use std::collections::BTreeSet;

use diesel::{ExpressionMethods, PgExpressionMethods, QueryDsl, QueryResult};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    inbound::ContactMerge,
    live::LiveKind,
    phone::PhoneNumber,
};
use futures_util::future::try_join3;
use time::OffsetDateTime;

use super::{absorb::Absorption, record::raced};
use crate::{
    contacts::{recount, searchable},
    inbound::PgInbound,
    live::tell,
    schema::{contacts, conversations, identities},
    sql::{insert, storable},
};

impl PgInbound {
    pub(super) async fn meet(
        &self,
        workspace: WorkspaceId,
        met: &ContactMerge,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let absorption = async {
            if met.absorbed.is_empty() {
                return Ok(None);
            }
            Absorption::locked(&transaction, workspace, met).await.map(Some)
        };
        let known = try_join3(
            absorption,
            who(&transaction, workspace, met),
            conversations(&transaction, workspace, met),
        );
        let (absorption, known, conversations) = transaction.begin_with(known).await.map_err(raced)?;
        let Some((before, after)) = known.into_iter().next().map(|before| (before, found_by(met))) else {
            return Err(StoreError::Stale);
        };
        if absorption.as_ref().is_some_and(|absorption| !absorption.is_of(met)) {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        if let Some(absorption) = &absorption {
            absorption.write(&mut flight);
        }
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(workspace.uuid()))
                .filter(contacts::id.eq(met.contact.id.uuid()))
                .set((
                    contacts::name.eq(met.name.as_deref()),
                    contacts::phone.eq(met.phone.as_ref().map(PhoneNumber::as_str)),
                    contacts::avatar_url.eq(met.avatar_url.as_deref().map(storable)),
                    contacts::searchable.eq(&after),
                )),
        );
        flight.insert(
            insert(identities::table, workspace, &met.identities)
                .column(identities::kind, Identity::kind)
                .column(identities::value, Identity::value)
                .column(identities::contact_id, |_| met.contact.id.uuid())
                .column(identities::recorded_at, |_| now)
                .or_change(identities::kind)
                .or_change(identities::value)
                .replacing(identities::contact_id)
                .replacing(identities::recorded_at),
        );
        let theirs = absorption.iter().flat_map(Absorption::conversations);
        let changed: BTreeSet<uuid::Uuid> = conversations.into_iter().chain(theirs).collect();
        let about: Vec<_> = changed.into_iter().map(|id| (Some(ConversationId::from(id)), None)).collect();
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &about);
        if let Some(absorption) = &absorption {
            absorption.uncount(&mut flight);
        }
        recount(&mut flight, workspace, met.contact.id, &before, &after);
        transaction.commit_with(flight.counts()).await.map_err(raced)?;
        Ok(())
    }
}

fn found_by(met: &ContactMerge) -> String {
    searchable(met.name.as_deref(), met.phone.as_ref())
}

/// What the person is found by, locked, where they are still who they were when this was decided.
fn who<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    met: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<String>>> + Send + use<'c> {
    contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq(met.contact.id.uuid()))
        .filter(
            contacts::phone
                .is_not_distinct_from(met.contact.phone.as_ref().map(|phone| phone.as_str().to_owned())),
        )
        .filter(contacts::name.is_not_distinct_from(met.contact.name.clone()))
        .select(contacts::searchable)
        .for_update()
        .load(&mut { connection })
}

fn conversations<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    met: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<uuid::Uuid>>> + Send + use<'c> {
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(met.contact.id.uuid()))
        .select(conversations::id)
        .load(&mut { connection })
}
