//! Ids that the network issues. They look random but are counted, so that a seed makes a run repeatable.

use std::sync::atomic::{AtomicU64, Ordering};

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXUPPER};
use ring::digest::{SHA256, digest};

use crate::surface::Surface;

/// Direction of a message, seen from the business: decides two bytes of its id.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    Outbound,
    Inbound,
}

#[derive(Debug)]
pub(crate) struct Ids {
    seed: u64,
    next: AtomicU64,
}

impl Ids {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(0) }
    }

    fn unique(&self, purpose: &str) -> [u8; 32] {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        let mut input = purpose.as_bytes().to_vec();
        input.extend_from_slice(&self.seed.to_be_bytes());
        input.extend_from_slice(&count.to_be_bytes());
        hash(&input)
    }

    /// Returns a message id: `wamid.` and base64 that contains the person's number in clear, as in
    /// production.
    pub(crate) fn wamid(&self, person: &str, direction: Direction) -> String {
        let unique = HEXUPPER.encode(self.unique("wamid").get(..9).unwrap_or_default());
        let person = person.as_bytes().get(..255).unwrap_or(person.as_bytes());
        let mut bytes = vec![0x1c, 0x18, u8::try_from(person.len()).unwrap_or(u8::MAX)];
        bytes.extend_from_slice(person);
        let direction = match direction {
            Direction::Outbound => 0x11,
            Direction::Inbound => 0x12,
        };
        bytes.extend_from_slice(&[0x15, 0x02, 0x00, direction, 0x18, 0x12]);
        bytes.extend_from_slice(unique.as_bytes());
        bytes.push(0);
        format!("wamid.{}", BASE64.encode(&bytes))
    }

    /// Returns a message id of Messenger or Instagram.
    pub(crate) fn mid(&self, surface: Surface) -> String {
        let id = BASE64URL_NOPAD.encode(&self.unique("mid"));
        match surface {
            Surface::Messenger => format!("m_{id}"),
            Surface::Instagram => format!("aWdfZAG1{id}ZD"),
        }
    }

    /// Returns the id of a person's file.
    pub(crate) fn media(&self) -> String {
        self.object()
    }

    /// Returns a trace id for an error body.
    pub(crate) fn fbtrace(&self) -> String {
        let bytes = self.unique("trace");
        format!("A{}", BASE64URL_NOPAD.encode(bytes.get(..16).unwrap_or_default()))
    }

    /// Returns the id of an object: 16 digits, below 2^53, as a template's id must be (it is a number in
    /// webhooks).
    pub(crate) fn object(&self) -> String {
        let value = number(&self.unique("object"));
        (1_000_000_000_000_000 + value % 1_000_000_000_000_000).to_string()
    }

    /// Returns the digits that the callback has to echo in a handshake.
    pub(crate) fn challenge(&self) -> String {
        (1_000_000_000 + number(&self.unique("challenge")) % 1_000_000_000).to_string()
    }
}

/// Returns the business-scoped user id of the person with this number. The country part is always `IQ`, since
/// nobody may conclude anything from it.
pub(crate) fn user_id(digits: &str) -> String {
    let bytes = hash(digits.as_bytes());
    let number = u128::from_be_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or_default()));
    format!("IQ.{:020}", number % 10_u128.pow(20))
}

fn hash(input: &[u8]) -> [u8; 32] {
    let digest = digest(&SHA256, input);
    std::array::from_fn(|at| digest.as_ref().get(at).copied().unwrap_or_default())
}

fn number(bytes: &[u8; 32]) -> u64 {
    u64::from_be_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_id_holds_the_number_in_base64() {
        let id = Ids::new(1).wamid("9647701234567", Direction::Outbound);
        let bytes = BASE64.decode(id.strip_prefix("wamid.").unwrap().as_bytes()).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains("9647701234567"));
        assert!(id.len() <= 128);
    }

    #[test]
    fn one_seed_gives_one_series() {
        let (one, two) = (Ids::new(7), Ids::new(7));
        let first = one.fbtrace();
        assert_eq!(first, two.fbtrace());
        assert_ne!(first, one.fbtrace());
        assert_ne!(Ids::new(7).object(), Ids::new(8).object());
    }
}
