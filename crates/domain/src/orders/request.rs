//! What a system is asked to order.

use std::{fmt, num::NonZeroU32};

use crate::{
    phone::{PhoneNumber, Region},
    systems::ExternalId,
    text::PlainText,
};

/// A key has at most so many characters.
const LONGEST_KEY: usize = 200;

/// It is the key of an order or a booking. A system that sees it again answers with what it made then, so it
/// is stored before the first call and never replaced.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CreationKey(String);

impl CreationKey {
    /// `None` for what a header cannot carry: anything but 1 to 200 visible ASCII characters.
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

/// It asks for an order to be placed, paid on delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRequest {
    pub key: CreationKey,
    /// These are ordered.
    pub lines: Vec<OrderedLine>,
    /// They get the order.
    pub recipient: Recipient,
    pub address: DeliveryAddress,
    /// It is the customer's remark.
    pub note: Option<PlainText>,
}

/// It is one line to be ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedLine {
    /// It is the variant's id, or the product's where it has no variants.
    pub variant: ExternalId,
    pub quantity: NonZeroU32,
}

/// They get an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    pub name: PlainText,
    /// It is the number to call, which may be another than the verified one.
    pub phone: PhoneNumber,
    pub email: Option<PlainText>,
}

/// An order goes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAddress {
    /// It is the street, the house and a landmark.
    pub line1: PlainText,
    pub city: PlainText,
    pub province: PlainText,
    pub country: Region,
    /// It says how to find the address.
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
