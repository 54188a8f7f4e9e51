//! The work of one workspace.

use std::collections::{HashSet, VecDeque};

use domain::inbound::{BATCH, Held, JournalItem, OrderKey};

use super::Work;

/// Batches of one workspace handled at once.
pub(super) const BATCHES: usize = 4;
/// How many of those that wait are looked through for a further batch, past those that have to wait longer.
const LOOKED_THROUGH: usize = 10 * BATCH;

/// What a piece of work is.
#[derive(Debug)]
pub(super) enum Kind {
    /// What shares one of these keys waits for its end.
    Batch(HashSet<OrderKey>),
    Reading,
    TakingUp,
}

/// The work of one workspace.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    /// What came while the journal was being taken up: after that.
    later: Vec<Waiting>,
    /// Changed templates.
    readings: Vec<Held>,
    is_read: bool,
    /// What is being handled: nothing that shares a key with it begins.
    busy: HashSet<OrderKey>,
    /// Batches that are being handled.
    running: usize,
    journal: Journal,
    /// Whether too few for a further batch were found that need not wait for what is being handled.
    stuck: bool,
    /// Whether it is in line to be looked at.
    pub(super) has_turn: bool,
}

type Waiting = (Vec<OrderKey>, Held);

/// What the journal may hold that nobody has taken up.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Journal {
    #[default]
    Nothing,
    Something,
    /// It is being taken up; after that there may be more.
    BeingTakenUp {
        more: bool,
    },
    /// It could not be taken up: it is tried again when the journal is looked at next.
    Unknown,
}

/// What there is room for.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) to_take_up: bool,
    pub(super) to_read: bool,
}

/// What may be done for one workspace.
pub(super) enum Next {
    Work(Kind, Work),
    /// Something, if there were room.
    Refused,
    Nothing,
}

fn with_keys(held: Held) -> Waiting {
    (held.entry.item.order_keys(), held)
}

impl Hand {
    /// Whether more may wait here. None may while the journal holds earlier ones; those that come while the last of these
    /// are being taken up wait behind them.
    pub(super) fn takes_more(&self) -> bool {
        matches!(self.journal, Journal::Nothing | Journal::BeingTakenUp { more: false })
    }

    /// These were journaled as taken up.
    pub(super) fn hand_over(&mut self, updates: Vec<Held>) {
        let updates = updates.into_iter().map(with_keys);
        if self.journal == Journal::Nothing {
            self.append(updates.collect());
        } else {
            self.later.extend(updates);
        }
    }

    /// These were taken up out of the journal. Of those that came meanwhile, the ones that are older come first.
    pub(super) fn add_taken_up(&mut self, updates: Vec<Held>) {
        let newest = updates.iter().map(|held| held.entry.id).max();
        let later = std::mem::take(&mut self.later);
        let (before, later): (Vec<_>, Vec<_>) =
            later.into_iter().partition(|(_, held)| Some(held.entry.id) < newest);
        self.later = later;
        let mut in_order: Vec<Waiting> = updates.into_iter().map(with_keys).chain(before).collect();
        in_order.sort_by_key(|(_, held)| held.entry.id);
        self.append(in_order);
    }

    pub(super) fn look_at_journal(&mut self) {
        self.journal = match self.journal {
            Journal::Nothing | Journal::Something | Journal::Unknown => Journal::Something,
            Journal::BeingTakenUp { .. } => Journal::BeingTakenUp { more: true },
        };
    }

    fn append(&mut self, updates: Vec<Waiting>) {
        for (keys, held) in updates {
            if matches!(held.entry.item, JournalItem::TemplatesChanged { .. }) {
                self.readings.push(held);
                continue;
            }
            self.stuck &= keys.iter().any(|key| self.busy.contains(key));
            self.waiting.push_back((keys, held));
        }
    }

    pub(super) fn begin(&mut self, with_journal: bool, room: Room) -> Next {
        // A second batch only when it is a full one: several small ones cost more than one.
        let least = if self.running == 0 { 1 } else { BATCH };
        if self.running < BATCHES
            && !self.stuck
            && self.waiting.len() >= least
            && let Some((updates, keys)) = self.batch(least)
        {
            return Next::Work(Kind::Batch(keys), Work::Handle(updates));
        }
        let reads = !self.readings.is_empty() && !self.is_read;
        if reads && room.to_read {
            self.is_read = true;
            return Next::Work(Kind::Reading, Work::Handle(std::mem::take(&mut self.readings)));
        }
        let takes_up = with_journal && self.journal == Journal::Something && self.waiting.len() < BATCH;
        if takes_up && room.to_take_up {
            self.journal = Journal::BeingTakenUp { more: false };
            return Next::Work(Kind::TakingUp, Work::TakeUp);
        }
        if reads || takes_up { Next::Refused } else { Next::Nothing }
    }

    /// The oldest that share no key with what is being handled, nor with an older one that has to wait; `None` when
    /// there are too few.
    fn batch(&mut self, least: usize) -> Option<(Vec<Held>, HashSet<OrderKey>)> {
        let mut blocked: HashSet<OrderKey> = HashSet::new();
        let mut free = Vec::with_capacity(BATCH);
        for (place, (keys, _)) in self.waiting.iter().take(LOOKED_THROUGH).enumerate() {
            if keys.iter().any(|key| self.busy.contains(key) || blocked.contains(key)) {
                blocked.extend(keys);
            } else {
                free.push(place);
                if free.len() == BATCH {
                    break;
                }
            }
        }
        if free.len() < least {
            self.stuck = true;
            return None;
        }
        let looked_through = free.last().map_or(0, |last| last + 1);
        let mut free = free.into_iter().peekable();
        let (mut keys, mut updates, mut stay) = (HashSet::new(), Vec::new(), Vec::new());
        for (place, (of_update, held)) in self.waiting.drain(..looked_through).enumerate() {
            if free.next_if_eq(&place).is_some() {
                keys.extend(of_update);
                updates.push(held);
            } else {
                stay.push((of_update, held));
            }
        }
        stay.into_iter().rev().for_each(|waits| self.waiting.push_front(waits));
        self.busy.extend(&keys);
        self.running += 1;
        Some((updates, keys))
    }

    pub(super) fn end(&mut self, kind: &Kind, done: bool) {
        match kind {
            Kind::Batch(keys) => {
                self.busy.retain(|key| !keys.contains(key));
                self.running = self.running.saturating_sub(1);
                self.stuck = false;
            }
            Kind::Reading => self.is_read = false,
            Kind::TakingUp => {
                self.journal = match self.journal {
                    _ if !done => Journal::Unknown,
                    Journal::BeingTakenUp { more: true } => Journal::Something,
                    _ => Journal::Nothing,
                };
            }
        }
        if self.journal == Journal::Nothing {
            let later = std::mem::take(&mut self.later);
            self.append(later);
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        let nothing_waits = self.waiting.is_empty() && self.later.is_empty() && self.readings.is_empty();
        nothing_waits && self.running == 0 && !self.is_read && self.journal == Journal::Nothing
    }
}
