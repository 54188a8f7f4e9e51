//! Lists that come in pages.

use secrecy::SecretString;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::GraphClient;
use crate::error::GraphError;

#[derive(Deserialize)]
struct Page<T> {
    data: Vec<T>,
    paging: Option<Paging>,
}

#[derive(Deserialize)]
struct Paging {
    cursors: Option<Cursors>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Cursors {
    after: Option<String>,
}

impl<T> Page<T> {
    /// Returns the items and the cursor of the next page. The last page has a cursor too, but no `next`;
    /// `next` itself holds the token and is not used.
    fn next(self) -> (Vec<T>, Option<String>) {
        let cursor = self.paging.filter(|paging| paging.next.is_some()).and_then(|paging| paging.cursors);
        (self.data, cursor.and_then(|cursors| cursors.after))
    }
}

impl GraphClient {
    /// Reads a whole list, page by page. `T = serde_json::Value` keeps one odd item from spoiling the rest.
    ///
    /// # Errors
    /// Also [`GraphError::Unknown`] when the pages lead nowhere.
    pub async fn get_all<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        token: &SecretString,
    ) -> Result<Vec<T>, GraphError> {
        let mut all = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = query.to_vec();
            query.extend(after.as_deref().map(|cursor| ("after", cursor)));
            let page: Page<T> = self.get(path, &query, token).await?;
            let (items, next) = page.next();
            all.extend(items);
            if next.is_none() {
                return Ok(all);
            }
            if next == after {
                return Err(GraphError::unknown("the pages of a list repeat"));
            }
            after = next;
        }
    }
}
