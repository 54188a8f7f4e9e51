//! Closed conversations, closed windows, the team's own apps, and posts that come twice and in disorder.

use reqwest::Method;
use serde_json::json;

use super::{ANSWER, Shop, instagram, messenger, whatsapp};
use crate::support::eventually;

#[tokio::test]
async fn who_writes_into_a_closed_conversation_brings_it_back() {
    let shop = Shop::new().await;
    for channel in [whatsapp(), messenger(), instagram()] {
        let [created, _] = shop.begin(&channel).await;
        let conversation = created.text("/data/conversation/id");
        shop.rows.change("UPDATE conversations SET status = 'closed', version = version + 1").await;
        shop.write(&channel, "مرحبا").await;
        let [again, received] = shop.two("conversation.created", "message.received").await;
        assert_eq!(
            (again.text("/data/conversation/id"), &again.body["data"]["reopened"]),
            (conversation, &json!(true))
        );
        assert_eq!(received.text("/data/conversationId"), conversation);
        let shown = shop.api.get(&format!("/v1/conversations/{conversation}")).await;
        assert_eq!(shown.text("/status"), "bot");
    }
}

#[tokio::test]
async fn after_a_day_a_page_lets_a_persons_answer_through_and_after_a_week_nothing() {
    let shop = Shop::new().await;
    for channel in [messenger(), instagram()] {
        let [created, _] = shop.begin(&channel).await;
        let conversation = created.text("/data/conversation/id");
        let hours = async |hours: u16| {
            let wrote =
                json!({ "channelId": channel.id, "person": channel.person["from"], "hoursAgo": hours });
            shop.world.control(Method::PUT, "wrote", &wrote).await;
            let wrote_at = format!(
                "UPDATE conversations SET customer_wrote_at = now() - interval '{hours} hours' WHERE id = '{conversation}'"
            );
            shop.rows.change(&wrote_at).await;
        };
        hours(30).await;
        let answer = shop.reply(conversation).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        assert_eq!(shop.given(&channel).last().unwrap()["tag"], "HUMAN_AGENT");
        shop.told_until("message.read", answer.text("/message/id")).await;

        hours(200).await;
        let given = shop.given(&channel).len();
        let refused = shop.reply(conversation).await;
        refused.assert_refused(422, "whatsapp_rejected", &json!({ "whatsappCode": 10 }), channel.name);
        assert_eq!(shop.given(&channel).len(), given);
        let messages = shop.api.get(&format!("/v1/conversations/{conversation}/messages")).await;
        assert_eq!(messages.text("/data/0/content"), ANSWER, "it stays in the conversation");
        assert_eq!(messages.body["data"].as_array().unwrap().len(), 3);
    }
}

#[tokio::test]
async fn what_the_team_writes_in_the_networks_own_app_is_the_teams() {
    let shop = Shop::new().await;
    for channel in [whatsapp(), messenger(), instagram()] {
        let [created, _] = shop.begin(&channel).await;
        let message = match channel.name {
            "whatsapp" => json!({ "type": "text", "text": { "body": ANSWER } }),
            _ => json!({ "text": ANSWER }),
        };
        let echo = json!({ "channelId": channel.id, "to": channel.person["from"], "message": message });
        let posted = shop.world.control(Method::POST, "echoes", &echo).await;
        assert_eq!(posted["webhook"], json!({ "status": 200 }), "{}", channel.name);
        // Until it is clear that it is no send of ours whose answer is late. What is just being handled is
        // left alone.
        eventually("no echo that waits", async || {
            let long_ago = "UPDATE journal SET received_at = now() - interval '1 minute', due_at = now()
                            WHERE due_at < now() + interval '30 seconds'";
            shop.rows.change(long_ago).await;
            (shop.rows.count("messages WHERE role = 'team'").await > 0).then_some(())
        })
        .await;
        let sent = shop.world.receiver.next_of("message.sent").await;
        assert_eq!((sent.text("/data/message/role"), sent.text("/data/message/content")), ("team", ANSWER));
        assert_eq!(sent.text("/data/conversationId"), created.text("/data/conversation/id"));
        shop.rows.change("DELETE FROM messages WHERE role = 'team'").await;
    }
    assert_eq!(shop.rows.count("contacts").await, 3, "nobody twice");
}

#[tokio::test]
async fn a_post_of_a_thousand_that_comes_twice_and_in_disorder_is_recorded_once() {
    let shop = Shop::new().await;
    let mut written = 0;
    for (channels, people, messages) in
        [(vec![whatsapp().id], 50, 20), (vec![messenger().id, instagram().id], 10, 5)]
    {
        let traffic = json!({
            "channelIds": channels, "people": people, "messages": messages, "perPost": 1000, "copies": 2,
            "shuffled": true, "seed": 7, "forged": 3,
        });
        let told = shop.world.control(Method::POST, "traffic", &traffic).await;
        let forged = 3 * channels.len();
        assert_eq!(
            told["posts"].as_u64(),
            told["taken"].as_u64().map(|taken| taken + forged as u64),
            "{told}"
        );
        written += i64::try_from(channels.len()).unwrap() * people * messages;
    }
    eventually("an empty journal", async || (shop.rows.count("journal").await == 0).then_some(())).await;
    let counts = shop.rows.counts(&["messages", "contacts", "conversations", "quarantine"]).await;
    let wanted = [("contacts", 70), ("conversations", 70), ("messages", written), ("quarantine", 0)];
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        wanted.map(|(table, count)| (table.to_owned(), count))
    );
    assert_eq!(shop.rows.count("deliveries").await, written + 70, "each told of once");
    let unlike = "messages WHERE content NOT LIKE 'Message % of person %'";
    assert_eq!(shop.rows.count(unlike).await, 0);
}
