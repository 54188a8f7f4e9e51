//! Choice of the template and of the number that sends it
//! (docs/use/rest-api.md, "Template, language and number").

use std::collections::BTreeSet;

use super::{refusal::Refusal, request::TemplateRequest};
use crate::{
    channels::{ChannelKind, Number},
    phone::PhoneNumber,
    templates::{Template, validity_problem},
    workspaces::Workspace,
};

/// State that a send is planned on, read at one moment.
#[derive(Debug, Clone)]
pub struct Catalogue {
    pub workspace: Workspace,
    /// Connected numbers, in the order they were connected.
    pub numbers: Vec<Number>,
    /// Templates of the requested name, of every account, language and status.
    pub templates: Vec<Template>,
}

/// A template and the number that sends it.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    pub template: &'a Template,
    pub number: &'a Number,
}

impl Catalogue {
    /// Chooses a template and a number, or refuses in this order: no such template, none that may be sent, an
    /// unknown sender, a sender whose account lacks the template, no number connected.
    pub(super) fn choose(&self, request: &TemplateRequest) -> Result<Choice<'_>, Refusal> {
        let in_language =
            |template: &&Template| request.language.as_deref().is_none_or(|wanted| template.is_in(wanted));
        let found: Vec<&Template> = self.templates.iter().filter(in_language).collect();
        let approved = sendable_of(&found, || not_found(self.templates.iter()))?;

        let Some(from) = request.from.as_deref() else {
            return self.first_able(&approved).ok_or(Refusal::NoChannel(ChannelKind::Whatsapp));
        };
        let number = self.sender(from)?;
        let on_account = |template: &&Template| template.account == number.account;
        if !self.templates.iter().any(|template| template.is_sendable() && on_account(&template)) {
            return Err(Refusal::TemplateNotOnNumber);
        }
        let narrowed: Vec<&Template> = found.into_iter().filter(on_account).collect();
        let missing = || not_found(self.templates.iter().filter(on_account));
        let template = self.preferred(&sendable_of(&narrowed, missing)?).ok_or_else(missing)?;
        Ok(Choice { template, number })
    }

    /// Returns the number that would send this; `None` if the request would be refused.
    pub(crate) fn sender_of(&self, request: &TemplateRequest) -> Option<&Number> {
        self.choose(request).ok().map(|choice| choice.number)
    }

    /// Returns `true` if a template in this language may be sent.
    pub fn may_send_in(&self, language: &str) -> bool {
        self.templates.iter().any(|template| template.is_sendable() && template.is_in(language))
    }

    /// Returns the connected numbers whose account has a template that may be sent, in this language or, for
    /// `None`, in any.
    pub fn numbers_able(&self, language: Option<&str>) -> Vec<&Number> {
        let able = |number: &&Number| {
            self.templates.iter().any(|template| {
                template.is_sendable()
                    && template.account == number.account
                    && language.is_none_or(|language| template.is_in(language))
            })
        };
        self.numbers.iter().filter(able).collect()
    }

    /// Returns the connected number that `from` names, by its id at the network or by the number in any
    /// spelling.
    fn sender(&self, from: &str) -> Result<&Number, Refusal> {
        let by_id = self.numbers.iter().find(|number| number.network_id == from.trim());
        let by_phone = || {
            let phone = PhoneNumber::parse_known(from, self.workspace.region).ok()?;
            self.numbers.iter().find(|number| number.phone == phone)
        };
        by_id.or_else(by_phone).ok_or_else(|| Refusal::UnknownSender {
            connected: self.numbers.iter().map(|number| number.phone.clone()).collect(),
        })
    }

    /// Returns the preferred one of the templates that a connected number can send, and the first number
    /// whose account has it in that language.
    fn first_able<'a>(&'a self, templates: &[&'a Template]) -> Option<Choice<'a>> {
        let of_account = |template: &Template, number: &Number| template.account == number.account;
        let mut able = templates.to_vec();
        able.retain(|template| self.numbers.iter().any(|number| of_account(template, number)));
        let language = self.preferred(&able)?.language.clone();
        able.retain(|template| template.is_in(&language));
        self.numbers.iter().find_map(|number| {
            let template = able.iter().find(|template| of_account(template, number))?;
            Some(Choice { template, number })
        })
    }

    /// Returns the template in the workspace's language, else the first by language.
    fn preferred<'a>(&self, templates: &[&'a Template]) -> Option<&'a Template> {
        let of_locale = templates.iter().find(|template| template.is_in(&self.workspace.locale));
        of_locale.or_else(|| templates.iter().min_by_key(|template| &template.language)).copied()
    }
}

/// Returns the templates that may be sent; if there are none, refuses with the status of the first.
fn sendable_of<'a>(
    found: &[&'a Template],
    missing: impl FnOnce() -> Refusal,
) -> Result<Vec<&'a Template>, Refusal> {
    let first = found.first().ok_or_else(missing)?;
    let sendable: Vec<&Template> = found.iter().copied().filter(|template| template.is_sendable()).collect();
    if sendable.is_empty() {
        Err(Refusal::TemplateNotApproved { status: first.status, reason: validity_problem(first) })
    } else {
        Ok(sendable)
    }
}

/// Returns the refusal that lists the languages of these templates.
fn not_found<'a>(templates: impl Iterator<Item = &'a Template>) -> Refusal {
    let languages: BTreeSet<&String> = templates.map(|template| &template.language).collect();
    Refusal::TemplateNotFound { languages: languages.into_iter().cloned().collect() }
}
