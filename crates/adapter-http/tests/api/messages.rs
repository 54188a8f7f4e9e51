//! `GET /v1/conversations/{id}/messages`.

use domain::{
    ids::ConversationId,
    messages::{Context, Marks, Message, MessageMeta, Reaction, Role, TemplateRef, ports::KeptMessage},
    paging::Position,
    testing::{a_message, a_workspace},
};
use serde_json::json;
use time::{Duration, macros::datetime};
use uuid::Uuid;

use crate::{service::Ports, wire::answer};

const CONVERSATION: &str = "/v1/conversations/0192f0c1-7a00-7000-8000-00000000000a/messages";

fn conversation() -> ConversationId {
    Uuid::from_u128(0x0192_f0c1_7a00_7000_8000_0000_0000_000a).into()
}

fn message(number: u8) -> Message {
    Message {
        id: Uuid::from_u128(number.into()).into(),
        conversation: conversation(),
        created_at: datetime!(2026-11-21 10:00 UTC) - Duration::minutes(number.into()),
        ..a_message()
    }
}

fn kept(message: Message) -> KeptMessage {
    KeptMessage { message, files: Vec::new(), missing: Vec::new(), awaited: Vec::new(), sending: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_has_meta_when_a_template_made_it_and_context_when_there_is_something_to_tell() {
    let template = TemplateRef { name: "order_ready".to_owned(), language: "ar".to_owned() };
    let notice = Message {
        content: "طلبك جاهز".to_owned(),
        role: Role::Team,
        sender_id: None,
        meta: Some(MessageMeta { template, reference: None }),
        ..message(1)
    };
    let written = Message {
        content: "شكرا".to_owned(),
        role: Role::Customer,
        sender_id: Some("someone".to_owned()),
        meta: None,
        ..message(2)
    };
    let at = datetime!(2026-11-21 10:00:01 UTC);
    let context = Context { reply_to: Some(notice.id), forwarded: true, ..Context::default() };
    let marked = Message {
        context,
        marks: Marks {
            reaction: Some(Reaction { emoji: "👍".to_owned(), at }),
            edited_at: Some(at),
            deleted_at: Some(at),
        },
        ..written.clone()
    };
    let wanted = json!({
        "data": [{
            "id": notice.id,
            "conversationId": conversation(),
            "role": "team",
            "senderId": null,
            "content": "طلبك جاهز",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T09:59:00.000Z",
            "meta": { "template": { "name": "order_ready", "language": "ar" }, "reference": null, "via": "api" },
        }, {
            "id": written.id,
            "conversationId": conversation(),
            "role": "customer",
            "senderId": "someone",
            "content": "شكرا",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T09:58:00.000Z",
        }, {
            "id": written.id,
            "conversationId": conversation(),
            "role": "customer",
            "senderId": "someone",
            "content": "شكرا",
            "attachments": [],
            "transcription": null,
            "createdAt": "2026-11-21T09:58:00.000Z",
            "context": {
                "replyTo": notice.id,
                "forwarded": true,
                "reaction": { "emoji": "👍", "at": "2026-11-21T10:00:01.000Z" },
                "editedAt": "2026-11-21T10:00:01.000Z",
                "deletedAt": "2026-11-21T10:00:01.000Z",
            },
        }],
        "nextCursor": null,
    });
    let mut ports = Ports::new();
    ports
        .messages
        .expect_list()
        .withf(|workspace, asked, page| {
            (*workspace, *asked) == (a_workspace().id, conversation())
                && (page.limit.rows(), page.after) == (50, None)
        })
        .return_once(|_, _, _| Ok(Some(vec![kept(notice), kept(written), kept(marked)])));
    let service = ports.start();
    let answer = answer(service.call("GET", CONVERSATION)).await;
    assert_eq!((answer.status, answer.body), (200, wanted));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_conversation_is_an_empty_list_and_an_unknown_one_a_404() {
    for (found, status) in [(Some(Vec::new()), 200), (None, 404)] {
        let mut ports = Ports::new();
        ports.messages.expect_list().return_once(|_, _, _| Ok(found));
        let service = ports.start();
        let answer = answer(service.call("GET", CONVERSATION)).await;
        if status == 200 {
            assert_eq!((answer.status, answer.body), (200, json!({ "data": [], "nextCursor": null })));
        } else {
            answer.assert_error(404, "Not Found");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_is_one_of_its_conversation() {
    let mut ports = Ports::new();
    let last = message(2);
    let after = Position { at: last.created_at, id: last.id.uuid() };
    ports.messages.expect_list().withf(|_, _, page| page.after.is_none()).returning(|_, conversation, _| {
        let of_it = |number| kept(Message { conversation, ..message(number) });
        Ok(Some((1..=3).map(of_it).collect()))
    });
    ports
        .messages
        .expect_list()
        .withf(move |_, _, page| page.after == Some(after))
        .times(1)
        .returning(|_, _, _| Ok(Some(vec![kept(message(3))])));
    let service = ports.start();
    let page = answer(service.call("GET", &format!("{CONVERSATION}?limit=2"))).await;
    let cursor = page.body["nextCursor"].as_str().unwrap().to_owned();
    let next = answer(service.call("GET", &format!("{CONVERSATION}?cursor={cursor}"))).await;
    assert_eq!(
        (&next.body["data"][0]["id"], &next.body["nextCursor"]),
        (&json!(message(3).id), &json!(null))
    );

    let other = CONVERSATION.replace("00a/", "00b/");
    for path in [format!("{other}?cursor={cursor}"), format!("/v1/conversations?cursor={cursor}")] {
        let answer = answer(service.call("GET", &path)).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains("`cursor`"), "{path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_is_none_is_refused_by_its_name() {
    let service = Ports::new().start();
    for limit in ["0", "101", "ten", ""] {
        let answer = answer(service.call("GET", &format!("{CONVERSATION}?limit={limit}"))).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains("`limit`"), "{limit}: {answer:?}");
    }
}
