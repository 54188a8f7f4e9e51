//! Who wrote: with a number, with a user id, or with both.

use domain::inbound::NetworkUpdate;
use serde_json::{Value, json};

use super::{post, read};

/// The names of each message's person, and what they call themselves.
fn people(contacts: &Value, messages: &[Value]) -> Vec<(Vec<String>, Option<String>)> {
    let filled = messages.iter().map(|ids| {
        let mut message = json!({ "id": "wamid.B", "timestamp": "1", "type": "text" });
        message.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        message
    });
    let updates = read(&post(&json!({ "contacts": contacts, "messages": filled.collect::<Vec<_>>() })));
    let person = |update: &NetworkUpdate| match update {
        NetworkUpdate::Conversation { update, .. } => {
            let names = update.person.identities.iter().map(|identity| identity.value().to_owned());
            (names.collect(), update.person.name.clone())
        }
        other => panic!("{other:?}"),
    };
    updates.iter().map(person).collect()
}

fn named(name: &str, mut ids: Value) -> Value {
    ids.as_object_mut().unwrap().insert("profile".to_owned(), json!({ "name": name }));
    ids
}

#[test]
fn each_message_finds_its_own_contact() {
    let contacts = json!([
        named("number", json!({ "wa_id": "9647700000001" })),
        named("user", json!({ "user_id": "IQ.2" })),
        named("both", json!({ "wa_id": "9647700000003", "user_id": "IQ.3" })),
        named("crossed", json!({ "user_id": "IQ.6" })),
    ]);
    let table = [
        (json!({ "from": "+9647700000001" }), vec!["+9647700000001"], Some("number")),
        (json!({ "from_user_id": "IQ.2" }), vec!["IQ.2"], Some("user")),
        (
            json!({ "from": "9647700000003", "from_user_id": "IQ.3" }),
            vec!["+9647700000003", "IQ.3"],
            Some("both"),
        ),
        (json!({ "from": "9647700000003" }), vec!["+9647700000003", "IQ.3"], Some("both")),
        (json!({ "from_user_id": "IQ.3" }), vec!["+9647700000003", "IQ.3"], Some("both")),
        (json!({ "from": "IQ.6" }), vec!["IQ.6"], Some("crossed")),
        (json!({ "from": "9647700000005" }), vec!["+9647700000005"], None),
        (json!({ "from": "9647700000005", "from_user_id": "9647700000005" }), vec!["+9647700000005"], None),
        (json!({ "from": 7, "from_user_id": "IQ.ENT.7" }), vec!["IQ.ENT.7"], None),
    ];
    let messages: Vec<Value> = table.iter().map(|(ids, _, _)| ids.clone()).collect();
    for ((ids, names, name), found) in table.iter().zip(people(&contacts, &messages)) {
        assert_eq!(
            (found.0, found.1.as_deref()),
            (names.iter().map(|name| (*name).to_owned()).collect(), *name),
            "{ids}"
        );
    }
}

#[test]
fn the_only_contact_of_the_only_message_gives_its_name_and_no_second_number() {
    let contacts = json!([named("only", json!({ "wa_id": "5215512345678", "user_id": "MX.1" }))]);
    let found = people(&contacts, &[json!({ "from": "525512345678" })]);
    assert_eq!(found, [(vec!["+525512345678".to_owned()], Some("only".to_owned()))]);
    let found = people(&contacts, &[json!({})]);
    assert_eq!(found, [(vec!["+5215512345678".to_owned(), "MX.1".to_owned()], Some("only".to_owned()))]);
}

#[test]
fn a_name_without_words_is_none() {
    for name in [json!(" "), json!(7), Value::Null] {
        let contacts = json!([{ "wa_id": "9647700000001", "profile": { "name": name } }]);
        assert_eq!(people(&contacts, &[json!({ "from": "9647700000001" })])[0].1, None);
    }
}

#[test]
fn who_gives_no_name_goes_by_their_user_name() {
    for (profile, name) in [
        (json!({ "username": "sara.k" }), "sara.k"),
        (json!({ "name": "", "username": "sara.k" }), "sara.k"),
        (json!({ "name": "سارة", "username": "sara.k" }), "سارة"),
    ] {
        let contacts = json!([{ "user_id": "IQ.2", "profile": profile }]);
        assert_eq!(people(&contacts, &[json!({ "from_user_id": "IQ.2" })])[0].1.as_deref(), Some(name));
    }
}
