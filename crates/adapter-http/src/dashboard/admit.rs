//! Admission to a route: the session, then the origin of a change, then the role, then the names in the
//! query.

use actix_web::{
    Error, HttpMessage,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{CACHE_CONTROL, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use domain::access::members::Role;

use super::same_site::{self, Surface};
use crate::{
    access::resume_session,
    app::App,
    endpoint::as_get,
    problem::{DashboardCode, Problem},
    query::{is_utf8, known},
    session::MadeAt,
};

/// Role required to call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Everyone, signed in or not.
    Anyone,
    /// Every signed-in member, of whatever role.
    Member,
    Owner,
}

/// Middleware around one route.
pub(super) async fn admit(
    surface: Surface,
    needs: Needs,
    known: &[&str],
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match check(surface, needs, known, &request).await {
        Err(problem) => Ok(request.error_response(problem)),
        Ok(()) => next.call(request).await,
    }
}

async fn check(
    surface: Surface,
    needs: Needs,
    known: &[&str],
    request: &ServiceRequest,
) -> Result<(), Problem> {
    let app = request.app_data::<Data<App>>().ok_or_else(|| Problem::internal("no use cases"))?;
    request.extensions_mut().insert(surface);
    let signed_in = match needs {
        Needs::Anyone => None,
        Needs::Member | Needs::Owner => Some(resume_session(app, request.request()).await?),
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
        Surface::Api => known::check_against(request.request(), known),
        // A link to a page may carry parameters that we do not know.
        Surface::Pages => Ok(()),
    }
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
