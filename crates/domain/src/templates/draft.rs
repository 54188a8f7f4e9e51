//! A template as an owner drafts it, and what the network demands of it (docs/run/networks.md, "Templates").

use super::{
    content::{Authentication, Button, Header, TemplateContent},
    status::Category,
    variable_label::VariableLabel,
    variables::{placeholders, render},
};
use crate::ids::UploadId;

// Longest texts, in characters.
const LONGEST_HEADER: usize = 60;
const LONGEST_BODY: usize = 1_024;
const LONGEST_FOOTER: usize = 60;
const LONGEST_BUTTON: usize = 25;
const LONGEST_LINK: usize = 2_000;
// Most buttons in all, and most links among them.
const MOST_BUTTONS: usize = 10;
const MOST_LINKS: usize = 2;
const LONGEST_NAME: usize = 512;

/// Kind of a file in a template's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaFormat {
    Image,
    Video,
    Document,
}

impl MediaFormat {
    pub const ALL: [Self; 3] = [Self::Image, Self::Video, Self::Document];

    /// Returns the network's name for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "IMAGE",
            Self::Video => "VIDEO",
            Self::Document => "DOCUMENT",
        }
    }

    /// Parses the network's name, in capitals or not.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str().eq_ignore_ascii_case(name))
    }
}

/// Header above the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftHeader {
    /// A line, with an example of its variable if it has one.
    Text { text: String, sample: Option<String> },
    Media {
        format: MediaFormat,
        /// Example of the file, uploaded by the owner.
        sample: UploadId,
    },
}

/// Variable of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftVariable {
    /// Its name in this workspace, and its meaning.
    pub label: VariableLabel,
    pub sample: String,
}

/// Button below the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftButton {
    /// Answers with its own text.
    QuickReply { text: String },
    Link {
        text: String,
        /// Address of the page; may end in a variable.
        url: String,
        /// Example of the variable's value.
        sample: Option<String>,
    },
    Call {
        text: String,
        /// Number with its country code.
        phone: String,
    },
}

/// A template as an owner drafts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateDraft {
    pub name: String,
    pub language: String,
    pub category: Category,
    pub header: Option<DraftHeader>,
    /// Empty for a one-time code, whose text is the network's.
    pub body: String,
    /// In the order of their places.
    pub variables: Vec<DraftVariable>,
    pub footer: Option<String>,
    pub buttons: Vec<DraftButton>,
    /// Settings of a one-time code; `None` for any other template.
    pub authentication: Option<Authentication>,
}

/// First field of a draft that the network would not take, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}`: {fault}")]
pub struct WrongDraft {
    pub field: &'static str,
    pub fault: DraftFault,
}

/// Reason why the network would not take a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DraftFault {
    #[error("1 to 512 small letters of a to z, digits and underscores")]
    Name,
    #[error("a language code, such as ar or en_US")]
    Language,
    #[error("1 to {0} characters")]
    Length(usize),
    #[error("no variables here")]
    NoVariables,
    #[error("one variable at most")]
    OneVariable,
    #[error(
        "variables are {{{{1}}}}, {{{{2}}}} and so on, none left out, or names of small letters and underscores"
    )]
    Places,
    #[error("no variable at the beginning, at the end, or beside another")]
    Standing,
    #[error("one example for each variable")]
    Samples,
    #[error("an example has 1 to 200 characters and no line break")]
    Sample,
    #[error("at most 10 buttons, of which 2 links and 1 number")]
    TooMany,
    #[error("quick replies stand together")]
    Mixed,
    #[error("a link begins with https:// and may end in {{{{1}}}}")]
    Link,
    #[error("a number with its country code, such as +9647700000000")]
    Phone,
    #[error("a one-time code has no words of one's own, no header, no buttons and no variables")]
    Authentication,
    #[error("1 to 90 minutes")]
    Minutes,
}

impl TemplateDraft {
    /// Checks the draft against the network's rules.
    pub fn check(&self) -> Result<(), WrongDraft> {
        let wrong = |field, fault| Err(WrongDraft { field, fault });
        let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.chars().all(is_of_name) {
            return wrong("name", DraftFault::Name);
        }
        if !is_language(&self.language) {
            return wrong("language", DraftFault::Language);
        }
        if self.category == Category::Authentication {
            return self.check_code();
        }
        if self.authentication.is_some() {
            return wrong("authentication", DraftFault::Authentication);
        }
        self.check_header()?;
        self.check_body()?;
        if let Some(footer) = &self.footer {
            if !fits(footer, LONGEST_FOOTER) {
                return wrong("footer", DraftFault::Length(LONGEST_FOOTER));
            }
            if !placeholders(footer).is_empty() {
                return wrong("footer", DraftFault::NoVariables);
            }
        }
        self.check_buttons()
    }

    fn check_code(&self) -> Result<(), WrongDraft> {
        let has_own = self.header.is_some()
            || !self.body.trim().is_empty()
            || !self.variables.is_empty()
            || self.footer.is_some()
            || !self.buttons.is_empty();
        if has_own {
            return Err(WrongDraft { field: "category", fault: DraftFault::Authentication });
        }
        let minutes = self.authentication.and_then(|code| code.code_expiration_minutes);
        if minutes.is_some_and(|minutes| !(1..=90).contains(&minutes)) {
            return Err(WrongDraft { field: "authentication", fault: DraftFault::Minutes });
        }
        Ok(())
    }

    fn check_header(&self) -> Result<(), WrongDraft> {
        let Some(DraftHeader::Text { text, sample }) = &self.header else { return Ok(()) };
        let wrong = |fault| Err(WrongDraft { field: "header", fault });
        let variables = placeholders(text);
        match (fits(text, LONGEST_HEADER), variables.len(), sample) {
            (false, ..) => wrong(DraftFault::Length(LONGEST_HEADER)),
            (_, 0, None) => Ok(()),
            (_, 1, Some(sample)) if is_sample(sample) => Ok(()),
            (_, 1, Some(_)) => wrong(DraftFault::Sample),
            (_, 0 | 1, _) => wrong(DraftFault::Samples),
            _ => wrong(DraftFault::OneVariable),
        }
    }

    fn check_body(&self) -> Result<(), WrongDraft> {
        let wrong = |field, fault| Err(WrongDraft { field, fault });
        let places = placeholders(&self.body);
        if !fits(&self.body, LONGEST_BODY) {
            return wrong("body", DraftFault::Length(LONGEST_BODY));
        }
        let numbered = places.iter().enumerate().all(|(index, place)| place.parse() == Ok(index + 1));
        let is_named = |place: &String| place.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if !numbered && !places.iter().all(is_named) {
            return wrong("body", DraftFault::Places);
        }
        let body = self.body.trim();
        if body.starts_with("{{") || body.ends_with("}}") || touches(body) {
            return wrong("body", DraftFault::Standing);
        }
        if self.variables.len() != places.len() {
            return wrong("variables", DraftFault::Samples);
        }
        if !self.variables.iter().all(|variable| is_sample(&variable.sample)) {
            return wrong("variables", DraftFault::Sample);
        }
        Ok(())
    }

    fn check_buttons(&self) -> Result<(), WrongDraft> {
        let wrong = |fault| Err(WrongDraft { field: "buttons", fault });
        let count = |is: fn(&DraftButton) -> bool| self.buttons.iter().filter(|button| is(button)).count();
        let links = count(|button| matches!(button, DraftButton::Link { .. }));
        let calls = count(|button| matches!(button, DraftButton::Call { .. }));
        if self.buttons.len() > MOST_BUTTONS || links > MOST_LINKS || calls > 1 {
            return wrong(DraftFault::TooMany);
        }
        let is_quick = |button: &DraftButton| matches!(button, DraftButton::QuickReply { .. });
        let changes = self.buttons.windows(2).filter(|pair| match pair {
            [one, other] => is_quick(one) != is_quick(other),
            _ => false,
        });
        if changes.count() > 1 {
            return wrong(DraftFault::Mixed);
        }
        for button in &self.buttons {
            let (DraftButton::QuickReply { text }
            | DraftButton::Link { text, .. }
            | DraftButton::Call { text, .. }) = button;
            if !fits(text, LONGEST_BUTTON) {
                return wrong(DraftFault::Length(LONGEST_BUTTON));
            }
            if !placeholders(text).is_empty() {
                return wrong(DraftFault::NoVariables);
            }
            match button {
                DraftButton::QuickReply { .. } => {}
                DraftButton::Link { url, sample, .. } => check_link(url, sample.as_deref()).or_else(wrong)?,
                DraftButton::Call { phone, .. } => {
                    let digits = phone.strip_prefix('+').unwrap_or_default();
                    if !(7..=15).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit())
                    {
                        return wrong(DraftFault::Phone);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns `true` if its variables have names instead of numbers.
    pub fn is_named(&self) -> bool {
        placeholders(&self.body).iter().any(|place| place.parse::<u32>().is_err())
    }

    /// Returns the parts that it will have, for display before it is submitted.
    pub fn content(&self) -> TemplateContent {
        let header = self.header.as_ref().map(|header| match header {
            DraftHeader::Text { text, .. } => Header { format: "TEXT".to_owned(), text: Some(text.clone()) },
            DraftHeader::Media { format, .. } => Header { format: format.as_str().to_owned(), text: None },
        });
        let button = |button: &DraftButton| match button {
            DraftButton::QuickReply { text } => {
                Button { kind: "QUICK_REPLY".to_owned(), text: text.clone(), url: None }
            }
            DraftButton::Link { text, url, .. } => {
                Button { kind: "URL".to_owned(), text: text.clone(), url: Some(url.clone()) }
            }
            DraftButton::Call { text, .. } => {
                Button { kind: "PHONE_NUMBER".to_owned(), text: text.clone(), url: None }
            }
        };
        TemplateContent {
            header,
            body: self.body.clone(),
            footer: self.footer.clone(),
            buttons: self.buttons.iter().map(button).collect(),
            authentication: self.authentication,
        }
    }

    /// Returns the text with the examples in their places, as a customer would read it.
    pub fn preview(&self) -> String {
        let places = placeholders(&self.body);
        render(&self.body, |place| {
            let at = places.iter().position(|known| known == place)?;
            Some(self.variables.get(at)?.sample.clone()).filter(|sample| !sample.is_empty())
        })
    }
}

fn fits(text: &str, most: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= most
}

fn is_sample(sample: &str) -> bool {
    fits(sample, 200) && !sample.contains(char::is_control)
}

fn is_language(code: &str) -> bool {
    let (language, country) = code.split_once('_').map_or((code, None), |(one, other)| (one, Some(other)));
    let letters = |text: &str, is: fn(&u8) -> bool, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| is(&byte))
    };
    letters(language, u8::is_ascii_lowercase, 2..=3)
        && country.is_none_or(|country| letters(country, u8::is_ascii_uppercase, 2..=3))
}

/// Returns `true` if two variables have nothing but white space between them.
fn touches(body: &str) -> bool {
    body.split("}}").skip(1).any(|rest| rest.trim_start().starts_with("{{"))
}

fn check_link(url: &str, sample: Option<&str>) -> Result<(), DraftFault> {
    let (before, has_variable) = url.strip_suffix("{{1}}").map_or((url, false), |before| (before, true));
    let is_address =
        before.starts_with("https://") && url::Url::parse(before).is_ok() && !before.contains(['{', '}']);
    if !is_address || url.chars().count() > LONGEST_LINK {
        return Err(DraftFault::Link);
    }
    match (has_variable, sample) {
        (false, None) => Ok(()),
        (true, Some(sample)) if is_sample(sample) => Ok(()),
        (true, Some(_)) => Err(DraftFault::Sample),
        _ => Err(DraftFault::Samples),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::templates::VariableKind;

    fn variable(sample: &str) -> DraftVariable {
        let label = VariableLabel { label: "customer".to_owned(), kind: VariableKind::Name };
        DraftVariable { label, sample: sample.to_owned() }
    }

    fn draft(body: &str, samples: &[&str]) -> TemplateDraft {
        TemplateDraft {
            name: "order_ready".to_owned(),
            language: "ar".to_owned(),
            category: Category::Utility,
            header: None,
            body: body.to_owned(),
            variables: samples.iter().map(|sample| variable(sample)).collect(),
            footer: None,
            buttons: Vec::new(),
            authentication: None,
        }
    }

    fn fault(draft: &TemplateDraft) -> Option<(&'static str, DraftFault)> {
        draft.check().err().map(|wrong| (wrong.field, wrong.fault))
    }

    #[test]
    fn a_body_is_held_to_what_the_network_takes() {
        let long = "ا".repeat(1_025);
        for (body, samples, wanted) in [
            ("مرحبا {{1}}، طلبك {{2}} جاهز", &["سارة", "A-1042"][..], None),
            ("Dear {{customer_name}}, welcome", &["Sara"], None),
            ("", &[], Some(("body", DraftFault::Length(1_024)))),
            (&long, &[], Some(("body", DraftFault::Length(1_024)))),
            ("Dear {{1}}, {{3}} is ready", &["a", "b"], Some(("body", DraftFault::Places))),
            ("Dear {{Name}}, welcome", &["a"], Some(("body", DraftFault::Places))),
            ("{{1}} is ready", &["a"], Some(("body", DraftFault::Standing))),
            ("Ready: {{1}}", &["a"], Some(("body", DraftFault::Standing))),
            ("Dear {{1}} {{2}}, welcome", &["a", "b"], Some(("body", DraftFault::Standing))),
            ("Dear {{1}}, welcome", &[], Some(("variables", DraftFault::Samples))),
            ("Dear {{1}}, welcome", &["a", "b"], Some(("variables", DraftFault::Samples))),
            ("Dear {{1}}, welcome", &["a\nb"], Some(("variables", DraftFault::Sample))),
            ("Dear {{1}}, welcome", &[" "], Some(("variables", DraftFault::Sample))),
        ] {
            assert_eq!(fault(&draft(body, samples)), wanted, "{body}");
        }
    }

    #[test]
    fn names_languages_headers_and_footers_have_their_forms() {
        let good = || draft("Hello there", &[]);
        for name in ["Order", "order ready", "طلب", "", "a-b"] {
            let wrong = TemplateDraft { name: name.to_owned(), ..good() };
            assert_eq!(fault(&wrong), Some(("name", DraftFault::Name)), "{name}");
        }
        for (language, is_one) in
            [("ar", true), ("en_US", true), ("fil", true), ("AR", false), ("en-US", false), ("", false)]
        {
            let one = TemplateDraft { language: language.to_owned(), ..good() };
            assert_eq!(fault(&one).is_none(), is_one, "{language}");
        }
        let header = |text: &str, sample: Option<&str>| {
            let header = DraftHeader::Text { text: text.to_owned(), sample: sample.map(str::to_owned) };
            fault(&TemplateDraft { header: Some(header), ..good() })
        };
        assert_eq!(header("Order {{1}}", Some("A-1")), None);
        assert_eq!(header("Order {{1}}", None), Some(("header", DraftFault::Samples)));
        assert_eq!(header("Order", Some("A-1")), Some(("header", DraftFault::Samples)));
        assert_eq!(header("{{1}} {{2}}", Some("A-1")), Some(("header", DraftFault::OneVariable)));
        assert_eq!(header(&"a".repeat(61), None), Some(("header", DraftFault::Length(60))));
        let footer = |footer: &str| fault(&TemplateDraft { footer: Some(footer.to_owned()), ..good() });
        assert_eq!(footer("Palm Store"), None);
        assert_eq!(footer("For {{1}}"), Some(("footer", DraftFault::NoVariables)));
        assert_eq!(footer(" "), Some(("footer", DraftFault::Length(60))));
    }

    #[test]
    fn buttons_are_few_stand_together_and_lead_somewhere() {
        let quick = |text: &str| DraftButton::QuickReply { text: text.to_owned() };
        let link = |url: &str, sample: Option<&str>| DraftButton::Link {
            text: "Track".to_owned(),
            url: url.to_owned(),
            sample: sample.map(str::to_owned),
        };
        let call = |phone: &str| DraftButton::Call { text: "Call".to_owned(), phone: phone.to_owned() };
        let track = || link("https://shop.example/t/{{1}}", Some("A-1"));
        for (buttons, wanted) in [
            (vec![quick("Yes"), quick("No"), track(), call("+9647700000000")], None),
            (vec![track(), quick("Yes")], None),
            (vec![quick("Yes"), track(), quick("No")], Some(DraftFault::Mixed)),
            (vec![track(), track(), track()], Some(DraftFault::TooMany)),
            (vec![call("+9647700000000"), call("+9647700000001")], Some(DraftFault::TooMany)),
            ((0..11).map(|_| quick("Yes")).collect(), Some(DraftFault::TooMany)),
            (vec![quick(&"a".repeat(26))], Some(DraftFault::Length(25))),
            (vec![quick("{{1}}")], Some(DraftFault::NoVariables)),
            (vec![link("http://shop.example", None)], Some(DraftFault::Link)),
            (vec![link("https://shop.example/{{1}}/x", Some("A"))], Some(DraftFault::Link)),
            (vec![link("https://shop.example/{{1}}", None)], Some(DraftFault::Samples)),
            (vec![link("https://shop.example/", Some("A"))], Some(DraftFault::Samples)),
            (vec![call("0770 000 0000")], Some(DraftFault::Phone)),
        ] {
            let shown = format!("{buttons:?}");
            let draft = TemplateDraft { buttons, ..draft("Hello there", &[]) };
            assert_eq!(fault(&draft), wanted.map(|fault| ("buttons", fault)), "{shown}");
        }
    }

    #[test]
    fn a_one_time_code_has_no_words_of_one_s_own() {
        let code = |minutes| TemplateDraft {
            category: Category::Authentication,
            authentication: Some(Authentication {
                add_security_recommendation: true,
                code_expiration_minutes: minutes,
            }),
            ..draft("", &[])
        };
        assert_eq!((fault(&code(None)), fault(&code(Some(10)))), (None, None));
        assert_eq!(fault(&code(Some(91))), Some(("authentication", DraftFault::Minutes)));
        let worded = TemplateDraft { body: "Your code".to_owned(), ..code(None) };
        assert_eq!(fault(&worded), Some(("category", DraftFault::Authentication)));
        let misplaced =
            TemplateDraft { category: Category::Marketing, body: "Hello".to_owned(), ..code(None) };
        assert_eq!(fault(&misplaced), Some(("authentication", DraftFault::Authentication)));
    }

    #[test]
    fn a_preview_has_the_examples_in_their_places() {
        assert_eq!(
            draft("Dear {{1}}, {{2}} is ready", &["Sara", "A-1"]).preview(),
            "Dear Sara, A-1 is ready"
        );
        assert_eq!(draft("Dear {{1}}, {{2}} is ready", &["", "A-1"]).preview(), "Dear {{1}}, A-1 is ready");
    }
}
