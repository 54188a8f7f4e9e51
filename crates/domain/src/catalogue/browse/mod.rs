//! Look-ups of members in the workspace's shop.

use std::sync::Arc;

use super::{
    manage_synonyms::ManageSynonyms,
    search::{Found, find},
};
use crate::{
    currency::Currency,
    external_id::ExternalId,
    ids::WorkspaceId,
    systems::{
        ANSWERS_WITHIN, CallError, CallSystem, MAX_SEARCH_LIMIT, Product, ProductQuery, Route, SystemError,
    },
    text::PlainText,
};

/// Most characters of a question.
pub const LONGEST_QUESTION: usize = 200;
/// Most products in an answer.
pub const MOST_FOUND: usize = 20;

/// Products that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundProducts {
    /// Best first.
    pub products: Vec<Found>,
    /// Currency of the products that name none.
    pub currency: Currency,
}

/// Use case that looks up products.
#[derive(Clone)]
pub struct BrowseCatalogue {
    pub systems: CallSystem,
    pub synonyms: Arc<ManageSynonyms>,
}

impl BrowseCatalogue {
    /// Returns the [`MOST_FOUND`] products that answer best; weak matches are among them, and labelled.
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

    /// Returns a product, and the currency of its prices if it names none.
    ///
    /// # Errors
    /// [`CallError::NotFound`] if the shop has no product of this id, or no shop can have such an id.
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
