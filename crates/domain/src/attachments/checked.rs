//! Checks on the bytes of a file as they stream by.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, Either, select},
    stream,
};
use sha2::{Digest, Sha256};

use super::{
    content_type::{ContentType, HEAD},
    pixels::{PICTURE_HEAD, is_bearable},
    ports::{MediaBytes, MediaError},
};
use crate::clock::Clock;

/// Bounds that the bytes of a file must keep.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) most_bytes: u64,
    /// `None` if the network gave no hash.
    pub(crate) sha256: Option<Vec<u8>>,
}

/// Fails as soon as the file is too large, and at its end if it is empty or has another hash.
pub(crate) fn checked(bytes: MediaBytes, expected: Expected) -> MediaBytes {
    let check = Check { expected, hash: Sha256::new(), size: 0 };
    stream::unfold(Some((bytes, check)), |state| async move {
        let (mut bytes, mut check) = state?;
        match bytes.next().await {
            Some(Ok(chunk)) => match check.take(&chunk) {
                Ok(()) => Some((Ok(chunk), Some((bytes, check)))),
                Err(error) => Some((Err(error), None)),
            },
            Some(Err(error)) => Some((Err(error), None)),
            None => check.end().err().map(|error| (Err(error), None)),
        }
    })
    .boxed()
}

struct Check {
    expected: Expected,
    hash: Sha256,
    size: u64,
}

impl Check {
    fn take(&mut self, chunk: &[u8]) -> Result<(), MediaError> {
        self.size = self.size.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if self.size > self.expected.most_bytes {
            return Err(MediaError::Final(format!("it has more than {} bytes", self.expected.most_bytes)));
        }
        self.hash.update(chunk);
        Ok(())
    }

    fn end(self) -> Result<(), MediaError> {
        if self.size == 0 {
            return Err(MediaError::Passing("it is empty".to_owned()));
        }
        match self.expected.sha256 {
            Some(wanted) if self.hash.finalize().as_slice() != wanted => {
                Err(MediaError::Passing("its bytes do not hash to what the network says".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// Fails when `time_up` completes, or when an `idle` completes before anything arrives.
pub(crate) fn timed(
    bytes: MediaBytes,
    time_up: BoxFuture<'static, ()>,
    idle: impl Fn() -> BoxFuture<'static, ()> + Send + 'static,
) -> MediaBytes {
    stream::unfold(Some((bytes, time_up, idle)), |state| async move {
        let (mut bytes, mut time_up, idle) = state?;
        let item = match select(bytes.next(), select(&mut time_up, idle())).await {
            Either::Left((item, _)) => Some(item?),
            Either::Right(_) => None,
        };
        Some(match item {
            Some(item) => (item, Some((bytes, time_up, idle))),
            None => (Err(MediaError::Passing("it came too slowly".to_owned())), None),
        })
    })
    .boxed()
}

/// Reads the first `length` bytes of a file, and returns them with the whole of it. The first bytes may be
/// more, or fewer if the file is shorter.
pub(crate) async fn peek(bytes: MediaBytes, length: usize) -> Result<(Vec<u8>, MediaBytes), MediaError> {
    // The stream of a short file ends here and must not be polled again.
    let mut bytes = bytes.fuse();
    let (mut head, mut chunks) = (Vec::new(), Vec::<Result<Bytes, MediaError>>::new());
    while head.len() < length {
        let Some(chunk) = bytes.next().await.transpose()? else { break };
        head.extend_from_slice(chunk.get(..length).unwrap_or(&chunk));
        chunks.push(Ok(chunk));
    }
    Ok((head, stream::iter(chunks).chain(bytes).boxed()))
}

/// Judges a file by its first bytes, and a picture also by those that tell its size; `None` if the file is
/// empty. A picture too large to decode counts as plain bytes.
pub(crate) async fn judge(
    bytes: MediaBytes,
    by: impl Fn(&[u8]) -> ContentType,
) -> Result<Option<(ContentType, MediaBytes)>, MediaError> {
    let (head, bytes) = peek(bytes, HEAD).await?;
    if head.is_empty() {
        return Ok(None);
    }
    let content_type = by(&head);
    if !(content_type.is_shown() && content_type.as_str().starts_with("image/")) {
        return Ok(Some((content_type, bytes)));
    }
    let (head, bytes) = peek(bytes, PICTURE_HEAD).await?;
    let is_bearable = is_bearable(content_type.as_str(), &head);
    Ok(Some((if is_bearable { content_type } else { ContentType::bytes() }, bytes)))
}

/// Runs `work` until `time_up` completes; `None` if that comes first.
pub(crate) async fn within<T>(time_up: BoxFuture<'_, ()>, work: BoxFuture<'_, T>) -> Option<T> {
    match select(work, time_up).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Returns a future that sleeps for `time` on `clock`.
pub(crate) fn asleep(clock: &Arc<dyn Clock>, time: Duration) -> BoxFuture<'static, ()> {
    let clock = Arc::clone(clock);
    async move { clock.sleep(time).await }.boxed()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::{FutureExt, StreamExt, TryStreamExt, future, stream};
    use sha2::{Digest, Sha256};

    use super::{Expected, checked, peek, timed};
    use crate::attachments::ports::{MediaBytes, MediaError};

    fn bytes(chunks: &[&'static [u8]]) -> MediaBytes {
        let chunks: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk))).collect();
        stream::iter(chunks).boxed()
    }

    async fn outcome(
        chunks: &[&'static [u8]],
        most_bytes: u64,
        hash_of: Option<&[u8]>,
    ) -> Result<Vec<u8>, MediaError> {
        let sha256 = hash_of.map(|bytes| Sha256::digest(bytes).to_vec());
        let chunks: Vec<Bytes> =
            checked(bytes(chunks), Expected { most_bytes, sha256 }).try_collect().await?;
        Ok(chunks.concat())
    }

    #[pollster::test]
    async fn bytes_of_the_right_size_and_hash_pass_unchanged() {
        let wanted = Ok(b"abcd".to_vec());
        assert_eq!(outcome(&[b"ab", b"cd"], 4, None).await, wanted);
        assert_eq!(outcome(&[b"ab", b"cd"], 4, Some(b"abcd")).await, wanted);
    }

    #[pollster::test]
    async fn what_is_too_large_is_refused_for_good_and_what_is_damaged_for_now() {
        assert!(matches!(outcome(&[b"ab", b"cde"], 4, None).await, Err(MediaError::Final(_))));
        let short: &[&'static [u8]] = &[b"ab"];
        for (chunks, hash_of) in [(short, Some(b"abcd" as &[u8])), (&[], None), (&[b""], None)] {
            assert!(matches!(outcome(chunks, 4, hash_of).await, Err(MediaError::Passing(_))));
        }
    }

    #[pollster::test]
    async fn an_error_ends_the_bytes_even_when_those_before_it_were_whole() {
        let broken =
            stream::iter([Ok(Bytes::from_static(b"ab")), Err(MediaError::Passing("cut".to_owned()))]);
        let expected = Expected { most_bytes: 9, sha256: Some(Sha256::digest(b"ab").to_vec()) };
        let items: Vec<_> = checked(broken.boxed(), expected).collect().await;
        assert_eq!(items.len(), 2);
        assert_eq!(items[1], Err(MediaError::Passing("cut".to_owned())));
    }

    #[pollster::test]
    async fn bytes_that_stop_coming_fail_when_the_time_is_up_or_after_an_idle_while() {
        let never = || future::pending::<()>().boxed();
        let now = || future::ready(()).boxed();
        for (time_up, is_idle) in [(now(), false), (never(), true)] {
            let stuck = bytes(&[b"ab"]).chain(stream::pending()).boxed();
            let idle = move || if is_idle { now() } else { never() };
            let items: Vec<_> = timed(stuck, time_up, idle).collect().await;
            assert!(matches!(items.as_slice(), [.., Err(MediaError::Passing(_))]), "{items:?}");
        }
        let whole: Vec<_> = timed(bytes(&[b"ab", b"cd"]), never(), never).try_collect().await.unwrap();
        assert_eq!(whole.concat(), b"abcd");
    }

    #[pollster::test]
    async fn looking_at_the_first_bytes_takes_none_away() {
        for (length, wanted) in [(1, b"a" as &[u8]), (3, b"abc"), (9, b"abcd")] {
            let (head, all) = peek(bytes(&[b"a", b"bc", b"d"]), length).await.unwrap();
            assert!(head.starts_with(wanted), "{head:?}");
            assert_eq!(all.try_collect::<Vec<_>>().await.unwrap().concat(), b"abcd");
        }
    }
}
