//! `GET /dashboard`.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{Place, StartPage};

use super::{answer::shown, frame};
use crate::{App, dashboard::SignedIn, problem::Problem};

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Place::Door).await?;
    shown(&StartPage { frame: &frame })
}
