//! Since when customers wait for an answer, and what a list says that they sent.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    life::{CUSTOMER, NUMBER, Team, says},
    support::{Browser, Visitor, eventually},
};

/// The team's one conversation in a list.
async fn row(by: &Browser, query: &str) -> Option<Value> {
    let page = by.get(&format!("/conversations{query}")).await;
    assert_eq!(page.status, 200, "{page:?}");
    page.body["rows"].as_array().unwrap().first().cloned()
}

#[tokio::test]
async fn a_customer_waits_from_their_first_message_until_they_are_answered_or_the_conversation_is_closed() {
    let team = Team::new().await;
    let path = format!("/conversations/{}", team.conversation);
    let first = team.owner.get(&path).await.body;
    let since = first["waitingSince"].as_str().unwrap().to_owned();
    assert!(first["replyWindow"]["closesAt"].as_str().unwrap() > since.as_str(), "{first}");
    let listed = row(&team.agent, "?order=waiting").await.unwrap();
    assert_eq!((&listed["waitingSince"], &listed["lastMessage"]["kind"]), (&json!(since), &json!("text")));

    says(&team.world, "هلو؟").await;
    team.world.receiver.next_of("message.received").await;
    eventually("the second message", async || {
        let listed = row(&team.agent, "?order=waiting").await?;
        (listed["lastMessage"]["text"] == "هلو؟").then_some(listed)
    })
    .await;
    assert_eq!(team.owner.get(&path).await.text("/waitingSince"), since, "they wait since the first");
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    let page = visitor.get("/dashboard/inbox?order=waiting&view=all").await;
    assert!(page.html.contains("Waits since") && page.html.contains("Longest wait first"), "{}", page.html);

    let replied = team.agent.post(&format!("{path}/messages"), &json!({ "text": "نعم، متوفر" })).await;
    assert_eq!(replied.status, 201, "{replied:?}");
    let answered = team.owner.get(&path).await.body;
    assert_eq!(answered["waitingSince"], Value::Null);
    assert!(answered["replyWindow"].is_object(), "{answered}");
    assert_eq!(row(&team.agent, "?order=waiting").await, None);
    assert!(row(&team.agent, "?order=newest").await.is_some());

    let picture = json!({ "type": "image", "image": { "caption": "" } });
    let written = json!({ "phoneNumberId": NUMBER, "from": CUSTOMER, "name": "Sara", "message": picture });
    let posted = team.world.control(Method::POST, "inbound", &written).await;
    assert_eq!(posted["webhook"], json!({ "status": 200 }), "{posted}");
    let listed = eventually("the picture", async || row(&team.agent, "?order=waiting").await).await;
    assert_eq!(listed["lastMessage"]["kind"], "image", "{listed}");
    let page = visitor.get("/dashboard/inbox?view=all").await;
    assert!(page.html.contains(">Picture"), "{}", page.html);

    let closed = team.moves(&team.owner, &json!({ "do": "close" })).await;
    assert_eq!((closed.status, row(&team.agent, "?order=waiting").await), (200, None), "{closed:?}");
    team.owner.get("/conversations?order=oldest").await.assert_error(400, "no such order");
}
