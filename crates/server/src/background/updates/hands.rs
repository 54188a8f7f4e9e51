//! What this process has to handle, and what of it may be handled now.

use std::collections::{HashMap, HashSet, VecDeque};

use domain::{
    ids::WorkspaceId,
    inbound::{BATCH, Held, OrderKey},
};

/// Updates that wait here at most: a few hundred bytes each, and more are left to the journal.
pub(super) const ROOM: usize = 20_000;
/// Batches of one workspace handled at once.
const AT_ONCE: usize = 4;
/// How many of those that wait are looked through for a further batch, past those that have to wait longer.
const LOOKED_THROUGH: usize = 10 * BATCH;

/// What is to be done next for a workspace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// These are handled, in their order.
    Handle(Vec<Held>),
    /// More are taken up out of the journal.
    TakeUp,
}

/// A piece of work that has begun, until it ends.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) workspace: WorkspaceId,
    /// What waits for its end; `None` where more is taken up.
    keys: Option<HashSet<OrderKey>>,
}

/// The work of all workspaces.
#[derive(Debug, Default)]
pub(super) struct Hands {
    of: HashMap<WorkspaceId, Hand>,
    /// Whose turn it is to be looked at: those with work that may have become possible.
    turns: VecDeque<WorkspaceId>,
    /// How many updates wait.
    waiting: usize,
}

/// The work of one workspace.
#[derive(Debug, Default)]
struct Hand {
    /// Oldest first.
    waiting: VecDeque<(Vec<OrderKey>, Held)>,
    /// What is being handled: nothing that shares a key with it begins.
    busy: HashSet<OrderKey>,
    /// Batches that are being handled.
    running: usize,
    journal: Journal,
    /// Whether all that wait were found to wait for what is being handled.
    stuck: bool,
    has_turn: bool,
}

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
}

impl Hands {
    /// Whether as many more of a workspace may wait here. None may while the journal holds earlier ones.
    pub(super) fn has_room_for(&self, workspace: WorkspaceId, updates: usize) -> bool {
        let behind = self.of.get(&workspace).is_some_and(|hand| hand.journal != Journal::Nothing);
        !behind && self.waiting.saturating_add(updates) <= ROOM
    }

    /// These wait from now on.
    pub(super) fn add(&mut self, workspace: WorkspaceId, updates: Vec<Held>) {
        self.waiting += updates.len();
        let with_keys = updates.into_iter().map(|held| (held.entry.item.order_keys(), held));
        self.of.entry(workspace).or_default().waiting.extend(with_keys);
        self.give_turn(workspace);
    }

    /// The journal of the workspace is to be looked at.
    pub(super) fn look_at_journal(&mut self, workspace: WorkspaceId) {
        let journal = &mut self.of.entry(workspace).or_default().journal;
        *journal = match journal {
            Journal::Nothing | Journal::Something => Journal::Something,
            Journal::BeingTakenUp { .. } => Journal::BeingTakenUp { more: true },
        };
        self.give_turn(workspace);
    }

    /// Something that may be done now, of the workspaces in turn.
    pub(super) fn begin(&mut self, with_journal: bool) -> Option<(Begun, Work)> {
        while let Some(workspace) = self.turns.pop_front() {
            let Some(hand) = self.of.get_mut(&workspace) else { continue };
            hand.has_turn = false;
            if let Some((work, keys)) = hand.begin(with_journal) {
                if let Work::Handle(updates) = &work {
                    self.waiting = self.waiting.saturating_sub(updates.len());
                }
                self.give_turn(workspace);
                return Some((Begun { workspace, keys }, work));
            }
            if hand.is_idle() {
                self.of.remove(&workspace);
            }
        }
        None
    }

    /// The end of a piece of work, however it ended.
    pub(super) fn end(&mut self, begun: &Begun) {
        let Some(hand) = self.of.get_mut(&begun.workspace) else { return };
        match &begun.keys {
            Some(keys) => {
                hand.busy.retain(|key| !keys.contains(key));
                hand.running = hand.running.saturating_sub(1);
                hand.stuck = false;
            }
            None if hand.journal == (Journal::BeingTakenUp { more: true }) => {
                hand.journal = Journal::Something;
            }
            None => hand.journal = Journal::Nothing,
        }
        self.give_turn(begun.workspace);
    }

    fn give_turn(&mut self, workspace: WorkspaceId) {
        let Some(hand) = self.of.get_mut(&workspace) else { return };
        if !hand.has_turn {
            hand.has_turn = true;
            self.turns.push_back(workspace);
        }
    }
}

impl Hand {
    fn begin(&mut self, with_journal: bool) -> Option<(Work, Option<HashSet<OrderKey>>)> {
        // A second batch only when it is a full one: several small ones cost more than one.
        let least = if self.running == 0 { 1 } else { BATCH };
        if self.running < AT_ONCE
            && !self.stuck
            && self.waiting.len() >= least
            && let Some((updates, keys)) = self.batch(least)
        {
            return Some((Work::Handle(updates), Some(keys)));
        }
        if with_journal && self.journal == Journal::Something && self.waiting.len() < BATCH {
            self.journal = Journal::BeingTakenUp { more: false };
            return Some((Work::TakeUp, None));
        }
        None
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
        let looked_through = free.last().map_or(0, |last| last + 1);
        if free.len() < least {
            self.stuck = true;
            return None;
        }
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

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running == 0 && self.journal == Journal::Nothing
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::WorkspaceId,
        inbound::{Held, JournalEntry, JournalItem},
    };
    use proptest::prelude::*;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{AT_ONCE, BATCH, Begun, Hands, ROOM, Work};

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    /// An update that follows those with the same `key`.
    fn update(number: usize, key: usize) -> Held {
        let entry = JournalEntry {
            id: Uuid::from_u128(number as u128).into(),
            workspace: workspace(1),
            received_at: OffsetDateTime::UNIX_EPOCH,
            attempts: 1,
            item: JournalItem::TemplatesChanged { account_network_id: key.to_string() },
        };
        Held { entry, until: OffsetDateTime::UNIX_EPOCH }
    }

    /// So many, none of which follows another.
    fn updates(count: usize) -> Vec<Held> {
        (0..count).map(|number| update(number, number)).collect()
    }

    fn begin(hands: &mut Hands) -> (Begun, Work) {
        hands.begin(true).unwrap()
    }

    /// How many each piece of work has that may begin now.
    fn sizes(hands: &mut Hands) -> Vec<usize> {
        let begun = std::iter::from_fn(|| hands.begin(true));
        begun.map(|(_, work)| if let Work::Handle(updates) = work { updates.len() } else { 0 }).collect()
    }

    fn key(held: &Held) -> &str {
        match &held.entry.item {
            JournalItem::TemplatesChanged { account_network_id } => account_network_id,
            _ => "",
        }
    }

    #[test]
    fn a_further_batch_begins_only_when_it_is_full() {
        let mut hands = Hands::default();
        hands.add(workspace(1), updates(7));
        assert_eq!(sizes(&mut hands), [7]);
        hands.add(workspace(1), (100..150).map(|number| update(number, number)).collect());
        assert!(sizes(&mut hands).is_empty(), "too few to begin a second one for");
        hands.add(workspace(1), (150..260).map(|number| update(number, number)).collect());
        assert_eq!(sizes(&mut hands), [BATCH]);
    }

    #[test]
    fn a_workspace_takes_no_more_than_its_share() {
        let mut hands = Hands::default();
        hands.add(workspace(1), updates(BATCH * (AT_ONCE + 3)));
        hands.add(workspace(2), updates(1));
        let mut begun = sizes(&mut hands);
        begun.sort_unstable();
        assert_eq!(begun, [vec![1], vec![BATCH; AT_ONCE]].concat());
    }

    #[test]
    fn what_follows_another_waits_for_its_end() {
        let mut hands = Hands::default();
        hands.add(workspace(1), vec![update(1, 1)]);
        let (first, _) = begin(&mut hands);
        hands.add(workspace(1), (2..BATCH * 2).map(|number| update(number, 1)).collect());
        assert!(hands.begin(true).is_none());
        hands.end(&first);
        assert_eq!(sizes(&mut hands), [BATCH]);
    }

    #[test]
    fn the_journal_is_looked_at_once_when_little_waits() {
        let mut hands = Hands::default();
        hands.look_at_journal(workspace(1));
        hands.look_at_journal(workspace(1));
        let (begun, work) = begin(&mut hands);
        assert_eq!(work, Work::TakeUp);
        assert!(hands.begin(true).is_none());
        hands.end(&begun);
        assert!(hands.begin(true).is_none());
        assert!(hands.of.is_empty(), "and then nothing is remembered of the workspace");
    }

    #[test]
    fn nothing_overtakes_what_lies_in_the_journal() {
        let mut hands = Hands::default();
        assert!(hands.has_room_for(workspace(1), 1));
        hands.look_at_journal(workspace(1));
        assert!(!hands.has_room_for(workspace(1), 1));
        assert!(hands.has_room_for(workspace(2), 1), "another workspace's is another matter");
        let (begun, _) = begin(&mut hands);
        assert!(!hands.has_room_for(workspace(1), 1), "it is just being taken up");
        hands.end(&begun);
        assert!(hands.has_room_for(workspace(1), 1));
    }

    #[test]
    fn no_more_waits_here_than_there_is_room_for() {
        let mut hands = Hands::default();
        hands.add(workspace(1), updates(ROOM - 1));
        assert!(hands.has_room_for(workspace(1), 1) && !hands.has_room_for(workspace(1), 2));
        begin(&mut hands);
        assert!(hands.has_room_for(workspace(1), 2), "what is being handled makes room");
    }

    #[test]
    fn who_shuts_down_takes_nothing_more_up() {
        let mut hands = Hands::default();
        hands.look_at_journal(workspace(1));
        hands.add(workspace(1), updates(1));
        assert!(matches!(hands.begin(false), Some((_, Work::Handle(_)))));
        assert!(hands.begin(false).is_none());
    }

    proptest! {
        /// Whatever comes when, and whichever batch ends first.
        #[test]
        fn all_is_handled_once_and_each_key_s_in_order(
            steps in prop::collection::vec((0_usize..3, 0_usize..150, 1_usize..40), 1..60),
        ) {
            let mut hands = Hands::default();
            let (mut running, mut handled): (Vec<(Begun, Work)>, Vec<Held>) = (Vec::new(), Vec::new());
            let mut added = 0;
            let mut finish = |hands: &mut Hands, (begun, work): (Begun, Work)| {
                hands.end(&begun);
                if let Work::Handle(updates) = work {
                    handled.extend(updates);
                }
            };
            for (what, count, keys) in steps {
                match what {
                    0 => {
                        hands.add(workspace(1), (added..added + count).map(|n| update(n, n % keys)).collect());
                        added += count;
                    }
                    1 => running.extend(hands.begin(true)),
                    _ if running.is_empty() => {}
                    _ => finish(&mut hands, running.remove(count % running.len())),
                }
            }
            loop {
                running.extend(std::iter::from_fn(|| hands.begin(true)));
                let Some(begun) = running.pop() else { break };
                finish(&mut hands, begun);
            }
            prop_assert_eq!(handled.len(), added);
            let mut last = std::collections::HashMap::new();
            for held in &handled {
                let before = last.insert(key(held).to_owned(), held.entry.id);
                prop_assert!(before < Some(held.entry.id));
            }
            prop_assert_eq!(hands.waiting, 0);
        }
    }
}
