//! Customers and leads over the wire.

use serde_json::{Value, json};

use crate::call::Call;
use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::state::customer::Customer;

pub(super) fn look_up(core: &Core, call: &Call) -> Reply {
    let Some(phone) = call.parameter("phone").filter(|phone| !phone.is_empty()) else {
        return Reply::refusal(422, "phone is missing");
    };
    let misread = core.strikes(Fault::LookupReadsPlusAsSpace, call.route);
    let state = core.state();
    let customer = state.customer(phone).filter(|_| !misread).map(Customer::shown);
    match customer {
        None if core.strikes(Fault::LookupUnknownIs404, call.route) => {
            Reply::refusal(404, "there is no record")
        }
        Some(customer) if core.strikes(Fault::CustomerNotWrapped, call.route) => Reply::ok(customer),
        customer => Reply::ok(json!({ "customer": customer })),
    }
}

pub(super) fn keep_lead(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let kept = core.state().keep_lead(&call.body, strikes(Fault::LeadRepeatedCreatesSecond));
    match kept {
        Ok(_) if strikes(Fault::LeadWithoutId) => Reply::ok(json!({ "customer": Value::Null })),
        Ok(id) => Reply::ok(json!({ "customer": { "id": id } })),
        Err(refused) => refused.into(),
    }
}
