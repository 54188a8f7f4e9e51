//! Glyphs of pages: what each stands for, and where it stands.

use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask,
    font::{Glyph as Drawn, GlyphRun},
    hayro_cmap::BfString,
    hayro_syntax::{
        Pdf,
        object::{Dict, String as Bytes, dict::keys::ACTUAL_TEXT},
    },
    interpret_page,
    kurbo::{Affine, BezPath, Point, Rect},
};
use unicode_normalization::UnicodeNormalization;

use crate::error::{LONGEST_TEXT, PdfError};

/// Units of a glyph in the size of its font.
const EM: f64 = 1000.0;
/// Share of glyphs that may be unknown, one of so many.
const UNKNOWN: usize = 5;

/// A glyph on a page, in points from its upper left corner.
#[derive(Debug, Clone)]
pub(crate) struct Glyph {
    /// Letters in the order that they are read.
    pub(crate) text: String,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) baseline: f64,
    pub(crate) size: f64,
}

/// Lists the glyphs of each page, in the order that they are drawn.
///
/// # Errors
/// [`PdfError::Broken`] if there is no page, [`PdfError::NoText`] if there are no glyphs, or too many are
/// not known by their letters.
pub(crate) fn pages(pdf: &Pdf) -> Result<Vec<Vec<Glyph>>, PdfError> {
    let cache = InterpreterCache::new();
    let (mut pages, mut unknown, mut known, mut bytes) = (Vec::new(), 0, 0, 0);
    for page in pdf.pages().iter() {
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, width.into(), height.into());
        let upright = Affine::new(page.initial_transform(true).as_coeffs());
        let mut context = Context::new(upright, area, &cache, pdf.xref(), InterpreterSettings::default());
        let mut drawn = Page { left: LONGEST_TEXT.saturating_sub(bytes), ..Page::default() };
        interpret_page(page, &mut context, &mut drawn);
        bytes += drawn.glyphs.iter().map(|glyph| glyph.text.len()).sum::<usize>();
        if drawn.is_full {
            return Err(PdfError::TooMuch);
        }
        unknown += drawn.unknown;
        known += drawn.glyphs.len();
        pages.push(drawn.glyphs);
    }
    if pages.is_empty() {
        return Err(PdfError::Broken);
    }
    if known == 0 || unknown > known / UNKNOWN { Err(PdfError::NoText) } else { Ok(pages) }
}

#[derive(Default)]
struct Page {
    glyphs: Vec<Glyph>,
    unknown: usize,
    /// Bytes of text that there is room for.
    left: usize,
    is_full: bool,
    /// Marked contents that the drawing is in, each with the text that stands for it.
    marked: Vec<Option<String>>,
}

impl Page {
    fn draw(&mut self, drawn: &Drawn<'_>, to_page: Affine) {
        let advance = match drawn {
            Drawn::Outline(glyph) => glyph.advance_width(),
            Drawn::Type3(glyph) => glyph.advance_width(),
        };
        let origin = to_page * Point::ZERO;
        let end = to_page * Point::new(f64::from(advance.unwrap_or_default()), 0.0);
        let size = (to_page * Point::new(0.0, EM) - origin).hypot();
        // What is turned, such as a stamp across the page, belongs to no line.
        let is_turned = (end.y - origin.y).abs() > (end.x - origin.x).abs();
        if is_turned || !(origin.to_vec2().is_finite() && end.to_vec2().is_finite() && size.is_finite()) {
            return;
        }
        let (left, right) = (origin.x.min(end.x), origin.x.max(end.x));
        let text = match self.marked.iter_mut().rev().find_map(Option::as_mut) {
            // The text of all glyphs in it is that of the first.
            Some(actual) if actual.is_empty() => {
                if let Some(last) = self.glyphs.last_mut() {
                    last.left = last.left.min(left);
                    last.right = last.right.max(right);
                    last.baseline = last.baseline.max(origin.y);
                }
                return;
            }
            Some(actual) => std::mem::take(actual),
            None => match drawn.as_unicode() {
                Some(BfString::Char(c)) => c.to_string(),
                Some(BfString::String(text)) => text,
                None => String::new(),
            },
        };
        let text = letters(&text);
        if text.is_empty() {
            self.unknown += 1;
            return;
        }
        self.is_full |= text.len() > self.left;
        if !self.is_full {
            self.left -= text.len();
            self.glyphs.push(Glyph { text, left, right, baseline: origin.y, size });
        }
    }
}

/// Returns letters in place of their forms at the beginning, in the middle and at the end of words.
fn letters(text: &str) -> String {
    let is_form =
        |c: char| matches!(c, '\u{fb00}'..='\u{fb06}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_form(c) => letters.extend(std::iter::once(c).nfkc()),
            c if c.is_whitespace() => letters.push(' '),
            c if c.is_control() || matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}') => {}
            c => letters.push(c),
        }
    }
    letters
}

/// Decodes a text string.
fn decode(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, text @ ..] => {
            let units = text
                .chunks_exact(2)
                .map(|pair| pair.iter().fold(0, |unit, byte| unit << 8 | u16::from(*byte)));
            char::decode_utf16(units).flatten().collect()
        }
        [0xef, 0xbb, 0xbf, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        _ => bytes.iter().copied().map(char::from).collect(),
    }
}

impl Device<'_> for Page {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.draw(glyph, props.transform * glyph.transform());
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let actual = properties.and_then(|properties| properties.get::<Bytes<'_>>(ACTUAL_TEXT));
        self.marked.push(actual.map(|actual| decode(actual.as_bytes())));
    }

    fn end_marked_content(&mut self) {
        self.marked.pop();
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
