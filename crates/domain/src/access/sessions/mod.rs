//! Signing in, and what a signed-in browser holds.

mod attempts;
mod change_password;
mod common;
mod device;
mod list;
mod password;
pub mod ports;
mod refusals;
mod second_factor;
mod shown_once;
mod sign_in;
mod subscriber;
mod token;
mod totp;
mod totp_secret;

pub(super) use attempts::NoTry;
pub use attempts::{AttemptWindow, Attempts, MEMBERSHIPS_TRIED, Throttled};
pub use change_password::{ChangePassword, ChangePasswordError};
pub use device::{DEVICE_LIFETIME, Device, Devices};
pub use list::Sessions;
pub use password::{Password, PasswordError, PasswordHash};
pub use refusals::{Refusal, Refusals, RefusedCredential, RefusedSignIns, RefusedTry};
pub use second_factor::{OfferedFactor, SecondFactor, SecondFactorError};
pub use shown_once::SHOWN_WITHIN;
pub use sign_in::{Choice, SignIn, SignInError, SignInRequest, SignedIn, Tried};
pub use subscriber::Subscriber;
pub use token::{SessionHash, SessionToken};
pub use totp::RecoveryCode;
pub use totp_secret::TotpSecret;

use std::{net::IpAddr, time::Duration};

use time::OffsetDateTime;

use super::members::{Language, Role};
use crate::{
    audit::{Acting, Actor},
    ids::{IdSource, MemberId, SessionId, WorkspaceId},
    phone::Region,
    vault::Vault,
    zone::Zone,
};

/// Time without use after which a session ends.
pub const IDLE: Duration = Duration::from_hours(12);

/// Longest time that a session lasts, however much it is used.
pub const LONGEST: Duration = Duration::from_hours(14 * 24);

/// Session of a signed-in member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub workspace: WorkspaceId,
    pub member: MemberId,
    /// Role, read whenever the session is resumed.
    pub role: Role,
    /// Language of their pages; `None` if they have chosen none.
    pub language: Option<Language>,
    pub region: Region,
    pub time_zone: Zone,
}

impl Session {
    /// Returns the member as the author of changes from `address`.
    pub const fn acting(&self, address: Option<IpAddr>) -> Acting {
        Acting { workspace: self.workspace, actor: Actor::Member(self.member), address }
    }
}

/// Address and browser from which a session is begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub address: Option<IpAddr>,
    /// Name that the browser gives itself, cut to some length.
    pub user_agent: Option<String>,
}

/// New session, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub id: SessionId,
    pub hash: SessionHash,
    pub origin: Origin,
    pub began_at: OffsetDateTime,
}

impl NewSession {
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

/// Session as its member sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSession {
    pub id: SessionId,
    pub address: Option<String>,
    pub user_agent: Option<String>,
    pub began_at: OffsetDateTime,
    /// Time of the last use, to the minute.
    pub seen_at: OffsetDateTime,
}

/// Bounds of the sessions that are not over at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub now: OffsetDateTime,
    /// Sessions that were last used at this time or earlier are over.
    pub seen_after: OffsetDateTime,
    /// Sessions that were begun at this time or earlier are over.
    pub began_after: OffsetDateTime,
}

impl Validity {
    /// Returns the bounds at `now`.
    pub fn at(now: OffsetDateTime) -> Self {
        Self { now, seen_after: now - IDLE, began_after: now - LONGEST }
    }
}
