//! The ten routes, and the parsing of paths.

use actix_web::http::Method;

/// Path above the contract's routes.
pub(crate) const BASE: &str = "/shop/contract";

/// A route of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// `GET /verify`
    Verify,
    /// `GET /products`
    Products,
    /// `GET /products/{id}`
    Product,
    /// `POST /orders`
    OrderCreate,
    /// `GET /orders/{reference}`
    Order,
    /// `POST /orders/{reference}/cancel`
    OrderCancel,
    /// `GET /customers/lookup`
    CustomerLookup,
    /// `POST /customers`
    CustomerCreate,
    /// `GET /appointments/slots`
    Slots,
    /// `POST /appointments`
    AppointmentCreate,
}

/// Reason why there is no route for a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No route has this path.
    Path,
    /// A route has this path, with another method.
    Method,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 10] = [
        Self::Verify,
        Self::Products,
        Self::Product,
        Self::OrderCreate,
        Self::Order,
        Self::OrderCancel,
        Self::CustomerLookup,
        Self::CustomerCreate,
        Self::Slots,
        Self::AppointmentCreate,
    ];

    /// Returns its name on the control routes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Products => "products",
            Self::Product => "product",
            Self::OrderCreate => "order_create",
            Self::Order => "order",
            Self::OrderCancel => "order_cancel",
            Self::CustomerLookup => "customer_lookup",
            Self::CustomerCreate => "customer_create",
            Self::Slots => "slots",
            Self::AppointmentCreate => "appointment_create",
        }
    }

    /// Finds a route by name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.name() == name)
    }
}

/// Finds the route of a path below the base, and the id or reference in it.
pub(crate) fn find(method: &Method, path: &str) -> Result<(Route, String), Missing> {
    let segments: Option<Vec<String>> =
        path.strip_prefix('/').map(|path| path.split('/').map(decoded).collect());
    let segments = segments.unwrap_or_default();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let (get, post) = match *segments.as_slice() {
        ["verify"] => (Some(Route::Verify), None),
        ["products"] => (Some(Route::Products), None),
        ["products", id] if !id.is_empty() => (Some(Route::Product), None),
        ["orders"] => (None, Some(Route::OrderCreate)),
        ["orders", reference] if !reference.is_empty() => (Some(Route::Order), None),
        ["orders", _, "cancel"] => (None, Some(Route::OrderCancel)),
        ["customers", "lookup"] => (Some(Route::CustomerLookup), None),
        ["customers"] => (None, Some(Route::CustomerCreate)),
        ["appointments", "slots"] => (Some(Route::Slots), None),
        ["appointments"] => (None, Some(Route::AppointmentCreate)),
        _ => return Err(Missing::Path),
    };
    let route = match *method {
        Method::GET => get,
        Method::POST => post,
        _ => None,
    };
    let reference = segments.get(1).copied().unwrap_or_default().to_owned();
    route.map(|route| (route, reference)).ok_or(Missing::Method)
}

/// Percent-decodes a segment of a path.
fn decoded(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        let ahead = rest.clone();
        let code: Vec<u8> = ahead.take(2).collect();
        let read = std::str::from_utf8(&code).ok().filter(|code| code.len() == 2);
        match read.filter(|_| byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(plain) => {
                bytes.push(plain);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_a_method_name_one_route_or_none() {
        let found = |route, reference: &str| Ok((route, reference.to_owned()));
        for (method, path, expected) in [
            (Method::GET, "/verify", found(Route::Verify, "")),
            (Method::GET, "/products/a%2Fb%20%D8%B3", found(Route::Product, "a/b س")),
            (Method::GET, "/orders/%235004", found(Route::Order, "#5004")),
            (Method::POST, "/orders/5004/cancel", found(Route::OrderCancel, "5004")),
            (Method::GET, "/orders/100%", found(Route::Order, "100%")),
            (Method::POST, "/verify", Err(Missing::Method)),
            (Method::DELETE, "/orders/1", Err(Missing::Method)),
            (Method::GET, "/verify/", Err(Missing::Path)),
            (Method::GET, "/nothing", Err(Missing::Path)),
            (Method::GET, "", Err(Missing::Path)),
        ] {
            assert_eq!(find(&method, path), expected, "{method} {path}");
        }
    }
}
