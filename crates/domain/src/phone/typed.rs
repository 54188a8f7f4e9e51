//! The digits of what was typed, whatever stands around them.

use super::{fold, plan};

/// A spelling has at most so many characters, invisible ones counted: a number with every ornament takes
/// about half.
const LONGEST_SPELLING: usize = 64;

/// These stand between the digits of a number, after the fold.
const SEPARATORS: [char; 6] = [' ', '-', '.', '/', '(', ')'];

/// It is what a number brings along when it is taken out of a sentence or a list.
const ENDINGS: [char; 5] = [' ', ',', ';', '\u{60c}', '\u{61b}'];

/// The network's links to a chat have it. Their numbers begin with a country code.
const CHAT_LINK: &str = "wa.me/";

/// They are the digits of a spelling, and whether it is written for the whole world.
pub(super) struct Typed {
    pub(super) plus: bool,
    pub(super) digits: String,
}

impl Typed {
    /// `None` for anything but digits, separators and one plus sign, and where there are no digits.
    pub(super) fn of(written: &str) -> Option<Self> {
        let written = without_query(written);
        if written.chars().nth(LONGEST_SPELLING).is_some() {
            return None;
        }
        let folded = fold(written).to_ascii_lowercase();
        let (linked, rest) = unlinked(&folded);
        let bare = rest.trim_end_matches(ENDINGS).replace(SEPARATORS, "");
        let (plus, digits) = without_plus(&bare)?;
        let formed = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        formed.then_some(Self { plus: plus || linked, digits })
    }

    /// Returns what follows the `+` or `00` of a number written for the whole world.
    pub(super) fn after_international_prefix(&self) -> Option<&str> {
        match self.digits.strip_prefix("00") {
            Some(digits) => Some(digits),
            None => self.plus.then_some(self.digits.as_str()),
        }
    }
}

/// Drops what a link to a chat says is to be written there.
fn without_query(written: &str) -> &str {
    match written.split_once('?') {
        Some((link, _)) if link.to_ascii_lowercase().contains(CHAT_LINK) => link,
        _ => written,
    }
}

/// Returns what a link leads to, and whether it is one of those that leave out the plus sign.
fn unlinked(folded: &str) -> (bool, &str) {
    if let Some(number) = folded.strip_prefix("tel:") {
        return (false, number);
    }
    let address = folded.strip_prefix("https://").or_else(|| folded.strip_prefix("http://"));
    match address.unwrap_or(folded).strip_prefix(CHAT_LINK) {
        Some(number) => (true, number),
        None => (false, folded),
    }
}

/// Takes off the plus sign: the first sign, or, where text that runs from right to left has moved it, the last, or
/// the one after the country code.
fn without_plus(bare: &str) -> Option<(bool, String)> {
    match bare.split_once('+') {
        None => Some((false, bare.to_owned())),
        Some(("", digits) | (digits, "")) => Some((true, digits.to_owned())),
        Some((code, rest)) => plan::is_country_code(code).then(|| (true, format!("{code}{rest}"))),
    }
}
