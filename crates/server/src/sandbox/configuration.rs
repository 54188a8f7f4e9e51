//! Writes the settings of a sandbox as a file, so that an operator's commands reach it.

use std::{
    fmt::Write as _,
    fs::OpenOptions,
    io::Write as _,
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use secrecy::ExposeSecret;

use super::{
    addresses::{loopback, url_of},
    database::SandboxDatabase,
    secrets::Secrets,
};
use crate::config::{ModelConfig, NetworkConfig};

pub(super) struct Addresses {
    pub(super) listen: SocketAddr,
    pub(super) admin: SocketAddr,
}

/// Writes the file, which only its owner can read, since it holds the sandbox's keys.
pub(super) fn write(
    database: &SandboxDatabase,
    secrets: &Secrets,
    network: &NetworkConfig,
    addresses: &Addresses,
    model: &ModelConfig,
) -> anyhow::Result<PathBuf> {
    let allowed = loopback().iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let app_id = network.app_id.map(|id| id.to_string()).unwrap_or_default();
    let sign_up = network.sign_up.as_ref().map_or("", |sign_up| sign_up.configuration.as_str());
    let Addresses { listen, admin } = addresses;
    let (public_url, listen, admin_listen) = (url_of(*listen)?, listen.to_string(), admin.to_string());
    let model = &model.first;
    let model_key = model.key.as_ref().map_or("", ExposeSecret::expose_secret);
    let files = database.files_folder().display().to_string();
    let settings = [
        ("database_url", database.url()),
        ("master_key", &secrets.master_key),
        ("app_secret", &secrets.app_secret),
        ("app_id", &app_id),
        ("verify_token", &secrets.verify_token),
        ("graph_url", network.graph_url.as_str()),
        ("graph_version", &network.graph_version),
        ("dialog_url", network.graph_url.as_str()),
        ("sign_up_configuration", sign_up),
        ("public_url", public_url.as_str()),
        ("listen", &listen),
        ("admin_listen", &admin_listen),
        ("files_folder", &files),
        ("allow_networks", &allowed),
        ("model_dialect", model.dialect.as_str()),
        ("model_url", model.base_url.as_str()),
        ("model_key", model_key),
        ("model_name", &model.model),
        ("log", "warn"),
    ];
    let mut text = String::from("# A sandbox\'s; it is removed when the sandbox ends.\n");
    for (key, value) in settings {
        // A JSON string is also a TOML string.
        writeln!(text, "{key} = {}", serde_json::to_string(value)?)?;
    }
    let path = database.configuration();
    keep(&path, &text).with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
