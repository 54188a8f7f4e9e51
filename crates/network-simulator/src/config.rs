//! Configuration of a simulator.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// Default of [`Config::app_id`].
pub const APP_ID: u64 = 634_974_688_087_057;

/// Configuration of a [`Simulator`](crate::Simulator). [`Config::new`] gives the defaults.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address to listen at; port 0 takes a free one. Default: `127.0.0.1:0`.
    pub listen: SocketAddr,
    /// Id of the app, as `debug_token` and the subscriptions name it.
    pub app_id: String,
    /// Secret that signs the webhooks and makes the `appsecret_proof`.
    pub app_secret: SecretString,
    /// Token sent in the handshake.
    pub verify_token: SecretString,
    /// Whether every call needs a valid `appsecret_proof`. Default: no.
    pub require_appsecret_proof: bool,
    pub accounts: Vec<Account>,
    /// Pages, each with the Instagram account that is linked to it.
    pub pages: Vec<Page>,
    /// Callback of webhooks, `http` only; `None` posts nothing until one is set.
    pub webhook_url: Option<Url>,
    /// Base URL of the team's dashboard, whose conversations the phones link to; `None` for no links.
    pub dashboard_url: Option<Url>,
    /// Time that the callback has for its answer. Default: 20 s (docs/run/networks.md, "Posts to the
    /// callback").
    pub webhook_timeout: Duration,
    /// Pauses before the 2nd, 3rd … attempt at a webhook that was not answered with 200; after the last one
    /// it is given up. Default: at once, then 1, 5, 15, 60 and 300 s.
    pub webhook_retries: Vec<Duration>,
    /// Most webhooks under way at the same time. Default: 32.
    pub webhook_concurrency: usize,
    /// Statuses that follow an accepted message, in this order. Default: sent, delivered, read.
    pub statuses: Vec<Status>,
    /// Pause before each status. Default: 50 ms.
    pub status_delay: Duration,
    /// Outcome of a free-form message to a person who has not written within 24 hours.
    pub window: Window,
    /// Lifetime of the address of a person's file on WhatsApp. Default: 5 minutes (docs/run/networks.md,
    /// "Files that people send").
    pub media_address_life: Duration,
    /// Most messages, webhooks and open windows kept; the oldest go first. Default: 100 000.
    pub keep: usize,
    /// Seed of message ids and trace ids, which makes them repeatable. With `None` they differ from run to
    /// run, so that the ids of two runs against one database cannot collide.
    pub seed: Option<u64>,
}

impl Config {
    /// Returns the defaults, without accounts and without a callback.
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
    /// Decimal digits.
    pub id: String,
    pub name: String,
    /// Token that sees this account. Several accounts may share one.
    pub token: SecretString,
    /// Whether the app gets its webhooks from the start. Default: yes.
    pub subscribed: bool,
    pub numbers: Vec<Number>,
    /// Templates, as the Graph API lists them. `name` and `language` are needed; the rest has defaults
    /// (approved, utility, positional, an id of its own).
    pub templates: Vec<Value>,
}

impl Account {
    /// Returns an account without numbers and templates, subscribed to webhooks.
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
    /// Decimal digits.
    pub id: String,
    /// The number as the Graph API shows it: `+964 770 000 0000`.
    pub display_phone_number: String,
    /// Name that customers see.
    pub verified_name: String,
    /// `CONNECTED` sends; with any other status a send is refused with 133010.
    pub status: String,
    /// `GREEN`, `YELLOW` or `RED`; unknown for a number that is not connected.
    pub quality: String,
    /// Number of people that it may begin to write to in a day, such as `TIER_1K`.
    pub messaging_limit: String,
    /// PIN of the two-step verification; `None` to take over the first that it is registered with.
    pub pin: Option<String>,
}

impl Number {
    /// Returns a connected number.
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
    /// Decimal digits.
    pub id: String,
    pub name: String,
    /// Token that sees it and its Instagram account.
    pub token: SecretString,
    /// Whether the app gets its webhooks from the start, every field of them. Default: yes.
    pub subscribed: bool,
    /// Instagram account that is linked to it.
    pub instagram: Option<InstagramAccount>,
}

impl Page {
    /// Returns a page without an Instagram account, subscribed to webhooks.
    pub fn new(id: impl Into<String>, name: impl Into<String>, token: impl Into<SecretString>) -> Self {
        Self { id: id.into(), name: name.into(), token: token.into(), subscribed: true, instagram: None }
    }
}

/// A professional Instagram account.
#[derive(Debug, Clone)]
pub struct InstagramAccount {
    /// Decimal digits.
    pub id: String,
    /// User name, without `@`.
    pub username: String,
}

impl InstagramAccount {
    /// Returns an account with this id and user name.
    pub fn new(id: impl Into<String>, username: impl Into<String>) -> Self {
        Self { id: id.into(), username: username.into() }
    }
}

/// A step in a message's delivery. On Messenger and Instagram `Sent` is the echo of the message; Instagram
/// has no `Delivered`, and neither has a `Failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Has left the network.
    Sent,
    /// Has reached a device.
    Delivered,
    /// Was seen by the person.
    Read,
    /// Will not arrive.
    Failed,
}

impl Status {
    /// Returns the status as on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }
}

/// Outcome of a free-form message outside the 24-hour window. Messenger and Instagram have no later failure:
/// there the message is refused at once unless the window is `Open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Window {
    /// Accepted; fails by webhook (131047), as it mostly does in production.
    #[default]
    FailsLater,
    /// Refused at once.
    Refused,
    /// Accepted: there is no window.
    Open,
}
