//! Looking up what documents say.

use std::sync::Arc;

use super::{document::PassageOf, ports::KnowledgeStore};
use crate::{
    catalogue::{
        ManageSynonyms,
        search::{Text, rank_texts},
    },
    errors::StoreError,
    ids::WorkspaceId,
    text::PlainText,
};

/// Most passages that answer a question.
const MOST_FOUND: usize = 4;

/// Use case that finds passages by what they say.
#[derive(Clone)]
pub struct LookUpKnowledge {
    pub store: Arc<dyn KnowledgeStore>,
    pub synonyms: Arc<ManageSynonyms>,
}

impl LookUpKnowledge {
    /// Returns the passages that answer a question, best first; none where nothing comes near enough to be
    /// told as an answer.
    pub async fn run(&self, workspace: WorkspaceId, asked: &PlainText) -> Result<Vec<PassageOf>, StoreError> {
        let synonyms = self.synonyms.for_search(workspace).await?;
        let passages = self.store.passages(workspace).await?;
        let heads: Vec<String> =
            passages.iter().map(|it| format!("{} {}", it.title, it.passage.heading)).collect();
        let texts = passages.iter().zip(&heads);
        let texts: Vec<Text<'_>> =
            texts.map(|(it, head)| Text { head, lines: &it.passage.sentences }).collect();
        let mut ranked = rank_texts(asked.as_str(), &texts, &synonyms);
        ranked.truncate(MOST_FOUND);
        let mut passages: Vec<Option<PassageOf>> = passages.into_iter().map(Some).collect();
        let take = |at: usize| passages.get_mut(at).and_then(Option::take);
        Ok(ranked.into_iter().filter_map(take).collect())
    }
}
