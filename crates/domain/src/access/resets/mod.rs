//! The way back for who has forgotten their password: a link that works once, for an hour.

mod ask;
mod complete;
mod link;
mod policy;
pub mod ports;

pub use ask::{AskReset, AskResetError, AskedReset};
pub use complete::{CompleteReset, CompleteResetError};
pub use link::{LinkReset, LinkResetError, LinkedReset};
pub use policy::ResetPolicy;

use std::{fmt, time::Duration};

use time::OffsetDateTime;
use url::Url;

use super::{hex, members::EmailAddress};
use crate::{
    ids::{MemberId, WorkspaceId},
    vault::Vault,
};

/// How long a link works.
pub const VALID: Duration = Duration::from_hours(1);

/// What a link carries: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct ResetToken(String);

/// What is kept of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetHash(pub [u8; 32]);

impl ResetToken {
    /// A fresh one.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Takes what somebody presents.
    pub fn presented(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The hash to keep or to look up.
    pub fn hash(&self, vault: &dyn Vault) -> ResetHash {
        ResetHash(vault.keyed_hash("password-reset", self.0.as_bytes()))
    }

    /// The link, with the token behind `#`, which browsers send to nobody.
    fn link(&self, public_url: &Url) -> Url {
        let mut link = public_url.clone();
        link.set_path("/dashboard/password-reset");
        link.set_fragment(Some(&self.0));
        link
    }
}

impl fmt::Debug for ResetToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResetToken(…)")
    }
}

/// A link to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewReset {
    /// What is kept of its token.
    pub hash: ResetHash,
    /// Whose.
    pub member: MemberId,
    /// Whether it goes to their address and is shown to nobody.
    pub mailed: bool,
    /// Whether it rids them of their second factor.
    pub drops_factor: bool,
    /// Since when.
    pub created_at: OffsetDateTime,
    /// Until when it works.
    pub expires_at: OffsetDateTime,
}

/// A link that works, as whoever holds it may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReset {
    /// Where.
    pub workspace: WorkspaceId,
    /// What the workspace is called.
    pub workspace_name: String,
    /// Whose.
    pub member: MemberId,
    /// Their address.
    pub email: EmailAddress,
    /// Whether it was mailed to that address; otherwise an operator handed it over.
    pub mailed: bool,
    /// Until when it works.
    pub expires_at: OffsetDateTime,
}
