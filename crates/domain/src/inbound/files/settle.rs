//! Fetching the files of a message, and announcing it once each has an outcome.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join_all};

use super::{
    ports::{
        AfterFiles, AttachmentQueue, AwaitedMessage, FileOutcome, FileState, FilesChange, FilesQueue,
        MessageFile,
    },
    schedule::{
        AfterFailure, LATE_LEASE, LEASE, after_a_failure, after_a_late_failure, first_late_try,
        time_for_a_late_try, time_for_a_try, time_for_late_words, time_for_words,
    },
};
use crate::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey, StoredAttachment,
        checked::{Expected, asleep, checked, judge, timed, within},
        linked,
        ports::{AttachmentLinks, MediaError, NetworkMedia, ObjectStore, Transcriber},
    },
    deps::Deps,
    errors::StoreError,
    events::{Event, EventData, EventType},
    ids::{MessageId, WorkspaceId},
    messages::Role,
    vault::Vault,
};

/// Longest silence of a network that sends a file.
const IDLE: Duration = Duration::from_secs(15);

/// Result of a turn on a message's files, for the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FilesReport {
    /// Number of files stored.
    pub stored: usize,
    /// Positions of files that are tried again, with the reasons.
    pub postponed: Vec<(u16, MediaError)>,
    /// Positions of files that the event went without and that are fetched afterwards, with the reasons.
    pub late: Vec<(u16, MediaError)>,
    /// Positions of files that are left out for good, with the reasons.
    pub given_up: Vec<(u16, MediaError)>,
    /// Reasons that voice notes were not transcribed.
    pub untranscribed: Vec<MediaError>,
}

/// Use case that fetches and stores the files that messages wait for.
pub struct SettleFiles {
    pub queue: Arc<dyn AttachmentQueue>,
    pub networks: Arc<dyn NetworkMedia>,
    pub objects: Arc<dyn ObjectStore>,
    pub links: Arc<dyn AttachmentLinks>,
    /// `None` if voice notes are not transcribed.
    pub transcriber: Option<Arc<dyn Transcriber>>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

/// Result of trying each file.
struct Turn {
    outcomes: Vec<FileOutcome>,
    next_try: Option<time::OffsetDateTime>,
    report: FilesReport,
}

impl SettleFiles {
    /// Lists the workspaces with messages whose files are due.
    pub async fn workspaces(&self, queue: FilesQueue) -> Result<Vec<WorkspaceId>, StoreError> {
        self.queue.workspaces_with_files(queue, self.deps.clock.now()).await
    }

    /// Claims up to `limit` messages of one workspace, each for one turn.
    pub async fn claim(
        &self,
        queue: FilesQueue,
        workspace: WorkspaceId,
        limit: u32,
    ) -> Result<Vec<AwaitedMessage>, StoreError> {
        let now = self.deps.clock.now();
        let lease = match queue {
            FilesQueue::ToBeTold => LEASE,
            FilesQueue::Late => LATE_LEASE,
        };
        self.queue.claim(workspace, queue, now, now + lease, limit).await
    }

    /// Takes one turn on a message: tries each file without an outcome once, and announces the message when
    /// no file is waited for any longer. Drops `slot` as soon as no file is being fetched, as transcription
    /// may take long.
    ///
    /// # Errors
    /// Links that cannot be made are an error as well; the message is due again after its lease.
    pub async fn run<S: Send>(&self, awaited: AwaitedMessage, slot: S) -> Result<FilesReport, StoreError> {
        let Turn { outcomes, next_try, mut report } = self.try_files(&awaited).await;
        drop(slot);
        let (workspace, message) = (awaited.workspace, awaited.message.id);
        let next = match (awaited.queue, next_try) {
            (FilesQueue::Late, next_try) => {
                let transcription = self.late_words(&awaited, &outcomes, &mut report).await;
                AfterFiles::Late { transcription, next_try }
            }
            (FilesQueue::ToBeTold, Some(at)) => AfterFiles::TryAt(at),
            (FilesQueue::ToBeTold, None) => self.announcement(awaited, &outcomes, &mut report).await?,
        };
        let tells = matches!(next, AfterFiles::Announce { .. });
        match self.queue.commit(workspace, &FilesChange { message, outcomes, next }).await {
            // Somebody else claimed it after this turn's lease, and has announced it.
            Err(StoreError::Stale) => Ok(report),
            Err(error) => Err(error),
            Ok(()) => {
                if tells {
                    self.deps.signals.deliveries_due(workspace);
                }
                Ok(report)
            }
        }
    }

    /// Puts back a message whose turn was cut off, for another to claim at once.
    pub async fn put_back(
        &self,
        queue: FilesQueue,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<(), StoreError> {
        let now = self.deps.clock.now();
        let next = match queue {
            FilesQueue::ToBeTold => AfterFiles::TryAt(now),
            FilesQueue::Late => AfterFiles::Late { transcription: None, next_try: Some(now) },
        };
        match self.queue.commit(workspace, &FilesChange { message, outcomes: Vec::new(), next }).await {
            Ok(()) | Err(StoreError::Stale) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn try_files(&self, awaited: &AwaitedMessage) -> Turn {
        let time = match awaited.queue {
            FilesQueue::ToBeTold => {
                time_for_a_try(awaited.attempt, awaited.recorded_at, self.deps.clock.now())
            }
            FilesQueue::Late => Some(time_for_a_late_try()),
        };
        let pending = awaited.files.iter().filter(|file| matches!(file.state, FileState::Pending { .. }));
        let tries = join_all(pending.map(async |file| {
            let stored = match time {
                Some(time) => self.fetch(awaited, file, time).await,
                None => Err(MediaError::Final("it was tried too often".to_owned())),
            };
            (file.position, stored)
        }));
        let mut turn = Turn { outcomes: Vec::new(), next_try: None, report: FilesReport::default() };
        for (position, stored) in tries.await {
            let error = match stored {
                Ok(stored) => {
                    turn.report.stored += 1;
                    turn.outcomes.push(FileOutcome { position, stored: Some(stored) });
                    continue;
                }
                Err(error) => error,
            };
            let (attempt, recorded_at, now) = (awaited.attempt, awaited.recorded_at, self.deps.clock.now());
            let next = match awaited.queue {
                FilesQueue::ToBeTold => after_a_failure(attempt, recorded_at, now),
                FilesQueue::Late => after_a_late_failure(attempt, recorded_at, now),
            };
            match (&error, next, awaited.queue) {
                (MediaError::Passing(_), AfterFailure::TryAt(at), _) => {
                    turn.next_try = Some(turn.next_try.map_or(at, |earlier| earlier.min(at)));
                    turn.report.postponed.push((position, error));
                }
                (MediaError::Passing(_), AfterFailure::GiveUp, FilesQueue::ToBeTold) => {
                    turn.report.late.push((position, error));
                }
                (MediaError::Final(_), _, _) | (_, AfterFailure::GiveUp, FilesQueue::Late) => {
                    turn.outcomes.push(FileOutcome { position, stored: None });
                    turn.report.given_up.push((position, error));
                }
            }
        }
        turn
    }

    /// Fetches and stores one file, within `time`.
    async fn fetch(
        &self,
        awaited: &AwaitedMessage,
        file: &MessageFile,
        time: Duration,
    ) -> Result<StoredAttachment, MediaError> {
        let FileState::Pending { source, content_type, sha256 } = &file.state else {
            return Err(MediaError::Final("it has an outcome".to_owned()));
        };
        let until = self.deps.clock.now() + time;
        let asked = self.networks.fetch(&awaited.origin, source).boxed();
        let too_slow = || MediaError::Passing("the network did not answer in time".to_owned());
        let fetched =
            within(asleep(&self.deps.clock, time.min(IDLE)), asked).await.ok_or_else(too_slow)??;
        let left = Duration::try_from(until - self.deps.clock.now()).unwrap_or_default();
        let clock = Arc::clone(&self.deps.clock);
        let bytes = timed(fetched.bytes, asleep(&self.deps.clock, left), move || asleep(&clock, IDLE));
        let declared = content_type.as_deref().or(fetched.content_type.as_deref());
        let judged = judge(bytes, |head| ContentType::judge(file.kind, declared, head)).await?;
        let empty = || MediaError::Passing("it is empty".to_owned());
        let (content_type, bytes) = judged.ok_or_else(empty)?;
        let (workspace, message) = (awaited.workspace, awaited.message.id);
        let key = ObjectKey::of(&*self.vault, workspace, message, file.position, content_type);
        let expected = Expected {
            most_bytes: file.kind.most_bytes(awaited.origin.channel),
            sha256: sha256.clone().or(fetched.sha256),
        };
        let bytes = self.objects.put(&key, checked(bytes, expected)).await?;
        Ok(StoredAttachment { kind: file.kind, key, content_type, bytes, title: file.title.clone() })
    }

    /// Composes the announcement of a message none of whose files is waited for any longer.
    async fn announcement(
        &self,
        awaited: AwaitedMessage,
        outcomes: &[FileOutcome],
        report: &mut FilesReport,
    ) -> Result<AfterFiles, StoreError> {
        let kept = kept(&awaited.files, outcomes);
        let missing = missing(&awaited.files, &kept);
        let (workspace, mut words) = (awaited.workspace, Vec::new());
        for (_, stored) in kept.iter().filter(|(file, _)| file.voice) {
            let time = time_for_words(awaited.recorded_at, self.deps.clock.now());
            match self.transcribe(workspace, stored, time).await {
                Ok(said) => words.extend(said),
                Err(error) => report.untranscribed.push(error),
            }
        }
        let transcription = (!words.is_empty()).then(|| words.join("\n"));
        let kept = kept.into_iter().map(|(_, stored)| stored.clone()).collect();
        let mut message = awaited.message.without(missing);
        message.attachments = linked(&*self.links, kept).await?;
        message.transcription.clone_from(&transcription);
        let kind = match message.role {
            Role::Customer => EventType::MessageReceived,
            Role::Assistant | Role::Team | Role::System => EventType::MessageSent,
        };
        let created_at = message.created_at;
        let data = EventData::Message { message: Box::new(message), customer: awaited.customer };
        let event = Event { kind, created_at, data };
        let late_try = (!report.late.is_empty()).then(|| first_late_try(self.deps.clock.now()));
        Ok(AfterFiles::Announce { transcription, event: Box::new(event), late_try })
    }

    /// Transcribes the voice notes that arrived after their message was announced.
    async fn late_words(
        &self,
        awaited: &AwaitedMessage,
        outcomes: &[FileOutcome],
        report: &mut FilesReport,
    ) -> Option<String> {
        let mut words = Vec::new();
        let voices = awaited.files.iter().filter(|file| file.voice);
        for stored in voices.filter_map(|file| of_this_turn(file, outcomes)) {
            match self.transcribe(awaited.workspace, stored, time_for_late_words()).await {
                Ok(said) => words.extend(said),
                Err(error) => report.untranscribed.push(error),
            }
        }
        (!words.is_empty()).then(|| words.join("\n"))
    }

    /// Transcribes a recording. It is opened once there is a slot, so that those who wait hold nothing.
    async fn transcribe(
        &self,
        workspace: WorkspaceId,
        stored: &StoredAttachment,
        time: Duration,
    ) -> Result<Option<String>, MediaError> {
        let Some(transcriber) = &self.transcriber else { return Ok(None) };
        let work = async {
            let _slot = transcriber.slot(workspace).await;
            let missing = || MediaError::Final("the recording is not where it was kept".to_owned());
            let recording = self.objects.open(&stored.key).await?.ok_or_else(missing)?;
            transcriber.transcribe(recording, stored.content_type).await
        };
        let too_slow = || MediaError::Passing("the transcription took too long".to_owned());
        within(asleep(&self.deps.clock, time), work.boxed()).await.ok_or_else(too_slow)?
    }
}

/// Returns the files that are stored, of earlier turns and of this one, in order.
fn kept<'a>(
    files: &'a [MessageFile],
    outcomes: &'a [FileOutcome],
) -> Vec<(&'a MessageFile, &'a StoredAttachment)> {
    let of = |file: &'a MessageFile| match &file.state {
        FileState::Stored(stored) => Some((file, stored)),
        FileState::GivenUp => None,
        FileState::Pending { .. } => Some((file, of_this_turn(file, outcomes)?)),
    };
    files.iter().filter_map(of).collect()
}

fn of_this_turn<'a>(file: &MessageFile, outcomes: &'a [FileOutcome]) -> Option<&'a StoredAttachment> {
    outcomes.iter().find(|outcome| outcome.position == file.position)?.stored.as_ref()
}

/// Returns the kinds of the files that are not stored, in order.
fn missing(files: &[MessageFile], kept: &[(&MessageFile, &StoredAttachment)]) -> Vec<AttachmentKind> {
    let is_kept = |file: &MessageFile| kept.iter().any(|(kept, _)| kept.position == file.position);
    files.iter().filter(|file| !is_kept(file)).map(|file| file.kind).collect()
}
