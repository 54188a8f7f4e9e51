//! Dependencies of nearly every use case.

use std::sync::Arc;

use crate::{clock::Clock, ids::IdSource, signals::Signals};

/// Time, new ids, and signals that wake workers after a commit.
#[derive(Clone)]
pub struct Deps {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub signals: Arc<dyn Signals>,
}
