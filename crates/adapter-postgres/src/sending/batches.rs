//! Calls that share statements with others of their workspace.

use std::sync::Arc;

use domain::{
    channels::AccountAccess,
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
    sending::{Catalogue, ConversationParts, ports::SendReservation},
};
use tokio::runtime::Handle;

use super::accepted::{Accepted, SettleOutcome};
use crate::coalescer::Coalescer;

pub(super) struct SendBatches {
    /// Catalogues for sending a template, by its name.
    pub(super) catalogue: Arc<Coalescer<(WorkspaceId, String), (), Arc<Catalogue>>>,
    pub(super) begin: Arc<Coalescer<WorkspaceId, Arc<SendReservation>, BeginOutcome>>,
    /// Tokens of accounts.
    pub(super) token: Arc<Coalescer<(WorkspaceId, AccountId), (), Option<AccountAccess>>>,
    pub(super) conversation: Arc<Coalescer<WorkspaceId, (ChannelId, PhoneNumber), ConversationParts>>,
    /// Acceptances that leave something in the inbox.
    pub(super) settle_in_conversation: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
    /// Acceptances that leave nothing in the inbox.
    pub(super) settle: Arc<Coalescer<WorkspaceId, Arc<Accepted>, SettleOutcome>>,
}

impl SendBatches {
    pub(super) fn on(runtime: &Handle) -> Self {
        Self {
            catalogue: Coalescer::new(runtime.clone()),
            begin: Coalescer::new(runtime.clone()),
            token: Coalescer::new(runtime.clone()),
            conversation: Coalescer::new(runtime.clone()),
            settle_in_conversation: Coalescer::new(runtime.clone()),
            settle: Coalescer::new(runtime.clone()),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum BeginOutcome {
    Started,
    KeyTaken,
    PlanLimitReached,
    FileTaken,
    Outdated,
    IdTaken,
}
