//! Form field that a refusal is about.
//!
//! A problem names a field of the API, or its code implies one. [`of_problem`] attaches the likely names of
//! the form's field to the request; `dress::dress` then puts the reason at that field, if the posted form
//! has it. So handlers of forms need not know the field, unless a page finds the error itself:
//! [`mark_wrong`].

use actix_web::{
    HttpMessage, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::ServiceResponse,
    http::Method,
};
use dashboard_pages::{SentForm, at_field};

use crate::problem::{Code, DashboardCode, Problem, RefusalCode};

/// API fields whose form field is not named after the last or first part of their path.
const CALLED: [(&str, &str); 19] = [
    ("audience.contactIds", "list"),
    ("authentication", "minutes"),
    ("baseUrl", "base"),
    ("buttonVariables", "button-1"),
    ("buttons", "button-kind-1"),
    ("facts", "fact-title-1"),
    ("facts[].ar", "fact-ar-1"),
    ("facts[].ckb", "fact-ckb-1"),
    ("facts[].en", "fact-en-1"),
    ("facts[].text", "fact-text-1"),
    ("facts[].title", "fact-title-1"),
    ("from", "spread"),
    ("quiet.hours", "quiet-from"),
    ("to", "phone"),
    ("variables", "sample-1"),
    ("wordings", "wordings-ar"),
    ("wordings.ar", "wordings-ar"),
    ("wordings.ckb", "wordings-ckb"),
    ("wordings.en", "wordings-en"),
];

/// Fields that distinguish a form from others posted to the same path: its button and its idempotency key.
const MARKS: [&str; 2] = ["do", "key"];

/// Possible names of the wrong field, likeliest first; attached to the request.
struct Wrong(Vec<String>);

/// Values of [`MARKS`] in the posted form; attached to the request.
struct Marks(Vec<(String, String)>);

/// An error that a page found in its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongField {
    pub(super) name: String,
    /// Reason, in the reader's language.
    pub(super) because: &'static str,
}

impl WrongField {
    pub(super) fn new(name: impl Into<String>, because: &'static str) -> Self {
        Self { name: name.into(), because }
    }

    /// Attaches the field to the request and returns the reason.
    pub(super) fn mark(self, request: &HttpRequest) -> &'static str {
        mark_wrong(request, &self.name);
        self.because
    }
}

/// Attaches the marks of a posted form, which has these fields, to the request.
pub(super) fn mark_posted(request: &HttpRequest, given: impl Fn(&str) -> Option<String>) {
    let mark = |name: &str| Some((name.to_owned(), given(name)?));
    let marks = MARKS.into_iter().filter_map(mark).collect();
    request.extensions_mut().insert(Marks(marks));
}

/// Returns the value of the pressed button; `None` if it has none.
pub(super) fn button(request: &HttpRequest) -> Option<String> {
    let extensions = request.extensions();
    let Marks(marks) = extensions.get::<Marks>()?;
    marks.iter().find(|(name, _)| name == "do").map(|(_, value)| value.clone())
}

/// Marks this field of the form as wrong. The first mark counts.
pub(super) fn mark_wrong(request: &HttpRequest, name: &str) {
    note(request, vec![name.to_owned()]);
}

/// Marks the form's field for this path of the API as wrong.
pub(super) fn mark_api_field(request: &HttpRequest, path: &str) {
    note(request, names_of(path));
}

/// Marks the field that a problem is about, or `otherwise` if it names none.
pub(super) fn of_problem(request: &HttpRequest, problem: &Problem, otherwise: Option<&str>) {
    let coded = problem.code().and_then(of_code);
    let mut names: Vec<String> = coded.map(str::to_owned).into_iter().collect();
    names.extend(problem.field().map(names_of).unwrap_or_default());
    names.extend(otherwise.map(str::to_owned));
    note(request, names);
}

fn note(request: &HttpRequest, names: Vec<String>) {
    let mut extensions = request.extensions_mut();
    if !names.is_empty() && !extensions.contains::<Wrong>() {
        extensions.insert(Wrong(names));
    }
}

/// Returns the possible names of the wrong field and how its form was sent.
fn read_marks(request: &HttpRequest) -> Option<(Vec<String>, SentForm)> {
    let extensions = request.extensions();
    let Wrong(names) = extensions.get::<Wrong>()?;
    let marks = extensions.get::<Marks>().map(|Marks(marks)| marks.clone()).unwrap_or_default();
    let is_post = request.method() == Method::POST;
    Some((names.clone(), SentForm { path: request.path().to_owned(), is_post, marks }))
}

/// Puts the reason at the marked field, if the page has it.
pub(super) fn place(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    let Some((names, sent)) = read_marks(response.request()) else { return response };
    response.map_body(|_, body| match body.try_into_bytes() {
        Ok(bytes) => {
            let page = std::str::from_utf8(&bytes).ok().and_then(|html| at_field(html, &sent, &names));
            page.map_or_else(|| BoxBody::new(bytes), BoxBody::new)
        }
        Err(body) => body,
    })
}

/// Lists the possible names of an API field in a form: as in the API and in kebab case, by the last part of
/// its path or by the first.
fn names_of(path: &str) -> Vec<String> {
    let bare: String = path.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let called = CALLED.iter().filter(|(field, _)| *field == bare || *field == path).map(|(_, name)| *name);
    let mut names: Vec<String> = called.map(str::to_owned).collect();
    let parts = path.split('.').next_back().into_iter().chain(path.split('.').next());
    for part in parts {
        let part = part.split('[').next().unwrap_or_default();
        let dashed = dashed(part);
        names.push(part.to_owned());
        names.extend(dashed.strip_suffix("-id").map(str::to_owned));
        names.push(dashed);
    }
    names
}

/// Converts camel case to kebab case: `dailyTokens` to `daily-tokens`.
fn dashed(name: &str) -> String {
    let letter = |letter: char| {
        let dash = letter.is_ascii_uppercase().then_some('-');
        dash.into_iter().chain([letter.to_ascii_lowercase()])
    };
    name.chars().flat_map(letter).collect()
}

/// Returns the field that a code is always about, if there is one.
const fn of_code(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::Sending(RefusalCode::InvalidPhone) => "phone",
        Code::Sending(RefusalCode::HeaderRequired) => "header",
        Code::Sending(RefusalCode::ButtonVariablesMismatch) => "button-1",
        Code::Sending(RefusalCode::TemplateNotFound | RefusalCode::TemplateNotApproved)
        | Code::Dashboard(DashboardCode::BroadcastOfCodes) => "template",
        Code::Dashboard(DashboardCode::WrongPassword) => "current",
        Code::Dashboard(DashboardCode::WrongCode) => "code",
        Code::Dashboard(DashboardCode::WrongPin) => "pin",
        Code::Dashboard(DashboardCode::AlreadyMember) => "email",
        Code::Dashboard(DashboardCode::InvitationNotValid | DashboardCode::ResetNotValid) => "token",
        Code::Dashboard(DashboardCode::ShortcutTaken) => "shortcut",
        Code::Dashboard(
            DashboardCode::AutomationNameTaken
            | DashboardCode::GroupNameTaken
            | DashboardCode::TemplateExists,
        ) => "name",
        Code::Dashboard(DashboardCode::WebhookExists) => "url",
        Code::Dashboard(DashboardCode::GroupNotFound) => "group",
        Code::Dashboard(DashboardCode::SlotGone) => "slot",
        Code::Dashboard(DashboardCode::AttachmentNotFound) => "attachment",
        Code::Sending(_) | Code::Dashboard(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use actix_web::{HttpMessage, test::TestRequest};

    use super::{Wrong, mark_wrong, names_of, of_problem};
    use crate::problem::{DashboardCode, Problem};

    #[test]
    fn a_field_of_the_api_is_found_in_a_form_by_its_path() {
        for (path, wanted) in [
            ("name", "name"),
            ("dailyTokens", "daily-tokens"),
            ("testNumbers[0]", "test-numbers"),
            ("groupId", "group"),
            ("networkId", "network-id"),
            ("audience.filter.tags", "tags"),
            ("audience.filter.activeSince", "activeSince"),
            ("audience.filter.groupId", "group"),
            ("audience.listId", "list"),
            ("audience.contactIds", "list"),
            ("prices.marketing", "marketing"),
            ("quiet.hours", "quiet-from"),
            ("header.link", "header"),
            ("facts[].text", "fact-text-1"),
            ("items[0].quantity", "quantity"),
            ("to", "phone"),
            ("baseUrl", "base"),
        ] {
            let names = names_of(path);
            assert!(names.iter().any(|name| name == wanted), "{path}: {names:?}");
        }
    }

    #[test]
    fn a_problem_is_about_the_field_that_its_code_or_its_message_names() {
        for (problem, otherwise, wanted) in [
            (Problem::invalid("`name` must have 1 to 200 characters"), None, Some("name")),
            (Problem::invalid("`name` must have 1 to 200 characters"), Some("add"), Some("name")),
            (Problem::invalid("a tag has 1 to 50 characters"), Some("add"), Some("add")),
            (Problem::invalid("the form cannot be read"), None, None),
            (Problem::dashboard(DashboardCode::WrongPassword, "another"), None, Some("current")),
            (Problem::dashboard(DashboardCode::LastOwner, "`name`"), None, None),
            (
                Problem::dashboard(DashboardCode::SystemInvalid, "no").with_detail("field", "secret"),
                None,
                Some("secret"),
            ),
        ] {
            let request = TestRequest::default().to_http_request();
            of_problem(&request, &problem, otherwise);
            let extensions = request.extensions();
            let first = extensions.get::<Wrong>().and_then(|Wrong(names)| names.first());
            assert_eq!(first.map(String::as_str), wanted, "{problem}");
        }
    }

    #[test]
    fn what_a_page_found_out_itself_counts_before_what_a_problem_names() {
        let request = TestRequest::default().to_http_request();
        mark_wrong(&request, "text-2");
        of_problem(&request, &Problem::invalid("`variables.1` is blank"), None);
        assert_eq!(
            request.extensions().get::<Wrong>().map(|Wrong(names)| names.clone()),
            Some(vec!["text-2".to_owned()])
        );
    }
}
