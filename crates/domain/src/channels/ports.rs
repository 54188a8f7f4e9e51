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

/// What became of connecting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connected {
    /// The account is this one: new, or known and its token replaced.
    As(AccountId),
    /// Another workspace holds it.
    Elsewhere,
    /// There is no such workspace.
    NoWorkspace,
}

/// Something at the network that a workspace has connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its id at the network.
    pub network_id: String,
    /// Whether it is this workspace.
    pub here: bool,
}

/// Accounts and their numbers. What an owner changes comes with the entry that tells of it, is changed
/// at the entry's time, and is written together with it.
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

    /// The workspace's connected accounts with what is connected through them, in the order they were connected.
    async fn accounts(&self, workspace: WorkspaceId) -> Result<Vec<ListedAccount>, StoreError>;

    /// The connected account with its token opened, or `None`.
    async fn find(&self, workspace: WorkspaceId, account: AccountId) -> Result<Option<Account>, StoreError>;

    /// The connected account by its id at the network, or `None`.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
    ) -> Result<Option<Account>, StoreError>;

    /// Which of these ids of accounts, numbers and pages are connected, and whether here.
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

    /// The workspace's connected numbers, in the order they were connected.
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

/// How accounts stand at their network.
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

/// How channels stand, and what owners are to be told of it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ChannelHealth: Send + Sync {
    /// How the numbers of each connected account stand, with refusals since `since`.
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

    /// Workspaces whose owners are to be told something.
    async fn workspaces_to_tell(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// What owners are to be told, oldest first, each once.
    async fn take_alerts(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Vec<ChannelAlert>, StoreError>;
}

/// Why the network did not answer a question about an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The network cannot be reached, is overloaded, or its answer cannot be read. May pass.
    #[error("the network did not answer: {0}")]
    Unavailable(String),
    /// The network refused: its code and its words.
    #[error("the network refused ({code}): {message}")]
    Refused {
        /// The network's code.
        code: i64,
        /// The network's words.
        message: String,
    },
}

/// An account as the network knows it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkAccounts: Send + Sync {
    /// All numbers of the account, every page. A number that cannot be read is left out.
    async fn numbers(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Vec<ListedNumber>, NetworkError>;

    /// Asks the network to send this account's updates to our webhook.
    async fn subscribe(&self, network_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}

/// Numbers that are registered at the network.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NumberRegistration: Send + Sync {
    /// Registers the number. Where it has no PIN yet, this one becomes it.
    async fn register(&self, network_id: &str, pin: &Pin, token: &SecretString) -> Result<(), NetworkError>;
}

/// Tokens as the network knows them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkTokens: Send + Sync {
    /// What the token is. One that opens nothing is refused.
    async fn describe(&self, token: &SecretString) -> Result<TokenFacts, NetworkError>;

    /// The name of a business account.
    async fn account_name(
        &self,
        network_id: &str,
        token: &SecretString,
    ) -> Result<Option<String>, NetworkError>;
}

/// A page as the network knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    /// Its id: what is written to it comes over Messenger.
    pub network_id: String,
    /// Its name.
    pub name: Option<String>,
    /// The id of the Instagram account that is linked to it.
    pub instagram_network_id: Option<String>,
}

/// What sessions have begun at the network's sign-up: one thing each.
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

/// Codes of the network's sign-up.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkSignUp: Send + Sync {
    /// The token that the code stands for, which came to `back`.
    async fn exchange(&self, code: &SecretString, back: &Url) -> Result<SecretString, NetworkError>;
}

/// A page of a person's, with what opens it.
#[derive(Debug, Clone)]
pub struct OwnedPage {
    /// The page.
    pub page: ListedPage,
    /// The user name of its Instagram account.
    pub instagram_name: Option<String>,
    /// Its own token.
    pub token: SecretString,
}

/// Pages and Instagram accounts that are connected.
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

    /// Connected pages whose reading is due, over all workspaces.
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

/// A page whose reading is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuePage {
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The account that it is here.
    pub account: AccountId,
}

/// Pages as the network knows them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkPages: Send + Sync {
    /// The page that the token opens.
    async fn page(&self, token: &SecretString) -> Result<ListedPage, NetworkError>;

    /// The pages of whoever the token is of.
    async fn pages(&self, token: &SecretString) -> Result<Vec<OwnedPage>, NetworkError>;

    /// Asks the network to send this page's updates, and those of its Instagram account, to our webhook.
    async fn subscribe_page(&self, page_id: &str, token: &SecretString) -> Result<(), NetworkError>;
}
