//! State that all requests share.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::config::Config;
use crate::faults::{Fault, FaultSet};
use crate::script::Script;

/// State of the stand-in.
pub(crate) struct Core {
    pub(crate) config: Config,
    faults: Mutex<FaultSet>,
    /// Bodies, each with its `Authorization` header.
    requests: Mutex<VecDeque<(Value, Option<String>)>>,
    scripts: Mutex<VecDeque<Script>>,
    errors: Mutex<Vec<String>>,
}

impl Core {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            config,
            faults: Mutex::default(),
            requests: Mutex::default(),
            scripts: Mutex::default(),
            errors: Mutex::default(),
        }
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultSet> {
        locked(&self.faults)
    }

    /// Returns whether this fault affects this request.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        self.faults().strikes(fault)
    }

    pub(crate) fn note(&self, request: Value, key: Option<String>) {
        let mut kept = locked(&self.requests);
        if kept.len() >= self.config.keep {
            kept.pop_front();
        }
        kept.push_back((request, key));
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        locked(&self.requests).iter().map(|(request, _)| request.clone()).collect()
    }

    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        locked(&self.requests).iter().map(|(_, key)| key.clone()).collect()
    }

    /// Replaces the answers to be played next.
    pub(crate) fn play(&self, scripts: Vec<Script>) {
        *locked(&self.scripts) = scripts.into();
    }

    pub(crate) fn next_script(&self) -> Option<Script> {
        locked(&self.scripts).pop_front()
    }

    pub(crate) fn scripts_left(&self) -> usize {
        locked(&self.scripts).len()
    }

    pub(crate) fn fail(&self, reason: &str) {
        locked(&self.errors).push(reason.to_owned());
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        locked(&self.errors).clone()
    }

    pub(crate) fn reset(&self) {
        self.faults().replace(Vec::new());
        locked(&self.requests).clear();
        locked(&self.scripts).clear();
        locked(&self.errors).clear();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
