//! Filling a template's places with the values of a request, or refusing them.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    message::{BodyValue, ButtonValue, HeaderValue},
    refusal::Refusal,
    request::{HeaderRequest, TemplateRequest, Variables, one_line},
};
use crate::{
    templates::{HeaderNeed, Template, TemplateContent, Variable},
    text::{is_blank, without_direction_controls},
};

/// Longest one-time code (docs/use/rest-api.md, "Limits").
const MAX_CODE_CHARS: usize = 15;

/// Returns the body's values in the order of the template's variables.
pub(super) fn body(template: &Template, request: &TemplateRequest) -> Result<Vec<BodyValue>, Refusal> {
    if request.code.is_some() {
        let only = "`code` is for one-time-code templates; this one takes `variables`";
        return Err(Refusal::Invalid(only.to_owned()));
    }
    let wanted = template.variables();
    let values = match &request.variables {
        None => Vec::new(),
        Some(Variables::Ordered(values)) => values.clone(),
        Some(Variables::Named(values)) => named(&wanted, values).unwrap_or_default(),
    };
    if values.len() != wanted.len() {
        let wanted = wanted.into_iter().map(|variable| variable.label).collect();
        return Err(Refusal::VariablesMismatch { wanted });
    }
    wanted.into_iter().zip(values).map(|(variable, value)| checked(variable, &value)).collect()
}

/// Returns the values in the variables' order; `None` unless each variable has one and none is left over.
fn named(wanted: &[Variable], values: &BTreeMap<String, String>) -> Option<Vec<String>> {
    let value_of = |variable: &Variable| values.get(&variable.label).or_else(|| values.get(&variable.place));
    let found: Option<Vec<String>> = wanted.iter().map(|variable| value_of(variable).cloned()).collect();
    found.filter(|found| found.len() == values.len())
}

fn checked(variable: Variable, value: &str) -> Result<BodyValue, Refusal> {
    let text = value.trim();
    if is_blank(text) {
        return Err(Refusal::VariableEmpty { variable: variable.label });
    }
    one_line(&format!("variables.{}", variable.label), text)?;
    Ok(BodyValue { label: variable.place, text: text.to_owned() })
}

pub(super) fn code(request: &TemplateRequest) -> Result<String, Refusal> {
    let code = request.code.as_deref().filter(|code| !code.trim().is_empty()).ok_or(Refusal::CodeRequired)?;
    let allowed = |character: char| character.is_ascii_alphanumeric() || character == '-';
    if code.len() > MAX_CODE_CHARS || !code.chars().all(allowed) {
        return Err(Refusal::InvalidCode);
    }
    let has_variables = match &request.variables {
        None => false,
        Some(Variables::Named(values)) => !values.is_empty(),
        Some(Variables::Ordered(values)) => !values.is_empty(),
    };
    if has_variables { Err(Refusal::VariablesMismatch { wanted: Vec::new() }) } else { Ok(code.to_owned()) }
}

/// Returns the header's value; `None` if the template's header takes none.
pub(super) fn header(
    content: &TemplateContent,
    request: &TemplateRequest,
) -> Result<Option<HeaderValue>, Refusal> {
    let absent = HeaderRequest::default();
    let given = request.header.as_ref().unwrap_or(&absent);
    let text = given.text.as_deref().map(str::trim).filter(|text| !is_blank(text));
    let link = given.link.as_deref();
    let filename = given.filename.as_deref().map(without_direction_controls);
    let need = content.header_need();
    let takes_link = matches!(need, Some(HeaderNeed::Media | HeaderNeed::Document));

    let places = [
        ("text", given.text.is_some(), need == Some(HeaderNeed::Text)),
        ("link", link.is_some(), takes_link),
        // Accepted for images and videos too, which show no file name, and dropped below.
        ("filename", filename.is_some(), takes_link),
        ("location", given.location.is_some(), need == Some(HeaderNeed::Location)),
    ];
    let misplaced = places.into_iter().find(|(_, given, has_place)| *given && !has_place);
    let missing = match need {
        Some(HeaderNeed::Text) if text.is_none() => Some("text"),
        Some(HeaderNeed::Media | HeaderNeed::Document) if link.is_none() => Some("link"),
        Some(HeaderNeed::Location) if given.location.is_none() => Some("location"),
        _ => None,
    };
    if let Some(field) = missing {
        return Err(Refusal::HeaderRequired { field });
    }
    if let Some((field, ..)) = misplaced {
        return Err(Refusal::HeaderNotAllowed { field });
    }
    let format = content.header.as_ref().map(|header| header.format.as_str());
    Ok(match (format, text, link) {
        (Some("TEXT"), Some(text), _) => {
            content.header_variable().map(|label| HeaderValue::Text { label, text: text.to_owned() })
        }
        (Some("IMAGE"), _, Some(link)) => Some(HeaderValue::Image(link.to_owned())),
        (Some("VIDEO"), _, Some(link)) => Some(HeaderValue::Video(link.to_owned())),
        (Some("DOCUMENT"), _, Some(link)) => Some(HeaderValue::Document {
            link: link.to_owned(),
            filename: filename.filter(|name| !name.is_empty()).map(Cow::into_owned),
        }),
        (Some("LOCATION"), ..) => given.location.clone().map(HeaderValue::Location),
        _ => None,
    })
}

/// Returns one value for each URL button that ends in a variable.
pub(super) fn buttons(
    content: &TemplateContent,
    request: &TemplateRequest,
) -> Result<Vec<ButtonValue>, Refusal> {
    let positions = content.variable_buttons();
    let given = request.button_variables.as_deref().unwrap_or_default();
    if given.len() != positions.len() {
        return Err(Refusal::ButtonVariablesMismatch { wanted: positions.len(), given: given.len() });
    }
    let filled = positions.into_iter().zip(given).enumerate();
    filled
        .map(|(index, (position, value))| {
            let field = format!("buttonVariables[{index}]");
            let text = value.trim();
            one_line(&field, text)?;
            if is_blank(text) {
                return Err(Refusal::VariableEmpty { variable: field });
            }
            Ok(ButtonValue { position, text: text.to_owned() })
        })
        .collect()
}
