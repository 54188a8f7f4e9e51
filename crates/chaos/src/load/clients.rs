//! Clients of the API, who send and repeat their keys until they know the outcome.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinSet, time::sleep};

use crate::{
    api::{Answer, Api},
    books::{Kind, Outcome, Send, Token},
};

/// Pause between two sends of a client: with its repeated requests, a key stays below its 600 a minute.
const PAUSE: Duration = Duration::from_millis(250);
const AGAIN: Duration = Duration::from_millis(300);
/// Requests for an unknown outcome before the client goes on to its next send.
const ASKED_WHEN_UNKNOWN: usize = 3;
/// Number of recipients, who are others than the people who write.
const PEOPLE: u64 = 200;

/// Ids of conversations that can be replied to.
pub(crate) type Replies = Arc<Mutex<Vec<String>>>;

pub(crate) struct Clients {
    apis: Vec<Api>,
    replies: Replies,
    numbers: AtomicU64,
    sends: Mutex<Vec<Send>>,
}

impl Clients {
    pub(crate) fn new(apis: Vec<Api>, replies: Replies) -> Arc<Self> {
        Arc::new(Self { apis, replies, numbers: AtomicU64::new(1), sends: Mutex::default() })
    }

    /// Sends until told to stop; records every send, whatever its outcome.
    pub(crate) fn run(self: &Arc<Self>, start: u64, stop: &watch::Receiver<bool>, tasks: &mut JoinSet<()>) {
        for (client, api) in (0..).zip(self.apis.clone()) {
            let (this, stop) = (Arc::clone(self), stop.clone());
            let mut random = fastrand::Rng::with_seed(start ^ client);
            tasks.spawn(async move {
                while !*stop.borrow() {
                    let mut send = this.new_send(&mut random);
                    let request = this.request(&send, &mut random);
                    if random.u8(..100) < 5 {
                        // An impatient client: twice at the same time.
                        let key = key(&send);
                        let again = api.post(request.0, &key, &request.1);
                        let (_, ()) = tokio::join!(again, pursue(&api, &mut send, &request, &stop));
                    } else {
                        pursue(&api, &mut send, &request, &stop).await;
                    }
                    if random.u8(..100) < 10 {
                        ask(&api, &mut send, &request).await;
                    }
                    this.note(send, request);
                    sleep(PAUSE).await;
                }
            });
        }
    }

    fn new_send(&self, random: &mut fastrand::Rng) -> Send {
        let kind = match random.u8(..10) {
            0..4 => Kind::Notice,
            4..6 => Kind::Code,
            _ => Kind::Reply,
        };
        let kind = if self.replies.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            Kind::Notice
        } else {
            kind
        };
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        Send { number, kind, outcome: Outcome::Open, other_ids: Vec::new(), asked: 0, request: None }
    }

    fn request(&self, send: &Send, random: &mut fastrand::Rng) -> (&'static str, Value) {
        let token = Token::Send(send.number).text();
        let to = format!("+{}", 9_647_712_000_000 + random.u64(..PEOPLE));
        let template = "/v1/messages/template";
        match send.kind {
            Kind::Notice => {
                let body = json!({ "to": to, "template": "order_ready", "language": "ar",
                                   "variables": ["سارة", token], "reference": token });
                (template, body)
            }
            Kind::Code => (template, json!({ "to": to, "template": "login_code", "code": token })),
            Kind::Reply => {
                let conversations = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
                let conversation = random.choice(conversations.iter()).cloned().unwrap_or_default();
                ("/v1/messages", json!({ "conversationId": conversation, "text": token }))
            }
        }
    }

    fn note(&self, mut send: Send, request: (&'static str, Value)) {
        if !matches!(send.outcome, Outcome::Sent(_)) {
            send.request = Some(request);
        }
        self.sends.lock().unwrap_or_else(PoisonError::into_inner).push(send);
    }

    /// Lists the requests so far that broke off or were answered with a server error.
    pub(crate) fn failed(&self) -> Vec<String> {
        self.apis.iter().flat_map(Api::failed).collect()
    }

    pub(crate) fn sends(&self) -> Vec<Send> {
        self.sends.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requests every send once more whose outcome is not known. Returns the number of those still open; a
    /// message that the network never accepted may stay unknown for ever.
    pub(crate) async fn ask_again(&self) -> usize {
        let mut open = 0;
        let mut sends = self.sends();
        for (send, api) in sends.iter_mut().zip(self.apis.iter().cycle()) {
            if let (Outcome::Open | Outcome::Unknown, Some(request)) = (&send.outcome, send.request.clone()) {
                ask(api, send, &request).await;
                open += usize::from(send.outcome == Outcome::Open);
            }
        }
        *self.sends.lock().unwrap_or_else(PoisonError::into_inner) = sends;
        open
    }
}

fn key(send: &Send) -> String {
    format!("chaos-{}", send.number)
}

/// Repeats the request until the outcome is known, or nobody seems to know it.
async fn pursue(api: &Api, send: &mut Send, request: &(&'static str, Value), stop: &watch::Receiver<bool>) {
    let mut unknown = 0;
    loop {
        ask(api, send, request).await;
        match send.outcome {
            Outcome::Sent(_) | Outcome::Refused(..) => return,
            Outcome::Unknown if unknown == ASKED_WHEN_UNKNOWN => return,
            Outcome::Unknown => unknown += 1,
            Outcome::Open if *stop.borrow() => return,
            Outcome::Open => {}
        }
        sleep(AGAIN).await;
    }
}

async fn ask(api: &Api, send: &mut Send, (path, body): &(&'static str, Value)) {
    send.asked += 1;
    if let Some(answer) = api.post(path, &key(send), body).await {
        send.learn(&answer);
    }
}

impl Send {
    fn learn(&mut self, answer: &Answer) {
        let id = match answer.text("/message/id") {
            "" => answer.text("/id"),
            id => id,
        };
        match (answer.status, &self.outcome) {
            (201, Outcome::Sent(known)) if known != id => self.other_ids.push(id.to_owned()),
            (201, _) => self.outcome = Outcome::Sent(id.to_owned()),
            // A send that succeeded stays so: a later answer without an outcome changes nothing.
            (_, Outcome::Sent(_)) => {}
            (504, _) => self.outcome = Outcome::Unknown,
            (429 | 500.., _) => {}
            (409, _) if answer.text("/code") == "request_in_flight" => {}
            (status, _) => self.outcome = Outcome::Refused(status, answer.text("/code").to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_send_is_kept_and_what_does_not_leaves_it_open() {
        let answer = |status, body| Answer { status, body };
        let mut send = Send {
            number: 1,
            kind: Kind::Notice,
            outcome: Outcome::Open,
            other_ids: Vec::new(),
            asked: 0,
            request: None,
        };
        for nothing in [
            answer(503, json!({ "code": "network_unavailable" })),
            answer(409, json!({ "code": "request_in_flight" })),
            answer(429, json!({})),
        ] {
            send.learn(&nothing);
            assert_eq!(send.outcome, Outcome::Open);
        }
        send.learn(&answer(504, json!({ "code": "outcome_unknown" })));
        assert_eq!(send.outcome, Outcome::Unknown);
        send.learn(&answer(201, json!({ "id": "a" })));
        send.learn(&answer(504, json!({})));
        send.learn(&answer(201, json!({ "id": "a" })));
        assert_eq!((&send.outcome, send.other_ids.len()), (&Outcome::Sent("a".to_owned()), 0));
        send.learn(&answer(201, json!({ "message": { "id": "b" } })));
        assert_eq!(send.other_ids, ["b"]);
    }

    #[test]
    fn a_refusal_ends_a_send_with_its_code() {
        let mut send = Send {
            number: 1,
            kind: Kind::Reply,
            outcome: Outcome::Open,
            other_ids: Vec::new(),
            asked: 0,
            request: None,
        };
        send.learn(&Answer { status: 422, body: json!({ "code": "whatsapp_rejected" }) });
        assert_eq!(send.outcome, Outcome::Refused(422, "whatsapp_rejected".to_owned()));
    }
}
