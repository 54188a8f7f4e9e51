//! Tries at passwords: how many, whose they are, and what is known of them afterwards.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::stage::{OWNER, Stage};
use crate::support::{Answer, Browser, PASSWORD, Visitor, eventually, field};

const AGENT: &str = "agent@palm.example";
const NOBODY: &str = "nobody@palm.example";
const WRONG: &str = "wrong horse battery";
const QUARTER: Duration = Duration::from_mins(15);

/// Tries to sign in with wrong passwords; returns the answers.
async fn tried(browser: &Browser, email: &str, workspace: Option<&str>, times: usize) -> Vec<u16> {
    let mut answers = Vec::new();
    for _ in 0..times {
        answers.push(browser.try_in(email, WRONG, workspace).await.status);
    }
    answers
}

#[tokio::test]
async fn ten_tries_at_a_password_are_let_through_in_a_quarter_of_an_hour() {
    let stage = Stage::new().await;
    let browser = stage.browser();
    assert_eq!(tried(&browser, OWNER, None, 10).await, [401; 10]);
    let answer = browser.try_in(OWNER, WRONG, None).await;
    answer.assert_refused(429, "too_many_tries", &json!({}), "the eleventh");
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=900).contains(&wait), "{wait}");
    // The right password does not help either, whichever way; a session that there is stays.
    let named = Some(&*stage.workspace);
    browser.try_in(OWNER, PASSWORD, None).await.assert_error(429, "the right password");
    browser.try_in(OWNER, PASSWORD, named).await.assert_error(429, "the workspace named");
    assert_eq!(stage.owner.get("/me").await.status, 200);
    stage.later(QUARTER);
    assert_eq!(browser.try_in(OWNER, PASSWORD, None).await.status, 200);
    // Signing in forgives what was tried before.
    for _ in 0..2 {
        assert_eq!(tried(&browser, OWNER, named, 9).await, [401; 9]);
        assert_eq!(browser.try_in(OWNER, PASSWORD, None).await.status, 200);
    }
}

#[tokio::test]
async fn tries_are_answered_alike_whether_anybody_has_the_address_or_not() {
    let stage = Stage::new().await;
    let named = Some(&*stage.workspace);
    // Without and with the workspace, in any order.
    for (at, order) in
        [[(None, 11), (named, 3)], [(named, 11), (None, 3)], [(None, 6), (named, 6)], [(named, 6), (None, 6)]]
            .into_iter()
            .enumerate()
    {
        let mut answers = Vec::new();
        for (who, email) in [OWNER, NOBODY].into_iter().enumerate() {
            let browser = stage.browser().at(&format!("192.0.2.{}", 2 * at + who));
            let mut answered = Vec::new();
            for (workspace, times) in order {
                answered.push(tried(&browser, email, workspace, times).await);
            }
            answers.push(answered);
        }
        assert_eq!(answers[0], answers[1], "{order:?}");
        stage.later(QUARTER);
    }
}

#[tokio::test]
async fn a_success_in_another_workspace_forgives_nothing_and_tries_there_lock_nothing() {
    let stage = Stage::new().await;
    let (theirs, impostor) = stage.impostor(OWNER, "invented horse").await;
    let ours = Some(&*stage.workspace);
    tried(&impostor, OWNER, ours, 10).await;
    for workspace in [None, Some(&*theirs)] {
        assert_eq!(impostor.try_in(OWNER, "invented horse", workspace).await.status, 200);
    }
    let next = impostor.try_in(OWNER, WRONG, ours).await;
    next.assert_refused(429, "too_many_tries", &json!({}), "after successes elsewhere");
    let guess = impostor.try_in(OWNER, PASSWORD, None).await;
    guess.assert_error(401, "the right password, which is not looked at");

    stage.later(QUARTER);
    let victim = stage.browser().at("192.0.2.1");
    tried(&impostor, OWNER, Some(&theirs), 11).await;
    assert_eq!(victim.try_in(OWNER, PASSWORD, ours).await.status, 200);
    assert_eq!(victim.try_in(OWNER, PASSWORD, None).await.status, 200);
}

#[tokio::test]
async fn who_belongs_to_several_workspaces_enters_the_one_whose_password_it_is() {
    let stage = Stage::new().await;
    let (theirs, browser) = stage.impostor(OWNER, "invented horse").await;
    let ours = &*stage.workspace;
    for (workspace, password, entered) in [
        (None, PASSWORD, Some(ours)),
        (None, "invented horse", Some(&*theirs)),
        (None, WRONG, None),
        (Some(ours), PASSWORD, Some(ours)),
        (Some(ours), "invented horse", None),
        (Some(&*theirs), "invented horse", Some(&*theirs)),
    ] {
        let answer = browser.try_in(OWNER, password, workspace).await;
        match entered {
            Some(entered) => assert_eq!(answer.text("/workspace/id"), entered),
            None => answer.assert_error(401, password),
        }
    }
}

#[tokio::test]
async fn who_has_one_password_in_several_workspaces_is_told_which_to_choose_from() {
    let stage = Stage::new().await;
    let (theirs, browser) = stage.impostor(OWNER, PASSWORD).await;
    let several = browser.try_in(OWNER, PASSWORD, None).await;
    let choices = json!({ "workspaces": [
        { "id": stage.workspace, "name": "Palm Store" }, { "id": theirs, "name": "Neighbour" },
    ] });
    several.assert_refused(409, "several_workspaces", &choices, "two fit");
    assert_eq!(several.header("set-cookie"), None);
    for workspace in [&stage.workspace, &theirs] {
        let entered = browser.try_in(OWNER, PASSWORD, Some(workspace)).await;
        assert_eq!(entered.text("/workspace/id"), workspace);
    }
}

#[tokio::test]
async fn a_page_goes_on_calling_workspaces_by_their_names_whatever_is_wrong_then() {
    let stage = Stage::new().await;
    let (theirs, _) = stage.impostor(OWNER, PASSWORD).await;
    let mut visitor = Visitor::new(&stage.base_url);
    let path = "/dashboard/sign-in";
    let several = visitor.post(path, &[("email", OWNER), ("password", PASSWORD)]).await;
    let neighbour = format!("named-{theirs}");
    assert_eq!((several.status, field(&several.html, &neighbour)), (422, "Neighbour"), "{}", several.html);
    let ours = format!("named-{}", stage.workspace);
    let mut fields = vec![("email", OWNER), ("password", WRONG), ("workspace", &*theirs)];
    fields.extend([(&*neighbour, "Neighbour"), (&*ours, "Palm Store")]);
    let wrong = visitor.post(path, &fields).await;
    let chosen = format!("<option value=\"{theirs}\" selected>Neighbour</option>");
    assert!(wrong.status == 422 && wrong.html.contains(&chosen), "{}", wrong.html);
    assert!(wrong.html.contains(">Palm Store</option>"), "{}", wrong.html);
}

#[tokio::test]
async fn no_number_of_memberships_crowds_out_one_whose_member_has_shown_that_the_mailbox_is_theirs() {
    let stage = Stage::new().await;
    let rows = stage.rows().await;
    rows.change(&format!(
        "INSERT INTO workspaces SELECT gen_random_uuid(), 'Invented', 'en', 'IQ', NULL, false, now()
         FROM generate_series(1, 9);
         INSERT INTO members (workspace_id, id, email, role, created_at, password_hash)
            SELECT workspace_id, gen_random_uuid(), '{OWNER}', 'agent', '2020-01-01Z', 'none'
            FROM workspaces WHERE name = 'Invented';
         INSERT INTO member_logins SELECT email, workspace_id, id FROM members WHERE password_hash = 'none'"
    ))
    .await;
    let browser = stage.browser();
    browser.try_in(OWNER, PASSWORD, None).await.assert_error(401, "four older ones are tried");
    assert_eq!(browser.try_in(OWNER, PASSWORD, Some(&stage.workspace)).await.status, 200);
    rows.change("UPDATE members SET mailbox_proven_at = now() WHERE password_hash <> 'none'").await;
    assert_eq!(browser.try_in(OWNER, PASSWORD, None).await.status, 200);
}

/// Returns a member's refused sign-ins, once there are `kinds` kinds.
async fn refused(browser: &Browser, kinds: usize) -> Vec<Value> {
    eventually("refused sign-ins", async || {
        let listed = browser.get("/me/refused-sign-ins").await;
        let rows = listed.body["rows"].as_array().unwrap().clone();
        (rows.iter().filter_map(|row| row["tries"].as_u64()).sum::<u64>() == 12 && rows.len() == kinds)
            .then_some(rows)
    })
    .await
}

#[tokio::test]
async fn failed_and_locked_sign_ins_are_counted_in_the_log_and_shown_to_the_member() {
    let stage = Stage::new().await;
    let agent = stage.joined(AGENT, "agent").await;
    let id = agent.member_id().await;
    let thief = stage.browser().at("2001:db8::7");
    tried(&thief, AGENT, None, 12).await;
    let shown = refused(&agent, 2).await;
    let seen: Vec<_> =
        shown.iter().map(|row| (row["locked"].as_bool().unwrap(), row["tries"].as_u64().unwrap())).collect();
    assert!(seen.contains(&(false, 10)) && seen.contains(&(true, 2)), "{shown:?}");
    assert!(shown.iter().all(|row| row["asked"] == "password" && row["address"] == "2001:db8::7"));

    let log = stage.owner.get("/audit?action=sign_in.failed").await;
    let entry = &log.body["rows"][0];
    assert_eq!((&entry["memberId"], &entry["subject"]), (&Value::Null, &json!(id)));
    assert_eq!((&entry["details"]["tries"], &entry["address"]), (&json!(10), &json!("2001:db8::7")));
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 1);
    let locked = stage.owner.get("/audit?action=sign_in.locked").await;
    assert_eq!(locked.body["rows"][0]["details"]["tries"], 2);
    // Nobody's are nobody's.
    tried(&thief, NOBODY, None, 1).await;
    assert_eq!(stage.owner.get("/me/refused-sign-ins").await.body["rows"], json!([]));
}

#[tokio::test]
async fn a_flood_of_sign_ins_from_few_addresses_starves_nobody_else() {
    let stage = Stage::new().await;
    let flood = (0..150).map(|number| {
        let browser = stage.browser().at(&format!("192.0.2.{}", number % 3));
        async move { browser.try_in(&format!("{number}@palm.example"), WRONG, None).await.status }
    });
    let victim = async {
        let mut entered = Vec::new();
        for last in 0..3 {
            let browser = stage.browser().at(&format!("198.51.100.{last}"));
            entered.push(browser.try_in(OWNER, PASSWORD, None).await);
        }
        entered
    };
    let (flood, entered): (Vec<u16>, Vec<Answer>) = tokio::join!(join_all(flood), victim);
    assert!(flood.iter().all(|status| [401, 503].contains(status)), "{flood:?}");
    let statuses: Vec<_> = entered.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200; 3]);
}
