//! A customer's reference to an order.

use std::fmt;

use crate::text::{decimal, is_silent};

/// Longest reference, in characters.
const LONGEST: usize = 100;

/// Number of an order on its receipt, or its id at the system, without the `#` that people put before it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OrderReference(String);

impl OrderReference {
    /// Parses what somebody typed: digits of any script are the same digits, and invisible characters are
    /// dropped. `None` for what no system can have as a reference.
    pub fn read(typed: &str) -> Option<Self> {
        let seen = typed
            .chars()
            .filter(|&c| !is_silent(c))
            .map(|c| if c == '＃' { '#' } else { decimal(c).unwrap_or(c) });
        let seen: String = seen.collect();
        let bare = seen.trim_start_matches(|c: char| c == '#' || c.is_whitespace()).trim_end();
        let formed = !bare.is_empty()
            && bare.chars().nth(LONGEST).is_none()
            && !bare.contains(char::is_control)
            && bare != "."
            && bare != "..";
        formed.then(|| Self(bare.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for OrderReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OrderReference(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::OrderReference;

    #[test]
    fn a_reference_is_read_as_it_stands_on_the_receipt() {
        for (typed, reference) in [
            ("1001", Some("1001")),
            ("#1001", Some("1001")),
            (" # 1001 ", Some("1001")),
            ("##A-1001", Some("A-1001")),
            ("＃1001", Some("1001")),
            ("\u{200f}#١٠٠١\u{200f}", Some("1001")),
            ("#۱۰۰۱", Some("1001")),
            ("INV/2026/7", Some("INV/2026/7")),
            ("A#1", Some("A#1")),
            ("طلب-٧", Some("طلب-7")),
            ("#", None),
            ("", None),
            (" ", None),
            (".", None),
            ("#..", None),
            ("1\n2", None),
        ] {
            assert_eq!(
                OrderReference::read(typed).as_ref().map(OrderReference::as_str),
                reference,
                "{typed:?}"
            );
        }
        assert_eq!(OrderReference::read(&"1".repeat(101)), None);
    }

    proptest! {
        #[test]
        fn reading_again_changes_nothing(typed in "[#＃ .\\PC]{0,12}|.{0,12}") {
            if let Some(read) = OrderReference::read(&typed) {
                prop_assert!(!read.as_str().starts_with('#'));
                prop_assert_eq!(OrderReference::read(read.as_str()), Some(read));
            }
        }
    }
}
