//! Making, listing and revoking keys.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    ApiKeySecret, Caller, Scope,
    audit::{Acting, Action, Actor},
    ports::KeyStore,
};
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{ApiKeyId, MemberId, WorkspaceId},
    vault::Vault,
    workspaces::ports::WorkspaceStore,
};

/// A key's label has at most so many characters.
const LONGEST_LABEL: usize = 100;
/// A workspace has at most so many keys that are not revoked.
pub const MOST_KEYS: u32 = 100;

/// The key was just made.
#[derive(Debug)]
pub struct IssuedKey {
    /// Revoking names this id.
    pub id: ApiKeyId,
    /// It is the key itself, for the one time it is shown.
    pub secret: ApiKeySecret,
}

/// It says why no key was made.
#[derive(Debug, thiserror::Error)]
pub enum IssueKeyError {
    /// There is no such workspace.
    #[error("there is no such workspace")]
    UnknownWorkspace,
    /// The label is empty, or has more than 100 characters.
    #[error("`label` must have 1 to 100 characters, white space at the ends not counted")]
    Label,
    /// A key without a scope opens nothing.
    #[error("a key needs at least one scope")]
    NoScopes,
    /// There are as many as there may be.
    #[error("a workspace has at most {MOST_KEYS} API keys that are not revoked")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It makes a key.
pub struct IssueKey {
    pub keys: Arc<dyn KeyStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl IssueKey {
    /// Makes the new key, with `scopes` in their order without repeats. Its creator is the member who makes
    /// it, or the owner where an operator does.
    ///
    /// # Errors
    /// See [`IssueKeyError`].
    pub async fn run(
        &self,
        acting: Acting,
        label: &str,
        mut scopes: Vec<Scope>,
    ) -> Result<IssuedKey, IssueKeyError> {
        let workspace = acting.workspace;
        let label = label.trim();
        if label.is_empty() || label.chars().nth(LONGEST_LABEL).is_some() {
            return Err(IssueKeyError::Label);
        }
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(IssueKeyError::NoScopes);
        }
        let creator = match acting.actor {
            Actor::Member(member) => member,
            Actor::Operator | Actor::Stranger | Actor::Service => {
                self.workspaces.owner(workspace).await?.ok_or(IssueKeyError::UnknownWorkspace)?
            }
        };
        let secret = ApiKeySecret::generate(workspace, &*self.vault);
        let caller = Caller { workspace, key: ApiKeyId::new(&*self.deps.ids), creator, scopes };
        let opens: Vec<&str> = caller.scopes.iter().map(|scope| scope.as_str()).collect();
        let entry = acting.does(Action::KeyIssued, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(caller.key).with("label", label).with("scopes", opens);
        let hash = secret.hash(&*self.vault);
        if self.keys.add(workspace, &caller, hash, label, MOST_KEYS, &entry).await? {
            Ok(IssuedKey { id: caller.key, secret })
        } else {
            Err(IssueKeyError::TooMany)
        }
    }
}

/// It revokes a key, at once.
pub struct RevokeKey {
    pub keys: Arc<dyn KeyStore>,
    pub deps: Deps,
}

impl RevokeKey {
    /// Revokes it; `false` when the workspace has no such key.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, acting: Acting, key: ApiKeyId) -> Result<bool, StoreError> {
        let entry = acting.does(Action::KeyRevoked, self.deps.clock.now(), &*self.deps.ids).to(key);
        self.keys.revoke(acting.workspace, key, &entry).await
    }
}

/// It is a key as the workspace's owners see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedKey {
    pub id: ApiKeyId,
    pub creator: MemberId,
    pub label: String,
    pub scopes: Vec<Scope>,
    pub created_at: OffsetDateTime,
    /// The key opens nothing from then on; `None` while it works.
    pub revoked_at: Option<OffsetDateTime>,
    /// It was last used in this minute, as far as is known: a crash of the database forgets it.
    pub last_used_at: Option<OffsetDateTime>,
}

/// It lists a workspace's keys.
pub struct ListKeys {
    pub keys: Arc<dyn KeyStore>,
}

impl ListKeys {
    /// Lists all of them, revoked ones as well, newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError> {
        self.keys.list(workspace).await
    }
}
