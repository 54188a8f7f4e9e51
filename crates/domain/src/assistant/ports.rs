//! What the assistant needs from outside.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use time::OffsetDateTime;

use super::{
    AssistantSettings, DueTurn, KeptModelKey, ListedTurn, ModelAnswer, ModelError, ModelKey, ModelKeyState,
    ModelRequest, Sent, TokenUsage, ToolOutcome, ToolRequest, TurnBrief, TurnRecord, UsageOfDay,
};
use crate::{
    access::audit::AuditEntry,
    consent::Wanted,
    errors::StoreError,
    ids::{ConversationId, ModelKeyId, WorkspaceId},
    paging::PageRequest,
};

/// It is a language model. It proposes words and calls, and has no way to anything else.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks it, for `within` at most.
    ///
    /// # Errors
    /// [`ModelError`], in words that hold nothing of what was asked.
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError>;
}

/// It is a model that is asked with a workspace's own key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ModelByKey: Send + Sync {
    /// Returns the same model, opened with that key.
    fn with_key(&self, key: &ModelKey) -> Arc<dyn LanguageModel>;
}

/// A `ModelKeyStore` keeps workspaces' own keys to the language model, sealed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ModelKeyStore: Send + Sync {
    /// Returns the workspace's key in clear.
    async fn open(&self, workspace: WorkspaceId) -> Result<Option<KeptModelKey>, StoreError>;

    /// Returns what is shown of the key; it opens nothing.
    async fn state(&self, workspace: WorkspaceId) -> Result<Option<ModelKeyState>, StoreError>;

    /// In one transaction with the log's entry: keeps a key, in place of the one that there is.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        kept: &KeptModelKey,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Notes since when the model's server refuses that key; nothing where it was replaced or removed
    /// meanwhile.
    async fn set_refused(
        &self,
        workspace: WorkspaceId,
        key: ModelKeyId,
        refused_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError>;

    /// In one transaction with the log's entry, where there was a key; whether there was.
    async fn remove(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<bool, StoreError>;
}

/// It does what tools do. What fails is told to the model as what the tool came to.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Tools: Send + Sync {
    /// Does what was asked for, for the turn's customer.
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome;

    /// Asks the turn's customer to confirm something, unless something has passed its fence: once for a turn, however
    /// often that is run.
    ///
    /// # Errors
    /// What the model is told where it cannot be proposed so.
    async fn propose(&self, turn: &TurnBrief, wanted: Wanted) -> Result<Sent, Box<ToolOutcome>>;
}

/// An `AssistantStore` keeps what owners have set of their assistants.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AssistantStore: Send + Sync {
    /// Returns what is set; `None` where nothing ever was.
    async fn settings(&self, workspace: WorkspaceId) -> Result<Option<AssistantSettings>, StoreError>;

    /// In one transaction with the log's entry: replaces what is set, and has answers that are being worded pass no
    /// fence any more; `false` when the workspace has not that group.
    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &AssistantSettings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// A `TurnStore` keeps conversations whose customers wait for the assistant. A customer's message makes its
/// conversation wait, in the transaction that records it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TurnStore: Send + Sync {
    /// Lists the workspaces with turns that are due by `now`. It only reads.
    async fn workspaces_with_turns(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes one that is due by `now`; it is due again at `lease_until`, whatever becomes of the taker. `None` when none
    /// is due, or somebody else was faster.
    async fn claim_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError>;

    /// The same, of turns whose customers have waited since before `waiting_since`.
    async fn claim_overdue_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        waiting_since: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError>;

    /// Counts it among the turns of its conversation on that day, since the model is about to be asked.
    async fn count_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        day: time::Date,
    ) -> Result<(), StoreError>;

    /// Makes it due at `lease_until`, for who took it and is still at it; `false` when somebody has spoken since, or it
    /// has ended.
    async fn renew_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Says whether something else is still to be done with what the customer wrote: rules of the workspace,
    /// or reading the answer to a draft.
    async fn is_held_up(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<bool, StoreError>;

    /// Says whether nobody has spoken since it was taken, and nothing else has answered the customer: a confirmation that
    /// was read meanwhile has, by its receipt.
    async fn stands(&self, workspace: WorkspaceId, turn: &DueTurn) -> Result<bool, StoreError>;

    /// Makes it due then, and lets go of an answer that was not sent, unless somebody has spoken since.
    async fn postpone_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// In one transaction: nobody waits any more, unless somebody has spoken since or the turn was dropped, which is then
    /// due at once; an answer under way is not waited for any more; and the log and the day's usage have the turn.
    async fn finish_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        record: Option<TurnRecord>,
    ) -> Result<(), StoreError>;
}

/// A `TokenBudget` counts the tokens that a workspace's day may take.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TokenBudget: Send + Sync {
    /// Sets tokens of a day aside, unless the day would take more than `most` with them; whether it did.
    async fn reserve(
        &self,
        workspace: WorkspaceId,
        day: time::Date,
        tokens: u64,
        most: u64,
    ) -> Result<bool, StoreError>;

    /// Puts what was used in the place of what was set aside at `now`. Once a day has used four fifths of `most` with it, owners
    /// are to be told.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        day: time::Date,
        reserved: u64,
        used: TokenUsage,
        most: u64,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// A `TurnLog` remembers turns.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TurnLog: Send + Sync {
    /// Turns after the page's place, newest first: up to one more than the page holds.
    async fn turns(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<ListedTurn>, StoreError>;

    /// Lists the days since `first` that took anything, the newest first.
    async fn usage(&self, workspace: WorkspaceId, first: time::Date) -> Result<Vec<UsageOfDay>, StoreError>;

    /// Forgets turns that ended before `before`, some at once; whether there may be more.
    async fn forget_turns(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;

    /// Lists the workspaces with turns that ended before `before`. It only reads.
    async fn workspaces_with_old_turns(&self, before: OffsetDateTime)
    -> Result<Vec<WorkspaceId>, StoreError>;
}
