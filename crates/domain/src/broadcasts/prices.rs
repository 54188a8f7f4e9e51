//! Likely cost of a broadcast, by the network's prices as an owner entered them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    currency::Currency,
    money::{self, Money},
};

/// Millionths in one unit of a currency.
const MICROS: u64 = 1_000_000;
/// Exclusive upper bound of a price: no message costs a thousand.
const MOST: u64 = 1_000 * MICROS;

/// Prices of messages, by the template's category.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Code of three letters.
    pub currency: String,
    /// Prices in millionths, by category such as `marketing`.
    pub by_category: BTreeMap<String, u64>,
}

/// Reason for refusing prices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPrices {
    #[error("`currency` has three letters, such as USD or IQD")]
    Currency,
    #[error("`prices.{0}` is none of the categories marketing and utility")]
    Category(String),
    #[error("`prices.{0}` is an amount such as 0.0258, below 1000, with at most six decimals")]
    Amount(String),
}

/// Likely cost of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    pub currency: String,
    /// People who would be written to, of those who were examined.
    pub people: u64,
    /// Cost in millionths.
    pub micros: u64,
}

impl Estimate {
    /// Renders the cost in the digits of its currency; only a price of a single message has more.
    pub fn told(&self) -> String {
        let exact = amount(self.micros);
        match (Money::of_number(&exact), self.currency.parse::<Currency>()) {
            (Some(money), Ok(currency)) => money::amount(&money, currency),
            _ => format!("{exact} {}", self.currency),
        }
    }
}

impl Prices {
    /// Parses prices as they are entered: amounts in digits, by category.
    pub fn read(currency: &str, amounts: &BTreeMap<String, String>) -> Result<Self, InvalidPrices> {
        let currency = currency.trim().to_ascii_uppercase();
        if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
            return Err(InvalidPrices::Currency);
        }
        let mut by_category = BTreeMap::new();
        for (category, amount) in amounts {
            let category = category.to_ascii_lowercase();
            if !["marketing", "utility"].contains(&category.as_str()) {
                return Err(InvalidPrices::Category(category));
            }
            let micros = micros(amount).filter(|micros| *micros < MOST);
            by_category.insert(category.clone(), micros.ok_or(InvalidPrices::Amount(category))?);
        }
        Ok(Self { currency, by_category })
    }

    /// Returns the cost of messages to people of several categories; `None` if one of them has no price, or
    /// nobody is written to.
    pub fn together(&self, people: &BTreeMap<String, u64>) -> Option<Estimate> {
        let each = people.iter().map(|(category, people)| self.estimate(category, *people));
        each.reduce(|one, other| {
            let (one, other) = (one?, other?);
            let micros = one.micros.saturating_add(other.micros);
            Some(Estimate { people: one.people.saturating_add(other.people), micros, ..one })
        })?
    }

    /// Returns the cost of messages of one category; `None` if it has no price.
    fn estimate(&self, category: &str, people: u64) -> Option<Estimate> {
        let price = self.by_category.get(&category.to_ascii_lowercase())?;
        Some(Estimate { currency: self.currency.clone(), people, micros: price.saturating_mul(people) })
    }
}

/// Parses an amount in digits, with at most six decimals, to millionths.
fn micros(written: &str) -> Option<u64> {
    let (whole, part) = written.trim().split_once('.').unwrap_or((written.trim(), ""));
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || part.len() > 6 || !digits(whole) || !digits(part) {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(MICROS)?.checked_add(part)
}

/// Renders millionths in digits, without zeros at the end.
pub fn amount(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / MICROS, micros % MICROS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{InvalidPrices, Prices, amount, micros};

    fn read(currency: &str, amounts: &[(&str, &str)]) -> Result<Prices, InvalidPrices> {
        let amounts: BTreeMap<String, String> =
            amounts.iter().map(|(category, amount)| ((*category).to_owned(), (*amount).to_owned())).collect();
        Prices::read(currency, &amounts)
    }

    #[test]
    fn an_estimate_is_exact_to_the_millionth() {
        let prices = read("usd", &[("Marketing", "0.0258"), ("utility", "1")]).unwrap();
        let estimate = prices.estimate("MARKETING", 100_003).unwrap();
        assert_eq!((estimate.currency.as_str(), amount(estimate.micros)), ("USD", "2580.0774".to_owned()));
        assert_eq!(amount(prices.estimate("utility", 7).unwrap().micros), "7");
        assert_eq!(prices.estimate("authentication", 7), None);
    }

    #[test]
    fn people_read_an_estimate_in_the_digits_of_its_currency() {
        for (currency, price, people, told) in [
            ("usd", "0.0258", 100_003, "2,580.08 USD"),
            ("usd", "0.0258", 1, "0.03 USD"),
            ("usd", "0.000001", 1, "0.000001 USD"),
            ("usd", "0.5", 3, "1.50 USD"),
            ("iqd", "35", 1_000, "35,000 IQD"),
        ] {
            let estimate = read(currency, &[("marketing", price)]).unwrap().estimate("marketing", people);
            assert_eq!(estimate.unwrap().told(), told, "{price} {people}");
        }
    }

    #[test]
    fn each_category_counts_at_its_own_price() {
        let prices = read("usd", &[("marketing", "0.03"), ("utility", "0.01")]).unwrap();
        let together = |people: &[(&str, u64)]| {
            let people = people.iter().map(|(category, people)| ((*category).to_owned(), *people));
            prices.together(&people.collect()).map(|cost| (amount(cost.micros), cost.people))
        };
        assert_eq!(together(&[("marketing", 10), ("utility", 5)]), Some(("0.35".to_owned(), 15)));
        assert_eq!(together(&[("utility", 5)]), Some(("0.05".to_owned(), 5)));
        assert_eq!(together(&[("utility", 5), ("service", 1)]), None);
        assert_eq!(together(&[]), None);
    }

    #[test]
    fn what_is_no_price_is_refused_by_its_name() {
        for (currency, amounts, wanted) in [
            ("dollars", vec![], InvalidPrices::Currency),
            ("", vec![], InvalidPrices::Currency),
            ("USD", vec![("authentication", "1")], InvalidPrices::Category("authentication".to_owned())),
            ("USD", vec![("utility", "-1")], InvalidPrices::Amount("utility".to_owned())),
            ("USD", vec![("utility", "1,5")], InvalidPrices::Amount("utility".to_owned())),
            ("USD", vec![("utility", "1000")], InvalidPrices::Amount("utility".to_owned())),
            ("USD", vec![("utility", "0.0000001")], InvalidPrices::Amount("utility".to_owned())),
            ("USD", vec![("utility", "")], InvalidPrices::Amount("utility".to_owned())),
        ] {
            assert_eq!(read(currency, &amounts), Err(wanted));
        }
    }

    proptest! {
        #[test]
        fn an_amount_reads_back(written in 0_u64..1_000_000_000) {
            prop_assert_eq!(micros(&amount(written)), Some(written));
        }

        #[test]
        fn no_text_makes_reading_panic(text in ".{0,30}") {
            let _ = micros(&text);
        }
    }
}
