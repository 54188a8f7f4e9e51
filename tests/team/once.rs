//! What a form makes is made once: its page is led to, tells it once, and can be loaded again.

use serde_json::json;

use crate::{
    life::Team,
    support::{Seen, Visitor},
};

const KEYS: &str = "/dashboard/settings/keys";
const WEBHOOKS: &str = "/dashboard/settings/webhooks";
const INVITATIONS: &str = "/dashboard/settings/team/invitations";
const SECRET: &str = "data-copied=\"Copied\">";

async fn owner(team: &Team) -> Visitor {
    Visitor::signed_in(team.world.service.base_url(), "owner@palm.example").await
}

/// Somebody with the same cookies, who does not lose theirs.
fn with(visitor: &Visitor) -> Visitor {
    Visitor { cookie: visitor.cookie.clone(), ..Visitor::new(&visitor.base) }
}

#[tokio::test]
async fn a_secret_is_shown_once_by_the_page_that_made_it_and_by_no_address_and_no_other_page() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let address = team.owner.get("/webhooks").await.text("/rows/0/id").to_owned();
    let one = format!("{WEBHOOKS}/{address}");
    let second = format!("{}?second", team.world.receiver.url());
    for (path, fields, page, begins) in [
        (KEYS, &[("label", "Shop"), ("contacts:read", "on")][..], KEYS, "msk_"),
        (WEBHOOKS, &[("url", &*second), ("message.sent", "on")], WEBHOOKS, "whsec_"),
        (
            INVITATIONS,
            &[("email", "nour@palm.example"), ("role", "agent")],
            "/dashboard/settings/team",
            "http",
        ),
        (one.as_str(), &[("do", "rotate")], one.as_str(), "whsec_"),
    ] {
        let led = owner.submit(path, fields).await;
        assert_eq!((led.status, led.location.as_str(), led.html.as_str()), (303, page, ""), "{path}");
        assert!(!owner.cookie.contains(begins) && owner.cookie.contains("told="), "{path}: {}", owner.cookie);
        let elsewhere = with(&owner).get("/dashboard/profile").await;
        assert!(!elsewhere.html.contains(&format!("{SECRET}{begins}")), "{path}: of another page");
        let shown = owner.get(&led.location).await;
        assert!(shown.html.contains(&format!("{SECRET}{begins}")), "{path}: {}", shown.html);
        assert!(!owner.cookie.contains("told="), "{path}: the page that tells it has the browser forget it");
        let again = owner.get(&led.location).await;
        assert!(!again.html.contains(&format!("{SECRET}{begins}")), "{path}: once");
    }
    let of_label = |rows: &serde_json::Value| {
        rows.as_array().unwrap().iter().filter(|row| row["label"] == "Shop").count()
    };
    assert_eq!(of_label(&team.owner.get("/api-keys").await.body["rows"]), 1);
}

#[tokio::test]
async fn a_secret_opens_for_its_own_session_and_page_alone() {
    let team = Team::new().await;
    let mut first = owner(&team).await;
    let led = first.submit(KEYS, &[("label", "Shop"), ("contacts:read", "on")]).await;
    let told = first.cookie.split("; ").find(|cookie| cookie.contains("told=")).unwrap().to_owned();
    let mut other = owner(&team).await;
    other.cookie = format!("{}; {told}", other.cookie);
    assert!(!other.get(&led.location).await.html.contains("msk_"), "another session");
    let mut changed = with(&first);
    let (name, value) = told.split_once('=').unwrap();
    let forged = format!("{name}={}{value}", if value.starts_with('A') { "B" } else { "A" });
    changed.cookie = first.cookie.replace(&told, &forged);
    let seen = changed.get(&led.location).await;
    assert!(seen.status == 200 && !seen.html.contains("msk_"), "{}", seen.html);
    assert!(first.get(&led.location).await.html.contains("msk_"));
}

fn is_told(seen: &Seen, sentence: &str) -> bool {
    seen.html.contains(&format!("id=\"said\" role=\"status\">{sentence}</p>"))
}

#[tokio::test]
async fn what_became_of_a_form_is_told_once_and_of_a_script_nothing() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let hours = "/dashboard/settings/automations/settings";
    let saved = owner.submit_and_look(hours, &[("idle-close", "60")]).await;
    assert!(is_told(&saved, "Saved."), "{}", saved.html);
    let again = owner.get("/dashboard/settings/automations").await;
    assert!(!again.html.contains("id=\"said\""), "once: {}", again.html);
    let group = owner.submit_and_look("/dashboard/settings/team/groups", &[("name", "مبيعات الجملة")]).await;
    assert!(is_told(&group, "Saved."), "{}", group.html);
    let key = team.owner.post("/api-keys", &json!({ "label": "Old", "scopes": ["contacts:read"] })).await;
    let revoke = format!("{KEYS}/{}/revoke", key.text("/id"));
    assert!(is_told(&owner.submit_and_look(&revoke, &[]).await, "Removed."));
    let refused = owner.submit(hours, &[("idle-close", "soon")]).await;
    assert!(refused.status == 422 && !refused.html.contains("id=\"said\""), "{}", refused.html);
    let by_script = owner.post(hours, &[("idle-close", "61")]).await;
    assert!(by_script.status == 303 && !owner.cookie.contains("told="), "{}", owner.cookie);
}

#[tokio::test]
async fn a_second_address_at_the_same_place_is_refused_by_the_page_and_told_of_by_the_api() {
    let team = Team::new().await;
    let mut owner = owner(&team).await;
    let second = format!("{}?second", team.world.receiver.url());
    assert_eq!(owner.submit(WEBHOOKS, &[("url", &*second), ("message.sent", "on")]).await.status, 303);
    let spelled = second.replacen("http", "HTTP", 1);
    for url in [&*second, &*spelled] {
        let refused = owner.post(WEBHOOKS, &[("url", url), ("message.read", "on")]).await;
        assert!(refused.status == 422 && refused.html.contains("registered already"), "{}", refused.html);
        assert!(refused.html.contains(&format!("value=\"{url}\"")), "what was typed is still there");
    }
    let listed = team.owner.get("/webhooks").await;
    let rows = listed.body["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{listed:?}");
    let (other, known) = (rows[0]["id"].as_str().unwrap(), rows[1]["id"].clone());
    let moved = [("do", "set"), ("url", &*second), ("message.sent", "on")];
    let refused = owner.post(&format!("{WEBHOOKS}/{other}"), &moved).await;
    assert!(refused.status == 422 && refused.html.contains("registered already"), "{}", refused.html);
    let body = json!({ "url": second, "events": ["message.sent"] });
    let second = team.owner.post("/webhooks", &body).await;
    assert_eq!((second.status, &second.body["sameAs"]), (201, &json!([known])), "{second:?}");
}

#[tokio::test]
async fn the_root_leads_a_browser_to_the_dashboard_and_has_an_icon() {
    let team = Team::new().await;
    let (base, client) = (team.world.service.base_url(), Visitor::new(team.world.service.base_url()).client);
    let get = async |path: &str, accept: &str| {
        client.get(format!("{base}{path}")).header("accept", accept).send().await.unwrap()
    };
    let led = get("/", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8").await;
    assert_eq!(
        (led.status(), &led.headers()["location"]),
        (303.try_into().unwrap(), &"/dashboard".parse().unwrap())
    );
    for accept in ["*/*", "application/json"] {
        let answer = get("/", accept).await;
        assert_eq!(answer.status(), 404, "{accept}");
        assert_eq!(answer.json::<serde_json::Value>().await.unwrap()["statusCode"], 404);
    }
    let icon = get("/favicon.ico", "image/*").await;
    assert_eq!(
        (icon.status(), &icon.headers()["content-type"]),
        (200.try_into().unwrap(), &"image/svg+xml".parse().unwrap())
    );
}
