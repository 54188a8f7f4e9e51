//! From a request to a message for the network, or to a refusal. Pure, and the home of every refusal that
//! needs neither the ledger nor the network.

use super::{
    choose::Catalogue,
    fill,
    message::{BodyValue, ButtonValue, Priority, TemplateMessage},
    refusal::{PlanLimitReason, Refusal},
    request::TemplateRequest,
};
use crate::{
    channels::Number,
    ids::MessageId,
    messages::TemplateRef,
    phone::PhoneNumber,
    templates::{Template, render},
};

/// A send that nothing speaks against so far.
#[derive(Debug, Clone)]
pub struct PlannedSend {
    pub message: TemplateMessage,
    /// Sending number.
    pub number: Number,
    /// Body as the conversation shows it; `None` if the send is kept in no conversation.
    pub content: Option<String>,
}

/// Plans a send to `to` under the id `tag`.
///
/// # Errors
/// The first refusal in the documented order, from the template to the pause of the plan
/// (docs/use/rest-api.md, "Order of refusals").
pub fn plan(
    request: &TemplateRequest,
    to: PhoneNumber,
    catalogue: &Catalogue,
    tag: MessageId,
) -> Result<PlannedSend, Refusal> {
    let choice = catalogue.choose(request)?;
    let (template, number) = (choice.template, choice.number);
    let content = &template.content;
    if !template.is_authentication() {
        request.check_name()?;
    }

    let code = if template.is_authentication() { Some(fill::code(request)?) } else { None };
    let body = match &code {
        Some(code) => vec![BodyValue { label: "1".to_owned(), text: code.clone() }],
        None => fill::body(template, request)?,
    };
    let header = fill::header(content, request)?;
    let mut buttons = fill::buttons(content, request)?;
    if let Some(code) = &code {
        buttons.push(ButtonValue { position: code_button(template), text: code.clone() });
    }
    if catalogue.workspace.plan.paused {
        return Err(Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused));
    }

    let kept = code.is_none() && !number.send_only;
    let text = kept.then(|| {
        render(&content.body, |label| body.iter().find(|value| value.label == label).map(|v| v.text.clone()))
    });
    let template = TemplateRef { name: template.name.clone(), language: template.language.clone() };
    let message = TemplateMessage { tag, to, template, header, body, buttons, priority: Priority::Ordinary };
    Ok(PlannedSend { message, number: number.clone(), content: text })
}

/// Returns the position of the button that takes the code.
fn code_button(template: &Template) -> usize {
    template.content.buttons.iter().position(|button| button.kind == "OTP").unwrap_or(0)
}
