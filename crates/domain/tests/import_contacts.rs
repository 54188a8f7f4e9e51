//! Taking over lists of people: what is written together, and what is counted.

use std::sync::{Arc, Mutex};

use domain::{
    access::members::{Member, Role, ports::MockMemberStore},
    audit::{Acting, Action, Actor, MockAuditStore},
    contacts::{
        Contact, ImportContacts, ImportError, ImportReport, RefusedRow, RowError, WrittenPerson, WrittenRow,
        ports::MockContactStore,
    },
    errors::StoreError,
    phone::{PhoneError, PhoneNumber},
    testing::{a_contact, a_member, a_region, a_workspace, some_deps},
};

type Outcome = Result<(ImportReport, Vec<RefusedRow>), ImportError<&'static str>>;

async fn import(store: MockContactStore, rows: Vec<Result<WrittenRow, &'static str>>) -> Outcome {
    let mut audit = MockAuditStore::new();
    audit.expect_add().returning(|_, _| Ok(()));
    logged(store, audit, rows).await
}

/// An operator's.
async fn logged(
    store: MockContactStore,
    audit: MockAuditStore,
    rows: Vec<Result<WrittenRow, &'static str>>,
) -> Outcome {
    given_by(Acting::operator(a_workspace().id), MockMemberStore::new(), store, audit, rows).await
}

async fn given_by(
    acting: Acting,
    team: MockMemberStore,
    store: MockContactStore,
    audit: MockAuditStore,
    rows: Vec<Result<WrittenRow, &'static str>>,
) -> Outcome {
    let import = ImportContacts {
        store: Arc::new(store),
        audit: Arc::new(audit),
        members: Arc::new(team),
        deps: some_deps(),
    };
    let mut refused = Vec::new();
    let refuse = |row| {
        refused.push(row);
        Ok(())
    };
    let report = import.run(acting, a_region(), rows.into_iter(), refuse).await?;
    Ok((report, refused))
}

fn people<'a>(people: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Result<WrittenRow, &'static str>> {
    let row = |(line, (phone, name)): (u64, (&str, &str))| {
        let person = WrittenPerson { phone: phone.to_owned(), name: name.to_owned() };
        Ok(WrittenRow { line, person: Ok(person) })
    };
    (1..).zip(people).map(row).collect()
}

fn crowd(size: usize) -> Vec<Result<WrittenRow, &'static str>> {
    let phones: Vec<String> = (0..size).map(|number| format!("0770{number:07}")).collect();
    people(phones.iter().map(|phone| (phone.as_str(), "")))
}

fn phones(contacts: &[Contact]) -> Vec<PhoneNumber> {
    contacts.iter().filter_map(|contact| contact.phone.clone()).collect()
}

#[pollster::test]
async fn rows_are_written_five_hundred_at_a_time() {
    let mut store = MockContactStore::new();
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sizes);
    store.expect_add_unknown().returning(move |_, contacts| {
        seen.lock().unwrap().push(contacts.len());
        Ok(phones(contacts))
    });
    let (report, refused) = import(store, crowd(1_001)).await.unwrap();
    assert_eq!(report, ImportReport { created: 1_001, known: 0, refused: 0 });
    assert_eq!(*sizes.lock().unwrap(), [500, 500, 1]);
    assert_eq!(refused, []);
}

#[pollster::test]
async fn whoever_is_removed_or_no_owner_any_more_writes_no_more_of_their_list() {
    let owner = a_member(1);
    let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(owner.id), address: None };
    let member = |role| Member { role, ..a_member(1) };
    for then in [vec![], vec![member(Role::Agent)]] {
        let mut team = MockMemberStore::new();
        let mut asked = 0;
        team.expect_team().returning(move |_| {
            asked += 1;
            Ok(if asked == 1 { vec![member(Role::Owner)] } else { then.clone() })
        });
        let mut store = MockContactStore::new();
        store.expect_add_unknown().once().returning(|_, contacts| Ok(phones(contacts)));
        let mut audit = MockAuditStore::new();
        // Its end is not told of: it had none.
        audit.expect_add().once().returning(|_, _| Ok(()));
        let outcome = given_by(acting, team, store, audit, crowd(1_200)).await;
        assert!(matches!(outcome, Err(ImportError::NotAllowed)));
    }
}

#[pollster::test]
async fn a_number_that_comes_again_in_any_spelling_counts_as_known_and_keeps_its_first_name() {
    let mut store = MockContactStore::new();
    let one = |contacts: &[Contact]| contacts.len() == 1 && contacts[0].name.as_deref() == Some("Sara");
    store
        .expect_add_unknown()
        .withf(move |_, contacts| one(contacts))
        .once()
        .returning(|_, contacts| Ok(phones(contacts)));
    let list = [("07701234567", ""), ("+964 770 123 4567", "Sara"), ("٠٧٧٠١٢٣٤٥٦٧", "Omar")];
    let (report, _) = import(store, people(list)).await.unwrap();
    assert_eq!(report, ImportReport { created: 1, known: 2, refused: 0 });
}

#[pollster::test]
async fn a_number_of_no_plan_of_today_is_known_where_somebody_has_it_and_refused_otherwise() {
    let mut store = MockContactStore::new();
    let known = PhoneNumber::from_e164("+5215512345678").unwrap();
    let of_known = Contact { phone: Some(known), ..a_contact() };
    store.expect_find_all_by_phone().once().returning(move |_, phones| {
        assert_eq!(phones.len(), 2, "those alone that no plan has");
        Ok(vec![of_known.clone()])
    });
    store.expect_add_unknown().once().returning(|_, contacts| {
        let planned = phones(contacts).into_iter().filter(|phone| phone.as_str().starts_with("+964"));
        Ok(planned.collect())
    });
    let list = [("'+5215512345678", ""), ("07701234567", ""), ("+5215500000000", "")];
    let (report, refused) = import(store, people(list)).await.unwrap();
    assert_eq!(report, ImportReport { created: 1, known: 1, refused: 1 });
    assert_eq!(refused, [RefusedRow { line: 3, why: RowError::Phone(PhoneError::Impossible) }]);
}

#[pollster::test]
async fn rows_that_are_none_of_a_person_are_told_by_line_and_the_rest_is_written() {
    let mut store = MockContactStore::new();
    store.expect_add_unknown().once().returning(|_, contacts| Ok(phones(contacts)));
    let mut rows = people([("nobody", "Sara"), ("07701234567", "Sara"), ("0770", "")]);
    rows.push(Ok(WrittenRow { line: 9, person: Err(RowError::NotText) }));
    let (report, refused) = import(store, rows).await.unwrap();
    assert_eq!(report, ImportReport { created: 1, known: 0, refused: 3 });
    let wanted = [
        (1, RowError::Phone(PhoneError::NotANumber)),
        (3, RowError::Phone(PhoneError::Impossible)),
        (9, RowError::NotText),
    ];
    assert_eq!(refused, wanted.map(|(line, why)| RefusedRow { line, why }));
}

#[pollster::test]
async fn a_known_person_without_a_name_gets_it_and_a_lost_race_is_looked_at_again() {
    let mut store = MockContactStore::new();
    store.expect_add_unknown().returning(|_, _| Ok(Vec::new()));
    let mut names = [None, None, Some("Omar".to_owned())].into_iter();
    store
        .expect_find_all_by_phone()
        .times(3)
        .returning(move |_, _| Ok(vec![Contact { name: names.next().flatten(), ..a_contact() }]));
    let wanted = |name: &str| name == "Sara";
    store
        .expect_name()
        .withf(move |_, naming| wanted(naming.name.as_str()) && naming.only_if_unchanged)
        .times(2)
        .returning(|_, _| Ok(false));
    let (report, _) = import(store, people([("07701234567", "Sara"), ("07801234567", "")])).await.unwrap();
    assert_eq!(report, ImportReport { created: 0, known: 2, refused: 0 });
}

#[pollster::test]
async fn a_lost_race_is_tried_again_and_a_failing_store_ends_it() {
    let mut store = MockContactStore::new();
    store.expect_add_unknown().once().returning(|_, _| Err(StoreError::Stale));
    store.expect_add_unknown().once().returning(|_, contacts| Ok(phones(contacts)));
    store.expect_add_unknown().once().returning(|_, _| Err(StoreError::Unavailable("gone".to_owned())));
    let failed = import(store, crowd(1_500)).await;
    assert!(matches!(failed, Err(ImportError::Store(StoreError::Unavailable(_)))));
}

#[pollster::test]
async fn the_log_tells_of_the_beginning_and_with_the_counts_of_the_end() {
    for rows in [3, 4] {
        let (mut store, mut audit) = (MockContactStore::new(), MockAuditStore::new());
        store.expect_add_unknown().returning(|_, contacts| Ok(phones(contacts)));
        audit
            .expect_add()
            .withf(|workspace, entry| {
                *workspace == a_workspace().id
                    && entry.action == Action::ContactsImportBegan
                    && entry.details.is_empty()
            })
            .once()
            .returning(|_, _| Ok(()));
        let ends = rows == 3;
        audit
            .expect_add()
            .withf(|_, entry| {
                let counts = ["created", "known", "refused"].map(|name| entry.details[name].as_u64());
                entry.action == Action::ContactsImported && counts == [Some(3), Some(0), Some(0)]
            })
            .times(usize::from(ends))
            .returning(|_, _| Ok(()));
        let mut list = crowd(3);
        list.extend((!ends).then_some(Err("the disk is gone")));
        assert_eq!(logged(store, audit, list).await.is_ok(), ends);
    }
}

#[pollster::test]
async fn a_list_that_breaks_off_leaves_its_last_rows_unwritten() {
    let mut rows = crowd(3);
    rows.push(Err("the disk is gone"));
    let failed = import(MockContactStore::new(), rows).await;
    assert!(matches!(failed, Err(ImportError::List("the disk is gone"))));
}
