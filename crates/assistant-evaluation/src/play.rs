//! Playing one conversation from its beginning to its end.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use reqwest::Method;
use serde_json::json;

use crate::{
    chat::{Answer, Chat},
    customer::{Customer, Names, Next, Played, Ruled},
    options::Model,
    person::Person,
    sandbox::Sandbox,
    scenario::{GivenOrder, Scenario},
    transcript::Transcript,
    wire::text,
};

/// Phone number of somebody else, who has orders.
const STRANGER: &str = "+9647801112233";
/// Longest wait for an answer: longer than the service leaves anybody without one.
const PATIENCE: Duration = Duration::from_mins(2);
/// Most turns: a longer conversation leads nowhere.
const MOST_TURNS: usize = 16;

/// A conversation that has ended.
pub(crate) struct Ended {
    pub(crate) scenario: Scenario,
    pub(crate) person: Person,
    pub(crate) names: Names,
    pub(crate) said: Transcript,
    /// Whether the customer was left without an answer.
    pub(crate) silent: bool,
    /// Error that stopped the conversation.
    pub(crate) error: Option<String>,
}

/// Plays a scenario with its customer.
pub(crate) async fn play(
    sandbox: Arc<Sandbox>,
    scenario: Scenario,
    person: Person,
    seed: u64,
    model: Option<Arc<Model>>,
) -> Ended {
    let names = Names {
        own: String::new(),
        foreign: String::new(),
        phone: person.phone.replacen("+964", "0", 1),
        other: person.phone.replacen("+96477", "78", 1),
    };
    let mut ended =
        Ended { scenario, person, names, said: Transcript::default(), silent: false, error: None };
    if let Err(error) = lead(sandbox, &mut ended, seed, model).await {
        ended.error = Some(format!("{error:#}"));
    }
    ended
}

async fn lead(
    sandbox: Arc<Sandbox>,
    ended: &mut Ended,
    seed: u64,
    model: Option<Arc<Model>>,
) -> anyhow::Result<()> {
    let given = ended.scenario.given.clone();
    let (own, name) = (ended.person.phone.clone(), ended.person.name.clone());
    if let Some(order) = &given.own {
        ended.names.own = give(&sandbox, order, &own, &name, seed).await?;
    }
    if let Some(order) = &given.foreign {
        ended.names.foreign = give(&sandbox, order, STRANGER, &format!("foreign {own}"), seed).await?;
    }
    let names = ended.names.clone();
    let ruled = Ruled::of(&ended.scenario, names.clone(), seed);
    let mut customer = match model {
        None => Customer::Ruled(Box::new(ruled)),
        Some(model) => {
            let who = names.fill(&ended.scenario.who);
            Customer::Played(Box::new(Played::of(sandbox.wire.clone(), model, &who, &name, ruled)))
        }
    };
    let mut chat = Chat::of(Arc::clone(&sandbox), ended.person.clone());
    let mut next = customer.begin();
    for _ in 0..MOST_TURNS {
        if next.acts.is_empty() {
            break;
        }
        act(&sandbox, &chat, &next, &mut ended.said).await?;
        match chat.listen(PATIENCE).await? {
            Answer::Words(heard) => {
                ended.said.heard(heard.clone());
                next = customer.answer(&heard).await?;
            }
            Answer::HandedOver => break,
            Answer::Silence => {
                ended.silent = true;
                break;
            }
        }
    }
    let rest = chat.rest().await?;
    ended.said.heard(rest);
    Ok(())
}

async fn act(sandbox: &Sandbox, chat: &Chat, next: &Next, said: &mut Transcript) -> anyhow::Result<()> {
    if let Some((id, price)) = &next.meanwhile {
        sandbox.wire.put(&sandbox.shop(&format!("/products/{id}")), &json!({ "price": price })).await?;
    }
    for act in &next.acts {
        chat.act(act).await?;
        said.acted(act);
    }
    Ok(())
}

/// Adds an order to the shop; returns its number.
async fn give(
    sandbox: &Sandbox,
    order: &GivenOrder,
    phone: &str,
    name: &str,
    seed: u64,
) -> anyhow::Result<String> {
    let body = json!({
        "idempotencyKey": format!("given {phone} {name} {seed}"),
        "lines": [{ "variantId": order.item, "quantity": 1 }],
        "customer": { "name": name, "phone": phone, "email": null },
        "address": { "line1": "شارع 14", "city": "بغداد", "province": "بغداد", "country": "IQ", "notes": null },
        "note": "", "source": "evaluation",
    });
    let address = format!("{}/orders", sandbox.text("/system/baseUrl"));
    let secret = sandbox.text("/system/secret");
    let placed = sandbox.wire.ask(Method::POST, &address, Some(&body), Some(secret)).await;
    let placed = placed.context("an order could not be given to the shop")?;
    let number = text(&placed, "/number").to_owned();
    if let Some(status) = &order.status {
        sandbox.wire.put(&sandbox.shop(&format!("/orders/{number}")), &json!({ "status": status })).await?;
    }
    Ok(number)
}
