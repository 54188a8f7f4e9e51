//! A path with its methods: what is registered, what `Allow` says, and what the API's document must list.

mod nearest;

pub(crate) use nearest::nearest;

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    Error, FromRequest, Handler, Resource, Responder, Route,
    body::{BodySize, EitherBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    guard::{self, Guard},
    http::Method,
    middleware::Next,
    web::{self, Bytes, route},
};

use crate::problem::Problem;

/// Makes a guard that accepts requests of the method; for `GET` also those of `HEAD`.
pub(crate) fn takes(method: &Method) -> impl Guard + use<> {
    let method = method.clone();
    guard::fn_guard(move |context| *as_get(&context.head().method) == method)
}

/// Returns the method that serves a request: `HEAD` is served by `GET`, less the body.
pub(crate) fn as_get(method: &Method) -> &Method {
    static GET: Method = Method::GET;
    if *method == Method::HEAD { &GET } else { method }
}

/// Removes the body from an answer to `HEAD` but keeps its length: what would write it, such as a stream of
/// events, ends at once.
pub(crate) async fn bodiless<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, SizeAlone>>, Error> {
    let is_head = *request.method() == Method::HEAD;
    let response = next.call(request).await?;
    Ok(response.map_body(|_, body| {
        if is_head { EitherBody::right(SizeAlone(body.size())) } else { EitherBody::left(body) }
    }))
}

/// Size of a body that is not written.
pub(crate) struct SizeAlone(BodySize);

impl MessageBody for SizeAlone {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// A path with the route of each method.
pub(crate) struct Endpoint {
    path: &'static str,
    methods: Vec<(Method, Route)>,
}

/// Makes an endpoint at this path, inside the scope that it will be registered in.
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
        let route = route().guard(takes(&method)).to(handler);
        self.with(method, route)
    }

    /// Adds a method with the route that answers it.
    pub(crate) fn with(mut self, method: Method, route: Route) -> Self {
        self.methods.push((method, route));
        self
    }

    /// Lists the methods that were added; the API's document lists the same.
    pub(crate) fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.iter().map(|(method, _)| method)
    }

    /// Returns the methods that are served, in the form of the header `Allow`.
    fn allowed(&self) -> String {
        let head = |method: &Method| (*method == Method::GET).then_some("HEAD");
        let all: Vec<_> = self.methods().flat_map(|it| [Some(it.as_str()), head(it)]).flatten().collect();
        all.join(", ")
    }

    /// Makes the resource to register: every other method answers 405 with `Allow`.
    pub(crate) fn resource(self) -> Resource {
        let allowed = self.allowed();
        let refuse = move || {
            let problem = Problem::method_not_allowed(&allowed);
            async move { Err::<String, _>(problem) }
        };
        let resource = web::resource(self.path).default_service(web::to(refuse));
        self.methods.into_iter().fold(resource, |resource, (_, route)| resource.route(route))
    }

    /// Returns the path as it was given.
    pub(crate) fn path(&self) -> &'static str {
        self.path
    }
}

/// Answers a path without a route.
pub(crate) async fn no_such_route() -> Result<String, Problem> {
    Err(Problem::no_such_route())
}
