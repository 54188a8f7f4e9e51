//! Drafts and commitments for tests.

use std::{num::NonZeroU32, sync::Arc};

use time::Duration;
use uuid::Uuid;

use super::{DRAFT_GOOD_FOR, Draft, DueCommitment, OrderProposal, Proposal, ProposedLine};
use crate::{
    channels::ChannelKind,
    contacts::Contact,
    customer_records::{ConversationCustomer, ports::MockCustomerStore},
    deps::Deps,
    language::Language,
    orders::{CreationKey, DeliveryAddress, Recipient},
    phone::{PhoneNumber, Region},
    signals::MockSignals,
    systems::{Product, call::fixtures::product},
    testing::{ManualClock, SequentialIds, a_contact, a_conversation, a_moment},
    text::PlainText,
};

pub(crate) const PHONE: &str = "+9647701234567";

pub(crate) fn text(text: &str) -> PlainText {
    PlainText::read(text, 200).unwrap()
}

pub(crate) fn phone() -> PhoneNumber {
    PhoneNumber::from_e164(PHONE).unwrap()
}

pub(crate) fn customer(network: ChannelKind) -> ConversationCustomer {
    let contact = Contact { phone: Some(phone()), name: Some("سارة".to_owned()), ..a_contact() };
    ConversationCustomer {
        conversation: a_conversation().id,
        network,
        has_written: true,
        contact,
        region: Region::default(),
    }
}

pub(crate) fn customers(network: ChannelKind) -> Arc<MockCustomerStore> {
    let mut customers = MockCustomerStore::new();
    customers
        .expect_customer_of()
        .returning(move |_, id| Ok(Some(customer(network)).filter(|customer| customer.conversation == id)));
    Arc::new(customers)
}

pub(crate) fn address() -> DeliveryAddress {
    DeliveryAddress {
        line1: text("شارع 14"),
        city: text("الكرادة"),
        province: text("بغداد"),
        country: Region::default(),
        notes: None,
    }
}

/// Makes an order of two pieces of `product`.
pub(crate) fn order_of(product: &Product) -> Proposal {
    let currency = "IQD".parse().unwrap();
    let quantity = NonZeroU32::new(2).unwrap();
    let line = ProposedLine::of(product, &product.listing.id, quantity, currency).unwrap();
    let recipient = Recipient { name: text("سارة"), phone: phone(), email: None };
    Proposal::Order(OrderProposal { lines: vec![line], currency, recipient, address: address(), note: None })
}

pub(crate) fn milk() -> Product {
    product("m1", "حليب")
}

pub(crate) fn a_draft() -> Draft {
    Draft {
        id: Uuid::from_u128(50).into(),
        conversation: a_conversation().id,
        proposal: order_of(&milk()),
        summary: Uuid::from_u128(51).into(),
        author: crate::messages::ReplyAuthor::Member(Uuid::from_u128(52).into()),
        system: Uuid::from_u128(1).into(),
        language: Language::Arabic,
        tried: false,
        created_at: a_moment(),
        expires_at: a_moment() + DRAFT_GOOD_FOR,
    }
}

/// Makes the commitment of [`a_draft`].
pub(crate) fn due_order(asked: bool) -> DueCommitment {
    let draft = a_draft();
    DueCommitment {
        id: Uuid::from_u128(60).into(),
        draft: draft.id,
        conversation: draft.conversation,
        proposal: draft.proposal,
        key: CreationKey::parse("key").unwrap(),
        author: draft.author,
        system: draft.system,
        language: draft.language,
        tried: draft.tried,
        confirmed_at: a_moment(),
        asked,
        attempt: 1,
    }
}

/// Makes dependencies whose clock stands a minute after the moment.
pub(crate) fn deps() -> Deps {
    let mut signals = MockSignals::new();
    signals.expect_deliveries_due().return_const(());
    Deps {
        clock: Arc::new(ManualClock::at(a_moment() + Duration::MINUTE)),
        ids: Arc::new(SequentialIds::default()),
        signals: Arc::new(signals),
    }
}
