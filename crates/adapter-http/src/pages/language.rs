//! `POST /dashboard/language`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::Language;

use super::{
    answer::{post_to, see_other},
    form::Form,
};
use crate::{access::resume_session, app::App, problem::Problem};

pub(super) fn unknown_language() -> Problem {
    Problem::invalid("`language` must be `ar` or `en`")
}

/// Sets the language of the browser, and of the signed-in member everywhere.
pub(super) async fn choose(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let language = Language::read(&form.text("language")?);
    let language = language.ok_or_else(unknown_language)?;
    // An expired session does not prevent the choice.
    if let Ok(by) = resume_session(&app, &request).await {
        let (acting, member) = (by.acting(), by.session.member);
        let chosen = app.run(move |app| async move {
            app.dashboard.members.choose_language(acting, member, language.into()).await
        });
        chosen.await??;
    }
    let next = form.next()?;
    // A page opened by a link is opened by it again.
    let mut answer = if form.filled("token")?.is_some() { post_to(&next) } else { see_other(&next) };
    App::cookies_for(&request).keep_language(&mut answer, language.code());
    Ok(answer)
}
