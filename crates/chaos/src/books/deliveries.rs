//! Receivers of webhooks, which record what comes and fail as told.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{Ipv4Addr, TcpListener},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use actix_web::{
    App, HttpResponse, HttpServer,
    web::{Bytes, Data, Path, post},
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::{Token, conversations::text};
use crate::machine::Relay;

/// An event as one address received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) kind: String,
    pub(crate) created_at: String,
    pub(crate) conversation: String,
    pub(crate) message: String,
    /// The network's id of the message; empty if the event has none.
    pub(crate) network_id: String,
    /// Token in the message's text, if there is one.
    pub(crate) token: Option<Token>,
    hash: [u8; 32],
    /// Number of times that the delivery came.
    pub(crate) times: usize,
    /// Whether it came with different bytes once.
    pub(crate) changed: bool,
}

/// Deliveries that an address received, by id.
pub(crate) type Told = BTreeMap<String, Delivery>;

#[derive(Debug)]
struct Shared {
    told: [Mutex<Told>; 3],
    failing: AtomicBool,
    random: Mutex<fastrand::Rng>,
}

/// Three addresses: one that always accepts, one that fails, one whose connections are cut.
pub(crate) struct Receivers {
    port: u16,
    shared: Arc<Shared>,
    /// Relay in front of the third.
    pub(crate) way: Relay,
}

/// Behaviours of the address that fails.
enum Manner {
    Take,
    TakeAndFail,
    Fail,
    Hang,
}

const HANG: Duration = Duration::from_secs(4);

impl Receivers {
    /// Starts the receivers, failing from the start.
    pub(crate) async fn start(seed: u64) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            told: Default::default(),
            failing: AtomicBool::new(true),
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
        });
        let data = Data::from(Arc::clone(&shared));
        let server =
            HttpServer::new(move || App::new().app_data(data.clone()).route("/{address}", post().to(take)))
                .workers(1)
                .disable_signals()
                .listen(listener)?
                .run();
        tokio::spawn(server);
        let way = Relay::start().await?;
        way.lead_to(vec![(Ipv4Addr::LOCALHOST, address.port()).into()]);
        Ok(Self { port: address.port(), shared, way })
    }

    /// Lists the URLs; each is a host of its own to the service.
    pub(crate) fn urls(&self) -> [String; 3] {
        [
            format!("http://127.0.77.1:{}/0", self.port),
            format!("http://127.0.77.2:{}/1", self.port),
            format!("http://{}/2", self.way.address()),
        ]
    }

    /// Lets all addresses accept from now on.
    pub(crate) fn recover(&self) {
        self.shared.failing.store(false, Ordering::Relaxed);
    }

    /// Lists the conversations in which somebody wrote, as the first address was told.
    pub(crate) fn written_to(&self) -> Vec<String> {
        let told = self.shared.told[0].lock().unwrap_or_else(PoisonError::into_inner);
        let received = told.values().filter(|delivery| delivery.kind == "message.received");
        received
            .map(|delivery| &delivery.conversation)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .cloned()
            .collect()
    }

    /// Returns the deliveries of each address.
    pub(crate) fn told(&self) -> Vec<Told> {
        self.shared
            .told
            .iter()
            .map(|told| told.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .collect()
    }
}

async fn take(address: Path<usize>, body: Bytes, shared: Data<Shared>) -> HttpResponse {
    let manner = if *address == 1 && shared.failing.load(Ordering::Relaxed) {
        let chance = shared.random.lock().unwrap_or_else(PoisonError::into_inner).u8(..100);
        match chance {
            0..60 => Manner::Take,
            60..70 => Manner::TakeAndFail,
            70..98 => Manner::Fail,
            _ => Manner::Hang,
        }
    } else {
        Manner::Take
    };
    match manner {
        Manner::Fail => return HttpResponse::ServiceUnavailable().finish(),
        Manner::Hang => {
            sleep(HANG).await;
            return HttpResponse::BadGateway().finish();
        }
        Manner::Take | Manner::TakeAndFail => {}
    }
    let Some(told) = shared.told.get(*address) else { return HttpResponse::NotFound().finish() };
    let noted = note(&mut told.lock().unwrap_or_else(PoisonError::into_inner), &body);
    match (noted, manner) {
        (true, Manner::Take) => HttpResponse::Ok().finish(),
        (true, _) => HttpResponse::InternalServerError().finish(),
        (false, _) => HttpResponse::BadRequest().finish(),
    }
}

/// Records a delivery; returns whether its body could be parsed.
fn note(told: &mut Told, body: &[u8]) -> bool {
    let Ok(event) = serde_json::from_slice::<Value>(body) else { return false };
    let hash: [u8; 32] = Sha256::digest(body).into();
    let noted = told.entry(text(&event, "/id")).or_insert_with(|| Delivery::read(&event, hash));
    noted.times += 1;
    noted.changed |= noted.hash != hash;
    true
}

impl Delivery {
    fn read(event: &Value, hash: [u8; 32]) -> Self {
        let either = |one: &str, other: &str| match text(event, one) {
            none if none.is_empty() => text(event, other),
            some => some,
        };
        Self {
            kind: text(event, "/type"),
            created_at: text(event, "/createdAt"),
            conversation: either("/data/conversationId", "/data/conversation/id"),
            message: either("/data/message/id", "/data/messageId"),
            network_id: text(event, "/data/providerMessageId"),
            token: Token::find(&text(event, "/data/message/content")),
            hash,
            times: 0,
            changed: false,
        }
    }

    #[cfg(test)]
    pub(super) fn made_up(kind: &str, created_at: &str, conversation: &str, message: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            created_at: created_at.to_owned(),
            conversation: conversation.to_owned(),
            message: message.to_owned(),
            network_id: String::new(),
            token: None,
            hash: [0; 32],
            times: 1,
            changed: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_delivery_that_comes_again_is_counted_and_one_with_other_bytes_is_marked() {
        let event = |text: &str| {
            let message = json!({ "id": "m1", "content": text });
            json!({ "id": "d1", "type": "message.sent", "createdAt": "2026-01-01T00:00:00.000Z",
                    "data": { "conversationId": "c1", "message": message } })
            .to_string()
        };
        let mut told = Told::new();
        assert!(note(&mut told, event("S0000001Z").as_bytes()));
        assert!(note(&mut told, event("S0000001Z").as_bytes()));
        let noted = told.get("d1").unwrap().clone();
        assert_eq!((noted.times, noted.changed, noted.token), (2, false, Some(Token::Send(1))));
        assert_eq!((noted.conversation.as_str(), noted.message.as_str()), ("c1", "m1"));
        assert!(note(&mut told, event("S0000002Z").as_bytes()));
        assert!(told.get("d1").unwrap().changed);
        assert!(!note(&mut told, b"{"));
    }
}
