//! What nearly every use case is given.

use std::sync::Arc;

use crate::{clock::Clock, ids::IdSource, signals::Signals};

/// The time, new ids, and whom to wake after a commit.
#[derive(Clone)]
pub struct Deps {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Whom to wake.
    pub signals: Arc<dyn Signals>,
}
