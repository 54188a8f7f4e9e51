//! How the execution of commitments uses its ports.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;
use time::{Duration, macros::datetime};

use super::{Carried, CarryOut};
use crate::{
    assistant::{AssistantMode, AssistantSettings, HandOver, ports::MockAssistantStore},
    automations::{Settings, ports::MockAutomationStore},
    channels::ChannelKind,
    consent::{
        BookingProposal, CARRIED_FOR, CancellationProposal, CommitmentState, DraftButton, DueCommitment,
        Proposal,
        fixtures::{customers, deps, due_order, milk, phone, text},
        ports::{CommitmentSettlement, MockCommitmentStore},
    },
    conversations::{ChangeConversation, ports::MockConversationStore},
    customer_records::{
        ConversationCustomer,
        ports::{CustomerStore, MockCustomerStore},
    },
    deps::Deps,
    errors::StoreError,
    events::EventType,
    external_id::ExternalId,
    ids::{ConversationId, MessageId, SystemId, WorkspaceId},
    language::Language,
    lease::LEASE,
    messages::{
        Context, Message, ReplyAuthor, Role, TappedReply,
        ports::{KeptMessage, MockMessageStore},
    },
    money::Money,
    orders::{LookedUpOrder, Order, OrderReference, OrderStatus},
    systems::{
        Answered, Appointment, Availability, CallError, Capability, FailedCall, Listing, Product, Slot,
        Slots, Span,
        call::fixtures::{answered, calling, workspace},
        ports::MockCustomSystem,
    },
    testing::{ManualClock, a_message, a_moment},
};

const NOT_PLACED: &str = "لم يُسجَّل الطلب. أحد زملائنا ينظر في الأمر.";

type Settled = Arc<Mutex<Vec<CommitmentSettlement>>>;

fn nobody_hands_over() -> HandOver {
    hands_over(None, 0)
}

/// Returns a hand-over that must run `times` times, under the owner's `settings`.
fn hands_over(settings: Option<AssistantSettings>, times: usize) -> HandOver {
    let mut store = MockAssistantStore::new();
    store.expect_settings().returning(move |_| Ok(settings.clone()));
    let mut conversations = MockConversationStore::new();
    conversations.expect_decision_context().times(times).returning(|_, _, _| Ok(None));
    let change = ChangeConversation { store: Arc::new(conversations), deps: deps() };
    let (mut hours, mut messages) = (MockAutomationStore::new(), MockMessageStore::new());
    hours.expect_settings().returning(|_| Ok(Settings::default()));
    messages.expect_list().returning(|_, _, _| Ok(Some(vec![])));
    let (hours, messages) = (Arc::new(hours), Arc::new(messages));
    HandOver { settings: Arc::new(store), hours, messages, change: Arc::new(change) }
}

fn of_assistant(due: DueCommitment) -> DueCommitment {
    DueCommitment { author: ReplyAuthor::Assistant, ..due }
}

/// Returns a store with what was said after the confirmation, given oldest first.
fn since_then(said: Vec<(Role, &'static str, Option<DraftButton>)>) -> Arc<MockMessageStore> {
    let mut store = MockMessageStore::new();
    store.expect_list().returning(move |_, _, _| {
        let said = said.iter().enumerate().map(|(place, (role, text, button))| {
            let tapped = button.map(|button| button.id_of(due_order(false).draft));
            let context = Context {
                reply: tapped.and_then(|id| TappedReply::told(Some(id), Some((*text).to_owned()))),
                ..Context::default()
            };
            let message = Message {
                role: *role,
                content: (*text).to_owned(),
                created_at: a_moment() + Duration::seconds(1 + i64::try_from(place).unwrap()),
                context,
                meta: None,
                ..a_message()
            };
            KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
        });
        Ok(Some(said.rev().collect()))
    });
    Arc::new(store)
}

fn carrying(due: DueCommitment, system: MockCustomSystem) -> (CarryOut, Settled) {
    let settled = Settled::default();
    let kept = settled.clone();
    let mut commitments = MockCommitmentStore::new();
    commitments.expect_claim_commitment().returning(move |_, _, _| Ok(Some(due.clone())));
    commitments.expect_mark_asked().returning(|_, _, _| Ok(true));
    commitments.expect_postpone_commitment().returning(|_, _, _| Ok(()));
    commitments.expect_settle_commitment().returning(move |_, _, settlement| {
        kept.lock().unwrap().push(settlement.clone());
        Ok(true)
    });
    let carry = CarryOut {
        systems: calling([Capability::Catalog, Capability::Orders], system),
        commitments: Arc::new(commitments),
        messages: since_then(vec![]),
        customers: customers(ChannelKind::Whatsapp),
        hand_over: nobody_hands_over(),
        deps: deps(),
    };
    (carry, settled)
}

fn placed(status: OrderStatus) -> Order {
    Order {
        id: ExternalId::of_number("7").unwrap(),
        number: ExternalId::of_text("A-7").unwrap(),
        status,
        stage: status.into(),
        total: Money::of_number("3000").unwrap(),
        currency: None,
        placed_at: None,
        tracking: None,
        lines: vec![],
    }
}

fn selling(product: Result<Answered<Product>, FailedCall>) -> MockCustomSystem {
    let mut system = MockCustomSystem::new();
    system.expect_product().returning(move |_, _| product.clone());
    system
}

#[test]
fn what_is_still_as_it_was_quoted_is_asked_for_with_its_key_and_told_of() {
    let mut system = selling(answered(milk()));
    system.expect_place_order().times(1).returning(|_, order| {
        assert_eq!(order.key.as_str(), "key");
        answered(placed(OrderStatus::Pending))
    });
    let (carry, settled) = carrying(due_order(false), system);
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::Done)));
    let settled = settled.lock().unwrap();
    let event = settled[0].event.as_ref().unwrap();
    assert_eq!((settled[0].state, event.kind), (CommitmentState::Done, EventType::OrderPlaced));
    assert!(settled[0].receipt.as_ref().unwrap().text.contains("A-7"));
    assert!(settled[0].next.is_none());
}

#[test]
fn what_the_customer_calls_off_before_the_system_is_asked_is_not_asked_for() {
    let no = |text| (Role::Customer, text, None);
    let asks = (Role::Assistant, "تحتاج شي ثاني؟", None);
    let change = (Role::Customer, "تعديل", Some(DraftButton::Change));
    for (said, asked, is_called_off) in [
        (vec![no("لا")], false, true),
        (vec![no("شكراً"), change], false, true),
        (vec![asks, change], false, true),
        // The "no" may answer the question that came in between.
        (vec![asks, no("لا")], false, false),
        (vec![no("شكراً")], false, false),
        // A word cannot take back what may have been done.
        (vec![no("لا")], true, false),
    ] {
        let mut system = selling(answered(milk()));
        system
            .expect_place_order()
            .times(usize::from(!is_called_off))
            .returning(|_, _| answered(placed(OrderStatus::Pending)));
        let (carry, settled) = carrying(due_order(asked), system);
        let carry = CarryOut { messages: since_then(said.clone()), ..carry };
        let state = if is_called_off { CommitmentState::Refused } else { CommitmentState::Done };
        assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(state)), "{said:?}");
        let settled = settled.lock().unwrap();
        let receipt = &settled[0].receipt.as_ref().unwrap().text;
        assert_eq!(receipt == NOT_PLACED, is_called_off, "{said:?}: {receipt}");
    }
}

#[test]
fn a_no_after_the_notice_that_it_takes_longer_calls_off_what_was_confirmed_as_well() {
    let due = due_order(false);
    let (carry, settled) = carrying(due.clone(), MockCustomSystem::new());
    let said = |of: Role, text: &str, id: MessageId, seconds| KeptMessage {
        message: Message {
            id,
            role: of,
            content: text.to_owned(),
            created_at: a_moment() + Duration::seconds(seconds),
            meta: None,
            ..a_message()
        },
        files: vec![],
        missing: vec![],
        awaited: vec![],
        sending: None,
    };
    let delay_message = said(Role::Assistant, "طلبك قيد الإرسال", due.delay_message(), 5);
    let no = said(Role::Customer, "لا", a_message().id, 9);
    let mut messages = MockMessageStore::new();
    messages.expect_list().returning(move |_, _, _| Ok(Some(vec![no.clone(), delay_message.clone()])));
    let carry = CarryOut { messages: Arc::new(messages), ..carry };
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::Refused)));
    assert_eq!(settled.lock().unwrap()[0].receipt.as_ref().unwrap().text, NOT_PLACED);
}

#[test]
fn what_takes_longer_is_told_of_once_in_the_customers_language_and_not_over_a_person() {
    let away = || {
        let mut system = MockCustomSystem::new();
        system.expect_product().returning(|_, _| Err(CallError::Down { status: 503, message: None }.into()));
        system
    };
    let english =
        "We are passing your order on, and it is not confirmed yet. We will tell you here what comes of it.";
    let arabic = "طلبك قيد الإرسال، ولم يصلنا تأكيده بعد. سنخبرك هنا بالنتيجة.";
    for (language, said, told) in [
        (Language::Arabic, vec![], Some(arabic)),
        (Language::English, vec![(Role::Customer, "؟", None)], Some(english)),
        (Language::Arabic, vec![(Role::Assistant, "تحتاج شي ثاني؟", None)], Some(arabic)),
        (Language::Arabic, vec![(Role::Team, "هلا، وياك أحمد", None)], None),
    ] {
        let due = DueCommitment { language, ..due_order(false) };
        let (carry, _) = carrying(due.clone(), away());
        let postponed = Arc::new(Mutex::new(Vec::new()));
        let (kept, claimed) = (postponed.clone(), due.clone());
        let mut commitments = MockCommitmentStore::new();
        commitments.expect_claim_commitment().returning(move |_, _, _| Ok(Some(claimed.clone())));
        commitments.expect_postpone_commitment().times(1).returning(move |_, id, postponed| {
            kept.lock().unwrap().push((id, postponed.clone()));
            Ok(())
        });
        let carry = CarryOut { commitments: Arc::new(commitments), messages: since_then(said), ..carry };
        let until = a_moment() + Duration::seconds(65);
        assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Again(until)));
        let (id, postponed) = postponed.lock().unwrap().pop().unwrap();
        assert_eq!((id, postponed.attempt, postponed.until), (due.id, 1, until));
        let delay_message = postponed.delay_message;
        assert_eq!(delay_message.as_ref().map(|delay_message| delay_message.text.as_str()), told);
        if let Some(delay_message) = delay_message {
            assert_eq!(
                (delay_message.id, delay_message.summary_of, delay_message.fence),
                (due.delay_message(), None, None)
            );
            assert_eq!(
                delay_message.until,
                a_moment() + CARRIED_FOR,
                "it is worth nothing once it has ended"
            );
        }
    }
}

/// Store that takes twelve seconds to find the customer.
struct SlowCustomers {
    store: Arc<MockCustomerStore>,
    clock: Arc<ManualClock>,
}

#[async_trait::async_trait]
impl CustomerStore for SlowCustomers {
    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<ConversationCustomer>, StoreError> {
        self.clock.pass(12).await;
        self.store.customer_of(workspace, conversation).await
    }
}

#[test]
fn what_takes_long_is_kept_from_others_while_it_is_carried_out() {
    let clock = Arc::new(ManualClock::at(a_moment()));
    let mut system = selling(answered(milk()));
    system.expect_place_order().times(1).returning(|_, _| answered(placed(OrderStatus::Pending)));
    let (carry, settled) = carrying(due_order(false), system);
    let mut commitments = MockCommitmentStore::new();
    commitments.expect_claim_commitment().times(1).returning(|_, now, until| {
        assert_eq!((now, until), (a_moment(), a_moment() + LEASE));
        Ok(Some(due_order(false)))
    });
    let renewed = Arc::new(Mutex::new(Vec::new()));
    let kept = renewed.clone();
    commitments.expect_renew_commitment().returning(move |_, id, attempt, until| {
        assert_eq!((id, attempt), (due_order(false).id, 1));
        kept.lock().unwrap().push(until - a_moment());
        Ok(true)
    });
    commitments.expect_mark_asked().returning(|_, _, _| Ok(true));
    let ended = settled.clone();
    commitments.expect_settle_commitment().returning(move |_, _, settlement| {
        ended.lock().unwrap().push(settlement.clone());
        Ok(true)
    });
    let carry = CarryOut {
        commitments: Arc::new(commitments),
        customers: Arc::new(SlowCustomers { store: customers(ChannelKind::Whatsapp), clock: clock.clone() }),
        deps: Deps { clock, ..deps() },
        ..carry
    };
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::Done)));
    assert_eq!(*renewed.lock().unwrap(), [13, 16, 19, 22].map(Duration::seconds));
    assert_eq!(settled.lock().unwrap().len(), 1);
}

#[test]
fn another_price_is_not_ordered_and_the_customer_is_asked_again() {
    let dearer = Product::of(Listing { price: Money::of_number("1750").unwrap(), ..milk().listing });
    let (carry, settled) = carrying(due_order(false), selling(answered(dearer)));
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::Changed)));
    let settled = settled.lock().unwrap();
    let next = settled[0].next.as_ref().unwrap();
    assert!(next.summary.text.contains("3,500") && next.summary.summary_of == Some(next.draft.id));
    assert!(settled[0].event.is_none() && settled[0].receipt.is_none());
}

#[test]
fn what_has_changed_while_the_customer_is_asked_about_something_else_ends_with_words_and_a_person() {
    let dearer = Product::of(Listing { price: Money::of_number("1750").unwrap(), ..milk().listing });
    for (due, times) in [(of_assistant(due_order(false)), 1), (due_order(false), 0)] {
        let (carry, settled) = carrying(due.clone(), selling(answered(dearer.clone())));
        let mut commitments = MockCommitmentStore::new();
        commitments.expect_claim_commitment().returning(move |_, _, _| Ok(Some(due.clone())));
        let kept = settled.clone();
        commitments.expect_settle_commitment().times(2).returning(move |_, _, settlement| {
            if settlement.next.is_some() {
                // Another draft is open.
                return Ok(false);
            }
            kept.lock().unwrap().push(settlement.clone());
            Ok(true)
        });
        let hand_over = hands_over(None, times);
        let carry = CarryOut { commitments: Arc::new(commitments), hand_over, ..carry };
        let told = "لم يُسجَّل الطلب. تغيّرت التفاصيل منذ الملخص السابق.".to_owned();
        assert_eq!(end_of(&carry, &settled), (CommitmentState::Changed, told));
    }
}

#[test]
fn what_was_done_at_another_total_or_time_is_told_as_it_is_and_a_person_is_asked_for() {
    let order = |total: &str, currency: Option<&str>| Order {
        total: Money::of_number(total).unwrap(),
        currency: currency.map(|code| code.parse().unwrap()),
        ..placed(OrderStatus::Pending)
    };
    for (placed, told, is_other) in [
        (order("3000", None), "3,000 د.ع", false),
        (order("3000.00", Some("IQD")), "3,000", false),
        (order("3500", None), "3,500 د.ع\nهذا المجموع غير الذي أكّدته.", true),
        (order("2500", None), "2,500 د.ع\nهذا المجموع غير الذي أكّدته.", true),
        (order("3000", Some("USD")), "USD\u{2069}\nهذا المجموع غير الذي أكّدته.", true),
    ] {
        for (due, times) in [(of_assistant(due_order(true)), usize::from(is_other)), (due_order(true), 0)] {
            let (mut system, answer) = (MockCustomSystem::new(), placed.clone());
            system.expect_place_order().times(1).returning(move |_, _| answered(answer.clone()));
            let (mut carry, settled) = carrying(due, system);
            carry.hand_over = hands_over(None, times);
            let ended = carry.run(workspace()).block_on().unwrap();
            assert_eq!(ended, Some(Carried::Ended(CommitmentState::Done)), "{told}");
            let settled = settled.lock().unwrap();
            let receipt = &settled[0].receipt.as_ref().unwrap().text;
            assert!(settled[0].event.is_some() && receipt.contains(told), "{receipt}");
            assert_eq!(receipt.contains("غير"), is_other, "{receipt}");
        }
    }
    for (minutes, is_other) in [(0, false), (30, true)] {
        let mut system = MockCustomSystem::new();
        system.expect_slots().returning(|_, _| answered(Slots { services: vec![], slots: vec![slot(0)] }));
        system.expect_book().times(1).returning(move |_, _| {
            let Slot { id, span, service } = slot(minutes);
            answered(Appointment { id, span, service, status: text("confirmed") })
        });
        let (mut carry, settled) = carrying(of_assistant(due_booking()), MockCustomSystem::new());
        carry.systems = calling([Capability::Appointments], system);
        carry.hand_over = hands_over(None, usize::from(is_other));
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Done)));
        let settled = settled.lock().unwrap();
        let receipt = &settled[0].receipt.as_ref().unwrap().text;
        let at = if is_other { "10:30" } else { "10:00" };
        assert!(receipt.contains(at) && receipt.contains("غير الذي أكّدته") == is_other, "{receipt}");
    }
}

#[test]
fn what_is_sold_out_or_gone_is_not_ordered() {
    let none = Product::of(Listing { availability: Availability::Out, ..milk().listing });
    for gone in [answered(none), Err(CallError::NOT_FOUND.into())] {
        let (carry, settled) = carrying(due_order(false), selling(gone));
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Changed)));
        let settled = settled.lock().unwrap();
        assert!(settled[0].next.is_none() && settled[0].event.is_none());
        assert!(settled[0].receipt.as_ref().unwrap().text.contains("لم يُسجَّل"));
    }
}

#[test]
fn what_may_have_been_asked_for_is_asked_for_again_and_compared_no_more() {
    let mut system = MockCustomSystem::new();
    system.expect_place_order().times(1).returning(|_, _| answered(placed(OrderStatus::Pending)));
    let (carry, settled) = carrying(due_order(true), system);
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::Done)));
    assert_eq!(settled.lock().unwrap().len(), 1);
}

#[test]
fn a_system_that_hangs_is_asked_again_later_and_at_last_the_team_is_left_with_it() {
    let hanging = || {
        let mut system = MockCustomSystem::new();
        system.expect_place_order().returning(|_, _| Err(CallError::TimedOut.into()));
        system
    };
    let (carry, settled) = carrying(due_order(true), hanging());
    let at = a_moment() + Duration::seconds(65);
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Again(at)));
    assert!(settled.lock().unwrap().is_empty());
    let old = DueCommitment { confirmed_at: a_moment() - Duration::minutes(30), ..due_order(true) };
    let (carry, settled) = carrying(old, hanging());
    assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(CommitmentState::GivenUp)));
    let settled = settled.lock().unwrap();
    assert!(settled[0].event.is_none() && settled[0].receipt.as_ref().unwrap().text.contains("لم يصلنا"));
}

fn end_of(carry: &CarryOut, settled: &Settled) -> (CommitmentState, String) {
    let carried = carry.run(workspace()).block_on().unwrap();
    let settled = settled.lock().unwrap();
    assert_eq!(carried, Some(Carried::Ended(settled[0].state)));
    assert!(settled[0].event.is_none() && settled[0].next.is_none());
    (settled[0].state, settled[0].receipt.as_ref().unwrap().text.clone())
}

#[test]
fn a_system_that_is_connected_later_has_promised_nothing() {
    let other: SystemId = uuid::Uuid::from_u128(99).into();
    for (asked, state, told) in [
        (false, CommitmentState::Refused, NOT_PLACED),
        (true, CommitmentState::GivenUp, "لم يصلنا تأكيد تسجيل طلبك."),
    ] {
        let due = DueCommitment { system: other, ..due_order(asked) };
        let (carry, settled) = carrying(due, MockCustomSystem::new());
        assert_eq!(end_of(&carry, &settled), (state, told.to_owned()), "asked: {asked}");
    }
}

#[test]
fn nobody_is_told_that_nothing_was_ordered_where_an_attempt_before_may_have_ordered_it() {
    let refused = |status| CallError::Refused { status, message: None };
    for (answer, state, told) in [
        (CallError::NOT_FOUND, CommitmentState::GivenUp, "لم يصلنا تأكيد تسجيل طلبك."),
        (refused(405), CommitmentState::GivenUp, "لم يصلنا تأكيد تسجيل طلبك."),
        (refused(409), CommitmentState::Refused, NOT_PLACED),
    ] {
        let mut system = MockCustomSystem::new();
        let error = answer.clone();
        system.expect_place_order().returning(move |_, _| Err(error.clone().into()));
        let (carry, settled) = carrying(due_order(true), system);
        assert_eq!(end_of(&carry, &settled), (state, told.to_owned()), "{answer:?}");
        // On a first attempt the system's refusal says that it was not done.
        let mut system = selling(answered(milk()));
        let error = answer.clone();
        system.expect_place_order().returning(move |_, _| Err(error.clone().into()));
        let (carry, settled) = carrying(due_order(false), system);
        let not_done = (CommitmentState::Refused, NOT_PLACED.to_owned());
        assert_eq!(end_of(&carry, &settled), not_done, "{answer:?}");
    }
    // The system may have done it before it stopped declaring the capability.
    let (mut carry, settled) = carrying(due_order(true), MockCustomSystem::new());
    carry.systems = calling([Capability::Catalog], MockCustomSystem::new());
    assert_eq!(end_of(&carry, &settled).0, CommitmentState::GivenUp);
}

fn due_cancellation(asked: bool) -> DueCommitment {
    let cancellation = CancellationProposal::of(
        OrderReference::read("A-7").unwrap(),
        &placed(OrderStatus::Pending),
        "IQD".parse().unwrap(),
        phone(),
        text("غيّرت رأيي"),
    );
    DueCommitment { proposal: Proposal::Cancellation(cancellation.unwrap()), ..due_order(asked) }
}

#[test]
fn a_cancellation_is_asked_for_only_of_that_number_s_own_order() {
    for (under, state) in [
        (Some("07701234567"), CommitmentState::Done),
        (Some("07701234568"), CommitmentState::Changed),
        (None, CommitmentState::Changed),
    ] {
        let mut system = MockCustomSystem::new();
        system.expect_order().returning(move |_, _| {
            answered(LookedUpOrder::new(placed(OrderStatus::Pending), under.map(str::to_owned)))
        });
        let calls = usize::from(state == CommitmentState::Done);
        system.expect_cancel_order().times(calls).returning(|_, _, _| answered(None));
        let (carry, settled) = carrying(due_cancellation(false), system);
        assert_eq!(carry.run(workspace()).block_on().unwrap(), Some(Carried::Ended(state)), "{under:?}");
        let settled = settled.lock().unwrap();
        let told = settled[0].event.as_ref().map(|event| event.kind);
        assert_eq!(told, (calls == 1).then_some(EventType::OrderCancelled));
    }
}

#[test]
fn an_order_that_is_cancelled_already_is_told_as_cancelled_and_not_cancelled_again() {
    // Cancelled by an earlier attempt, or by somebody else since the summary.
    for asked in [true, false] {
        let mut system = MockCustomSystem::new();
        system.expect_order().returning(|_, _| {
            answered(LookedUpOrder::new(placed(OrderStatus::Cancelled), Some("07701234567".to_owned())))
        });
        let (carry, settled) = carrying(due_cancellation(asked), system);
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Done)), "asked: {asked}");
        let settled = settled.lock().unwrap();
        assert!(settled[0].event.is_some());
        assert_eq!(settled[0].receipt.as_ref().unwrap().text, "تم إلغاء الطلب رقم \u{2066}A-7\u{2069}.");
    }
}

#[test]
fn what_an_assistant_has_proposed_while_it_is_tried_goes_no_further() {
    let settings = |mode| Some(AssistantSettings { mode, ..AssistantSettings::default() });
    // The mock system expects no call.
    let (mut carry, settled) = carrying(of_assistant(due_order(false)), MockCustomSystem::new());
    carry.hand_over = hands_over(settings(AssistantMode::Test), 0);
    let ended = carry.run(workspace()).block_on().unwrap();
    assert_eq!(ended, Some(Carried::Ended(CommitmentState::Tested)));
    let settled = settled.lock().unwrap();
    assert!(settled[0].event.is_none() && settled[0].next.is_none());
    assert!(settled[0].receipt.as_ref().unwrap().text.contains("تجربة"));
    // A proposal made in test mode stays a test after the assistant is switched on or off.
    for mode in [AssistantMode::On, AssistantMode::Off] {
        let due = DueCommitment { tried: true, ..of_assistant(due_order(false)) };
        let (mut carry, settled) = carrying(due, MockCustomSystem::new());
        carry.hand_over = hands_over(settings(mode), 0);
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Tested)), "{mode:?}");
        assert!(settled.lock().unwrap()[0].receipt.as_ref().unwrap().text.contains("تجربة"));
    }
    // A member's proposal is never a test, and what the system may have been asked for is carried to its end.
    for (due, mode) in [
        (due_order(false), AssistantMode::Test),
        (of_assistant(due_order(true)), AssistantMode::Test),
        (of_assistant(due_order(false)), AssistantMode::On),
        (of_assistant(due_order(false)), AssistantMode::Off),
    ] {
        let mut system = selling(answered(milk()));
        system.expect_place_order().times(1).returning(|_, _| answered(placed(OrderStatus::Pending)));
        let (mut carry, _) = carrying(due, system);
        carry.hand_over = hands_over(settings(mode), 0);
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Done)));
    }
}

#[test]
fn the_team_is_asked_for_where_what_an_assistant_proposed_was_not_done() {
    let refusing = || {
        let mut system = selling(answered(milk()));
        system
            .expect_place_order()
            .returning(|_, _| Err(CallError::Refused { status: 409, message: None }.into()));
        system
    };
    for (due, times) in [(of_assistant(due_order(false)), 1), (due_order(false), 0)] {
        let (mut carry, settled) = carrying(due, refusing());
        carry.hand_over = hands_over(None, times);
        let ended = carry.run(workspace()).block_on().unwrap();
        assert_eq!(ended, Some(Carried::Ended(CommitmentState::Refused)));
        assert!(settled.lock().unwrap()[0].receipt.is_some());
    }
}

/// Makes a slot that begins `minutes` after the booking's.
fn slot(minutes: i64) -> Slot {
    let at = datetime!(2030-01-02 10:00 +03:00) + Duration::minutes(minutes);
    Slot {
        id: ExternalId::of_text(&format!("s{minutes}")).unwrap(),
        span: Span::new(at, at + Duration::minutes(30)).unwrap(),
        service: text("تنظيف"),
    }
}

fn due_booking() -> DueCommitment {
    let Slot { id, span, service } = slot(0);
    let (name, phone) = (text("سارة"), phone());
    let booking = BookingProposal { slot: id, span, service, name, phone, note: None };
    DueCommitment { proposal: Proposal::Booking(booking), ..due_order(false) }
}

#[test]
fn whoever_comes_too_late_for_a_slot_is_told_what_is_free_instead() {
    let told = "لم يُثبَّت الحجز: هذا الموعد لم يعد متاحاً.\nأقرب المواعيد المتاحة:\n\
                • الأربعاء \u{2066}2030-01-02\u{2069}، 09:30\n• الأربعاء \u{2066}2030-01-02\u{2069}، 10:30\n• الأربعاء \u{2066}2030-01-02\u{2069}، 11:00";
    let other_service = || Slot { service: text("تبييض"), ..slot(15) };
    for (is_offered, state) in [(false, CommitmentState::Changed), (true, CommitmentState::Refused)] {
        let mut slots = vec![slot(240), other_service(), slot(30), slot(30), slot(-30), slot(60), slot(-90)];
        slots.extend(is_offered.then(|| slot(0)));
        let mut system = MockCustomSystem::new();
        system
            .expect_slots()
            .returning(move |_, _| answered(Slots { services: vec![], slots: slots.clone() }));
        let taken = || CallError::Refused { status: 409, message: None };
        system.expect_book().times(usize::from(is_offered)).returning(move |_, _| Err(taken().into()));
        let (mut carry, settled) = carrying(of_assistant(due_booking()), MockCustomSystem::new());
        carry.systems = calling([Capability::Appointments], system);
        // Nobody is asked to take over, whoever proposed it: the customer chooses another time.
        carry.hand_over = nobody_hands_over();
        assert_eq!(end_of(&carry, &settled), (state, told.to_owned()), "offered: {is_offered}");
    }
}

#[test]
fn the_other_of_two_chairs_is_free_instead_of_the_one_that_is_taken() {
    let other = Slot { id: ExternalId::of_text("chair-2").unwrap(), ..slot(0) };
    let mut system = MockCustomSystem::new();
    system
        .expect_slots()
        .returning(move |_, _| answered(Slots { services: vec![], slots: vec![other.clone()] }));
    let (mut carry, settled) = carrying(due_booking(), MockCustomSystem::new());
    carry.systems = calling([Capability::Appointments], system);
    let (state, told) = end_of(&carry, &settled);
    assert_eq!(state, CommitmentState::Changed);
    assert!(told.ends_with("• الأربعاء \u{2066}2030-01-02\u{2069}، 10:00"), "{told}");
}

#[test]
fn where_nothing_else_is_free_no_times_are_told() {
    let mut system = MockCustomSystem::new();
    system.expect_slots().returning(|_, _| answered(Slots::default()));
    let (mut carry, settled) = carrying(due_booking(), MockCustomSystem::new());
    carry.systems = calling([Capability::Appointments], system);
    let told = "لم يُثبَّت الحجز: هذا الموعد لم يعد متاحاً.".to_owned();
    assert_eq!(end_of(&carry, &settled), (CommitmentState::Changed, told));
}
