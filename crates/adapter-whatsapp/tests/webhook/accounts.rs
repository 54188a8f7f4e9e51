//! What the network does about accounts, and what people tell it without writing.

use domain::{
    channels::{AccountStanding, StandingState},
    contacts::{ContactSignal, Identity},
    inbound::{NetworkUpdate, UpdateKind},
    phone::PhoneNumber,
};
use serde_json::{Value, json};
use time::macros::datetime;

use super::{ACCOUNT, NUMBER, ignored, metadata, only_conversation, post_of, read, unreadable};

fn update(value: &Value) -> Value {
    let change = json!({ "field": "account_update", "value": value });
    json!({ "object": "whatsapp_business_account",
            "entry": [{ "id": ACCOUNT, "time": 1_763_600_001, "changes": [change] }] })
}

#[test]
fn what_an_account_may_do_from_now_on_is_read_with_its_reasons() {
    use StandingState::{Deleted, Disabled, Good, Restricted};
    let at = datetime!(2025-11-20 00:53:21 UTC);
    let of = |state| AccountStanding::since(state, at);
    let ban = |state: Value| {
        json!({ "event": "DISABLED_UPDATE", "ban_info": {
        "waba_ban_state": state, "waba_ban_date": "November 21, 2025" } })
    };
    let named = |detail: &str| Some(detail.to_owned());
    let restriction = |kind: &str| {
        json!({ "event": "ACCOUNT_RESTRICTION", "restriction_info": [
        { "restriction_type": kind, "expiration": 1_763_686_401 },
        { "restriction_type": "RESTRICTED_ADD_PHONE_NUMBER_ACTION" } ] })
    };
    let until = Some(datetime!(2025-11-21 00:53:21 UTC));
    for (value, wanted) in [
        (json!({ "event": "ACCOUNT_DELETED" }), of(Deleted)),
        (
            ban(json!("DISABLE")),
            AccountStanding { detail: named("DISABLE, November 21, 2025"), ..of(Disabled) },
        ),
        (ban(json!(["REINSTATE"])), of(Good)),
        (
            ban(json!("SCHEDULE_FOR_DISABLE")),
            AccountStanding { detail: named("SCHEDULE_FOR_DISABLE, November 21, 2025"), ..of(Restricted) },
        ),
        (
            restriction("RESTRICTED_BIZ_INITIATED_MESSAGING"),
            AccountStanding {
                bars_templates: true,
                until,
                detail: named("RESTRICTED_BIZ_INITIATED_MESSAGING, RESTRICTED_ADD_PHONE_NUMBER_ACTION"),
                ..of(Restricted)
            },
        ),
        (
            restriction("RESTRICTED_CUSTOMER_INITIATED_MESSAGING"),
            AccountStanding {
                bars_replies: true,
                until,
                detail: named("RESTRICTED_CUSTOMER_INITIATED_MESSAGING, RESTRICTED_ADD_PHONE_NUMBER_ACTION"),
                ..of(Restricted)
            },
        ),
    ] {
        let account_network_id = ACCOUNT.to_owned();
        let wanted = [NetworkUpdate::AccountStanding { account_network_id, standing: wanted }];
        assert_eq!(read(&update(&value)), wanted, "{value}");
    }
    for other in [
        json!({ "event": "VERIFIED_ACCOUNT" }),
        json!({ "event": "ACCOUNT_VIOLATION", "violation_info": { "violation_type": "ADULT" } }),
        json!({ "event": "DISABLED_UPDATE" }),
        ban(json!("SOMETHING_NEW")),
        ban(json!([])),
        json!({}),
    ] {
        assert_eq!(read(&update(&other)), [ignored("account_update")], "{other}");
    }
    let mut timeless = update(&json!({ "event": "ACCOUNT_DELETED" }));
    timeless["entry"][0]["time"] = Value::Null;
    assert_eq!(read(&timeless), [unreadable("what became of an account, without which account or a time")]);
}

fn preferences(item: &Value) -> Value {
    let contact = json!({ "profile": { "name": "سارة" }, "wa_id": "9647701234567" });
    let value = json!({ "messaging_product": "whatsapp", "metadata": metadata(NUMBER), "contacts": [contact],
                        "user_preferences": [item] });
    post_of(ACCOUNT, &json!([{ "field": "user_preferences", "value": value }]))
}

#[test]
fn whether_somebody_wants_marketing_is_read_with_who_it_is() {
    for (value, stopped) in [("stop", true), ("resume", false)] {
        let item = json!({ "wa_id": "9647701234567", "category": "marketing_messages", "value": value,
                           "detail": "User requested to stop marketing messages", "timestamp": 1_763_600_001 });
        let update = only_conversation(&preferences(&item));
        let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
        assert_eq!(update.person.identities, [Identity::Phone(phone)]);
        assert_eq!(update.at, datetime!(2025-11-20 00:53:21 UTC));
        assert_eq!(update.what, UpdateKind::Signalled { signal: ContactSignal::Marketing { stopped } });
    }
    let item = |category: &str, value: &str| {
        json!({ "wa_id": "9647701234567", "category": category,
                                                     "value": value, "timestamp": 1_763_600_001 })
    };
    assert_eq!(read(&preferences(&item("surveys", "stop"))), [ignored("user_preferences surveys")]);
    assert_eq!(
        read(&preferences(&item("marketing_messages", "maybe"))),
        [unreadable("a message without an id, a time, a sender, or what its type needs")]
    );
}
