//! Posts with many updates, with updates of templates, and with none.

use domain::inbound::NetworkUpdate;
use serde_json::{Value, json};

use super::{ACCOUNT, change, ignored, message, post, post_of, read, status, unread};

#[test]
fn a_batch_over_several_accounts_and_numbers_is_read_whole_and_in_order() {
    let both = json!({
        "statuses": [status("sent", "1763600001"), status("delivered", "1763600002")],
        "messages": [message(&json!({ "type": "text", "text": { "body": "Hello" } }))],
    });
    let template = json!({ "field": "message_template_status_update", "value": { "event": "APPROVED" } });
    let post = json!({ "object": "whatsapp_business_account", "entry": [
        { "id": "1", "changes": [change("11", &both), template, template] },
        { "id": "2", "time": 1_763_600_000, "changes": [template, change("22", &both)] },
    ] });
    let said: Vec<String> = read(&post)
        .iter()
        .map(|update| match update {
            NetworkUpdate::Status { number_network_id, status } => {
                format!("{number_network_id} {}", status.status.as_str())
            }
            NetworkUpdate::Conversation { channel_network_id, .. }
            | NetworkUpdate::Named { channel_network_id, .. } => format!("{channel_network_id} wrote"),
            NetworkUpdate::TemplatesChanged { account_network_id } => {
                format!("templates {account_network_id}")
            }
            NetworkUpdate::AccountStanding { account_network_id, standing } => {
                format!("{account_network_id} is {}", standing.state.as_str())
            }
            NetworkUpdate::Unreadable { part, .. } => format!("unreadable {part}"),
            NetworkUpdate::Ignored { field } => format!("ignored {field}"),
            NetworkUpdate::Unread { field, .. } => format!("unread {field}"),
        })
        .collect();
    assert_eq!(
        said,
        [
            "11 sent",
            "11 delivered",
            "11 wrote",
            "templates 1",
            "templates 2",
            "22 sent",
            "22 delivered",
            "22 wrote"
        ]
    );
}

#[test]
fn a_thousand_updates_in_one_post_are_all_read() {
    let statuses: Vec<Value> = (0..1000).map(|_| status("sent", "1763600001")).collect();
    assert_eq!(read(&post(&json!({ "statuses": statuses }))).len(), 1000);
    let messages: Vec<Value> = (0..1000).map(|_| message(&json!({ "type": "text" }))).collect();
    let updates = read(&post(&json!({ "messages": messages })));
    assert!(updates.iter().all(|update| matches!(update, NetworkUpdate::Conversation { .. })));
    assert_eq!(updates.len(), 1000);
}

#[test]
fn every_update_of_a_template_or_a_number_asks_for_a_new_reading() {
    let id = 1_689_556_908_129_835_u64;
    for (field, value) in [
        (
            "message_template_status_update",
            json!({ "event": "REJECTED", "message_template_id": id, "message_template_name": "promo",
                    "message_template_language": "en-US", "reason": null, "disable_info": { "disable_date": "x" } }),
        ),
        ("template_category_update", json!({ "message_template_id": id, "new_category": "MARKETING" })),
        ("template_category_update", json!({ "new_category": "UTILITY", "correct_category": "MARKETING" })),
        ("message_template_components_update", json!({ "message_template_id": id })),
        ("message_template_quality_update", json!({ "new_quality_score": "RED" })),
        // The slip in the network's own sample, and the same under a field that is not yet known.
        (
            "message_template_status_update",
            json!({ "previous_quality_score": "GREEN", "message_template_id": id }),
        ),
        ("a_new_template_update", json!({ "message_template_id": id })),
        // Of a number and of its business.
        (
            "phone_number_quality_update",
            json!({ "display_phone_number": "9647700000000", "event": "FLAGGED", "current_limit": "TIER_1K" }),
        ),
        ("phone_number_name_update", json!({ "decision": "APPROVED", "requested_verified_name": "Palm" })),
        ("business_capability_update", json!({ "max_daily_conversations_per_business": 2000 })),
    ] {
        let post = post_of(ACCOUNT, &json!([{ "field": field, "value": value }]));
        let account_network_id = ACCOUNT.to_owned();
        assert_eq!(read(&post), [NetworkUpdate::TemplatesChanged { account_network_id }], "{field}");
    }
}

#[test]
fn what_is_of_no_use_is_named() {
    let other = |field: &str| post_of(ACCOUNT, &json!([{ "field": field, "value": { "event": "x" } }]));
    for field in ["account_update", "smb_message_echoes", "standby", "flows", "messaging_handovers"] {
        assert_eq!(read(&other(field)), [ignored(field)]);
    }
    // Somebody may have written it.
    for field in ["history", "group_messages"] {
        assert_eq!(read(&other(field)), [unread(field)]);
    }
    assert_eq!(read(&other("two\nlines 9647701234567 \u{1b}[31m")), [unread("unnamed")]);
    assert_eq!(
        read(&post(&json!({ "whispers": [{}, {}] }))),
        [unread("messages whispers"), unread("messages whispers")]
    );
    assert_eq!(
        read(&post(&json!({ "message": { "text": "x" }, "user_preferences": [{}] }))),
        [unread("messages message"), unread("messages user_preferences")]
    );
    assert_eq!(read(&json!({ "object": "page", "entry": [{ "messaging": [] }] })), [ignored("page")]);
    assert_eq!(read(&json!({ "object": "instagram" })), [ignored("instagram")]);
    assert_eq!(
        read(&post(&json!({ "errors": [{ "code": 131_031 }, {}] }))),
        [ignored("errors 131031"), ignored("errors")]
    );
}

#[test]
fn missing_lists_hold_nothing() {
    assert_eq!(read(&json!({ "object": "whatsapp_business_account", "entry": [] })), []);
    assert_eq!(read(&json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1" }] })), []);
    assert_eq!(read(&post(&json!({}))), []);
    assert_eq!(read(&post(&json!({ "contacts": null, "messages": null, "statuses": [] }))), []);
}
