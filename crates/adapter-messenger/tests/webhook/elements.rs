//! Every kind of element.

use domain::{
    channels::ChannelKind,
    contacts::{ContactSignal, Identity},
    inbound::{NamedMessage, NetworkUpdate, SeenUpTo, UpdateKind, Written},
    messages::{Context, DeliveryStatus, NetworkMessageId, Product, Referral, Story, TappedReply},
};
use serde_json::{Value, json};
use time::macros::datetime;

use super::{APP, PAGE, PERSON, element, ignored, only, post, read, unread, unreadable};

fn id(id: &str) -> NetworkMessageId {
    NetworkMessageId::from(id.to_owned())
}

fn words(network_id: &str, content: &str) -> Written {
    Written {
        network_id: id(network_id),
        content: content.to_owned(),
        media: Vec::new(),
        context: Context::default(),
    }
}

fn answering(network_id: &str) -> Context<NetworkMessageId> {
    Context { reply_to: Some(id(network_id)), ..Context::default() }
}

fn tapped(id: &str, title: &str) -> Context<NetworkMessageId> {
    let reply = TappedReply::told(Some(id.to_owned()), Some(title.to_owned()));
    Context { reply, ..Context::default() }
}

#[test]
fn a_message_is_read_with_its_time_and_its_writer() {
    let text = json!({ "message": { "mid": "m_1", "text": "مرحبا", "reply_to": { "mid": "m_0" } } });
    for (object, person) in [
        ("page", Identity::MessengerUser(PERSON.to_owned())),
        ("instagram", Identity::InstagramUser(PERSON.to_owned())),
    ] {
        let update = only(object, &text);
        assert_eq!(update.person.identities, [person]);
        assert_eq!(update.at, datetime!(2025-11-20 00:53:21.456 UTC));
        assert_eq!(
            update.what,
            UpdateKind::Wrote(Written { context: answering("m_0"), ..words("m_1", "مرحبا") })
        );
        assert!(!format!("{update:?}").contains("مرحبا"));
    }
}

#[test]
fn what_a_message_refers_to_is_read_with_it() {
    let story = Some(Story { url: "https://lookaside.example/s".to_owned() });
    let advertised = Box::new(Referral {
        source: Some("ads".to_owned()),
        id: Some("120".to_owned()),
        title: Some("Summer".to_owned()),
        reference: Some("summer".to_owned()),
        ..Referral::default()
    });
    let product = Some(Box::new(Product { id: "1".to_owned(), ..Product::default() }));
    let referral = json!({ "ref": "summer", "ad_id": "120", "source": "ADS", "type": "OPEN_CONVERSATION",
                           "ads_context_data": { "ad_title": "Summer" } });
    for (extra, wanted) in [
        (json!({ "message": { "text": "x" } }), Context::default()),
        (
            json!({ "message": { "text": "x", "reply_to": { "story": { "id": "1", "url": "https://lookaside.example/s" } } } }),
            Context { story, ..Context::default() },
        ),
        (
            json!({ "message": { "text": "x", "referral": referral } }),
            Context { referral: Some(advertised.clone()), ..Context::default() },
        ),
        (
            json!({ "postback": { "title": "Start", "payload": "P", "referral": referral } }),
            Context { referral: Some(advertised), ..tapped("P", "Start") },
        ),
        (json!({ "postback": { "payload": "P" } }), tapped("P", "P")),
        (json!({ "message": { "text": "Yes", "quick_reply": { "payload": "YES" } } }), tapped("YES", "Yes")),
        (json!({ "message": { "text": "x", "quick_reply": "YES", "attachments": [] } }), Context::default()),
        (
            json!({ "message": { "text": "x", "referral": { "product": { "id": "1" } } } }),
            Context { product, ..Context::default() },
        ),
        (
            json!({ "message": { "text": "x", "reply_to": { "story": 5, "mid": "" }, "referral": { "ref": " " } } }),
            Context::default(),
        ),
    ] {
        let mut element = extra.clone();
        for holder in element.as_object_mut().unwrap().values_mut() {
            holder["mid"] = json!("m_1");
        }
        let UpdateKind::Wrote(written) = only("page", &element).what else { panic!("{extra}") };
        assert!(written.context == wanted, "{extra}");
    }
}

#[test]
fn each_kind_of_element_tells_its_own() {
    let seen = |status, up_to| UpdateKind::Seen { status, up_to };
    let moment = datetime!(2025-11-20 00:53:20 UTC);
    for (extra, wanted) in [
        (
            json!({ "message": { "mid": "m_1", "is_deleted": true } }),
            UpdateKind::Deleted { message: id("m_1") },
        ),
        (
            json!({ "message": { "mid": "m_1", "is_unsupported": true } }),
            UpdateKind::Wrote(words("m_1", "[unsupported]")),
        ),
        (
            json!({ "postback": { "mid": "m_1", "title": "Start", "payload": "P" } }),
            UpdateKind::Wrote(Written { context: tapped("P", "Start"), ..words("m_1", "Start") }),
        ),
        (
            json!({ "postback": { "payload": "P" } }),
            UpdateKind::Wrote(Written {
                context: tapped("P", "P"),
                ..words(&format!("postback.{PERSON}.1763600001456"), "P")
            }),
        ),
        (
            json!({ "reaction": { "mid": "m_1", "action": "react", "reaction": "love", "emoji": "❤" } }),
            UpdateKind::Reacted { message: id("m_1"), emoji: Some("❤".to_owned()) },
        ),
        (
            json!({ "reaction": { "mid": "m_1", "action": "react", "reaction": "love" } }),
            UpdateKind::Reacted { message: id("m_1"), emoji: Some("love".to_owned()) },
        ),
        (
            json!({ "reaction": { "mid": "m_1", "action": "unreact" } }),
            UpdateKind::Reacted { message: id("m_1"), emoji: None },
        ),
        (
            json!({ "message_edit": { "mid": "m_1", "text": "Better", "num_edit": "1" } }),
            UpdateKind::Edited { message: id("m_1"), content: "Better".to_owned(), held_elsewhere: false },
        ),
        (
            json!({ "delivery": { "mids": ["m_1"], "watermark": 1_763_600_000_000_i64, "seq": 0 } }),
            seen(DeliveryStatus::Delivered, SeenUpTo::Time(moment)),
        ),
        (
            json!({ "delivery": { "mids": ["m_1"] } }),
            seen(DeliveryStatus::Delivered, SeenUpTo::Message(id("m_1"))),
        ),
        (
            json!({ "read": { "watermark": "1763600000" } }),
            seen(DeliveryStatus::Read, SeenUpTo::Time(moment)),
        ),
        (json!({ "read": { "mid": "m_1" } }), seen(DeliveryStatus::Read, SeenUpTo::Message(id("m_1")))),
    ] {
        assert_eq!(only("page", &extra).what, wanted, "{extra}");
    }
    let both = read(&post("page", &json!([element(&json!({ "delivery": { "mids": ["m_1", 5, "m_2"] } }))])));
    assert_eq!(both.len(), 2);
}

#[test]
fn an_echo_says_whether_it_is_ours() {
    let inbox = 26_390_203_743_090_u64;
    for (extra, by_us, tag) in [
        (json!({ "app_id": APP, "metadata": "tag-1" }), true, Some("tag-1")),
        (json!({ "app_id": APP.to_string() }), true, None),
        (json!({ "app_id": inbox }), false, None),
        (json!({ "app_id": 7, "metadata": "another's" }), false, Some("another's")),
        (json!({ "metadata": "tag-1" }), true, Some("tag-1")),
        (json!({}), false, None),
    ] {
        let mut echo = json!({ "mid": "m_1", "text": "Hello", "is_echo": true });
        echo.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let element = json!({ "sender": { "id": PAGE }, "recipient": { "id": PERSON }, "message": echo });
        let update = only("page", &element);
        assert_eq!(update.person.identities, [Identity::MessengerUser(PERSON.to_owned())]);
        let tag = tag.map(str::to_owned);
        assert_eq!(update.what, UpdateKind::Echoed { written: words("m_1", "Hello"), tag, by_us }, "{extra}");
    }
}

#[test]
fn what_the_business_writes_is_an_echo_also_when_it_is_not_called_one() {
    let own = |extra: Value| {
        let mut own = json!({ "sender": { "id": PAGE }, "recipient": { "id": PERSON } });
        own.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        own
    };
    let written = only("page", &own(json!({ "message": { "mid": "m_1", "text": "Hello" } })));
    assert!(matches!(written.what, UpdateKind::Echoed { .. }));
    for (extra, name) in [
        (json!({ "message": { "mid": "m_1", "is_echo": true, "is_deleted": true } }), "own deletion"),
        (json!({ "reaction": { "mid": "m_1", "action": "react", "emoji": "x" } }), "own reaction"),
        (json!({ "read": { "watermark": 1 } }), "own read"),
    ] {
        assert_eq!(read(&post("page", &json!([element(&own(extra))]))), [ignored(name)]);
    }
}

#[test]
fn what_somebody_opts_in_to_and_what_led_them_here_is_read_without_the_token() {
    let text = |text: &str| Some(text.to_owned());
    let opted = |stopped, title, payload| ContactSignal::OptIn { stopped, title, payload };
    let referral =
        Box::new(Referral { source: text("shortlink"), reference: text("summer"), ..Referral::default() });
    for (extra, signal) in [
        (
            json!({ "optin": { "type": "notification_messages", "payload": "offers", "title": "Our offers",
                               "notification_messages_token": "secret" } }),
            opted(false, text("Our offers"), text("offers")),
        ),
        (
            json!({ "optin": { "type": "notification_messages", "payload": "offers",
                               "notification_messages_status": "STOP_NOTIFICATIONS" } }),
            opted(true, None, text("offers")),
        ),
        (json!({ "optin": { "ref": "checkbox" } }), opted(false, None, text("checkbox"))),
        (
            json!({ "referral": { "ref": "summer", "source": "SHORTLINK", "type": "OPEN_CONVERSATION" } }),
            ContactSignal::Referral { referral },
        ),
    ] {
        let update = only("page", &extra);
        assert_eq!(update.person.identities, [Identity::MessengerUser(PERSON.to_owned())]);
        assert_eq!(update.what, UpdateKind::Signalled { signal }, "{extra}");
        assert!(!serde_json::to_string(&update.what).unwrap().contains("secret"));
    }
    let visitor = element(&json!({ "sender": { "user_ref": "x" }, "optin": { "ref": "checkbox" } }));
    assert_eq!(read(&post("page", &json!([visitor]))), [ignored("optin")]);
    // The checkbox names its visitor within.
    let visitor = json!({ "recipient": { "id": PAGE }, "timestamp": 1_763_600_001_456_i64,
                          "optin": { "ref": "checkbox", "user_ref": "x" } });
    assert_eq!(read(&post("page", &json!([visitor]))), [ignored("optin")]);
}

#[test]
fn what_is_of_no_use_is_named_and_what_is_broken_kept_apart() {
    for key in ["referral", "optin", "account_linking", "pass_thread_control", "response_feedback"] {
        assert_eq!(read(&post("page", &json!([element(&json!({ key: {} }))]))), [ignored(key)]);
    }
    // Somebody may have written it.
    for key in ["order", "template", "yet_to_come"] {
        assert_eq!(read(&post("page", &json!([element(&json!({ key: {} }))]))), [unread(key)]);
    }
    for broken in [
        json!(5),
        json!({}),
        json!({ "timestamp": 1 }),
        json!({ "timestamp": 1, "message": { "mid": "m_1", "text": "x" } }),
        json!({ "timestamp": 1, "sender": { "user_ref": "x" }, "message": { "mid": "m_1", "text": "x" } }),
        element(&json!({ "message": {} })),
        element(&json!({ "message": 5 })),
        element(&json!({ "message": { "mid": "a\nb", "text": "x" } })),
        element(&json!({ "timestamp": -1, "postback": {} })),
        element(&json!({ "reaction": { "mid": "m_1" } })),
        element(&json!({ "read": {} })),
        element(&json!({ "delivery": { "mids": "m_1" } })),
    ] {
        assert_eq!(
            read(&post("page", &json!([broken]))),
            [unreadable("an element without a sender, a time, or what its kind needs")],
            "{broken}"
        );
    }
}

/// As Instagram tells of edits, and of some new messages.
#[test]
fn what_is_told_by_its_name_alone_is_asked_for() {
    let at = Some(datetime!(2025-11-20 00:53:21.456 UTC));
    let named = |network, is_edit, is_held| NetworkUpdate::Named {
        channel_network_id: PAGE.to_owned(),
        named: NamedMessage { network, message: id("m_1"), is_edit, is_held, at },
    };
    let told = |edit: Value| json!({ "timestamp": 1_763_600_001_456_i64, "message_edit": edit });
    let new = told(json!({ "mid": "m_1", "num_edit": 0 }));
    assert_eq!(read(&post("instagram", &json!([new]))), [named(ChannelKind::Instagram, false, false)]);
    let edited = told(json!({ "mid": "m_1", "num_edit": "2", "text": "Better" }));
    assert_eq!(read(&post("instagram", &json!([edited]))), [named(ChannelKind::Instagram, true, false)]);
    let without_words = element(&json!({ "message_edit": { "mid": "m_1" } }));
    assert_eq!(read(&post("page", &json!([without_words]))), [named(ChannelKind::Messenger, true, false)]);
    let held = json!({ "object": "page", "entry": [{ "id": PAGE, "standby": [new] }] });
    assert_eq!(read(&held), [named(ChannelKind::Messenger, false, true)]);
    let first = only("page", &json!({ "message_edit": { "mid": "m_1", "num_edit": 0, "text": "Hello" } }));
    let UpdateKind::Wrote(written) = first.what else { panic!("{first:?}") };
    assert_eq!(written.content, "Hello");
}

#[test]
fn what_another_app_holds_is_marked_and_its_words_are_the_team_s() {
    let held = |extra: Value| {
        let post = json!({ "object": "page", "entry": [{ "id": PAGE, "standby": [element(&extra)] }] });
        match read(&post).remove(0) {
            NetworkUpdate::Conversation { update, .. } => update.what,
            other => panic!("{other:?}"),
        }
    };
    let UpdateKind::Wrote(written) = held(json!({ "message": { "mid": "m_1", "text": "Hello" } })) else {
        panic!("the customer wrote")
    };
    assert!(written.context.held_elsewhere && written.content == "Hello");
    let echo = json!({ "mid": "m_2", "text": "Hi", "is_echo": true, "app_id": 5 });
    let own = json!({ "sender": { "id": PAGE }, "recipient": { "id": PERSON }, "message": echo });
    let UpdateKind::Echoed { written, by_us, .. } = held(own) else { panic!("the other app wrote") };
    assert!(written.context.held_elsewhere && !by_us);
    let UpdateKind::Wrote(written) = held(json!({ "postback": { "title": "Start" } })) else {
        panic!("the customer tapped")
    };
    assert!(written.context.held_elsewhere);
}
