//! Answers of handlers: pages, and redirects to them.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{ContentType, LOCATION},
    },
};
use dashboard_pages::Template;

use crate::problem::Problem;

pub(super) fn page(status: StatusCode, page: &impl Template) -> Result<HttpResponse, Problem> {
    let html = page.render().map_err(|error| Problem::internal(format!("a page: {error}")))?;
    Ok(HttpResponse::build(status).content_type(ContentType::html()).body(html))
}

pub(super) fn ok(shown: &impl Template) -> Result<HttpResponse, Problem> {
    page(StatusCode::OK, shown)
}

/// Renders a rejected form with what is wrong.
pub(super) fn again(form: &impl Template) -> Result<HttpResponse, Problem> {
    page(StatusCode::UNPROCESSABLE_ENTITY, form)
}

/// Redirects after an accepted form.
pub(super) fn see_other(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).finish()
}

/// Redirects the same post to another of our paths.
pub(super) fn post_to(path: &str) -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, path)).finish()
}
