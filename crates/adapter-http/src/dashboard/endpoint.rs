//! A path with its methods, who may call each, and what its query may say.

use actix_web::{FromRequest, Handler, Resource, Responder, http::Method, middleware::from_fn, web::route};

use super::{
    admit::{Needs, admit},
    same_site::Surface,
};
use crate::endpoint::{self, Endpoint};

/// A route of the dashboard: an operation of its API, or a page.
#[derive(Debug, Clone)]
pub struct Route {
    pub method: String,
    /// Path with its placeholders, such as `/dashboard/api/groups/{id}`.
    pub path: String,
    /// Role required to call it.
    pub needs: Needs,
    /// Parameters that the query may have; a page passes over all others.
    pub query: &'static [&'static str],
}

/// One path, with a handler, the required role and the known parameters for each method.
pub(crate) struct Guarded {
    surface: Surface,
    endpoint: Endpoint,
    /// Known parameters of the method that is added next.
    query: &'static [&'static str],
    routes: Vec<Route>,
}

/// Starts an endpoint at a path under the dashboard's API.
pub(super) fn at(path: &'static str) -> Guarded {
    Guarded { surface: Surface::Api, endpoint: endpoint::at(path), query: &[], routes: Vec::new() }
}

/// Starts a page at a path under the dashboard.
pub(crate) fn page(path: &'static str) -> Guarded {
    Guarded { surface: Surface::Pages, ..at(path) }
}

/// An act of members: its path under the API, and that of its page or form beside it.
pub(crate) struct Act {
    pub(crate) api: Guarded,
    pub(crate) page: Guarded,
}

/// Starts an act at a path under the dashboard's API, and at one under the dashboard.
pub(crate) fn act(api: &'static str, beside: &'static str) -> Act {
    Act { api: at(api), page: page(beside) }
}

impl Act {
    /// Sets the parameters that the API's method added next knows; any other is refused.
    pub(crate) fn query(self, query: &'static [&'static str]) -> Self {
        Self { api: self.api.query(query), ..self }
    }

    pub(crate) fn get<F, Args>(self, needs: Needs, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        Self { api: self.api.get(needs, handler.clone()), page: self.page.get(needs, handler) }
    }

    /// Adds a handler of changes: by these methods of the API, and by forms.
    pub(crate) fn change<F, Args>(self, needs: Needs, methods: &[Method], handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let act = self.only(needs, methods, &handler);
        Self { page: act.page.post(needs, handler), ..act }
    }

    /// Adds a handler by these methods of the API alone.
    pub(crate) fn only<F, Args>(self, needs: Needs, methods: &[Method], handler: &F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let add = |api: Guarded, method: &Method| api.on(method.clone(), needs, handler.clone());
        Self { api: methods.iter().fold(self.api, add), ..self }
    }
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
    }

    /// Sets the parameters that the method added next knows; any other is refused.
    pub(crate) fn query(self, query: &'static [&'static str]) -> Self {
        Self { query, ..self }
    }

    fn on<F, Args>(mut self, method: Method, needs: Needs, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let (surface, query) = (self.surface, std::mem::take(&mut self.query));
        let guard = from_fn(move |request, next| admit(surface, needs, query, request, next));
        let route = route().guard(endpoint::takes(&method)).to(handler).wrap(guard);
        let path = format!("{}{}", surface.prefix(), self.path());
        self.routes.push(Route { method: method.to_string(), path, needs, query });
        self.endpoint = self.endpoint.with(method, route);
        self
    }

    pub(crate) fn path(&self) -> &'static str {
        self.endpoint.path()
    }

    /// Returns the route of each method.
    pub(crate) fn routes(&self) -> &[Route] {
        &self.routes
    }

    pub(crate) fn resource(self) -> Resource {
        self.endpoint.resource()
    }
}
