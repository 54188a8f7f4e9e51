//! Reset of a password by a link: mailed, or handed over by an operator.

use std::time::Duration;

use serde_json::{Value, json};

use super::stage::{OWNER, Stage};
use crate::support::{Browser, Mailbox, PASSWORD, Seen, token_of};

const NEW: &str = "another horse entirely";

async fn ask(browser: &Browser, email: &str) -> Seen {
    browser.visitor().post("/dashboard/forgotten-password", &[("email", email)]).await
}

/// Chooses another password by a link, which signs nobody in.
async fn complete(stage: &Stage, token: &str, password: &str) -> u16 {
    let mut visitor = stage.browser().visitor();
    let fields = [("token", token), ("password", password)];
    let completed = visitor.post("/dashboard/password-reset/complete", &fields).await;
    assert!(!visitor.cookie.contains("session"), "{}", visitor.cookie);
    completed.status
}

async fn assert_not_valid(stage: &Stage, token: &str) {
    assert_eq!(complete(stage, token, NEW).await, 422);
    assert_eq!(open_link(stage, token).await.status, 422);
}

async fn open_link(stage: &Stage, token: &str) -> Seen {
    stage.browser().visitor().post("/dashboard/password-reset", &[("token", token)]).await
}

#[tokio::test]
async fn a_member_has_a_link_mailed_chooses_another_password_and_is_signed_out_everywhere() {
    let mailbox = Mailbox::open().await;
    let stage = Stage::mailing(Some(mailbox.url())).await;
    stage.owner.patch("/workspace", &json!({ "locale": "en" })).await;
    let asked = ask(&stage.browser(), " Owner@PALM.example ").await;
    assert_eq!(asked.status, 200);
    let token = mailbox.tokens("/dashboard/password-reset", 1).await.remove(0);
    let open = open_link(&stage, &token).await;
    assert!(open.status == 200 && open.html.contains(OWNER) && open.html.contains("Palm Store"), "{open:?}");
    assert_eq!(complete(&stage, &token, "short").await, 422, "a short password leaves the link as it is");

    assert_eq!(complete(&stage, &token, NEW).await, 303);
    stage.owner.get("/me").await.assert_error(401, "all sessions end");
    let browser = stage.browser();
    browser.try_in(OWNER, PASSWORD, None).await.assert_error(401, "the old password");
    let mut again = stage.browser();
    again.keep(&browser.try_in(OWNER, NEW, None).await);
    assert_not_valid(&stage, &token).await;

    let log = again.get("/audit?limit=100").await;
    let rows = log.body["rows"].as_array().unwrap();
    let find = |action: &str| rows.iter().find(|row| row["action"] == action).unwrap();
    let me = json!(again.member_id().await);
    assert_eq!(
        (&find("password.reset")["memberId"], &find("password.reset")["address"]),
        (&me, &json!("127.0.0.1"))
    );
    let mailed = find("password.reset_mailed");
    assert_eq!((&mailed["memberId"], &mailed["subject"]), (&Value::Null, &me));
    let proven = "SELECT (mailbox_proven_at IS NOT NULL)::text FROM members";
    assert_eq!(stage.rows().await.texts(proven).await, ["true"]);
}

#[tokio::test]
async fn whoever_was_let_in_by_an_address_of_earlier_rules_signs_in_and_has_a_link_mailed() {
    let mailbox = Mailbox::open().await;
    let stage = Stage::mailing(Some(mailbox.url())).await;
    // An Arabic mail is written in base64.
    stage.owner.patch("/workspace", &json!({ "locale": "en" })).await;
    let early = "ow..ner@palm.example";
    for table in ["members", "member_logins"] {
        stage.rows().await.change(&format!("UPDATE {table} SET email = '{early}'")).await;
    }
    let invited = json!({ "email": "a..b@palm.example", "role": "agent" });
    stage.owner.post("/invitations", &invited).await.assert_error(400, "nobody comes by such a one any more");
    let browser = stage.browser();
    assert_eq!(browser.try_in(" OW..ner@palm.example", PASSWORD, None).await.status, 200);
    let refused = browser.try_in(&format!("{}@palm.example", "a".repeat(300)), PASSWORD, None).await;
    refused.assert_refused(401, "wrong_credentials", &json!({}), "nobody's address");
    assert_eq!(ask(&browser, early).await.status, 200);
    let token = mailbox.tokens("/dashboard/password-reset", 1).await.remove(0);
    assert_eq!(complete(&stage, &token, NEW).await, 303);
}

#[tokio::test]
async fn the_answer_does_not_tell_whether_anybody_has_the_address_and_mails_are_few() {
    let mailbox = Mailbox::open().await;
    let stage = Stage::mailing(Some(mailbox.url())).await;
    stage.owner.patch("/workspace", &json!({ "locale": "en" })).await;
    let browser = stage.browser();
    let told = ask(&browser, "nobody@palm.example").await.html;
    for email in ["no address", ""] {
        let asked = ask(&browser, email).await;
        assert_eq!((asked.status, &asked.html), (200, &told), "{email}");
    }
    for number in 1..=6 {
        let asked = ask(&browser, OWNER).await;
        assert_eq!((asked.status, &asked.html), (200, &told));
        mailbox.tokens("/dashboard/password-reset", number.min(3)).await;
    }
    // Each is in place of the one before.
    let tokens = mailbox.tokens("/dashboard/password-reset", 3).await;
    assert_not_valid(&stage, &tokens[0]).await;
    assert_not_valid(&stage, &tokens[1]).await;
    stage.later(Duration::from_mins(59));
    assert_eq!(open_link(&stage, &tokens[2]).await.status, 200);
    stage.later(Duration::from_mins(1));
    assert_not_valid(&stage, &tokens[2]).await;
    assert_eq!(mailbox.mails().len(), 3);

    let mut answers = Vec::new();
    for number in 0..52 {
        answers.push(ask(&browser.clone().at("192.0.2.1"), &format!("{number}@palm.example")).await.status);
    }
    assert_eq!(answers[49..], [200, 422, 422]);
}

#[tokio::test]
async fn an_owner_says_whether_links_are_mailed_and_a_second_factor_outlives_them() {
    let mailbox = Mailbox::open().await;
    let stage = Stage::mailing(Some(mailbox.url())).await;
    stage.owner.patch("/workspace", &json!({ "locale": "en" })).await;
    let by_mail = async || {
        let page = stage.owner.visitor().get("/dashboard/settings/workspace").await;
        page.html.contains("name=\"by-mail\" value=\"on\" checked")
    };
    assert!(by_mail().await);
    ask(&stage.browser(), OWNER).await;
    let mailed = mailbox.tokens("/dashboard/password-reset", 1).await.remove(0);
    let set = async |ticked: &[(&str, &str)]| {
        let fields = [&[("do", "resets")], ticked].concat();
        let set = stage.owner.visitor().post("/dashboard/settings/workspace", &fields).await;
        assert_eq!(set.status, 303, "{set:?}");
    };
    set(&[]).await;
    assert!(!by_mail().await);
    assert_not_valid(&stage, &mailed).await;
    assert_eq!(ask(&stage.browser(), OWNER).await.status, 200);
    set(&[("by-mail", "on")]).await;
    ask(&stage.browser(), OWNER).await;
    mailbox.tokens("/dashboard/password-reset", 2).await;
    assert_eq!(mailbox.mails().len(), 2, "nothing was mailed in between");
    let log = stage.owner.get("/audit?action=workspace.changed").await;
    assert_eq!(log.body["rows"][0]["details"], json!({ "resetByMail": true }));
}

#[tokio::test]
async fn without_mail_an_operator_has_a_link() {
    let stage = Stage::new().await;
    assert_eq!(ask(&stage.browser(), OWNER).await.status, 422, "no mail");
    let said = stage.operator(&["member", "reset", &stage.workspace, "--email", OWNER]);
    let token = token_of(&said).to_owned();
    for _ in 0..10 {
        stage.browser().try_in(OWNER, "wrong horse", None).await.assert_error(401, "tries");
    }
    assert_eq!(complete(&stage, &token, NEW).await, 303);
    stage.owner.get("/me").await.assert_error(401, "all sessions end");
    // Who was locked out by tries at the old password comes in with the new one.
    assert_eq!(stage.browser().try_in(OWNER, NEW, None).await.status, 200);
    let logged = "SELECT action FROM audit_log WHERE action LIKE 'password.%' ORDER BY action";
    assert_eq!(stage.rows().await.texts(logged).await, ["password.reset", "password.reset_linked"]);
}

#[tokio::test]
async fn a_link_ends_when_its_member_chooses_another_password_themselves() {
    let stage = Stage::new().await;
    let said = stage.operator(&["member", "reset", &stage.workspace, "--email", OWNER]);
    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    assert_eq!(stage.owner.post("/me/password", &change).await.status, 204);
    assert_not_valid(&stage, token_of(&said)).await;
}
