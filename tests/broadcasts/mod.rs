//! Broadcasts: an approved template to many people, once each.

mod limit;
mod numbers;

use std::collections::BTreeMap;

use domain::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;

use crate::{
    life::{CUSTOMER, NUMBER, Team, says},
    support::{Answer, Api, Browser, Service, World, command, earlier, eventually},
};

/// Adds `count` people whose names begin with `name`.
async fn people(by: &Browser, name: &str, count: usize) {
    for index in 0..count {
        let phone = format!("+964780{:07}", 1_000_000 + index);
        let added = by.post("/contacts", &json!({ "phone": phone, "name": format!("{name} {index}") })).await;
        assert_eq!(added.status, 200, "{added:?}");
    }
}

fn hours(search: &str) -> Value {
    json!({
        "name": "Hours", "template": "store_hours", "audience": { "filter": { "search": search } },
    })
}

fn new_season(audience: &Value) -> Value {
    json!({
        "name": "Season", "template": "new_season", "audience": audience,
        "variables": { "1": { "contactName": {} } }, "header": { "link": "https://shop.example/season.jpg" },
    })
}

async fn added(team: &Team, written: &Value) -> String {
    let added = team.owner.post("/broadcasts", written).await;
    assert_eq!((added.status, added.text("/state")), (201, "draft"), "{added:?}");
    added.text("/id").to_owned()
}

async fn moves(team: &Team, id: &str, what: &str) -> Answer {
    team.owner.post(&format!("/broadcasts/{id}/{what}"), &json!({})).await
}

async fn in_state(team: &Team, id: &str, state: &str) -> Value {
    eventually(state, async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await;
        (found.text("/broadcast/state") == state).then_some(found.body)
    })
    .await
}

/// Counts how often each number was written to by the template.
fn written_to(world: &World, template: &str) -> BTreeMap<String, usize> {
    let mut people = BTreeMap::new();
    for message in world.simulator.messages() {
        if message["body"]["template"]["name"] == template {
            *people.entry(message["body"]["to"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    people
}

async fn a_group_stays_while_a_broadcast_goes_to_it(team: &Team, group: &str, written: &Value) {
    let id = added(team, written).await;
    let at = json!({ "at": "2999-01-01T00:00:00Z" });
    assert_eq!(team.owner.post(&format!("/broadcasts/{id}/start"), &at).await.status, 200);
    let refused = team.owner.delete(&format!("/groups/{group}")).await;
    assert_eq!((refused.status, refused.text("/code")), (409, "broadcast_group_needed"), "{refused:?}");
    assert_eq!(moves(team, &id, "cancel").await.status, 200);
    assert_eq!(team.owner.delete(&format!("/groups/{group}")).await.status, 204);
}

#[tokio::test]
async fn everybody_of_the_audience_is_written_to_once_and_followed_to_their_phone() {
    let team = Team::new().await;
    people(&team.owner, "person", 7).await;
    let previewed = team.owner.post("/broadcasts/preview", &hours("person")).await;
    assert_eq!(previewed.status, 200, "{previewed:?}");
    let preview = &previewed.body;
    assert_eq!((&preview["people"], &preview["complete"]), (&json!(7), &json!(true)), "{preview}");
    assert_eq!(preview["sample"].as_array().unwrap().len(), 7);
    assert_eq!(preview["sample"][0]["text"], "نستقبلكم كل يوم من العاشرة صباحا حتى العاشرة مساء.");
    assert_eq!(preview["refusal"], Value::Null);
    // Those whose conversation is in a group's hands, and of another group nobody.
    let of_group = async |name: &str| {
        let group = team.owner.post("/groups", &json!({ "name": name })).await.body["id"].clone();
        let mut written = hours("");
        written["audience"] = json!({ "filter": { "groupId": group } });
        (group, written)
    };
    let ((sales, theirs), (_, nobodys)) = (of_group("Night shift").await, of_group("Refunds").await);
    let given = json!({ "do": "sendToGroup", "groupId": sales });
    let moved = team.owner.post(&format!("/conversations/{}/moves", team.conversation), &given).await;
    assert_eq!(moved.status, 200, "{moved:?}");
    for (written, count) in [(&theirs, 1), (&nobodys, 0)] {
        let previewed = team.owner.post("/broadcasts/preview", written).await;
        assert_eq!(previewed.body["people"], json!(count), "{previewed:?}");
    }
    a_group_stays_while_a_broadcast_goes_to_it(&team, sales.as_str().unwrap(), &theirs).await;

    let id = added(&team, &hours("person")).await;
    let started = moves(&team, &id, "start").await;
    assert_eq!((started.status, started.text("/state")), (200, "running"), "{started:?}");
    in_state(&team, &id, "finished").await;
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (7, Some(&1)), "{each:?}");
    let followed = eventually("seven delivered", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        (found["progress"]["delivered"] == 7).then_some(found)
    })
    .await;
    let progress = &followed["progress"];
    assert_eq!(
        (&progress["sent"], &progress["queued"], &progress["failed"]),
        (&json!(7), &json!(0), &json!(0))
    );

    // Everything told of it carries its id.
    let told = team.world.receiver.next_of("message.sent").await;
    assert_eq!(told.text("/data/message/meta/reference"), id);
    for event in ["message.delivered", "message.read"] {
        let told = team.world.receiver.next_of(event).await;
        assert_eq!(told.text("/data/reference"), id, "{told:?}");
    }
    let listed = team.owner.get(&format!("/broadcasts/{id}/people?state=sent&limit=5")).await;
    assert_eq!(listed.body["rows"].as_array().unwrap().len(), 5, "{listed:?}");
    let cursor = listed.text("/nextCursor");
    let rest = team.agent.get(&format!("/broadcasts/{id}/people?state=sent&limit=5&cursor={cursor}")).await;
    assert_eq!(rest.body["rows"].as_array().unwrap().len(), 2, "{rest:?}");
    let message = rest.text("/rows/0/messageId");
    let explained = team.agent.get(&format!("/messages/{message}")).await;
    assert_eq!(explained.status, 200, "{explained:?}");

    // It is over.
    for what in ["start", "pause", "resume", "cancel"] {
        let refused = moves(&team, &id, what).await;
        assert_eq!((refused.status, refused.text("/code")), (409, "broadcast_state"), "{what}");
    }
    // Its two moves, and those of the one that went to a group.
    let log = team.owner.get("/audit?action=broadcast.moved").await;
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 4, "{log:?}");
}

#[tokio::test]
async fn whoever_wants_no_marketing_is_left_out_of_it_and_of_nothing_else() {
    let team = Team::new().await;
    people(&team.owner, "person", 2).await;
    let nameless = team.owner.post("/contacts", &json!({ "phone": "07801999999" })).await;
    assert_eq!(nameless.status, 200);
    // A customer stops it by a word, a member for somebody who has called.
    says(&team.world, "STOP").await;
    let customer = team.agent.get("/contacts?search=sara").await.text("/rows/0/contact/id").to_owned();
    let marketing = format!("/contacts/{customer}/marketing");
    let stopped = eventually("the stop", async || {
        let found = team.agent.get(&marketing).await;
        (found.body["stopped"] == true).then_some(found)
    })
    .await;
    assert_eq!(stopped.text("/source"), "customer");
    let first = team.agent.get("/contacts?search=person%200").await.text("/rows/0/contact/id").to_owned();
    let theirs = format!("/contacts/{first}/marketing");
    assert_eq!(team.agent.put(&theirs, &json!({ "stopped": true })).await.status, 204);

    let season = new_season(&json!({ "filter": {} }));
    let preview = team.owner.post("/broadcasts/preview", &season).await.body;
    assert_eq!(preview["people"], 4, "{preview}");
    let skipped =
        json!([{ "reason": "marketing_stopped", "people": 2 }, { "reason": "no_name", "people": 1 }]);
    assert_eq!(preview["skipped"], skipped);
    let id = added(&team, &season).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(
        (&ended["progress"]["sent"], &ended["progress"]["skipped"]),
        (&json!(1), &json!(3)),
        "{ended}"
    );
    assert_eq!(written_to(&team.world, "new_season").len(), 1);

    // What is no marketing goes to them, too.
    let id = added(
        &team,
        &json!({
            "name": "Hours", "template": "store_hours", "audience": { "contactIds": [customer, first] },
        }),
    )
    .await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    assert_eq!(in_state(&team, &id, "finished").await["progress"]["sent"], 2);

    // They may have it again; the network's own word stands above that.
    assert_eq!(team.agent.put(&theirs, &json!({ "stopped": false })).await.status, 204);
    let faults = json!([{ "kind": "error", "code": 131_050 }]);
    team.world.simulator.set_faults(&faults).unwrap();
    let id = added(&team, &new_season(&json!({ "contactIds": [first] }))).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    assert_eq!(in_state(&team, &id, "finished").await["progress"]["skipped"], 1);
    assert_eq!(team.agent.get(&theirs).await.text("/source"), "network");
}

#[tokio::test]
async fn what_nobody_could_be_sent_is_refused_before_it_begins() {
    let team = Team::new().await;
    people(&team.owner, "person", 1).await;
    for (written, what) in [
        (json!({}), "nothing"),
        (json!({ "name": " ", "template": "store_hours", "audience": { "filter": {} } }), "no name"),
        (json!({ "name": "a", "template": "store_hours", "audience": {} }), "no audience"),
        (
            json!({ "name": "a", "template": "store_hours", "audience": { "contactIds": [] } }),
            "nobody chosen",
        ),
        (
            json!({ "name": "a", "template": "store_hours", "audience": { "filter": { "channel": "pigeon" } } }),
            "no network",
        ),
        (
            json!({ "name": "a", "template": "x", "variables": { "1": {} }, "audience": { "filter": {} } }),
            "no value",
        ),
        (
            json!({ "name": "a", "template": "x", "variables": { "1": { "text": " " } }, "audience": { "filter": {} } }),
            "a blank value",
        ),
        (
            json!({ "name": "a", "template": "x", "buttonVariables": vec!["x"; 11], "audience": { "filter": {} } }),
            "more than any template takes",
        ),
    ] {
        team.owner.post("/broadcasts", &written).await.assert_error(400, what);
    }
    let ids = ["0192f0c1-7a00-7000-8000-00000000dead", "0192f0c1-7a00-7000-8000-00000000beef"];
    let known = team.owner.get("/contacts").await.text("/rows/0/contact/id").to_owned();
    let contacts = json!({ "contactIds": [ids[0], known, ids[1], ids[0]] });
    let written = json!({ "name": "a", "template": "store_hours", "audience": contacts });
    let strangers = team.owner.post("/broadcasts", &written).await;
    strangers.assert_error(400, "nobody of the workspace");
    assert!(strangers.text("/message").starts_with("2 of the ids"), "{strangers:?}");
    for (written, status, code) in [
        (hours("nobody is called so"), 409, "broadcast_to_nobody"),
        (
            json!({ "name": "a", "template": "no_such", "audience": { "filter": {} } }),
            404,
            "template_not_found",
        ),
        (
            json!({ "name": "a", "template": "login_code", "audience": { "filter": {} } }),
            409,
            "broadcast_of_codes",
        ),
        (
            json!({ "name": "a", "template": "new_season", "audience": { "filter": {} } }),
            400,
            "variables_mismatch",
        ),
    ] {
        let id = added(&team, &written).await;
        let refused = moves(&team, &id, "start").await;
        assert_eq!((refused.status, refused.text("/code")), (status, code), "{refused:?}");
    }
    let id = added(&team, &hours("person")).await;
    for what in ["pause", "resume", "cancel"] {
        assert_eq!(moves(&team, &id, what).await.text("/code"), "broadcast_state", "{what} of a draft");
    }
    let edited = team.owner.put(&format!("/broadcasts/{id}"), &hours("sara")).await;
    assert_eq!((edited.status, edited.text("/audience/filter/search")), (200, "sara"), "{edited:?}");
    let later =
        team.owner.post(&format!("/broadcasts/{id}/start"), &json!({ "at": "2999-01-01T00:00:00Z" })).await;
    assert_eq!((later.status, later.text("/state")), (200, "scheduled"), "{later:?}");
    let late = team.owner.put(&format!("/broadcasts/{id}"), &hours("person")).await;
    assert_eq!(late.text("/code"), "broadcast_state");
    // Paused before its time, it waits for it again.
    assert_eq!(moves(&team, &id, "pause").await.text("/state"), "paused");
    let resumed = moves(&team, &id, "resume").await;
    assert_eq!(
        (resumed.text("/state"), resumed.text("/startsAt")),
        ("scheduled", "2999-01-01T00:00:00.000Z"),
        "{resumed:?}"
    );
    assert_eq!(moves(&team, &id, "resume").await.text("/state"), "scheduled", "twice is once");
    assert_eq!(moves(&team, &id, "pause").await.text("/state"), "paused");
    let other = json!({ "at": "2999-01-02T00:00:00Z" });
    let moved = team.owner.post(&format!("/broadcasts/{id}/start"), &other).await;
    assert_eq!(
        (moved.text("/state"), moved.text("/startsAt")),
        ("scheduled", "2999-01-02T00:00:00.000Z"),
        "{moved:?}"
    );
    assert_eq!(moves(&team, &id, "cancel").await.text("/state"), "cancelled");
    assert_eq!(moves(&team, &id, "cancel").await.status, 200, "twice is once");
    assert!(written_to(&team.world, "store_hours").is_empty());
    for path in ["/broadcasts/nonsense", "/broadcasts/0192f0c1-7a00-7000-8000-000000000001"] {
        team.owner.get(path).await.assert_error(404, path);
        team.owner.get(&format!("{path}/people")).await.assert_error(404, path);
    }
    team.agent.post("/broadcasts", &hours("person")).await.assert_error(403, "an agent");
}

#[tokio::test]
async fn a_refusal_that_holds_for_everybody_pauses_it_and_nobody_is_lost() {
    let team = Team::new().await;
    people(&team.owner, "person", 3).await;
    let id = added(&team, &hours("person")).await;
    for (what, fault) in [
        ("start", json!({ "kind": "error", "code": 131_048 })),
        ("resume", json!({ "kind": "error", "code": 131_005, "httpStatus": 403 })),
        ("resume", json!({ "kind": "error", "code": 100, "subcode": 33 })),
        ("resume", json!({ "kind": "error", "code": 132_012 })),
    ] {
        team.world.simulator.set_faults(&json!([fault])).unwrap();
        assert_eq!(moves(&team, &id, what).await.status, 200);
        let paused = in_state(&team, &id, "paused").await;
        assert_eq!(paused["broadcast"]["reason"], "network_refused", "{fault}: {paused}");
        assert_eq!(paused["progress"]["queued"], 3, "{fault}: {paused}");
    }
    team.world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(moves(&team, &id, "resume").await.text("/state"), "running");
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(ended["progress"]["sent"], 3, "{ended}");
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (3, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn one_person_whom_the_number_may_not_write_to_for_now_is_passed_over_and_written_to_in_the_end() {
    let team = Team::new().await;
    people(&team.owner, "person", 60).await;
    // "Too many messages from this number to this person; others are unaffected."
    let held = json!([{ "kind": "throttle", "code": 131_056, "to": "+9647801000030" }]);
    team.world.simulator.set_faults(&held).unwrap();
    let id = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    eventually("all others written to", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await;
        let progress = &found.body["progress"];
        (progress["sent"] == 59 && progress["queued"] == 1).then_some(())
    })
    .await;
    team.world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(in_state(&team, &id, "finished").await["progress"]["sent"], 60);
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (60, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn a_long_broadcast_of_one_workspace_has_no_other_wait_for_its_end() {
    let team = Team::new().await;
    people(&team.owner, "person", 200).await;
    let (neighbour, _) = team.world.neighbour();
    let (base_url, secrets) = (team.world.service.base_url(), &team.world.secrets);
    let theirs = Browser::joined(base_url, secrets, &neighbour, "owner@n.example", "owner").await;
    people(&theirs, "person", 1).await;
    let written = json!({
        "name": "Theirs", "template": "neighbourly", "audience": { "filter": {} },
        "variables": { "1": { "text": "a" }, "2": { "text": "b" } },
    });
    let added_theirs = theirs.post("/broadcasts", &written).await;
    assert_eq!(added_theirs.status, 201, "{added_theirs:?}");
    let theirs_id = added_theirs.text("/id").to_owned();

    // 32 at once, two seconds each: the long one takes more than twelve.
    team.world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 2_000 }])).unwrap();
    let long = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &long, "start").await.status, 200);
    eventually("some messages", async || (!written_to(&team.world, "store_hours").is_empty()).then_some(()))
        .await;
    let started = theirs.post(&format!("/broadcasts/{theirs_id}/start"), &json!({})).await;
    assert_eq!(started.status, 200, "{started:?}");
    eventually("the other one's end", async || {
        let found = theirs.get(&format!("/broadcasts/{theirs_id}")).await;
        (found.text("/broadcast/state") == "finished").then_some(())
    })
    .await;
    let found = team.owner.get(&format!("/broadcasts/{long}")).await;
    assert_eq!(found.text("/broadcast/state"), "running", "the long one is not over: {found:?}");
    team.world.simulator.set_faults(&json!([])).unwrap();
    in_state(&team, &long, "finished").await;
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (200, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn two_who_send_one_broadcast_at_once_write_to_everybody_once_and_know_it() {
    let team = Team::new().await;
    people(&team.owner, "person", 150).await;
    let _other = Service::start(&team.world.secrets).await;
    // Each send takes a second, 32 at once: it lasts for more than four.
    team.world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 1_000 }])).unwrap();
    let id = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    eventually("some messages", async || (!written_to(&team.world, "store_hours").is_empty()).then_some(()))
        .await;
    // What is resumed is due at once, though a batch of it is still under way.
    for what in ["pause", "resume"] {
        assert_eq!(moves(&team, &id, what).await.status, 200, "{what}");
    }
    // And so is what was held up for longer than its lease.
    let rows = team.world.rows().await;
    rows.change("UPDATE broadcasts SET due_at = now() WHERE due_at IS NOT NULL").await;
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(
        (&ended["progress"]["sent"], &ended["progress"]["unconfirmed"]),
        (&json!(150), &json!(0)),
        "{ended}"
    );
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (150, Some(&1)), "{each:?}");
    let known =
        rows.texts("SELECT count(*)::text FROM sends WHERE state = 'sent' AND template_name = 'store_hours'");
    assert_eq!(known.await, ["150"]);
}

#[tokio::test]
async fn a_broadcast_survives_kills_at_any_moment_and_writes_to_everybody_once() {
    let mut team = Team::new().await;
    // Each kill may come between the ledger and the network for as many as are under way.
    people(&team.owner, "person", 200).await;
    // Each send takes a while, so that a kill finds some under way.
    let id = added(&team, &hours("person")).await;
    let cookie = team.owner.cookie.clone();
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    for wanted in [5, 40, 80] {
        eventually("some messages", async || {
            (written_to(&team.world, "store_hours").len() >= wanted).then_some(())
        })
        .await;
        team.world.crash_and_restart().await;
        // A dead process has nothing in hand any more.
        let rows = team.world.rows().await;
        rows.change("UPDATE broadcasts SET due_at = now() WHERE due_at IS NOT NULL").await;
        let old = earlier("created_at", "1 minute");
        rows.change(&format!("UPDATE sends SET created_at = {old} WHERE state = 'in_flight'")).await;
        team.owner = Browser::new(team.world.service.base_url());
        team.owner.cookie.clone_from(&cookie);
    }
    in_state(&team, &id, "finished").await;
    let each = written_to(&team.world, "store_hours");
    assert!(each.values().all(|times| *times == 1), "{each:?}");
    // The network's statuses tell of what a dead process had sent. Whom a kill came between the ledger and
    // the network for is never written to by chance.
    let ended = eventually("the statuses", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        (found["progress"]["sent"] == each.len()).then_some(found)
    })
    .await;
    let unconfirmed = usize::try_from(ended["progress"]["unconfirmed"].as_u64().unwrap()).unwrap();
    assert_eq!((each.len() + unconfirmed, &ended["progress"]["queued"]), (200, &json!(0)), "{ended}");
    assert!(unconfirmed <= 3 * 32, "{ended}");
    let posted = json!({ "phoneNumberId": NUMBER, "from": "+9647801000001", "name": "x",
        "message": { "type": "text", "text": { "body": "شكراً" } } });
    team.world.control(Method::POST, "inbound", &posted).await;
    let answered = eventually("an answer", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        (found["progress"]["answered"] == 1).then_some(found)
    })
    .await;
    assert_eq!(answered["progress"]["queued"], 0);
}

#[tokio::test]
async fn the_network_s_own_stop_and_the_words_that_end_one_are_heard() {
    let team = Team::new().await;
    let customer = team.agent.get("/contacts?search=sara").await.text("/rows/0/contact/id").to_owned();
    let marketing = format!("/contacts/{customer}/marketing");
    let is = async |stopped: bool| {
        eventually("what they want", async || {
            let found = team.agent.get(&marketing).await;
            (found.body["stopped"] == stopped).then_some(found)
        })
        .await
    };
    for (value, stopped) in [("stop", true), ("resume", false), ("stop", true)] {
        let wish = json!({ "type": "user_preferences", "value": value, "category": "marketing_messages" });
        let preference =
            json!({ "phoneNumberId": NUMBER, "from": CUSTOMER, "name": "Sara", "message": wish });
        team.world.control(Method::POST, "inbound", &preference).await;
        let found = is(stopped).await;
        if stopped {
            assert_eq!(found.text("/source"), "network");
        }
    }
    // They may say so themselves, too.
    says(&team.world, "ابدأ").await;
    is(false).await;
    says(&team.world, "إيقاف").await;
    assert_eq!(is(true).await.text("/source"), "customer");
}

#[tokio::test]
async fn what_goes_wrong_in_the_middle_pauses_it_with_its_reason_and_nobody_is_lost() {
    let team = Team::new().await;
    people(&team.owner, "person", 3).await;
    let rows = team.world.rows().await;
    let id = added(&team, &hours("person")).await;
    for (broken, mended, reason) in [
        (
            "UPDATE templates SET status = 'paused' WHERE name = 'store_hours'",
            "UPDATE templates SET status = 'approved' WHERE name = 'store_hours'",
            "template_unusable",
        ),
        (
            "UPDATE workspaces SET active_customer_limit = 1",
            "UPDATE workspaces SET active_customer_limit = NULL",
            "plan_limit_reached",
        ),
        (
            "UPDATE workspaces SET paused = true",
            "UPDATE workspaces SET paused = false",
            "subscription_paused",
        ),
    ] {
        let begun = if reason == "template_unusable" { "start" } else { "resume" };
        // What is refused before it begins does not begin: it breaks after the look.
        if begun == "start" {
            assert_eq!(moves(&team, &id, "start").await.status, 200);
            assert_eq!(moves(&team, &id, "pause").await.status, 200);
        }
        rows.change(broken).await;
        assert_eq!(moves(&team, &id, "resume").await.status, 200);
        let paused = eventually("paused by itself", async || {
            let found = team.owner.get(&format!("/broadcasts/{id}")).await;
            (found.text("/broadcast/state") == "paused" && !found.body["broadcast"]["reason"].is_null())
                .then_some(found.body)
        })
        .await;
        assert_eq!(paused["broadcast"]["reason"], reason, "{paused}");
        rows.change(mended).await;
    }
    assert_eq!(moves(&team, &id, "resume").await.status, 200);
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(ended["progress"]["sent"], 3, "{ended}");
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (3, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn of_two_who_start_it_at_once_one_does_and_the_other_is_told() {
    let team = Team::new().await;
    people(&team.owner, "person", 40).await;
    let id = added(&team, &hours("person")).await;
    let (one, other) = tokio::join!(moves(&team, &id, "start"), moves(&team, &id, "start"));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{one:?} {other:?}");
    in_state(&team, &id, "finished").await;
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (40, Some(&1)), "{each:?}");
}

#[tokio::test]
async fn its_people_are_told_apart_by_what_followed_and_taken_out_by_an_owner_alone() {
    let team = Team::new().await;
    people(&team.owner, "=person", 4).await;
    let id = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    in_state(&team, &id, "finished").await;
    let posted = json!({ "phoneNumberId": NUMBER, "from": "+9647801000001", "name": "x",
        "message": { "type": "text", "text": { "body": "STOP" } } });
    team.world.control(Method::POST, "inbound", &posted).await;
    let followed = eventually("an answer and four deliveries", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        let progress = &found["progress"];
        (progress["answered"] == 1 && progress["stopped"] == 1 && progress["delivered"] == 4).then_some(found)
    })
    .await;
    assert_eq!(followed["progress"]["sent"], 4, "{followed}");
    for (filter, count) in [
        ("state=answered", 1),
        ("state=stopped", 1),
        ("state=delivered", 4),
        ("state=undelivered", 0),
        ("state=failed", 0),
        ("reason=131026", 0),
        ("state=sent", 4),
    ] {
        let listed = team.agent.get(&format!("/broadcasts/{id}/people?{filter}")).await;
        assert_eq!(listed.body["rows"].as_array().unwrap().len(), count, "{filter} {listed:?}");
        if filter == "state=answered" {
            assert_eq!(listed.text("/rows/0/phone"), "+9647801000001");
            assert!(listed.body["rows"][0]["deliveredAt"].is_string(), "{listed:?}");
        }
    }
    team.owner.get(&format!("/broadcasts/{id}/people?state=pigeon")).await.assert_error(400, "no state");

    let path = format!("/broadcasts/{id}/people/export?state=delivered");
    team.agent.get(&path).await.assert_error(403, "an agent");
    let exported = team.owner.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(exported.status(), 200);
    // As text it would come without the mark by which spreadsheets know what it is written in.
    let text = String::from_utf8(exported.bytes().await.unwrap().to_vec()).unwrap();
    assert!(text.starts_with("\u{feff}phone,name,state"), "{text}");
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(text.contains("'=person 0") && !text.contains(",=person"), "{text}");
    let log = team.owner.get("/audit?action=broadcast.people_exported").await;
    assert_eq!(log.body["rows"].as_array().unwrap().len(), 1, "{log:?}");

    // Its messages say which broadcast they are of.
    let rows = team.world.rows().await;
    let found = format!("SELECT conversation_id::text FROM sends WHERE reference = '{id}'");
    let conversation = rows.texts(&found).await.remove(0);
    let messages = team.agent.get(&format!("/conversations/{conversation}/messages")).await;
    assert_eq!(messages.body["broadcasts"], json!([{ "id": id, "name": "Hours" }]), "{messages:?}");
    let others = team.agent.get(&format!("/conversations/{}/messages", team.conversation)).await;
    assert_eq!(others.body["broadcasts"], json!([]), "{others:?}");
}

#[tokio::test]
async fn a_list_that_was_brought_fills_the_template_and_blanks_are_named_before() {
    let team = Team::new().await;
    let list = "\u{feff}phone;Name;City\r\n07801000001;Ali;Erbil\r\n07801000002;;Basra\r\n+9647801000001;x;y\r\nnobody;;\r\n";
    let brought = |name: &str| {
        let request = team.owner.request(Method::POST, &format!("/broadcast-lists?name={name}"));
        request.header("content-type", "text/csv").body(list)
    };
    let taken = Answer::to(brought("Weekend")).await;
    assert_eq!(taken.status, 201, "{taken:?}");
    assert_eq!(
        (&taken.body["list"]["people"], &taken.body["repeated"], &taken.body["refused"]),
        (&json!(2), &json!(1), &json!(1)),
        "{taken:?}"
    );
    assert_eq!(taken.body["list"]["columns"], json!(["Name", "City"]));
    assert_eq!(taken.body["notRead"], json!([]), "all its columns are read");
    let refused = &taken.body["refusedRows"][0];
    assert_eq!((&refused["line"], &refused["column"]), (&json!(5), &json!("phone")), "{taken:?}");
    assert_eq!(refused["code"], "not_a_number", "{taken:?}");
    let list = taken.text("/list/id").to_owned();
    team.agent.get("/broadcast-lists").await.assert_error(403, "an agent");

    let season = json!({
        "name": "Season", "template": "new_season", "audience": { "listId": list },
        "variables": { "1": { "column": { "title": "name" } } }, "header": { "link": "https://shop.example/season.jpg" },
    });
    let prices = json!({ "currency": "usd", "prices": { "marketing": "0.0258" } });
    assert_eq!(team.owner.put("/broadcast-prices", &prices).await.status, 204);
    let preview = team.owner.post("/broadcasts/preview", &season).await.body;
    assert_eq!(preview["people"], 2, "{preview}");
    assert_eq!(preview["skipped"], json!([{ "reason": "no_value", "people": 1 }]));
    assert_eq!(preview["estimate"], json!({ "currency": "USD", "amount": "0.0258", "people": 1 }));

    let mut misspelt = season.clone();
    misspelt["variables"]["1"] = json!({ "column": { "title": "nmae", "otherwise": "friend" } });
    let preview = team.owner.post("/broadcasts/preview", &misspelt).await;
    assert_eq!(preview.text("/refusal"), "the audience has no column `nmae`", "{preview:?}");
    let wrong = added(&team, &misspelt).await;
    moves(&team, &wrong, "start").await.assert_error(400, "no such column");
    assert_eq!(team.owner.delete(&format!("/broadcasts/{wrong}")).await.status, 204);

    let id = added(&team, &season).await;
    let blank = team.owner.visitor().get(&format!("/dashboard/broadcasts/{id}/skipped")).await;
    assert!(blank.html.contains("+9647801000002") && !blank.html.contains("+9647801000001"), "{blank:?}");
    let needed = team.owner.delete(&format!("/broadcast-lists/{list}")).await;
    assert_eq!((needed.status, needed.text("/code")), (409, "broadcast_list_needed"), "{needed:?}");
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!(
        (&ended["progress"]["sent"], &ended["progress"]["skipped"]),
        (&json!(1), &json!(1)),
        "{ended}"
    );
    let sent = team.world.simulator.messages();
    let sent = sent.iter().find(|message| message["body"]["template"]["name"] == "new_season").unwrap();
    assert!(sent.to_string().contains("Ali"), "{sent}");
    assert_eq!(team.owner.delete(&format!("/broadcast-lists/{list}")).await.status, 204);

    for (audience, what) in [
        (json!({ "listId": list }), "a list that is gone"),
        (json!({ "filter": { "groupId": list } }), "no group"),
        (json!({ "filter": { "source": "nowhere" } }), "no source"),
        (json!({ "filter": {}, "listId": list }), "two audiences"),
        (json!({ "listId": list, "list": list }), "one under both of its names"),
    ] {
        let written = json!({ "name": "a", "template": "store_hours", "audience": audience });
        team.owner.post("/broadcasts", &written).await.assert_error(400, what);
    }
    for (list, what) in
        [("city\nErbil\n", "no numbers"), ("", "nothing"), ("phone,a,A\n1,2,3\n", "a title twice")]
    {
        let request = team.owner.request(Method::POST, "/broadcast-lists?name=a");
        Answer::to(request.header("content-type", "text/csv").body(list)).await.assert_error(400, what);
    }
    let dear = json!({ "currency": "USD", "prices": { "marketing": "ten" } });
    team.owner.put("/broadcast-prices", &dear).await.assert_error(400, "no price");
}

#[tokio::test]
async fn nobody_is_written_to_in_quiet_hours_and_a_start_is_read_in_its_zone() {
    let team = Team::new().await;
    people(&team.owner, "person", 1).await;
    let mut written = hours("person");
    written["quiet"] = json!({ "zone": "Nowhere/City", "hours": ["21:00", "09:00"] });
    team.owner.post("/broadcasts", &written).await.assert_error(400, "no zone");
    // All day but for a minute that is over.
    let now = SystemClock.now();
    let before = now - time::Duration::minutes(2);
    let clock = |at: time::OffsetDateTime| format!("{:02}:{:02}", at.hour(), at.minute());
    written["quiet"] =
        json!({ "zone": "UTC", "hours": [clock(before + time::Duration::minutes(1)), clock(before)] });
    let id = added(&team, &written).await;
    let asked = json!({ "at": "2999-01-01T10:00", "zone": "Asia/Baghdad" });
    let scheduled = team.owner.post(&format!("/broadcasts/{id}/start"), &asked).await;
    assert_eq!(scheduled.text("/startsAt"), "2999-01-01T07:00:00.000Z", "{scheduled:?}");
    let wrong = json!({ "at": "tomorrow", "zone": "Asia/Baghdad" });
    team.owner.post(&format!("/broadcasts/{id}/start"), &wrong).await.assert_error(400, "no time");
    assert_eq!(moves(&team, &id, "start").await.text("/state"), "running");
    let rows = team.world.rows().await;
    eventually("put off", async || {
        let due = rows.texts("SELECT (due_at > now() + interval '1 hour')::text FROM broadcasts").await;
        (due == ["true"]).then_some(())
    })
    .await;
    assert!(written_to(&team.world, "store_hours").is_empty());
    let quiet = team.owner.get(&format!("/broadcasts/{id}")).await;
    assert!(quiet.body["progress"]["quietUntil"].is_string(), "{quiet:?}");
    assert_eq!(moves(&team, &id, "cancel").await.status, 200);
    let over = team.owner.get(&format!("/broadcasts/{id}")).await;
    assert_eq!(over.body["progress"]["quietUntil"], Value::Null, "{over:?}");
}

#[tokio::test]
async fn what_the_network_took_and_could_not_deliver_is_counted_listed_and_told_with_its_reference() {
    let team = Team::new().await;
    people(&team.owner, "person", 2).await;
    team.world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_026, "async": true }])).unwrap();
    let id = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let told = team.world.receiver.next_of("message.failed").await;
    assert_eq!(told.text("/data/reference"), id, "{told:?}");
    let followed = eventually("two undelivered", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        (found["progress"]["undelivered"] == 2).then_some(found)
    })
    .await;
    // The network took them: they are sent, and not refused.
    assert_eq!(
        (&followed["progress"]["sent"], &followed["progress"]["failed"], &followed["progress"]["delivered"]),
        (&json!(2), &json!(0), &json!(0)),
        "{followed}"
    );
    assert_eq!(followed["progress"]["reasons"], json!([{ "reason": "131026", "people": 2 }]), "{followed}");
    let listed = team.agent.get(&format!("/broadcasts/{id}/people?state=undelivered")).await;
    assert_eq!(listed.body["rows"][0]["networkCode"], 131_026, "{listed:?}");
    let listed = team.agent.get(&format!("/broadcasts/{id}/people?state=undelivered&reason=131026")).await;
    assert_eq!(listed.body["rows"].as_array().unwrap().len(), 2, "{listed:?}");
}

#[tokio::test]
async fn what_the_network_refuses_afterwards_pauses_what_still_runs_and_stops_marketing() {
    let team = Team::new().await;
    people(&team.owner, "person", 150).await;
    // Each send takes a second, 32 at once: the first refusals are told while most are still to be written
    // to.
    let faults = json!([
        { "kind": "latency", "ms": 1_000 },
        { "kind": "error", "code": 131_042, "async": true },
    ]);
    team.world.simulator.set_faults(&faults).unwrap();
    let id = added(&team, &hours("person")).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let paused = in_state(&team, &id, "paused").await;
    assert_eq!(paused["broadcast"]["reason"], "network_refused", "{paused}");
    let log = team.owner.get("/audit?action=broadcast.moved").await;
    assert_eq!(
        (&log.body["rows"][0]["details"]["reason"], &log.body["rows"][0]["memberId"]),
        (&json!("network_refused"), &Value::Null),
        "{log:?}"
    );
    assert_eq!(moves(&team, &id, "cancel").await.status, 200);

    let faults = json!([{ "kind": "error", "code": 131_050, "async": true }]);
    team.world.simulator.set_faults(&faults).unwrap();
    let customer = team.agent.get("/contacts?search=sara").await.text("/rows/0/contact/id").to_owned();
    let id = added(&team, &new_season(&json!({ "contactIds": [customer] }))).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    assert_eq!(in_state(&team, &id, "finished").await["progress"]["sent"], 1);
    let stopped = eventually("the stop", async || {
        let found = team.agent.get(&format!("/contacts/{customer}/marketing")).await;
        (found.body["stopped"] == true).then_some(found)
    })
    .await;
    assert_eq!(stopped.text("/source"), "network");

    // The pause that came by a status was counted once.
    let admin = Api::new(team.world.service.admin_url(), "");
    let metrics = admin.bare(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    let paused: Vec<&str> = metrics
        .lines()
        .filter(|line| line.starts_with("messaging_broadcasts_paused_total{") && !line.ends_with(" 0"))
        .collect();
    assert!(matches!(paused.as_slice(), [one] if one.ends_with(" 1")), "{paused:?}");
}

#[tokio::test]
async fn an_operator_writes_looks_at_starts_and_follows_one_by_the_command() {
    let team = Team::new().await;
    people(&team.owner, "person", 3).await;
    let workspace = &team.world.workspace;
    let told = |arguments: &[&str]| -> Value {
        let said = team.world.operator(&[&["broadcast"][..], arguments, &["--json"]].concat());
        serde_json::from_str(&said).unwrap()
    };
    let draft = told(&[
        "create",
        workspace,
        "--author",
        &team.owner_id,
        "--name",
        "Hours",
        "--template",
        "store_hours",
        "--search",
        "person",
        "--from",
        NUMBER,
    ]);
    assert_eq!(draft["state"], "draft", "{draft}");
    let id = draft["id"].as_str().unwrap();
    let dry = told(&["start", workspace, id, "--dry-run"]);
    assert_eq!(
        (&dry["people"], &dry["complete"], &dry["refusal"]),
        (&json!(3), &json!(true), &Value::Null),
        "{dry}"
    );
    let listed = told(&["list", workspace]);
    assert_eq!(
        (&listed["rows"][0]["id"], &listed["rows"][0]["state"]),
        (&json!(id), &json!("draft")),
        "{listed}"
    );
    let started = told(&["start", workspace, id, "--at", "2999-01-01T10:00:00+03:00"]);
    let (state, begins) = (json!("scheduled"), json!("2999-01-01T07:00:00.000Z"));
    assert_eq!((&started["state"], &started["startsAt"]), (&state, &begins), "{started}");
    assert_eq!(told(&["show", workspace, id])["startsAt"], begins);
    // People read when it begins by the workspace's clock.
    let clock = "2999-01-01 10:00 (Asia/Baghdad)";
    for (arguments, words) in [
        (&["show", workspace, id][..], "starts at    2999"),
        (&["list", workspace], "STARTS AT"),
        (&["start", workspace, id, "--at", "2999-01-01T10:00"], "scheduled, begins 2999"),
    ] {
        let said = team.world.operator(&[&["broadcast"][..], arguments].concat());
        assert!(said.contains(words) && said.contains(clock), "{said}");
    }
    assert_eq!(told(&["start", workspace, id])["state"], "running");
    in_state(&team, id, "finished").await;
    let shown = told(&["show", workspace, id]);
    assert_eq!((&shown["state"], &shown["progress"]["sent"]), (&json!("finished"), &json!(3)), "{shown}");
    let sent = told(&["people", workspace, id, "--state", "sent", "--limit", "2"]);
    assert_eq!(sent["rows"].as_array().unwrap().len(), 2, "{sent}");
    // Whoever sees a part is told where the rest begins.
    let next = sent["nextCursor"].as_str().unwrap();
    let rest = told(&["people", workspace, id, "--state", "sent", "--limit", "2", "--cursor", next]);
    assert_eq!(
        (rest["rows"].as_array().map(Vec::len), &rest["nextCursor"]),
        (Some(1), &Value::Null),
        "{rest}"
    );
    let listed = told(&["list", workspace, "--limit", "1"]);
    assert_eq!((listed["rows"].as_array().map(Vec::len), &listed["nextCursor"]), (Some(1), &Value::Null));
    // The log of changes says that it was no member.
    let log = team.owner.get("/audit?action=broadcast.moved").await;
    let begun = &log.body["rows"][1];
    assert_eq!(begun["details"], json!({ "from": "scheduled", "to": "running" }), "{log:?}");
    assert_eq!((&begun["memberId"], &begun["subject"]), (&Value::Null, &json!(id)), "{log:?}");
    for what in ["pause", "resume", "cancel"] {
        let asked = ["broadcast", what, workspace, id, "--yes"];
        let refused = command(&team.world.secrets).args(asked).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{what} {refused:?}");
        assert!(
            String::from_utf8(refused.stderr).unwrap().contains("a broadcast that is finished cannot be")
        );
    }
}

#[tokio::test]
async fn an_operator_writes_hours_languages_and_days_by_the_command() {
    let team = Team::new().await;
    people(&team.owner, "person", 1).await;
    let workspace = &team.world.workspace;
    let create = |more: &[&str]| {
        let asked = ["broadcast", "create", workspace, "--author", &team.owner_id, "--name", "Hours"];
        let asked = [&asked[..], &["--template", "store_hours", "--json"], more].concat();
        command(&team.world.secrets).args(asked).output().unwrap()
    };
    let written = create(&[
        "--quiet",
        "21:00-09:00",
        "--fallback-language",
        "ku",
        "--fallback-language",
        "ar",
        "--active-since",
        "2026-11-21",
        "--active-until",
        "2026-11-22T10:00:00Z",
    ]);
    let draft: Value = serde_json::from_slice(&written.stdout).unwrap();
    let found = team.owner.get(&format!("/broadcasts/{}", draft["id"].as_str().unwrap())).await;
    let broadcast = &found.body["broadcast"];
    let quiet = json!({ "zone": "Asia/Baghdad", "hours": ["21:00", "09:00"] });
    assert_eq!((&broadcast["quiet"], &broadcast["languages"]), (&quiet, &json!(["ku", "ar"])), "{found:?}");
    let filter = &broadcast["audience"]["filter"];
    assert_eq!(
        (&filter["activeSince"], &filter["activeUntil"]),
        (&json!("2026-11-20T21:00:00.000Z"), &json!("2026-11-22T10:00:00.000Z")),
        "{found:?}"
    );
    let elsewhere = create(&["--quiet", "21:00-09:00", "--quiet-zone", "UTC"]);
    let draft: Value = serde_json::from_slice(&elsewhere.stdout).unwrap();
    let found = team.owner.get(&format!("/broadcasts/{}", draft["id"].as_str().unwrap())).await;
    assert_eq!(found.body["broadcast"]["quiet"]["zone"], "UTC", "{found:?}");
    let wrong: [(&[&str], i32); 8] = [
        (&["--quiet", "21:00"], 2),
        (&["--quiet", "21:00-21:00"], 2),
        (&["--quiet", "00:00-24:00"], 1),
        (&["--quiet-zone", "UTC"], 2),
        (&["--quiet", "21:00-09:00", "--quiet-zone", "Atlantis"], 2),
        (&["--language-column", "lang"], 2),
        (&["--active-since", "yesterday"], 2),
        (&["--text", "1=a", "--text", "1=b"], 2),
    ];
    for (wrong, code) in wrong {
        let refused = create(wrong);
        assert_eq!(refused.status.code(), Some(code), "{wrong:?} {refused:?}");
    }
}
