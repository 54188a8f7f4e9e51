//! Telling a mobile at home with a slip in it from a number abroad.

use phonenumber::Metadata;

use super::{borders, plan};

/// Beginnings of the mobiles in use, for a country whose plan assigns more: of Iraq's other prefixes (73, 74,
/// 76) nobody is known, and they would make a slip at home of every number of Qatar (974) and Bahrain (973).
const IN_USE: [(&str, &[&str]); 1] = [("IQ", &["75", "77", "78", "79"])];

/// Returns `true` if digits that can be read as a number of `abroad`, though not written as one, had better
/// not be.
///
/// A foreign number typed without a plus sign is rarer than a slip in one of one's own, and a code that goes
/// to a stranger cannot be taken back. A neighbour's number is believed unless a slip in a number as it is
/// written at home explains it.
pub(super) fn doubt(home: &Metadata, abroad: u16, digits: &str) -> bool {
    let mobiles = Mobiles { plan: home };
    let explained = |is_home: &dyn Fn(&str) -> bool| before_one_slip(digits).any(|meant| is_home(&meant));
    if explained(&|meant| mobiles.as_written_at_home(meant)) {
        return true;
    }
    if borders::touch(home.id(), abroad) {
        return false;
    }
    let begins = (1..digits.len()).filter_map(|length| digits.get(..length));
    begins.into_iter().any(|start| mobiles.as_written_at_home(start))
        || explained(&|meant| mobiles.with_own_code(meant))
}

struct Mobiles<'a> {
    plan: &'a Metadata,
}

impl Mobiles<'_> {
    /// Returns `true` if this is a mobile, with or without the trunk prefix.
    fn as_written_at_home(&self, digits: &str) -> bool {
        let without_trunk = self.plan.national_prefix().and_then(|trunk| digits.strip_prefix(trunk));
        self.is_in_use(digits) || without_trunk.is_some_and(|national| self.is_in_use(national))
    }

    fn is_in_use(&self, national: &str) -> bool {
        let used = IN_USE.iter().find(|(region, _)| *region == self.plan.id());
        used.is_none_or(|(_, prefixes)| prefixes.iter().any(|prefix| national.starts_with(prefix)))
            && plan::is_mobile(self.plan, national)
    }

    fn with_own_code(&self, digits: &str) -> bool {
        let national = digits.strip_prefix(&self.plan.country_code().to_string());
        national.is_some_and(|national| self.as_written_at_home(national))
    }
}

/// Returns everything that becomes `digits` by one slip: a digit too many, two that changed places, or one
/// left out.
fn before_one_slip(digits: &str) -> impl Iterator<Item = String> {
    let cut = move |place| digits.split_at_checked(place);
    let too_many = (0..digits.len()).filter_map(move |place| {
        let (before, after) = cut(place)?;
        Some(format!("{before}{}", after.get(1..)?))
    });
    let swapped = (0..digits.len()).filter_map(move |place| {
        let (before, after) = cut(place)?;
        let (first, second) = (after.get(..1)?, after.get(1..2)?);
        Some(format!("{before}{second}{first}{}", after.get(2..)?))
    });
    let left_out = (0..=digits.len()).flat_map(move |place| {
        let (before, after) = cut(place).unwrap_or_default();
        ('0'..='9').map(move |digit| format!("{before}{digit}{after}"))
    });
    too_many.chain(swapped).chain(left_out)
}

#[cfg(test)]
mod tests {
    use super::before_one_slip;

    #[test]
    fn one_slip_is_a_digit_too_many_two_swapped_or_one_left_out() {
        let meant: Vec<String> = before_one_slip("12").collect();
        let mut left_out: Vec<String> = Vec::new();
        for digit in 0..10 {
            left_out.extend([format!("{digit}12"), format!("1{digit}2"), format!("12{digit}")]);
        }
        assert_eq!(meant[..3], ["2", "1", "21"]);
        let mut rest = meant[3..].to_vec();
        rest.sort();
        left_out.sort();
        assert_eq!(rest, left_out);
    }
}
