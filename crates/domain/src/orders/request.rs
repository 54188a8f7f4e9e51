//! Request to a system for an order.

use std::{fmt, num::NonZeroU32};

use crate::{
    external_id::ExternalId,
    phone::{PhoneNumber, Region},
    text::PlainText,
};

/// Longest key, in characters.
const LONGEST_KEY: usize = 200;

/// Idempotency key of an order or a booking. A system that sees it again answers with what it made then, so
/// it is stored before the first call and never replaced.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CreationKey(String);

impl CreationKey {
    /// Parses a key; `None` for what a header cannot carry: anything but 1 to 200 visible ASCII characters.
    pub fn parse(text: &str) -> Option<Self> {
        let formed =
            (1..=LONGEST_KEY).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        formed.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CreationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CreationKey(…)")
    }
}

/// Request for an order to be placed, paid on delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRequest {
    pub key: CreationKey,
    pub lines: Vec<OrderedLine>,
    pub recipient: Recipient,
    pub address: DeliveryAddress,
    pub note: Option<PlainText>,
}

/// One line to be ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedLine {
    /// Id of the variant, or of the product if it has no variants.
    pub variant: ExternalId,
    pub quantity: NonZeroU32,
}

/// Person who gets an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    pub name: PlainText,
    /// Number to call, which may differ from the verified one.
    pub phone: PhoneNumber,
    pub email: Option<PlainText>,
}

/// Address that an order goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAddress {
    /// Street, house and a landmark.
    pub line1: PlainText,
    pub city: PlainText,
    pub province: PlainText,
    pub country: Region,
    pub notes: Option<PlainText>,
}

#[cfg(test)]
mod tests {
    use super::CreationKey;

    #[test]
    fn a_key_is_what_a_header_can_carry() {
        assert!(CreationKey::parse("0123abcDEF-_~").is_some());
        for text in ["", "a b", "a\n", "مفتاح", "a\0", &"x".repeat(201)] {
            assert_eq!(CreationKey::parse(text), None, "{text:?}");
        }
    }
}
