//! Files that come after their message was told of.

use std::{sync::Arc, time::Duration};

use domain::{
    attachments::AttachmentKind,
    clock::Clock,
    inbound::files::{
        FilesReport,
        ports::{AfterFiles, AwaitedMessage, FileOutcome, FileState, FilesQueue, MessageFile},
    },
    signals::MockSignals,
};

use crate::attachments::{OGG, World, a_transcriber, awaited, busy, file, networks, objects, stored, voice};

/// A message that has been told of without these files.
fn late(attempt: u32, files: Vec<MessageFile>) -> AwaitedMessage {
    AwaitedMessage { queue: FilesQueue::Late, attempt, ..awaited(files) }
}

#[pollster::test]
async fn a_file_that_comes_after_the_event_is_kept_and_nothing_is_told_again() {
    let mut transcriber = a_transcriber();
    transcriber.expect_transcribe().once().returning(|_, _| Ok(Some("مرحبا".to_owned())));
    let mut world = World::with(networks(), Arc::new(objects()), Some(Arc::new(transcriber)));
    // Nobody is woken.
    world.settle.deps.signals = Arc::new(MockSignals::new());
    world.clock.advance(Duration::from_hours(30));
    let known = stored(1, AttachmentKind::Audio, "audio/ogg", OGG.len());
    let known = MessageFile { state: FileState::Stored(known), ..voice(1, "") };
    let (report, change) = world.run(late(40, vec![voice(0, "voice"), known])).await;
    assert_eq!(report, FilesReport { stored: 1, ..FilesReport::default() });
    assert!(change.outcomes[0].stored.is_some());
    let AfterFiles::Late { transcription, next_try } = change.next else { panic!("{change:?}") };
    assert_eq!((transcription.as_deref(), next_try), (Some("مرحبا"), None), "only what is new is rendered");
}

#[pollster::test]
async fn a_late_file_is_tried_for_as_long_as_the_network_keeps_it() {
    let world = World::new();
    world.clock.advance(Duration::from_hours(24));
    let picture = |id| vec![file(0, AttachmentKind::Image, id)];
    let (report, change) = world.run(late(1, picture("busy"))).await;
    assert_eq!((report.postponed, change.outcomes.len()), (vec![(0, busy())], 0));
    let AfterFiles::Late { next_try, .. } = change.next else { panic!("{change:?}") };
    assert_eq!(next_try, Some(world.clock.now() + Duration::from_mins(2)));

    world.clock.advance(Duration::from_hours(6 * 24));
    for id in ["busy", "gone"] {
        let (report, change) = world.run(late(1, picture(id))).await;
        assert_eq!(report.given_up.len(), 1, "{id}");
        assert_eq!(change.outcomes, [FileOutcome { position: 0, stored: None }]);
        assert!(matches!(change.next, AfterFiles::Late { next_try: None, .. }), "{id}");
    }
}
