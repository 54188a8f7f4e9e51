//! Creating, changing and deleting a template at the network; in the browser, with its preview.

use actix_web::{HttpRequest, http::Method, web::Payload};
use dashboard_pages::{DraftPage, DraftedButton, DraftedVariable, Refused, Section, TypedDraft, Words};
use domain::{
    channels::AccountKind,
    ids::AccountId,
    templates::{
        Authentication, Category, DraftButton, DraftFault, DraftHeader, DraftVariable, MediaFormat,
        Submitted, Template, TemplateDraft, TemplateFilter, TemplateKey, VariableKind, VariableLabel,
        WriteTemplateError, WrongDraft, placeholders,
    },
    text::latin_digits,
};

use super::{
    super::{
        act::{self, Answer, Call, Given},
        answer::{page, see_other},
        fields,
        form::Form,
        frame,
        not_taken::NotTaken,
        refusal,
    },
    PATH, because,
    wire::{DraftBody, NameBody, SubmittedBody},
};
use crate::{paging::not_found, problem::Problem, query::Parameters};

/// Buttons that the form has fields for.
const BUTTONS: usize = 4;

/// Shows the form of a new template, or of the named one.
pub(in crate::pages) async fn show(call: Call) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let named = [parameters.get("accountId")?, parameters.get("name")?, parameters.get("language")?];
    let [Some(account), Some(name), Some(language)] = named else {
        return render(&call, TypedDraft::new(BUTTONS), Outcome::default()).await;
    };
    let unknown = || not_found("template");
    let account: AccountId = account.parse().map_err(|_| unknown())?;
    let workspace = call.workspace();
    let listed = call
        .run(move |app| async move { app.list_templates.run(workspace, TemplateFilter::default()).await });
    let mut templates = listed.await?.into_iter().map(|listed| listed.template);
    let found = templates.find(|one| one.account == account && one.name == name && one.language == language);
    let found = found.ok_or_else(unknown)?;
    let draft = typed(&found);
    render(&call, draft, Outcome { standing: Some(found), ..Outcome::default() }).await
}

/// Outcome of a form, or the current template before any was posted.
#[derive(Default)]
struct Outcome {
    standing: Option<Template>,
    refused: Option<Refused>,
    preview: Option<TemplateDraft>,
}

async fn render(call: &Call, typed: TypedDraft, outcome: Outcome) -> Answer {
    let frame = call.frame(Section::Templates).await?;
    let workspace = call.workspace();
    let accounts = call.run(move |app| async move {
        app.dashboard.channels.manage.list(workspace, AccountKind::Business).await
    });
    let accounts = accounts.await?;
    let refused = outcome.refused;
    page(
        refusal::status(refused.as_ref()),
        &DraftPage {
            frame: &frame,
            accounts: accounts.into_iter().map(|one| (one.id.to_string(), one.network_id)).collect(),
            typed,
            standing: outcome.standing.map(|one| (one.status, because(&one, &frame.words().templates))),
            preview: outcome.preview.map(|draft| draft.preview()),
            refused,
        },
    )
}

/// Shows a preview, or submits a new or changed template to the network, which reviews it: it is `pending`
/// first, and `approved` or `rejected` then, with the network's reason. All parts of a changed one are
/// replaced. One that is being reviewed cannot be changed, nor what an approved one is for.
pub(in crate::pages) async fn submit(call: Call, payload: Payload) -> Answer {
    let form = match call.given(payload).await? {
        Given::Json(payload) => {
            let (account, draft) = call.json::<DraftBody>(payload).await?.read()?;
            let is_known = *call.request.method() == Method::PUT;
            let submitted = SubmittedBody::from(write(&call, is_known, account, draft).await??);
            return if is_known { act::ok(&submitted) } else { act::created(&submitted) };
        }
        Given::Form(form) => form,
    };
    let (what, mut typed) = (form.text("do")?, read(&form)?);
    let places = placeholders(&typed.body);
    typed.variables.resize_with(places.len(), DraftedVariable::default);
    for (variable, place) in typed.variables.iter_mut().zip(&places) {
        variable.place.clone_from(place);
        if variable.label.trim().is_empty() {
            variable.label.clone_from(place);
        }
    }
    let request = &call.request;
    let draft = match drafted(&typed) {
        Ok(draft) => draft,
        Err(wrong) => {
            let refused = match wrong {
                NotDrafted::Sample => not_taken(request, WriteTemplateError::Sample)?,
                NotDrafted::Field(problem) => {
                    refusal::of_form(request, problem, frame::bare(request).words())?
                }
            };
            return render(&call, typed, Outcome { refused: Some(refused), ..Outcome::default() }).await;
        }
    };
    let refused = if let Err(wrong) = draft.check() {
        let words = frame::bare(request).words();
        let refused = refusal::at(request, fields::names_of(&wrong_field(&typed, &wrong)), "");
        Some(refused.with(Some(isolated(&words.wrong_draft(&wrong), words))))
    } else if what == "submit" {
        let account: AccountId = typed.account.parse().map_err(|_| not_found("account"))?;
        match write(&call, typed.is_known, account, draft.clone()).await? {
            Ok(_) => return Ok(see_other(PATH)),
            Err(error) => Some(not_taken(request, error)?),
        }
    } else {
        None
    };
    render(&call, typed, Outcome { refused, preview: Some(draft), ..Outcome::default() }).await
}

async fn write(
    call: &Call,
    is_known: bool,
    account: AccountId,
    draft: TemplateDraft,
) -> Result<Result<Submitted, WriteTemplateError>, Problem> {
    let acting = call.acting();
    let submitted = call.app.run(move |app| async move {
        let write = &app.dashboard.channels.write_templates;
        if is_known {
            write.edit(acting, account, &draft).await
        } else {
            write.create(acting, account, &draft).await
        }
    });
    submitted.await
}

/// Returns why a template was not submitted.
///
/// # Errors
/// The problem itself if it is not about the form.
fn not_taken(request: &HttpRequest, error: WriteTemplateError) -> Result<Refused, Problem> {
    let words = frame::bare(request).words();
    let (detail, field) = match &error {
        WriteTemplateError::Sample => (Some(words.wrong.sample.to_owned()), Some("attachment".to_owned())),
        error => (said(error), None),
    };
    let detail = detail.map(|detail| isolated(&detail, words));
    NotTaken { problem: error.into(), detail, field }.refused(request, words)
}

/// Returns what is wrong behind the words for a template that is not taken.
fn isolated(wrong: &str, words: &Words) -> String {
    format!("{} \u{2068}{wrong}\u{2069}", words.templates.not_taken)
}

/// Returns the form's field for a field of the draft, of which the form may have several.
fn wrong_field(typed: &TypedDraft, wrong: &WrongDraft) -> String {
    let is_sample = matches!(wrong.fault, DraftFault::Samples | DraftFault::Sample);
    let empty = || {
        let at = typed.variables.iter().position(|variable| variable.sample.trim().is_empty());
        format!("sample-{}", at.unwrap_or_default() + 1)
    };
    match wrong.field {
        "header" if typed.header == "TEXT" && is_sample => "header-sample".to_owned(),
        "header" if typed.header == "TEXT" => "header-text".to_owned(),
        "variables" => empty(),
        field => field.to_owned(),
    }
}

/// Deletes a template in one language at the network, which does not take its name again for 30 days.
pub(in crate::pages) async fn delete(call: Call, payload: Payload) -> Answer {
    let (account, name, language) = match call.given(payload).await? {
        Given::Json(payload) => {
            let NameBody { account_id, name, language } = call.json(payload).await?;
            (account_id, name, language)
        }
        Given::Form(form) => (form.text("account")?, form.text("name")?, form.text("language")?),
    };
    let account = account.parse().map_err(|_| not_found("account"))?;
    let (acting, key) = (call.acting(), TemplateKey { account, name, language });
    let deleted = call
        .app
        .run(move |app| async move { app.dashboard.channels.write_templates.delete(acting, &key).await });
    match deleted.await? {
        Ok(()) => Ok(call.done(PATH)),
        Err(error) if call.is_of_api() => Err(error.into()),
        Err(error) => {
            let detail = said(&error);
            super::render(&call, Some(NotTaken { detail, ..Problem::from(error).into() })).await
        }
    }
}

/// Returns the network's words, if it was the network that refused.
fn said(error: &WriteTemplateError) -> Option<String> {
    matches!(error, WriteTemplateError::Network(_)).then(|| error.to_string())
}

fn read(form: &Form) -> Result<TypedDraft, Problem> {
    let mut typed = TypedDraft {
        account: form.text("account")?,
        is_known: form.text("known")? == "yes",
        name: form.text("name")?,
        language: form.text("language")?,
        category: form.text("category")?,
        header: form.text("header")?,
        header_text: form.text("header-text")?,
        header_sample: form.text("header-sample")?,
        attachment: form.text("attachment")?,
        body: form.text("body")?.replace("\r\n", "\n"),
        variables: Vec::new(),
        footer: form.text("footer")?,
        buttons: Vec::new(),
        warns: form.text("warns")? == "on",
        minutes: form.text("minutes")?,
    };
    for index in 1..=placeholders(&typed.body).len() {
        typed.variables.push(DraftedVariable {
            place: String::new(),
            label: form.text(&format!("label-{index}"))?,
            is_name: form.text(&format!("is-name-{index}"))? == "on",
            sample: form.text(&format!("sample-{index}"))?,
        });
    }
    for index in 1..=BUTTONS {
        typed.buttons.push(DraftedButton {
            kind: form.text(&format!("button-kind-{index}"))?,
            text: form.text(&format!("button-text-{index}"))?,
            target: form.text(&format!("button-target-{index}"))?,
            sample: form.text(&format!("button-sample-{index}"))?,
        });
    }
    Ok(typed)
}

/// Why a form is no draft.
enum NotDrafted {
    /// The header is a file, and its example is missing.
    Sample,
    /// A field is not a valid number, category or kind.
    Field(Problem),
}

impl From<Problem> for NotDrafted {
    fn from(problem: Problem) -> Self {
        Self::Field(problem)
    }
}

fn drafted(typed: &TypedDraft) -> Result<TemplateDraft, NotDrafted> {
    let category = Category::read(&typed.category).ok_or_else(|| Problem::invalid("`category`"))?;
    let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let is_code = category == Category::Authentication;
    let header = match typed.header.as_str() {
        "" => None,
        _ if is_code => None,
        "TEXT" => Some(DraftHeader::Text {
            text: typed.header_text.trim().to_owned(),
            sample: filled(&typed.header_sample),
        }),
        format => {
            let format = MediaFormat::read(format).ok_or_else(|| Problem::invalid("`header`"))?;
            let sample = typed.attachment.parse().map_err(|_| NotDrafted::Sample)?;
            Some(DraftHeader::Media { format, sample })
        }
    };
    let variable = |typed: &DraftedVariable| DraftVariable {
        label: VariableLabel {
            label: typed.label.trim().to_owned(),
            kind: if typed.is_name { VariableKind::Name } else { VariableKind::Text },
        },
        sample: typed.sample.trim().to_owned(),
    };
    let button = |typed: &DraftedButton| {
        let text = typed.text.trim().to_owned();
        match typed.kind.as_str() {
            "quick" => Some(DraftButton::QuickReply { text }),
            "link" => Some(DraftButton::Link {
                text,
                url: typed.target.trim().to_owned(),
                sample: filled(&typed.sample),
            }),
            "call" => Some(DraftButton::Call { text, phone: typed.target.trim().to_owned() }),
            _ => None,
        }
    };
    let minutes = filled(&typed.minutes).map(|text| latin_digits(&text).parse::<u32>());
    let minutes = minutes.transpose().map_err(|_| Problem::invalid("`minutes` must be a number"))?;
    Ok(TemplateDraft {
        name: typed.name.trim().to_owned(),
        language: typed.language.trim().to_owned(),
        category,
        header,
        body: if is_code { String::new() } else { typed.body.trim().to_owned() },
        variables: if is_code { Vec::new() } else { typed.variables.iter().map(variable).collect() },
        footer: filled(&typed.footer).filter(|_| !is_code),
        buttons: if is_code { Vec::new() } else { typed.buttons.iter().filter_map(button).collect() },
        authentication: is_code.then_some(Authentication {
            add_security_recommendation: typed.warns,
            code_expiration_minutes: minutes,
        }),
    })
}

/// Converts a template to the form. Its examples are not available and have to be entered anew.
fn typed(template: &Template) -> TypedDraft {
    let content = &template.content;
    let variable = |variable: domain::templates::Variable| DraftedVariable {
        place: variable.place,
        label: variable.label,
        is_name: variable.kind == VariableKind::Name,
        sample: String::new(),
    };
    let mut buttons: Vec<DraftedButton> = content
        .buttons
        .iter()
        .map(|button| {
            let kind = match button.kind.as_str() {
                "QUICK_REPLY" => "quick",
                "URL" => "link",
                "PHONE_NUMBER" => "call",
                _ => "",
            };
            DraftedButton {
                kind: kind.to_owned(),
                text: button.text.clone(),
                target: button.url.clone().unwrap_or_default(),
                sample: String::new(),
            }
        })
        .collect();
    buttons.resize_with(BUTTONS.max(buttons.len()), DraftedButton::default);
    buttons.truncate(BUTTONS);
    let header = content.header.as_ref();
    TypedDraft {
        account: template.account.to_string(),
        is_known: true,
        name: template.name.clone(),
        language: template.language.clone(),
        category: template.category.clone(),
        header: header.map(|header| header.format.clone()).unwrap_or_default(),
        header_text: header.and_then(|header| header.text.clone()).unwrap_or_default(),
        header_sample: String::new(),
        attachment: String::new(),
        body: if content.authentication.is_some() { String::new() } else { content.body.clone() },
        variables: template.variables().into_iter().map(variable).collect(),
        footer: content.footer.clone().filter(|_| content.authentication.is_none()).unwrap_or_default(),
        buttons,
        warns: content.authentication.is_some_and(|code| code.add_security_recommendation),
        minutes: content
            .authentication
            .and_then(|code| code.code_expiration_minutes)
            .map(|minutes| minutes.to_string())
            .unwrap_or_default(),
    }
}
