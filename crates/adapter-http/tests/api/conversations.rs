//! `GET /v1/conversations` and `GET /v1/conversations/{id}`.

use domain::{
    access::{Caller, RATE_LIMIT, Scope},
    channels::ChannelKind,
    conversation::{Conversation, ConversationStatus, Group},
    conversations::ConversationFilter,
    paging::{PageRequest, Position},
    testing::{a_caller, a_conversation, a_workspace},
};
use serde_json::json;
use time::{Duration, macros::datetime};
use uuid::Uuid;

use crate::{
    service::{KEY, Ports, UNKNOWN_KEY},
    wire::answer,
};

/// A well-formed id.
const ID: &str = "0192f0c1-7a00-7000-8000-00000000000a";

fn conversation(number: u8) -> Conversation {
    Conversation {
        id: Uuid::from_u128(number.into()).into(),
        created_at: datetime!(2026-11-21 10:00 UTC) - Duration::minutes(number.into()),
        ..a_conversation()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_shows_who_holds_it_and_where_it_was_sent() {
    let mut ports = Ports::new();
    let held = Conversation {
        channel_kind: ChannelKind::Instagram,
        status: ConversationStatus::Open,
        assigned_to: Some(Uuid::from_u128(7).into()),
        group: Some(Group { id: Uuid::from_u128(8).into(), name: "المبيعات".to_owned() }),
        last_message_at: datetime!(2026-11-21 13:00:00.25 +03:00),
        ..conversation(1)
    };
    let wanted = json!({
        "id": held.id,
        "contactId": held.contact,
        "channel": "instagram",
        "status": "open",
        "assignedTo": "00000000-0000-0000-0000-000000000007",
        "group": { "id": "00000000-0000-0000-0000-000000000008", "name": "المبيعات" },
        "lastMessageAt": "2026-11-21T10:00:00.250Z",
        "createdAt": "2026-11-21T09:59:00.000Z",
    });
    let rows = vec![held.clone(), conversation(2)];
    ports.conversations.expect_list().return_once(|_, _, _| Ok(rows));
    ports.conversations.expect_find().return_once(|_, _| Ok(Some(held)));
    let service = ports.start();

    let one = answer(service.call("GET", &format!("/v1/conversations/{ID}"))).await;
    assert_eq!((one.status, &one.body), (200, &wanted));

    let list = answer(service.call("GET", "/v1/conversations")).await;
    assert_eq!((list.status, &list.body["data"][0], &list.body["nextCursor"]), (200, &wanted, &json!(null)));
    let waiting = &list.body["data"][1];
    assert_eq!((&waiting["assignedTo"], &waiting["group"]), (&json!(null), &json!(null)));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_filter_reaches_the_store_as_it_was_meant() {
    let id = || ID.parse::<Uuid>().unwrap();
    let everything = ConversationFilter::default();
    for (query, wanted, limit) in [
        ("", everything, 50),
        ("?", everything, 50),
        ("?limit=1", everything, 1),
        (
            "?limit=100&status=closed",
            ConversationFilter { status: Some(ConversationStatus::Closed), ..everything },
            100,
        ),
        (
            "?since=2026-11-21T13:00:00%2B03:00",
            ConversationFilter { since: Some(datetime!(2026-11-21 10:00 UTC)), ..everything },
            50,
        ),
        (
            "?groupId=0192f0c1-7a00-7000-8000-00000000000a&since=2026-11-21",
            ConversationFilter {
                group: Some(id().into()),
                since: Some(datetime!(2026-11-21 0:00 UTC)),
                ..everything
            },
            50,
        ),
        (
            "?contactId=0192F0C1-7A00-7000-8000-00000000000A&status=bot",
            ConversationFilter {
                contact: Some(id().into()),
                status: Some(ConversationStatus::Bot),
                ..everything
            },
            50,
        ),
    ] {
        let mut ports = Ports::new();
        ports
            .conversations
            .expect_list()
            .withf(move |workspace, filter, page| {
                *workspace == a_workspace().id
                    && *filter == wanted
                    && (page.limit.rows(), page.after) == (limit, None)
            })
            .times(1)
            .returning(|_, _, _| Ok(Vec::new()));
        let service = ports.start();
        let answer = answer(service.call("GET", &format!("/v1/conversations{query}"))).await;
        assert_eq!((answer.status, answer.body), (200, json!({ "data": [], "nextCursor": null })), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_value_is_refused_by_the_name_of_its_parameter() {
    let service = Ports::new().start();
    let of_another_list = "00".repeat(40);
    for (query, name) in [
        ("status=", "status"),
        ("status=OPEN", "status"),
        ("status=open&status=open", "status"),
        ("contactId=", "contactId"),
        ("contactId=7", "contactId"),
        ("contactId=0192f0c1-7a00-7000-8000-00000000000", "contactId"),
        ("groupId=sales", "groupId"),
        ("groupId=null", "groupId"),
        ("since=", "since"),
        ("since=yesterday", "since"),
        ("since=1700000000", "since"),
        ("since=2026-02-30", "since"),
        ("since=2026-11-21T10:00:00+03:00", "since"),
        ("since=9999-12-31T23:59:59-23:00", "since"),
        ("limit=", "limit"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=%2B5", "limit"),
        ("limit=1.5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=5&limit=5", "limit"),
        ("cursor=%00", "cursor"),
        (&format!("cursor={of_another_list}"), "cursor"),
    ] {
        let answer = answer(service.call("GET", &format!("/v1/conversations?{query}"))).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains(&format!("`{name}`")), "{query}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_leads_to_the_next_page_of_its_own_list_only() {
    let mut ports = Ports::new();
    let first = |page: &PageRequest| page.after.is_none();
    let last = conversation(2);
    let after = Position { at: last.created_at, id: last.id.uuid() };
    ports
        .conversations
        .expect_list()
        .withf(move |_, _, page| first(page))
        .returning(|_, _, _| Ok((1..=3).map(conversation).collect()));
    ports
        .conversations
        .expect_list()
        .withf(move |_, _, page| page.after == Some(after) && page.limit.rows() == 5)
        .times(1)
        .returning(|_, _, _| Ok(vec![conversation(3)]));
    // Whether the conversation has another id by now is asked for.
    ports.messages.expect_list().returning(|_, _, _| Ok(None));
    let service = ports.start();

    let page = answer(service.call("GET", "/v1/conversations?status=bot&limit=2")).await;
    assert_eq!(page.body["data"].as_array().unwrap().len(), 2);
    let cursor = page.body["nextCursor"].as_str().unwrap().to_owned();
    let next = format!("/v1/conversations?limit=5&cursor={cursor}&status=bot");
    let next = answer(service.call("GET", &next)).await;
    assert_eq!(
        (&next.body["data"][0]["id"], &next.body["nextCursor"]),
        (&json!(conversation(3).id), &json!(null))
    );

    for other in [
        format!("/v1/conversations?cursor={cursor}"),
        format!("/v1/conversations?status=open&cursor={cursor}"),
        format!("/v1/conversations?status=bot&groupId={ID}&cursor={cursor}"),
        format!("/v1/conversations?status=bot&contactId={ID}&cursor={cursor}"),
        format!("/v1/conversations?status=bot&since=2026-11-21&cursor={cursor}"),
        format!("/v1/conversations/{ID}/messages?cursor={cursor}"),
    ] {
        let answer = answer(service.call("GET", &other)).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains("`cursor`"), "{other}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_refused_for_its_key_its_rate_its_scope_its_shape_and_then_its_id() {
    let lacks = || Caller { scopes: vec![Scope::ContactsRead, Scope::MessagesSend], ..a_caller() };
    let bad = format!("/v1/conversations/{ID}/messages?limit=0");
    let bad_list = "/v1/conversations?since=no";
    for (caller, used, key, path, status, phrase) in [
        (lacks(), RATE_LIMIT + 1, UNKNOWN_KEY, &*bad, 401, "Unauthorized"),
        (lacks(), RATE_LIMIT + 1, KEY, &*bad, 429, "Too Many Requests"),
        (lacks(), RATE_LIMIT, KEY, &*bad, 403, "Forbidden"),
        (lacks(), RATE_LIMIT, KEY, bad_list, 403, "Forbidden"),
        (lacks(), RATE_LIMIT, KEY, "/v1/conversations/no", 403, "Forbidden"),
        (a_caller(), RATE_LIMIT, KEY, &*bad, 400, "Bad Request"),
        (a_caller(), RATE_LIMIT, KEY, bad_list, 400, "Bad Request"),
        (a_caller(), RATE_LIMIT, KEY, "/v1/conversations/no/messages?limit=0", 400, "Bad Request"),
        (a_caller(), RATE_LIMIT, KEY, "/v1/conversations/no/messages", 404, "Not Found"),
    ] {
        let service = Ports::with_key(caller, used).start();
        let answer = answer(service.bare("GET", path).bearer_auth(key)).await;
        answer.assert_error(status, phrase);
        if status == 403 {
            assert!(answer.message().contains("conversations:read"), "{answer:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_none_or_unknown_here_is_a_404() {
    let mut ports = Ports::new();
    ports.conversations.expect_find().times(1).returning(|_, _| Ok(None));
    let service = ports.start();
    for id in [ID, "no", "%00", "%FF", "0192f0c1-7a00-7000-8000-00000000000", "1%20OR%201=1"] {
        let answer = answer(service.call("GET", &format!("/v1/conversations/{id}"))).await;
        answer.assert_error(404, "Not Found");
        assert_eq!(answer.message(), "there is no conversation with this id", "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_only_read() {
    let service = Ports::new().start();
    for path in ["/v1/conversations", "/v1/conversations/no", "/v1/conversations/no/messages"] {
        for method in ["POST", "PATCH", "DELETE"] {
            let answer = answer(service.call(method, path)).await;
            answer.assert_error(405, "Method Not Allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"), "{method} {path}");
        }
    }
}
