//! Availability of products, without quantities.

/// Quantity below which few are left.
const FEW_BELOW: i64 = 4;

/// Whether something can be bought. The quantity goes in and has no way out: no customer is told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    In,
    /// For sale, and soon sold out.
    Few,
    /// Not for sale now.
    Out,
}

impl Availability {
    /// Classifies a stock: `in_stock` decides; the quantity, `None` if stock is not tracked, only tells
    /// whether few are left.
    pub const fn of(in_stock: bool, quantity: Option<i64>) -> Self {
        match (in_stock, quantity) {
            (false, _) => Self::Out,
            (true, Some(..FEW_BELOW)) => Self::Few,
            (true, _) => Self::In,
        }
    }

    /// Returns its name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::In => "in_stock",
            Self::Few => "few_left",
            Self::Out => "out_of_stock",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Availability::{self, Few, In, Out};

    #[test]
    fn few_are_left_below_four_and_only_of_what_is_sold() {
        for (in_stock, quantity, availability) in [
            (true, None, In),
            (true, Some(i64::MAX), In),
            (true, Some(4), In),
            (true, Some(3), Few),
            // Some systems sell what they do not have yet.
            (true, Some(0), Few),
            (true, Some(-2), Few),
            (false, None, Out),
            (false, Some(9), Out),
        ] {
            assert_eq!(Availability::of(in_stock, quantity), availability, "{in_stock} {quantity:?}");
        }
    }
}
