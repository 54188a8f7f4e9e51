//! Lists that are taken over in the background: how they arrive, and how they are written.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::sync::{Arc, Mutex};

use domain::{
    access::members::{Member, Role, ports::MockMemberStore},
    audit::{Acting, Action, Actor, MockAuditStore},
    contacts::{
        Contact, ContactName, ImportContacts, ImportError, ImportJob, ImportJobError, ImportJobs, ImportPart,
        ImportReport, ImportState, ImportStep, RowError, RunImports, StagedRows, WrittenPerson, WrittenRow,
        ports::{MockContactStore, MockImportJobStore},
    },
    errors::StoreError,
    phone::PhoneNumber,
    testing::{a_contact, a_member, a_moment, a_region, a_workspace, some_deps},
};
use time::Duration;
use uuid::Uuid;

type Rows = Vec<Result<WrittenRow, &'static str>>;

fn importing(role: Option<Role>, contacts: MockContactStore) -> ImportContacts {
    let mut members = MockMemberStore::new();
    members
        .expect_team()
        .returning(move |_| Ok(role.map(|role| Member { role, ..a_member(1) }).into_iter().collect()));
    ImportContacts {
        store: Arc::new(contacts),
        audit: Arc::new(MockAuditStore::new()),
        members: Arc::new(members),
        deps: some_deps(),
    }
}

async fn take(
    store: MockImportJobStore,
    role: Role,
    name: &str,
    rows: Rows,
) -> Result<ImportJob, ImportJobError<&'static str>> {
    let import = importing(Some(role), MockContactStore::new());
    let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(a_member(1).id), address: None };
    let jobs = ImportJobs { store: Arc::new(store), import };
    jobs.take(acting, a_region(), name, rows.into_iter(), |_| vec!["city".to_owned()]).await
}

fn crowd(size: u64) -> Rows {
    let row = |line| {
        let person = WrittenPerson { phone: format!("0770{line:07}"), name: "Sara".to_owned() };
        Ok(WrittenRow { line, person: Ok(person) })
    };
    (1..=size).map(row).collect()
}

fn job(state: ImportState) -> ImportJob {
    ImportJob {
        id: Uuid::from_u128(7).into(),
        member: a_member(1).id,
        name: "people.csv".to_owned(),
        state,
        people: 3,
        report: ImportReport { created: 2, known: 1, refused: 4 },
        not_read: Vec::new(),
        created_at: a_moment(),
        changed_at: a_moment(),
    }
}

#[pollster::test]
async fn a_list_is_kept_five_hundred_rows_at_a_time_and_starts_when_all_of_it_is_there() {
    let mut store = MockImportJobStore::new();
    store
        .expect_begin()
        .withf(|workspace, job, stale, entry| {
            *workspace == a_workspace().id
                && (job.state, &*job.name) == (ImportState::Arriving, "people.csv")
                && *stale == a_moment() - Duration::minutes(5)
                && entry.action == Action::ContactsImportBegan
                && entry.subject == Some(job.id.to_string())
        })
        .once()
        .returning(|_, _, _, _| Ok(true));
    let kept = Arc::new(Mutex::new(Vec::<StagedRows>::new()));
    let seen = Arc::clone(&kept);
    store.expect_stage().returning(move |_, _, staged, _| {
        seen.lock().unwrap().push(staged.clone());
        Ok(true)
    });
    store
        .expect_start()
        .withf(|_, _, not_read, _| *not_read == ["city"])
        .once()
        .returning(|_, _, _, _| Ok(true));
    let mut rows = crowd(998);
    rows.extend((999..=1_201).map(|line| Ok(WrittenRow { line, person: Err(RowError::NotText) })));
    let taken = take(store, Role::Owner, " people.csv ", rows).await.unwrap();
    assert_eq!((taken.state, taken.people, taken.report.refused), (ImportState::Running, 998, 203));
    assert_eq!(taken.not_read, ["city"]);
    let kept = kept.lock().unwrap();
    let parts: Vec<_> = kept
        .iter()
        .map(|staged| {
            let part = staged.part.as_ref().map(|part| (part.number, part.rows, part.people.len()));
            (part, staged.refused, staged.refusals.len())
        })
        .collect();
    let wanted = [(Some((1, 500, 500)), 0, 0), (Some((2, 498, 498)), 2, 2), (None, 201, 201)];
    assert_eq!(parts, wanted);
}

#[pollster::test]
async fn what_breaks_off_is_forgotten_and_says_why() {
    let broken =
        |before: u64| -> Rows { crowd(before).into_iter().chain([Err("the disk is gone")]).collect() };
    // Who gives it, what it is, whether it is still there to be added to; what is said.
    let cases: [(Role, Rows, bool, &str); 6] = [
        (Role::Owner, vec![], true, "empty"),
        (Role::Owner, broken(600), true, "the disk is gone"),
        (Role::Owner, broken(0), true, "the disk is gone"),
        (Role::Owner, crowd(600), false, "forgotten"),
        (Role::Owner, crowd(500), true, "forgotten"),
        (Role::Agent, crowd(1), true, "not allowed"),
    ];
    for (role, rows, is_there, said) in cases {
        let mut store = MockImportJobStore::new();
        store.expect_begin().once().returning(|_, _, _, _| Ok(true));
        store.expect_stage().returning(move |_, _, _, _| Ok(is_there));
        // Somebody else took it for broken off in the last moment.
        store.expect_start().returning(|_, _, _, _| Ok(false));
        store.expect_forget().once().returning(|_, _| Ok(()));
        let words = match take(store, role, "", rows).await {
            Err(ImportJobError::Import(ImportError::List(words))) => words,
            Err(ImportJobError::Import(ImportError::NotAllowed)) => "not allowed",
            Err(ImportJobError::Empty) => "empty",
            Err(ImportJobError::Forgotten) => "forgotten",
            _ => "something else",
        };
        assert_eq!(words, said);
    }
}

#[pollster::test]
async fn nothing_begins_beside_another_or_under_a_name_without_end() {
    let mut store = MockImportJobStore::new();
    store.expect_begin().once().returning(|_, _, _, _| Ok(false));
    assert!(matches!(take(store, Role::Owner, "", crowd(1)).await, Err(ImportJobError::Running)));
    let nothing = MockImportJobStore::new();
    let refused = take(nothing, Role::Owner, &"ع".repeat(4_096), crowd(1)).await;
    assert!(matches!(refused, Err(ImportJobError::Name)));
}

#[pollster::test]
async fn what_broke_off_long_ago_is_not_shown() {
    let mut store = MockImportJobStore::new();
    let old = ImportJob { changed_at: a_moment() - Duration::minutes(6), ..job(ImportState::Arriving) };
    let finished = ImportJob { state: ImportState::Finished, ..old.clone() };
    let jobs = vec![old.clone(), job(ImportState::Arriving), finished.clone()];
    store.expect_jobs().returning(move |_, _| Ok(jobs.clone()));
    store.expect_job().returning(move |_, _| Ok(Some((old.clone(), vec![]))));
    let import = importing(None, MockContactStore::new());
    let jobs = ImportJobs { store: Arc::new(store), import };
    let shown = jobs.list(a_workspace().id).await.unwrap();
    assert_eq!(shown, [job(ImportState::Arriving), finished]);
    assert_eq!(jobs.get(a_workspace().id, shown[0].id).await.unwrap(), None);
}

fn running(store: &mut MockImportJobStore) {
    store.expect_running().returning(|_| Ok(Some(job(ImportState::Running))));
}

async fn step(
    store: MockImportJobStore,
    role: Option<Role>,
    contacts: MockContactStore,
) -> Result<ImportStep, StoreError> {
    let run = RunImports { store: Arc::new(store), import: importing(role, contacts) };
    run.step(a_workspace().id).await
}

fn part() -> ImportPart {
    let phone = |text: &str| PhoneNumber::parse(text, a_region()).unwrap();
    let people =
        [(phone("07701234567"), ContactName::read("Sara").ok()), (phone("07801234567"), None)].into();
    ImportPart { number: 3, rows: 4, people }
}

#[pollster::test]
async fn a_part_names_the_nameless_and_is_then_written() {
    let (mut store, mut contacts) = (MockImportJobStore::new(), MockContactStore::new());
    running(&mut store);
    store.expect_next_part().returning(|_, _| Ok(Some(part())));
    let mut known = [Some(Contact { name: None, ..a_contact() }), None].into_iter();
    contacts
        .expect_find_all_by_phone()
        .times(2)
        .returning(move |_, _| Ok(known.next().flatten().into_iter().collect()));
    contacts.expect_name().once().returning(|_, _| Ok(true));
    let mut tries = 0;
    store
        .expect_write_part()
        .withf(|_, _, number, contacts, _| {
            let names: Vec<_> = contacts.iter().map(|contact| contact.name.as_deref()).collect();
            (*number, names) == (3, vec![Some("Sara"), None])
        })
        .times(2)
        .returning(move |_, _, _, _, _| {
            tries += 1;
            if tries == 1 { Err(StoreError::Stale) } else { Ok(false) }
        });
    assert_eq!(step(store, Some(Role::Owner), contacts).await.unwrap(), ImportStep::WentOn);
}

#[pollster::test]
async fn the_last_part_is_followed_by_the_end_with_its_counts() {
    for (first, wanted) in
        [(true, ImportStep::Finished(job(ImportState::Running).id)), (false, ImportStep::WentOn)]
    {
        let mut store = MockImportJobStore::new();
        running(&mut store);
        store.expect_next_part().once().returning(|_, _| Ok(None));
        store.expect_job().once().returning(|_, _| Ok(Some((job(ImportState::Running), vec![]))));
        store
            .expect_end()
            .withf(|_, _, state, _, entry| {
                let counts = ["created", "known", "refused"].map(|name| entry.details[name].as_u64());
                *state == ImportState::Finished
                    && entry.action == Action::ContactsImported
                    && entry.actor == Actor::Member(a_member(1).id)
                    && counts == [Some(2), Some(1), Some(4)]
            })
            .once()
            .returning(move |_, _, _, _, _| Ok(first));
        assert_eq!(step(store, Some(Role::Owner), MockContactStore::new()).await.unwrap(), wanted);
    }
}

#[pollster::test]
async fn who_may_not_any_more_has_the_rest_left() {
    for role in [None, Some(Role::Agent)] {
        let mut store = MockImportJobStore::new();
        running(&mut store);
        store
            .expect_end()
            .withf(|_, _, state, _, entry| {
                (*state, entry.action, entry.actor)
                    == (ImportState::Stopped, Action::ContactsImportStopped, Actor::Service)
            })
            .once()
            .returning(|_, _, _, _, _| Ok(true));
        let stopped = step(store, role, MockContactStore::new()).await.unwrap();
        assert_eq!(stopped, ImportStep::Stopped(job(ImportState::Running).id));
    }
    let mut store = MockImportJobStore::new();
    store.expect_running().returning(|_| Ok(None));
    assert_eq!(step(store, None, MockContactStore::new()).await.unwrap(), ImportStep::Nothing);
}
