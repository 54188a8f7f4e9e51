//! What channels need from outside.

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;
use url::Url;

use super::{
    Account, AccountReport, AccountStanding, ChannelAlert, ChannelError, ListedAccount, ListedNumber, Number,
    Pin, TokenFacts,
};
use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{AccountId, MemberId, SessionId, WorkspaceId},
    phone::PhoneNumber,
};

/// It says what became of connecting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connected {
    /// The account has this id: it is new, or it was known and its token was replaced.
    As(AccountId),
    /// Another workspace holds it.
    Elsewhere,
    NoWorkspace,
}

/// A workspace has connected this at the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub network_id: String,
    /// It says whether that workspace is this one.
    pub here: bool,
}

/// An `AccountStore` keeps accounts and their numbers. What an owner changes comes with the entry that tells
/// of it, is changed at the entry's time, and is written together with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Keeps a connected account, its token sealed. One that the workspace has, or had, keeps its id.
    async fn connect(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        entry: &AuditEntry,
    ) -> Result<Connected, StoreError>;

    /// Destroys the account's token, disconnects its connections, and gives its place at the network free; `false`
    /// when the workspace has connected no such account.
    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Returns the workspace's connected accounts with what is connected through them, in the order they were
    /// connected.
    async fn accounts(&self, workspace: WorkspaceId) -> Result<Vec<ListedAccount>, StoreError>;

    /// Returns the connected account with its token opened, or `None`.
    async fn find(&self, workspace: WorkspaceId, account: AccountId) -> Result<Option<Account>, StoreError>;

    /// Returns the connected account by its id at the network, or `None`.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<Account>, StoreError>;

    /// Says which of these ids of accounts, numbers and pages are connected, and whether here.
    async fn held(&self, workspace: WorkspaceId, network_ids: &[String]) -> Result<Vec<Held>, StoreError>;

    /// Makes the account's numbers the listed ones: new ones are added with an id from `ids`, those that can
    /// no longer send or are no longer listed are disconnected, known ones keep their id, their order and
    /// whether they are send-only. How they stand is kept as well, the account's problem is over, and what is news by
    /// [`super::alert_of_number`] waits for owners. Stale when the account is connected no more.
    async fn replace_numbers(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        numbers: &[ListedNumber],
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Lists the workspace's connected numbers, in the order they were connected.
    async fn numbers(&self, workspace: WorkspaceId) -> Result<Vec<Number>, StoreError>;

    /// Sets whether a connected number is send-only; `false` when the workspace has no such number.
    async fn set_send_only(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        send_only: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// It keeps how accounts stand at their network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AccountStandings: Send + Sync {
    /// Keeps how the connected account stands, unless something later is known; whether that is news. News wait for owners
    /// by [`super::alert_of_standing`].
    async fn set_standing(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
        standing: &AccountStanding,
    ) -> Result<bool, StoreError>;
}

/// It keeps how channels stand, and what owners are to be told of it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ChannelHealth: Send + Sync {
    /// Says how the numbers of each connected account stand, with refusals since `since`.
    async fn reports(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
    ) -> Result<Vec<AccountReport>, StoreError>;

    /// Keeps why a connected account could not be read. One that is the same by its code stays as it is; any other waits for
    /// owners by [`ChannelError::alert`].
    async fn note_problem(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        problem: &ChannelError,
    ) -> Result<(), StoreError>;

    /// Lists the workspaces whose owners are to be told something.
    async fn workspaces_to_tell(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes what owners are to be told, the oldest first, each once.
    async fn take_alerts(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Vec<ChannelAlert>, StoreError>;
}

/// It says why the network did not answer a question about an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The network cannot be reached, is overloaded, or its answer cannot be read. It may pass.
    #[error("the network did not answer: {0}")]
    Unavailable(String),
    /// The network refused, with its code and its words.
    #[error("the network refused ({code}): {message}")]
    Refused { code: i64, message: String },
}

/// It asks the network about an account.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkAccounts: Send + Sync {
    /// Returns all numbers of the account, every page. A number that cannot be read is left out.
    async fn numbers(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Vec<ListedNumber>, NetworkError>;

    /// Asks the network to send this account's updates to our webhook.
    async fn subscribe(&self, network_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}

/// It registers numbers at the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NumberRegistration: Send + Sync {
    /// Registers the number. Where it has no PIN yet, this one becomes it.
    async fn register(&self, network_id: &str, pin: &Pin, token: &SecretString) -> Result<(), NetworkError>;
}

/// It asks the network about tokens.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTokens: Send + Sync {
    /// Says what the token is. One that opens nothing is refused.
    async fn describe(&self, token: &SecretString) -> Result<TokenFacts, NetworkError>;

    /// Returns the name of a business account.
    async fn account_name(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Option<String>, NetworkError>;
}

/// It is a page as the network knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    /// What is written to this id comes over Messenger.
    pub network_id: String,
    pub name: Option<String>,
    /// It is the id of the Instagram account that is linked to it.
    pub instagram_network_id: Option<String>,
}

/// It keeps what sessions have begun at the network's sign-up: one thing each.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SignUpStates: Send + Sync {
    /// Keeps the hash for the session until then, in place of another.
    async fn begin_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        until: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Forgets the hash; `false` when the session has no such, or not any more.
    async fn end_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// It exchanges codes of the network's sign-up.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkSignUp: Send + Sync {
    /// Returns the token that the code stands for, which came to `back`.
    async fn exchange(&self, code: &SecretString, back: &Url) -> Result<SecretString, NetworkError>;
}

/// It is a page of a person's, with what opens it.
#[derive(Debug, Clone)]
pub struct OwnedPage {
    pub page: ListedPage,
    /// It is the user name of its Instagram account.
    pub instagram_name: Option<String>,
    /// It is the page's own token.
    pub token: SecretString,
}

/// It keeps pages and Instagram accounts that are connected.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PageStore: Send + Sync {
    /// In one transaction: keeps the page as an account with its token sealed, and makes its connections those that
    /// are listed, one for Messenger and one for Instagram where an account is linked. Known ones keep their ids.
    async fn connect_page(
        &self,
        workspace: WorkspaceId,
        account: &Account,
        page: &ListedPage,
        entry: &AuditEntry,
    ) -> Result<Connected, StoreError>;

    /// Lists connected pages whose reading is due, over all workspaces.
    async fn due_pages(&self, now: OffsetDateTime) -> Result<Vec<DuePage>, StoreError>;

    /// Puts the reading of a due page off to `next`; `false` when somebody else has.
    async fn claim_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        now: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Keeps what was read of a page, whose problem is over then.
    async fn keep_page(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
        name: Option<String>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// The reading of this page is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuePage {
    pub workspace: WorkspaceId,
    pub account: AccountId,
}

/// It asks the network about pages.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkPages: Send + Sync {
    /// Returns the page that the token opens.
    async fn page(&self, token: &SecretString) -> Result<ListedPage, NetworkError>;

    /// Lists the pages of whoever the token is of.
    async fn pages(&self, token: &SecretString) -> Result<Vec<OwnedPage>, NetworkError>;

    /// Asks the network to send this page's updates, and those of its Instagram account, to our webhook.
    async fn subscribe_page(&self, page_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}
