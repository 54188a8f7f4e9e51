//! What tests of other parts need of rehearsals.

use std::sync::Arc;

use super::{
    ManageRehearsals,
    ports::{MockRehearsalStore, MockTestQuestionStore},
};
use crate::{
    assistant::{
        AssistantSettings,
        ports::{MockAssistantStore, MockTurnLog},
    },
    knowledge::ports::MockKnowledgeStore,
    testing::some_deps,
    workspaces::ports::MockWorkspaceStore,
};

/// Makes the use case of a workspace whose owner has written no questions.
pub(crate) fn without_questions() -> ManageRehearsals {
    let (mut settings, mut questions) = (MockAssistantStore::new(), MockTestQuestionStore::new());
    settings.expect_settings().returning(|_| Ok(Some(AssistantSettings::default())));
    questions.expect_questions().returning(|_| Ok(Vec::new()));
    let mut knowledge = MockKnowledgeStore::new();
    knowledge.expect_documents().returning(|_| Ok(Vec::new()));
    ManageRehearsals {
        store: Arc::new(MockRehearsalStore::new()),
        questions: Arc::new(questions),
        settings: Arc::new(settings),
        knowledge: Arc::new(knowledge),
        turns: Arc::new(MockTurnLog::new()),
        workspaces: Arc::new(MockWorkspaceStore::new()),
        model: None,
        deps: some_deps(),
    }
}
