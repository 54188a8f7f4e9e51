//! Message shown once on the page after an accepted form: that it was saved, or a secret that it created.
//!
//! The form is answered by 303, so that a reload repeats nothing, and the message travels in a cookie: a word
//! of ours, or a text sealed for its session and page. No URL and no log holds it, and any node can open it.
//! The page that shows it deletes the cookie.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    body::BoxBody,
    dev::ServiceResponse,
    http::{Method, StatusCode},
    web::Data,
};
use dashboard_pages::Words;

use super::{answer::see_other, browser::is_fetched, form::Sent};
use crate::{
    app::App,
    problem::Problem,
    session::{SignedIn, cookie},
};

/// Pages whose forms show their outcome by themselves, or lead away.
const SILENT: [&str; 3] = ["/dashboard/inbox", "/dashboard/sign-out", "/dashboard/language"];

/// Buttons, and ends of paths, of forms that remove something.
const REMOVING: [&str; 5] = ["remove", "delete", "disconnect", "revoke", "withdraw"];

/// Buttons of forms that set or add something.
const SAVING: [&str; 7] = ["save", "set", "rename", "connect", "language", "password", "synonyms"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Saved,
    Removed,
    Done,
}

impl Outcome {
    const ALL: [Self; 3] = [Self::Saved, Self::Removed, Self::Done];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Removed => "removed",
            Self::Done => "done",
        }
    }

    /// Derives the outcome from the pressed button, or else from the path: a form without either adds or sets
    /// something.
    fn of(button: Option<&str>, path: &str) -> Self {
        let button = button.filter(|button| !button.is_empty());
        let name = button.or_else(|| path.rsplit('/').next()).unwrap_or_default();
        if REMOVING.contains(&name) {
            Self::Removed
        } else if button.is_none_or(|button| SAVING.contains(&button)) {
            Self::Saved
        } else {
            Self::Done
        }
    }

    const fn sentence(self, words: &Words) -> &'static str {
        match self {
            Self::Saved => words.common.saved,
            Self::Removed => words.common.removed,
            Self::Done => words.common.done,
        }
    }
}

/// Mark on a request whose page has shown the message.
struct IsShown;

/// Returns the message that the browser sent; `None` for scripts that reload a page.
fn read(request: &HttpRequest) -> Option<&str> {
    let is_shown = *request.method() == Method::GET && !is_fetched(request);
    is_shown.then(|| cookie::of_name(request.headers(), App::cookies_for(request).notice())).flatten()
}

/// Redirects to `path`, whose page is to show this text once.
pub(super) fn redirect_with(
    app: &Data<App>,
    by: &SignedIn,
    path: &str,
    text: &str,
) -> Result<HttpResponse, Problem> {
    let sealed = app.dashboard.sessions.seal_once(&by.session, path, text);
    let sealed = sealed.map_err(|error| Problem::internal(format!("what a page shows once: {error}")))?;
    let mut answer = see_other(path);
    app.edge.cookies.keep_notice(&mut answer, &sealed);
    Ok(answer)
}

/// Opens the text that this page is to show once.
pub(super) fn open(app: &Data<App>, by: &SignedIn, request: &HttpRequest) -> Option<String> {
    let text = app.dashboard.sessions.open_once(&by.session, request.path(), read(request)?)?;
    request.extensions_mut().insert(IsShown);
    Some(text)
}

/// Returns the sentence for the outcome of the previous form.
pub(super) fn sentence(request: &HttpRequest, words: &Words) -> Option<&'static str> {
    let word = read(request)?;
    let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == word)?;
    request.extensions_mut().insert(IsShown);
    Some(outcome.sentence(words))
}

/// Adds the outcome of an accepted form for the next page, or deletes the message that this page has shown.
pub(super) fn carry(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let (request, mut answer) = response.into_parts();
    let cookies = App::cookies_for(&request);
    let has_shown = request.extensions().contains::<IsShown>();
    let is_members = request.extensions().contains::<SignedIn>();
    // Scripts show the outcome of what they send by themselves.
    let is_shown = request.headers().get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let is_taken = *request.method() == Method::POST && answer.status() == StatusCode::SEE_OTHER && is_shown;
    let is_silent = SILENT.iter().any(|path| request.path().starts_with(path));
    let brings = format!("{}=", cookies.notice());
    let has_own =
        answer.headers().get_all("set-cookie").any(|set| set.as_bytes().starts_with(brings.as_bytes()));
    if has_shown {
        cookies.forget_notice(&mut answer);
    } else if is_taken && is_members && !is_silent && !has_own {
        cookies.keep_notice(
            &mut answer,
            Outcome::of(Sent::button(&request).as_deref(), request.path()).as_str(),
        );
    }
    ServiceResponse::new(request, answer)
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn what_became_of_a_form_is_told_by_its_button_or_its_path() {
        for (button, path, wanted) in [
            (Some("save"), "/dashboard/settings/automations/7", Outcome::Saved),
            (Some("remove"), "/dashboard/settings/automations/7", Outcome::Removed),
            (Some("off"), "/dashboard/settings/automations/7", Outcome::Done),
            (None, "/dashboard/settings/keys/7/revoke", Outcome::Removed),
            (Some(""), "/dashboard/settings/team/groups", Outcome::Saved),
            (None, "/dashboard/settings/workspace", Outcome::Saved),
        ] {
            assert_eq!(Outcome::of(button, path), wanted, "{button:?} {path}");
        }
    }
}
