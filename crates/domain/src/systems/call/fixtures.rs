//! A connected system, for tests of its callers.

use std::sync::Arc;

use crate::{
    external_id::ExternalId,
    ids::WorkspaceId,
    money::Money,
    systems::{
        Answered, Availability, CallSystem, Capabilities, Capability, ConnectedSystem, Exchange, FailedCall,
        Introduction, Listing, Product, RecordCall, SystemBase, SystemConnection, SystemSecret,
        ports::{MockCallLog, MockCustomSystem, MockSystemStore},
    },
    testing::{a_moment, some_deps},
    text::PlainText,
};

pub(crate) fn workspace() -> WorkspaceId {
    uuid::Uuid::from_u128(7).into()
}

/// Creates a system that declares these capabilities.
pub(crate) fn connected(capabilities: impl IntoIterator<Item = Capability>) -> ConnectedSystem {
    let base = SystemBase::parse("https://shop.example/api").unwrap();
    let introduction = Introduction {
        name: PlainText::read("متجر النخيل", 200).unwrap(),
        currency: "IQD".parse().unwrap(),
        capabilities: capabilities.into_iter().collect::<Capabilities>(),
    };
    let connection = SystemConnection::new(uuid::Uuid::from_u128(1).into(), base, introduction, a_moment());
    ConnectedSystem { connection, secret: SystemSecret::parse("s3cret").unwrap() }
}

/// Creates the use case that calls `system`, which declares these capabilities; takes any records of calls.
pub(crate) fn calling(
    capabilities: impl IntoIterator<Item = Capability>,
    system: MockCustomSystem,
) -> CallSystem {
    let (mut store, mut log) = (MockSystemStore::new(), MockCallLog::new());
    let connected = connected(capabilities);
    let found = connected.connection.clone();
    store.expect_open().returning(move |_| Ok(Some(connected.clone())));
    store.expect_find().returning(move |_| Ok(Some(found.clone())));
    store.expect_settle().returning(|_, _| Ok(()));
    log.expect_add().returning(|_, _| Ok(()));
    over(store, log, system)
}

pub(crate) fn over(store: MockSystemStore, log: MockCallLog, system: MockCustomSystem) -> CallSystem {
    let record = RecordCall { store: Arc::new(store), log: Arc::new(log), deps: some_deps() };
    CallSystem { system: Arc::new(system), record }
}

#[expect(clippy::unnecessary_wraps, reason = "it is what a mock of a call returns")]
pub(crate) fn answered<T>(value: T) -> Result<Answered<T>, FailedCall> {
    let exchange = Exchange { status: 200, bytes: 90, attempts: 1, left_origin: false };
    Ok(Answered { value, unusable: Vec::new(), exchange })
}

pub(crate) fn product(id: &str, title: &str) -> Product {
    Product::of(Listing {
        id: ExternalId::of_text(id).unwrap(),
        title: PlainText::read(title, 200).unwrap(),
        price: Money::of_number("1500").unwrap(),
        availability: Availability::In,
    })
}
