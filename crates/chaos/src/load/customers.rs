//! Customers of three networks, each of whom writes a message once the one before is acknowledged.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use network_simulator::Simulator;
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinSet, time::sleep};

use crate::books::Token;

/// Concurrent writers; each plays several people.
const WRITERS: u64 = 6;
const PEOPLE_OF_A_WRITER: u64 = 5;
const AGAIN: Duration = Duration::from_millis(150);
/// Longest pause between two messages of a writer, in milliseconds.
const PAUSE_MS: u64 = 120;

pub(crate) struct Customers {
    /// Number of acknowledged messages of each person.
    written: Mutex<BTreeMap<u64, u64>>,
}

/// Network that a person writes on.
#[derive(Debug, Clone, Copy)]
enum Network {
    Whatsapp,
    Messenger,
    Instagram,
}

impl Network {
    fn of(person: u64) -> Self {
        match person % 3 {
            0 => Self::Whatsapp,
            1 => Self::Messenger,
            _ => Self::Instagram,
        }
    }
}

impl Customers {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { written: Mutex::default() })
    }

    /// Writes until told to stop; a message that is unacknowledged by then is repeated until it is
    /// acknowledged.
    pub(crate) fn run(
        self: &Arc<Self>,
        simulator: &Arc<Simulator>,
        seed: u64,
        stop: &watch::Receiver<bool>,
        tasks: &mut JoinSet<()>,
    ) {
        for writer in 0..WRITERS {
            let (this, simulator, stop) = (Arc::clone(self), Arc::clone(simulator), stop.clone());
            let mut random = fastrand::Rng::with_seed(seed ^ (writer << 32));
            tasks.spawn(async move {
                while !*stop.borrow() {
                    let person = writer * PEOPLE_OF_A_WRITER + random.u64(..PEOPLE_OF_A_WRITER);
                    // A few in a row: messages in close succession can overtake each other.
                    for _ in 0..random.u8(1..5) {
                        this.write(&simulator, person, random.u8(..100) < 10).await;
                    }
                    sleep(Duration::from_millis(random.u64(..PAUSE_MS))).await;
                }
            });
        }
    }

    async fn write(&self, simulator: &Simulator, person: u64, with_a_picture: bool) {
        let number = self.written().get(&person).copied().unwrap_or_default();
        let post = post(person, number, with_a_picture);
        loop {
            // The same message under the same id, as the network does: a copy counts once.
            let answer = simulator.person_writes(&post).await;
            if answer.is_ok_and(|answer| answer.pointer("/webhook/status") == Some(&json!(200))) {
                break;
            }
            sleep(AGAIN).await;
        }
        self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(person, number + 1);
    }

    /// Returns the number of acknowledged messages of each person.
    pub(crate) fn written(&self) -> BTreeMap<u64, u64> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn post(person: u64, number: u64, with_a_picture: bool) -> Value {
    let text = Token::Written(person, number).text();
    let id = format!("chaos.{person}.{number}");
    match Network::of(person) {
        Network::Whatsapp => {
            let id = format!("wamid.{id}");
            let message = if with_a_picture {
                json!({ "id": id, "type": "image", "image": { "caption": text } })
            } else {
                json!({ "id": id, "type": "text", "text": { "body": text } })
            };
            json!({ "phoneNumberId": "106540352242922", "from": format!("+{}", 9_647_711_000_000 + person),
                    "name": "Sara", "message": message })
        }
        Network::Messenger => {
            let from = (24_811_234_567_000_000 + person).to_string();
            json!({ "pageId": "1234567890", "from": from, "name": "Sara",
                    "message": { "mid": format!("m_{id}"), "text": text } })
        }
        Network::Instagram => {
            let from = (17_851_234_567_000_000 + person).to_string();
            json!({ "instagramId": "17841400000000001", "from": from, "name": "Sara",
                    "message": { "mid": format!("ig_{id}"), "text": text } })
        }
    }
}
