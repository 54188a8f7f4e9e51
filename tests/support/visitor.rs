//! Somebody in a browser without a script.

use reqwest::{Method, RequestBuilder, redirect::Policy};

use super::{PASSWORD, local_client};

/// A browser that runs no script.
pub(crate) struct Visitor {
    pub(crate) base: String,
    pub(crate) cookie: String,
    pub(crate) client: reqwest::Client,
    /// Where it says that it is, in a world that believes it.
    pub(crate) address: Option<String>,
}

/// A page, or where a form leads.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) location: String,
    pub(crate) html: String,
}

impl Visitor {
    pub(crate) fn new(base: &str) -> Self {
        let client = local_client().redirect(Policy::none()).build().unwrap();
        Self { base: base.to_owned(), cookie: String::new(), client, address: None }
    }

    pub(crate) async fn signed_in(base: &str, email: &str) -> Self {
        let mut visitor = Self::new(base);
        let fields = [("email", email), ("password", PASSWORD), ("next", "/dashboard/inbox?view=mine")];
        let seen = visitor.post("/dashboard/sign-in", &fields).await;
        assert_eq!((seen.status, seen.location.as_str()), (303, "/dashboard/inbox?view=mine"), "{seen:?}");
        visitor
    }

    async fn see(&mut self, request: RequestBuilder) -> Seen {
        let request = match &self.address {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        let answer = request.header("cookie", &self.cookie).send().await.unwrap();
        let header = |name: &str| {
            let value = answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
            value.unwrap_or_default()
        };
        let (status, location) = (answer.status().as_u16(), header("location"));
        for set in answer.headers().get_all("set-cookie") {
            let set = set.to_str().unwrap();
            if !set.starts_with("__Host-device=") {
                self.keep(set);
            }
        }
        Seen { status, location, html: answer.text().await.unwrap() }
    }

    /// Obeys a `Set-Cookie` header: one without a value removes the cookie.
    fn keep(&mut self, set: &str) {
        let (cookie, _) = set.split_once("; ").unwrap();
        let (name, value) = cookie.split_once('=').unwrap();
        let others = self.cookie.split("; ").filter(|kept| kept.split('=').next() != Some(name));
        let mut kept: Vec<&str> = others.filter(|kept| !kept.is_empty()).collect();
        if !value.is_empty() {
            kept.push(cookie);
        }
        self.cookie = kept.join("; ");
    }

    pub(crate) async fn get(&mut self, path: &str) -> Seen {
        self.see(self.client.request(Method::GET, format!("{}{path}", self.base))).await
    }

    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Seen {
        self.see(self.form(path, fields)).await
    }

    /// Posts a form with a file, by its name and content.
    pub(crate) async fn upload(&mut self, path: &str, fields: &[(&str, &str)], file: (&str, &[u8])) -> Seen {
        let mut body = Vec::new();
        let file_field = format!("file\"; filename=\"{}", file.0);
        let fields = fields.iter().map(|(name, value)| (*name, value.as_bytes()));
        for (name, value) in fields.chain([(file_field.as_str(), file.1)]) {
            let head = format!("--between\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
            body.extend([head.as_bytes(), value, b"\r\n"].concat());
        }
        body.extend(b"--between--\r\n");
        let request = self.client.request(Method::POST, format!("{}{path}", self.base));
        let request = request.header("content-type", "multipart/form-data; boundary=between").body(body);
        self.see(request.header("sec-fetch-site", "same-origin")).await
    }

    fn form(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let request = self.client.request(Method::POST, format!("{}{path}", self.base));
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
        request.header("sec-fetch-site", "same-origin")
    }

    /// Posts as a browser of these years does that goes to the answer itself.
    pub(crate) async fn submit(&mut self, path: &str, fields: &[(&str, &str)]) -> Seen {
        self.see(self.form(path, fields).header("sec-fetch-mode", "navigate")).await
    }

    /// The same, and the page that it leads to.
    pub(crate) async fn submit_and_look(&mut self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let led = self.submit(path, fields).await;
        assert_eq!(led.status, 303, "{led:?}");
        self.get(&led.location).await
    }
}

/// What a field of a form holds.
pub(crate) fn field<'a>(html: &'a str, name: &str) -> &'a str {
    let (_, rest) = html.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split_once('"').unwrap().0
}
