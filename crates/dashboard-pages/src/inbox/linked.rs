//! Links, addresses, numbers and places in the text of a message.

use std::fmt;

use askama::filters::{Escaper as _, Html};
use domain::text::decimal;
use linkify::{LinkFinder, LinkKind};

/// Fewest and most digits of what is taken for a phone number.
const DIGITS: std::ops::RangeInclusive<usize> = 10..=15;

/// A text as HTML, in which what leads somewhere is a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linked<'a>(pub &'a str);

impl askama::filters::HtmlSafe for Linked<'_> {}

impl fmt::Display for Linked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finder = LinkFinder::new();
        for line in self.0.split_inclusive('\n') {
            if let Some((latitude, longitude)) = place(line) {
                let map = format!(
                    "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=16/{latitude}/{longitude}"
                );
                link(f, &map, line.trim_end_matches('\n'), true)?;
                f.write_str(if line.ends_with('\n') { "\n" } else { "" })?;
                continue;
            }
            for span in finder.spans(line) {
                let text = span.as_str();
                match span.kind() {
                    Some(LinkKind::Url) if is_web(text) => link(f, text, text, false)?,
                    Some(LinkKind::Email) => link(f, &format!("mailto:{text}"), text, false)?,
                    _ => numbers(f, text)?,
                }
            }
        }
        Ok(())
    }
}

fn is_web(url: &str) -> bool {
    let begins =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins("https://") || begins("http://")
}

/// Writes a link that tells the other side nothing of this page.
fn link(f: &mut fmt::Formatter<'_>, href: &str, text: &str, is_isolated: bool) -> fmt::Result {
    f.write_str("<a target=\"_blank\" rel=\"noopener noreferrer\" href=\"")?;
    Html.write_escaped_str(&mut *f, href)?;
    f.write_str(if is_isolated { "\" dir=\"ltr\">" } else { "\">" })?;
    Html.write_escaped_str(&mut *f, text)?;
    f.write_str("</a>")
}

/// Writes a text in which phone numbers are links.
fn numbers(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some((before, number, after)) = next_number(rest) {
        Html.write_escaped_str(&mut *f, before)?;
        let digits: String = number.chars().filter_map(dialled).collect();
        write!(f, "<a dir=\"ltr\" href=\"tel:{digits}\">")?;
        Html.write_escaped_str(&mut *f, number)?;
        f.write_str("</a>")?;
        rest = after;
    }
    Html.write_escaped_str(f, rest)
}

/// Returns what of a written number is dialled: its plus, and its digits in ASCII.
fn dialled(letter: char) -> Option<char> {
    if letter == '+' { Some(letter) } else { decimal(letter) }
}

/// Splits a text around its first phone number: written with a plus or a zero before it, and with nothing but
/// spaces, dashes and brackets among its digits.
fn next_number(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let start = from + rest.find(|letter| dialled(letter).is_some())?;
        let run = text.get(start..)?;
        let is_of_it = |letter: char| dialled(letter).is_some() || matches!(letter, ' ' | '-' | '(' | ')');
        let end = run.find(|letter| !is_of_it(letter)).unwrap_or(run.len());
        let number = run.get(..end)?.trim_end_matches([' ', '-', '(', ')']);
        let digits = number.chars().filter_map(dialled).filter(|digit| *digit != '+').count();
        let begins = number.chars().find_map(dialled);
        let pluses = number.chars().skip(1).filter(|letter| *letter == '+').count();
        let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let (before, after) = (text.get(..start)?, run.get(number.len()..)?);
        let stands_alone = !is_word(before.chars().next_back()) && !is_word(after.chars().next());
        if matches!(begins, Some('+' | '0')) && DIGITS.contains(&digits) && pluses == 0 && stands_alone {
            return Some((before, number, after));
        }
        from = start + end.max(1);
    }
}

/// Returns the two coordinates of a line that has nothing else.
fn place(line: &str) -> Option<(&str, &str)> {
    let (latitude, longitude) = line.trim().split_once(", ")?;
    let is_within = |figure: &str, most: f64| {
        let is_plain = figure.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | '-'));
        is_plain && figure.contains('.') && figure.parse::<f64>().is_ok_and(|figure| figure.abs() <= most)
    };
    (is_within(latitude, 90.0) && is_within(longitude, 180.0)).then_some((latitude, longitude))
}

#[cfg(test)]
mod tests {
    use super::Linked;

    fn shown(text: &str) -> String {
        Linked(text).to_string().replace(" target=\"_blank\" rel=\"noopener noreferrer\"", "")
    }

    #[test]
    fn what_leads_somewhere_is_a_link_and_everything_else_is_escaped() {
        for (text, wanted) in [
            ("مرحبا", "مرحبا"),
            ("<b>\"x\"</b>", "&#60;b&#62;&#34;x&#34;&#60;/b&#62;"),
            (
                "see https://shop.example/a?b=1&c=2.",
                "see <a href=\"https://shop.example/a?b=1&#38;c=2\">https://shop.example/a?b=1&#38;c=2</a>.",
            ),
            ("javascript://alert(1) ftp://x.example", "javascript://alert(1) ftp://x.example"),
            ("to sara@shop.example", "to <a href=\"mailto:sara@shop.example\">sara@shop.example</a>"),
            (
                "رقمي 0770 123 4567 شكرا",
                "رقمي <a dir=\"ltr\" href=\"tel:07701234567\">0770 123 4567</a> شكرا",
            ),
            ("٠٧٧٠١٢٣٤٥٦٧", "<a dir=\"ltr\" href=\"tel:07701234567\">٠٧٧٠١٢٣٤٥٦٧</a>"),
            ("+964 770-123-4567", "<a dir=\"ltr\" href=\"tel:+9647701234567\">+964 770-123-4567</a>"),
            ("order 1234567890 of 14500", "order 1234567890 of 14500"),
            ("A07701234567", "A07701234567"),
            ("2026-11-28 10:00", "2026-11-28 10:00"),
            ("14,500 + 2,000 = 16,500", "14,500 + 2,000 = 16,500"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_line_of_coordinates_leads_to_a_map() {
        let map = "<a href=\"https://www.openstreetmap.org/?mlat=33.3152&#38;mlon=44.3661#map=16/33.3152/44.3661\" dir=\"ltr\">33.3152, 44.3661</a>";
        assert_eq!(shown("Shop\n33.3152, 44.3661\nBaghdad"), format!("Shop\n{map}\nBaghdad"));
        for text in ["33.3152, 244.3661", "12, 14", "1.5, 2.5 kg"] {
            assert_eq!(shown(text), text);
        }
    }
}
