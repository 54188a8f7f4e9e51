//! Writing to some of a broadcast's people: to each of them once, so many at a time, and behind what somebody waits for.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, Either, select, try_join3},
    stream::FuturesUnordered,
};
use time::OffsetDateTime;

use super::{
    AfterSend, Broadcast, BroadcastPerson, ColumnValues, FilledFor, MarketingStop, PauseReason, PersonResult,
    PersonState, RunBroadcasts, SkipReason, StopSource, after_send,
    limit::Room,
    ports::BegunSend,
    preview::{catalogue, is_marketing},
    run::LOOKED_AGAIN,
};
use crate::{
    channels::Number,
    errors::StoreError,
    ids::{ChannelId, MessageId, WorkspaceId},
    phone::PhoneNumber,
    sending::{Catalogue, TemplateRequest},
};

/// Sends of one broadcast at once: few enough that whoever sends something else has their turn soon.
const AT_ONCE: usize = 32;
/// So many are begun at one moment, as far as there are so many: they share their statements and their commit.
const BEGUN_TOGETHER: usize = 8;
/// It says of how many people together it is written down what became of them; it is looked then whether the
/// broadcast was stopped, and nobody more is begun until that is known.
const NOTED_TOGETHER: usize = 32;
/// It is the same as [`AT_ONCE`] while others send. They are begun together as well, and the next when all have ended:
/// others have the machine to themselves in between.
const BESIDE_OTHERS: usize = 4;
/// A broadcast rests for so long then before it begins more.
const RESTS: Duration = Duration::from_millis(75);
/// It says how long it lets what is under way go first after that, looking again each time, at most.
const GIVES_WAY: Duration = Duration::from_millis(1);
const GIVES_WAY_TIMES: u32 = 25;
/// Somebody may still have a send in hand for so long after it was begun.
const IN_HAND: Duration = Duration::from_mins(1);

/// It says what a batch came to.
#[derive(Default)]
pub(super) struct Sent {
    results: Vec<PersonResult>,
    /// It says whether some were written down already.
    noted: bool,
    /// It says whether somebody else may have some of them in hand.
    pub(super) in_hand: bool,
    pub(super) later: Option<Duration>,
    /// It says when the first of the numbers may write to somebody again that may not for now.
    pub(super) limited: Option<OffsetDateTime>,
    pub(super) pause: Option<PauseReason>,
    /// It says whether it ended before everybody was written to.
    pub(super) is_cut: bool,
}

/// What is known of people before they are written to.
struct LookedUp {
    begun: HashMap<MessageId, BegunSend>,
    catalogue: Catalogue,
    stopped: HashSet<PhoneNumber>,
    values: HashMap<PhoneNumber, ColumnValues>,
}

/// A batch while it is written to.
struct Writing<'a> {
    workspace: WorkspaceId,
    broadcast: &'a Broadcast,
    catalogue: &'a Catalogue,
    values: &'a HashMap<PhoneNumber, ColumnValues>,
    no_values: ColumnValues,
    room: &'a Room,
    /// It says whether nobody more is to be written to.
    ends: AtomicBool,
}

/// What became of people could not be written down.
struct NotNoted {
    error: StoreError,
    results: Vec<PersonResult>,
}

/// What became of people is being written down; it answers whether the broadcast still goes on.
type Note<'a> = BoxFuture<'a, Result<bool, NotNoted>>;

/// What follows a send, and from which number it was; `None` where nothing was sent.
type Asked = (Option<ChannelId>, Result<AfterSend, StoreError>);

/// A person with what follows the send to them.
type Written<'p> = (&'p BroadcastPerson, Asked);

/// It happened while a batch was written to.
enum Happened<'p> {
    /// Nothing was done where nobody more was to be written to.
    Written(Option<Written<'p>>),
    Noted(Result<bool, NotNoted>),
}

impl RunBroadcasts {
    /// Writes to these people, and writes down what became of each. Nobody more is begun once `is_over` says so.
    pub(super) async fn batch(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        people: &[BroadcastPerson],
        room: &Room,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Sent, StoreError> {
        let LookedUp { begun, catalogue, stopped, values } =
            self.look_up(workspace, broadcast, people).await?;
        let now = self.deps.clock.now();
        let mut sent = Sent::default();
        let mut fresh = Vec::new();
        for person in people {
            match begun.get(&person.message) {
                Some(BegunSend::Sent(by)) => sent.settle(person, Some(*by), PersonState::Sent, None, now),
                Some(BegunSend::InFlight(_, since)) if now - *since < IN_HAND => sent.in_hand = true,
                Some(BegunSend::InFlight(by, _)) => {
                    sent.settle(person, Some(*by), PersonState::Unconfirmed, None, now);
                }
                None if stopped.contains(&person.phone) => sent.skip(person, now),
                None => fresh.push(person),
            }
        }
        let writing = Writing {
            workspace,
            broadcast,
            catalogue: &catalogue,
            values: &values,
            no_values: ColumnValues::new(),
            room,
            ends: AtomicBool::new(false),
        };
        let failed = self.write_to_all(&writing, fresh, &mut sent, is_over).await;
        sent.is_cut = writing.has_ended();
        match failed {
            // What was sent is in the ledger, and is found there when it is looked again.
            Some(error) if sent.results.is_empty() && !sent.noted => return Err(error),
            Some(_) => sent.wait(LOOKED_AGAIN),
            None => {}
        }
        if !sent.results.is_empty() {
            self.store.settle(workspace, broadcast.id, &sent.results).await?;
        }
        Ok(sent)
    }

    async fn look_up(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        people: &[BroadcastPerson],
    ) -> Result<LookedUp, StoreError> {
        let messages: Vec<MessageId> = people.iter().map(|person| person.message).collect();
        let phones: Vec<PhoneNumber> = people.iter().map(|person| person.phone.clone()).collect();
        let template = async {
            let catalogue = catalogue(&*self.ledger, workspace, &broadcast.content).await?;
            let stopped = self.stopped(workspace, &catalogue, &phones).await?;
            Ok::<_, StoreError>((catalogue, stopped))
        };
        let begun = self.store.begun(workspace, &messages);
        let values = self.audiences.values(workspace, &broadcast.audience, &phones);
        let (begun, values, (catalogue, stopped)) = try_join3(begun, values, template).await?;
        Ok(LookedUp { begun, catalogue, stopped, values })
    }

    /// Returns those of them who want no marketing, where that is what is sent.
    async fn stopped(
        &self,
        workspace: WorkspaceId,
        catalogue: &Catalogue,
        phones: &[PhoneNumber],
    ) -> Result<HashSet<PhoneNumber>, StoreError> {
        if !is_marketing(catalogue) {
            return Ok(HashSet::new());
        }
        Ok(self.stops.stopped(workspace, phones).await?.into_iter().collect())
    }

    /// Writes to them, and writes down what became of most while others are under way; returns what failed. Whatever
    /// happens, what is under way is awaited: dropped, nobody would know what became of it.
    async fn write_to_all(
        &self,
        writing: &Writing<'_>,
        fresh: Vec<&BroadcastPerson>,
        sent: &mut Sent,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<StoreError> {
        let mut people = fresh.into_iter();
        let mut under_way = FuturesUnordered::new();
        let mut note: Option<Note<'_>> = None;
        let mut failed = None;
        loop {
            if note.is_none() && people.len() > 0 && !writing.has_ended() {
                if is_over() {
                    writing.end();
                } else {
                    let room = self.room(under_way.len(), people.len()).await;
                    for person in people.by_ref().take(room) {
                        under_way.push(self.write_to(writing, person));
                    }
                }
            }
            let happened = match note.take() {
                None => match under_way.next().await {
                    Some(written) => Happened::Written(written),
                    None => return failed,
                },
                Some(noting) => match select(noting, under_way.next()).await {
                    Either::Left((noted, _)) => Happened::Noted(noted),
                    Either::Right((Some(written), noting)) => {
                        note = Some(noting);
                        Happened::Written(written)
                    }
                    Either::Right((None, noting)) => Happened::Noted(noting.await),
                },
            };
            match happened {
                Happened::Written(None) => {}
                Happened::Written(Some((person, (by, Ok(after))))) => {
                    sent.heed(person, by, after, self.deps.clock.now());
                }
                Happened::Written(Some((_, (_, Err(error))))) => failed = Some(error),
                Happened::Noted(Ok(goes_on)) => {
                    sent.noted = true;
                    if !goes_on {
                        writing.end();
                    }
                }
                Happened::Noted(Err(NotNoted { error, results })) => {
                    sent.results.extend(results);
                    failed = Some(error);
                }
            }
            if failed.is_some() || sent.ends_all() {
                writing.end();
            }
            if note.is_none() && failed.is_none() && sent.results.len() >= NOTED_TOGETHER {
                note = Some(self.note(writing, mem::take(&mut sent.results)));
            }
        }
    }

    /// Says how many may be begun now, where so many are under way and so many wait: where nothing is under way, somebody
    /// may be. What somebody waits for goes first, for a moment: a broadcast goes on however much is sent beside it.
    async fn room(&self, under_way: usize, waiting: usize) -> usize {
        let ordinary = self.send.once.ordinary();
        if !ordinary.were_recent(self.deps.clock.now()) {
            let free = AT_ONCE.saturating_sub(under_way);
            return if free >= BEGUN_TOGETHER.min(waiting) { free } else { 0 };
        }
        if under_way > 0 {
            return 0;
        }
        // Nothing is under way, and nothing is being written down: nothing is held meanwhile.
        self.deps.clock.sleep(RESTS).await;
        for _ in 0..GIVES_WAY_TIMES {
            if !ordinary.are_under_way() {
                break;
            }
            self.deps.clock.sleep(GIVES_WAY).await;
        }
        BESIDE_OTHERS
    }

    fn note<'a>(&'a self, writing: &Writing<'_>, results: Vec<PersonResult>) -> Note<'a> {
        let (workspace, broadcast) = (writing.workspace, writing.broadcast.id);
        let noting = async move {
            let settled = self.store.settle(workspace, broadcast, &results).await;
            settled.map_err(|error| NotNoted { error, results })
        };
        noting.boxed()
    }

    async fn write_to<'p>(&self, writing: &Writing<'_>, person: &'p BroadcastPerson) -> Option<Written<'p>> {
        if writing.has_ended() {
            return None;
        }
        Some((person, self.ask(writing, person).await))
    }

    /// Fills in what they get, and sends it where the number that would may write to somebody more.
    async fn ask(&self, writing: &Writing<'_>, person: &BroadcastPerson) -> Asked {
        let Writing { broadcast, catalogue, room, .. } = writing;
        let now = self.deps.clock.now();
        let values = writing.values.get(&person.phone).unwrap_or(&writing.no_values);
        let (phone, name, message) = (&person.phone, person.name.as_ref(), person.message);
        let filled = FilledFor { phone, name, values, message };
        let may_write = |number: &Number| room.has_some(number, now);
        let request = broadcast.content.request_from(filled, catalogue, broadcast.id.to_string(), &may_write);
        let request = match request {
            Ok(request) => request,
            Err(reason) => {
                let skipped = AfterSend::Done(PersonState::Skipped, Some(reason.as_str().to_owned()));
                return (None, Ok(skipped));
            }
        };
        // What would be refused has no number, and takes nobody's place.
        let number = catalogue.sender_of(&request);
        if let Some(Err(until)) = number.map(|number| room.take(number, now)) {
            return (None, Ok(AfterSend::Limited(until)));
        }
        (number.map(|number| number.id), self.send_to(writing, person, &request).await)
    }

    async fn send_to(
        &self,
        writing: &Writing<'_>,
        person: &BroadcastPerson,
        request: &TemplateRequest,
    ) -> Result<AfterSend, StoreError> {
        let Writing { workspace, broadcast, catalogue, .. } = writing;
        let (to, message) = (person.phone.clone(), person.message);
        let sent =
            self.send.run_prepared(*workspace, broadcast.author, request, to, catalogue, message).await;
        let after = after_send(sent)?;
        if after == AfterSend::Stopped {
            let stop = MarketingStop { source: StopSource::Network, at: self.deps.clock.now() };
            self.stops.stop(*workspace, &person.phone, stop, None).await?;
        }
        Ok(after)
    }
}

impl Writing<'_> {
    /// Nobody more is written to.
    fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    fn has_ended(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}

impl Sent {
    /// Says whether nobody more is to be written to for now.
    const fn ends_all(&self) -> bool {
        self.later.is_some() || self.pause.is_some() || self.limited.is_some()
    }

    /// The number has written to them, or may have, where there is one and it was not refused.
    fn settle(
        &mut self,
        person: &BroadcastPerson,
        by: Option<ChannelId>,
        state: PersonState,
        reason: Option<&str>,
        at: OffsetDateTime,
    ) {
        let (message, reason) = (person.message, reason.map(str::to_owned));
        let written_by = by.filter(|_| matches!(state, PersonState::Sent | PersonState::Unconfirmed));
        self.results.push(PersonResult { message, state, reason, written_by, at });
    }

    /// They want no marketing.
    fn skip(&mut self, person: &BroadcastPerson, at: OffsetDateTime) {
        let reason = Some(SkipReason::MarketingStopped.as_str());
        self.settle(person, None, PersonState::Skipped, reason, at);
    }

    fn heed(
        &mut self,
        person: &BroadcastPerson,
        by: Option<ChannelId>,
        after: AfterSend,
        at: OffsetDateTime,
    ) {
        match after {
            AfterSend::Done(state, reason) => self.settle(person, by, state, reason.as_deref(), at),
            AfterSend::Stopped => self.skip(person, at),
            AfterSend::Later(wait) => self.wait(wait),
            AfterSend::Limited(until) => {
                self.limited = Some(self.limited.map_or(until, |known| known.min(until)));
            }
            AfterSend::Elsewhere => self.in_hand = true,
            AfterSend::Pause(reason) => self.pause = Some(reason),
        }
    }

    /// Keeps the longest that anybody asks for.
    fn wait(&mut self, time: Duration) {
        self.later = Some(self.later.map_or(time, |later| later.max(time)));
    }
}
