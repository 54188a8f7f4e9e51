//! Ports of the assistant.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    brief::TurnBrief,
    cost::{Cost, DayLimit, Spent},
    model::{ModelAnswer, ModelError, ModelRequest, TokenUsage},
    model_key::{KeptModelKey, ModelKey, ModelKeyState},
    results::ToolOutcome,
    sent::Sent,
    settings::AssistantSettings,
    tool_request::ToolRequest,
    turn::{DueTurn, ListedTurn, TurnRecord, UsageOfDay},
};
use crate::{
    audit::AuditEntry,
    consent::Wanted,
    errors::StoreError,
    ids::{ConversationId, MessageId, ModelKeyId, WorkspaceId},
    messages::PreparedReply,
    paging::PageRequest,
};

/// A language model. It proposes words and calls, and can do nothing else.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks the model, for `within` at most.
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError>;
}

/// A model that can be asked with a workspace's own key.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait ModelByKey: Send + Sync {
    /// Opens the model with `key`.
    fn with_key(&self, key: &ModelKey) -> Arc<dyn LanguageModel>;
}

/// Storage of workspaces' own keys to the language model, sealed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ModelKeyStore: Send + Sync {
    /// Loads the workspace's key in clear text; `None` if it has none.
    async fn open(&self, workspace: WorkspaceId) -> Result<Option<KeptModelKey>, StoreError>;

    /// Loads what may be shown of the key; opens nothing.
    async fn state(&self, workspace: WorkspaceId) -> Result<Option<ModelKeyState>, StoreError>;

    /// Stores a key in place of the former one, in one transaction with the audit entry.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        kept: &KeptModelKey,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Records since when the model's server refuses the key, `None` once it no longer does; does nothing if
    /// the key was replaced or removed meanwhile.
    async fn set_refused(
        &self,
        workspace: WorkspaceId,
        key: ModelKeyId,
        refused_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError>;

    /// Removes the key with an audit entry, in one transaction; `false` and no entry if there was none.
    async fn remove(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<bool, StoreError>;
}

/// Execution of the tools that a model calls. A failure is a result that the model is told.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Tools: Send + Sync {
    /// Runs a request for the turn's customer.
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome;

    /// Asks the turn's customer to confirm something, unless something has passed the fence. A turn that is
    /// run again does not ask again.
    ///
    /// # Errors
    /// The result that the model is told if this cannot be proposed.
    async fn propose(&self, turn: &TurnBrief, wanted: Wanted) -> Result<Sent, Box<ToolOutcome>>;
}

/// Storage of owners' settings of their assistants.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AssistantStore: Send + Sync {
    /// Loads the settings; `None` if none were ever set.
    async fn settings(&self, workspace: WorkspaceId) -> Result<Option<AssistantSettings>, StoreError>;

    /// Replaces the settings, in one transaction with the audit entry; answers that are being worded no
    /// longer pass their fences. `false` if the workspace does not have the group.
    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &AssistantSettings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Storage of the turns that customers wait for. A customer's message makes its conversation wait, in the
/// transaction that records it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TurnStore: Send + Sync {
    /// Lists the workspaces with turns due by `now`; claims none.
    async fn workspaces_with_turns(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a turn due by `now`. The turn is due again at `lease_until`, whatever becomes of the claimant.
    /// `None` if none is due, or another worker was faster.
    async fn claim_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError>;

    /// Claims like `claim_turn`, only among turns whose customers have waited since before `waiting_since`.
    async fn claim_overdue_turn(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        waiting_since: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueTurn>, StoreError>;

    /// Counts the turn among its conversation's turns of that day; called before the model is asked.
    async fn count_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        day: time::Date,
    ) -> Result<(), StoreError>;

    /// Marks that `message` tells the customer that the answer takes a moment, once for all that they wait
    /// for; `false` if another has told them, if somebody has spoken since, or if an answer is on its way.
    async fn tell_to_wait(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        message: MessageId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Extends the claim to `lease_until`; `false` if somebody has spoken since, or the turn has ended.
    async fn renew_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Returns whether the customer's messages still await other work: rules of the workspace, or being read
    /// as the answer to a draft.
    async fn is_held_up(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<bool, StoreError>;

    /// Returns whether nobody has spoken since the turn was claimed, and nothing else has answered the
    /// customer, such as the receipt of a confirmation that was read meanwhile.
    async fn stands(&self, workspace: WorkspaceId, turn: &DueTurn) -> Result<bool, StoreError>;

    /// Makes the turn due at `at` and forgets an answer of its own that was not sent, unless somebody has
    /// spoken since.
    async fn postpone_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Ends the turn in one transaction: the customer no longer waits, unless somebody has spoken since; a
    /// turn recorded as dropped is due again at once. A record also ends the wait for an answer under way,
    /// and goes into the log and the day's usage.
    async fn finish_turn(
        &self,
        workspace: WorkspaceId,
        turn: &DueTurn,
        record: Option<TurnRecord>,
    ) -> Result<(), StoreError>;
}

/// Sign on a customer's phone that somebody is typing.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TypingIndicator: Send + Sync {
    /// Shows the conversation's customer for some twenty seconds that an answer is being written. Nothing
    /// depends on it, so a failure ends here.
    async fn show(&self, workspace: WorkspaceId, conversation: ConversationId);
}

/// A customer who has written again since their conversation was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingCustomer {
    pub conversation: ConversationId,
    pub handed_over_at: OffsetDateTime,
    /// End of the claim, which tells it apart from another's.
    pub lease_until: OffsetDateTime,
}

/// Storage of customers who write on while they wait for a person. Their message makes them due, in the
/// transaction that records it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WaitingStore: Send + Sync {
    /// Lists the workspaces with customers due by `now`; claims none.
    async fn workspaces_where_customers_wait(
        &self,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a customer due by `now`, who is due again at `lease_until`. `None` if none is due, or another
    /// worker was faster.
    async fn claim_waiting(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<WaitingCustomer>, StoreError>;

    /// Ends the claim, and has the customer told what `says` says, unless they were told since the hand-over
    /// or the conversation is no longer the team's: one transaction.
    async fn settle_waiting(
        &self,
        workspace: WorkspaceId,
        waiting: &WaitingCustomer,
        says: Option<PreparedReply>,
    ) -> Result<(), StoreError>;
}

/// Count of the tokens that a workspace uses in a day, and of what they cost.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TokenBudget: Send + Sync {
    /// Reserves what a request may take of a day; `false`, and nothing reserved, if the day would exceed
    /// `limit` with it.
    async fn reserve(
        &self,
        workspace: WorkspaceId,
        day: time::Date,
        wanted: Spent,
        limit: DayLimit,
    ) -> Result<bool, StoreError>;

    /// Replaces a reservation by what was used, and its cost. If that takes the day to four fifths of
    /// `limit`, owners are alerted at `now`.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        day: time::Date,
        reserved: Spent,
        used: (TokenUsage, Cost),
        limit: DayLimit,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Log of turns and of the daily usage.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TurnLog: Send + Sync {
    /// Lists turns after the page's position, newest first: up to one more than the page holds.
    async fn turns(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<ListedTurn>, StoreError>;

    /// Lists the days since `first` with any usage, newest first.
    async fn usage(&self, workspace: WorkspaceId, first: time::Date) -> Result<Vec<UsageOfDay>, StoreError>;

    /// Deletes some of the turns that ended before `before`; returns whether there may be more.
    async fn forget_turns(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;

    /// Lists the workspaces with turns that ended before `before`; deletes none.
    async fn workspaces_with_old_turns(&self, before: OffsetDateTime)
    -> Result<Vec<WorkspaceId>, StoreError>;
}
