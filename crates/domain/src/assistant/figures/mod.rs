//! Numbers, amounts and links in what people write.

mod currencies;
mod links;
mod numbers;
mod offers;
mod prefixes;
mod words;

pub(super) use links::without_links;
pub(super) use numbers::numbers;
pub(super) use offers::{in_full, offers};

use numbers::{Number, folded};

/// Returns whether a model may put these words into what a customer is asked to confirm: no amount, no link
/// and no number but those that the customer has written.
pub(super) fn may_be_confirmed(words: &str, customer: &[String]) -> bool {
    let (text, links) = without_links(words);
    let said: Vec<_> = customer.iter().flat_map(|said| numbers(&without_links(said).0)).collect();
    let is_said = |number: &Number| !number.sense.may_be_money() && said.iter().any(|it| it.is_as(number));
    links.is_empty() && numbers(&text).iter().all(is_said)
}

/// Returns whether a text is a figure and nothing else: digits, words of a number, and the currency that they
/// count.
pub(super) fn is_figure(text: &str) -> bool {
    let folded = folded(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.map(|word| word.trim_start_matches(|c: char| c.is_ascii_digit()));
    words.all(|word| matches!(word, "" | "k") || words::read(word).is_some() || currencies::is_currency(word))
}

#[cfg(test)]
mod tests {
    use super::{is_figure, may_be_confirmed};

    #[test]
    fn a_figure_has_digits_words_of_numbers_and_a_currency_alone() {
        for (text, is) in [
            ("٢٥٬٠٠٠", true),
            ("25 ألف دينار", true),
            ("25,000IQD", true),
            ("خمسة آلاف", true),
            ("25k", true),
            ("25 قطعة", false),
            ("3in1", false),
            ("السعر 25", false),
        ] {
            assert_eq!(is_figure(text), is, "{text}");
        }
    }

    #[test]
    fn what_is_confirmed_has_no_number_amount_or_link_that_the_customer_has_not_written() {
        let customer = ["اريد 2 حليب، شارع ١٤ بغداد، قبل الساعة 5".to_owned()];
        for (words, may) in [
            ("شارع 14", true),
            ("قبل 5", true),
            ("سارة", true),
            ("شارع 15", false),
            ("السعر 5000 دينار", false),
            ("خصم 50%", false),
            ("ادخل https://evil.example/pay", false),
            ("اتصل 0770 123 4567", false),
            ("بخمسة آلاف دينار", false),
        ] {
            assert_eq!(may_be_confirmed(words, &customer), may, "{words}");
        }
    }
}
