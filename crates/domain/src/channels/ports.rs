//! Ports for connecting accounts and reading how they stand.

use async_trait::async_trait;
use secrecy::SecretString;
use time::{Date, OffsetDateTime};
use url::Url;

use super::{
    Account, ListedNumber, Number,
    health::{AccountReport, ChannelAlert, ChannelError},
    listed_account::ListedAccount,
    pin::Pin,
    standing::AccountStanding,
    token::TokenFacts,
    unread::{UnreadCount, UnreadField},
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{AccountId, MemberId, SessionId, WorkspaceId},
    phone::PhoneNumber,
};

/// Reason that an account was not connected, or its numbers were not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("an account's id is a number of 1 to 32 digits")]
    NetworkId,
    #[error("a token is 1 to 4096 visible ASCII characters")]
    Token,
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error("another workspace has connected this account")]
    Elsewhere,
    /// The offer is forged, expired, or for another session.
    #[error("what the token opens was listed too long ago, or for somebody else; list it again")]
    Offer,
    #[error("choose at least one account or page")]
    NothingChosen,
    #[error("the token does not open this page")]
    NotOpened,
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An account, number or page that a workspace has connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub network_id: String,
    /// Whether that workspace is the one that asks.
    pub here: bool,
}

/// Storage of accounts and their numbers. What an owner changes is written together with its audit entry, and
/// takes effect at the time of the entry.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Stores a connected account, its token sealed. One that the workspace has, or had, keeps its id.
    async fn connect(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        entry: &AuditEntry,
    ) -> Result<AccountId, ConnectError>;

    /// Destroys the account's token, disconnects its connections, and frees the account for other workspaces;
    /// `false` if the workspace has connected no such account.
    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspace's connected accounts with their connections, in the order that they were
    /// connected.
    async fn accounts(&self, workspace: WorkspaceId) -> Result<Vec<ListedAccount>, StoreError>;

    /// Finds a connected account, with its token opened.
    async fn find(&self, workspace: WorkspaceId, account: AccountId) -> Result<Option<Account>, StoreError>;

    /// Finds a connected account by its id at the network.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<Account>, StoreError>;

    /// Returns which of these ids of accounts, numbers and pages are connected, and whether here.
    async fn held(&self, workspace: WorkspaceId, network_ids: &[String]) -> Result<Vec<Held>, StoreError>;

    /// Makes the account's numbers the listed ones: new ones are added; those that can no longer send or are
    /// no longer listed are disconnected; known ones keep their id, their order and whether they are
    /// send-only. Stores their health as well, ends the account's problem, and raises the alerts of
    /// [`super::alert_of_number`].
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the account is no longer connected.
    async fn replace_numbers(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        numbers: &[ListedNumber],
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists the workspace's connected numbers, in the order that they were connected.
    async fn numbers(&self, workspace: WorkspaceId) -> Result<Vec<Number>, StoreError>;

    /// Sets whether a connected number is send-only; `false` if the workspace has no such number.
    async fn set_send_only(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        send_only: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Storage of the standings of accounts at their network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountStandings: Send + Sync {
    /// Stores the standing of a connected account, unless a later one is known, and returns whether it is
    /// news. News raises the alert of [`super::alert_of_standing`].
    async fn set_standing(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
        standing: &AccountStanding,
    ) -> Result<bool, StoreError>;
}

/// Storage of the health of channels, and of alerts to owners.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ChannelHealth: Send + Sync {
    /// Reports how the numbers of each connected account stand, with refusals since `since`.
    async fn reports(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
    ) -> Result<Vec<AccountReport>, StoreError>;

    /// Stores why a connected account could not be read. A problem with the code of the last one changes
    /// nothing; any other raises [`ChannelError::alert`].
    async fn note_problem(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        problem: &ChannelError,
    ) -> Result<(), StoreError>;

    /// Lists the workspaces whose owners have alerts to be told.
    async fn workspaces_to_tell(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes the alerts that owners are to be told, the oldest first, each once.
    async fn take_alerts(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Vec<ChannelAlert>, StoreError>;
}

/// Failure of a call to the network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// No connection, too much load, or an answer that cannot be read. May pass.
    #[error("the network did not answer: {0}")]
    Unavailable(String),
    #[error("the network refused ({code}): {message}")]
    Refused { code: i64, message: String },
}

/// Business accounts at the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkAccounts: Send + Sync {
    /// Lists all numbers of the account, over every page of the list. A number that cannot be read is left
    /// out.
    async fn numbers(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Vec<ListedNumber>, NetworkError>;

    /// Asks the network to send this account's updates to our webhook.
    async fn subscribe(&self, network_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}

/// Registration of numbers at the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NumberRegistration: Send + Sync {
    /// Registers the number. If it has no PIN yet, this one becomes its PIN.
    async fn register(&self, network_id: &str, pin: &Pin, token: &SecretString) -> Result<(), NetworkError>;
}

/// Facts about tokens, as the network tells them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTokens: Send + Sync {
    /// Describes the token. One that opens nothing is refused.
    async fn describe(&self, token: &SecretString) -> Result<TokenFacts, NetworkError>;

    /// Returns the name of a business account.
    async fn account_name(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Option<String>, NetworkError>;
}

/// A page as the network knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    /// Id that messages to the page come with over Messenger.
    pub network_id: String,
    pub name: Option<String>,
    /// Id of the Instagram account that is linked to the page.
    pub instagram_network_id: Option<String>,
}

/// Storage of the network's sign-ups that sessions have begun, one for each session.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SignUpStates: Send + Sync {
    /// Stores the hash for the session until `until`, in place of another.
    async fn begin_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        until: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Forgets the hash; `false` if the session has no such one, or no longer.
    async fn end_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// Exchange of codes of the network's sign-up.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkSignUp: Send + Sync {
    /// Exchanges the code, which came to `back`, for a token.
    async fn exchange(&self, code: &SecretString, back: &Url) -> Result<SecretString, NetworkError>;
}

/// A person's page, with the page's own token.
#[derive(Debug, Clone)]
pub struct OwnedPage {
    pub page: ListedPage,
    /// User name of its Instagram account.
    pub instagram_name: Option<String>,
    pub token: SecretString,
}

/// Storage of connected pages and Instagram accounts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PageStore: Send + Sync {
    /// Stores the page as an account with its token sealed, and makes its connections those that are listed,
    /// in one transaction: one for Messenger, and one for Instagram if an account is linked. Known ones keep
    /// their ids.
    async fn connect_page(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        page: &ListedPage,
        entry: &AuditEntry,
    ) -> Result<AccountId, ConnectError>;

    /// Lists the connected pages whose reading is due, over all workspaces.
    async fn due_pages(&self, now: OffsetDateTime) -> Result<Vec<DuePage>, StoreError>;

    /// Claims a due page by putting its next reading off to `next`; `false` if somebody else has claimed it.
    async fn claim_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Stores what was read of a page, and ends its problem.
    async fn keep_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        name: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// A page whose reading is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuePage {
    pub workspace: WorkspaceId,
    pub account: AccountId,
}

/// Pages at the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkPages: Send + Sync {
    /// Returns the page that the token opens.
    async fn page(&self, token: &SecretString) -> Result<ListedPage, NetworkError>;

    /// Lists the pages of the person whose token it is.
    async fn pages(&self, token: &SecretString) -> Result<Vec<OwnedPage>, NetworkError>;

    /// Asks the network to send this page's updates, and those of its Instagram account, to our webhook.
    async fn subscribe_page(&self, page_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}

/// Storage of the counts of unsupported updates.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UnreadUpdates: Send + Sync {
    /// Adds to the counts of this day, and deletes those too old to be shown. Returns the fields of which
    /// none had come before on this day.
    async fn count(
        &self,
        workspace: WorkspaceId,
        counts: &[UnreadCount],
        day: Date,
    ) -> Result<Vec<String>, StoreError>;

    /// Lists the unsupported fields since that day, by name.
    async fn unread(&self, workspace: WorkspaceId, since: Date) -> Result<Vec<UnreadField>, StoreError>;
}
