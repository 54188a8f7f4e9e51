//! Stretches of a text that may be somebody's phone number, which no model is shown.

use std::ops::Range;

use crate::{
    assistant::toolbox::NUMBER,
    phone::{PhoneNumber, Region, fold, is_code_of, sign},
    text::{decimal, is_line_end, is_silent},
};

/// Fewest digits of any number that may be a phone number.
const PHONE_DIGITS: usize = 9;
/// Fewest digits where it begins and parses as a phone number. Others as short are prices and orders, too.
const SHORTEST_PHONE: usize = 8;
/// Most digits of a phone number.
const LONGEST_PHONE: usize = 15;
/// Most digits of a phone number as it is written, with whatever is dialled before it.
const LONGEST_WRITTEN: usize = 20;

/// Commas between the groups of one number, and between numbers.
const COMMAS: [char; 3] = [',', '\u{60c}', '\u{66c}'];

pub(super) struct Piece {
    pub(super) text: String,
    pub(super) is_phone: bool,
}

/// Replaces whatever may be somebody's phone number by `[number]`.
pub(super) fn without_phones(text: &str, region: Region) -> String {
    masked(text, region, |_| true)
}

/// Replaces phone numbers as people of `region` write them by `[number]`: a text of a system has other long
/// numbers, which may be told.
pub(in crate::assistant) fn without_phones_of(text: &str, region: Region) -> String {
    masked(text, region, |phone| is_read(phone, region))
}

fn masked(text: &str, region: Region, hides: impl Fn(&str) -> bool) -> String {
    pieces(text, region)
        .into_iter()
        .map(|piece| if piece.is_phone && hides(&piece.text) { NUMBER.to_owned() } else { piece.text })
        .collect()
}

/// Splits a text into stretches that may be phone numbers, and what is around them.
pub(super) fn pieces(text: &str, region: Region) -> Vec<Piece> {
    let (mut pieces, mut run) = (Vec::new(), String::new());
    for c in text.chars() {
        if is_of_number(c) {
            run.push(c);
        } else {
            settle(&run, region, &mut pieces);
            run.clear();
            pieces.push(Piece { text: c.to_string(), is_phone: false });
        }
    }
    settle(&run, region, &mut pieces);
    pieces
}

fn is_of_number(c: char) -> bool {
    let separates = matches!(sign(c), '+' | '-' | '(' | ')' | '.' | '/' | '_') || COMMAS.contains(&c);
    decimal(c).is_some() || separates || c.is_whitespace() || is_silent(c)
}

fn settle(run: &str, region: Region, pieces: &mut Vec<Piece>) {
    let mut told = 0;
    for phone in phones(run, region) {
        let before = run.get(told..phone.start).unwrap_or_default();
        pieces.push(Piece { text: before.to_owned(), is_phone: false });
        push_phone(run.get(phone.clone()).unwrap_or_default(), pieces);
        told = phone.end;
    }
    let rest = run.get(told..).unwrap_or_default();
    pieces.push(Piece { text: rest.to_owned(), is_phone: false });
}

/// Appends a phone number up to its last digit, and what is around it.
fn push_phone(text: &str, pieces: &mut Vec<Piece>) {
    let begun = text.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(sign(c), '-' | '.' | '/' | ')' | '_') || COMMAS.contains(&c)
    });
    let phone = begun.trim_end_matches(|c: char| decimal(c).is_none());
    let before = text.strip_suffix(begun).unwrap_or_default();
    let after = begun.strip_prefix(phone).unwrap_or_default();
    for (text, is_phone) in [(before, false), (phone, true), (after, false)] {
        pieces.push(Piece { text: text.to_owned(), is_phone });
    }
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is asked by itself, and any may hold beside any other"
)]
/// Part of a run without whitespace in it. A slash ends one, too: people write two numbers beside one.
struct Token {
    at: Range<usize>,
    digits: usize,
    is_date: bool,
    begins_line: bool,
    /// Whether it begins as a phone number does, and is no date.
    is_anchor: bool,
    /// Whether it belongs to a stretch that may be a phone number.
    is_taken: bool,
}

fn tokens(run: &str) -> Vec<Token> {
    let (mut tokens, mut end, mut begins_line) = (Vec::new(), 0, true);
    for word in run.split_inclusive(char::is_whitespace) {
        let is_date = is_date(word);
        for part in word.split_inclusive(|c: char| sign(c) == '/') {
            let at = end..end + part.len();
            end = at.end;
            let digits = digits(part);
            if digits > 0 || part.chars().any(|c| sign(c) == '+') {
                let is_anchor = begins_as_phone(part) && !is_date;
                tokens.push(Token { at, digits, is_date, begins_line, is_anchor, is_taken: false });
                begins_line = false;
            }
        }
        begins_line |= word.contains(is_line_end);
    }
    tokens
}

/// Finds the stretches of a run that may be phone numbers, in their order. What begins as a phone number is
/// searched first, so that a number in front of one is none of its digits.
fn phones(run: &str, region: Region) -> Vec<Range<usize>> {
    let mut found = Found { run, region, tokens: tokens(run), phones: Vec::new() };
    found.take_all(Found::read_as_begun);
    found.take_read();
    found.take_all(Found::unread);
    found.phones.sort_by_key(|phone| phone.start);
    found.phones
}

/// Search for phone numbers in a run.
struct Found<'a> {
    run: &'a str,
    region: Region,
    tokens: Vec<Token>,
    phones: Vec<Range<usize>>,
}

impl Found<'_> {
    /// Takes what `from` finds: given a first token, it returns the last one that belongs to it.
    fn take_all(&mut self, from: impl Fn(&Self, usize) -> Option<usize>) {
        let mut first = 0;
        while first < self.tokens.len() {
            let last = from(self, first);
            if let Some(last) = last {
                self.take(first, last);
            }
            first = last.unwrap_or(first) + 1;
        }
    }

    fn take(&mut self, first: usize, last: usize) {
        self.phones.extend(self.stretch(first, last));
        self.tokens
            .get_mut(first..=last)
            .unwrap_or_default()
            .iter_mut()
            .for_each(|token| token.is_taken = true);
    }

    fn stretch(&self, first: usize, last: usize) -> Option<Range<usize>> {
        Some(self.tokens.get(first)?.at.start..self.tokens.get(last)?.at.end)
    }

    fn text(&self, first: usize, last: usize) -> &str {
        self.stretch(first, last).and_then(|at| self.run.get(at)).unwrap_or_default()
    }

    /// Lists the tokens at which a number that begins at `first` may end, with its digits up to each: untaken
    /// ones, up to the first later one for which `ends` is true, and `most` digits.
    fn ends(&self, first: usize, most: usize, ends: impl Fn(&Token) -> bool) -> Vec<(usize, usize)> {
        let mut digits = 0;
        let following = self.tokens.iter().enumerate().skip(first);
        following
            .take_while(|(place, token)| !token.is_taken && (*place == first || !ends(token)))
            .map(|(place, token)| {
                digits += token.digits;
                (place, digits)
            })
            .take_while(|(_, digits)| *digits <= most)
            .collect()
    }

    /// Finds the longest number, over several lines, that begins and parses as a phone number.
    fn read_as_begun(&self, first: usize) -> Option<usize> {
        let token = self.tokens.get(first)?;
        let begin: String = fold(self.text(first, first)).chars().filter(char::is_ascii_digit).collect();
        if !token.is_anchor && !is_code_of(self.region, &begin) {
            return None;
        }
        let ends = self.ends(first, LONGEST_WRITTEN, |_| false);
        let mut longest_first = ends.into_iter().rev().filter(|(_, digits)| *digits >= SHORTEST_PHONE);
        longest_first.find(|(last, _)| is_read(self.text(first, *last), self.region)).map(|(last, _)| last)
    }

    /// Takes what parses as a number within one line though it does not begin as one, longest first: its
    /// beginning, with what stands before it, may parse as a shorter number.
    fn take_read(&mut self) {
        let mut read: Vec<_> = (0..self.tokens.len()).flat_map(|first| self.read(first)).collect();
        read.sort_by_key(|(_, _, digits)| std::cmp::Reverse(*digits));
        for (first, last, _) in read {
            let is_taken = |token: &Token| token.is_taken;
            if !self.tokens.get(first..=last).unwrap_or_default().iter().any(is_taken) {
                self.take(first, last);
            }
        }
    }

    /// Lists the numbers within a line that begin at `first`: first token, last token, digits.
    fn read(&self, first: usize) -> Vec<(usize, usize, usize)> {
        if self.tokens.get(first).is_none_or(|token| token.is_date || token.digits == 0) {
            return Vec::new();
        }
        let ends = self.ends(first, LONGEST_WRITTEN, |token| token.is_date || token.begins_line);
        let is_one = |text: &str| !is_list(text) && is_read(text, self.region);
        let long = ends.into_iter().filter(|(_, digits)| *digits >= PHONE_DIGITS);
        let read = long.filter(|(last, _)| is_one(self.text(first, *last)));
        read.map(|(last, digits)| (first, last, digits)).collect()
    }

    /// Finds what is as long as a phone number and begins as one or is one token: it may be one.
    fn unread(&self, first: usize) -> Option<usize> {
        let token = self.tokens.get(first).filter(|token| !token.is_date)?;
        if token.is_anchor {
            let ends = self.ends(first, LONGEST_PHONE, |token| token.is_date || token.begins_line);
            let longest = ends.last().filter(|(_, digits)| *digits >= PHONE_DIGITS);
            if let Some((last, _)) = longest {
                return Some(*last);
            }
        }
        // A price of millions has commas as well, and so has a list.
        let is_long = self.text(first, first).split(COMMAS).any(|group| digits(group) >= PHONE_DIGITS);
        let is_one = !token.is_taken && is_long && !is_list(self.text(first, first));
        is_one.then_some(first)
    }
}

/// Returns whether it begins with a plus sign, or with a zero and another digit, as no price does.
fn begins_as_phone(text: &str) -> bool {
    let folded = fold(text);
    let begin = folded.trim_start_matches(['(', '-', '.', '/', ' ', '_']).trim_start_matches(COMMAS);
    let after_zero = begin.strip_prefix('0').and_then(|rest| rest.chars().next());
    begin.starts_with('+') || after_zero.is_some_and(|c| c.is_ascii_digit())
}

pub(super) fn is_read(text: &str, region: Region) -> bool {
    PhoneNumber::parse(text.trim(), region).is_ok()
}

fn digits(text: &str) -> usize {
    text.chars().filter(|&c| decimal(c).is_some()).count()
}

/// Returns whether it is several prices or sizes, which may parse as a phone number by chance, or one number
/// in groups of thousands.
fn is_list(text: &str) -> bool {
    let folded = fold(text);
    let mut numbers = folded.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let is_price = |number: &str| {
        (4..=8).contains(&number.len())
            && ["000", "250", "500", "750"].iter().any(|end| number.ends_with(end))
    };
    let are_prices = numbers.clone().all(is_price);
    let are_sizes = numbers.clone().all(|number| number.len() < 3);
    let are_several = (are_prices || are_sizes) && numbers.nth(1).is_some();
    (are_several || is_grouped(text)) && !begins_as_phone(text)
}

/// Returns whether it is one number of at most ten digits whose thousands are parted by commas.
fn is_grouped(text: &str) -> bool {
    let groups: Vec<_> = text.trim().trim_matches(COMMAS).split(COMMAS).map(digits).collect();
    let are_thousands = |rest: &[usize]| !rest.is_empty() && rest.iter().all(|count| *count == 3);
    digits(text) <= 10 && matches!(groups.as_slice(), [1..=3, rest @ ..] if are_thousands(rest))
}

/// Returns whether a word is a date, such as 25/11/2026: no phone number has day, month and a year of our
/// time by chance.
fn is_date(word: &str) -> bool {
    let folded = fold(word).replace(['-', '.'], "/");
    let folded = folded.trim_matches(COMMAS);
    let parts: Vec<_> = folded.trim_matches(['/', '(', ')']).split('/').collect();
    let is_of = |part: &str, most: u32| {
        (1..=2).contains(&part.len())
            && part.bytes().all(|c| c.is_ascii_digit())
            && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    let is_year = |part: &str| part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
    let are_day_and_month =
        |one: &str, other: &str| (is_of(one, 31) && is_of(other, 12)) || (is_of(one, 12) && is_of(other, 31));
    match parts.as_slice() {
        [day, month, year] if is_year(year) => are_day_and_month(day, month),
        [year, month, day] if is_year(year) => are_day_and_month(day, month),
        [day, month, year] => year.len() == 2 && is_of(year, 99) && are_day_and_month(day, month),
        _ => false,
    }
}
