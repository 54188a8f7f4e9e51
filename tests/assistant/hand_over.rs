//! A conversation is handed over once, and its customer is told so once, wherever the service dies on the
//! way.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Chat, on, start};
use crate::support::{Rows, eventually};

const SENTENCE: &str = "Sara will answer you here.";

/// Where the service dies.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The transaction of the hand-over is under way.
    Begun,
    /// The conversation is handed over, and the network does not take the sentence now.
    HandedOver,
    /// The network has the sentence, and its answer does not come.
    Told,
}

impl Step {
    /// What the network does wrong until the service dies.
    fn faults(self) -> Value {
        match self {
            Self::Begun => json!([]),
            // The first is gone once the network was asked.
            Self::HandedOver => json!([
                { "kind": "throttle", "retryAfter": 60, "times": 1 },
                { "kind": "throttle", "retryAfter": 60 },
            ]),
            Self::Told => json!([{ "kind": "hang_after_accept", "times": 1 }]),
        }
    }
}

/// Waits until the service is where it is to die; returns the lock that holds it there.
async fn comes_to(chat: &Chat, step: Step) -> Option<Rows> {
    let holder = held(chat, step).await;
    chat.hurry().await;
    match step {
        Step::Begun => {
            eventually("the hand-over waits", async || chat.rows.waits_for_another().await.then_some(()))
                .await;
        }
        Step::HandedOver => {
            eventually("the network was asked", async || {
                let left = chat.counter.world.control(Method::GET, "faults", &json!({})).await;
                left["faults"].as_array().is_some_and(|faults| faults.len() == 1).then_some(())
            })
            .await;
            // It is not asked again before the service dies.
            chat.rows.change("UPDATE prepared_replies SET due_at = now() + interval '1 hour'").await;
            eventually("it was not sent", async || (chat.rows.count("sends").await == 0).then_some(())).await;
        }
        Step::Told => {
            eventually("the network has it", async || (!chat.told().await.is_empty()).then_some(())).await;
        }
    }
    holder
}

/// Holds what the transaction of the hand-over changes, where that is not to be committed.
async fn held(chat: &Chat, step: Step) -> Option<Rows> {
    if !matches!(step, Step::Begun) {
        return None;
    }
    let holder = chat.counter.rows().await;
    let theirs = format!("conversations WHERE workspace_id = '{}'", chat.counter.world.workspace);
    holder.change(&format!("BEGIN; SELECT 1 FROM {theirs} FOR NO KEY UPDATE")).await;
    Some(holder)
}

/// How often the conversation was handed over, as the team reads it, and as the team's programs are told.
async fn handed_over(chat: &Chat) -> [i64; 2] {
    [
        chat.rows.count("messages WHERE role = 'system' AND content LIKE '%customer_asked%'").await,
        chat.rows.count("delivery_log WHERE event = 'conversation.assigned'").await,
    ]
}

/// Lets the service die there, starts it again, and checks that everything ends the same way.
async fn dies(step: Step) {
    let told = format!("{step:?}");
    let mut settings = on();
    settings["handOver"] = json!({ "en": SENTENCE });
    let mut chat = Chat::new(&settings).await;
    chat.counter.world.simulator.set_faults(&step.faults()).unwrap();
    chat.writes("I want to speak to a human please").await;
    let holder = comes_to(&chat, step).await;

    chat.counter.world.service.kill();
    let before = if matches!(step, Step::Begun) { [0, 0] } else { [1, 1] };
    assert_eq!(handed_over(&chat).await, before, "{told}");
    assert_eq!(chat.told().await.len(), usize::from(matches!(step, Step::Told)), "{told}");
    if let Some(holder) = holder {
        holder.change("ROLLBACK").await;
    }
    chat.counter.world.simulator.set_faults(&json!([])).unwrap();
    // What a dead process had in hand is nobody's.
    chat.rows.change("UPDATE prepared_replies SET due_at = now()").await;
    chat.hurry().await;
    start(&mut chat.counter, &chat.model).await;

    eventually(&told, async || {
        let left = chat.rows.count("prepared_replies").await;
        let kept = chat.rows.count("messages WHERE role = 'assistant'").await;
        (left == 0 && kept == 1).then_some(())
    })
    .await;
    assert_eq!(chat.told().await, [SENTENCE], "{told}");
    assert_eq!(chat.rows.count("delivery_log WHERE event = 'message.sent'").await, 1, "{told}");
    assert_eq!(handed_over(&chat).await, [1, 1], "{told}");
    assert_eq!(chat.rows.count("conversations WHERE status = 'open'").await, 1, "{told}");
    assert_eq!(chat.model.requests().len(), 0, "{told}: no model is asked for a person");
}

#[tokio::test]
async fn a_hand_over_survives_kills_at_each_step_and_is_told_once() {
    tokio::join!(dies(Step::Begun), dies(Step::HandedOver), dies(Step::Told));
}
