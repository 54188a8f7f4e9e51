//! Reset links made by an operator.

use std::sync::Arc;

use time::OffsetDateTime;
use url::Url;

use super::{NewReset, ResetToken, VALID, ports::ResetStore};
use crate::{
    access::members::ports::MemberStore,
    audit::{Acting, Action},
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    ids::WorkspaceId,
    vault::Vault,
};

/// Reason why no link was made.
#[derive(Debug, thiserror::Error)]
pub enum LinkResetError {
    #[error("nobody on this workspace's team has this e-mail address")]
    Unknown,
    /// The member has no password yet that could be forgotten.
    #[error("they have not joined yet; `member invite` has a link for them")]
    NotJoined,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Link to hand over, shown once.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkedReset {
    pub link: Url,
    pub expires_at: OffsetDateTime,
}

/// Makes reset links that an operator hands over.
pub struct LinkReset {
    pub store: Arc<dyn ResetStore>,
    pub members: Arc<dyn MemberStore>,
    pub vault: Arc<dyn Vault>,
    pub public_url: Url,
    pub deps: Deps,
}

impl LinkReset {
    /// Makes a link by which the member chooses another password. Their second factor stays in force, unless
    /// `drops_factor`.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        email: &EmailAddress,
        drops_factor: bool,
    ) -> Result<LinkedReset, LinkResetError> {
        let team = self.members.team(workspace).await?;
        let member = team.iter().find(|member| member.email == *email).ok_or(LinkResetError::Unknown)?;
        let now = self.deps.clock.now();
        let token = ResetToken::generate(&*self.vault);
        let expires_at = now + VALID;
        let reset = NewReset {
            hash: token.hash(&*self.vault),
            member: member.id,
            mailed: false,
            drops_factor,
            created_at: now,
            expires_at,
        };
        let entry = Acting::operator(workspace).does(Action::ResetLinked, now, &*self.deps.ids).to(member.id);
        let entry = entry.with("dropsSecondFactor", drops_factor);
        if !self.store.add(workspace, &reset, &entry).await? {
            return Err(LinkResetError::NotJoined);
        }
        Ok(LinkedReset { link: token.link(&self.public_url), expires_at })
    }
}
