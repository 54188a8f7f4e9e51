//! Kinds of sends.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::load::Calls;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Leaves a contact, a conversation and a message.
    Notice,
    /// Leaves nothing.
    Code,
}

impl Kind {
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Notice => "notices",
            Self::Code => "one-time codes",
        }
    }
}

/// Sends, each to a new person, from all numbers in turn.
pub(crate) struct Sends {
    numbers: Vec<String>,
    people: AtomicU64,
}

impl Sends {
    pub(crate) fn new(numbers: &[String]) -> Self {
        Self { numbers: numbers.to_vec(), people: AtomicU64::new(0) }
    }

    /// Returns `count` sends to people who have got none before.
    pub(crate) fn of(self: &Arc<Self>, kind: Kind, count: u64) -> Arc<dyn Calls> {
        let first = self.people.fetch_add(count, Ordering::Relaxed);
        Arc::new(Batch { sends: Arc::clone(self), kind, first })
    }
}

struct Batch {
    sends: Arc<Sends>,
    kind: Kind,
    first: u64,
}

impl Calls for Batch {
    fn write(&self, number: u64, key: &str, out: &mut Vec<u8>) {
        let person = self.first + number;
        let numbers = u64::try_from(self.sends.numbers.len().max(1)).unwrap_or(1);
        let from = usize::try_from(person % numbers).ok().and_then(|index| self.sends.numbers.get(index));
        let from = from.map_or("", String::as_str);
        let to = 9_647_710_000_000 + person;
        let said = match self.kind {
            Kind::Notice => {
                r#""template":"order_ready","language":"ar","variables":["سارة","A-1042"],"name":"سارة""#
            }
            Kind::Code => r#""template":"login_code","language":"ar","code":"483920""#,
        };
        let body = format!(r#"{{"to":"+{to}","from":"{from}","reference":"send-{person}",{said}}}"#);
        // Writing to a vector does not fail.
        let _ = write!(
            out,
            "POST /v1/messages/template HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\
             Idempotency-Key: bench-{person}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Kind, Sends};

    #[test]
    fn nobody_is_sent_to_twice_and_the_numbers_take_turns() {
        let sends = Arc::new(Sends::new(&["+1".to_owned(), "+2".to_owned()]));
        let mut seen = Vec::new();
        for kind in [Kind::Notice, Kind::Code] {
            let batch = sends.of(kind, 2);
            for number in 0..2 {
                let mut out = Vec::new();
                batch.write(number, "key", &mut out);
                let text = String::from_utf8(out).unwrap();
                let (head, body) = text.split_once("\r\n\r\n").unwrap();
                assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{head}");
                let body: serde_json::Value = serde_json::from_str(body).unwrap();
                seen.push((
                    body["to"].as_str().unwrap().to_owned(),
                    body["from"].as_str().unwrap().to_owned(),
                ));
            }
        }
        let wanted = [
            ("+9647710000000", "+1"),
            ("+9647710000001", "+2"),
            ("+9647710000002", "+1"),
            ("+9647710000003", "+2"),
        ];
        assert_eq!(seen, wanted.map(|(to, from)| (to.to_owned(), from.to_owned())));
    }
}
