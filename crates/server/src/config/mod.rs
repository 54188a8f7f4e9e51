//! Configuration: read once and checked as a whole; an error says in one line what is wrong.

mod files;
mod settings;
mod source;

pub use files::{FilesConfig, FilesPlace, ModelConfig};
pub use settings::{SETTINGS, Setting, page, table};
pub use source::Source;

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

use adapter_vault::{HashKey, HashKeyError, Keyring, MasterKey, MasterKeyError};
use domain::vault::WrongKey;
use guarded_http::Policy;
use ipnet::IpNet;
use secrecy::SecretString;
use tls_trust::Trust;
use tracing_subscriber::{EnvFilter, filter::LevelFilter};
use url::Url;

/// Why a value of `MESSAGING_LOG` is refused.
const WHAT_IS_LOGGED: &str = "must be trace, debug, info, warn, error or off, or a filter such as \
                              `info,adapter_webhooks=debug`";

/// Fault in the configuration, with the setting's name and never with its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("configuration: {setting}: {problem}")]
pub struct ConfigError {
    /// Name of the variable, or of the file.
    pub setting: String,
    pub problem: String,
}

/// Work that a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Api,
    Dispatcher,
    /// Handles the networks' updates, reads templates and runs the background work.
    Worker,
}

impl Role {
    /// Returns the name that the setting and the metrics have.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dispatcher => "dispatcher",
            Self::Worker => "worker",
        }
    }
}

/// Settings of the Graph API, and of its webhook.
#[derive(Debug, Clone)]
pub struct NetworkConfig {
    pub graph_url: Url,
    pub graph_version: String,
    /// `None` where it is not set.
    pub app_id: Option<u64>,
    pub app_secret: SecretString,
    /// Embedded sign-up; `None` where it is not set up.
    pub sign_up: Option<SignUpConfig>,
    pub verify_token: SecretString,
    pub number_rate: u32,
    /// Whether requests are answered by other processes alone, which send from the same numbers.
    pub shares_numbers: bool,
}

#[derive(Debug, Clone)]
pub struct SignUpConfig {
    pub dialog: Url,
    pub app_id: u64,
    pub configuration: String,
}

/// Settings of the database and the master keys. Without `Debug`: the address may hold a password.
pub struct StoreConfig {
    pub database_url: String,
    /// Certificates trusted for the database and for everything else that is connected to.
    pub trust: Trust,
    /// Most connections.
    pub pool_size: usize,
    pub keys: Keyring,
}

/// Settings of serving besides the store and the network.
#[derive(Debug, Clone)]
pub struct ServeConfig {
    pub listen: SocketAddr,
    pub admin_listen: SocketAddr,
    pub roles: Vec<Role>,
    /// How long requests are still taken after the process was asked to end.
    pub stop_delay: Duration,
}

/// Settings of the dashboard and of mail.
#[derive(Debug, Clone, Default)]
pub struct DashboardConfig {
    /// Certificate that this process serves with; `None` where it does not end TLS.
    pub tls: Option<TlsConfig>,
    /// `None` where no mail is sent.
    pub mail: Option<MailConfig>,
    /// `None` where it is not set.
    pub public_url: Option<Url>,
    /// Proxies that are believed about whose request they pass on.
    pub trusted_proxies: Vec<IpNet>,
    /// Most bytes of an uploaded list of people.
    pub import_limit: usize,
    /// Whether browsers get cookies that may be sent without TLS: set by a sandbox on loopback, and by no
    /// setting.
    pub loopback_cookies: bool,
}

#[derive(Debug, Clone)]
pub struct TlsConfig {
    /// PEM file of the chain.
    pub certificate: PathBuf,
    /// PEM file of the private key.
    pub key: PathBuf,
}

/// Settings of outgoing mail.
#[derive(Debug, Clone)]
pub struct MailConfig {
    /// Address of the mail server, which may hold a password.
    pub server: SecretString,
    pub sender: String,
}

/// Settings of traces and metrics.
#[derive(Debug, Clone)]
pub struct TelemetryConfig {
    /// Address of the collector, above `v1/traces`.
    pub url: Url,
    /// Share of traces that are kept, from 0 to 1.
    pub share: f64,
}

#[derive(Debug, Clone)]
pub struct LogConfig {
    pub filter: String,
    pub json: bool,
}

impl Source {
    /// Lists every setting that is unset and has no default, whichever command needs it.
    pub fn missing(&self) -> Vec<ConfigError> {
        let needed = SETTINGS.iter().filter(|setting| setting.default.is_none());
        needed.filter_map(|setting| self.required(setting.key).err()).collect()
    }

    /// Returns the database's address alone, for `migrate`.
    pub fn database_url(&self) -> Result<String, ConfigError> {
        self.required("database_url").map(str::to_owned)
    }

    /// Parses what every command that touches the store needs.
    pub fn store(&self) -> Result<StoreConfig, ConfigError> {
        let pool_size: usize = self.parsed("pool_size", "must be a whole number from 1 to 1000")?;
        if !(1..=1000).contains(&pool_size) {
            return Err(self.wrong("pool_size", "must be a whole number from 1 to 1000"));
        }
        Ok(StoreConfig {
            database_url: self.database_url()?,
            trust: self.trust()?,
            pool_size,
            keys: self.keys()?,
        })
    }

    /// Parses which certificates are trusted.
    ///
    /// # Errors
    /// When the file of authorities cannot be used.
    pub fn trust(&self) -> Result<Trust, ConfigError> {
        match self.get("ca_file")? {
            "" => Ok(Trust::default()),
            file => {
                Trust::beside_system(file.into()).map_err(|error| self.wrong("ca_file", &error.to_string()))
            }
        }
    }

    pub fn keys(&self) -> Result<Keyring, ConfigError> {
        let key = |name: &str, text: &str| {
            MasterKey::parse(text).map_err(|error: MasterKeyError| self.wrong(name, &error.to_string()))
        };
        let current = key("master_key", self.required("master_key")?)?;
        let previous = self.list("previous_master_keys")?.map(|text| key("previous_master_keys", text));
        let keys = Keyring::new(current, previous.collect::<Result<_, _>>()?);
        let wrong = |error: HashKeyError| self.wrong("hash_key", &error.to_string());
        match self.get("hash_key")? {
            "" => Ok(keys),
            text => keys.with_hash_key(HashKey::parse(text).map_err(wrong)?).map_err(wrong),
        }
    }

    /// Returns the error of the setting whose key is another database's.
    pub fn wrong_key(&self, wrong: WrongKey) -> ConfigError {
        match wrong {
            WrongKey::Master => self.wrong(
                "master_key",
                "opens nothing that this database holds, nor does any of MESSAGING_PREVIOUS_MASTER_KEYS",
            ),
            WrongKey::Hash if self.says("hash_key") => {
                self.wrong("hash_key", "is not the one that this database's hashes were made with")
            }
            WrongKey::Hash => self.wrong(
                "hash_key",
                "is not set, and the oldest master key listed is not the one that this database's hashes were made with",
            ),
        }
    }

    pub fn network(&self) -> Result<NetworkConfig, ConfigError> {
        let graph_url: Url = self.parsed("graph_url", "must be a URL")?;
        if !graph_client::is_safe(&graph_url) {
            return Err(self.wrong("graph_url", "must be an https address, or http on loopback"));
        }
        let graph_version = self.required("graph_version")?.to_owned();
        let digits = graph_version.strip_prefix('v').unwrap_or_default();
        if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
            return Err(self.wrong("graph_version", "must look like v25.0"));
        }
        let sign_up = self.sign_up(&graph_version)?;
        Ok(NetworkConfig {
            graph_url,
            graph_version,
            sign_up,
            app_id: self.app_id()?,
            app_secret: self.required("app_secret")?.into(),
            verify_token: self.required("verify_token")?.into(),
            number_rate: self.parsed("number_rate", "must be a whole number")?,
            shares_numbers: !self.list("roles")?.any(|role| role == "api"),
        })
    }

    fn sign_up(&self, version: &str) -> Result<Option<SignUpConfig>, ConfigError> {
        let configuration = self.get("sign_up_configuration")?.to_owned();
        if configuration.is_empty() {
            return Ok(None);
        }
        if !configuration.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.wrong("sign_up_configuration", "must be digits"));
        }
        let Some(app_id) = self.app_id()? else {
            return Err(self.wrong("app_id", "must be set where sign_up_configuration is"));
        };
        let mut dialog: Url = self.parsed("dialog_url", "must be a URL")?;
        let wrong = || self.wrong("dialog_url", "must be an https address, or http on loopback");
        let is_near =
            dialog.host_str().is_some_and(|host| matches!(host, "127.0.0.1" | "localhost" | "[::1]"));
        if dialog.scheme() != "https" && !(dialog.scheme() == "http" && is_near) {
            return Err(wrong());
        }
        dialog.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().extend([version, "dialog", "oauth"]);
        Ok(Some(SignUpConfig { dialog, app_id, configuration }))
    }

    fn app_id(&self) -> Result<Option<u64>, ConfigError> {
        match self.get("app_id")? {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| self.wrong("app_id", "must be a whole number")),
        }
    }

    pub fn serve(&self) -> Result<ServeConfig, ConfigError> {
        let role = |name: &str| match name {
            "api" => Ok(Role::Api),
            "dispatcher" => Ok(Role::Dispatcher),
            "worker" => Ok(Role::Worker),
            _ => Err(self.wrong("roles", "must be any of api, dispatcher, worker, separated by commas")),
        };
        let roles: Vec<Role> = self.list("roles")?.map(role).collect::<Result<_, _>>()?;
        if roles.is_empty() {
            return Err(self.wrong("roles", "must name at least one of api, dispatcher, worker"));
        }
        let problem = "must be a whole number of seconds from 0 to 600";
        let stop_delay: u64 = self.parsed("stop_delay", problem)?;
        if stop_delay > 600 {
            return Err(self.wrong("stop_delay", problem));
        }
        Ok(ServeConfig {
            stop_delay: Duration::from_secs(stop_delay),
            listen: self.parsed("listen", "must be an address and a port, such as 127.0.0.1:8080")?,
            admin_listen: self
                .parsed("admin_listen", "must be an address and a port, such as 127.0.0.1:9090")?,
            roles,
        })
    }

    pub fn dashboard(&self) -> Result<DashboardConfig, ConfigError> {
        let problem = "must be an address without a path, such as https://messages.example";
        let read = |text: &str| {
            let url: Option<Url> = text.parse().ok();
            let plain = |url: &Url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.path() == "/"
                    && url.query().is_none()
            };
            url.filter(plain).ok_or_else(|| self.wrong("public_url", problem))
        };
        let said = self.get("public_url")?;
        let public_url = if said.is_empty() { None } else { Some(read(said)?) };
        Ok(DashboardConfig {
            tls: self.tls()?,
            mail: self.mail()?,
            public_url,
            trusted_proxies: self.ranges("trusted_proxies")?,
            import_limit: self.parsed("import_limit", "must be a whole number of bytes")?,
            loopback_cookies: false,
        })
    }

    fn tls(&self) -> Result<Option<TlsConfig>, ConfigError> {
        let certificate = self.get("tls_certificate")?;
        if certificate.is_empty() {
            return self.nothing_beside("tls_certificate", &["tls_key"]).map(|()| None);
        }
        Ok(Some(TlsConfig { certificate: certificate.into(), key: self.required("tls_key")?.into() }))
    }

    /// Refuses settings of something that is not set up: they would be overlooked in silence.
    fn nothing_beside(&self, missing: &str, of_it: &[&str]) -> Result<(), ConfigError> {
        for key in of_it {
            if !self.get(key)?.is_empty() {
                return Err(self.wrong(missing, &format!("is empty, though {key} is set")));
            }
        }
        Ok(())
    }

    fn mail(&self) -> Result<Option<MailConfig>, ConfigError> {
        let server = self.get("smtp_url")?;
        if server.is_empty() {
            return Ok(None);
        }
        Ok(Some(MailConfig { server: server.into(), sender: self.required("mail_from")?.to_owned() }))
    }

    /// Returns the base of an operator's links.
    pub fn invitation_url(&self) -> Result<Url, ConfigError> {
        let listen = || {
            format!("http://{}", self.required("listen")?)
                .parse()
                .map_err(|_| self.wrong("listen", "is no address"))
        };
        self.dashboard()?.public_url.map_or_else(listen, Ok)
    }

    /// Parses which addresses webhooks may go to.
    pub fn policy(&self) -> Result<Policy, ConfigError> {
        Ok(Policy { allowed: self.ranges("allow_networks")? })
    }

    fn ranges(&self, key: &str) -> Result<Vec<IpNet>, ConfigError> {
        let problem = "must be CIDR ranges such as 10.1.0.0/16, separated by commas";
        let range = |text: &str| text.parse::<IpNet>().map_err(|_| self.wrong(key, problem));
        self.list(key)?.map(range).collect()
    }

    pub fn log(&self) -> Result<LogConfig, ConfigError> {
        let json = match self.required("log_format")? {
            "text" => false,
            "json" => true,
            _ => return Err(self.wrong("log_format", "must be text or json")),
        };
        let filter = self.required("log")?;
        // `EnvFilter` takes a lone word, or a level after a space, for a target to log in full, so that a
        // mistyped level would switch the rest off.
        let is_mistyped = |part: &str| !part.contains(['=', '[']) && part.parse::<LevelFilter>().is_err();
        let mut parts = filter.split(',').filter(|part| !part.is_empty());
        if parts.any(is_mistyped) || EnvFilter::try_new(filter).is_err() {
            return Err(self.wrong("log", WHAT_IS_LOGGED));
        }
        Ok(LogConfig { filter: filter.to_owned(), json })
    }

    /// Parses where traces and metrics go; `None` for nowhere.
    pub fn telemetry(&self) -> Result<Option<TelemetryConfig>, ConfigError> {
        let rule = "must be a number from 0 to 1";
        let share: f64 = self.parsed("otlp_share", rule)?;
        if !(0.0..=1.0).contains(&share) {
            return Err(self.wrong("otlp_share", rule));
        }
        let said = self.get("otlp_url")?;
        if said.is_empty() {
            return Ok(None);
        }
        let url =
            Url::parse(said).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
        let url =
            url.ok_or_else(|| self.wrong("otlp_url", "must be an address such as http://127.0.0.1:4318"))?;
        Ok(Some(TelemetryConfig { url, share }))
    }

    fn parsed<T: FromStr>(&self, key: &str, problem: &str) -> Result<T, ConfigError> {
        self.required(key)?.parse().map_err(|_| self.wrong(key, problem))
    }

    fn list(&self, key: &str) -> Result<impl Iterator<Item = &str>, ConfigError> {
        Ok(self.get(key)?.split(',').map(str::trim).filter(|part| !part.is_empty()))
    }
}

#[cfg(test)]
mod tests;
