//! The signed-in member.

use std::{
    future::{Ready, ready},
    net::IpAddr,
};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use domain::{access::sessions::Session, audit::Acting, live::FeedPosition};

use crate::problem::Problem;

/// The member who makes the request.
#[derive(Clone)]
pub(crate) struct SignedIn {
    pub(crate) session: Session,
    /// Client address, where known.
    pub(crate) address: Option<IpAddr>,
}

/// Position of the live feed from which a page needs updates, read before anything that the page shows;
/// `None` if the feed has no position now.
#[derive(Clone, Copy)]
pub(crate) struct MadeAt(pub(crate) Option<FeedPosition>);

impl SignedIn {
    /// Returns the member as the author of changes.
    pub(crate) const fn acting(&self) -> Acting {
        self.session.acting(self.address)
    }
}

impl FromRequest for SignedIn {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = request.extensions().get::<Self>().cloned();
        ready(found.ok_or_else(|| Problem::internal("a handler that wants a session is open to anyone")))
    }
}
