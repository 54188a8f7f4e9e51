//! What this process has to handle, and what of it may be handled now.

use std::collections::{HashMap, HashSet, VecDeque};

use domain::{
    ids::WorkspaceId,
    inbound::{BATCH, Held, JournalItem, OrderKey, TAKEN_UP},
};

/// Updates that wait here at most, those included that are being taken up: a few hundred bytes each, and more are left
/// to the journal.
pub(super) const ROOM: usize = 20_000;
/// Batches of one workspace handled at once.
const BATCHES: usize = 4;
/// Accounts' templates are read over the network: so many workspaces' at once, beside their batches.
const READINGS: usize = 2;
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
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// What shares one of these keys waits for its end.
    Batch(HashSet<OrderKey>),
    Reading,
    TakingUp,
}

/// The work of all workspaces.
#[derive(Debug, Default)]
pub(super) struct Hands {
    of: HashMap<WorkspaceId, Hand>,
    /// Whose turn it is to be looked at: those with work that may have become possible.
    turns: VecDeque<WorkspaceId>,
    /// Those for which there was no room: one more gets its turn whenever something ends.
    refused: VecDeque<WorkspaceId>,
    /// How many updates wait, or may come with what is being taken up.
    waiting: usize,
    readings: usize,
}

/// The work of one workspace.
#[derive(Debug, Default)]
struct Hand {
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
    has_turn: bool,
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
struct Room {
    to_take_up: bool,
    to_read: bool,
}

/// What may be done for one workspace.
enum Next {
    Work(Kind, Work),
    /// Something, if there were room.
    Refused,
    Nothing,
}

impl Hands {
    /// Whether as many more of a workspace may wait here. None may while the journal holds earlier ones; those that
    /// come while the last of these are being taken up wait behind them.
    pub(super) fn has_room_for(&self, workspace: WorkspaceId, updates: usize) -> bool {
        let journal = self.of.get(&workspace).map_or(Journal::Nothing, |hand| hand.journal);
        matches!(journal, Journal::Nothing | Journal::BeingTakenUp { more: false })
            && self.waiting.saturating_add(updates) <= ROOM
    }

    /// These were journaled as taken up.
    pub(super) fn hand_over(&mut self, workspace: WorkspaceId, updates: Vec<Held>) {
        self.waiting += updates.len();
        let hand = self.of.entry(workspace).or_default();
        if hand.journal == Journal::Nothing {
            hand.add(updates);
        } else {
            hand.later.extend(updates.into_iter().map(with_keys));
        }
        self.give_turn(workspace);
    }

    /// These were taken up out of the journal, which may have more.
    pub(super) fn add_taken_up(&mut self, workspace: WorkspaceId, updates: Vec<Held>, more: bool) {
        self.waiting += updates.len();
        self.of.entry(workspace).or_default().add_taken_up(updates);
        if more {
            self.look_at_journal(workspace);
        }
        self.give_turn(workspace);
    }

    /// The journal of the workspace is to be looked at.
    pub(super) fn look_at_journal(&mut self, workspace: WorkspaceId) {
        let journal = &mut self.of.entry(workspace).or_default().journal;
        *journal = match journal {
            Journal::Nothing | Journal::Something | Journal::Unknown => Journal::Something,
            Journal::BeingTakenUp { .. } => Journal::BeingTakenUp { more: true },
        };
        self.give_turn(workspace);
    }

    /// Something that may be done now, of the workspaces in turn.
    pub(super) fn begin(&mut self, with_journal: bool) -> Option<(Begun, Work)> {
        while let Some(workspace) = self.turns.pop_front() {
            let room =
                Room { to_take_up: self.waiting + TAKEN_UP <= ROOM, to_read: self.readings < READINGS };
            let Some(hand) = self.of.get_mut(&workspace) else { continue };
            hand.has_turn = false;
            match hand.begin(with_journal, room) {
                Next::Work(kind, work) => {
                    if matches!(kind, Kind::Reading) {
                        self.readings += 1;
                    }
                    match &work {
                        Work::Handle(updates) => self.waiting = self.waiting.saturating_sub(updates.len()),
                        Work::TakeUp => self.waiting += TAKEN_UP,
                    }
                    self.give_turn(workspace);
                    return Some((Begun { workspace, kind }, work));
                }
                Next::Refused if self.refused.contains(&workspace) => {}
                Next::Refused => self.refused.push_back(workspace),
                Next::Nothing if hand.is_idle() => {
                    self.of.remove(&workspace);
                }
                Next::Nothing => {}
            }
        }
        None
    }

    /// The end of a piece of work, whether it was `done` or broke off.
    pub(super) fn end(&mut self, begun: &Begun, done: bool) {
        if let Some(workspace) = self.refused.pop_front() {
            self.give_turn(workspace);
        }
        match begun.kind {
            Kind::TakingUp => self.waiting = self.waiting.saturating_sub(TAKEN_UP),
            Kind::Reading => self.readings = self.readings.saturating_sub(1),
            Kind::Batch(_) => {}
        }
        if let Some(hand) = self.of.get_mut(&begun.workspace) {
            hand.end(&begun.kind, done);
            self.give_turn(begun.workspace);
        }
    }

    fn give_turn(&mut self, workspace: WorkspaceId) {
        let Some(hand) = self.of.get_mut(&workspace) else { return };
        if !hand.has_turn {
            hand.has_turn = true;
            self.turns.push_back(workspace);
        }
    }
}

fn with_keys(held: Held) -> Waiting {
    (held.entry.item.order_keys(), held)
}

impl Hand {
    fn add(&mut self, updates: Vec<Held>) {
        self.append(updates.into_iter().map(with_keys).collect());
    }

    /// What was taken up may have come after some of those that wait until it has been: these come before it.
    fn add_taken_up(&mut self, updates: Vec<Held>) {
        let newest = updates.iter().map(|held| held.entry.id).max();
        let later = std::mem::take(&mut self.later);
        let (before, later): (Vec<_>, Vec<_>) =
            later.into_iter().partition(|(_, held)| Some(held.entry.id) < newest);
        self.later = later;
        let mut in_order: Vec<Waiting> = updates.into_iter().map(with_keys).chain(before).collect();
        in_order.sort_by_key(|(_, held)| held.entry.id);
        self.append(in_order);
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

    fn begin(&mut self, with_journal: bool, room: Room) -> Next {
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

    fn end(&mut self, kind: &Kind, done: bool) {
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

    fn is_idle(&self) -> bool {
        let nothing_waits = self.waiting.is_empty() && self.later.is_empty() && self.readings.is_empty();
        nothing_waits && self.running == 0 && !self.is_read && self.journal == Journal::Nothing
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use domain::{
        contacts::Identity,
        ids::WorkspaceId,
        inbound::{Happening, Held, JournalEntry, JournalItem, Person, ThreadUpdate},
        messages::NetworkMessageId,
    };
    use proptest::prelude::*;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{BATCH, BATCHES, Begun, Hands, READINGS, ROOM, TAKEN_UP, Work};

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    fn held(number: usize, item: JournalItem) -> Held {
        let entry = JournalEntry {
            id: Uuid::from_u128(number as u128).into(),
            workspace: workspace(1),
            received_at: OffsetDateTime::UNIX_EPOCH,
            attempts: 1,
            item,
        };
        Held { entry, until: OffsetDateTime::UNIX_EPOCH }
    }

    /// What somebody did whom the network calls by all these names.
    fn update(number: usize, names: &[usize]) -> Held {
        let identities = names.iter().map(|name| Identity::MessengerUser(name.to_string())).collect();
        let person = Person { identities, name: None, avatar_url: None };
        let what = Happening::Deleted { message: NetworkMessageId::from("m".to_owned()) };
        let update = Box::new(ThreadUpdate { person, at: OffsetDateTime::UNIX_EPOCH, what });
        held(number, JournalItem::Thread { channel: Uuid::from_u128(1).into(), update })
    }

    fn templates_changed(number: usize) -> Held {
        held(number, JournalItem::TemplatesChanged { account_network_id: number.to_string() })
    }

    /// Each from somebody else.
    fn updates(numbers: std::ops::Range<usize>) -> Vec<Held> {
        numbers.map(|number| update(number, &[number])).collect()
    }

    fn begin(hands: &mut Hands) -> (Begun, Work) {
        hands.begin(true).unwrap()
    }

    /// How many each piece of work has that may begin now; none where more is taken up.
    fn sizes(hands: &mut Hands) -> Vec<usize> {
        let begun = std::iter::from_fn(|| hands.begin(true));
        begun.map(|(_, work)| if let Work::Handle(updates) = work { updates.len() } else { 0 }).collect()
    }

    fn numbers(work: Work) -> Vec<u128> {
        match work {
            Work::Handle(updates) => updates.iter().map(|held| held.entry.id.uuid().as_u128()).collect(),
            Work::TakeUp => Vec::new(),
        }
    }

    #[test]
    fn a_further_batch_begins_only_when_it_is_full() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), updates(0..7));
        assert_eq!(sizes(&mut hands), [7]);
        hands.hand_over(workspace(1), updates(100..150));
        assert!(sizes(&mut hands).is_empty(), "too few to begin a second one for");
        hands.hand_over(workspace(1), updates(150..260));
        assert_eq!(sizes(&mut hands), [BATCH]);
    }

    #[test]
    fn a_workspace_takes_no_more_than_its_share() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), updates(0..BATCH * (BATCHES + 3)));
        hands.hand_over(workspace(2), updates(0..1));
        let mut begun = sizes(&mut hands);
        begun.sort_unstable();
        assert_eq!(begun, [vec![1], vec![BATCH; BATCHES]].concat());
    }

    #[test]
    fn what_follows_another_waits_for_its_end_and_holds_up_nobody_else() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), vec![update(1, &[1])]);
        let (first, _) = begin(&mut hands);
        hands.hand_over(workspace(1), (1_000..1_000 + BATCH).map(|number| update(number, &[1])).collect());
        assert!(hands.begin(true).is_none());
        hands.hand_over(workspace(1), updates(2_000..2_000 + BATCH));
        let (_, others) = begin(&mut hands);
        assert_eq!(numbers(others)[0], 2_000);
        hands.end(&first, true);
        assert_eq!(sizes(&mut hands), [BATCH]);
    }

    #[test]
    fn nobody_is_overtaken_by_a_second_name_of_theirs() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), vec![update(1, &[1])]);
        let (first, _) = begin(&mut hands);
        // The second waits for the first, and so does the third, which shares a name with the second only.
        let mut following = vec![update(2, &[1, 2]), update(3, &[2])];
        following.extend(updates(100..100 + BATCH));
        hands.hand_over(workspace(1), following);
        let (second, others) = begin(&mut hands);
        assert_eq!(numbers(others)[0], 100);
        hands.end(&first, true);
        hands.end(&second, true);
        let (_, work) = begin(&mut hands);
        assert_eq!(numbers(work), [2, 3]);
    }

    #[test]
    fn the_journal_is_looked_at_once_when_little_waits() {
        let mut hands = Hands::default();
        hands.look_at_journal(workspace(1));
        hands.look_at_journal(workspace(1));
        let (begun, work) = begin(&mut hands);
        assert_eq!(work, Work::TakeUp);
        assert!(hands.begin(true).is_none());
        hands.end(&begun, true);
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
        assert!(hands.has_room_for(workspace(1), 1), "what comes now waits behind what is being taken up");
        hands.hand_over(workspace(1), vec![update(3, &[3])]);
        hands.add_taken_up(workspace(1), vec![update(1, &[1])], true);
        assert!(!hands.has_room_for(workspace(1), 1), "there is more, which comes before");
        hands.end(&begun, true);
        let (_, work) = begin(&mut hands);
        assert_eq!(numbers(work), [1]);
        let (begun, work) = begin(&mut hands);
        assert_eq!(work, Work::TakeUp);
        hands.add_taken_up(workspace(1), vec![update(2, &[2])], false);
        hands.end(&begun, true);
        hands.hand_over(workspace(1), updates(10..10 + BATCH));
        let (_, work) = begin(&mut hands);
        assert_eq!(numbers(work)[..3], [2, 3, 10]);
    }

    #[test]
    fn what_could_not_be_taken_up_is_tried_again_when_the_journal_is_looked_at_next() {
        let mut hands = Hands::default();
        hands.look_at_journal(workspace(1));
        let (begun, _) = begin(&mut hands);
        hands.look_at_journal(workspace(1));
        hands.end(&begun, false);
        assert!(hands.begin(true).is_none(), "not at once, while the store is away");
        assert!(!hands.has_room_for(workspace(1), 1), "it would be overtaken");
        hands.look_at_journal(workspace(1));
        assert_eq!(begin(&mut hands).1, Work::TakeUp);
    }

    #[test]
    fn no_more_waits_here_than_there_is_room_for() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), updates(0..ROOM - 1));
        assert!(hands.has_room_for(workspace(1), 1) && !hands.has_room_for(workspace(1), 2));
        begin(&mut hands);
        assert!(hands.has_room_for(workspace(1), 2), "what is being handled makes room");
    }

    #[test]
    fn no_more_is_taken_up_than_there_is_room_for_and_every_workspace_has_its_turn() {
        let mut hands = Hands::default();
        let workspaces = 3 * ROOM / TAKEN_UP;
        for number in 0..workspaces {
            hands.look_at_journal(workspace(number as u128));
        }
        let mut taken_up = 0;
        let mut batches = std::collections::VecDeque::new();
        loop {
            while let Some((begun, work)) = hands.begin(true) {
                if let Work::Handle(_) = work {
                    batches.push_back(begun);
                } else {
                    taken_up += 1;
                    hands.add_taken_up(begun.workspace, updates(0..TAKEN_UP), false);
                    hands.end(&begun, true);
                }
                assert!(hands.waiting <= ROOM, "{}", hands.waiting);
            }
            let Some(ended) = batches.pop_front() else { break };
            hands.end(&ended, true);
        }
        assert_eq!(taken_up, workspaces);
        assert_eq!((hands.waiting, hands.of.len()), (0, 0));
    }

    #[test]
    fn reading_templates_over_the_network_holds_up_no_message() {
        let mut hands = Hands::default();
        for number in 0..=READINGS as u128 {
            hands.hand_over(workspace(number), vec![templates_changed(1), templates_changed(2)]);
        }
        hands.hand_over(workspace(0), updates(10..13));
        let mut begun: Vec<_> = std::iter::from_fn(|| hands.begin(true)).collect();
        let mut sizes: Vec<_> = begun.drain(..).map(|(begun, work)| (numbers(work).len(), begun)).collect();
        sizes.sort_by_key(|(size, _)| *size);
        assert_eq!(sizes.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [2, 2, 3]);
        hands.end(&sizes[0].1, true);
        assert_eq!(numbers(begin(&mut hands).1).len(), 2, "the next has its turn when one has ended");
    }

    #[test]
    fn who_shuts_down_takes_nothing_more_up() {
        let mut hands = Hands::default();
        hands.hand_over(workspace(1), updates(0..1));
        hands.look_at_journal(workspace(1));
        assert!(matches!(hands.begin(false), Some((_, Work::Handle(_)))));
        assert!(hands.begin(false).is_none());
    }

    proptest! {
        /// Whatever comes when, from the network or out of the journal, and whichever piece of work ends first.
        #[test]
        fn all_is_handled_once_and_what_each_person_does_in_order(
            steps in prop::collection::vec((0_usize..5, 0_usize..150, 1_usize..40), 1..60),
        ) {
            let mut hands = Hands::default();
            let (mut running, mut handled): (Vec<(Begun, Work)>, Vec<Held>) = (Vec::new(), Vec::new());
            // What lies in the journal, oldest first.
            let mut journal: Vec<Held> = Vec::new();
            let mut added = 0;
            let mut finish = |hands: &mut Hands, journal: &mut Vec<Held>, (begun, work): (Begun, Work)| {
                match work {
                    Work::Handle(updates) => handled.extend(updates),
                    Work::TakeUp => {
                        let most = journal.len().min(60);
                        let taken: Vec<Held> = journal.drain(..most).collect();
                        hands.add_taken_up(begun.workspace, taken, !journal.is_empty());
                    }
                }
                hands.end(&begun, true);
            };
            for (what, count, people) in steps {
                match what {
                    0 | 1 => {
                        let new: Vec<Held> = (added..added + count)
                            .map(|number| update(number, &[number % people, (number + count) % people]))
                            .collect();
                        added += count;
                        if what == 0 && hands.has_room_for(workspace(1), count) {
                            hands.hand_over(workspace(1), new);
                        } else {
                            journal.extend(new);
                            hands.look_at_journal(workspace(1));
                        }
                    }
                    2 | 3 => running.extend(hands.begin(true)),
                    _ if running.is_empty() => {}
                    _ => {
                        let ended = running.remove(count % running.len());
                        finish(&mut hands, &mut journal, ended);
                    }
                }
            }
            loop {
                running.extend(std::iter::from_fn(|| hands.begin(true)));
                let Some(begun) = running.pop() else { break };
                finish(&mut hands, &mut journal, begun);
            }
            prop_assert_eq!(handled.len(), added);
            let mut last = HashMap::new();
            for held in &handled {
                for key in held.entry.item.order_keys() {
                    let before = last.insert(key, held.entry.id);
                    prop_assert!(before <= Some(held.entry.id));
                }
            }
            prop_assert_eq!((hands.waiting, hands.of.len()), (0, 0));
        }
    }
}
