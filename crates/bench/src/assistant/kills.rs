//! Orders, from the wish to the receipt, while the service is killed again and again.

use std::{collections::HashMap, time::Duration};

use serde_json::Value;
use time::OffsetDateTime;
use tokio::time::{Instant, interval};

use super::{
    listening::{Got, LOOK, Listening},
    people::Person,
    stage::{Stage, now},
};
use crate::{
    figures::{Figures, Goal},
    load::float,
    say::say,
};

/// Concurrent conversations.
const AT_ONCE: usize = 60;
/// Time that the service runs between two kills, in milliseconds.
const ALIVE: std::ops::Range<u64> = 300..2_500;
const SEED: u64 = 15;
/// Longest time that a customer may be without an answer or a person.
const SILENT: time::Duration = time::Duration::seconds(90);
/// Allowance for the bench's own polling and for a service that is starting.
const LATE: time::Duration = time::Duration::seconds(3);
const WISH: &str = "اريد قهوة نسكافيه، اسمي سارة، العنوان الكرادة شارع 14 بغداد";

/// Stages of the work that a kill interrupts, with the rows to count; read once the service is dead.
const CUT: [(&str, &str); 4] = [
    ("waiting for a turn, or in one", "assistant_turns WHERE due_at IS NOT NULL"),
    ("with a message on its way", "sends WHERE state = 'in_flight'"),
    ("with a summary that waits for its answer", "drafts WHERE state = 'open'"),
    ("with an order that was begun", "commitments WHERE settled_at IS NULL"),
];

/// How far a customer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Waits for the summary.
    Wished,
    /// Has confirmed and waits for the receipt.
    Confirmed,
    /// Has the receipt, or a person.
    Served,
    /// Got neither in time.
    Silent,
}

struct Customer {
    person: Person,
    step: Step,
    /// Time of the customer's last step.
    since: OffsetDateTime,
}

/// Customers who are ordering.
struct Crowd {
    customers: Vec<Customer>,
    /// Customers still to come.
    left: usize,
    listening: Listening,
    /// Longest wait of any customer.
    longest: time::Duration,
    silent: u64,
}

pub(super) async fn measure(mut stage: Stage, count: usize, figures: &mut Figures) -> anyhow::Result<()> {
    let mut dice = fastrand::Rng::with_seed(SEED);
    let mut crowd = Crowd {
        customers: Vec::new(),
        left: count,
        listening: Listening::default(),
        longest: time::Duration::ZERO,
        silent: 0,
    };
    crowd.listening.hear(&stage.world.simulator)?;
    let (mut kills, mut cut) = (0_u64, [0_i64; CUT.len()]);
    loop {
        let until = Instant::now() + Duration::from_millis(dice.u64(ALIVE));
        crowd.go_on(&mut stage, until).await?;
        if crowd.is_served() {
            break;
        }
        stage.kill();
        kills += 1;
        for (sum, (_, of)) in cut.iter_mut().zip(CUT) {
            *sum += stage.count(of).await?;
        }
        stage.start_again().await?;
    }
    stage.quiet().await?;
    crowd.listening.hear(&stage.world.simulator)?;
    let name = format!("{count} orders, {kills} kills");
    for (sum, (what, _)) in cut.into_iter().zip(CUT) {
        let each = float(u64::try_from(sum)?) / float(kills.max(1));
        figures.note(format!("{name}: conversations {what}, at a kill"), (each, "in the mean"), None, None);
    }
    let orders = orders(&stage);
    let served = float(u64::try_from(orders.len())?);
    figures.note(format!("{name}: people with an order"), (served, "people"), None, None);
    let doubled = orders.values().filter(|count| **count > 1).count();
    let none = Some(Goal::AtMost(0.0));
    figures.note(format!("{name}: doubled orders"), (float(u64::try_from(doubled)?), "orders"), None, none);
    let doubled = float(u64::try_from(crowd.listening.doubled())?);
    figures.note(format!("{name}: doubled answers"), (doubled, "answers"), None, none);
    let longest = crowd.longest.as_seconds_f64();
    figures.note(format!("{name}: the longest wait for an answer or a person"), (longest, "s"), None, None);
    let silent = float(crowd.silent);
    figures.note(format!("{name}: silent beyond 90 s"), (silent, "conversations"), None, none);
    Ok(())
}

/// Counts the orders of each person who wrote here.
fn orders(stage: &Stage) -> HashMap<Person, usize> {
    let mut orders = HashMap::new();
    for order in stage.shop.orders() {
        let phone = order.pointer("/request/customer/phone").and_then(Value::as_str);
        if let Some(person) = phone.and_then(Person::of_digits) {
            *orders.entry(person).or_default() += 1;
        }
    }
    orders
}

impl Crowd {
    fn is_served(&self) -> bool {
        self.left == 0 && self.customers.is_empty()
    }

    /// Adds customers and moves each of them on, until `until`.
    async fn go_on(&mut self, stage: &mut Stage, until: Instant) -> anyhow::Result<()> {
        let mut looks = interval(LOOK);
        while Instant::now() < until && !self.is_served() {
            looks.tick().await;
            while self.left > 0 && self.customers.len() < AT_ONCE {
                let person = stage.somebody();
                person.writes(&stage.world.simulator, WISH).await?;
                self.customers.push(Customer { person, step: Step::Wished, since: now() });
                self.left -= 1;
            }
            self.listening.hear(&stage.world.simulator)?;
            let with_a_person = stage.with_a_person().await?;
            for customer in &mut self.customers {
                let got = self.listening.of(customer.person);
                customer.next(stage, got, with_a_person.contains(&customer.person)).await?;
                let waits = now() - customer.since;
                if matches!(customer.step, Step::Wished | Step::Confirmed) {
                    self.longest = self.longest.max(waits);
                }
                if waits > SILENT + LATE {
                    say(&format!("silent: {} since {:?}", customer.person.digits(), customer.step));
                    self.silent += 1;
                    customer.step = Step::Silent;
                }
            }
            self.customers.retain(|customer| !matches!(customer.step, Step::Served | Step::Silent));
        }
        Ok(())
    }
}

impl Customer {
    /// Takes the customer's next step, if what they wait for has come.
    async fn next(&mut self, stage: &Stage, got: &[Got], has_person: bool) -> anyhow::Result<()> {
        if has_person {
            self.step = Step::Served;
            return Ok(());
        }
        let newest = got.last();
        match self.step {
            Step::Wished => {
                if let Some(button) = newest.and_then(|got| got.button.as_deref()) {
                    self.person.taps(&stage.world.simulator, button).await?;
                    (self.step, self.since) = (Step::Confirmed, now());
                }
            }
            Step::Confirmed => {
                if newest.is_some_and(|got| got.button.is_none() && !got.text.is_empty()) {
                    self.step = Step::Served;
                }
            }
            Step::Served | Step::Silent => {}
        }
        Ok(())
    }
}
