//! The digits of what was typed, whatever stands around them.

use super::{PhoneError, fold::fold, plan};
use crate::text::fold_for_search;

/// Longest spelling in characters, invisible ones counted: a number with every ornament takes about half.
const LONGEST_SPELLING: usize = 64;

/// Signs between the digits of a number, after the fold.
const SEPARATORS: [char; 10] = [' ', '-', '.', '/', '(', ')', '_', ',', '\u{60c}', '\u{66c}'];

/// Separators that part groups of one number, or several numbers.
const COMMAS: [char; 3] = [',', '\u{60c}', '\u{66c}'];

/// Signs before a fraction.
const POINTS: [char; 3] = ['.', ',', '\u{66b}'];

/// Most digits between two commas: longer groups are numbers of their own.
const LONGEST_GROUP: usize = 5;

/// Signs that spreadsheets put before or around a number to keep its first digits.
const QUOTES: [char; 8] = ['\'', '"', '`', '´', '‘', '’', '“', '”'];

/// Words before a number that say what it is, as [`fold_for_search`] leaves them.
const LABELS: [&str; 30] = [
    "cell",
    "mob",
    "mobile",
    "no",
    "number",
    "phone",
    "phone number",
    "sms",
    "tel",
    "telephone",
    "wa",
    "whatsapp",
    "whatsapp number",
    "الجوال",
    "الرقم",
    "المحمول",
    "الموبايل",
    "النقال",
    "الهاتف",
    "الواتساب",
    "تلفون",
    "تليفون",
    "جوال",
    "رقم",
    "رقم الجوال",
    "رقم الموبايل",
    "رقم الهاتف",
    "موبايل",
    "هاتف",
    "واتساب",
];

/// Signs that stay behind a number taken out of a sentence or a list.
const ENDINGS: [char; 5] = [' ', ',', ';', '\u{60c}', '\u{61b}'];

/// Beginning of the network's links to a chat. Their numbers begin with a country code.
const CHAT_LINK: &str = "wa.me/";

/// Digits of a spelling, and whether it has a plus sign or comes from a link that leaves it out.
pub(super) struct Typed {
    pub(super) plus: bool,
    pub(super) digits: String,
}

impl Typed {
    /// Extracts the digits of a spelling.
    ///
    /// # Errors
    /// [`PhoneError::Spoiled`] for what a spreadsheet has left of a number, [`PhoneError::NotANumber`] for
    /// all else but digits, separators and one plus sign, and where there are no digits.
    pub(super) fn of(written: &str) -> Result<Self, PhoneError> {
        let written = without_query(written);
        if written.chars().nth(LONGEST_SPELLING).is_some() {
            return Err(PhoneError::NotANumber);
        }
        let folded = fold(written).to_ascii_lowercase();
        let quoted = folded.strip_prefix('=').filter(|rest| rest.starts_with('"')).unwrap_or(&folded);
        let unquoted = quoted.trim_matches(QUOTES).trim();
        let exact = without_decimals(written_out(unquoted)?.as_deref().unwrap_or(unquoted)).to_owned();
        let (linked, rest) = unlinked(unlabelled(&exact));
        let ungrouped = rest.trim_end_matches(ENDINGS);
        let formed = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let read = || {
            let (plus, digits) = without_plus(&ungrouped.replace(SEPARATORS, ""))?;
            (has_short_groups(ungrouped) && formed(&digits)).then_some(Self { plus: plus || linked, digits })
        };
        read().ok_or(PhoneError::NotANumber)
    }

    /// Returns the digits after the `+` or `00` of an international number.
    pub(super) fn after_international_prefix(&self) -> Option<&str> {
        match self.digits.strip_prefix("00") {
            Some(digits) => Some(digits),
            None => self.plus.then_some(self.digits.as_str()),
        }
    }
}

/// Drops the query of a link to a chat, which says what is to be written there.
fn without_query(written: &str) -> &str {
    match written.split_once('?') {
        Some((link, _)) if link.to_ascii_lowercase().contains(CHAT_LINK) => link,
        _ => written,
    }
}

/// Returns what a link to a chat leads to, and `true` if the text was one: such links leave out the plus
/// sign.
fn unlinked(folded: &str) -> (bool, &str) {
    let address = folded.strip_prefix("https://").or_else(|| folded.strip_prefix("http://"));
    match address.unwrap_or(folded).strip_prefix(CHAT_LINK) {
        Some(number) => (true, number),
        None => (false, folded),
    }
}

/// Drops a label before the number.
fn unlabelled(folded: &str) -> &str {
    let begins = folded.find(|c: char| c.is_ascii_digit() || c == '+' || c == '(').unwrap_or_default();
    let Some((label, number)) = folded.split_at_checked(begins) else { return folded };
    let label = fold_for_search(label.trim_end_matches([' ', ':', '.']));
    if LABELS.contains(&label.as_str()) { number } else { folded }
}

/// Drops a fraction of zeros, which programs that take a number for an amount write behind it.
fn without_decimals(folded: &str) -> &str {
    let whole = |(whole, fraction): (&str, &str)| {
        let digits = whole.strip_prefix('+').unwrap_or(whole);
        let is_number = digits.len() > LONGEST_GROUP && digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number && !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0')
    };
    folded.split_once(POINTS).filter(|parts| whole(*parts)).map_or(folded, |(whole, _)| whole)
}

/// Writes out a number that a spreadsheet shows in scientific form, if all its digits are there; `None` if it
/// is in no such form.
///
/// # Errors
/// [`PhoneError::Spoiled`] if digits are missing, or an error stands in place of the number.
fn written_out(folded: &str) -> Result<Option<String>, PhoneError> {
    let is_error = |rest: &str| {
        rest.trim_matches('#').is_empty()
            || rest.ends_with(['!', '?'])
            || rest == "n/a"
            || rest.starts_with("div/0")
    };
    if folded.strip_prefix('#').is_some_and(is_error) {
        return Err(PhoneError::Spoiled);
    }
    let Some((mantissa, power)) = folded.split_once('e') else { return Ok(None) };
    let (whole, fraction) = mantissa.split_once(POINTS).unwrap_or((mantissa, ""));
    let (plus, whole) = whole.strip_prefix('+').map_or(("", whole), |whole| ("+", whole));
    let is_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    match power.parse::<usize>() {
        Ok(power) if whole.len() == 1 && is_digits(whole) && is_digits(fraction) => {
            if fraction.len() == power {
                Ok(Some(format!("{plus}{whole}{fraction}")))
            } else {
                Err(PhoneError::Spoiled)
            }
        }
        _ => Ok(None),
    }
}

/// Returns `true` if commas, if any, part groups of one number and not several numbers.
fn has_short_groups(written: &str) -> bool {
    let mut groups = written.split(COMMAS);
    !written.contains(COMMAS)
        || groups.all(|group| group.chars().filter(char::is_ascii_digit).count() <= LONGEST_GROUP)
}

/// Removes the plus sign: the first sign, or, where text that runs from right to left has moved it, the last,
/// or the one after the country code, or before a code that came to stand behind the number.
fn without_plus(bare: &str) -> Option<(bool, String)> {
    match bare.split_once('+') {
        None => Some((false, bare.to_owned())),
        Some(("", digits) | (digits, "")) => Some((true, digits.to_owned())),
        Some((code, rest)) if plan::is_country_code(code) => Some((true, format!("{code}{rest}"))),
        Some((rest, code)) => {
            (code.len() > 1 && plan::is_country_code(code)).then(|| (true, format!("{code}{rest}")))
        }
    }
}
