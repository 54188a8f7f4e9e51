//! What a system can do, as it says itself.

use std::{collections::BTreeSet, str::FromStr};

use super::Currency;
use crate::text::PlainText;

/// It is one part of the contract that a system may implement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// The system has products, prices and availability.
    Catalog,
    /// The system takes orders that are paid on delivery.
    Orders,
    /// The system has records of customers, and takes leads.
    Customers,
    /// The system has slots, and takes bookings.
    Appointments,
}

/// The text names no part of the contract that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a capability")]
pub struct UnknownCapability;

impl Capability {
    pub const ALL: [Self; 4] = [Self::Catalog, Self::Orders, Self::Customers, Self::Appointments];

    /// Returns what it switches on, by the contract's names.
    pub const fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Catalog => &["searchProducts", "getProduct"],
            Self::Orders => &["placeOrder", "getOrderStatus", "cancelOrder"],
            Self::Customers => &["lookupCustomerRecord"],
            Self::Appointments => &["listAppointmentSlots", "bookAppointment"],
        }
    }

    /// Returns its name in the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Orders => "orders",
            Self::Customers => "customers",
            Self::Appointments => "appointments",
        }
    }
}

impl FromStr for Capability {
    type Err = UnknownCapability;

    fn from_str(text: &str) -> Result<Self, UnknownCapability> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or(UnknownCapability)
    }
}

/// A system declared these parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities(BTreeSet<Capability>);

impl Capabilities {
    /// Returns what systems of the contract's first version can do, which declare nothing.
    pub fn of_version_1() -> Self {
        [Capability::Catalog, Capability::Orders].into_iter().collect()
    }

    /// Says whether the system can do that.
    pub fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// Lists all that it can do, in the contract's order.
    pub fn iter(&self) -> impl Iterator<Item = Capability> {
        self.0.iter().copied()
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// A system introduces itself so when its connection is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// It is the name to show, 200 characters at most.
    pub name: PlainText,
    /// Prices are in it that name no other.
    pub currency: Currency,
    /// The system can do this.
    pub capabilities: Capabilities,
}

#[cfg(test)]
mod tests {
    use super::{Capabilities, Capability};

    #[test]
    fn a_capability_is_named_as_in_the_contract_and_by_nothing_else() {
        for it in Capability::ALL {
            assert_eq!(it.as_str().parse(), Ok(it));
        }
        for other in ["", "Catalog", "catalogue", "orders ", "leads"] {
            assert!(other.parse::<Capability>().is_err(), "{other}");
        }
    }

    #[test]
    fn the_first_version_is_a_catalogue_and_orders() {
        let all: Vec<_> = Capabilities::of_version_1().iter().collect();
        assert_eq!(all, [Capability::Catalog, Capability::Orders]);
    }
}
