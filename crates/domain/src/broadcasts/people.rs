//! Export of a broadcast's people as a file.

use std::sync::Arc;

use super::{
    person::PeopleFilter,
    ports::{BroadcastStore, Followed, FoundPeople, ListedPerson},
};
use crate::{
    access::members::{Role, ports::MemberStore},
    audit::{Acting, Action, Actor, AuditStore},
    clock::rfc3339_ms,
    contacts::{
        ContactName,
        directory::{ExportError, csv_line},
    },
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MessageId},
};

const PART: u32 = 500;

/// Beginning of the file: the mark by which spreadsheets know UTF-8, and the titles of the columns.
pub const PEOPLE_HEAD: &str = "\u{feff}phone,name,state,reason,message,delivered,read,undelivered,network code,\
    answered,stopped marketing,changed\r\n";

/// Renders a person's row, with the end of its line. No cell of it is a formula.
pub fn person_row(listed: &ListedPerson) -> String {
    let ListedPerson { person, state, reason, at, followed } = listed;
    let Followed { delivered_at, read_at, undelivered_at, code, answered_at, stopped_at } = followed;
    let moment = |at: &Option<time::OffsetDateTime>| at.map(rfc3339_ms).unwrap_or_default();
    csv_line(&[
        person.phone.as_str().to_owned(),
        person.name.as_ref().map(ContactName::as_str).unwrap_or_default().to_owned(),
        state.as_str().to_owned(),
        reason.clone().unwrap_or_default(),
        person.message.to_string(),
        moment(delivered_at),
        moment(read_at),
        moment(undelivered_at),
        code.map(|code| code.to_string()).unwrap_or_default(),
        moment(answered_at),
        moment(stopped_at),
        rfc3339_ms(*at),
    ])
}

/// Export of a broadcast's people, part by part.
pub struct ExportPeople {
    pub store: Arc<dyn BroadcastStore>,
    pub audit: Arc<dyn AuditStore>,
    pub members: Arc<dyn MemberStore>,
    pub deps: Deps,
}

impl ExportPeople {
    /// Writes an audit entry that people are exported, and by which parts of a filter; `false` if there is no
    /// such broadcast.
    pub async fn begin(
        &self,
        acting: Acting,
        id: BroadcastId,
        filter: &PeopleFilter,
    ) -> Result<bool, StoreError> {
        if self.store.find(acting.workspace, id).await?.is_none() {
            return Ok(false);
        }
        let entry = acting.does(Action::BroadcastPeopleExported, self.deps.clock.now(), &*self.deps.ids);
        self.audit.add(acting.workspace, &entry.to(id).with("filters", filter.parts())).await?;
        Ok(true)
    }

    /// Returns the next people who pass the filter, and where to go on; `None` at the end. An owner who is
    /// removed meanwhile, or is no owner any more, gets no more of them.
    pub async fn next(
        &self,
        acting: Acting,
        id: BroadcastId,
        filter: &PeopleFilter,
        before: Option<MessageId>,
    ) -> Result<(Vec<ListedPerson>, Option<MessageId>), ExportError> {
        match acting.actor {
            Actor::Operator => {}
            Actor::Member(member) => {
                let team = self.members.team(acting.workspace).await?;
                if !team.iter().any(|one| one.id == member && one.role == Role::Owner) {
                    return Err(ExportError::NotAllowed);
                }
            }
            _ => return Err(ExportError::NotAllowed),
        }
        let FoundPeople { mut rows, reached } =
            self.store.people(acting.workspace, id, filter, PART, before).await?;
        let most = usize::try_from(PART).unwrap_or(usize::MAX);
        let more = rows.len() > most;
        rows.truncate(most);
        let next = if more { rows.last().map(|row| row.person.message) } else { reached };
        Ok((rows, next))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::{ExportPeople, PART, person_row};
    use crate::{
        access::members::{Member, Role, ports::MockMemberStore},
        audit::{Acting, Action, Actor, MockAuditStore},
        broadcasts::{
            BroadcastPerson, PeopleFilter, PeopleState, PersonState,
            ports::{Followed, FoundPeople, ListedPerson, MockBroadcastStore},
        },
        contacts::{ContactName, directory::ExportError},
        phone::PhoneNumber,
        testing::{a_member, a_moment, a_workspace, some_deps},
    };

    fn listed(number: u32) -> ListedPerson {
        ListedPerson {
            person: BroadcastPerson {
                contact: Some(Uuid::from_u128(1).into()),
                phone: PhoneNumber::from_e164("+9647701234567").unwrap(),
                name: ContactName::read("=1+1").ok(),
                message: Uuid::from_u128(number.into()).into(),
            },
            state: PersonState::Failed,
            reason: Some("131026".to_owned()),
            at: a_moment(),
            followed: Followed { code: Some(131_026), ..Followed::default() },
        }
    }

    fn export(store: MockBroadcastStore, audit: MockAuditStore, role: Option<Role>) -> ExportPeople {
        let mut members = MockMemberStore::new();
        members
            .expect_team()
            .returning(move |_| Ok(role.map(|role| Member { role, ..a_member(1) }).into_iter().collect()));
        ExportPeople {
            store: Arc::new(store),
            audit: Arc::new(audit),
            members: Arc::new(members),
            deps: some_deps(),
        }
    }

    fn acting() -> Acting {
        Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None }
    }

    #[test]
    fn a_person_is_a_row_without_a_formula() {
        let row = person_row(&listed(7));
        assert!(row.starts_with("'+9647701234567,'=1+1,failed,131026,"), "{row}");
        assert!(row.ends_with("\r\n"), "{row}");
    }

    #[pollster::test]
    async fn a_part_goes_on_where_it_ended_or_where_the_look_ended() {
        let reached = Some(Uuid::from_u128(3).into());
        for (rows, reached, wanted) in [
            (0, None, (0, None)),
            (PART, None, (PART, None)),
            (PART + 1, None, (PART, Some(Uuid::from_u128(PART.into()).into()))),
            (0, reached, (0, reached)),
        ] {
            let mut store = MockBroadcastStore::new();
            store.expect_people().returning(move |_, _, _, _, _| {
                Ok(FoundPeople { rows: (1..=rows).map(listed).collect(), reached })
            });
            let export = export(store, MockAuditStore::new(), Some(Role::Owner));
            let id = Uuid::from_u128(9).into();
            let (rows, next) = export.next(acting(), id, &PeopleFilter::default(), None).await.unwrap();
            assert_eq!((u32::try_from(rows.len()).unwrap(), next), wanted);
        }
    }

    #[pollster::test]
    async fn nobody_but_an_owner_gets_the_next_part() {
        for role in [None, Some(Role::Agent)] {
            let export = export(MockBroadcastStore::new(), MockAuditStore::new(), role);
            let refused =
                export.next(acting(), Uuid::from_u128(9).into(), &PeopleFilter::default(), None).await;
            assert!(matches!(refused, Err(ExportError::NotAllowed)), "{role:?}");
        }
    }

    #[pollster::test]
    async fn the_log_tells_which_broadcast_and_the_filters_but_nobody() {
        let mut store = MockBroadcastStore::new();
        store.expect_find().returning(|_, _| Ok(None));
        let none = export(store, MockAuditStore::new(), Some(Role::Owner));
        assert!(!none.begin(acting(), Uuid::from_u128(9).into(), &PeopleFilter::default()).await.unwrap());
        assert_eq!(Action::BroadcastPeopleExported.as_str(), "broadcast.people_exported");
        let filter = PeopleFilter { state: Some(PeopleState::Answered), reason: None };
        assert_eq!(filter.parts(), ["state"]);
    }
}
