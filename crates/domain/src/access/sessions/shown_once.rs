//! Texts that the page after a form shows once, such as a secret just made: sealed, held by the browser and
//! nowhere else.

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use time::OffsetDateTime;

use super::{Session, list::Sessions};
use crate::vault::{SealContext, Vault, VaultError};

/// Time within which the page must be asked for.
pub const SHOWN_WITHIN: Duration = Duration::from_mins(1);

/// Longest sealed text that is opened, in bytes: browsers keep no longer cookie.
const LONGEST: usize = 4096;

/// Returns the place of a sealed text, which opens for one session and one page only.
fn place(session: &Session, page: &str) -> SealContext {
    let row = format!("{}{page}", session.id);
    SealContext::new("shown_once.sealed", session.workspace, &row, format!("shown-once:{row}"))
}

fn open(
    vault: &dyn Vault,
    session: &Session,
    page: &str,
    sealed: &str,
    now: OffsetDateTime,
) -> Option<String> {
    let bytes = BASE64URL_NOPAD.decode(sealed.as_bytes()).ok().filter(|_| sealed.len() <= LONGEST)?;
    let plain = String::from_utf8(vault.open(&bytes, &place(session, page)).ok()?).ok()?;
    let (until, text) = plain.split_once(' ')?;
    (now.unix_timestamp() < until.parse().ok()?).then(|| text.to_owned())
}

impl Sessions {
    /// Seals a text for this session, the page at this path, and [`SHOWN_WITHIN`].
    pub fn seal_once(&self, session: &Session, page: &str, text: &str) -> Result<String, VaultError> {
        let until = (self.deps.clock.now() + SHOWN_WITHIN).unix_timestamp();
        let plain = format!("{until} {text}");
        let sealed = self.vault.seal(plain.as_bytes(), &place(session, page))?;
        Ok(BASE64URL_NOPAD.encode(&sealed))
    }

    /// Opens what [`Self::seal_once`] made for this session and page; `None` for anything else, or too late.
    pub fn open_once(&self, session: &Session, page: &str, sealed: &str) -> Option<String> {
        open(&*self.vault, session, page, sealed, self.deps.clock.now())
    }
}
