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

/// A link works for so long.
pub const VALID: Duration = Duration::from_hours(1);

/// The link carries it: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct ResetToken(String);

/// The store keeps this of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetHash(pub [u8; 32]);

impl ResetToken {
    /// Makes one from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Takes what somebody presents, without the blanks around it.
    pub fn presented(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the hash by which it is kept and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> ResetHash {
        ResetHash(vault.keyed_hash("password-reset", self.0.as_bytes()))
    }

    /// Returns the link, with the token behind `#`, which browsers send to nobody.
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

/// The store keeps this of a new link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewReset {
    pub hash: ResetHash,
    pub member: MemberId,
    /// It says whether the link goes to their address and is shown to nobody.
    pub mailed: bool,
    /// It is true where the link also rids them of their second factor.
    pub drops_factor: bool,
    pub created_at: OffsetDateTime,
    /// The link works until then.
    pub expires_at: OffsetDateTime,
}

/// It is a link that works, as whoever holds it may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReset {
    pub workspace: WorkspaceId,
    pub workspace_name: String,
    pub member: MemberId,
    pub email: EmailAddress,
    /// It says whether the link was mailed to that address; otherwise an operator handed it over.
    pub mailed: bool,
    /// The link works until then.
    pub expires_at: OffsetDateTime,
}
