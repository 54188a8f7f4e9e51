//! What models cost, in whole trillionths of a currency's unit: a price for a million tokens with six decimal
//! places is a whole number of them for each token, so that no sum is ever rounded.

use std::{fmt, str::FromStr};

use time::{Date, macros::format_description};

use super::model::TokenUsage;
use crate::currency::Currency;

/// Decimal places of an amount.
const PLACES: usize = 12;
/// Decimal places of a price for a million tokens.
const PRICE_PLACES: usize = 6;
/// Highest price for a million tokens and highest budget of a day, in units of the currency.
const MOST: u64 = 1_000_000;

/// An amount of money in the currency of a [`ModelPrice`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u64);

impl Cost {
    /// Highest budget of a day.
    pub const MOST: Self = Self(MOST * 10_u64.pow(12));

    /// Makes an amount of trillionths of the unit.
    pub const fn of_trillionths(trillionths: u64) -> Self {
        Self(trillionths)
    }

    /// Returns the amount in trillionths of the unit.
    pub const fn trillionths(self) -> u64 {
        self.0
    }

    /// Parses a decimal number above zero, such as `2.5`, up to [`Self::MOST`].
    pub fn read(written: &str) -> Option<Self> {
        decimal(written, PLACES).map(Self).filter(|cost| (Self(1)..=Self::MOST).contains(cost))
    }
}

impl fmt::Display for Cost {
    /// Writes a decimal number with as many places as it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u64.pow(12);
        let (whole, rest) = (self.0 / unit, format!("{:012}", self.0 % unit));
        match rest.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            places => write!(f, "{whole}.{places}"),
        }
    }
}

/// Price of a model for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPrice {
    /// Of a token that the model reads, in trillionths.
    read: u64,
    /// Of a token that it writes.
    written: u64,
    pub currency: Currency,
    /// Day as of which it is the vendor's.
    pub as_of: Date,
}

impl ModelPrice {
    /// Returns what so many tokens cost.
    pub const fn of(&self, usage: TokenUsage) -> Cost {
        let read = self.read.saturating_mul(usage.read_tokens);
        Cost(read.saturating_add(self.written.saturating_mul(usage.written_tokens)))
    }
}

/// Error for a text that is no price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be prices of a million tokens read and written, a currency and a day: `0.15 0.60 USD 2026-11-01`"
)]
pub struct NotAPrice;

impl FromStr for ModelPrice {
    type Err = NotAPrice;

    fn from_str(written: &str) -> Result<Self, NotAPrice> {
        let parts: Vec<&str> = written.split_whitespace().collect();
        let [read, wrote, currency, day] = parts.as_slice() else { return Err(NotAPrice) };
        // A million tokens at six places: each is as many trillionths as the price has millionths.
        let of_token = |price: &str| decimal(price, PRICE_PLACES).filter(|token| *token <= MOST * 1_000_000);
        Ok(Self {
            read: of_token(read).ok_or(NotAPrice)?,
            written: of_token(wrote).ok_or(NotAPrice)?,
            currency: currency.parse().map_err(|_| NotAPrice)?,
            as_of: Date::parse(day, format_description!("[year]-[month]-[day]")).map_err(|_| NotAPrice)?,
        })
    }
}

/// Parses a decimal number of `places` at most, as a whole number of its last place.
fn decimal(written: &str, places: usize) -> Option<u64> {
    let (whole, rest) = written.split_once('.').unwrap_or((written, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let is_read = are_digits(whole) && are_digits(rest) && rest.len() <= places;
    is_read.then(|| format!("{whole}{rest:0<places$}").parse().ok()).flatten()
}

/// Limits of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayLimit {
    pub tokens: u64,
    /// `None` without a limit of money.
    pub cost: Option<Cost>,
}

/// What a day has taken, or what a request may take at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub tokens: u64,
    pub cost: Cost,
}

impl DayLimit {
    /// Returns whether four fifths or more are spent.
    pub fn is_nearly_reached(&self, spent: Spent) -> bool {
        let nearly = |spent: u64, most: u64| spent.saturating_mul(5) >= most.saturating_mul(4);
        let of_cost = |most: Cost| spent.cost.0 >= most.0 / 5 * 4 + most.0 % 5 * 4 / 5;
        nearly(spent.tokens, self.tokens) || self.cost.is_some_and(of_cost)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, DayLimit, ModelPrice, NotAPrice, Spent, TokenUsage};

    fn cost(written: &str) -> Cost {
        Cost::read(written).unwrap_or_else(|| panic!("{written}"))
    }

    #[test]
    fn amounts_are_read_and_written_to_the_last_place() {
        for written in ["2.5", "0.000000000001", "1000000", "17"] {
            assert_eq!(cost(written).to_string(), written);
        }
        assert_eq!(cost("2.50").to_string(), "2.5");
        for none in ["", "0", "0.0", "-1", "1,5", "1.", ".5", "1e3", "1000000.1", "0.0000000000001", "٢"] {
            assert_eq!(Cost::read(none), None, "{none}");
        }
    }

    #[test]
    fn a_price_is_of_a_million_tokens_and_no_sum_is_rounded() {
        let price: ModelPrice = "0.15 0.6 USD 2026-11-01".parse().unwrap();
        let of =
            |read_tokens, written_tokens| price.of(TokenUsage { read_tokens, written_tokens }).to_string();
        assert_eq!(
            (of(1_000_000, 0), of(0, 1_000_000), of(1, 0)),
            ("0.15".into(), "0.6".into(), "0.00000015".into())
        );
        assert_eq!(of(4_211, 97), "0.00068985");
        assert_eq!((price.currency.as_str(), price.as_of.to_string()), ("USD", "2026-11-01".to_owned()));
        for wrong in [
            "",
            "0.15",
            "0.15 0.6 USD",
            "0.15 0.6 $ 2026-11-01",
            "a 0.6 USD 2026-11-01",
            "0.0000001 0.6 USD 2026-11-01",
            "0.15 0.6 USD 2026-13-01",
            "-1 0.6 USD 2026-11-01",
        ] {
            assert_eq!(wrong.parse::<ModelPrice>(), Err(NotAPrice), "{wrong}");
        }
    }

    #[test]
    fn a_day_is_nearly_over_at_four_fifths_of_its_tokens_or_its_money() {
        let limit = DayLimit { tokens: 1_000, cost: Some(cost("2")) };
        let near = |tokens, money: &str| {
            limit.is_nearly_reached(Spent { tokens, cost: Cost::read(money).unwrap_or_default() })
        };
        assert_eq!((near(799, "0"), near(800, "0")), (false, true));
        assert_eq!((near(0, "1.599999999999"), near(0, "1.6")), (false, true));
        assert!(!DayLimit { cost: None, ..limit }.is_nearly_reached(Spent { tokens: 0, cost: cost("9") }));
    }
}
