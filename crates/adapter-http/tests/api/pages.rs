//! What browsers are told around the dashboard's pages.

#![expect(clippy::unwrap_used, reason = "test support")]

use data_encoding::BASE64;
use reqwest::{RequestBuilder, Response, redirect::Policy};
use ring::digest::{SHA256, digest};

use crate::service::{KEY, Ports, Service};

fn service() -> Service {
    let mut service = Ports::new().start();
    // Redirects are part of what is tested.
    service.client =
        reqwest::Client::builder().no_proxy().no_gzip().redirect(Policy::none()).build().unwrap();
    service
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

fn form(request: RequestBuilder, body: &'static str) -> RequestBuilder {
    request.header("content-type", "application/x-www-form-urlencoded").body(body)
}

#[actix_web::test]
async fn a_page_lets_nothing_run_that_is_not_a_file_of_this_server_and_no_style_but_its_own() {
    let service = service();
    let page = service.bare("GET", "/dashboard/sign-in").send().await.unwrap();
    let policy = header(&page, "content-security-policy").to_owned();
    for wanted in ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]
    {
        assert!(policy.contains(wanted), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(header(&page, "referrer-policy"), "same-origin");
    assert_eq!(header(&page, "cache-control"), "no-store");
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        assert_eq!(header(&page, name), "same-origin", "{name}");
    }
    assert!(header(&page, "permissions-policy").ends_with("usb=(), microphone=(self)"));
    assert_eq!(header(&page, "vary"), "sec-fetch-dest");
    assert_eq!(header(&page, "x-frame-options"), "DENY");
    let html = page.text().await.unwrap();
    let style = html.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    let hash = BASE64.encode(digest(&SHA256, style.as_bytes()).as_ref());
    assert!(policy.contains(&format!("style-src 'sha256-{hash}';")), "{policy}");
    assert!(!html.contains(" style=") && !html.contains("<script>") && !html.contains(" onclick"), "{html}");
}

#[actix_web::test]
async fn files_of_pages_are_kept_for_good_under_a_path_of_their_version() {
    let service = service();
    let html = service.bare("GET", "/dashboard/sign-in").send().await.unwrap().text().await.unwrap();
    let script = html.split('"').find(|text| text.ends_with("page.js")).unwrap();
    let file = service.bare("GET", script).send().await.unwrap();
    assert_eq!(
        (file.status().as_u16(), header(&file, "content-type")),
        (200, "text/javascript; charset=utf-8")
    );
    assert!(header(&file, "cache-control").contains("immutable"));
    let older = service.bare("GET", "/dashboard/assets/0000000000000000/page.js").send().await.unwrap();
    assert_eq!(older.status(), 404);
}

#[actix_web::test]
async fn a_page_that_a_script_asks_for_comes_without_the_style_that_is_there_already() {
    let service = service();
    let page =
        service.bare("GET", "/dashboard/sign-in").header("sec-fetch-dest", "empty").send().await.unwrap();
    let html = page.text().await.unwrap();
    assert!(html.contains("<h1") && !html.contains("<style"), "{html}");
}

#[actix_web::test]
async fn whoever_is_not_signed_in_is_led_to_sign_in_and_back() {
    let service = service();
    let answer = service.bare("GET", "/dashboard?a=b").send().await.unwrap();
    assert_eq!(answer.status(), 303);
    assert_eq!(header(&answer, "location"), "/dashboard/sign-in?next=%2Fdashboard%3Fa%3Db");
    let page = service.bare("GET", "/dashboard/sign-in?next=https://evil.example").send().await.unwrap();
    assert!(!page.text().await.unwrap().contains("value=\"https://evil"));
    let keyed = service.bare("GET", "/dashboard/sign-in").bearer_auth(KEY).send().await.unwrap();
    assert_eq!(keyed.status(), 401, "a key opens nothing here");
}

#[actix_web::test]
async fn whoever_posts_without_a_session_comes_back_to_the_page_that_they_wrote_on() {
    let service = service();
    let ours = format!("{}/dashboard/inbox/7/reply?view=mine", service.url);
    for (referer, next) in [
        (ours.as_str(), "%2Fdashboard%2Finbox%2F7%3Fview%3Dmine"),
        ("https://evil.example/dashboard/inbox/7", "%2Fdashboard"),
        ("no address", "%2Fdashboard"),
    ] {
        let post = form(service.bare("POST", "/dashboard/inbox/7/notes"), "text=Hello");
        let answer = post.header("referer", referer).send().await.unwrap();
        assert_eq!(answer.status(), 303, "{referer}");
        assert_eq!(header(&answer, "location"), format!("/dashboard/sign-in?next={next}"), "{referer}");
    }
}

#[actix_web::test]
async fn a_form_is_taken_from_a_page_of_ours_alone() {
    let service = service();
    let language =
        || form(service.bare("POST", "/dashboard/language"), "language=ar&next=%2Fdashboard%2Fsign-in");
    for (name, value, taken) in [
        ("sec-fetch-site", "same-origin", true),
        ("sec-fetch-site", "cross-site", false),
        ("sec-fetch-site", "same-site", false),
        ("origin", service.url.as_str(), true),
        ("origin", "https://evil.example", false),
        ("origin", "null", false),
        ("x-dashboard", "1", false),
    ] {
        let answer = language().header(name, value).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), if taken { 303 } else { 403 }, "{name}: {value}");
        assert_eq!(
            header(&answer, "set-cookie").starts_with("__Host-language=ar;"),
            taken,
            "{name}: {value}"
        );
    }
}

#[actix_web::test]
async fn a_page_is_in_the_language_of_whoever_reads_it() {
    let service = service();
    let page = async |name: &'static str, value: &'static str| {
        let answer = service.bare("GET", "/dashboard/sign-in").header(name, value).send().await.unwrap();
        answer.text().await.unwrap()
    };
    assert!(page("accept-language", "ar-IQ").await.contains(r#"<html lang="ar" dir="rtl">"#));
    assert!(page("accept-language", "en").await.contains(r#"<html lang="en" dir="ltr">"#));
    assert!(page("cookie", "__Host-language=ar").await.contains("تسجيل الدخول"));
    let refused =
        service.bare("GET", "/dashboard/nowhere").header("accept-language", "ar").send().await.unwrap();
    assert_eq!(
        (refused.status().as_u16(), header(&refused, "content-type")),
        (404, "text/html; charset=utf-8")
    );
    assert!(refused.text().await.unwrap().contains("غير موجود هنا"));
}

#[actix_web::test]
async fn what_is_written_into_a_form_is_text_when_it_comes_back() {
    let service = service();
    let email = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    let page = service.bare("GET", &format!("/dashboard/sign-in?email={email}")).send().await.unwrap();
    let html = page.text().await.unwrap();
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(html.contains("&#60;script&#62;alert(1)"), "{html}");
    let broken = form(service.bare("POST", "/dashboard/language"), "language=xx")
        .header("sec-fetch-site", "same-origin");
    assert_eq!(broken.send().await.unwrap().status(), 400);
}

#[actix_web::test]
async fn whoever_is_not_signed_in_sends_16_kib_at_most() {
    let service = service();
    let longest = 16 * 1024;
    for path in ["sign-in", "forgotten-password", "password-reset", "invitation", "language"] {
        let request =
            service.bare("POST", &format!("/dashboard/{path}")).header("sec-fetch-site", "same-origin");
        let answer = request.body("a".repeat(longest + 1)).send().await.unwrap();
        assert_eq!(answer.status(), 413, "{path}");
        assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8", "{path}");
    }
    for path in ["sign-in", "invitations/accept"] {
        let request = || service.bare("POST", &format!("/dashboard/api/{path}")).header("x-dashboard", "1");
        let answer = request().body(" ".repeat(longest + 1)).send().await.unwrap();
        assert_eq!(answer.status(), 413, "{path}");
        let answer = request().body(" ".repeat(longest)).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{path}");
    }
}

#[actix_web::test]
async fn a_form_of_more_fields_than_any_of_ours_is_refused_as_a_page() {
    let service = service();
    let request = service.bare("POST", "/dashboard/sign-in").header("sec-fetch-site", "same-origin");
    let answer = request.body("a=&".repeat(2_001)).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), header(&answer, "content-type")),
        (400, "text/html; charset=utf-8")
    );
}
