//! `/dashboard/settings/deliveries/{id}`.

use actix_web::{HttpRequest, HttpResponse, web::Data};
use dashboard_pages::{AttemptRow, DeliveryPage, Section};
use domain::{
    ids::DeliveryId,
    webhooks::{Attempt, DeliveryDetail},
};

use super::{
    super::{
        answer::{page, see_other},
        frame, refusal,
    },
    delivery_row,
};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

fn unknown() -> Problem {
    not_found("delivery")
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    refused: Option<Problem>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Webhooks).await?;
    let (workspace, id): (_, DeliveryId) = (by.session.workspace, id(request).ok_or_else(unknown)?);
    let found = app.run(move |app| async move { app.dashboard.webhooks.read.get(workspace, id).await });
    let DeliveryDetail { delivery, body, attempts } = found.await??.ok_or_else(unknown)?;
    let refused = refused.map(|problem| refusal::of_form(request, problem, frame.words())).transpose()?;
    page(
        refusal::status(refused.as_ref()),
        &DeliveryPage {
            frame: &frame,
            delivery: delivery_row(&delivery),
            address: delivery.address.to_string(),
            body: String::from_utf8_lossy(&body).into_owned(),
            attempts: attempts.into_iter().map(attempt_row).collect(),
            refused,
        },
    )
}

fn attempt_row(attempt: Attempt) -> AttemptRow {
    AttemptRow {
        at: attempt.started_at.into(),
        took: attempt.duration_ms,
        status: attempt.status,
        failure: attempt.failure,
        answer: attempt.answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()),
    }
}

pub(in crate::pages) async fn resend(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: DeliveryId = id(&request).ok_or_else(unknown)?;
    let acting = by.acting();
    let resent = app.run(move |app| async move { app.dashboard.webhooks.resend.one(acting, id).await });
    match resent.await? {
        Ok(()) => Ok(see_other(&format!("/dashboard/settings/deliveries/{id}"))),
        Err(error) => render(&app, &by, &request, Some(error.into())).await,
    }
}
