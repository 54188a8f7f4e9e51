//! Asking for a reset link by mail.

use std::{net::IpAddr, sync::Arc};

use url::Url;

use super::{
    NewReset, ResetToken, VALID,
    ports::{Reachable, ResetMail, ResetStore},
};
use crate::{
    access::{
        members::{
            Language,
            ports::{MailFailed, Mailer},
        },
        sessions::{Attempts, MEMBERSHIPS_TRIED, NoTry, Throttled},
    },
    audit::{Acting, Action, Actor},
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    vault::Vault,
};

/// Reason why nothing is mailed.
#[derive(Debug, thiserror::Error)]
pub enum AskResetError {
    #[error("this service sends no mail; whoever runs it has a link for you")]
    NoMail,
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NoTry> for AskResetError {
    fn from(error: NoTry) -> Self {
        match error {
            NoTry::Throttled(throttled) => Self::Throttled(throttled),
            NoTry::Store(error) => Self::Store(error),
        }
    }
}

/// Request that was let through. Whether anybody has the address is looked up only after the answer.
#[derive(Debug)]
pub struct AskedReset {
    email: EmailAddress,
    address: Option<IpAddr>,
}

/// Mails reset links.
pub struct AskReset {
    pub store: Arc<dyn ResetStore>,
    pub attempts: Attempts,
    /// `None` if no mail is set up.
    pub mailer: Option<Arc<dyn Mailer>>,
    pub vault: Arc<dyn Vault>,
    pub public_url: Url,
    pub deps: Deps,
}

impl AskReset {
    /// Lets a request through, for all addresses alike; `None` if nothing is to be mailed, because the text
    /// is no address, or one that was asked for three times within the hour already.
    pub async fn admit(
        &self,
        email: &str,
        address: Option<IpAddr>,
    ) -> Result<Option<AskedReset>, AskResetError> {
        if self.mailer.is_none() {
            return Err(AskResetError::NoMail);
        }
        self.attempts.take_from(address).await?;
        let Some(email) = EmailAddress::presented(email) else { return Ok(None) };
        let few = self.attempts.may_mail(email.as_str()).await?;
        Ok(few.then_some(AskedReset { email, address }))
    }

    /// Mails a link for each workspace that the address signs in to and that has links mailed,
    /// [`MEMBERSHIPS_TRIED`] at most, in place of links mailed earlier; returns the mails that failed. Runs
    /// apart from the request, whose answer must not take longer where somebody has the address.
    pub async fn send(&self, asked: &AskedReset) -> Result<Vec<MailFailed>, StoreError> {
        let Some(mailer) = &self.mailer else { return Ok(Vec::new()) };
        let mut failed = Vec::new();
        for member in self.store.reachable(&asked.email, MEMBERSHIPS_TRIED).await? {
            let Some(link) = self.link(&member, asked.address).await? else { continue };
            let Reachable { workspace_name, locale, language, .. } = member;
            let language = language.unwrap_or_else(|| Language::of_locale(&locale));
            let mail = ResetMail { to: asked.email.clone(), workspace_name, language, link };
            failed.extend(mailer.reset(&mail).await.err());
        }
        Ok(failed)
    }

    async fn link(&self, member: &Reachable, address: Option<IpAddr>) -> Result<Option<Url>, StoreError> {
        let now = self.deps.clock.now();
        let token = ResetToken::generate(&*self.vault);
        let reset = NewReset {
            hash: token.hash(&*self.vault),
            member: member.member,
            mailed: true,
            drops_factor: false,
            created_at: now,
            expires_at: now + VALID,
        };
        let acting = Acting { workspace: member.workspace, actor: Actor::Stranger, address };
        let entry = acting.does(Action::ResetMailed, now, &*self.deps.ids).to(member.member);
        let kept = self.store.add(member.workspace, &reset, &entry).await?;
        Ok(kept.then(|| token.link(&self.public_url)))
    }
}
