//! Report for build servers.

use std::fmt::Write as _;

use super::in_words;
use crate::checks::Level;
use crate::report::{Checked, Outcome, Report};

/// Formats a report as `JUnit` XML. A broken rule of level should is no failure: it stands in the output of
/// its case.
pub fn junit(report: &Report) -> String {
    let skipped =
        report.checked.iter().filter(|checked| matches!(checked.outcome, Outcome::Skipped { .. })).count();
    let (tests, failures) = (report.checked.len(), report.broken(Level::Must));
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuite name=\"custom system contract\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\">"
    );
    for checked in &report.checked {
        case(&mut text, checked);
    }
    text.push_str("</testsuite>\n");
    text
}

fn case(text: &mut String, Checked { check, outcome }: &Checked) {
    let open = format!("  <testcase classname=\"{}\" name=\"{}\"", escaped(check.area()), escaped(check.id));
    let _ = match outcome {
        Outcome::Passed { .. } => writeln!(text, "{open}/>"),
        Outcome::Skipped { reason } => {
            writeln!(text, "{open}><skipped message=\"{}\"/></testcase>", escaped(reason))
        }
        Outcome::Found { call, detail, more } => {
            let found = escaped(&in_words(detail, *more));
            let rest = escaped(&format!("{}\ncall: {call}\nfix: {}", check.rule, check.fix));
            match check.level {
                Level::Must => {
                    writeln!(text, "{open}><failure message=\"{found}\">{rest}</failure></testcase>")
                }
                Level::Should => writeln!(text, "{open}><system-out>{found}\n{rest}</system-out></testcase>"),
            }
        }
    };
}

/// Escapes text for an attribute or an element; what XML cannot hold becomes a replacement character.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}');
            }
            letter => safe.push(letter),
        }
    }
    safe
}
