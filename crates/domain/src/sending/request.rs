//! Request of `POST /v1/messages/template`.

use std::{collections::BTreeMap, fmt};

use url::Url;

use super::{idempotency::IdempotencyKey, message::Location, refusal::Refusal};
use crate::{
    link::is_public,
    text::{PlainText, is_blank},
};

/// Values for a body's variables.
#[derive(Clone, PartialEq, Eq)]
pub enum Variables {
    /// By the variable's label, or by the network's name for it.
    Named(BTreeMap<String, String>),
    /// In the order of the placeholders.
    Ordered(Vec<String>),
}

/// Value for a header.
#[derive(Clone, Default, PartialEq)]
pub struct HeaderRequest {
    pub text: Option<String>,
    /// Public `https` link to an image, video or document, which the network fetches.
    pub link: Option<String>,
    /// Name of a document on the phone.
    pub filename: Option<String>,
    pub location: Option<Location>,
}

/// A template send as requested. `Debug` shows the template's name alone, since the rest may hold a one-time
/// code.
#[derive(Clone, Default)]
pub struct TemplateRequest {
    /// Recipient's number in any spelling.
    pub to: String,
    /// Recipient's name, used for a new contact.
    pub name: Option<String>,
    pub template: String,
    pub language: Option<String>,
    /// Sending number in any spelling, or its id at the network.
    pub from: Option<String>,
    pub variables: Option<Variables>,
    pub code: Option<String>,
    pub header: Option<HeaderRequest>,
    /// Values for the URL buttons that need one, in order.
    pub button_variables: Option<Vec<String>>,
    pub reference: Option<String>,
    pub key: Option<IdempotencyKey>,
}

impl fmt::Debug for TemplateRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateRequest").field("template", &self.template).finish_non_exhaustive()
    }
}

impl TemplateRequest {
    /// Checks lengths and forms, as far as they need no template. Names are left to
    /// `TemplateRequest::check_name`.
    ///
    /// # Errors
    /// [`Refusal::Invalid`], which names the field.
    pub fn check_shape(&self) -> Result<(), Refusal> {
        filled("template", &self.template, 512)?;
        if let Some(language) = &self.language {
            filled("language", language, 35)?;
        }
        if let Some(reference) = &self.reference {
            filled("reference", reference, 128)?;
            if is_blank(reference) {
                return Err(Refusal::Invalid("`reference` must not be blank".to_owned()));
            }
        }
        if let Some(header) = &self.header {
            header.check_shape()?;
        }
        Ok(())
    }

    /// Checks the recipient's name. Not for one-time codes, which add nobody.
    pub(super) fn check_name(&self) -> Result<(), Refusal> {
        match self.person() {
            Some(name) => filled("name", &name, 200),
            None => Ok(()),
        }
    }

    /// Returns the recipient's name as one line; `None` if nothing of it can be seen.
    pub(super) fn person(&self) -> Option<String> {
        let name = PlainText::read(self.name.as_deref()?, usize::MAX)?;
        Some(name.as_str().to_owned())
    }
}

impl HeaderRequest {
    fn check_shape(&self) -> Result<(), Refusal> {
        if let Some(link) = &self.link
            && (!is_https_link(link) || link.chars().count() > 2_048)
        {
            return Err(Refusal::Invalid("`header.link` must be an https link".to_owned()));
        }
        if self.link.as_deref().is_some_and(|link| !Url::parse(link).is_ok_and(|url| is_public(&url))) {
            let rule = "`header.link` must be on a public host, which the network can fetch it from";
            return Err(Refusal::Invalid(rule.to_owned()));
        }
        if let Some(text) = &self.text {
            one_line("header.text", text.trim())?;
        }
        if let Some(location) = &self.location {
            location.check_shape()?;
        }
        match &self.filename {
            Some(filename) => filled("header.filename", filename, 240),
            None => Ok(()),
        }
    }
}

impl Location {
    fn check_shape(&self) -> Result<(), Refusal> {
        for (field, degrees, most) in
            [("latitude", self.latitude, 90.0), ("longitude", self.longitude, 180.0)]
        {
            if !(-most..=most).contains(&degrees) {
                let rule = format!("`header.location.{field}` is a number from -{most} to {most}");
                return Err(Refusal::Invalid(rule));
            }
        }
        for (field, text) in [("name", &self.name), ("address", &self.address)] {
            if let Some(text) = text {
                filled(&format!("header.location.{field}"), text, 1_000)?;
            }
        }
        Ok(())
    }
}

/// Returns `true` if `text` is an https link exactly as written. It is passed on unchanged: what one parser
/// would repair or drop, another may read differently.
fn is_https_link(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("https")
        && !host.is_empty()
        && !host.contains('@')
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\')
        && Url::parse(text).is_ok_and(|url| url.has_host())
}

fn filled(field: &str, value: &str, most: usize) -> Result<(), Refusal> {
    match value.chars().count() {
        0 => Err(Refusal::Invalid(format!("`{field}` must not be empty"))),
        length if length > most => Err(Refusal::Invalid(format!("`{field}` has at most {most} characters"))),
        _ => Ok(()),
    }
}

/// Returns `true` unless the value has a line break, a tab or more than four spaces in a row, which the
/// network refuses (docs/run/networks.md, "Template sends").
pub(crate) fn is_one_line(value: &str) -> bool {
    !value.contains(['\n', '\r', '\t']) && !value.contains("     ")
}

/// Refuses a value that is not one line, naming the field.
pub(super) fn one_line(field: &str, value: &str) -> Result<(), Refusal> {
    if is_one_line(value) {
        return Ok(());
    }
    let rule = "must not hold a line break, a tab, or more than four spaces in a row";
    Err(Refusal::Invalid(format!("`{field}` {rule}")))
}

#[cfg(test)]
mod tests {
    use super::{HeaderRequest, TemplateRequest};

    fn is_well_formed(text: &str) -> bool {
        let header = Some(HeaderRequest { text: Some(text.to_owned()), ..HeaderRequest::default() });
        let request =
            TemplateRequest { template: "order_ready".to_owned(), header, ..TemplateRequest::default() };
        request.check_shape().is_ok()
    }

    #[test]
    fn a_header_s_link_is_an_https_link_as_it_is_written() {
        let is_taken = |link: &str| {
            let header = Some(HeaderRequest { link: Some(link.to_owned()), ..HeaderRequest::default() });
            let template = "order_ready".to_owned();
            TemplateRequest { template, header, ..TemplateRequest::default() }.check_shape().is_ok()
        };
        for link in [
            "https://x.example",
            "HTTPS://x.example:8443/a%20b?c=d#e",
            "https://x.example/a@b",
            "https://x.example/a?next=https://y.example",
            "https://x.example/صورة.jpg",
        ] {
            assert!(is_taken(link), "{link:?}");
        }
        for link in [
            "",
            "x.example/a",
            "http://x.example/a",
            " https://x.example/a ",
            "https://x.example/a\n",
            "https://x.exa\nmple/a",
            "ht\ttps://x.example/a",
            "https://x.example/a b",
            "https://x.example/a\u{a0}b",
            "https://x.example/a\u{0}b",
            "https:x.example/a",
            "https:/x.example/a",
            "https:///x",
            "https://",
            "https://?a",
            "https:\\\\x.example\\a",
            "https://x.example\\a",
            "https://name:word@x.example/a",
            "https://name@x.example/a",
            "https://@x.example/a",
            "https://[x/a",
        ] {
            assert!(!is_taken(link), "{link:?}");
        }
    }

    #[test]
    fn a_header_s_text_is_one_line_once_the_white_space_at_its_ends_is_gone() {
        for text in ["سارة", "سارة\n", "\t سارة \r\n", "a    b", " \n"] {
            assert!(is_well_formed(text), "{text:?}");
        }
        for text in ["a\nb", "a\tb", "a     b"] {
            assert!(!is_well_formed(text), "{text:?}");
        }
    }
}
