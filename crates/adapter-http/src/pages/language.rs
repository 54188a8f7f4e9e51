//! `POST /dashboard/language`.

use actix_web::{HttpRequest, HttpResponse, web::Payload};
use dashboard_pages::Language;

use super::{answer::see_other, form::Form};
use crate::{dashboard::cookie::Cookies, problem::Problem};

/// Has the browser see pages in another language from now on.
pub(super) async fn choose(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let language = Language::read(&form.text("language")?);
    let language = language.ok_or_else(|| Problem::invalid("`language` must be `ar` or `en`"))?;
    let mut answer = see_other(&form.next()?);
    Cookies::of(&request).keep_language(&mut answer, language.code());
    Ok(answer)
}
