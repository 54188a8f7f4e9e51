//! The cookies that carry a session, and whom a browser is known for.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{COOKIE, HeaderMap, SET_COOKIE},
    web::Data,
};
use domain::access::{
    members::Member,
    sessions::{DEVICE_LIFETIME, Device, Devices, LONGEST, SHOWN_WITHIN, SignedIn as BegunSession},
};
use tracing::warn;

use super::SignedIn;
use crate::App;

/// Which cookies browsers are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cookies {
    /// Those that leave over TLS alone. By their prefix browsers take them only from this host, for every path.
    #[default]
    Secure,
    /// Those that every browser takes on `http://localhost`: Safari takes none there that is for TLS. For a sandbox on
    /// loopback, and never where anybody else can reach it.
    Loopback,
}

impl Cookies {
    const fn session(self) -> &'static str {
        match self {
            Self::Secure => "__Host-session",
            Self::Loopback => "sandbox-session",
        }
    }

    /// The language that a browser has chosen.
    pub(crate) const fn language(self) -> &'static str {
        match self {
            Self::Secure => "__Host-language",
            Self::Loopback => "sandbox-language",
        }
    }

    /// What the next page tells once of a form that was taken.
    pub(crate) const fn told(self) -> &'static str {
        match self {
            Self::Secure => "__Host-told",
            Self::Loopback => "sandbox-told",
        }
    }

    const fn device(self) -> &'static str {
        match self {
            Self::Secure => "__Host-device",
            Self::Loopback => "sandbox-device",
        }
    }

    const fn attributes(self) -> &'static str {
        match self {
            Self::Secure => "Path=/; HttpOnly; Secure; SameSite=Lax",
            Self::Loopback => "Path=/; HttpOnly; SameSite=Lax",
        }
    }

    /// Those that count for a request. From elsewhere than loopback the loose ones never do.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let given = request.app_data::<Data<App>>().map(|app| app.edge.cookies).unwrap_or_default();
        let is_near = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
        if is_near { given } else { Self::Secure }
    }

    /// What the browser presents; `None` where it has no such cookie, or several.
    pub(crate) fn presented(self, headers: &HeaderMap) -> Option<&str> {
        of_name(headers, self.session())
    }

    /// Has the browser keep the session, and whom it is known for from now on.
    pub(crate) fn keep(self, request: &HttpRequest, answer: &mut HttpResponse, begun: &BegunSession<Member>) {
        let (name, attributes) = (self.session(), self.attributes());
        let token = begun.token.reveal();
        set(answer, &format!("{name}={token}; Max-Age={}; {attributes}", LONGEST.as_secs()));
        self.keep_device(request, answer, &begun.device);
    }

    /// Whom the browser is known for.
    pub(crate) fn devices(request: &HttpRequest) -> Devices {
        let presented = of_name(request.headers(), Self::of(request).device());
        presented.map(Devices::parse).unwrap_or_default()
    }

    fn keep_device(self, request: &HttpRequest, answer: &mut HttpResponse, device: &Device) {
        let (name, attributes) = (self.device(), self.attributes());
        let devices = Self::devices(request).text_with(device);
        set(answer, &format!("{name}={devices}; Max-Age={}; {attributes}", DEVICE_LIFETIME.as_secs()));
    }

    /// Has the browser forget it.
    pub(crate) fn forget(self, answer: &mut HttpResponse) {
        set(answer, &format!("{}=; Max-Age=0; {}", self.session(), self.attributes()));
    }

    /// Has the browser keep its language, in one of our codes.
    pub(crate) fn keep_language(self, answer: &mut HttpResponse, code: &'static str) {
        set(answer, &format!("{}={code}; Max-Age={YEAR}; {}", self.language(), self.attributes()));
    }

    /// Has the browser bring `told` along when it asks for the next page.
    pub(crate) fn tell(self, answer: &mut HttpResponse, told: &str) {
        let seconds = SHOWN_WITHIN.as_secs();
        set(answer, &format!("{}={told}; Max-Age={seconds}; {}", self.told(), self.attributes()));
    }

    /// Has the browser forget what was told.
    pub(crate) fn forget_told(self, answer: &mut HttpResponse) {
        set(answer, &format!("{}=; Max-Age=0; {}", self.told(), self.attributes()));
    }
}

/// Has the browser be known anew that has just had all others forgotten. What was done stands without it.
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

/// A year, in seconds.
const YEAR: u64 = 31_536_000;

/// The only cookie of this name.
pub(crate) fn of_name<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    let mut ours = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == wanted).then_some(value)
    });
    match (ours.next(), ours.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

fn set(answer: &mut HttpResponse, cookie: &str) {
    // A token is hexadecimal digits, a device and what is sealed base64url, a code letters: nothing in it is no header.
    if let Ok(value) = cookie.parse() {
        answer.headers_mut().append(SET_COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{
        HttpResponse,
        http::header::{COOKIE, HeaderMap, SET_COOKIE},
    };

    use super::Cookies;

    #[test]
    fn only_one_cookie_of_that_name_counts() {
        for (values, wanted) in [
            (vec!["__Host-session=ab"], Some("ab")),
            (vec!["a=b; __Host-session=ab;c=d"], Some("ab")),
            (vec!["a=b", "__Host-session=ab"], Some("ab")),
            (vec![], None),
            (vec!["session=ab"], None),
            (vec!["__Host-session"], None),
            (vec!["__Host-session=ab; __Host-session=cd"], None),
            (vec!["__Host-session=ab", "__Host-session=ab"], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in &values {
                headers.append(COOKIE, value.parse().unwrap());
            }
            assert_eq!(Cookies::Secure.presented(&headers), wanted, "{values:?}");
        }
    }

    #[test]
    fn a_cookie_for_loopback_is_another_one_and_only_it_may_leave_without_tls() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "sandbox-session=ab".parse().unwrap());
        assert_eq!(Cookies::Secure.presented(&headers), None);
        assert_eq!(Cookies::Loopback.presented(&headers), Some("ab"));
        assert_eq!(Cookies::default(), Cookies::Secure);
        for (cookies, is_secure) in [(Cookies::Secure, true), (Cookies::Loopback, false)] {
            let mut answer = HttpResponse::Ok().finish();
            cookies.forget(&mut answer);
            cookies.keep_language(&mut answer, "ar");
            for set in answer.headers().get_all(SET_COOKIE) {
                assert_eq!(set.to_str().unwrap().contains("; Secure"), is_secure, "{set:?}");
            }
        }
    }
}
