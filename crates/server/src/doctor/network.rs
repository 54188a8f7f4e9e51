//! Checks at the network: its clock, the callback, and each connected account with its token.

use anyhow::Context;
use domain::{
    channels::{AccountKind, ChannelKind, ListedAccount, ports::AccountStore},
    clock::Clock,
    ids::WorkspaceId,
    templates::{ListTemplates, TemplateFilter, TemplateStatus},
};
use graph_client::{GraphClient, GraphError, Surface, webhook::Gate};
use reqwest::{Response, header::DATE};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use time::OffsetDateTime;
use url::Url;

use super::{
    Check, Finding,
    answered::{beginning, get},
    app::{Object, comes_here},
    fields::{check_all_held, field_names},
};
use crate::{
    config::{NetworkConfig, Source},
    wiring::{Foundation, graph_client},
};

/// Largest allowed difference between the clocks.
const MOST_APART: time::Duration = time::Duration::seconds(60);
/// Challenge that the handshake must return.
const CHALLENGE: &str = "doctor-1158201444";
/// Advice where the network is not reached at all.
const REACH: &str =
    "let this machine reach MESSAGING_GRAPH_URL over HTTPS: past the firewall, by a name that is resolved";
/// Advice where the network answers, but not what was asked.
const TRY_AGAIN: &str = "run the doctor again later: the network is reached, and does not do what it is asked now; where it stays so, see that MESSAGING_GRAPH_URL is the network's";
const SET_PUBLIC_URL: &str =
    "set MESSAGING_PUBLIC_URL to the address at which Meta and browsers reach this service";
const PASS_ON: &str =
    "start the service, and let what answers at MESSAGING_PUBLIC_URL pass /networks/meta/webhook on to it";
const TRUSTED: &str = "serve MESSAGING_PUBLIC_URL with a certificate that Meta and browsers trust: for that name, not expired, with all between it and its authority";
const SAME_TOKEN: &str = "give the service that answers there the MESSAGING_VERIFY_TOKEN that is set here, and enter it at Meta (docs/use/getting-started.md, 4)";
const SAME_APP: &str =
    "set MESSAGING_APP_ID to the app that the token is of, or connect with a token of this app";
const FOR_NUMBERS: [&str; 2] = ["whatsapp_business_management", "whatsapp_business_messaging"];
const FOR_PAGES: [&str; 2] = ["pages_messaging", "pages_manage_metadata"];
const FOR_INSTAGRAM: [&str; 2] = ["instagram_basic", "instagram_manage_messages"];
const CAN_SEND: &str = "CONNECTED";
const PAGE: &str = "100";
/// Error code of the network for a field that it rejects, a proof of the app's secret included.
const PARAMETER: i64 = 100;

/// The network as the checks of accounts use it.
#[derive(Clone, Copy)]
pub(super) struct Network<'a> {
    pub(super) config: &'a NetworkConfig,
    pub(super) is_reached: bool,
    pub(super) webhook: Option<&'a Url>,
}

/// Compares the clocks by the date of an answer; returns also whether the network itself answered.
pub(super) async fn clock(config: &NetworkConfig, clock: &dyn Clock) -> (Finding, bool) {
    match get(config.graph_url.as_str(), None).await {
        Err(nothing) => (Finding::new(Check::Clock, None, Err(nothing.why)).mended_by(REACH), false),
        Ok(answer) => {
            let theirs = date(&answer);
            let found = Finding::new(Check::Clock, None, agrees(theirs, clock.now()));
            // An answer without a date is not the network's.
            if theirs.is_some() { (found, true) } else { (found.mended_by(REACH), false) }
        }
    }
}

fn date(answer: &Response) -> Option<OffsetDateTime> {
    let text = answer.headers().get(DATE)?.to_str().ok()?;
    httpdate::parse_http_date(text).ok().map(OffsetDateTime::from)
}

fn agrees(theirs: Option<OffsetDateTime>, ours: OffsetDateTime) -> Result<(), String> {
    let Some(theirs) = theirs else { return Err("the network's answer has no date".to_owned()) };
    let apart = ours - theirs;
    if apart.abs() <= MOST_APART {
        return Ok(());
    }
    let (seconds, way) =
        (apart.whole_seconds().abs(), if apart.is_negative() { "behind" } else { "ahead of" });
    Err(format!("this machine is {seconds} s {way} the network"))
}

pub(super) fn webhook(public_url: &Url) -> Option<Url> {
    public_url.join(Gate::PATH).ok()
}

/// Plays the network's handshake at the public address.
pub(super) async fn callback(source: &Source, config: &NetworkConfig, on: &Foundation) -> Option<Finding> {
    let finding = |found| Finding::new(Check::Callback, None, found);
    let Some(url) = source.dashboard().ok()?.public_url else {
        return Some(finding(Err("MESSAGING_PUBLIC_URL is not set".to_owned())).mended_by(SET_PUBLIC_URL));
    };
    let token = config.verify_token.expose_secret();
    let query = [("hub.mode", "subscribe"), ("hub.verify_token", token), ("hub.challenge", CHALLENGE)];
    let mut url = webhook(&url)?;
    url.query_pairs_mut().extend_pairs(query);
    Some(match get(url.as_str(), Some(on)).await {
        Err(nothing) => {
            finding(Err(nothing.why)).mended_by(if nothing.is_untrusted { TRUSTED } else { PASS_ON })
        }
        Ok(answer) => {
            let status = answer.status().as_u16();
            let body = beginning(answer).await;
            finding(handshake(status, &body)).mended_by(if status == 403 { SAME_TOKEN } else { PASS_ON })
        }
    })
}

fn handshake(status: u16, body: &str) -> Result<(), String> {
    match (status, body == CHALLENGE) {
        (200, true) => Ok(()),
        (200, false) => Err("another server answers there".to_owned()),
        (403, _) => Err("the service that answers there has another verify token".to_owned()),
        (status, _) => Err(format!("it answers {status}")),
    }
}

pub(super) async fn accounts(
    network: Network<'_>,
    on: &Foundation,
    workspace: WorkspaceId,
) -> anyhow::Result<Vec<Finding>> {
    let Network { config, is_reached, webhook } = network;
    let mut findings = Vec::new();
    for account in AccountStore::accounts(&*on.stores.channels, workspace).await? {
        let opened = AccountStore::find(&*on.stores.channels, workspace, account.id).await?;
        let token = opened.context("the account has just been disconnected")?.token;
        let surface = match account.kind {
            AccountKind::Business => Surface::WhatsApp,
            AccountKind::Page => Surface::Messenger,
        };
        let graph = graph_client(config, surface)?;
        let seen = Seen { graph, account: &account, token: &token, is_reached };
        let (of_token, app) = seen.token(config.app_id).await;
        findings.extend(of_token);
        if findings.last().is_some_and(|last| last.problem.is_none()) {
            let (subscription, own_address) = seen.subscription(app).await;
            findings.push(subscription);
            if let Some(app) = app {
                findings.extend(seen.app(app, &config.app_secret, own_address.as_deref(), webhook).await);
            }
            if account.kind == AccountKind::Business {
                findings.push(seen.numbers().await);
                findings.push(templates(on, workspace, &account).await?);
            }
        }
    }
    Ok(findings)
}

/// Checks that a business account has a template to begin a conversation with.
async fn templates(
    on: &Foundation,
    workspace: WorkspaceId,
    account: &ListedAccount,
) -> anyhow::Result<Finding> {
    let list = ListTemplates { store: on.stores.templates.clone() };
    let listed = list.run(workspace, TemplateFilter::default()).await?;
    let approved = listed.iter().any(|listed| {
        listed.template.account == account.id && listed.template.status == TemplateStatus::Approved
    });
    let found = if approved { Ok(()) } else { Err("no template is approved".to_owned()) };
    Ok(Finding::new(Check::Templates, Some(&account.network_id), found))
}

/// An account and what asks the network about it.
struct Seen<'a> {
    graph: GraphClient,
    account: &'a ListedAccount,
    token: &'a SecretString,
    is_reached: bool,
}

impl Seen<'_> {
    fn finding(&self, check: Check, found: Result<(), String>) -> Finding {
        Finding::new(check, Some(&self.account.network_id), found)
    }

    /// Reports a failed request. Where the network has said why, the check's own advice applies.
    fn unanswered(&self, check: Check, error: &GraphError) -> Finding {
        let finding = self.finding(check, Err(error.to_string()));
        match error {
            GraphError::Refused(_) => finding,
            _ if self.is_reached => finding.mended_by(TRY_AGAIN),
            _ => finding.mended_by(REACH),
        }
    }

    /// Checks secret, token and permissions, each as far as the one before holds; returns also the app that
    /// the token belongs to.
    async fn token(&self, app_id: Option<u64>) -> (Vec<Finding>, Option<u64>) {
        let query = [("input_token", self.token.expose_secret())];
        let answer: Result<Value, GraphError> = self.graph.get("debug_token", &query, self.token).await;
        let data = match answer {
            Ok(answer) => answer.get("data").cloned().unwrap_or_default(),
            Err(GraphError::Refused(refusal)) if refusal.code == PARAMETER => {
                let problem = "the network does not take the proof that is made with it".to_owned();
                return (vec![self.finding(Check::AppSecret, Err(problem))], None);
            }
            Err(GraphError::Refused(refusal)) => {
                let problem = format!("the network refused it ({}): {}", refusal.code, refusal.message);
                return (vec![self.finding(Check::Token, Err(problem))], None);
            }
            Err(error) => return (vec![self.unanswered(Check::Token, &error)], None),
        };
        let mut token = self.finding(Check::Token, valid(&data, app_id));
        if data.get("is_valid") == Some(&Value::Bool(true)) {
            token = token.mended_by(SAME_APP);
        }
        let mut findings = vec![self.finding(Check::AppSecret, Ok(())), token];
        if findings.iter().all(|finding| finding.problem.is_none()) {
            findings.push(self.finding(Check::Permissions, may(&data, &self.permissions())));
        }
        (findings, app_id.or_else(|| number(data.get("app_id"))))
    }

    fn permissions(&self) -> Vec<&'static str> {
        match self.account.kind {
            AccountKind::Business => FOR_NUMBERS.to_vec(),
            AccountKind::Page if self.connected(ChannelKind::Instagram).is_empty() => FOR_PAGES.to_vec(),
            AccountKind::Page => [FOR_PAGES, FOR_INSTAGRAM].concat(),
        }
    }

    /// Returns the network's ids of what is connected here through the account.
    fn connected(&self, kind: ChannelKind) -> Vec<&str> {
        let connections = self.account.connections.iter().filter(|connection| connection.kind == kind);
        connections.map(|connection| connection.network_id.as_str()).collect()
    }

    /// Checks that the network sends our app the account's updates; for a page, of all fields that we listen
    /// to. Returns also the account's own callback address, where it has one in place of the app's.
    async fn subscription(&self, app: Option<u64>) -> (Finding, Option<String>) {
        let path = format!("{}/subscribed_apps", self.account.network_id);
        let answer: Result<Value, GraphError> = self.graph.get(&path, &[], self.token).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return (self.unanswered(Check::Subscription, &error), None),
        };
        let wanted: Vec<&str> = match self.account.kind {
            AccountKind::Business => Vec::new(),
            AccountKind::Page => adapter_messenger::subscribed_fields().collect(),
        };
        let found = subscribed(rows(&answer), app, &wanted);
        (self.finding(Check::Subscription, found), own_address(rows(&answer), app))
    }

    /// Checks, in the app's own name, that it is subscribed to every field, at the installation's address.
    async fn app(
        &self,
        app: u64,
        secret: &SecretString,
        own_address: Option<&str>,
        webhook: Option<&Url>,
    ) -> Vec<Finding> {
        let token = SecretString::from(format!("{app}|{}", secret.expose_secret()));
        let answer: Result<Value, GraphError> =
            self.graph.get(&format!("{app}/subscriptions"), &[], &token).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return vec![self.unanswered(Check::Fields, &error)],
        };
        let mut findings = Vec::new();
        for (about, object) in self.objects() {
            let row = object.row(rows(&answer));
            if let (Some(row), Some(webhook)) = (row, webhook) {
                let found = comes_here(row, own_address, webhook);
                findings.push(Finding::new(Check::Callback, Some(about), found));
            }
            findings.push(Finding::new(Check::Fields, Some(about), object.heard(row)));
        }
        findings
    }

    /// Lists what is connected through the account and posted about, each by its id.
    fn objects(&self) -> Vec<(&str, Object)> {
        let id = self.account.network_id.as_str();
        match self.account.kind {
            AccountKind::Business => vec![(id, Object::Account)],
            AccountKind::Page => {
                let instagram = self.connected(ChannelKind::Instagram);
                let instagram = instagram.into_iter().map(|id| (id, Object::Instagram));
                [(id, Object::Page)].into_iter().chain(instagram).collect()
            }
        }
    }

    async fn numbers(&self) -> Finding {
        let path = format!("{}/phone_numbers", self.account.network_id);
        let query = [("fields", "id,display_phone_number,status"), ("limit", PAGE)];
        let answer: Result<Vec<Value>, GraphError> = self.graph.get_all(&path, &query, self.token).await;
        match answer {
            Ok(listed) => {
                let found = can_send(&listed, &self.connected(ChannelKind::Whatsapp));
                self.finding(Check::Numbers, found)
            }
            Err(error) => self.unanswered(Check::Numbers, &error),
        }
    }
}

fn rows(answer: &Value) -> &[Value] {
    answer.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Parses an id, which the network writes as a text or as a number.
fn number(id: Option<&Value>) -> Option<u64> {
    match id? {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

/// Returns our app among those that an account is subscribed to; any of them where our id is not known.
fn our_app(apps: &[Value], ours: Option<u64>) -> Option<&Value> {
    let id = |app: &Value| number(app.pointer("/whatsapp_business_api_data/id").or_else(|| app.get("id")));
    apps.iter().find(|app| ours.is_none_or(|ours| id(app) == Some(ours)))
}

/// Returns the address that the account's updates are posted to in place of the app's.
fn own_address(apps: &[Value], ours: Option<u64>) -> Option<String> {
    let address = our_app(apps, ours)?.get("override_callback_uri")?.as_str()?;
    (!address.is_empty()).then(|| address.to_owned())
}

/// Checks that our app is among those that an account is subscribed to, with these fields.
fn subscribed(apps: &[Value], ours: Option<u64>, wanted: &[&str]) -> Result<(), String> {
    match our_app(apps, ours) {
        Some(app) => check_all_held(&field_names(app.get("subscribed_fields")), wanted),
        None if apps.is_empty() => Err("the network sends nothing of this account".to_owned()),
        None => Err("the network sends what happens here to another app, and not to this one".to_owned()),
    }
}

/// Checks what `debug_token` says of a token.
fn valid(data: &Value, app_id: Option<u64>) -> Result<(), String> {
    if data.get("is_valid") != Some(&Value::Bool(true)) {
        let words = data.pointer("/error/message").and_then(Value::as_str);
        let words = words.unwrap_or("the network says that it is not valid");
        return Err(words.to_owned());
    }
    match (app_id, number(data.get("app_id"))) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Err(format!("it belongs to the app {theirs}, and MESSAGING_APP_ID is {ours}"))
        }
        _ => Ok(()),
    }
}

fn may(data: &Value, wanted: &[&str]) -> Result<(), String> {
    check_all_held(&field_names(data.get("scopes")), wanted)
}

/// Checks that each number connected here can send, and that each number that can send is connected here.
/// Numbers that are neither are named only where there is no other.
fn can_send(listed: &[Value], ours: &[&str]) -> Result<(), String> {
    fn text<'a>(row: &'a Value, name: &str) -> &'a str {
        row.get(name).and_then(Value::as_str).unwrap_or("unknown")
    }
    let stands = |row: &Value| format!("{} is {}", text(row, "display_phone_number"), text(row, "status"));
    let can = |row: &Value| text(row, "status") == CAN_SEND;
    let missing = ours.iter().filter(|id| !listed.iter().any(|row| text(row, "id") == **id));
    let missing = missing.map(|id| format!("the network lists no number {id} any more"));
    let wrong = listed.iter().filter_map(|row| match (ours.contains(&text(row, "id")), can(row)) {
        (true, false) => Some(stands(row)),
        (false, true) => Some(format!("{} is not connected here", text(row, "display_phone_number"))),
        (true, true) | (false, false) => None,
    });
    let wrong: Vec<String> = wrong.chain(missing).collect();
    match (wrong.is_empty(), listed.iter().any(can)) {
        (false, _) => Err(wrong.join("; ")),
        (true, true) => Ok(()),
        (true, false) if listed.is_empty() => Err("the account has no number".to_owned()),
        (true, false) => Err(listed.iter().map(stands).collect::<Vec<_>>().join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::{FOR_NUMBERS, agrees, can_send, handshake, may, own_address, subscribed, valid};

    #[test]
    fn clocks_may_be_a_minute_apart() {
        let ours = datetime!(2026-11-23 12:00:00 UTC);
        assert_eq!(agrees(Some(datetime!(2026-11-23 12:01:00 UTC)), ours), Ok(()));
        assert_eq!(agrees(Some(datetime!(2026-11-23 11:59:00 UTC)), ours), Ok(()));
        let behind = agrees(Some(datetime!(2026-11-23 12:05:00 UTC)), ours);
        assert_eq!(behind, Err("this machine is 300 s behind the network".to_owned()));
        let ahead = agrees(Some(datetime!(2026-11-23 11:58:00 UTC)), ours);
        assert_eq!(ahead, Err("this machine is 120 s ahead of the network".to_owned()));
        assert!(agrees(None, ours).is_err());
    }

    #[test]
    fn the_handshake_tells_another_server_from_another_token() {
        for (status, body, wanted) in [
            (200, super::CHALLENGE, None),
            (200, "<html>", Some("another server answers there")),
            (403, "", Some("the service that answers there has another verify token")),
            (502, "", Some("it answers 502")),
        ] {
            assert_eq!(handshake(status, body).err().as_deref(), wanted, "{status} {body}");
        }
    }

    #[test]
    fn a_token_is_valid_of_the_app_and_allowed() {
        let ended = json!({ "is_valid": false, "error": { "message": "Session has expired" } });
        assert_eq!(valid(&ended, None), Err("Session has expired".to_owned()));
        assert!(valid(&json!({}), None).is_err());
        let good = json!({ "is_valid": true, "app_id": "17", "scopes": FOR_NUMBERS });
        assert_eq!(valid(&good, Some(17)), Ok(()));
        assert!(valid(&good, Some(18)).unwrap_err().contains("the app 17"));
        assert_eq!(may(&good, &FOR_NUMBERS), Ok(()));
        let less = json!({ "scopes": ["whatsapp_business_management"] });
        assert_eq!(may(&less, &FOR_NUMBERS), Err("it lacks whatsapp_business_messaging".to_owned()));
    }

    #[test]
    fn each_number_of_ours_has_to_send_and_each_that_can_has_to_be_ours() {
        let number = |id: &str, status: &str| json!({ "id": id, "display_phone_number": format!("+964 77{id}"), "status": status });
        for (listed, ours, wrong) in [
            (vec![number("1", "CONNECTED"), number("2", "CONNECTED")], &["1", "2"][..], ""),
            // Was never connected, and cannot be.
            (vec![number("1", "CONNECTED"), number("2", "BANNED")], &["1"], ""),
            (vec![number("1", "CONNECTED"), number("2", "BANNED")], &["1", "2"], "+964 772 is BANNED"),
            (
                vec![number("1", "CONNECTED"), number("2", "CONNECTED")],
                &["1"],
                "+964 772 is not connected here",
            ),
            (vec![number("1", "CONNECTED")], &["1", "2"], "the network lists no number 2 any more"),
            (vec![number("1", "PENDING")], &[], "+964 771 is PENDING"),
            (vec![], &[], "the account has no number"),
        ] {
            assert_eq!(can_send(&listed, ours).err().unwrap_or_default(), wrong, "{listed:?} {ours:?}");
        }
    }

    #[test]
    fn our_app_is_subscribed_with_every_field() {
        let business = [json!({ "whatsapp_business_api_data": { "id": "17", "name": "Ours" } })];
        let page = [json!({ "id": "17", "subscribed_fields": ["messages", "message_reads"] })];
        assert_eq!(subscribed(&business, Some(17), &[]), Ok(()));
        assert_eq!(subscribed(&[json!({ "id": 17 })], Some(17), &[]), Ok(()));
        assert_eq!(subscribed(&business, None, &[]), Ok(()));
        assert!(subscribed(&business, Some(18), &[]).unwrap_err().contains("another app"));
        assert!(subscribed(&[], None, &[]).unwrap_err().contains("nothing"));
        assert_eq!(subscribed(&page, Some(17), &["messages"]), Ok(()));
        let lacking = subscribed(&page, Some(17), &["messages", "message_echoes"]);
        assert_eq!(lacking, Err("it lacks message_echoes".to_owned()));
        assert_eq!(own_address(&business, Some(17)), None);
        let own = json!({ "id": "17", "override_callback_uri": "https://own.example/" });
        assert_eq!(own_address(&[own], Some(17)).as_deref(), Some("https://own.example/"));
    }
}
