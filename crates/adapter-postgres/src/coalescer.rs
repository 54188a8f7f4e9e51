//! Calls that share a statement: those that arrive while one runs form the next batch.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::errors::StoreError;
use tokio::{runtime::Handle, sync::oneshot};
use tracing::{Instrument, Span};

const MOST: usize = 64;

struct Waiting<C, A> {
    call: C,
    answer: oneshot::Sender<Result<A, StoreError>>,
    span: Span,
}

/// Calls of one kind. Calls with the same `K` run in batches, one batch at a time; others run beside them. A
/// call that finds nothing running runs at once and alone, so no call waits for company.
pub(crate) struct Coalescer<K, C, A> {
    runtime: Handle,
    queues: Mutex<HashMap<K, Vec<Waiting<C, A>>>>,
}

impl<K, C, A> Coalescer<K, C, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    C: Clone + Send + 'static,
    A: Send + 'static,
{
    /// Creates a coalescer whose batches run on `runtime`, where they outlive a caller that goes away.
    pub(crate) fn new(runtime: Handle) -> Arc<Self> {
        Arc::new(Self { runtime, queues: Mutex::default() })
    }

    /// Returns the answer to `call`. `run` takes a batch and answers each call in its order. If it fails for
    /// several calls, it runs again for each alone, so that a bad call harms no other.
    pub(crate) async fn call<F, R>(self: &Arc<Self>, key: K, call: C, run: F) -> Result<A, StoreError>
    where
        F: Fn(Vec<C>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<A>, StoreError>> + Send,
    {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { call, answer, span: Span::current() };
        let starts = match self.lock().entry(key.clone()) {
            Entry::Occupied(mut queue) => {
                queue.get_mut().push(waiting);
                false
            }
            Entry::Vacant(place) => {
                place.insert(vec![waiting]);
                true
            }
        };
        if starts {
            let mut queue = Queue { all: Arc::clone(self), key, worked_off: false };
            self.runtime.spawn(async move {
                while let Some(batch) = queue.next() {
                    serve(batch, &run).await;
                }
            });
        }
        answered.await.unwrap_or_else(|_| Err(StoreError::Internal("a batch ended early".to_owned())))
    }
}

impl<K, A> Coalescer<K, (), A>
where
    K: Clone + Eq + Hash + Send + 'static,
    A: Clone + Send + 'static,
{
    /// Returns the answer of `run`, which runs once for all callers that wait.
    pub(crate) async fn share<F, R>(self: &Arc<Self>, key: K, run: F) -> Result<A, StoreError>
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<A, StoreError>> + Send + 'static,
    {
        let run = move |calls: Vec<()>| {
            let answer = run();
            async move { Ok(vec![answer.await?; calls.len()]) }
        };
        self.call(key, (), run).await
    }
}

impl<K, C, A> Coalescer<K, C, A> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Vec<Waiting<C, A>>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The queue that a task works off. Dropping this removes the queue, so that the next call starts another.
struct Queue<K, C, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    C: Clone + Send + 'static,
    A: Send + 'static,
{
    all: Arc<Coalescer<K, C, A>>,
    key: K,
    worked_off: bool,
}

impl<K, C, A> Queue<K, C, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    C: Clone + Send + 'static,
    A: Send + 'static,
{
    /// Takes the next batch; if nothing is queued, removes the queue and returns `None`.
    fn next(&mut self) -> Option<Vec<Waiting<C, A>>> {
        let mut queues = self.all.lock();
        let queue = queues.get_mut(&self.key)?;
        if queue.is_empty() {
            queues.remove(&self.key);
            self.worked_off = true;
            return None;
        }
        let rest = queue.split_off(queue.len().min(MOST));
        Some(mem::replace(queue, rest))
    }
}

impl<K, C, A> Drop for Queue<K, C, A>
where
    K: Clone + Eq + Hash + Send + 'static,
    C: Clone + Send + 'static,
    A: Send + 'static,
{
    fn drop(&mut self) {
        if !self.worked_off {
            self.all.lock().remove(&self.key);
        }
    }
}

/// Runs a batch and answers its calls. Its statements are traced under the first of them.
async fn serve<C, A, F, R>(batch: Vec<Waiting<C, A>>, run: &F)
where
    C: Clone,
    F: Fn(Vec<C>) -> R,
    R: Future<Output = Result<Vec<A>, StoreError>>,
{
    let calls = batch.iter().map(|waiting| waiting.call.clone()).collect();
    let first = batch.first().map_or_else(Span::none, |waiting| waiting.span.clone());
    match run(calls).instrument(first).await {
        Ok(answers) => {
            for (waiting, answer) in batch.into_iter().zip(answers) {
                // The caller may have gone away.
                let _ = waiting.answer.send(Ok(answer));
            }
        }
        Err(StoreError::Unavailable(reason)) => {
            for waiting in batch {
                let _ = waiting.answer.send(Err(StoreError::Unavailable(reason.clone())));
            }
        }
        Err(error) if batch.len() == 1 => {
            if let Some(waiting) = batch.into_iter().next() {
                let _ = waiting.answer.send(Err(error));
            }
        }
        Err(_) => {
            for Waiting { call, answer, span } in batch {
                let missing = || StoreError::Internal("a batch of one has no answer".to_owned());
                let alone = run(vec![call]).instrument(span).await;
                let _ = answer.send(alone.and_then(|answers| answers.into_iter().next().ok_or_else(missing)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use domain::errors::StoreError;
    use futures_util::future::join_all;
    use tokio::{runtime::Handle, sync::Semaphore};

    use super::{Coalescer, MOST};

    type Batches = Arc<Mutex<Vec<Vec<u32>>>>;

    struct Stage {
        together: Arc<Coalescer<&'static str, u32, u32>>,
        batches: Batches,
        /// One permit for each batch.
        turns: Arc<Semaphore>,
    }

    impl Stage {
        fn new() -> Self {
            let together = Coalescer::new(Handle::current());
            Self { together, batches: Arc::default(), turns: Arc::new(Semaphore::new(0)) }
        }

        /// Doubles its argument; 13 fails, 14 is unavailable, 15 panics.
        async fn call(&self, key: &'static str, number: u32) -> Result<u32, StoreError> {
            let (batches, turns) = (Arc::clone(&self.batches), Arc::clone(&self.turns));
            let run = move |calls: Vec<u32>| {
                let (batches, turns) = (Arc::clone(&batches), Arc::clone(&turns));
                async move {
                    turns.acquire().await.unwrap().forget();
                    batches.lock().unwrap().push(calls.clone());
                    assert!(!calls.contains(&15));
                    if calls.contains(&13) {
                        return Err(StoreError::Internal("unlucky".to_owned()));
                    }
                    if calls.contains(&14) {
                        return Err(StoreError::Unavailable("away".to_owned()));
                    }
                    Ok(calls.iter().map(|number| number * 2).collect())
                }
            };
            self.together.call(key, number, run).await
        }

        fn batches(&self) -> Vec<Vec<u32>> {
            self.batches.lock().unwrap().clone()
        }
    }

    #[tokio::test]
    async fn the_first_runs_at_once_and_what_comes_meanwhile_runs_together() {
        let stage = Stage::new();
        let calls = join_all((100..300).map(|number| stage.call("one", number)));
        let turns = async { stage.turns.add_permits(10) };
        let (answers, ()) = tokio::join!(calls, turns);
        let answers: Vec<u32> = answers.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, (100..300).map(|number| number * 2).collect::<Vec<_>>());
        let batches = stage.batches();
        assert!(batches.len() <= 5 && batches.iter().all(|batch| batch.len() <= MOST), "{batches:?}");
        assert_eq!(batches.concat(), (100..300).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_call_with_nothing_running_is_alone_and_leaves_nothing_behind() {
        let stage = Stage::new();
        stage.turns.add_permits(10);
        for number in 1..=3 {
            assert_eq!(stage.call("one", number).await.unwrap(), number * 2);
        }
        assert_eq!(stage.batches(), [[1], [2], [3]]);
        stage.call("two", 4).await.unwrap();
        tokio::task::yield_now().await;
        assert!(stage.together.lock().is_empty());
    }

    #[tokio::test]
    async fn other_keys_do_not_wait() {
        let stage = Stage::new();
        stage.turns.add_permits(10);
        let (one, other) = tokio::join!(stage.call("one", 1), stage.call("other", 2));
        assert_eq!((one.unwrap(), other.unwrap()), (2, 4));
        let mut batches = stage.batches();
        batches.sort_unstable();
        assert_eq!(batches, [[1], [2]]);
    }

    #[tokio::test]
    async fn one_that_fails_fails_alone() {
        let stage = Stage::new();
        stage.turns.add_permits(10);
        let answers = join_all([1, 12, 13, 16].map(|number| stage.call("one", number))).await;
        let answers: Vec<Option<u32>> = answers.into_iter().map(Result::ok).collect();
        assert_eq!(answers, [Some(2), Some(24), None, Some(32)]);
    }

    #[tokio::test]
    async fn while_the_store_is_away_none_is_tried_alone() {
        let stage = Stage::new();
        stage.turns.add_permits(10);
        let answers = join_all([1, 14, 16].map(|number| stage.call("one", number))).await;
        assert!(answers.iter().filter(|answer| answer.is_err()).count() >= 2, "{answers:?}");
        assert!(stage.batches().len() <= 2);
    }

    #[tokio::test]
    async fn a_batch_that_dies_answers_an_error_and_the_next_call_starts_anew() {
        let stage = Stage::new();
        stage.turns.add_permits(10);
        assert!(stage.call("one", 15).await.is_err());
        assert_eq!(stage.call("one", 2).await.unwrap(), 4);
    }
}
