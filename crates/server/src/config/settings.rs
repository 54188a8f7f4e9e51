//! All settings: `MESSAGING_<KEY>` in the environment, or `<key>` in the TOML file.

use std::iter;

#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub key: &'static str,
    /// Value of an unset setting; `None` where it must be set.
    pub default: Option<&'static str>,
    pub help: &'static str,
}

const fn needed(key: &'static str, help: &'static str) -> Setting {
    Setting { key, default: None, help }
}

const fn optional(key: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { key, default: Some(default), help }
}

pub const SETTINGS: &[Setting] = &[
    needed("database_url", "postgres:// address of the database"),
    needed("master_key", "64 hexadecimal digits; seals tokens and secrets. `openssl rand -hex 32` makes one"),
    optional(
        "previous_master_keys",
        "",
        "other master keys that open what they sealed, the newest first, separated by commas",
    ),
    optional(
        "hash_key",
        "",
        "what `master-key hash-key` prints; without it, keyed hashes need the oldest master key listed",
    ),
    needed("app_secret", "secret of the app at the network; signs its webhooks"),
    optional("app_id", "", "id of the app at the network; tells its own echoes on pages from other apps'"),
    optional(
        "sign_up_configuration",
        "",
        "id of the configuration of the network's embedded sign-up; with it and the app's id, owners can connect by the network's dialog",
    ),
    optional("dialog_url", "https://www.facebook.com", "address of the network's dialogs"),
    needed("verify_token", "token agreed with the network for the webhook's handshake"),
    optional("graph_url", "https://graph.facebook.com", "address of the Graph API"),
    optional("graph_version", "v25.0", "version of the Graph API"),
    optional(
        "number_rate",
        "80",
        "messages a second of a WhatsApp number; 1000 once the network has raised it",
    ),
    optional(
        "public_url",
        "",
        "where browsers reach the dashboard and links to files lead, such as https://messages.example; else the listening address",
    ),
    optional(
        "trusted_proxies",
        "",
        "CIDR ranges of proxies whose X-Forwarded-For is believed, separated by commas",
    ),
    optional(
        "import_limit",
        "67108864",
        "most bytes of a list of people at the dashboard; `contacts import` takes longer ones",
    ),
    optional("tls_certificate", "", "PEM file of the served certificate chain"),
    optional("tls_key", "", "PEM file of its private key"),
    optional(
        "ca_file",
        "",
        "PEM file of authorities beside the system's, for webhooks, mail, the bucket, transcription and the database",
    ),
    optional(
        "smtp_url",
        "",
        "mail server for invitations and links for another password, such as smtps://user:password@mail.example",
    ),
    optional("mail_from", "", "whom mail comes from, such as `Messages <no-reply@shop.example>`"),
    optional(
        "listen",
        "127.0.0.1:8080",
        "address and port of the API and of the network's webhook (role api)",
    ),
    optional("admin_listen", "127.0.0.1:9090", "address and port of /metrics, /healthz and /readyz"),
    optional(
        "stop_delay",
        "5",
        "seconds for which a node that is asked to end still takes requests, 0 to 600",
    ),
    optional("files_folder", "files", "folder that customers' files are kept in, unless there is a bucket"),
    optional("s3_bucket", "", "bucket that customers' files are kept in instead"),
    optional("s3_endpoint", "", "address of the bucket's service, where it is not Amazon's"),
    optional("s3_region", "us-east-1", "region of the bucket"),
    optional("s3_access_key_id", "", "id of the key that opens the bucket"),
    optional("s3_secret_access_key", "", "the key that opens the bucket"),
    optional(
        "transcription_url",
        "",
        "address above `audio/transcriptions` of a service that renders voice notes as words",
    ),
    optional("transcription_key", "", "what opens that service"),
    optional("transcription_model", "whisper-1", "which of its models renders them"),
    optional(
        "model_dialect",
        "openai",
        "dialect of the language model's server: `openai` (as most servers of one's own), `anthropic` or `gemini`",
    ),
    optional(
        "model_url",
        "",
        "address of the language model's server; with a key alone, the dialect's vendor. Without either there is no assistant",
    ),
    optional("model_key", "", "what opens that server"),
    optional("model_name", "", "which of its models answers"),
    optional(
        "model_price",
        "",
        "what a million tokens cost that it reads and writes, and as of when: `0.15 0.60 USD 2026-11-01`; without it, \
         no limit of money can be set",
    ),
    optional(
        "model_own_keys",
        "refused",
        "`allowed` or `refused`: workspaces may have that model asked with a key of their own, at their own cost",
    ),
    optional(
        "model_pictures",
        "refused",
        "`read` if that model reads pictures: it is shown those of a waiting customer, who otherwise gets a person; or \
         `refused`",
    ),
    optional("fallback_model_dialect", "openai", "dialect of a second language model's server"),
    optional(
        "fallback_model_url",
        "",
        "address of that server, which is asked where the first model fails; with a key alone, the vendor's",
    ),
    optional("fallback_model_key", "", "what opens that server"),
    optional("fallback_model_name", "", "which of its models answers"),
    optional("fallback_model_price", "", "what its tokens cost, in the same currency"),
    optional("pool_size", "16", "database connections at most, 1 to 1000"),
    optional("roles", "api,dispatcher,worker", "what this process does, any of api, dispatcher, worker"),
    optional(
        "allow_networks",
        "",
        "CIDR ranges that webhooks and workspaces' systems may be in although they are not public, separated by commas",
    ),
    optional("log", "info", "what is logged, such as `info` or `info,adapter_webhooks=debug`"),
    optional("log_format", "text", "`text` or `json`"),
    optional(
        "otlp_url",
        "",
        "collector of traces and metrics by OTLP over HTTP, such as http://127.0.0.1:4318",
    ),
    optional("otlp_share", "1", "share of the traces that are sent, from 0 to 1"),
];

impl Setting {
    /// Returns its name in the environment.
    pub fn variable(&self) -> String {
        format!("MESSAGING_{}", self.key.to_ascii_uppercase())
    }
}

/// Renders all settings as a table for a person.
pub fn table() -> String {
    let lines = SETTINGS.iter().flat_map(|setting| {
        let default = match setting.default {
            None => "required".to_owned(),
            Some("") => "default: none".to_owned(),
            Some(default) => format!("default: {default}"),
        };
        [setting.variable(), format!("    {} ({default})", setting.help)]
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Renders all settings as the page `docs/run/settings.md`.
pub fn page() -> String {
    let head = "# Settings\n\nEach is a variable of the environment, or its lower-case name without `MESSAGING_` \
                in the TOML file that `--config` names; the environment wins. Made by `messaging-service \
                settings --markdown`.\n\n| variable | default | what it is |\n|---|---|---|\n";
    let rows = SETTINGS.iter().map(|setting| {
        let default = match setting.default {
            None => "*required*".to_owned(),
            Some("") => "none".to_owned(),
            Some(default) => format!("`{default}`"),
        };
        format!("| `{}` | {default} | {} |\n", setting.variable(), setting.help)
    });
    iter::once(head.to_owned()).chain(rows).collect()
}
