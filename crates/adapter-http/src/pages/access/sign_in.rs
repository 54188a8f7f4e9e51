//! `GET` and `POST /dashboard/sign-in`, `POST /dashboard/sign-out`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{HeaderName, HeaderValue},
    web::{Data, Payload},
};
use dashboard_pages::{SignInPage, words::AccessWords};
use domain::{
    access::sessions::{Choice, MEMBERSHIPS_TRIED, Password, SignInError, SignInRequest},
    ids::WorkspaceId,
    text::latin_digits,
};

use super::super::{
    answer::{again, ok, see_other},
    form::Form,
    frame,
    links::local,
    refusal,
};
use crate::{
    app::App,
    dashboard::sign_in::{end, try_in},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Returns the sentence for what led to the sign-in page.
fn notice(after: Option<&str>, words: &AccessWords) -> Option<&'static str> {
    match after {
        Some("password") => Some(words.password_is_set),
        Some("sign-out") => Some(words.signed_out),
        Some("ended") => Some(words.session_ended),
        Some("left") => Some(words.left),
        _ => None,
    }
}

pub(in crate::pages) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let (frame, query) = (frame::bare(&request), Parameters::of(&request)?);
    ok(&SignInPage {
        next: local(query.get("next")?.unwrap_or_default()),
        email: query.get("email")?.unwrap_or_default(),
        asks_code: false,
        workspaces: &[],
        chosen: "",
        refused: None,
        notice: notice(query.get("after")?, &frame.words().access),
        frame: &frame,
    })
}

/// Returns the workspaces offered by the form, by id and name. Nothing is looked up for visitors who are not
/// signed in. At most as many as the form can have been given.
fn named(form: &Form) -> Result<Vec<(String, String)>, Problem> {
    let ids = form.names().filter_map(|field| Some((field, field.strip_prefix("named-")?)));
    let ids = ids.filter(|(_, id)| id.parse::<WorkspaceId>().is_ok()).take(MEMBERSHIPS_TRIED);
    ids.map(|(field, id)| Ok((id.to_owned(), form.text(field)?))).collect()
}

/// Begins a session. Members who need a code or belong to several workspaces are asked again, with their
/// password: it is stored nowhere meanwhile.
pub(in crate::pages) async fn sign_in(
    app: Data<App>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (email, code, next) = (form.text("email")?, form.filled("code")?, form.next()?);
    let code = code.as_deref().map(latin_digits);
    let workspace: Option<WorkspaceId> = form.filled("workspace")?.and_then(|id| id.parse().ok());
    let password = Password::presented(form.text("password")?);
    let devices = App::cookies_for(&request).devices(request.headers());
    let asked = SignInRequest { email: email.clone(), password, code: code.clone(), workspace, devices };
    let error = match try_in(&app, &request, asked).await? {
        Ok(begun) => {
            let mut answer = see_other(&next);
            app.edge.cookies.keep(&request, &mut answer, &begun);
            return Ok(answer);
        }
        Err(error) => error,
    };
    let asks_code = code.is_some() || matches!(error, SignInError::CodeNeeded | SignInError::WrongCode);
    let choices: Vec<(String, String)> = match &error {
        SignInError::Several(choices) => {
            choices.iter().map(|Choice { id, name }| (id.to_string(), name.clone())).collect()
        }
        _ => named(&form)?,
    };
    let frame = frame::bare(&request);
    let refused = Some(refusal::of_form(&request, error.into(), frame.words())?);
    let (workspaces, chosen) = (&choices, workspace.map(|id| id.to_string()).unwrap_or_default());
    again(&SignInPage {
        frame: &frame,
        next: &next,
        email: &email,
        asks_code,
        workspaces,
        chosen: &chosen,
        refused,
        notice: None,
    })
}

/// Ends the session and clears the browser's cached pages. Unsent drafts are cleared by the next page, which
/// keeps the browser's own preferences.
pub(in crate::pages) async fn sign_out(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    end(&app, by).await?;
    let mut answer = see_other("/dashboard/sign-in?after=sign-out");
    let forget = HeaderValue::from_static("\"cache\"");
    answer.headers_mut().insert(CLEAR_SITE_DATA, forget);
    app.edge.cookies.forget(&mut answer);
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::{Form, MEMBERSHIPS_TRIED, named};

    #[test]
    fn only_as_many_workspaces_are_given_back_as_there_may_be_and_each_has_an_id() {
        let id = |at: usize| format!("018f0000-0000-7000-8000-00000000000{at}");
        let of_ids: Vec<String> = (0..9).map(|at| format!("&named-{}=Shop%20{at}", id(at))).collect();
        let of_ids = of_ids.concat();
        let form = Form::read(format!("email=a%40b.c&named-a=1&named-=2{of_ids}").as_bytes()).unwrap();
        let wanted: Vec<_> = (0..MEMBERSHIPS_TRIED).map(|at| (id(at), format!("Shop {at}"))).collect();
        assert_eq!(named(&form).unwrap(), wanted);
    }
}
