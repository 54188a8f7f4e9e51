//! What owners set, try and read of the assistant by forms.

use serde_json::{Value, json};

use super::{Chat, on};
use crate::support::{Visitor, field};

pub(super) const PATH: &str = "/dashboard/settings/assistant";

pub(super) fn owner_of(chat: &Chat) -> Visitor {
    chat.counter.owner.visitor()
}

#[tokio::test]
async fn an_owner_sets_the_assistant_by_a_form_and_keeps_what_was_typed_when_it_is_refused() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    let shown = owner.get(PATH).await;
    assert!(shown.status == 200 && shown.html.contains("التوصيل"), "{}", shown.html);
    let group = chat.counter.owner.post("/groups", &json!({ "name": "Sales" })).await;
    let mut fields = vec![
        ("mode", "test"),
        ("test-numbers", "0770 123 4567\r\n\r\n0770 999 9999"),
        ("name", "نور"),
        ("tone", "<b>friendly</b>"),
        ("instructions", "أجب باختصار"),
        ("fact-title-1", ""),
        ("fact-text-1", " "),
        ("fact-title-2", "الدوام"),
        ("fact-text-2", "من 9 إلى 17"),
        ("group", group.text("/id")),
        ("languages", "en,ar"),
        ("daily-tokens", "many"),
        ("tool-searchProducts", "on"),
        ("en", "Sara answers you."),
        ("ar-when-closed", "نفتح {when}"),
        ("fact-en-2", "From 9 to 17"),
        ("register", "formal"),
        ("wordings-ar", "[greet]\r\nهلا بيكم {name}"),
    ];
    let refused = owner.post(PATH, &fields).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.html.contains("Tokens a day are a whole number") && refused.html.contains("من 9 إلى 17"),
        "{}",
        refused.html
    );
    assert!(refused.html.contains("&#60;b&#62;friendly") && !refused.html.contains("<b>friendly"));
    assert_eq!(chat.counter.owner.get("/assistant").await.text("/mode"), "on", "nothing was set");

    fields[11].1 = "90000";
    let refused = owner.post(PATH, &fields).await;
    assert_eq!(refused.status, 422);
    assert!(refused.html.contains("In Arabic, line 2: Nothing is put in for this"), "{}", refused.html);

    fields[17].1 = "[greet]\r\nهلا بيكم";
    let saved = owner.post(PATH, &fields).await;
    assert_eq!((saved.status, saved.location.as_str()), (303, PATH), "{}", saved.html);
    let kept = chat.counter.owner.get("/assistant").await.body;
    assert_eq!(kept["testNumbers"], json!(["+9647701234567", "+9647709999999"]));
    assert_eq!(
        kept["facts"],
        json!([{ "title": "الدوام", "text": "من 9 إلى 17", "en": "From 9 to 17" }]),
        "an emptied one is gone"
    );
    assert_eq!((&kept["languages"], &kept["tools"]), (&json!(["en", "ar"]), &json!(["searchProducts"])));
    assert_eq!((&kept["dailyTokens"], &kept["groupId"]), (&json!(90_000), &group.body["id"]));
    assert_eq!(kept["dailyTurns"], json!(36));
    let texts = json!({
        "ar": null, "en": "Sara answers you.", "arWhenClosed": "نفتح {when}", "enWhenClosed": null,
        "ckb": null, "ckbWhenClosed": null, "minutes": 10,
    });
    assert_eq!(kept["handOver"], texts);
    assert_eq!((&kept["register"], &kept["introducesItself"]), (&json!("formal"), &json!(false)));
    assert_eq!(kept["rehearsesChanges"], json!(false));
    assert_eq!(kept["wordings"], json!({ "ar": "[greet]\nهلا بيكم", "en": null, "ckb": null }));

    for (wrong, value) in [("mode", "maybe"), ("group", "nothing"), ("languages", "fr"), ("fact-text-2", "")]
    {
        let mut fields = fields.clone();
        fields.iter_mut().find(|(name, _)| *name == wrong).unwrap().1 = value;
        assert_eq!(owner.post(PATH, &fields).await.status, 422, "{wrong}");
    }
    assert_eq!(chat.counter.owner.get("/assistant").await.body, kept);

    let mut neighbour = Visitor::new(chat.counter.world.service.base_url());
    neighbour.cookie = chat.counter.neighbour().await.cookie.unwrap();
    let theirs = neighbour.get(PATH).await;
    assert!(theirs.status == 200 && !theirs.html.contains("الدوام"), "{}", theirs.html);
    fields[9].1 = group.text("/id");
    assert_eq!(neighbour.post(PATH, &fields).await.status, 422, "the group is another workspace's");
}

#[tokio::test]
async fn owners_are_warned_once_most_of_a_days_tokens_are_spent() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.turn(1).await;
    let used = chat.counter.owner.get("/assistant").await.body["tokensToday"].as_u64().unwrap();
    assert!(used > 0);
    for (daily, is_warned) in [(used * 10, false), (used * 5 / 4, true)] {
        let mut settings = on();
        settings["dailyTokens"] = json!(daily);
        assert_eq!(chat.counter.owner.put("/assistant", &settings).await.status, 200);
        for page in [PATH, "/dashboard/settings/assistant/turns", "/dashboard/settings/usage"] {
            let shown = owner.get(page).await;
            assert_eq!(shown.html.contains("nearly-spent"), is_warned, "{page} {daily} {used}");
        }
    }
}

#[tokio::test]
async fn a_chat_with_the_assistant_shows_what_it_asked_and_why_an_answer_was_refused() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    let path = format!("{PATH}/try");
    assert_eq!(owner.get(&path).await.status, 200);
    let asked = owner.post(&path, &[("history", ""), ("say", "شكد سعر حفاضات بامبرز؟")]).await;
    assert_eq!(asked.status, 200, "{}", asked.html);
    assert!(asked.html.contains("14,500") && asked.html.contains("Search for products"), "{}", asked.html);
    let history = field(&asked.html, "history").replace("&#34;", "\"");
    let said: Vec<Value> = serde_json::from_str(&history).unwrap();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[1]["role"], "assistant");

    let person = owner.post(&path, &[("history", &*history), ("say", "اريد احجي ويه موظف")]).await;
    assert!(person.html.contains("The customer asked for a person."), "{}", person.html);
    chat.model.switch_on(&[super::Fault::ProseOnly]);
    let unsafe_answer = owner.post(&path, &[("history", ""), ("say", "شكد سعر حفاضات بامبرز؟")]).await;
    for wanted in ["Write no text.", "Twice it worded what may not be said."] {
        assert!(unsafe_answer.html.contains(wanted), "{}", unsafe_answer.html);
    }
    for fields in [[("history", ""), ("say", " ")], [("history", "[{\"role\":1}]"), ("say", "هلا")]] {
        let refused = owner.post(&path, &fields).await;
        assert_eq!(refused.status, 422, "{fields:?}");
        assert!(refused.html.contains("role=\"alert\""), "{}", refused.html);
    }
    assert_eq!(owner.post(&path, &[("history", "{"), ("say", "هلا")]).await.status, 400);
    assert_eq!(chat.said().await, Vec::<String>::new(), "nobody was written to");
}

#[tokio::test]
async fn acts_that_an_owner_types_are_shown_as_a_customer_would_get_them() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    let path = format!("{PATH}/try");
    let cite = r#"[{"act":"thank"},{"act":"cite","fact":"f1"}]"#;
    let fields = [("do", "say"), ("acts", cite), ("evidence", ""), ("language", "en")];
    let shown = owner.post(&path, &fields).await;
    assert_eq!(shown.status, 200, "{}", shown.html);
    for part in ["The customer would get", "داخل بغداد خلال يومين", "The service&#39;s words", "&#34;f1&#34;"]
    {
        assert!(shown.html.contains(part), "{part}: {}", shown.html);
    }
    for (acts, evidence, why) in [
        (cite, "{\"facts\":{}}", "`evidence`: "),
        (r#"[{"act":"cite","fact":"f9"}]"#, "{}", "`acts`: acts[0] (cite) fact: `f9` is not"),
    ] {
        let fields = [("do", "say"), ("acts", acts), ("evidence", evidence), ("language", "ar")];
        let refused = owner.post(&path, &fields).await;
        assert_eq!(refused.status, 422, "{acts}");
        assert!(refused.html.contains(why) && refused.html.contains("role=\"alert\""), "{}", refused.html);
    }
}

#[tokio::test]
async fn the_log_tells_what_became_of_turns_and_what_days_took_to_this_workspace_alone() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    let path = format!("{PATH}/turns");
    assert!(owner.get(&path).await.html.contains("It has done nothing yet."));
    chat.writes("اريد احجي ويه موظف").await;
    let turn = chat.turn(1).await;
    let shown = owner.get(&path).await;
    let conversation = turn["conversationId"].as_str().unwrap();
    for wanted in ["Handed over", "The customer asked for a person.", conversation, "<meter"] {
        assert!(shown.html.contains(wanted), "{wanted}: {}", shown.html);
    }
    let mut neighbour = Visitor::new(chat.counter.world.service.base_url());
    neighbour.cookie = chat.counter.neighbour().await.cookie.unwrap();
    let theirs = neighbour.get(&path).await;
    assert!(!theirs.html.contains(conversation), "{}", theirs.html);
    assert_eq!(owner.get(&format!("{path}?cursor=nothing")).await.status, 400);
}

#[tokio::test]
async fn what_an_answer_was_made_of_is_shown_and_what_an_older_one_broke() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.turn(1).await;
    let path = format!("{PATH}/turns");
    for (columns, parts) in [
        (
            "acts = '{quote,thank}', evidence = '{product:12}', words = 'code', objection = 'number'",
            &["A product", "Courtesy", "product:12", "The service&#39;s words", "is missing, changed"][..],
        ),
        (
            "acts = '{}', evidence = '{}', words = NULL, objection = NULL, refused = '{numbers}'",
            &["It names a number or a price that nobody told."],
        ),
    ] {
        chat.rows.change(&format!("UPDATE assistant_turn_log SET {columns}")).await;
        let shown = owner.get(&path).await;
        for part in parts {
            assert!(shown.html.contains(part), "{part}: {}", shown.html);
        }
    }
    let listed = chat.counter.owner.get("/assistant/turns").await;
    assert_eq!(
        (&listed.body["rows"][0]["words"], &listed.body["rows"][0]["acts"]),
        (&Value::Null, &json!([]))
    );
}
