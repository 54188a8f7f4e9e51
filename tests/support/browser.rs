//! A browser at the dashboard: it keeps its session's cookie.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{Answer, Api, Secrets, Visitor, operator};

/// What members sign in with here.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// One browser.
#[derive(Clone)]
pub(crate) struct Browser {
    api: Api,
    /// The cookie as it is sent, once there is one.
    pub(crate) cookie: Option<String>,
    /// The cookie by which it is known for whoever has signed in.
    pub(crate) device: Option<String>,
    /// Where it says that it is, in a world that believes it.
    address: Option<String>,
}

impl Browser {
    /// One that nobody has signed in with.
    pub(crate) fn new(base_url: &str) -> Self {
        Self { api: Api::new(base_url, ""), cookie: None, device: None, address: None }
    }

    /// The same, somewhere else.
    pub(crate) fn at(self, address: &str) -> Self {
        Self { address: Some(address.to_owned()), ..self }
    }

    /// One in which somebody has accepted an operator's invitation.
    pub(crate) async fn joined(
        base_url: &str,
        secrets: &Secrets,
        workspace: &str,
        email: &str,
        role: &str,
    ) -> Self {
        let said = operator(secrets, &["member", "invite", workspace, "--email", email, "--role", role]);
        let mut browser = Self::new(base_url);
        browser.accept(token_of(&said)).await;
        browser
    }

    /// Accepts an invitation.
    pub(crate) async fn accept(&mut self, token: &str) -> Answer {
        let body = json!({ "token": token, "name": "Sara", "password": PASSWORD });
        let accepted = self.post("/invitations/accept", &body).await;
        assert_eq!(accepted.status, 200, "{accepted:?}");
        self.keep(&accepted);
        accepted
    }

    /// Tries to sign in with some password, to some workspace or to whichever it is of.
    pub(crate) async fn try_in(&self, email: &str, password: &str, workspace: Option<&str>) -> Answer {
        let body = json!({ "email": email, "password": password, "workspaceId": workspace });
        self.post("/sign-in", &body).await
    }

    /// Goes on at a service that was started anew.
    pub(crate) fn moved_to(&mut self, base_url: &str) {
        self.api = Api::new(base_url, "");
    }

    /// Signs in with the usual password.
    pub(crate) async fn sign_in(&mut self, email: &str) -> Answer {
        let answer = self.post("/sign-in", &json!({ "email": email, "password": PASSWORD })).await;
        self.keep(&answer);
        answer
    }

    /// Does as an answer's cookie says.
    pub(crate) fn keep(&mut self, answer: &Answer) {
        let mut set = answer.headers.get_all("set-cookie").iter().filter_map(|set| set.to_str().ok());
        let device = set.rfind(|set| set.starts_with("__Host-device="));
        if let Some((device, _)) = device.and_then(|set| set.split_once("; ")) {
            self.device = Some(device.to_owned());
        }
        self.keep_session(answer);
    }

    fn keep_session(&mut self, answer: &Answer) {
        let set = answer.header("set-cookie").filter(|set| !set.starts_with("__Host-device="));
        let Some(set) = set else { return };
        let (cookie, attributes) = set.split_once("; ").unwrap();
        self.cookie = if attributes.contains("Max-Age=0") { None } else { Some(cookie.to_owned()) };
    }

    /// A request of the dashboard's own pages.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).header("x-dashboard", "1")
    }

    /// A request with the cookie alone.
    pub(crate) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.api.bare(method, &format!("/dashboard/api{path}"));
        let request = match &self.address {
            Some(address) => request.header("x-forwarded-for", address),
            None => request,
        };
        let cookies: Vec<&str> =
            [&self.cookie, &self.device].into_iter().flatten().map(String::as_str).collect();
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::PATCH, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::DELETE, path)).await
    }

    /// The same member, where no script runs.
    pub(crate) fn visitor(&self) -> Visitor {
        let mut visitor = Visitor::new(self.api.base());
        visitor.cookie = self.cookie.clone().unwrap_or_default();
        visitor.address.clone_from(&self.address);
        visitor
    }

    /// The id of whoever is signed in.
    pub(crate) async fn member_id(&self) -> String {
        self.get("/me").await.text("/member/id").to_owned()
    }
}

/// What a link carries.
pub(crate) fn token_of(said: &str) -> &str {
    let link = said.lines().find(|line| line.contains("/dashboard/")).unwrap_or(said);
    link.split_once('#').unwrap().1.trim()
}
