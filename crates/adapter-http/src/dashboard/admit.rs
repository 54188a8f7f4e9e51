//! Admission to a route: the session, then the origin of a change, then the role, then the names in the
//! query.

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
    access::{members::Role, sessions::Session},
    audit::Acting,
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

/// Role required to call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Everyone, signed in or not.
    Anyone,
    /// Every signed-in member, of whatever role.
    Member,
    Owner,
}

impl Needs {
    /// Returns the name used in the API's document.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Member => "member",
            Self::Owner => "owner",
        }
    }
}

/// Kind of client, which decides how a change proves its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Scripts, which can add a header.
    Api,
    /// Forms, which cannot add a header.
    Pages,
}

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

/// Middleware around one route.
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
        // Before the refusal, so that it is told in the member's language, too.
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
        // A link to a page may carry parameters that we do not know.
        Surface::Pages => Ok(()),
    }
}

/// Loads the session that the request's cookie names.
pub(crate) async fn whose_session(app: &Data<App>, request: &HttpRequest) -> Result<SignedIn, Problem> {
    let nobody = || Problem::dashboard(DashboardCode::NotSignedIn, "sign in first");
    let presented = Cookies::of(request).presented(request.headers()).ok_or_else(nobody)?.to_owned();
    let resumed = app.run(|app| async move { app.dashboard.sessions.resume(&presented).await });
    let session = resumed.await??.ok_or_else(nobody)?;
    Ok(SignedIn { session, address: app.edge.client(request) })
}

/// Checks again that the member may make this request. A body may take long to arrive; without this, a member
/// who was removed or is no longer an owner could still finish what they began, such as an invitation of
/// themselves.
///
/// # Errors
/// The problem that the member would now be refused with. Requests admitted without a session pass.
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

/// Middleware around the whole API: forbids caches to store its answers.
pub(super) async fn mark<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut response = next.call(request).await?.map_into_boxed_body();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
