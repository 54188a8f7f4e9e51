//! The browser that a member uses, known again at the next sign-in.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use tracing::warn;

use crate::{app::App, session::SignedIn};

/// Gives the browser a new device after all of the member's others were forgotten. A failure is only logged,
/// since what was done stands without it.
pub(crate) async fn renew_device(
    app: &Data<App>,
    by: SignedIn,
    request: &HttpRequest,
    answer: &mut HttpResponse,
) {
    let device = app.run(move |app| async move { app.dashboard.sessions.device(&by.session).await });
    match device.await {
        Ok(Ok(Some(device))) => app.edge.cookies.keep_device(request, answer, &device),
        Ok(Ok(None)) => {}
        Ok(Err(error)) => warn!(%error, "a browser is not known for its member any more"),
        Err(_) => warn!("a browser is not known for its member any more"),
    }
}
