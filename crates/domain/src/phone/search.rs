//! Finding a stored number from a piece of it, typed as a person writes it.

use super::{plan, region::Region, typed::Typed};

/// Returns the runs of digits to look for in [`PhoneNumber::digits`](super::PhoneNumber::digits); any one of
/// them is a match. Empty if the text does not look like part of a number.
///
/// The digits are looked for as they stand. A national prefix is also read as the region's country code
/// (`0770` is also `964770`), and so is one after the code itself (`+964 (0) 770`). A leading `00` is also
/// left out, and `+` always.
pub fn search_digits(written: &str, region: Region) -> Vec<String> {
    let Ok(typed) = Typed::of(written) else { return Vec::new() };
    let mut wanted = vec![typed.digits.clone()];
    let international = typed.after_international_prefix();
    wanted.extend(international.map(str::to_owned));
    wanted.extend(without_trunk(&typed, international, region));
    wanted.retain(|digits| !digits.is_empty());
    wanted.dedup();
    wanted
}

fn without_trunk(typed: &Typed, international: Option<&str>, region: Region) -> Option<String> {
    let plan = plan::database().by_id(region.as_str())?;
    let code = plan.country_code().to_string();
    let national = match international {
        Some(digits) => digits.strip_prefix(&code)?,
        None => typed.digits.strip_prefix(&code).unwrap_or(&typed.digits),
    };
    let rest = national.strip_prefix(plan.national_prefix()?).filter(|rest| !rest.is_empty())?;
    Some(format!("{code}{rest}"))
}
