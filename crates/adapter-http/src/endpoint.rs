//! A path with its methods: what is registered, what `Allow` says, and what the API's document must list.

use actix_web::{
    FromRequest, Handler, Resource, Responder, Route,
    http::Method,
    web::{self, route},
};

use crate::problem::Problem;

/// One path and what it does for each method it takes.
pub(crate) struct Endpoint {
    path: &'static str,
    methods: Vec<(Method, Route)>,
}

/// An endpoint at this path, inside the scope that it will be registered in.
pub(crate) fn at(path: &'static str) -> Endpoint {
    Endpoint { path, methods: Vec::new() }
}

impl Endpoint {
    pub(crate) fn get<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::GET, handler)
    }

    pub(crate) fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::POST, handler)
    }

    pub(crate) fn patch<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.on(Method::PATCH, handler)
    }

    fn on<F, Args>(self, method: Method, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        let route = route().method(method.clone()).to(handler);
        self.with(method, route)
    }

    /// One more method, and the route that answers it.
    pub(crate) fn with(mut self, method: Method, route: Route) -> Self {
        self.methods.push((method, route));
        self
    }

    /// The methods it takes, in the form of the header `Allow`.
    pub(crate) fn allowed(&self) -> String {
        self.methods.iter().map(|(method, _)| method.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// What to register: every other method answers 405 with `Allow`.
    pub(crate) fn resource(self) -> Resource {
        let allowed = self.allowed();
        let refuse = move || {
            let problem = Problem::method_not_allowed(&allowed);
            async move { Err::<String, _>(problem) }
        };
        let resource = web::resource(self.path).default_service(web::to(refuse));
        self.methods.into_iter().fold(resource, |resource, (_, route)| resource.route(route))
    }

    /// Its path, as it was given.
    pub(crate) fn path(&self) -> &'static str {
        self.path
    }
}
