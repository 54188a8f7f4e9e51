//! People's files: their addresses are public for a while, and need no token.

use async_trait::async_trait;
use domain::attachments::{
    MediaSource,
    ports::{Fetched, MediaError, MediaOrigin, NetworkMedia},
};
use futures_util::{StreamExt, stream};
use graph_client::{FileError, OpenFile};

use crate::PageNetwork;

#[async_trait]
impl NetworkMedia for PageNetwork {
    async fn fetch(&self, _: &MediaOrigin, source: &MediaSource) -> Result<Fetched, MediaError> {
        let (MediaSource::Url(url) | MediaSource::IdOrUrl { url, .. }) = source else {
            return Err(MediaError::Final("files have addresses here, not ids".to_owned()));
        };
        let file = self.graph.open_file(url, None).await.map_err(|error| of_file(&error))?;
        let content_type = file.content_type.clone();
        let next = |mut file: OpenFile| async move {
            Ok(file.chunk().await.map_err(|error| of_file(&error))?.map(|bytes| (bytes, file)))
        };
        Ok(Fetched { content_type, sha256: None, bytes: stream::try_unfold(file, next).boxed() })
    }
}

fn of_file(error: &FileError) -> MediaError {
    match error {
        FileError::Elsewhere | FileError::Gone(_) => MediaError::Final(error.to_string()),
        FileError::Unavailable(_) => MediaError::Passing(error.to_string()),
    }
}
