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

/// Conversations at once.
const AT_ONCE: usize = 60;
/// For how long it runs between two kills, in milliseconds.
const ALIVE: std::ops::Range<u64> = 300..2_500;
const SEED: u64 = 15;
/// Nobody may be left without an answer or a person for longer.
const SILENT: time::Duration = time::Duration::seconds(90);
/// What the bench needs to see it: its own looks, and a service that is starting.
const LATE: time::Duration = time::Duration::seconds(3);
const WISH: &str = "اريد قهوة نسكافيه، اسمي سارة، العنوان الكرادة شارع 14 بغداد";

/// Where the work is that a kill cuts, read once the service is dead.
const CUT: [(&str, &str); 4] = [
    ("waiting for a turn, or in one", "assistant_turns WHERE due_at IS NOT NULL"),
    ("with a message on its way", "sends WHERE state = 'in_flight'"),
    ("with a summary that waits for its answer", "drafts WHERE state = 'open'"),
    ("with an order that was begun", "commitments WHERE settled_at IS NULL"),
];

/// Where a customer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// They wrote, and wait for the summary.
    Wished,
    /// They confirmed, and wait for the receipt.
    Confirmed,
    /// They have the receipt, or a person.
    Served,
    /// They have neither.
    Silent,
}

struct Customer {
    person: Person,
    step: Step,
    /// When they did their part.
    since: OffsetDateTime,
}

/// Those who order at a time.
struct Crowd {
    customers: Vec<Customer>,
    /// Who has not come yet.
    left: usize,
    listening: Listening,
    /// The longest that somebody waited.
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

/// How many orders each person has who wrote here.
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

    /// Lets customers come, and each do their part, until then.
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
    /// Does what comes next, where what they wait for has come.
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
