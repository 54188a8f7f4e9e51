//! Which calls share statements with others of their workspace.

use std::sync::Arc;

use domain::{
    access::ports::AuthenticatedKey,
    channels::AccountAccess,
    ids::{AccountId, ChannelId, WorkspaceId},
    inbound::ports::NumberRoute,
    phone::PhoneNumber,
    sending::{Catalogue, ThreadParts, ports::Beginning},
};
use tokio::runtime::Handle;

use crate::{
    access::KeyUse,
    inbound::{Appended, KeptUpdates},
    sending::{Accepted, Settled},
    together::Together,
};

/// Where each number's updates go, in the order asked; `None` for numbers that are not ours.
type Routes = Vec<Option<NumberRoute>>;

/// The queues of a store, shared by its clones.
pub(crate) struct Batches {
    /// Requests with keys, of all workspaces.
    pub(crate) authenticate: Arc<Together<(), KeyUse, Option<AuthenticatedKey>>>,
    /// For each template the catalogue that its sends need: those that wait read it once.
    pub(crate) catalogue: Arc<Together<(WorkspaceId, String), (), Arc<Catalogue>>>,
    /// Whether each send was begun.
    pub(crate) begin: Arc<Together<WorkspaceId, Arc<Beginning>, bool>>,
    /// An account's token, read once by those that wait.
    pub(crate) token: Arc<Together<(WorkspaceId, AccountId), (), Option<AccountAccess>>>,
    /// People and their threads.
    pub(crate) thread: Arc<Together<WorkspaceId, (ChannelId, PhoneNumber), ThreadParts>>,
    /// What was accepted and leaves something in the inbox.
    pub(crate) settle_notice: Arc<Together<WorkspaceId, Arc<Accepted>, Settled>>,
    /// What was accepted and is kept nowhere.
    pub(crate) settle: Arc<Together<WorkspaceId, Arc<Accepted>, Settled>>,
    /// Whose numbers these are.
    pub(crate) number_routes: Arc<Together<(), Arc<[String]>, Routes>>,
    /// Updates to journal.
    pub(crate) append: Arc<Together<WorkspaceId, Arc<[Appended]>, KeptUpdates>>,
}

impl Batches {
    pub(crate) fn on(runtime: &Handle) -> Self {
        Self {
            authenticate: Together::new(runtime.clone()),
            catalogue: Together::new(runtime.clone()),
            begin: Together::new(runtime.clone()),
            token: Together::new(runtime.clone()),
            thread: Together::new(runtime.clone()),
            settle_notice: Together::new(runtime.clone()),
            settle: Together::new(runtime.clone()),
            number_routes: Together::new(runtime.clone()),
            append: Together::new(runtime.clone()),
        }
    }
}

/// One answer for each of `calls` that ask the same.
pub(crate) fn same_for_all<C, A: Clone>(calls: &[C], answer: &A) -> Vec<A> {
    vec![answer.clone(); calls.len()]
}
