//! Having a link mailed to oneself.

use std::{net::IpAddr, sync::Arc};

use url::Url;

use super::{
    NewReset, ResetToken, VALID,
    ports::{Reachable, ResetMail, ResetStore},
};
use crate::{
    access::{
        audit::{Acting, Action, Actor},
        members::{
            EmailAddress, Language,
            ports::{MailFailed, Mailer},
        },
        sessions::{Attempts, MEMBERSHIPS_TRIED, NoTry, Throttled},
    },
    deps::Deps,
    errors::StoreError,
    vault::Vault,
};

/// It says why nothing is mailed.
#[derive(Debug, thiserror::Error)]
pub enum AskResetError {
    /// No mail is set up.
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

/// It is a request that was let through. Whether anybody has the address is not looked at before it is
/// answered.
#[derive(Debug)]
pub struct AskedReset {
    email: EmailAddress,
    address: Option<IpAddr>,
}

/// It mails links for another password.
pub struct AskReset {
    pub store: Arc<dyn ResetStore>,
    pub attempts: Attempts,
    /// It mails links; `None` where no mail is set up.
    pub mailer: Option<Arc<dyn Mailer>>,
    pub vault: Arc<dyn Vault>,
    pub public_url: Url,
    pub deps: Deps,
}

impl AskReset {
    /// Lets a request through, for all addresses alike; `None` where nothing is to be mailed: what is no address, or
    /// one that was asked for three times within the hour.
    ///
    /// # Errors
    /// See [`AskResetError`].
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

    /// Mails a link for every workspace where somebody has the address, in place of those that were mailed earlier. Apart from the
    /// request, whose answer must not take longer where there is somebody. What could not be mailed is answered.
    ///
    /// # Errors
    /// Those of the store.
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
