//! What the business writes from the network's own app.

use domain::inbound::{NetworkUpdate, UpdateKind};
use serde_json::{Value, json};

use super::{ACCOUNT, NUMBER, ignored, metadata, post_of, read, unreadable};

fn echoes(echoes: &Value) -> Vec<NetworkUpdate> {
    let value =
        json!({ "messaging_product": "whatsapp", "metadata": metadata(NUMBER), "message_echoes": echoes });
    read(&post_of(ACCOUNT, &json!([{ "field": "smb_message_echoes", "value": value }])))
}

#[test]
fn an_echo_is_a_message_of_the_business_to_the_customer() {
    let text = json!({ "from": "9647700000000", "to": "9647701234567", "id": "wamid.E", "timestamp": "1763600001",
                       "type": "text", "text": { "body": "On its way" } });
    let updates = echoes(&json!([text, { "type": "text" }]));
    let [NetworkUpdate::Conversation { channel_network_id, update }, broken] = updates.as_slice() else {
        panic!("{updates:?}")
    };
    assert_eq!(channel_network_id, NUMBER);
    assert_eq!(update.person.identities[0].value(), "+9647701234567");
    let UpdateKind::Echoed { written, tag: None, by_us: false } = &update.what else { panic!("{update:?}") };
    assert_eq!((written.content.as_str(), written.network_id.reveal()), ("On its way", "wamid.E"));
    assert_eq!(*broken, unreadable("a message without an id, a time, a sender, or what its type needs"));
}

#[test]
fn what_the_business_takes_back_in_its_app_is_of_no_use_here() {
    for kind in ["reaction", "edit", "revoke"] {
        assert_eq!(echoes(&json!([{ "type": kind }])), [ignored(&format!("echoed {kind}"))]);
    }
}
