//! `GET` and `POST /dashboard/forgotten-password`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::ForgottenPage;

use super::super::{
    answer::{again, ok},
    form::Form,
    frame, refusal,
};
use crate::{app::App, dashboard::password_resets::mail_link, problem::Problem};

pub(in crate::pages) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let frame = frame::bare(&request);
    ok(&ForgottenPage { frame: &frame, email: "", asked: false, refused: None })
}

/// Answers alike whether anybody has the address or not.
pub(in crate::pages) async fn ask(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let email = Form::of(&request, payload).await?.text("email")?;
    let frame = frame::bare(&request);
    match mail_link(&app, &request, email.clone()).await {
        Ok(()) => ok(&ForgottenPage { frame: &frame, email: "", asked: true, refused: None }),
        Err(problem) => {
            let refused = Some(refusal::of_form(&request, problem, frame.words())?);
            again(&ForgottenPage { frame: &frame, email: &email, asked: false, refused })
        }
    }
}
