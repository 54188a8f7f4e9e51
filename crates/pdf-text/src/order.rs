//! Order of letters: from left to right as they stand, to that in which they are read.

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Most letters of a unit.
const LONGEST_UNIT: usize = 3;

/// Whether a letter is read from right to left.
pub(crate) fn is_from_right(c: char) -> bool {
    matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// Returns letters that stand from left to right, each with what is attached to it, as they are read.
///
/// `is_page_from_right` is whether most letters of the page are read from right to left.
pub(crate) fn read(visual: &[&str], is_page_from_right: bool) -> String {
    let text = if begins_right(visual, is_page_from_right) {
        let mut turned = names(visual);
        turned.reverse();
        ordered(&turned.iter().map(String::as_str).collect::<Vec<_>>(), Level::rtl())
    } else {
        ordered(visual, Level::ltr())
    };
    telephones(&text)
}

/// Returns whether a line begins at its right. What ends a sentence tells it, wherever it stands.
fn begins_right(visual: &[&str], is_page_from_right: bool) -> bool {
    let ends = |piece: Option<&&str>| {
        piece.is_some_and(|piece| piece.starts_with(['.', '،', ',', ':', '!', '؟', '?', '؛']))
    };
    let (first, last) = (visual.first(), visual.last());
    if ends(first) != ends(last) {
        return ends(first);
    }
    let letters = || visual.iter().flat_map(|piece| piece.chars()).filter(|c| c.is_alphabetic());
    let from_right = letters().filter(|c| is_from_right(*c)).count();
    from_right > 0 && (is_page_from_right || from_right * 2 > letters().count())
}

/// Joins what is read from left to right in a line from the right, but would be taken for two runs: a name
/// with its number, such as `SALE-2026` and `Galaxy 24`. A number with its unit, as `500 ml`, stands there
/// like one.
fn names(visual: &[&str]) -> Vec<String> {
    let is_number = |piece: &str| piece.starts_with(|c: char| c.is_ascii_digit());
    let is_latin = |piece: &str| piece.starts_with(|c: char| c.is_alphabetic() && !is_from_right(c));
    let mut pieces: Vec<String> = Vec::new();
    // Letters of the name that is open, and what stands behind it and may yet belong to it.
    let mut name: Option<(usize, Vec<&str>)> = None;
    for piece in visual.iter().copied() {
        match &mut name {
            Some((letters, behind)) if is_latin(piece) || is_number(piece) => {
                let is_apart = behind.contains(&" ");
                if is_apart && (is_latin(piece) || *letters <= LONGEST_UNIT) {
                    pieces.extend(behind.drain(..).map(str::to_owned));
                    pieces.push(piece.to_owned());
                    name = is_latin(piece).then(|| (1, Vec::new()));
                } else if let Some(last) = pieces.last_mut() {
                    last.extend(behind.drain(..));
                    last.push_str(piece);
                    *letters += usize::from(is_latin(piece));
                }
            }
            Some((_, behind)) if !piece.contains(is_from_right) && piece != "(" && piece != ")" => {
                behind.push(piece);
            }
            _ => {
                if let Some((_, behind)) = name.take() {
                    pieces.extend(behind.into_iter().map(str::to_owned));
                }
                name = is_latin(piece).then(|| (1, Vec::new()));
                pieces.push(piece.to_owned());
            }
        }
    }
    pieces.extend(name.into_iter().flat_map(|(_, behind)| behind).map(str::to_owned));
    pieces
}

/// Turns the groups of a telephone's number that stand the wrong way round, since it was set from left to
/// right in a line from the right: the first has the sign or the nought.
fn telephones(text: &str) -> String {
    let is_group = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_digit() || c == '-');
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let bare = word.trim_end_matches('+');
        let groups = words.iter().rev().take_while(|word| is_group(&word.as_str())).count();
        let is_first = is_group(&bare) && (bare.len() < word.len() || bare.starts_with('0'));
        if is_first && groups > 1 {
            let sign = if bare.len() < word.len() { "+" } else { "" };
            let at = words.len() - groups;
            words.push(format!("{sign}{bare}"));
            if let Some(number) = words.get_mut(at..) {
                number.reverse();
            }
        } else {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

/// Turns the runs that are read against the direction of the line, which the pieces are in.
fn ordered(pieces: &[&str], line: Level) -> String {
    let text = pieces.concat();
    let info = BidiInfo::new(&text, Some(line));
    let mut at = 0;
    let levels: Vec<Level> = pieces
        .iter()
        .map(|piece| {
            let level = info.levels.get(at).copied().unwrap_or(line);
            at += piece.len();
            level
        })
        .collect();
    let visual = BidiInfo::reorder_visual(&levels);
    // From a line that is read from the right, the result would be turned once more.
    let mut order: Vec<(&str, Level)> =
        visual.iter().filter_map(|at| Some((*pieces.get(*at)?, *levels.get(*at)?))).collect();
    if line.is_rtl() {
        order.reverse();
    }
    let told = |is_mirrored: bool| -> String {
        let letters = order.iter().flat_map(|(piece, level)| piece.chars().map(move |c| (c, level.is_rtl())));
        letters.map(|(c, is_rtl)| if is_rtl && is_mirrored { mirrored(c) } else { c }).collect()
    };
    // Some programs name a bracket by how it looks, some by what it means.
    let looks = told(true);
    if nests(&looks) { looks } else { Some(told(false)).filter(|means| nests(means)).unwrap_or(looks) }
}

const PAIRS: [(char, char); 6] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»'), ('<', '>'), ('‹', '›')];

fn mirrored(c: char) -> char {
    let other = PAIRS.iter().find_map(|&(open, close)| match c {
        c if c == open => Some(close),
        c if c == close => Some(open),
        _ => None,
    });
    other.unwrap_or(c)
}

/// Returns whether no bracket closes that was not opened, and none stays open.
fn nests(text: &str) -> bool {
    PAIRS.iter().take(3).all(|&(open, close)| {
        let mut depth = 0_i32;
        let goes = text.chars().all(|c| {
            depth += i32::from(c == open) - i32::from(c == close);
            depth >= 0
        });
        goes && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_line_is_read_from_the_side_that_it_begins_at() {
        for (visual, is_page_from_right, read_as) in [
            ("رانيد 25,000 رعسلا", true, "السعر 25,000 دينار"),
            (".%10.5 مصخ", true, "خصم 10.5%."),
            ("(2 قباطلا) 62 عراش", true, "شارع 62 (الطابق 2)"),
            // Brackets by what they mean.
            (")2 قباطلا( 62 عراش", true, "شارع 62 (الطابق 2)"),
            ("4567-123-0770 :زجحلل", true, "للحجز: 0770-123-4567"),
            // Numbers of telephones that were set from left to right.
            ("+964 770 123 4567 :فتاهلا", true, "الهاتف: +964 770 123 4567"),
            ("4567 123 770 964+", true, "+964 770 123 4567"),
            ("+964 770 123 4567", true, "+964 770 123 4567"),
            ("SALE-2026 زمرلا", true, "الرمز SALE-2026"),
            ("ةزهاج Galaxy 24 ةزهجأ", true, "أجهزة Galaxy 24 جاهزة"),
            ("IQD 25,000 رعسلا", true, "السعر 25,000 IQD"),
            (".too ةيبرعلا we speak", true, "we speak العربية too."),
            ("we speak ةيبرعلا too.", true, "we speak العربية too."),
            ("We wrap gifts.", true, "We wrap gifts."),
            ("price 25,000 رعسلا here", false, "price 25,000 السعر here"),
        ] {
            let pieces: Vec<String> = visual.chars().map(String::from).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(read(&pieces, is_page_from_right), read_as, "{visual}");
        }
    }
}
