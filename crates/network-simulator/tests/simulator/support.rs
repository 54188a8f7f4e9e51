//! A simulator without pauses, a callback that keeps what it gets, and short calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use network_simulator::{Account, Config, InstagramAccount, Number, Page, Simulator};
use reqwest::{Client, Method, Response};
use rustls::crypto::ring::default_provider;
use serde_json::{Value, json};
use tokio::sync::Mutex as AsyncMutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use url::Url;

pub(crate) const SECRET: &str = "app-secret";
pub(crate) const TOKEN: &str = "token-1";
pub(crate) const ACCOUNT: &str = "102290129340398";
pub(crate) const NUMBER: &str = "106540352242922";
pub(crate) const NUMBER_DIGITS: &str = "9647700000001";
pub(crate) const PERSON: &str = "9647701234567";

pub(crate) const PAGE: &str = "1234567890";
pub(crate) const INSTAGRAM: &str = "17841400000000001";
pub(crate) const PAGE_TOKEN: &str = "page-token";

/// A simulator and its callback.
pub(crate) struct World {
    pub(crate) simulator: Simulator,
    pub(crate) callback: Callback,
    pub(crate) client: Client,
}

/// A callback of our own.
pub(crate) struct Callback {
    pub(crate) url: Url,
    posts: AsyncMutex<UnboundedReceiver<Post>>,
    answers: Arc<Mutex<VecDeque<u16>>>,
}

/// What the callback got.
#[derive(Debug)]
pub(crate) struct Post {
    pub(crate) body: Bytes,
    pub(crate) signature: String,
}

/// An answer of the simulator.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

pub(crate) fn config() -> Config {
    let mut account = Account::new(ACCOUNT, "Shop", TOKEN);
    account.numbers = vec![Number::new(NUMBER, "+964 770 000 0001", "Shop")];
    account.templates = templates();
    let mut other = Account::new("555", "Other", "token-2");
    other.numbers = vec![Number::new("556", "+964 780 000 0001", "Other")];
    let mut config = Config::new(SECRET, "verify-token");
    config.accounts = vec![account, other];
    let mut page = Page::new(PAGE, "Shop", PAGE_TOKEN);
    page.instagram = Some(InstagramAccount::new(INSTAGRAM, "shop"));
    config.pages = vec![page];
    config.status_delay = Duration::ZERO;
    config.webhook_retries = vec![Duration::ZERO; 2];
    config.seed = Some(1);
    config
}

fn templates() -> Vec<Value> {
    let url = |url: &str| json!({ "type": "URL", "text": "Open", "url": url });
    let body = |text: &str| json!({ "type": "BODY", "text": text });
    let row =
        |name: &str, components: Value| json!({ "name": name, "language": "ar", "components": components });
    let with = |mut row: Value, field: &str, value: Value| {
        row[field] = value;
        row
    };
    let code = json!([body("*{{1}}* is your code."), { "type": "BUTTONS", "buttons": [
        url("https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}")] }]);
    vec![
        row("plain", json!([body("Hello")])),
        row("two", json!([body("Hello {{1}}, order {{2}} is ready")])),
        with(
            row("named", json!([body("Hello {{name}}, order {{order}}")])),
            "parameter_format",
            json!("NAMED"),
        ),
        row("titled", json!([{ "type": "HEADER", "format": "TEXT", "text": "Order {{1}}" }, body("Ready")])),
        row("picture", json!([{ "type": "HEADER", "format": "IMAGE" }, body("Look")])),
        row("file", json!([{ "type": "HEADER", "format": "DOCUMENT" }, body("Look")])),
        row("place", json!([{ "type": "HEADER", "format": "LOCATION" }, body("Come")])),
        row(
            "buttons",
            json!([body("Hello"), { "type": "BUTTONS", "buttons": [
            { "type": "QUICK_REPLY", "text": "Yes" }, url("https://shop.example/t/{{1}}"),
            url("https://shop.example/"), { "type": "PHONE_NUMBER", "text": "Call" }] }]),
        ),
        row(
            "coupon",
            json!([body("Hello"), { "type": "BUTTONS", "buttons": [
            { "type": "COPY_CODE", "text": "Copy" }] }]),
        ),
        with(
            with(row("code", code), "category", json!("AUTHENTICATION")),
            "message_send_ttl_seconds",
            json!(300),
        ),
        with(row("paused", json!([body("Hello")])), "status", json!("PAUSED")),
        with(row("disabled", json!([body("Hello")])), "status", json!("DISABLED")),
        with(row("pending", json!([body("Hello")])), "status", json!("PENDING")),
    ]
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::with(config()).await
    }

    pub(crate) async fn with(mut config: Config) -> Self {
        // Another test may have been first: one provider is as good as the other.
        let _installed = default_provider().install_default();
        let callback = Callback::start();
        config.webhook_url = Some(callback.url.clone());
        let simulator = Simulator::start(config).await.unwrap();
        let client = Client::builder().no_proxy().no_gzip().timeout(Duration::from_secs(20)).build().unwrap();
        Self { simulator, callback, client }
    }

    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        Answer::of(self.try_call(method, path, body).await.unwrap()).await
    }

    pub(crate) async fn try_call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> reqwest::Result<Response> {
        let url = self.simulator.url().join(path).unwrap();
        let mut request = self.client.request(method, url).bearer_auth(TOKEN);
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn send(&self, body: &Value) -> Answer {
        self.post(&format!("v25.0/{NUMBER}/messages"), body).await
    }

    /// Sends the template without variables, tagged, and gives the message's id.
    pub(crate) async fn send_plain(&self, tag: &str) -> String {
        let answer = self.send(&plain(tag)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["messages"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Calls the network with the page's token.
    pub(crate) async fn page_call(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let url = self.simulator.url().join(path).unwrap();
        let mut request = self.client.request(method, url).bearer_auth(PAGE_TOKEN);
        if let Some(body) = body {
            request = request.json(body);
        }
        Answer::of(request.send().await.unwrap()).await
    }

    /// Drives the other side over a control route, which takes everything.
    pub(crate) async fn drive(&self, path: &str, body: Value) -> Value {
        let answer = self.post(&format!("control/{path}"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body
    }

    pub(crate) async fn faults(&self, faults: Value) {
        let answer = self.put("control/faults", &json!({ "faults": faults })).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    /// The next statuses that the callback gets: `(tag, status)`, post by post.
    pub(crate) async fn statuses(&self, posts: usize) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        for _ in 0..posts {
            for status in self.callback.next_statuses().await {
                let text = |field: &str| status[field].as_str().unwrap_or_default().to_owned();
                seen.push((text("biz_opaque_callback_data"), text("status")));
            }
        }
        seen
    }
}

/// A send of the template without variables.
pub(crate) fn plain(tag: &str) -> Value {
    json!({
        "messaging_product": "whatsapp", "to": format!("+{PERSON}"), "type": "template",
        "biz_opaque_callback_data": tag,
        "template": { "name": "plain", "language": { "code": "ar" } },
    })
}

impl Answer {
    pub(crate) async fn of(response: Response) -> Self {
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, body }
    }

    pub(crate) fn code(&self) -> i64 {
        self.body["error"]["code"].as_i64().unwrap_or_default()
    }
}

impl Callback {
    fn start() -> Self {
        let (sender, posts) = unbounded_channel::<Post>();
        let answers = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, shared) = (Data::new(sender), Data::from(Arc::clone(&answers)));
        let server = HttpServer::new(move || {
            App::new()
                .app_data(sender.clone())
                .app_data(shared.clone())
                .route("/hook", web::post().to(receive))
                .route("/hook", web::get().to(verify))
        })
        .workers(1)
        .disable_signals()
        .bind(("127.0.0.1", 0))
        .unwrap();
        let address = server.addrs()[0];
        tokio::spawn(server.run());
        let url = format!("http://{address}/hook").parse().unwrap();
        Self { url, posts: AsyncMutex::new(posts), answers }
    }

    /// What it answers next; 200 once these are used up.
    pub(crate) fn answers(&self, statuses: &[u16]) {
        self.answers.lock().unwrap().extend(statuses);
    }

    /// The next post. Bounded, so that a post that never comes fails the test.
    pub(crate) async fn next(&self) -> Post {
        let mut posts = self.posts.lock().await;
        tokio::time::timeout(Duration::from_secs(20), posts.recv()).await.unwrap().unwrap()
    }

    /// Whether nothing more has come.
    pub(crate) async fn is_quiet(&self) -> bool {
        self.posts.lock().await.try_recv().is_err()
    }

    /// Every status of the next post.
    pub(crate) async fn next_statuses(&self) -> Vec<Value> {
        let post = self.next().await.json();
        let entries = post["entry"].as_array().unwrap().clone();
        let changes = entries.iter().flat_map(|entry| entry["changes"].as_array().unwrap());
        let statuses = changes.flat_map(|change| change["value"]["statuses"].as_array().unwrap());
        statuses.cloned().collect()
    }
}

impl Post {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// `messaging[0]` of the first entry.
    pub(crate) fn element(&self) -> Value {
        self.json()["entry"][0]["messaging"][0].clone()
    }

    /// `changes[0].value`.
    pub(crate) fn value(&self) -> Value {
        self.json()["entry"][0]["changes"][0]["value"].clone()
    }
}

async fn receive(
    request: HttpRequest,
    body: Bytes,
    posts: Data<UnboundedSender<Post>>,
    answers: Data<Mutex<VecDeque<u16>>>,
) -> HttpResponse {
    let signature = request.headers().get("X-Hub-Signature-256");
    let signature = signature.map(|header| header.to_str().unwrap().to_owned()).unwrap_or_default();
    // Whoever hears of a post may say how the next one is answered, and not how this one is.
    let status = answers.lock().unwrap().pop_front().unwrap_or(200);
    posts.send(Post { body, signature }).unwrap();
    HttpResponse::build(status.try_into().unwrap()).finish()
}

async fn verify(request: HttpRequest) -> HttpResponse {
    let url: Url = format!("http://callback{}", request.uri()).parse().unwrap();
    let query =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if query("hub.mode").as_deref() == Some("subscribe")
        && query("hub.verify_token").as_deref() == Some("verify-token")
    {
        HttpResponse::Ok().body(query("hub.challenge").unwrap_or_default())
    } else {
        HttpResponse::Forbidden().finish()
    }
}
