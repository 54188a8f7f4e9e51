//! Numbers in what people and models write: digits of any script, thousands in words, number words.

use crate::{money::Money, text::fold_for_search};

use super::{
    currencies,
    words::{self, Word},
};

/// Role of a number in its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum Sense {
    /// An amount of money, or a share of one.
    Money,
    /// Behind a word of prices, which may be about the thing whose name has the number: the price of an X 15.
    Priced,
    /// Multiplied by a letter right behind it and by nothing else an amount: of money, or of a feature, as
    /// 4K.
    Lettered,
    /// Name of an order or the like.
    Reference,
    /// Number or size of things.
    Counted,
    /// Beside nothing that says what it counts.
    Bare,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::assistant) struct Number {
    /// Possible values: `15.000` is fifteen thousand to some and fifteen to others.
    pub(in crate::assistant) values: Vec<Money>,
    /// Digits as they were written, with the letter that multiplies them; empty for a number in words.
    pub(in crate::assistant) digits: String,
    pub(in crate::assistant) sense: Sense,
}

impl Number {
    /// Returns whether it is written with the digits of another, or may be worth the same.
    pub(in crate::assistant) fn is_as(&self, other: &Self) -> bool {
        (!self.digits.is_empty() && self.digits == other.digits)
            || self.values.iter().any(|value| other.values.contains(value))
    }
}

impl Sense {
    pub(in crate::assistant) const fn may_be_money(self) -> bool {
        matches!(self, Self::Money | Self::Priced | Self::Lettered)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Digits(String),
    Word(String),
    /// A Latin letter right behind digits, by itself.
    Letter(String),
    Sign(char),
}

/// Part of a number, such as `25 thousand` or `five hundred`.
#[derive(Debug, Clone)]
struct Part {
    values: Vec<Money>,
    digits: String,
    /// 1, a thousand or a million.
    scale: u32,
    start: usize,
    end: usize,
}

/// Folds a text for search, and writes out millions that have a capital letter alone, as in `1.5M`: a small
/// one may be a metre.
pub(in crate::assistant) fn folded(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut is_behind_digit = false;
    while let Some(c) = rest.next() {
        let ends = !rest.peek().is_some_and(|next| next.is_alphanumeric());
        if c == 'M' && is_behind_digit && ends {
            spelled.push_str("million");
        } else {
            spelled.push(c);
        }
        is_behind_digit = c.is_numeric();
    }
    fold_for_search(&spelled)
}

pub(in crate::assistant) fn numbers(text: &str) -> Vec<Number> {
    let tokens = tokens(&folded(text));
    let mut parts: Vec<Part> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(part) = part(&tokens, at) {
            at = part.end;
            parts.push(part);
        } else {
            at += 1;
        }
    }
    joined(parts, &tokens).into_iter().filter_map(|part| number(part, &tokens)).collect()
}

fn tokens(folded: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = folded.chars().peekable();
    let mut is_behind_digits = false;
    while let Some(c) = rest.next() {
        let was_digits = std::mem::take(&mut is_behind_digits);
        let mut text = String::from(c);
        if c.is_ascii_digit() {
            loop {
                let mut ahead = rest.clone();
                match (ahead.next(), ahead.next()) {
                    (Some(digit), _) if digit.is_ascii_digit() => {
                        text.push(digit);
                        rest.next();
                    }
                    (Some(mark @ (',' | '.' | '٬' | '٫' | '،' | '\'' | '’')), Some(digit))
                        if digit.is_ascii_digit() =>
                    {
                        text.push(if matches!(mark, '.' | '٫') { '.' } else { ',' });
                        rest.next();
                    }
                    (Some(key), _) if is_key(key) => {
                        let mut after = rest.clone();
                        while after.next_if(|c| is_key(*c)).is_some() {}
                        let digit = after.next_if(char::is_ascii_digit);
                        let on_key = digit.filter(|_| after.peek().is_some_and(|c| is_key(*c)));
                        let Some(digit) = on_key else { break };
                        text.push(digit);
                        rest = after;
                    }
                    _ => break,
                }
            }
            is_behind_digits = true;
            tokens.push(Token::Digits(text));
        } else if c.is_alphabetic() {
            while let Some(&next) = rest.peek().filter(|next| next.is_alphabetic()) {
                text.push(next);
                rest.next();
            }
            let is_behind = was_digits && matches!(text.as_str(), "k" | "m" | "million");
            tokens.push(if is_behind { Token::Letter(text) } else { Token::Word(text) });
        } else if !c.is_whitespace() {
            tokens.push(Token::Sign(c));
        }
    }
    tokens
}

/// Returns whether it draws the digit before it as one on a key, as emoji do: such digits beside each other
/// are one number.
const fn is_key(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{20e3}')
}

fn part(tokens: &[Token], start: usize) -> Option<Part> {
    let (mut values, mut digits, mut end) = match tokens.get(start)? {
        Token::Digits(written) => digits(tokens, start, written),
        Token::Word(_) => {
            if let Some(part) = share_of_scale(tokens, start) {
                return Some(part);
            }
            let (value, end) = spelled(tokens, start)?;
            (vec![Money::of_number(&value.to_string())?], String::new(), end)
        }
        Token::Letter(_) | Token::Sign(_) => return None,
    };
    let mut scale = 1;
    if let Some((letter, times)) = multiplied(tokens, start, end) {
        values = values.iter().filter_map(|value| Money::total(std::iter::once((value, times)))).collect();
        digits.push(letter);
        scale = times;
        end += 1;
    } else if let Some(Token::Word(word)) = tokens.get(end)
        && let Some(Word::Scale(times)) = words::read(word)
        && !(digits.is_empty() && spelled_scale_alone(tokens, start))
    {
        values = values.iter().filter_map(|value| Money::total(std::iter::once((value, times)))).collect();
        scale = times;
        end += 1;
    } else if digits.is_empty() && spelled_scale_alone(tokens, start) {
        scale = words::scale_of(tokens.get(start).map_or("", |token| token.word()));
    }
    let (mut values, mut end) = with_share(tokens, values, scale, end);
    // Three and a half million.
    if let (1, Some(Word::Scale(times))) =
        (scale, tokens.get(end).and_then(|token| words::read(token.word())))
    {
        values = values.iter().filter_map(|value| Money::total(std::iter::once((value, times)))).collect();
        scale = times;
        end += 1;
    }
    Some(Part { values, digits, scale, start, end })
}

/// Reads half or a quarter of a million, which stands before it.
fn share_of_scale(tokens: &[Token], start: usize) -> Option<Part> {
    let word = |at: usize| tokens.get(at).map_or("", Token::word);
    let at = if word(start + 1) == "a" { start + 2 } else { start + 1 };
    let Some(Word::Scale(scale)) = words::read(word(at)) else { return None };
    let value = Money::of_number(&words::part_of(word(start), scale)?.to_string())?;
    Some(Part { values: vec![value], digits: String::new(), scale, start, end: at + 1 })
}

/// Returns the letter right behind the digits that end at `end`, and the factor that it stands for. A small
/// `m` is a metre unless something beside it speaks of money.
fn multiplied(tokens: &[Token], start: usize, end: usize) -> Option<(char, u32)> {
    let Some(Token::Letter(letter)) = tokens.get(end) else { return None };
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", Token::word);
    let is_priced =
        || (1..=4).map_while(|steps| start.checked_sub(steps)).any(|at| words::tells_a_price(word(Some(at))));
    let is_amount = || {
        is_priced()
            || currencies::is_currency(word(Some(end + 1)))
            || currencies::is_currency(word(start.checked_sub(1)))
    };
    match letter.as_str() {
        "k" => Some(('k', 1_000)),
        "million" => Some(('m', 1_000_000)),
        _ => is_amount().then_some(('m', 1_000_000)),
    }
}

/// Adds a half or a quarter that is said after a number: a thousand and a half is 1500.
fn with_share(tokens: &[Token], values: Vec<Money>, scale: u32, end: usize) -> (Vec<Money>, usize) {
    let word = |at: usize| tokens.get(at).map_or("", Token::word);
    let (said, taken) = match word(end) {
        "و" => (word(end + 1), 2),
        "and" if word(end + 1) == "a" => (word(end + 2), 3),
        glued => (glued.strip_prefix('و').unwrap_or_default(), 1),
    };
    let Some(share) = words::share_of(said, scale).and_then(Money::of_number) else { return (values, end) };
    let sum = |value: &Money| Money::total([(value, 1), (&share, 1)].into_iter());
    (values.iter().filter_map(sum).collect(), end + taken)
}

impl Token {
    fn word(&self) -> &str {
        match self {
            Self::Word(word) | Self::Letter(word) => word,
            Self::Digits(_) | Self::Sign(_) => "",
        }
    }
}

fn spelled_scale_alone(tokens: &[Token], start: usize) -> bool {
    tokens.get(start).is_some_and(|token| words::scale_of(token.word()) > 1)
}

/// Parses what digits may mean, and where they end: `15 000` is one number.
fn digits(tokens: &[Token], start: usize, written: &str) -> (Vec<Money>, String, usize) {
    let mut written = written.to_owned();
    let mut end = start + 1;
    while let Some(Token::Digits(next)) = tokens.get(end) {
        let is_group = matches!(next.as_str(), "000" | "250" | "500" | "750");
        if !is_group || written.rsplit(',').next().is_none_or(|last| last.len() > 3) {
            break;
        }
        written.push(',');
        written.push_str(next);
        end += 1;
    }
    let ungrouped = written.replace(',', "");
    let mut values: Vec<_> = Money::of_number(&ungrouped).into_iter().collect();
    let mut groups = written.split(['.', ',']);
    let first = groups.next().unwrap_or_default();
    let grouped = first.len() <= 3 && !first.starts_with('0') && groups.all(|group| group.len() == 3);
    if grouped && written.contains('.') {
        values.extend(Money::of_number(&written.replace(['.', ','], "")));
    }
    if written.matches(',').count() == 1 && !grouped {
        values.extend(Money::of_number(&written.replace(',', ".")));
    }
    let digits = written.chars().filter(char::is_ascii_digit).collect();
    (values, digits, end)
}

/// Parses a number in words below a thousand, or thousands or millions in one word.
fn spelled(tokens: &[Token], start: usize) -> Option<(u64, usize)> {
    let first = tokens.get(start)?.word();
    let next = tokens.get(start + 1).map_or("", Token::word);
    let before =
        [1, 2].map(|steps| start.checked_sub(steps).and_then(|at| tokens.get(at)).map_or("", Token::word));
    if words::is_courtesy(before, first, next) {
        return None;
    }
    if words::is_eleven(first, next) {
        return Some((11, start + 2));
    }
    let is_scale =
        |at: usize| tokens.get(at).is_some_and(|it| matches!(words::read(it.word()), Some(Word::Scale(_))));
    let before_scale = words::before_scale(first);
    let mut value = match words::read(first).or(before_scale.map(Word::Value))? {
        Word::Value(value) => value,
        Word::Scale(times) => return Some((times.into(), start + 1)),
        Word::Hundred => 100,
    };
    // Bound of a further word: `twenty five` is one number, `five twenty` is two.
    let mut below = words::room_after(value);
    let mut end = start + 1;
    while let Some(Token::Word(word)) = tokens.get(end) {
        let bare_and = matches!(word.as_str(), "و" | "and");
        let at = if bare_and { end + 1 } else { end };
        match tokens.get(at).and_then(|token| words::read(token.word())) {
            Some(Word::Hundred) if value < 10 && !bare_and => {
                value *= 100;
                below = 100;
            }
            Some(Word::Value(10)) if value < 10 && !bare_and => {
                value += 10;
                below = 0;
            }
            Some(Word::Value(next)) if next < below => {
                value += next;
                below = words::room_after(next);
            }
            // Five and twenty, as Arabic counts.
            Some(Word::Value(next)) if value < 10 && (20..100).contains(&next) => {
                value += next;
                below = 0;
            }
            Some(Word::Value(next)) if value > 100 && value % 100 < 10 && (20..100).contains(&next) => {
                value += next;
                below = 0;
            }
            _ => break,
        }
        end = at + 1;
    }
    (before_scale.is_none() || is_scale(end)).then_some((value, end))
}

/// Joins parts that are one number together: `15 thousand and 500`.
fn joined(parts: Vec<Part>, tokens: &[Token]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    let hundred = Money::of_number("100");
    for part in parts {
        let between = |last: &Part| match part.start - last.end {
            0 => true,
            1 => matches!(tokens.get(last.end).map_or("", Token::word), "و" | "and"),
            _ => false,
        };
        let is_added = |last: &Part| {
            part.start > last.end || tokens.get(part.start).is_some_and(|it| it.word().starts_with('و'))
        };
        let follows = |last: &Part| {
            last.scale > part.scale
                && between(last)
                && (part.values.iter().all(|value| hundred.as_ref().is_some_and(|it| value >= it))
                    || (last.scale == 1_000_000 && is_added(last)))
                && !tokens.get(part.end).is_some_and(|token| words::is_counted(token.word()))
        };
        match (all.last_mut(), part.values.as_slice()) {
            (Some(last), [more]) if follows(last) => {
                let sum = |times| move |value: &Money| Money::total([(value, 1), (more, times)].into_iter());
                let exact = last.values.iter().filter_map(sum(1));
                // A million and two hundred are thousands.
                let is_short = last.scale == 1_000_000 && part.scale == 1;
                let in_thousands = last.values.iter().filter(|_| is_short).filter_map(sum(1_000));
                last.values = exact.chain(in_thousands).collect();
                last.scale = part.scale;
                last.end = part.end;
            }
            _ => all.push(part),
        }
    }
    all
}

/// Classifies a number; `None` for a hundred percent that lowers no price, such as of cotton, and for a
/// hundred or a thousand greetings.
fn number(part: Part, tokens: &[Token]) -> Option<Number> {
    let word_at = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", Token::word);
    let sign_at = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
        Some(Token::Sign(sign)) => Some(*sign),
        _ => None,
    };
    let before = |steps: usize| part.start.checked_sub(steps);
    let last = part.end.checked_sub(1);
    let is_money_sign = |sign: Option<char>| sign.is_some_and(is_money_sign);
    let priced =
        (1..=4).map_while(|steps| before(steps).map(|at| word_at(Some(at)))).any(words::tells_a_price);
    // `د.ع` is three tokens.
    let next = word_at(Some(part.end));
    let is_percent_sign = |sign: Option<char>| matches!(sign, Some('%' | '٪'));
    let percent_follows = is_percent_sign(sign_at(Some(part.end)))
        || words::is_percent(next)
        || (next == "في" && words::is_the_hundred(word_at(Some(part.end + 1))));
    let is_whole_share = (percent_follows || is_percent_sign(sign_at(before(1))))
        && matches!(part.values.as_slice(), [value] if value.as_str() == "100");
    let mut beside = part.start.saturating_sub(3)..part.end + 4;
    if is_whole_share && !beside.any(|at| words::lowers_a_price(word_at(Some(at)))) {
        return None;
    }
    let currency_follows = percent_follows
        || (0..2).any(|ahead| currencies::is_currency(word_at(Some(part.end + ahead))))
        || (next == "د" && sign_at(Some(part.end + 1)) == Some('.'));
    let is_greeted = !priced && words::is_greeting(next);
    if is_greeted && matches!(part.values.as_slice(), [value] if matches!(value.as_str(), "100" | "1000")) {
        return None;
    }
    let counted = words::is_counted(next);
    let sized = words::names_a_size(word_at(before(1)));
    let lettered = matches!(last.and_then(|last| tokens.get(last)), Some(Token::Letter(_)));
    let is_had_for = words::is_for(word_at(Some(part.start))) && words::names_nothing_counted(next);
    let named = (1..=3)
        .map_while(before)
        .any(|at| words::names_a_reference(word_at(Some(at))) || sign_at(Some(at)) == Some('#'));
    let scaled =
        last.is_some_and(|last| (part.start..=last).any(|at| words::scale_of(word_at(Some(at))) > 1));
    let money = is_money_sign(sign_at(Some(part.end)))
        || is_money_sign(sign_at(before(1)))
        || currencies::is_currency(word_at(before(1)))
        || currencies::is_two_of_a_currency(word_at(Some(part.start)))
        || currency_follows
        || (scaled && !counted && !lettered)
        || (is_had_for && !counted && !named);
    let sense = match (money, priced && !counted && !named && !sized, named) {
        (true, ..) => Sense::Money,
        (false, true, _) => Sense::Priced,
        (false, false, true) => Sense::Reference,
        (false, false, false) if lettered && !counted => Sense::Lettered,
        (false, false, false) if counted || sized => Sense::Counted,
        (false, false, false) => Sense::Bare,
    };
    Some(Number { values: part.values, digits: part.digits, sense })
}

const fn is_money_sign(sign: char) -> bool {
    matches!(sign, '$' | '€' | '£' | '%' | '٪')
}

#[cfg(test)]
mod tests;
