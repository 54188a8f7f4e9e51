//! The text of an API key, and the hash that is stored of it.

use std::fmt;

use time::OffsetDateTime;

use super::scope::Scope;
use crate::{
    hex::hex,
    ids::{ApiKeyId, MemberId, WorkspaceId},
    vault::Vault,
};

const PREFIX: &str = "msk_";
/// Hexadecimal digits of 256 bits.
const DIGITS: usize = 64;
/// Hexadecimal digits of a workspace's id.
const WORKSPACE_DIGITS: usize = 32;

/// API key as its holder has it: `msk_`, 256 random bits, and the id of its workspace, which keys of earlier
/// releases lack. Shown once, never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeySecret(String);

/// Hash of a key, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApiKeyHash(pub [u8; 32]);

impl ApiKeySecret {
    /// Generates a key of the workspace.
    pub fn generate(workspace: WorkspaceId, vault: &dyn Vault) -> Self {
        Self(format!("{PREFIX}{}{}", hex(&vault.random()), workspace.uuid().simple()))
    }

    /// Parses what a caller sent; `None` if it cannot be one of our keys, which saves the look-up.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let is_long_enough = [DIGITS, DIGITS + WORKSPACE_DIGITS].contains(&digits.len());
        let well_formed = is_long_enough && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        well_formed.then(|| Self(text.to_owned()))
    }

    /// Returns whether the key may open the workspace that is stored beside its hash. Whoever can write to
    /// the database may have put another one there; the workspace that a key names is part of its hash.
    pub fn is_of(&self, workspace: WorkspaceId) -> bool {
        let named = self.0.get(PREFIX.len() + DIGITS..).filter(|named| !named.is_empty());
        named.is_none_or(|named| named == workspace.uuid().simple().to_string())
    }

    /// Returns the key in clear, for the one time it is shown.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash by which the key is stored and looked up.
    pub fn hash(&self, vault: &dyn Vault) -> ApiKeyHash {
        ApiKeyHash(vault.keyed_hash("api-key", self.0.as_bytes()))
    }
}

impl fmt::Debug for ApiKeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKeySecret(…)")
    }
}

/// Key as the workspace's owners see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedKey {
    pub id: ApiKeyId,
    pub creator: MemberId,
    pub label: String,
    pub scopes: Vec<Scope>,
    pub created_at: OffsetDateTime,
    /// Time from which the key opens nothing; `None` while it works.
    pub revoked_at: Option<OffsetDateTime>,
    /// Minute of the last use, as far as is known: a crash of the database may forget it.
    pub last_used_at: Option<OffsetDateTime>,
}

#[cfg(test)]
mod tests {
    use super::ApiKeySecret;
    use crate::{testing::a_workspace, vault::MockVault};

    #[test]
    fn a_fresh_key_is_recognised_and_does_not_print() {
        let mut vault = MockVault::new();
        vault.expect_random().return_const([0xab; 32]);
        let workspace = a_workspace().id;
        let key = ApiKeySecret::generate(workspace, &vault);
        assert_eq!(ApiKeySecret::read(key.reveal()), Some(key.clone()));
        assert_eq!(format!("{key:?}"), "ApiKeySecret(…)");
        assert!(key.is_of(workspace) && !key.is_of(uuid::Uuid::nil().into()));
    }

    #[test]
    fn a_key_of_an_earlier_release_names_no_workspace() {
        let key = ApiKeySecret::read(&format!("msk_{}", "ab".repeat(32))).unwrap();
        assert!(key.is_of(a_workspace().id) && key.is_of(uuid::Uuid::nil().into()));
    }

    #[test]
    fn what_cannot_be_a_key_is_told_without_a_look_up() {
        for text in
            ["", "msk_", "whsec_00", &format!("msk_{}", "g".repeat(64)), &format!("msk_{}", "a".repeat(63))]
        {
            assert_eq!(ApiKeySecret::read(text), None, "{text}");
        }
    }
}
