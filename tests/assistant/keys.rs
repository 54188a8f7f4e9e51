//! Workspaces that pay for the model themselves.

use std::{io::Write as _, process::Stdio};

use model_simulator::Fault;
use serde_json::{Value, json};

use super::{
    Chat, on,
    pages::{PATH, owner_of},
    start_with,
};
use crate::support::command;

const ASKED: &str = "شكد سعر حفاضات بامبرز؟";

/// A shop whose installation has a key, and lets workspaces use their own.
async fn chat() -> Chat {
    let mut chat = Chat::new(&on()).await;
    chat.counter.world.service.kill();
    let settings = [("MESSAGING_MODEL_KEY", "sk-installation"), ("MESSAGING_MODEL_OWN_KEYS", "allowed")];
    start_with(&mut chat.counter, &chat.model, &settings).await;
    chat
}

fn newest_key(chat: &Chat) -> Option<String> {
    chat.model.keys().last().cloned().flatten()
}

#[tokio::test]
async fn a_workspace_is_answered_with_its_own_key_and_nobody_else_is() {
    let chat = chat().await;
    let (owner, rows) = (&chat.counter.owner, &chat.rows);
    let none = json!({ "setAt": null, "refusedAt": null });
    assert_eq!(owner.get("/assistant").await.body["key"], none);
    for key in ["", "sk own", "sk-own\n", "مفتاح"] {
        let refused = owner.put("/assistant/key", &json!({ "key": key })).await;
        assert!(refused.status == 400 && refused.body.to_string().contains("`key`"), "{key}: {refused:?}");
    }
    let set = owner.put("/assistant/key", &json!({ "key": "sk-own" })).await;
    assert!(set.status == 200 && set.body["setAt"].is_string(), "{set:?}");
    chat.writes(ASKED).await;
    assert_eq!(chat.turn(1).await["outcome"], json!("answered"));
    assert_eq!(newest_key(&chat).as_deref(), Some("Bearer sk-own"));
    // The neighbour's try is the installation's.
    let neighbour = chat.counter.neighbour().await;
    let said = json!({ "messages": [{ "role": "customer", "text": "هلو" }] });
    assert_eq!(neighbour.post("/assistant/try", &said).await.status, 200);
    assert_eq!(newest_key(&chat).as_deref(), Some("Bearer sk-installation"));
    assert_eq!(neighbour.get("/assistant").await.body["key"], none);
    // It is kept sealed, and shown to nobody.
    assert_eq!(rows.count("model_keys WHERE encode(key_sealed, 'escape') LIKE '%sk-own%'").await, 0);
    assert!(!owner.get("/assistant").await.body.to_string().contains("sk-own"));
    let page = owner_of(&chat).get(PATH).await.html;
    assert!(page.contains("keep-key") && page.contains("remove-key") && !page.contains("sk-own"));

    chat.model.switch_on(&[Fault::KeyRefused]);
    chat.writes("متوفر؟").await;
    let turn = chat.turn(2).await;
    assert_eq!((&turn["outcome"], &turn["reason"]), (&json!("handed_over"), &json!("model_unavailable")));
    assert_eq!(newest_key(&chat).as_deref(), Some("Bearer sk-own"), "nobody else is asked");
    assert!(owner.get("/assistant").await.body["key"]["refusedAt"].is_string());
    chat.model.switch_on(&[]);
    assert_eq!(owner.delete("/assistant/key").await.status, 204);
    assert_eq!(owner.delete("/assistant/key").await.status, 204);
    assert_eq!(owner.get("/assistant").await.body["key"], none);
    assert_eq!(owner.post("/assistant/try", &said).await.status, 200);
    assert_eq!(newest_key(&chat).as_deref(), Some("Bearer sk-installation"));
    let log = rows.texts("SELECT action FROM audit_log WHERE action LIKE 'assistant.key%' ORDER BY id").await;
    assert_eq!(log, ["assistant.key_set", "assistant.key_removed"]);
}

#[tokio::test]
async fn an_owner_keeps_and_removes_a_key_by_a_form() {
    let chat = chat().await;
    let mut owner = owner_of(&chat);
    assert_eq!(owner.post(PATH, &[("do", "keep-key"), ("key", "sk own")]).await.status, 422);
    assert_eq!(owner.post(PATH, &[("do", "keep-key"), ("key", "sk-own")]).await.status, 303);
    // Nothing else was changed by it.
    let kept = chat.counter.owner.get("/assistant").await.body;
    assert!(kept["key"]["setAt"].is_string() && kept["facts"][0]["title"] == "التوصيل", "{kept}");
    assert_eq!(owner.post(PATH, &[("do", "remove-key")]).await.status, 303);
    assert_eq!(chat.counter.owner.get("/assistant").await.body["key"]["setAt"], Value::Null);
    assert_eq!(owner.post(PATH, &[("do", "anything")]).await.status, 422);
}

#[tokio::test]
async fn where_an_operator_does_not_allow_it_nobody_has_a_key_of_their_own() {
    let chat = Chat::new(&on()).await;
    let owner = &chat.counter.owner;
    assert_eq!(owner.get("/assistant").await.body["key"], Value::Null);
    let refused = owner.put("/assistant/key", &json!({ "key": "sk-own" })).await;
    assert_eq!((refused.status, refused.text("/code")), (409, "own_keys_refused"), "{refused:?}");
    assert!(!owner_of(&chat).get(PATH).await.html.contains("keep-key"));
}

#[tokio::test]
async fn an_operator_keeps_and_removes_a_workspaces_key() {
    let chat = chat().await;
    let world = &chat.counter.world;
    let operate = |arguments: &[&str], given: &str| {
        let mut child = command(&world.secrets)
            .args(["assistant", "key"])
            .args(arguments)
            .env("MESSAGING_MODEL_URL", chat.model.base_url())
            .env("MESSAGING_MODEL_NAME", "stand-in")
            .env("MESSAGING_MODEL_OWN_KEYS", "allowed")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        (ended.status.success(), String::from_utf8(ended.stderr).unwrap())
    };
    let set = ["set", &world.workspace, "--key-file", "-"];
    assert!(operate(&set, "sk-own\n").0);
    assert!(chat.counter.owner.get("/assistant").await.body["key"]["setAt"].is_string());
    let (done, said) = operate(&set, "sk own\n");
    assert!(!done && said.contains("white space"), "{said}");
    assert!(operate(&["remove", &world.workspace], "").0);
    let (done, said) = operate(&["remove", &world.workspace], "");
    assert!(!done && said.contains("no key of its own"), "{said}");
}
