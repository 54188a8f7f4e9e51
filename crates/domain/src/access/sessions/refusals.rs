//! Refused sign-ins in the log of changes: one entry for all of a kind in a window.

use std::{net::IpAddr, sync::Arc};

use serde_json::Value;
use time::OffsetDateTime;

use super::{
    Session,
    attempts::{AttemptWindow, MEMBERSHIPS_TRIED},
    ports::{Credentials, SessionStore},
};
use crate::{
    access::members::Member,
    audit::{Acting, Action, Actor, AuditEntry},
    clock::rfc3339_ms,
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    vault::Vault,
};

/// Most entries of refused sign-ins listed for a member.
const SHOWN: u32 = 20;

/// Credential that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedCredential {
    Password,
    /// Wrong code after a right password.
    Code,
}

impl RefusedCredential {
    /// Returns the word in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
        }
    }
}

/// Refused sign-in as a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    pub workspace: WorkspaceId,
    /// Member as whom somebody tried to sign in.
    pub member: MemberId,
    /// Credential that was wrong, or was not checked.
    pub asked: RefusedCredential,
    /// Whether there had been too many tries before, so that it was not checked.
    pub locked: bool,
    pub window: AttemptWindow,
    pub address: Option<IpAddr>,
}

impl Refusal {
    /// Makes a refusal as this member.
    pub(super) const fn of(
        member: &Member,
        asked: RefusedCredential,
        locked: bool,
        window: AttemptWindow,
        address: Option<IpAddr>,
    ) -> Self {
        Self { workspace: member.workspace, member: member.id, asked, locked, window, address }
    }
}

/// Refusals of one try, to be written into the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusedTry {
    /// Refused as these members, if as any.
    As(Vec<Refusal>),
    /// Refused after too many tries at the address; whose it is was not looked up.
    At {
        email: EmailAddress,
        /// `None` if the try named none.
        workspace: Option<WorkspaceId>,
        window: AttemptWindow,
        address: Option<IpAddr>,
    },
}

impl Default for RefusedTry {
    fn default() -> Self {
        Self::As(Vec::new())
    }
}

/// Refusals of one kind in one window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedSignIns {
    /// Credential that was wrong: `password` or `code`.
    pub asked: String,
    pub locked: bool,
    /// Refused tries in the window.
    pub tries: u64,
    pub first_at: OffsetDateTime,
    pub last_at: String,
    /// Address of the last refused try.
    pub address: Option<IpAddr>,
}

/// Writes and lists refused sign-ins.
pub struct Refusals {
    pub store: Arc<dyn SessionStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl Refusals {
    /// Writes refusals into the log. Runs apart from the sign-in, which must not take longer where there is
    /// somebody to write of.
    pub async fn keep(&self, refused: &RefusedTry) -> Result<(), StoreError> {
        match refused {
            RefusedTry::As(refusals) => self.keep_each(refusals).await,
            RefusedTry::At { email, workspace, window, address } => {
                let known = self.store.credentials(email, *workspace, MEMBERSHIPS_TRIED).await?;
                let (asked, locked) = (RefusedCredential::Password, true);
                let of = |known: &Credentials| Refusal::of(&known.member, asked, locked, *window, *address);
                self.keep_each(&known.iter().map(of).collect::<Vec<_>>()).await
            }
        }
    }

    async fn keep_each(&self, refusals: &[Refusal]) -> Result<(), StoreError> {
        for refusal in refusals {
            self.store.count_refusal(refusal.workspace, &self.entry(refusal)).await?;
        }
        Ok(())
    }

    /// Lists the latest refused sign-ins as the member, newest first.
    pub async fn of(&self, session: &Session) -> Result<Vec<RefusedSignIns>, StoreError> {
        let entries = self.store.refusals(session.workspace, session.member, SHOWN).await?;
        Ok(entries.iter().map(read).collect())
    }

    fn entry(&self, refusal: &Refusal) -> AuditEntry {
        let Refusal { workspace, member, asked, locked, window, address } = *refusal;
        let action = if locked { Action::SignInLocked } else { Action::SignInFailed };
        let named = format!("{workspace}:{member}:{}:{}:{}", asked.as_str(), locked, window.start);
        let hash = self.vault.keyed_hash("refused-sign-in", named.as_bytes());
        let id = hash.first_chunk::<16>().copied().unwrap_or_default();
        let now = self.deps.clock.now();
        let entry = Acting { workspace, actor: Actor::Stranger, address }.does(action, now, &*self.deps.ids);
        let entry = entry.to(member).with("asked", asked.as_str()).with("tries", 1);
        let id = uuid::Builder::from_custom_bytes(id).into_uuid().into();
        AuditEntry { id, ..entry.with("lastAt", rfc3339_ms(now)) }
    }
}

fn read(entry: &AuditEntry) -> RefusedSignIns {
    let text = |name: &str| entry.details.get(name).and_then(Value::as_str).map(str::to_owned);
    RefusedSignIns {
        asked: text("asked").unwrap_or_default(),
        locked: entry.action == Action::SignInLocked,
        tries: entry.details.get("tries").and_then(Value::as_u64).unwrap_or(1),
        first_at: entry.at,
        last_at: text("lastAt").unwrap_or_else(|| rfc3339_ms(entry.at)),
        address: entry.address,
    }
}
