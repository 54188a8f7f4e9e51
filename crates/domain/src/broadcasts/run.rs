//! Sending broadcasts: collecting whom they go to, and writing to each of them once.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt, StreamExt, stream};
use time::OffsetDateTime;

use super::{
    AfterSend, Audiences, Broadcast, BroadcastPerson, BroadcastState, ColumnValues, FilledFor, MarketingStop,
    PauseReason, PersonResult, PersonState, SkipReason, StopSource, after_send,
    manage::entry,
    ports::{BegunSend, BroadcastStore, MarketingStopStore, StateChange},
    preview::{catalogue, is_marketing},
};
use crate::{
    access::audit::Acting,
    deps::Deps,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    lease::{self, LEASE},
    phone::{PhoneNumber, Region},
    sending::{Catalogue, SendTemplate, ports::SendLedger},
    workspaces::ports::WorkspaceStore,
};

/// So many people are taken up together.
const BATCH: u32 = 256;
/// Sends of one broadcast at once: few enough that whoever sends something else has their turn soon.
const AT_ONCE: usize = 32;
/// It says of how many people together it is written down what became of them; it is looked then whether the
/// broadcast was stopped.
const NOTED_TOGETHER: usize = 32;
/// It is the same as [`AT_ONCE`] while others send: they have the machine to themselves but for these.
const BESIDE_OTHERS: usize = 2;
/// So many people are written to then before it is looked again whether others still send.
const BATCH_BESIDE_OTHERS: u32 = 16;
/// It says how long a send of a broadcast lets others go first, looking again each time, at most.
const GIVES_WAY: Duration = Duration::from_millis(1);
const GIVES_WAY_TIMES: u32 = 25;
/// It says how long one broadcast goes on before another one of the workspace has its turn.
const TURN: Duration = Duration::from_secs(5);
/// Somebody may still have a send in hand for so long after it was begun.
const IN_HAND: Duration = Duration::from_mins(1);
/// It says how soon it is looked again at sends that somebody else has in hand.
const LOOKED_AGAIN: Duration = Duration::from_secs(5);

/// It says what became of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// People were written to, and there may be more.
    WentOn,
    /// Everybody was dealt with.
    Finished,
    /// It was paused by itself.
    Paused(PauseReason),
    /// It was stopped by somebody, or goes on later.
    Left,
}

/// It sends broadcasts.
pub struct RunBroadcasts {
    pub store: Arc<dyn BroadcastStore>,
    pub stops: Arc<dyn MarketingStopStore>,
    pub audiences: Audiences,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub ledger: Arc<dyn SendLedger>,
    pub send: Arc<SendTemplate>,
    /// It sends broadcasts, part by part.
    pub deps: Deps,
}

/// It says what a batch came to.
struct Sent {
    results: Vec<PersonResult>,
    /// It says whether some were written down already.
    noted: bool,
    /// It says whether somebody else may have some of them in hand.
    in_hand: bool,
    later: Option<Duration>,
    pause: Option<PauseReason>,
}

impl RunBroadcasts {
    /// Lists workspaces with a broadcast to begin or to go on with. It only reads.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_with_broadcasts(self.deps.clock.now()).await
    }

    /// Goes on with one that is due, for a while; `None` when none is.
    ///
    /// # Errors
    /// Those of the store; it is gone on with when its lease has ended.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        is_stopping: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<(Broadcast, Step)>, StoreError> {
        let now = self.deps.clock.now();
        let Some(mut broadcast) = self.store.claim(workspace, now, now + LEASE).await? else {
            return Ok(None);
        };
        if broadcast.state == BroadcastState::Scheduled {
            if !self.moves(workspace, &broadcast, BroadcastState::Running, None).await? {
                return Ok(Some((broadcast, Step::Left)));
            }
            broadcast.state = BroadcastState::Running;
        }
        let id = broadcast.id;
        let renew = |until| async move { self.store.postpone(workspace, id, until).await }.boxed();
        let work = self.go_on(workspace, &mut broadcast, is_stopping).boxed();
        let step = lease::kept(&*self.deps.clock, renew, work).await?;
        let step = if step == Step::Left { self.left(workspace, &broadcast).await? } else { step };
        Ok(Some((broadcast, step)))
    }

    /// Why it was left, where the service itself has paused it meanwhile: by what the network told of a message that it had
    /// taken.
    async fn left(&self, workspace: WorkspaceId, broadcast: &Broadcast) -> Result<Step, StoreError> {
        let found = self.store.find(workspace, broadcast.id).await?;
        let reason =
            found.filter(|found| found.state == BroadcastState::Paused).and_then(|found| found.reason);
        Ok(reason.map_or(Step::Left, Step::Paused))
    }

    async fn go_on(
        &self,
        workspace: WorkspaceId,
        broadcast: &mut Broadcast,
        is_stopping: &(dyn Fn() -> bool + Sync),
    ) -> Result<Step, StoreError> {
        let began = self.deps.clock.now();
        let Some(found) = self.workspaces.find(workspace).await? else { return Ok(Step::Left) };
        let region = found.region;
        // Whom somebody else may have in hand is passed over for this turn.
        let mut behind = None;
        loop {
            let now = self.deps.clock.now();
            let goes_on = !is_stopping() && now - began < TURN;
            let due = if goes_on { now + LEASE } else { now };
            if !self.store.postpone(workspace, broadcast.id, due).await? {
                return Ok(Step::Left);
            }
            if !goes_on {
                return Ok(Step::WentOn);
            }
            if let Some(until) = broadcast.content.quiet.as_ref().and_then(|quiet| quiet.until(now)) {
                self.store.postpone(workspace, broadcast.id, until).await?;
                return Ok(Step::Left);
            }
            let beside = self.send.once.ordinary().were_recent(now);
            let (batch, at_once) =
                if beside { (BATCH_BESIDE_OTHERS, BESIDE_OTHERS) } else { (BATCH, AT_ONCE) };
            let mut queued = self.store.queued(workspace, broadcast.id, behind, batch).await?;
            if !broadcast.collected && queued.len() < usize::try_from(batch).unwrap_or(usize::MAX) {
                // Without it nobody would be found, and it would be over.
                if !self.audiences.has_its_group(workspace, &broadcast.audience).await? {
                    return self.pauses(workspace, broadcast, PauseReason::AudienceGone).await;
                }
                if !self.collect(workspace, region, broadcast).await? {
                    return Ok(Step::Left);
                }
                queued = self.store.queued(workspace, broadcast.id, behind, batch).await?;
            }
            if queued.is_empty() {
                if !broadcast.collected {
                    continue;
                }
                if behind.is_some() {
                    let at = self.deps.clock.now() + LOOKED_AGAIN;
                    self.store.postpone(workspace, broadcast.id, at).await?;
                    return Ok(Step::Left);
                }
                let ended = self.moves(workspace, broadcast, BroadcastState::Finished, None).await?;
                return Ok(if ended { Step::Finished } else { Step::Left });
            }
            let sent = self.batch(workspace, broadcast, &queued, at_once).await?;
            if !sent.results.is_empty() {
                self.store.settle(workspace, broadcast.id, &sent.results).await?;
            }
            if let Some(reason) = sent.pause {
                return self.pauses(workspace, broadcast, reason).await;
            }
            if sent.in_hand {
                behind = queued.last().map(|person| person.message);
            }
            if let Some(later) = sent.later {
                let at = self.deps.clock.now() + later;
                self.store.postpone(workspace, broadcast.id, at).await?;
                return Ok(Step::Left);
            }
        }
    }

    async fn pauses(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        reason: PauseReason,
    ) -> Result<Step, StoreError> {
        let paused = self.moves(workspace, broadcast, BroadcastState::Paused, Some(reason)).await?;
        Ok(if paused { Step::Paused(reason) } else { Step::Left })
    }

    /// Collects some more of the audience; `false` when somebody has stopped it, or somebody else collects it. Whoever has no
    /// number is nobody of it.
    async fn collect(
        &self,
        workspace: WorkspaceId,
        region: Region,
        broadcast: &mut Broadcast,
    ) -> Result<bool, StoreError> {
        let after = broadcast.collected_to;
        let part = self.audiences.next(workspace, region, &broadcast.audience, after).await?;
        let people: Vec<BroadcastPerson> = part
            .people
            .iter()
            .filter_map(|somebody| {
                let phone = somebody.phone.clone()?;
                let message = MessageId::new(&*self.deps.ids);
                Some(BroadcastPerson {
                    contact: somebody.contact,
                    phone,
                    name: somebody.name.clone(),
                    message,
                })
            })
            .collect();
        let now = self.deps.clock.now();
        // What was not written down is collected again, by whoever goes on.
        let written = self.store.collect(workspace, broadcast.id, &people, after, part.next, now).await?;
        if written {
            (broadcast.collected, broadcast.collected_to) = (part.next.is_none(), part.next);
        }
        Ok(written)
    }

    async fn batch(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        people: &[BroadcastPerson],
        at_once: usize,
    ) -> Result<Sent, StoreError> {
        let ids: Vec<MessageId> = people.iter().map(|person| person.message).collect();
        let begun = self.store.begun(workspace, &ids).await?;
        let catalogue = catalogue(&*self.ledger, workspace, &broadcast.content).await?;
        let stopped = self.stopped(workspace, &catalogue, people).await?;
        let now = self.deps.clock.now();
        let mut sent = Sent { results: Vec::new(), noted: false, in_hand: false, later: None, pause: None };
        let mut fresh = Vec::new();
        for person in people {
            match begun.get(&person.message) {
                Some(BegunSend::Sent) => sent.settle(person, PersonState::Sent, None, now),
                Some(BegunSend::InFlight(since)) if now - *since < IN_HAND => sent.in_hand = true,
                Some(BegunSend::InFlight(_)) => sent.settle(person, PersonState::Unconfirmed, None, now),
                None if stopped.contains(&person.phone) => {
                    sent.settle(
                        person,
                        PersonState::Skipped,
                        Some(SkipReason::MarketingStopped.as_str()),
                        now,
                    );
                }
                None => fresh.push(person),
            }
        }
        let phones: Vec<PhoneNumber> = fresh.iter().map(|person| person.phone.clone()).collect();
        let values = self.audiences.values(workspace, &broadcast.audience, &phones).await?;
        let (none, ends) = (ColumnValues::new(), AtomicBool::new(false));
        let each = |person: &BroadcastPerson| {
            let person = person.clone();
            let catalogue = &catalogue;
            let values = values.get(&person.phone).unwrap_or(&none);
            let ends = &ends;
            async move {
                // Nobody more is written to once nobody is to be.
                if ends.load(Ordering::Relaxed) {
                    return (person, None);
                }
                let after = self.write_to(workspace, broadcast, catalogue, &person, values).await;
                (person, Some(after))
            }
        };
        let sends = stream::iter(fresh.into_iter().map(each)).buffer_unordered(at_once);
        let mut sends = std::pin::pin!(sends);
        let mut failed = None;
        // Whatever happens, what is under way is awaited: dropped, nobody would know what became of it.
        while let Some((person, after)) = sends.next().await {
            let Some(after) = after else { continue };
            let now = self.deps.clock.now();
            match after {
                Ok(AfterSend::Done(state, reason)) => sent.settle(&person, state, reason.as_deref(), now),
                Ok(AfterSend::Stopped) => {
                    let stop = MarketingStop { source: StopSource::Network, at: now };
                    match self.stops.stop(workspace, &person.phone, stop, None).await {
                        Ok(()) => {
                            let reason = SkipReason::MarketingStopped.as_str();
                            sent.settle(&person, PersonState::Skipped, Some(reason), now);
                        }
                        Err(error) => failed = Some(error),
                    }
                }
                Ok(AfterSend::Later(wait)) => sent.wait(wait),
                Ok(AfterSend::Elsewhere) => sent.in_hand = true,
                Ok(AfterSend::Pause(reason)) => sent.pause = Some(reason),
                Err(error) => failed = Some(error),
            }
            if sent.results.len() >= NOTED_TOGETHER {
                match self.note(workspace, broadcast, &mut sent).await {
                    Ok(true) => {}
                    Ok(false) => ends.store(true, Ordering::Relaxed),
                    Err(error) => failed = Some(error),
                }
            }
            ends.fetch_or(
                failed.is_some() || sent.later.is_some() || sent.pause.is_some(),
                Ordering::Relaxed,
            );
        }
        match failed {
            // What was sent is in the ledger, and is found there when it is looked again.
            Some(error) if sent.results.is_empty() && !sent.noted => Err(error),
            Some(_) => {
                sent.wait(LOOKED_AGAIN);
                Ok(sent)
            }
            None => Ok(sent),
        }
    }

    /// Writes down what has become of people so far; whether the broadcast still goes on.
    async fn note(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        sent: &mut Sent,
    ) -> Result<bool, StoreError> {
        self.store.settle(workspace, broadcast.id, &sent.results).await?;
        sent.results.clear();
        sent.noted = true;
        self.store.postpone(workspace, broadcast.id, self.deps.clock.now() + LEASE).await
    }

    async fn write_to(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        catalogue: &Catalogue,
        person: &BroadcastPerson,
        values: &ColumnValues,
    ) -> Result<AfterSend, StoreError> {
        let reference = broadcast.id.to_string();
        let (phone, name, message) = (&person.phone, person.name.as_ref(), person.message);
        let filled = FilledFor { phone, name, values, message };
        let request = match broadcast.content.request(filled, catalogue, reference) {
            Ok(request) => request,
            Err(reason) => {
                return Ok(AfterSend::Done(PersonState::Skipped, Some(reason.as_str().to_owned())));
            }
        };
        let to = person.phone.clone();
        self.give_way().await;
        let sent = self
            .send
            .run_prepared(workspace, broadcast.author, &request, to, catalogue, person.message)
            .await;
        after_send(sent)
    }

    /// Lets what somebody waits for go first, for a moment: a broadcast goes on however much is sent beside it.
    async fn give_way(&self) {
        let ordinary = self.send.once.ordinary();
        for _ in 0..GIVES_WAY_TIMES {
            if !ordinary.are_under_way() {
                return;
            }
            self.deps.clock.sleep(GIVES_WAY).await;
        }
    }

    /// Returns those of them who want no marketing, where that is what is sent.
    async fn stopped(
        &self,
        workspace: WorkspaceId,
        catalogue: &Catalogue,
        people: &[BroadcastPerson],
    ) -> Result<HashSet<PhoneNumber>, StoreError> {
        if !is_marketing(catalogue) {
            return Ok(HashSet::new());
        }
        let phones: Vec<PhoneNumber> = people.iter().map(|person| person.phone.clone()).collect();
        Ok(self.stops.stopped(workspace, &phones).await?.into_iter().collect())
    }

    /// Moves it by the service itself, and says whether it was still as it was.
    async fn moves(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        to: BroadcastState,
        reason: Option<PauseReason>,
    ) -> Result<bool, StoreError> {
        let change = StateChange {
            broadcast: broadcast.id,
            from: broadcast.state,
            to,
            reason,
            starts_at: broadcast.starts_at,
            at: self.deps.clock.now(),
        };
        let entry = entry(Acting::service(workspace), &change, &self.deps);
        self.store.change(workspace, &change, &entry).await
    }
}

impl Sent {
    fn settle(
        &mut self,
        person: &BroadcastPerson,
        state: PersonState,
        reason: Option<&str>,
        at: OffsetDateTime,
    ) {
        let reason = reason.map(str::to_owned);
        self.results.push(PersonResult { phone: person.phone.clone(), state, reason, at });
    }

    /// Keeps the longest that anybody asks for.
    fn wait(&mut self, time: Duration) {
        self.later = Some(self.later.map_or(time, |later| later.max(time)));
    }
}
