//! Lines of glyphs, and the cells in them.

use unicode_bidi::{BidiClass, bidi_class};

use crate::{glyphs::Glyph, order};

/// Distance of baselines on one line, in sizes of its letters.
const SAME_LINE: f64 = 0.4;
/// Distance of baselines of letters that touch, such as one that is raised.
const RAISED: f64 = 0.8;
/// Distance of letters that are two words, in sizes.
const WORDS: f64 = 0.2;
/// Distance of words that are two cells, in sizes, where no space is drawn between them.
const CELLS: f64 = 0.7;
/// The same behind a space.
const SPACED_CELLS: f64 = 1.2;

/// Glyphs on one baseline.
#[derive(Debug, Default)]
pub(crate) struct Line {
    glyphs: Vec<Glyph>,
}

/// A line as it is read.
#[derive(Debug)]
pub(crate) struct ReadLine {
    /// Cells in the order that they are read; most lines have one.
    pub(crate) cells: Vec<String>,
    pub(crate) size: f64,
    pub(crate) baseline: f64,
    pub(crate) left: f64,
    pub(crate) right: f64,
}

/// Cuts glyphs into lines where the drawing leaves a baseline.
pub(crate) fn lines(glyphs: Vec<Glyph>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for glyph in glyphs {
        match lines.last_mut() {
            Some(line) if line.has(&glyph) => line.glyphs.push(glyph),
            _ => lines.push(Line { glyphs: vec![glyph] }),
        }
    }
    lines
}

impl Line {
    fn has(&self, glyph: &Glyph) -> bool {
        let near = |other: &Glyph, most: f64| {
            (other.baseline - glyph.baseline).abs() <= most * other.size.max(glyph.size)
        };
        let touches = |other: &Glyph| {
            let gap = (glyph.left - other.right).max(other.left - glyph.right);
            near(other, RAISED) && gap < WORDS * glyph.size
        };
        let (first, last) = (self.glyphs.first(), self.glyphs.last());
        first.is_some_and(|first| near(first, SAME_LINE))
            || last.is_some_and(|last| near(last, SAME_LINE) || touches(last))
    }

    /// Reads the line; `None` if nothing stands on it.
    pub(crate) fn read(self, is_page_from_right: bool) -> Option<ReadLine> {
        let glyphs = attached(self.glyphs);
        let (first, last) = (glyphs.first()?, glyphs.last()?);
        let (left, right, baseline) = (first.left, last.right, first.baseline);
        let size = glyphs.iter().map(|glyph| glyph.size).fold(0.0, f64::max);
        let mut cells: Vec<Vec<&str>> = vec![Vec::new()];
        let mut end = left;
        let mut is_spaced = false;
        for glyph in &glyphs {
            if glyph.text == " " {
                is_spaced = true;
                end = end.max(glyph.right);
                continue;
            }
            let gap = glyph.left - end;
            if gap > if is_spaced { SPACED_CELLS } else { CELLS } * size {
                cells.push(Vec::new());
            } else if (is_spaced || gap > WORDS * size)
                && let Some(cell) = cells.last_mut().filter(|cell| !cell.is_empty())
            {
                cell.push(" ");
            }
            if let Some(cell) = cells.last_mut() {
                cell.push(&glyph.text);
            }
            end = end.max(glyph.right);
            is_spaced = false;
        }
        let mut cells: Vec<String> = cells.iter().map(|cell| order::read(cell, is_page_from_right)).collect();
        if is_page_from_right {
            cells.reverse();
        }
        // The mark of an item stands apart from it.
        if let [mark, _, ..] = &*cells
            && mark.chars().count() <= 3
            && !mark.contains(char::is_alphabetic)
            && mark.ends_with(|c: char| !c.is_numeric())
        {
            let mark = cells.remove(0);
            if let Some(item) = cells.first_mut() {
                item.insert_str(0, &format!("{mark} "));
            }
        }
        cells.retain(|cell| !cell.is_empty());
        (!cells.is_empty()).then_some(ReadLine { cells, size, baseline, left, right })
    }
}

/// Returns glyphs from left to right, marks with the letters that they stand on, and what is drawn twice
/// once.
fn attached(mut glyphs: Vec<Glyph>) -> Vec<Glyph> {
    let middle = |glyph: &Glyph| f64::midpoint(glyph.left, glyph.right);
    glyphs.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let (marks, mut letters): (Vec<Glyph>, Vec<Glyph>) = glyphs.into_iter().partition(is_mark);
    letters
        .dedup_by(|b, a| a.text == b.text && (middle(a) - middle(b)).abs() < a.size / 10.0 && a.text != " ");
    for mark in marks {
        // Where it stands between two, it is drawn after the letter at its right.
        let at = letters.partition_point(|letter| letter.right <= middle(&mark) + mark.size / 50.0);
        let (before, behind) = letters.split_at_mut_checked(at).unwrap_or_default();
        let mut nearest =
            behind.iter_mut().chain(before.iter_mut().rev()).filter(|letter| letter.text != " ");
        if let Some(letter) = nearest.next().filter(|letter| !letter.text.ends_with(&mark.text)) {
            letter.text.push_str(&mark.text);
        }
    }
    letters
}

fn is_mark(glyph: &Glyph) -> bool {
    glyph.text.chars().all(|c| bidi_class(c) == BidiClass::NSM)
}
