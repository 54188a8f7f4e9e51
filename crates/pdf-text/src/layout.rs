//! Lines as text: paragraphs, headings, rows.

use crate::{
    error::{LONGEST_TEXT, PdfError},
    glyphs::Glyph,
    line::{ReadLine, lines},
    order::is_from_right,
};

/// Size of headings, in that of most letters.
const HEADING: f64 = 1.15;
/// Size of the headings above those.
const TITLE: f64 = 1.6;
/// Longest heading, in characters.
const LONGEST_HEADING: usize = 100;
/// Width of a line that was broken, in that of the widest around it.
const BROKEN: f64 = 0.8;
/// Fewest characters of a line that was broken.
const SHORTEST_BROKEN: usize = 45;
/// Lines above and below that a line is compared with.
const AROUND: usize = 3;
/// Distance of lines of one paragraph, in sizes.
const PARAGRAPH: f64 = 2.2;

/// Returns the text of pages.
pub(crate) fn text(pages: &[Vec<Glyph>]) -> Result<String, PdfError> {
    let pages: Vec<Vec<ReadLine>> = pages.iter().map(|glyphs| read(glyphs)).collect();
    let body = body_size(&pages);
    let mut text = String::new();
    for page in &pages {
        for (at, line) in page.iter().enumerate() {
            let around = page.get(at.saturating_sub(AROUND)..page.len().min(at + AROUND)).unwrap_or_default();
            let above = at.checked_sub(1).and_then(|above| page.get(above));
            match &*line.cells {
                [words] if above.is_some_and(|above| goes_on(above, line, around)) => {
                    text.push(' ');
                    text.push_str(words);
                }
                [words] => {
                    text.push('\n');
                    if line.size > body * HEADING && words.chars().nth(LONGEST_HEADING).is_none() {
                        text.push_str(if line.size > body * TITLE { "# " } else { "## " });
                    }
                    text.push_str(words);
                }
                cells => {
                    text.push_str("\n| ");
                    text.push_str(&cells.join(" | "));
                    text.push_str(" |");
                }
            }
        }
        text.push('\n');
    }
    match text.len() {
        _ if !text.contains(char::is_alphanumeric) => Err(PdfError::NoText),
        0..=LONGEST_TEXT => Ok(text),
        _ => Err(PdfError::TooMuch),
    }
}

fn read(glyphs: &[Glyph]) -> Vec<ReadLine> {
    let letters = || glyphs.iter().flat_map(|glyph| glyph.text.chars()).filter(|c| c.is_alphabetic());
    let is_page_from_right = letters().filter(|c| is_from_right(*c)).count() * 2 > letters().count();
    lines(glyphs.to_vec()).into_iter().filter_map(|line| line.read(is_page_from_right)).collect()
}

/// Returns the size that most letters have.
fn body_size(pages: &[Vec<ReadLine>]) -> f64 {
    let length = |line: &ReadLine| line.cells.iter().map(String::len).sum::<usize>();
    let mut sizes: Vec<(f64, usize)> = pages.iter().flatten().map(|line| (line.size, length(line))).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = sizes.iter().map(|(_, length)| length).sum::<usize>() / 2;
    let mut seen = 0;
    let middle = sizes.iter().find(|(_, length)| {
        seen += length;
        seen > half
    });
    middle.map_or(f64::MAX, |(size, _)| *size)
}

/// Returns whether a line goes on with the sentence of the line above: where that was broken for its length.
fn goes_on(above: &ReadLine, line: &ReadLine, around: &[ReadLine]) -> bool {
    let is_below = (0.0..PARAGRAPH * above.size).contains(&(line.baseline - above.baseline));
    let is_alike = (above.size - line.size).abs() < above.size / 10.0;
    let [before] = &*above.cells else { return false };
    let ends = before.ends_with(['.', '!', '?', '؟', ':', '؛', '…']);
    let begins = |words: &String| words.starts_with(['•', '-', '–', '·', '*', '▪', '●', '◦']);
    let width = |line: &ReadLine| line.right - line.left;
    let is_of_column = |other: &&ReadLine| {
        (other.right - above.right).abs() < above.size || (other.left - above.left).abs() < above.size
    };
    let widest = around.iter().filter(is_of_column).map(width).fold(0.0, f64::max);
    let is_broken = width(above) > BROKEN * widest && before.chars().nth(SHORTEST_BROKEN).is_some();
    is_below && is_alike && is_broken && !ends && !line.cells.iter().any(begins)
}
