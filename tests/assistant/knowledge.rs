//! Documents that an owner brings, and answers that are cited from them.

use model_simulator::Fault;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Chat, on,
    pages::{PATH, owner_of},
};
use crate::support::{Answer, Browser, Seen, Visitor};

const POLICY: &str = "# الضمان\nكل الأجهزة عليها ضمان سنة كاملة من يوم الشراء. الكسر غير مشمول بالضمان.\n\n\
    # خدمات\nنغلف الهدايا مجاناً مع بطاقة معايدة. نركب المكيفات داخل بغداد.\n";
const ASKED: &str = "تغلفون هدايا؟";
const PRICES: &[u8] = include_bytes!("../../crates/pdf-text/tests/documents/prices.pdf");
const LOCKED: &[u8] = include_bytes!("../../crates/pdf-text/tests/documents/locked.pdf");
const GIFTS: &str = "نغلف الهدايا مجاناً مع بطاقة معايدة.";

async fn bring(owner: &Browser, method: Method, path: &str, text: &[u8]) -> Answer {
    Answer::to(owner.request(method, path).body(text.to_vec())).await
}

#[tokio::test]
async fn a_question_in_dialect_is_answered_by_the_sentence_of_a_document_as_long_as_it_is_there() {
    let chat = Chat::new(&on()).await;
    let (owner, mut page) = (&chat.counter.owner, owner_of(&chat));
    let added = bring(owner, Method::POST, "/assistant/documents?title=Policy", POLICY.as_bytes()).await;
    assert_eq!(added.status, 201, "{added:?}");
    let id = added.text("/id").to_owned();
    assert_eq!((&added.body["source"], &added.body["passages"]), (&json!("markdown"), &json!(2)));

    chat.writes(ASKED).await;
    let turn = chat.turn(1).await;
    assert_eq!(
        (&turn["outcome"], &turn["tools"]),
        (&json!("answered"), &json!(["searchKnowledge"])),
        "{turn}"
    );
    assert_eq!((&turn["acts"], &turn["evidence"]), (&json!(["cite"]), &json!([format!("passage:{id}/2#1")])));
    assert_eq!(chat.said().await, [GIFTS]);

    // The owner sees which passage bore it, and its text one click away.
    let documents = format!("{PATH}/documents");
    let turns = page.get(&format!("{PATH}/turns")).await.html;
    assert!(
        turns.contains(&format!("{documents}/{id}#passage-2")) && turns.contains("Policy, passage 2"),
        "{turns}"
    );
    let shown = page.get(&format!("{documents}/{id}")).await.html;
    assert!(shown.contains("id=\"passage-2\"") && shown.contains(GIFTS), "{shown}");
    let tried = page.post(&format!("{PATH}/try"), &[("history", ""), ("say", ASKED)]).await.html;
    assert!(tried.contains(GIFTS) && tried.contains("Policy, passage 2, sentences 1"), "{tried}");

    // What cites a sentence that nobody wrote goes back to the model, and then to a person.
    chat.model.switch_on(&[Fault::UnknownSentence]);
    chat.writes(ASKED).await;
    let turn = chat.turn(2).await;
    assert_eq!(
        (&turn["outcome"], &turn["reason"]),
        (&json!("handed_over"), &json!("needs_person")),
        "{turn}"
    );
    chat.model.switch_on(&[]);
    assert_eq!(owner.delete(&format!("/assistant/documents/{id}")).await.status, 204);
    let tried =
        owner.post("/assistant/try", &json!({ "messages": [{ "role": "customer", "text": ASKED }] })).await;
    assert_eq!(
        (&tried.body["handOver"], &tried.body["evidence"]),
        (&json!("needs_person"), &json!([])),
        "{tried:?}"
    );
    let turns = page.get(&format!("{PATH}/turns")).await.html;
    assert!(!turns.contains("Policy") && turns.contains("a document that was removed"), "{turns}");
    let log = owner.get("/audit?action=assistant.document_removed").await;
    assert_eq!(log.body["rows"].as_array().map(Vec::len), Some(1), "{log:?}");
    assert_eq!(log.body["rows"][0]["details"]["name"], json!("Policy"));
}

#[tokio::test]
async fn documents_are_brought_replaced_and_removed_within_their_workspace() {
    let chat = Chat::new(&on()).await;
    let (owner, neighbour) = (&chat.counter.owner, chat.counter.neighbour().await);
    let path = |id: &str| format!("/assistant/documents/{id}");
    let added = bring(owner, Method::POST, "/assistant/documents?name=policy.md", POLICY.as_bytes()).await;
    let id = added.text("/id").to_owned();
    assert_eq!(added.text("/title"), "policy");
    let replaced =
        bring(owner, Method::PUT, &format!("{}?title=B", path(&id)), b"<p>Gifts are wrapped.</p>").await;
    assert_eq!((replaced.status, replaced.text("/source")), (200, "page"), "{replaced:?}");
    let read = owner.get(&path(&id)).await.body;
    assert_eq!(
        read["rows"],
        json!([{ "number": 1, "heading": "", "sentences": ["Gifts are wrapped."] }]),
        "the whole document is another"
    );
    for (query, text, field) in [
        ("title=A", &b""[..], "`document`"),
        ("title=A", "\u{202e} \u{200f}".as_bytes(), "`document`"),
        ("title=A", b"\xff\xfe", "`document`"),
        ("title=A&name=a.pdf", b"%PDF-1.7", "`document`"),
        ("", b"text", "`title`"),
    ] {
        let refused = bring(owner, Method::POST, &format!("/assistant/documents?{query}"), text).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.text("/message").contains(field), "{refused:?}");
    }
    let large = vec![b'a'; 2 * 1024 * 1024 + 1];
    assert_eq!(bring(owner, Method::POST, "/assistant/documents?title=A", &large).await.status, 413);

    assert_eq!(neighbour.get("/assistant/documents").await.body["rows"], json!([]));
    for refused in [
        neighbour.get(&path(&id)).await,
        bring(&neighbour, Method::PUT, &format!("{}?title=A", path(&id)), b"text").await,
        neighbour.delete(&path(&id)).await,
    ] {
        assert_eq!(refused.status, 404, "{refused:?}");
    }
    assert_eq!(owner.get("/assistant/documents").await.body["rows"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_prices_of_a_pdf_stand_in_its_passages_in_the_order_that_they_are_read() {
    let chat = Chat::new(&on()).await;
    let owner = &chat.counter.owner;
    let added = bring(owner, Method::POST, "/assistant/documents?name=prices.pdf", PRICES).await;
    assert_eq!(
        (added.status, added.text("/source"), added.text("/title")),
        (201, "pdf", "prices"),
        "{added:?}"
    );
    let read = owner.get(&format!("/assistant/documents/{}", added.text("/id"))).await.body;
    let (heading, sentences) = (&read["rows"][1]["heading"], &read["rows"][1]["sentences"]);
    assert_eq!(heading, "عيادة الابتسامة › الأسعار", "{read}");
    assert_eq!(sentences[1], "تنظيف الأسنان — 30 دقيقة — 25,000 دينار", "{read}");
    let shown = owner_of(&chat).get(&format!("{PATH}/documents/{}", added.text("/id"))).await.html;
    assert!(shown.contains("+964 770 123 4567"), "{shown}");

    let locked = bring(owner, Method::POST, "/assistant/documents?name=a.pdf", LOCKED).await;
    assert_eq!(locked.status, 400, "{locked:?}");
    assert!(locked.text("/message").starts_with("`document` opens with a password"), "{locked:?}");
}

/// Posts the form of a document, with a file or with a text that was pasted.
async fn upload(page: &mut Visitor, to: &str, title: &str, text: &str, file: (&str, &[u8])) -> Seen {
    page.upload(to, &[("title", title), ("text", text)], file).await
}

#[tokio::test]
async fn an_owner_brings_documents_by_a_form_without_a_script() {
    let chat = Chat::new(&on()).await;
    let mut owner = owner_of(&chat);
    let documents = format!("{PATH}/documents");
    let added = upload(&mut owner, &documents, "", "", ("سياسة.txt", POLICY.as_bytes())).await;
    assert_eq!(added.status, 303, "{}", added.html);
    let shown = owner.get(&added.location).await.html;
    assert!(shown.contains("<bdi>سياسة</bdi>") && shown.contains(GIFTS), "{shown}");
    let pasted = upload(&mut owner, &documents, "Pasted", "We wrap gifts.\r\nFor free.", ("", b"")).await;
    assert_eq!(pasted.status, 303, "{}", pasted.html);
    let listed = owner.get(&documents).await.html;
    assert!(listed.contains("Pasted") && listed.contains("سياسة"), "{listed}");

    for (title, text, file, why) in [
        ("A", "", ("", &b""[..]), "There are no words in it."),
        ("A", "", ("a.pdf", b"%PDF-1.4"), "This PDF is damaged."),
        ("A", "", ("a.pdf", LOCKED), "This PDF opens with a password."),
        ("A", "", ("a.doc", b"\xd0\xcf\x11"), "This is no text in UTF-8."),
        ("", "kept", ("", b""), "A title has 1 to 120 characters."),
    ] {
        let refused = upload(&mut owner, &documents, title, text, file).await;
        assert!(refused.status == 422 && refused.html.contains(why), "{why}: {}", refused.html);
        assert!(refused.html.contains("aria-invalid") && refused.html.contains(text), "{}", refused.html);
    }
    let replaced = upload(&mut owner, &added.location, "C", "Only this.", ("", b"")).await;
    assert_eq!((replaced.status, &replaced.location), (303, &added.location));
    let shown = owner.get(&added.location).await.html;
    assert!(shown.contains("Only this.") && !shown.contains(GIFTS), "{shown}");
    let removed = owner.upload(&added.location, &[("do", "remove")], ("", b"")).await;
    assert_eq!((removed.status, &removed.location), (303, &documents));
    assert_eq!(owner.get(&added.location).await.status, 404);
    let rows = chat.counter.owner.get("/assistant/documents").await.body["rows"].clone();
    let titles: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["title"]).collect();
    assert_eq!(titles, [&json!("Pasted")]);
}
