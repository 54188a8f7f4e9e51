//! What broadcasts make of messages that the network took, and refused afterwards.

use std::{collections::HashSet, sync::Arc};

use time::OffsetDateTime;

use super::{
    Bar, BroadcastState, MarketingStop, PauseReason, StopSource,
    manage::entry,
    outcome::WANTS_NO_MARKETING,
    ports::{BegunSend, BroadcastStore, MarketingStopStore, StateChange},
};
use crate::{
    access::audit::Acting,
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MessageId, WorkspaceId},
    phone::PhoneNumber,
};

/// Why a broadcast is paused by what the network told.
const REASON: PauseReason = PauseReason::NetworkRefused;

/// A message that the network took, and refused afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMessage {
    /// The message.
    pub message: MessageId,
    /// The broadcast that it is of, if whoever sent it says so.
    pub broadcast: Option<BroadcastId>,
    /// To whom; `None` where that is not kept.
    pub phone: Option<PhoneNumber>,
    /// The network's code for why.
    pub code: i64,
    /// When, by the network's clock.
    pub at: OffsetDateTime,
}

/// Heeds what the network says of messages that it took, and refused afterwards.
pub struct HeedRefusals {
    /// Broadcasts.
    pub broadcasts: Arc<dyn BroadcastStore>,
    /// Who wants no marketing.
    pub stops: Arc<dyn MarketingStopStore>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl HeedRefusals {
    /// Remembers who wants no marketing, and pauses what would be refused for everybody; where all numbers send it, the one
    /// that is refused is left out instead. The same may be told again. For any other code nothing is asked of the store.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId, refused: &[RefusedMessage]) -> Result<(), StoreError> {
        let mut heeded = HashSet::new();
        for RefusedMessage { message, broadcast, phone, code, at } in refused {
            if *code == WANTS_NO_MARKETING
                && let Some(phone) = phone
            {
                let stop = MarketingStop { source: StopSource::Network, at: *at };
                self.stops.stop(workspace, phone, stop, None).await?;
            }
            if let Some(bar) = Bar::of_code(*code)
                && let Some(broadcast) = broadcast
                && !heeded.contains(broadcast)
                && self.heed(workspace, *broadcast, *message, bar).await?
            {
                heeded.insert(*broadcast);
            }
        }
        Ok(())
    }

    /// Pauses a broadcast that runs, or has it go on without the number that has written the message. `false` where another
    /// message may tell more: this one is none of its people's, since whoever sends otherwise may name any reference, or
    /// others may be of other numbers.
    async fn heed(
        &self,
        workspace: WorkspaceId,
        broadcast: BroadcastId,
        message: MessageId,
        bar: Bar,
    ) -> Result<bool, StoreError> {
        let Some(found) = self.broadcasts.find(workspace, broadcast).await? else { return Ok(true) };
        if found.state != BroadcastState::Running {
            return Ok(true);
        }
        if !self.broadcasts.is_of(workspace, broadcast, message).await? {
            return Ok(false);
        }
        if found.content.spread {
            let begun = self.broadcasts.begun(workspace, &[message]).await?;
            if let Some(BegunSend::Sent(by) | BegunSend::InFlight(by, _)) = begun.get(&message) {
                let now = self.deps.clock.now();
                self.broadcasts.leave_out(workspace, broadcast, &[*by], bar, now).await?;
                return Ok(false);
            }
        }
        let change = StateChange {
            broadcast,
            from: found.state,
            to: BroadcastState::Paused,
            reason: Some(REASON),
            starts_at: found.starts_at,
            at: self.deps.clock.now(),
        };
        let entry = entry(Acting::service(workspace), &change, &self.deps);
        // Where somebody else has moved it meanwhile, it is theirs.
        if self.broadcasts.change(workspace, &change, &entry).await? {
            self.deps.signals.broadcast_paused(workspace, broadcast, REASON);
        }
        Ok(true)
    }
}
