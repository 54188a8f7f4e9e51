//! Typing mistakes in the digits of a number.

use std::collections::BTreeSet;

/// Returns the digits with one dropped, one doubled, two swapped, or one inserted, each way once, without the
/// digits themselves. Only one digit is inserted at each place, which differs from place to place.
pub(super) fn slips(digits: &str) -> BTreeSet<String> {
    let mut slips: BTreeSet<String> = dropped(digits).chain(swapped(digits)).collect();
    for (place, digit) in digits.char_indices() {
        slips.insert(inserted(digits, place, digit));
    }
    for (place, digit) in (0..=digits.len()).zip("3791508264".chars().cycle()) {
        slips.insert(inserted(digits, place, digit));
    }
    slips.remove(digits);
    slips
}

/// Returns everything that one slip turns into these digits.
pub(super) fn before_one_slip(digits: &str) -> BTreeSet<String> {
    let left_out =
        (0..=digits.len()).flat_map(|place| ('0'..='9').map(move |digit| inserted(digits, place, digit)));
    dropped(digits).chain(swapped(digits)).chain(left_out).collect()
}

fn dropped(digits: &str) -> impl Iterator<Item = String> {
    (0..digits.len()).filter_map(|place| {
        let (before, after) = digits.split_at_checked(place)?;
        Some(format!("{before}{}", after.get(1..)?))
    })
}

fn swapped(digits: &str) -> impl Iterator<Item = String> {
    (0..digits.len()).filter_map(|place| {
        let (before, after) = digits.split_at_checked(place)?;
        Some(format!("{before}{}{}{}", after.get(1..2)?, after.get(..1)?, after.get(2..)?))
    })
}

fn inserted(digits: &str, place: usize, digit: char) -> String {
    let (before, after) = digits.split_at_checked(place).unwrap_or((digits, ""));
    format!("{before}{digit}{after}")
}
