//! Sending again.

use std::sync::Arc;

use domain::{
    audit::Action,
    ids::WebhookAddressId,
    signals::MockSignals,
    testing::{a_due_delivery, a_moment, deps_waking},
    webhooks::{MOST_WINDOWS, ResendDeliveries, ResendError, ResendWindow, ports::MockDeliveryLog},
};
use serde_json::{Value, json};
use time::ext::NumericalDuration;
use uuid::Uuid;

use crate::webhooks::{acting, tells};

fn resending(log: MockDeliveryLog) -> ResendDeliveries {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    ResendDeliveries { log: Arc::new(log), deps: deps_waking(signals) }
}

#[pollster::test]
async fn sending_one_delivery_again_is_logged_and_says_why_it_is_not() {
    let delivery = a_due_delivery().leased.id;
    for resent in [Ok(()), Err(ResendError::Unknown)] {
        let mut log = MockDeliveryLog::new();
        log.expect_resend()
            .withf(move |workspace, of, entry| {
                *of == delivery && tells(workspace, entry, Action::DeliveryResent, &delivery.to_string())
            })
            .once()
            .return_const(resent.clone());
        assert_eq!(resending(log).one(acting(), delivery).await, resent);
    }
}

#[pollster::test]
async fn a_window_of_an_unknown_address_is_not_taken_for_one_of_a_disabled_address() {
    let address = WebhookAddressId::from(Uuid::from_u128(7));
    let window = move || ResendWindow { address, since: a_moment() - 1.hours(), until: a_moment() };
    for refusal in [ResendError::Unknown, ResendError::Disabled, ResendError::TooMany] {
        let mut log = MockDeliveryLog::new();
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
            .return_const(Err(refusal.clone()));
        assert_eq!(resending(log).window(acting(), window()).await, Err(refusal));
    }
    let backwards = ResendWindow { since: a_moment(), until: a_moment(), address };
    let answer = resending(MockDeliveryLog::new()).window(acting(), backwards).await;
    assert_eq!(answer, Err(ResendError::EmptyWindow));
}
