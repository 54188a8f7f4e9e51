//! Contacts: what adding, naming and listing decide.
//!
//! A mock that a test did not set up panics when it is called: "nothing is written" is said by leaving it
//! out.

use std::sync::Arc;

use domain::{
    audit::{Acting, Action, Actor},
    contacts::{
        AddContact, AddContactError, AskedContacts, Contact, ContactFilter, ContactName, ContactProfile,
        ContactSource, ListContacts, ListContactsError, RenameContact,
        ports::{FoundContacts, MockContactStore, Naming},
    },
    errors::StoreError,
    paging::{AskedPage, Cursors, PageLimit},
    phone::{PhoneError, PhoneNumber},
    testing::{a_caller, a_contact, a_moment, a_recipient, a_region, a_vault, a_workspace, some_deps},
};
use mockall::Sequence;

async fn add(
    store: MockContactStore,
    phone: &str,
    name: Option<&str>,
) -> Result<ContactProfile, AddContactError> {
    let add = AddContact { store: Arc::new(store), deps: some_deps() };
    add.run(a_workspace().id, a_region(), phone, name).await
}

fn known_as(name: Option<&str>) -> ContactProfile {
    let contact = Contact { name: name.map(str::to_owned), ..a_contact() };
    ContactProfile { conversations: 2, ..ContactProfile::without_conversations(contact) }
}

/// A store that knows the recipient.
fn store_with(profile: ContactProfile) -> MockContactStore {
    let mut store = MockContactStore::new();
    store
        .expect_find_by_phone()
        .withf(|workspace, phone| *workspace == a_workspace().id && *phone == a_recipient())
        .returning(move |_, _| Ok(Some(profile.clone())));
    store
}

#[pollster::test]
async fn a_number_that_nobody_knows_makes_an_imported_contact() {
    for (name, kept) in [(None, None), (Some(" سارة "), Some("سارة"))] {
        let mut store = MockContactStore::new();
        store.expect_find_by_phone().returning(|_, _| Ok(None));
        let wanted = move |contact: &Contact| {
            contact.phone == Some(a_recipient())
                && contact.name.as_deref() == kept
                && contact.source == ContactSource::Import
                && contact.created_at == a_moment()
        };
        store
            .expect_add()
            .withf(move |_, contact, entry| wanted(contact) && entry.is_none())
            .once()
            .returning(|_, _, _| Ok(true));
        let added = add(store, "٠٧٧٠ ١٢٣ ٤٥٦٧", name).await.unwrap();
        assert_eq!(added, ContactProfile::without_conversations(added.contact.clone()));
        assert!(wanted(&added.contact));
    }
}

#[pollster::test]
async fn a_known_name_stays_whatever_is_given() {
    for given in [None, Some("Sara")] {
        let added = add(store_with(known_as(Some("سارة"))), "07701234567", given).await.unwrap();
        assert_eq!(added, known_as(Some("سارة")));
    }
}

#[pollster::test]
async fn a_blank_name_is_filled_if_it_is_still_blank() {
    for blank in [None, Some(""), Some(" ")] {
        let mut store = store_with(known_as(blank));
        let wanted = Naming {
            contact: known_as(blank).contact,
            name: ContactName::read("Sara").unwrap(),
            only_if_unchanged: true,
            entry: None,
        };
        store.expect_name().withf(move |_, naming| *naming == wanted).once().returning(|_, _| Ok(true));
        let added = add(store, "07701234567", Some("Sara ")).await.unwrap();
        assert_eq!(added, known_as(Some("Sara")));
    }
    let untouched = add(store_with(known_as(None)), "07701234567", None).await.unwrap();
    assert_eq!(untouched, known_as(None));
}

#[pollster::test]
async fn who_loses_a_race_takes_what_the_winner_wrote() {
    let (mut store, mut order) = (MockContactStore::new(), Sequence::new());
    store.expect_find_by_phone().once().in_sequence(&mut order).returning(|_, _| Ok(None));
    store.expect_add().once().in_sequence(&mut order).returning(|_, _, _| Ok(false));
    store.expect_find_by_phone().once().in_sequence(&mut order).returning(|_, _| Ok(Some(known_as(None))));
    store.expect_name().once().in_sequence(&mut order).returning(|_, _| Ok(false));
    let winner = known_as(Some("Omar"));
    store.expect_find_by_phone().once().in_sequence(&mut order).return_once(|_, _| Ok(Some(winner)));
    let added = add(store, "07701234567", Some("Sara")).await.unwrap();
    assert_eq!(added, known_as(Some("Omar")));
}

#[pollster::test]
async fn who_always_loses_gives_up() {
    let mut store = MockContactStore::new();
    store.expect_find_by_phone().returning(|_, _| Ok(None));
    store.expect_add().returning(|_, _, _| Ok(false));
    let refused = add(store, "07701234567", None).await;
    assert!(matches!(refused, Err(AddContactError::Store(StoreError::Stale))));
}

#[pollster::test]
async fn a_number_of_no_plan_of_today_is_taken_back_where_the_workspace_knows_somebody_by_it() {
    let theirs = PhoneNumber::from_e164("+5215512345678").unwrap();
    let known = Contact { phone: Some(theirs.clone()), ..a_contact() };
    let known = ContactProfile::without_conversations(known);
    for written in ["+5215512345678", "+52 1 55 1234 5678", "005215512345678", "5215512345678"] {
        let (mut store, theirs) = (MockContactStore::new(), theirs.clone());
        let found = known.clone();
        store
            .expect_find_by_phone()
            .withf(move |_, phone| *phone == theirs)
            .returning(move |_, _| Ok(Some(found.clone())));
        assert_eq!(add(store, written, None).await.unwrap(), known, "{written}");
    }
    let mut nobody = MockContactStore::new();
    nobody.expect_find_by_phone().once().returning(|_, _| Ok(None));
    let refused = add(nobody, "+5215512345678", None).await;
    assert!(matches!(refused, Err(AddContactError::Phone(PhoneError::Impossible))));
    let mut store = MockContactStore::new();
    let found = known.clone();
    store.expect_find_by_phone().returning(move |_, _| Ok(Some(found.clone())));
    let of_them = move |filter: &ContactFilter| filter.phone.as_ref() == Some(&theirs);
    let page = FoundContacts { rows: vec![known], total: 1 };
    store.expect_list().withf(move |_, filter, _| of_them(filter)).return_once(|_, _, _| Ok(page));
    let list = ListContacts { store: Arc::new(store), cursors: Cursors { vault: Arc::new(a_vault()) } };
    let asked = AskedContacts { phone: Some("+5215512345678".to_owned()), search: None };
    let page = AskedPage { limit: PageLimit::new(1).unwrap(), cursor: None };
    assert_eq!(list.run(a_workspace().id, a_region(), &asked, &page).await.unwrap().total, 1);
}

#[pollster::test]
async fn what_is_no_number_or_no_name_writes_nothing() {
    for (phone, error) in [("nobody", PhoneError::NotANumber), ("0770", PhoneError::Impossible)] {
        let refused = add(MockContactStore::new(), phone, None).await;
        assert!(matches!(refused, Err(AddContactError::Phone(why)) if why == error), "{phone}");
    }
    let refused = add(MockContactStore::new(), "07701234567", Some("  ")).await;
    assert!(matches!(refused, Err(AddContactError::Name(_))));
}

fn renaming(store: MockContactStore) -> RenameContact {
    RenameContact { store: Arc::new(store), deps: some_deps() }
}

#[pollster::test]
async fn the_log_of_changes_says_who_of_the_team_renamed_somebody() {
    let acting = Acting {
        workspace: a_workspace().id,
        actor: Actor::Member(a_caller().creator),
        address: Some("192.0.2.7".parse().unwrap()),
    };
    let mut store = MockContactStore::new();
    store.expect_find().returning(|_, _| Ok(Some(known_as(None))));
    store
        .expect_name()
        .withf(move |workspace, naming| {
            let entry = naming.entry.as_ref().unwrap();
            let subject = a_contact().id.to_string();
            let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
            (by, entry.action, entry.at) == (acting, Action::ContactRenamed, a_moment())
                && entry.subject == Some(subject)
                && entry.details["name"] == "Sara"
        })
        .once()
        .returning(|_, _| Ok(true));
    let name = ContactName::read("Sara").unwrap();
    assert!(renaming(store).run_by(acting, a_contact().id, &name).await.unwrap().is_some());
}

#[pollster::test]
async fn a_person_is_renamed_whatever_their_name_is_by_then() {
    let mut store = MockContactStore::new();
    store.expect_find().returning(|_, _| Ok(Some(known_as(Some("سارة")))));
    let wanted = Naming {
        contact: known_as(Some("سارة")).contact,
        name: ContactName::read("Sara").unwrap(),
        only_if_unchanged: false,
        entry: None,
    };
    store.expect_name().withf(move |_, naming| *naming == wanted).once().returning(|_, _| Ok(true));
    let rename = renaming(store);
    let name = ContactName::read("Sara").unwrap();
    let renamed = rename.run(a_workspace().id, a_contact().id, &name).await.unwrap();
    assert_eq!(renamed, Some(known_as(Some("Sara"))));
}

#[pollster::test]
async fn nobody_cannot_be_renamed() {
    let mut store = MockContactStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    let rename = renaming(store);
    let name = ContactName::read("Sara").unwrap();
    assert_eq!(rename.run(a_workspace().id, a_contact().id, &name).await.unwrap(), None);
}

#[pollster::test]
async fn a_filter_in_another_spelling_takes_the_same_cursor() {
    let mut store = MockContactStore::new();
    let found = || FoundContacts { rows: vec![known_as(None), known_as(None)], total: 9 };
    store.expect_list().returning(move |_, _, _| Ok(found()));
    let list = ListContacts { store: Arc::new(store), cursors: Cursors { vault: Arc::new(a_vault()) } };
    let asked = |phone: &str, search: &str| AskedContacts {
        phone: Some(phone.to_owned()),
        search: Some(search.to_owned()),
    };
    let page = |cursor| AskedPage { limit: PageLimit::new(1).unwrap(), cursor };
    let run = async |asked: AskedContacts, cursor| {
        list.run(a_workspace().id, a_region(), &asked, &page(cursor)).await
    };
    let first = run(asked("07701234567", "سارة"), None).await.unwrap();
    assert_eq!((first.page.rows, first.total), (vec![known_as(None)], 9));
    let cursor = first.page.next;
    assert!(run(asked("+964 770 123 4567", "ساره "), cursor.clone()).await.is_ok());
    for other in [AskedContacts::default(), asked("07701234568", "سارة"), asked("07701234567", "س")] {
        let refused = run(other, cursor.clone()).await;
        assert!(matches!(refused, Err(ListContactsError::Cursor(_))));
    }
}

#[pollster::test]
async fn the_log_of_changes_says_who_of_the_team_added_somebody() {
    let acting =
        Acting { workspace: a_workspace().id, actor: Actor::Member(a_caller().creator), address: None };
    let mut store = MockContactStore::new();
    store.expect_find_by_phone().returning(|_, _| Ok(None));
    store
        .expect_add()
        .withf(move |_, contact, entry| {
            entry.as_ref().is_some_and(|entry| {
                entry.action == Action::ContactAdded
                    && entry.actor == acting.actor
                    && entry.subject == Some(contact.id.to_string())
                    && entry.details.is_empty()
            })
        })
        .once()
        .returning(|_, _, _| Ok(true));
    let add = AddContact { store: Arc::new(store), deps: some_deps() };
    let added = add.run_by(acting, a_region(), "07701234567", Some("Sara")).await.unwrap();
    assert_eq!(added.contact.name.as_deref(), Some("Sara"));
}
