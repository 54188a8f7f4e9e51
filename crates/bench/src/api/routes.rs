//! The reads that are measured.

use std::{net::SocketAddr, sync::Arc};

use anyhow::Context;
use serde_json::Value;
use uuid::Uuid;

use super::{
    names::{RARE, common, two_letters_in_a_fifth},
    seed::Samples,
};
use crate::load::{Connection, Keys};

/// Rows per page while walking through a list.
const WALKED_PAGE: usize = 100;
/// Upper bound of a read's p99 in milliseconds, with 10 requests in flight.
const READ: f64 = 5.0;
/// Upper bound of a search's p99 in milliseconds, with 10 requests in flight.
const SEARCH: f64 = 10.0;
/// Number of deep pages requested in turn.
const PLACES: usize = 64;

/// A read and its requests.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) name: &'static str,
    pub(super) paths: Vec<String>,
    /// Upper bound of the p99 in milliseconds, with 10 requests in flight.
    pub(super) p99: f64,
    /// Whether its throughput is judged against the reference's.
    pub(super) throughput: bool,
    /// Whether it must cost the same in a smaller workspace.
    pub(super) same: bool,
}

impl Route {
    fn new(name: &'static str, paths: Vec<String>) -> Self {
        Self { name, paths, p99: READ, throughput: true, same: true }
    }

    fn search(name: &'static str, paths: Vec<String>) -> Self {
        Self { p99: SEARCH, ..Self::new(name, paths) }
    }
}

/// Names of a list's first page and of the deep page that must cost the same.
pub(super) const DEPTHS: [(&str, &str); 3] = [
    ("contacts", "contacts, page 10,000"),
    ("conversations", "conversations, page 10,000"),
    ("messages of the longest conversation", "messages of the longest conversation, page 10,000"),
];

/// The service's address and the API keys to call it with.
pub(super) struct Caller {
    pub(super) address: SocketAddr,
    pub(super) keys: Arc<Keys>,
}

/// Lists the reads of a workspace; the deep pages are `rows` deep.
pub(super) async fn of_workspace(
    caller: &Caller,
    samples: &Samples,
    rows: usize,
) -> anyhow::Result<Vec<Route>> {
    let (two_letters, _) = two_letters_in_a_fifth(&common());
    let search = |part: &str| vec![format!("/v1/contacts?search={}", encoded(part))];
    let of = |before: &str, ids: &[Uuid], after: &str| -> Vec<String> {
        ids.iter().map(|id| format!("{before}{id}{after}")).collect()
    };
    let longest = format!("/v1/conversations/{}/messages", samples.longest);
    let phones = samples.phones.iter().map(|phone| format!("/v1/contacts?phone={}", encoded(phone)));
    let since = "/v1/conversations?since=2026-05-01T00:00:00Z";
    let [contacts, conversations, messages] = DEPTHS;
    Ok(vec![
        Route { throughput: false, ..Route::new("me", vec!["/v1/me".to_owned()]) },
        Route::new("contact by id", of("/v1/contacts/", &samples.contacts, "")),
        Route::new("contacts by phone", phones.collect()),
        Route::new(contacts.0, vec!["/v1/contacts".to_owned()]),
        Route::new(contacts.1, caller.deep("/v1/contacts", rows).await?),
        Route::search("contacts, search for a rare part", search(RARE.1)),
        Route { same: false, ..Route::search("contacts, search for two letters", search(&two_letters)) },
        Route::new("conversation by id", of("/v1/conversations/", &samples.conversations, "")),
        Route::new(conversations.0, vec!["/v1/conversations".to_owned()]),
        Route::new(conversations.1, caller.deep("/v1/conversations", rows).await?),
        Route::new("conversations that are open", vec!["/v1/conversations?status=open".to_owned()]),
        Route::new("conversations of a group", of("/v1/conversations?groupId=", &samples.groups, "")),
        Route::new(
            "open conversations of a group",
            of("/v1/conversations?status=open&groupId=", &samples.groups, ""),
        ),
        Route::new("conversations of a contact", of("/v1/conversations?contactId=", &samples.contacts, "")),
        Route::new("conversations since a day", vec![since.to_owned()]),
        Route::new("messages", of("/v1/conversations/", &samples.conversations, "/messages")),
        Route::new(messages.0, vec![longest.clone()]),
        Route::new(messages.1, caller.deep(&longest, rows).await?),
        // The other workspace's account has fewer templates.
        Route { same: false, ..Route::new("templates", vec!["/v1/templates".to_owned()]) },
    ])
}

impl Caller {
    /// Walks `rows` deep into a list, as every caller must, since cursors are signed; returns the pages that
    /// follow.
    async fn deep(&self, list: &str, rows: usize) -> anyhow::Result<Vec<String>> {
        let mut connection = Connection::open(self.address).await?;
        let mut key = self.keys.take();
        let mut path = format!("{list}?limit={WALKED_PAGE}");
        let mut pages = Vec::new();
        for page in 1.. {
            let answer = get(&mut connection, &path, key.next()).await?;
            let Some(cursor) = answer.get("nextCursor").context("a list without `nextCursor`")?.as_str()
            else {
                break;
            };
            path = format!("{list}?limit={WALKED_PAGE}&cursor={}", encoded(cursor));
            if page * WALKED_PAGE >= rows {
                pages.push(format!("{list}?cursor={}", encoded(cursor)));
            }
            if pages.len() == PLACES {
                break;
            }
        }
        if pages.is_empty() {
            anyhow::bail!("{list} ends before row {rows}");
        }
        Ok(pages)
    }
}

/// Requests a JSON answer; fails on any status but 200.
pub(super) async fn get(connection: &mut Connection, path: &str, key: &str) -> anyhow::Result<Value> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n");
    let answer = connection.ask(request.as_bytes()).await?;
    if answer.status != 200 {
        let text = String::from_utf8_lossy(answer.body);
        anyhow::bail!("`{path}` was answered with {}: {text}", answer.status);
    }
    serde_json::from_slice(answer.body).with_context(|| format!("`{path}` was not answered with JSON"))
}

/// Percent-encodes a value of a query (RFC 3986: everything but unreserved characters).
fn encoded(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn whatever_has_a_meaning_in_an_address_is_encoded() {
        assert_eq!(encoded("+964 ع&a=1~"), "%2B964%20%D8%B9%26a%3D1~");
    }
}
