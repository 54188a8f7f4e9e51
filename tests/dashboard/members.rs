//! Invitations, roles, and departures.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::stage::{CONVERSATION, Stage};
use crate::support::{Api, Browser, PASSWORD, Seen, Visitor, eventually, token_of};

const AGENT: &str = "agent@palm.example";

/// Opens an invitation's link.
async fn open_link(browser: &Browser, token: &str) -> Seen {
    browser.visitor().post("/dashboard/invitation", &[("token", token)]).await
}

async fn leave(browser: &Browser) -> u16 {
    browser.visitor().post("/dashboard/profile", &[("do", "leave")]).await.status
}

#[tokio::test]
async fn an_owner_invites_somebody_by_a_link_that_works_once() {
    let stage = Stage::new().await;
    let invited = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "agent" })).await;
    assert_eq!(invited.status, 201, "{invited:?}");
    let listed = stage.owner.get("/invitations").await;
    assert_eq!(listed.body["rows"], json!([invited.body["invitation"]]));

    let mut browser = stage.browser();
    let token = token_of(invited.text("/link")).to_owned();
    let open = open_link(&browser, &token).await;
    assert!(open.status == 200 && open.html.contains("Palm Store") && open.html.contains(AGENT), "{open:?}");
    let accepted = browser.accept(&token).await;
    assert_eq!(accepted.text("/member/role"), "agent");
    assert_eq!(browser.get("/me").await.body, accepted.body);
    assert_eq!(stage.owner.get("/invitations").await.body["rows"], json!([]));

    let again = json!({ "token": token, "name": "Shop", "password": PASSWORD });
    let refused = stage.browser().post("/invitations/accept", &again).await;
    refused.assert_refused(404, "invitation_not_valid", &json!({}), "accept");
    assert_eq!(open_link(&stage.browser(), &token).await.status, 422);
    let twice = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "owner" })).await;
    twice.assert_refused(409, "already_member", &json!({}), "a member");
}

#[tokio::test]
async fn a_link_that_was_replaced_withdrawn_or_is_a_week_old_does_not_work() {
    let stage = Stage::new().await;
    let invite = async || {
        let invited = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "agent" })).await;
        (token_of(invited.text("/link")).to_owned(), invited.text("/invitation/id").to_owned())
    };
    let (replaced, _) = invite().await;
    let (withdrawn, id) = invite().await;
    assert_eq!(stage.owner.delete(&format!("/invitations/{id}")).await.status, 204);
    stage.owner.delete(&format!("/invitations/{id}")).await.assert_error(404, "withdrawn before");
    let (old, _) = invite().await;
    stage.later(Duration::from_hours(7 * 24));
    for token in [replaced, withdrawn, old, "0".repeat(64), String::new()] {
        let body = json!({ "token": token, "name": "Omar", "password": PASSWORD });
        stage.browser().post("/invitations/accept", &body).await.assert_error(404, &token);
    }
}

#[tokio::test]
async fn two_who_accept_one_link_at_once_make_one_member() {
    let stage = Stage::new().await;
    let invited = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "agent" })).await;
    let body = json!({ "token": token_of(invited.text("/link")), "name": "Omar", "password": PASSWORD });
    let (one, other) = (stage.browser(), stage.browser());
    let (one, other) =
        tokio::join!(one.post("/invitations/accept", &body), other.post("/invitations/accept", &body));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404]);
}

#[tokio::test]
async fn a_member_has_the_language_that_they_accepted_in_and_chooses_another() {
    let stage = Stage::new().await;
    let invited = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "agent" })).await;
    let token = token_of(invited.text("/link"));
    let body = |language: &str| json!({ "token": token, "name": "Omar", "password": PASSWORD, "language": language });
    let mut agent = stage.browser();
    agent.post("/invitations/accept", &body("ku")).await.assert_error(400, "no language of ours");
    let accepted = agent.post("/invitations/accept", &body("ar")).await;
    assert_eq!(accepted.text("/member/language"), "ar");
    agent.keep(&accepted);
    for wrong in
        [json!({ "language": "AR" }), json!({ "language": 1 }), json!({ "language": "en", "role": "owner" })]
    {
        agent.patch("/me", &wrong).await.assert_error(400, &wrong.to_string());
    }
    let wrong_name = json!({ "name": " ", "language": "en" });
    agent.patch("/me", &wrong_name).await.assert_error(400, "nothing of it is taken");
    assert_eq!(agent.get("/me").await.text("/member/language"), "ar");
    assert_eq!(agent.patch("/me", &json!({ "language": "en" })).await.status, 204);
    assert_eq!(agent.get("/me").await.text("/member/language"), "en");
    assert_eq!(
        stage.owner.get("/me").await.body["member"]["language"],
        Value::Null,
        "the owner has chosen none"
    );
    let log = stage.owner.get("/audit?action=member.language_chosen").await;
    assert_eq!(log.body["rows"][0]["details"], json!({ "language": "en" }));
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_workspace_keeps_an_owner_even_when_two_go_at_once() {
    let stage = Stage::new().await;
    let owner = stage.owner.member_id().await;
    assert_eq!(leave(&stage.owner).await, 422, "the last owner");
    let path = format!("/members/{owner}");
    let demoted = stage.owner.patch(&path, &json!({ "role": "agent" })).await;
    demoted.assert_refused(409, "last_owner", &json!({}), "demoted");
    stage.owner.delete(&path).await.assert_refused(409, "last_owner", &json!({}), "removed");

    let agent = stage.joined(AGENT, "agent").await;
    let agent_path = format!("/members/{}", agent.member_id().await);
    assert_eq!(stage.owner.patch(&agent_path, &json!({ "role": "owner" })).await.status, 204);
    assert_eq!(agent.get("/invitations").await.status, 200, "a role counts at once");
    let (one, other) = tokio::join!(leave(&stage.owner), leave(&agent));
    let mut statuses = [one, other];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 422]);
}

#[tokio::test]
async fn who_leaves_is_signed_out_everywhere_and_their_conversations_wait() {
    let stage = Stage::new().await;
    let agent = stage.joined(AGENT, "agent").await;
    let mut elsewhere = stage.browser();
    elsewhere.sign_in(AGENT).await;
    let id = agent.member_id().await;
    let rows = stage.rows().await;
    let workspace = &stage.workspace;
    stage.conversation(&id).await;
    stage.webhook(&["conversation.assigned"]).await;
    // A key that they made, once they are an owner, outlives them: who wrote with it is what is missing.
    let made = stage.operator(&["key", "create", workspace, "--label", "shop", "--scope", "messages:send"]);
    let key = made.lines().find(|line| line.starts_with("msk_")).unwrap().to_owned();
    rows.change(&format!("UPDATE api_keys SET creator_id = '{id}'")).await;

    assert_eq!(stage.owner.delete(&format!("/members/{id}")).await.status, 204);
    agent.get("/me").await.assert_error(401, "removed");
    elsewhere.get("/me").await.assert_error(401, "removed");
    stage.browser().sign_in(AGENT).await.assert_error(401, "removed");
    let team = stage.owner.get("/members").await;
    assert_eq!(team.body["rows"].as_array().unwrap().len(), 1);
    let conversations =
        rows.texts("SELECT status || coalesce(assigned_to::text, ' waits') FROM conversations").await;
    assert_eq!(conversations, ["open waits"]);
    let said = stage.owner.get(&format!("/conversations/{CONVERSATION}/messages")).await;
    let (content, who) = (said.text("/data/0/content"), said.text("/data/0/senderId"));
    assert_eq!((content, who), ("let_go", &*stage.owner.member_id().await));
    let data = json!({
        "messageId": said.text("/data/0/id"), "kind": "let_go", "by": who, "to": null, "group": null, "cause": null,
    });
    assert_eq!((&said.body["notices"], &said.body["data"][0]["notice"]), (&json!([data]), &Value::Null));
    let told = stage.told().await;
    let conversation = &told["data"]["conversation"];
    assert_eq!((&told["type"], &told["data"]["reason"]), (&json!("conversation.assigned"), &json!("manual")));
    assert_eq!((&conversation["status"], &conversation["assignedTo"]), (&json!("open"), &Value::Null));

    let api = Api::new(&stage.base_url, &key);
    let reply = api.post("/v1/messages", &json!({ "conversationId": CONVERSATION, "text": "Hello" })).await;
    reply.assert_refused(409, "author_left", &json!({}), "a key of somebody who left");

    // Whoever comes back is a new member: nothing that the other wrote or made is theirs.
    let back = stage.joined(AGENT, "agent").await;
    assert_ne!(back.member_id().await, id);
    elsewhere.get("/me").await.assert_error(401, "a session from before");
    let written = stage.owner.get(&format!("/audit?memberId={id}")).await;
    let done: Vec<_> = written.body["rows"].as_array().unwrap().iter().map(|row| &row["action"]).collect();
    assert_eq!(done, ["session.began", "member.joined"]);
}

#[tokio::test]
async fn no_link_outlives_the_removal_or_the_leaving_of_whom_it_is_for() {
    let stage = Stage::new().await;
    for leaves in [false, true] {
        let agent = stage.joined(AGENT, "agent").await;
        let reset = stage.operator(&["member", "reset", &stage.workspace, "--email", AGENT]);
        stage.invitation_from_before(AGENT).await;
        if leaves {
            assert_eq!(leave(&agent).await, 303);
        } else {
            let removed = stage.owner.delete(&format!("/members/{}", agent.member_id().await)).await;
            assert_eq!(removed.status, 204);
        }
        let complete = [("token", token_of(&reset)), ("password", PASSWORD)];
        let path = "/dashboard/password-reset/complete";
        assert_eq!(stage.browser().visitor().post(path, &complete).await.status, 422);
        assert_eq!(stage.rows().await.count("invitations").await, 0);
        assert_eq!(stage.rows().await.count("password_resets").await, 0);
    }
}

#[tokio::test]
async fn no_link_that_an_owner_made_outlives_their_being_one() {
    let stage = Stage::new().await;
    for removed in [false, true] {
        let second = stage.joined("second@palm.example", "owner").await;
        let mine = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "owner" })).await;
        let invited =
            second.post("/invitations", &json!({ "email": "back@door.example", "role": "owner" })).await;
        let path = format!("/members/{}", second.member_id().await);
        let done = if removed {
            stage.owner.delete(&path).await
        } else {
            let demoted = stage.owner.patch(&path, &json!({ "role": "agent" })).await;
            stage.owner.delete(&path).await;
            demoted
        };
        assert_eq!(done.status, 204);
        assert_not_valid(&stage, token_of(invited.text("/link"))).await;
        let others = open_link(&stage.browser(), token_of(mine.text("/link"))).await;
        assert_eq!(others.status, 200, "somebody else's link");
    }
}

#[tokio::test]
async fn no_owner_acts_in_another_s_name_by_a_link() {
    let stage = Stage::new().await;
    let agent = stage.joined(AGENT, "agent").await;
    let id = agent.member_id().await;
    let invite = async || stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "agent" })).await;
    invite().await.assert_refused(409, "already_member", &json!({}), "a member");
    stage.owner.delete(&format!("/members/{id}")).await;
    let (first, second) = (invite().await, invite().await);
    assert_not_valid(&stage, token_of(first.text("/link"))).await;
    let mut taken = stage.browser();
    taken.accept(token_of(second.text("/link"))).await;
    assert_ne!(taken.member_id().await, id);

    // An owner who has never joined is a member all the same.
    let unjoined = "UPDATE members SET password_hash = NULL WHERE left_at IS NULL AND role = 'agent'";
    stage.rows().await.change(unjoined).await;
    invite().await.assert_refused(409, "already_member", &json!({}), "a member who has not joined");
}

#[tokio::test]
async fn a_link_of_an_owner_s_changes_nobody_who_has_joined_meanwhile() {
    let stage = Stage::new().await;
    let invited = stage.owner.post("/invitations", &json!({ "email": AGENT, "role": "owner" })).await;
    let kept = "CREATE TABLE kept AS SELECT * FROM invitations";
    stage.rows().await.change(kept).await;
    let agent = stage.joined(AGENT, "agent").await;
    assert_not_valid(&stage, token_of(invited.text("/link"))).await;
    // As if it had been made while they joined.
    stage.rows().await.change("INSERT INTO invitations SELECT * FROM kept; DROP TABLE kept").await;
    let body = json!({ "token": token_of(invited.text("/link")), "name": "Shop", "password": PASSWORD });
    stage.browser().post("/invitations/accept", &body).await.assert_error(404, "a member's");
    let me = agent.get("/me").await;
    assert_eq!((me.status, me.text("/member/name"), me.text("/member/role")), (200, "Sara", "agent"));
}

#[tokio::test]
async fn what_a_process_that_died_left_in_the_hands_of_who_was_removed_is_let_go_of() {
    let stage = Stage::new().await;
    let agent = stage.joined(AGENT, "agent").await;
    let id = agent.member_id().await;
    stage.conversation(&id).await;
    stage.webhook(&["conversation.assigned"]).await;
    stage.removed_by_a_process_that_died(&id).await;
    let rows = stage.rows().await;
    let holders = "SELECT coalesce(assigned_to::text, 'nobody') FROM conversations";
    assert_eq!(rows.texts(holders).await, [id]);
    stage.work();
    eventually("the conversation waits", async || (rows.texts(holders).await == ["nobody"]).then_some(()))
        .await;
    let told = stage.told().await;
    assert_eq!((&told["type"], &told["data"]["reason"]), (&json!("conversation.assigned"), &json!("manual")));
}

/// Checks that the link neither opens nor makes anybody a member.
async fn assert_not_valid(stage: &Stage, token: &str) {
    let accept = json!({ "token": token, "name": "Shop", "password": PASSWORD });
    let refused = stage.browser().post("/invitations/accept", &accept).await;
    refused.assert_refused(404, "invitation_not_valid", &json!({}), "accept");
    assert_eq!(open_link(&stage.browser(), token).await.status, 422);
}

#[tokio::test]
async fn every_change_is_in_the_log_with_who_made_it() {
    let stage = Stage::new().await;
    let owner = stage.owner.member_id().await;
    let agent = stage.joined(AGENT, "agent").await;
    let id = agent.member_id().await;
    agent.patch("/me", &json!({ "name": "Omar" })).await;
    stage.owner.patch(&format!("/members/{id}"), &json!({ "role": "owner" })).await;
    stage.owner.delete(&format!("/members/{id}")).await;
    let log = stage.owner.get("/audit?limit=100").await;
    // The operator's commands run by another clock.
    let (operator, rows): (Vec<&Value>, Vec<&Value>) =
        log.body["rows"].as_array().unwrap().iter().partition(|row| row["memberId"] == Value::Null);
    let done: Vec<&Value> = operator.iter().map(|row| &row["action"]).collect();
    assert_eq!(done, ["member.invited", "member.invited", "workspace.created"]);
    let seen: Vec<(&str, &Value)> =
        rows.iter().map(|row| (row["action"].as_str().unwrap(), &row["memberId"])).collect();
    let (owner, agent) = (json!(owner), json!(id));
    let wanted = [
        ("member.removed", &owner),
        ("member.role_changed", &owner),
        ("member.renamed", &agent),
        ("member.joined", &agent),
        ("member.joined", &owner),
    ];
    assert_eq!(seen, wanted);
    assert_eq!(rows[1]["details"], json!({ "from": "agent", "to": "owner" }));
    assert_eq!((&rows[1]["subject"], &rows[1]["address"]), (&agent, &json!("127.0.0.1")));

    let first = stage.owner.get("/audit?limit=3").await;
    let rest = format!("/audit?limit=100&cursor={}", first.text("/nextCursor"));
    assert_eq!(stage.owner.get(&rest).await.body["rows"].as_array().unwrap().len(), 5);
    let of = async |filter: String| stage.owner.get(&format!("/audit?{filter}")).await.body["rows"].clone();
    assert_eq!(of(format!("memberId={id}")).await, json!([rows[2], rows[3]]));
    assert_eq!(of("action=member.removed".to_owned()).await, json!([rows[0]]));
    assert_eq!(of(format!("action=member.renamed&memberId={id}")).await, json!([rows[2]]));
    stage.owner.get("/audit?action=nothing").await.assert_error(400, "no such action");
    stage
        .owner
        .get(&format!("{rest}&action=member.removed"))
        .await
        .assert_error(400, "another list's cursor");
}

#[tokio::test]
async fn whoever_is_an_owner_no_more_finishes_nothing_that_they_had_begun_to_send() {
    let stage = Stage::new().await;
    for (email, is_removed) in [("second@palm.example", true), ("third@palm.example", false)] {
        let other = stage.joined(email, "owner").await;
        let member = format!("/members/{}", other.member_id().await);
        let body = json!({ "email": format!("again-{email}"), "role": "owner" }).to_string();
        let (begin, rest) = body.split_at(body.len() - 1);
        let address = stage.base_url.strip_prefix("http://").unwrap();
        let mut connection = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /dashboard/api/invitations HTTP/1.1\r\nhost: {address}\r\nx-dashboard: 1\r\ncookie: {}\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            other.cookie.as_ref().unwrap(),
            body.len()
        );
        connection.write_all((head + begin).as_bytes()).await.unwrap();
        // They are let in, and more than a second goes by until the rest has come.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        let code = if is_removed {
            assert_eq!(stage.owner.delete(&member).await.status, 204);
            "not_signed_in"
        } else {
            assert_eq!(stage.owner.patch(&member, &json!({ "role": "agent" })).await.status, 204);
            "owner_only"
        };
        connection.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(code), "{email}: {answer}");
    }
    assert_eq!(stage.owner.get("/invitations").await.body["rows"], json!([]));
}

/// A second owner with two keys and an address of their own; their browser, their id and one of the keys.
async fn maker(stage: &Stage) -> (Browser, String, String) {
    let maker = stage.joined("second@palm.example", "owner").await;
    let mut keys = Vec::new();
    for label in ["Web shop", "Till"] {
        let made = maker.post("/api-keys", &json!({ "label": label, "scopes": ["contacts:read"] })).await;
        keys.push(made.text("/key").to_owned());
    }
    let address = json!({ "url": "http://127.0.0.1:9/theirs", "events": ["message.sent"] });
    assert_eq!(maker.post("/webhooks", &address).await.status, 201);
    stage.webhook(&["message.sent"]).await;
    let ours = stage.owner.post("/api-keys", &json!({ "label": "Ours", "scopes": ["contacts:read"] })).await;
    assert_eq!(ours.status, 201);
    let id = maker.member_id().await;
    (maker, id, keys.remove(0))
}

/// The addresses and the keys that still work, by url and label, the newest first.
async fn working(stage: &Stage) -> Vec<String> {
    let (keys, addresses) = (stage.owner.get("/api-keys").await, stage.owner.get("/webhooks").await);
    let keys = keys.body["rows"].as_array().unwrap().iter().filter(|key| key["revokedAt"].is_null());
    let keys = keys.map(|key| key["label"].as_str().unwrap().to_owned());
    let addresses = addresses.body["rows"].as_array().unwrap().iter();
    let urls = addresses.map(|address| address["url"].as_str().unwrap().to_owned());
    keys.chain(urls).collect()
}

#[tokio::test]
async fn what_who_was_removed_had_made_stays_theirs_by_name() {
    let stage = Stage::new().await;
    let (_, id, key) = maker(&stage).await;
    let path = format!("/members/{id}");
    let asked = format!("/dashboard/settings/team{path}");
    let asked = stage.owner.visitor().post(&asked, &[("do", "remove")]).await;
    for made in ["Till", "Web shop", "http://127.0.0.1:9/theirs"] {
        assert!(asked.status == 200 && asked.html.contains(made), "{made}: {asked:?}");
    }

    assert_eq!(stage.owner.delete(&path).await.status, 204);
    assert_eq!(Api::new(&stage.base_url, &key).get("/v1/me").await.status, 200, "nothing is revoked unasked");
    let mut visitor = Visitor::signed_in(&stage.base_url, super::stage::OWNER).await;
    assert_eq!(stage.owner.patch("/me", &json!({ "name": "Omar" })).await.status, 204);
    for page in ["keys", "webhooks"] {
        let html = visitor.get(&format!("/dashboard/settings/{page}")).await.html;
        assert!(html.contains("<bdi>Sara</bdi>") && html.contains("<bdi>Omar</bdi>"), "{page}: {html}");
    }
}

#[tokio::test]
async fn what_is_revoked_with_somebody_ends_in_the_same_moment_and_is_in_the_log() {
    let stage = Stage::new().await;
    let (browser, id, key) = maker(&stage).await;
    let path = format!("/members/{id}");
    for words in ["keys", "apiKeys,all", "apikeys"] {
        stage.owner.delete(&format!("{path}?revoke={words}")).await.assert_error(400, words);
    }
    assert_eq!(browser.get("/me").await.status, 200);
    let gone = stage.owner.delete(&format!("{path}?revoke=apiKeys,webhookAddresses,system")).await;
    assert_eq!(gone.status, 204, "{gone:?}");
    Api::new(&stage.base_url, &key).get("/v1/me").await.assert_error(401, "revoked with its maker");
    assert_eq!(working(&stage).await, ["Ours", "http://127.0.0.1:9/events"]);
    for (action, times) in [("api_key.revoked", 2), ("webhook.removed", 1), ("system.disconnected", 0)] {
        let log = stage.owner.get(&format!("/audit?action={action}")).await;
        assert_eq!(log.body["rows"].as_array().unwrap().len(), times, "{action}");
    }
}

#[tokio::test]
async fn the_page_asks_what_of_theirs_to_revoke_before_it_removes_somebody() {
    let stage = Stage::new().await;
    let (_, id, _) = maker(&stage).await;
    let mut visitor = Visitor::signed_in(&stage.base_url, super::stage::OWNER).await;
    let path = format!("/dashboard/settings/team/members/{id}");
    let asked = visitor.post(&path, &[("do", "remove")]).await;
    assert_eq!(asked.status, 200, "{asked:?}");
    for part in ["revoke-keys", "(2)", "revoke-addresses", "(1)", "Web shop", "name=\"decided\""] {
        assert!(asked.html.contains(part), "{part}: {}", asked.html);
    }
    assert!(!asked.html.contains("revoke-system"), "{}", asked.html);
    assert_eq!(stage.owner.get("/members").await.body["rows"].as_array().unwrap().len(), 2, "nobody is gone");
    let fields = [("do", "remove"), ("decided", "on"), ("revoke-keys", "on")];
    assert_eq!(visitor.post(&path, &fields).await.status, 303);
    let working = working(&stage).await;
    assert_eq!(working, ["Ours", "http://127.0.0.1:9/theirs", "http://127.0.0.1:9/events"]);

    // Nothing is asked of who made nothing.
    let agent = stage.joined(AGENT, "agent").await.member_id().await;
    let path = format!("/dashboard/settings/team/members/{agent}");
    assert_eq!(visitor.post(&path, &[("do", "remove")]).await.status, 303);
}
