//! Events made through public interfaces: statuses that the network posts for messages sent before. Each is
//! one post, one event and one delivery.

use std::{
    io::Write as _,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use ring::hmac::{self, HMAC_SHA256, Key};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::{sync::mpsc, task::JoinSet, time::sleep_until};

use super::{pace::Pace, sink::Sink};
use crate::{
    load::{Connection, Keys, float},
    machine::Service,
    world::World,
};

/// Posts in flight at the highest rate, and codes in flight while they are sent.
const IN_FLIGHT: usize = 64;
/// Statuses that every message can still reach; each is an event.
const LADDER: [&str; 2] = ["delivered", "read"];
const KEYS: usize = 400;

/// Makes events for the bench's first workspace.
pub(super) struct Statuses<'a> {
    world: &'a World,
    service: &'a Service,
    keys: Arc<Keys>,
    account: String,
    sent: u64,
}

impl<'a> Statuses<'a> {
    pub(super) async fn new(world: &'a World, service: &'a Service) -> anyhow::Result<Self> {
        let [workspace, _] = &world.workspaces;
        let keys = world.keys(workspace, KEYS).await?;
        let account = "SELECT network_id FROM accounts WHERE workspace_id = $1";
        let account = world.database.query_one(account, &[&workspace.id]).await?.get(0);
        // The network accepts, and sends no statuses by itself.
        world.simulator.set_faults(&json!([{ "kind": "drop_statuses" }]))?;
        Ok(Self { world, service, keys, account, sent: 0 })
    }

    /// Makes events as fast as possible; returns the rate per second until the last was received.
    pub(super) async fn saturate(&mut self, sink: &Sink, count: u64) -> anyhow::Result<f64> {
        let posts = self.posts(count).await?;
        let events = u64::try_from(posts.len())?;
        sink.forget();
        let started = Instant::now();
        let posts = Arc::new(Mutex::new(posts.into_iter()));
        let mut posters = JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let (mut connection, posts) = (Connection::open(self.service.address).await?, Arc::clone(&posts));
            let next = move || posts.lock().unwrap_or_else(PoisonError::into_inner).next();
            posters.spawn(async move {
                while let Some(request) = next() {
                    post(&mut connection, &request).await?;
                }
                anyhow::Ok(())
            });
        }
        while let Some(poster) = posters.join_next().await {
            poster??;
        }
        sink.came(events, || Ok(())).await?;
        Ok(float(events) / started.elapsed().as_secs_f64())
    }

    /// Makes events at a pace that does not wait for answers; returns the microseconds from each event to its
    /// receipt.
    pub(super) async fn pace(&mut self, sink: &Sink, pace: Pace) -> anyhow::Result<Vec<u32>> {
        let posts = self.posts(pace.events()).await?;
        let events = u64::try_from(posts.len())?;
        sink.forget();
        sink.note_latencies();
        let mut posters = JoinSet::new();
        let mut lines = Vec::new();
        for _ in 0..IN_FLIGHT {
            let mut connection = Connection::open(self.service.address).await?;
            let (line, mut requests) = mpsc::unbounded_channel::<Bytes>();
            lines.push(line);
            posters.spawn(async move {
                while let Some(request) = requests.recv().await {
                    post(&mut connection, &request).await?;
                }
                anyhow::Ok(())
            });
        }
        let started = tokio::time::Instant::now();
        for ((request, line), number) in posts.into_iter().zip(lines.iter().cycle()).zip(0..) {
            sleep_until(started + Duration::from_secs_f64(float(number) / pace.rate)).await;
            line.send(request).ok().context("a poster ended")?;
        }
        drop(lines);
        while let Some(poster) = posters.join_next().await {
            poster??;
        }
        sink.came(events, || Ok(())).await?;
        sink.latencies()
    }

    /// Prepares the requests of `count` events, and sends the messages that they are about.
    async fn posts(&mut self, count: u64) -> anyhow::Result<Vec<Bytes>> {
        let sends = count.div_ceil(u64::try_from(LADDER.len())?);
        let codes = self.send_codes(sends).await?;
        let key = Key::new(HMAC_SHA256, self.world.app_secret().as_bytes());
        let posts = LADDER.iter().flat_map(|status| codes.iter().map(move |code| (status, code)));
        posts.map(|(status, code)| self.request(&key, status, code)).collect()
    }

    fn request(&self, key: &Key, status: &str, code: &Code) -> anyhow::Result<Bytes> {
        #[expect(clippy::disallowed_methods, reason = "the network dates what it posts")]
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let status = json!({
            "id": format!("wamid.{}", code.id), "status": status, "timestamp": now.to_string(),
            "recipient_id": code.to, "biz_opaque_callback_data": code.id,
        });
        let value = json!({
            "messaging_product": "whatsapp", "statuses": [status],
            "metadata": { "display_phone_number": code.from.trim_start_matches('+'), "phone_number_id": code.number },
        });
        let post = json!({
            "object": "whatsapp_business_account",
            "entry": [{ "id": self.account, "changes": [{ "field": "messages", "value": value }] }],
        });
        let body = serde_json::to_vec(&post)?;
        let mut request = Vec::with_capacity(body.len() + 300);
        write!(
            request,
            "POST /networks/meta/webhook HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n\
             X-Hub-Signature-256: sha256={}\r\nContent-Length: {}\r\n\r\n",
            HEXLOWER.encode(hmac::sign(key, &body).as_ref()),
            body.len()
        )?;
        request.extend_from_slice(&body);
        Ok(request.into())
    }

    /// Sends one-time codes, each to a new person.
    async fn send_codes(&mut self, count: u64) -> anyhow::Result<Vec<Code>> {
        let numbers = self.numbers()?;
        let people = self.sent..self.sent + count;
        self.sent = people.end;
        let people = Arc::new(Mutex::new(people));
        let mut senders = JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let mut connection = Connection::open(self.service.address).await?;
            let (people, numbers) = (Arc::clone(&people), numbers.clone());
            let mut key = self.keys.take();
            senders.spawn(async move {
                let mut codes = Vec::new();
                loop {
                    let person = people.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(person) = person else { return anyhow::Ok(codes) };
                    let index = usize::try_from(person)? % numbers.len();
                    let (number, from) = numbers.get(index).context("no number")?;
                    let to = format!("{}", 9_647_720_000_000 + person);
                    let request = code_request(key.next(), &to, from);
                    let answer = connection.ask(request.as_bytes()).await?;
                    let body: Value = serde_json::from_slice(answer.body)?;
                    ensure!(answer.status == 201, "a code was answered with {}: {body}", answer.status);
                    let id = body.get("id").and_then(Value::as_str).context("a send without id")?.to_owned();
                    codes.push(Code { id, to, number: number.clone(), from: from.clone() });
                }
            });
        }
        let mut codes = Vec::new();
        while let Some(sender) = senders.join_next().await {
            codes.extend(sender??);
        }
        Ok(codes)
    }

    /// Lists each number's id at the network and its spelling.
    fn numbers(&self) -> anyhow::Result<Vec<(String, String)>> {
        let [workspace, _] = &self.world.workspaces;
        let id = workspace.id.to_string();
        let listed = self.world.settings.operate(&["number", "list", &id, "--json"])?;
        let listed: Value = serde_json::from_str(&listed)?;
        let read = |number: &Value| {
            let text = |key: &str| number.get(key)?.as_str().map(str::to_owned);
            Some((text("networkId")?, text("phone")?))
        };
        let rows = listed.get("rows").and_then(Value::as_array).context("no list of numbers")?;
        rows.iter().map(|number| read(number).context("a number in an unknown form")).collect()
    }
}

struct Code {
    id: String,
    to: String,
    /// Id at the network of the sending number.
    number: String,
    from: String,
}

fn code_request(key: &str, to: &str, from: &str) -> String {
    let body = format!(
        r#"{{"to":"+{to}","from":"{from}","template":"login_code","language":"ar","code":"483920"}}"#
    );
    format!(
        "POST /v1/messages/template HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn post(connection: &mut Connection, request: &[u8]) -> anyhow::Result<()> {
    let answer = connection.ask(request).await?;
    ensure!(answer.status == 200, "the network's webhook answered {}", answer.status);
    Ok(())
}
