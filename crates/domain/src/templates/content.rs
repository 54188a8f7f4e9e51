//! The parts of a template, and which of them a send must fill.

use serde::{Deserialize, Serialize};

use super::variables::{Variable, placeholders, render};

/// They are a template's parts, as the network reviewed them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateContent {
    pub header: Option<Header>,
    /// It is the text, with `{{1}}` or `{{name}}` where values go.
    pub body: String,
    /// It stands below the body.
    pub footer: Option<String>,
    /// They stand below the text, in order.
    pub buttons: Vec<Button>,
    /// It is set when the template delivers one-time codes.
    pub authentication: Option<Authentication>,
}

/// It stands above the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// It is `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT`, `LOCATION`, or what else the network names.
    pub format: String,
    /// It is the text of a `TEXT` header, which may hold one variable.
    pub text: Option<String>,
}

/// A send must put this into a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderNeed {
    /// It is a text for the header's variable.
    Text,
    /// It is a link to an image or a video.
    Media,
    /// It is a link to a document, which may have a file name.
    Document,
    /// It is a place on the map.
    Location,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// It is `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, or what else the network names.
    pub kind: String,
    pub text: String,
    /// A `URL` button leads there; it may end in a variable.
    pub url: Option<String>,
}

/// It makes a template one for one-time codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    /// It says whether the body warns against sharing the code.
    pub add_security_recommendation: bool,
    /// It says how long a code is valid, as the footer says; `None` where it says nothing.
    pub code_expiration_minutes: Option<u32>,
}

impl Authentication {
    /// Says how long a code is valid: 10 minutes where the template names nothing
    /// (docs/rest-api.md, "Variables").
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

    /// Returns the body with a number in each place, also where the network names them: the variable's,
    /// counted from 1.
    pub fn numbered_body(&self) -> String {
        let places = placeholders(&self.body);
        render(&self.body, |place| {
            let named = place.parse::<u32>().is_err();
            let index = places.iter().position(|known| known == place).filter(|_| named)?;
            Some(format!("{{{{{}}}}}", index + 1))
        })
    }

    /// Returns what a send must put into the header.
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

    /// Returns the variable of a text header.
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
    /// Says whether a send must complete its link. A one-time code's button takes the code itself.
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
