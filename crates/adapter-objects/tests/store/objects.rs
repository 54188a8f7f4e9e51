//! Files in a folder, and links to a bucket.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    collections::HashMap,
    fs::File,
    io::{Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Arc, Mutex},
};

use adapter_objects::{Objects, S3Config, StoreFailure};
use domain::{
    attachments::{
        AskedBytes, ContentType, ObjectKey,
        ports::{AttachmentLinks, FoundPart, MediaBytes, MediaError, ObjectStore},
    },
    testing::{ManualClock, a_message, a_moment, a_vault, a_workspace},
};
use futures_util::{StreamExt, TryStreamExt, stream};
use time::Duration;
use tls_trust::Trust;
use url::Url;

type Chunk = bytes::Bytes;

fn key(position: u16, content_type: &str) -> ObjectKey {
    let content_type = ContentType::read(content_type);
    ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, position, content_type)
}

fn of(chunks: Vec<Result<Chunk, MediaError>>) -> MediaBytes {
    stream::iter(chunks).boxed()
}

fn in_folder(folder: &Path) -> Objects {
    Objects::in_folder(folder, Arc::new(ManualClock::at(a_moment()))).unwrap()
}

async fn read(objects: &Objects, key: &ObjectKey) -> Option<(u64, Vec<u8>)> {
    let object = objects.open(key).await.unwrap()?;
    let chunks: Vec<Chunk> = object.bytes.try_collect().await.unwrap();
    Some((object.size, chunks.concat()))
}

/// How many files there are, at whatever depth.
fn files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
}

#[tokio::test]
async fn a_file_in_a_folder_reads_back_and_may_be_put_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("made");
    let objects = in_folder(&folder);
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    for again in ["one", "two!"] {
        let size = objects.put(&key(0, "image/png"), of(vec![Ok(Chunk::from(again))])).await.unwrap();
        assert_eq!(usize::try_from(size).unwrap(), again.len());
        assert_eq!(read(&objects, &key(0, "image/png")).await, Some((size, again.as_bytes().to_vec())));
    }
    assert_eq!(read(&objects, &key(1, "image/png")).await, None);
    assert_eq!(files(&folder), 1);
}

/// Writes the beginning of a file, as a process that is killed leaves it. Nobody has written to it for
/// `idle`.
fn begin(folder: &Path, key: &ObjectKey, number: u32, idle: Duration) {
    std::fs::create_dir_all(folder.join(a_workspace().id.to_string())).unwrap();
    let unfinished = folder.join(format!("{key}#{number}"));
    std::fs::write(&unfinished, "half a pict").unwrap();
    let file = File::options().append(true).open(unfinished).unwrap();
    file.set_modified((a_moment() - idle).into()).unwrap();
}

#[tokio::test]
async fn what_a_killed_process_left_of_a_file_goes_when_it_is_put_again_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(folder.path());
    let (one, other) = (key(0, "image/png"), key(1, "image/png"));
    let killed = |key: &ObjectKey| {
        (1..=2).for_each(|number| begin(folder.path(), key, number, Duration::minutes(61)));
    };
    killed(&one);
    killed(&other);
    objects.put(&one, of(vec![Ok(Chunk::from("a picture"))])).await.unwrap();
    assert_eq!(files(folder.path()), 3, "what is another file's stays");
    assert_eq!(read(&objects, &one).await.unwrap().1, b"a picture");
    objects.remove(&other).await.unwrap();
    killed(&one);
    objects.remove(&one).await.unwrap();
    assert_eq!(files(folder.path()), 0);
}

#[tokio::test]
async fn what_another_node_may_still_be_writing_is_neither_removed_nor_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(folder.path());
    let shared = key(0, "image/png");
    begin(folder.path(), &shared, 1, Duration::minutes(59));
    objects.put(&shared, of(vec![Ok(Chunk::from("a picture"))])).await.unwrap();
    objects.remove(&shared).await.unwrap();
    let left = std::fs::read(folder.path().join(format!("{shared}#1"))).unwrap();
    assert_eq!((files(folder.path()), &left[..]), (1, &b"half a pict"[..]));
}

#[tokio::test]
async fn a_large_file_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(folder.path());
    let chunk = Chunk::from(vec![7; 1024 * 1024 + 1]);
    let size = objects.put(&key(0, "video/mp4"), of(vec![Ok(chunk.clone()); 12])).await.unwrap();
    let (kept, bytes) = read(&objects, &key(0, "video/mp4")).await.unwrap();
    assert_eq!((size, kept), (12 * 1_048_577, size));
    assert_eq!(bytes, chunk.repeat(12));
}

#[tokio::test]
async fn a_file_that_did_not_come_whole_leaves_nothing_small_or_large() {
    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(folder.path());
    let cut = MediaError::Final("cut".to_owned());
    for chunks in [1, 12] {
        let mut broken = vec![Ok(Chunk::from(vec![7; 1024 * 1024])); chunks];
        broken.push(Err(cut.clone()));
        assert_eq!(objects.put(&key(0, "video/mp4"), of(broken)).await, Err(cut.clone()));
        assert_eq!(read(&objects, &key(0, "video/mp4")).await, None);
        // What an upload began is taken away by a task of its own.
        while files(folder.path()) > 0 {
            tokio::task::yield_now().await;
        }
    }
}

/// What there is of these bytes: the file's size, where the part begins, and the part.
async fn read_part(objects: &Objects, key: &ObjectKey, asked: AskedBytes) -> Option<(u64, u64, Vec<u8>)> {
    match objects.open_part(key, asked).await.unwrap()? {
        FoundPart::Of(part) => {
            let chunks: Vec<Chunk> = part.bytes.try_collect().await.unwrap();
            let bytes = chunks.concat();
            assert_eq!(part.range.end - part.range.start, u64::try_from(bytes.len()).unwrap());
            Some((part.size, part.range.start, bytes))
        }
        FoundPart::Beyond(size) => Some((size, size, Vec::new())),
    }
}

#[tokio::test]
async fn a_part_of_a_file_in_a_folder_is_read_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(folder.path());
    let voice = key(0, "audio/ogg");
    objects.put(&voice, of(vec![Ok(Chunk::from("0123456789"))])).await.unwrap();
    for (asked, begins, bytes) in [
        (AskedBytes::Between(2, 5), 2, "2345"),
        (AskedBytes::Between(8, 99), 8, "89"),
        (AskedBytes::From(7), 7, "789"),
        (AskedBytes::Last(3), 7, "789"),
        (AskedBytes::From(0), 0, "0123456789"),
        (AskedBytes::From(10), 10, ""),
        (AskedBytes::Last(0), 10, ""),
    ] {
        let part = read_part(&objects, &voice, asked).await;
        assert_eq!(part, Some((10, begins, bytes.as_bytes().to_vec())), "{asked:?}");
    }
    assert_eq!(read_part(&objects, &key(1, "audio/ogg"), AskedBytes::From(0)).await, None);
}

#[tokio::test]
async fn a_bucket_is_asked_for_the_part_alone() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 16 * 1024];
            let read = stream.read(&mut request).unwrap();
            let request = String::from_utf8_lossy(&request[..read]).to_lowercase();
            let rest =
                "last-modified: Fri, 27 Nov 2026 10:00:00 GMT\r\netag: \"a\"\r\nconnection: close\r\n\r\n";
            let answer = if request.starts_with("head ") {
                format!("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n{rest}")
            } else {
                let range = "content-range: bytes 2-5/10";
                format!("HTTP/1.1 206 Partial Content\r\ncontent-length: 4\r\n{range}\r\n{rest}2345")
            };
            let range = request.lines().find_map(|line| line.strip_prefix("range: ")).map(str::to_owned);
            kept.lock().unwrap().push(range);
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let (objects, _) = Objects::in_s3(&bucket(Some(&address)), Trust::default()).unwrap();
    let part = read_part(&objects, &key(0, "audio/ogg"), AskedBytes::Between(2, 5)).await;
    assert_eq!(part, Some((10, 2, b"2345".to_vec())));
    let beyond = read_part(&objects, &key(0, "audio/ogg"), AskedBytes::From(10)).await;
    assert_eq!(beyond, Some((10, 10, Vec::new())));
    assert_eq!(*heard.lock().unwrap(), [None, Some("bytes=2-5".to_owned()), None]);
}

#[test]
fn a_folder_that_cannot_be_made_is_said() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let made = Objects::in_folder(&file.path().join("below"), Arc::new(ManualClock::at(a_moment())));
    let error = made.err().unwrap().to_string();
    assert!(error.starts_with("the folder cannot be used"), "{error}");
}

fn bucket(endpoint: Option<&str>) -> S3Config {
    S3Config {
        endpoint: endpoint.map(|endpoint| endpoint.parse().unwrap()),
        bucket: "files".to_owned(),
        region: "me-central-1".to_owned(),
        access_key_id: "an-id".to_owned(),
        secret_access_key: "a secret of the bucket".to_owned().into(),
    }
}

#[tokio::test]
async fn a_link_to_a_bucket_is_signed_by_its_own_scheme_for_a_day() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    for (endpoint, host) in [
        (Some("http://127.0.0.1:9000/"), "127.0.0.1"),
        (Some("https://s3.example"), "s3.example"),
        (None, "s3.me-central-1.amazonaws.com"),
    ] {
        let (_, links) = Objects::in_s3(&bucket(endpoint), Trust::default()).unwrap();
        let link = links.link(&key(0, "image/png")).await.unwrap();
        let url: Url = link.parse().unwrap();
        assert_eq!(url.host_str(), Some(host), "{link}");
        assert_eq!(url.path(), format!("/files/{}", key(0, "image/png")));
        let query: HashMap<_, _> = url.query_pairs().into_owned().collect();
        assert_eq!(query["X-Amz-Expires"], "86400");
        assert!(query["X-Amz-Credential"].starts_with("an-id/"), "{link}");
        assert_eq!(query["X-Amz-Signature"].len(), 64);
        assert!(!link.contains("secret"), "{link}");
    }
}

#[test]
fn a_bucket_s_settings_print_no_key() {
    let printed = format!("{:?}", bucket(None));
    assert!(!printed.contains("secret of") && !printed.contains("an-id"), "{printed}");
}

/// A service that answers everything with this status and code; its address.
fn answering(status: &'static str, code: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 16 * 1024];
            let _ = stream.read(&mut request).unwrap();
            let body = format!("<Error><Code>{code}</Code></Error>");
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[tokio::test]
async fn a_check_says_why_a_store_cannot_be_used() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for (endpoint, wanted) in [
        (answering("403 Forbidden", "AccessDenied"), StoreFailure::Denied),
        (answering("404 Not Found", "NoSuchBucket"), StoreFailure::NoBucket),
        (answering("500 Internal Server Error", "InternalError"), StoreFailure::Failed),
        (closed, StoreFailure::Down),
    ] {
        let (objects, _) = Objects::in_s3(&bucket(Some(&endpoint)), Trust::default()).unwrap();
        assert_eq!(objects.check().await, Err(wanted));
    }
    // What a file could not be kept for is said where it is fetched.
    let (objects, _) =
        Objects::in_s3(&bucket(Some(&answering("403 Forbidden", "AccessDenied"))), Trust::default()).unwrap();
    let refused = objects.put(&key(0, "image/png"), of(vec![Ok(Chunk::from("a picture"))])).await;
    let MediaError::Passing(said) = refused.unwrap_err() else { panic!("it may be put right") };
    assert!(said.ends_with("access is denied"), "{said}");

    let folder = tempfile::tempdir().unwrap();
    let objects = in_folder(&folder.path().join("made"));
    assert_eq!(objects.check().await, Ok(()));
    assert_eq!(files(folder.path()), 0, "nothing is left of it");
    std::fs::remove_dir(folder.path().join("made")).unwrap();
    std::fs::write(folder.path().join("made"), "").unwrap();
    assert_eq!(objects.check().await, Err(StoreFailure::NoFolder));
}
