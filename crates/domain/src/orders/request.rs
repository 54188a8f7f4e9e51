//! What a system is asked to order.

use std::{fmt, num::NonZeroU32};

use crate::{
    phone::{PhoneNumber, Region},
    systems::ExternalId,
    text::PlainText,
};

/// Characters of the longest key.
const LONGEST_KEY: usize = 200;

/// The key of an order or a booking. A system that sees it again answers with what it made then, so it is stored before
/// the first call and never replaced.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CreationKey(String);

impl CreationKey {
    /// `None` for what a header cannot carry: anything but 1 to 200 visible ASCII characters.
    pub fn parse(text: &str) -> Option<Self> {
        let formed =
            (1..=LONGEST_KEY).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        formed.then(|| Self(text.to_owned()))
    }

    /// The key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for CreationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CreationKey(…)")
    }
}

/// An order to be placed, paid on delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderRequest {
    /// Its key.
    pub key: CreationKey,
    /// What is ordered.
    pub lines: Vec<OrderedLine>,
    /// Who gets it.
    pub recipient: Recipient,
    /// Where to.
    pub address: DeliveryAddress,
    /// The customer's remark.
    pub note: Option<PlainText>,
}

/// One line to be ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedLine {
    /// The variant's id, or the product's where it has no variants.
    pub variant: ExternalId,
    /// How many.
    pub quantity: NonZeroU32,
}

/// Who gets an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipient {
    /// Their name.
    pub name: PlainText,
    /// The number to call, which may be another than the verified one.
    pub phone: PhoneNumber,
    /// Their address for mail.
    pub email: Option<PlainText>,
}

/// Where an order goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAddress {
    /// Street, house, landmark.
    pub line1: PlainText,
    /// City.
    pub city: PlainText,
    /// Province.
    pub province: PlainText,
    /// Country.
    pub country: Region,
    /// How to find it.
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
