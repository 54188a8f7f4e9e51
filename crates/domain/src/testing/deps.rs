//! Dependencies of use cases.

use std::sync::Arc;

use super::{manual_clock::ManualClock, sends::a_moment, sequential_ids::SequentialIds};
use crate::{clock::Clock, deps::Deps, ids::IdSource, signals::MockSignals};

/// Makes the [`Deps`] of a use case that wakes nobody: its signals are a mock without expectations.
pub fn deps_of(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Deps {
    Deps { clock, ids, signals: Arc::new(MockSignals::new()) }
}

/// Makes dependencies at [`a_moment`], with ids in sequence; a signal is a surprise.
pub fn some_deps() -> Deps {
    deps_waking(MockSignals::new())
}

/// Makes the dependencies of [`some_deps`] with these signals.
pub fn deps_waking(signals: MockSignals) -> Deps {
    let clock = Arc::new(ManualClock::at(a_moment()));
    Deps { clock, ids: Arc::new(SequentialIds::default()), signals: Arc::new(signals) }
}
