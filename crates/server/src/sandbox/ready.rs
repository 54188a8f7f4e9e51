//! Description of a ready sandbox, for a person or a script.

use std::collections::BTreeMap;

use domain::ids::WorkspaceId;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::print;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ready {
    #[serde(serialize_with = "bare")]
    pub(super) base_url: Url,
    #[serde(serialize_with = "bare")]
    pub(super) admin_url: Url,
    pub(super) workspace_id: WorkspaceId,
    pub(super) api_key: String,
    pub(super) keys: BTreeMap<&'static str, String>,
    pub(super) numbers: Vec<Number>,
    pub(super) pages: Vec<Page>,
    pub(super) network: Network,
    pub(super) webhooks: Vec<Webhook>,
    pub(super) system: System,
    pub(super) model: Model,
    pub(super) database_url: String,
    pub(super) dashboard_url: Url,
    pub(super) members: Vec<Member>,
    /// File for `--config`, with which an operator's commands reach this sandbox.
    pub(super) configuration: String,
    pub(super) master_key: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Member {
    pub(super) email: String,
    pub(super) password: String,
    pub(super) role: &'static str,
    pub(super) sign_in_url: Url,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Number {
    pub(super) phone: String,
    pub(super) phone_number_id: String,
    pub(super) account: String,
    pub(super) send_only: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    pub(super) page_id: String,
    pub(super) instagram_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Network {
    #[serde(serialize_with = "bare")]
    pub(super) simulator_url: Url,
    /// Page of the customers' side, for a browser.
    pub(super) phones_url: Url,
    pub(super) webhook_url: Url,
    pub(super) app_secret: String,
    pub(super) verify_token: String,
}

#[derive(Serialize)]
pub(super) struct Webhook {
    pub(super) url: Url,
    pub(super) secret: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct System {
    pub(super) base_url: String,
    pub(super) secret: String,
    /// Base of the shop's control routes; `None` where the system is not the sandbox's shop.
    pub(super) control_url: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Model {
    pub(super) base_url: String,
    /// Base of the stand-in's control routes; `None` where the model is not the sandbox's.
    pub(super) control_url: Option<String>,
    /// The assistant's mode, for a person to read.
    #[serde(skip)]
    pub(super) assistant: &'static str,
}

/// Serializes a URL without the slash at its end, so that a path can be put after it.
fn bare<S: serde::Serializer>(url: &Url, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(url.as_str().trim_end_matches('/'))
}

impl Ready {
    /// Returns the API's address, for a path to be put after it.
    pub(super) fn base(&self) -> &str {
        self.base_url.as_str().trim_end_matches('/')
    }

    /// Returns whether the demo's customer is understood: the stand-in must answer, of the shop's products.
    pub(super) fn plays_the_chat(&self) -> bool {
        let stand_ins = self.system.control_url.is_some() && self.model.control_url.is_some();
        stand_ins && self.model.assistant == "on"
    }

    /// Prints it for a script, on one line, or for a person.
    pub(super) fn print(&self, json: bool) {
        if json {
            say(&serde_json::to_string(self).unwrap_or_default());
        } else {
            say(&self.for_a_person());
        }
    }

    fn for_a_person(&self) -> String {
        let (base, key) = (self.base(), &self.api_key);
        let numbers = self.numbers.iter().map(|number| {
            let send_only = if number.send_only { "  send-only" } else { "" };
            format!("    {}  account {}{send_only}\n", number.phone, number.account)
        });
        let pages = self.pages.iter().map(|page| {
            let instagram = page.instagram_id.as_deref().unwrap_or("none");
            format!("    {}  Instagram account {instagram}\n", page.page_id)
        });
        let webhooks =
            self.webhooks.iter().map(|webhook| format!("    {}  {}\n", webhook.url, webhook.secret));
        let members = self
            .members
            .iter()
            .map(|member| format!("    {}  {}  {}\n", member.email, member.password, member.role));
        let browser = self
            .members
            .iter()
            .map(|member| format!("  Inbox, as {}, opens once: {}\n", member.role, member.sign_in_url));
        format!(
            "\
The sandbox is ready. Nothing leaves this machine; Ctrl-C ends it.

  API       {base}
  Key       {key}
  Numbers
{numbers}  Pages
{pages}  Webhooks, with their secrets; the first is the built-in receiver
{webhooks}  Network   {simulator}  (a stand-in: see docs/tools/simulator.md)
  System    {system}
  Model     {model}
  Admin     {admin}  (/metrics, /healthz, /readyz)
  Database  {database}
  Dashboard {dashboard}  (for a browser; its API: {dashboard}/api)
  Members, with their passwords
{members}  Operator  messaging-service --config {configuration} …

In a browser, write as a customer in one tab and answer as the team in another:
  Customers' phones: {phones}
{browser}
Later, with a password above: {dashboard}

Who am I?
  curl {base}/v1/me -H 'Authorization: Bearer {key}'

Which templates can I send?
  curl '{base}/v1/templates?status=approved' -H 'Authorization: Bearer {key}'

A notice, to a number as people write it:
  curl {base}/v1/messages/template -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\
    -d '{{\"to\":\"٠٧٧٠ ١٢٣ ٤٥٦٧\",\"template\":\"order_ready\",\"variables\":[\"سارة\",\"A-1042\"],\"reference\":\"order-1042\"}}'

A one-time code, kept nowhere:
  curl {base}/v1/messages/template -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\
    -H 'Idempotency-Key: login-1' -d '{{\"to\":\"07701234567\",\"template\":\"login_code\",\"code\":\"483920\"}}'

A customer writes, on WhatsApp, Messenger and Instagram:
{customers}
What the network was given:
  curl {simulator}/control/messages

Then try: the same Idempotency-Key again; a wrong variable; a fault of the network
  (curl -X PUT {simulator}/control/faults -H 'Content-Type: application/json' \\
    -d '{{\"faults\":[{{\"kind\":\"cut_after_accept\",\"times\":1}}]}}').
{try_system}

Each event that arrives, its signature verified:
",
            phones = self.network.phones_url,
            browser = browser.collect::<String>(),
            numbers = numbers.collect::<String>(),
            pages = pages.collect::<String>(),
            customers = self.customers(),
            system = self.system.what_it_is(),
            model = self.model.what_it_is(),
            try_system = self.try_system(),
            webhooks = webhooks.collect::<String>(),
            simulator = self.network.simulator_url.as_str().trim_end_matches('/'),
            admin = self.admin_url.as_str().trim_end_matches('/'),
            database = self.database_url,
            dashboard = self.dashboard_url,
            members = members.collect::<String>(),
            configuration = self.configuration,
        )
    }
}

impl Ready {
    /// Renders a line for each network over which a customer can write.
    fn customers(&self) -> String {
        let hello = |channel: &str, id: &str, from: &str, message: &str| {
            let simulator = self.network.simulator_url.as_str().trim_end_matches('/');
            format!(
                "  curl {simulator}/control/inbound -d '{{\"{channel}\":\"{id}\",\"from\":\"{from}\",\
                 \"name\":\"سارة\",\"message\":{message}}}'\n"
            )
        };
        let number = self.numbers.iter().find(|number| !number.send_only);
        let number = number.map(|number| {
            let message = r#"{"type":"text","text":{"body":"مرحبا"}}"#;
            hello("phoneNumberId", &number.phone_number_id, "9647701234567", message)
        });
        let text = r#"{"text":"مرحبا"}"#;
        let pages = self.pages.iter().map(|page| hello("pageId", &page.page_id, "24811234567890123", text));
        let accounts = self.pages.iter().filter_map(|page| page.instagram_id.as_deref());
        let accounts = accounts.map(|id| hello("instagramId", id, "17851234567890123", text));
        number.into_iter().chain(pages).chain(accounts).collect()
    }
}

impl Ready {
    /// Renders lines that ask the workspace's own system, and what the service knows of it.
    fn try_system(&self) -> String {
        let System { base_url, secret, control_url } = &self.system;
        let shop = control_url.as_ref().map(|control| {
            format!(
                "
The workspace's own system is a shop. What it answers to a word, and what it was asked:
  curl -G {base_url}/products --data-urlencode 'q=بامبرز' -H 'Authorization: Bearer {secret}'
  curl {control}/requests

It breaks the contract on request (its list of faults: curl {control}/faults):
  curl -X PUT {control}/faults -H 'Content-Type: application/json' -d '{{\"faults\":[\"right_secret_refused\"]}}'
"
            )
        });
        let owner = self.members.first().map(|owner| {
            let (dashboard, Member { email, password, .. }) = (&self.dashboard_url, owner);
            format!(
                "
What its owner sees of it, and of how calls went, signed in:
  curl -s -o /dev/null -c - {dashboard}/api/sign-in -H 'X-Dashboard: 1' -H 'Content-Type: application/json' \\
    -d '{{\"email\":\"{email}\",\"password\":\"{password}\"}}' | curl -s -b - {dashboard}/api/system {dashboard}/api/system/calls
"
            )
        });
        [shop, owner].into_iter().flatten().collect()
    }
}

impl System {
    fn what_it_is(&self) -> String {
        let whose = match self.control_url {
            Some(_) => "a shop that keeps the contract: see docs/tools/reference-shop.md",
            None => "your own: see docs/integrate/custom-system.md",
        };
        format!("{}  ({whose})", self.base_url)
    }
}

impl Model {
    fn what_it_is(&self) -> String {
        let whose = match self.control_url {
            Some(_) => "a stand-in for a language model: see docs/tools/model-simulator.md",
            None => "your own",
        };
        format!("{}  ({whose}; the assistant is {})", self.base_url, self.assistant)
    }
}

pub(super) fn print_event(body: &Value) {
    let kind = body.get("type").and_then(Value::as_str).unwrap_or_default();
    say(&format!("{kind}\n{body:#}\n"));
}

/// Prints a text as long as anybody reads: a script may have what it needs, and the sandbox goes on.
pub(super) fn say(text: &str) {
    let _ = print::out(&format!("{text}\n"));
}
