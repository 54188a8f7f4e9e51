//! Sending of broadcasts: collecting the audience, and writing to each person once.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join};
use time::OffsetDateTime;

use super::{
    at_once::AtOnce,
    audit::entry,
    left_out::LeftOutNumber,
    parts::{Audiences, LARGE_PART, PART},
    person::BroadcastPerson,
    ports::{BroadcastStore, MarketingStopStore, MessagingLimitStore, StateChange},
    room::Room,
    senders::{Bar, Senders},
    state::{Broadcast, BroadcastState},
};
use crate::{
    audit::Acting,
    channels::Number,
    deps::Deps,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    lease::{self, LEASE},
    pause_reason::PauseReason,
    phone::Region,
    sending::{SendTemplate, ports::SendLedger},
    workspaces::ports::WorkspaceStore,
};

/// Largest batch of people taken up together.
const BATCH: u32 = 256;
/// Time that one broadcast goes on before another one of the workspace has its turn.
const TURN: Duration = Duration::from_secs(5);
/// Pause before looking again at sends that somebody else has in hand.
pub(super) const LOOKED_AGAIN: Duration = Duration::from_secs(5);
/// Longest pause before looking again whether numbers may write to more people: the network may raise their
/// limit, or another number be connected.
const LIMIT_LOOKED_AT_AGAIN: Duration = Duration::from_mins(15);

/// Outcome of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// People were written to, and there may be more.
    WentOn,
    Finished,
    Paused(PauseReason),
    /// Stopped by somebody, or due again later.
    Left,
}

/// Sending of broadcasts, part by part.
pub struct RunBroadcasts {
    pub store: Arc<dyn BroadcastStore>,
    pub stops: Arc<dyn MarketingStopStore>,
    pub limits: Arc<dyn MessagingLimitStore>,
    pub audiences: Audiences,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub ledger: Arc<dyn SendLedger>,
    pub send: Arc<SendTemplate>,
    pub deps: Deps,
}

enum Next {
    People(Vec<BroadcastPerson>),
    /// The audience's group is gone.
    NoAudience,
    /// Somebody has stopped the broadcast, or collects its audience as well.
    Stopped,
}

impl RunBroadcasts {
    /// Lists the workspaces with a broadcast to begin or to go on with. Only reads.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_with_broadcasts(self.deps.clock.now()).await
    }

    /// Goes on with a broadcast that is due, for a while; `None` if none is.
    ///
    /// # Errors
    /// If the store fails; the broadcast is due again when its lease has ended.
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

    /// Returns the outcome of a turn that was left: paused, if the service has paused it meanwhile for what
    /// the network reported of a message that it had taken.
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
        let room = Room::look(&*self.limits, workspace, began).await?;
        let at_once = AtOnce::default();
        let is_over = || is_stopping() || self.deps.clock.now() - began >= TURN;
        // People whom somebody else may have in hand, or of whom one alone is held back, are passed over for
        // this turn.
        let (mut behind, mut passed_over_for) = (None, LOOKED_AGAIN);
        // People who were loaded while others were written to.
        let mut ahead = None;
        loop {
            let now = self.deps.clock.now();
            let goes_on = !is_over();
            let due = if goes_on { now + LEASE } else { now };
            if !self.store.postpone(workspace, broadcast.id, due).await? {
                return Ok(Step::Left);
            }
            if !goes_on {
                return Ok(Step::WentOn);
            }
            if let Some(until) = broadcast.quiet_until(now) {
                self.store.postpone(workspace, broadcast.id, until).await?;
                return Ok(Step::Left);
            }
            let next = match ahead.take() {
                Some(next) => next,
                None => self.next(workspace, region, broadcast, behind).await?,
            };
            let people = match next {
                Next::People(people) => people,
                // Without its group the audience would be empty, and the broadcast over.
                Next::NoAudience => {
                    return self.pauses(workspace, broadcast, PauseReason::AudienceGone).await;
                }
                Next::Stopped => return Ok(Step::Left),
            };
            if people.is_empty() {
                if !broadcast.collected {
                    continue;
                }
                if behind.is_some() {
                    let at = self.deps.clock.now() + passed_over_for;
                    self.store.postpone(workspace, broadcast.id, at).await?;
                    return Ok(Step::Left);
                }
                let ended = self.moves(workspace, broadcast, BroadcastState::Finished, None).await?;
                return Ok(if ended { Step::Finished } else { Step::Left });
            }
            let last = people.last().map(|person| person.message);
            let may_be_more = !broadcast.collected || is_full(&people);
            let current = broadcast.clone();
            let batch = self.batch(workspace, &current, &people, &room, &at_once, &is_over);
            let (sent, next) = if may_be_more {
                let (sent, next) = join(batch, self.next(workspace, region, broadcast, last)).await;
                (sent?, Some(next))
            } else {
                (batch.await?, None)
            };
            if let Some(reason) = sent.pause {
                return self.pauses(workspace, broadcast, reason).await;
            }
            if sent.limited.is_some() || broadcast.limited_until.is_some() {
                self.note_limit(workspace, broadcast, sent.limited).await?;
            }
            if sent.limited.is_some() {
                return Ok(Step::Left);
            }
            if sent.in_hand || sent.held_back.is_some() {
                behind = last;
                passed_over_for = passed_over_for.max(sent.held_back.unwrap_or_default());
            }
            if let Some(later) = sent.later {
                let at = self.deps.clock.now() + later;
                self.store.postpone(workspace, broadcast.id, at).await?;
                return Ok(Step::Left);
            }
            // If nobody was found, all who are left are loaded once more.
            ahead = next.transpose()?.filter(|next| !sent.is_cut && !next.is_nobody());
        }
    }

    /// Stores until when the broadcast waits for the network's limit, or that it no longer does. A waiting
    /// broadcast is due when there is room again, or after `LIMIT_LOOKED_AT_AGAIN` if that is sooner.
    async fn note_limit(
        &self,
        workspace: WorkspaceId,
        broadcast: &mut Broadcast,
        limited: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        let now = self.deps.clock.now();
        let at = limited.map_or(now + LEASE, |until| until.min(now + LIMIT_LOOKED_AT_AGAIN));
        self.store.wait(workspace, broadcast.id, limited, at).await?;
        broadcast.limited_until = limited;
        Ok(())
    }

    /// Loads the next people to be written to, after the message `behind`; if there are few, collects more of
    /// the audience first.
    async fn next(
        &self,
        workspace: WorkspaceId,
        region: Region,
        broadcast: &mut Broadcast,
        behind: Option<MessageId>,
    ) -> Result<Next, StoreError> {
        let queued = self.store.queued(workspace, broadcast.id, behind, BATCH).await?;
        if broadcast.collected || is_full(&queued) {
            return Ok(Next::People(queued));
        }
        if !self.audiences.has_its_group(workspace, &broadcast.audience).await? {
            return Ok(Next::NoAudience);
        }
        if !self.collect(workspace, region, broadcast).await? {
            return Ok(Next::Stopped);
        }
        Ok(Next::People(self.store.queued(workspace, broadcast.id, behind, BATCH).await?))
    }

    async fn pauses(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        reason: PauseReason,
    ) -> Result<Step, StoreError> {
        if !self.moves(workspace, broadcast, BroadcastState::Paused, Some(reason)).await? {
            return Ok(Step::Left);
        }
        self.deps.signals.broadcast_paused(workspace, broadcast.id, reason);
        Ok(Step::Paused(reason))
    }

    /// Collects the next part of the audience, without people who have no number; `false` if somebody has
    /// stopped the broadcast, or collects its audience as well.
    async fn collect(
        &self,
        workspace: WorkspaceId,
        region: Region,
        broadcast: &mut Broadcast,
    ) -> Result<bool, StoreError> {
        let after = broadcast.collected_to;
        // The first part is waited for; later ones are loaded while people are written to. Storing many
        // people at once would hold up what others send meanwhile.
        let others_send = self.send.once.ordinary().were_recent(self.deps.clock.now());
        let rows = if after.is_none() || others_send { PART } else { LARGE_PART };
        let part = self.audiences.next(workspace, region, &broadcast.audience, after, rows).await?;
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
        // A part that was not stored is collected again by whoever goes on.
        let written = self.store.collect(workspace, broadcast.id, &people, after, part.next, now).await?;
        if written {
            (broadcast.collected, broadcast.collected_to) = (part.next.is_none(), part.next);
        }
        Ok(written)
    }

    /// Changes the state in the service's name, and returns whether the broadcast was still in the old one.
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

impl Next {
    fn is_nobody(&self) -> bool {
        matches!(self, Self::People(people) if people.is_empty())
    }
}

fn is_full(people: &[BroadcastPerson]) -> bool {
    people.len() >= usize::try_from(BATCH).unwrap_or(usize::MAX)
}

impl RunBroadcasts {
    /// Returns the numbers that the broadcast does without; none where one number sends to everybody.
    pub(super) async fn left_out(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
    ) -> Result<Vec<LeftOutNumber>, StoreError> {
        if !broadcast.content.spread {
            return Ok(Vec::new());
        }
        self.store.left_out(workspace, broadcast.id).await
    }

    /// Removes the number, or all of its account, from the senders, and stores that unless it was done
    /// before.
    pub(super) async fn leave_out(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        senders: &Senders,
        number: &Number,
        bar: Bar,
    ) -> Result<(), StoreError> {
        let ids = senders.leave_out(number, bar);
        if ids.is_empty() {
            return Ok(());
        }
        self.store.leave_out(workspace, broadcast.id, &ids, bar, self.deps.clock.now()).await
    }
}
