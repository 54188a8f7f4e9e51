//! Questions that owners test the assistant with, what comes of them, and what was handed over.

use model_simulator::Fault;
use serde_json::{Value, json};

use super::{Chat, on, pages, start};
use crate::support::{Visitor, eventually};

const PAGE: &str = "/dashboard/settings/assistant/questions";
const PRICE: &str = "شكد سعر حفاضات بامبرز؟";

/// Settings of an assistant that is off, and whose questions nobody asks but its owner.
fn off() -> Value {
    let mut settings = on();
    settings["mode"] = json!("off");
    settings["rehearsesChanges"] = json!(false);
    settings
}

async fn added(chat: &Chat, question: Value) -> String {
    let added = chat.counter.owner.post("/assistant/questions", &question).await;
    assert_eq!(added.status, 201, "{added:?}");
    added.text("/id").to_owned()
}

/// The newest run, once it is in this state.
async fn run_is(chat: &Chat, state: &str) -> Value {
    eventually(state, async || {
        let listed = chat.counter.owner.get("/assistant/rehearsals").await;
        let newest = listed.body["rows"][0].clone();
        (newest["state"] == state).then_some(newest)
    })
    .await
}

async fn begun(chat: &Chat) -> String {
    let begun = chat.counter.owner.post("/assistant/rehearsals", &json!({})).await;
    assert_eq!((begun.status, begun.text("/state")), (202, "running"), "{begun:?}");
    begun.text("/id").to_owned()
}

async fn questions(chat: &Chat) -> Value {
    chat.counter.owner.get("/assistant/questions").await.body
}

#[tokio::test]
async fn questions_are_put_to_the_model_without_any_effect_and_what_came_of_them_is_kept() {
    let chat = Chat::new(&off()).await;
    let mut owner = pages::owner_of(&chat);
    assert!(owner.get(pages::PATH).await.html.contains("There are no test questions yet."));
    added(&chat, json!({ "text": PRICE, "must": ["١٤٥٠٠ دينار", "بامبرز"], "mustNot": ["مجانا"] })).await;
    let failing =
        added(&chat, json!({ "text": "بيش حفاضات بامبرز؟", "must": ["9,999"], "mustNot": ["14500"] })).await;
    added(&chat, json!({ "text": "اريد احجي ويه موظف", "expects": "hand_over" })).await;
    begun(&chat).await;
    let run = run_is(&chat, "finished").await;
    assert_eq!(
        (&run["questions"], &run["passed"], &run["failed"], &run["isOutOfDate"]),
        (&json!(3), &json!(2), &json!(1), &json!(false)),
        "{run}"
    );
    let listed = questions(&chat).await;
    let verdicts: Vec<_> = (0..3).map(|row| listed["rows"][row]["result"]["verdict"].clone()).collect();
    assert_eq!(verdicts, ["passed", "failed", "passed"], "{listed}");
    let result = &listed["rows"][1]["result"];
    assert_eq!((&result["missing"], &result["forbidden"]), (&json!(["9,999"]), &json!(["14500"])));
    assert!(result["reply"].as_str().is_some_and(|reply| reply.contains("14,500")), "{result}");
    assert_eq!((&result["outcome"], &result["tools"]), (&json!("answered"), &json!(["searchProducts"])));
    assert_eq!(listed["rows"][2]["result"]["handOver"], "customer_asked");
    let shown = owner.get(PAGE).await.html;
    for part in ["Passed: 2 of 3", "The answer does not say", "9,999", "The customer asked for a person."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(chat.said().await, Vec::<String>::new(), "nobody was written to");
    assert_eq!(chat.counter.owner.get("/assistant/turns").await.body["rows"], json!([]));

    // What answers rest on is changed: the results are of before, and whoever switches it on sees that.
    let mut settings = off();
    settings["instructions"] = json!("أجب باختصار");
    let set = chat.counter.owner.put("/assistant", &settings).await;
    assert_eq!(set.body["rehearsal"]["isOutOfDate"], json!(true), "{set:?}");
    let shown = owner.get(pages::PATH).await.html;
    for part in ["Passed: 2 of 3", "What answers rest on has changed since.", PAGE] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    settings["mode"] = json!("on");
    settings["rehearsesChanges"] = json!(true);
    let set = chat.counter.owner.put("/assistant", &settings).await;
    assert_eq!((set.status, set.text("/mode")), (200, "on"), "it forbids nothing");
    run_is(&chat, "finished").await;
    let listed = questions(&chat).await;
    assert_eq!(
        (&listed["summary"]["isOutOfDate"], &listed["summary"]["passed"]),
        (&json!(false), &json!(2)),
        "they were asked again by themselves: {listed}"
    );
    assert_eq!(
        chat.counter.owner.get("/assistant/rehearsals").await.body["rows"].as_array().unwrap().len(),
        2
    );

    // Only this one, once its owner has seen to it.
    let mended = json!({ "text": "بيش حفاضات بامبرز؟", "must": ["14,500"] });
    let changed = chat.counter.owner.put(&format!("/assistant/questions/{failing}"), &mended).await;
    assert_eq!((changed.status, &changed.body["result"]), (200, &Value::Null), "{changed:?}");
    let one = chat.counter.owner.post("/assistant/rehearsals", &json!({ "questionId": failing })).await;
    assert_eq!((one.status, &one.body["questions"]), (202, &json!(1)), "{one:?}");
    run_is(&chat, "finished").await;
    assert_eq!(questions(&chat).await["summary"]["passed"], json!(3));
}

#[tokio::test]
async fn a_run_whose_process_dies_is_gone_on_with_and_asks_nothing_twice() {
    let mut chat = Chat::new(&off()).await;
    for text in [PRICE, "بيش بامبرز؟"] {
        added(&chat, json!({ "text": text })).await;
    }
    chat.model.switch_on(&[Fault::Hanging]);
    begun(&chat).await;
    eventually("the first is being asked", async || (!chat.model.requests().is_empty()).then_some(())).await;
    chat.counter.world.service.kill();
    chat.model.switch_on(&[]);
    start(&mut chat.counter, &chat.model).await;
    // The lease of the dead one ends.
    chat.rows.change("UPDATE assistant_rehearsals SET lease_until = now()").await;
    let run = run_is(&chat, "finished").await;
    assert_eq!((&run["questions"], &run["passed"]), (&json!(2), &json!(2)), "{run}");
    assert_eq!(
        chat.counter.owner.get("/assistant/rehearsals").await.body["rows"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn one_run_is_under_way_at_a_time_and_can_be_stopped() {
    let chat = Chat::new(&off()).await;
    let owner = &chat.counter.owner;
    let none = owner.post("/assistant/rehearsals", &json!({})).await;
    none.assert_refused(409, "no_test_questions", &json!({}), "without questions");
    added(&chat, json!({ "text": PRICE })).await;
    chat.model.switch_on(&[Fault::Hanging]);
    let run = begun(&chat).await;
    let second = owner.post("/assistant/rehearsals", &json!({})).await;
    second.assert_refused(409, "rehearsal_running", &json!({}), "one at a time");
    let stop = format!("/assistant/rehearsals/{run}/stop");
    assert_eq!(owner.post(&stop, &json!({})).await.status, 204);
    assert_eq!(owner.post(&stop, &json!({})).await.status, 404, "it has ended");
    let run = run_is(&chat, "stopped").await;
    assert_eq!((&run["passed"], &run["failed"]), (&json!(0), &json!(0)), "{run}");
    let log = owner.get("/audit").await.body.to_string();
    for action in ["assistant.questions_changed", "assistant.rehearsal_began", "assistant.rehearsal_stopped"]
    {
        assert!(log.contains(action), "{action}: {log}");
    }
    assert!(!log.contains("بامبرز"), "a question is no part of the log: {log}");
    // Most of the day is spent: the rest is for customers.
    chat.rows
        .change(
            "INSERT INTO assistant_usage SELECT workspace_id, (now() AT TIME ZONE 'UTC')::date, 1, 1, 0, 1700000, 0, 0
             FROM assistants ON CONFLICT (workspace_id, day) DO UPDATE SET read_tokens = 1700000",
        )
        .await;
    let spent = owner.post("/assistant/rehearsals", &json!({})).await;
    spent.assert_refused(409, "tokens_nearly_spent", &json!({}), "customers need the rest");
}

#[tokio::test]
async fn what_is_no_question_is_refused_by_its_field_and_another_workspace_sees_none() {
    let chat = Chat::new(&off()).await;
    let owner = &chat.counter.owner;
    let known = added(&chat, json!({ "text": PRICE })).await;
    let long = "ا".repeat(501);
    for (body, field) in [
        (json!({ "text": " " }), "`text`"),
        (json!({ "text": long }), "`text`"),
        (json!({ "text": "شكد سّعر حفاضات بامبرز؟" }), "`text`: another question says the same"),
        (json!({ "text": "x", "must": ["1", "2", "3", "4", "5", "6"] }), "`must`"),
        (json!({ "text": "x", "must": ["25,000"], "mustNot": ["٢٥٠٠٠"] }), "`mustNot`"),
        (json!({ "text": "x", "mustNot": ["!"] }), "`mustNot`"),
        (json!({ "text": "x", "expects": "silence" }), "`expects` is one of answer"),
        (json!({ "text": "x", "expects": "hand_over", "must": ["y"] }), "`must`"),
        (json!({ "text": "x", "should": "y" }), "should"),
    ] {
        let refused = owner.post("/assistant/questions", &body).await;
        assert_eq!(refused.status, 400, "{body} {refused:?}");
        assert!(refused.body.to_string().contains(field), "{field}: {refused:?}");
    }
    let unknown = "/assistant/questions/0199b9f0-0000-7000-8000-000000000001";
    assert_eq!(owner.put(unknown, &json!({ "text": "y" })).await.status, 404);
    assert_eq!(owner.delete(unknown).await.status, 404);
    let neighbour = chat.counter.neighbour().await;
    let theirs = format!("/assistant/questions/{known}");
    assert_eq!(neighbour.put(&theirs, &json!({ "text": "y" })).await.status, 404);
    assert_eq!(neighbour.delete(&theirs).await.status, 404);
    assert_eq!(neighbour.get("/assistant/questions").await.body["rows"], json!([]));
    assert_eq!(neighbour.get("/assistant/rehearsals").await.body["rows"], json!([]));
    // A hundred, and no more.
    let mut visitor = pages::owner_of(&chat);
    let lines = |count: usize| {
        (1..=count).map(|number| format!("سؤال رقم {number}\r\n")).collect::<Vec<_>>().concat()
    };
    let many = visitor.post(PAGE, &[("do", "paste"), ("pasted", &lines(100))]).await;
    assert!(
        many.status == 422 && many.html.contains("as many test questions as there may be"),
        "{}",
        many.html
    );
    assert_eq!(visitor.post(PAGE, &[("do", "paste"), ("pasted", &lines(99))]).await.status, 303);
    let full = owner.post("/assistant/questions", &json!({ "text": "واحد بعد" })).await;
    full.assert_refused(409, "too_many_test_questions", &json!({}), "the 101st");
    assert_eq!(questions(&chat).await["rows"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn an_owner_writes_asks_changes_and_removes_questions_by_forms() {
    let chat = Chat::new(&off()).await;
    let mut owner = pages::owner_of(&chat);
    assert!(owner.get(PAGE).await.html.contains("There are no test questions yet."));
    let mut fields = vec![
        ("do", "add"),
        ("text", PRICE),
        ("expects", "answer"),
        ("must", "14,500\r\n\r\nبامبرز"),
        ("must-not", "14500"),
    ];
    let refused = owner.post(PAGE, &fields).await;
    assert_eq!(refused.status, 422);
    for part in ["The answer must say one of these texts, too.", PRICE, "14,500\n\nبامبرز"] {
        assert!(refused.html.contains(part), "{part}: {}", refused.html);
    }
    fields[4].1 = "مجانا";
    assert_eq!(owner.post(PAGE, &fields).await.status, 303);
    let listed = questions(&chat).await;
    assert_eq!(listed["rows"][0]["must"], json!(["14,500", "بامبرز"]));
    let one = format!("{PAGE}/{}", listed["rows"][0]["id"].as_str().unwrap());
    let wrong = [("do", "save"), ("text", " "), ("expects", "answer"), ("must", "x"), ("must-not", "")];
    let refused = owner.post(&one, &wrong).await;
    assert!(refused.status == 422 && refused.html.contains("A question has 1 to 500"), "{}", refused.html);
    assert_eq!(owner.post(&one, &[("do", "run")]).await.status, 303);
    run_is(&chat, "finished").await;
    let shown = owner.get(PAGE).await.html;
    for part in ["Passed: 1 of 1", "14,500 دينار", "Search for products"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let saved = [("do", "save"), ("text", PRICE), ("expects", "any"), ("must", ""), ("must-not", "")];
    assert_eq!(owner.post(&one, &saved).await.status, 303);
    assert!(owner.get(PAGE).await.html.contains("Not asked yet"));
    for _ in 0..2 {
        assert_eq!(owner.post(&one, &[("do", "remove")]).await.status, 303, "once gone, it is gone");
    }
    assert_eq!(owner.post(PAGE, &[("do", "run")]).await.status, 422, "there are none");
    assert_eq!(owner.post(PAGE, &[("do", "dance")]).await.status, 422);
}

#[tokio::test]
async fn what_was_handed_over_lately_becomes_a_question_once_its_owner_adds_it() {
    let chat = Chat::new(&on()).await;
    let mut owner = pages::owner_of(&chat);
    assert!(owner.get(PAGE).await.html.contains("Nothing was handed over."));
    let asked = "اريد احجي ويه موظف";
    chat.writes(asked).await;
    let turn = chat.turn(1).await;
    let week = chat.counter.owner.get("/assistant/hand-overs").await.body;
    assert_eq!(week["reasons"], json!([{ "reason": "customer_asked", "count": 1 }]), "{week}");
    assert_eq!(
        (&week["rows"][0]["question"], &week["rows"][0]["conversationId"]),
        (&json!(asked), &turn["conversationId"])
    );
    assert_eq!(questions(&chat).await["rows"], json!([]), "nothing is copied");
    let shown = owner.get(PAGE).await.html;
    for part in [asked, "The customer asked for a person.", turn["conversationId"].as_str().unwrap()] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(owner.post(PAGE, &[("do", "take"), ("text", asked)]).await.status, 303);
    assert_eq!(questions(&chat).await["rows"][0]["text"], json!(asked));
    let mut neighbour = Visitor::new(chat.counter.world.service.base_url());
    neighbour.cookie = chat.counter.neighbour().await.cookie.unwrap();
    let theirs = neighbour.get(PAGE).await;
    assert!(theirs.status == 200 && !theirs.html.contains(asked), "{}", theirs.html);
    chat.rows.change("UPDATE assistant_turn_log SET created_at = now() - interval '8 days'").await;
    assert_eq!(chat.counter.owner.get("/assistant/hand-overs").await.body["rows"], json!([]));
}
