//! Parts of a template, and which of them a send must fill.

use serde::{Deserialize, Serialize};

use super::variables::{Variable, placeholders, render};

/// Parts of a template, as the network reviewed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateContent {
    pub header: Option<Header>,
    /// Text with `{{1}}` or `{{name}}` where values go.
    pub body: String,
    pub footer: Option<String>,
    pub buttons: Vec<Button>,
    pub authentication: Option<Authentication>,
}

/// Header above the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, or another format that the network names.
    pub format: String,
    /// Text of a `TEXT` header, with one variable at most.
    pub text: Option<String>,
}

/// Value that a send must give for a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderNeed {
    Text,
    /// Link to an image or a video.
    Media,
    /// Link to a document, which may have a file name.
    Document,
    Location,
}

/// Button below the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, or another kind that the network names.
    pub kind: String,
    pub text: String,
    /// Target of a `URL` button; may end in a variable.
    pub url: Option<String>,
}

/// Properties of a template for one-time codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    pub add_security_recommendation: bool,
    /// Validity of a code, as the footer says; `None` if it says nothing.
    pub code_expiration_minutes: Option<u32>,
}

impl Authentication {
    /// Returns the validity of a code in minutes: 10 if the template names none
    /// (docs/use/rest-api.md, "Variables").
    pub fn expires_after_minutes(self) -> u32 {
        self.code_expiration_minutes.unwrap_or(10)
    }
}

impl TemplateContent {
    /// Returns the body's variables in order; none for a one-time code, which is filled by the code itself.
    pub fn variables(&self) -> Vec<Variable> {
        if self.authentication.is_some() {
            return Vec::new();
        }
        placeholders(&self.body).into_iter().map(Variable::of_place).collect()
    }

    /// Returns the body with numbers in its placeholders, counted from 1 where the network uses names.
    pub fn numbered_body(&self) -> String {
        let places = placeholders(&self.body);
        render(&self.body, |place| {
            let named = place.parse::<u32>().is_err();
            let index = places.iter().position(|known| known == place).filter(|_| named)?;
            Some(format!("{{{{{}}}}}", index + 1))
        })
    }

    /// Returns what a send must give for the header; `None` if nothing.
    pub fn header_need(&self) -> Option<HeaderNeed> {
        let header = self.header.as_ref()?;
        match header.format.as_str() {
            "TEXT" => self.header_variable().map(|_| HeaderNeed::Text),
            "IMAGE" | "VIDEO" => Some(HeaderNeed::Media),
            "DOCUMENT" => Some(HeaderNeed::Document),
            "LOCATION" => Some(HeaderNeed::Location),
            _ => None,
        }
    }

    /// Returns the name or number of a text header's variable.
    pub fn header_variable(&self) -> Option<String> {
        placeholders(self.header.as_ref()?.text.as_deref()?).into_iter().next()
    }

    /// Returns the positions, among all buttons, of the URL buttons that end in a variable.
    pub fn variable_buttons(&self) -> Vec<usize> {
        let positions = self.buttons.iter().enumerate().filter(|(_, button)| button.has_variable());
        positions.map(|(position, _)| position).collect()
    }
}

impl Button {
    /// Returns `true` if a send must complete the button's link. A one-time code's button takes the code
    /// itself.
    pub fn has_variable(&self) -> bool {
        self.kind == "URL" && self.url.as_deref().is_some_and(|url| !placeholders(url).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::TemplateContent;

    #[test]
    fn a_body_is_shown_with_numbers_whatever_the_network_calls_its_places() {
        for (body, shown) in [
            (
                "مرحبا {{customer_name}}، طلبك {{ order }} و {{customer_name}}",
                "مرحبا {{1}}، طلبك {{2}} و {{1}}",
            ),
            ("{{2}} and {{1}}", "{{2}} and {{1}}"),
            ("{{ 1 }} of {{3}}", "{{1}} of {{3}}"),
            ("none, {{}} and {{open", "none, {{}} and {{open"),
        ] {
            let content = TemplateContent { body: body.to_owned(), ..TemplateContent::default() };
            assert_eq!(content.numbered_body(), shown);
        }
    }
}
