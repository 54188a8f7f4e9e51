//! Check that a change comes from the dashboard's own pages.
//!
//! Browsers attach the session's cookie to requests that other sites make them send. So a change must carry a
//! header of its own, which a page of another site cannot add without permission, and none has it; and where
//! the browser names the site that the request comes from, it must be this one. Forms without a script cannot
//! add a header: for their posts the browser must name the origin.

use actix_web::{
    HttpMessage, HttpRequest,
    http::header::{HOST, HeaderName, ORIGIN},
};

use crate::problem::{DashboardCode, Problem};

/// Header required of changes, with any value.
pub(crate) const HEADER: &str = "x-dashboard";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Kind of client, which decides how a change proves its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// Scripts, which can add a header.
    Api,
    /// Forms, which cannot add a header.
    Pages,
}

impl Surface {
    /// Returns what the surface's paths begin with.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Api => "/dashboard/api",
            Self::Pages => "/dashboard",
        }
    }
}

/// Returns whether the API was asked: JSON in, JSON out.
pub(crate) fn is_of_api(request: &HttpRequest) -> bool {
    request.extensions().get() == Some(&Surface::Api)
}

/// Refuses a request from elsewhere; `origin` is the dashboard's public origin, where configured.
pub(super) fn check(surface: Surface, request: &HttpRequest, origin: Option<&str>) -> Result<(), Problem> {
    let headers = request.headers();
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let refuse = |why| Err(Problem::dashboard(DashboardCode::NotFromDashboard, why));
    match surface {
        Surface::Api if !headers.contains_key(HEADER) => {
            return refuse("a change needs the header `X-Dashboard`, with any value");
        }
        Surface::Pages if !headers.contains_key(SEC_FETCH_SITE) && !headers.contains_key(ORIGIN) => {
            return refuse("a form's post must say where it comes from");
        }
        Surface::Api | Surface::Pages => {}
    }
    if text(&SEC_FETCH_SITE).is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return refuse("a change must come from the dashboard's own pages");
    }
    let Some(from) = text(&ORIGIN) else { return Ok(()) };
    if is_ours(from, request, origin) {
        Ok(())
    } else {
        refuse("a change must come from the dashboard's own pages")
    }
}

/// Returns whether `from` is the origin that the request was sent to, or the dashboard's own.
pub(crate) fn is_ours(from: &str, request: &HttpRequest, origin: Option<&str>) -> bool {
    let asked = request.headers().get(HOST).map(|host| host.to_str().unwrap_or_default());
    let host = from.strip_prefix("https://").or_else(|| from.strip_prefix("http://"));
    origin == Some(from) || (host.is_some() && host == asked)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::{Surface, check};

    #[test]
    fn a_change_carries_the_header_and_comes_from_here() {
        let host = ("host", "shop.example:8443");
        let mark = ("x-dashboard", "1");
        for (headers, taken) in [
            (vec![host, mark], true),
            (vec![host], false),
            (vec![host, mark, ("origin", "https://shop.example:8443")], true),
            (vec![host, mark, ("origin", "http://shop.example:8443")], true),
            (vec![host, mark, ("origin", "https://public.example")], true),
            (vec![host, mark, ("origin", "https://shop.example")], false),
            (vec![host, mark, ("origin", "https://evil.example")], false),
            (vec![host, mark, ("origin", "null")], false),
            (vec![host, mark, ("origin", "")], false),
            (vec![mark, ("origin", "https://")], false),
            (vec![host, ("origin", "https://shop.example:8443")], false),
            (vec![host, mark, ("sec-fetch-site", "same-origin")], true),
            (vec![host, mark, ("sec-fetch-site", "cross-site")], false),
            (vec![host, mark, ("sec-fetch-site", "same-site")], false),
        ] {
            let mut request = TestRequest::post();
            for header in &headers {
                request = request.insert_header(*header);
            }
            let request = request.to_http_request();
            let checked = check(Surface::Api, &request, Some("https://public.example"));
            assert_eq!(checked.is_ok(), taken, "{headers:?}");
        }
    }
    #[test]
    fn a_forms_post_says_that_it_comes_from_here() {
        let host = ("host", "shop.example:8443");
        for (headers, taken) in [
            (vec![host, ("sec-fetch-site", "same-origin")], true),
            (vec![host, ("origin", "https://shop.example:8443")], true),
            (vec![host, ("sec-fetch-site", "same-origin"), ("origin", "https://shop.example:8443")], true),
            (vec![host], false),
            (vec![host, ("x-dashboard", "1")], false),
            (vec![host, ("origin", "null")], false),
            (vec![host, ("sec-fetch-site", "cross-site")], false),
            (vec![host, ("sec-fetch-site", "same-site"), ("origin", "https://evil.example")], false),
            (vec![host, ("sec-fetch-site", "cross-site"), ("origin", "https://shop.example:8443")], false),
        ] {
            let mut request = TestRequest::post();
            for header in &headers {
                request = request.insert_header(*header);
            }
            let checked = check(Surface::Pages, &request.to_http_request(), None);
            assert_eq!(checked.is_ok(), taken, "{headers:?}");
        }
    }
}
