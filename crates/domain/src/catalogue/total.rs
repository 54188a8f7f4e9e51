//! Sums of amounts, without rounding.

use crate::money::Money;

impl Money {
    /// Returns the total of prices times quantities; `None` if it has more digits than any amount.
    pub fn total<'a>(parts: impl Iterator<Item = (&'a Self, u32)>) -> Option<Self> {
        // In the smallest unit that any of them is written in.
        let mut sum = 0_u128;
        let mut scale = 0_usize;
        for (price, quantity) in parts {
            let (whole, fraction) = price.parts();
            let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
            let cost = digits.checked_mul(quantity.into())?;
            let finer = scale.max(fraction.len());
            let cost = scaled(cost, finer.checked_sub(fraction.len())?)?;
            sum = scaled(sum, finer.checked_sub(scale)?)?.checked_add(cost)?;
            scale = finer;
        }
        Self::of_units(sum, scale)
    }

    /// Returns what is left without `part`; `None` if that is more.
    pub fn without(&self, part: &Self) -> Option<Self> {
        let ((whole, fraction), (part_whole, part_fraction)) = (self.parts(), part.parts());
        let scale = fraction.len().max(part_fraction.len());
        let units = |whole: &str, fraction: &str| format!("{whole}{fraction:0<scale$}").parse::<u128>().ok();
        let left = units(whole, fraction)?.checked_sub(units(part_whole, part_fraction)?)?;
        Self::of_units(left, scale)
    }

    /// Makes an amount of its smallest units, of which `scale` digits stand after the point.
    fn of_units(units: u128, scale: usize) -> Option<Self> {
        let digits = format!("{units:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at_checked(digits.len().checked_sub(scale)?)?;
        let fraction = fraction.trim_end_matches('0');
        Self::of_number(&if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
    }
}

fn scaled(amount: u128, places: usize) -> Option<u128> {
    amount.checked_mul(10_u128.checked_pow(u32::try_from(places).ok()?)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Money;

    fn total(parts: &[(&str, u32)]) -> Option<String> {
        let parts: Vec<_> =
            parts.iter().map(|(price, count)| (Money::of_number(price).unwrap(), *count)).collect();
        Money::total(parts.iter().map(|(price, count)| (price, *count))).map(|sum| sum.as_str().to_owned())
    }

    #[test]
    fn amounts_add_up_to_the_digit() {
        for (parts, sum) in [
            (&[][..], Some("0")),
            (&[("15000", 2)], Some("30000")),
            (&[("0.1", 1), ("0.2", 1)], Some("0.3")),
            (&[("0.05", 20)], Some("1")),
            (&[("250.50", 3), ("1", 1)], Some("752.5")),
            (&[("0.00", 9)], Some("0")),
            (&[("999999999999999", 1), ("1", 1)], None),
            (&[("999999999999999.12345678901234567890", u32::MAX)], None),
        ] {
            assert_eq!(total(parts).as_deref(), sum, "{parts:?}");
        }
    }

    #[test]
    fn what_is_left_of_an_amount_is_exact() {
        for (amount, part, left) in [
            ("60000", "45000", Some("15000")),
            ("10", "9.99", Some("0.01")),
            ("0.30", "0.1", Some("0.2")),
            ("5", "5.00", Some("0")),
            ("5", "6", None),
        ] {
            let (amount, part) = (Money::of_number(amount).unwrap(), Money::of_number(part).unwrap());
            assert_eq!(amount.without(&part).as_ref().map(Money::as_str), left);
        }
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter_and_whole_amounts_are_whole_numbers(
            parts in prop::collection::vec((0_u64..1_000_000, 1_u32..1000), 0..8),
        ) {
            let written: Vec<_> = parts.iter().map(|(price, count)| (price.to_string(), *count)).collect();
            let mut by_text: Vec<_> = written.iter().map(|(price, count)| (price.as_str(), *count)).collect();
            let sum: u64 = parts.iter().map(|(price, count)| price * u64::from(*count)).sum();
            prop_assert_eq!(total(&by_text), Some(sum.to_string()));
            by_text.reverse();
            prop_assert_eq!(total(&by_text), Some(sum.to_string()));
        }
    }
}
