//! A broadcast that several numbers send, and what becomes of it when one of them may not.

use serde_json::{Value, json};

use super::{added, hours, in_state, moves, people, written_to};
use crate::{
    life::{NUMBER, Team},
    support::{Browser, CODES_NUMBER, Service, Visitor, earlier, eventually},
};

/// The ordinary number, as it is called.
const PHONE: &str = "+9647700000001";

/// A team whose two numbers both send broadcasts.
async fn team_of_two_numbers() -> Team {
    let team = Team::new().await;
    team.world.operator(&["number", "send-only", &team.world.workspace, CODES_NUMBER, "--off"]);
    team
}

fn spread() -> Value {
    let mut written = hours("person");
    written["spread"] = json!(true);
    written
}

/// Returns the broadcast's progress, once a number is left out.
async fn left_out(team: &Team, id: &str) -> Value {
    eventually("a number is left out", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await.body;
        let numbers = found["progress"]["leftOut"].as_array()?;
        (!numbers.is_empty()).then(|| found.clone())
    })
    .await
}

#[tokio::test]
async fn a_number_that_is_refused_is_left_out_with_its_reason_and_the_others_write_to_its_people() {
    let team = team_of_two_numbers().await;
    people(&team.owner, "person", 40).await;
    let quality = json!({ "kind": "error", "code": 131_048, "phoneNumberId": NUMBER });
    team.world.simulator.set_faults(&json!([quality])).unwrap();
    let id = added(&team, &spread()).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let ended = in_state(&team, &id, "finished").await;
    let progress = &ended["progress"];
    assert_eq!((&progress["sent"], &progress["failed"]), (&json!(40), &json!(0)), "{ended}");
    let out = progress["leftOut"].as_array().unwrap();
    assert_eq!(out.len(), 1, "{ended}");
    let number = &out[0];
    let told = (&number["phone"], &number["reason"], &number["code"]);
    assert_eq!(told, (&json!(PHONE), &json!("network_refused"), &json!(131_048)), "{ended}");
    assert!(number["at"].is_string(), "{ended}");
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (40, Some(&1)), "{each:?}");
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let page = visitor.get(&format!("/dashboard/broadcasts/{id}")).await.html;
    assert!(page.contains("goes on without these numbers") && page.contains(PHONE), "{page}");
    let shown = team.world.operator(&["broadcast", "show", &team.world.workspace, &id]);
    assert!(shown.contains(&format!("without {PHONE}: network_refused (131048), since 2")), "{shown}");

    // Where none is left, it waits for somebody; whoever sets it going again has all tried once more.
    let all = json!([{ "kind": "error", "code": 131_048 }]);
    team.world.simulator.set_faults(&all).unwrap();
    let id = added(&team, &spread()).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let paused = in_state(&team, &id, "paused").await;
    assert_eq!(paused["broadcast"]["reason"], "network_refused", "{paused}");
    assert_eq!(paused["progress"]["queued"], 40, "{paused}");
    assert_eq!(paused["progress"]["leftOut"].as_array().unwrap().len(), 2, "{paused}");
    team.world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(moves(&team, &id, "resume").await.text("/state"), "running");
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!((&ended["progress"]["sent"], &ended["progress"]["leftOut"]), (&json!(40), &json!([])));
    let each = written_to(&team.world, "store_hours");
    assert!(each.len() == 40 && each.values().all(|times| *times == 2), "once by each of both: {each:?}");
}

#[tokio::test]
async fn a_number_that_is_refused_in_the_middle_costs_nobody_their_message_whoever_is_killed() {
    let mut team = team_of_two_numbers().await;
    people(&team.owner, "person", 200).await;
    let cookie = team.owner.cookie.clone();
    let _other = Service::start(&team.world.secrets).await;
    // Each send takes a second, 32 at once: it lasts for more than six.
    let slow = json!({ "kind": "latency", "ms": 1_000 });
    team.world.simulator.set_faults(&json!([slow])).unwrap();
    let id = added(&team, &spread()).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let so_many = async |wanted: usize| {
        eventually("some messages", async || {
            (written_to(&team.world, "store_hours").len() >= wanted).then_some(())
        })
        .await;
    };
    so_many(20).await;
    let banned = json!({ "kind": "error", "code": 133_010, "phoneNumberId": NUMBER });
    team.world.simulator.set_faults(&json!([slow, banned])).unwrap();
    left_out(&team, &id).await;
    so_many(60).await;
    team.world.crash_and_restart().await;
    team.owner = Browser::new(team.world.service.base_url());
    team.owner.cookie.clone_from(&cookie);
    // A dead process has nothing in hand any more.
    let rows = team.world.rows().await;
    rows.change("UPDATE broadcasts SET due_at = now() WHERE due_at IS NOT NULL").await;
    let old = earlier("created_at", "1 minute");
    rows.change(&format!("UPDATE sends SET created_at = {old} WHERE state = 'in_flight'")).await;
    let ended = in_state(&team, &id, "finished").await;
    let each = written_to(&team.world, "store_hours");
    assert!(each.values().all(|times| *times == 1), "{each:?}");
    let unconfirmed = usize::try_from(ended["progress"]["unconfirmed"].as_u64().unwrap()).unwrap();
    assert!(each.len() + unconfirmed >= 200 && unconfirmed <= 2 * 32, "{ended}");
    assert_eq!((&ended["progress"]["queued"], &ended["progress"]["failed"]), (&json!(0), &json!(0)));
    assert_eq!(ended["progress"]["leftOut"][0]["phone"], PHONE, "{ended}");
}

#[tokio::test]
async fn a_number_whose_messages_are_refused_afterwards_is_left_out_and_nothing_pauses() {
    let team = team_of_two_numbers().await;
    people(&team.owner, "person", 150).await;
    // Each send takes a second, 32 at once: the first refusals are told while most are still to be written
    // to.
    let faults = json!([
        { "kind": "latency", "ms": 1_000 },
        { "kind": "error", "code": 131_048, "async": true, "phoneNumberId": NUMBER },
    ]);
    team.world.simulator.set_faults(&faults).unwrap();
    let id = added(&team, &spread()).await;
    assert_eq!(moves(&team, &id, "start").await.status, 200);
    let found = left_out(&team, &id).await;
    assert_eq!(found["broadcast"]["state"], "running", "{found}");
    let ended = in_state(&team, &id, "finished").await;
    assert_eq!((&ended["progress"]["sent"], &ended["progress"]["queued"]), (&json!(150), &json!(0)));
    assert_eq!(ended["progress"]["leftOut"].as_array().unwrap().len(), 1, "{ended}");
    let each = written_to(&team.world, "store_hours");
    assert_eq!((each.len(), each.values().max()), (150, Some(&1)), "{each:?}");
}
