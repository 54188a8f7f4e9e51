//! Capabilities that a system declares.

use std::{collections::BTreeSet, str::FromStr};

use serde::Serialize;

use crate::{currency::Currency, text::PlainText};

/// A part of the contract that a system may implement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Products, prices and availability.
    Catalog,
    /// Orders that are paid on delivery.
    Orders,
    /// Records of customers, and leads.
    Customers,
    /// Slots and bookings.
    Appointments,
}

/// Error for a name that is no capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a capability")]
pub struct UnknownCapability;

impl Capability {
    pub const ALL: [Self; 4] = [Self::Catalog, Self::Orders, Self::Customers, Self::Appointments];

    /// Returns the assistant's tools that the capability switches on, by the contract's names.
    pub const fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Catalog => &["searchProducts", "getProduct"],
            Self::Orders => &["placeOrder", "getOrderStatus", "cancelOrder"],
            Self::Customers => &["lookupCustomerRecord"],
            Self::Appointments => &["listAppointmentSlots", "bookAppointment"],
        }
    }

    /// Returns the name in the contract.
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

/// Set of capabilities that a system declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities(BTreeSet<Capability>);

impl Capabilities {
    /// Returns those of systems of the contract's first version, which declare none.
    pub fn of_version_1() -> Self {
        [Capability::Catalog, Capability::Orders].into_iter().collect()
    }

    /// Returns whether the system declared a capability.
    pub fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// Iterates over the capabilities in the contract's order.
    pub fn iter(&self) -> impl Iterator<Item = Capability> {
        self.0.iter().copied()
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

/// Introduction of a system, its answer to a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// Name to show, 200 characters at most.
    pub name: PlainText,
    /// Currency of prices that name none.
    pub currency: Currency,
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
