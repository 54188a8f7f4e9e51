//! Names of the zones that the IANA database has.

use jiff::tz::TimeZoneDatabase;

/// Lists every name, sorted.
pub(super) fn names() -> Vec<String> {
    let mut names: Vec<String> =
        TimeZoneDatabase::bundled().available().map(|name| name.as_str().to_owned()).collect();
    names.sort_unstable();
    names
}
