//! The work of one workspace.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    mem,
};

use domain::inbound::{BATCH, HeldUpdate, JournalItem, OrderKey};

/// Batches of one workspace handled at once.
pub(super) const BATCHES: usize = 4;
/// Waiting updates looked through for a further batch, past those that have to wait longer.
const LOOKED_THROUGH: usize = 10 * BATCH;
/// Scans of the journal after which a workspace with nothing to do is let go, so that nodes share the
/// workspaces.
pub(super) const OLD: u32 = 10;

/// Next work for a workspace.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Handle these, in their order.
    Handle(Vec<HeldUpdate>),
    /// Claim more from the journal.
    TakeUp,
    /// Let the workspace go, for whoever asks next.
    LetGo,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Keys of the batch: what shares one of them waits for its end.
    Batch(HashSet<OrderKey>),
    Reading,
    TakingUp,
    LettingGo,
}

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
pub(super) struct WorkspaceQueue {
    /// Oldest first.
    waiting: VecDeque<Waiting>,
    /// Updates that came while the journal was being claimed: they go behind it.
    later: Vec<Waiting>,
    readings: Vec<HeldUpdate>,
    is_read: bool,
    /// Keys being handled: nothing that shares one begins.
    busy: HashSet<OrderKey>,
    running: usize,
    journal: Journal,
    /// Whether too few updates were found for a further batch that need not wait for what is being handled.
    stuck: bool,
    /// Updates that keep their places for a later try, by number: nothing that shares a key with one of them
    /// begins.
    parked: HashMap<u64, Vec<Waiting>>,
    /// Scans since this process holds the journal; `None` while it does not.
    age: Option<u32>,
    /// Whether updates were journaled here of which another process may have to be told.
    pub(super) posted: bool,
    pub(super) in_line: bool,
}

type Waiting = (Vec<OrderKey>, HeldUpdate);

/// What the journal may hold that nobody has claimed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Journal {
    #[default]
    Nothing,
    Something,
    /// Being claimed; after that there may be more.
    BeingTakenUp {
        more: bool,
    },
    /// Claiming failed; tried again when the journal is looked at next.
    Unknown,
}

/// Kinds of work that there is room for.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) to_take_up: bool,
    pub(super) to_read: bool,
}

pub(super) enum Next {
    Work(Kind, Work),
    Refused,
    Nothing,
}

fn with_keys(held: HeldUpdate) -> Waiting {
    (held.entry.item.order_keys(), held)
}

impl WorkspaceQueue {
    /// Returns whether this process holds the workspace's journal.
    pub(super) const fn is_own(&self) -> bool {
        self.age.is_some()
    }

    /// Returns whether more updates may wait here. None may while the journal has earlier ones; those that
    /// come while the last of these are being claimed wait behind them.
    pub(super) const fn takes_more(&self) -> bool {
        self.is_own() && matches!(self.journal, Journal::Nothing | Journal::BeingTakenUp { more: false })
    }

    /// Counts a scan; returns whether the workspace is to be let go at its next turn.
    pub(super) fn grows_older(&mut self) -> bool {
        self.age = self.age.map(|age| age.saturating_add(1));
        self.is_old()
    }

    fn is_old(&self) -> bool {
        self.age.is_some_and(|age| age >= OLD) && self.has_nothing()
    }

    /// Takes updates that were journaled as claimed, `behind` those that the journal may have.
    pub(super) fn hand_over(&mut self, updates: Vec<HeldUpdate>, behind: bool) {
        if behind {
            self.look_at_journal();
        }
        let updates = updates.into_iter().map(with_keys);
        if self.journal == Journal::Nothing {
            self.append(updates.collect());
        } else {
            self.later.extend(updates);
        }
    }

    /// Takes updates claimed from the journal. Of those that came meanwhile, the ones with earlier places
    /// come first.
    pub(super) fn add_taken_up(&mut self, updates: Vec<HeldUpdate>) {
        self.age.get_or_insert(0);
        self.posted = false;
        let newest = updates.iter().map(|held| held.place).max();
        let later = mem::take(&mut self.later);
        let (before, later): (Vec<_>, Vec<_>) =
            later.into_iter().partition(|(_, held)| Some(held.place) < newest);
        self.later = later;
        let mut in_order: Vec<Waiting> = updates.into_iter().map(with_keys).chain(before).collect();
        in_order.sort_by_key(|(_, held)| held.place);
        self.append(in_order);
    }

    pub(super) fn park(&mut self, number: u64, updates: Vec<HeldUpdate>) {
        self.parked.insert(number, updates.into_iter().map(with_keys).collect());
    }

    /// Puts parked updates back, before all with later places.
    pub(super) fn unpark(&mut self, number: u64) {
        let Some(updates) = self.parked.remove(&number) else { return };
        self.append(updates);
        self.waiting.make_contiguous().sort_by_key(|(_, held)| held.place);
        self.stuck = false;
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
        // A second batch only when it is full: several small ones cost more than one.
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
            return Next::Work(Kind::Reading, Work::Handle(mem::take(&mut self.readings)));
        }
        // Updates of a person who waits, however many, hold up nobody else's.
        let few_wait = self.waiting.len() < BATCH || self.stuck;
        let takes_up = with_journal && self.journal == Journal::Something && few_wait;
        if takes_up && room.to_take_up {
            self.journal = Journal::BeingTakenUp { more: false };
            return Next::Work(Kind::TakingUp, Work::TakeUp);
        }
        if with_journal && self.is_old() {
            self.age = None;
            self.journal = Journal::BeingTakenUp { more: false };
            return Next::Work(Kind::LettingGo, Work::LetGo);
        }
        if reads || takes_up { Next::Refused } else { Next::Nothing }
    }

    /// Takes the oldest updates that share no key with what is being handled, nor with an older one that has
    /// to wait; `None` if there are too few.
    fn batch(&mut self, least: usize) -> Option<(Vec<HeldUpdate>, HashSet<OrderKey>)> {
        let parked = self.parked.values().flatten().flat_map(|(keys, _)| keys.iter().copied());
        let mut blocked: HashSet<OrderKey> = parked.collect();
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
            Kind::TakingUp | Kind::LettingGo => {
                self.journal = match self.journal {
                    _ if !done => Journal::Unknown,
                    Journal::BeingTakenUp { more: true } => Journal::Something,
                    _ => Journal::Nothing,
                };
            }
        }
        if self.journal == Journal::Nothing {
            let later = mem::take(&mut self.later);
            self.append(later);
        }
    }

    /// Returns whether nothing about it has to be remembered.
    pub(super) fn is_idle(&self) -> bool {
        self.has_nothing() && !self.is_own()
    }

    fn has_nothing(&self) -> bool {
        let nothing_waits = self.waiting.is_empty()
            && self.later.is_empty()
            && self.parked.is_empty()
            && self.readings.is_empty();
        nothing_waits && self.running == 0 && !self.is_read && self.journal == Journal::Nothing
    }
}
