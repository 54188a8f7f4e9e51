//! Acts of members: each has one handler, which takes a form or JSON, and answers with a page or JSON.

use std::{
    collections::HashMap,
    fmt::Display,
    future::{Future, Ready, ready},
    str::FromStr,
    sync::Arc,
};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse, dev,
    http::{Method, StatusCode, header::ContentType},
    web::{Data, Payload},
};
use dashboard_pages::{Frame, Refused, Section, Words};
use domain::{audit::Acting, ids::WorkspaceId, paging::Page, sending::IdempotencyKey};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::see_other,
    form::{Form, Sent},
    frame, names,
    not_taken::NotTaken,
    notice, refusal,
};
use crate::{
    app::App, body, dashboard, paging, problem::Problem, query::Parameters, sending::key, session::SignedIn,
};

/// Buttons of forms that remove something.
const REMOVING: [&str; 2] = ["remove", "delete"];

/// What a handler answers with.
pub(super) type Answer = Result<HttpResponse, Problem>;

/// Rows of a list, in JSON.
#[derive(Serialize)]
pub(super) struct Rows<T> {
    pub(super) rows: Vec<T>,
}

/// Rows of a page of a list, in JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageOfRows<T> {
    rows: Vec<T>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl<T> PageOfRows<T> {
    pub(super) fn of<R>(page: Page<R>, row: impl Fn(&R) -> T) -> Self {
        Self { rows: page.rows.iter().map(row).collect(), next_cursor: page.next }
    }

    /// Like [`Self::of`], for rows that become bodies.
    pub(super) fn from_rows<R>(page: Page<R>, row: impl Fn(R) -> T) -> Self {
        Self { rows: page.rows.into_iter().map(row).collect(), next_cursor: page.next }
    }
}

/// A request of a signed-in member.
pub(super) struct Call {
    pub(super) app: Data<App>,
    pub(super) by: SignedIn,
    pub(super) request: HttpRequest,
}

/// What an act is given.
pub(super) enum Given {
    Form(Form),
    Json(Payload),
}

impl FromRequest for Call {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let by = request.extensions().get::<SignedIn>().cloned();
        let found = request.app_data::<Data<App>>().cloned().zip(by);
        let call = found.map(|(app, by)| Self { app, by, request: request.clone() });
        ready(call.ok_or_else(|| Problem::internal("a handler that wants a session is open to anyone")))
    }
}

impl Call {
    /// Returns whether the API was asked: JSON in, JSON out.
    pub(super) fn is_of_api(&self) -> bool {
        dashboard::is_of_api(&self.request)
    }

    pub(super) const fn workspace(&self) -> WorkspaceId {
        self.by.session.workspace
    }

    /// Returns the member as the author of changes.
    pub(super) const fn acting(&self) -> Acting {
        self.by.acting()
    }

    /// Runs a use case as [`App::run`] does.
    pub(super) async fn run<W, F, T, E>(&self, work: W) -> Result<T, Problem>
    where
        W: FnOnce(Arc<App>) -> F,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Send,
        E: Into<Problem> + Send,
    {
        self.app.run(work).await?.map_err(Into::into)
    }

    /// Parses the id in the path.
    pub(super) fn id<T: FromStr>(&self, unknown: impl FnOnce() -> Problem) -> Result<T, Problem> {
        paging::id(&self.request).ok_or_else(unknown)
    }

    /// Reads what an act is given: an object of JSON, or a form of the same fields. What removes is given
    /// nothing else, and a form may lack fields.
    pub(super) async fn input<T: DeserializeOwned + Default>(&self, payload: Payload) -> Result<T, Problem> {
        match self.given(payload).await? {
            Given::Json(_) if self.removes() => Ok(T::default()),
            Given::Json(payload) => self.json(payload).await,
            Given::Form(form) => form.fields(),
        }
    }

    /// Reads a form where the browser sent one.
    pub(super) async fn given(&self, payload: Payload) -> Result<Given, Problem> {
        if self.is_of_api() {
            Ok(Given::Json(payload))
        } else {
            Form::of(&self.request, payload).await.map(Given::Form)
        }
    }

    /// Reads an object of JSON.
    pub(super) async fn json<T: DeserializeOwned>(&self, payload: Payload) -> Result<T, Problem> {
        Ok(body::json(&self.request, payload).await?.fields)
    }

    /// Reads an object of JSON that is sent once under its `Idempotency-Key`, and the id in the path. `route`
    /// tells the request apart from those of other routes under the same key.
    pub(super) async fn keyed<T: DeserializeOwned, I: FromStr + Display>(
        &self,
        payload: Payload,
        route: &str,
        unknown: impl FnOnce() -> Problem,
    ) -> Result<(I, T, Option<IdempotencyKey>), Problem> {
        let key = key::read(self.request.headers())?;
        let body = body::json::<T>(&self.request, payload).await?;
        let id: I = self.id(unknown)?;
        let request = format!("{route}/{id}\n{}", body.canonical).into_bytes();
        Ok((id, body.fields, key.map(|key| IdempotencyKey { key, request })))
    }

    /// Returns what is to be done: what the form's button says, or the API's method, or else the end of its
    /// path.
    pub(super) fn what(&self) -> String {
        match *self.request.method() {
            Method::DELETE => "remove".to_owned(),
            Method::PATCH | Method::PUT => "set".to_owned(),
            _ if self.is_of_api() => {
                let pattern = self.request.match_pattern().unwrap_or_default();
                pattern.rsplit('/').next().unwrap_or_default().to_owned()
            }
            _ => Sent::button(&self.request).unwrap_or_default(),
        }
    }

    /// Returns whether the act removes something: by its method, or by its form's button.
    pub(super) fn removes(&self) -> bool {
        *self.request.method() == Method::DELETE
            || Sent::button(&self.request).is_some_and(|button| REMOVING.contains(&button.as_str()))
    }

    /// Builds the frame of a page of this section.
    pub(super) async fn frame(&self, section: Section) -> Result<Frame, Problem> {
        frame::of(&self.app, &self.request, &self.by, section).await
    }

    /// Returns the names of all members and former members, by id.
    pub(super) async fn names(&self) -> Result<HashMap<String, String>, Problem> {
        names::members(&self.app, &self.by).await
    }

    /// Returns the parameters of the query. A page's are without blank ones, which forms send.
    pub(super) fn parameters(&self) -> Result<Parameters, Problem> {
        let parameters = Parameters::of(&self.request)?;
        Ok(if self.is_of_api() { parameters } else { parameters.filled() })
    }

    /// Returns the words of the reader's language.
    pub(super) fn words(&self) -> &'static Words {
        frame::bare(&self.request).words()
    }

    /// Refuses the form that was sent, and returns the status of the page that shows it again.
    ///
    /// # Errors
    /// The problem itself if it is not about the form.
    pub(super) fn refused(
        &self,
        not_taken: Option<impl Into<NotTaken>>,
        frame: &Frame,
    ) -> Result<(StatusCode, Option<Refused>), Problem> {
        let refuse = |not_taken: NotTaken| not_taken.refused(&self.request, frame.words());
        let refused = not_taken.map(Into::into).map(refuse).transpose()?;
        Ok((refusal::status(refused.as_ref()), refused))
    }

    /// Opens the text that the page is to show once.
    pub(super) fn told(&self) -> Option<String> {
        notice::open(&self.app, &self.by, &self.request)
    }

    /// Leads to a page that is to show a text once.
    pub(super) fn tell(&self, path: &str, text: &str) -> Answer {
        notice::redirect_with(&self.app, &self.by, path, text)
    }

    /// Answers what was done and has nothing to tell: JSON with 204, and a form by leading to a page.
    pub(super) fn done(&self, path: &str) -> HttpResponse {
        if self.is_of_api() { HttpResponse::NoContent().finish() } else { see_other(path) }
    }

    /// Answers JSON with what was done, and a form by leading to a page, or by showing it `again`.
    pub(super) async fn answer<E, F>(
        &self,
        done: Result<HttpResponse, E>,
        path: &str,
        again: impl FnOnce(E) -> F,
    ) -> Answer
    where
        E: Into<Problem>,
        F: Future<Output = Answer>,
    {
        match done {
            done if self.is_of_api() => done.map_err(Into::into),
            Ok(_) => Ok(see_other(path)),
            Err(wrong) => again(wrong).await,
        }
    }
}

/// Answers JSON.
pub(super) fn ok(body: &impl Serialize) -> Answer {
    json(StatusCode::OK, body)
}

/// Answers JSON with what was made.
pub(super) fn created(body: &impl Serialize) -> Answer {
    json(StatusCode::CREATED, body)
}

pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(body).map_err(|error| Problem::internal(format!("an answer: {error}")))?;
    Ok(HttpResponse::build(status).content_type(ContentType::json()).body(body))
}
