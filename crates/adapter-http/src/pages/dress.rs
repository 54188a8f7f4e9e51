//! Middleware around all pages: security headers, and problems as pages.

use std::sync::LazyLock;

use actix_web::{
    Error, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERER,
            REFERRER_POLICY, VARY,
        },
    },
    middleware::Next,
    web::Data,
};
use dashboard_pages::{RefusedPage, Template, style};
use data_encoding::BASE64;
use ring::digest::{SHA256, digest};
use url::Url;

use super::{
    frame,
    links::{self, local, nearest},
    notice, refusal,
};
use crate::{
    app::App,
    dashboard::is_ours,
    problem::{Code, DashboardCode, Problem},
};

/// The source expression that allows the pages' one style by its hash.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let hash = digest(&SHA256, style().as_bytes());
    format!("'sha256-{}'", BASE64.encode(hash.as_ref()))
});

/// Builds the content security policy: scripts of this server, the pages' one style, and images and audio of
/// this server and of the bucket, if there is one. Scripts and styles written into a page do not run.
fn policy(files: Option<&str>) -> String {
    let files = files.map(|files| format!(" {files}")).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'self'; style-src {}; connect-src 'self'; manifest-src 'self'; img-src 'self' \
         blob:{files}; media-src 'self' blob:{files}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        *STYLE
    )
}

/// Policy used if the proper one cannot be a header's value.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'");

/// Sets the security headers and turns problems into pages.
pub(super) async fn dress<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let mut response = next.call(request).await?.map_into_boxed_body();
    if let Some(problem) = response.response().error().and_then(|error| error.as_error::<Problem>()) {
        let made = instead(response.request(), problem);
        response = put(response, made);
    }
    let mut response = notice::carry(response);
    let files = response.request().app_data::<Data<App>>().and_then(|app| app.edge.files.clone());
    let policy = HeaderValue::try_from(policy(files.as_deref())).unwrap_or(NOTHING);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    // With `no-referrer`, browsers would post forms without naming their origin.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    // Pages fetched by a script have no style.
    headers.append(VARY, HeaderValue::from_static("sec-fetch-dest"));
    if !headers.contains_key(CACHE_CONTROL) {
        // Conversations must not stay in the cache of a shared computer.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

/// Returns our page that a form was posted from, or the nearest page above it that can be shown.
fn came_from(request: &HttpRequest) -> Option<String> {
    let page = Url::parse(request.headers().get(REFERER)?.to_str().ok()?).ok()?;
    let app = request.app_data::<Data<App>>();
    let origin = app.and_then(|app| app.edge.origin.as_deref());
    if !is_ours(&page.origin().ascii_serialization(), request, origin) {
        return None;
    }
    let path = nearest(request, page.path())?;
    let query = page.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(local(&format!("{path}{query}")).to_owned())
}

enum Instead {
    Page(String),
    SignIn(String),
}

fn instead(request: &HttpRequest, problem: &Problem) -> Instead {
    let frame = frame::bare(request);
    if problem.code() == Some(Code::Dashboard(DashboardCode::NotSignedIn)) {
        // A post is not repeated by returning: lead back to the page it was written on.
        let path = if request.method().is_safe() {
            frame.path
        } else {
            came_from(request).unwrap_or_else(|| "/dashboard".to_owned())
        };
        // Members whose session has ended are told so.
        let ended = if App::cookies_for(request).presented(request.headers()).is_some() {
            "&after=ended"
        } else {
            ""
        };
        return Instead::SignIn(format!("{}{ended}", links::sign_in(&path)));
    }
    let because = refusal::sentence(problem, frame.words());
    Instead::Page(RefusedPage { frame: &frame, because }.render().unwrap_or_default())
}

/// Replaces the body, but keeps the problem itself for the log.
fn put(mut response: ServiceResponse<BoxBody>, instead: Instead) -> ServiceResponse<BoxBody> {
    let html = match instead {
        Instead::Page(html) => html,
        Instead::SignIn(path) => {
            if let Ok(location) = HeaderValue::try_from(path) {
                *response.response_mut().status_mut() = StatusCode::SEE_OTHER;
                response.headers_mut().insert(LOCATION, location);
            }
            String::new()
        }
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response.map_body(|_, _| BoxBody::new(html))
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn pictures_of_the_bucket_are_shown_and_nothing_else_of_it_is_loaded() {
        let policy = policy(Some("https://files.example"));
        for (part, of_the_bucket) in policy.split("; ").map(|part| (part, part.contains("files.example"))) {
            let shows = part.starts_with("img-src") || part.starts_with("media-src");
            assert_eq!(shows, of_the_bucket, "{part}");
        }
    }
}
