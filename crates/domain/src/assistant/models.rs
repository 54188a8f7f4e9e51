//! Models that answer for a workspace: one, and a fallback for when it fails.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    budget::MeteredModel,
    cost::{DayLimit, ModelPrice},
    model::{ModelAnswer, ModelError, ModelRequest},
    ports::{LanguageModel, TokenBudget},
};
use crate::{clock::Clock, ids::WorkspaceId};

/// Longest wait for the first model if there is a fallback, which needs what is left of the turn.
const FIRST_WITHIN: Duration = Duration::from_secs(20);

/// Longest pause that a server may ask for: a customer waits meanwhile.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Pause before a server is asked again that asks for one without saying how long.
const PAUSE: Duration = Duration::from_secs(1);

/// A model, and its fallback.
#[derive(Clone)]
pub struct Models {
    pub first: Arc<dyn LanguageModel>,
    pub fallback: Option<Arc<dyn LanguageModel>>,
    pub prices: Prices,
    /// Whether the first reads pictures; the fallback is shown none.
    pub reads_pictures: bool,
}

/// Prices of models, in one currency; `None` of one that has none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prices {
    pub first: Option<ModelPrice>,
    pub fallback: Option<ModelPrice>,
}

impl Models {
    /// Creates one without a fallback.
    pub fn only(model: Arc<dyn LanguageModel>) -> Self {
        Self { first: model, fallback: None, prices: Prices::default(), reads_pictures: false }
    }

    /// Returns the same models, each of which reserves tokens and money of the workspace's day before it is
    /// asked.
    pub fn metered(
        self,
        workspace: WorkspaceId,
        limit: DayLimit,
        budget: &Arc<dyn TokenBudget>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        let metered = |model, price| -> Arc<dyn LanguageModel> {
            Arc::new(MeteredModel {
                model,
                budget: Arc::clone(budget),
                clock: Arc::clone(clock),
                workspace,
                limit,
                price,
            })
        };
        let Self { first, fallback, prices, reads_pictures } = self;
        let fallback = fallback.map(|model| metered(model, prices.fallback));
        Self { first: metered(first, prices.first), fallback, prices, reads_pictures }
    }

    /// Asks the first model, once more if it was not reached or the connection broke, and then the fallback.
    /// Without a fallback, the first is asked once more after any failure that may pass by itself. All of it
    /// ends by `deadline`.
    ///
    /// # Errors
    /// The error of the model that was asked last. If the day's tokens are spent or cannot be counted, no
    /// other is asked.
    pub async fn answer(
        &self,
        request: &ModelRequest,
        clock: &dyn Clock,
        deadline: OffsetDateTime,
    ) -> Result<ModelAnswer, ModelError> {
        let left = || Duration::try_from(deadline - clock.now()).ok().filter(|left| !left.is_zero());
        let for_first = || match &self.fallback {
            Some(_) => left().map(|left| left.min(FIRST_WITHIN)),
            None => left(),
        };
        let mut answer = Err(ModelError::TimedOut);
        if let Some(within) = for_first() {
            answer = self.first.answer(request, within).await;
        }
        let pause = answer.as_ref().err().and_then(|error| self.pause_before_retry(error));
        if let Some(pause) = pause.filter(|pause| left().is_some_and(|left| *pause < left)) {
            if !pause.is_zero() {
                clock.sleep(pause).await;
            }
            if let Some(within) = for_first() {
                answer = self.first.answer(request, within).await;
            }
        }
        if answer.as_ref().is_err_and(ModelError::another_may_answer)
            && let (Some(fallback), Some(within)) = (&self.fallback, left())
        {
            answer = fallback.answer(request, within).await;
        }
        answer
    }

    /// Returns the pause before the first model is asked once more; `None` if it is not: a fallback is asked
    /// at once, and a refusal that will not pass by itself stays one.
    fn pause_before_retry(&self, error: &ModelError) -> Option<Duration> {
        let is_alone = self.fallback.is_none();
        match error {
            ModelError::NotReached | ModelError::Broken => Some(Duration::ZERO),
            ModelError::Unusable(_) | ModelError::Refused { status: 500.. } if is_alone => {
                Some(Duration::ZERO)
            }
            ModelError::SlowDown { retry_after } if is_alone => {
                Some(retry_after.unwrap_or(PAUSE)).filter(|pause| *pause <= LONGEST_PAUSE)
            }
            ModelError::TimedOut
            | ModelError::Unusable(_)
            | ModelError::Refused { .. }
            | ModelError::SlowDown { .. }
            | ModelError::KeyRefused
            | ModelError::BudgetSpent
            | ModelError::NotCounted => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use pollster::FutureExt;
    use uuid::Uuid;

    use super::{DayLimit, Duration, FIRST_WITHIN, ModelAnswer, ModelError, ModelRequest, Models, Prices};
    use crate::{
        assistant::{
            TokenUsage,
            ports::{LanguageModel, MockLanguageModel, MockTokenBudget, TokenBudget},
        },
        clock::{Clock, MockClock},
        testing::{ManualClock, a_moment},
    };

    const TURN: Duration = Duration::from_secs(45);
    const LIMIT: DayLimit = DayLimit { tokens: 1_000, cost: None };

    type Answer = Result<ModelAnswer, ModelError>;
    type Asked = Arc<Mutex<Vec<(&'static str, Duration)>>>;

    #[expect(clippy::unnecessary_wraps, reason = "beside failures")]
    fn words(text: &str) -> Answer {
        let usage = TokenUsage { read_tokens: 10, written_tokens: 2 };
        Ok(ModelAnswer { text: text.to_owned(), calls: vec![], usage: Some(usage) })
    }

    fn request() -> ModelRequest {
        ModelRequest { instructions: String::new(), said: vec![], tools: vec![], longest_answer: 10 }
    }

    fn model(
        name: &'static str,
        answer: Answer,
        takes: Duration,
        clock: &Arc<ManualClock>,
        asked: &Asked,
    ) -> Arc<dyn LanguageModel> {
        let (clock, asked) = (Arc::clone(clock), Arc::clone(asked));
        let mut model = MockLanguageModel::new();
        model.expect_answer().returning(move |_, within| {
            asked.lock().unwrap().push((name, within));
            clock.advance(takes.min(within));
            answer.clone()
        });
        Arc::new(model)
    }

    /// Returns the answer of two models that take `takes` each, and which were asked.
    fn asked(first: Answer, second: Answer, takes: Duration) -> (Answer, Vec<(&'static str, Duration)>) {
        let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
        let models = Models {
            first: model("first", first, takes, &clock, &asked),
            fallback: Some(model("second", second, takes, &clock, &asked)),
            prices: Prices::default(),
            reads_pictures: false,
        };
        let answer = models.answer(&request(), &*clock, a_moment() + TURN).block_on();
        let asked = asked.lock().unwrap().clone();
        (answer, asked)
    }

    #[test]
    fn another_is_asked_where_the_first_fails_and_was_asked_again_where_it_was_not_reached() {
        for (error, wanted) in [
            (ModelError::NotReached, vec!["first", "first", "second"]),
            (ModelError::Broken, vec!["first", "first", "second"]),
            (ModelError::TimedOut, vec!["first", "second"]),
            (ModelError::SlowDown { retry_after: None }, vec!["first", "second"]),
            (ModelError::Refused { status: 500 }, vec!["first", "second"]),
            (ModelError::KeyRefused, vec!["first", "second"]),
            (ModelError::Unusable("it was declined"), vec!["first", "second"]),
        ] {
            let (answer, asked) = asked(Err(error.clone()), words("هلا"), Duration::ZERO);
            assert_eq!(answer, words("هلا"), "{error:?}");
            assert_eq!(asked.iter().map(|(name, _)| *name).collect::<Vec<_>>(), wanted, "{error:?}");
        }
    }

    #[test]
    fn one_alone_is_asked_once_more_where_its_failure_may_pass_by_itself() {
        let slow =
            |seconds: Option<u64>| ModelError::SlowDown { retry_after: seconds.map(Duration::from_secs) };
        for (error, times, waited) in [
            (ModelError::NotReached, 2, 0),
            (ModelError::Broken, 2, 0),
            (ModelError::Unusable("it has no choice"), 2, 0),
            (ModelError::Refused { status: 500 }, 2, 0),
            (ModelError::Refused { status: 529 }, 2, 0),
            (slow(Some(3)), 2, 3),
            (slow(None), 2, 1),
            (slow(Some(60)), 1, 0),
            (ModelError::Refused { status: 400 }, 1, 0),
            (ModelError::KeyRefused, 1, 0),
            (ModelError::TimedOut, 1, 0),
            (ModelError::BudgetSpent, 1, 0),
        ] {
            let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
            let (mut waiting, shown, passed) = (MockClock::new(), Arc::clone(&clock), Arc::clone(&clock));
            waiting.expect_now().returning(move || shown.now());
            waiting.expect_sleep().returning(move |pause| passed.advance(pause));
            let alone = Models::only(model("first", Err(error.clone()), Duration::ZERO, &clock, &asked));
            let answer = alone.answer(&request(), &waiting, a_moment() + TURN).block_on();
            assert_eq!((answer, asked.lock().unwrap().len()), (Err(error.clone()), times), "{error:?}");
            assert_eq!(clock.now() - a_moment(), Duration::from_secs(waited), "{error:?}");
        }
    }

    #[test]
    fn nobody_waits_for_a_server_longer_than_the_turn_may_take() {
        let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
        let error = ModelError::SlowDown { retry_after: Some(Duration::from_secs(5)) };
        let alone = Models::only(model("first", Err(error.clone()), Duration::ZERO, &clock, &asked));
        let soon = a_moment() + Duration::from_secs(5);
        assert_eq!(alone.answer(&request(), &*clock, soon).block_on(), Err(error));
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[test]
    fn nobody_else_is_asked_where_the_first_answers_or_the_day_is_spent() {
        for first in [words("هلا"), Err(ModelError::BudgetSpent), Err(ModelError::NotCounted)] {
            let (answer, asked) = asked(first.clone(), words("?"), Duration::ZERO);
            assert_eq!((answer, asked.len()), (first, 1));
        }
    }

    #[test]
    fn who_hangs_leaves_the_other_its_time_and_both_together_have_no_more_than_the_turn() {
        let (answer, asked) = asked(Err(ModelError::TimedOut), Err(ModelError::TimedOut), TURN);
        assert_eq!(answer, Err(ModelError::TimedOut));
        assert_eq!(asked, [("first", FIRST_WITHIN), ("second", Duration::from_secs(25))]);
    }

    #[test]
    fn one_alone_has_all_the_time_there_is_and_is_not_asked_without_any() {
        let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
        let alone = Models::only(model("first", words("هلا"), Duration::ZERO, &clock, &asked));
        assert_eq!(alone.answer(&request(), &*clock, a_moment() + TURN).block_on(), words("هلا"));
        let late = alone.answer(&request(), &*clock, a_moment()).block_on();
        assert_eq!(late, Err(ModelError::TimedOut));
        assert_eq!(*asked.lock().unwrap(), [("first", TURN)]);
    }

    #[test]
    fn tokens_are_set_aside_for_each_that_is_asked() {
        let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
        let mut budget = MockTokenBudget::new();
        budget.expect_reserve().times(2).returning(|_, _, _, _| Ok(true));
        // The reservation of the one that timed out stays; the other's is settled.
        let used = TokenUsage { read_tokens: 10, written_tokens: 2 };
        budget
            .expect_settle()
            .times(1)
            .withf(move |_, _, _, took, _, _| took.0 == used)
            .returning(|_, _, _, _, _, _| Ok(()));
        let models = Models {
            first: model("first", Err(ModelError::TimedOut), Duration::ZERO, &clock, &asked),
            fallback: Some(model("second", words("هلا"), Duration::ZERO, &clock, &asked)),
            prices: Prices::default(),
            reads_pictures: false,
        };
        let (budget, time): (Arc<dyn TokenBudget>, Arc<dyn Clock>) = (Arc::new(budget), clock.clone());
        let metered = models.metered(Uuid::from_u128(1).into(), LIMIT, &budget, &time);
        assert_eq!(metered.answer(&request(), &*clock, a_moment() + TURN).block_on(), words("هلا"));
    }

    #[test]
    fn what_was_asked_over_a_connection_that_broke_stays_set_aside() {
        for (error, settled) in [(ModelError::Broken, 0), (ModelError::NotReached, 2)] {
            let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
            let mut budget = MockTokenBudget::new();
            budget.expect_reserve().times(2).returning(|_, _, _, _| Ok(true));
            budget
                .expect_settle()
                .times(settled)
                .withf(|_, _, _, took, _, _| took.0 == TokenUsage::default())
                .returning(|_, _, _, _, _, _| Ok(()));
            let models = Models::only(model("first", Err(error.clone()), Duration::ZERO, &clock, &asked));
            let (budget, time): (Arc<dyn TokenBudget>, Arc<dyn Clock>) = (Arc::new(budget), clock.clone());
            let metered = models.metered(Uuid::from_u128(1).into(), LIMIT, &budget, &time);
            assert_eq!(metered.answer(&request(), &*clock, a_moment() + TURN).block_on(), Err(error));
        }
    }

    #[test]
    fn what_an_answer_took_that_does_not_say_so_stays_set_aside() {
        let (clock, asked) = (Arc::new(ManualClock::at(a_moment())), Asked::default());
        let mut budget = MockTokenBudget::new();
        budget.expect_reserve().times(1).returning(|_, _, _, _| Ok(true));
        budget.expect_settle().never();
        let silent = words("هلا").map(|answer| ModelAnswer { usage: None, ..answer });
        let models = Models::only(model("first", silent.clone(), Duration::ZERO, &clock, &asked));
        let (budget, time): (Arc<dyn TokenBudget>, Arc<dyn Clock>) = (Arc::new(budget), clock.clone());
        let metered = models.metered(Uuid::from_u128(1).into(), LIMIT, &budget, &time);
        assert_eq!(metered.answer(&request(), &*clock, a_moment() + TURN).block_on(), silent);
    }
}
