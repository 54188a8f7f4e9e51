//! From what was typed to the one number it can mean.

use phonenumber::{
    Metadata,
    country::{Id, Source},
};

use super::{PhoneError, PhoneNumber, plan, region::Region, slips, typed::Typed};

/// Parses a number: as international if it says so, else as the region's own, else with a bare country code.
pub(super) fn read(written: &str, region: Region) -> Result<PhoneNumber, PhoneError> {
    let typed = Typed::of(written)?;
    let named = typed.after_international_prefix().and_then(international);
    let number = if named.is_some() || typed.plus { named } else { local(&typed.digits, region)? };
    number.and_then(|number| PhoneNumber::from_e164(&number).ok()).ok_or(PhoneError::Impossible)
}

/// Takes the digits as they stand, country code first, whatever the numbering plans say.
pub(super) fn exact(written: &str) -> Option<PhoneNumber> {
    let typed = Typed::of(written).ok()?;
    let digits = typed.after_international_prefix().unwrap_or(&typed.digits);
    PhoneNumber::from_e164(&format!("+{digits}")).ok()
}

/// Parses a number without a plus sign: of the region, or after the region's own international prefix, or
/// with a bare country code.
///
/// Where national numbers carry a trunk prefix, digits without one that begin with the country's own code are
/// read with that code, though they may happen to be an area code, too (Germany: `4915…` is a mobile, not
/// Emden).
fn local(digits: &str, region: Region) -> Result<Option<String>, PhoneError> {
    let Some(plan) = plan::database().by_id(region.as_str()) else { return Ok(None) };
    let code = plan.country_code();
    let with_own_code = || {
        let rest = plan.national_prefix().and_then(|_| digits.strip_prefix(&code.to_string()))?;
        held(code, rest)
    };
    let prefixed = || {
        let prefix = plan.international_prefix()?.find(digits).filter(|found| found.start() == 0)?;
        international(digits.get(prefix.end()..)?)
    };
    match with_own_code().or_else(|| national(plan, digits)).or_else(prefixed) {
        Some(number) => Ok(Some(number)),
        None => bare(plan, digits),
    }
}

/// Parses digits that begin with a country code, with nothing before it. After a foreign code exactly a
/// number must follow.
fn bare(home: &Metadata, digits: &str) -> Result<Option<String>, PhoneError> {
    let Some((abroad, rest)) = country(digits) else { return Ok(None) };
    let code = abroad.country_code();
    if code == home.country_code() {
        return Ok(national(home, rest));
    }
    let Some(number) = held(code, rest) else { return Ok(None) };
    if is_short(home, abroad, digits, rest) || slips::doubt(home, code, digits) {
        return Err(PhoneError::Doubtful);
    }
    Ok(Some(number))
}

/// Returns `true` if digits that are a number abroad are no more than a mobile at home has: then they are
/// more likely a mobile at home with a wrong digit. As many are enough for a mobile of a country whose
/// mobiles are mostly longer (Lebanon: `9613…`).
fn is_short(home: &Metadata, abroad: &Metadata, digits: &str, rest: &str) -> bool {
    let (Some(most), longest_abroad) = (plan::longest_mobile(home), plan::longest_mobile(abroad)) else {
        return false;
    };
    let code = digits.len() - rest.len();
    let mostly_longer = longest_abroad.is_some_and(|longest| code + longest > most);
    digits.len() < most || (digits.len() == most && !(mostly_longer && plan::is_mobile(abroad, rest)))
}

/// Parses digits that begin with a country code, announced as such.
fn international(digits: &str) -> Option<String> {
    let (plan, rest) = country(digits)?;
    national(plan, rest)
}

/// Returns the main plan of the country code that the digits begin with, and the digits after it. No code
/// begins another, so there is one way to cut, and none begins with `0`.
fn country(digits: &str) -> Option<(&'static Metadata, &str)> {
    let cut = |length| {
        let (code, rest) = digits.split_at_checked(length)?;
        let plans = plan::database().by_code(&code.parse::<u16>().ok()?)?;
        Some((*plans.first()?, rest))
    };
    if digits.starts_with('0') { None } else { (1..=3).find_map(cut) }
}

/// Parses digits within one country: as they stand, else without its trunk prefix, else as the library
/// rewrites them.
///
/// The order keeps the zeros that belong to a number (Italy's landlines, Benin, Ivory Coast, Congo): a prefix
/// is taken off only where the plan does not know the digits with it. The library may not judge first, for it
/// takes the prefix of the region it is given off the numbers of other countries, too.
fn national(plan: &Metadata, digits: &str) -> Option<String> {
    let code = plan.country_code();
    let without_trunk = || held(code, digits.strip_prefix(plan.national_prefix()?)?);
    held(code, digits).or_else(without_trunk).or_else(|| held(code, &rewritten(plan, digits)?))
}

fn held(code: u16, national: &str) -> Option<String> {
    plan::holds(code, national).then(|| format!("+{code}{national}"))
}

/// Returns the library's reading of a national spelling: carrier codes, Argentina's `15`, and the like.
fn rewritten(plan: &Metadata, digits: &str) -> Option<String> {
    let number = phonenumber::parse(Some(plan.id().parse::<Id>().ok()?), digits).ok()?;
    (number.code().source() == Source::Default).then(|| number.national().to_string())
}
