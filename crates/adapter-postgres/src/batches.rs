//! Calls that share statements with others of their workspace.

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

/// The route of each number in the order asked; `None` for numbers that are not ours.
type Routes = Vec<Option<NumberRoute>>;

pub(crate) struct Batches {
    /// Authentications by key, of all workspaces.
    pub(crate) authenticate: Arc<Coalescer<(), KeyUse, Option<AuthenticatedKey>>>,
    /// Catalogues for sending a template: callers that wait share one read.
    pub(crate) catalogue: Arc<Coalescer<(WorkspaceId, String), (), Arc<Catalogue>>>,
    pub(crate) begin: Arc<Coalescer<WorkspaceId, Arc<SendReservation>, BeginOutcome>>,
    /// An account's token: callers that wait share one read.
    pub(crate) token: Arc<Coalescer<(WorkspaceId, AccountId), (), Option<AccountAccess>>>,
    pub(crate) conversation: Arc<Coalescer<WorkspaceId, (ChannelId, PhoneNumber), ConversationParts>>,
    /// Acceptances that leave something in the inbox.
    pub(crate) settle_in_conversation: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
    /// Acceptances that leave nothing in the inbox.
    pub(crate) settle: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
    pub(crate) number_routes: Arc<Coalescer<(), Arc<[String]>, Routes>>,
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

pub(crate) fn same_for_all<C, A: Clone>(calls: &[C], answer: &A) -> Vec<A> {
    vec![answer.clone(); calls.len()]
}
