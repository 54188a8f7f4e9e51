//! A database, the stand-in for the network, a receiver, and a workspace that uses them.

use std::{sync::Arc, time::Duration};

use adapter_postgres::testing::TestDatabase;
use network_simulator::{Account, Config, Number, Simulator};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Answer, Api, Commands, Receiver, Rows, Service, operator};

/// The demo's first account at the network.
pub(crate) const SHOP: &str = "102290129340398";
/// The other one.
pub(crate) const CLINIC: &str = "102290129340407";
/// The account of a business that has nothing to do with the demo's.
const NEIGHBOUR: &str = "102290129340416";
/// The shop's ordinary number.
pub(crate) const SHOP_NUMBER: &str = "+9647700000001";
/// The shop's number that a world makes send-only.
pub(crate) const CODES_NUMBER: &str = "+9647700000002";
/// The clinic's number.
pub(crate) const CLINIC_NUMBER: &str = "+9647800000003";
/// The neighbour's number.
pub(crate) const NEIGHBOUR_NUMBER: &str = "+9647500000004";

/// Pause and number of the repeated posts of what the service did not take: longer than a test waits for
/// anything.
const POSTED_AGAIN_AFTER: Duration = Duration::from_millis(250);
const POSTED_AGAIN: usize = 480;

/// Every scope.
const SCOPES: &[&str] = &["contacts:read", "contacts:write", "conversations:read", "messages:send"];

/// Settings of a service, the same over its restarts.
#[derive(Clone)]
pub(crate) struct Secrets {
    pub(crate) database_url: String,
    pub(crate) graph_url: String,
    pub(crate) files_folder: Arc<TempDir>,
    pub(crate) master_key: String,
    pub(crate) app_secret: String,
    pub(crate) verify_token: String,
    pub(crate) log: String,
}

impl Secrets {
    /// Those of a service over this database and this network.
    pub(crate) fn of(database_url: &str, graph_url: &str) -> Self {
        Self {
            database_url: database_url.to_owned(),
            graph_url: graph_url.to_owned(),
            files_folder: Arc::new(tempfile::tempdir().unwrap()),
            master_key: "5a".repeat(32),
            app_secret: "app-secret-of-the-demo".to_owned(),
            verify_token: "verify-token-of-the-demo".to_owned(),
            log: "info".to_owned(),
        }
    }

    /// Those of a service that reaches no network.
    pub(crate) fn alone(database_url: &str) -> Self {
        Self::of(database_url, "http://127.0.0.1:1/")
    }
}

/// Everything that one test uses; nothing is shared between tests.
pub(crate) struct World {
    pub(crate) service: Service,
    pub(crate) simulator: Simulator,
    pub(crate) receiver: Receiver,
    pub(crate) secrets: Secrets,
    pub(crate) workspace: String,
    /// A key with every scope.
    pub(crate) key: String,
    pub(crate) webhook_secret: String,
    /// Dropped last: the service must be gone before its database.
    #[expect(dead_code, reason = "held until the world ends")]
    pub(crate) database: TestDatabase,
}

impl World {
    /// A workspace with both demo accounts, one send-only number, and a receiver subscribed to everything.
    pub(crate) async fn new() -> Self {
        Self::logging("info").await
    }

    /// The same, with the service's log at `log`.
    pub(crate) async fn logging(log: &str) -> Self {
        // For the clients that a test makes for itself. Fails only where a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let database = TestDatabase::fresh().await;
        let token = SecretString::from("token-of-the-demo");
        let mut config = Config::new("app-secret-of-the-demo", "verify-token-of-the-demo");
        config.accounts = network_simulator::demo_accounts(&token).unwrap();
        config.accounts.push(neighbour_account(&token));
        config.pages = vec![network_simulator::demo_page(&token)];
        config.require_appsecret_proof = true;
        config.status_delay = Duration::ZERO;
        // A real network's pauses grow to hours: a service that is killed four times would be waited for that
        // long.
        config.webhook_retries = vec![POSTED_AGAIN_AFTER; POSTED_AGAIN];
        let simulator = Simulator::start(config).await.unwrap();
        let receiver = Receiver::start().await;
        let secrets =
            Secrets { log: log.to_owned(), ..Secrets::of(database.url(), simulator.url().as_str()) };
        let commands = Commands::over(&secrets).await;
        let made = commands
            .run(&["workspace", "create", "--name", "Palm Store", "--owner-email", "owner@palm.example"])
            .await;
        let workspace = word_after(&made, "workspace");
        for account in [SHOP, CLINIC] {
            let id = ["account", "connect", &workspace, "--id", account, "--token", "token-of-the-demo"];
            commands.run(&id).await;
        }
        commands.run(&["number", "send-only", &workspace, CODES_NUMBER]).await;
        let key = key_in(&commands.run(&to_make_a_key(&workspace, SCOPES)).await);
        let added = commands.run(&["webhook", "add", &workspace, receiver.url()]).await;
        let webhook_secret =
            added.lines().find(|line| line.starts_with("whsec_")).expect("a secret").to_owned();
        drop(commands);
        let service = Service::start(&secrets).await;
        simulator.set_webhook_url(Some(service.network_webhook())).unwrap();
        Self { service, simulator, receiver, secrets, workspace, key, webhook_secret, database }
    }

    /// Connects the demo's page, and with it the Instagram account that is linked to it.
    pub(crate) fn connect_page(&self) {
        self.operator(&["page", "connect", &self.workspace, "--token", "token-of-the-demo"]);
    }

    /// The API, with the key that opens everything.
    pub(crate) fn api(&self) -> Api {
        Api::new(self.service.base_url(), &self.key)
    }

    /// The API, with a key of these scopes.
    pub(crate) fn api_with(&self, scopes: &[&str]) -> Api {
        Api::new(self.service.base_url(), &new_key(&self.secrets, &self.workspace, scopes))
    }

    /// A second workspace on the same service, with an account of its own; its id and its API.
    pub(crate) fn neighbour(&self) -> (String, Api) {
        let made =
            self.operator(&["workspace", "create", "--name", "Neighbour", "--owner-email", "n@n.example"]);
        let workspace = word_after(&made, "workspace");
        self.operator(&["account", "connect", &workspace, "--id", NEIGHBOUR, "--token", "token-of-the-demo"]);
        let key = new_key(&self.secrets, &workspace, SCOPES);
        let api = Api::new(self.service.base_url(), &key);
        (workspace, api)
    }

    /// Sets the whole plan, by the options of the operator's command: without a limit it is unlimited, and it
    /// goes on unless it is paused.
    pub(crate) fn plan(&self, options: &[&str]) {
        let mut arguments = [&["workspace", "plan", &self.workspace], options].concat();
        if !options.contains(&"--limit") && !options.contains(&"--unlimited") {
            arguments.push("--unlimited");
        }
        if !options.contains(&"--paused") {
            arguments.push("--active");
        }
        self.operator(&arguments);
    }

    /// Opens this world's database.
    pub(crate) async fn rows(&self) -> Rows {
        Rows::of(&self.secrets.database_url).await
    }

    /// Calls a control route of the network's stand-in; it must answer 200.
    pub(crate) async fn control(&self, method: Method, path: &str, body: &Value) -> Value {
        let base = self.secrets.graph_url.trim_end_matches('/');
        let request = Api::new(base, "").request(method, &format!("/control/{path}")).json(body);
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, 200, "{path}: {:?}", answer.body);
        answer.body
    }

    /// Kills the service as `kill -9` does, and starts it again on the same database.
    pub(crate) async fn crash_and_restart(&mut self) {
        self.service.kill();
        self.restart().await;
    }

    /// Starts the service again, and tells the network where it is now.
    pub(crate) async fn restart(&mut self) {
        self.service = Service::start(&self.secrets).await;
        self.simulator.set_webhook_url(Some(self.service.network_webhook())).unwrap();
    }

    /// Runs an operator's command on this world's database.
    pub(crate) fn operator(&self, arguments: &[&str]) -> String {
        operator(&self.secrets, arguments)
    }
}

/// A business with one number, a template of a name that the demo has, too, and one of its own.
fn neighbour_account(token: &SecretString) -> Account {
    let mut account = Account::new(NEIGHBOUR, "Neighbour", token.clone());
    account.numbers = vec![Number::new("106540352242955", NEIGHBOUR_NUMBER, "Neighbour")];
    let named = |name: &str, id: &str| {
        json!({
            "id": id, "name": name, "language": "ar", "status": "APPROVED", "category": "UTILITY",
            "components": [{ "type": "BODY", "text": "{{1}}: {{2}}.", "example": { "body_text": [["a", "b"]] } }],
        })
    };
    account.templates =
        vec![named("order_ready", "1387372356726864"), named("neighbourly", "1387372356726875")];
    account
}

fn new_key(secrets: &Secrets, workspace: &str, scopes: &[&str]) -> String {
    key_in(&operator(secrets, &to_make_a_key(workspace, scopes)))
}

fn to_make_a_key<'a>(workspace: &'a str, scopes: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["key", "create", workspace, "--label", "tests"];
    for &scope in scopes {
        arguments.extend(["--scope", scope]);
    }
    arguments
}

fn key_in(said: &str) -> String {
    said.lines().find(|line| line.starts_with("msk_")).expect("a key").to_owned()
}

fn word_after(text: &str, word: &str) -> String {
    let rest = text.lines().find_map(|line| line.strip_prefix(word)).expect("the word");
    rest.trim().to_owned()
}
