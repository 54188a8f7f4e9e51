//! What a simulator is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// The app's id, unless [`Config::app_id`] says otherwise.
pub const APP_ID: u64 = 634_974_688_087_057;

/// What a [`Simulator`](crate::Simulator) is started with. [`Config::new`] gives the defaults.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens. Port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// The app's id, as `debug_token` and the subscriptions name it.
    pub app_id: String,
    /// Signs the webhooks, and makes the `appsecret_proof`.
    pub app_secret: SecretString,
    /// Sent in the handshake.
    pub verify_token: SecretString,
    /// Whether every call needs a valid `appsecret_proof`. Default: no.
    pub require_appsecret_proof: bool,
    /// The business accounts there are.
    pub accounts: Vec<Account>,
    /// The pages there are, each with the Instagram account that is linked to it.
    pub pages: Vec<Page>,
    /// The callback, `http` only. `None`: nothing is posted until one is set.
    pub webhook_url: Option<Url>,
    /// Where the team answers; the phones link to its conversations. `None`: they link nowhere.
    pub dashboard_url: Option<Url>,
    /// How long the callback may take to answer. Default: 20 s (docs/run/networks.md, "Posts to the
    /// callback").
    pub webhook_timeout: Duration,
    /// The pauses before the 2nd, 3rd … attempt of a webhook that was not answered with 200; after the last
    /// one it is given up. Default: at once, then 1, 5, 15, 60 and 300 s.
    pub webhook_retries: Vec<Duration>,
    /// How many webhooks may be under way at the same time. Default: 32.
    pub webhook_concurrency: usize,
    /// The statuses that follow an accepted message, in this order. Default: sent, delivered, read.
    pub statuses: Vec<Status>,
    /// The pause before each status. Default: 50 ms.
    pub status_delay: Duration,
    /// What becomes of a free-form message to somebody who did not write within 24 hours.
    pub window: Window,
    /// How long the address of a person's file on WhatsApp is good for. Default: 5 minutes
    /// (docs/run/networks.md, "Files that people send").
    pub media_address_life: Duration,
    /// How many messages, webhooks and open windows are kept; the oldest go first. Default: 100 000.
    pub keep: usize,
    /// Makes message ids and trace ids repeatable. `None`: they differ from run to run, so that the ids of two
    /// runs against one database cannot collide.
    pub seed: Option<u64>,
}

impl Config {
    /// The defaults, without accounts and without a callback.
    pub fn new(app_secret: impl Into<SecretString>, verify_token: impl Into<SecretString>) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            app_id: APP_ID.to_string(),
            app_secret: app_secret.into(),
            verify_token: verify_token.into(),
            require_appsecret_proof: false,
            accounts: Vec::new(),
            pages: Vec::new(),
            webhook_url: None,
            dashboard_url: None,
            webhook_timeout: Duration::from_secs(20),
            webhook_retries: [0, 1, 5, 15, 60, 300].map(Duration::from_secs).to_vec(),
            webhook_concurrency: 32,
            statuses: vec![Status::Sent, Status::Delivered, Status::Read],
            status_delay: Duration::from_millis(50),
            window: Window::default(),
            media_address_life: Duration::from_mins(5),
            keep: 100_000,
            seed: None,
        }
    }
}

/// A business account with its numbers and templates.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its id, decimal digits.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The token that sees this account. Several accounts may share one.
    pub token: SecretString,
    /// Whether the app gets its webhooks from the start. Default: yes.
    pub subscribed: bool,
    /// Its numbers.
    pub numbers: Vec<Number>,
    /// Its templates, as the Graph API lists them. `name` and `language` are needed; the rest has defaults
    /// (approved, utility, positional, an id of its own).
    pub templates: Vec<Value>,
}

impl Account {
    /// An account without numbers and templates, subscribed to webhooks.
    pub fn new(id: impl Into<String>, name: impl Into<String>, token: impl Into<SecretString>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            token: token.into(),
            subscribed: true,
            numbers: Vec::new(),
            templates: Vec::new(),
        }
    }
}

/// A phone number of an account.
#[derive(Debug, Clone)]
pub struct Number {
    /// Its id, decimal digits.
    pub id: String,
    /// As the Graph API shows it: `+964 770 000 0000`.
    pub display_phone_number: String,
    /// The name that customers see.
    pub verified_name: String,
    /// `CONNECTED` sends; with any other status a send is refused with 133010.
    pub status: String,
    /// `GREEN`, `YELLOW` or `RED`; one that is not connected has none.
    pub quality: String,
    /// How many people it may begin to write to in a day, such as `TIER_1K`.
    pub messaging_limit: String,
    /// Its PIN. `None`: the first that it is registered with becomes it.
    pub pin: Option<String>,
}

impl Number {
    /// A connected number.
    pub fn new(
        id: impl Into<String>,
        display_phone_number: impl Into<String>,
        verified_name: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            display_phone_number: display_phone_number.into(),
            verified_name: verified_name.into(),
            status: "CONNECTED".to_owned(),
            quality: "GREEN".to_owned(),
            messaging_limit: "TIER_UNLIMITED".to_owned(),
            pin: None,
        }
    }
}

/// A Facebook page, whose messages are Messenger's.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its id, decimal digits.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The token that sees it and its Instagram account.
    pub token: SecretString,
    /// Whether the app gets its webhooks from the start, every field of them. Default: yes.
    pub subscribed: bool,
    /// The Instagram account that is linked to it.
    pub instagram: Option<InstagramAccount>,
}

impl Page {
    /// A page without an Instagram account, subscribed to webhooks.
    pub fn new(id: impl Into<String>, name: impl Into<String>, token: impl Into<SecretString>) -> Self {
        Self { id: id.into(), name: name.into(), token: token.into(), subscribed: true, instagram: None }
    }
}

/// A professional Instagram account.
#[derive(Debug, Clone)]
pub struct InstagramAccount {
    /// Its id, decimal digits.
    pub id: String,
    /// Its user name, without `@`.
    pub username: String,
}

impl InstagramAccount {
    /// An account by its id and user name.
    pub fn new(id: impl Into<String>, username: impl Into<String>) -> Self {
        Self { id: id.into(), username: username.into() }
    }
}

/// A step of a message's way. On Messenger and Instagram `Sent` is the echo of the message; Instagram has no
/// `Delivered`, and neither has a `Failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It left the network.
    Sent,
    /// It reached a device.
    Delivered,
    /// The person has seen it.
    Read,
    /// It will not arrive.
    Failed,
}

impl Status {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }
}

/// What becomes of a free-form message outside the 24-hour window. Messenger and Instagram know no failing later:
/// there it is refused at once unless there is no window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Window {
    /// It is accepted and fails by webhook (131047), as production mostly does.
    #[default]
    FailsLater,
    /// It is refused at once.
    Refused,
    /// There is no window.
    Open,
}
