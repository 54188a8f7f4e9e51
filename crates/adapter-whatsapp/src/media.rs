//! People's files, in two hops (docs/run/networks.md, "Files that people send"): the id gives an address that
//! is valid for minutes, and the address gives the bytes to the holder of the token.

use async_trait::async_trait;
use domain::attachments::{
    MediaSource,
    ports::{Fetched, MediaError, MediaOrigin, NetworkMedia},
};
use futures_util::{StreamExt, stream};
use graph_client::{FileError, GraphError, OpenFile};
use serde_json::Value;

use crate::{WhatsAppNetwork, hash};

#[async_trait]
impl NetworkMedia for WhatsAppNetwork {
    async fn fetch(&self, origin: &MediaOrigin, source: &MediaSource) -> Result<Fetched, MediaError> {
        match source {
            MediaSource::Id(id) => self.by_id(origin, id).await,
            MediaSource::Url(url) => self.at(origin, url).await,
            MediaSource::IdOrUrl { id, url } => {
                let by_id = match self.by_id(origin, id).await {
                    Ok(fetched) => return Ok(fetched),
                    Err(error) => error,
                };
                // The failure that may pass decides whether another try is worth it.
                let both = |at_url: MediaError| if at_url.may_pass() { at_url } else { by_id };
                self.at(origin, url).await.map_err(both)
            }
        }
    }
}

impl WhatsAppNetwork {
    async fn at(&self, origin: &MediaOrigin, url: &str) -> Result<Fetched, MediaError> {
        let file = self.graph.open_file(url, Some(&origin.token)).await.map_err(|error| of_file(&error))?;
        Ok(fetched(file, None, None))
    }

    async fn by_id(&self, origin: &MediaOrigin, id: &str) -> Result<Fetched, MediaError> {
        match self.located(origin, id).await? {
            // The address had just expired: a new one has not.
            Err(FileError::Gone(_)) => self.located(origin, id).await?.map_err(|error| of_file(&error)),
            other => other.map_err(|error| of_file(&error)),
        }
    }

    /// Makes both hops.
    async fn located(
        &self,
        origin: &MediaOrigin,
        id: &str,
    ) -> Result<Result<Fetched, FileError>, MediaError> {
        let query = [("phone_number_id", origin.channel_network_id.as_str())];
        let found: Value =
            self.graph.get(id, &query, &origin.token).await.map_err(|error| of_question(&error))?;
        let text = |name: &str| found.get(name).and_then(Value::as_str);
        let url = text("url").ok_or_else(|| MediaError::Passing("the answer names no address".to_owned()))?;
        let file = self.graph.open_file(url, Some(&origin.token)).await;
        let (said, sha256) = (text("mime_type").map(str::to_owned), text("sha256").and_then(hash::read));
        Ok(file.map(|file| fetched(file, said, sha256)))
    }
}

/// Combines a file with its metadata: the network's content type goes before its host's.
fn fetched(file: OpenFile, said: Option<String>, sha256: Option<Vec<u8>>) -> Fetched {
    let content_type = said.or_else(|| file.content_type.clone());
    let next = |mut file: OpenFile| async move {
        Ok(file.chunk().await.map_err(|error| of_file(&error))?.map(|bytes| (bytes, file)))
    };
    Fetched { content_type, sha256, bytes: stream::try_unfold(file, next).boxed() }
}

fn of_file(error: &FileError) -> MediaError {
    match error {
        FileError::Elsewhere | FileError::Gone(_) => MediaError::Final(error.to_string()),
        FileError::Unavailable(_) => MediaError::Passing(error.to_string()),
    }
}

/// Translates a failed question: only an id that does not exist (any more) is final, since a token may be
/// repaired.
fn of_question(error: &GraphError) -> MediaError {
    match error {
        GraphError::Refused(refusal) if refusal.code == 100 => {
            MediaError::Final("the network has no such file".to_owned())
        }
        other => MediaError::Passing(other.to_string()),
    }
}
