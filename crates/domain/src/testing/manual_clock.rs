//! A clock moved by hand.

use std::{
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::clock::Clock;

/// Clock that stands still until [`ManualClock::advance`].
#[derive(Debug)]
pub struct ManualClock(Mutex<State>);

#[derive(Debug)]
struct State {
    now: OffsetDateTime,
    sleepers: Vec<Waker>,
}

impl ManualClock {
    /// Makes a clock that shows `now`.
    pub fn at(now: OffsetDateTime) -> Self {
        Self(Mutex::new(State { now, sleepers: Vec::new() }))
    }

    /// Moves on by `duration` and wakes the sleepers, who sleep on if it is too early.
    pub fn advance(&self, duration: Duration) {
        let sleepers = {
            let mut state = self.state();
            state.now += duration;
            std::mem::take(&mut state.sleepers)
        };
        sleepers.into_iter().for_each(Waker::wake);
    }

    /// Moves on by `seconds`, one at a time, and lets other tasks run after each.
    pub async fn pass(&self, seconds: u32) {
        for _ in 0..seconds {
            self.advance(Duration::from_secs(1));
            let mut others_ran = false;
            poll_fn(|context| {
                if others_ran {
                    return Poll::Ready(());
                }
                others_ran = true;
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
        }
    }

    /// Returns the number of sleepers: lets a test wait, without a pause, until the code under test waits.
    pub fn sleepers(&self) -> usize {
        self.state().sleepers.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> OffsetDateTime {
        self.state().now
    }

    async fn sleep(&self, duration: Duration) {
        let until = self.now() + duration;
        poll_fn(|context| {
            let mut state = self.state();
            if state.now >= until {
                return Poll::Ready(());
            }
            state.sleepers.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
