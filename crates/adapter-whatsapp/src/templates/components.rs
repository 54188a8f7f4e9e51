//! Parts of a template as the network lists them.

use domain::templates::{Authentication, Button, Header, TemplateContent};
use serde_json::Value;

use super::fields::{text, upper};

/// Beginning of the link of a one-time code's button, as the network lists it (docs/run/networks.md,
/// "Templates").
const CODE_LINK: &str = "https://www.whatsapp.com/otp/code/";

const CODE_CATEGORY: &str = "AUTHENTICATION";

/// Parses the parts of a template of `category`. Kinds of parts that the core does not have, such as a
/// carousel, are left out; unknown formats and buttons keep their names.
pub(super) fn read(components: Option<&Value>, category: &str) -> TemplateContent {
    let sends_codes = category == CODE_CATEGORY;
    let mut content = TemplateContent::default();
    let mut warns = false;
    let mut code_expiration_minutes = None;
    for component in components.and_then(Value::as_array).into_iter().flatten() {
        match upper(component, "type").as_deref() {
            Some("HEADER") => content.header = header(component),
            Some("BODY") => {
                content.body = text(component, "text").unwrap_or_default();
                warns = component.get("add_security_recommendation").and_then(Value::as_bool) == Some(true);
            }
            Some("FOOTER") => {
                content.footer = text(component, "text");
                let minutes = component.get("code_expiration_minutes").and_then(Value::as_u64);
                code_expiration_minutes = minutes.and_then(|minutes| u32::try_from(minutes).ok());
            }
            Some("BUTTONS") => {
                let buttons = component.get("buttons").and_then(Value::as_array);
                content.buttons.extend(buttons.into_iter().flatten().map(|one| button(one, sends_codes)));
            }
            _ => {}
        }
    }
    if sends_codes || content.buttons.iter().any(|button| button.kind == "OTP") {
        let add_security_recommendation = warns;
        content.authentication =
            Some(Authentication { add_security_recommendation, code_expiration_minutes });
    }
    content
}

fn header(component: &Value) -> Option<Header> {
    Some(Header { format: upper(component, "format")?, text: text(component, "text") })
}

/// Parses a button. Each keeps its position, even an unreadable one: sends count positions.
fn button(button: &Value, sends_codes: bool) -> Button {
    let kind = upper(button, "type").unwrap_or_default();
    let url = text(button, "url");
    let leads_to_code = url.as_deref().is_some_and(|url| url.starts_with(CODE_LINK));
    let takes_code = kind == "OTP" || (kind == "URL" && (sends_codes || leads_to_code));
    let (kind, url) = if takes_code { ("OTP".to_owned(), None) } else { (kind, url) };
    Button { kind, text: text(button, "text").unwrap_or_default(), url }
}
