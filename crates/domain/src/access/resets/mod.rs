//! Reset of a forgotten password, by a link that works once, for an hour.

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

use crate::{
    email::EmailAddress,
    hex::hex,
    ids::{MemberId, WorkspaceId},
    vault::Vault,
};

/// Time for which a link works.
pub const VALID: Duration = Duration::from_hours(1);

/// Secret in a reset link: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct ResetToken(String);

/// Hash of a token, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetHash(pub [u8; 32]);

impl ResetToken {
    /// Generates a token from fresh random bits.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(hex(&vault.random()))
    }

    /// Takes a presented token, without the blanks around it.
    pub fn presented(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Returns the hash by which the token is stored and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> ResetHash {
        ResetHash(vault.keyed_hash("password-reset", self.0.as_bytes()))
    }

    /// Returns the link, with the token behind `#`: browsers send that part to nobody.
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

/// New link, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewReset {
    pub hash: ResetHash,
    pub member: MemberId,
    /// Whether the link is mailed to the member and shown to nobody.
    pub mailed: bool,
    /// Whether the link also removes the member's second factor.
    pub drops_factor: bool,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

/// Link that works, as its holder may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReset {
    pub workspace: WorkspaceId,
    pub workspace_name: String,
    pub member: MemberId,
    pub email: EmailAddress,
    /// Whether the link was mailed to `email`; otherwise an operator handed it over.
    pub mailed: bool,
    pub expires_at: OffsetDateTime,
}
