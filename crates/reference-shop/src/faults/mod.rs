//! Faults of the shop, each on a switch of its own.

mod list;

use serde_json::{Value, json};

pub use list::{ALL, Fault};

use crate::route::Route;

/// A fault that is switched on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    fault: Fault,
    /// The only route that it affects; `None` for its default.
    route: Option<Route>,
    /// Number of calls that it still affects; `None` for all.
    left: Option<u32>,
}

impl Active {
    pub(crate) fn of(fault: Fault) -> Self {
        Self { fault, route: None, left: fault.times() }
    }

    fn shown(&self) -> Value {
        json!({
            "name": self.fault.name(),
            "route": self.route.or(self.fault.route()).map(Route::name),
            "times": self.left,
        })
    }
}

#[derive(Debug, Default)]
pub(crate) struct FaultSet {
    active: Vec<Active>,
}

impl FaultSet {
    pub(crate) fn replace(&mut self, active: Vec<Active>) {
        self.active = active;
    }

    pub(crate) fn to_json(&self) -> Vec<Value> {
        self.active.iter().map(Active::shown).collect()
    }

    /// Returns whether `fault` affects a call of `route`, and counts it down if so.
    pub(crate) fn strikes(&mut self, fault: Fault, route: Route) -> bool {
        let struck = self.active.iter_mut().find(|active| {
            active.fault == fault
                && active.left != Some(0)
                && active.route.or(fault.route()).is_none_or(|wanted| wanted == route)
        });
        let Some(active) = struck else { return false };
        active.left = active.left.map(|left| left - 1);
        true
    }
}

/// Parses `{ "faults": [ "name" | { "name", "route"?, "times"? } ] }`.
pub(crate) fn parse(body: &Value) -> Result<Vec<Active>, String> {
    let faults = body.get("faults").and_then(Value::as_array).ok_or("`faults` is an array")?;
    faults.iter().map(one).collect()
}

fn one(given: &Value) -> Result<Active, String> {
    let name = given.as_str().or_else(|| given.get("name")?.as_str()).ok_or("a fault has a `name`")?;
    let fault = Fault::read(name).ok_or_else(|| format!("there is no fault `{name}`"))?;
    let mut active = Active::of(fault);
    match given.get("route") {
        None | Some(Value::Null) => {}
        Some(route) => {
            let read = route.as_str().and_then(Route::read);
            active.route = Some(read.ok_or_else(|| format!("there is no route {route}"))?);
        }
    }
    match given.get("times") {
        None | Some(Value::Null) => {}
        Some(times) => {
            let read = times.as_u64().and_then(|times| u32::try_from(times).ok()).filter(|times| *times > 0);
            active.left = Some(read.ok_or("`times` is at least 1")?);
        }
    }
    Ok(active)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_fault_strikes_its_route_as_often_as_it_says() {
        let mut set = FaultSet::default();
        set.replace(
            parse(&json!({ "faults": [{ "name": "hanging", "route": "verify", "times": 1 }] })).unwrap(),
        );
        assert!(!set.strikes(Fault::Hanging, Route::Products));
        assert!(set.strikes(Fault::Hanging, Route::Verify));
        assert!(!set.strikes(Fault::Hanging, Route::Verify));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_reason() {
        for (given, reason) in [
            (json!({}), "`faults` is an array"),
            (json!({ "faults": ["earthquake"] }), "there is no fault `earthquake`"),
            (json!({ "faults": [{ "name": "hanging", "route": "moon" }] }), "there is no route \"moon\""),
            (json!({ "faults": [{ "name": "hanging", "times": 0 }] }), "`times` is at least 1"),
            (json!({ "faults": [7] }), "a fault has a `name`"),
        ] {
            assert_eq!(parse(&given).unwrap_err(), reason);
        }
    }

    #[test]
    fn every_fault_has_a_name_of_its_own_that_is_read_back() {
        let names: BTreeSet<_> = ALL.iter().map(|fault| fault.name()).collect();
        assert_eq!(names.len(), ALL.len());
        for fault in ALL {
            assert_eq!(Fault::read(fault.name()), Some(*fault));
        }
    }
}
