//! `GET /dashboard/assets/{version}/{name}`: style and scripts.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
};

use crate::problem::Problem;

/// Under another path as soon as it is another file.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

pub(super) async fn asset(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let path = request.match_info();
    let asset = dashboard_pages::asset(path.query("version"), path.query("name"));
    let asset = asset.ok_or_else(Problem::no_such_route)?;
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, FOR_GOOD))
        .insert_header((CONTENT_TYPE, asset.content_type))
        .body(asset.bytes))
}
