//! The same doors by pages: each is tried for every page of the table.

use adapter_http::{Needs, Route, dashboard_pages};

use super::{
    super::stage::{CONVERSATION, Stage},
    SECOND, document_of, filled, group_of,
};
use crate::support::{Browser, Seen, Visitor};

async fn ask(visitor: &mut Visitor, method: &str, path: &str, fields: &[(&str, &str)]) -> Seen {
    if method == "GET" { visitor.get(path).await } else { visitor.post(path, fields).await }
}

#[tokio::test]
async fn whoever_is_not_signed_in_is_led_to_signing_in_by_every_page_but_where_anyone_is() {
    let stage = Stage::new().await;
    let mut nobody = stage.browser().visitor();
    for Route { method, path, needs, .. } in dashboard_pages() {
        if needs != Needs::Anyone {
            let led = ask(&mut nobody, &method, &filled(&method, &path).1, &[]).await;
            let is_led = led.status == 303 && led.location.starts_with("/dashboard/sign-in?");
            assert!(is_led, "{method} {path}: {led:?}");
        }
    }
}

#[tokio::test]
async fn an_agent_is_refused_every_page_of_the_owners() {
    let stage = Stage::new().await;
    let mut agent = stage.joined("agent@palm.example", "agent").await.visitor();
    let mut refused = 0;
    for Route { method, path, needs, .. } in dashboard_pages() {
        if needs == Needs::Owner {
            let shown = ask(&mut agent, &method, &filled(&method, &path).1, &[]).await;
            assert_eq!(shown.status, 403, "{method} {path}");
            refused += 1;
        }
    }
    assert!(refused > 30, "{refused}");
}

/// Forms that name nothing of a workspace but the asker's own.
const NAME_NOTHING: [&str; 28] = [
    "/sign-in",
    "/sign-out",
    "/forgotten-password",
    "/password-reset",
    "/password-reset/complete",
    "/invitation",
    "/invitation/accept",
    "/language",
    "/canned-replies",
    "/contacts",
    "/contacts/import",
    "/broadcasts/lists",
    "/broadcasts/prices",
    "/settings/workspace",
    "/settings/channels/open",
    "/settings/channels/accounts",
    "/settings/channels/pages",
    "/settings/team/invitations",
    "/settings/team/groups",
    "/settings/automations/settings",
    "/settings/assistant",
    "/settings/assistant/documents",
    "/settings/assistant/try",
    "/settings/assistant/questions",
    "/settings/system",
    "/settings/keys",
    "/settings/webhooks",
    "/settings/templates/write",
];

/// Returns whether a form does nothing, and says nothing of it, where there is no such session, draft or tag.
fn is_silent(path: &str, form: &Form) -> bool {
    match path {
        "/profile" | "/inbox/{id}/drafts" => true,
        "/inbox/{id}/tags" => form.iter().any(|(name, _)| name == "remove"),
        _ => false,
    }
}

/// Our ids.
struct Ours {
    member: String,
    session: String,
    group: String,
    invitation: String,
    import: String,
    automation: String,
    canned: String,
    document: String,
    key: String,
    address: String,
    delivery: String,
}

impl Ours {
    async fn of(stage: &Stage) -> Self {
        let first = async |path: &str| stage.owner.get(path).await.text("/rows/0/id").to_owned();
        let address = first("/webhooks").await;
        Self {
            member: stage.owner.member_id().await,
            session: first("/sessions").await,
            group: group_of(stage).await,
            invitation: first("/invitations").await,
            import: first("/contact-imports").await,
            automation: first("/automations").await,
            canned: first("/canned-replies").await,
            document: document_of(stage).await,
            key: first("/api-keys").await,
            delivery: first(&format!("/webhooks/{address}/deliveries")).await,
            address,
        }
    }

    /// Fills the places of a page's path with ours.
    fn at(&self, path: &str) -> String {
        let id = match path.split("/{id}").next().unwrap_or_default() {
            "/contacts/import" => &self.import,
            "/canned-replies" => &self.canned,
            "/settings/messages" => SECOND,
            "/settings/assistant/documents" => &self.document,
            "/settings/team/members" => &self.member,
            "/settings/team/invitations" => &self.invitation,
            "/settings/team/groups" => &self.group,
            "/settings/automations" => &self.automation,
            "/settings/keys" => &self.key,
            "/settings/webhooks" => &self.address,
            "/settings/deliveries" => &self.delivery,
            // Conversations, contacts, broadcasts, their lists, accounts, connections and numbers have one id.
            _ => CONVERSATION,
        };
        path.replace("{id}", id).replace("{numberId}", "106540352242922")
    }

    /// Everything that is done by the page's form, with nothing wrong but whose it is.
    fn forms(&self, path: &str) -> Vec<Form> {
        let conversation = format!("conversation-{CONVERSATION}");
        match path {
            "/inbox/moves" => {
                each(&["take", "close", "return"], |to| form(&[("do", to), (&conversation, "on")]))
            }
            "/inbox/{id}/moves" => each(&["take", "close", "return", "no-group"], |to| form(&[("to", to)])),
            "/inbox/{id}/reply" => vec![form(&[("key", "k"), ("text", "Hello")])],
            "/inbox/{id}/template" | "/contacts/{id}/template" => {
                vec![form(&[("key", "k"), ("template", "order_ready"), ("language", "ar")])]
            }
            "/inbox/{id}/order" => {
                let order = [("key", "k"), ("product", "1001"), ("quantity", "1"), ("language", "ar")];
                let to = [("name", "Sara"), ("line1", "1"), ("city", "Baghdad"), ("province", "Baghdad")];
                vec![form(&[order, to].concat())]
            }
            "/inbox/{id}/booking" => {
                vec![form(&[("key", "k"), ("slot", "2026-11-21T10:00:00Z 1"), ("language", "ar")])]
            }
            "/inbox/{id}/drafts" => vec![form(&[("withdraw", SECOND)])],
            "/inbox/{id}/notes" => vec![form(&[("text", "Hello")])],
            "/inbox/{id}/tags" => vec![form(&[("add", "Taken")]), form(&[("remove", "VIP")])],
            "/inbox/{id}/name" | "/contacts/{id}/name" => vec![form(&[("name", "Taken")])],
            "/inbox/{id}/marketing" => vec![form(&[("stopped", "yes")])],
            "/canned-replies/{id}" => {
                vec![form(&[("do", "save"), ("shortcut", "taken"), ("text", "Taken")])]
            }
            "/settings/assistant/questions/{id}" => {
                vec![form(&[("do", "save"), ("text", "Taken?")]), form(&[("do", "run")])]
            }
            "/broadcasts/new" => {
                vec![form(&[("name", "Taken"), ("template", "store_hours"), ("list", CONVERSATION)])]
            }
            "/broadcasts/{id}/audience" => vec![form(&[("name", "Taken"), ("template", "store_hours")])],
            "/broadcasts/{id}/content" => vec![form(&[("do", "save"), ("language", "ar")])],
            "/broadcasts/{id}/try" => vec![form(&[("key", "k"), ("to", "+9647809999999")])],
            "/broadcasts/{id}/moves" => doing(&["pause", "resume", "cancel", "remove"]),
            "/settings/channels/choose" => {
                vec![form(&[("offer", "c2VhbGVk"), ("account-102290129340398", "on")])]
            }
            "/settings/channels/accounts/{id}" => doing(&["disconnect", "read"]),
            "/settings/channels/pages/{id}" => doing(&["disconnect"]),
            "/settings/channels/accounts/{id}/numbers/{numberId}" => vec![form(&[("pin", "123456")])],
            "/settings/channels/numbers/{id}" => vec![form(&[("send-only", "yes")])],
            "/settings/team/members/{id}" => doing(&["owner", "agent", "remove"]),
            "/settings/team/groups/{id}" => vec![
                form(&[("name", "Taken")]),
                form(&[("do", "delete")]),
                form(&[("in", &self.member)]),
                form(&[("out", &self.member)]),
            ],
            "/broadcasts/{id}/start"
            | "/broadcasts/lists/{id}"
            | "/settings/team/invitations/{id}/withdraw"
            | "/settings/keys/{id}/revoke"
            | "/settings/deliveries/{id}/resend" => vec![form(&[])],
            "/settings/templates/delete" => {
                vec![form(&[("account", CONVERSATION), ("name", "order_ready"), ("language", "ar")])]
            }
            "/settings/assistant/documents/{id}" => vec![
                form(&[("do", "save"), ("title", "Taken"), ("text", "Taken.")]),
                form(&[("do", "remove")]),
            ],
            "/settings/automations" => {
                let steps = [format!("group:{}", self.group), format!("member:{}", self.member)];
                steps.map(|step| form(&[("name", "Taken"), ("began", "on"), ("do-1", &step)])).into()
            }
            "/settings/automations/{id}" => {
                let saved = form(&[("do", "save"), ("name", "Taken"), ("began", "on"), ("do-1", "close")]);
                [doing(&["on", "off", "remove"]), vec![saved]].concat()
            }
            "/settings/webhooks/{id}" => {
                let set = form(&[("do", "set"), ("url", "https://taken.example/"), ("order.placed", "on")]);
                let window = form(&[("do", "window"), ("since", "2020-01-01T00:00")]);
                [doing(&["pause", "resume", "ping", "rotate", "remove"]), vec![set, window]].concat()
            }
            "/profile" => vec![form(&[("do", "end"), ("session", &self.session)])],
            _ => panic!("{path} has no case here: say what another workspace's owner gets of it"),
        }
    }
}

/// Names and values.
type Form = Vec<(String, String)>;

fn form(fields: &[(&str, &str)]) -> Form {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn each(all: &[&str], form: impl Fn(&str) -> Form) -> Vec<Form> {
    all.iter().map(|one| form(one)).collect()
}

fn doing(all: &[&str]) -> Vec<Form> {
    each(all, |what| form(&[("do", what)]))
}

/// Asks for every page with ids of ours: nothing of ours is shown, and nothing is done.
pub(super) async fn probe(stage: &Stage, neighbour: &Browser) {
    let (ours, mut visitor) = (Ours::of(stage).await, neighbour.visitor());
    let mut faults = Vec::new();
    for Route { method, path, .. } in dashboard_pages() {
        let path = path.strip_prefix("/dashboard").unwrap();
        let forms = match method.as_str() {
            "POST" if NAME_NOTHING.contains(&path) => continue,
            "POST" => ours.forms(path),
            _ => vec![Vec::new()],
        };
        for form in forms {
            let fields: Vec<(&str, &str)> = form.iter().map(|(name, value)| (&**name, &**value)).collect();
            let shown = ask(&mut visitor, &method, &format!("/dashboard{}", ours.at(path)), &fields).await;
            let about = format!("{method} {path} {form:?}: {shown:?}");
            let names_nothing = method == "GET" && !path.contains("{id}");
            let is_refused = match shown.status {
                303 => names_nothing || is_silent(path, &form),
                404 => true,
                422 => method == "POST",
                _ => names_nothing,
            };
            if !is_refused {
                faults.push(about.clone());
            }
            // What is asked for by an id may say that id again.
            for id in [&*ours.group, &ours.member, CONVERSATION].into_iter().filter(|_| names_nothing) {
                assert!(!shown.html.contains(id), "{id}: {about}");
            }
            for of_us in [&*ours.session, "palm.example", "Palm Store", &stage.workspace] {
                assert!(!shown.html.contains(of_us), "{of_us}: {about}");
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
