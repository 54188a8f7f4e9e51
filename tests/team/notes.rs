//! What members write to each other, and short texts that they answer with.

use serde_json::{Value, json};

use crate::{
    life::Team,
    support::{Browser, Visitor},
};

fn rows(answer: &crate::support::Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["rows"].as_array().unwrap().clone()
}

async fn mentions(by: &Browser) -> Vec<Value> {
    rows(&by.get("/mentions").await)
}

#[tokio::test]
async fn a_note_is_seen_by_the_team_alone_and_shown_to_whom_it_mentions_until_they_look() {
    let team = Team::new().await;
    let path = format!("/conversations/{}", team.conversation);
    let notes = format!("{path}/notes");
    let note = json!({ "text": " اسألوا المخزن <b>now</b> ", "mentions": [team.agent_id, team.owner_id] });
    let written = team.owner.post(&notes, &note).await;
    assert_eq!((written.status, written.text("/text")), (201, "اسألوا المخزن <b>now</b>"), "{written:?}");
    assert_eq!(written.text("/authorId"), team.owner_id);
    assert_eq!(rows(&team.agent.get(&notes).await), std::slice::from_ref(&written.body));
    assert_eq!(mentions(&team.agent).await, std::slice::from_ref(&written.body));
    assert_eq!(mentions(&team.owner).await, Vec::<Value>::new(), "whoever wrote it has seen it");

    // Nothing that reads messages knows of it, and nobody was told but the team.
    let messages = team.owner.get(&format!("{path}/messages")).await.body.to_string();
    let public = team.world.api().get(&format!("/v1{path}/messages")).await.body.to_string();
    assert!(!messages.contains("المخزن") && !public.contains("المخزن"), "{messages} {public}");
    assert_eq!(team.world.simulator.messages().len(), 0);
    let waits = team.owner.get(&path).await.body["waitingSince"].clone();
    assert!(waits.is_string(), "a note is no answer");
    let told = team.world.receiver.rest().await;
    assert!(told.iter().all(|delivery| !delivery.body.to_string().contains("المخزن")));

    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let inbox = agent.get("/dashboard/inbox?view=all").await;
    assert!(inbox.html.contains("You are mentioned") && !inbox.html.contains("<b>now"), "{}", inbox.html);
    let page = agent.get(&format!("/dashboard/inbox/{}", team.conversation)).await;
    assert!(page.html.contains("Note to the team") && page.html.contains("&#60;b&#62;now"), "{}", page.html);
    assert_eq!(mentions(&team.agent).await, Vec::<Value>::new(), "they have seen it");
    assert!(!agent.get("/dashboard/inbox?view=all").await.html.contains("You are mentioned"));

    for (body, status) in [
        (json!({ "text": " " }), 400),
        (json!({ "text": "a".repeat(4_001) }), 400),
        (json!({ "text": "a", "mentions": ["nobody"] }), 400),
        (json!({ "text": "a", "mentions": [team.conversation] }), 404),
        (json!({ "text": "a", "to": "them" }), 400),
    ] {
        assert_eq!(team.agent.post(&notes, &body).await.status, status, "{body}");
    }
    assert_eq!(team.agent.delete(&format!("{path}/mentions")).await.status, 204);
}

#[tokio::test]
async fn a_note_is_written_by_a_form_and_stays_in_it_when_it_is_refused() {
    let team = Team::new().await;
    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let mention = format!("mention-{}", team.owner_id);
    let long = "x".repeat(4_001);
    let refused =
        agent.post(&format!("{path}/notes"), &[("text", long.as_str()), (mention.as_str(), "on")]).await;
    assert!(refused.status == 422 && refused.html.contains(&long), "{}", refused.status);
    let ticked = format!("name=\"{mention}\" value=\"on\" checked");
    let boxes = refused.html.matches("value=\"on\" checked").count();
    assert!(refused.html.contains(&ticked) && boxes == 1, "{ticked}");
    assert!(refused.html.contains("value=\"note\" checked"), "a note is still written: {}", refused.html);
    let fields = [("text", "one\r\ntwo"), (mention.as_str(), "on")];
    let written = agent.post(&format!("{path}/notes?view=all"), &fields).await;
    assert_eq!((written.status, written.location), (303, format!("{path}?view=all")));
    assert_eq!(mentions(&team.owner).await[0]["text"], "one\ntwo");
}

#[tokio::test]
async fn any_member_keeps_canned_replies_and_puts_one_into_an_answer() {
    let team = Team::new().await;
    let hours = json!({ "shortcut": "/الدوام", "text": "من 9 إلى 17 <b>" });
    let added = team.agent.post("/canned-replies", &hours).await;
    assert_eq!((added.status, added.text("/shortcut")), (201, "الدوام"), "{added:?}");
    let other = team.owner.post("/canned-replies", &json!({ "shortcut": "Hi", "text": "هلا" })).await;
    let taken = json!({ "shortcut": "HI", "text": "again" });
    team.agent.post("/canned-replies", &taken).await.assert_refused(
        409,
        "shortcut_taken",
        &json!({}),
        "the same in capitals",
    );
    let path = format!("/canned-replies/{}", added.text("/id"));
    team.owner.put(&path, &taken).await.assert_refused(409, "shortcut_taken", &json!({}), "of another");
    let changed = json!({ "shortcut": "hours", "text": "from 9 to 17 <b>" });
    assert_eq!(team.owner.put(&path, &changed).await.text("/authorId"), team.owner_id);
    for body in [json!({ "shortcut": "two words", "text": "a" }), json!({ "shortcut": "a", "text": " " })] {
        assert_eq!(team.owner.post("/canned-replies", &body).await.status, 400, "{body}");
    }

    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    let page = agent.get(&format!("{conversation}?insert=hours")).await;
    assert!(page.html.contains(">from 9 to 17 &#60;b&#62;</textarea>"), "{}", page.html);
    let shown = agent.get("/dashboard/canned-replies").await;
    assert!(shown.status == 200 && shown.html.contains("from 9 to 17 &#60;b&#62;"), "{}", shown.html);
    let refused = agent.post("/dashboard/canned-replies", &[("shortcut", "hi"), ("text", "kept here")]).await;
    assert!(refused.status == 422 && refused.html.contains("kept here"), "{}", refused.html);
    assert!(refused.html.contains("Another canned reply has this shortcut."), "{}", refused.html);
    let remove = format!("/dashboard/canned-replies/{}", other.text("/id"));
    let removed = agent.post(&remove, &[("do", "remove"), ("shortcut", "Hi"), ("text", "هلا")]).await;
    assert_eq!((removed.status, removed.location.as_str()), (303, "/dashboard/canned-replies"));
    assert_eq!(rows(&team.owner.get("/canned-replies").await).len(), 1);
    assert_eq!(team.owner.delete(&path).await.status, 204);
    team.owner.delete(&path).await.assert_error(404, "removed");
}
