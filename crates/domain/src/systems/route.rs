//! Names of the contract's ten calls.

use super::capability::Capability;

/// One of the contract's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Route {
    Verify,
    SearchProducts,
    Product,
    PlaceOrder,
    Order,
    CancelOrder,
    Customer,
    PushLead,
    Slots,
    Book,
}

impl Route {
    pub const ALL: [Self; 10] = [
        Self::Verify,
        Self::SearchProducts,
        Self::Product,
        Self::PlaceOrder,
        Self::Order,
        Self::CancelOrder,
        Self::Customer,
        Self::PushLead,
        Self::Slots,
        Self::Book,
    ];

    /// Returns method and path as the contract writes them, which the log of calls shows because they hold no
    /// id.
    pub const fn template(self) -> &'static str {
        match self {
            Self::Verify => "GET /verify",
            Self::SearchProducts => "GET /products",
            Self::Product => "GET /products/{id}",
            Self::PlaceOrder => "POST /orders",
            Self::Order => "GET /orders/{reference}",
            Self::CancelOrder => "POST /orders/{reference}/cancel",
            Self::Customer => "GET /customers/lookup",
            Self::PushLead => "POST /customers",
            Self::Slots => "GET /appointments/slots",
            Self::Book => "POST /appointments",
        }
    }

    /// Parses what [`Route::template`] returns.
    pub fn read(template: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.template() == template)
    }

    /// Returns the capability that a system must have declared; `None` for the verification, which asks for
    /// them.
    pub const fn capability(self) -> Option<Capability> {
        match self {
            Self::Verify => None,
            Self::SearchProducts | Self::Product => Some(Capability::Catalog),
            Self::PlaceOrder | Self::Order | Self::CancelOrder => Some(Capability::Orders),
            Self::Customer | Self::PushLead => Some(Capability::Customers),
            Self::Slots | Self::Book => Some(Capability::Appointments),
        }
    }

    /// Returns whether the call creates something under an idempotency key, so that a repeat creates nothing
    /// more.
    pub const fn is_creation(self) -> bool {
        matches!(self, Self::PlaceOrder | Self::Book)
    }

    /// Returns whether the call only reads.
    pub const fn is_read(self) -> bool {
        match self {
            Self::Verify
            | Self::SearchProducts
            | Self::Product
            | Self::Order
            | Self::Customer
            | Self::Slots => true,
            Self::PlaceOrder | Self::CancelOrder | Self::PushLead | Self::Book => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Route;

    #[test]
    fn what_is_read_is_asked_by_get_and_nothing_else_is() {
        for route in Route::ALL {
            assert_eq!(route.template().starts_with("GET "), route.is_read(), "{route:?}");
            assert!(!(route.is_read() && route.is_creation()));
        }
    }
}
