//! What a number of an account is to be.

use actix_web::{HttpResponse, ResponseError, http::StatusCode, web::Payload};
use domain::{
    channels::{NotRegistered, RegisterError, SetSendOnlyError},
    ids::{AccountId, ChannelId},
    text::latin_digits,
};
use serde::Deserialize;

use super::{
    super::{
        act::{Answer, Call, Given},
        form::Form,
        not_taken::NotTaken,
    },
    PATH, answer, read_new,
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// What a number is to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NumberSettings {
    /// Keep nothing of what is sent from it, and open no conversation for what is written to it.
    send_only: bool,
}

/// Makes a number send-only, or an ordinary one.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let NumberSettings { send_only } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => NumberSettings { send_only: form.text("send-only")? == "yes" },
    };
    let (acting, number): (_, ChannelId) = (call.acting(), call.id(|| not_found("number"))?);
    let set = call.run(move |app| async move {
        app.dashboard.channels.set_send_only.run_for(acting, number, send_only).await
    });
    let done = set.await.map(|()| call.done(PATH));
    answer(&call, done, "").await
}

/// Registers the number in the path, which cannot send yet, and reads its account. The network takes ten
/// registrations of a number in 72 hours.
pub(in crate::pages) async fn register(call: Call, payload: Payload) -> Answer {
    let pin = latin_digits(&Form::of(&call.request, payload).await?.text("pin")?);
    let (acting, account): (_, AccountId) = (call.acting(), call.id(|| not_found("account"))?);
    let number = call.request.match_info().query("numberId").to_owned();
    let registered = call.run(move |app| async move {
        app.dashboard.channels.register_number.run(acting, account, &number, &pin).await?;
        read_new(&app, acting, account).await;
        Ok::<_, RegisterError>(())
    });
    let done = registered.await.map(|()| HttpResponse::NoContent().finish()).map_err(|problem| {
        // Without a code, a 400 can only mean the PIN.
        let is_pin = problem.code().is_none() && problem.status_code() == StatusCode::BAD_REQUEST;
        NotTaken { detail: is_pin.then(|| call.words().wrong.pin.to_owned()), ..problem.into() }
    });
    answer(&call, done, "").await
}

impl From<SetSendOnlyError> for Problem {
    fn from(error: SetSendOnlyError) -> Self {
        match error {
            SetSendOnlyError::UnknownNumber => not_found("number"),
            SetSendOnlyError::Phone(error) => Self::invalid(error.to_string()),
            SetSendOnlyError::UnknownWorkspace => Self::internal("a session without its workspace"),
            SetSendOnlyError::Store(error) => error.into(),
        }
    }
}

impl From<RegisterError> for Problem {
    fn from(error: RegisterError) -> Self {
        let message = error.to_string();
        let code = match error {
            RegisterError::Pin => return Self::invalid(format!("`pin`: {message}")),
            RegisterError::UnknownNumber => return not_found("number"),
            RegisterError::Connect(error) => return error.into(),
            RegisterError::Registered => DashboardCode::AlreadyRegistered,
            RegisterError::NotRegistered(why) => match why {
                NotRegistered::WrongPin => DashboardCode::WrongPin,
                NotRegistered::TooManyPins => DashboardCode::TooManyPins,
                NotRegistered::Unverified => DashboardCode::NumberUnverified,
                NotRegistered::NotRegistrable => DashboardCode::NotRegistrable,
                NotRegistered::JustDeregistered => DashboardCode::JustDeregistered,
                NotRegistered::Spent => DashboardCode::RegistrationsSpent,
            },
        };
        Self::dashboard(code, message)
    }
}
