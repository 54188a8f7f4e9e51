//! `GET /dashboard/api/contacts/export`.

use std::sync::Arc;

use super::{DirectoryRow, filter::DirectoryFilter};
use crate::{
    access::members::{Role, ports::MemberStore},
    audit::{Acting, Action, Actor, AuditStore},
    contacts::ports::{ContactDirectory, FoundDirectory},
    deps::Deps,
    errors::StoreError,
    paging::Position,
};

/// People read in one part.
const PART: u32 = 500;

/// Reason why an export broke off.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("whoever asked for the export may not have it any more")]
    NotAllowed,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that exports people, part by part.
pub struct ExportContacts {
    pub store: Arc<dyn ContactDirectory>,
    pub audit: Arc<dyn AuditStore>,
    pub members: Arc<dyn MemberStore>,
    pub deps: Deps,
}

impl ExportContacts {
    /// Records the export in the audit log, with the names of the filters that are set.
    pub async fn begin(&self, acting: Acting, filter: &DirectoryFilter) -> Result<(), StoreError> {
        let entry = acting.does(Action::ContactsExported, self.deps.clock.now(), &*self.deps.ids);
        self.audit.add(acting.workspace, &entry.with("filters", filter.parts())).await
    }

    /// Returns the next part of those who pass the filter, newest first, and where to continue; `None` at the
    /// end. An export may take long: an owner who is removed meanwhile, or no longer one, gets no more of it.
    pub async fn next(
        &self,
        acting: Acting,
        filter: &DirectoryFilter,
        after: Option<Position>,
    ) -> Result<(Vec<DirectoryRow>, Option<Position>), ExportError> {
        let Actor::Member(id) = acting.actor else { return Err(ExportError::NotAllowed) };
        let team = self.members.team(acting.workspace).await?;
        if !team.iter().any(|member| member.id == id && member.role == Role::Owner) {
            return Err(ExportError::NotAllowed);
        }
        let FoundDirectory { mut rows, reached } =
            self.store.directory(acting.workspace, filter, PART, after).await?;
        let most = usize::try_from(PART).unwrap_or(usize::MAX);
        let more = rows.len() > most;
        rows.truncate(most);
        let next = if more { rows.last().map(DirectoryRow::place) } else { reached };
        Ok((rows, next))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::{DirectoryRow, ExportContacts, ExportError, PART};
    use crate::{
        access::members::{Member, Role, ports::MockMemberStore},
        audit::{Acting, Action, Actor, MockAuditStore},
        contacts::{
            Contact, ContactProfile,
            directory::DirectoryFilter,
            ports::{FoundDirectory, MockContactDirectory},
        },
        paging::Position,
        testing::{a_contact, a_member, a_moment, a_workspace, some_deps},
    };

    fn row(number: u32) -> DirectoryRow {
        let contact = Contact { id: Uuid::from_u128(number.into()).into(), ..a_contact() };
        DirectoryRow { profile: ContactProfile::without_conversations(contact), last_message_at: None }
    }

    fn export(store: MockContactDirectory, audit: MockAuditStore, role: Option<Role>) -> ExportContacts {
        let mut members = MockMemberStore::new();
        members
            .expect_team()
            .returning(move |_| Ok(role.map(|role| Member { role, ..a_member(1) }).into_iter().collect()));
        ExportContacts {
            store: Arc::new(store),
            audit: Arc::new(audit),
            members: Arc::new(members),
            deps: some_deps(),
        }
    }

    fn acting() -> Acting {
        Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None }
    }

    #[pollster::test]
    async fn a_part_goes_on_where_it_ended_or_where_the_look_ended() {
        let reached = Position { at: a_moment(), id: Uuid::from_u128(7) };
        let last = row(PART).place();
        for (rows, reached, wanted) in [
            (0, None, (0, None)),
            (3, None, (3, None)),
            (PART, None, (PART, None)),
            (PART + 1, None, (PART, Some(last))),
            (PART + 1, Some(reached), (PART, Some(last))),
            (0, Some(reached), (0, Some(reached))),
        ] {
            let mut store = MockContactDirectory::new();
            store
                .expect_directory()
                .withf(|workspace, _, rows, after| {
                    (*workspace, *rows, *after) == (a_workspace().id, PART, None)
                })
                .returning(move |_, _, _, _| {
                    Ok(FoundDirectory { rows: (1..=rows).map(row).collect(), reached })
                });
            let export = export(store, MockAuditStore::new(), Some(Role::Owner));
            let (rows, next) = export.next(acting(), &DirectoryFilter::default(), None).await.unwrap();
            assert_eq!((u32::try_from(rows.len()).unwrap(), next), wanted);
        }
    }

    #[pollster::test]
    async fn nobody_but_an_owner_gets_the_next_part() {
        for role in [None, Some(Role::Agent)] {
            let export = export(MockContactDirectory::new(), MockAuditStore::new(), role);
            let refused = export.next(acting(), &DirectoryFilter::default(), None).await;
            assert!(matches!(refused, Err(ExportError::NotAllowed)), "{role:?}");
        }
        let export = export(MockContactDirectory::new(), MockAuditStore::new(), Some(Role::Owner));
        let operator = Acting::operator(a_workspace().id);
        let refused = export.next(operator, &DirectoryFilter::default(), None).await;
        assert!(matches!(refused, Err(ExportError::NotAllowed)));
    }

    #[pollster::test]
    async fn the_log_names_the_filters_and_not_what_they_look_for() {
        let mut audit = MockAuditStore::new();
        audit
            .expect_add()
            .withf(|_, entry| {
                entry.action == Action::ContactsExported
                    && entry.details.len() == 1
                    && entry.details["filters"] == serde_json::json!(["activeSince"])
            })
            .once()
            .returning(|_, _| Ok(()));
        let export = export(MockContactDirectory::new(), audit, Some(Role::Owner));
        let filter = DirectoryFilter { since: Some(a_moment()), ..DirectoryFilter::default() };
        export.begin(acting(), &filter).await.unwrap();
    }
}
