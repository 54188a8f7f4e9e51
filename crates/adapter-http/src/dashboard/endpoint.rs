//! A path with its methods and who may call each.

use actix_web::{FromRequest, Handler, Resource, Responder, http::Method, middleware::from_fn, web::route};

use super::{
    admit::{Needs, admit},
    same_site::Surface,
};
use crate::endpoint::{self, Endpoint};

/// One path, with a handler and the required role for each method.
pub(crate) struct Guarded {
    surface: Surface,
    endpoint: Endpoint,
    needs: Vec<(Method, Needs)>,
}

/// Starts an endpoint at a path under the dashboard's API.
pub(super) fn at(path: &'static str) -> Guarded {
    Guarded { surface: Surface::Api, endpoint: endpoint::at(path), needs: Vec::new() }
}

/// Starts a page at a path under the dashboard.
pub(crate) fn page(path: &'static str) -> Guarded {
    Guarded { surface: Surface::Pages, ..at(path) }
}

macro_rules! methods {
    ($($name:ident = $method:ident;)*) => {$(
        pub(crate) fn $name<F, Args>(self, needs: Needs, handler: F) -> Self
        where
            F: Handler<Args>,
            Args: FromRequest + 'static,
            F::Output: Responder + 'static,
        {
            self.on(Method::$method, needs, handler)
        }
    )*};
}

impl Guarded {
    methods! {
        get = GET;
        post = POST;
        patch = PATCH;
        put = PUT;
        delete = DELETE;
    }

    fn on<F, Args>(mut self, method: Method, needs: Needs, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let surface = self.surface;
        let guard = from_fn(move |request, next| admit(surface, needs, request, next));
        let route = route().guard(endpoint::takes(&method)).to(handler).wrap(guard);
        self.needs.push((method.clone(), needs));
        self.endpoint = self.endpoint.with(method, route);
        self
    }

    pub(crate) fn path(&self) -> &'static str {
        self.endpoint.path()
    }

    /// Returns the methods with who may call each.
    pub(crate) fn needs(&self) -> &[(Method, Needs)] {
        &self.needs
    }

    pub(crate) fn resource(self) -> Resource {
        self.endpoint.resource()
    }
}
