//! Spoiling of the shop's answers by faults.

mod appointments;
mod customers;
mod fields;
mod instead;
mod orders;
mod products;
mod wire;

use serde_json::{Value, json};

use crate::call::Call;
use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::route::Route;
use fields::set;

pub(crate) use instead::{instead, missing, redirected};
pub(crate) use wire::wire;

/// Spoils the answer of a call that was carried out.
pub(crate) fn shape(core: &Core, call: &Call, reply: &mut Reply) {
    let strikes = |fault| core.strikes(fault, call.route);
    if !reply.is_success() {
        refusal(&strikes, call.route, reply);
        return;
    }
    let Some(body) = reply.body.as_mut() else { return };
    match call.route {
        Route::Verify => verify(&strikes, body),
        Route::Products => products::list(&strikes, body),
        Route::Product => products::one(&strikes, body),
        Route::OrderCreate | Route::OrderCancel => orders::answered(&strikes, body, false),
        Route::Order => orders::answered(&strikes, body, true),
        Route::CustomerLookup => customers::record(&strikes, body),
        Route::CustomerCreate => {}
        Route::Slots => appointments::slots(&strikes, body),
        Route::AppointmentCreate => appointments::booked(&strikes, body),
    }
}

fn refusal(strikes: &impl Fn(Fault) -> bool, route: Route, reply: &mut Reply) {
    let silent = match (route, reply.status) {
        (Route::OrderCreate, 409 | 422) => strikes(Fault::OrderRefusalWithoutMessage),
        (Route::OrderCancel, 409) => strikes(Fault::CancelConflictWithoutMessage),
        (Route::AppointmentCreate, 409) => strikes(Fault::SlotConflictWithoutMessage),
        _ => false,
    };
    if silent {
        reply.body = Some(json!({}));
    }
}

fn verify(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    let Some(answer) = body.as_object_mut() else { return };
    if strikes(Fault::NoCapabilities) {
        answer.remove("capabilities");
    }
    if strikes(Fault::NameMissing) {
        answer.remove("name");
    }
    if strikes(Fault::CapabilityUnknown)
        && let Some(list) = answer.get_mut("capabilities").and_then(Value::as_array_mut)
    {
        list.push(json!("loyalty"));
    }
    set(strikes, answer, Fault::CurrencyNotIso, "currency", json!("د.ع"));
    set(strikes, answer, Fault::CapabilitiesEmpty, "capabilities", json!([]));
    set(
        strikes,
        answer,
        Fault::CapabilitiesAsText,
        "capabilities",
        json!("catalog,orders,customers,appointments"),
    );
}
