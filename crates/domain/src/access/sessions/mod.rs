//! Signing in, and what a signed-in browser holds.

mod attempts;
mod change_password;
mod common;
mod list;
mod password;
pub mod ports;
mod refusals;
mod second_factor;
mod sign_in;
mod subscriber;
mod token;
mod totp;

pub(super) use attempts::NoTry;
pub use attempts::{
    ATTEMPTS_OF_ADDRESS, AttemptWindow, Attempts, TRIES_OF_CODE, TRIES_OF_PASSWORD, Throttled,
};
pub use change_password::{ChangePassword, ChangePasswordError};
pub use list::Sessions;
pub use password::{Password, PasswordError, PasswordHash};
pub use refusals::{Refusal, Refusals, RefusedCredential, RefusedSignIns};
pub use second_factor::{OfferedFactor, SecondFactor, SecondFactorError};
pub use sign_in::{Choice, MEMBERSHIPS_TRIED, SignIn, SignInError, SignInRequest, SignedIn, Tried};
pub use subscriber::Subscriber;
pub use token::{SessionHash, SessionToken};
pub use totp::{RecoveryCode, TotpSecret, otpauth_uri};

use std::{net::IpAddr, time::Duration};

use time::OffsetDateTime;

use super::{
    audit::{Acting, Actor},
    members::{Language, Role},
};
use crate::{
    automations::Zone,
    ids::{IdSource, MemberId, SessionId, WorkspaceId},
    phone::Region,
    vault::Vault,
};

/// A session that is not used for so long ends.
pub const IDLE: Duration = Duration::from_hours(12);

/// A session ends so long after it began, however much it is used.
pub const LONGEST: Duration = Duration::from_hours(14 * 24);

/// A signed-in member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session.
    pub id: SessionId,
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Who.
    pub member: MemberId,
    /// What they may now.
    pub role: Role,
    /// What they have chosen to be told things in.
    pub language: Option<Language>,
    /// Where the workspace's numbers without a country code belong.
    pub region: Region,
    /// Where the workspace's clock is.
    pub time_zone: Zone,
}

impl Session {
    /// The member, as who makes changes from `address`.
    pub const fn acting(&self, address: Option<IpAddr>) -> Acting {
        Acting { workspace: self.workspace, actor: Actor::Member(self.member), address }
    }
}

/// Where a session is begun from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// What the browser calls itself, cut to some length.
    pub user_agent: Option<String>,
}

/// A session to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// The hash of its token.
    pub hash: SessionHash,
    /// From where.
    pub origin: Origin,
    /// Since when.
    pub began_at: OffsetDateTime,
}

impl NewSession {
    /// The session of a token.
    pub fn new(
        token: &SessionToken,
        origin: Origin,
        now: OffsetDateTime,
        vault: &dyn Vault,
        ids: &dyn IdSource,
    ) -> Self {
        Self { id: SessionId::new(ids), hash: token.hash(vault), origin, began_at: now }
    }
}

/// A session, as its member sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    /// Its id.
    pub id: SessionId,
    /// From where it was begun.
    pub address: Option<String>,
    /// With which browser.
    pub user_agent: Option<String>,
    /// Since when.
    pub began_at: OffsetDateTime,
    /// When it was last used, to the minute.
    pub seen_at: OffsetDateTime,
}

/// Which sessions are over at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The time.
    pub now: OffsetDateTime,
    /// Those last used until then are over.
    pub seen_after: OffsetDateTime,
    /// Those begun until then are over.
    pub began_after: OffsetDateTime,
}

impl Validity {
    /// What is over at `now`.
    pub fn at(now: OffsetDateTime) -> Self {
        Self { now, seen_after: now - IDLE, began_after: now - LONGEST }
    }
}
