//! The service with an assistant switched on, and a shop and a model of its own.

use std::{collections::HashSet, time::Duration};

use anyhow::{Context, ensure};
use model_simulator::{Config as ModelConfig, ModelSimulator};
use reference_shop::{Config as ShopConfig, ReferenceShop};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::time::{Instant, interval};
use uuid::Uuid;

use super::{listening::LOOK, people::Person};
use crate::{
    machine::{Service, ServiceSettings},
    session,
    world::{Options, World},
};

const SECRET: &str = "shop-secret-of-the-bench";
/// Stock of each product: never used up.
const PLENTY: u64 = 1_000_000;
/// Interval at which a customer's message is posted again if the service did not take it.
const POSTED_AGAIN: Duration = Duration::from_millis(200);
const MOST_POSTS: usize = 600;

const PRODUCTS: [&str; 2] = ["1001-3", "1012"];

/// Time without a change after which the run fails; longer than anybody is left waiting.
const GIVEN_UP: Duration = Duration::from_mins(4);

/// Table and triggers that record each turn that is taken (`taken`), each answer that is begun (`begun`) and
/// each change that outdates one (`changed`), while the row is locked.
const WATCHED: &str = "
    CREATE TABLE bench_watched (conversation_id uuid, what text, at timestamptz);
    CREATE INDEX ON bench_watched (conversation_id, at);
    CREATE FUNCTION bench_spoken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.heard <> OLD.heard THEN
            INSERT INTO bench_watched VALUES (NEW.conversation_id, 'changed', clock_timestamp());
        END IF;
        IF NEW.heard = OLD.heard AND OLD.due_at <= clock_timestamp() AND NEW.due_at > clock_timestamp() THEN
            INSERT INTO bench_watched VALUES (NEW.conversation_id, 'taken', clock_timestamp());
        END IF;
        IF NEW.sending_id IS DISTINCT FROM OLD.sending_id AND NEW.sending_id IS NOT NULL THEN
            INSERT INTO bench_watched VALUES (NEW.conversation_id, 'begun', clock_timestamp());
        END IF;
        RETURN NULL; END $$;
    CREATE FUNCTION bench_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.status <> OLD.status OR NEW.assigned_to IS DISTINCT FROM OLD.assigned_to THEN
            INSERT INTO bench_watched VALUES (NEW.id, 'changed', clock_timestamp());
        END IF;
        RETURN NULL; END $$;
    CREATE TRIGGER bench_spoken AFTER UPDATE ON assistant_turns FOR EACH ROW EXECUTE FUNCTION bench_spoken();
    CREATE TRIGGER bench_moved AFTER UPDATE ON conversations FOR EACH ROW EXECUTE FUNCTION bench_moved();";

/// Everything that the bench runs on.
pub(super) struct Stage {
    service: Option<Service>,
    pub(super) owner: Owner,
    pub(super) shop: ReferenceShop,
    pub(super) model: ModelSimulator,
    settings: ServiceSettings,
    people: usize,
    /// Dropped last.
    pub(super) world: World,
}

impl Stage {
    pub(super) async fn start(options: &Options) -> anyhow::Result<Self> {
        let world = World::with(options, |network| {
            network.keep = 20_000;
            network.webhook_retries = vec![POSTED_AGAIN; MOST_POSTS];
        });
        let world = world.await?;
        let shop = ReferenceShop::start(ShopConfig::new(SECRET)).await?;
        let model = ModelSimulator::start(ModelConfig::default()).await?;
        let settings = world.settings.with("MODEL_URL", model.base_url()).with("MODEL_NAME", "stand-in");
        let [workspace, _] = &world.workspaces;
        let id = workspace.id.to_string();
        let file = options.folder.join("shop-secret");
        std::fs::write(&file, SECRET).with_context(|| format!("writing {}", file.display()))?;
        let file = file.to_str().context("the folder's name is no text")?;
        settings.operate(&["system", "connect", &id, &shop.base_url(), "--secret-file", file])?;
        settings.operate(&["assistant", "set", &id, "--mode", "on", "--daily-tokens", "1000000000"])?;
        world.database.batch_execute(WATCHED).await?;
        let service = Service::start(&settings).await?;
        let invited = settings.operate(&[
            "member",
            "invite",
            &id,
            "--email",
            "noor@bench.example",
            "--role",
            "owner",
        ])?;
        let owner = Owner::joined(&service, &invited).await?;
        let stage = Self { service: Some(service), owner, shop, model, settings, people: 0, world };
        stage.listens()?;
        stage.fill_shelves().await?;
        Ok(stage)
    }

    fn listens(&self) -> anyhow::Result<()> {
        let webhook = format!("http://{}/networks/meta/webhook", self.service()?.address);
        Ok(self.world.simulator.set_webhook_url(Some(webhook.parse()?))?)
    }

    /// Stocks the products, so that measuring empties no shelf.
    async fn fill_shelves(&self) -> anyhow::Result<()> {
        for product in PRODUCTS {
            let address = format!("{}/products/{product}", self.shop.control_url());
            let answer = self.owner.client.put(address).json(&json!({ "quantity": PLENTY })).send().await?;
            ensure!(answer.status().is_success(), "the shop's shelf was not filled: {}", answer.status());
        }
        Ok(())
    }

    pub(super) fn kill(&mut self) {
        self.service = None;
    }

    pub(super) async fn start_again(&mut self) -> anyhow::Result<()> {
        self.service = Some(Service::start(&self.settings).await?);
        self.listens()
    }

    /// Returns the running service; an error if it was killed.
    pub(super) fn service(&self) -> anyhow::Result<&Service> {
        self.service.as_ref().context("the service was killed")
    }

    /// Returns somebody who has not written yet.
    pub(super) fn somebody(&mut self) -> Person {
        self.people += 1;
        Person(self.people)
    }

    /// Returns each person's conversation; an error unless all have one.
    pub(super) async fn conversations(&self, people: &[Person]) -> anyhow::Result<Vec<Uuid>> {
        let phones: Vec<String> = people.iter().map(|person| format!("+{}", person.digits())).collect();
        let all = "SELECT conversation.id FROM unnest($1::text[]) WITH ORDINALITY AS person (phone, place)
                   JOIN contacts contact ON contact.phone = person.phone
                   JOIN conversations conversation ON conversation.contact_id = contact.id
                   ORDER BY place";
        let mut looks = interval(LOOK);
        loop {
            looks.tick().await;
            let rows = self.world.database.query(all, &[&phones]).await?;
            if rows.len() == people.len() {
                return rows.iter().map(|row| Ok(row.try_get(0)?)).collect();
            }
        }
    }

    /// Makes all turns due now that nobody has taken yet.
    pub(super) async fn hurry(&self) -> anyhow::Result<()> {
        let hurry =
            "UPDATE assistant_turns SET due_at = now() WHERE due_at > now() AND answer_by IS NOT NULL";
        Ok(self.world.database.batch_execute(hurry).await?)
    }

    /// Lists the people whose conversation is with a team member.
    pub(super) async fn with_a_person(&self) -> anyhow::Result<HashSet<Person>> {
        let all = "SELECT contact.phone FROM conversations conversation
                   JOIN contacts contact ON contact.id = conversation.contact_id
                   WHERE conversation.status <> 'bot'";
        let rows = self.world.database.query(all, &[]).await?;
        let mut people = HashSet::new();
        for row in rows {
            people.extend(row.try_get::<_, Option<&str>>(0)?.and_then(Person::of_digits));
        }
        Ok(people)
    }

    /// Counts the rows of a table, or of a table with a condition.
    pub(super) async fn count(&self, of: &str) -> anyhow::Result<i64> {
        let row = self.world.database.query_one(&format!("SELECT count(*) FROM {of}"), &[]).await?;
        Ok(row.try_get(0)?)
    }

    /// Waits until nobody waits for the assistant any more.
    pub(super) async fn quiet(&self) -> anyhow::Result<()> {
        let (mut looks, began) = (interval(LOOK), Instant::now());
        loop {
            looks.tick().await;
            ensure!(began.elapsed() < GIVEN_UP, "somebody still waits for the assistant");
            if self.count("assistant_turns WHERE due_at IS NOT NULL").await? == 0 {
                return Ok(());
            }
        }
    }
}

/// An owner's session at the dashboard's API.
pub(super) struct Owner {
    client: Client,
    cookie: String,
}

impl Owner {
    async fn joined(service: &Service, invited: &str) -> anyhow::Result<Self> {
        let client = Client::builder().no_proxy().no_gzip().build()?;
        let cookie = session::begun(&client, service, invited).await?;
        Ok(Self { client, cookie })
    }

    /// Performs an action on a conversation.
    pub(super) async fn does(
        &self,
        service: &Service,
        conversation: Uuid,
        what: &str,
        body: &Value,
    ) -> anyhow::Result<()> {
        let address = format!("http://{}/dashboard/api/conversations/{conversation}/{what}", service.address);
        let request = self.client.request(Method::POST, address).json(body);
        let answer = request.header("x-dashboard", "1").header("cookie", &self.cookie).send().await?;
        let status = answer.status();
        ensure!(status.is_success(), "{what} {body} was answered with {status}: {}", answer.text().await?);
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the bench's own clock")]
pub(super) fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
