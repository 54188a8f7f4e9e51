//! Databases on a server: created, cloned from a template, dropped.

use std::future::Future;

use crate::connect::{connect, database_url, quoted};
use crate::error::Error;
use crate::nodes::Nodes;

/// Advisory lock, together with a template's name, for the template's creation; a number that this product
/// uses for nothing else.
const TEMPLATE_LOCK: i32 = 0x6d73_6774;

const IS_KNOWN: &str = "SELECT 1 FROM pg_database WHERE datname = $1";

/// Creates the database `name` on the server of `admin_url`, as a copy of `template` if given, and returns
/// its URL. Nobody may be connected to the template. A template that also exists on the workers of a Citus
/// cluster is copied there, too.
///
/// # Errors
/// [`Error::Sql`] if the server refuses, such as for a name that is taken; [`Error::Address`].
pub async fn create_database(admin_url: &str, name: &str, template: Option<&str>) -> Result<String, Error> {
    let address = database_url(admin_url, name)?;
    let Some(template) = template else {
        connect(admin_url).await?.batch_execute(&format!("CREATE DATABASE {}", quoted(name))).await?;
        return Ok(address);
    };
    Nodes::of(admin_url).await?.copy(template, name).await?;
    Ok(address)
}

/// Drops the database, if it exists, and the connections to it.
pub async fn drop_database(admin_url: &str, name: &str) -> Result<(), Error> {
    let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name));
    Nodes::of(admin_url).await?.run_everywhere(&statement).await
}

/// Returns whether `admin_url` leads to a Citus coordinator with workers, over which templates are spread.
pub async fn is_cluster(admin_url: &str) -> Result<bool, Error> {
    Ok(Nodes::of(admin_url).await?.is_cluster())
}

/// Creates the template database `name` by running `prepare` on the URL of an empty one, or of a copy of the
/// template `from`; once, however many tests and processes ask for it at the same time. A name that tells its
/// contents (a hash of the migrations) is never out of date.
///
/// # Errors
/// [`Error::Template`] with the error of `prepare`; [`Error::Sql`] if the server refuses.
pub async fn ensure_template<F, E>(
    admin_url: &str,
    name: &str,
    from: Option<&str>,
    prepare: impl FnOnce(String) -> F,
) -> Result<(), Error>
where
    F: Future<Output = Result<(), E>>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let admin = connect(admin_url).await?;
    if admin.query_opt(IS_KNOWN, &[&name]).await?.is_some() {
        return Ok(());
    }
    // Held until this connection closes. Other templates can be prepared meanwhile.
    admin.execute("SELECT pg_advisory_lock($1, hashtext($2))", &[&TEMPLATE_LOCK, &name]).await?;
    if admin.query_opt(IS_KNOWN, &[&name]).await?.is_some() {
        return Ok(());
    }
    // The leftovers of a failed preparation never get the template's name.
    let unfinished = format!("{name}_unfinished");
    drop_database(admin_url, &unfinished).await?;
    let nodes = Nodes::of(admin_url).await?;
    if from.is_some() {
        create_database(admin_url, &unfinished, from).await?;
    } else {
        nodes.run_everywhere(&format!("CREATE DATABASE {}", quoted(&unfinished))).await?;
        nodes.unite(&unfinished).await?;
    }
    prepare(database_url(admin_url, &unfinished)?).await.map_err(|error| Error::Template(error.into()))?;
    // Connections that `prepare` has closed may need a moment to end; nobody else may hold one.
    nodes.end_connections(&unfinished, true).await?;
    nodes.run_everywhere(&format!("ALTER DATABASE {} RENAME TO {}", quoted(&unfinished), quoted(name))).await
}
