//! Keys and sessions open their own doors only; agents are refused what is the owners'; workspaces do not see
//! each other. Each is shown for every operation that the API's document and the dashboard's table list.

mod broadcasts;
mod conversations;
mod pages;
mod system;
mod webhooks;

use adapter_http::{Needs, Route, dashboard_operations};
use reqwest::Method;
use serde_json::{Value, json};

use super::stage::{CONVERSATION, Stage, conversation};
use crate::support::{Answer, Api, Browser, Contract, Listening};

/// The neighbour's own conversation.
const THEIRS: &str = "0192f0c1-7a00-7000-8000-0000000000f2";
/// One more conversation of ours, and a message in the first.
const SECOND: &str = "0192f0c1-7a00-7000-8000-0000000000f3";
const ID: &str = "0192f0c1-7a00-7000-8000-000000000001";

/// A method and a path with its places filled.
fn filled(method: &str, path: &str) -> (Method, String) {
    let filled: Vec<&str> =
        path.split('/').map(|part| if part.starts_with('{') { ID } else { part }).collect();
    (Method::from_bytes(method.as_bytes()).unwrap(), filled.join("/"))
}

/// Every operation of the dashboard: method, path with places filled, and who may ask for it.
fn operations() -> Vec<(Method, String, Needs)> {
    let of = |Route { method, path, needs, .. }: Route| {
        let (method, path) = filled(&method, &path);
        (method, path, needs)
    };
    dashboard_operations().into_iter().map(of).collect()
}

#[tokio::test]
async fn a_key_opens_nothing_outside_v1_and_a_session_nothing_inside() {
    let stage = Stage::new().await;
    let every = ["contacts:read", "contacts:write", "conversations:read", "messages:send"];
    let mut arguments = vec!["key", "create", &stage.workspace, "--label", "all"];
    for scope in every {
        arguments.extend(["--scope", scope]);
    }
    let made = stage.operator(&arguments);
    let key = made.lines().find(|line| line.starts_with("msk_")).unwrap();
    let api = Api::new(&stage.base_url, key);
    let (cookie, session) = (stage.owner.cookie.clone().unwrap(), stage.owner.clone());
    let token = cookie.split_once('=').unwrap().1;
    assert_eq!((api.get("/v1/me").await.status, session.get("/me").await.status), (200, 200));

    let dashboard = operations();
    assert!(dashboard.len() > 15, "{dashboard:?}");
    for (method, path, _) in &dashboard {
        for path in [path.clone(), format!("{path}/nothing")] {
            let keyed = api.request(method.clone(), &path).header("x-dashboard", "1");
            Answer::to(keyed).await.assert_error(401, &path);
            // Not even beside a session.
            let both =
                api.request(method.clone(), &path).header("x-dashboard", "1").header("cookie", &cookie);
            Answer::to(both).await.assert_error(401, &path);
        }
    }
    for path in ["/", "/docs", "/dashboard", "/networks/meta/webhook"] {
        Answer::to(api.request(Method::GET, path)).await.assert_error(401, path);
    }
    for (method, path) in Contract::new(adapter_http::openapi()).routes() {
        let (method, path) = filled(&method, &path);
        for request in [
            api.bare(method.clone(), &path).header("cookie", &cookie),
            api.bare(method.clone(), &path).bearer_auth(token),
            api.bare(method.clone(), &path).bearer_auth(token).header("cookie", &cookie),
        ] {
            Answer::to(request.header("x-dashboard", "1")).await.assert_error(401, &path);
        }
    }
}

#[tokio::test]
async fn nobody_is_let_in_without_a_session_but_where_anyone_is() {
    let stage = Stage::new().await;
    let nobody = Api::new(&stage.base_url, "");
    for (method, path, needs) in operations() {
        for cookie in
            ["", "__Host-session=", "__Host-session=nonsense", &format!("__Host-session={}", "0".repeat(64))]
        {
            let request =
                nobody.bare(method.clone(), &path).header("x-dashboard", "1").header("cookie", cookie);
            let answer = Answer::to(request.body("{")).await;
            if needs == Needs::Anyone {
                answer.assert_error(400, &path);
            } else {
                answer.assert_refused(401, "not_signed_in", &json!({}), &path);
            }
        }
    }
}

#[tokio::test]
async fn an_agent_is_refused_whatever_is_the_owners_before_anything_is_read() {
    let stage = Stage::new().await;
    let agent = stage.joined("agent@palm.example", "agent").await;
    let mut refused = 0;
    for (method, path, needs) in operations() {
        let path = path.strip_prefix("/dashboard/api").unwrap();
        if needs == Needs::Owner {
            let answer = Answer::to(agent.request(method, path).body("{")).await;
            answer.assert_refused(403, "owner_only", &json!({}), path);
            refused += 1;
        }
    }
    assert!(refused >= 6, "{refused}");
    // Spelled otherwise, it is the same door.
    for path in ["/a%75dit", "/%61udit", "/invit%61tions"] {
        assert_eq!(agent.request(Method::GET, path).send().await.unwrap().status(), 403, "{path}");
    }
}

/// Our group.
async fn group_of(stage: &Stage) -> String {
    stage.owner.get("/groups").await.text("/rows/0/id").to_owned()
}

/// A document of ours.
async fn document_of(stage: &Stage) -> String {
    let brought = stage.owner.request(Method::POST, "/assistant/documents?title=Palm%20Store").body("Ours.");
    Answer::to(brought).await.text("/id").to_owned()
}

/// A group of the neighbour's own.
async fn group_of_neighbour(neighbour: &Browser) -> String {
    neighbour.post("/groups", &json!({ "name": "Sales" })).await.text("/id").to_owned()
}

fn an_automation(name: &str) -> Value {
    json!({ "name": name, "enabled": true, "rule": { "when": { "began": true }, "then": [{ "do": "close" }] } })
}

/// An import of ours, which nobody here goes on with.
async fn import(stage: &Stage) {
    let list = stage.owner.request(Method::POST, "/contact-imports?name=Palm%20Store.csv");
    let taken = Answer::to(list.header("prefer", "respond-async").body("nobody")).await;
    assert_eq!(taken.status, 202, "{taken:?}");
}

/// Returns whether an operation names nothing of a workspace but the asker's own.
fn names_nothing(method: &Method, path: &str) -> bool {
    matches!(
        (method.as_str(), path),
        (
            "POST",
            "/sign-in"
                | "/sign-out"
                | "/invitations/accept"
                | "/invitations"
                | "/groups"
                | "/api-keys"
                | "/webhooks"
                | "/contact-imports"
                | "/canned-replies"
                | "/attachments"
                | "/assistant/try"
                | "/assistant/documents"
                | "/assistant/questions"
                | "/accounts"
                | "/pages"
                | "/me/password"
                | "/me/second-factor"
                | "/me/second-factor/confirm"
        ) | ("PATCH", "/me" | "/workspace")
            | ("PUT", "/conversation-settings" | "/system" | "/assistant" | "/assistant/key")
            | ("DELETE", "/sessions" | "/assistant/key")
    )
}

/// Operations that show a workspace's own and take no id.
const LISTS: [&str; 26] = [
    "/me",
    "/me/refused-sign-ins",
    "/sessions",
    "/members",
    "/invitations",
    "/workspace",
    "/groups",
    "/usage",
    "/assistant",
    "/assistant/documents",
    "/assistant/turns",
    "/assistant/usage",
    "/assistant/questions",
    "/assistant/rehearsals",
    "/assistant/hand-overs",
    "/api-keys",
    "/automations",
    "/conversation-settings",
    "/webhooks",
    "/accounts",
    "/pages",
    "/templates",
    "/tags",
    "/mentions",
    "/canned-replies",
    "/contact-imports",
];

/// Asks by this method, as whoever is signed in there.
fn asking(browser: &Browser, method: &Method) -> impl AsyncFn(&str, Value) -> Answer {
    async move |path: &str, body: Value| Answer::to(browser.request(method.clone(), path).json(&body)).await
}

/// What the neighbour can do with ids of ours; an operation without a case fails by its name.
#[expect(clippy::too_many_lines, reason = "one table of operations")]
async fn probe(stage: &Stage, neighbour: &Browser, operation: &str) {
    let member = stage.owner.member_id().await;
    let session = stage.owner.get("/sessions").await.text("/rows/0/id").to_owned();
    let (method, path) = operation.split_once(' ').unwrap();
    let path = path.strip_prefix("/dashboard/api").unwrap();
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    if path.starts_with("/conversations") || path.starts_with("/contacts") || path.starts_with("/messages") {
        return conversations::probe(stage, neighbour, &member, &method, path).await;
    }
    if names_nothing(&method, path) {
        return;
    }
    if ["/webhooks/", "/deliveries", "/resends/"].iter().any(|start| path.starts_with(start)) {
        return webhooks::probe(stage, neighbour, &method, path).await;
    }
    if path.starts_with("/broadcast") {
        return broadcasts::probe(stage, neighbour, &method, path).await;
    }
    if path.starts_with("/groups/") {
        return probe_groups(stage, neighbour, &member, &method, path).await;
    }
    if path.starts_with("/system") {
        return system::probe(neighbour, &method, path).await;
    }
    let of_channels = ["/accounts/", "/numbers/"];
    let of_templates = path.starts_with("/templates") && method != Method::GET;
    if of_channels.iter().any(|start| path.starts_with(start)) || of_templates {
        return probe_channels(neighbour, &method, path).await;
    }
    let ask = asking(neighbour, &method);
    match (method.as_str(), path) {
        ("PATCH" | "DELETE", "/members/{id}") => {
            ask(&format!("/members/{member}"), json!({ "role": "agent" })).await.assert_error(404, path);
        }
        ("DELETE", "/invitations/{id}") => {
            let listed = stage.owner.get("/invitations").await;
            let invitation = listed.text("/rows/0/id");
            ask(&format!("/invitations/{invitation}"), json!({})).await.assert_error(404, path);
        }
        // What is told there, and to whom, has tests of its own.
        ("GET", "/events") => {
            assert_eq!(Listening::new(neighbour, None).await.next().await.unwrap().1, "open");
        }
        ("GET", "/contact-imports/{id}") => {
            let listed = stage.owner.get("/contact-imports").await;
            ask(&path.replace("{id}", listed.text("/rows/0/id")), json!({})).await.assert_error(404, path);
        }
        ("DELETE", "/api-keys/{id}") => {
            let key = stage.owner.get("/api-keys").await.text("/rows/0/id").to_owned();
            ask(&format!("/api-keys/{key}"), json!({})).await.assert_error(404, path);
        }
        ("POST", "/automations") => {
            let group = group_of(stage).await;
            let ours =
                [json!({ "do": "sendToGroup", "group": group }), json!({ "do": "assign", "member": member })];
            for action in ours {
                let mut automation = an_automation("theirs");
                automation["rule"]["then"] = json!([action]);
                ask(path, automation).await.assert_error(400, path);
            }
        }
        ("PUT" | "DELETE", "/automations/{id}") => {
            let listed = stage.owner.get("/automations").await;
            let automation = path.replace("{id}", listed.text("/rows/0/id"));
            ask(&automation, an_automation("theirs")).await.assert_error(404, path);
        }
        ("PUT" | "DELETE", "/canned-replies/{id}") => {
            let listed = stage.owner.get("/canned-replies").await;
            let reply = path.replace("{id}", listed.text("/rows/0/id"));
            ask(&reply, json!({ "shortcut": "theirs", "text": "Taken" })).await.assert_error(404, path);
        }
        ("GET" | "PUT" | "DELETE", "/assistant/documents/{id}") => {
            let ours = path.replace("{id}", &document_of(stage).await);
            let query = if method == Method::PUT { "?title=Theirs" } else { "" };
            ask(&format!("{ours}{query}"), json!({ "a": "b" })).await.assert_error(404, path);
        }
        ("PUT" | "DELETE", "/assistant/questions/{id}") => {
            let added =
                stage.owner.post("/assistant/questions", &json!({ "text": format!("{method}?") })).await;
            let question = path.replace("{id}", added.text("/id"));
            ask(&question, json!({ "text": "Taken?" })).await.assert_error(404, path);
        }
        // Without a model nothing is begun, and nothing could be stopped.
        ("POST", "/assistant/rehearsals") => {
            ask(path, json!({})).await.assert_error(409, path);
        }
        ("POST", "/assistant/rehearsals/{id}/stop") => {
            ask(&path.replace("{id}", CONVERSATION), json!({})).await.assert_error(404, path);
        }
        ("GET", "/audit") => {
            let page = ask("/audit", json!({})).await;
            let log = page.body.to_string();
            assert!(!log.contains(&member) && !log.contains("@palm.example"), "{log}");
            let listed = ask(&format!("/audit?memberId={member}"), json!({})).await;
            assert_eq!(listed.body["rows"], json!([]));
            let ours = stage.owner.get("/audit?limit=1").await;
            let stolen = format!("/audit?cursor={}", ours.text("/nextCursor"));
            ask(&stolen, json!({})).await.assert_error(400, "our cursor");
        }
        ("GET", path) if LISTS.contains(&path) => {
            let shown = ask(path, json!({})).await;
            assert_eq!(shown.status, 200, "{shown:?}");
            let shown = shown.body.to_string();
            for ours in [&*member, &*session, "palm.example", "Palm Store", &stage.workspace] {
                assert!(!shown.contains(ours), "{path}: {shown}");
            }
        }
        _ => panic!("{operation} has no case here: say what another workspace's owner gets of it"),
    }
}

/// Our accounts, and their templates.
async fn probe_channels(neighbour: &Browser, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    match (method.as_str(), path) {
        ("DELETE", "/accounts/{id}") | ("POST", "/accounts/{id}/sync") | ("PATCH", "/numbers/{id}") => {
            // The account and the connection of our conversation have its id.
            ask(&path.replace("{id}", CONVERSATION), json!({ "sendOnly": true }))
                .await
                .assert_error(404, path);
        }
        ("POST" | "PUT" | "DELETE", "/templates") => {
            let ours = json!({ "accountId": CONVERSATION, "name": "order_ready", "language": "ar" });
            let mut draft = ours.clone();
            draft["category"] = json!("UTILITY");
            draft["body"] = json!("Hello there");
            let body = if *method == Method::DELETE { ours } else { draft };
            ask(path, body).await.assert_error(404, path);
        }
        ("PUT", "/templates/variables") => {
            let ours = json!({ "accountId": CONVERSATION, "name": "order_ready", "language": "ar", "variables": [] });
            ask(path, ours).await.assert_error(404, path);
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}

/// Our group, and their group with our member in it.
async fn probe_groups(stage: &Stage, neighbour: &Browser, member: &str, method: &Method, path: &str) {
    let ask = asking(neighbour, method);
    match (method.as_str(), path) {
        ("PATCH" | "DELETE", "/groups/{id}") => {
            let group = group_of(stage).await;
            ask(&format!("/groups/{group}"), json!({ "name": "Taken" })).await.assert_error(404, path);
        }
        ("PUT" | "DELETE", "/groups/{id}/members/{memberId}") => {
            let (group, other) = (group_of(stage).await, group_of_neighbour(neighbour).await);
            let them = neighbour.member_id().await;
            for (group, member) in [(&*group, member), (&group, &them), (&other, member)] {
                let foreign = format!("/groups/{group}/members/{member}");
                ask(&foreign, json!({})).await.assert_error(404, path);
            }
        }
        _ => panic!("{method} {path} has no case here: say what another workspace's owner gets of it"),
    }
}

#[tokio::test]
async fn an_owner_reaches_nothing_of_another_workspace_by_any_operation_or_page() {
    let stage = Stage::new().await;
    let neighbour = stage.neighbour().await;
    let invite = json!({ "email": "omar@palm.example", "role": "agent" });
    assert_eq!(stage.owner.post("/invitations", &invite).await.status, 201);
    stage.conversation(&stage.owner.member_id().await).await;
    stage.group().await;
    let written = format!(
        "INSERT INTO messages (workspace_id, id, conversation_id, role, content, searchable, created_at)
         VALUES ('{}', '{SECOND}', '{CONVERSATION}', 'customer', 'Is it ready', 'is it ready', now())",
        stage.workspace
    );
    stage.rows().await.change(&written).await;
    let neighbours = neighbour.get("/me").await.text("/workspace/id").to_owned();
    conversation(&stage.rows().await, &neighbours, THEIRS, "NULL").await;
    let tagged =
        stage.owner.post(&format!("/conversations/{CONVERSATION}/tags"), &json!({ "tag": "VIP" })).await;
    assert_eq!(tagged.status, 200, "{tagged:?}");
    let (inbox, messages) =
        (format!("/conversations/{CONVERSATION}"), format!("/conversations/{CONVERSATION}/messages"));
    let notes = format!("/conversations/{CONVERSATION}/notes");
    let note = json!({ "text": "Palm Store's own", "mentions": [stage.owner.member_id().await] });
    assert_eq!(stage.owner.post(&notes, &note).await.status, 201);
    let canned = json!({ "shortcut": "hours", "text": "Palm Store opens at nine" });
    assert_eq!(stage.owner.post("/canned-replies", &canned).await.status, 201);
    let seen = async || {
        let mut seen = Vec::new();
        for path in [
            "/me",
            "/sessions",
            "/members",
            "/invitations",
            "/workspace",
            "/groups",
            "/usage",
            "/api-keys",
            "/automations",
            "/conversation-settings",
            "/webhooks",
            "/pages",
            "/templates",
            "/tags",
            "/canned-replies",
            "/contact-imports",
            "/broadcasts",
            &inbox,
            &messages,
            &notes,
        ] {
            let answer = stage.owner.get(path).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            seen.push(answer.body);
        }
        seen
    };
    assert_eq!(
        stage.owner.post("/groups", &json!({ "name": "Night shift of Palm Store" })).await.status,
        201
    );
    let key = json!({ "label": "Shop of Palm Store", "scopes": ["contacts:read"] });
    assert_eq!(stage.owner.post("/api-keys", &key).await.status, 201);
    assert_eq!(stage.owner.post("/automations", &an_automation("Palm Store's")).await.status, 201);
    webhooks::set_out(&stage).await;
    broadcasts::set_out(&stage).await;
    import(&stage).await;
    let before = seen().await;
    for Route { method, path, .. } in dashboard_operations() {
        probe(&stage, &neighbour, &format!("{method} {path}")).await;
    }
    pages::probe(&stage, &neighbour).await;
    assert_eq!(seen().await, before);
}
