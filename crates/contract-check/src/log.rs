//! Outcomes during a run.

use std::collections::BTreeMap;

use crate::judge::Judged;
use crate::report::Outcome;

/// Outcome of each check so far. A fault stays found, and a passed check is never skipped afterwards.
#[derive(Debug, Default)]
pub(crate) struct Log {
    outcomes: BTreeMap<&'static str, Outcome>,
    notes: Vec<String>,
}

impl Log {
    pub(crate) fn pass(&mut self, id: &'static str, call: &str) {
        let was = self.outcomes.get(id);
        if !matches!(was, Some(Outcome::Passed { .. } | Outcome::Found { .. })) {
            self.outcomes.insert(id, Outcome::Passed { call: call.to_owned() });
        }
    }

    pub(crate) fn found(&mut self, id: &'static str, call: &str, detail: impl Into<String>) {
        if let Some(Outcome::Found { more, .. }) = self.outcomes.get_mut(id) {
            *more += 1;
            return;
        }
        let detail = detail.into();
        self.outcomes.insert(id, Outcome::Found { call: call.to_owned(), detail, more: 0 });
    }

    /// Records a pass or a fault.
    pub(crate) fn settle(&mut self, id: &'static str, call: &str, seen: Result<(), String>) {
        match seen {
            Ok(()) => self.pass(id, call),
            Err(detail) => self.found(id, call, detail),
        }
    }

    pub(crate) fn take(&mut self, call: &str, judged: Judged) {
        for (id, seen) in judged.into_iter() {
            self.settle(id, call, seen);
        }
    }

    pub(crate) fn skip(&mut self, id: &'static str, reason: &str) {
        self.outcomes.entry(id).or_insert_with(|| Outcome::Skipped { reason: reason.to_owned() });
    }

    pub(crate) fn has_found(&self, id: &str) -> bool {
        matches!(self.outcomes.get(id), Some(Outcome::Found { .. }))
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(crate) fn end(self) -> (BTreeMap<&'static str, Outcome>, Vec<String>) {
        (self.outcomes, self.notes)
    }
}
