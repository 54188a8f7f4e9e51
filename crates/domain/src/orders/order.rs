//! An order, as its system tells it.

use std::fmt;

use time::OffsetDateTime;

use super::{stage::OrderStage, status::OrderStatus};
use crate::{
    currency::Currency,
    external_id::ExternalId,
    link::WebLink,
    money::Money,
    phone::{PhoneNumber, Region},
    text::PlainText,
};

/// Most lines read of an order.
pub const MAX_ORDER_LINES: usize = 100;

/// An order in the workspace's system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub id: ExternalId,
    /// Number on the customer's receipt.
    pub number: ExternalId,
    pub status: OrderStatus,
    /// Where it stands, as the customer is told.
    pub stage: OrderStage,
    pub total: Money,
    /// Currency of the total; `None` for the system's own.
    pub currency: Option<Currency>,
    /// With the system's offset.
    pub placed_at: Option<OffsetDateTime>,
    pub tracking: Option<WebLink>,
    pub lines: Vec<OrderLine>,
}

/// A product of an order, with its quantity and prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderLine {
    pub title: PlainText,
    pub quantity: u32,
    pub price: Money,
}

/// An order that was looked up; only the customer that it belongs to may see anything of it.
#[derive(Clone, PartialEq, Eq)]
pub struct LookedUpOrder {
    order: Order,
    customer_phone: Option<String>,
}

impl LookedUpOrder {
    /// Wraps what a system answered, with the number that it says the order was placed under.
    pub const fn new(order: Order, customer_phone: Option<String>) -> Self {
        Self { order, customer_phone }
    }

    /// Returns the order, if the number it was placed under, as a person of `region` would write it, parses
    /// as `verified`. To any other customer the order does not exist.
    pub fn shown_to(self, verified: &PhoneNumber, region: Region) -> Option<Order> {
        let written = self.customer_phone?;
        (PhoneNumber::parse_known(&written, region).as_ref() == Ok(verified)).then_some(self.order)
    }
}

impl fmt::Debug for LookedUpOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookedUpOrder(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{ExternalId, LookedUpOrder, Money, Order, OrderStatus, PhoneNumber, Region};

    fn order() -> Order {
        Order {
            id: ExternalId::of_number("7").unwrap(),
            number: ExternalId::of_text("A-7").unwrap(),
            status: OrderStatus::Pending,
            stage: OrderStatus::Pending.into(),
            total: Money::of_number("15000").unwrap(),
            currency: None,
            placed_at: None,
            tracking: None,
            lines: vec![],
        }
    }

    fn is_shown(placed_under: Option<&str>, verified: &str, region: &str) -> bool {
        let verified = PhoneNumber::from_e164(verified).unwrap();
        let looked_up = LookedUpOrder::new(order(), placed_under.map(str::to_owned));
        looked_up.shown_to(&verified, region.parse().unwrap()).is_some()
    }

    #[test]
    fn an_order_is_shown_only_to_the_number_it_was_placed_under() {
        for placed_under in [
            "+9647701234567",
            "009647701234567",
            "9647701234567",
            "07701234567",
            "7701234567",
            "٠٧٧٠١٢٣٤٥٦٧",
            "۰۷۷۰ ۱۲۳ ۴۵۶۷",
            "\u{200e}+964 (770) 123-4567",
        ] {
            assert!(is_shown(Some(placed_under), "+9647701234567", "IQ"), "{placed_under}");
        }
        for placed_under in [
            "",
            "+9647701234568",
            "07701234568",
            "0770123456",
            "701234567",
            "1234567",
            "*",
            "+964770123456*",
            "null",
        ] {
            assert!(!is_shown(Some(placed_under), "+9647701234567", "IQ"), "{placed_under}");
        }
        assert!(!is_shown(None, "+9647701234567", "IQ"));
    }

    #[test]
    fn a_number_without_country_code_is_one_of_the_workspaces_region() {
        assert!(is_shown(Some("0501234567"), "+966501234567", "SA"));
        assert!(!is_shown(Some("0501234567"), "+966501234567", "IQ"));
    }

    #[test]
    fn what_nobody_has_shown_is_not_printed() {
        let looked_up = LookedUpOrder::new(order(), Some("07701234567".to_owned()));
        let shown = format!("{looked_up:?}");
        assert!(!shown.contains("770") && !shown.contains("15000"), "{shown}");
    }

    proptest! {
        #[test]
        fn no_text_but_the_number_shows_an_order(written in "[0-9+٠-٩ -]{0,16}|.{0,16}") {
            let verified = PhoneNumber::from_e164("+9647701234567").unwrap();
            let looked_up = LookedUpOrder::new(order(), Some(written.clone()));
            let reads = PhoneNumber::parse(&written, Region::default()) == Ok(verified.clone());
            prop_assert_eq!(looked_up.shown_to(&verified, Region::default()).is_some(), reads);
        }
    }
}
