//! The numbering plans: which national numbers a country code has, digit for digit.
//!
//! The library's own check is not used: it accepts a number that merely begins as an assigned one does (an
//! Iraqi landline with a digit too many), and can be reached only through the library's parser, which may
//! have cut digits off.

use std::sync::{LazyLock, PoisonError};

use phonenumber::{
    Metadata,
    metadata::{DATABASE, Database, Descriptor},
};

use super::region::Region;

/// Largest number of compiled patterns kept.
///
/// The library keeps 100, some 20 countries' worth, and beyond them compiles anew for every number: 2 to 3 ms
/// instead of microseconds. A pattern weighs about 95 kB (measured), so this bounds the lot at some 50 MB,
/// reached only by numbers from a hundred countries in turn.
pub(super) const KEPT_PATTERNS: usize = 512;

static PLANS: LazyLock<&Database> = LazyLock::new(|| {
    let database: &Database = &DATABASE;
    database.cache().lock().unwrap_or_else(PoisonError::into_inner).set_capacity(KEPT_PATTERNS);
    database
});

/// Returns the plans of the world, which are loaded on first use.
pub(super) fn database() -> &'static Database {
    &PLANS
}

/// Returns `true` if any country of this country code assigns these national digits, exactly as they stand.
pub(super) fn holds(code: u16, national: &str) -> bool {
    database().by_code(&code).is_some_and(|plans| plans.iter().any(|plan| assigns(plan, national)))
}

/// Returns `true` if the digits are the code of a country, and nothing else.
pub(super) fn is_country_code(digits: &str) -> bool {
    let code = digits.parse::<u16>().ok().filter(|code| code.to_string() == digits);
    code.is_some_and(|code| database().by_code(&code).is_some())
}

/// Returns `true` if the digits are the country code of the region, and nothing else.
pub(crate) fn is_code_of(region: Region, digits: &str) -> bool {
    database().by_id(region.as_str()).is_some_and(|plan| plan.country_code().to_string() == digits)
}

/// Returns `true` if these national digits are a mobile of this very country, exactly as they stand.
pub(super) fn is_mobile(plan: &Metadata, national: &str) -> bool {
    plan.descriptors().mobile().is_some_and(|mobile| describes(mobile, national))
}

/// Returns the length of the country's longest mobile number, without its country code.
pub(super) fn longest_mobile(plan: &Metadata) -> Option<usize> {
    plan.descriptors().mobile()?.possible_length().iter().max().map(|&length| usize::from(length))
}

fn assigns(plan: &Metadata, national: &str) -> bool {
    // Countries that share a code are told apart by how their numbers begin.
    let begins = plan
        .leading_digits()
        .is_none_or(|start| start.find(national).is_some_and(|found| found.start() == 0));
    let all = plan.descriptors();
    let kinds = [
        all.mobile(),
        all.fixed_line(),
        all.toll_free(),
        all.voip(),
        all.uan(),
        all.shared_cost(),
        all.premium_rate(),
        all.personal_number(),
        all.pager(),
        all.voicemail(),
    ];
    begins
        && describes(all.general(), national)
        && kinds.into_iter().flatten().any(|kind| describes(kind, national))
}

/// Returns `true` if the whole of `national` fits; `Descriptor::is_match` is content with its beginning.
fn describes(kind: &Descriptor, national: &str) -> bool {
    let lengths = kind.possible_length();
    let fits = lengths.is_empty() || lengths.iter().any(|&length| usize::from(length) == national.len());
    let whole = || format!("(?x)^(?:{})$", kind.national_number().as_str());
    fits && database()
        .cache()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .compile(&whole())
        .is_ok_and(|pattern| pattern.is_match(national))
}
