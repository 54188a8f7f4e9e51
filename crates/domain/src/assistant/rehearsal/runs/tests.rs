//! When a run is begun.

use std::sync::Arc;

use pollster::FutureExt as _;

use super::{ManageRehearsals, RehearsalError, is_cheap};
use crate::{
    assistant::{
        AssistantSettings, Cost, TokenUsage, UsageOfDay,
        ports::{MockAssistantStore, MockTurnLog},
        rehearsal::{
            AskedQuestion, Fingerprint, QuestionResult, Rehearsal, RehearsalState, TestQuestion,
            WrittenQuestion,
            ports::{MockRehearsalStore, MockTestQuestionStore},
        },
    },
    audit::Acting,
    ids::{RehearsalId, TestQuestionId},
    knowledge::ports::MockKnowledgeStore,
    testing::{SequentialIds, a_moment, a_workspace, some_deps},
    workspaces::{Plan, Workspace, ports::MockWorkspaceStore},
};

/// What a workspace is like when a run is to be begun.
#[derive(Clone)]
struct World {
    model: Option<&'static str>,
    paused: bool,
    questions: usize,
    tokens_today: u64,
    settings: AssistantSettings,
    /// Settings of the results and of a running run; `None` without either.
    asked_by: Option<AssistantSettings>,
    is_running: bool,
}

impl World {
    fn new() -> Self {
        Self {
            model: Some("model"),
            paused: false,
            questions: 2,
            tokens_today: 0,
            settings: AssistantSettings::default(),
            asked_by: None,
            is_running: false,
        }
    }

    fn fingerprint(&self) -> Option<Fingerprint> {
        self.asked_by.as_ref().map(|settings| Fingerprint::of(settings, &[], self.model))
    }

    fn questions(&self) -> Vec<AskedQuestion> {
        let ids = SequentialIds::default();
        let fingerprint = self.fingerprint().filter(|_| !self.is_running);
        let asked = |number: usize| AskedQuestion {
            question: TestQuestion {
                id: TestQuestionId::new(&ids),
                content: WrittenQuestion::of(format!("كم سعر {number}؟")),
                created_at: a_moment(),
                changed_at: a_moment(),
            },
            result: fingerprint.clone().map(|by| QuestionResult::interrupted(a_moment(), by)),
        };
        (0..self.questions).map(asked).collect()
    }

    fn running(&self) -> Vec<Rehearsal> {
        let run = self.fingerprint().filter(|_| self.is_running).map(|fingerprint| Rehearsal {
            id: RehearsalId::new(&SequentialIds::default()),
            member: None,
            state: RehearsalState::Running,
            fingerprint,
            total: 2,
            passed: 0,
            failed: 0,
            not_answered: 0,
            created_at: a_moment(),
            changed_at: a_moment(),
        });
        run.into_iter().collect()
    }

    /// Over a store that begins `times` runs.
    fn manage(&self, times: usize) -> ManageRehearsals {
        let mut store = MockRehearsalStore::new();
        let (running, is_running) = (self.running(), self.is_running);
        store.expect_rehearsals().returning(move |_| Ok(running.clone()));
        store.expect_begin().times(times).returning(move |_, _, _, replaces, _| Ok(replaces || !is_running));
        let mut questions = MockTestQuestionStore::new();
        let asked = self.questions();
        questions.expect_questions().returning(move |_| Ok(asked.clone()));
        let mut settings = MockAssistantStore::new();
        let kept = self.settings.clone();
        settings.expect_settings().returning(move |_| Ok(Some(kept.clone())));
        let mut turns = MockTurnLog::new();
        let read_tokens = self.tokens_today;
        turns.expect_usage().returning(move |_, day| {
            let usage = TokenUsage { read_tokens, written_tokens: 0 };
            Ok(vec![UsageOfDay { day, turns: 1, answered: 1, handed_over: 0, usage, cost: Cost::default() }])
        });
        let mut knowledge = MockKnowledgeStore::new();
        knowledge.expect_documents().returning(|_| Ok(Vec::new()));
        let mut workspaces = MockWorkspaceStore::new();
        let plan = Plan { paused: self.paused, ..a_workspace().plan };
        workspaces.expect_find().returning(move |_| Ok(Some(Workspace { plan, ..a_workspace() })));
        ManageRehearsals {
            store: Arc::new(store),
            questions: Arc::new(questions),
            settings: Arc::new(settings),
            knowledge: Arc::new(knowledge),
            turns: Arc::new(turns),
            workspaces: Arc::new(workspaces),
            model: self.model.map(str::to_owned),
            deps: some_deps(),
        }
    }
}

fn owner() -> Acting {
    Acting::operator(a_workspace().id)
}

#[test]
fn a_run_begins_where_it_can_and_says_why_it_does_not() {
    let new = World::new();
    let daily = new.settings.daily_tokens;
    for (world, refused) in [
        (new.clone(), None),
        (World { model: None, ..new.clone() }, Some("no language model")),
        (World { paused: true, ..new.clone() }, Some("paused")),
        (World { questions: 0, ..new.clone() }, Some("no questions")),
        (World { tokens_today: daily / 5 * 4, ..new.clone() }, Some("today's tokens")),
        (
            World { is_running: true, asked_by: Some(new.settings.clone()), ..new.clone() },
            Some("being asked already"),
        ),
    ] {
        let times = usize::from(refused.is_none() || world.is_running);
        let began = world.manage(times).begin(owner(), None).block_on();
        match (began, refused) {
            (Ok(run), None) => assert_eq!((run.total, run.state), (2, RehearsalState::Running)),
            (Err(error), Some(why)) => assert!(error.to_string().contains(why), "{error}"),
            (other, wanted) => panic!("{other:?} {wanted:?}"),
        }
    }
}

#[test]
fn one_question_can_be_asked_alone() {
    let world = World::new();
    let one = world.questions().first().map(|asked| asked.question.id);
    let run = world.manage(1).begin(owner(), one).block_on().unwrap();
    assert_eq!(run.total, 1);
    let ids = SequentialIds::default();
    let gone = std::iter::repeat_with(|| TestQuestionId::new(&ids)).nth(9);
    let refused = world.manage(0).begin(owner(), gone).block_on();
    assert!(matches!(refused, Err(RehearsalError::Unknown)), "{refused:?}");
}

#[test]
fn after_a_change_what_is_out_of_date_is_asked_again_where_that_is_cheap() {
    let new = World::new();
    let other = AssistantSettings { instructions: "other".to_owned(), ..AssistantSettings::default() };
    let off = AssistantSettings { rehearses_changes: false, ..AssistantSettings::default() };
    let daily = new.settings.daily_tokens;
    for (world, begins) in [
        (new.clone(), true),
        (World { asked_by: Some(other.clone()), ..new.clone() }, true),
        (World { asked_by: Some(new.settings.clone()), ..new.clone() }, false),
        (World { asked_by: Some(other), is_running: true, ..new.clone() }, true),
        (World { asked_by: Some(new.settings.clone()), is_running: true, ..new.clone() }, false),
        (World { settings: off, ..new.clone() }, false),
        (World { model: None, ..new.clone() }, false),
        (World { paused: true, ..new.clone() }, false),
        (World { questions: 0, ..new.clone() }, false),
        (World { questions: 81, ..new.clone() }, false),
        (World { tokens_today: daily / 2, ..new.clone() }, false),
    ] {
        world.manage(usize::from(begins)).after_change(owner()).block_on().unwrap();
    }
}

#[test]
fn what_nobody_asked_for_costs_a_tenth_of_a_day_at_most_and_leaves_half_of_it() {
    for (questions, tokens_today, is) in
        [(80, 0, true), (81, 0, false), (80, 999_999, true), (1, 1_000_000, false), (0, 0, true)]
    {
        assert_eq!(is_cheap(questions, tokens_today, 2_000_000), is, "{questions} {tokens_today}");
    }
}
