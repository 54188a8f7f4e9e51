//! Adding, changing and removing questions.

use std::sync::Arc;

use super::{
    ports::TestQuestionStore,
    question::{MOST_QUESTIONS, QuestionRule, TestQuestion, WrittenQuestion, folded},
    state::AskedQuestion,
};
use crate::{
    audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::StoreError,
    ids::{TestQuestionId, WorkspaceId},
};

/// Reason a question was not written.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    #[error(transparent)]
    Invalid(#[from] QuestionRule),
    /// Another question has the text, however it is spelled.
    #[error("`text`: another question says the same")]
    Taken,
    #[error("a workspace has at most {MOST_QUESTIONS} questions")]
    TooMany,
    #[error("there is no such question")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that lists and changes an owner's questions.
pub struct ManageQuestions {
    pub store: Arc<dyn TestQuestionStore>,
    pub deps: Deps,
}

impl ManageQuestions {
    /// Lists the questions with their last results, oldest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<AskedQuestion>, StoreError> {
        self.store.questions(workspace).await
    }

    /// Adds questions, all or none.
    pub async fn add(
        &self,
        acting: Acting,
        written: Vec<WrittenQuestion>,
    ) -> Result<Vec<TestQuestion>, QuestionError> {
        let read = written.into_iter().map(WrittenQuestion::read).collect::<Result<Vec<_>, _>>()?;
        let known = self.store.questions(acting.workspace).await?;
        let mut texts: Vec<_> = known.iter().map(|asked| folded(&asked.question.content.text)).collect();
        let now = self.deps.clock.now();
        let mut questions = Vec::new();
        for content in read {
            let text = folded(&content.text);
            if texts.contains(&text) {
                return Err(QuestionError::Taken);
            }
            texts.push(text);
            let id = TestQuestionId::new(&*self.deps.ids);
            questions.push(TestQuestion { id, content, created_at: now, changed_at: now });
        }
        let entry = self.entry(acting, "added", questions.len());
        if self.store.add(acting.workspace, &questions, MOST_QUESTIONS, &entry).await? {
            Ok(questions)
        } else {
            Err(QuestionError::TooMany)
        }
    }

    /// Replaces a question; its result is forgotten.
    pub async fn change(
        &self,
        acting: Acting,
        id: TestQuestionId,
        written: WrittenQuestion,
    ) -> Result<TestQuestion, QuestionError> {
        let content = written.read()?;
        let known = self.store.questions(acting.workspace).await?;
        let text = folded(&content.text);
        let (mut own, others): (Vec<_>, Vec<_>) =
            known.into_iter().map(|asked| asked.question).partition(|question| question.id == id);
        if others.iter().any(|other| folded(&other.content.text) == text) {
            return Err(QuestionError::Taken);
        }
        let TestQuestion { created_at, .. } = own.pop().ok_or(QuestionError::Unknown)?;
        let question = TestQuestion { id, content, created_at, changed_at: self.deps.clock.now() };
        let entry = self.entry(acting, "changed", 1).to(id);
        if self.store.change(acting.workspace, &question, &entry).await? {
            Ok(question)
        } else {
            Err(QuestionError::Unknown)
        }
    }

    /// Removes a question.
    pub async fn remove(&self, acting: Acting, id: TestQuestionId) -> Result<(), QuestionError> {
        let entry = self.entry(acting, "removed", 1).to(id);
        if self.store.remove(acting.workspace, id, &entry).await? {
            Ok(())
        } else {
            Err(QuestionError::Unknown)
        }
    }

    /// Makes the entry of a change, without the questions, which may be customers' words.
    fn entry(&self, acting: Acting, what: &str, count: usize) -> AuditEntry {
        acting
            .does(Action::TestQuestionsChanged, self.deps.clock.now(), &*self.deps.ids)
            .with("what", what)
            .with("questions", u64::try_from(count).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::FutureExt as _;

    use super::{ManageQuestions, QuestionError, QuestionRule, TestQuestion, WrittenQuestion};
    use crate::{
        assistant::rehearsal::{AskedQuestion, ports::MockTestQuestionStore},
        audit::Acting,
        ids::TestQuestionId,
        testing::{SequentialIds, a_moment, a_workspace, some_deps},
    };

    fn known(ids: &SequentialIds, text: &str) -> AskedQuestion {
        let question = TestQuestion {
            id: TestQuestionId::new(ids),
            content: WrittenQuestion::of(text),
            created_at: a_moment(),
            changed_at: a_moment(),
        };
        AskedQuestion { question, result: None }
    }

    fn over(store: MockTestQuestionStore) -> ManageQuestions {
        ManageQuestions { store: Arc::new(store), deps: some_deps() }
    }

    #[test]
    fn several_are_added_at_once_all_or_none() {
        let acting = Acting::operator(a_workspace().id);
        for (texts, wanted) in [
            (&["كم السعر؟", "وين صرتوا؟"][..], "added"),
            (&["كم السعر؟", " "], "invalid"),
            (&["شكد التوصيل؟"], "taken"),
            (&["كم السعر؟", "كم السّعر؟"], "taken"),
        ] {
            let mut store = MockTestQuestionStore::new();
            let ids = SequentialIds::default();
            store.expect_questions().returning(move |_| Ok(vec![known(&ids, "شكد التوصيل؟")]));
            store.expect_add().times(usize::from(wanted == "added")).returning(|_, _, _, _| Ok(true));
            let written = texts.iter().copied().map(WrittenQuestion::of).collect();
            let came = match over(store).add(acting, written).block_on() {
                Ok(added) => {
                    assert_eq!(added.len(), texts.len());
                    "added"
                }
                Err(QuestionError::Invalid(QuestionRule::Text)) => "invalid",
                Err(QuestionError::Taken) => "taken",
                Err(other) => panic!("{other}"),
            };
            assert_eq!(came, wanted, "{texts:?}");
        }
        let mut full = MockTestQuestionStore::new();
        full.expect_questions().returning(|_| Ok(vec![]));
        full.expect_add().returning(|_, _, _, _| Ok(false));
        let refused = over(full).add(acting, vec![WrittenQuestion::of("كم السعر؟")]).block_on();
        assert!(matches!(refused, Err(QuestionError::TooMany)), "{refused:?}");
    }

    #[test]
    fn a_question_is_changed_to_no_other_s_and_only_while_it_is_there() {
        let acting = Acting::operator(a_workspace().id);
        let ids = SequentialIds::default();
        let (one, other) = (known(&ids, "كم السعر؟"), known(&ids, "وين صرتوا؟"));
        let gone = TestQuestionId::new(&ids);
        for (id, text, is_changed) in [
            (one.question.id, "كم السعر اليوم؟", true),
            (one.question.id, "كم السّعر؟", true),
            (one.question.id, "وين صرتوا؟", false),
            (gone, "شكد التوصيل؟", false),
        ] {
            let mut store = MockTestQuestionStore::new();
            let both = vec![one.clone(), other.clone()];
            store.expect_questions().returning(move |_| Ok(both.clone()));
            store.expect_change().times(usize::from(is_changed)).returning(|_, _, _| Ok(true));
            let changed = over(store).change(acting, id, WrittenQuestion::of(text)).block_on();
            assert_eq!(changed.is_ok(), is_changed, "{text}");
        }
    }
}
