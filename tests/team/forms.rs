//! What members and owners set by forms, in a browser that runs no script: each is taken or comes back with
//! what was wrong.

use serde_json::json;

use crate::{
    life::Team,
    support::{Visitor, field},
};

async fn owner(team: &Team) -> Visitor {
    Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await
}

async fn agent(team: &Team) -> Visitor {
    Visitor::signed_in(team.world.service.base_url(), "agent@palm.example").await
}

/// The last part of the first link that begins like this.
fn id_behind(html: &str, link: &str) -> String {
    let (_, rest) = html.split_once(link).unwrap();
    rest.split(['"', '?', '/']).next().unwrap().to_owned()
}

#[tokio::test]
async fn an_owner_writes_changes_switches_and_removes_a_rule_by_forms() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/automations";
    let wrong = [("name", "Prices"), ("do-1", "reply"), ("text-1", "Soon <b>")];
    let refused = owner.post(path, &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(refused.html.contains("Choose at least one condition."), "{}", refused.html);
    assert!(refused.html.contains("Soon &#60;b&#62;"), "what was written is still there: {}", refused.html);

    let right = [&wrong[..], &[("words", "price\r\nكم السعر"), ("enabled", "on")]].concat();
    let added = owner.post(path, &right).await;
    assert_eq!((added.status, added.location.as_str()), (303, path), "{}", added.html);
    let kept = team.owner.get("/automations").await;
    let rule = &kept.body["rows"][0];
    assert_eq!(
        rule["rule"]["when"],
        json!({ "began": false, "words": ["price", "كم السعر"], "outsideHours": false })
    );
    assert_eq!(rule["rule"]["then"], json!([{ "do": "reply", "text": "Soon <b>" }]));
    let one = format!("{path}/{}", rule["id"].as_str().unwrap());

    let mut changed =
        vec![("do", "save"), ("name", "Prices"), ("began", "on"), ("do-1", "close"), ("do-2", "member:me")];
    let refused = owner.post(&one, &changed).await;
    assert!(refused.status == 422 && refused.html.contains("names nobody who is here"), "{}", refused.html);
    changed.pop();
    assert_eq!(owner.post(&one, &changed).await.status, 303);
    let kept = team.owner.get("/automations").await;
    assert_eq!(kept.body["rows"][0]["rule"]["then"], json!([{ "do": "close" }]));
    assert_eq!(kept.body["rows"][0]["enabled"], false);
    assert_eq!(owner.post(path, &right).await.status, 422, "two rules are not called alike");
    assert_eq!(owner.post(&one, &[("do", "on")]).await.status, 303);
    assert_eq!(team.owner.get("/automations").await.body["rows"][0]["enabled"], true);
    assert_eq!(owner.post(&one, &[("do", "remove")]).await.status, 303);
    assert_eq!(owner.post(&one, &[("do", "remove")]).await.status, 404);
    let gone = owner.post(&one, &changed).await;
    assert!(gone.status == 422 && gone.html.contains("id=\"add-rule\" data-typed"), "{}", gone.html);
    assert!(gone.html.contains("maxlength=\"50\" value=\"Prices\""), "it can be added anew: {}", gone.html);
}

#[tokio::test]
async fn what_was_written_of_a_canned_reply_or_a_group_that_is_gone_can_be_added_anew() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let gone = "/dashboard/canned-replies/0192f0c1-7a00-7000-8000-0000000000ff";
    let written = [("do", "save"), ("shortcut", "hours"), ("text", "نفتح من التاسعة")];
    let page = owner.post(gone, &written).await;
    assert!(page.status == 422 && page.html.contains("value=\"hours\""), "{}", page.html);
    assert!(page.html.contains("نفتح من التاسعة</textarea>"), "{}", page.html);
    assert_eq!(owner.post(gone, &[("do", "remove")]).await.status, 303, "it is removed");
    let gone = "/dashboard/settings/team/groups/0192f0c1-7a00-7000-8000-0000000000ff";
    let page = owner.post(gone, &[("name", "Night shift")]).await;
    assert!(page.status == 422 && page.html.contains("value=\"Night shift\""), "{}", page.html);
}

#[tokio::test]
async fn an_owner_sets_opening_hours_by_fields_for_days_and_times() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/automations";
    let hours = [
        ("idle-close", "1440"),
        ("has-hours", "on"),
        ("zone", "Asia/Baghdad"),
        ("monday-1-opens", "09:00"),
        ("monday-1-closes", "13:00"),
        ("monday-2-opens", "20:00"),
        ("monday-2-closes", "02:00"),
        ("friday-1-opens", "00:00"),
        ("friday-1-closes", "00:00"),
    ];
    let set = owner.post(&format!("{path}/settings"), &hours).await;
    assert_eq!((set.status, set.location.as_str()), (303, path), "{}", set.html);
    let kept = team.owner.get("/conversation-settings").await;
    assert_eq!(kept.body["idleClose"], 1440);
    let week = &kept.body["hours"]["week"];
    assert_eq!(week["monday"], json!([["09:00", "13:00"], ["20:00", "02:00"]]));
    assert_eq!(week["friday"], json!([["00:00", "24:00"]]));
    let page = owner.get(path).await;
    let zone = "zone\" dir=\"ltr\" autocapitalize=\"off\" spellcheck=\"false";
    assert_eq!(field(&page.html, zone), "Asia/Baghdad");
    let wrong = [("has-hours", "on"), ("zone", "Baghdad")];
    let refused = owner.post(&format!("{path}/settings"), &wrong).await;
    assert!(refused.status == 422 && refused.html.contains("no such time zone"), "{}", refused.html);
    assert_eq!(team.owner.get("/conversation-settings").await.body, kept.body, "nothing is half-kept");
}

#[tokio::test]
async fn opening_hours_that_are_typed_without_the_tick_count_and_go_when_the_tick_is_taken_away() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/automations";
    let settings = format!("{path}/settings");
    let page = owner.get(path).await;
    assert!(!page.html.contains("name=\"had-hours\""), "{}", page.html);
    let typed = [("zone", "Asia/Baghdad"), ("monday-1-opens", "09:00"), ("monday-1-closes", "17:00")];
    let half = owner.post(&settings, &typed[..2]).await;
    assert!(half.status == 422 && half.html.contains("value=\"09:00\""), "{}", half.html);
    assert_eq!(owner.post(&settings, &typed).await.status, 303);
    let kept = team.owner.get("/conversation-settings").await;
    assert_eq!(kept.body["hours"]["week"]["monday"], json!([["09:00", "17:00"]]), "{kept:?}");
    let page = owner.get(path).await;
    assert!(page.html.contains("name=\"has-hours\" value=\"on\" checked"), "{}", page.html);

    let had = [("had-hours", field(&page.html, "had-hours"))];
    let wrong = [&had[..], &typed, &[("idle-close", "soon")]].concat();
    let refused = owner.post(&settings, &wrong).await;
    assert_eq!((refused.status, field(&refused.html, "had-hours")), (422, "on"), "{}", refused.html);
    assert!(!refused.html.contains("name=\"has-hours\" value=\"on\" checked"), "{}", refused.html);
    assert_eq!(owner.post(&settings, &[&had[..], &typed].concat()).await.status, 303);
    let kept = team.owner.get("/conversation-settings").await;
    assert!(kept.body["hours"].is_null(), "{kept:?}");
}

#[tokio::test]
async fn an_owner_changes_where_events_go_and_sends_a_time_again() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/webhooks";
    let listed = owner.get(path).await;
    let one = format!("{path}/{}", id_behind(&listed.html, &format!("{path}/")));
    let kept = team.owner.get("/webhooks").await;
    let url = kept.body["rows"][0]["url"].as_str().unwrap().to_owned();

    let none = owner.post(&one, &[("do", "set"), ("url", &url)]).await;
    assert!(none.status == 422 && none.html.contains("Choose at least one event."), "{}", none.html);
    let inside = [("do", "set"), ("url", "http://192.0.2.1/x"), ("message.sent", "on")];
    let refused = owner.post(&one, &inside).await;
    assert!(refused.status == 422 && refused.html.contains("may not be called"), "{}", refused.html);
    assert_eq!(team.owner.get("/webhooks").await.body["rows"][0]["url"], url.as_str());
    let other = format!("{url}?moved");
    let set = owner.post(&one, &[("do", "set"), ("url", &other), ("message.sent", "on")]).await;
    assert_eq!((set.status, &set.location), (303, &one), "{}", set.html);
    let kept = team.owner.get("/webhooks").await;
    assert_eq!(
        (&kept.body["rows"][0]["url"], &kept.body["rows"][0]["events"]),
        (&json!(other), &json!(["message.sent"]))
    );

    let backwards = [("do", "window"), ("since", "2026-11-22T00:00"), ("until", "2026-11-21T00:00")];
    let refused = owner.post(&one, &backwards).await;
    assert!(refused.status == 422 && refused.html.contains("end after it begins"), "{}", refused.html);
    let begun = owner.post(&one, &[("do", "window"), ("since", "2020-01-01T00:00"), ("until", "")]).await;
    assert_eq!((begun.status, &begun.location), (303, &one), "{}", begun.html);
    let seconds = [("do", "window"), ("since", "2020-01-02T00:00:00"), ("until", "2020-01-03")];
    let begun = owner.post(&one, &seconds).await;
    assert_eq!((begun.status, &begun.location), (303, &one), "{}", begun.html);
    let page = owner.get(&one).await;
    for at in ["2020-01-02 00:00 +03:00", "2020-01-03 00:00 +03:00"] {
        assert!(page.html.contains(at), "{at}: {}", page.html);
    }
    assert!(
        page.html.contains("id=\"resends\"") && page.html.contains("2020-01-01 00:00 +03:00"),
        "{}",
        page.html
    );
}

#[tokio::test]
async fn an_owner_begins_with_what_is_still_to_be_done_and_sets_the_workspace_up() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let begins = owner.get("/dashboard").await;
    assert_eq!(
        (begins.status, begins.location.as_str()),
        (303, "/dashboard/inbox"),
        "nothing needed is missing"
    );
    let steps = owner.get("/dashboard/settings/start").await;
    assert!(steps.html.contains("Everything that is needed is there."), "{}", steps.html);
    team.world.rows().await.change("UPDATE channels SET disconnected_at = now()").await;
    let begins = owner.get("/dashboard").await;
    assert_eq!(begins.location, "/dashboard/settings/start");
    let mut agent = agent(&team).await;
    assert_eq!(agent.get("/dashboard").await.location, "/dashboard/inbox", "an agent has nothing to set up");

    let path = "/dashboard/settings/workspace";
    let right = [("do", "settings"), ("name", "Palm <Store>"), ("locale", "ar"), ("region", "iq")];
    for (name, value, sentence) in [
        ("name", " ", "1 to 200 characters"),
        ("locale", "arabic!", "no code of a language"),
        ("region", "ZZ", "no country&#39;s two letters"),
    ] {
        let mut wrong = right;
        for field in wrong.iter_mut().filter(|field| field.0 == name) {
            field.1 = value;
        }
        let refused = owner.post(path, &wrong).await;
        assert!(refused.status == 422 && refused.html.contains(sentence), "{name}: {}", refused.html);
        assert!(refused.html.contains(" aria-invalid=\"true\""), "{name}");
    }
    assert_eq!(owner.post(path, &right).await.status, 303);
    assert_eq!(team.owner.get("/workspace").await.body["name"], "Palm <Store>");
    let mistyped = owner.post(path, &[&right[..], &[("time-zone", "Berlin")]].concat()).await;
    assert!(mistyped.status == 422 && mistyped.html.contains("Europe/Berlin"), "{}", mistyped.html);
    assert_eq!(owner.post(path, &[&right[..], &[("time-zone", "Europe/Berlin")]].concat()).await.status, 303);
    assert!(owner.get("/dashboard/profile").await.html.contains("data-zone=\"Europe/Berlin\""));
    let hours = owner.get("/dashboard/settings/automations").await;
    assert!(hours.html.contains("value=\"Europe/Berlin\""), "new hours begin with it: {}", hours.html);
    for (by_mail, told) in [(None, false), (Some(("by-mail", "on")), true)] {
        let fields: Vec<_> = [("do", "resets")].into_iter().chain(by_mail).collect();
        assert_eq!(owner.post(path, &fields).await.status, 303);
        let page = owner.get(path).await.html;
        assert_eq!(page.contains("name=\"by-mail\" value=\"on\" checked"), told, "{page}");
    }
}

#[tokio::test]
async fn a_member_s_language_is_theirs_in_every_browser_and_a_stranger_s_stays_in_theirs() {
    let team = Team::new().await;
    let (mut one, mut other) = (agent(&team).await, agent(&team).await);
    let wrong = one.post("/dashboard/profile", &[("do", "language"), ("language", "xx")]).await;
    assert_eq!(wrong.status, 422, "{}", wrong.html);
    let chosen = one.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.html);
    for visitor in [&mut one, &mut other] {
        assert!(visitor.get("/dashboard/profile").await.html.contains("<html lang=\"ar\""));
    }
    let refused = other.get("/dashboard/settings/team").await;
    assert!(refused.status == 403 && refused.html.contains("<html lang=\"ar\""), "{}", refused.html);
    let mut owner = owner(&team).await;
    assert!(owner.get("/dashboard/profile").await.html.contains("<html lang=\"en\""), "a colleague's stays");

    let back = [("language", "en"), ("next", "/dashboard/profile")];
    assert_eq!(other.post("/dashboard/language", &back).await.location, "/dashboard/profile");
    let mut stranger = Visitor::new(team.world.service.base_url());
    assert_eq!(stranger.post("/dashboard/language", &[("language", "ar")]).await.status, 303);
    assert!(stranger.get("/dashboard/sign-in").await.html.contains("<html lang=\"ar\""));
    assert!(one.get("/dashboard/profile").await.html.contains("<html lang=\"en\""));
}

#[tokio::test]
async fn an_owner_keeps_groups_and_the_system_s_words_by_forms() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/team";
    let refused = owner.post(&format!("{path}/groups"), &[("name", " ")]).await;
    assert!(refused.status == 422 && refused.html.contains("role=\"alert\""), "{}", refused.html);
    assert_eq!(owner.post(&format!("{path}/groups"), &[("name", "Returns")]).await.status, 303);
    let groups = team.owner.get("/groups").await;
    let group =
        groups.body["rows"].as_array().unwrap().iter().find(|group| group["name"] == "Returns").unwrap();
    let one = format!("{path}/groups/{}", group["id"].as_str().unwrap());
    for fields in [
        [("in", team.agent_id.as_str())],
        [("name", "Refunds")],
        [("out", &team.agent_id)],
        [("do", "delete")],
    ] {
        let done = owner.post(&one, &fields).await;
        assert_eq!((done.status, done.location.as_str()), (303, path), "{fields:?} {}", done.html);
    }
    assert!(!team.owner.get("/groups").await.body.to_string().contains("Refunds"));

    let path = "/dashboard/settings/system";
    let words = owner.post(path, &[("do", "synonyms"), ("synonyms", "abaya، عباية\nphone, mobile")]).await;
    assert_eq!(words.status, 303, "{}", words.html);
    assert!(owner.get(path).await.html.contains("phone, mobile"));
    let refused =
        owner.post(path, &[("do", "connect"), ("base", "http://192.0.2.1/"), ("secret", "s")]).await;
    assert_eq!(refused.status, 422, "{}", refused.html);
    assert!(!refused.html.contains("value=\"s\""), "a secret never comes back");
}

#[tokio::test]
async fn an_owner_connects_reads_and_disconnects_channels_by_forms() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let path = "/dashboard/settings/channels";
    let wrong = [("network-id", "1"), ("token", "not the token")];
    let refused = owner.post(&format!("{path}/accounts"), &wrong).await;
    assert!(refused.status == 422 && !refused.html.contains("not the token"), "{}", refused.html);
    assert!(refused.html.contains("This is no token"), "{}", refused.html);
    for (action, fields, said) in [
        ("accounts", [("network-id", "one"), ("token", "token")], "a number of 1 to 32 digits"),
        ("accounts", [("network-id", "1"), ("token", "another")], "\u{2069} (1"),
        ("choose", [("offer", "none"), ("token", "")], "Tick at least one account or page."),
    ] {
        let refused = owner.post(&format!("{path}/{action}"), &fields).await;
        assert!(refused.status == 422 && refused.html.contains(said), "{action}: {}", refused.html);
    }
    let page = owner.get(path).await;
    let account = id_behind(&page.html, &format!("{path}/accounts/"));
    let one = format!("{path}/accounts/{account}");
    assert_eq!(owner.post(&one, &[("do", "read")]).await.status, 303);
    let templates = "/dashboard/settings/templates";
    let can_be_done =
        [format!("{templates}/write?accountId={account}"), format!("name=\"account\" value=\"{account}\"")];
    let listed = owner.get(templates).await;
    assert!(can_be_done.iter().all(|part| listed.html.contains(part)), "{}", listed.html);
    assert_eq!(owner.post(&one, &[("do", "disconnect")]).await.status, 303);
    let listed = owner.get(templates).await;
    assert!(listed.html.contains("order_ready"), "the templates are still shown: {}", listed.html);
    assert!(!can_be_done.iter().any(|part| listed.html.contains(part)), "{}", listed.html);
    assert!(listed.html.contains("Its account is not connected any more"), "{}", listed.html);
    assert_eq!(owner.post(&one, &[("do", "disconnect")]).await.status, 404);
}

#[tokio::test]
async fn several_conversations_are_moved_at_once_and_those_that_stay_are_told_of() {
    let team = Team::new().await;
    let mut visitor = agent(&team).await;
    let path = "/dashboard/inbox/moves";
    let chosen = format!("conversation-{}", team.conversation);
    let none = visitor.post(path, &[("do", "close")]).await;
    assert!(none.status == 422 && none.html.contains("No conversation is chosen."), "{}", none.html);
    assert!(
        none.html.contains("data-here=\"/dashboard/inbox\""),
        "it is not where it says it is: {}",
        none.html
    );
    let gone = "conversation-0192f0c1-7a00-7000-8000-0000000000ff";
    let some = visitor.post(path, &[("do", "take"), (&chosen, "on"), (gone, "on")]).await;
    assert!(some.status == 422 && some.html.contains("Moved: 1 / 2."), "{}", some.html);
    let seen = team.owner.get(&format!("/conversations/{}", team.conversation)).await;
    assert_eq!(seen.text("/conversation/assignedTo"), team.agent_id);
    let to = format!("member:{}", team.owner_id);
    let given =
        visitor.post(&format!("{path}?view=all"), &[("do", "give"), ("to", &to), (&chosen, "on")]).await;
    assert_eq!((given.status, given.location.as_str()), (303, "/dashboard/inbox?view=all"), "{}", given.html);
    assert_eq!(visitor.post(path, &[("do", "explode"), (&chosen, "on")]).await.status, 400);
    assert_eq!(visitor.post(path, &[("do", "close"), ("conversation-me", "on")]).await.status, 400);
}

#[tokio::test]
async fn a_message_that_failed_can_be_sent_anew_and_one_nobody_knows_of_is_explained() {
    let team = Team::new().await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let mut visitor = agent(&team).await;
    team.world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_047, "times": 1 }])).unwrap();
    let refused = visitor.post(&format!("{path}/reply"), &[("key", "first"), ("text", "Hello")]).await;
    assert!(refused.status == 422 && refused.html.contains("data-outcome=\"recorded\""), "{}", refused.html);
    assert!(refused.html.contains("data-retry"), "{}", refused.html);
    let (_, form) = refused.html.split_once("data-retry").unwrap();
    assert_eq!(field(form, "text"), "Hello");
    let key = field(form, "key").to_owned();
    assert_ne!(key, "first", "a failed message is sent anew");
    for _ in 0..2 {
        assert_eq!(
            visitor.post(&format!("{path}/reply"), &[("key", &key), ("text", "Hello")]).await.status,
            303
        );
    }
    let mut owner = owner(&team).await;
    let seen = owner.get(&path).await.html;
    let (_, form) = seen.split_once("data-retry").unwrap();
    assert_eq!(field(form, "key"), key, "whoever looks has the same key");
    let tried = owner.post(&format!("{path}/reply"), &[("key", &key), ("text", "Hello")]).await;
    assert_eq!((tried.status, team.world.simulator.messages().len()), (303, 1), "and once, whoever tries");
    let other = owner.post(&format!("{path}/reply"), &[("key", &key), ("text", "Goodbye")]).await;
    assert!(other.status == 422 && other.html.contains("sent before with other words"), "{}", other.html);
    let (_, form) = other.html.split_once("id=\"composer\"").unwrap();
    assert_ne!(field(form, "key"), key, "what is written anew can be sent");

    let lost = json!([{ "kind": "cut_after_accept", "times": 1 }, { "kind": "drop_statuses" }]);
    team.world.simulator.set_faults(&lost).unwrap();
    let unclear =
        owner.post(&format!("{path}/reply"), &[("key", "second"), ("text", "Are you there?")]).await;
    assert!(unclear.status == 422 && unclear.html.contains("data-outcome=\"unclear\""), "{}", unclear.html);
    let explained = id_behind(&unclear.html, "<a href=\"/dashboard/settings/messages/");
    assert_eq!(owner.get(&format!("/dashboard/settings/messages/{explained}")).await.status, 200);
    assert_eq!(
        field(unclear.html.split_once("id=\"composer\"").unwrap().1, "key"),
        "second",
        "the same key asks and sends nothing"
    );
    let asked = owner.post(&format!("{path}/reply"), &[("key", "second"), ("text", "Are you there?")]).await;
    assert!(asked.status == 422 && asked.html.contains("data-outcome=\"unclear\""), "{}", asked.html);
    assert_eq!(team.world.simulator.messages().len(), 2);
}

/// The card of a template.
fn card<'a>(html: &'a str, template: &str, language: &str) -> &'a str {
    let its = format!(
        "name=\"template\" value=\"{template}\"><input type=\"hidden\" name=\"language\" value=\"{language}\""
    );
    html.split("<section class=\"card\">")
        .find(|card| card.contains(&its))
        .unwrap_or_else(|| panic!("{html}"))
}

#[tokio::test]
async fn a_template_that_was_refused_keeps_its_values_and_one_that_nobody_knows_of_its_key() {
    let team = Team::new().await;
    let path = format!("/dashboard/inbox/{}/template", team.conversation);
    let mut visitor = agent(&team).await;
    let mut typed = vec![("template", "order_ready"), ("language", "ar"), ("key", "ready")];
    typed.push(("value-1", "سارة"));
    let refused = visitor.post(&path, &typed).await;
    let kept = card(&refused.html, "order_ready", "ar");
    assert!(refused.status == 422 && kept.contains("value=\"سارة\""), "{}", refused.html);
    assert_eq!(field(kept, "key"), "ready");
    assert_ne!(
        field(card(&refused.html, "store_hours", "ar"), "key"),
        "ready",
        "another is not what was posted"
    );

    typed.push(("value-2", "A-1042"));
    let lost = json!([{ "kind": "cut_after_accept", "times": 1 }, { "kind": "drop_statuses" }]);
    team.world.simulator.set_faults(&lost).unwrap();
    let unclear = visitor.post(&path, &typed).await;
    let kept = card(&unclear.html, "order_ready", "ar");
    assert!(unclear.status == 422 && kept.contains("value=\"A-1042\""), "{}", unclear.html);
    assert_eq!(field(kept, "key"), "ready", "the same key asks and sends nothing");
    let explained = id_behind(&unclear.html, "<a href=\"/dashboard/settings/messages/");
    assert_eq!(visitor.get(&format!("/dashboard/settings/messages/{explained}")).await.status, 200);
    assert_eq!(visitor.post(&path, &typed).await.status, 422);
    assert_eq!(team.world.simulator.messages().len(), 1);
    let mut corrected = typed.clone();
    corrected.retain(|(name, _)| *name != "value-2");
    corrected.push(("value-2", "A-1043"));
    let other_values = visitor.post(&path, &corrected).await;
    let kept = card(&other_values.html, "order_ready", "ar");
    assert!(other_values.status == 422 && kept.contains("value=\"A-1043\""), "{}", other_values.html);
    assert_ne!(field(kept, "key"), "ready", "its key has sent other values, and never sends these");
    assert_eq!(team.world.simulator.messages().len(), 1);

    let refusing = json!([{ "kind": "error", "code": 131_047, "times": 1 }]);
    team.world.simulator.set_faults(&refusing).unwrap();
    typed.retain(|(name, _)| *name != "key");
    typed.push(("key", "again"));
    let refused = visitor.post(&path, &typed).await;
    let kept = card(&refused.html, "order_ready", "ar");
    assert!(refused.status == 422 && kept.contains("value=\"A-1042\""), "{}", refused.html);
    assert_ne!(field(kept, "key"), "again", "another try is another message");
}

#[tokio::test]
async fn the_log_tells_what_was_changed_in_words_and_leads_to_it() {
    let team = Team::new().await;
    let mut agent = agent(&team).await;
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    assert_eq!(agent.post(&format!("{conversation}/tags"), &[("add", "VIP")]).await.status, 303);
    let mut owner = owner(&team).await;
    let log = owner.get("/dashboard/settings/log?action=conversation.tagged").await.html;
    assert!(log.contains(&format!("<a href=\"{conversation}\"><bdi>Conversation</bdi></a>")), "{log}");
    assert!(log.contains("Tag: <bdi>VIP</bdi>"), "{log}");
}

#[tokio::test]
async fn the_log_refuses_a_filter_that_cannot_be_read_and_takes_a_blank_one() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    assert_eq!(owner.post(&format!("{conversation}/tags"), &[("add", "VIP")]).await.status, 303);
    let tagged = "Tag: <bdi>VIP</bdi>";
    let blank = owner.get("/dashboard/settings/log?memberId=&action=&cursor=").await;
    assert!(blank.status == 200 && blank.html.contains(tagged), "{}", blank.html);
    for wrong in ["memberId=nobody", "action=conversation.eaten", "memberId=nobody&action=", "cursor=nowhere"]
    {
        let refused = owner.get(&format!("/dashboard/settings/log?{wrong}")).await;
        assert_eq!(refused.status, 400, "{wrong}");
        assert!(!refused.html.contains(tagged), "{wrong}: {}", refused.html);
        assert!(
            refused.html.contains("Something that you wrote cannot be taken like this."),
            "{}",
            refused.html
        );
    }
}

#[tokio::test]
async fn what_was_typed_stays_in_a_form_that_was_refused() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let canned = "/dashboard/canned-replies";
    let hours = [("shortcut", "hours"), ("text", "نفتح من العاشرة")];
    assert_eq!(owner.post(canned, &hours).await.status, 303);
    let page = owner.get(canned).await;
    let reply = id_behind(&page.html, "action=\"/dashboard/canned-replies/");
    let long = "م".repeat(300);
    let one = format!("{canned}/{reply}");
    let conversation = format!("/dashboard/inbox/{}", team.conversation);
    let (tags, name) = (format!("{conversation}/tags"), format!("{conversation}/name"));
    let kept = format!("value=\"{long}\"");
    for (path, fields, kept) in [
        (
            one.as_str(),
            &[("do", "save"), ("shortcut", "a b"), ("text", "نفتح من التاسعة")][..],
            "نفتح من التاسعة</textarea>",
        ),
        // What others change there meanwhile does not replace it.
        (
            one.as_str(),
            &[("do", "save"), ("shortcut", "a b"), ("text", "نفتح من التاسعة")],
            "\" data-typed method",
        ),
        (
            "/dashboard/settings/team/invitations",
            &[("email", "no address"), ("role", "owner")],
            "value=\"no address\"",
        ),
        (
            "/dashboard/settings/team/invitations",
            &[("email", "no address"), ("role", "owner")],
            "value=\"owner\" selected",
        ),
        ("/dashboard/settings/team/groups", &[("name", &*long)], kept.as_str()),
        ("/dashboard/settings/keys", &[("label", &*long), ("messages:send", "on")], kept.as_str()),
        (
            "/dashboard/settings/keys",
            &[("label", &*long), ("messages:send", "on")],
            "name=\"messages:send\" value=\"on\" checked",
        ),
        (
            "/dashboard/settings/webhooks",
            &[("url", "nothing"), ("message.sent", "on")],
            "name=\"message.sent\" value=\"on\" checked",
        ),
        (
            "/dashboard/settings/webhooks",
            &[("url", "nothing"), ("message.sent", "on")],
            "name=\"message.failed\" value=\"on\"> ",
        ),
        (tags.as_str(), &[("add", &*long)], kept.as_str()),
        (name.as_str(), &[("name", &*long)], kept.as_str()),
        // What is live is loaded anew, and what was typed would be gone.
        (tags.as_str(), &[("add", &*long)], "<div id=\"person\">"),
        (name.as_str(), &[("name", &*long)], "<div id=\"person\">"),
        ("/dashboard/profile", &[("do", "rename"), ("name", &*long)], kept.as_str()),
    ] {
        let refused = owner.post(path, fields).await;
        assert!(refused.status == 422 && refused.html.contains(kept), "{path} {kept}: {}", refused.html);
    }
    let groups = "/dashboard/settings/team/groups";
    assert_eq!(owner.post(groups, &[("name", "Support")]).await.status, 303);
    let again = owner.post(groups, &[("name", " SUPPORT ")]).await;
    assert!(again.status == 422 && again.html.contains("Another group has this name."), "{}", again.html);
    let groups = owner.get("/dashboard/settings/team").await;
    let group = id_behind(&groups.html, "action=\"/dashboard/settings/team/groups/");
    let path = format!("/dashboard/settings/team/groups/{group}");
    let refused = owner.post(&path, &[("name", &*long)]).await;
    assert!(refused.status == 422 && refused.html.contains(&kept), "{}", refused.html);
}

#[tokio::test]
async fn what_events_tell_of_accounts_and_the_system_is_followed_on_their_pages() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let channels = owner.get("/dashboard/settings/channels").await.html;
    let (_, card) = channels.split_once("<div id=\"account-").unwrap();
    let (_, card) = card.split_once('"').unwrap();
    assert!(card.starts_with(" data-live data-here=\"/dashboard/settings/channels\">"), "{channels}");
    let system = owner.get("/dashboard/settings/system").await.html;
    let (_, card) = system.split_once("<div id=\"system\" data-live>").unwrap();
    let card = card.split("</div>").next().unwrap();
    assert!(
        !card.contains("<input") && !card.contains("<textarea"),
        "nothing that is typed is replaced: {card}"
    );
}

#[tokio::test]
async fn what_is_wrong_in_particular_is_told_in_the_reader_s_language() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let arabic = owner.post("/dashboard/profile", &[("do", "language"), ("language", "ar")]).await;
    assert_eq!(arabic.status, 303, "{}", arabic.html);
    let system = "/dashboard/settings/system";
    for (path, fields, wanted, english) in [
        (
            system,
            &[("do", "connect"), ("base", "https://shop.example/?a"), ("secret", "s")][..],
            "لا يجوز أن يحمل العنوان",
            "must not have",
        ),
        (system, &[("do", "synonyms"), ("synonyms", "عباية")], "المجموعة 1: ", "different words"),
        ("/dashboard/contacts/import", &[("rows", "")], "القائمة بلا صفوف", "no rows"),
    ] {
        let refused = owner.post(path, fields).await;
        assert!(refused.status == 422 && refused.html.contains(wanted), "{path}: {}", refused.html);
        assert!(!refused.html.contains(english), "{path}: {}", refused.html);
    }
    let webhooks = "/dashboard/settings/webhooks";
    let address = id_behind(&owner.get(webhooks).await.html, &format!("{webhooks}/"));
    let path = format!("{webhooks}/{address}");
    assert_eq!(owner.post(&path, &[("do", "pause")]).await.status, 303);
    for page in [webhooks, path.as_str()] {
        let seen = owner.get(page).await.html;
        assert!(seen.contains("أوقفه المالك") && !seen.contains("paused by its owner"), "{page}: {seen}");
    }
}

#[tokio::test]
async fn a_member_stops_marketing_for_a_person_and_allows_it_again() {
    let team = Team::new().await;
    let mut agent = agent(&team).await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let person = team.agent.get(&format!("/conversations/{}", team.conversation)).await;
    let kept = format!("/contacts/{}/marketing", person.text("/conversation/contactId"));
    let page = agent.get(&path).await.html;
    assert!(page.contains("Gets marketing") && field(&page, "stopped") == "yes", "{page}");
    for (stopped, said, offered) in [("yes", "Gets no marketing", "no"), ("no", "Gets marketing", "yes")] {
        let set = agent.post(&format!("{path}/marketing"), &[("stopped", stopped)]).await;
        assert_eq!((set.status, &set.location), (303, &path), "{}", set.html);
        assert_eq!(team.agent.get(&kept).await.body["stopped"], stopped == "yes");
        let page = agent.get(&path).await.html;
        assert!(page.contains(said) && field(&page, "stopped") == offered, "{page}");
    }
    assert_eq!(agent.post(&format!("{path}/marketing"), &[("stopped", "maybe")]).await.status, 400);
}

#[tokio::test]
async fn a_page_begins_with_the_message_that_is_asked_for_and_a_title_tells_what_is_new() {
    let team = Team::new().await;
    let path = format!("/dashboard/inbox/{}", team.conversation);
    let mut visitor = agent(&team).await;
    let inbox = visitor.get("/dashboard/inbox").await;
    assert!(inbox.html.contains("<title>(1) Inbox"), "{}", inbox.html);
    assert!(inbox.html.contains("data-unread=\"1\""), "{}", inbox.html);
    let messages = team.agent.get(&format!("/conversations/{}/messages", team.conversation)).await;
    let first = messages.body["data"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        visitor.post(&format!("{path}/reply"), &[("key", "later"), ("text", "Later words")]).await.status,
        303
    );
    let page = visitor.get(&format!("{path}?at={first}")).await;
    assert!(page.html.contains(&format!("id=\"message-{first}\"")), "{}", page.html);
    assert!(!page.html.contains("Later words</p>"), "it ends with that message: {}", page.html);
    let newest = visitor.get(&format!("{path}?at={}", team.conversation)).await;
    assert!(newest.html.contains("Later words"), "what is no message of it leads to the newest");
    assert!(newest.html.contains("<title>Inbox") || newest.html.contains("· Inbox"), "{}", newest.html);
    let contact = team.agent.get(&format!("/conversations/{}", team.conversation)).await;
    let contact = contact.text("/conversation/contactId").to_owned();
    let all = visitor.get(&format!("/dashboard/contacts/{contact}/conversations")).await;
    assert!(all.status == 200 && all.html.contains(&path), "{}", all.html);
}

#[tokio::test]
async fn whoever_leaves_or_is_removed_is_told_why_they_are_signed_out() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let refused = owner.post("/dashboard/profile", &[("do", "leave")]).await;
    assert!(refused.status == 422 && refused.html.contains("The last owner stays one."), "{}", refused.html);
    let mut wrong = Visitor::new(team.world.service.base_url());
    let tried = [("email", "agent@palm.example"), ("password", "not that one at all")];
    assert_eq!(wrong.post("/dashboard/sign-in", &tried).await.status, 422);
    let mut first = agent(&team).await;
    let mut second = agent(&team).await;
    assert!(first.get("/dashboard/profile").await.html.contains("Wrong password"));
    let left = first.post("/dashboard/profile", &[("do", "leave")]).await;
    assert_eq!((left.status, left.location.as_str()), (303, "/dashboard/sign-in?after=left"));
    let elsewhere = second.get("/dashboard/inbox").await;
    assert_eq!(
        (elsewhere.status, elsewhere.location.ends_with("&after=ended")),
        (303, true),
        "{elsewhere:?}"
    );
    let page = second.get(&elsewhere.location).await;
    assert!(page.html.contains("no longer on the team"), "{}", page.html);
}
