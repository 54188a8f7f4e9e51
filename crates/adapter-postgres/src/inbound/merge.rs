//! News of a contact from the networks, and contacts that turn out to be one person.

use std::collections::BTreeSet;

use diesel::{ExpressionMethods, PgExpressionMethods, QueryDsl, QueryResult};
use diesel_async::AsyncPgConnection;
use domain::{
    contacts::Identity,
    ids::{ConversationId, WorkspaceId},
    inbound::ContactMerge,
    live::LiveKind,
    phone::PhoneNumber,
};
use futures_util::future::try_join3;
use time::OffsetDateTime;

use super::absorb::Absorption;
use crate::{
    Database,
    contacts::{recount, searchable},
    live::tell,
    schema::{contacts, conversations, identities},
    sql::{RunQueryDsl, insert, storable},
    transaction::Flight,
};

/// Returns an identity's recording time. Messages go to the latest one, so lesser ones get the earliest time.
pub(super) const fn recorded_at(is_lesser: bool, now: OffsetDateTime) -> OffsetDateTime {
    if is_lesser { OffsetDateTime::UNIX_EPOCH } else { now }
}

/// A contact with news, perhaps one person with others, locked.
pub(super) struct Merging<'a> {
    workspace: WorkspaceId,
    merge: &'a ContactMerge,
    absorption: Option<Absorption>,
    before: String,
    conversations: Vec<uuid::Uuid>,
}

impl<'a> Merging<'a> {
    /// Locks the contacts; `None` if any of them has changed since this was decided.
    pub(super) async fn locked(
        connection: &AsyncPgConnection,
        workspace: WorkspaceId,
        merge: &'a ContactMerge,
    ) -> QueryResult<Option<Self>> {
        let absorption = async {
            if merge.absorbed.is_empty() {
                return Ok(None);
            }
            Absorption::locked(connection, workspace, merge).await.map(Some)
        };
        let known = try_join3(
            absorption,
            who(connection, workspace, merge),
            conversations(connection, workspace, merge),
        );
        let (absorption, known, conversations) = known.await?;
        let is_as_decided = absorption.as_ref().is_none_or(|absorption| absorption.is_of(merge));
        let before = known.into_iter().next().filter(|_| is_as_decided);
        Ok(before.map(|before| Self { workspace, merge, absorption, before, conversations }))
    }

    pub(super) fn write(&self, flight: &mut Flight<'_>, database: &Database, now: OffsetDateTime) {
        let Self { workspace, merge, absorption, before, conversations } = self;
        let (workspace, after) = (*workspace, searchable(merge.name.as_deref(), merge.phone.as_ref()));
        if let Some(absorption) = absorption {
            absorption.write(flight, database);
        }
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(workspace.uuid()))
                .filter(contacts::id.eq(merge.contact.id.uuid()))
                .set((
                    contacts::name.eq(merge.name.as_deref()),
                    contacts::phone.eq(merge.phone.as_ref().map(PhoneNumber::as_str)),
                    contacts::avatar_url.eq(merge.avatar_url.as_deref().map(storable)),
                    contacts::searchable.eq(&after),
                )),
        );
        flight.insert(
            insert(identities::table, workspace, &merge.identities)
                .column(identities::kind, Identity::kind)
                .column(identities::value, Identity::value)
                .column(identities::contact_id, |_| merge.contact.id.uuid())
                .column(identities::recorded_at, |one| recorded_at(merge.lesser.contains(one), now))
                .on_conflict((identities::kind, identities::value))
                .set_excluded(identities::contact_id)
                .set_excluded(identities::recorded_at),
        );
        // A network's spelling of a number that was given up may now be another person's.
        if merge.forgets_spellings {
            flight.add(
                diesel::delete(identities::table)
                    .filter(identities::workspace_id.eq(workspace.uuid()))
                    .filter(identities::contact_id.eq(merge.contact.id.uuid()))
                    .filter(identities::kind.eq("phone")),
            );
        }
        let theirs = absorption.iter().flat_map(Absorption::conversations);
        let changed: BTreeSet<uuid::Uuid> = conversations.iter().copied().chain(theirs).collect();
        let about: Vec<_> = changed.into_iter().map(|id| (Some(ConversationId::from(id)), None)).collect();
        tell(flight, workspace, LiveKind::ConversationChanged, &about);
        if let Some(absorption) = absorption {
            absorption.uncount(flight);
        }
        recount(flight, workspace, merge.contact.id, before, &after);
    }
}

/// Locks the contact and loads its searchable text, if it has not changed since this was decided.
fn who<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    merge: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<String>>> + Send + use<'c> {
    contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq(merge.contact.id.uuid()))
        .filter(
            contacts::phone
                .is_not_distinct_from(merge.contact.phone.as_ref().map(|phone| phone.as_str().to_owned())),
        )
        .filter(contacts::name.is_not_distinct_from(merge.contact.name.clone()))
        .select(contacts::searchable)
        .for_update()
        .load(&mut { connection })
}

fn conversations<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    merge: &ContactMerge,
) -> impl Future<Output = QueryResult<Vec<uuid::Uuid>>> + Send + use<'c> {
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(merge.contact.id.uuid()))
        .select(conversations::id)
        .load(&mut { connection })
}
