//! Calls that share statements: those of all workspaces, or of one.

use std::{collections::HashMap, sync::Arc};

use domain::{
    ids::{JournalId, WorkspaceId},
    inbound::ports::NumberRoute,
};
use time::OffsetDateTime;
use tokio::runtime::Handle;

use crate::coalescer::Coalescer;

/// Routes of numbers in the order asked; `None` for numbers that are not ours.
type NumberRoutes = Vec<Option<NumberRoute>>;

pub(super) struct InboundBatches {
    pub(super) number_routes: Arc<Coalescer<(), Arc<[String]>, NumberRoutes>>,
    pub(super) append: Arc<Coalescer<WorkspaceId, Arc<[Appended]>, KeptUpdates>>,
}

impl InboundBatches {
    pub(super) fn on(runtime: &Handle) -> Self {
        Self { number_routes: Coalescer::new(runtime.clone()), append: Coalescer::new(runtime.clone()) }
    }
}

pub(super) struct SealedEntry {
    pub(super) id: JournalId,
    pub(super) kind: &'static str,
    pub(super) item_sealed: Vec<u8>,
    pub(super) attempts: i32,
    pub(super) received_at: OffsetDateTime,
}

pub(super) type Appended = (SealedEntry, bool);

/// The journaled updates that this process holds under its number, with their places.
pub(super) struct KeptUpdates {
    pub(super) places: HashMap<JournalId, i64>,
    pub(super) holder: i32,
    pub(super) behind: bool,
}
