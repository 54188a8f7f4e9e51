//! Matching of echoes: a send of ours was taken by the network, or the team wrote in the network's own app.

use time::{Duration, OffsetDateTime};

use super::{
    super::{
        StatusUpdate, UpdateOutcome,
        conversation::{UpdateKind, Written},
        status::{Applied, JournaledStatus},
    },
    RecordUpdates, TRIES, UNDER_WAY,
    acknowledged::Acknowledged,
    builder::Entry,
    in_flight::SendInFlight,
};
use crate::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    contacts::Identity,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::DeliveryStatus,
    sending::Intent,
};

/// Largest assumed difference between the network's clock and ours.
const SKEW: Duration = Duration::seconds(30);

/// Subject of an echo that names no send.
#[derive(Debug, PartialEq, Eq)]
enum About<'a> {
    /// A send whose answer will not come any more.
    Send(&'a Intent),
    /// Perhaps a send whose answer may still come.
    Undecided,
    /// None of the sends in flight.
    Nothing,
}

impl RecordUpdates {
    /// Settles the send that an echo proves to be taken. If no send of ours is in flight to that person, an
    /// unknown echo is not ours: sends that are no longer in flight are known by their network id.
    pub(super) async fn acknowledge(
        &self,
        workspace: WorkspaceId,
        entry: Entry<'_>,
    ) -> Result<Acknowledged, StoreError> {
        let foreign = Acknowledged::Open { may_be_ours: false };
        let UpdateKind::Echoed { written, tag, by_us } = &entry.update.what else { return Ok(foreign) };
        let person = entry.update.person.identities.first().filter(|person| comes_untagged(person));
        let ours = *by_us || tag.as_deref().is_some_and(|tag| tag.parse::<MessageId>().is_ok());
        if !ours && person.is_none() {
            return Ok(foreign);
        }
        let status = StatusUpdate {
            network_id: written.network_id.clone(),
            tag: tag.clone(),
            status: DeliveryStatus::Sent,
            at: entry.update.at,
            error: None,
        };
        let journaled = JournaledStatus { id: Some(entry.journal.id), status: &status };
        for _ in 0..TRIES {
            let applied = self.statuses.run(workspace, &[journaled]).await?;
            if let [Applied::Done | Applied::Foreign] = applied.as_slice() {
                return Ok(Acknowledged::Done(UpdateOutcome::Finished));
            }
            let in_flight = match person {
                Some(person) => self.store.sends_in_flight(workspace, entry.channel, person).await?,
                None => Vec::new(),
            };
            match about(written, entry.update.at, &in_flight, self.deps.clock.now()) {
                // The next round finds the send by its status; if somebody else was faster, another is meant.
                About::Send(intent) => drop(self.statuses.recorder.run(intent, &written.network_id).await?),
                About::Undecided => return Ok(Acknowledged::Done(UpdateOutcome::Waits)),
                About::Nothing if ours => return Ok(Acknowledged::Done(UpdateOutcome::Handled)),
                // A network may change the text of a send in flight.
                About::Nothing => return Ok(Acknowledged::Open { may_be_ours: !in_flight.is_empty() }),
            }
        }
        Err(StoreError::Stale)
    }
}

/// Returns whether the person is on a network that does not return a tag for every send.
const fn comes_untagged(person: &Identity) -> bool {
    match person.channel() {
        ChannelKind::Whatsapp => false,
        ChannelKind::Messenger | ChannelKind::Instagram => true,
    }
}

/// Returns the send that an echo is about; of several candidates the oldest, since to the customer they are
/// equal. As long as the answer to one of them may come, that is awaited, since it is certain.
fn about<'a>(
    written: &Written,
    at: OffsetDateTime,
    in_flight: &'a [SendInFlight],
    now: OffsetDateTime,
) -> About<'a> {
    let told = || in_flight.iter().filter(|send| send.is_told_by(written, at)).map(|send| &send.intent);
    if told().any(|intent| now - intent.created_at < UNDER_WAY) {
        return About::Undecided;
    }
    told().min_by_key(|intent| (intent.created_at, intent.id)).map_or(About::Nothing, About::Send)
}

impl SendInFlight {
    fn is_told_by(&self, written: &Written, at: OffsetDateTime) -> bool {
        let begun = self.intent.created_at;
        let in_time = at >= begun - SKEW && at <= begun + UNDER_WAY + SKEW;
        in_time && (self.has_the_file_of(written) || self.has_the_words_of(written))
    }

    fn has_the_file_of(&self, written: &Written) -> bool {
        self.file.is_some_and(|kind| written.media.iter().any(|echoed| as_sent(echoed.kind) == as_sent(kind)))
    }

    /// Compares line by line: a network may trim the text, and append a line about a page that it links to.
    fn has_the_words_of(&self, written: &Written) -> bool {
        let Some(reply) = self.intent.conversation_entry.reply().filter(|_| self.file.is_none()) else {
            return false;
        };
        let mut echoed = written.content.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut said = reply.text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
        said.peek().is_some() && said.all(|line| echoed.next() == Some(line))
    }
}

/// Returns the kind under which a network reports a sent file of this kind.
const fn as_sent(kind: AttachmentKind) -> AttachmentKind {
    match kind {
        AttachmentKind::Sticker => AttachmentKind::Image,
        AttachmentKind::Document => AttachmentKind::File,
        kind => kind,
    }
}

#[cfg(test)]
mod tests;
