//! Statuses that routes are told to answer with, to see what a client makes of them.

use serde_json::Value;

use crate::route::Route;

/// A status that a route answers with, whatever the request, without doing anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToldAnswer {
    pub(crate) route: Route,
    pub(crate) status: u16,
    /// Seconds of the `Retry-After` header, if it has one.
    pub(crate) retry_after: Option<u64>,
}

/// Parses `{ "answers": [ { "route", "status", "retryAfter"? } ] }`.
pub(crate) fn parse(body: &Value) -> Result<Vec<ToldAnswer>, String> {
    let answers = body.get("answers").and_then(Value::as_array).ok_or("`answers` is an array")?;
    answers.iter().map(one).collect()
}

fn one(given: &Value) -> Result<ToldAnswer, String> {
    let route = given.get("route").and_then(Value::as_str).ok_or("an answer has a `route`")?;
    let route = Route::read(route).ok_or_else(|| format!("there is no route `{route}`"))?;
    let status = given.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    let status = status.filter(|status| (400..600).contains(status));
    let status = status.ok_or("`status` is 400 to 599")?;
    let retry_after = match given.get("retryAfter") {
        None => None,
        Some(seconds) => Some(seconds.as_u64().ok_or("`retryAfter` is a whole number of seconds")?),
    };
    Ok(ToldAnswer { route, status, retry_after })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_names_its_route_and_a_status_that_refuses() {
        let read = |answer| parse(&json!({ "answers": [answer] }));
        let told = ToldAnswer { route: Route::OrderCreate, status: 409, retry_after: None };
        assert_eq!(read(json!({ "route": "order_create", "status": 409 })), Ok(vec![told]));
        let slow = ToldAnswer { status: 429, retry_after: Some(3_600), ..told };
        let asked = json!({ "route": "order_create", "status": 429, "retryAfter": 3_600 });
        assert_eq!(read(asked), Ok(vec![slow]));
        for (given, reason) in [
            (json!({ "status": 409 }), "an answer has a `route`"),
            (json!({ "route": "moon", "status": 409 }), "there is no route `moon`"),
            (json!({ "route": "verify" }), "`status` is 400 to 599"),
            (json!({ "route": "verify", "status": 200 }), "`status` is 400 to 599"),
            (json!({ "route": "verify", "status": 600 }), "`status` is 400 to 599"),
            (json!({ "route": "verify", "status": 65_945 }), "`status` is 400 to 599"),
            (
                json!({ "route": "verify", "status": 429, "retryAfter": "soon" }),
                "`retryAfter` is a whole number of seconds",
            ),
            (
                json!({ "route": "verify", "status": 429, "retryAfter": -1 }),
                "`retryAfter` is a whole number of seconds",
            ),
        ] {
            assert_eq!(read(given).unwrap_err(), reason);
        }
        assert_eq!(parse(&json!({})).unwrap_err(), "`answers` is an array");
    }
}
