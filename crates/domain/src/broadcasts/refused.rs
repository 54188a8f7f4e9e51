//! Handling of messages that the network took and refused afterwards.

use std::{collections::HashSet, sync::Arc};

use time::OffsetDateTime;

use super::{
    audit::entry,
    outcome::WANTS_NO_MARKETING,
    ports::{BegunSend, BroadcastStore, MarketingStopStore, StateChange},
    senders::Bar,
    state::BroadcastState,
    stop::{MarketingStop, StopSource},
};
use crate::{
    audit::Acting,
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MessageId, WorkspaceId},
    pause_reason::PauseReason,
    phone::PhoneNumber,
};

const REASON: PauseReason = PauseReason::NetworkRefused;

/// Message that the network took and refused afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedMessage {
    pub message: MessageId,
    /// Broadcast that the sender named as the message's reference, if any.
    pub broadcast: Option<BroadcastId>,
    /// `None` if the number is not stored.
    pub phone: Option<PhoneNumber>,
    pub code: i64,
    /// Time by the network's clock.
    pub at: OffsetDateTime,
}

/// Handling of messages that the network took and refused afterwards.
pub struct HeedRefusals {
    pub broadcasts: Arc<dyn BroadcastStore>,
    pub stops: Arc<dyn MarketingStopStore>,
    pub deps: Deps,
}

impl HeedRefusals {
    /// Stores opt-outs, and pauses a broadcast whose messages would be refused for everybody; where all
    /// numbers send it, the refused number is left out instead. The same refusal may be reported again. Other
    /// codes cause no access to the store.
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

    /// Pauses a running broadcast, or leaves out the number that wrote the message. Returns `false` if
    /// another message may tell more: this one belongs to none of the broadcast's people, since other senders
    /// may name any reference, or others may come from other numbers.
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
        // A change by somebody else meanwhile stands.
        if self.broadcasts.change(workspace, &change, &entry).await? {
            self.deps.signals.broadcast_paused(workspace, broadcast, REASON);
        }
        Ok(true)
    }
}
