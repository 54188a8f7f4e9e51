//! What customers write, and what else they do.

use domain::{
    contacts::Identity,
    inbound::{ConversationUpdate, NetworkUpdate, UpdateKind, Written},
    messages::{Context, NetworkMessageId, Product, Referral, TappedReply},
    phone::PhoneNumber,
};
use serde_json::{Value, json};
use time::macros::datetime;

use super::{
    ACCOUNT, NUMBER, ignored, message, metadata, only_conversation, post, post_of, read, status, unread,
    unreadable,
};

fn happens(extra: &Value) -> UpdateKind {
    only_conversation(&post(&json!({ "messages": [message(extra)] }))).what
}

fn id(id: &str) -> NetworkMessageId {
    NetworkMessageId::from(id.to_owned())
}

fn tapped(id: &str, title: &str) -> Context<NetworkMessageId> {
    let reply = TappedReply::told(Some(id.to_owned()), Some(title.to_owned()));
    Context { reply, ..Context::default() }
}

#[test]
fn a_text_is_read_with_its_time_its_writer_and_what_it_answers() {
    let text = message(&json!({ "type": "text", "text": { "body": "مرحبا 😀" }, "something_new": [1],
                                "context": { "from": "9647700000000", "id": "wamid.A" } }));
    let contact = json!({ "profile": { "name": "سارة" }, "wa_id": "9647701234567" });
    let update = only_conversation(&post(&json!({ "contacts": [contact], "messages": [text] })));
    assert_eq!(update.at, datetime!(2025-11-20 00:53:21 UTC));
    assert_eq!(update.person.name.as_deref(), Some("سارة"));
    let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
    assert_eq!(update.person.identities, [Identity::Phone(phone)]);
    let written = Written {
        network_id: id("wamid.B"),
        content: "مرحبا 😀".to_owned(),
        media: Vec::new(),
        context: Context { reply_to: Some(id("wamid.A")), ..Context::default() },
    };
    assert_eq!(update.what, UpdateKind::Wrote(written));
    let shown = format!("{update:?}");
    for hidden in ["مرحبا", "سارة", "964770"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}

#[test]
fn every_type_is_recorded_also_one_that_nobody_knows() {
    for (kind, words) in [
        ("text", "[text]"),
        ("interactive", "[interactive]"),
        ("order", "[order]"),
        ("contacts", "[contacts]"),
        ("unsupported", "[unsupported]"),
        ("unknown", "[unknown]"),
        ("ephemeral", "[ephemeral]"),
        ("a_type_to_come", "[a_type_to_come]"),
    ] {
        let UpdateKind::Wrote(written) = happens(&json!({ "type": kind })) else { panic!("{kind}") };
        assert_eq!(written.content, words);
    }
}

#[test]
fn what_a_message_refers_to_is_read_with_it() {
    let product = |catalog_id: Option<&str>| {
        let catalog_id = catalog_id.map(str::to_owned);
        Some(Box::new(Product { id: "SKU-7".to_owned(), catalog_id, ..Product::default() }))
    };
    let forwarded = Context { forwarded: true, ..Context::default() };
    for (extra, wanted) in [
        (json!({}), Context::default()),
        (json!({ "context": { "forwarded": true } }), forwarded.clone()),
        (json!({ "context": { "frequently_forwarded": true, "id": null } }), forwarded),
        (
            json!({ "context": { "from": "9647700000000", "id": "wamid.A", "referred_product": {
                "catalog_id": "1", "product_retailer_id": "SKU-7" } } }),
            Context { reply_to: Some(id("wamid.A")), product: product(Some("1")), ..Context::default() },
        ),
        (
            json!({ "context": { "referred_product": { "product_retailer_id": "SKU-7" } } }),
            Context { product: product(None), ..Context::default() },
        ),
        (
            json!({ "referral": { "source_url": "https://fb.me/1", "source_id": "120", "source_type": "ad",
                "headline": "Summer", "body": "Everything must go", "media_type": "image", "ctwa_clid": "A" } }),
            Context {
                referral: Some(Box::new(Referral {
                    source: Some("ad".to_owned()),
                    id: Some("120".to_owned()),
                    title: Some("Summer".to_owned()),
                    text: Some("Everything must go".to_owned()),
                    url: Some("https://fb.me/1".to_owned()),
                    reference: None,
                    click_id: Some("A".to_owned()),
                })),
                ..Context::default()
            },
        ),
        (
            json!({ "type": "button", "button": { "payload": "confirm:A-1042", "text": "Confirm" },
                    "context": { "id": "wamid.A" } }),
            Context { reply_to: Some(id("wamid.A")), ..tapped("confirm:A-1042", "Confirm") },
        ),
        (json!({ "type": "button", "button": { "text": "Confirm" } }), tapped("Confirm", "Confirm")),
        (
            json!({ "type": "interactive", "interactive": { "type": "button_reply",
                    "button_reply": { "id": "yes", "title": "نعم" } } }),
            tapped("yes", "نعم"),
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "list_reply",
                    "list_reply": { "id": "slot-2", "title": "Monday", "description": "Karrada" } } }),
            tapped("slot-2", "Monday"),
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply",
                    "nfm_reply": { "name": "flow", "response_json": "{}" } } }),
            Context::default(),
        ),
        (json!({ "type": "button", "button": { "payload": 5, "text": " " } }), Context::default()),
        (
            json!({ "context": { "forwarded": "yes", "id": 5, "referred_product": [] }, "referral": { "body": 7 } }),
            Context::default(),
        ),
        (json!({ "context": "none", "referral": true }), Context::default()),
    ] {
        let mut text = json!({ "type": "text", "text": { "body": "x" } });
        text.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let UpdateKind::Wrote(written) = happens(&text) else { panic!("{extra}") };
        assert!(written.context == wanted, "{extra}");
    }
}

#[test]
fn reactions_edits_and_deletions_name_the_message_they_are_about() {
    for (extra, wanted) in [
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.A", "emoji": "👍" } }),
            UpdateKind::Reacted { message: id("wamid.A"), emoji: Some("👍".to_owned()) },
        ),
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.A", "emoji": "" } }),
            UpdateKind::Reacted { message: id("wamid.A"), emoji: None },
        ),
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.A" } }),
            UpdateKind::Reacted { message: id("wamid.A"), emoji: None },
        ),
        (
            json!({ "type": "edit", "edit": { "original_message_id": "wamid.A",
                    "message": { "type": "text", "text": { "body": "Better" } } } }),
            UpdateKind::Edited {
                message: id("wamid.A"),
                content: "Better".to_owned(),
                held_elsewhere: false,
            },
        ),
        (
            json!({ "type": "edit", "edit": { "original_message_id": "wamid.A",
                    "message": { "type": "image", "image": { "id": "1", "caption": "This one" } } } }),
            UpdateKind::Edited {
                message: id("wamid.A"),
                content: "This one".to_owned(),
                held_elsewhere: false,
            },
        ),
        (
            json!({ "type": "revoke", "revoke": { "original_message_id": "wamid.A" } }),
            UpdateKind::Deleted { message: id("wamid.A") },
        ),
    ] {
        assert_eq!(happens(&extra), wanted, "{extra}");
    }
}

#[test]
fn a_changed_number_or_user_id_is_followed() {
    let phone = || Identity::Phone(PhoneNumber::from_e164("+9647709876543").unwrap());
    let user = || Identity::WhatsappUser("IQ.9".to_owned());
    for (system, now) in [
        (json!({ "type": "user_changed_number", "wa_id": "9647709876543" }), vec![phone()]),
        (json!({ "type": "user_changed_number", "new_wa_id": "+9647709876543" }), vec![phone()]),
        (
            json!({ "type": "user_changed_number", "wa_id": "9647709876543", "user_id": "IQ.9" }),
            vec![phone(), user()],
        ),
        (json!({ "type": "user_changed_user_id", "user_id": "IQ.9" }), vec![user()]),
        (json!({ "type": "customer_changed_number", "wa_id": "9647709876543" }), vec![phone()]),
        (
            json!({ "type": "customer_changed_number", "new_wa_id": "9647709876543", "customer": "1" }),
            vec![phone()],
        ),
        // Whatever it is called, what is of before and what is of now says it.
        (json!({ "type": "yet_to_come", "old_user_id": "IQ.1", "new_user_id": "IQ.9" }), vec![user()]),
        (json!({ "previous_wa_id": "9647701234567", "wa_id": "9647709876543" }), vec![phone()]),
        (
            json!({ "type": "yet_to_come", "user_id": { "previous": "IQ.1", "current": "IQ.9" } }),
            vec![user()],
        ),
    ] {
        assert_eq!(happens(&json!({ "type": "system", "system": system })), UpdateKind::Renumbered { now });
    }
}

/// As the network's sample has it: nothing but ids, within the message, and nobody beside it.
#[test]
fn ids_of_before_stand_for_whoever_is_not_named() {
    let names = |update: ConversationUpdate| {
        let UpdateKind::Renumbered { now } = update.what else { panic!("{:?}", update.what) };
        let values = |of: Vec<Identity>| of.iter().map(|one| one.value().to_owned()).collect::<Vec<_>>();
        (values(update.person.identities), values(now))
    };
    let system = json!({ "type": "user_changed_user_id", "previous_user_id": "IQ.1", "user_id": "IQ.2",
                         "previous_parent_user_id": "IQ.ENT.1", "parent_user_id": "IQ.ENT.2" });
    let told = json!({ "id": "wamid.X", "timestamp": "1763600001", "type": "system", "system": system });
    let (before, now) = names(only_conversation(&post(&json!({ "messages": [told] }))));
    assert_eq!(
        (before, now),
        (vec!["IQ.1".to_owned(), "IQ.ENT.1".to_owned()], vec!["IQ.2".to_owned(), "IQ.ENT.2".to_owned()])
    );
    let item = json!({ "wa_id": "9647701234567", "timestamp": "1763600001", "detail": "x",
                       "user_id": { "previous": "IQ.1", "current": "IQ.2" } });
    let value =
        json!({ "messaging_product": "whatsapp", "metadata": metadata(NUMBER), "user_id_update": [item] });
    let update = post_of(ACCOUNT, &json!([{ "field": "user_id_update", "value": value }]));
    let (before, now) = names(only_conversation(&update));
    assert_eq!(
        (before, now),
        (vec!["+9647701234567".to_owned(), "IQ.1".to_owned()], vec!["IQ.2".to_owned()])
    );
}

#[test]
fn what_another_app_holds_is_marked_and_its_words_are_the_team_s() {
    let value = json!({ "messaging_product": "whatsapp", "metadata": metadata(NUMBER),
        "messages": [message(&json!({ "type": "text", "text": { "body": "Hello" } }))],
        "message_echoes": [{ "from": "9647700000000", "to": "9647701234567", "id": "wamid.C",
                             "timestamp": "1763600002", "type": "text", "text": { "body": "Hi" } }],
        "statuses": [status("read", "1763600003")] });
    let updates = read(&post_of(ACCOUNT, &json!([{ "field": "standby", "value": value }])));
    let held: Vec<(bool, bool, String)> = updates
        .iter()
        .filter_map(|update| match update {
            NetworkUpdate::Conversation { update, .. } => match &update.what {
                UpdateKind::Wrote(written) => {
                    Some((true, written.context.held_elsewhere, written.content.clone()))
                }
                UpdateKind::Echoed { written, by_us: false, .. } => {
                    Some((false, written.context.held_elsewhere, written.content.clone()))
                }
                other => panic!("{other:?}"),
            },
            NetworkUpdate::Status { .. } => None,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(held, [(true, true, "Hello".to_owned()), (false, true, "Hi".to_owned())]);
    assert_eq!(updates.len(), 3);
}

#[test]
fn what_says_nothing_is_named_or_kept_apart() {
    let only = |extra: Value| read(&post(&json!({ "messages": [message(&extra)] })));
    let system = |kind: &str| json!({ "type": "system", "system": { "type": kind, "body": "x" } });
    assert_eq!(only(system("customer_identity_changed")), [ignored("system customer_identity_changed")]);
    assert_eq!(only(system("yet_to_come")), [unread("system yet_to_come")]);
    assert_eq!(only(json!({ "type": "request_welcome" })), [ignored("request_welcome")]);
    assert_eq!(only(json!({ "type": "text", "group_id": "g" })), [unread("group message")]);
    for broken in [
        json!({}),
        json!({ "type": 5 }),
        json!({ "type": "text", "id": null }),
        json!({ "type": "text", "id": "" }),
        json!({ "type": "text", "timestamp": "soon" }),
        json!({ "type": "text", "from": "nobody" }),
        json!({ "type": "text", "from": null }),
        json!({ "type": "reaction" }),
        json!({ "type": "reaction", "reaction": { "emoji": "x" } }),
        json!({ "type": "edit", "edit": { "original_message_id": "wamid.A" } }),
        json!({ "type": "revoke" }),
        json!({ "type": "system" }),
        json!({ "type": "system", "system": { "type": "user_changed_number" } }),
    ] {
        assert_eq!(
            only(broken.clone()),
            [unreadable("a message without an id, a time, a sender, or what its type needs")],
            "{broken}"
        );
    }
}

#[test]
fn an_answer_about_calls_and_an_edit_that_is_not_told_are_no_words_of_the_customer() {
    for (extra, wanted) in [
        (
            json!({ "type": "interactive", "interactive": { "type": "call_permission_reply",
                    "call_permission_reply": { "response": "accept" } } }),
            ignored("call_permission_reply"),
        ),
        (
            json!({ "type": "unsupported", "unsupported": { "type": "edit" }, "errors": [{ "code": 131_051 }] }),
            unread("unsupported edit"),
        ),
    ] {
        assert_eq!(read(&post(&json!({ "messages": [message(&extra)] }))), [wanted]);
    }
}
