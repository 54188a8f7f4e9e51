//! Calls of the ports by a use case that looks customers up.

use std::sync::Arc;

use pollster::FutureExt;
use time::Duration;

use super::{LookUpCustomer, LookUpError};
use crate::{
    channels::ChannelKind,
    contacts::Contact,
    customer_records::{ConversationCustomer, ports::MockCustomerStore},
    external_id::ExternalId,
    money::Money,
    orders::{LookedUpOrder, Order, OrderStatus},
    phone::{PhoneNumber, Region},
    systems::{
        CallError, Capability, CustomerRecord, SlotQuery, Slots, SystemError,
        call::fixtures::{answered, calling, workspace},
        ports::MockCustomSystem,
    },
    testing::{a_contact, a_conversation, a_moment},
};

const OURS: &str = "+9647701234567";

fn customer(network: ChannelKind, has_written: bool) -> ConversationCustomer {
    let phone = Some(PhoneNumber::from_e164(OURS).unwrap());
    ConversationCustomer {
        conversation: a_conversation().id,
        network,
        has_written,
        contact: Contact { phone, ..a_contact() },
        region: Region::default(),
    }
}

fn look_up(customer: Option<ConversationCustomer>, system: MockCustomSystem) -> LookUpCustomer {
    let mut customers = MockCustomerStore::new();
    customers.expect_customer_of().returning(move |_, _| Ok(customer.clone()));
    LookUpCustomer { systems: calling(Capability::ALL, system), customers: Arc::new(customers) }
}

fn placed_under(phone: Option<&str>) -> LookedUpOrder {
    let order = Order {
        id: ExternalId::of_number("7").unwrap(),
        number: ExternalId::of_text("A-7").unwrap(),
        status: OrderStatus::Shipped,
        stage: OrderStatus::Shipped.into(),
        total: Money::of_number("15000").unwrap(),
        currency: None,
        placed_at: None,
        tracking: None,
        lines: vec![],
    };
    LookedUpOrder::new(order, phone.map(str::to_owned))
}

#[test]
fn an_order_is_shown_where_it_was_placed_under_the_number_that_writes_and_else_not_found() {
    for (phone, shown) in [
        (Some("07701234567"), true),
        (Some("٠٧٧٠١٢٣٤٥٦٧"), true),
        (Some("+9647701234568"), false),
        (Some(""), false),
        (None, false),
    ] {
        let mut system = MockCustomSystem::new();
        system
            .expect_order()
            .withf(|_, reference| reference.as_str() == "1001")
            .returning(move |_, _| answered(placed_under(phone)));
        let look_up = look_up(Some(customer(ChannelKind::Whatsapp, true)), system);
        match look_up.order(workspace(), a_conversation().id, "#1001").block_on() {
            Ok((order, currency)) => assert!(shown && order.number.as_str() == "A-7", "{phone:?} {currency}"),
            Err(LookUpError::System(SystemError::Call(CallError::NotFound { .. }))) => {
                assert!(!shown, "{phone:?}");
            }
            Err(other) => panic!("{phone:?}: {other}"),
        }
    }
    // A reference that no system can have is not found either, and nobody is asked.
    let nobody = look_up(Some(customer(ChannelKind::Whatsapp, true)), MockCustomSystem::new());
    let refused = nobody.order(workspace(), a_conversation().id, "#").block_on().unwrap_err();
    assert!(matches!(refused, LookUpError::System(SystemError::Call(CallError::NotFound { .. }))));
}

#[test]
fn whoever_has_no_verified_number_has_neither_orders_nor_a_record_looked_up() {
    for (network, has_written) in
        [(ChannelKind::Whatsapp, false), (ChannelKind::Messenger, true), (ChannelKind::Instagram, true)]
    {
        // The mock expects no call of the system.
        let look_up = look_up(Some(customer(network, has_written)), MockCustomSystem::new());
        let order = look_up.order(workspace(), a_conversation().id, "1001").block_on().unwrap_err();
        let record = look_up.record(workspace(), a_conversation().id).block_on().unwrap_err();
        for refused in [order, record] {
            assert!(matches!(refused, LookUpError::NoVerifiedNumber), "{network:?}: {refused}");
        }
    }
}

#[test]
fn a_record_is_asked_for_by_the_number_that_writes() {
    let mut system = MockCustomSystem::new();
    system
        .expect_customer()
        .withf(|_, phone| phone.as_str() == OURS)
        .returning(|_, _| answered(Some(CustomerRecord { id: None, name: None, fields: Vec::new() })));
    let look_up = look_up(Some(customer(ChannelKind::Whatsapp, true)), system);
    assert!(look_up.record(workspace(), a_conversation().id).block_on().unwrap().is_some());

    let mut system = MockCustomSystem::new();
    system.expect_customer().returning(|_, _| Err(CallError::NOT_FOUND.into()));
    let nobody = self::look_up(Some(customer(ChannelKind::Whatsapp, true)), system);
    assert_eq!(nobody.record(workspace(), a_conversation().id).block_on().unwrap(), None);
}

#[test]
fn anybody_is_offered_times_but_in_no_conversation_of_another_workspace() {
    let query = SlotQuery { from: a_moment(), to: a_moment() + Duration::days(7), service: None };
    let mut system = MockCustomSystem::new();
    system.expect_slots().returning(|_, _| answered(Slots::default()));
    let known = look_up(Some(customer(ChannelKind::Instagram, true)), system);
    assert_eq!(known.slots(workspace(), a_conversation().id, &query).block_on().unwrap(), Slots::default());

    let unknown = look_up(None, MockCustomSystem::new());
    let order = unknown.order(workspace(), a_conversation().id, "1001").block_on().unwrap_err();
    let record = unknown.record(workspace(), a_conversation().id).block_on().unwrap_err();
    let slots = unknown.slots(workspace(), a_conversation().id, &query).block_on().unwrap_err();
    for refused in [order, record, slots] {
        assert!(matches!(refused, LookUpError::UnknownConversation), "{refused}");
    }
}
