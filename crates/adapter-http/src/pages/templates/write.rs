//! `/dashboard/settings/templates/write`: creating or changing a template, with its preview.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{DraftPage, DraftedButton, DraftedVariable, Refused, Section, TypedDraft, Words};
use domain::{
    channels::AccountKind,
    ids::AccountId,
    templates::{
        Authentication, Category, DraftButton, DraftFault, DraftHeader, DraftVariable, MediaFormat, Template,
        TemplateDraft, TemplateFilter, TemplateKey, VariableKind, VariableLabel, WriteTemplateError,
        WrongDraft, placeholders,
    },
    text::latin_digits,
};

use super::{
    super::{
        answer::{page, see_other},
        fields,
        form::Form,
        frame,
        not_taken::NotTaken,
        refusal,
    },
    PATH, because,
};
use crate::{app::App, paging::not_found, problem::Problem, query::Parameters, session::SignedIn};

/// Buttons that the form has fields for.
const BUTTONS: usize = 4;

/// Shows the form of a new template, or of the named one.
pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let named = [parameters.get("accountId")?, parameters.get("name")?, parameters.get("language")?];
    let [Some(account), Some(name), Some(language)] = named else {
        return render(&app, &by, &request, TypedDraft::new(BUTTONS), Outcome::default()).await;
    };
    let unknown = || not_found("template");
    let account: AccountId = account.parse().map_err(|_| unknown())?;
    let workspace = by.session.workspace;
    let listed =
        app.run(move |app| async move { app.list_templates.run(workspace, TemplateFilter::default()).await });
    let mut templates = listed.await??.into_iter().map(|listed| listed.template);
    let found = templates.find(|one| one.account == account && one.name == name && one.language == language);
    let found = found.ok_or_else(unknown)?;
    let draft = typed(&found);
    render(&app, &by, &request, draft, Outcome { standing: Some(found), ..Outcome::default() }).await
}

/// Outcome of a form, or the current template before any was posted.
#[derive(Default)]
struct Outcome {
    standing: Option<Template>,
    refused: Option<Refused>,
    preview: Option<TemplateDraft>,
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    typed: TypedDraft,
    outcome: Outcome,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Templates).await?;
    let workspace = by.session.workspace;
    let accounts = app.run(move |app| async move {
        app.dashboard.channels.manage.list(workspace, AccountKind::Business).await
    });
    let accounts = accounts.await??;
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

/// Shows a preview, or submits the template.
pub(in crate::pages) async fn submit(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (what, mut typed) = (form.text("do")?, read(&form)?);
    let places = placeholders(&typed.body);
    typed.variables.resize_with(places.len(), DraftedVariable::default);
    for (variable, place) in typed.variables.iter_mut().zip(&places) {
        variable.place.clone_from(place);
        if variable.label.trim().is_empty() {
            variable.label.clone_from(place);
        }
    }
    let draft = match drafted(&typed) {
        Ok(draft) => draft,
        Err(NotDrafted::Sample) => {
            let refused = Some(not_taken(&request, WriteTemplateError::Sample)?);
            let outcome = Outcome { refused, ..Outcome::default() };
            return render(&app, &by, &request, typed, outcome).await;
        }
        Err(NotDrafted::Field(problem)) => {
            let refused = Some(refusal::of_form(&request, problem, frame::bare(&request).words())?);
            let outcome = Outcome { refused, ..Outcome::default() };
            return render(&app, &by, &request, typed, outcome).await;
        }
    };
    if let Err(wrong) = draft.check() {
        let words = frame::bare(&request).words();
        let refused = refusal::at(&request, fields::names_of(&wrong_field(&typed, &wrong)), "");
        let refused = Some(refused.with(Some(isolated(&words.wrong_draft(&wrong), words))));
        let outcome = Outcome { refused, preview: Some(draft), ..Outcome::default() };
        return render(&app, &by, &request, typed, outcome).await;
    }
    if what != "submit" {
        let outcome = Outcome { preview: Some(draft), ..Outcome::default() };
        return render(&app, &by, &request, typed, outcome).await;
    }
    let account: AccountId = typed.account.parse().map_err(|_| not_found("account"))?;
    let (acting, is_known, again) = (by.acting(), typed.is_known, draft.clone());
    let submitted = app.run(move |app| async move {
        let write = &app.dashboard.channels.write_templates;
        if is_known {
            write.edit(acting, account, &draft).await
        } else {
            write.create(acting, account, &draft).await
        }
    });
    match submitted.await? {
        Ok(_) => Ok(see_other(PATH)),
        Err(error) => {
            let refused = Some(not_taken(&request, error)?);
            let outcome = Outcome { refused, preview: Some(again), ..Outcome::default() };
            render(&app, &by, &request, typed, outcome).await
        }
    }
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

pub(in crate::pages) async fn delete(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let account = form.text("account")?.parse().map_err(|_| not_found("account"))?;
    let key = TemplateKey { account, name: form.text("name")?, language: form.text("language")? };
    let acting = by.acting();
    let deleted =
        app.run(move |app| async move { app.dashboard.channels.write_templates.delete(acting, &key).await });
    match deleted.await? {
        Ok(()) => Ok(see_other(PATH)),
        Err(error) => {
            let detail = said(&error);
            super::render(&app, &by, &request, Some(NotTaken { detail, ..Problem::from(error).into() })).await
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
