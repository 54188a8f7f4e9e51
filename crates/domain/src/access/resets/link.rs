//! An operator's link.

use std::sync::Arc;

use time::OffsetDateTime;
use url::Url;

use super::{NewReset, ResetToken, VALID, ports::ResetStore};
use crate::{
    access::{
        audit::{Acting, Action},
        members::{EmailAddress, ports::MemberStore},
    },
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
    vault::Vault,
};

/// It says why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum LinkResetError {
    /// Nobody on the team has this address.
    #[error("nobody on this workspace's team has this e-mail address")]
    Unknown,
    /// They have no password that they could have forgotten.
    #[error("they have not joined yet; `member invite` has a link for them")]
    NotJoined,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The link is to be handed over; it is shown once.
#[derive(Debug, PartialEq, Eq)]
pub struct LinkedReset {
    pub link: Url,
    /// The link works until then.
    pub expires_at: OffsetDateTime,
}

/// It makes links that an operator hands over.
pub struct LinkReset {
    pub store: Arc<dyn ResetStore>,
    pub members: Arc<dyn MemberStore>,
    pub vault: Arc<dyn Vault>,
    pub public_url: Url,
    pub deps: Deps,
}

impl LinkReset {
    /// Makes a link with which the member chooses another password. The second factor stays in force, unless
    /// it `drops_factor`.
    ///
    /// # Errors
    /// See [`LinkResetError`].
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
