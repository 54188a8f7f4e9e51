//! Which calls share statements with others of their workspace.

use std::sync::Arc;

use domain::{
    access::ports::AuthenticatedKey,
    channels::AccountAccess,
    ids::{AccountId, ChannelId, WorkspaceId},
    inbound::ports::NumberRoute,
    phone::PhoneNumber,
    sending::{Catalogue, ConversationParts, ports::SendReservation},
};
use tokio::runtime::Handle;

use crate::{
    access::KeyUse,
    coalescer::Coalescer,
    inbound::{Appended, KeptUpdates},
    sending::{Accepted, BeginOutcome, SettleOutcome},
};

/// Where each number's updates go, in the order asked; `None` for numbers that are not ours.
type Routes = Vec<Option<NumberRoute>>;

/// The queues of a store, shared by its clones.
pub(crate) struct Batches {
    /// Requests with keys, of all workspaces.
    pub(crate) authenticate: Arc<Coalescer<(), KeyUse, Option<AuthenticatedKey>>>,
    /// For each template the catalogue that its sends need: those that wait read it once.
    pub(crate) catalogue: Arc<Coalescer<(WorkspaceId, String), (), Arc<Catalogue>>>,
    /// What became of each reservation.
    pub(crate) begin: Arc<Coalescer<WorkspaceId, Arc<SendReservation>, BeginOutcome>>,
    /// An account's token, read once by those that wait.
    pub(crate) token: Arc<Coalescer<(WorkspaceId, AccountId), (), Option<AccountAccess>>>,
    /// People and their conversations.
    pub(crate) conversation: Arc<Coalescer<WorkspaceId, (ChannelId, PhoneNumber), ConversationParts>>,
    /// What was accepted and leaves something in the inbox.
    pub(crate) settle_in_conversation: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
    /// What was accepted and is kept nowhere.
    pub(crate) settle: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
    /// Whose numbers these are.
    pub(crate) number_routes: Arc<Coalescer<(), Arc<[String]>, Routes>>,
    /// Updates to journal.
    pub(crate) append: Arc<Coalescer<WorkspaceId, Arc<[Appended]>, KeptUpdates>>,
}

impl Batches {
    pub(crate) fn on(runtime: &Handle) -> Self {
        Self {
            authenticate: Coalescer::new(runtime.clone()),
            catalogue: Coalescer::new(runtime.clone()),
            begin: Coalescer::new(runtime.clone()),
            token: Coalescer::new(runtime.clone()),
            conversation: Coalescer::new(runtime.clone()),
            settle_in_conversation: Coalescer::new(runtime.clone()),
            settle: Coalescer::new(runtime.clone()),
            number_routes: Coalescer::new(runtime.clone()),
            append: Coalescer::new(runtime.clone()),
        }
    }
}

/// One answer for each of `calls` that ask the same.
pub(crate) fn same_for_all<C, A: Clone>(calls: &[C], answer: &A) -> Vec<A> {
    vec![answer.clone(); calls.len()]
}
