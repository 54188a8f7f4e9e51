//! Amounts that are never rounded.

use std::{
    cmp::Ordering,
    fmt::{self, Write as _},
    hash::{Hash, Hasher},
};

use crate::currency::Currency;

/// Most digits before the point.
const MOST_WHOLE: usize = 15;
/// Most digits after the point: enough for whatever a float prints.
const MOST_FRACTION: usize = 20;
/// Most bytes of an amount, the point included.
const LONGEST: usize = MOST_WHOLE + 1 + MOST_FRACTION;

/// A non-negative amount, as decimal text. Compared by value (`10.50` equals `10.5`) and shown as written;
/// never held in a float.
#[derive(Clone)]
pub struct Money {
    /// ASCII text; zero bytes after `length`.
    written: [u8; LONGEST],
    length: u8,
    /// Position of the point; the end of the text if it has none.
    point: u8,
}

impl Money {
    /// Parses the text of a JSON number, and expands an exponent; `None` if it is no number, is negative, or
    /// has more digits than any price.
    pub fn of_number(written: &str) -> Option<Self> {
        // Fast path for most prices.
        if written.bytes().all(|byte| byte.is_ascii_digit())
            && !written.starts_with('0')
            && !written.is_empty()
        {
            return Self::of_parts(written, "");
        }
        let (mantissa, exponent) = match written.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (written, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let formed = digits(whole)
            && digits(fraction)
            && !whole.is_empty()
            && (whole == "0" || !whole.starts_with('0'))
            && mantissa.contains('.') != fraction.is_empty();
        if !formed {
            return None;
        }
        if exponent == 0 { Self::of_parts(whole, fraction) } else { Self::shifted(whole, fraction, exponent) }
    }

    fn of_parts(whole: &str, fraction: &str) -> Option<Self> {
        if whole.len() > MOST_WHOLE || fraction.len() > MOST_FRACTION {
            return None;
        }
        let (mut written, point) = ([0; LONGEST], whole.len());
        let fraction_at = if fraction.is_empty() { point } else { point + 1 };
        let length = fraction_at + fraction.len();
        written.get_mut(point..fraction_at)?.fill(b'.');
        written.get_mut(..point)?.copy_from_slice(whole.as_bytes());
        written.get_mut(fraction_at..length)?.copy_from_slice(fraction.as_bytes());
        Some(Self { written, length: length.try_into().ok()?, point: point.try_into().ok()? })
    }

    /// Makes an amount out of digits with an exponent.
    fn shifted(whole: &str, fraction: &str, exponent: i32) -> Option<Self> {
        let digits = format!("{whole}{fraction}");
        if digits.bytes().all(|digit| digit == b'0') {
            return Self::of_parts("0", "");
        }
        // A larger exponent would need more digits than are allowed.
        let most = i32::try_from(MOST_WHOLE + MOST_FRACTION + digits.len()).ok()?;
        if exponent.checked_abs()? > most {
            return None;
        }
        let point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
        let (before, after) = if let Ok(point) = usize::try_from(point) {
            let padded = format!("{digits:0<point$}");
            let (before, after) = padded.split_at_checked(point)?;
            (before.to_owned(), after.to_owned())
        } else {
            let zeros = usize::try_from(point.unsigned_abs()).ok()?;
            (String::new(), format!("{}{digits}", "0".repeat(zeros)))
        };
        let before = before.trim_start_matches('0');
        Self::of_parts(if before.is_empty() { "0" } else { before }, after.trim_end_matches('0'))
    }

    pub fn as_str(&self) -> &str {
        let written = self.written.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(written).unwrap_or_default()
    }

    /// Returns the amount as people read it: rounded to the digits of its currency, since a system that
    /// calculates with floats may answer `36300.000000000004`. An amount above zero never becomes zero.
    #[must_use]
    pub fn in_currency(&self, currency: Currency) -> Self {
        let (_, most) = currency.digits();
        self.rounded(most)
            .filter(|rounded| !rounded.is_zero() || self.is_zero())
            .unwrap_or_else(|| self.clone())
    }

    /// Rounds half up to `places` digits; `None` if that has more digits than any price.
    fn rounded(&self, places: usize) -> Option<Self> {
        let (whole, fraction) = self.parts();
        let Some((kept, rest)) = fraction.split_at_checked(places) else { return Some(self.clone()) };
        let digits: u128 = format!("{whole}{kept}").parse().ok()?;
        let digits = digits + u128::from(rest.as_bytes().first().is_some_and(|digit| *digit >= b'5'));
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at_checked(digits.len() - places)?;
        Self::of_parts(whole, fraction.trim_end_matches('0'))
    }

    pub fn is_zero(&self) -> bool {
        self.as_str().bytes().all(|byte| matches!(byte, b'0' | b'.'))
    }

    /// Returns the digits before the point, and those after it without zeros at the end.
    pub(crate) fn parts(&self) -> (&str, &str) {
        let written = self.as_str();
        let (whole, rest) = written.split_at_checked(self.point.into()).unwrap_or((written, ""));
        (whole, rest.trim_start_matches('.').trim_end_matches('0'))
    }
}

impl Ord for Money {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((whole, fraction), (other_whole, other_fraction)) = (self.parts(), other.parts());
        // Only `0` itself begins with a zero, so more digits are more.
        let whole = whole.len().cmp(&other_whole.len()).then_with(|| whole.cmp(other_whole));
        whole.then_with(|| fraction.cmp(other_fraction))
    }
}

impl PartialOrd for Money {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Money {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Money {}

impl Hash for Money {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Money(…)")
    }
}

/// Formats an amount with grouped thousands, in the digits of its currency, with the code: `15,000 IQD`.
pub fn amount(money: &Money, currency: Currency) -> String {
    format!("{} {currency}", figure(money, currency))
}

/// Formats an amount with grouped thousands, in the digits of its currency, without a fraction of zero.
pub(crate) fn figure(money: &Money, currency: Currency) -> String {
    let (money, (least, _)) = (money.in_currency(currency), currency.digits());
    let (whole, fraction) = money.parts();
    let mut apart = String::new();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    if !fraction.is_empty() {
        write!(apart, ".{fraction:0<least$}").ok();
    }
    apart
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Money;

    fn money(written: &str) -> Money {
        Money::of_number(written).unwrap()
    }

    #[test]
    fn an_amount_is_kept_as_it_was_written() {
        for (written, kept) in [
            ("0", "0"),
            ("25000", "25000"),
            ("25000.50", "25000.50"),
            ("0.10", "0.10"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("999999999999999", "999999999999999"),
            ("2.5e4", "25000"),
            ("25E+3", "25000"),
            ("1.25e-1", "0.125"),
            ("125e-3", "0.125"),
            ("1e-3", "0.001"),
            ("100e-2", "1"),
            ("0.001e3", "1"),
            ("12.5e1", "125"),
            ("0e999999", "0"),
        ] {
            assert_eq!(money(written).as_str(), kept, "{written}");
        }
    }

    #[test]
    fn what_is_no_price_is_none() {
        for written in [
            "",
            "-1",
            "-0",
            "+1",
            "01",
            "1.",
            ".5",
            "1,000",
            "1 000",
            "٥",
            "NaN",
            "\"5\"",
            "null",
            "1e",
            "1e1.5",
            "1e99",
            "1e-99",
            "1e2147483648",
            "1e-2147483648",
            "1000000000000000",
            "0.123456789012345678901",
            "1.2.3",
            "0x10",
            "1_000",
        ] {
            assert_eq!(Money::of_number(written), None, "{written}");
        }
    }

    #[test]
    fn amounts_are_compared_by_value() {
        assert_eq!(money("10.50"), money("10.5"));
        assert_eq!(money("10.0"), money("1e1"));
        let ascending = ["0", "0.05", "0.5", "0.51", "1", "9.99", "10", "10.000001", "100", "99999"];
        for pair in ascending.windows(2) {
            assert!(money(pair[0]) < money(pair[1]), "{pair:?}");
        }
        assert!(money("0.00").is_zero() && !money("0.01").is_zero());
    }

    #[test]
    fn people_read_the_digits_of_the_currency_and_nothing_of_how_a_machine_reckons() {
        for (written, currency, read) in [
            ("36300.000000000004", "IQD", "36300"),
            ("250.5", "IQD", "250.5"),
            ("15000.00", "IQD", "15000.00"),
            ("19.990000000000002", "USD", "19.99"),
            ("0.30000000000000004", "EUR", "0.3"),
            ("9.995", "USD", "10"),
            ("99.99999999999999", "USD", "100"),
            ("1.2550000000000001", "KWD", "1.255"),
            ("1234.5600000000002", "JPY", "1235"),
            ("0.001", "USD", "0.001"),
            ("0.0000", "USD", "0.0000"),
            ("999999999999999.99999", "JPY", "999999999999999.99999"),
        ] {
            assert_eq!(money(written).in_currency(currency.parse().unwrap()).as_str(), read, "{written}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_is_plain(text in "[-+0-9.eE]{0,12}|.{0,12}") {
            if let Some(amount) = Money::of_number(&text) {
                prop_assert!(amount.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
                prop_assert_eq!(money(amount.as_str()), amount);
            }
        }

        #[test]
        fn the_order_is_that_of_the_numbers(a in 0_u64..10_000_000, b in 0_u64..10_000_000, places in 0_u32..7) {
            let of = |number: u64| money(&format!("{number}e-{places}"));
            prop_assert_eq!(of(a).cmp(&of(b)), a.cmp(&b));
        }

        #[test]
        fn every_json_number_of_a_price_is_read(price in 0_f64..1e12) {
            let written = serde_json::to_string(&price).unwrap();
            let read = money(&written).as_str().parse::<f64>().unwrap();
            prop_assert_eq!(read.to_bits(), price.to_bits());
        }
    }
}
