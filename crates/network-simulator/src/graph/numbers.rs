//! Phone numbers: list, one, registration.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::GraphError;
use super::paging::{page, select};
use crate::config::Number;
use crate::core::Core;
use crate::world::World;

/// Most registrations and deregistrations of a number in 72 hours.
const MOST_REGISTRATIONS: usize = 10;

/// Without `status`, which has to be asked for.
const DEFAULT_FIELDS: [&str; 6] = [
    "verified_name",
    "code_verification_status",
    "display_phone_number",
    "quality_rating",
    "platform_type",
    "throughput",
];

pub(super) fn list(core: &Core, call: &Call) -> Result<Value, GraphError> {
    let numbers = core.world().account(call.id()).map(|account| account.numbers.clone()).unwrap_or_default();
    let rows = (0..).zip(numbers).collect();
    page(core, call, rows, |number| select(&row(&number), call, &DEFAULT_FIELDS)).map(Value::Object)
}

pub(super) fn get(core: &Core, call: &Call) -> Result<Value, GraphError> {
    with_number(core, call, |number| select(&row(number), call, &DEFAULT_FIELDS))
}

pub(super) fn register(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.parameter("messaging_product") != Some("whatsapp") {
        return Err(GraphError::parameter("The parameter messaging_product is required."));
    }
    let pin = call.parameter("pin").unwrap_or_default();
    if pin.len() != 6 || !pin.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(GraphError::parameter("Param pin must be 6 digits."));
    }
    count(core, call)?;
    with_number(core, call, |number| {
        if number.pin.get_or_insert_with(|| pin.to_owned()) != pin {
            return Err(GraphError::of(133_005));
        }
        Ok(set_status(number, "CONNECTED"))
    })?
}

pub(super) fn deregister(core: &Core, call: &Call) -> Result<Value, GraphError> {
    count(core, call)?;
    with_number(core, call, |number| set_status(number, "DISCONNECTED"))
}

/// Counts a registration or deregistration; refuses more than ten of both in 72 hours.
fn count(core: &Core, call: &Call) -> Result<(), GraphError> {
    let now = Instant::now();
    let mut world = core.world();
    let made = world.registrations.entry(call.id().to_owned()).or_default();
    made.retain(|at| now.duration_since(*at) < Duration::from_hours(72));
    if made.len() >= MOST_REGISTRATIONS {
        return Err(GraphError::of(133_016));
    }
    made.push(now);
    drop(world);
    Ok(())
}

fn set_status(number: &mut Number, status: &str) -> Value {
    status.clone_into(&mut number.status);
    json!({ "success": true })
}

fn with_number<T>(core: &Core, call: &Call, then: impl FnOnce(&mut Number) -> T) -> Result<T, GraphError> {
    let mut world = core.world();
    let number = account_id(&world, call.id()).and_then(|id| world.account_mut(&id)?.number_mut(call.id()));
    number.map(then).ok_or_else(|| GraphError::missing_object(call.method.as_str(), call.id()))
}

fn account_id(world: &World, phone_number_id: &str) -> Option<String> {
    Some(world.sender(phone_number_id)?.account_id)
}

fn row(number: &Number) -> Map<String, Value> {
    let connected = number.status == "CONNECTED";
    let row = json!({
        "id": number.id,
        "display_phone_number": number.display_phone_number,
        "verified_name": number.verified_name,
        "status": number.status,
        "quality_rating": if connected { number.quality.as_str() } else { "UNKNOWN" },
        "messaging_limit_tier": number.messaging_limit,
        "whatsapp_business_manager_messaging_limit": number.messaging_limit,
        "code_verification_status": if connected { "VERIFIED" } else { "NOT_VERIFIED" },
        "name_status": "APPROVED",
        "platform_type": if connected { "CLOUD_API" } else { "NOT_APPLICABLE" },
        "throughput": { "level": if connected { "STANDARD" } else { "NOT_APPLICABLE" } },
        "health_status": { "can_send_message": if connected { "AVAILABLE" } else { "BLOCKED" }, "entities": [] },
    });
    match row {
        Value::Object(row) => row,
        _ => Map::new(),
    }
}
