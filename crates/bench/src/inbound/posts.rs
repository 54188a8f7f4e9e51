//! Posts of the network, signed as the network signs.

use data_encoding::HEXLOWER;
use ring::hmac;

use crate::load::Calls;

/// First number of the first account.
const NUMBER: &str = "106540352300000";
/// Timestamp of every message; nothing that is measured depends on it.
const AT: u64 = 1_763_600_000;

/// Posts of several messages each, from several people in turn.
pub(super) struct Posts {
    pub(super) people: u64,
    pub(super) of_one_post: u64,
    /// Number of messages before these.
    pub(super) first: u64,
    pub(super) app_secret: &'static str,
}

impl Calls for Posts {
    fn write(&self, number: u64, _: &str, out: &mut Vec<u8>) {
        let first = self.first + number * self.of_one_post;
        let messages: Vec<String> = (first..first + self.of_one_post).map(|id| self.message(id)).collect();
        let body = format!(
            r#"{{"object":"whatsapp_business_account","entry":[{{"id":"102290129340398","changes":[{{"field":"messages",
            "value":{{"messaging_product":"whatsapp","metadata":{{"display_phone_number":"9647700900000",
            "phone_number_id":"{NUMBER}"}},"messages":[{}]}}}}]}}]}}"#,
            messages.join(",")
        );
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.app_secret.as_bytes());
        let signature = HEXLOWER.encode(hmac::sign(&key, body.as_bytes()).as_ref());
        let head = format!(
            "POST /networks/meta/webhook HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n\
             X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(body.as_bytes());
    }
}

impl Posts {
    fn message(&self, id: u64) -> String {
        let from = 9_647_710_000_000 + id % self.people;
        format!(
            r#"{{"from":"{from}","id":"wamid.bench.{id}","timestamp":"{AT}","type":"text",
            "text":{{"body":"\u0645\u0631\u062d\u0628\u0627\u060c is order {id} ready to collect today?"}}}}"#
        )
    }
}
