//! People as rows of a CSV file (RFC 4180) that a spreadsheet may open.
//!
//! A spreadsheet takes a cell that begins with certain signs for a formula and may run it. An apostrophe
//! guards such a cell; [`unguarded`] removes it when the file is read as a list of people. Another one stands
//! wherever a spreadsheet that uses another separator than the comma would begin a cell of its own.

use std::borrow::Cow;

use time::OffsetDateTime;

use super::DirectoryRow;
use crate::{
    channels::ChannelKind,
    clock::rfc3339_ms,
    contacts::{Contact, ContactProfile},
    phone::PhoneNumber,
};

/// Beginning of the file: the byte order mark by which spreadsheets know UTF-8, and the titles of the
/// columns.
pub const EXPORT_HEAD: &str =
    "\u{feff}phone,name,channels,tags,conversations,source,last wrote,last message,added\r\n";

/// Sign that keeps a cell from being a formula.
const GUARD: char = '\'';

/// Signs after which a spreadsheet may begin another cell or row, even between quotes: one that uses another
/// separator meets the quotes in the middle of its cells, where they are ordinary signs.
const SEPARATORS: [char; 5] = [';', ',', '\t', '\r', '\n'];

/// Formats a person's row, with its line end.
pub fn exported(row: &DirectoryRow) -> String {
    let DirectoryRow { profile, last_message_at } = row;
    let ContactProfile { contact, avatar_url: _, channels, tags, conversations, last_active_at } = profile;
    let Contact { id: _, name, phone, source, created_at } = contact;
    let moment = |at: Option<OffsetDateTime>| at.map(rfc3339_ms).unwrap_or_default();
    let channels: Vec<&str> = channels.iter().map(|channel| ChannelKind::as_str(*channel)).collect();
    let cells = [
        phone.as_ref().map(PhoneNumber::as_str).unwrap_or_default().to_owned(),
        name.clone().unwrap_or_default(),
        channels.join(", "),
        tags.join(", "),
        conversations.to_string(),
        source.as_str().to_owned(),
        moment(*last_active_at),
        moment(*last_message_at),
        moment(Some(*created_at)),
    ];
    csv_line(&cells)
}

/// Formats cells as a line of a file, with its end; none of them is a formula.
pub(crate) fn csv_line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(&guarded(cell))).collect();
    format!("{}\r\n", cells.join(","))
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

/// Returns whether a spreadsheet may take the cell for a formula: by its first visible sign, or because it
/// begins with a tab or a line break.
fn is_formula(cell: &str) -> bool {
    let begins = cell.trim_start_matches(is_unseen);
    begins.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) || cell.starts_with(['\t', '\r', '\n'])
}

/// Returns whether what follows a separator within a cell would be a formula as a cell of its own; quotes
/// before it are skipped.
fn is_inner_formula(part: &str) -> bool {
    is_formula(part.trim_start_matches(|c: char| c == GUARD || c == '"' || is_unseen(c)))
}

fn guarded(cell: &str) -> Cow<'_, str> {
    let cell = if is_formula(cell.trim_start_matches(GUARD)) {
        Cow::Owned(format!("{GUARD}{cell}"))
    } else {
        Cow::Borrowed(cell)
    };
    let inner = each_inner(&cell, |part| is_inner_formula(part).then(|| format!("{GUARD}{part}")));
    inner.map_or(cell, Cow::Owned)
}

/// Removes from a cell the apostrophes that guard it.
pub fn unguarded(cell: &str) -> Cow<'_, str> {
    let bare = |part: &str| part.strip_prefix(GUARD).filter(|rest| is_inner_formula(rest)).map(str::to_owned);
    match each_inner(cell, bare) {
        Some(inner) => Cow::Owned(unguarded_first(&inner).to_owned()),
        None => Cow::Borrowed(unguarded_first(cell)),
    }
}

fn unguarded_first(cell: &str) -> &str {
    cell.strip_prefix(GUARD).filter(|rest| is_formula(rest.trim_start_matches(GUARD))).unwrap_or(cell)
}

/// Replaces the parts after separators by what `becomes` returns; `None` if no part changes.
fn each_inner(cell: &str, mut becomes: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut changed = false;
    let parts = cell.split_inclusive(SEPARATORS).enumerate().map(|(place, part)| {
        let other = if place == 0 { None } else { becomes(part) };
        changed |= other.is_some();
        other.map_or(Cow::Borrowed(part), Cow::Owned)
    });
    let whole: String = parts.collect();
    changed.then_some(whole)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', ';', '"', '\r', '\n', '\t']) || cell != cell.trim() {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::{SEPARATORS, exported, guarded, is_formula, is_unseen, unguarded};
    use crate::{
        channels::ChannelKind,
        clock::rfc3339_ms,
        contacts::{Contact, ContactProfile, directory::DirectoryRow},
        testing::a_contact,
    };

    #[test]
    fn a_person_is_a_row_and_what_would_be_a_formula_is_none() {
        let contact = Contact { name: Some("=HYPERLINK(\"a\",\"b\")".to_owned()), ..a_contact() };
        let added = contact.created_at;
        let profile = ContactProfile {
            channels: vec![ChannelKind::Instagram, ChannelKind::Whatsapp],
            tags: vec!["VIP".to_owned(), "a;b".to_owned()],
            conversations: 2,
            last_active_at: Some(datetime!(2026-11-21 10:00:00.5 UTC)),
            ..ContactProfile::without_conversations(contact)
        };
        let row = exported(&DirectoryRow { profile, last_message_at: None });
        let phone = a_contact().phone.unwrap();
        let added = rfc3339_ms(added);
        let wanted = format!(
            "'{},\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\",\"instagram, whatsapp\",\"VIP, a;b\",2,{},2026-11-21T10:00:00.500Z,,{added}\r\n",
            phone.as_str(),
            a_contact().source.as_str(),
        );
        assert_eq!(row, wanted);
    }

    #[test]
    fn only_what_could_run_is_kept_from_it() {
        for cell in ["=1", "+1", "-1", "@a", " =1", "\t1", "＝1", "\u{feff}=1", "'=1"] {
            assert_eq!(guarded(cell), format!("'{cell}"), "{cell:?}");
        }
        for cell in ["", "سارة", "a=b", "O'Neil", "'quoted'", "1-2"] {
            assert_eq!((guarded(cell).as_ref(), unguarded(cell).as_ref()), (cell, cell));
        }
    }

    #[test]
    fn what_another_separator_would_make_a_cell_is_no_formula_either() {
        for (cell, wanted) in [
            ("Ali;=cmd|'/C calc'!A1;", "Ali;'=cmd|'/C calc'!A1;"),
            ("a, +1;-2\t@b", "a,' +1;'-2\t'@b"),
            ("a\r\n=1", "a\r\n'=1"),
            ("\r=1", "'\r'=1"),
            ("a;\"=1\"", "a;'\"=1\""),
            ("a;'=1", "a;''=1"),
            ("=1;=2", "'=1;'=2"),
            ("a;b, c", "a;b, c"),
        ] {
            assert_eq!(guarded(cell), wanted, "{cell:?}");
            assert_eq!(unguarded(wanted), cell, "{wanted:?}");
        }
    }

    /// As [`is_inner_formula`], for a spreadsheet that takes an apostrophe for an ordinary sign.
    fn is_inner_formula_bare(part: &str) -> bool {
        is_formula(part.trim_start_matches(|c: char| c == '"' || is_unseen(c)))
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_no_formula_and_reads_back(cell in "['=+@ a\t\";,\r\n-]{0,8}") {
            let written = guarded(&cell);
            prop_assert!(!is_formula(&written));
            prop_assert!(!written.split(SEPARATORS).skip(1).any(is_inner_formula_bare));
            prop_assert_eq!(unguarded(&written), cell.as_str());
        }
    }
}
