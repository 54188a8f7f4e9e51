//! Orders over the wire.

use serde_json::{Value, json};

use crate::call::Call;
use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::state::orders::Order;

pub(super) async fn create(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let key = call.text("idempotencyKey").to_owned();
    let seen = core.state().order_of_key(&key).map(Order::shown);
    if let Some(order) = seen.filter(|_| !strikes(Fault::OrderRepeatedCreatesSecond)) {
        let created = strikes(Fault::OrderRepeatedAnswers201);
        return if created { Reply::created(order) } else { Reply::ok(order) };
    }
    let at_once = strikes(Fault::OrderRepeatedAtOnceCreatesSecond);
    if at_once {
        core.meet(&key).await;
    }
    // Nothing waits from here to the end: of two calls with one key, the second finds the first's order.
    let mut state = core.state();
    if !at_once
        && !strikes(Fault::OrderRepeatedCreatesSecond)
        && let Some(order) = state.order_of_key(&key)
    {
        return Reply::ok(order.shown());
    }
    match state.place(&call.body, core.clock.now(), strikes(Fault::UnknownVariantAccepted)) {
        Ok(order) => Reply::created(order.shown()),
        Err(refused) => refused.into(),
    }
}

pub(super) fn show(core: &Core, call: &Call) -> Reply {
    let reference = call.reference.as_str();
    let state = core.state();
    let found = if core.strikes(Fault::HashNotFound, call.route) && !reference.starts_with("ord_") {
        reference.strip_prefix('#').and_then(|number| state.order(number))
    } else if core.strikes(Fault::OrderByIdNotFound, call.route) && reference.starts_with("ord_") {
        None
    } else {
        state.order(reference)
    };
    match found {
        Some(order) => Reply::ok(order.shown()),
        None if core.strikes(Fault::UnknownOrder200, call.route) => Reply::ok(Value::Null),
        None => Reply::refusal(404, "there is no such order"),
    }
}

pub(super) fn cancel(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let mut state = core.state();
    let known = state.order(&call.reference).map(Order::shown);
    match known {
        None if strikes(Fault::CancelUnknown200) => return Reply::ok(json!({})),
        Some(order) if strikes(Fault::CancelDoesNothing) => {
            let cancellable = order.get("status").is_some_and(|status| status == "pending");
            if cancellable {
                return Reply::ok(order);
            }
        }
        _ => {}
    }
    match state.cancel(&call.reference, strikes(Fault::CancelOfShippedSucceeds)) {
        Ok(_) if strikes(Fault::CancelAnswersEmpty) => Reply { status: 204, body: None },
        Ok(order) if strikes(Fault::CancelAnswersWrapped) => Reply::ok(json!({ "order": order.shown() })),
        Ok(order) => Reply::ok(order.shown()),
        Err(refused) => refused.into(),
    }
}
