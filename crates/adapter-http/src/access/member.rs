//! Sessions of members, looked up for a request and again after its body.

use actix_web::{HttpMessage, HttpRequest, web::Data};
use domain::access::members::Role;

use crate::{
    app::App,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Loads the session that the request's cookie names.
pub(crate) async fn resume_session(app: &Data<App>, request: &HttpRequest) -> Result<SignedIn, Problem> {
    let nobody = || Problem::dashboard(DashboardCode::NotSignedIn, "sign in first");
    let presented = App::cookies_for(request).presented(request.headers()).ok_or_else(nobody)?.to_owned();
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
pub(crate) async fn check_still_admitted(request: &HttpRequest) -> Result<(), Problem> {
    let before = request.extensions().get::<SignedIn>().map(|by| by.session.role);
    let Some(before) = before else { return Ok(()) };
    let app = request.app_data::<Data<App>>().ok_or_else(|| Problem::internal("no use cases"))?;
    let now = resume_session(app, request).await?.session.role;
    if before == Role::Owner && now != Role::Owner {
        return Err(Problem::dashboard(DashboardCode::OwnerOnly, "only an owner may do this"));
    }
    Ok(())
}
