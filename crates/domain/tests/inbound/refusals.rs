//! What the network refuses after it has taken it, and what broadcasts make of that.

use std::sync::Arc;

use domain::{
    audit::Actor,
    broadcasts::{Bar, Broadcast, BroadcastState, MarketingStop, StopSource, ports::BegunSend},
    inbound::{Applied, JournaledStatus, SentMessage, StatusUpdate},
    messages::{DeliveryStatus, NetworkError},
    pause_reason::PauseReason,
    testing::{
        ManualClock, a_broadcast, a_contact, a_moment, a_number, a_sent_message, a_status, a_workspace,
    },
};
use uuid::Uuid;

use crate::inbound::Statuses;

fn broadcast(state: BroadcastState) -> Broadcast {
    Broadcast { state, starts_at: Some(a_moment()), collected: true, ..a_broadcast() }
}

/// A message that says of itself that it is of the broadcast.
fn of_broadcast() -> SentMessage {
    let mut sent = a_sent_message();
    sent.entry.intent.reference = Some(broadcast(BroadcastState::Running).id.to_string());
    sent
}

fn failed(code: i64) -> StatusUpdate {
    let error = NetworkError { code: Some(code), message: "no".to_owned() };
    StatusUpdate { error: Some(error), ..a_status(DeliveryStatus::Failed) }
}

async fn apply(mut around: Statuses, sent: SentMessage, status: &StatusUpdate) {
    around.messages.expect_find().returning(move |_, _| Ok(vec![Some(sent.clone())]));
    around.signals.expect_deliveries_due().once().return_const(());
    let statuses = around.writing().use_case();
    let journaled = JournaledStatus { id: Some(Uuid::from_u128(1).into()), status };
    assert_eq!(statuses.run(a_workspace().id, &[journaled]).await.unwrap(), [Applied::Done]);
}

fn around() -> Statuses {
    Statuses::at(Arc::new(ManualClock::at(a_moment() + time::Duration::seconds(3))))
}

#[pollster::test]
async fn what_is_refused_for_everybody_pauses_the_broadcast_that_it_is_of() {
    for (state, is_of, pauses, is_first) in [
        (BroadcastState::Running, true, 1_usize, true),
        // Somebody else has moved it meanwhile, and has told.
        (BroadcastState::Running, true, 1, false),
        // Whoever sends otherwise may name any reference.
        (BroadcastState::Running, false, 0, false),
        (BroadcastState::Paused, true, 0, false),
        (BroadcastState::Finished, true, 0, false),
    ] {
        let mut around = around();
        around.broadcasts.expect_find().once().returning(move |_, _| Ok(Some(broadcast(state))));
        around.broadcasts.expect_is_of().returning(move |_, _, _| Ok(is_of));
        let told = usize::from(is_first);
        around.signals.expect_broadcast_paused().times(told).returning(|_, id, reason| {
            assert_eq!((id, reason), (broadcast(BroadcastState::Running).id, PauseReason::NetworkRefused));
        });
        around.broadcasts.expect_change().times(pauses).returning(move |_, change, entry| {
            assert_eq!((change.from, change.to), (BroadcastState::Running, BroadcastState::Paused));
            assert_eq!(change.reason, Some(PauseReason::NetworkRefused));
            assert_eq!((change.starts_at, entry.actor), (Some(a_moment()), Actor::Service));
            Ok(is_first)
        });
        apply(around, of_broadcast(), &failed(131_042)).await;
    }
}

#[pollster::test]
async fn one_that_all_numbers_send_goes_on_without_the_number_whose_message_was_refused() {
    let mut around = around();
    around.broadcasts.expect_find().once().returning(|_, _| {
        let mut spread = broadcast(BroadcastState::Running);
        spread.content.spread = true;
        Ok(Some(spread))
    });
    around.broadcasts.expect_is_of().once().returning(|_, _, _| Ok(true));
    let by = a_number(0, 1).id;
    around.broadcasts.expect_begun().once().returning(move |_, messages| {
        Ok(messages.iter().map(|message| (*message, BegunSend::Sent(by))).collect())
    });
    around.broadcasts.expect_leave_out().once().returning(move |_, id, numbers, bar, _| {
        assert_eq!((id, numbers), (broadcast(BroadcastState::Running).id, &[by][..]));
        assert_eq!(Some(bar), Bar::of_code(131_048));
        Ok(())
    });
    apply(around, of_broadcast(), &failed(131_048)).await;
}

#[pollster::test]
async fn what_is_one_person_s_own_or_of_no_broadcast_asks_nothing() {
    apply(around(), of_broadcast(), &failed(131_026)).await;
    apply(around(), a_sent_message(), &failed(131_042)).await;
}

#[pollster::test]
async fn whoever_the_network_says_wants_no_marketing_gets_none() {
    let status = failed(131_050);
    let mut around = around();
    let at = status.at;
    around.stops.expect_stop().once().returning(move |_, phone, stop, entry| {
        assert_eq!(Some(phone), a_contact().phone.as_ref());
        assert_eq!(stop, MarketingStop { source: StopSource::Network, at });
        assert!(entry.is_none());
        Ok(())
    });
    apply(around, a_sent_message(), &status).await;
}
