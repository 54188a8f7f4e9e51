//! What nearly every use case is given.

use std::sync::Arc;

use crate::{clock::Clock, ids::IdSource, signals::Signals};

/// They are the time, new ids, and whom to wake after a commit.
#[derive(Clone)]
pub struct Deps {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub signals: Arc<dyn Signals>,
}
