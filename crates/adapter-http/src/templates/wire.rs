//! A template as the API shows it (docs/use/rest-api.md, "Shapes").

use domain::{
    phone::PhoneNumber,
    templates::{
        Authentication, Button, ListedTemplate, Template, TemplateContent, Variable, validity_problem,
    },
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::values::Phone;

/// A message that the network has approved, or has yet to approve, with places for values.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Template)]
pub(super) struct TemplateBody {
    name: String,
    /// A language code.
    language: String,
    /// `UTILITY`, `AUTHENTICATION`, `MARKETING`, or one that the network has added since.
    category: String,
    #[schema(value_type = Status, inline)]
    status: &'static str,
    /// Its text, with `{{1}}`, `{{2}}`… in the places of the variables, also where the network names them.
    body: String,
    #[schema(required = true)]
    footer: Option<String>,
    header: HeaderBody,
    /// What a send must give, in order.
    variables: Vec<VariableBody>,
    buttons: Vec<ButtonBody>,
    /// Set on a one-time-code template: it is sent with `code`, not with `variables`.
    #[schema(required = true)]
    authentication: Option<AuthenticationBody>,
    #[schema(required = true)]
    rejection_reason: Option<String>,
    /// Why a one-time code is not sent with it although it is approved, and what to do at the network.
    #[schema(required = true)]
    validity_problem: Option<String>,
    /// The business account that it belongs to.
    account: String,
    /// The connected numbers that can send it: any of them is a valid `from`. Empty: none can, for now.
    #[schema(value_type = Vec<Phone>)]
    numbers: Vec<PhoneNumber>,
}

/// What stands above the text.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateHeader)]
struct HeaderBody {
    /// `NONE`, `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, or one that the network has added since.
    format: String,
    #[schema(required = true)]
    text: Option<String>,
    /// A send must carry `header.text` (of a `TEXT`), `header.location` (of a `LOCATION`) or `header.link`
    /// (of the others).
    required: bool,
}

/// A place for a value.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateVariable)]
struct VariableBody {
    /// The name under which `variables` has the value: what the owners call it, or else the network. What the
    /// network calls it is taken as well.
    label: String,
    #[schema(value_type = VariableKindName, inline)]
    kind: &'static str,
}

/// A button below the text.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateButton)]
struct ButtonBody {
    /// `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, or one that the network has added since.
    #[serde(rename = "type")]
    kind: String,
    text: String,
    /// A link that needs an entry in `buttonVariables`.
    variable: bool,
}

/// How the one-time code is shown, and for how long it is good.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateAuthentication)]
struct AuthenticationBody {
    add_security_recommendation: bool,
    code_expiration_minutes: u32,
}

/// Only an approved one can be sent.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "the domain has the type; this only describes it")]
pub(super) enum Status {
    Approved,
    Pending,
    Rejected,
    Paused,
}

/// What the network lets the template be for.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
#[expect(dead_code, reason = "the domain has the type; this only describes it")]
pub(super) enum CategoryName {
    Utility,
    Authentication,
    Marketing,
}

/// `name` where the contact's name belongs; the value is sent either way.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "the domain has the type; this only describes it")]
pub(crate) enum VariableKindName {
    Name,
    Text,
}

impl From<ListedTemplate> for TemplateBody {
    fn from(listed: ListedTemplate) -> Self {
        let ListedTemplate { template, numbers } = listed;
        let header = HeaderBody::of(&template.content);
        let variables = template.variables().into_iter().map(VariableBody::from).collect();
        let validity_problem = validity_problem(&template);
        let Template { content, .. } = template;
        Self {
            name: template.name,
            language: template.language,
            category: template.category,
            status: template.status.as_str(),
            body: content.numbered_body(),
            footer: content.footer,
            header,
            variables,
            buttons: content.buttons.into_iter().map(ButtonBody::from).collect(),
            authentication: content.authentication.map(AuthenticationBody::from),
            rejection_reason: template.rejection_reason,
            validity_problem,
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
