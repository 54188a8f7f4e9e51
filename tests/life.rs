//! The life of a conversation, as a team at its dashboard makes it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, World};

/// The shop's ordinary number, by its id at the network.
pub(crate) const NUMBER: &str = "106540352242922";
pub(crate) const CUSTOMER: &str = "+9647701234567";
pub(crate) const SALES: &str = "0192f0c1-7a00-7000-8000-0000000000a1";

/// A team of two with a customer who has written.
pub(crate) struct Team {
    pub(crate) world: World,
    pub(crate) owner: Browser,
    pub(crate) agent: Browser,
    /// The members' ids.
    pub(crate) owner_id: String,
    pub(crate) agent_id: String,
    pub(crate) conversation: String,
    /// The customer, as events have it.
    customer: Value,
}

impl Team {
    pub(crate) async fn new() -> Self {
        let world = World::new().await;
        let joined = async |email: &str, role: &str| {
            let (base_url, secrets) = (world.service.base_url(), &world.secrets);
            Browser::joined(base_url, secrets, &world.workspace, email, role).await
        };
        let owner = joined("owner@palm.example", "owner").await;
        let agent = joined("agent@palm.example", "agent").await;
        let (owner_id, agent_id) = (owner.member_id().await, agent.member_id().await);
        let rows = world.rows().await;
        rows.change(&format!(
            "INSERT INTO groups VALUES ('{0}', '{SALES}', 'Sales', now());
             INSERT INTO group_members VALUES ('{0}', '{SALES}', '{agent_id}')",
            world.workspace
        ))
        .await;
        says(&world, "متوفر؟").await;
        let created = world.receiver.next_of("conversation.created").await;
        assert_eq!(created.body["data"]["reopened"], json!(false));
        let conversation = created.text("/data/conversation/id").to_owned();
        let customer = created.body["data"]["customer"].clone();
        Self { world, owner, agent, owner_id, agent_id, conversation, customer }
    }

    pub(crate) async fn moves(&self, by: &Browser, asked: &Value) -> Answer {
        by.post(&format!("/conversations/{}/moves", self.conversation), asked).await
    }

    /// Checks that the next event of this type describes the conversation exactly as the team sees it now.
    pub(crate) async fn assert_told(&self, kind: &str, more: &Value) {
        let told = self.world.receiver.next_of(kind).await;
        let seen = self.owner.get(&format!("/conversations/{}", self.conversation)).await.body;
        let mut conversation = seen["conversation"].clone();
        let contact = conversation.as_object_mut().unwrap().remove("contactId").unwrap();
        conversation["customerId"] = contact;
        let mut data = json!({ "conversation": conversation, "customer": self.customer });
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(told.body["data"], data, "{kind}");
    }

    /// Lists the conversation's system messages, oldest first.
    pub(crate) async fn system_messages(&self) -> Vec<String> {
        let page = self.owner.get(&format!("/conversations/{}/messages", self.conversation)).await;
        let rows = page.body["data"].as_array().unwrap();
        let own = rows.iter().rev().filter(|row| row["role"] == "system");
        own.map(|row| row["content"].as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) async fn says(world: &World, text: &str) {
    let message = json!({ "type": "text", "text": { "body": text } });
    let written = json!({ "phoneNumberId": NUMBER, "from": CUSTOMER, "name": "Sara", "message": message });
    world.control(Method::POST, "inbound", &written).await;
}

#[tokio::test]
async fn every_move_is_told_once_exactly_as_the_team_sees_it() {
    let team = Team::new().await;
    let manual = json!({ "reason": "manual" });
    let place = |answer: &Answer| {
        let conversation = &answer.body["conversation"];
        (
            answer.status,
            conversation["status"].clone(),
            conversation["assignedTo"].clone(),
            conversation["group"]["id"].clone(),
        )
    };
    let (owner, agent, none) = (json!(team.owner_id), json!(team.agent_id), Value::Null);
    let sales = json!(SALES);

    for (asked, status, holder, group, told) in [
        (json!({ "do": "take" }), "open", &owner, &none, "conversation.assigned"),
        (json!({ "do": "assign", "memberId": agent }), "open", &agent, &none, "conversation.assigned"),
        (
            json!({ "do": "sendToGroup", "groupId": SALES }),
            "open",
            &none,
            &sales,
            "conversation.sent_to_group",
        ),
        (json!({ "do": "return" }), "bot", &none, &sales, "conversation.returned"),
        (json!({ "do": "handOver" }), "open", &none, &sales, "conversation.assigned"),
        (json!({ "do": "close" }), "closed", &none, &sales, "conversation.closed"),
    ] {
        let moved = team.moves(&team.owner, &asked).await;
        let wanted = (200, json!(status), holder.clone(), group.clone());
        assert_eq!(place(&moved), wanted, "{asked}: {moved:?}");
        assert_eq!(moved.body["changed"], true, "{asked}");
        team.assert_told(told, &manual).await;
        // What is there already is told to nobody.
        let again = team.moves(&team.owner, &asked).await;
        assert_eq!((again.status, &again.body["changed"]), (200, &json!(false)), "{asked}");
    }

    says(&team.world, "مرحبا").await;
    team.assert_told("conversation.created", &json!({ "reopened": true })).await;
    let out = team.moves(&team.owner, &json!({ "do": "takeOutOfGroups" })).await;
    assert_eq!(place(&out), (200, json!("bot"), none.clone(), none.clone()));
    let to_agent = json!({ "do": "sendToMember", "groupId": SALES, "memberId": agent });
    assert_eq!(place(&team.moves(&team.owner, &to_agent).await), (200, json!("open"), agent, sales));
    // The order in which they arrive is open; each stands for the whole move.
    let mut kinds = Vec::new();
    while kinds.len() < 2 {
        let delivery = team.world.receiver.next().await;
        if ["conversation.sent_to_group", "conversation.assigned"].contains(&delivery.kind()) {
            assert_eq!(delivery.text("/data/conversation/assignedTo"), team.agent_id);
            assert_eq!(delivery.text("/data/conversation/group/name"), "Sales");
            kinds.push(delivery.kind().to_owned());
        }
    }
    kinds.sort();
    assert_eq!(kinds, ["conversation.assigned", "conversation.sent_to_group"]);
    let system_messages = [
        "assigned",
        "assigned",
        "sent_to_group: Sales",
        "returned",
        "assigned",
        "closed",
        "taken_out_of_groups",
        "sent_to_group: Sales",
        "assigned",
    ];
    assert_eq!(team.system_messages().await, system_messages);
}

#[tokio::test]
async fn a_move_is_undone_by_whoever_made_it_as_long_as_nothing_else_has_happened() {
    let team = Team::new().await;
    let path = format!("/conversations/{}", team.conversation);
    let newest = async || {
        let page = team.owner.get(&format!("{path}/messages?limit=1")).await;
        json!({ "do": "undo", "messageId": page.body["data"][0]["id"] })
    };
    let undo_by = async |by: &Browser, asked: &Value, what: &str| {
        team.moves(by, asked).await.assert_refused(409, "moved_on", &json!({}), what);
    };
    undo_by(&team.agent, &newest().await, "the customer's message").await;
    for asked in [json!({ "do": "take" }), json!({ "do": "close" })] {
        assert_eq!(team.moves(&team.agent, &asked).await.status, 200, "{asked}");
    }
    let closed = newest().await;
    undo_by(&team.owner, &closed, "what another has done").await;
    let back = team.moves(&team.agent, &closed).await;
    assert_eq!(back.body["conversation"]["status"], "open", "{back:?}");
    assert_eq!(back.text("/conversation/assignedTo"), team.agent_id);
    undo_by(&team.agent, &closed, "what is undone already").await;
    team.moves(&team.agent, &json!({ "do": "close" })).await;
    let closed = newest().await;
    says(&team.world, "Hello?").await;
    team.assert_told("conversation.created", &json!({ "reopened": true })).await;
    undo_by(&team.agent, &closed, "the customer has gone on").await;
    assert_eq!(team.system_messages().await, ["assigned", "closed", "assigned", "closed"]);
}

#[tokio::test]
async fn of_two_who_take_a_conversation_at_one_instant_one_has_it_and_the_other_is_told_who() {
    let team = Team::new().await;
    let take = json!({ "do": "take" });
    let (owner, agent) = tokio::join!(team.moves(&team.owner, &take), team.moves(&team.agent, &take));
    let (winner, won, lost) =
        if owner.status == 200 { (&team.owner_id, &owner, &agent) } else { (&team.agent_id, &agent, &owner) };
    assert_eq!(won.text("/conversation/assignedTo"), winner, "{won:?}");
    lost.assert_refused(409, "held_by_another", &json!({ "memberId": winner }), "who came second");
    assert_eq!(team.system_messages().await, ["assigned"]);
    team.assert_told("conversation.assigned", &json!({ "reason": "manual" })).await;
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_word() {
    let team = Team::new().await;
    let nobody = "0192f0c1-7a00-7000-8000-0000000000ff";
    for (asked, status, code) in [
        (json!({ "do": "assign", "memberId": nobody }), 404, "member_not_found"),
        (json!({ "do": "sendToGroup", "groupId": nobody }), 404, "group_not_found"),
        (json!({ "do": "sendToMember", "groupId": SALES, "memberId": team.owner_id }), 409, "not_in_group"),
    ] {
        let refused = team.moves(&team.agent, &asked).await;
        refused.assert_refused(status, code, &json!({}), &asked.to_string());
    }
    for wrong in [json!({}), json!({ "do": "explode" }), json!({ "do": "take", "memberId": nobody })] {
        team.moves(&team.agent, &wrong).await.assert_error(400, &wrong.to_string());
    }
    assert_eq!(team.system_messages().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_member_replies_in_their_own_name_and_tags_the_conversation() {
    let team = Team::new().await;
    let messages = format!("/conversations/{}/messages", team.conversation);
    let replied = team.agent.post(&messages, &json!({ "text": "نعم، متوفر" })).await;
    assert_eq!(replied.status, 201, "{replied:?}");
    assert_eq!(replied.text("/message/senderId"), team.agent_id);
    let sent = team.world.receiver.next_of("message.sent").await;
    assert_eq!(sent.text("/data/message/id"), replied.text("/message/id"));
    let page = team.agent.get(&messages).await;
    assert_eq!(page.message("/data/0"), replied.message("/message"));

    let tags = format!("/conversations/{}/tags", team.conversation);
    for (tag, wanted) in
        [("VIP", json!(["VIP"])), ("vip", json!(["VIP"])), ("a/b & c", json!(["VIP", "a/b & c"]))]
    {
        assert_eq!(team.agent.post(&tags, &json!({ "tag": tag })).await.body["tags"], wanted, "{tag}");
    }
    let removed = team.agent.delete(&format!("{tags}?tag=A%2FB%20%26%20c")).await;
    assert_eq!(removed.body["tags"], json!(["VIP"]), "{removed:?}");
    for number in 1..20 {
        assert_eq!(team.agent.post(&tags, &json!({ "tag": format!("tag {number}") })).await.status, 200);
    }
    let over = team.agent.post(&tags, &json!({ "tag": "one more" })).await;
    over.assert_refused(409, "too_many_tags", &json!({}), "the twenty-first");
    team.agent.post(&tags, &json!({ "tag": " " })).await.assert_error(400, "a blank tag");
    team.agent.delete(&tags).await.assert_error(400, "no tag named");
}
