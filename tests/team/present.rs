//! Who of the team is in a conversation right now.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    life::Team,
    support::{Answer, Browser, Listening, Visitor},
};

async fn is_here(team: &Team, by: &Browser, doing: &str) -> Answer {
    let path = format!("/conversations/{}/presence", team.conversation);
    Answer::to(by.request(Method::PUT, &path).json(&json!({ "doing": doing }))).await
}

async fn leaves(team: &Team, by: &Browser) {
    let path = format!("/conversations/{}/presence", team.conversation);
    let left = by.request(Method::DELETE, &path).send().await.unwrap();
    assert_eq!(left.status(), StatusCode::NO_CONTENT);
}

/// Who else is there, and what they do.
async fn others(team: &Team, by: &Browser) -> Vec<(String, String)> {
    let listed = by.get(&format!("/conversations/{}/presence", team.conversation)).await;
    assert_eq!(listed.status, 200, "{listed:?}");
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    listed.body["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (word(row, "memberId"), word(row, "doing")))
        .collect()
}

#[tokio::test]
async fn whoever_is_in_a_conversation_is_shown_to_the_others_and_not_to_themselves() {
    let team = Team::new().await;
    let noted = is_here(&team, &team.agent, "answering").await;
    assert_eq!((noted.status, &noted.body), (200, &json!({ "rows": [] })), "{noted:?}");
    let answering = (team.agent_id.clone(), "answering".to_owned());
    assert_eq!(others(&team, &team.owner).await, [answering]);
    let noted = is_here(&team, &team.owner, "looking").await;
    assert_eq!(noted.text("/rows/0/memberId"), team.agent_id);
    let looking = (team.owner_id.clone(), "looking".to_owned());
    assert_eq!(others(&team, &team.agent).await, [looking]);

    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let page = format!("/dashboard/inbox/{}", team.conversation);
    let shown = visitor.get(&page).await.html;
    assert!(shown.contains("is writing an answer") && !shown.contains("is looking at it"), "{shown}");

    // A browser that says nothing more is gone after a while, and one that leaves at once.
    team.world.rows().await.change("UPDATE presences SET until = now() WHERE doing = 'answering'").await;
    assert_eq!(others(&team, &team.owner).await, []);
    leaves(&team, &team.owner).await;
    leaves(&team, &team.owner).await;
    assert_eq!(others(&team, &team.agent).await, []);
    assert!(!visitor.get(&page).await.html.contains("is writing an answer"));

    for body in [json!({}), json!({ "doing": "sleeping" }), json!({ "doing": "looking", "x": 1 })] {
        let path = format!("/conversations/{}/presence", team.conversation);
        Answer::to(team.agent.request(Method::PUT, &path).json(&body))
            .await
            .assert_error(400, "no such doing");
    }
}

#[tokio::test]
async fn the_live_feed_tells_the_others_of_those_who_come_do_something_else_and_leave() {
    let team = Team::new().await;
    let mut listening = Listening::new(&team.owner, None).await;
    let mut own = Listening::new(&team.agent, None).await;
    for listening in [&mut listening, &mut own] {
        assert_eq!(listening.next().await.unwrap().1, "open");
    }
    for doing in ["looking", "looking", "answering"] {
        assert_eq!(is_here(&team, &team.agent, doing).await.status, 200);
    }
    leaves(&team, &team.agent).await;
    // What was said twice is told once.
    for _ in 0..3 {
        let (_, kind, data) = listening.next().await.unwrap();
        assert_eq!((&*kind, data), ("presence.changed", json!({ "conversationId": team.conversation })));
    }
    let tagged = format!("/conversations/{}/tags", team.conversation);
    assert_eq!(team.agent.post(&tagged, &json!({ "tag": "VIP" })).await.status, 200);
    // Whoever is there is not told so themselves.
    for listening in [&mut listening, &mut own] {
        assert_eq!(listening.next().await.unwrap().1, "conversation.changed");
    }
}
