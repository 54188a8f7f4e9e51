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

use numbers::Number;

/// Returns whether a model may put these words into what a customer is asked to confirm: no amount, no link
/// and no number but those that the customer has written.
pub(super) fn may_be_confirmed(words: &str, customer: &[String]) -> bool {
    let (text, links) = without_links(words);
    let said: Vec<_> = customer.iter().flat_map(|said| numbers(&without_links(said).0)).collect();
    let is_said = |number: &Number| !number.sense.may_be_money() && said.iter().any(|it| it.is_as(number));
    links.is_empty() && numbers(&text).iter().all(is_said)
}

#[cfg(test)]
mod tests {
    use super::may_be_confirmed;

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
