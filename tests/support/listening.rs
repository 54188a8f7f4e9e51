//! A browser's stream of server-sent events.

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::time::timeout;

use super::Browser;

/// Long enough for a busy machine; reached only by a test that fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// One stream.
pub(crate) struct Listening {
    response: Response,
    read: String,
}

impl Listening {
    /// Begins to listen, after the event of this id.
    pub(crate) async fn new(browser: &Browser, heard: Option<&str>) -> Self {
        let mut request = browser.request(Method::GET, "/events");
        if let Some(heard) = heard {
            request = request.header("Last-Event-ID", heard);
        }
        Self::begun(request).await
    }

    /// The same by a script that begins its stream anew.
    pub(crate) async fn anew(browser: &Browser, heard: &str) -> Self {
        Self::begun(browser.request(Method::GET, &format!("/events?lastEventId={heard}"))).await
    }

    async fn begun(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, read: String::new() }
    }

    /// The next event: its id, name and data; `None` when the stream ends.
    pub(crate) async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            while let Some(end) = self.read.find("\n\n") {
                let block: String = self.read.drain(..end + 2).collect();
                if let Some(event) = parsed(&block) {
                    return Some(event);
                }
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await.expect("something in time");
            self.read.push_str(str::from_utf8(&chunk.ok().flatten()?).unwrap());
        }
    }
}

/// Parses a block; `None` for one without an event.
fn parsed(block: &str) -> Option<(String, String, Value)> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let data = serde_json::from_str(field("data")?).unwrap();
    Some((field("id").unwrap().to_owned(), field("event").unwrap().to_owned(), data))
}
