//! Sessions: how they begin, how they end, and what is kept of them.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::stage::{OWNER, Stage};
use crate::support::{Answer, PASSWORD};

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_member_signs_in_is_known_by_the_cookie_and_signs_out() {
    let stage = Stage::new().await;
    let mut browser = stage.browser();
    let answer = browser.sign_in(" Owner@PALM.example ").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let cookie = answer.header("set-cookie").unwrap();
    let (value, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Max-Age=1209600; Path=/; HttpOnly; Secure; SameSite=Lax");
    let token = value.strip_prefix("__Host-session=").unwrap();
    assert_eq!(token.len(), 64);
    assert!(!answer.body.to_string().contains(token));

    let me = browser.get("/me").await;
    assert_eq!(me.body, answer.body);
    assert_eq!((me.text("/member/email"), me.text("/member/role")), (OWNER, "owner"));
    assert_eq!((me.text("/workspace/id"), me.text("/workspace/name")), (&*stage.workspace, "Palm Store"));

    let cookie = browser.cookie.clone();
    let out = browser.post("/sign-out", &json!({})).await;
    assert_eq!(out.status, 204);
    browser.keep(&out);
    assert_eq!(browser.cookie, None);
    browser.cookie = cookie;
    let refused = browser.get("/me").await;
    refused.assert_refused(401, "not_signed_in", &json!({}), "an ended session");
}

#[tokio::test]
async fn whoever_does_not_fit_is_told_the_same_whatever_is_wrong() {
    let stage = Stage::new().await;
    let browser = stage.browser();
    let mut said = Vec::new();
    for (email, password) in [
        (OWNER, "wrong horse battery"),
        (OWNER, ""),
        ("nobody@palm.example", PASSWORD),
        ("no address", PASSWORD),
        ("", ""),
        (OWNER, &"x".repeat(10_000)),
    ] {
        let answer = browser.post("/sign-in", &json!({ "email": email, "password": password })).await;
        answer.assert_refused(401, "wrong_credentials", &json!({}), email);
        assert_eq!(answer.header("set-cookie"), None);
        said.push(answer.body);
    }
    said.dedup();
    assert_eq!(said.len(), 1);
}

#[tokio::test]
async fn fifty_tries_from_an_address_are_let_through_whatever_the_accounts() {
    let stage = Stage::new().await;
    let browser = stage.browser();
    let mut answers = Vec::new();
    for number in 0..52 {
        let body = json!({ "email": format!("{number}@palm.example"), "password": PASSWORD });
        answers.push(browser.post("/sign-in", &body).await.status);
    }
    assert_eq!(answers.iter().filter(|status| **status == 401).count(), 50);
    assert_eq!(answers[50..], [429, 429]);
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
    let stage = Stage::new().await;
    let (mut idle, mut busy) = (stage.browser(), stage.browser());
    idle.sign_in(OWNER).await;
    busy.sign_in(OWNER).await;
    for _ in 0..4 {
        stage.later(HOUR * 11);
        assert_eq!(busy.get("/me").await.status, 200);
    }
    idle.get("/me").await.assert_error(401, "idle");
    let sessions = busy.get("/sessions").await;
    assert_eq!(sessions.body["rows"].as_array().unwrap().len(), 1, "{sessions:?}");
    for _ in 4..30 {
        stage.later(HOUR * 11);
        assert_eq!(busy.get("/me").await.status, 200);
    }
    stage.later(HOUR * 8);
    busy.get("/me").await.assert_error(401, "two weeks old");
}

#[tokio::test]
async fn a_member_sees_their_sessions_and_ends_them_one_by_one_or_all() {
    let stage = Stage::new().await;
    let agent = stage.joined("agent@palm.example", "agent").await;
    let (mut first, mut second) = (stage.browser(), stage.browser());
    first.sign_in(OWNER).await;
    second.sign_in(OWNER).await;
    let listed = first.get("/sessions").await;
    let rows = listed.body["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row["current"] == true).count(), 1);
    assert!(rows.iter().all(|row| row["address"] == "127.0.0.1"), "{rows:?}");

    let end = async |session: &str| {
        let fields = [("do", "end"), ("session", session)];
        first.visitor().post("/dashboard/profile", &fields).await.status
    };
    let of_agent = agent.get("/sessions").await;
    assert_eq!(end(of_agent.text("/rows/0/id")).await, 303);
    assert_eq!(agent.get("/me").await.status, 200, "somebody else's session");

    let listed = second.get("/sessions").await;
    let current = listed.body["rows"].as_array().unwrap().iter().find(|row| row["current"] == true);
    let own = current.unwrap()["id"].as_str().unwrap();
    for _ in 0..2 {
        assert_eq!(end(own).await, 303);
    }
    second.get("/me").await.assert_error(401, "ended");

    assert_eq!(first.delete("/sessions").await.status, 204);
    stage.owner.get("/me").await.assert_error(401, "ended with all others");
    assert_eq!(first.get("/me").await.status, 200);
}

#[tokio::test]
async fn another_password_ends_all_other_sessions() {
    let stage = Stage::new().await;
    let mut other = stage.browser();
    other.sign_in(OWNER).await;
    let change = |current: &str, new: &str| json!({ "currentPassword": current, "newPassword": new });
    let wrong = stage.owner.post("/me/password", &change("wrong horse", "another horse")).await;
    wrong.assert_refused(403, "wrong_password", &json!({}), "wrong");
    let short = stage.owner.post("/me/password", &change(PASSWORD, "short")).await;
    short.assert_error(400, "short");
    assert_eq!(other.get("/me").await.status, 200);
    let changed = stage.owner.post("/me/password", &change(PASSWORD, "another horse")).await;
    assert_eq!(changed.status, 204, "{changed:?}");
    other.get("/me").await.assert_error(401, "ended");
    assert_eq!(stage.owner.get("/me").await.status, 200);
    stage.browser().sign_in(OWNER).await.assert_error(401, "the old password");
}

#[tokio::test]
async fn a_change_from_another_site_is_refused() {
    let stage = Stage::new().await;
    let change = || stage.owner.bare(Method::PATCH, "/me").json(&json!({ "name": "Taken" }));
    for request in [
        change(),
        change().header("x-dashboard", "1").header("origin", "https://evil.example"),
        change().header("x-dashboard", "1").header("origin", "null"),
        change().header("x-dashboard", "1").header("sec-fetch-site", "cross-site"),
    ] {
        let answer = Answer::to(request).await;
        answer.assert_refused(403, "not_from_dashboard", &json!({}), "another site");
    }
    let own = change().header("x-dashboard", "1").header("origin", stage.base_url.clone());
    assert_eq!(Answer::to(own).await.status, 204);
    // Signing in is a change, too.
    let sign_in = stage.browser().bare(Method::POST, "/sign-in");
    let sign_in = sign_in.json(&json!({ "email": OWNER, "password": PASSWORD }));
    Answer::to(sign_in).await.assert_refused(403, "not_from_dashboard", &json!({}), "sign-in");
}

#[tokio::test]
async fn neither_a_password_nor_what_a_browser_holds_is_kept_in_clear() {
    let stage = Stage::new().await;
    let token = stage.owner.cookie.as_ref().unwrap().split_once('=').unwrap().1;
    let rows = stage.rows().await;
    let hashes = rows.texts("SELECT password_hash FROM members").await;
    assert!(hashes.iter().all(|hash| hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")), "{hashes:?}");
    let kept =
        rows.texts("SELECT sessions::text FROM sessions UNION ALL SELECT audit_log::text FROM audit_log");
    assert!(kept.await.iter().all(|row| !row.contains(token) && !row.contains(PASSWORD)));
}
