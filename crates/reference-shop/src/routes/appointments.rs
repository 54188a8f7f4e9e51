//! Slots and appointments over the wire.

use serde_json::{Value, json};
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{
    Date, Duration, OffsetDateTime, Time, format_description::StaticFormatDescription,
    macros::format_description,
};

use crate::call::Call;
use crate::clock::HERE;
use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::state::appointments::{Appointment, SERVICES, Slot};

/// Most slots in one answer.
const MOST: usize = 30;
/// Format of a day. `Iso8601` would parse one off the beginning of a datetime as well.
const DAY: StaticFormatDescription = format_description!("[year]-[month]-[day]");

pub(super) fn slots(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let only_dates = strikes(Fault::SlotsRefuseDatetimes);
    let now = core.clock.now();
    let read = |name, end_of_day| match call.parameter(name) {
        None => Some(if end_of_day { now + Duration::days(7) } else { now }),
        Some(text) => moment(text, end_of_day, only_dates),
    };
    let (Some(from), Some(mut to)) = (read("from", false), read("to", true)) else {
        return Reply::refusal(422, "from and to are ISO dates or datetimes");
    };
    if strikes(Fault::SlotsOutsideRange) {
        to += Duration::days(30);
    }
    let service = call.parameter("service").filter(|service| !service.is_empty());
    let mut found = core.state().slots(from, to, now, strikes(Fault::TakenSlotStillOffered));
    found.retain(|slot| service.is_none_or(|wanted| slot.service == wanted));
    if strikes(Fault::SlotsOutsideRange) {
        found.reverse();
    }
    if !strikes(Fault::MoreThan30Slots) {
        found.truncate(MOST);
    }
    let slots: Vec<Value> = found.iter().map(Slot::shown).collect();
    Reply::ok(json!({ "services": SERVICES, "slots": slots }))
}

/// Parses a moment: a date is its whole day here, a datetime has the shop's own offset unless it names one.
fn moment(text: &str, end_of_day: bool, only_dates: bool) -> Option<OffsetDateTime> {
    if let Ok(day) = Date::parse(text, DAY) {
        let day = if end_of_day { day.next_day()? } else { day };
        let start = day.with_time(Time::MIDNIGHT).assume_offset(HERE);
        return Some(if end_of_day { start - Duration::SECOND } else { start });
    }
    if only_dates {
        return None;
    }
    let local =
        || time::PrimitiveDateTime::parse(text, &Iso8601::DATE_TIME).ok().map(|at| at.assume_offset(HERE));
    OffsetDateTime::parse(text, &Rfc3339).ok().or_else(local)
}

pub(super) async fn book(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let key = call.text("idempotencyKey").to_owned();
    let (twice, at_once) = (
        strikes(Fault::AppointmentRepeatedCreatesSecond),
        strikes(Fault::AppointmentRepeatedAtOnceCreatesSecond),
    );
    let shown = |appointment: &Appointment| json!({ "appointment": appointment.shown() });
    let seen = core.state().appointment_of_key(&key).map(shown);
    let is_repeat = seen.is_some();
    if let Some(appointment) = seen.filter(|_| !twice) {
        let created = strikes(Fault::AppointmentRepeatedAnswers201);
        return if created { Reply::created(appointment) } else { Reply::ok(appointment) };
    }
    if at_once {
        core.meet(&key).await;
    }
    // Nothing waits from here to the end: of two calls with one key, the second finds the first's
    // appointment.
    let mut state = core.state();
    let mut meanwhile = false;
    if let Some(appointment) = state.appointment_of_key(&key) {
        if !at_once && !twice {
            return Reply::ok(shown(appointment));
        }
        meanwhile = true;
    }
    let taken_too = strikes(Fault::TakenSlotAnswers200) || is_repeat || meanwhile;
    match state.book(&call.body, core.clock.now(), taken_too, strikes(Fault::UnknownSlotAccepted)) {
        Ok(appointment) => Reply::created(shown(appointment)),
        Err(refused) => refused.into(),
    }
}
