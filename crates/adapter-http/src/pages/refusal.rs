//! Problems in the language of a page. A code without words does not compile.

use actix_web::{HttpRequest, ResponseError, http::StatusCode};
use dashboard_pages::{Outcome, Refused, Words, words::RefusalWords};
use domain::sending::{Refusal, SendError, TextLimit};
use serde_json::Value;

use super::{fields, form::Sent, links::explained};
use crate::problem::{Code, DashboardCode, Problem, RefusalCode};

/// Returns the problem in one sentence.
pub(super) fn sentence(problem: &Problem, words: &Words) -> &'static str {
    let words = &words.refusals;
    match problem.code() {
        // Without any channel there is no account to report on.
        Some(Code::Sending(RefusalCode::NoWhatsappChannel)) if problem.detail("reason").is_some() => {
            words.account_barred
        }
        Some(Code::Sending(code)) => of_send(code, words),
        Some(Code::Dashboard(code)) => of_dashboard(code, words),
        None => match problem.status_code() {
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => words.not_found,
            StatusCode::PAYLOAD_TOO_LARGE => words.too_large,
            StatusCode::SERVICE_UNAVAILABLE => words.away,
            status if status.is_client_error() => words.invalid,
            _ => words.unexpected,
        },
    }
}

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

    /// Refuses the request's form.
    pub(super) fn refused(self, request: &HttpRequest) -> Refused {
        because(request, self.because).at(self.name)
    }
}

/// Refuses the request's form, for no single field of it.
pub(super) fn because(request: &HttpRequest, sentence: impl Into<String>) -> Refused {
    Refused::new(sentence).in_form(Sent::form(request))
}

/// Refuses the request's form, at the first of these fields that it has.
pub(super) fn at(request: &HttpRequest, names: Vec<String>, sentence: &'static str) -> Refused {
    let refused = because(request, sentence);
    match Sent::field(request, names) {
        Some(field) => refused.at(field),
        None => refused,
    }
}

/// Returns why a form was refused, at the field that the problem names.
///
/// # Errors
/// The problem itself if it is not about the form.
pub(super) fn of_form(request: &HttpRequest, problem: Problem, words: &Words) -> Result<Refused, Problem> {
    let about = problem.code().is_some() || problem.status_code() == StatusCode::BAD_REQUEST;
    if !about {
        return Err(problem);
    }
    Ok(at(request, fields::of_problem(&problem), sentence(&problem, words)))
}

/// Like [`of_form`], for a form of which only one thing can be wrong: `wrong`, at this field unless the
/// problem names another.
pub(super) fn of_only(
    request: &HttpRequest,
    problem: Problem,
    (field, wrong): (&str, &'static str),
    words: &Words,
) -> Result<Refused, Problem> {
    let is_that = problem.code().is_none() && problem.status_code() == StatusCode::BAD_REQUEST;
    if !is_that {
        return of_form(request, problem, words);
    }
    let mut names = fields::of_problem(&problem);
    names.push(field.to_owned());
    Ok(at(request, names, wrong))
}

/// Like [`of_form`], for a form of which one of several things can be wrong, each with its own sentence.
pub(super) fn of_fields(request: &HttpRequest, problem: Problem, words: &Words) -> Result<Refused, Problem> {
    let (field, wrong) = match problem.field() {
        Some("phone") => ("phone", words.refusals.invalid_phone),
        Some("name") => ("name", words.wrong.person),
        Some("search") => ("search", words.wrong.search),
        Some("tag") => ("tag", words.wrong.tag),
        Some("channel") => ("channel", words.wrong.network),
        _ => return of_form(request, problem, words),
    };
    of_only(request, problem, (field, wrong), words)
}

/// Like [`of_only`], for something that may have been removed meanwhile: the form is shown again instead of a
/// missing page.
pub(super) fn of_shared(
    request: &HttpRequest,
    problem: Problem,
    wrong: (&str, &'static str),
    words: &Words,
) -> Result<Refused, Problem> {
    let is_gone = problem.code().is_none() && problem.status_code() == StatusCode::NOT_FOUND;
    if is_gone {
        Ok(because(request, words.refusals.not_found))
    } else {
        of_only(request, problem, wrong, words)
    }
}

/// Status of a page with a form.
pub(super) const fn status(refused: Option<&Refused>) -> StatusCode {
    if refused.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK }
}

/// Returns why a reply was rejected if it is too long, alone or as a caption; `None` for other errors.
pub(super) const fn of_length(error: &SendError, words: &Words) -> Option<&'static str> {
    let words = &words.refusals;
    match error {
        SendError::Refused(Refusal::TextTooLong(limit)) => Some(match limit {
            TextLimit::Answer => words.text_too_long,
            TextLimit::Caption => words.caption_too_long,
            TextLimit::Messenger => words.messenger_text_too_long,
            TextLimit::Instagram => words.instagram_text_too_long,
        }),
        SendError::Refused(_) | SendError::Open { .. } | SendError::Store(_) => None,
    }
}

/// Returns the outcome of a message that was not accepted.
pub(super) fn outcome(problem: &Problem) -> Outcome {
    match problem.code() {
        Some(Code::Sending(RefusalCode::OutcomeUnknown)) => {
            Outcome::Unclear(problem.detail("id").and_then(Value::as_str).map(str::to_owned))
        }
        Some(Code::Sending(RefusalCode::RequestInFlight)) => Outcome::Unclear(None),
        Some(Code::Sending(RefusalCode::WhatsappRejected)) => Outcome::Recorded,
        _ => Outcome::Refused,
    }
}

/// Returns why a message was not accepted, with the path of its history.
///
/// # Errors
/// The problem itself if it is not about the form.
pub(super) fn of_message(request: &HttpRequest, problem: Problem, words: &Words) -> Result<Refused, Problem> {
    let outcome = outcome(&problem);
    Ok(with_outcome(of_form(request, problem, words)?, outcome, words))
}

/// Adds what became of the message, with a link to its history.
pub(super) fn with_outcome(refused: Refused, outcome: Outcome, words: &Words) -> Refused {
    let explained = outcome.message().map(|id| (explained(id), words.composer.explain));
    refused.of_message(outcome, explained)
}

const fn of_send(code: RefusalCode, words: &RefusalWords) -> &'static str {
    use RefusalCode as Code;
    match code {
        Code::InvalidPhone => words.invalid_phone,
        Code::VariablesMismatch => words.variables_mismatch,
        Code::VariableEmpty => words.variable_empty,
        Code::CodeRequired | Code::InvalidCode => words.code_required,
        Code::HeaderRequired => words.header_required,
        Code::HeaderNotAllowed => words.header_not_allowed,
        Code::ButtonVariablesMismatch => words.button_variables_mismatch,
        Code::UnknownSender => words.unknown_sender,
        Code::AuthorLeft => words.author_left,
        Code::TemplateNotFound => words.template_not_found,
        Code::TemplateNotApproved => words.template_not_approved,
        Code::TemplateNotOnNumber => words.template_not_on_number,
        Code::NoWhatsappChannel | Code::NoChannel => words.no_channel,
        Code::PlanLimit => words.plan_limit,
        Code::RequestInFlight => words.request_in_flight,
        Code::WhatsappRejected => words.whatsapp_rejected,
        Code::IdempotencyKeyReused => words.idempotency_key_reused,
        Code::HeldBack => words.held_back,
        Code::NetworkUnavailable => words.network_unavailable,
        Code::OutcomeUnknown => words.outcome_unknown,
    }
}

const fn of_dashboard(code: DashboardCode, words: &RefusalWords) -> &'static str {
    use DashboardCode as Code;
    match code {
        Code::NotSignedIn => words.not_signed_in,
        Code::WrongCredentials => words.wrong_credentials,
        Code::SecondFactorNeeded => words.second_factor_needed,
        Code::WrongCode => words.wrong_code,
        Code::SeveralWorkspaces => words.several_workspaces,
        Code::WrongPassword => words.wrong_password,
        Code::NotFromDashboard => words.not_from_dashboard,
        Code::OwnerOnly => words.owner_only,
        Code::MemberNotFound => words.member_not_found,
        Code::GroupNotFound => words.group_not_found,
        Code::HeldByAnother => words.held_by_another,
        Code::MovedOn => words.moved_on,
        Code::NotInGroup => words.not_in_group,
        Code::TooManyTags => words.too_many_tags,
        Code::BroadcastState => words.broadcast_state,
        Code::BroadcastToNobody => words.broadcast_to_nobody,
        Code::BroadcastOfCodes => words.broadcast_of_codes,
        Code::TooManyBroadcasts => words.too_many_broadcasts,
        Code::TooManyBroadcastLists => words.too_many_broadcast_lists,
        Code::BroadcastListNeeded => words.broadcast_list_needed,
        Code::BroadcastGroupNeeded => words.broadcast_group_needed,
        Code::GroupNameTaken => words.group_name_taken,
        Code::TooManyGroups => words.too_many_groups,
        Code::TooManyApiKeys => words.too_many_api_keys,
        Code::ShortcutTaken => words.shortcut_taken,
        Code::TooManyCannedReplies => words.too_many_canned_replies,
        Code::TooManyDocuments => words.too_many_documents,
        Code::AutomationNameTaken => words.automation_name_taken,
        Code::ImportRunning => words.import_running,
        Code::ListEncoding => words.list_encoding,
        Code::ListUnreadable => words.list_unreadable,
        Code::TooManyAutomations => words.too_many_automations,
        Code::InvitationNotValid => words.invitation_not_valid,
        Code::AlreadyMember => words.already_member,
        Code::ResetNotValid => words.reset_not_valid,
        Code::NoMail => words.no_mail,
        Code::ConnectedElsewhere => words.connected_elsewhere,
        Code::TemplateExists => words.template_exists,
        Code::TemplateFixed => words.template_fixed,
        Code::AlreadyRegistered => words.already_registered,
        Code::WrongPin => words.wrong_pin,
        Code::TooManyPins => words.too_many_pins,
        Code::NumberUnverified => words.number_unverified,
        Code::NotRegistrable => words.not_registrable,
        Code::JustDeregistered => words.just_deregistered,
        Code::RegistrationsSpent => words.registrations_spent,
        Code::SignUpNotBegun => words.sign_up_not_begun,
        Code::SignUpDenied => words.sign_up_denied,
        Code::OfferNotValid => words.offer_not_valid,
        Code::NetworkRefused => words.network_refused,
        Code::WebhookExists => words.webhook_exists,
        Code::TooManyWebhooks => words.too_many_webhooks,
        Code::WebhookDisabled => words.webhook_disabled,
        Code::TooManyResends => words.too_many_resends,
        Code::NoSystem => words.no_system,
        Code::SystemInvalid => words.system_invalid,
        Code::SystemRefusesSecret => words.system_refuses_secret,
        Code::SystemMisdirects => words.system_misdirects,
        Code::SystemUnverified => words.system_unverified,
        Code::SystemUndeclared => words.system_undeclared,
        Code::SystemUnavailable => words.system_unavailable,
        Code::SystemRefused => words.system_refused,
        Code::SystemFailed => words.system_failed,
        Code::NoVerifiedNumber => words.no_verified_number,
        Code::NotOrderable => words.not_orderable,
        Code::SlotGone => words.slot_gone,
        Code::AlreadyCancelled => words.already_cancelled,
        Code::SystemBooks => words.system_books,
        Code::NoModel => words.no_model,
        Code::TooManyTestQuestions => words.too_many_test_questions,
        Code::NoTestQuestions => words.no_test_questions,
        Code::RehearsalRunning => words.rehearsal_running,
        Code::TokensNearlySpent => words.tokens_nearly_spent,
        Code::OwnKeysRefused => words.own_keys_refused,
        Code::LastOwner => words.last_owner,
        Code::SecondFactorOn => words.second_factor_on,
        Code::SecondFactorNotOffered => words.second_factor_not_offered,
        Code::MailFailed => words.mail_failed,
        Code::AttachmentNotFound => words.attachment_not_found,
        Code::AttachmentUsed => words.attachment_used,
        Code::AttachmentType => words.attachment_type,
        Code::AttachmentTooLarge => words.attachment_too_large,
        Code::TooManyAttachments | Code::TooManyAttachmentBytes => words.too_many_attachments,
        Code::ContentEncoding => words.content_encoding,
        Code::TooManyTries => words.too_many_tries,
        Code::TooManyStreams => words.too_many_streams,
        Code::TooManyExports => words.too_many_exports,
        Code::TooManySearches => words.too_many_searches,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use dashboard_pages::{Language, Outcome};
    use domain::{
        channels::{ChannelKind, StandingState},
        sending::{Refusal, SendError, TextLimit},
        testing::a_moment,
    };
    use uuid::Uuid;

    use super::{of_fields, of_length, of_only, of_shared, outcome, sentence};
    use crate::problem::{DashboardCode, Problem};

    #[test]
    fn an_account_that_the_network_bars_is_not_called_unconnected() {
        let words = Language::English.words();
        let said = |refusal: Refusal| sentence(&Problem::from(refusal), words);
        let none = said(Refusal::NoChannel(ChannelKind::Whatsapp));
        assert!(none.contains("not connected"), "{none}");
        for state in [StandingState::Restricted, StandingState::Disabled] {
            let barred = said(Refusal::AccountBarred(state));
            assert!(barred.contains("does not let this account send"), "{barred}");
        }
    }

    #[test]
    fn what_is_too_long_is_told_with_how_long_it_may_be() {
        let words = Language::English.words();
        for (refusal, wanted) in [
            (Refusal::TextTooLong(TextLimit::Answer), Some("4,096")),
            (Refusal::TextTooLong(TextLimit::Caption), Some("1,024")),
            (Refusal::TextTooLong(TextLimit::Messenger), Some("2,000")),
            (Refusal::TextTooLong(TextLimit::Instagram), Some("500 in Arabic")),
            (Refusal::AuthorLeft, None),
        ] {
            let said = of_length(&SendError::Refused(refusal), words);
            assert_eq!(said.is_some(), wanted.is_some());
            assert!(said.unwrap_or_default().contains(wanted.unwrap_or_default()), "{said:?}");
        }
    }

    #[test]
    fn the_one_thing_that_can_be_wrong_is_said_unless_something_else_is() {
        let words = Language::English.words();
        let said = |problem: Problem| {
            let request = TestRequest::default().to_http_request();
            of_only(&request, problem, ("name", "The name."), words)
                .map(|refused| refused.because().to_owned())
        };
        assert_eq!(said(Problem::invalid("`name`")).unwrap(), "The name.");
        let taken = Problem::dashboard(DashboardCode::ShortcutTaken, "taken");
        let gone = || crate::paging::not_found("group");
        assert!(said(gone()).is_err());
        let shared = |problem: Problem| {
            let request = TestRequest::default().to_http_request();
            of_shared(&request, problem, ("name", "The name."), words)
                .map(|refused| refused.because().to_owned())
        };
        assert_eq!(shared(gone()).unwrap(), words.refusals.not_found);
        assert_eq!(shared(Problem::invalid("`name`")).unwrap(), "The name.");
        assert_eq!(said(taken).unwrap(), words.refusals.shortcut_taken);
        assert!(said(Problem::internal("broken")).is_err());
    }

    #[test]
    fn a_field_has_a_sentence_of_its_own_and_what_names_none_the_general_one() {
        let words = Language::English.words();
        for (problem, wanted) in [
            (Problem::invalid("`phone` is no number"), words.refusals.invalid_phone),
            (Problem::invalid("`name` is too long"), words.wrong.person),
            (Problem::invalid("`search` is too long"), words.wrong.search),
            (Problem::invalid("`other` is too long"), words.refusals.invalid),
            (Problem::dashboard(DashboardCode::ShortcutTaken, "`name`"), words.refusals.shortcut_taken),
        ] {
            let request = TestRequest::default().to_http_request();
            assert_eq!(of_fields(&request, problem, words).unwrap().because(), wanted);
        }
    }

    #[test]
    fn only_an_open_outcome_is_unclear() {
        let id = Uuid::from_u128(7);
        let unknown = Refusal::OutcomeUnknown { id: id.into(), since: a_moment() };
        for (refusal, wanted) in [
            (unknown, Outcome::Unclear(Some(id.to_string()))),
            (Refusal::RequestInFlight, Outcome::Unclear(None)),
            (Refusal::AuthorLeft, Outcome::Refused),
            (Refusal::Invalid("`text`".to_owned()), Outcome::Refused),
        ] {
            assert_eq!(outcome(&Problem::from(refusal)), wanted);
        }
    }
}
