//! Prices that customers offer, as people of Iraq write them: short of their thousands, or in banknotes.

use super::{
    numbers::{Sense, folded, numbers},
    prefixes::bare,
    words,
};
use crate::{currency::Currency, money::Money};

/// Amounts of dinars below this are short for thousands: there is no smaller banknote.
const SMALLEST_NOTE: &str = "250";
/// An amount of dinars that a price is this many times is short for thousands: so it is nearer to the price.
const TOO_FEW: u32 = 32;
/// First amount that is never short for thousands.
const A_THOUSAND: &str = "1000";
/// Words for a banknote of a hundred dollars.
const NOTES: &[&str] = &["ورقه", "ورقات", "اوراق", "وهرهقه"];
/// Words for a bundle of ten thousand dollars.
const BUNDLES: &[&str] = &["دفتر", "دفاتر", "دهفتهر"];
const NOTES_OF_A_BUNDLE: u32 = 100;
/// Words for dollars.
const DOLLARS: &[&str] = &["دولار", "دولارات", "دۆلار", "dollar", "dollars", "usd", "bucks"];
/// Price from which a single digit may be short for millions.
const A_MILLION: &str = "1000000";
const TWO_NOTES: &[&str] = &["ورقتين"];
const DOLLARS_OF_A_NOTE: u32 = 100;

/// Returns what an offer stands for beside a price: 50 beside 60,000 dinars are 50,000.
pub(in crate::assistant) fn in_full(offer: &Money, price: Option<&Money>, currency: Currency) -> Money {
    let is_below = |amount: &str| Money::of_number(amount).is_some_and(|amount| *offer < amount);
    let times = |factor| Money::total(std::iter::once((offer, factor)));
    let is_far = price.zip(times(TOO_FEW)).is_some_and(|(price, nearer)| nearer < *price);
    let is_short = currency == Currency::IQD
        && is_below(A_THOUSAND)
        && (is_far || is_below(SMALLEST_NOTE))
        && !offer.is_zero();
    times(1_000).filter(|_| is_short).unwrap_or_else(|| offer.clone())
}

/// Lists the amounts that a text may offer for something at a price; what it counts or names is none that is
/// short for thousands.
pub(in crate::assistant) fn offers(text: &str, price: Option<&Money>, currency: Currency) -> Vec<Money> {
    let is_dinar = currency == Currency::IQD;
    let mut offers = if currency.as_str() == "USD" { in_notes(text) } else { Vec::new() };
    let text = if is_dinar { without_dollars(text) } else { text.to_owned() };
    let texts = [text.clone(), spelled_out(&text)].into_iter().chain(behind_by(&text));
    for number in texts.flat_map(|text| numbers(&text)) {
        if !matches!(number.sense, Sense::Counted | Sense::Reference) {
            offers.extend(number.values.iter().map(|value| in_full(value, price, currency)));
            let larger = number.values.iter().filter(|_| is_dinar);
            offers.extend(larger.flat_map(|value| shortened(value, price)));
        }
        offers.extend(number.values);
    }
    offers
}

/// Lists what an amount may be short for beside a price in millions: `1200` and `1.2` for 1,200,000.
fn shortened(offer: &Money, price: Option<&Money>) -> Vec<Money> {
    let is_large = |price: &&Money| Money::of_number(A_MILLION).is_some_and(|million| **price >= million);
    let Some(price) = price.filter(is_large) else { return Vec::new() };
    let times = |factor| Money::total(std::iter::once((offer, factor)));
    let all = [1_000, 1_000_000].into_iter().filter_map(times);
    all.filter(|full| {
        full < price && Money::total(std::iter::once((full, TOO_FEW))).is_some_and(|it| it > *price)
    })
    .collect()
}

/// Writes out what people shorten or join in an offer alone: `1.2m`, `1 200 000`, `1200 k`, «بالاربعين»,
/// «پانزەی».
fn spelled_out(text: &str) -> String {
    let folded = folded(text);
    let is_digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let may_go_on = |word: &str| is_digits(word) && !word.starts_with('0') && word.len() <= 6;
    let ends_in_digit = |word: &str| word.ends_with(|c: char| c.is_ascii_digit());
    let mut all: Vec<String> = Vec::new();
    for word in folded.split(' ') {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let last = all.last_mut();
        match (last, bare) {
            (Some(last), group) if group.len() == 3 && is_digits(group) && may_go_on(last) => {
                last.push_str(group);
            }
            (Some(last), "m") if ends_in_digit(last) => last.push_str(" million"),
            (Some(last), "k") if ends_in_digit(last) => last.push('k'),
            (_, word) => all.push(match word.strip_suffix('m').filter(|number| ends_in_digit(number)) {
                Some(number) => format!("{number} million"),
                None => number_word(word).unwrap_or_else(|| word.to_owned()),
            }),
        }
    }
    all.join(" ")
}

/// Lists the ends of a text that begin with «ب» and a number, without it: what stands before is no part of
/// that number, as in «256 بمليون».
fn behind_by(text: &str) -> Vec<String> {
    let folded = folded(text);
    let begin = |(at, space): (usize, &str)| {
        let rest = folded.get(at + space.len()..)?.strip_prefix('ب')?;
        let word = rest.split(' ').next()?;
        let is_number = word.starts_with(|c: char| c.is_ascii_digit()) || words::read(word).is_some();
        is_number.then(|| rest.to_owned())
    };
    folded.match_indices(' ').filter_map(begin).collect()
}

/// Returns the word of a number without an article before it or an ending behind it.
fn number_word(word: &str) -> Option<String> {
    let is_number = |word: &&str| words::read(word).is_some();
    if let Some(rest) = word.strip_prefix("بال").filter(is_number) {
        return Some(format!("ب{rest}"));
    }
    word.strip_suffix('ي').filter(is_number).map(str::to_owned)
}

/// Returns a text without the amounts of dollars in it.
fn without_dollars(text: &str) -> String {
    let mut all: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let bare = folded(word.trim_matches(|c: char| !c.is_alphanumeric()));
        let is_sum = word.contains('$') && word.contains(char::is_numeric);
        let names = word.contains('$')
            || std::iter::once(bare.as_str())
                .chain(super::prefixes::bare(&bare))
                .any(|it| DOLLARS.contains(&it));
        if is_sum {
            continue;
        }
        if names {
            all.pop_if(|last| last.contains(char::is_numeric));
            continue;
        }
        all.push(word);
    }
    all.join(" ")
}

/// Reads notes of a hundred dollars: one, two, several, one and a half.
fn in_notes(text: &str) -> Vec<Money> {
    let folded = folded(text);
    let words: Vec<_> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let amount = |at: usize, word: &str| {
        let is = |notes: &[&str]| std::iter::once(word).chain(bare(word)).any(|word| notes.contains(&word));
        let before = || at.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| single(word));
        if is(BUNDLES) {
            let count = before().or_else(|| Money::of_number("1"))?;
            return Money::total(std::iter::once((&count, DOLLARS_OF_A_NOTE * NOTES_OF_A_BUNDLE)));
        }
        let count = match (is(NOTES), is(TWO_NOTES)) {
            (true, _) => before().or_else(|| Money::of_number("1"))?,
            (false, true) => Money::of_number("2")?,
            (false, false) => return None,
        };
        let share = words.get(at + 1).and_then(|word| word.strip_prefix('و'));
        let share = share.and_then(|share| words::share_of(share, 1)).and_then(Money::of_number);
        let more = share.iter().map(|share| (share, DOLLARS_OF_A_NOTE));
        Money::total(std::iter::once((&count, DOLLARS_OF_A_NOTE)).chain(more))
    };
    words.iter().enumerate().filter_map(|(at, word)| amount(at, word)).collect()
}

/// Reads a word that is one number.
fn single(word: &str) -> Option<Money> {
    let number = numbers(word).pop()?;
    number.values.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::{Currency, Money, in_full, offers};

    fn money(amount: &str) -> Money {
        Money::of_number(amount).unwrap()
    }

    fn usd() -> Currency {
        "USD".parse().unwrap()
    }

    #[test]
    fn an_offer_is_read_as_people_write_it() {
        for (said, offered) in [
            ("يصير بخمسين؟", "50000"),
            ("خمسين", "50000"),
            ("ب٤٠", "40000"),
            ("بـ40؟", "40000"),
            ("٤٠ الف", "40000"),
            ("40الف اخر كلام", "40000"),
            ("45 ونص", "45500"),
            ("خمسة واربعين ونص", "45500"),
            ("بنص مليون", "500000"),
            ("ربع مليون", "250000"),
            ("مليون ونص", "1500000"),
            ("3 ونص مليون", "3500000"),
            ("مليون و200", "1200000"),
            ("مليون وخمسين", "1050000"),
            ("50k", "50000"),
            ("khamseen alf", "50000"),
            ("bi khamseen?", "50000"),
            ("half a million", "500000"),
            ("80 and it's a deal", "80000"),
            ("بە 50 هەزار نابێت؟", "50000"),
            ("50هەزار", "50000"),
            ("پەنجا هەزار باشە؟", "50000"),
            ("سەد هەزار", "100000"),
            ("سەد و پەنجا هەزارە", "150000"),
            ("سی و پێنج هەزار", "35000"),
            ("دە هەزار", "10000"),
            ("بە ٤٠ هەزار دەیدەن؟", "40000"),
            ("نیو ملیۆن", "500000"),
            ("50000", "50000"),
            ("70", "70000"),
            ("ايفون 256 بمليون وثلاثمية", "1300000"),
            ("قياس 42 بسبعين", "70000"),
            ("ثنين بمية", "100000"),
        ] {
            let found = offers(said, Some(&money("60000")), Currency::IQD);
            assert!(found.contains(&money(offered)), "{said}: {found:?}");
        }
    }

    #[test]
    fn an_offer_beside_a_price_in_millions_is_read_as_people_shorten_it() {
        for said in ["sofa last 1.2m?", "1.2 m", "1 200 000", "1200 k", "1200", "1.2", "1,200,000"] {
            let found = offers(said, Some(&money("1450000")), Currency::IQD);
            assert!(found.contains(&money("1200000")), "{said}: {found:?}");
        }
        for (said, offered) in [("بالاربعين", "40000"), ("پانزەی بۆ دەکەیت؟", "15000"), ("بیستی", "20000")]
        {
            let found = offers(said, Some(&money("45000")), Currency::IQD);
            assert!(found.contains(&money(offered)), "{said}: {found:?}");
        }
    }

    #[test]
    fn dollars_are_no_offer_of_dinars() {
        for said in ["40$?", "$40", "40 $", "40 دولار", "40 dollars", "بە 40 دۆلار"] {
            assert_eq!(offers(said, Some(&money("45000")), Currency::IQD), [], "{said}");
        }
        assert!(offers("40$?", Some(&money("45")), usd()).contains(&money("40")));
    }

    #[test]
    fn what_is_counted_or_named_is_no_offer_in_thousands() {
        for said in ["اريد 3 قطع", "قياس 42", "طلب رقم 50", "3 دانە", "فيتامين سي", "ده"]
        {
            let found = offers(said, Some(&money("60000")), Currency::IQD);
            assert!(found.iter().all(|offer| *offer < money("1000")), "{said}: {found:?}");
        }
    }

    #[test]
    fn an_amount_is_short_for_thousands_where_it_would_be_nothing_beside_the_price() {
        for (offer, price, currency, full) in [
            ("50", Some("60000"), Currency::IQD, "50000"),
            ("70", Some("60000"), Currency::IQD, "70000"),
            ("5", Some("6000"), Currency::IQD, "5000"),
            ("45.5", Some("60000"), Currency::IQD, "45500"),
            ("500", Some("620000"), Currency::IQD, "500000"),
            ("500", Some("1500"), Currency::IQD, "500"),
            ("50", None, Currency::IQD, "50000"),
            ("500", None, Currency::IQD, "500"),
            ("12000", Some("15000"), Currency::IQD, "12000"),
            ("50", Some("650"), usd(), "50"),
            ("0", Some("60000"), Currency::IQD, "0"),
        ] {
            let price = price.map(money);
            assert_eq!(in_full(&money(offer), price.as_ref(), currency), money(full), "{offer} {price:?}");
        }
    }

    #[test]
    fn notes_of_a_hundred_dollars_are_read_beside_prices_in_dollars() {
        for (said, offered) in [
            ("تصير بورقة؟", "100"),
            ("ورقتين", "200"),
            ("5 ورقات", "500"),
            ("خمس ورقات", "500"),
            ("ورقة ونص", "150"),
            ("چوار وەرەقە", "400"),
            ("دەفتەر", "10000"),
        ] {
            let found = offers(said, Some(&money("650")), usd());
            assert_eq!(found.first(), Some(&money(offered)), "{said}");
        }
        assert_eq!(offers("اريد ورق تغليف", Some(&money("650")), usd()), []);
        assert_eq!(offers("ورقة", Some(&money("60000")), Currency::IQD), []);
    }
}
