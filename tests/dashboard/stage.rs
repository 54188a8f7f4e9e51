//! A service in the test's own process, and a workspace with its owner at a browser.

use std::time::Duration;

use adapter_postgres::testing::TestDatabase;
use domain::{
    access::members::{
        self,
        ports::{MemberStore, Revocation},
    },
    audit::{Acting, Action, Actor},
    clock::Clock,
};
use serde_json::{Value, json};
use server::{config::Role, wiring::Foundation};

use crate::support::{Browser, InProcess, Rows, Secrets, operator, token_of};

/// The owner.
pub(super) const OWNER: &str = "owner@palm.example";

/// A conversation, where [`Stage::conversation`] makes it; and its account, channel and contact.
pub(super) const CONVERSATION: &str = "0192f0c1-7a00-7000-8000-0000000000f1";
/// A group, where [`Stage::group`] makes it.
pub(super) const GROUP: &str = "0192f0c1-7a00-7000-8000-0000000000a1";

/// Everything that one test uses.
pub(crate) struct Stage {
    pub(super) base_url: String,
    pub(super) secrets: Secrets,
    pub(super) workspace: String,
    /// The owner's browser.
    pub(super) owner: Browser,
    process: InProcess,
    #[expect(dead_code, reason = "held until the stage ends")]
    database: TestDatabase,
}

impl Stage {
    pub(super) async fn new() -> Self {
        Self::mailing(None).await
    }

    /// Starts the same, with a service that hands its mail to a server.
    pub(super) async fn mailing(mail_server: Option<&str>) -> Self {
        let database = TestDatabase::fresh().await;
        let secrets = Secrets::alone(database.url());
        let workspace = new_workspace(&secrets, "Palm Store", OWNER);
        let process = InProcess::mailing(&secrets, mail_server);
        let base_url = process.serve(&[Role::Api]).base_url;
        let owner = Browser::joined(&base_url, &secrets, &workspace, OWNER, "owner").await;
        Self { base_url, secrets, workspace, owner, process, database }
    }

    /// A browser that nobody has signed in with.
    pub(super) fn browser(&self) -> Browser {
        Browser::new(&self.base_url)
    }

    /// A browser of somebody new.
    pub(super) async fn joined(&self, email: &str, role: &str) -> Browser {
        Browser::joined(&self.base_url, &self.secrets, &self.workspace, email, role).await
    }

    /// The owner of another workspace, at their browser.
    pub(super) async fn neighbour(&self) -> Browser {
        let workspace = new_workspace(&self.secrets, "Neighbour", "n@n.example");
        Browser::joined(&self.base_url, &self.secrets, &workspace, "n@n.example", "owner").await
    }

    /// Runs an operator's command.
    pub(super) fn operator(&self, arguments: &[&str]) -> String {
        operator(&self.secrets, arguments)
    }

    /// Lets time go by.
    pub(super) fn later(&self, by: Duration) {
        self.process.clock.advance(by);
    }

    /// The time, in seconds since 1970.
    pub(super) fn seconds(&self) -> u64 {
        u64::try_from(self.process.clock.now().unix_timestamp()).unwrap()
    }

    /// The owner of another workspace, who has invited one of our addresses and has taken the link. The
    /// workspace, and the browser, which can sign in with `password`.
    pub(super) async fn impostor(&self, email: &str, password: &str) -> (String, Browser) {
        let mut neighbour = self.neighbour().await;
        let workspace = neighbour.get("/me").await.text("/workspace/id").to_owned();
        let invited = neighbour.post("/invitations", &json!({ "email": email, "role": "agent" })).await;
        let body = json!({ "token": token_of(invited.text("/link")), "name": "Shop", "password": password });
        let accepted = neighbour.post("/invitations/accept", &body).await;
        assert_eq!(accepted.status, 200, "{accepted:?}");
        neighbour.cookie = None;
        (workspace, neighbour)
    }

    /// An invitation of a member, as there may be one from an earlier release.
    pub(super) async fn invitation_from_before(&self, email: &str) {
        let row = format!(
            "INSERT INTO invitations
                (token_hash, id, workspace_id, email, role, created_at, expires_at, from_operator)
             VALUES (sha256('before'), gen_random_uuid(), '{}', '{email}', 'owner', now(), now() + '7 days', true)",
            self.workspace
        );
        self.rows().await.change(&row).await;
    }

    /// Removes an agent in the owner's name, and does no more, like a process that dies in between.
    pub(super) async fn removed_by_a_process_that_died(&self, agent: &str) {
        let Foundation { stores, deps, .. } = &self.process.foundation;
        let actor = Actor::Member(self.owner.member_id().await.parse().unwrap());
        let acting = Acting { workspace: self.workspace.parse().unwrap(), actor, address: None };
        let entry = acting.does(Action::MemberRemoved, deps.clock.now(), &*deps.ids).to(agent);
        let agent = agent.parse().unwrap();
        let (store, role, nothing) = (&*stores.access, members::Role::Agent, Revocation::default());
        MemberStore::remove(store, acting.workspace, agent, role, &nothing, &entry).await.unwrap();
    }

    /// Starts what works in the background.
    pub(super) fn work(&self) {
        drop(self.process.serve(&[Role::Worker]));
    }

    /// Registers a webhook address, to which nothing is delivered here.
    pub(super) async fn webhook(&self, events: &[&str]) {
        let new = json!({ "url": "http://127.0.0.1:9/events", "events": events });
        let added = self.owner.post("/webhooks", &new).await;
        assert_eq!(added.status, 201, "{added:?}");
    }

    /// The last event that is to be delivered there.
    pub(super) async fn told(&self) -> Value {
        let address = self.owner.get("/webhooks").await.text("/rows/0/id").to_owned();
        let listed = self.owner.get(&format!("/webhooks/{address}/deliveries")).await;
        let delivery = self.owner.get(&format!("/deliveries/{}", listed.text("/rows/0/id"))).await;
        serde_json::from_str(delivery.text("/body")).unwrap()
    }

    /// An open conversation that a member of ours holds.
    pub(super) async fn conversation(&self, holder: &str) {
        conversation(&self.rows().await, &self.workspace, CONVERSATION, &format!("'{holder}'")).await;
    }

    /// A group of ours without members.
    pub(super) async fn group(&self) {
        let added =
            format!("INSERT INTO groups VALUES ('{}', '{GROUP}', 'Night shift', now())", self.workspace);
        self.rows().await.change(&added).await;
    }

    pub(super) async fn rows(&self) -> Rows {
        Rows::of(&self.secrets.database_url).await
    }
}

/// An open conversation of a workspace; `holder` as SQL.
pub(super) async fn conversation(rows: &Rows, workspace: &str, conversation: &str, holder: &str) {
    rows.change(&format!(
        "INSERT INTO accounts VALUES ('{workspace}', '{conversation}', '{conversation}', '', now(), NULL, now());
         INSERT INTO channels VALUES
            ('{workspace}', '{conversation}', 'whatsapp', '{conversation}', '{conversation}', NULL, false, now(), 0, NULL);
         INSERT INTO contacts (workspace_id, id, source, created_at)
            VALUES ('{workspace}', '{conversation}', 'messaged', now());
         INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, assigned_to,
                                    last_message_at, created_at)
            VALUES ('{workspace}', '{conversation}', '{conversation}', '{conversation}', 'whatsapp', 'open', {holder}, now(), now())"
    ))
    .await;
}

fn new_workspace(secrets: &Secrets, name: &str, owner: &str) -> String {
    let made = operator(secrets, &["workspace", "create", "--name", name, "--owner-email", owner]);
    made.lines().find_map(|line| line.strip_prefix("workspace ")).unwrap().to_owned()
}
