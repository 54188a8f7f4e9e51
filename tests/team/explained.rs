//! Messages that are found by what somebody knows of them, and what became of each.

use reqwest::Method;
use serde_json::json;

use crate::{
    life::Team,
    support::{Visitor, eventually},
};

/// Escaped for a query.
fn query(name: &str, value: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
}

#[tokio::test]
async fn a_message_is_found_by_its_person_s_number_and_by_the_network_s_id() {
    let team = Team::new().await;
    let replied = json!({ "text": "نعم، متوفر" });
    let path = format!("/conversations/{}/messages", team.conversation);
    let sent = team.agent.post(&path, &replied).await;
    assert_eq!(sent.status, 201, "{sent:?}");
    let (message, conversation) = (sent.text("/message/id"), team.conversation.as_str());
    for number in ["07701234567", "+964 770 123 4567", "٠٧٧٠١٢٣٤٥٦٧"] {
        let found = team.agent.get(&format!("/messages?{}", query("phone", number))).await;
        let rows = found.body["data"].as_array().unwrap();
        assert_eq!((found.status, rows.len()), (200, 2), "{found:?}");
        assert_eq!((found.text("/data/0/id"), found.text("/data/0/conversationId")), (message, conversation));
        assert!(rows[1]["delivery"].is_null() && found.body["nextCursor"].is_null(), "{found:?}");
    }
    let taken = team.world.simulator.messages();
    let taken = taken.iter().find(|taken| taken["body"]["type"] == "text").unwrap();
    let by_network = query("networkId", taken["id"].as_str().unwrap());
    let found = team.agent.get(&format!("/messages?{by_network}")).await;
    assert_eq!((found.status, found.text("/data/0/id")), (200, message), "{found:?}");
    for nothing in [query("phone", "07809999999"), query("networkId", "wamid.nothing")] {
        assert_eq!(
            team.agent.get(&format!("/messages?{nothing}")).await.body["data"],
            json!([]),
            "{nothing}"
        );
    }
    let long = query("networkId", &"a".repeat(513));
    for wrong in [
        "",
        "phone=nobody",
        "phone=",
        "networkId=%20",
        &long,
        "phone=07701234567&networkId=wamid.1",
        "phone=07701234567&reference=order",
        "phone=07701234567&cursor=00",
    ] {
        team.agent.get(&format!("/messages?{wrong}")).await.assert_error(400, wrong);
    }
}

#[tokio::test]
async fn an_owner_finds_a_message_by_a_page_and_sees_what_became_of_it() {
    let team = Team::new().await;
    let notice = json!({ "to": "07701234567", "template": "store_hours", "reference": "order <1042>" });
    assert_eq!(team.world.api().send(&notice).await.status, 201);
    let mut visitor = team.owner.visitor();
    let path = "/dashboard/settings/messages";
    let page = visitor.get(&format!("{path}?by=phone&clue=0770%20123%204567")).await;
    assert_eq!(page.status, 200, "{}", page.html);
    let begins = format!("href=\"{path}/");
    let (_, rest) = page.html.split_once(&begins).unwrap_or_else(|| panic!("{}", page.html));
    let message = rest.split('"').next().unwrap().to_owned();
    let life = format!("{path}/{message}");
    let told = eventually("its life", async || {
        let request = visitor.client.request(Method::GET, format!("{}{life}", visitor.base));
        let answer = request.header("cookie", &visitor.cookie).send().await.unwrap();
        Some(answer.text().await.unwrap())
            .filter(|html| html.contains("It arrived") && html.contains("A message was sent"))
    })
    .await;
    assert!(told.contains("The network took it") && told.contains("order &#60;1042&#62;"), "{told}");
    let wrong = visitor.get(&format!("{path}?by=phone&clue=nobody")).await;
    assert!(wrong.status == 422 && wrong.html.contains("role=\"alert\""), "{}", wrong.html);
    for nothing in ["nothing", "0192f0c1-7a00-7000-8000-0000000000ff"] {
        assert_eq!(visitor.get(&format!("{path}/{nothing}")).await.status, 404);
    }
    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    assert_eq!(agent.get(path).await.status, 403, "the search is an owner's");
    let seen = agent.get(&life).await;
    assert!(seen.status == 200 && seen.html.contains("It arrived"), "{}", seen.html);
    assert!(
        !seen.html.contains("href=\"/dashboard/settings"),
        "no link leads to an owner's page: {}",
        seen.html
    );
}

#[tokio::test]
async fn why_a_message_failed_is_told_in_words_where_it_is_found_and_where_it_is_explained() {
    let team = Team::new().await;
    let mut agent = Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await;
    team.world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_047, "times": 1 }])).unwrap();
    let reply = format!("/dashboard/inbox/{}/reply", team.conversation);
    let failed = agent.post(&reply, &[("key", "late"), ("text", "هل ما زلت بحاجة إليه؟")]).await;
    assert_eq!(failed.status, 422, "{}", failed.html);
    let begins = "href=\"/dashboard/settings/messages/";
    let (_, rest) = failed.html.split_once(begins).unwrap_or_else(|| panic!("{}", failed.html));
    let message = rest.split('"').next().unwrap();
    let life = agent.get(&format!("/dashboard/settings/messages/{message}")).await;
    assert!(
        life.status == 200 && life.html.contains("The customer last wrote too long ago."),
        "{}",
        life.html
    );

    let mut owner = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let found = owner.get("/dashboard/settings/messages?by=phone&clue=07701234567").await;
    assert!(found.html.contains("The customer last wrote too long ago."), "{}", found.html);
    assert!(!found.html.contains("131047"), "{}", found.html);
}
