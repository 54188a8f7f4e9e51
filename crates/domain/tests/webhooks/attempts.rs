//! Attempts, their leases, and how long the log is kept.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    testing::{ManualClock, a_due_delivery, a_moment, a_vault, a_workspace},
    webhooks::{
        ATTEMPT_LIMIT, AttemptOutcome, DeliverDue, Failure, KeepLog, NextStep, RECORD_WITHIN, START_WITHIN,
        ports::{
            Attempted, ClaimLimits, DeliverySender, DueDelivery, MockDeliveryQueue, MockDeliverySender,
            MockLogKeeper, NotMade, Taken,
        },
    },
};
use time::{OffsetDateTime, ext::NumericalDuration};

/// A receiver that takes its time, and then answers.
struct Slow {
    clock: Arc<ManualClock>,
    takes: Duration,
    answer: AttemptOutcome,
}

#[async_trait]
impl DeliverySender for Slow {
    async fn attempt(&self, _: &DueDelivery) -> Result<Attempted, NotMade> {
        self.clock.advance(self.takes);
        Ok(Attempted { outcome: self.answer.clone(), answer: b"so be it".to_vec(), is_whole: true })
    }
}

fn deliver(queue: MockDeliveryQueue) -> DeliverDue {
    DeliverDue {
        queue: Arc::new(queue),
        sender: Arc::new(MockDeliverySender::new()),
        clock: Arc::new(ManualClock::at(a_moment())),
        vault: Arc::new(a_vault()),
    }
}

#[pollster::test]
async fn an_attempt_records_how_long_it_took_and_what_follows() {
    let status = |status| Err(Failure::Status { status, retry_after: None });
    // 0xabab of 0xffff is the jitter, of at most a tenth of the gap.
    let jittered = |gap: Duration| gap.mul_f64(1.0 + 0.1 * f64::from(0xabab_u16) / f64::from(u16::MAX));
    for (attempt, answer, wait) in [
        (1, Ok(204), None),
        (1, status(500), Some(Duration::from_mins(1))),
        (6, Err(Failure::Timeout), Some(Duration::from_mins(32))),
        (7, status(500), None),
        (1, status(410), None),
    ] {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let takes = Duration::from_millis(1_250);
        let sender = Arc::new(Slow { clock: clock.clone(), takes, answer: answer.clone() });
        let use_case = DeliverDue { sender, clock, ..deliver(MockDeliveryQueue::new()) };
        let record = use_case.attempt(&attempt_number(attempt)).await.unwrap();

        let next_step = match wait {
            Some(gap) => NextStep::RetryAt(a_moment() + takes + jittered(gap)),
            None if answer.is_ok() => NextStep::Delivered,
            None => NextStep::Failed,
        };
        assert_eq!(record.next_step, next_step, "{attempt} {answer:?}");
        assert_eq!((record.started_at, record.duration_ms), (a_moment(), 1_250));
        assert_eq!((record.leased, record.outcome), (attempt_number(attempt).leased, answer));
        assert_eq!(record.answer, b"so be it");
    }
}

fn attempt_number(attempt: u32) -> DueDelivery {
    let mut delivery = a_due_delivery();
    delivery.leased.attempt = attempt;
    delivery
}

#[pollster::test]
async fn a_lease_lasts_for_all_that_may_happen_under_it() {
    let all = START_WITHIN + ATTEMPT_LIMIT + RECORD_WITHIN;
    let mut queue = MockDeliveryQueue::new();
    queue
        .expect_claim()
        .withf(move |workspace, now, lease_until, limits| {
            *workspace == a_workspace().id
                && *now == a_moment()
                && *lease_until == *now + all
                && *limits == ClaimLimits::any(20)
        })
        .once()
        .returning(|_, _, _, _| Ok(Taken { due: vec![a_due_delivery()], unreadable: vec![] }));
    let claimed = deliver(queue).claim(a_workspace().id, &ClaimLimits::any(20)).await.unwrap();
    assert_eq!((claimed.due.len(), claimed.start_by), (1, Some(a_moment() + START_WITHIN)));
}

#[pollster::test]
async fn what_cannot_be_read_is_tried_like_anything_else_and_given_up_on_in_the_end() {
    for (attempt, gives_up) in [(1, false), (6, false), (7, true)] {
        let mut queue = MockDeliveryQueue::new();
        queue.expect_claim().returning(move |_, _, _, _| {
            Ok(Taken { due: vec![], unreadable: vec![attempt_number(attempt).leased] })
        });
        let claimed = deliver(queue).claim(a_workspace().id, &ClaimLimits::any(20)).await.unwrap();
        let record = &claimed.unreadable[0];
        assert_eq!(record.outcome, Err(Failure::Unreadable));
        assert_eq!(record.next_step == NextStep::Failed, gives_up, "{attempt}");
    }
}

#[pollster::test]
async fn the_log_is_kept_for_a_month_with_a_week_ahead() {
    keep_log(a_moment(), a_moment(), a_moment() - 31.days()).await;
}

#[pollster::test]
async fn a_clock_that_is_ahead_drops_nothing_that_the_store_has_not_kept_for_a_month() {
    keep_log(a_moment() + 40.days(), a_moment(), a_moment() - 31.days()).await;
    keep_log(a_moment(), a_moment() + 40.days(), a_moment() - 31.days()).await;
}

/// Keeps the log by two clocks, and expects what is from before `before` to be dropped.
async fn keep_log(ours: OffsetDateTime, of_store: OffsetDateTime, before: OffsetDateTime) {
    let mut log = MockLogKeeper::new();
    log.expect_now().returning(move || Ok(of_store));
    log.expect_keep()
        .withf(move |now, until, dropped| *now == ours && *until == ours + 7.days() && *dropped == before)
        .once()
        .returning(|_, _, _| Ok(()));
    let clock = Arc::new(ManualClock::at(ours));
    KeepLog { log: Arc::new(log), clock }.run().await.unwrap();
}

#[pollster::test]
async fn what_this_machine_cannot_attempt_comes_to_nothing_that_counts() {
    let mut sender = MockDeliverySender::new();
    sender.expect_attempt().once().returning(|_| Err(NotMade("no files".to_owned())));
    let use_case = DeliverDue { sender: Arc::new(sender), ..deliver(MockDeliveryQueue::new()) };
    let want = use_case.attempt(&attempt_number(7)).await.unwrap_err();
    assert_eq!(want, NotMade("no files".to_owned()));
}
