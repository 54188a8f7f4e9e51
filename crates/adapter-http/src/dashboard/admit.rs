//! Who is let in to a route: the session, then where a change comes from, then the role; then the names in the query.

use std::net::IpAddr;

use actix_web::{
    Error, FromRequest, HttpMessage, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{CACHE_CONTROL, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use domain::{
    access::{audit::Acting, members::Role, sessions::Session},
    live::FeedPosition,
};
use std::future::{Ready, ready};

use super::{cookie::Cookies, same_site};
use crate::{
    App,
    endpoint::as_get,
    problem::{DashboardCode, Problem},
    query::{is_utf8, known},
};

/// Who may ask for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Whoever, signed in or not.
    Anyone,
    /// Every member who is signed in.
    Member,
    /// Owners.
    Owner,
}

impl Needs {
    /// Its word in the API's document.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Member => "member",
            Self::Owner => "owner",
        }
    }
}

/// What asks, and so how a change shows where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// A script: it can add a header.
    Api,
    /// A form: it cannot.
    Pages,
}

/// The member who asks.
#[derive(Clone)]
pub(crate) struct SignedIn {
    /// Their session.
    pub(crate) session: Session,
    /// Where they ask from.
    pub(crate) address: Option<IpAddr>,
}

/// From where a page has to be told of changes: it was read before anything that the page shows.
#[derive(Clone, Copy)]
pub(crate) struct MadeAt(pub(crate) Option<FeedPosition>);

impl SignedIn {
    /// The member, as who makes changes.
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

/// The layer around one route.
pub(super) async fn admit(
    surface: Surface,
    needs: Needs,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match check(surface, needs, &request).await {
        Err(problem) => Ok(request.error_response(problem)),
        Ok(()) => next.call(request).await,
    }
}

async fn check(surface: Surface, needs: Needs, request: &ServiceRequest) -> Result<(), Problem> {
    let app = request.app_data::<Data<App>>().ok_or_else(|| Problem::internal("no use cases"))?;
    let signed_in = match needs {
        Needs::Anyone => None,
        Needs::Member | Needs::Owner => Some(whose_session(app, request.request()).await?),
    };
    if *as_get(request.method()) != Method::GET {
        same_site::check(surface, request.request(), app.edge.origin.as_deref())?;
    }
    if let Some(signed_in) = signed_in {
        if surface == Surface::Pages {
            let workspace = signed_in.session.workspace;
            let place = app.run(move |app| async move { app.dashboard.live.position(workspace).await });
            let place = place.await??;
            request.extensions_mut().insert(MadeAt(place));
        }
        let may = needs != Needs::Owner || signed_in.session.role == Role::Owner;
        // Whoever is refused is told so in their language, too.
        request.extensions_mut().insert(signed_in);
        if !may {
            return Err(Problem::dashboard(DashboardCode::OwnerOnly, "only an owner may do this"));
        }
    }
    match surface {
        Surface::Api if !is_utf8(request.uri().path()) => {
            Err(Problem::invalid("the path is not UTF-8, percent-encoded"))
        }
        Surface::Api => known::check(request.request()),
        // What a link to a page carries besides is nobody's mistake.
        Surface::Pages => Ok(()),
    }
}

/// Whose session the request carries.
pub(crate) async fn whose_session(app: &Data<App>, request: &HttpRequest) -> Result<SignedIn, Problem> {
    let nobody = || Problem::dashboard(DashboardCode::NotSignedIn, "sign in first");
    let presented = Cookies::of(request).presented(request.headers()).ok_or_else(nobody)?.to_owned();
    let resumed = app.run(|app| async move { app.dashboard.sessions.resume(&presented).await });
    let session = resumed.await??.ok_or_else(nobody)?;
    Ok(SignedIn { session, address: app.edge.client(request) })
}

/// Looks again whether the member who was let in still is, and an owner where they were one. A body may take long to
/// come: whoever is removed meanwhile, or is no owner any more, would else finish what they began before, such as an
/// invitation of themselves.
///
/// # Errors
/// What they would be refused with now. Whoever was let in without a session stays so.
pub(crate) async fn still_let_in(request: &HttpRequest) -> Result<(), Problem> {
    let before = request.extensions().get::<SignedIn>().map(|by| by.session.role);
    let Some(before) = before else { return Ok(()) };
    let app = request.app_data::<Data<App>>().ok_or_else(|| Problem::internal("no use cases"))?;
    let now = whose_session(app, request).await?.session.role;
    if before == Role::Owner && now != Role::Owner {
        return Err(Problem::dashboard(DashboardCode::OwnerOnly, "only an owner may do this"));
    }
    Ok(())
}

/// The layer around the whole API: no answer of it is kept by anybody on the way.
pub(super) async fn mark<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut response = next.call(request).await?.map_into_boxed_body();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
