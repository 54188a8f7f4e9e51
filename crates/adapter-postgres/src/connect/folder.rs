//! Connecting to a server on this machine by its socket in a folder.

use std::{path::Path, time::Duration};

use diesel::ConnectionError;
use tokio::{net::UnixStream, time::timeout};
use tokio_postgres::{Client, Config, Connection, NoTls, config::Host, tls::NoTlsStream};

use super::{CONNECT_TIMEOUT, bad, states::Stated};

/// A server's default port, which is part of its socket's name.
const DEFAULT_PORT: u16 = 5432;

pub(super) async fn connect(
    config: &Config,
) -> Result<(Client, Connection<Stated<UnixStream>, NoTlsStream>), ConnectionError> {
    let ports = config.get_ports();
    let within = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
    let mut failed = ConnectionError::BadConnection("no folder is named".to_owned());
    for (at, host) in config.get_hosts().iter().enumerate() {
        let Host::Unix(folder) = host else { continue };
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(DEFAULT_PORT);
        let connected = match socket(folder, port, within).await {
            Ok(socket) => config.connect_raw(Stated::over(socket), NoTls).await.map_err(|error| bad(&error)),
            Err(error) => Err(error),
        };
        match connected {
            Ok(connected) => return Ok(connected),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

async fn socket(folder: &Path, port: u16, within: Duration) -> Result<UnixStream, ConnectionError> {
    let path = folder.join(format!(".s.PGSQL.{port}"));
    let unreachable =
        |why: String| ConnectionError::BadConnection(format!("error connecting to server: {why}"));
    match timeout(within, UnixStream::connect(path)).await {
        Ok(connected) => connected.map_err(|error| unreachable(error.to_string())),
        Err(_) => Err(unreachable("connection timed out".to_owned())),
    }
}
