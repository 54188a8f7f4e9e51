//! Drafts of templates in JSON.

use domain::{
    ids::AccountId,
    templates::{
        Authentication, Category, DraftButton, DraftHeader, DraftVariable, MediaFormat, Submitted,
        TemplateDraft, VariableKind, VariableLabel, WriteTemplateError,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    body::Object,
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// A template as an owner writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct DraftBody {
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
struct DraftHeaderBody {
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
struct DraftVariableBody {
    /// The name under which sends have the value.
    label: String,
    kind: VariableKind,
    /// An example of its value, for whoever reviews the template.
    sample: String,
}

/// A button: with neither `url` nor `phone` a quick reply.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DraftButtonBody {
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
struct DraftCodeBody {
    /// A warning not to share the code.
    add_security_recommendation: bool,
    /// For how many minutes the code is good.
    code_expiration_minutes: Option<u32>,
}

/// Which template.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NameBody {
    pub(super) account_id: String,
    pub(super) name: String,
    pub(super) language: String,
}

/// A template at the network.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubmittedBody {
    network_id: String,
    /// Why it is not listed yet or its variables are not named, where that is so; it is read within minutes.
    unread: Option<String>,
}

impl DraftBody {
    pub(super) fn read(self) -> Result<(AccountId, TemplateDraft), Problem> {
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
