//! Making a draft of what somebody proposes.

use std::{num::NonZeroU32, sync::Arc};

use domain::{
    audit::{Acting, Actor},
    channels::ChannelKind,
    consent::{
        DRAFT_GOOD_FOR, DraftKind, DraftRequest, DraftState, ProposeDraft, ProposeError, Proposed, Proposer,
        Wanted, WantedLine,
        ports::{DraftHolder, MockDraftStore, NewDraft},
    },
    contacts::{Contact, ContactProfile, ports::MockContactStore},
    customer_records::{ConversationCustomer, ports::MockCustomerStore},
    errors::StoreError,
    external_id::ExternalId,
    fence::Fence,
    language::Language,
    messages::{PreparedReply, ReplyAuthor},
    money::Money,
    orders::{DeliveryAddress, LookedUpOrder, Order, OrderStatus},
    phone::{PhoneNumber, Region},
    sending::{IdempotencyKey, Refusal, SendError, ports::SendFailure},
    systems::{
        Answered, Availability, CallError, CallSystem, Capability, ConnectedSystem, Exchange, Introduction,
        Product, RecordCall, SystemBase, SystemConnection, SystemError, SystemSecret,
        ports::{MockCallLog, MockCustomSystem, MockSystemStore},
    },
    testing::{a_contact, a_conversation, a_hash, a_moment, a_vault, a_workspace, some_deps},
};
use uuid::Uuid;

use super::{Calls, Sending, a_reply, draft_id, fence, milk, prepared, replies, text};

const KEY: &str = "order-7";

/// What proposing meets.
struct World {
    customer: Option<ConversationCustomer>,
    /// Somebody else whom the workspace knows by this number.
    known: Option<&'static str>,
    /// The draft that has the request's key, as it is looked for and as the store finds it when it writes.
    holder: Option<DraftHolder>,
    taken_meanwhile: Option<DraftHolder>,
    unsent: Option<PreparedReply>,
    capabilities: Option<Vec<Capability>>,
    product: Result<Product, CallError>,
    /// How the order stands that is to be cancelled.
    status: OrderStatus,
    /// How often the store says that somebody else was faster.
    stale: usize,
    /// Whether a summary's text is as it has to be.
    summary: fn(&str) -> bool,
    sending: Sending,
}

fn customer() -> ConversationCustomer {
    let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
    ConversationCustomer {
        conversation: a_conversation().id,
        network: ChannelKind::Whatsapp,
        has_written: true,
        contact: Contact { phone: Some(phone), name: Some("سارة".to_owned()), ..a_contact() },
        region: Region::default(),
    }
}

impl World {
    /// All goes well.
    fn new() -> Self {
        Self {
            customer: Some(customer()),
            known: None,
            holder: None,
            taken_meanwhile: None,
            unsent: None,
            capabilities: Some(vec![Capability::Catalog, Capability::Orders]),
            product: Ok(milk()),
            status: OrderStatus::Confirmed,
            stale: 0,
            summary: |_| true,
            sending: Sending::accepted(),
        }
    }

    /// In which nothing may be sent.
    fn silent() -> Self {
        Self { sending: Sending::Never, ..Self::new() }
    }

    async fn propose(
        self,
        by: Proposer,
        request: &DraftRequest,
    ) -> (Result<Proposed, ProposeError>, Vec<String>) {
        let calls = Calls::default();
        let acting = Acting { workspace: a_workspace().id, actor: Actor::Service, address: None };
        let result = self.ports(by, &calls).run(acting, by, request).await;
        (result, calls.all())
    }

    fn ports(self, by: Proposer, calls: &Calls) -> ProposeDraft {
        let deps = some_deps();
        let (mut customers, noted) = (MockCustomerStore::new(), calls.clone());
        customers.expect_customer_of().returning(move |workspace, conversation| {
            assert_eq!((workspace, conversation), (a_workspace().id, a_conversation().id));
            noted.note("customer");
            Ok(self.customer.clone())
        });
        let (mut contacts, noted) = (MockContactStore::new(), calls.clone());
        contacts.expect_find_by_phone().returning(move |workspace, phone| {
            assert_eq!(workspace, a_workspace().id);
            noted.note(format!("look for {}", phone.as_str()));
            let known = self.known == Some(phone.as_str());
            let known = known.then(|| Contact { phone: Some(phone.clone()), ..a_contact() });
            Ok(known.map(ContactProfile::without_conversations))
        });
        let mut store = drafts(self.holder, self.unsent, calls);
        let (noted, mut left) = (calls.clone(), self.stale);
        store.expect_propose().returning(move |_, new| {
            noted.note("write draft");
            check(new, by);
            assert!((self.summary)(&new.summary.text), "{}", new.summary.text);
            if left > 0 {
                left -= 1;
                return Err(StoreError::Stale);
            }
            Ok(self.taken_meanwhile)
        });
        let system = system(self.capabilities, self.product, self.status, calls);
        ProposeDraft {
            systems: system,
            customers: Arc::new(customers),
            contacts: Arc::new(contacts),
            drafts: Arc::new(store),
            prepared: prepared(replies(None, calls), self.sending, calls),
            vault: Arc::new(a_vault()),
            deps,
        }
    }
}

fn drafts(holder: Option<DraftHolder>, unsent: Option<PreparedReply>, calls: &Calls) -> MockDraftStore {
    let mut store = MockDraftStore::new();
    let noted = calls.clone();
    store.expect_holder().returning(move |_, _| {
        noted.note("holder");
        Ok(holder)
    });
    let noted = calls.clone();
    store.expect_unsent_summary().returning(move |_, id| {
        assert_eq!(id, draft_id());
        noted.note("unsent summary");
        Ok(unsent.clone())
    });
    store
}

/// What every draft here is, whoever proposes it.
fn check(new: &NewDraft, by: Proposer) {
    let (author, fence): (_, Option<Fence>) = match by {
        Proposer::Member(member) => (ReplyAuthor::Member(member), None),
        Proposer::Assistant(fence) | Proposer::TriedAssistant(fence) => (ReplyAuthor::Assistant, Some(fence)),
    };
    assert_eq!((new.draft.author, new.summary.author, new.summary.fence), (author, author, fence));
    assert_eq!(new.draft.tried, matches!(by, Proposer::TriedAssistant(_)));
    assert_eq!((new.summary.id, new.summary.summary_of), (new.draft.summary, Some(new.draft.id)));
    let until = a_moment() + DRAFT_GOOD_FOR;
    assert_eq!((new.draft.expires_at, new.summary.until), (until, until));
    assert!(new.summary.text.contains("حليب") && new.summary.text.contains("5,000"), "{}", new.summary.text);
}

fn system(
    capabilities: Option<Vec<Capability>>,
    product: Result<Product, CallError>,
    status: OrderStatus,
    calls: &Calls,
) -> CallSystem {
    let (mut store, noted) = (MockSystemStore::new(), calls.clone());
    let connected = capabilities.map(|capabilities| {
        let base = SystemBase::parse("https://shop.example/api").unwrap();
        let introduction = Introduction {
            name: text("متجر"),
            currency: "IQD".parse().unwrap(),
            capabilities: capabilities.into_iter().collect(),
        };
        let connection = SystemConnection::new(Uuid::from_u128(1).into(), base, introduction, a_moment());
        ConnectedSystem { connection, secret: SystemSecret::parse("s3cret").unwrap() }
    });
    let found = connected.as_ref().map(|connected| connected.connection.clone());
    store.expect_open().returning(move |_| {
        noted.note("open system");
        Ok(connected.clone())
    });
    store.expect_find().returning(move |_| Ok(found.clone()));
    store.expect_settle().returning(|_, _| Ok(()));
    let mut log = MockCallLog::new();
    log.expect_add().returning(|_, _| Ok(()));
    let (mut asked, noted) = (MockCustomSystem::new(), calls.clone());
    asked.expect_product().returning(move |_, id| {
        noted.note(format!("read product {}", id.as_str()));
        let exchange = Exchange { status: 200, bytes: 90, attempts: 1, left_origin: false };
        let answered = product.clone().map(|value| Answered { value, unusable: Vec::new(), exchange });
        answered.map_err(Into::into)
    });
    let noted = calls.clone();
    asked.expect_order().returning(move |_, reference| {
        noted.note(format!("read order {}", reference.as_str()));
        let exchange = Exchange { status: 200, bytes: 90, attempts: 1, left_origin: false };
        let value = LookedUpOrder::new(an_order(status), Some("07701234567".to_owned()));
        Ok(Answered { value, unusable: Vec::new(), exchange })
    });
    CallSystem {
        system: Arc::new(asked),
        record: RecordCall { store: Arc::new(store), log: Arc::new(log), deps: some_deps() },
    }
}

fn an_order(status: OrderStatus) -> Order {
    let id = |written| ExternalId::of_text(written).unwrap();
    Order {
        id: id("o-1"),
        number: id("5005"),
        status,
        stage: status.into(),
        total: Money::of_number("15000").unwrap(),
        currency: None,
        placed_at: None,
        tracking: None,
        lines: vec![],
    }
}

fn line(product: &str, variant: Option<&str>) -> WantedLine {
    let id = |written| ExternalId::of_text(written).unwrap();
    WantedLine { product: id(product), variant: variant.map(id), quantity: NonZeroU32::new(2).unwrap() }
}

fn order(lines: Vec<WantedLine>) -> DraftRequest {
    let address = DeliveryAddress {
        line1: text("شارع 14"),
        city: text("بغداد"),
        province: text("بغداد"),
        country: Region::default(),
        notes: None,
    };
    let wanted = Wanted::Order { lines, name: None, phone: None, email: None, address, note: None };
    let key = IdempotencyKey { key: KEY.to_owned(), request: b"{}".to_vec() };
    DraftRequest {
        conversation: a_conversation().id,
        wanted,
        language: Language::Arabic,
        preamble: None,
        key: Some(key),
    }
}

fn two_of_milk() -> DraftRequest {
    order(vec![line("m1", None)])
}

fn member() -> Proposer {
    Proposer::Member(Uuid::from_u128(52).into())
}

/// The draft that has the key, for this request.
fn made_for(request: &[u8]) -> DraftHolder {
    DraftHolder { request_hash: a_hash("idempotent-request", request), id: draft_id() }
}

/// What is met and asked for, whether this is how it ends, and what was called until then.
type Refused = (World, DraftRequest, fn(&ProposeError) -> bool, &'static [&'static str]);

const READ: [&str; 4] = ["customer", "holder", "open system", "read product m1"];
const SENT: [&str; 3] = ["begin send", "ask network", "record send"];

#[pollster::test]
async fn a_draft_is_written_before_its_summary_is_sent() {
    for by in [member(), Proposer::Assistant(fence()), Proposer::TriedAssistant(fence())] {
        let (result, calls) = World::new().propose(by, &two_of_milk()).await;
        let made = result.unwrap().made.unwrap();
        assert_eq!((made.kind, made.state), (DraftKind::Order, DraftState::Open));
        assert_eq!((made.created_at, made.expires_at), (a_moment(), a_moment() + DRAFT_GOOD_FOR));
        let ended = [READ.as_slice(), &["write draft"], &SENT, &["finish reply"]].concat();
        assert_eq!(calls, ended);
    }
}

#[pollster::test]
async fn a_line_stands_above_the_summary_where_there_is_room_for_both() {
    let short: fn(&str) -> bool = |text| text.starts_with("سارة، مساعد آلي\n");
    for (preamble, is_right) in
        [("سارة، مساعد آلي", short), (&"س".repeat(1_000), |text| !text.contains("سس"))]
    {
        let request = DraftRequest { preamble: Some(preamble.to_owned()), ..two_of_milk() };
        let world = World { summary: is_right, ..World::new() };
        assert!(world.propose(member(), &request).await.0.is_ok());
    }
}

#[pollster::test]
async fn a_key_that_was_used_asks_neither_the_system_nor_the_customer_again() {
    let world = World { holder: Some(made_for(b"{}")), ..World::silent() };
    let (result, calls) = world.propose(member(), &two_of_milk()).await;
    assert_eq!(result.unwrap(), Proposed { draft: draft_id(), made: None });
    assert_eq!(calls, ["customer", "holder", "unsent summary"]);

    // Whoever made it has died before the network was asked.
    let world = World { holder: Some(made_for(b"{}")), unsent: Some(a_reply()), ..World::new() };
    let (result, calls) = world.propose(member(), &two_of_milk()).await;
    assert!(result.unwrap().made.is_none());
    assert_eq!(
        calls,
        [["customer", "holder", "unsent summary"].as_slice(), &SENT, &["finish reply"]].concat()
    );

    let world = World { holder: Some(made_for(b"another")), ..World::silent() };
    let (result, calls) = world.propose(member(), &two_of_milk()).await;
    assert!(matches!(result, Err(ProposeError::KeyReused)), "{result:?}");
    assert_eq!(calls, ["customer", "holder"]);
}

#[pollster::test]
async fn of_two_with_one_key_the_slower_sends_nothing() {
    for (holder, replayed) in [(made_for(b"{}"), true), (made_for(b"another"), false)] {
        let world = World { taken_meanwhile: Some(holder), ..World::silent() };
        let (result, calls) = world.propose(member(), &two_of_milk()).await;
        assert_eq!(result.is_ok(), replayed, "{result:?}");
        let more: &[&str] = if replayed { &["write draft", "unsent summary"] } else { &["write draft"] };
        assert_eq!(calls, [READ.as_slice(), more].concat());
    }
}

#[pollster::test]
async fn what_was_shipped_delivered_cancelled_or_paid_back_is_not_offered_to_be_cancelled() {
    let wanted = Wanted::Cancellation { reference: "5005".to_owned(), reason: text("ما يحتاجه") };
    let request = DraftRequest { wanted, ..two_of_milk() };
    let by = Proposer::Assistant(fence());
    for status in [OrderStatus::Shipped, OrderStatus::Delivered, OrderStatus::Refunded] {
        let (result, calls) = World { status, ..World::silent() }.propose(by, &request).await;
        let stands = match &result {
            Err(ProposeError::TooLate(order, currency)) => Some((order.status, currency.as_str())),
            _ => None,
        };
        assert_eq!(stands, Some((status, "IQD")), "{result:?}");
        assert_eq!(calls, [&READ[..3], &["read order 5005"]].concat());
    }
    for by in [by, member()] {
        let world = World { status: OrderStatus::Cancelled, ..World::silent() };
        let (result, _) = world.propose(by, &request).await;
        assert!(matches!(result, Err(ProposeError::AlreadyCancelled)), "{result:?}");
    }
}

#[pollster::test]
async fn what_cannot_be_proposed_is_never_written() {
    let mut out = milk();
    out.listing.availability = Availability::Out;
    let table: [Refused; 9] = [
        (
            World { customer: None, ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::UnknownConversation),
            &["customer"],
        ),
        (
            World { capabilities: None, ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::System(SystemError::NoSystem)),
            &READ[..3],
        ),
        (
            World { capabilities: Some(vec![Capability::Catalog]), ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::System(SystemError::NotDeclared(Capability::Orders))),
            &READ[..3],
        ),
        (
            // Whoever writes from a page has no number that the network vouches for.
            World {
                customer: Some(ConversationCustomer { network: ChannelKind::Instagram, ..customer() }),
                ..World::silent()
            },
            two_of_milk(),
            |error| matches!(error, ProposeError::NoVerifiedNumber),
            &READ[..3],
        ),
        (World::silent(), order(vec![]), |error| matches!(error, ProposeError::Invalid(_)), &READ[..3]),
        (
            World { product: Err(CallError::NOT_FOUND), ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::NotOrderable { line: 1 }),
            &READ,
        ),
        (
            World { product: Ok(out), ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::NotOrderable { line: 1 }),
            &READ,
        ),
        (
            World::silent(),
            order(vec![line("m1", Some("another"))]),
            |error| matches!(error, ProposeError::NotOrderable { line: 1 }),
            &READ,
        ),
        (
            World { product: Err(CallError::TimedOut), ..World::silent() },
            two_of_milk(),
            |error| matches!(error, ProposeError::System(SystemError::Call(CallError::TimedOut))),
            &READ,
        ),
    ];
    for (world, request, expected, called) in table {
        let (result, calls) = world.propose(member(), &request).await;
        assert!(result.as_ref().is_err_and(expected), "{result:?}");
        assert_eq!(calls, called, "{result:?}");
    }
}

#[pollster::test]
async fn a_number_of_no_plan_of_today_may_be_called_where_the_team_knows_somebody_by_it() {
    const THEIRS: &str = "+5215512345678";
    const LOOKED: &str = "look for +5215512345678";
    let own = || {
        let phone = PhoneNumber::from_e164(THEIRS).ok();
        ConversationCustomer { contact: Contact { phone, ..customer().contact }, ..customer() }
    };
    let calling = |typed: &str| {
        let mut request = two_of_milk();
        if let Wanted::Order { phone, .. } = &mut request.wanted {
            *phone = Some(typed.to_owned());
        }
        request
    };
    for (of, known, by, looked, taken) in [
        (own(), None, member(), false, true),
        (own(), None, Proposer::Assistant(fence()), false, true),
        (customer(), Some(THEIRS), member(), true, true),
        (customer(), None, member(), true, false),
        // Of somebody else a customer finds out nothing.
        (customer(), Some(THEIRS), Proposer::Assistant(fence()), false, false),
    ] {
        for typed in [THEIRS, "+52 1 55 1234 5678", "005215512345678"] {
            let world = if taken { World::new() } else { World::silent() };
            let world = World { customer: Some(of.clone()), known, ..world };
            let (result, calls) = world.propose(by, &calling(typed)).await;
            assert_eq!(calls.iter().any(|call| call == LOOKED), looked, "{typed} {calls:?}");
            match result {
                Ok(_) => assert!(taken, "{typed}"),
                Err(ProposeError::Invalid(why)) => {
                    assert!(!taken && why.contains("`phone`"), "{typed} {why}");
                }
                Err(other) => panic!("{typed} {other:?}"),
            }
        }
    }
}

#[pollster::test]
async fn a_lost_race_is_decided_again_by_a_member_and_not_by_a_turn() {
    let (result, calls) = World { stale: 2, ..World::new() }.propose(member(), &two_of_milk()).await;
    assert!(result.is_ok(), "{result:?}");
    let ended = [READ.as_slice(), &["write draft"; 3], &SENT, &["finish reply"]].concat();
    assert_eq!(calls, ended, "nothing is read twice");

    let (result, calls) =
        World { stale: 1, ..World::silent() }.propose(Proposer::Assistant(fence()), &two_of_milk()).await;
    assert!(matches!(result, Err(ProposeError::Store(StoreError::Stale))), "{result:?}");
    assert_eq!(calls, [READ.as_slice(), &["write draft"]].concat());

    let (result, calls) =
        World { stale: usize::MAX, ..World::silent() }.propose(member(), &two_of_milk()).await;
    assert!(matches!(result, Err(ProposeError::Store(StoreError::Stale))), "{result:?}");
    assert_eq!(calls.iter().filter(|call| *call == "write draft").count(), 8);
}

#[pollster::test]
async fn a_draft_whose_summary_the_network_refused_is_taken_back() {
    let refused = SendFailure::Refused { code: 131_047, subcode: None, message: "too late".to_owned() };
    let world = World { sending: Sending::Asked(Err(refused)), ..World::new() };
    let (result, calls) = world.propose(member(), &two_of_milk()).await;
    assert!(
        matches!(result, Err(ProposeError::Send(SendError::Refused(Refusal::Rejected { .. })))),
        "{result:?}"
    );
    assert_eq!(calls, [READ.as_slice(), &["write draft", "begin send", "ask network", "withdraw"]].concat());
}
