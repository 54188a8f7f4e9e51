//! Fetching the files of a message, and what its event says then.

#![expect(clippy::panic, clippy::unwrap_used, reason = "test support")]

mod late;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use domain::{
    attachments::{
        AttachmentKind, ContentType, MediaSource, ObjectKey, StoredAttachment,
        ports::{
            Fetched, MediaBytes, MediaError, MediaOrigin, MockAttachmentLinks, MockNetworkMedia,
            MockObjectStore, MockTranscriber, ObjectStore, StoredObject, Transcriber,
        },
    },
    channels::ChannelKind,
    clock::Clock,
    deps::Deps,
    errors::StoreError,
    events::{Customer, EventData, EventType},
    ids::WorkspaceId,
    inbound::files::{
        FilesReport, SettleFiles,
        ports::{
            AfterFiles, AwaitedMessage, FileOutcome, FileState, FilesChange, FilesQueue, MessageFile,
            MockAttachmentQueue,
        },
    },
    messages::{Message, Role},
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_contact, a_message, a_moment, a_vault, a_workspace},
};
use futures_util::{StreamExt, TryStreamExt, stream};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 a picture";
const OGG: &[u8] = b"OggS a voice";

/// A message of a customer with these files, recorded now and taken up for the first time.
fn awaited(files: Vec<MessageFile>) -> AwaitedMessage {
    AwaitedMessage {
        queue: FilesQueue::ToBeTold,
        workspace: a_workspace().id,
        message: Message { role: Role::Customer, meta: None, ..a_message() },
        customer: Customer::of(&a_contact()),
        origin: MediaOrigin {
            channel: ChannelKind::Whatsapp,
            channel_network_id: "101".to_owned(),
            token: "a token".to_owned().into(),
        },
        files,
        attempt: 1,
        recorded_at: a_moment(),
    }
}

/// A file that the network has under this id.
fn file(position: u16, kind: AttachmentKind, id: &str) -> MessageFile {
    let state = FileState::Pending {
        source: MediaSource::Id(id.to_owned()),
        content_type: Some("image/png".to_owned()),
        sha256: None,
    };
    MessageFile { position, kind, title: Some("a title".to_owned()), voice: false, state }
}

fn voice(position: u16, id: &str) -> MessageFile {
    MessageFile { voice: true, ..file(position, AttachmentKind::Audio, id) }
}

fn stored(position: u16, kind: AttachmentKind, content_type: &str, size: usize) -> StoredAttachment {
    let content_type = ContentType::read(content_type);
    StoredAttachment {
        kind,
        key: ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, position, content_type),
        content_type,
        bytes: u64::try_from(size).unwrap(),
        title: Some("a title".to_owned()),
    }
}

fn bytes(chunks: &[&'static [u8]]) -> MediaBytes {
    let chunks: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk))).collect();
    stream::iter(chunks).boxed()
}

fn gone() -> MediaError {
    MediaError::Final("gone".to_owned())
}

fn busy() -> MediaError {
    MediaError::Passing("busy".to_owned())
}

/// A network that has a picture and a voice note, has lost one file, and is busy for every other.
fn networks() -> MockNetworkMedia {
    let mut networks = MockNetworkMedia::new();
    networks.expect_fetch().returning(|_, source| {
        let chunks: &[&[u8]] = match source {
            MediaSource::Id(id) if id == "picture" => &[JPEG],
            MediaSource::Id(id) if id == "voice" => &[OGG],
            MediaSource::Id(id) if id == "gone" => return Err(gone()),
            _ => return Err(busy()),
        };
        Ok(Fetched { content_type: None, sha256: None, bytes: bytes(chunks) })
    });
    networks
}

/// Keeps whatever comes, and opens anything.
fn objects() -> MockObjectStore {
    let mut objects = MockObjectStore::new();
    objects.expect_put().returning(|_, bytes| {
        let chunks: Vec<Bytes> = pollster::block_on(bytes.try_collect())?;
        Ok(u64::try_from(chunks.concat().len()).unwrap())
    });
    objects.expect_open().returning(|_| Ok(Some(StoredObject { size: 3, bytes: bytes(&[b"abc"]) })));
    objects
}

/// A store with a slot for everybody.
fn a_transcriber() -> MockTranscriber {
    let mut transcriber = MockTranscriber::new();
    transcriber.expect_slot().returning(|_| Box::new(()));
    transcriber
}

struct World {
    settle: SettleFiles,
    clock: Arc<ManualClock>,
    committed: Arc<Mutex<Vec<FilesChange>>>,
}

impl World {
    fn new() -> Self {
        Self::with(networks(), Arc::new(objects()), None)
    }

    fn with(
        networks: MockNetworkMedia,
        objects: Arc<dyn ObjectStore>,
        transcriber: Option<Arc<dyn Transcriber>>,
    ) -> Self {
        let committed = Arc::new(Mutex::new(Vec::new()));
        let mut queue = MockAttachmentQueue::new();
        let keep = Arc::clone(&committed);
        queue.expect_commit().returning(move |workspace, change| {
            assert_eq!(workspace, a_workspace().id);
            keep.lock().unwrap().push(change.clone());
            Ok(())
        });
        let mut links = MockAttachmentLinks::new();
        links.expect_link().returning(|key| Ok(format!("https://files.example/{key}")));
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().return_const(());
        let clock = Arc::new(ManualClock::at(a_moment()));
        let settle = SettleFiles {
            queue: Arc::new(queue),
            networks: Arc::new(networks),
            objects,
            links: Arc::new(links),
            transcriber,
            vault: Arc::new(a_vault()),
            deps: Deps {
                clock: Arc::<ManualClock>::clone(&clock),
                ids: Arc::new(SequentialIds::default()),
                signals: Arc::new(signals),
            },
        };
        Self { settle, clock, committed }
    }

    async fn run(&self, awaited: AwaitedMessage) -> (FilesReport, FilesChange) {
        let report = self.settle.run(awaited, ()).await.unwrap();
        (report, self.committed.lock().unwrap().pop().unwrap())
    }
}

/// The message that the change tells of.
fn told(change: &FilesChange) -> (&Message, Option<&str>) {
    let AfterFiles::Announce { transcription, event, .. } = &change.next else { panic!("{change:?}") };
    let EventData::Message { message, .. } = &event.data else { panic!("{event:?}") };
    assert_eq!(message.transcription, *transcription);
    (message, transcription.as_deref())
}

#[pollster::test]
async fn a_picture_is_kept_and_told_of_with_its_link() {
    let world = World::new();
    let (report, change) = world.run(awaited(vec![file(0, AttachmentKind::Image, "picture")])).await;
    let kept = stored(0, AttachmentKind::Image, "image/jpeg", JPEG.len());
    assert_eq!(report, FilesReport { stored: 1, ..FilesReport::default() });
    assert_eq!(change.outcomes, [FileOutcome { position: 0, stored: Some(kept.clone()) }]);
    let (message, _) = told(&change);
    let [attachment] = message.attachments.as_slice() else { panic!("{message:?}") };
    assert_eq!(attachment.url, format!("https://files.example/{}", kept.key));
    assert_eq!((attachment.kind, attachment.content_type), (AttachmentKind::Image, "image/jpeg"));
    assert_eq!((attachment.bytes, attachment.title.as_deref()), (kept.bytes, Some("a title")));
}

#[pollster::test]
async fn the_event_says_who_wrote_and_when_it_was_recorded_however_late_it_is_told() {
    for (role, kind) in [(Role::Customer, EventType::MessageReceived), (Role::Team, EventType::MessageSent)] {
        let world = World::new();
        world.clock.advance(Duration::from_secs(3));
        let mut awaited = awaited(vec![file(0, AttachmentKind::Image, "picture")]);
        awaited.message.role = role;
        let (_, change) = world.run(awaited).await;
        let AfterFiles::Announce { event, .. } = change.next else { panic!("{change:?}") };
        assert_eq!((event.kind, event.created_at), (kind, a_moment()));
    }
}

#[pollster::test]
async fn a_message_waits_for_its_last_file_and_what_is_kept_is_not_fetched_again() {
    let world = World::new();
    let files = vec![file(0, AttachmentKind::Image, "picture"), file(1, AttachmentKind::Image, "busy")];
    let (report, change) = world.run(awaited(files)).await;
    assert_eq!(report.postponed, [(1, busy())]);
    assert_eq!(change.outcomes.iter().map(|outcome| outcome.position).collect::<Vec<_>>(), [0]);
    let AfterFiles::TryAt(at) = change.next else { panic!("{change:?}") };
    assert_eq!(at, a_moment() + Duration::from_secs(1));

    let kept = stored(0, AttachmentKind::Image, "image/jpeg", JPEG.len());
    let first = MessageFile { state: FileState::Stored(kept.clone()), ..file(0, AttachmentKind::Image, "") };
    let second = file(1, AttachmentKind::Image, "picture");
    let (report, change) = world.run(AwaitedMessage { attempt: 2, ..awaited(vec![first, second]) }).await;
    assert_eq!(report.stored, 1);
    let (message, _) = told(&change);
    assert_eq!(message.attachments.len(), 2);
    assert!(message.attachments[0].url.ends_with(kept.key.as_str()));
}

#[pollster::test]
async fn a_file_that_the_network_no_longer_has_is_left_out_at_once() {
    let world = World::new();
    let files = vec![file(0, AttachmentKind::Image, "gone"), file(1, AttachmentKind::Image, "picture")];
    let (report, change) = world.run(awaited(files)).await;
    assert_eq!(report.given_up, [(0, gone())]);
    assert_eq!(change.outcomes[0], FileOutcome { position: 0, stored: None });
    assert_eq!(told(&change).0.attachments.len(), 1);
}

#[pollster::test]
async fn a_message_says_which_files_it_lacks_and_they_stand_for_words_where_it_has_none() {
    let picture = AttachmentKind::Image;
    for (words, shown) in [("", "[image]\n[audio]"), ("See", "See")] {
        let files = vec![file(0, picture, "gone"), file(1, picture, "picture"), voice(2, "gone")];
        let mut awaited = awaited(files);
        words.clone_into(&mut awaited.message.content);
        let (_, change) = World::new().run(awaited).await;
        let (message, _) = told(&change);
        assert_eq!((message.content.as_str(), message.attachments.len()), (shown, 1));
        assert_eq!(message.context.unavailable, [picture, AttachmentKind::Audio]);
    }
    let mut whole = awaited(vec![file(0, picture, "picture")]);
    whole.message.content.clear();
    let (_, change) = World::new().run(whole).await;
    let (message, _) = told(&change);
    assert!(message.content.is_empty() && message.context.is_empty(), "it lacks nothing");
}

#[pollster::test]
async fn a_message_is_told_of_after_its_minute_and_what_may_still_be_had_is_fetched_afterwards() {
    let world = World::new();
    world.clock.advance(Duration::from_secs(50));
    let files = vec![file(0, AttachmentKind::Image, "busy"), file(1, AttachmentKind::Image, "gone")];
    let last = AwaitedMessage { attempt: 7, ..awaited(files) };
    let (report, change) = world.run(last).await;
    assert_eq!((report.late, report.given_up), (vec![(0, busy())], vec![(1, gone())]));
    assert_eq!(change.outcomes, [FileOutcome { position: 1, stored: None }], "the other has no outcome yet");
    let (message, _) = told(&change);
    assert!(message.attachments.is_empty());
    assert_eq!(message.context.unavailable, [AttachmentKind::Image; 2]);
    let AfterFiles::Announce { late_try, .. } = change.next else { panic!("{change:?}") };
    assert_eq!(late_try, Some(world.clock.now() + Duration::from_mins(1)));

    let (_, change) = world.run(awaited(vec![file(0, AttachmentKind::Image, "gone")])).await;
    let AfterFiles::Announce { late_try, .. } = change.next else { panic!("{change:?}") };
    assert_eq!(late_try, None, "what the network does not have is not asked for again");
}

#[pollster::test]
async fn rendering_speech_holds_no_place_that_files_need() {
    struct Slot(Arc<Mutex<bool>>);
    impl Drop for Slot {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }
    let given_back = Arc::new(Mutex::new(false));
    let seen = Arc::clone(&given_back);
    let mut transcriber = a_transcriber();
    transcriber.expect_transcribe().once().returning(move |_, _| {
        assert!(*seen.lock().unwrap(), "the slot is free while speech is rendered");
        Ok(None)
    });
    let world = World::with(networks(), Arc::new(objects()), Some(Arc::new(transcriber)));
    world.settle.run(awaited(vec![voice(0, "voice")]), Slot(given_back)).await.unwrap();
}

#[pollster::test]
async fn a_message_that_nobody_took_up_in_time_is_tried_once_all_the_same() {
    let world = World::new();
    world.clock.advance(Duration::from_hours(1));
    let (report, _) = world.run(awaited(vec![file(0, AttachmentKind::Image, "picture")])).await;
    assert_eq!(report.stored, 1);
    let too_often =
        AwaitedMessage { attempt: 11, ..awaited(vec![file(0, AttachmentKind::Image, "picture")]) };
    let (report, change) = world.run(too_often).await;
    assert_eq!(report.given_up.len(), 1);
    assert!(told(&change).0.attachments.is_empty());
}

#[pollster::test]
async fn a_picture_larger_than_its_network_carries_is_left_out() {
    const MEGABYTE: &[u8] = &[0xff; 1024 * 1024];
    let mut networks = MockNetworkMedia::new();
    networks.expect_fetch().returning(|_, _| {
        Ok(Fetched {
            content_type: None,
            sha256: None,
            bytes: bytes(&[MEGABYTE, MEGABYTE, MEGABYTE, MEGABYTE, MEGABYTE, b"\0"]),
        })
    });
    let world = World::with(networks, Arc::new(objects()), None);
    let (report, _) = world.run(awaited(vec![file(0, AttachmentKind::Image, "large")])).await;
    assert!(matches!(report.given_up.as_slice(), [(0, MediaError::Final(_))]), "{report:?}");
}

#[pollster::test]
async fn a_network_that_stops_sending_is_given_up_on_for_now() {
    let mut networks = MockNetworkMedia::new();
    networks.expect_fetch().returning(|_, _| {
        let stuck = bytes(&[JPEG]).chain(stream::pending()).boxed();
        Ok(Fetched { content_type: None, sha256: None, bytes: stuck })
    });
    // The clock moves on by itself as soon as somebody sleeps.
    let world = World::with(networks, Arc::new(objects()), None);
    let clock = Arc::clone(&world.clock);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let mover = std::thread::spawn(move || {
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            if clock.sleepers() > 0 {
                clock.advance(Duration::from_secs(1));
            }
            std::thread::yield_now();
        }
    });
    let (report, _) = world.run(awaited(vec![file(0, AttachmentKind::Image, "stuck")])).await;
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    mover.join().unwrap();
    assert!(matches!(report.postponed.as_slice(), [(0, MediaError::Passing(_))]), "{report:?}");
    assert!(world.clock.now() - a_moment() < Duration::from_secs(30));
}

#[pollster::test]
async fn a_voice_note_is_rendered_as_words_before_it_is_told_of() {
    let mut transcriber = MockTranscriber::new();
    let is_its_own = |workspace: &WorkspaceId| *workspace == a_workspace().id;
    transcriber.expect_slot().withf(is_its_own).once().returning(|_| Box::new(()));
    transcriber
        .expect_transcribe()
        .withf(|recording, content_type| (recording.size, content_type.as_str()) == (3, "audio/ogg"))
        .once()
        .returning(|_, _| Ok(Some("مرحبا".to_owned())));
    let world = World::with(networks(), Arc::new(objects()), Some(Arc::new(transcriber)));
    let files = vec![voice(0, "voice"), file(1, AttachmentKind::Audio, "voice")];
    let (_, change) = world.run(awaited(files)).await;
    assert_eq!(told(&change).1, Some("مرحبا"));
}

#[pollster::test]
async fn speech_that_cannot_be_rendered_leaves_the_message_without_words() {
    let mut transcriber = a_transcriber();
    transcriber.expect_transcribe().returning(|_, _| Err(busy()));
    let world = World::with(networks(), Arc::new(objects()), Some(Arc::new(transcriber)));
    let (report, change) = world.run(awaited(vec![voice(0, "voice")])).await;
    assert_eq!(report.untranscribed, [busy()]);
    let (message, words) = told(&change);
    assert_eq!((message.attachments.len(), words), (1, None));
}

#[pollster::test]
async fn who_comes_after_the_lease_tells_nobody_twice() {
    let mut world = World::new();
    let mut queue = MockAttachmentQueue::new();
    queue.expect_commit().once().returning(|_, _| Err(StoreError::Stale));
    world.settle.queue = Arc::new(queue);
    world.settle.deps.signals = Arc::new(MockSignals::new());
    let files = vec![file(0, AttachmentKind::Image, "picture")];
    assert_eq!(world.settle.run(awaited(files), ()).await.unwrap().stored, 1);
}

#[pollster::test]
async fn nothing_is_told_while_links_cannot_be_made() {
    let mut world = World::new();
    let mut links = MockAttachmentLinks::new();
    links.expect_link().returning(|_| Err(busy()));
    world.settle.links = Arc::new(links);
    let run = world.settle.run(awaited(vec![file(0, AttachmentKind::Image, "picture")]), ()).await;
    assert!(matches!(run, Err(StoreError::Unavailable(_))));
    assert!(world.committed.lock().unwrap().is_empty());
}
