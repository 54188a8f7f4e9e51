//! Posts: batches, and what stands beside messages.

use domain::inbound::{Addressee, NetworkUpdate};
use serde_json::{Value, json};

use super::{PAGE, PERSON, element, ignored, owners, post, read, read_raw, unreadable};

#[test]
fn every_element_of_every_entry_is_read_and_a_bad_one_costs_only_itself() {
    let text = |mid: &str| element(&json!({ "message": { "mid": mid, "text": "Hello" } }));
    let entries = json!([
        { "id": PAGE, "time": 1, "messaging": [text("m_1"), 5, text("m_2")] },
        7,
        { "id": "", "messaging": [text("m_3")] },
        { "id": 99, "messaging": [text("m_4")] },
        { "id": PAGE, "messaging": {} },
        { "id": PAGE, "standby": [text("m_5")] },
        { "id": PAGE, "changes": [{ "field": "messages", "value": text("m_6") }, { "field": "feed", "value": {} }, 4] },
        { "id": PAGE, "yet_to_come": [text("m_7")], "changed_fields": ["messages"] },
    ]);
    let said: Vec<String> = read(&json!({ "object": "page", "entry": entries }))
        .iter()
        .map(|update| match update {
            NetworkUpdate::Conversation { channel_network_id, .. } => format!("{channel_network_id} wrote"),
            NetworkUpdate::Unreadable { part, .. } => format!("unreadable {part}"),
            NetworkUpdate::Ignored { field } => format!("ignored {field}"),
            NetworkUpdate::Unread { field, .. } => format!("unread {field}"),
            other => panic!("{other:?}"),
        })
        .collect();
    let page = format!("{PAGE} wrote");
    assert_eq!(
        said,
        [
            page.as_str(),
            "unreadable an element without a sender, a time, or what its kind needs",
            &page,
            "unreadable an entry that does not name its page or account",
            "unreadable an entry that does not name its page or account",
            "99 wrote",
            "unreadable `messaging` that is no list",
            &page,
            &page,
            "unread feed",
            "unreadable a change without a field or a value",
            "unread yet_to_come",
        ]
    );
}

#[test]
fn a_thousand_elements_in_one_post_are_all_read() {
    let text = element(&json!({ "message": { "mid": "m_1", "text": "Hello" } }));
    assert_eq!(read(&post("page", &Value::from(vec![text; 1000]))).len(), 1000);
}

#[test]
fn the_dashboards_test_is_read_with_its_times_in_strings_of_seconds() {
    let test = json!({ "object": "instagram", "entry": [{ "id": "0", "time": "1763600001", "changes": [
        { "field": "messages", "value": { "sender": { "id": PERSON }, "recipient": { "id": "23245" },
          "timestamp": "1763600001", "message": { "mid": "random_mid", "text": "random_text" } } }] }] });
    let [NetworkUpdate::Conversation { channel_network_id, update }] = &read(&test)[..] else {
        panic!("one update")
    };
    assert_eq!((channel_network_id.as_str(), update.at.unix_timestamp()), ("0", 1_763_600_001));
}

#[test]
fn other_objects_are_none_of_ours_and_what_is_no_post_is_refused() {
    assert_eq!(
        read(&json!({ "object": "whatsapp_business_account" })),
        [ignored("whatsapp_business_account")]
    );
    assert_eq!(read(&json!({ "object": "page", "entry": [] })), []);
    for raw in ["", "{", "null", "{}", r#"{"object":"page"}"#, r#"{"object":"page","entry":{}}"#] {
        assert!(read_raw(raw.as_bytes()).is_err(), "{raw}");
    }
    let cut = post("page", &json!([element(&json!({ "message": { "mid": "m_1", "text": "HALF" } }))]));
    let cut = cut.to_string().replace("HALF", r"\ud83d");
    assert!(matches!(read_raw(cut.as_bytes()).unwrap()[..], [NetworkUpdate::Conversation { .. }]));
    assert_ne!(
        read(&post("page", &json!([5]))),
        [unreadable("an entry that does not name its page or account")]
    );
}

#[test]
fn what_cannot_be_read_is_its_page_s() {
    let page = || Some(Addressee::Channel(PAGE.to_owned()));
    let entries = json!([{ "id": PAGE, "messaging": [5], "changes": [4] }, { "messaging": [5] }]);
    assert_eq!(owners(&json!({ "object": "page", "entry": entries })), [page(), page(), None]);
}
