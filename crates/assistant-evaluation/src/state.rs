//! State of the shop and the service after a conversation, compared with the required one.

use serde_json::Value;

use crate::{
    chat::is_hand_over,
    customer::Names,
    person::Person,
    sandbox::Sandbox,
    scenario::{ExpectedOrder, Scenario, System},
    text::says,
    transcript::Transcript,
    wire::{items, text},
};

/// State that concerns one person.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Orders with the customer's number, except the given ones.
    pub(crate) orders: Vec<Value>,
    /// Whether their given order is cancelled now.
    pub(crate) cancelled: bool,
    pub(crate) foreign_cancelled: bool,
    pub(crate) appointments: Vec<Value>,
    pub(crate) leads: usize,
    /// Events about them.
    pub(crate) events: Vec<Value>,
    /// State of their conversation.
    pub(crate) status: String,
}

impl State {
    pub(crate) async fn read(sandbox: &Sandbox, person: &Person, names: &Names) -> anyhow::Result<Self> {
        let (phone, other) = (&person.phone, format!("+964{}", names.other));
        let made = |list: &Value, pointer: &str| -> Vec<Value> {
            let of_them =
                |kept: &&Value| [phone, &other].contains(&&text(kept, "/request/customer/phone").to_owned());
            items(list, pointer).filter(of_them).cloned().collect()
        };
        let orders = sandbox.wire.get(&sandbox.shop("/orders")).await?;
        let is_cancelled = |number: &str| {
            items(&orders, "/orders")
                .any(|it| text(it, "/order/number") == number && text(it, "/order/status") == "cancelled")
        };
        let appointments = sandbox.wire.get(&sandbox.shop("/appointments")).await?;
        let leads = sandbox.wire.get(&sandbox.shop("/leads")).await?;
        let events = sandbox.events.of(person);
        let conversation = events.iter().find_map(|event| event.pointer("/data/conversationId")?.as_str());
        let status = match conversation {
            Some(conversation) => sandbox.status(conversation).await?,
            None => String::new(),
        };
        let given = [names.own.as_str(), names.foreign.as_str()];
        let mut own = made(&orders, "/orders");
        own.retain(|it| !given.contains(&text(it, "/order/number")));
        Ok(Self {
            orders: own,
            cancelled: is_cancelled(&names.own),
            foreign_cancelled: is_cancelled(&names.foreign),
            appointments: made(&appointments, "/appointments"),
            leads: items(&leads, "/leads").filter(|lead| text(lead, "/phone") == phone).count(),
            events,
            status,
        })
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.events.iter().filter(|event| text(event, "/type") == kind).count()
    }

    /// Returns the newest reason for which the assistant handed over.
    pub(crate) fn handed_over(&self) -> Option<&str> {
        let newest = self.events.iter().rev().find(|event| is_hand_over(event))?;
        text(newest, "/data/reason").strip_prefix("ai_escalation: ")
    }

    /// Lists the differences from what the scenario demands, a line for each.
    pub(crate) fn missed(&self, scenario: &Scenario, said: &Transcript, names: &Names) -> Vec<String> {
        let ends = &scenario.ends;
        let mut missed = Vec::new();
        let mut hold = |holds: bool, what: String| {
            if !holds {
                missed.push(what);
            }
        };
        let (placed, wanted) = (self.orders.len(), ends.orders.len());
        hold(placed == wanted, format!("{placed} orders, and not {wanted}"));
        for (order, wanted) in self.orders.iter().zip(&ends.orders) {
            hold(
                is_as(order, wanted),
                format!("the order is another one: {}", order.get("request").unwrap_or(order)),
            );
        }
        hold(
            self.cancelled == ends.cancelled,
            format!("their order's being cancelled is {}", self.cancelled),
        );
        hold(!self.foreign_cancelled, "somebody else's order is cancelled".to_owned());
        let counts = [
            ("booked slots", self.appointments.len(), ends.appointments),
            ("order.placed", self.count("order.placed"), wanted),
            ("order.cancelled", self.count("order.cancelled"), usize::from(ends.cancelled)),
            ("booking.requested", self.count("booking.requested"), ends.appointments + ends.wishes),
            ("lead.captured", self.count("lead.captured"), ends.leads),
        ];
        for (what, is, wanted) in counts {
            hold(is == wanted, format!("{is} {what}, and not {wanted}"));
        }
        if scenario.system == System::Whole {
            hold(self.leads >= ends.leads, format!("{} leads in the shop", self.leads));
        }
        let (reason, status) = (self.handed_over(), self.status.as_str());
        match reason {
            None => hold(ends.handed_over.is_empty(), "nobody was asked for".to_owned()),
            Some(reason) => {
                let is_wanted = ends.handed_over.iter().any(|wanted| wanted == reason);
                hold(is_wanted, format!("handed over: {reason}"));
            }
        }
        let wanted = if ends.handed_over.is_empty() { "bot" } else { "open" };
        hold(status == wanted, format!("the conversation is {status:?}"));
        let told = |wording: &str| said.answers().any(|(_, heard)| says(&heard.text, wording));
        for wording in &ends.told {
            hold(told(&names.fill(wording)), format!("{wording:?} was not said"));
        }
        for wording in &ends.untold {
            hold(!told(&names.fill(wording)), format!("{wording:?} was said"));
        }
        missed
    }
}

fn is_as(order: &Value, wanted: &ExpectedOrder) -> bool {
    let lines: Vec<(String, u64)> = items(order, "/request/lines")
        .map(|line| {
            let quantity = line.get("quantity").and_then(Value::as_u64).unwrap_or_default();
            (text(line, "/variantId").to_owned(), quantity)
        })
        .collect();
    let holds = |pointer: &str, part: &Option<String>| {
        part.as_ref().is_none_or(|part| says(text(order, pointer), part))
    };
    lines == wanted.lines
        && holds("/request/customer/name", &wanted.name)
        && holds("/request/address/city", &wanted.city)
}
