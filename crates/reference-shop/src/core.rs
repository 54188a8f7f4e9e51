//! State that all requests share.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::ExposeSecret;
use tokio::sync::Barrier;

use crate::answers::ToldAnswer;
use crate::clock::Clock;
use crate::config::Config;
use crate::faults::{Fault, FaultSet};
use crate::requests::Requests;
use crate::route::Route;
use crate::state::State;

/// Time that one creation waits for another with its key, if a fault lets both through.
const MEETING: Duration = Duration::from_millis(400);

/// State of the shop.
pub(crate) struct Core {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Clock,
    config: Config,
    state: Mutex<State>,
    faults: Mutex<FaultSet>,
    answers: Mutex<Vec<ToldAnswer>>,
    requests: Mutex<Requests>,
    meetings: Mutex<HashMap<String, Arc<Barrier>>>,
}

impl Core {
    pub(crate) fn new(config: Config, address: SocketAddr) -> Self {
        Self {
            address,
            clock: config.clock,
            state: Mutex::new(State::new(config.clock.now())),
            faults: Mutex::default(),
            answers: Mutex::default(),
            requests: Mutex::new(Requests::new(config.keep)),
            meetings: Mutex::default(),
            config,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultSet> {
        locked(&self.faults)
    }

    /// Replaces the statuses that routes are told to answer with.
    pub(crate) fn tell_answers(&self, answers: Vec<ToldAnswer>) {
        *locked(&self.answers) = answers;
    }

    pub(crate) fn told(&self, route: Route) -> Option<ToldAnswer> {
        locked(&self.answers).iter().find(|told| told.route == route).copied()
    }

    pub(crate) fn requests(&self) -> MutexGuard<'_, Requests> {
        locked(&self.requests)
    }

    /// Returns whether this fault affects this call; a limited one is counted down by it.
    pub(crate) fn strikes(&self, fault: Fault, route: Route) -> bool {
        self.faults().strikes(fault, route)
    }

    /// Checks the secret. `prefix` is the fault that compares the beginning alone.
    pub(crate) fn opens(&self, given: &str, prefix: bool) -> bool {
        let secret = self.config.secret.expose_secret();
        given == secret || (prefix && given.starts_with(secret))
    }

    pub(crate) fn reset(&self) {
        *self.state() = State::new(self.clock.now());
        self.faults().replace(Vec::new());
        self.tell_answers(Vec::new());
        self.requests().clear();
        locked(&self.meetings).clear();
    }

    /// Waits until another request with this key is here as well, or for [`MEETING`].
    pub(crate) async fn meet(&self, key: &str) {
        let barrier = Arc::clone(
            locked(&self.meetings).entry(key.to_owned()).or_insert_with(|| Arc::new(Barrier::new(2))),
        );
        // Nobody came: the creation goes on alone.
        let _alone = tokio::time::timeout(MEETING, barrier.wait()).await;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
