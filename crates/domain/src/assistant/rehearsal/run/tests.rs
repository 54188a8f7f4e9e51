//! What comes of the questions of a run.

use std::sync::{Arc, Mutex};

use pollster::FutureExt as _;

use super::{MOST_CLAIMS, RehearsalStep, RunRehearsals};
use crate::{
    assistant::{
        ANSWER, AssistantSettings, Cost, HandOverReason, ModelAnswer, ModelError, Models, TokenUsage,
        ToolCall, TryAssistant, TurnResult, UsageOfDay,
        ports::{MockAssistantStore, MockLanguageModel, MockTokenBudget, MockTools, MockTurnLog},
        rehearsal::{
            QuestionResult, RehearsalState, TestQuestion, Verdict, WrittenQuestion,
            ports::{ClaimedRehearsal, MockRehearsalStore},
        },
    },
    ids::{RehearsalId, TestQuestionId},
    knowledge::ports::MockKnowledgeStore,
    systems::{Capability, call::fixtures::calling, ports::MockCustomSystem},
    testing::{ManualClock, SequentialIds, a_moment, a_workspace},
    workspaces::{Plan, Workspace, ports::MockWorkspaceStore},
};

type Kept = Arc<Mutex<(Vec<QuestionResult>, Vec<RehearsalState>)>>;

#[expect(clippy::unnecessary_wraps, reason = "as a model answers")]
fn greets() -> Result<ModelAnswer, ModelError> {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: ANSWER.to_owned(),
        arguments: r#"{"acts":[{"act":"greet"}]}"#.to_owned(),
        state: None,
    };
    Ok(ModelAnswer { text: String::new(), calls: vec![call], usage: Some(TokenUsage::default()) })
}

fn claimed(text: Option<&str>, claims: u32, not_answered_in_row: u32) -> ClaimedRehearsal {
    let ids = SequentialIds::default();
    let question = text.map(|text| TestQuestion {
        id: TestQuestionId::new(&ids),
        content: WrittenQuestion::of(text),
        created_at: a_moment(),
        changed_at: a_moment(),
    });
    let id = RehearsalId::new(&ids);
    ClaimedRehearsal { id, question, claims, not_answered_in_row, lease_until: a_moment() }
}

/// A run of which this is claimed, by a model that answers so, in a workspace that has taken so many tokens.
fn run(
    claimed: Option<ClaimedRehearsal>,
    answer: Result<ModelAnswer, ModelError>,
    tokens_today: u64,
    paused: bool,
) -> (RunRehearsals, Kept) {
    let kept = Kept::default();
    let mut store = MockRehearsalStore::new();
    store.expect_claim().returning(move |_, _, _| Ok(claimed.clone()));
    store.expect_renew().returning(|_, _, _| Ok(true));
    let results = Arc::clone(&kept);
    store.expect_record().returning(move |_, _, result| {
        results.lock().unwrap().0.push(result.clone());
        Ok(())
    });
    let states = Arc::clone(&kept);
    store.expect_end().returning(move |_, _, state, _, _| {
        states.lock().unwrap().1.push(state);
        Ok(true)
    });
    let settings = || {
        let mut settings = MockAssistantStore::new();
        settings.expect_settings().returning(|_| Ok(Some(AssistantSettings::default())));
        Arc::new(settings)
    };
    let mut turns = MockTurnLog::new();
    turns.expect_usage().returning(move |_, day| {
        let usage = TokenUsage { read_tokens: tokens_today, written_tokens: 0 };
        Ok(vec![UsageOfDay { day, turns: 1, answered: 1, handed_over: 0, usage, cost: Cost::default() }])
    });
    let mut budget = MockTokenBudget::new();
    budget.expect_reserve().returning(|_, _, _, _| Ok(true));
    budget.expect_settle().returning(|_, _, _, _, _, _| Ok(()));
    let mut workspaces = MockWorkspaceStore::new();
    let plan = Plan { paused, ..a_workspace().plan };
    workspaces.expect_find().returning(move |_| Ok(Some(Workspace { plan, ..a_workspace() })));
    let mut model = MockLanguageModel::new();
    model.expect_answer().returning(move |_, _| answer.clone());
    let mut knowledge = MockKnowledgeStore::new();
    knowledge.expect_documents().returning(|_| Ok(Vec::new()));
    knowledge.expect_has_documents().returning(|_| Ok(false));
    let clock = Arc::new(ManualClock::at(a_moment()));
    let try_out = TryAssistant {
        settings: settings(),
        budget: Arc::new(budget),
        systems: calling([Capability::Catalog], MockCustomSystem::new()),
        workspaces: Arc::new(workspaces),
        knowledge: Arc::new(knowledge),
        model: Some(Models::only(Arc::new(model)).into()),
        tools: Arc::new(MockTools::new()),
        clock: clock.clone(),
        ids: Arc::new(SequentialIds::default()),
    };
    let run = RunRehearsals {
        store: Arc::new(store),
        settings: settings(),
        turns: Arc::new(turns),
        try_out,
        model: Some("model".to_owned()),
        clock,
    };
    (run, kept)
}

fn step(run: &RunRehearsals) -> RehearsalStep {
    run.step(a_workspace().id).block_on().unwrap()
}

#[test]
fn a_question_is_answered_as_a_customer_would_get_it_and_judged() {
    let (run, kept) = run(Some(claimed(Some("هلا"), 1, 0)), greets(), 0, false);
    assert_eq!(step(&run), RehearsalStep::WentOn);
    let kept = kept.lock().unwrap();
    let [result] = kept.0.as_slice() else { panic!("{:?}", kept.0) };
    assert_eq!((result.verdict, result.acts.as_slice()), (Verdict::Passed, &["greet".to_owned()][..]));
    assert!(!result.reply.is_empty() && kept.1.is_empty(), "{result:?}");
}

#[test]
fn a_run_ends_when_all_are_asked_and_where_the_rest_would_come_to_nothing() {
    let down = || Err(ModelError::NotReached);
    let daily = AssistantSettings::default().daily_tokens;
    let question = |in_row| Some(claimed(Some("كم السعر؟"), 1, in_row));
    for (claimed, answer, tokens, paused, results, state) in [
        (Some(claimed(None, 1, 0)), greets(), 0, false, 0, Some(RehearsalState::Finished)),
        (question(0), greets(), daily / 5 * 4, false, 0, Some(RehearsalState::TokensSpent)),
        (question(0), greets(), 0, true, 0, Some(RehearsalState::Paused)),
        (question(0), down(), 0, false, 1, None),
        (question(2), down(), 0, false, 1, Some(RehearsalState::Unavailable)),
        (question(2), greets(), 0, false, 1, None),
        (question(0), Err(ModelError::BudgetSpent), 0, false, 1, Some(RehearsalState::TokensSpent)),
        (None, greets(), 0, false, 0, None),
    ] {
        let is_claimed = claimed.is_some();
        let (run, kept) = run(claimed, answer, tokens, paused);
        let step = step(&run);
        let kept = kept.lock().unwrap();
        assert_eq!((kept.0.len(), kept.1.last().copied()), (results, state), "{step:?}");
        match step {
            RehearsalStep::Nothing => assert!(!is_claimed),
            RehearsalStep::WentOn => assert!(is_claimed && state.is_none()),
            RehearsalStep::Ended(_, ended) => assert_eq!(Some(ended), state),
        }
    }
}

#[test]
fn a_question_whose_processes_have_died_time_and_again_is_left_in_words() {
    let (run, kept) = run(Some(claimed(Some("كم السعر؟"), MOST_CLAIMS + 1, 0)), greets(), 0, false);
    assert_eq!(step(&run), RehearsalStep::WentOn);
    let kept = kept.lock().unwrap();
    let ended: Vec<_> = kept.0.iter().map(|result| (result.verdict, result.ended)).collect();
    assert_eq!(ended, [(Verdict::NotAnswered, TurnResult::Dropped)]);
}

#[test]
fn a_model_that_does_not_answer_in_time_says_nothing_of_the_assistant() {
    let (run, kept) = run(Some(claimed(Some("كم السعر؟"), 1, 0)), Err(ModelError::TimedOut), 0, false);
    step(&run);
    let kept = kept.lock().unwrap();
    let reasons: Vec<_> = kept.0.iter().map(QuestionResult::reason).collect();
    assert_eq!(reasons, [Some(HandOverReason::ModelTimedOut)]);
}
