//! Events that browsers receive at once.

use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};

use super::life;
use crate::{
    life::{Team, says},
    support::{Answer, Browser, Listening, SHOP, Service, Visitor, eventually},
};

/// Everything that is heard until the conversation has changed so often.
async fn until_changed(listening: &mut Listening, times: usize) -> Vec<(String, String, Value)> {
    let (mut heard, mut changed) = (Vec::new(), 0);
    while changed < times {
        let event = listening.next().await.expect("one more event");
        changed += usize::from(event.1 == "conversation.changed");
        heard.push(event);
    }
    heard
}

/// The browsers of the owner and of the agent, to which the stream is open.
async fn both(team: &Team) -> (Listening, Listening) {
    let mut both = [Listening::new(&team.owner, None).await, Listening::new(&team.agent, None).await];
    for listening in &mut both {
        assert_eq!(listening.next().await.unwrap().1, "open");
    }
    both.into()
}

/// Takes the next event, which has this name and no other contents.
async fn next(listening: &mut Listening, wanted: &str) {
    let (_, name, data) = listening.next().await.unwrap();
    assert_eq!((&*name, data), (wanted, json!({})));
}

/// Takes the next event except those about accounts, which are loaded with their templates.
async fn next_but_for_accounts(listening: &mut Listening, wanted: &str) {
    loop {
        let (_, name, data) = listening.next().await.unwrap();
        if name != "channels.changed" {
            assert_eq!((&*name, data), (wanted, json!({})));
            return;
        }
    }
}

/// The network lists a template with this state, and tells the service.
async fn judge(team: &Team, status: &str) {
    let row = json!({
        "name": "parcel_here", "language": "en", "status": status, "category": "UTILITY",
        "rejected_reason": "NONE", "components": [{ "type": "BODY", "text": "Your parcel is here." }],
    });
    let listed = json!({ "accountId": SHOP, "notify": true, "templates": [row] });
    team.world.control(Method::PUT, "templates", &listed).await;
}

async fn tag(team: &Team, text: &str) {
    let tagged =
        team.owner.post(&format!("/conversations/{}/tags", team.conversation), &json!({ "tag": text })).await;
    assert_eq!(tagged.status, 200, "{tagged:?}");
}

#[tokio::test]
async fn of_two_browsers_that_take_at_one_instant_one_wins_and_both_hear_the_same() {
    let team = Team::new().await;
    let (mut owner, mut agent) = both(&team).await;
    let path = format!("/conversations/{}/moves", team.conversation);
    let take = json!({ "do": "take" });
    let (first, second) = join(team.owner.post(&path, &take), team.agent.post(&path, &take)).await;
    let (winner, taken, refused) =
        if first.status == 200 { (&team.owner_id, first, second) } else { (&team.agent_id, second, first) };
    assert_eq!((taken.status, taken.text("/conversation/assignedTo")), (200, &**winner));
    refused.assert_refused(409, "held_by_another", &json!({ "memberId": winner }), "the other");

    says(&team.world, "ومتى تغلقون؟").await;
    eventually("the customer's question", async || {
        let page = team.owner.get(&format!("/conversations/{}/messages", team.conversation)).await;
        let rows = page.body["data"].as_array().unwrap();
        (rows.iter().filter(|row| row["role"] == "customer").count() == 2).then_some(())
    })
    .await;
    let reply = team
        .agent
        .post(&format!("/conversations/{}/messages", team.conversation), &json!({ "text": "10" }))
        .await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let id = reply.text("/message/id").to_owned();
    life(&team.owner, &id, |life| life["sending"]["status"] == "read").await;
    tag(&team, "done").await;

    let (heard, same) = join(until_changed(&mut owner, 2), until_changed(&mut agent, 2)).await;
    assert_eq!(heard, same);
    let of = |kind: &str, message: Option<&str>| {
        let data = |data: &Value| message.is_none_or(|message| data["messageId"] == message);
        heard.iter().filter(|(_, name, body)| name == kind && data(body)).count()
    };
    assert_eq!((of("conversation.changed", None), of("message.recorded", None)), (2, 2), "{heard:?}");
    assert_eq!(of("message.recorded", Some(&id)), 1);
    assert!(of("message.status", Some(&id)) >= 1, "{heard:?}");
    assert!(heard.iter().all(|(_, _, body)| body["conversationId"] == *team.conversation), "{heard:?}");
}

#[tokio::test]
async fn the_first_stream_of_a_workspace_begins_with_now() {
    let team = Team::new().await;
    tag(&team, "before").await;
    let rows = team.world.rows().await;
    let (changes, feeds) = (rows.count("live_changes").await, rows.count("live_feeds").await);
    assert!(changes > 0 && feeds == 0, "{changes} changes of which nobody was told yet, {feeds} feeds");
    // Some clients say with an empty header that they have heard of nothing.
    for (heard, text) in [(None, "after"), (Some(""), "later")] {
        let mut listening = Listening::new(&team.owner, heard).await;
        let (now, told, _) = listening.next().await.unwrap();
        assert_eq!(told, "open");
        tag(&team, text).await;
        let first = listening.next().await.unwrap();
        let number = |id: &str| id.split_once('-').unwrap().1.parse::<i64>().unwrap();
        assert!(number(&now) >= changes, "{now}");
        assert_eq!((number(&first.0), &*first.1), (number(&now) + 1, "conversation.changed"));
    }
}

#[tokio::test]
async fn whoever_comes_back_to_another_node_hears_what_they_missed_and_then_what_happens() {
    let team = Team::new().await;
    let mut listening = Listening::new(&team.owner, None).await;
    let (place, opened, _) = listening.next().await.unwrap();
    assert_eq!(opened, "open");
    tag(&team, "one").await;
    let (heard, ..) = listening.next().await.unwrap();
    drop(listening);
    tag(&team, "two").await;
    tag(&team, "three").await;

    let other = Service::start(&team.world.secrets).await;
    let mut there = Browser::new(other.base_url());
    there.cookie.clone_from(&team.owner.cookie);
    let mut back = Listening::new(&there, Some(&heard)).await;
    let missed = until_changed(&mut back, 2).await;
    tag(&team, "four").await;
    let live = until_changed(&mut back, 1).await;
    let mut all = Listening::anew(&there, &place).await;
    let every = until_changed(&mut all, 4).await;
    assert_eq!(every[1..], [missed, live].concat());

    for unknown in ["nonsense", "00000000000000000000000000000007-1"] {
        let mut lost = Listening::new(&there, Some(unknown)).await;
        let (now, told, _) = lost.next().await.unwrap();
        assert_eq!((&now, &*told), (&every[3].0, "reset"), "{unknown}");
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_session_and_when_the_service_stops() {
    let mut team = Team::new().await;
    let mut agent = Listening::new(&team.agent, None).await;
    let mut owner = Listening::new(&team.owner, None).await;
    assert_eq!(agent.next().await.unwrap().1, "open");
    assert_eq!(owner.next().await.unwrap().1, "open");
    let out = team.agent.post("/sign-out", &json!({})).await;
    assert!(out.status < 300, "{out:?}");
    assert_eq!(agent.next().await, None);
    let refused = team.agent.request(Method::GET, "/events").send().await.unwrap();
    assert_eq!(refused.status(), 401);
    assert!(team.world.service.terminate());
    assert_eq!(owner.next().await, None);
}

#[tokio::test]
async fn a_session_has_ten_streams_at_once_and_one_that_ends_makes_room() {
    let team = Team::new().await;
    let mut open = Vec::new();
    for _ in 0..10 {
        let mut listening = Listening::new(&team.owner, None).await;
        assert_eq!(listening.next().await.unwrap().1, "open");
        open.push(listening);
    }
    let refused = Answer::to(team.owner.request(Method::GET, "/events")).await;
    refused.assert_refused(429, "too_many_streams", &json!({}), "the eleventh");
    // Another session is not kept out by it, not even of the same member.
    let mut elsewhere = Browser::new(team.world.service.base_url());
    assert_eq!(elsewhere.sign_in("owner@palm.example").await.status, 200);
    Listening::new(&elsewhere, None).await;

    drop(open.pop());
    eventually("room for one more", async || {
        let begun = team.owner.request(Method::GET, "/events").send().await.unwrap();
        (begun.status() == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn who_goes_from_page_to_page_never_has_too_many_streams() {
    let team = Team::new().await;
    for page in 0..40 {
        let begun = team.owner.request(Method::GET, "/events").send().await.unwrap();
        assert_eq!(begun.status(), 200, "on page {page}");
        // The page is left, and its connection is gone.
    }
}

#[tokio::test]
async fn changes_of_groups_and_of_the_workspace_are_told() {
    let team = Team::new().await;
    let mut agent = Listening::new(&team.agent, None).await;
    assert_eq!(agent.next().await.unwrap().1, "open");
    let added = team.owner.post("/groups", &json!({ "name": "Night shift" })).await;
    assert_eq!(added.status, 201, "{added:?}");
    next(&mut agent, "groups.changed").await;
    let member = format!("/groups/{}/members/{}", added.text("/id"), team.agent_id);
    let put = Answer::to(team.owner.request(Method::PUT, &member)).await;
    assert_eq!(put.status, 204, "{put:?}");
    next(&mut agent, "groups.changed").await;
    assert_eq!(team.owner.patch("/workspace", &json!({ "locale": "en" })).await.status, 200);
    next(&mut agent, "workspace.changed").await;
    team.world.plan(&["--limit", "5"]);
    next(&mut agent, "workspace.changed").await;
}

#[tokio::test]
async fn of_what_owners_alone_may_look_at_agents_do_not_hear_and_whoever_becomes_one_does() {
    let team = Team::new().await;
    let (mut owner, mut agent) = both(&team).await;
    let make = async |path: &str, body: Value| {
        let made = team.owner.post(path, &body).await;
        assert_eq!(made.status, 201, "{path} {made:?}");
    };
    let key = json!({ "label": "Shop", "scopes": ["contacts:read"] });
    let reply = |shortcut: &str| json!({ "shortcut": shortcut, "text": "From 9 to 17." });
    make("/api-keys", key.clone()).await;
    make("/invitations", json!({ "email": "nour@palm.example", "role": "agent" })).await;
    let rule = json!({ "when": { "words": ["price"] }, "then": [{ "do": "close" }] });
    make("/automations", json!({ "name": "prices", "enabled": true, "rule": rule })).await;
    make("/canned-replies", reply("hours")).await;
    next(&mut owner, "api_keys.changed").await;
    next(&mut owner, "invitations.changed").await;
    next(&mut owner, "automations.changed").await;
    next(&mut owner, "canned_replies.changed").await;
    next(&mut agent, "canned_replies.changed").await;

    // The role that counts is that of the moment, in a stream that has begun long before.
    let member = format!("/members/{}", team.agent_id);
    for (role, hears) in [("owner", true), ("agent", false)] {
        let changed = team.owner.patch(&member, &json!({ "role": role })).await;
        assert!(changed.status < 300, "{changed:?}");
        make("/api-keys", key.clone()).await;
        make("/canned-replies", reply(role)).await;
        for (listening, hears) in [(&mut owner, true), (&mut agent, hears)] {
            next(listening, "team.changed").await;
            if hears {
                next(listening, "api_keys.changed").await;
            }
            next(listening, "canned_replies.changed").await;
        }
    }
}

#[tokio::test]
async fn owners_alone_hear_of_templates_that_are_others_and_of_what_is_set_of_the_assistant() {
    let team = Team::new().await;
    let (mut owner, mut agent) = both(&team).await;
    for status in ["REJECTED", "APPROVED"] {
        judge(&team, status).await;
        next_but_for_accounts(&mut owner, "templates.changed").await;
    }
    // A reading that finds nothing new tells nothing.
    team.world.operator(&["account", "sync", &team.world.workspace, "--id", SHOP]);
    let set = team.owner.put("/assistant", &json!({ "mode": "off", "dailyTokens": 90_000 })).await;
    assert_eq!(set.status, 200, "{set:?}");
    next_but_for_accounts(&mut owner, "assistant.changed").await;
    let reply = json!({ "shortcut": "hours", "text": "From 9 to 17." });
    assert_eq!(team.owner.post("/canned-replies", &reply).await.status, 201);
    next_but_for_accounts(&mut owner, "canned_replies.changed").await;
    next_but_for_accounts(&mut agent, "canned_replies.changed").await;
}

#[tokio::test]
async fn an_account_that_is_disconnected_and_what_messages_cost_is_told() {
    let team = Team::new().await;
    let mut agent = Listening::new(&team.agent, None).await;
    assert_eq!(agent.next().await.unwrap().1, "open");
    let prices = json!({ "currency": "USD", "prices": { "marketing": "0.0258" } });
    let set = team.owner.put("/broadcast-prices", &prices).await;
    assert!(set.status < 300, "{set:?}");
    next_but_for_accounts(&mut agent, "broadcasts.changed").await;
    let listed = team.owner.get("/accounts").await;
    let rows = listed.body["rows"].as_array().unwrap();
    let account = rows.iter().find(|row| row["networkId"] == SHOP).unwrap()["id"].as_str().unwrap();
    let gone = team.owner.delete(&format!("/accounts/{account}")).await;
    assert!(gone.status < 300, "{gone:?}");
    next(&mut agent, "channels.changed").await;
}

#[tokio::test]
async fn what_a_member_reads_their_own_browsers_hear_of_and_nobody_else_s() {
    let team = Team::new().await;
    let (mut owner, mut agent) = both(&team).await;
    let conversation = format!("/conversations/{}", team.conversation);
    let page = team.owner.get(&format!("{conversation}/messages")).await;
    let seen = json!({ "messageId": page.body["data"][0]["id"] });
    for _ in 0..2 {
        let marked = team.owner.put(&format!("{conversation}/seen"), &seen).await;
        assert_eq!(marked.status, 200, "{marked:?}");
    }
    tag(&team, "read").await;
    let heard = until_changed(&mut owner, 2).await;
    assert_eq!(heard[0].2, json!({ "conversationId": team.conversation, "readByYou": true }));
    let tagged = json!({ "conversationId": team.conversation });
    assert_eq!((&heard[1].2, heard.len()), (&tagged, 2), "once, since the second time is no news");
    let others = until_changed(&mut agent, 1).await;
    assert_eq!((&others[0].2, others.len()), (&tagged, 1), "of the tag alone");
}

#[tokio::test]
async fn that_a_mention_was_seen_the_member_s_own_browsers_hear_and_nobody_else_s() {
    let team = Team::new().await;
    let conversation = format!("/conversations/{}", team.conversation);
    let page = team.owner.get(&format!("{conversation}/messages")).await;
    let seen = json!({ "messageId": page.body["data"][0]["id"] });
    assert_eq!(team.agent.put(&format!("{conversation}/seen"), &seen).await.status, 200);
    let note = json!({ "text": "ask the stock", "mentions": [team.agent_id] });
    assert_eq!(team.owner.post(&format!("{conversation}/notes"), &note).await.status, 201);
    let (mut owner, mut agent) = both(&team).await;
    for _ in 0..2 {
        assert_eq!(team.agent.delete(&format!("{conversation}/mentions")).await.status, 204);
    }
    tag(&team, "seen").await;
    let heard = until_changed(&mut agent, 2).await;
    assert_eq!(heard[0].2, json!({ "conversationId": team.conversation, "readByYou": true }));
    let tagged = json!({ "conversationId": team.conversation });
    assert_eq!((&heard[1].2, heard.len()), (&tagged, 2), "once, since the second time is no news");
    let others = until_changed(&mut owner, 1).await;
    assert_eq!((&others[0].2, others.len()), (&tagged, 1), "of the tag alone");
}

#[tokio::test]
async fn nobody_hears_of_another_workspace() {
    let team = Team::new().await;
    let (workspace, _) = team.world.neighbour();
    let base_url = team.world.service.base_url();
    let neighbour = Browser::joined(base_url, &team.world.secrets, &workspace, "n@n.example", "owner").await;
    let mut there = Listening::new(&neighbour, None).await;
    assert_eq!(there.next().await.unwrap().1, "open");
    let mut here = Listening::new(&team.owner, None).await;
    assert_eq!(here.next().await.unwrap().1, "open");
    tag(&team, "ours").await;
    until_changed(&mut here, 1).await;
    // What the neighbour hears first is of their own.
    let rows = team.world.rows().await;
    let own = "0192f0c1-7a00-7000-8000-0000000000f9";
    rows.change(&format!(
        "INSERT INTO live_changes (workspace_id, kind, conversations, messages)
         VALUES ('{workspace}', 'conversation.changed', ARRAY['{own}'::uuid], ARRAY[NULL::uuid])"
    ))
    .await;
    assert_eq!(there.next().await.unwrap().2["conversationId"], own);
}

#[tokio::test]
async fn a_page_says_from_where_it_has_to_be_told_so_that_nothing_is_missed_or_looked_for_again() {
    let team = Team::new().await;
    let mut visitor = Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await;
    let page = format!("/dashboard/inbox/{}", team.conversation);
    let place = |html: &str| Some(html.split_once("data-feed=\"")?.1.split_once('"')?.0.to_owned());
    assert_eq!(place(&visitor.get(&page).await.html), None, "nobody listens yet");
    let mut first = Listening::new(&team.owner, None).await;
    assert_eq!(first.next().await.unwrap().1, "open");
    tag(&team, "before").await;
    assert_eq!(first.next().await.unwrap().1, "conversation.changed");

    let made = place(&visitor.get(&page).await.html).expect("somebody listens");
    tag(&team, "behind it").await;
    let (told, name, _) = first.next().await.unwrap();
    assert_eq!(name, "conversation.changed");
    let mut listening = Listening::anew(&team.owner, &made).await;
    assert_eq!(listening.next().await.unwrap().0, told, "what was before it is not told");
    tag(&team, "later").await;
    assert_eq!(listening.next().await.unwrap().1, "conversation.changed");
}
