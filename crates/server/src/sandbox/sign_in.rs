//! Links that sign a member in once, for the person who has just started a sandbox.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY, SET_COOKIE, USER_AGENT},
    web::{Data, Path, get},
};
use reqwest::Client;
use serde_json::json;
use url::Url;

use super::{addresses::url_of, secrets::random_hex};

struct Credentials {
    email: String,
    password: String,
}

struct Shared {
    dashboard: Url,
    client: Client,
    /// Credentials of unused links, by the link's secret.
    unused: Mutex<HashMap<String, Credentials>>,
}

/// Server behind the links. Signs in by the dashboard's own API and hands the cookie on: cookies belong to a
/// host, whatever its ports.
pub(super) struct SignInLinks {
    base_url: Url,
    shared: Arc<Shared>,
    handle: ServerHandle,
}

impl SignInLinks {
    /// Starts the server on a free port, for the dashboard at this address.
    pub(super) fn start(dashboard: Url) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let base_url = url_of(listener.local_addr()?)?;
        let client = Client::builder().no_proxy().no_gzip().build()?;
        let shared = Arc::new(Shared { dashboard, client, unused: Mutex::default() });
        let data = Data::from(Arc::clone(&shared));
        let server = HttpServer::new(move || {
            App::new().app_data(data.clone()).route("/sign-in/{secret}", get().to(sign_in))
        })
        .workers(1)
        .disable_signals()
        .listen(listener)?
        .run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { base_url, shared, handle })
    }

    /// Makes a link that signs a member in the first time it is opened.
    pub(super) fn link(&self, email: &str, password: &str) -> anyhow::Result<Url> {
        let secret = random_hex();
        let link = self.base_url.join("sign-in/")?.join(&secret)?;
        let credentials = Credentials { email: email.to_owned(), password: password.to_owned() };
        self.shared.unused.lock().unwrap_or_else(PoisonError::into_inner).insert(secret, credentials);
        Ok(link)
    }

    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn sign_in(request: HttpRequest, secret: Path<String>, shared: Data<Shared>) -> HttpResponse {
    let found = shared.unused.lock().unwrap_or_else(PoisonError::into_inner).remove(secret.as_str());
    let Some(Credentials { email, password }) = found else {
        return HttpResponse::Gone()
            .body("This link has been used. Sign in with a password that the sandbox printed.\n");
    };
    let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let asked = shared
        .client
        .post(format!("{}/api/sign-in", shared.dashboard))
        .header("x-dashboard", "1")
        .header("user-agent", agent)
        .json(&json!({ "email": email, "password": password }));
    let answer = asked.send().await.and_then(reqwest::Response::error_for_status);
    let Ok(answer) = answer else { return HttpResponse::BadGateway().body("The dashboard let nobody in.\n") };
    let mut to_inbox = HttpResponse::SeeOther();
    for cookie in answer.headers().get_all("set-cookie") {
        to_inbox.append_header((SET_COOKIE, cookie.as_bytes()));
    }
    to_inbox
        .insert_header((LOCATION, format!("{}/inbox", shared.dashboard)))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}
