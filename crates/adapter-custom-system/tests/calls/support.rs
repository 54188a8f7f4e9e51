//! The client under test, and what it is asked.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use adapter_custom_system::{CustomSystemClient, LIMITS};
use domain::{
    external_id::ExternalId,
    orders::{CreationKey, DeliveryAddress, OrderReference, OrderRequest, OrderedLine, Recipient},
    phone::{PhoneNumber, Region},
    systems::{
        Booking, CallError, Exchange, FailedCall, LeadPush, ProductQuery, Route, SlotQuery, SystemBase,
        SystemSecret, Unusable,
        ports::{CustomSystem as _, SystemCall},
    },
    testing::{ManualClock, a_moment},
    text::PlainText,
};
use guarded_http::{GuardedClient, Limits, Policy};
use time::macros::datetime;

pub(crate) const SECRET: &str = "hush-7001";
pub(crate) const PHONE: &str = "+9647701234567";

/// A client that may call loopback, whose exchanges take `timeout` at most.
pub(crate) fn client_within(timeout: Duration) -> CustomSystemClient {
    let policy = Policy { allowed: vec!["127.0.0.1/32".parse().unwrap()] };
    let client = GuardedClient::new(policy, Limits { timeout, ..LIMITS }).unwrap();
    CustomSystemClient::new(client, Arc::new(ManualClock::at(a_moment())))
}

pub(crate) fn client() -> CustomSystemClient {
    client_within(LIMITS.timeout)
}

pub(crate) fn call_to(base: &str, within: Duration) -> SystemCall {
    SystemCall {
        workspace: uuid_of(1).into(),
        base: SystemBase::parse(base).unwrap(),
        secret: SystemSecret::parse(SECRET).unwrap(),
        within,
    }
}

pub(crate) fn call(port: u16) -> SystemCall {
    call_to(&format!("http://127.0.0.1:{port}/api/v2"), Duration::from_secs(25))
}

/// Makes the same call from another workspace.
pub(crate) fn call_of_another(port: u16) -> SystemCall {
    SystemCall { workspace: uuid_of(2).into(), ..call(port) }
}

pub(crate) fn text(text: &str) -> PlainText {
    PlainText::read(text, 400).unwrap()
}

pub(crate) fn phone() -> PhoneNumber {
    PhoneNumber::from_e164(PHONE).unwrap()
}

pub(crate) fn reference(typed: &str) -> OrderReference {
    OrderReference::read(typed).unwrap()
}

pub(crate) fn a_query() -> ProductQuery {
    ProductQuery {
        words: text("حليب أطفال + ٢"), limit: 20, category: Some(text("أطفال & رضع"))
    }
}

pub(crate) fn an_order() -> OrderRequest {
    OrderRequest {
        key: CreationKey::parse("order-key-1").unwrap(),
        lines: vec![
            OrderedLine {
                variant: ExternalId::of_number("9007199254740993").unwrap(),
                quantity: NonZeroU32::new(2).unwrap(),
            },
            OrderedLine { variant: ExternalId::of_text("0012").unwrap(), quantity: NonZeroU32::MIN },
        ],
        recipient: Recipient { name: text("زينب"), phone: phone(), email: None },
        address: DeliveryAddress {
            line1: text("قرب الجامع"),
            city: text("بغداد"),
            province: text("الكرخ"),
            country: Region::default(),
            notes: Some(text("الطابق الثاني")),
        },
        note: None,
    }
}

pub(crate) fn a_lead() -> LeadPush {
    LeadPush {
        name: Some(text("زينب")),
        phone: phone(),
        note: Some(text("تريد عرض سعر")),
        conversation: uuid_of(7).into(),
    }
}

fn uuid_of(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

pub(crate) fn a_booking() -> Booking {
    Booking {
        key: CreationKey::parse("booking-key-1").unwrap(),
        slot: ExternalId::of_text("slot/1").unwrap(),
        service: text("تنظيف"),
        name: text("زينب"),
        phone: phone(),
        note: None,
    }
}

pub(crate) fn a_slot_query() -> SlotQuery {
    SlotQuery {
        from: datetime!(2026-11-22 09:00 +03:00),
        to: datetime!(2026-11-23 00:00 UTC),
        service: Some(text("تنظيف")),
    }
}

/// Calls as [`call_of`] does; of a failure only the error matters.
pub(crate) async fn ask(
    client: &CustomSystemClient,
    call: &SystemCall,
    route: Route,
) -> Result<(Exchange, Vec<Unusable>), CallError> {
    call_of(client, call, route).await.map_err(|failed| failed.error)
}

/// Makes any of the ten calls, with the parameters of the other tests.
pub(crate) async fn call_of(
    client: &CustomSystemClient,
    call: &SystemCall,
    route: Route,
) -> Result<(Exchange, Vec<Unusable>), FailedCall> {
    match route {
        Route::Verify => client.verify(call).await.map(|it| (it.exchange, it.unusable)),
        Route::SearchProducts => {
            client.search_products(call, &a_query()).await.map(|it| (it.exchange, it.unusable))
        }
        Route::Product => {
            let id = ExternalId::of_text("a/b #1").unwrap();
            client.product(call, &id).await.map(|it| (it.exchange, it.unusable))
        }
        Route::PlaceOrder => client.place_order(call, &an_order()).await.map(|it| (it.exchange, it.unusable)),
        Route::Order => client.order(call, &reference("#A/10")).await.map(|it| (it.exchange, it.unusable)),
        Route::CancelOrder => {
            let cancelled = client.cancel_order(call, &reference("#A/10"), &text("تأخر")).await;
            cancelled.map(|it| (it.exchange, it.unusable))
        }
        Route::Customer => client.customer(call, &phone()).await.map(|it| (it.exchange, it.unusable)),
        Route::PushLead => client.push_lead(call, &a_lead()).await.map(|it| (it.exchange, it.unusable)),
        Route::Slots => client.slots(call, &a_slot_query()).await.map(|it| (it.exchange, it.unusable)),
        Route::Book => client.book(call, &a_booking()).await.map(|it| (it.exchange, it.unusable)),
    }
}

/// Returns an answer that each call can read whole.
pub(crate) const fn good(route: Route) -> &'static str {
    match route {
        Route::Verify => r#"{"name":"متجر","currency":"IQD","capabilities":["catalog"]}"#,
        Route::SearchProducts => r#"{"products":[{"id":1,"title":"حليب","price":1250.50,"inStock":true}]}"#,
        Route::Product => r#"{"id":1,"title":"حليب","price":1250.50,"inStock":true}"#,
        Route::PlaceOrder | Route::Order | Route::CancelOrder => {
            r#"{"id":5,"number":"A/10","status":"new","total":2500,"customerPhone":"07701234567"}"#
        }
        Route::Customer => r#"{"customer":{"fields":{"الرصيد":1500}}}"#,
        Route::PushLead => r#"{"customer":{"id":9}}"#,
        Route::Slots => {
            r#"{"slots":[{"id":1,"startsAt":"2026-11-22T09:00:00+03:00","endsAt":"2026-11-22T09:30:00+03:00","service":"x"}]}"#
        }
        Route::Book => {
            r#"{"appointment":{"id":1,"startsAt":"2026-11-22T09:00:00+03:00","endsAt":"2026-11-22T09:30:00+03:00","service":"x","status":"confirmed"}}"#
        }
    }
}
