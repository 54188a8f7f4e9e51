//! Cookies of the dashboard: session, known devices, language, and a message for the next page.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{COOKIE, HeaderMap, SET_COOKIE},
};
use domain::access::{
    members::Member,
    sessions::{DEVICE_LIFETIME, Device, Devices, LONGEST, SHOWN_WITHIN, SignedIn as BegunSession},
};

/// Kind of cookies that browsers are given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cookies {
    /// Cookies sent over TLS only. Their prefix makes browsers accept them from this host alone, for every
    /// path.
    #[default]
    Secure,
    /// Cookies that every browser accepts on `http://localhost`, where Safari accepts none marked for TLS.
    /// For a sandbox on loopback only, never where anybody else can reach it.
    Loopback,
}

impl Cookies {
    const fn session(self) -> &'static str {
        match self {
            Self::Secure => "__Host-session",
            Self::Loopback => "sandbox-session",
        }
    }

    /// Name of the cookie with the browser's chosen language.
    pub(crate) const fn language(self) -> &'static str {
        match self {
            Self::Secure => "__Host-language",
            Self::Loopback => "sandbox-language",
        }
    }

    /// Name of the cookie with a message that the next page shows once.
    pub(crate) const fn notice(self) -> &'static str {
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

    /// Returns the kind that is valid for a request; for one that is not from loopback, always
    /// [`Self::Secure`].
    pub(crate) fn valid_for(self, request: &HttpRequest) -> Self {
        let is_near = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
        if is_near { self } else { Self::Secure }
    }

    /// Returns the session's token that the browser presents; `None` if there is no such cookie, or several.
    pub(crate) fn presented(self, headers: &HeaderMap) -> Option<&str> {
        of_name(headers, self.session())
    }

    /// Sets the cookies of the session and of the device that proves the sign-in.
    pub(crate) fn keep(self, request: &HttpRequest, answer: &mut HttpResponse, begun: &BegunSession<Member>) {
        let (name, attributes) = (self.session(), self.attributes());
        let token = begun.token.reveal();
        set(answer, &format!("{name}={token}; Max-Age={}; {attributes}", LONGEST.as_secs()));
        self.keep_device(request, answer, &begun.device);
    }

    /// Parses the proofs of earlier sign-ins from this browser.
    pub(crate) fn devices(self, headers: &HeaderMap) -> Devices {
        let presented = of_name(headers, self.device());
        presented.map(Devices::parse).unwrap_or_default()
    }

    /// Adds the device to those that the browser proves.
    pub(crate) fn keep_device(self, request: &HttpRequest, answer: &mut HttpResponse, device: &Device) {
        let (name, attributes) = (self.device(), self.attributes());
        let devices = self.valid_for(request).devices(request.headers()).text_with(device);
        set(answer, &format!("{name}={devices}; Max-Age={}; {attributes}", DEVICE_LIFETIME.as_secs()));
    }

    pub(crate) fn forget(self, answer: &mut HttpResponse) {
        set(answer, &format!("{}=; Max-Age=0; {}", self.session(), self.attributes()));
    }

    /// Stores one of our language codes.
    pub(crate) fn keep_language(self, answer: &mut HttpResponse, code: &'static str) {
        set(answer, &format!("{}={code}; Max-Age={YEAR}; {}", self.language(), self.attributes()));
    }

    /// Stores the message that the next page shows once.
    pub(crate) fn keep_notice(self, answer: &mut HttpResponse, message: &str) {
        let seconds = SHOWN_WITHIN.as_secs();
        set(answer, &format!("{}={message}; Max-Age={seconds}; {}", self.notice(), self.attributes()));
    }

    pub(crate) fn forget_notice(self, answer: &mut HttpResponse) {
        set(answer, &format!("{}=; Max-Age=0; {}", self.notice(), self.attributes()));
    }
}

const YEAR: u64 = 31_536_000;

/// Returns the value of the only cookie of this name; `None` if there is none, or several.
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
    // Never fails: tokens are hexadecimal digits, devices and sealed messages base64url, language codes
    // letters.
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
