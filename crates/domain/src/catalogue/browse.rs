//! What a member looks up in the workspace's shop.

use std::sync::Arc;

use super::{
    MAX_SEARCH_LIMIT, ManageSynonyms, Product, ProductQuery,
    search::{Found, find},
};
use crate::{
    ids::WorkspaceId,
    systems::{ANSWERS_WITHIN, CallError, CallSystem, Currency, ExternalId, Route, SystemError},
    text::PlainText,
};

/// A question has at most so many characters.
pub const LONGEST_QUESTION: usize = 200;
/// A search answers with at most so many products.
pub const MOST_FOUND: usize = 20;

/// A search found these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundProducts {
    /// The best come first.
    pub products: Vec<Found>,
    /// Their prices are in it, where a product names no currency of its own.
    pub currency: Currency,
}

/// It looks products up.
#[derive(Clone)]
pub struct BrowseCatalogue {
    pub systems: CallSystem,
    /// It knows words for the same thing.
    pub synonyms: Arc<ManageSynonyms>,
}

impl BrowseCatalogue {
    /// Returns the [`MOST_FOUND`] products that answer best; weak matches are among them, and labelled.
    ///
    /// # Errors
    /// See [`SystemError`].
    pub async fn search(
        &self,
        workspace: WorkspaceId,
        asked: &PlainText,
    ) -> Result<FoundProducts, SystemError> {
        let system = &self.systems.open(workspace, ANSWERS_WITHIN).await?;
        system.may_call(Route::SearchProducts)?;
        let synonyms = self.synonyms.for_search(workspace).await?;
        let ask = |words: String| async move {
            // Words that show nothing find nothing.
            let Some(words) = PlainText::read(&words, LONGEST_QUESTION) else { return Ok(Vec::new()) };
            let query = ProductQuery { words, limit: MAX_SEARCH_LIMIT, category: None };
            system.search_products(&query).await
        };
        let mut products = find(asked.as_str(), &synonyms, ask).await?;
        products.truncate(MOST_FOUND);
        Ok(FoundProducts { products, currency: system.introduction().currency })
    }

    /// Returns one product, and what its prices are in where it names no currency of its own.
    ///
    /// # Errors
    /// See [`SystemError`]; [`CallError::NotFound`] where the shop has none with this id, or no shop can have it.
    pub async fn product(
        &self,
        workspace: WorkspaceId,
        id: &str,
    ) -> Result<(Product, Currency), SystemError> {
        let system = self.systems.open(workspace, ANSWERS_WITHIN).await?;
        system.may_call(Route::Product)?;
        let id = ExternalId::of_text(id).ok_or(CallError::NOT_FOUND)?;
        let product = system.product(&id).await?;
        Ok((product, system.introduction().currency))
    }
}

#[cfg(test)]
mod tests;
