//! A file that is a request's whole body, streamed.

use bytes::Bytes;
use futures_util::Stream;
use reqwest::Body;

/// A file to be uploaded as a request's whole body.
pub struct RawFile {
    pub(crate) content_type: &'static str,
    pub(crate) size: u64,
    pub(crate) bytes: Body,
}

impl RawFile {
    /// Makes a file of `size` bytes.
    pub fn new<E: Into<Box<dyn std::error::Error + Send + Sync>> + 'static>(
        content_type: &'static str,
        size: u64,
        bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> Self {
        Self { content_type, size, bytes: Body::wrap_stream(bytes) }
    }
}
