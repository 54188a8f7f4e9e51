//! Issuing, listing and revoking API keys.

use std::sync::Arc;

use super::{
    Caller,
    key::{ApiKeySecret, ListedKey},
    ports::KeyStore,
    scope::Scope,
};
use crate::{
    audit::{Acting, Action, Actor},
    deps::Deps,
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
    vault::Vault,
    workspaces::ports::WorkspaceStore,
};

/// Longest label, in characters.
const LONGEST_LABEL: usize = 100;
/// Most keys of a workspace that are not revoked.
const MOST_KEYS: u32 = 100;

/// Key that was just issued.
#[derive(Debug)]
pub struct IssuedKey {
    pub id: ApiKeyId,
    /// The key in clear, for the one time it is shown.
    pub secret: ApiKeySecret,
}

/// Reason why no key was issued.
#[derive(Debug, thiserror::Error)]
pub enum IssueKeyError {
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error("`label` must have 1 to 100 characters, white space at the ends not counted")]
    Label,
    #[error("a key needs at least one scope")]
    NoScopes,
    #[error("a workspace has at most {MOST_KEYS} API keys that are not revoked")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Issues a key.
pub struct IssueKey {
    pub keys: Arc<dyn KeyStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl IssueKey {
    /// Issues a key with `scopes`, sorted and without repeats. Its creator is the member who acts, or the
    /// owner if no member does.
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

/// Revokes a key, at once.
pub struct RevokeKey {
    pub keys: Arc<dyn KeyStore>,
    pub deps: Deps,
}

impl RevokeKey {
    /// Revokes a key; `false` if the workspace has no such key.
    pub async fn run(&self, acting: Acting, key: ApiKeyId) -> Result<bool, StoreError> {
        let entry = acting.does(Action::KeyRevoked, self.deps.clock.now(), &*self.deps.ids).to(key);
        self.keys.revoke(acting.workspace, key, &entry).await
    }
}

/// Lists a workspace's keys.
pub struct ListKeys {
    pub keys: Arc<dyn KeyStore>,
}

impl ListKeys {
    /// Lists all keys, revoked ones included, newest first.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError> {
        self.keys.list(workspace).await
    }
}
