//! Grouping of updates by person, their contacts, and merges.

use std::collections::BTreeSet;

use time::Duration;
use uuid::Uuid;

use super::{BatchPerson, ByIdentity, presented};
use crate::{
    contacts::{Contact, ContactSource, Identity},
    ids::ContactId,
    inbound::{ConversationUpdate, KnownPerson, Person, SeenUpTo, UpdateKind},
    messages::DeliveryStatus,
    phone::PhoneNumber,
    testing::a_moment,
};

fn phone(last: u32) -> PhoneNumber {
    PhoneNumber::from_e164(&format!("+96477012345{last:02}")).unwrap()
}

/// `p7` is a number, `u7` a user id.
fn identity(name: &str) -> Identity {
    match name.split_at(1) {
        ("p", last) => Identity::Phone(phone(last.parse().unwrap())),
        (_, id) => Identity::WhatsappUser(id.to_owned()),
    }
}

fn identities(names: &[&str]) -> Vec<Identity> {
    names.iter().map(|name| identity(name)).collect()
}

/// Makes an update about a person with these identities.
fn about(names: &[&str], said: Option<&str>) -> ConversationUpdate {
    let person = Person { identities: identities(names), name: said.map(str::to_owned), avatar_url: None };
    let what = UpdateKind::Seen { status: DeliveryStatus::Read, up_to: SeenUpTo::Time(a_moment()) };
    ConversationUpdate { person, at: a_moment(), what }
}

fn renumbered(before: &[&str], now: &[&str]) -> ConversationUpdate {
    ConversationUpdate { what: UpdateKind::Renumbered { now: identities(now) }, ..about(before, None) }
}

fn only(updates: &[ConversationUpdate]) -> BatchPerson {
    let mut people = presented(updates);
    assert_eq!(people.len(), 1, "{people:?}");
    people.remove(0)
}

fn contact_id(number: u32) -> ContactId {
    Uuid::from_u128(number.into()).into()
}

/// Makes contact `number` with these identities, older the lower; the first phone number is its own.
fn known(number: u32, name: Option<&str>, names: &[&str]) -> KnownPerson {
    let identities: BTreeSet<Identity> = identities(names).into_iter().collect();
    let phone = identities.iter().find_map(Identity::phone).cloned();
    let contact = Contact {
        id: contact_id(number),
        name: name.map(str::to_owned),
        phone,
        source: ContactSource::Messaged,
        created_at: a_moment() + Duration::minutes(number.into()),
    };
    KnownPerson { contact, avatar_url: None, identities, conversations: Vec::new() }
}

#[test]
fn updates_that_share_a_name_are_about_one_person() {
    for (updates, people) in [
        (&[&["p1"][..], &["p2"], &["p1"]][..], &[&[0, 2][..], &[1]][..]),
        (&[&["p1", "u1"], &["u1"], &["p1"]], &[&[0, 1, 2]]),
        // The third shows that the first two are one person.
        (&[&["p1"], &["u1"], &["p1", "u1"]], &[&[0, 1, 2]]),
        (&[&["u1"], &["p2"], &["p1"], &["p1", "u1"]], &[&[0, 2, 3], &[1]]),
        (&[], &[]),
    ] {
        let updates: Vec<ConversationUpdate> = updates.iter().map(|names| about(names, None)).collect();
        let mut found: Vec<Vec<usize>> = presented(&updates).into_iter().map(|one| one.updates).collect();
        for places in &mut found {
            places.sort_unstable();
        }
        assert_eq!(found, people);
    }
}

#[test]
fn the_latest_number_counts_and_the_first_name_that_can_be_kept() {
    let person = only(&[
        about(&["u1"], Some(" \0")),
        about(&["u1", "p1"], Some("Sa\0ra")),
        about(&["u1", "p2"], Some("Omar")),
    ]);
    assert_eq!((person.phone, person.name.as_deref()), (Some(phone(2)), Some("Sara")));
    let person = only(&[renumbered(&["p1"], &["p3", "u3"])]);
    assert_eq!(person.phone, Some(phone(3)));
    assert_eq!(person.identities, identities(&["p1", "p3", "u3"]).into_iter().collect());
    let long = "ع".repeat(300);
    assert_eq!(only(&[about(&["p1"], Some(&long))]).name.unwrap().chars().count(), 200);
    let mut pictured = about(&["p1"], None);
    for (length, kept) in [(2_048, true), (2_049, false)] {
        pictured.person.avatar_url = Some("a".repeat(length));
        assert_eq!(only(&[pictured.clone()]).avatar_url.is_some(), kept);
    }
}

/// Returns their contact, and the contacts that it absorbs.
fn who(person: &BatchPerson, people: &[KnownPerson]) -> Option<(ContactId, Vec<ContactId>)> {
    let absorbed = person.merge(&ByIdentity::of(people)).map(|met| met.absorbed).unwrap_or_default();
    person.contact(&ByIdentity::of(people)).map(|known| (known.contact.id, absorbed))
}

#[test]
fn several_contacts_of_one_person_become_the_oldest() {
    let told = about(&["p1", "u1"], None);
    for (people, wanted) in [
        (vec![], None),
        (vec![known(1, None, &["p2"]), known(2, None, &["u2"])], None),
        (vec![known(1, None, &["p1", "u1"])], Some((1, vec![]))),
        (vec![known(2, None, &["p1"]), known(1, None, &["u1"])], Some((1, vec![2]))),
        (vec![known(1, None, &["p1"]), known(2, None, &["u1"])], Some((1, vec![2]))),
        // The user id went over to this number; its former owner keeps what is theirs.
        (vec![known(1, None, &["p2", "u1"]), known(2, None, &["p1"])], Some((2, vec![]))),
        // Nobody has the number: they have changed it.
        (vec![known(1, None, &["p2", "u1"])], Some((1, vec![]))),
    ] {
        let wanted = wanted.map(|(one, absorbed): (u32, Vec<u32>)| {
            (contact_id(one), absorbed.into_iter().map(contact_id).collect())
        });
        assert_eq!(who(&only(std::slice::from_ref(&told)), &people), wanted, "{people:?}");
    }
    // If the network reports a change of number, both contacts are one person.
    let changed = only(&[renumbered(&["p1"], &["p2"])]);
    let people = [known(1, None, &["p1"]), known(2, None, &["p2"])];
    assert_eq!(who(&changed, &people), Some((contact_id(1), vec![contact_id(2)])));
    assert_eq!(changed.merge(&ByIdentity::of(&people)).unwrap().phone, Some(phone(2)));
}

#[test]
fn what_is_said_fills_blanks_and_changes_no_name() {
    for (person, name, said) in [
        (known(1, None, &["p1"]), Some("Sara"), Some("Sara")),
        (known(1, Some(" "), &["p1"]), Some("Sara"), Some("Sara")),
        (known(1, Some("Layla"), &["p1"]), Some("Sara"), None),
        (known(1, None, &["p1"]), None, None),
    ] {
        let met = only(&[about(&["p1"], name)]).merge(&ByIdentity::of(std::slice::from_ref(&person)));
        assert_eq!(met.and_then(|met| met.name).as_deref(), said, "{:?} {name:?}", person.contact.name);
    }
    // A number that becomes known is filled in, and a user id is added.
    let met = only(&[about(&["u1", "p1"], None)]).merge(&ByIdentity::of(&[known(1, None, &["u1"])])).unwrap();
    assert_eq!((met.phone, met.identities), (Some(phone(1)), vec![]));
    let met = only(&[about(&["u1", "p1"], None)]).merge(&ByIdentity::of(&[known(1, None, &["p1"])])).unwrap();
    assert_eq!((met.phone, met.identities), (Some(phone(1)), identities(&["u1"])));
    // The younger one's name, if the oldest has none.
    let people = [known(1, None, &["p1"]), known(2, Some("Layla"), &["u1"])];
    let met = only(&[about(&["u1", "p1"], Some("Sara"))]).merge(&ByIdentity::of(&people)).unwrap();
    assert_eq!((met.contact.id, met.name.as_deref()), (contact_id(1), Some("Layla")));
    let mut pictured = about(&["p1"], None);
    pictured.person.avatar_url = Some("https://a.example/1".to_owned());
    let met = only(&[pictured.clone()]).merge(&ByIdentity::of(&[known(1, None, &["p1"])])).unwrap();
    assert_eq!(met.avatar_url.as_deref(), Some("https://a.example/1"));
    let seen = KnownPerson { avatar_url: Some("https://a.example/0".to_owned()), ..known(1, None, &["p1"]) };
    assert_eq!(only(&[pictured]).merge(&ByIdentity::of(&[seen])), None);
}

#[test]
fn who_is_called_otherwise_than_they_are_dialled_is_one_contact_and_keeps_the_number_that_was_dialled() {
    // Contact 1 has number 1, which the network spells as number 2.
    let dialled = known(1, Some("Ana"), &["p1", "p2"]);
    let people = [KnownPerson { identities: [identity("p2")].into(), ..dialled.clone() }];
    let person = only(&[about(&["p2"], None)]);
    assert_eq!(person.contact(&ByIdentity::of(&people)).map(|known| known.contact.id), Some(contact_id(1)));
    assert_eq!(person.merge(&ByIdentity::of(&people)), None);
    // A contact was made of that number before.
    let people = [people[0].clone(), known(2, None, &["p2"])];
    let merge = person.merge(&ByIdentity::of(&people)).unwrap();
    assert_eq!((merge.contact.id, merge.absorbed.as_slice()), (contact_id(1), &[contact_id(2)][..]));
    assert_eq!((merge.phone, merge.forgets_spellings), (Some(phone(1)), false));
}

#[test]
fn ids_of_before_and_shared_ids_lead_to_a_person_and_are_not_written_to() {
    let people = [known(1, Some("Huda"), &["u7", "uENT"])];
    let merge = only(&[renumbered(&["u7", "u8"], &["u9"])]).merge(&ByIdentity::of(&people)).unwrap();
    assert_eq!(merge.identities, identities(&["u8", "u9"]));
    assert_eq!(merge.lesser, [identity("u8")].into());
    let shared = Identity::WhatsappUser("IQ.ENT.7".to_owned());
    assert!(shared.is_shared() && !Identity::WhatsappUser("IQ.7".to_owned()).is_shared());
}
