//! A template as the API shows it (REST API v1, Template).

use domain::{
    phone::PhoneNumber,
    templates::{Authentication, Button, ListedTemplate, Template, TemplateContent, Variable},
};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TemplateBody {
    name: String,
    language: String,
    category: String,
    status: &'static str,
    body: String,
    footer: Option<String>,
    header: HeaderBody,
    variables: Vec<VariableBody>,
    buttons: Vec<ButtonBody>,
    authentication: Option<AuthenticationBody>,
    rejection_reason: Option<String>,
    account: String,
    numbers: Vec<PhoneNumber>,
}

#[derive(Serialize)]
struct HeaderBody {
    format: String,
    text: Option<String>,
    required: bool,
}

#[derive(Serialize)]
struct VariableBody {
    label: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct ButtonBody {
    #[serde(rename = "type")]
    kind: String,
    text: String,
    variable: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuthenticationBody {
    add_security_recommendation: bool,
    code_expiration_minutes: u32,
}

impl From<ListedTemplate> for TemplateBody {
    fn from(listed: ListedTemplate) -> Self {
        let ListedTemplate { template, numbers } = listed;
        let header = HeaderBody::of(&template.content);
        let variables = template.content.variables().into_iter().map(VariableBody::from).collect();
        let Template { content, .. } = template;
        Self {
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status.as_str(),
            body: content.body,
            footer: content.footer,
            header,
            variables,
            buttons: content.buttons.into_iter().map(ButtonBody::from).collect(),
            authentication: content.authentication.map(AuthenticationBody::from),
            rejection_reason: template.rejection_reason,
            account: template.account_network_id,
            numbers,
        }
    }
}

impl HeaderBody {
    fn of(content: &TemplateContent) -> Self {
        let required = content.header_need().is_some();
        match &content.header {
            None => Self { format: "NONE".to_owned(), text: None, required },
            Some(header) => Self { format: header.format.clone(), text: header.text.clone(), required },
        }
    }
}

impl From<Variable> for VariableBody {
    fn from(variable: Variable) -> Self {
        Self { label: variable.label, kind: variable.kind.as_str() }
    }
}

impl From<Button> for ButtonBody {
    fn from(button: Button) -> Self {
        let variable = button.has_variable();
        Self { kind: button.kind, text: button.text, variable }
    }
}

impl From<Authentication> for AuthenticationBody {
    fn from(authentication: Authentication) -> Self {
        Self {
            add_security_recommendation: authentication.add_security_recommendation,
            code_expiration_minutes: authentication.expires_after_minutes(),
        }
    }
}
