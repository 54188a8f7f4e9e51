//! Sending again.

use std::sync::Arc;

use domain::{
    audit::Action,
    deps::Deps,
    ids::WebhookAddressId,
    signals::MockSignals,
    testing::{ManualClock, SequentialIds, a_due_delivery, a_moment},
    webhooks::{
        MOST_WINDOWS, ResendDeliveries, ResendError, ResendWindow,
        ports::{MockDeliveryLog, ResendOutcome, Resent},
    },
};
use serde_json::{Value, json};
use time::ext::NumericalDuration;
use uuid::Uuid;

use crate::webhooks::{acting, tells};

fn resending(log: MockDeliveryLog) -> ResendDeliveries {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ResendDeliveries {
        log: Arc::new(log),
        deps: Deps {
            clock: Arc::new(ManualClock::at(a_moment())),
            ids: Arc::new(SequentialIds::default()),
            signals: Arc::new(signals),
        },
    }
}

#[pollster::test]
async fn sending_one_delivery_again_is_logged_and_says_why_it_is_not() {
    let delivery = a_due_delivery().leased.id;
    for resent in [Resent::Yes, Resent::Unknown] {
        let mut log = MockDeliveryLog::new();
        log.expect_resend()
            .withf(move |workspace, of, entry| {
                *of == delivery && tells(workspace, entry, Action::DeliveryResent, &delivery.to_string())
            })
            .once()
            .returning(move |_, _, _| Ok(resent));
        let answer = resending(log).one(acting(), delivery).await;
        let fits = match resent {
            Resent::Yes => answer.is_ok(),
            Resent::Unknown => matches!(answer, Err(ResendError::Unknown)),
        };
        assert!(fits, "{resent:?}: {answer:?}");
    }
}

#[pollster::test]
async fn a_window_of_an_unknown_address_is_not_taken_for_one_of_a_disabled_address() {
    let address = WebhookAddressId::from(Uuid::from_u128(7));
    let window = move || ResendWindow { address, since: a_moment() - 1.hours(), until: a_moment() };
    for begun in [ResendOutcome::Unknown, ResendOutcome::Disabled, ResendOutcome::TooMany] {
        let (mut log, wanted) = (MockDeliveryLog::new(), begun.clone());
        log.expect_begin_resend()
            .withf(move |workspace, _, asked, most, entry| {
                let details = json!({
                    "since": "2026-11-21T09:00:00.000Z", "until": "2026-11-21T10:00:00.000Z"
                });
                (asked, *most) == (&window(), MOST_WINDOWS)
                    && tells(workspace, entry, Action::WindowResent, &address.to_string())
                    && Value::Object(entry.details.clone()) == details
            })
            .once()
            .returning(move |_, _, _, _, _| Ok(begun.clone()));
        let answer = resending(log).window(acting(), window()).await;
        let fits = match wanted {
            ResendOutcome::Unknown => matches!(answer, Err(ResendError::Unknown)),
            ResendOutcome::TooMany => matches!(answer, Err(ResendError::TooMany)),
            _ => matches!(answer, Err(ResendError::Disabled)),
        };
        assert!(fits, "{wanted:?}: {answer:?}");
    }
    let backwards = ResendWindow { since: a_moment(), until: a_moment(), address };
    let answer = resending(MockDeliveryLog::new()).window(acting(), backwards).await;
    assert!(matches!(answer, Err(ResendError::EmptyWindow)), "{answer:?}");
}
