//! `POST`, `PUT` and `DELETE /templates`: owners' changes to templates at the network.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::AccountId,
    templates::{
        Authentication, Category, DraftButton, DraftHeader, DraftVariable, MediaFormat, Submitted,
        TemplateDraft, TemplateKey, VariableKind, VariableLabel, WriteTemplateError,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    app::App,
    body::{self, Object},
    paging::not_found,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// A template as an owner writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DraftBody {
    /// The account that it belongs to.
    account_id: String,
    /// Small letters, digits and underscores.
    name: String,
    language: String,
    /// `UTILITY`, `MARKETING` or `AUTHENTICATION`. A one-time code has only `authentication` besides.
    category: String,
    header: Option<Object<DraftHeaderBody>>,
    /// The text, with `{{1}}`, `{{2}}`… or `{{name}}` in the places of the variables; none at its ends or
    /// beside another.
    #[serde(default)]
    body: String,
    /// One for each variable of the text, in the order of their places.
    #[serde(default)]
    variables: Vec<Object<DraftVariableBody>>,
    footer: Option<String>,
    /// At most ten: two links, one number, and quick replies that stand together.
    #[serde(default)]
    buttons: Vec<Object<DraftButtonBody>>,
    authentication: Option<Object<DraftCodeBody>>,
}

/// What stands above the text: a line, or a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DraftHeaderBody {
    /// A line, which may have one variable.
    text: Option<String>,
    /// An example of its variable.
    sample: Option<String>,
    /// Instead of a line: `IMAGE`, `VIDEO` or `DOCUMENT`.
    format: Option<String>,
    /// An example of the file: what `POST /dashboard/api/attachments` answered to this member within a day,
    /// at most 16 MB.
    attachment_id: Option<String>,
}

/// A variable of the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DraftVariableBody {
    /// The name under which sends have the value.
    label: String,
    kind: VariableKind,
    /// An example of its value, for whoever reviews the template.
    sample: String,
}

/// A button: with neither `url` nor `phone` a quick reply.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DraftButtonBody {
    text: String,
    /// The page that it opens; it may end in `{{1}}`.
    url: Option<String>,
    /// An example of what stands for `{{1}}`.
    sample: Option<String>,
    /// The number that it calls.
    phone: Option<String>,
}

/// What a one-time code says besides; its words are the network's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DraftCodeBody {
    /// A warning not to share the code.
    add_security_recommendation: bool,
    /// For how many minutes the code is good.
    code_expiration_minutes: Option<u32>,
}

/// Which template.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NameBody {
    account_id: String,
    name: String,
    language: String,
}

/// A template at the network.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubmittedBody {
    network_id: String,
    /// Why it is not listed yet or its variables are not named, where that is so; it is read within minutes.
    unread: Option<String>,
}

impl DraftBody {
    fn read(self) -> Result<(AccountId, TemplateDraft), Problem> {
        let account = self.account_id.parse().map_err(|_| not_found("account"))?;
        let category = Category::read(&self.category.to_ascii_uppercase());
        let category = category
            .ok_or_else(|| Problem::invalid("`category` must be UTILITY, MARKETING or AUTHENTICATION"))?;
        let header = self.header.map(|Object(header)| header.read()).transpose()?;
        let buttons =
            self.buttons.into_iter().map(|Object(button)| button.read()).collect::<Result<_, _>>()?;
        let variable = |Object(DraftVariableBody { label, kind, sample })| DraftVariable {
            label: VariableLabel { label, kind },
            sample,
        };
        let code = |Object(code): Object<DraftCodeBody>| Authentication {
            add_security_recommendation: code.add_security_recommendation,
            code_expiration_minutes: code.code_expiration_minutes,
        };
        let draft = TemplateDraft {
            name: self.name,
            language: self.language,
            category,
            header,
            body: self.body,
            variables: self.variables.into_iter().map(variable).collect(),
            footer: self.footer,
            buttons,
            authentication: self.authentication.map(code),
        };
        Ok((account, draft))
    }
}

impl DraftHeaderBody {
    fn read(self) -> Result<DraftHeader, Problem> {
        match self {
            Self { text: Some(text), sample, format: None, attachment_id: None } => {
                Ok(DraftHeader::Text { text, sample })
            }
            Self { text: None, sample: None, format: Some(format), attachment_id: Some(id) } => {
                let format = MediaFormat::read(&format)
                    .ok_or_else(|| Problem::invalid("`header.format` must be IMAGE, VIDEO or DOCUMENT"))?;
                let sample = id.parse().map_err(|_| WriteTemplateError::Sample)?;
                Ok(DraftHeader::Media { format, sample })
            }
            _ => Err(Problem::invalid(
                "`header` has `text`, with `sample` where it has a variable, or `format` and `attachmentId`",
            )),
        }
    }
}

impl DraftButtonBody {
    fn read(self) -> Result<DraftButton, Problem> {
        match self {
            Self { text, url: None, sample: None, phone: None } => Ok(DraftButton::QuickReply { text }),
            Self { text, url: Some(url), sample, phone: None } => Ok(DraftButton::Link { text, url, sample }),
            Self { text, url: None, sample: None, phone: Some(phone) } => {
                Ok(DraftButton::Call { text, phone })
            }
            _ => Err(Problem::invalid(
                "`buttons`: a button has `url`, with `sample` or without, or `phone`, or neither",
            )),
        }
    }
}

impl From<Submitted> for SubmittedBody {
    fn from(Submitted { network_id, unread }: Submitted) -> Self {
        Self { network_id, unread }
    }
}

impl From<WriteTemplateError> for Problem {
    fn from(error: WriteTemplateError) -> Self {
        let message = error.to_string();
        match error {
            WriteTemplateError::Draft(_) | WriteTemplateError::Sample => Self::invalid(message),
            WriteTemplateError::UnknownAccount => not_found("account"),
            WriteTemplateError::UnknownTemplate => not_found("template"),
            WriteTemplateError::Exists => Self::dashboard(DashboardCode::TemplateExists, message),
            WriteTemplateError::Pending | WriteTemplateError::Category => {
                Self::dashboard(DashboardCode::TemplateFixed, message)
            }
            WriteTemplateError::Network(error) => domain::channels::ConnectError::from(error).into(),
            WriteTemplateError::Store(error) => error.into(),
        }
    }
}

/// Submits a new template to the network, which reviews it: it is `pending` first, and `approved` or
/// `rejected` then, with the network's reason.
pub(crate) async fn create(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (account, draft) = body::json::<DraftBody>(&request, payload).await?.fields.read()?;
    let submitted = app.run(move |app| async move {
        app.dashboard.channels.write_templates.create(by.acting(), account, &draft).await
    });
    Ok(HttpResponse::Created().json(SubmittedBody::from(submitted.await??)))
}

/// Changes a template at the network, which reviews it again: all of its parts are replaced. Which one is
/// said by account, name and language. One that is being reviewed cannot be changed, nor what an approved one
/// is for.
pub(crate) async fn edit(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SubmittedBody>, Problem> {
    let (account, draft) = body::json::<DraftBody>(&request, payload).await?.fields.read()?;
    let submitted = app.run(move |app| async move {
        app.dashboard.channels.write_templates.edit(by.acting(), account, &draft).await
    });
    Ok(Json(SubmittedBody::from(submitted.await??)))
}

/// Deletes a template in one language at the network. The network does not take its name again for 30 days.
pub(crate) async fn delete(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NameBody { account_id, name, language } = body::json(&request, payload).await?.fields;
    let account = account_id.parse().map_err(|_| not_found("account"))?;
    let key = TemplateKey { account, name, language };
    let deleted =
        app.run(
            move |app| async move { app.dashboard.channels.write_templates.delete(by.acting(), &key).await },
        );
    deleted.await??;
    Ok(HttpResponse::NoContent().finish())
}
