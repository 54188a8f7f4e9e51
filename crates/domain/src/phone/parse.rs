//! From what was typed to the one number it can mean.

use phonenumber::Metadata;
use phonenumber::country::{Id, Source};

use super::{PhoneError, PhoneNumber, Region, fold, plan};

/// Characters of a spelling, invisible ones counted: a number with every ornament takes about half.
const LONGEST_SPELLING: usize = 64;

/// What stands between the digits of a number, after the fold.
const SEPARATORS: [char; 6] = [' ', '-', '.', '/', '(', ')'];

/// The digits of a spelling, and whether a plus sign went before them.
pub(super) struct Typed {
    pub(super) plus: bool,
    pub(super) digits: String,
}

impl Typed {
    /// `None` for anything but digits, separators and one leading plus sign, and where there are no digits.
    pub(super) fn of(written: &str) -> Option<Self> {
        if written.chars().nth(LONGEST_SPELLING).is_some() {
            return None;
        }
        let bare = fold(written).replace(SEPARATORS, "");
        let (plus, digits) = match bare.strip_prefix('+') {
            Some(digits) => (true, digits),
            None => (false, bare.as_str()),
        };
        let formed = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        formed.then(|| Self { plus, digits: digits.to_owned() })
    }

    /// What follows the `+` or `00` of a number written for the whole world.
    pub(super) fn after_international_prefix(&self) -> Option<&str> {
        match self.digits.strip_prefix("00") {
            Some(digits) => Some(digits),
            None => self.plus.then_some(self.digits.as_str()),
        }
    }
}

/// Reads a number: as international when it says so, else as the region's own, else with a bare country code.
pub(super) fn read(written: &str, region: Region) -> Result<PhoneNumber, PhoneError> {
    let typed = Typed::of(written).ok_or(PhoneError::NotANumber)?;
    let named = typed.after_international_prefix().and_then(international);
    let number = if named.is_some() || typed.plus { named } else { local(&typed.digits, region) };
    number.and_then(|number| PhoneNumber::from_e164(&number).ok()).ok_or(PhoneError::Impossible)
}

/// A number without plus sign: of the region, or after the region's own international prefix, or bare.
///
/// Where national numbers carry a trunk prefix, digits without one that begin with the country's own code are
/// read with it, though they may happen to be an area code, too (Germany: `4915…` is a mobile, not Emden).
fn local(digits: &str, region: Region) -> Option<String> {
    let plan = plan::database().by_id(region.as_str())?;
    let code = plan.country_code();
    let with_own_code = || {
        let rest = plan.national_prefix().and_then(|_| digits.strip_prefix(&code.to_string()))?;
        held(code, rest)
    };
    let prefixed = || {
        let prefix = plan.international_prefix()?.find(digits).filter(|found| found.start() == 0)?;
        international(digits.get(prefix.end()..)?)
    };
    with_own_code().or_else(|| national(plan, digits)).or_else(prefixed).or_else(|| bare(plan, digits))
}

/// Digits that begin with a country code, nothing before it.
///
/// A foreign code must be followed by exactly a number, and the whole be longer than a mobile number at home:
/// what is shorter is rather a number at home with a wrong digit, and belongs to nobody abroad.
fn bare(home: &Metadata, digits: &str) -> Option<String> {
    let (plan, rest) = country(digits)?;
    if plan.country_code() == home.country_code() {
        return national(home, rest);
    }
    let mobile = home.descriptors().mobile().and_then(|mobile| mobile.possible_length().iter().max());
    let longer = mobile.is_none_or(|&longest| digits.len() > usize::from(longest));
    longer.then(|| held(plan.country_code(), rest)).flatten()
}

/// Digits that begin with a country code, announced as such.
fn international(digits: &str) -> Option<String> {
    let (plan, rest) = country(digits)?;
    national(plan, rest)
}

/// The main plan of the country code that the digits begin with, and what follows it. No code begins another, so
/// there is one way to cut, and none begins with `0`.
fn country(digits: &str) -> Option<(&'static Metadata, &str)> {
    let cut = |length| {
        let (code, rest) = digits.split_at_checked(length)?;
        let plans = plan::database().by_code(&code.parse::<u16>().ok()?)?;
        Some((*plans.first()?, rest))
    };
    if digits.starts_with('0') { None } else { (1..=3).find_map(cut) }
}

/// Digits within one country: as they stand, else without its trunk prefix, else as the library rewrites them.
///
/// The order keeps the zeros that belong to a number (Italy's landlines, Benin, Ivory Coast, Congo): a prefix is
/// taken off only where the plan does not know the digits with it. The library may not judge first, for it takes
/// the prefix of the region it is given off the numbers of other countries, too.
fn national(plan: &Metadata, digits: &str) -> Option<String> {
    let code = plan.country_code();
    let without_trunk = || held(code, digits.strip_prefix(plan.national_prefix()?)?);
    held(code, digits).or_else(without_trunk).or_else(|| held(code, &rewritten(plan, digits)?))
}

fn held(code: u16, national: &str) -> Option<String> {
    plan::holds(code, national).then(|| format!("+{code}{national}"))
}

/// The library's reading of a national spelling: carrier codes, Argentina's `15`, and the like.
fn rewritten(plan: &Metadata, digits: &str) -> Option<String> {
    let number = phonenumber::parse(Some(plan.id().parse::<Id>().ok()?), digits).ok()?;
    (number.code().source() == Source::Default).then(|| number.national().to_string())
}
