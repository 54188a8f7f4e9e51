//! Whether something can be had, and no more than that.

/// Below this quantity there are few left.
const FEW_BELOW: i64 = 4;

/// It says whether something can be had. How many there are goes in and has no way out: no customer is told a
/// quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Availability {
    /// It can be sold.
    In,
    /// It can be sold, and soon no more.
    Few,
    /// It cannot be sold now.
    Out,
}

impl Availability {
    /// Whether the system sells it decides; the quantity, where stock is tracked, tells only whether few are left.
    pub const fn of(in_stock: bool, quantity: Option<i64>) -> Self {
        match (in_stock, quantity) {
            (false, _) => Self::Out,
            (true, Some(..FEW_BELOW)) => Self::Few,
            (true, _) => Self::In,
        }
    }

    /// Returns its name to clients.
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
