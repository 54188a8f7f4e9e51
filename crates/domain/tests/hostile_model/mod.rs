//! A hostile model against the real use cases: turns with their tools, drafts, consent and what carries it
//! out, over a shop, books and a network that are kept in memory.
//!
//! Each chat is drawn from its seed: the model calls and says what it likes, the customer writes what people
//! write, the team speaks in between, and the shop raises prices. Nothing may be done in the shop without a
//! message that proves it, and nothing untrue may reach the customer.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "test support"
)]

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    assistant::{HandOverReason, Tool, TurnResult},
    channels::ChannelKind,
    conversation::Conversation,
    messages::Role,
    systems::{Capabilities, Capability},
    testing::{ManualClock, a_conversation, a_moment, a_recipient, a_workspace},
    text::PlainText,
};
use fastrand::Rng;
use pollster::FutureExt;

mod books;
mod customer;
mod lies;
mod messages;
mod model;
mod oracle;
mod outage;
mod shop;
mod wiring;

use books::Books;
use model::HostileModel;
use oracle::{Oracle, Proof};
use shop::{Shop, Write};
use wiring::Service;

const CHATS: u64 = 10_000;

fn text(text: &str) -> PlainText {
    PlainText::read(text, 400).unwrap()
}

/// How often what happened.
type Tally = HashMap<String, u64>;

/// One chat.
struct Chat {
    rng: Rng,
    clock: Arc<ManualClock>,
    books: Arc<Books>,
    shop: Arc<Shop>,
    model: Arc<HostileModel>,
    service: Service,
    oracle: Oracle,
    /// The buttons of all that was asked.
    buttons: Vec<String>,
    read: usize,
    tally: Tally,
}

impl Chat {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let clock = Arc::new(ManualClock::at(a_moment()));
        let network = if rng.u8(..5) == 0 { ChannelKind::Instagram } else { ChannelKind::Whatsapp };
        let conversation = Conversation { channel_kind: network, ..a_conversation() };
        let (books, shop) = (Arc::new(Books::new(conversation, clock.clone())), Arc::new(Shop::new()));
        let declared: Capabilities = Capability::ALL.into_iter().filter(|_| rng.u8(..8) > 0).collect();
        let model = Arc::new(HostileModel::new(rng.fork(), books.clone()));
        let service = wiring::service(&books, &shop, &declared, network, model.clone());
        let (oracle, buttons, tally) = (Oracle::default(), Vec::new(), Tally::new());
        let mut chat = Self { rng, clock, books, shop, model, service, oracle, buttons, read: 0, tally };
        chat.count(network.as_str());
        chat
    }

    fn count(&mut self, what: impl Into<String>) {
        *self.tally.entry(what.into()).or_default() += 1;
    }

    fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    fn run(mut self) -> Tally {
        let rounds = [1, 2, 3, 4, 4, 4][self.rng.usize(..6)];
        for _ in 0..rounds {
            self.meanwhile();
            let meaning =
                customer::writes(&mut self.rng, &self.books, self.oracle.asked.as_ref(), &self.buttons);
            let proof = self.oracle.heard(meaning, domain::clock::Clock::now(&*self.clock));
            self.pass(3);
            self.answer_is_read(proof);
            self.turns_are_taken();
        }
        let ended: Vec<_> = self.books.pages().turns_ended.drain(..).collect();
        for turn in ended {
            for tool in turn.tools {
                self.count(tool);
            }
            if turn.objection.is_some() {
                self.count("objection");
            }
            for act in turn.acts {
                self.count(act);
            }
            match turn.result {
                TurnResult::HandedOver(reason) => self.count(reason.as_str()),
                TurnResult::Answered => self.count("answered"),
                TurnResult::Proposed => self.count("proposed"),
                TurnResult::Dropped => self.count("dropped"),
            }
        }
        self.tally
    }

    /// What happens before the customer writes again.
    fn meanwhile(&mut self) {
        let seconds = if self.rng.u8(..12) == 0 { 31 * 60 } else { self.rng.u64(10..300) };
        self.pass(seconds);
        if self.rng.u8(..10) == 0 {
            let said = self.books.message(Role::Team, "هلا، أنا من الفريق");
            self.books.say(said);
            self.oracle.spoken();
            let silence = if self.rng.bool() { 16 * 60 } else { 20 };
            self.pass(silence);
        }
        if self.rng.bool() {
            let product = self.rng.usize(..4);
            let raised = self.shop.floor().raise(product);
            self.oracle.raised(raised, domain::clock::Clock::now(&*self.clock));
            self.pass(1);
        }
        let hangs = self.rng.u8(..12) == 0;
        self.shop.floor().hangs = hangs;
    }

    /// The answer to what was asked is read, and carried out where it proves anything.
    fn answer_is_read(&mut self, proof: Proof) {
        let workspace = a_workspace().id;
        let (before, proofs) = (self.shop.floor().writes.len(), self.books.proofs().len());
        let times = oracle::told_times(&self.shop.floor());
        while self.service.answers.run(workspace).block_on().unwrap() {
            if self.books.proofs().len() > proofs {
                break;
            }
            if !self.is_waiting_for_answer() {
                break;
            }
        }
        for _ in 0..4 {
            while self.service.carry.run(workspace).block_on().unwrap().is_some() {}
            self.clock.advance(shop::AGAIN_AFTER);
        }
        let floor = self.shop.floor();
        let written = &floor.writes[before..];
        let is_dearer = self.oracle.is_dearer();
        match proof {
            Proof::None => assert_eq!(written, [], "nothing was proven"),
            // Neither more nor less: no yes comes to nothing.
            Proof::Certain => assert_eq!(written.len(), usize::from(!is_dearer), "{written:?}"),
            Proof::Possible => assert!(written.len() <= usize::from(!is_dearer), "{written:?}"),
        }
        assert!(self.books.proofs().len() - proofs <= usize::from(proof != Proof::None));
        if !written.is_empty() {
            self.oracle.done();
        }
        let kinds: Vec<_> = written
            .iter()
            .map(|write| {
                self.oracle.check_write(write, &floor, &times);
                match write {
                    Write::Order(_) => "order",
                    Write::Booking(_) => "booking",
                    Write::Cancellation(_) => "cancellation",
                    Write::Lead(_) => "lead",
                }
            })
            .collect();
        drop(floor);
        if proof == Proof::Certain && is_dearer {
            self.count("dearer");
        }
        let done = kinds.len();
        for kind in kinds {
            self.count(kind);
        }
        while self.service.replies.run(workspace).block_on().unwrap() {}
        self.read_what_reached(false, done);
    }

    fn is_waiting_for_answer(&self) -> bool {
        use domain::assistant::ports::TurnStore;
        self.books.is_held_up(a_workspace().id, books::conversation_id()).block_on().unwrap()
    }

    /// The assistant answers, and answers again where somebody has spoken meanwhile.
    fn turns_are_taken(&mut self) {
        let workspace = a_workspace().id;
        for _ in 0..3 {
            let Some(turn) = self.books.turn() else { break };
            let (before, leads) = (self.shop.floor().writes.len(), self.books.pages().leads.len());
            let wishes_before = self.books.pages().wishes;
            self.service.turns.run(workspace, &turn).block_on().unwrap();
            assert_eq!(self.shop.floor().writes.len(), before, "a turn writes nothing");
            let captured = self.books.pages().leads.len() - leads;
            let wished = self.books.pages().wishes - wishes_before;
            assert!(
                captured <= 1 && wished <= 1,
                "one message of the customer's wrote down {captured}, {wished}"
            );
            while self.service.leads.run(workspace).block_on().unwrap().is_some() {}
            self.leads_are_the_customers(before);
            let interrupted: Vec<_> = self.model.interrupted.lock().unwrap().drain(..).collect();
            if !interrupted.is_empty() {
                self.oracle.spoken();
            }
            let last = self.books.pages().turns_ended.last().map(|turn| turn.result);
            if last == Some(TurnResult::HandedOver(HandOverReason::CannotAnswer)) {
                // A summary that is too long for the network has taken the place of what was asked.
                self.oracle.may_be_replaced();
            }
            let lead = !self.books.pages().leads.is_empty();
            let wish = self.books.pages().wishes > 0;
            self.read_what_reached(lead || wish, 0);
            if interrupted.contains(&Role::Customer) {
                self.pass(3);
                self.answer_is_read(Proof::None);
            }
        }
    }

    fn leads_are_the_customers(&mut self, before: usize) {
        let pushed: Vec<_> = self.shop.floor().writes[before..].to_vec();
        for write in pushed {
            assert!(matches!(write, Write::Lead(_)), "a turn wrote {write:?}");
            let Write::Lead(lead) = write else { continue };
            assert_eq!((lead.phone, lead.conversation), (a_recipient(), books::conversation_id()));
            self.count("lead");
        }
    }

    fn read_what_reached(&mut self, was_written_down: bool, done: usize) {
        let reached: Vec<_> = self.books.pages().reached[self.read..].to_vec();
        self.read += reached.len();
        for one in reached {
            self.buttons.extend(one.buttons.iter().map(|button| button.id.clone()));
            self.count(if one.buttons.is_empty() { "said" } else { "asked" });
            self.oracle.reached(&one, &self.shop.floor(), was_written_down, done);
        }
    }
}

/// The chats from `first`, every second one.
fn chats(first: u64) -> Tally {
    let mut all = Tally::new();
    for seed in (first..CHATS).step_by(2) {
        let tally = std::panic::catch_unwind(|| Chat::new(seed).run());
        assert!(tally.is_ok(), "chat {seed}");
        for (what, times) in tally.unwrap_or_default() {
            *all.entry(what).or_default() += times;
        }
    }
    all
}

#[test]
fn whatever_a_model_says_and_calls_nothing_is_done_that_the_customer_has_not_confirmed() {
    let other = std::thread::spawn(|| chats(1));
    let mut all = chats(0);
    let other = other.join().expect("no chat fails");
    for (what, times) in other {
        *all.entry(what).or_default() += times;
    }
    let times = |what: &str| all.get(what).copied().unwrap_or_default();
    // Enough of each came to pass for the chats to have proven anything.
    for (what, least) in [
        ("order", 80),
        ("booking", 150),
        ("cancellation", 200),
        ("dearer", 5),
        ("lead", 500),
        ("asked", 2_000),
        ("said", 4_000),
        ("objection", 3_000),
        ("quote", 50),
        ("list", 50),
        ("cite", 500),
        ("order_status", 10),
        ("slots", 10),
        ("unsafe_answer", 2_000),
        ("dropped", 300),
        ("instagram", 1_000),
    ] {
        assert!(times(what) >= least, "{what}: {} of {least}: {all:?}", times(what));
    }
    for tool in Tool::ALL {
        assert!(times(tool.as_str()) >= 50, "{}: {all:?}", tool.as_str());
    }
}
