//! Acts of members: each has one handler, which takes a form or JSON, and answers with a page or JSON.

use std::future::Future;

use actix_web::{HttpRequest, HttpResponse, http::Method, web::Payload};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::see_other,
    form::{Form, Sent},
};
use crate::{body, dashboard::is_of_api, problem::Problem};

/// Buttons of forms that remove something.
const REMOVING: [&str; 2] = ["remove", "delete"];

/// Rows of a list, in JSON.
#[derive(Serialize)]
pub(super) struct Rows<T> {
    pub(super) rows: Vec<T>,
}

/// Reads what an act is given: an object of JSON, or a form of the same fields. What removes is given nothing
/// else, and a form may lack fields.
pub(super) async fn input<T: DeserializeOwned + Default>(
    request: &HttpRequest,
    payload: Payload,
) -> Result<T, Problem> {
    if is_of_api(request) && removes(request) {
        Ok(T::default())
    } else if is_of_api(request) {
        Ok(body::json(request, payload).await?.fields)
    } else {
        Form::of(request, payload).await?.fields()
    }
}

/// Returns whether the act removes something: by its method, or by its form's button.
pub(super) fn removes(request: &HttpRequest) -> bool {
    *request.method() == Method::DELETE
        || Sent::button(request).is_some_and(|button| REMOVING.contains(&button.as_str()))
}

/// Answers what was done and has nothing to tell: JSON with 204, and a form by leading to a page.
pub(super) fn done(request: &HttpRequest, path: &str) -> HttpResponse {
    if is_of_api(request) { HttpResponse::NoContent().finish() } else { see_other(path) }
}

/// Answers JSON with what was done, and a form by leading to a page, or by showing it `again`.
pub(super) async fn answer<F>(
    request: &HttpRequest,
    done: Result<HttpResponse, Problem>,
    path: &str,
    again: impl FnOnce(Problem) -> F,
) -> Result<HttpResponse, Problem>
where
    F: Future<Output = Result<HttpResponse, Problem>>,
{
    match done {
        done if is_of_api(request) => done,
        Ok(_) => Ok(see_other(path)),
        Err(problem) => again(problem).await,
    }
}
