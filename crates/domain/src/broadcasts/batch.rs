//! Sending to one batch of a broadcast's people: to each of them once, several at a time, and at lower
//! priority than sends that somebody waits for.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, Either, select, try_join4},
    stream::FuturesUnordered,
};
use time::OffsetDateTime;

use super::{
    at_once::AtOnce,
    content::FilledFor,
    list::ColumnValues,
    outcome::{AfterSend, after_send},
    person::{BroadcastPerson, PersonResult, PersonState},
    ports::BegunSend,
    preview::{catalogue, is_marketing},
    room::Room,
    run::{LOOKED_AGAIN, RunBroadcasts},
    senders::{Bar, Senders},
    sent::Sent,
    state::Broadcast,
    stop::{MarketingStop, StopSource},
};
use crate::{
    channels::Number,
    errors::StoreError,
    ids::{ChannelId, MessageId, WorkspaceId},
    pause_reason::PauseReason,
    phone::PhoneNumber,
    sending::{Catalogue, TemplateRequest},
};

/// Sends begun together, as long as that many people are left; they share their statements and their commit.
const BEGUN_TOGETHER: usize = 16;
/// Results stored together. Storing them also tells whether the broadcast was stopped, and nobody more is
/// begun until that is known.
const NOTED_TOGETHER: usize = 32;
/// Interval between checks for new opt-outs within a batch, which may take longer than an opt-out may wait.
const STOPS_LOOKED_AT_AGAIN: Duration = Duration::from_secs(1);
/// Age up to which a send without an outcome may still be in another process's hands.
const IN_HAND: Duration = Duration::from_mins(1);

struct LookedUp {
    begun: HashMap<MessageId, BegunSend>,
    catalogue: Arc<Catalogue>,
    senders: Senders,
    stopped: HashSet<PhoneNumber>,
    values: HashMap<PhoneNumber, ColumnValues>,
    /// When opt-outs were loaded.
    at: OffsetDateTime,
}

struct Writing<'a> {
    workspace: WorkspaceId,
    broadcast: &'a Broadcast,
    /// Catalogue as it was loaded, with the numbers that are left out.
    catalogue: &'a Catalogue,
    senders: &'a Senders,
    values: &'a HashMap<PhoneNumber, ColumnValues>,
    no_values: ColumnValues,
    room: &'a Room,
    at_once: &'a AtOnce,
    ends: AtomicBool,
}

/// Failure to store results, with those that are still to be stored.
struct NotNoted {
    error: StoreError,
    results: Vec<PersonResult>,
}

/// Storing of results in progress; yields whether the broadcast is still running.
type Note<'a> = BoxFuture<'a, Result<bool, NotNoted>>;

/// Number that a send went out from, `None` if nothing was sent, and what follows the send.
type Asked = (Option<ChannelId>, Result<AfterSend, StoreError>);

type Written<'p> = (&'p BroadcastPerson, Asked);

enum Happened<'p> {
    /// `None` if the batch had ended before this send began.
    Written(Option<Written<'p>>),
    Noted(Result<bool, NotNoted>),
    /// End of a pause, with the numbers that opted out meanwhile.
    Rested(Result<HashSet<PhoneNumber>, StoreError>),
}

/// People still to be written to, and when their opt-outs were last checked.
struct Fresh<'p> {
    people: VecDeque<&'p BroadcastPerson>,
    looked_at: OffsetDateTime,
}

struct Turn<'p> {
    people: Vec<&'p BroadcastPerson>,
    /// Pause before the next turn, and the numbers whose opt-outs are checked after it.
    rest: Option<(Duration, Vec<PhoneNumber>)>,
}

impl RunBroadcasts {
    /// Sends to these people, and stores the result for each. Begins nobody more once `is_over` returns true.
    pub(super) async fn batch(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        people: &[BroadcastPerson],
        room: &Room,
        at_once: &AtOnce,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Sent, StoreError> {
        let LookedUp { begun, catalogue, senders, stopped, values, at } =
            self.look_up(workspace, broadcast, people).await?;
        let now = self.deps.clock.now();
        let mut sent = Sent::default();
        let mut fresh = Fresh { people: VecDeque::new(), looked_at: at };
        for person in people {
            match begun.get(&person.message) {
                Some(BegunSend::Sent(by)) => sent.settle(person, Some(*by), PersonState::Sent, None, now),
                Some(BegunSend::InFlight(_, since)) if now - *since < IN_HAND => sent.in_hand = true,
                Some(BegunSend::InFlight(by, _)) => {
                    sent.settle(person, Some(*by), PersonState::Unconfirmed, None, now);
                }
                None if stopped.contains(&person.phone) => sent.skip(person, now),
                None => fresh.people.push_back(person),
            }
        }
        let writing = Writing {
            workspace,
            broadcast,
            catalogue: &catalogue,
            senders: &senders,
            values: &values,
            no_values: ColumnValues::new(),
            room,
            at_once,
            ends: AtomicBool::new(false),
        };
        let failed = self.write_to_all(&writing, fresh, &mut sent, is_over).await;
        sent.is_cut = writing.has_ended();
        match failed {
            // Sends that were made are in the ledger, and are found there the next time.
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
        let at = self.deps.clock.now();
        let messages: Vec<MessageId> = people.iter().map(|person| person.message).collect();
        let phones: Vec<PhoneNumber> = people.iter().map(|person| person.phone.clone()).collect();
        let template = async {
            let catalogue = catalogue(&*self.ledger, workspace, &broadcast.content).await?;
            let stopped = self.stopped(workspace, &catalogue, &phones).await?;
            Ok::<_, StoreError>((Arc::new(catalogue), stopped))
        };
        let begun = self.store.begun(workspace, &messages);
        let values = self.audiences.values(workspace, &broadcast.audience, &phones);
        let left_out = self.left_out(workspace, broadcast);
        let (begun, values, (catalogue, stopped), left_out) =
            try_join4(begun, values, template, left_out).await?;
        let senders = Senders::of(Arc::clone(&catalogue), &left_out);
        Ok(LookedUp { begun, catalogue, senders, stopped, values, at })
    }

    /// Returns the numbers that opted out, if the template is marketing; none otherwise.
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

    /// Sends to all of `fresh`, and stores most results while other sends are under way; returns the last
    /// error. Sends under way are awaited in any case: if they were dropped, nobody would know their outcome.
    async fn write_to_all(
        &self,
        writing: &Writing<'_>,
        mut fresh: Fresh<'_>,
        sent: &mut Sent,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<StoreError> {
        // Sends, and at most one pause.
        let mut under_way = FuturesUnordered::new();
        let mut note: Option<Note<'_>> = None;
        let (mut failed, mut rests) = (None, false);
        loop {
            let may_begin = note.is_none() && !rests && !fresh.people.is_empty() && !writing.has_ended();
            if may_begin && is_over() {
                writing.end();
            } else if may_begin {
                let turn = self.turn(writing, &mut fresh, under_way.len());
                for person in turn.people {
                    under_way.push(Either::Left(self.write_to(writing, person)));
                }
                if let Some((time, looked_for)) = turn.rest {
                    rests = true;
                    under_way.push(Either::Right(self.rest(writing, time, looked_for)));
                }
            }
            let happened = match note.take() {
                None => match under_way.next().await {
                    Some(happened) => happened,
                    None => return failed,
                },
                Some(noting) => match select(noting, under_way.next()).await {
                    Either::Left((noted, _)) => Happened::Noted(noted),
                    Either::Right((Some(happened), noting)) => {
                        note = Some(noting);
                        happened
                    }
                    Either::Right((None, noting)) => Happened::Noted(noting.await),
                },
            };
            match happened {
                Happened::Written(None) => {}
                Happened::Written(Some((person, (by, Ok(after))))) => {
                    if matches!(after, AfterSend::Done(PersonState::Sent, _)) {
                        writing.at_once.took_one();
                    }
                    sent.heed(person, by, after, self.deps.clock.now());
                }
                Happened::Written(Some((_, (_, Err(error))))) => failed = Some(error),
                Happened::Rested(Ok(stopped)) => {
                    rests = false;
                    fresh.leave_out(&stopped, sent, self.deps.clock.now());
                }
                Happened::Rested(Err(error)) => {
                    rests = false;
                    failed = Some(error);
                }
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

    /// Chooses whose sends begin now, beside `under_way` others. While ordinary sends are recent, that is one
    /// person and then a pause, so that most of this machine's capacity is left to others. When opt-outs are
    /// due for a check, that is nobody, and the check.
    fn turn<'p>(&self, writing: &Writing<'_>, fresh: &mut Fresh<'p>, under_way: usize) -> Turn<'p> {
        let now = self.deps.clock.now();
        if is_marketing(writing.catalogue) && now - fresh.looked_at >= STOPS_LOOKED_AT_AGAIN {
            fresh.looked_at = now;
            let looked_for = fresh.people.iter().map(|person| person.phone.clone()).collect();
            return Turn { people: vec![], rest: Some((Duration::ZERO, looked_for)) };
        }
        let ordinary = self.send.once.ordinary();
        let free = writing.at_once.most().saturating_sub(under_way);
        if ordinary.were_recent(now) {
            let people = fresh.take(free.min(1));
            let rests = !people.is_empty() && !fresh.people.is_empty();
            return Turn { people, rest: rests.then(|| (ordinary.apart(), vec![])) };
        }
        let enough = free >= BEGUN_TOGETHER.min(fresh.people.len());
        Turn { people: fresh.take(if enough { free } else { 0 }), rest: None }
    }

    /// Waits for `time`, then returns which of `looked_for` opted out meanwhile. Sends under way go on.
    async fn rest<'p>(
        &self,
        writing: &Writing<'_>,
        time: Duration,
        looked_for: Vec<PhoneNumber>,
    ) -> Happened<'p> {
        if !time.is_zero() {
            self.deps.clock.sleep(time).await;
        }
        if looked_for.is_empty() {
            return Happened::Rested(Ok(HashSet::new()));
        }
        Happened::Rested(self.stopped(writing.workspace, writing.catalogue, &looked_for).await)
    }

    /// Stores these results, and drops the numbers that another process has left out meanwhile.
    fn note<'a>(&'a self, writing: &Writing<'a>, results: Vec<PersonResult>) -> Note<'a> {
        let (workspace, broadcast, senders) = (writing.workspace, writing.broadcast, writing.senders);
        let noting = async move {
            let settled = self.store.settle(workspace, broadcast.id, &results).await;
            let goes_on = settled.map_err(|error| NotNoted { error, results })?;
            let left_out = self.left_out(workspace, broadcast).await;
            senders.go_without(&left_out.map_err(|error| NotNoted { error, results: Vec::new() })?);
            Ok::<_, NotNoted>(goes_on)
        };
        noting.boxed()
    }

    async fn write_to<'p>(&self, writing: &Writing<'_>, person: &'p BroadcastPerson) -> Happened<'p> {
        if writing.has_ended() {
            return Happened::Written(None);
        }
        Happened::Written(Some((person, self.ask(writing, person).await)))
    }

    /// Fills in the template for a person, and sends it if the number may begin to write to somebody more.
    async fn ask(&self, writing: &Writing<'_>, person: &BroadcastPerson) -> Asked {
        let Writing { broadcast, room, .. } = writing;
        let catalogue = writing.senders.catalogue();
        let now = self.deps.clock.now();
        let values = writing.values.get(&person.phone).unwrap_or(&writing.no_values);
        let (phone, name, message) = (&person.phone, person.name.as_ref(), person.message);
        let filled = FilledFor { phone, name, values, message };
        let may_write = |number: &Number| room.has_some(number, now);
        let request =
            broadcast.content.request_from(filled, &catalogue, broadcast.id.to_string(), &may_write);
        let request = match request {
            Ok(request) => request,
            Err(reason) => {
                let skipped = AfterSend::Done(PersonState::Skipped, Some(reason.as_str().to_owned()));
                return (None, Ok(skipped));
            }
        };
        // A request that would be refused has no number, and takes nobody's place.
        let number = catalogue.sender_of(&request);
        if let Some(Err(until)) = number.map(|number| room.take(number, now)) {
            return (None, Ok(AfterSend::Limited(until)));
        }
        (number.map(|number| number.id), self.send_to(writing, person, &request, &catalogue).await)
    }

    async fn send_to(
        &self,
        writing: &Writing<'_>,
        person: &BroadcastPerson,
        request: &TemplateRequest,
        catalogue: &Catalogue,
    ) -> Result<AfterSend, StoreError> {
        let Writing { workspace, broadcast, senders, .. } = writing;
        let (to, message) = (person.phone.clone(), person.message);
        let sent =
            self.send.run_prepared(*workspace, broadcast.author, request, to, catalogue, message).await;
        if broadcast.content.spread
            && let Some(number) = catalogue.sender_of(request)
            && let Some(bar) = Bar::of_send(&sent)
        {
            self.leave_out(*workspace, broadcast, senders, number, bar).await?;
            return Ok(AfterSend::LeftOut);
        }
        let after = after_send(sent)?;
        // Where no number is left, the reason for leaving out the last one says more.
        if after == AfterSend::Pause(PauseReason::NoNumber)
            && let Some(reason) = senders.pause_reason()
        {
            return Ok(AfterSend::Pause(reason));
        }
        if after == AfterSend::Stopped {
            let stop = MarketingStop { source: StopSource::Network, at: self.deps.clock.now() };
            self.stops.stop(*workspace, &person.phone, stop, None).await?;
        }
        Ok(after)
    }
}

impl<'p> Fresh<'p> {
    fn take(&mut self, most: usize) -> Vec<&'p BroadcastPerson> {
        self.people.drain(..most.min(self.people.len())).collect()
    }

    fn leave_out(&mut self, stopped: &HashSet<PhoneNumber>, sent: &mut Sent, at: OffsetDateTime) {
        if stopped.is_empty() {
            return;
        }
        self.people.retain(|person| {
            let stays = !stopped.contains(&person.phone);
            if !stays {
                sent.skip(person, at);
            }
            stays
        });
    }
}

impl Writing<'_> {
    fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    fn has_ended(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }
}
