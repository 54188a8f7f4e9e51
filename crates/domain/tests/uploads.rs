//! Taking in the files that people of the team bring, and sweeping what nobody sends.

#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use domain::{
    attachments::{
        AttachmentKind, BroughtFile, ObjectKey, StoredAttachment, SweepUploads, TakeUpload, UploadError,
        ports::{MediaBytes, MediaError, MockObjectStore, MockUploadStore, NewUpload, UnusedUpload},
    },
    errors::StoreError,
    ids::{UploadId, WorkspaceId},
    testing::{ManualClock, a_caller, a_moment, a_vault, a_workspace, some_deps},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use time::Duration;
use uuid::Uuid;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0 a picture";

static MEGABYTE: [u8; 1024 * 1024] = [b'x'; 1024 * 1024];

/// What the store was told.
#[derive(Clone, Default)]
struct Seen {
    begun: Vec<NewUpload>,
    finished: Vec<u64>,
    removed: Vec<UploadId>,
}

fn brought(declared: Option<&str>, name: Option<&str>, chunks: &[&'static [u8]]) -> BroughtFile {
    let chunks: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk))).collect();
    BroughtFile {
        declared: declared.map(str::to_owned),
        name: name.map(str::to_owned),
        announced: None,
        bytes: stream::iter(chunks).boxed(),
    }
}

/// An object store that keeps what comes to its end.
fn keeping() -> MockObjectStore {
    let mut objects = MockObjectStore::new();
    objects.expect_put().returning(|_, bytes: MediaBytes| {
        let kept = pollster::block_on(bytes.try_collect::<Vec<_>>());
        kept.map(|chunks| u64::try_from(chunks.concat().len()).unwrap())
    });
    objects
}

async fn take_into(
    objects: MockObjectStore,
    room: Result<(), UploadError>,
    file: BroughtFile,
) -> (Result<(UploadId, StoredAttachment), UploadError>, Seen) {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut store = MockUploadStore::new();
    let told = Arc::clone(&seen);
    store.expect_begin().returning(move |workspace, upload, now, _| {
        assert_eq!((workspace, now), (a_workspace().id, a_moment()));
        told.lock().unwrap().begun.push(upload.clone());
        room.clone()
    });
    let told = Arc::clone(&seen);
    store.expect_finish().returning(move |_, _, bytes| {
        told.lock().unwrap().finished.push(bytes);
        Ok(())
    });
    let told = Arc::clone(&seen);
    store.expect_remove().returning(move |_, id| {
        told.lock().unwrap().removed.push(id);
        Ok(())
    });
    let take = TakeUpload {
        store: Arc::new(store),
        objects: Arc::new(objects),
        vault: Arc::new(a_vault()),
        deps: some_deps(),
    };
    let taken = take.run(a_workspace().id, a_caller().creator, file).await;
    let seen = seen.lock().unwrap().clone();
    (taken, seen)
}

#[pollster::test]
async fn a_file_is_what_its_first_bytes_say_and_keeps_the_last_part_of_its_name() {
    use AttachmentKind::{Audio, Document, Image, Video};
    let mp4: &[u8] = b"\0\0\0\x20ftypisom";
    for (declared, name, bytes, kind, content_type, title) in [
        (Some("image/png"), Some("a.png"), PNG, Image, "image/png", Some("a.png")),
        (Some("text/html"), Some("../../etc/a.png"), PNG, Image, "image/png", Some("a.png")),
        (None, Some("C:\\x\\a.png"), PNG, Image, "image/png", Some("a.png")),
        (None, None, PNG, Image, "image/png", None),
        (None, Some("a\u{202e}gnp.exe\u{200f}"), PNG, Image, "image/png", Some("agnp.exe")),
        (None, Some("\u{200f}"), PNG, Image, "image/png", None),
        (None, Some(" "), PNG, Image, "image/png", None),
        (Some("video/mp4"), None, mp4, Video, "video/mp4", None),
        (Some("Audio/MP4"), None, mp4, Audio, "audio/mp4", None),
        (Some("text/csv; charset=utf-8"), None, b"a,b".as_slice(), Document, "text/csv", None),
        (None, None, b"%PDF-1.4".as_slice(), Document, "application/pdf", None),
    ] {
        let (taken, seen) = take_into(keeping(), Ok(()), brought(declared, name, &[bytes])).await;
        let (id, file) = taken.unwrap();
        assert_eq!(
            (file.kind, file.content_type.as_str(), file.title.as_deref()),
            (kind, content_type, title)
        );
        let size = u64::try_from(bytes.len()).unwrap();
        assert_eq!((file.bytes, seen.finished.as_slice()), (size, [size].as_slice()));
        let [begun] = &seen.begun[..] else { panic!("begun once") };
        assert_eq!((begun.id, begun.member, &begun.key), (id, a_caller().creator, &file.key));
        assert!(seen.removed.is_empty());
    }
}

#[pollster::test]
async fn what_no_network_takes_is_refused_before_anything_is_kept() {
    let long = "x".repeat(241);
    for (declared, name, bytes, wanted) in [
        (Some("image/png"), None, b"".as_slice(), "empty"),
        (Some("text/html"), None, b"<html><script>".as_slice(), "type"),
        (Some("image/svg+xml"), None, b"<svg>".as_slice(), "type"),
        (None, None, b"MZ\x90".as_slice(), "type"),
        (None, Some("a\nb"), PNG, "name"),
        (None, Some(long.as_str()), PNG, "name"),
    ] {
        let (taken, seen) =
            take_into(MockObjectStore::new(), Ok(()), brought(declared, name, &[bytes])).await;
        let told = match taken.unwrap_err() {
            UploadError::Empty => "empty",
            UploadError::Type => "type",
            UploadError::Name => "name",
            other => panic!("{other:?}"),
        };
        assert_eq!(told, wanted, "{declared:?} {name:?}");
        assert!(seen.begun.is_empty());
    }
    for refusal in [UploadError::TooMany, UploadError::TooManyBytes] {
        let room = Err(refusal.clone());
        let (taken, seen) = take_into(MockObjectStore::new(), room, brought(None, None, &[PNG])).await;
        assert_eq!(taken.err(), Some(refusal));
        assert!(seen.finished.is_empty());
    }
}

#[pollster::test]
async fn what_is_too_large_or_breaks_off_leaves_nothing() {
    let large: Vec<&'static [u8]> = std::iter::once(PNG).chain(vec![MEGABYTE.as_slice(); 25]).collect();
    let (taken, seen) = take_into(keeping(), Ok(()), brought(None, None, &large)).await;
    let most_bytes = 25 * 1024 * 1024;
    assert!(matches!(taken, Err(UploadError::TooLarge { most_bytes: most }) if most == most_bytes));
    assert_eq!(seen.removed, [seen.begun.first().unwrap().id]);

    // While one looks what it is nothing has begun yet.
    for (before, begun) in [(vec![PNG], 0), (vec![PNG, MEGABYTE.as_slice()], 1)] {
        let broken = || Err(MediaError::Passing("it broke off".to_owned()));
        let came = before.into_iter().map(|bytes| Ok(Bytes::from_static(bytes)));
        let bytes = stream::iter(came.chain(std::iter::once_with(broken))).boxed();
        let file = BroughtFile { bytes, ..brought(None, None, &[]) };
        let (taken, seen) = take_into(keeping(), Ok(()), file).await;
        assert!(matches!(taken, Err(UploadError::Media(_))));
        assert_eq!((seen.begun.len(), seen.removed.len(), seen.finished.len()), (begun, begun, 0));
    }
}

#[pollster::test]
async fn room_is_kept_for_what_a_file_says_of_its_size_and_it_gets_no_more() {
    let size = u64::try_from(PNG.len()).unwrap();
    let most = 25 * 1024 * 1024;
    for (announced, reserved, is_taken) in
        [(None, Some(most), true), (Some(size), Some(size), true), (Some(size - 1), Some(size - 1), false)]
    {
        let file = BroughtFile { announced, ..brought(None, None, &[PNG]) };
        let (taken, seen) = take_into(keeping(), Ok(()), file).await;
        assert_eq!(seen.begun.first().map(|begun| begun.reserved), reserved);
        assert_eq!((taken.is_ok(), seen.removed.is_empty()), (is_taken, is_taken), "{announced:?}");
    }
    let file = BroughtFile { announced: Some(most + 1), ..brought(None, None, &[PNG]) };
    let (taken, seen) = take_into(MockObjectStore::new(), Ok(()), file).await;
    assert!(matches!(taken, Err(UploadError::TooLarge { .. })) && seen.begun.is_empty());
}

#[pollster::test]
async fn what_nobody_sends_goes_a_day_and_an_hour_later_the_file_before_its_row() {
    for removable in [true, false] {
        let (_, seen) = take_into(keeping(), Ok(()), brought(None, None, &[PNG])).await;
        let NewUpload { id, key, .. } = seen.begun.first().unwrap().clone();
        let mut store = MockUploadStore::new();
        store.expect_workspaces_with_unused().returning(|before| {
            assert_eq!(before, a_moment() - Duration::hours(25));
            Ok(vec![a_workspace().id])
        });
        let unused = key.clone();
        store.expect_unused().returning(move |_, _, _, _| {
            Ok(vec![UnusedUpload { id, brought_at: a_moment(), key: Some(unused.clone()) }])
        });
        let mut objects = MockObjectStore::new();
        objects.expect_remove().times(1).returning(move |gone| {
            assert_eq!(*gone, key);
            if removable { Ok(()) } else { Err(MediaError::Passing("not now".to_owned())) }
        });
        store.expect_remove().times(usize::from(removable)).returning(|_, _| Ok(()));
        let clock = Arc::new(ManualClock::at(a_moment()));
        let sweep = SweepUploads { store: Arc::new(store), objects: Arc::new(objects), clock };
        assert_eq!(sweep.run(&|| false).await.ok(), removable.then_some(1));
    }
}

/// Sweeps two workspaces, of which files stay whose numbers are below 10, and the key of 4 cannot be read;
/// which files went, in their order.
async fn swept(of: fn(WorkspaceId) -> Result<Vec<u128>, StoreError>) -> Vec<u128> {
    let mut store = MockUploadStore::new();
    store.expect_workspaces_with_unused().returning(move |_| Ok([1, 2].map(workspace).to_vec()));
    store.expect_unused().returning(move |workspace, _, after, limit| {
        let behind = |upload: &UnusedUpload| after.is_none_or(|after| after.brought_at < upload.brought_at);
        let all = of(workspace)?.into_iter().zip(1..).map(|(number, place)| UnusedUpload {
            id: Uuid::from_u128(number).into(),
            brought_at: a_moment() + Duration::minutes(place),
            key: (number != 4).then(|| key(number)),
        });
        Ok(all.filter(behind).take(usize::try_from(limit).unwrap()).collect())
    });
    let mut objects = MockObjectStore::new();
    objects.expect_remove().returning(|gone| {
        let stays = (0..10).any(|number| *gone == key(number));
        if stays { Err(MediaError::Passing("it is held".to_owned())) } else { Ok(()) }
    });
    let removed = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&removed);
    store.expect_remove().returning(move |_, id| {
        told.lock().unwrap().push(id.uuid().as_u128());
        Ok(())
    });
    let clock = Arc::new(ManualClock::at(a_moment()));
    let sweep = SweepUploads { store: Arc::new(store), objects: Arc::new(objects), clock };
    assert!(sweep.run(&|| false).await.is_err());
    removed.lock().unwrap().clone()
}

fn workspace(number: u128) -> WorkspaceId {
    Uuid::from_u128(number).into()
}

#[pollster::test]
async fn a_file_that_cannot_be_removed_holds_up_no_other() {
    // Of the first workspace the other has its turn after three; then those behind them have theirs.
    let all = |of| Ok(if of == workspace(1) { vec![1, 12, 3, 4, 14] } else { vec![16, 7] });
    assert_eq!(swept(all).await, [12, 16, 14]);
    // All are tried, however many there are.
    let many = |of| Ok(if of == workspace(1) { (0..250).collect() } else { vec![] });
    assert_eq!(swept(many).await, (10..250).collect::<Vec<_>>());
}

#[pollster::test]
async fn a_workspace_whose_files_cannot_be_read_holds_up_no_other() {
    let one = |of| {
        if of == workspace(1) { Err(StoreError::Unavailable("not now".to_owned())) } else { Ok(vec![16]) }
    };
    assert_eq!(swept(one).await, [16]);
}

fn key(number: u128) -> ObjectKey {
    ObjectKey::read(&format!("{}/{number:064x}.pdf", Uuid::from_u128(1))).unwrap()
}
