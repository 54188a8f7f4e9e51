//! Names of forms' fields.

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

/// Lists the possible names of the wrong field in a form, likeliest first.
pub(super) fn of_problem(problem: &Problem) -> Vec<String> {
    let coded = problem.code().and_then(of_code).map(str::to_owned);
    coded.into_iter().chain(problem.field().map(names_of).unwrap_or_default()).collect()
}

/// Lists the possible names of an API field in a form: in kebab case and as in the API, by the last part of
/// its path or by the first.
pub(super) fn names_of(path: &str) -> Vec<String> {
    let bare: String = path.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let called = CALLED.iter().filter(|(field, _)| *field == bare || *field == path).map(|(_, name)| *name);
    let mut names: Vec<String> = called.map(str::to_owned).collect();
    let parts = path.split('.').next_back().into_iter().chain(path.split('.').next());
    for part in parts {
        let part = part.split('[').next().unwrap_or_default();
        let dashed = dashed(part);
        names.extend(dashed.strip_suffix("-id").map(str::to_owned));
        names.extend([dashed, part.to_owned()]);
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
    use super::{names_of, of_problem};
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
        for (problem, wanted) in [
            (Problem::invalid("`name` must have 1 to 200 characters"), Some("name")),
            (Problem::invalid("the form cannot be read"), None),
            (Problem::dashboard(DashboardCode::WrongPassword, "another"), Some("current")),
            (Problem::dashboard(DashboardCode::LastOwner, "`name`"), None),
            (
                Problem::dashboard(DashboardCode::SystemInvalid, "no").with_detail("field", "secret"),
                Some("secret"),
            ),
        ] {
            assert_eq!(of_problem(&problem).first().map(String::as_str), wanted, "{problem}");
        }
    }
}
