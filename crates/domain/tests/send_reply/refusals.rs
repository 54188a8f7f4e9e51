//! What speaks against an answer, in its order.

use domain::{
    channels::{ChannelKind, Connection},
    conversation::Conversation,
    sending::{
        PlanLimitReason, Refusal, ReplyContext, ReplyRequest, SendError, TextLimit, ports::ReserveOutcome,
    },
    testing::{a_conversation, a_moment, a_number},
    workspaces::{Month, Plan},
};
use time::Duration;

use crate::send_reply::{TEXT, World, a_context, a_page_context, keyed, saying, sent, used};

#[pollster::test]
async fn a_text_has_one_to_4096_characters() {
    for text in ["", " ", "\u{a0}\t\r\n\u{2003}", &"م".repeat(4_097)] {
        let refusal = World::blind().refusal(&ReplyRequest { text: text.to_owned(), ..keyed() }).await;
        assert!(refusal.to_string().contains("`text`"), "{refusal}");
        let is_long = matches!(refusal, Refusal::TextTooLong(TextLimit::Answer));
        assert!(is_long != text.trim().is_empty(), "{refusal:?}");
    }
    for text in ["1", " no ", &"م".repeat(4_096)] {
        let (answer, seen) = World::willing(a_context()).reply(&saying(text)).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(seen.asked.first().map(|(_, message)| message.text.as_str()), Some(text));
    }
}

#[pollster::test]
async fn the_first_reason_in_order_is_the_one_that_is_told() {
    let nowhere = || ReplyContext { connection: None, ..a_context() };
    let paused = Plan { paused: true, ..Plan::default() };
    let no_channel = || Refusal::NoChannel(ChannelKind::Whatsapp);
    let pause = || Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused);
    for (context, wanted) in [
        (ReplyContext { author_is_here: false, plan: paused, ..nowhere() }, Refusal::AuthorLeft),
        (ReplyContext { author_is_here: false, ..a_context() }, Refusal::AuthorLeft),
        (ReplyContext { plan: paused, ..nowhere() }, no_channel()),
        (nowhere(), no_channel()),
        (ReplyContext { to: None, ..a_context() }, no_channel()),
        (ReplyContext { plan: paused, ..a_context() }, pause()),
    ] {
        let shown = format!("{context:?}");
        assert_eq!(World::in_conversation(context).refusal(&saying(TEXT)).await, wanted, "{shown}");
    }
}

#[pollster::test]
async fn nobody_is_reached_over_another_network_than_the_conversation_s() {
    for channel_kind in [ChannelKind::Messenger, ChannelKind::Instagram] {
        for connection in [None, Some(Connection::from(&a_number(0, 1)))] {
            let conversation = Conversation { channel_kind, ..a_conversation() };
            let context = ReplyContext { conversation, connection, ..a_context() };
            let refusal = World::in_conversation(context).refusal(&saying(TEXT)).await;
            assert_eq!(refusal, Refusal::NoChannel(channel_kind));
        }
    }
}

#[pollster::test]
async fn a_text_that_the_conversation_s_network_does_not_take_is_refused_before_it_is_asked() {
    for (kind, text, fits) in [
        (ChannelKind::Instagram, "م".repeat(500), true),
        (ChannelKind::Instagram, "م".repeat(501), false),
        (ChannelKind::Messenger, "م".repeat(1_999), true),
        (ChannelKind::Messenger, "م".repeat(2_000), false),
        (ChannelKind::Whatsapp, "م".repeat(4_096), true),
    ] {
        let context = a_page_context(kind, Duration::hours(1));
        if fits {
            assert!(World::willing(context).reply(&saying(&text)).await.0.is_ok());
        } else {
            let refusal = World::in_conversation(context).refusal(&saying(&text)).await;
            assert_eq!(refusal, Refusal::TextTooLong(TextLimit::of(kind)));
        }
    }
}

#[pollster::test]
async fn an_unknown_conversation_is_refused_after_the_key() {
    let elsewhere = ReplyRequest { conversation: uuid::Uuid::from_u128(9).into(), ..keyed() };
    let world = World::new().holding(None);
    assert_eq!(world.refusal(&elsewhere).await, Refusal::ConversationNotFound);
    let world = World::new().holding(Some(used(sent(), b"[]")));
    assert_eq!(world.refusal(&elsewhere).await, Refusal::KeyReused);
}

#[pollster::test]
async fn the_plan_s_limit_is_held_against_the_month_and_may_refuse() {
    let plan = Plan { active_customer_limit: Some(100), paused: false };
    let limited = World::in_conversation(ReplyContext { plan, ..a_context() })
        .beginning(ReserveOutcome::PlanLimitReached);
    let (answer, seen) = limited.reply(&saying(TEXT)).await;
    let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
    assert_eq!(refusal, Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit));
    assert_eq!(seen.begun.first().unwrap().limit, Some((Month::of(a_moment()), 100)));
}
