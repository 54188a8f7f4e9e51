//! A token between being listed and being chosen from: sealed, in the browser's hands, and nowhere else.

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use secrecy::{ExposeSecret, SecretString};
use time::OffsetDateTime;

use super::ports::ConnectError;
use crate::{
    ids::{SessionId, WorkspaceId},
    vault::{SealContext, Vault},
};

/// Time to choose after listing.
pub const OFFER_LIFE: Duration = Duration::from_mins(10);

/// Longest text that is opened, in bytes.
const LONGEST: usize = 16 * 1024;

fn place(workspace: WorkspaceId, session: SessionId) -> SealContext {
    SealContext::new("token_offers.sealed", workspace, session, format!("token-offer:{session}"))
}

/// Seals the token for this session and [`OFFER_LIFE`].
pub(super) fn seal(
    vault: &dyn Vault,
    workspace: WorkspaceId,
    session: SessionId,
    token: &SecretString,
    now: OffsetDateTime,
) -> Result<String, ConnectError> {
    let until = (now + OFFER_LIFE).unix_timestamp();
    let plain = format!("{until} {}", token.expose_secret());
    let sealed = vault.seal(plain.as_bytes(), &place(workspace, session)).map_err(|_| ConnectError::Offer)?;
    Ok(BASE64URL_NOPAD.encode(&sealed))
}

/// Opens a token that was sealed for this session, unless its time is over.
pub(super) fn open(
    vault: &dyn Vault,
    workspace: WorkspaceId,
    session: SessionId,
    offer: &str,
    now: OffsetDateTime,
) -> Result<SecretString, ConnectError> {
    let open = || {
        let sealed = BASE64URL_NOPAD.decode(offer.as_bytes()).ok().filter(|_| offer.len() <= LONGEST)?;
        let plain = vault.open(&sealed, &place(workspace, session)).ok()?;
        let plain = String::from_utf8(plain).ok()?;
        let (until, token) = plain.split_once(' ')?;
        let is_good = now.unix_timestamp() < until.parse().ok()?;
        is_good.then(|| SecretString::from(token))
    };
    open().ok_or(ConnectError::Offer)
}
