//! The parts of a template, and which of them a send must fill.

use serde::{Deserialize, Serialize};

use super::variables::{Variable, placeholders, render};

/// A template's parts, as the network reviewed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateContent {
    /// Above the body.
    pub header: Option<Header>,
    /// The text, with `{{1}}` or `{{name}}` where values go.
    pub body: String,
    /// Below the body.
    pub footer: Option<String>,
    /// Below the text, in order.
    pub buttons: Vec<Button>,
    /// Set when it delivers one-time codes.
    pub authentication: Option<Authentication>,
}

/// What stands above the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, or what else the network names.
    pub format: String,
    /// The text of a `TEXT` header, which may hold one variable.
    pub text: Option<String>,
}

/// What a send must put into a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderNeed {
    /// A text for its variable.
    Text,
    /// A link to an image or a video.
    Media,
    /// A link to a document, which may have a file name.
    Document,
    /// A place on the map.
    Location,
}

/// A button.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, or what else the network names.
    pub kind: String,
    /// Its label.
    pub text: String,
    /// Where a `URL` button leads; may end in a variable.
    pub url: Option<String>,
}

/// What makes a template one for one-time codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// Whether the body warns against sharing the code.
    pub add_security_recommendation: bool,
    /// How long a code is valid, as the footer says; `None` where it says nothing.
    pub code_expiration_minutes: Option<u32>,
}

impl Authentication {
    /// How long a code is valid: 10 minutes where the template names nothing (decision 22 of the REST API).
    pub fn expires_after_minutes(self) -> u32 {
        self.code_expiration_minutes.unwrap_or(10)
    }
}

impl TemplateContent {
    /// The body's variables in order; none for a one-time code, which is filled by the code itself.
    pub fn variables(&self) -> Vec<Variable> {
        if self.authentication.is_some() {
            return Vec::new();
        }
        placeholders(&self.body).into_iter().map(Variable::of_place).collect()
    }

    /// The body with a number in each place, also where the network names them: the variable's, counted from 1.
    pub fn numbered_body(&self) -> String {
        let places = placeholders(&self.body);
        render(&self.body, |place| {
            let named = place.parse::<u32>().is_err();
            let index = places.iter().position(|known| known == place).filter(|_| named)?;
            Some(format!("{{{{{}}}}}", index + 1))
        })
    }

    /// What a send must put into the header.
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

    /// The variable of a text header.
    pub fn header_variable(&self) -> Option<String> {
        placeholders(self.header.as_ref()?.text.as_deref()?).into_iter().next()
    }

    /// The positions, among all buttons, of the URL buttons that end in a variable.
    pub fn variable_buttons(&self) -> Vec<usize> {
        let positions = self.buttons.iter().enumerate().filter(|(_, button)| button.has_variable());
        positions.map(|(position, _)| position).collect()
    }
}

impl Button {
    /// Whether a send must complete its link. A one-time code's button takes the code itself.
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
