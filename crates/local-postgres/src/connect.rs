//! Connections, and addresses of databases.

use tokio_postgres::{Client, NoTls};
use url::Url;

use crate::error::Error;

/// Returns the URL of another database on the server of `admin_url`.
///
/// # Errors
/// [`Error::Address`] if `admin_url` is not of the form `postgres://…`.
pub fn database_url(admin_url: &str, name: &str) -> Result<String, Error> {
    let mut address = Url::parse(admin_url).map_err(|_| Error::Address)?;
    if address.cannot_be_a_base() {
        return Err(Error::Address);
    }
    address.path_segments_mut().map_err(|()| Error::Address)?.clear().push(name);
    Ok(address.into())
}

pub(crate) async fn connect(address: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await?;
    // The task ends with its client, which also reports the connection's errors.
    tokio::spawn(connection);
    Ok(client)
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
