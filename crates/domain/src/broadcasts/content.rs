//! Template and values that a broadcast sends to each person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    list::{ColumnValues, value_of},
    person::SkipReason,
};
use crate::{
    automations::QuietHours,
    channels::Number,
    contacts::ContactName,
    ids::MessageId,
    phone::PhoneNumber,
    sending::{Catalogue, HeaderRequest, TemplateRequest, Variables, is_one_line},
    text::is_blank,
};

/// Longest fixed text, in characters.
pub const LONGEST_VALUE: usize = 1_024;
const MOST_LANGUAGES: usize = 10;
/// Most variables that are filled in: no template's text has room for more.
const MOST_VARIABLES: usize = 200;
/// Most buttons that are filled in: no template has more.
const MOST_BUTTONS: usize = 10;
/// Most characters of all texts of a content together, since it is read and filled in for each person, and no
/// network takes a longer text.
const LONGEST_CONTENT: usize = 32_768;

/// Source of a variable's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableSource {
    Text(String),
    #[serde(rename_all = "camelCase")]
    ContactName {
        /// Text that stands in for an unknown name; with `None`, a person without a name is skipped.
        otherwise: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Column {
        /// Title of the column, in any spelling.
        column: String,
        /// Text that stands in for a blank cell; with `None`, a person with one is skipped.
        otherwise: Option<String>,
    },
}

/// Template of a broadcast, and the values that are filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastContent {
    pub template: String,
    pub language: Option<String>,
    /// Sending number in any spelling, or its id at the network.
    pub from: Option<String>,
    /// Sources of the body's values, by label.
    pub variables: BTreeMap<String, VariableSource>,
    pub header_text: Option<String>,
    /// Address of the header's media.
    pub header_link: Option<String>,
    /// Values for the URL buttons that need one, in order.
    pub button_variables: Vec<String>,
    /// Title of the list's column that says each person's language.
    #[serde(default)]
    pub language_column: Option<String>,
    /// Languages tried in this order for a person whose own is unknown or has no approved template.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Whether all connected numbers that can send it do, each to some of the people.
    #[serde(default)]
    pub spread: bool,
    #[serde(default)]
    pub quiet: Option<QuietHours>,
}

/// Person that a content is filled in for.
#[derive(Debug, Clone, Copy)]
pub struct FilledFor<'a> {
    pub phone: &'a PhoneNumber,
    pub name: Option<&'a ContactName>,
    pub values: &'a ColumnValues,
    pub message: MessageId,
}

/// Reason for refusing a content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    #[error(
        "a broadcast fills in at most {MOST_VARIABLES} variables and {MOST_BUTTONS} buttons, and all of its texts have at most {LONGEST_CONTENT} characters together"
    )]
    TooLarge,
    /// Label of a variable whose text is blank or too long.
    #[error("`variables.{0}` has 1 to {LONGEST_VALUE} characters, one of them visible")]
    Value(String),
    #[error("`languages` has at most {MOST_LANGUAGES} languages")]
    Languages,
    #[error("`quiet.hours` leave some time of the day")]
    Quiet,
    #[error("`from` and `spread` exclude each other")]
    Spread,
}

/// Returns a person's own name or cell if a template takes it. One that no template takes leaves out that
/// person alone.
fn theirs(value: &str) -> Result<String, SkipReason> {
    if is_one_line(value.trim()) { Ok(value.to_owned()) } else { Err(SkipReason::Value) }
}

impl VariableSource {
    fn value_for(&self, person: FilledFor<'_>) -> Result<String, SkipReason> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::ContactName { otherwise } => {
                let name = person.name.map(|name| theirs(name.as_str())).transpose()?;
                name.or_else(|| otherwise.clone()).ok_or(SkipReason::NoName)
            }
            Self::Column { column, otherwise } => {
                let value = value_of(person.values, column).map(theirs).transpose()?;
                value.or_else(|| otherwise.clone()).ok_or(SkipReason::NoValue)
            }
        }
    }
}

impl BroadcastContent {
    /// Checks the rules that need no template.
    pub fn check(&self) -> Result<(), ContentError> {
        if self.is_too_large() {
            return Err(ContentError::TooLarge);
        }
        for (label, source) in &self.variables {
            let text = match source {
                VariableSource::Text(text)
                | VariableSource::ContactName { otherwise: Some(text) }
                | VariableSource::Column { otherwise: Some(text), .. } => text,
                VariableSource::ContactName { otherwise: None }
                | VariableSource::Column { otherwise: None, .. } => {
                    continue;
                }
            };
            if is_blank(text) || text.chars().nth(LONGEST_VALUE).is_some() {
                return Err(ContentError::Value(label.clone()));
            }
        }
        if self.languages.len() > MOST_LANGUAGES {
            return Err(ContentError::Languages);
        }
        if self.quiet.as_ref().is_some_and(QuietHours::are_all_day) {
            return Err(ContentError::Quiet);
        }
        if self.spread && self.from.is_some() {
            return Err(ContentError::Spread);
        }
        Ok(())
    }

    fn is_too_large(&self) -> bool {
        let variables = self.variables.iter().flat_map(|(label, source)| {
            let (column, text) = match source {
                VariableSource::Text(text) => (None, Some(text)),
                VariableSource::ContactName { otherwise } => (None, otherwise.as_ref()),
                VariableSource::Column { column, otherwise } => (Some(column), otherwise.as_ref()),
            };
            [Some(label), column, text].into_iter().flatten()
        });
        let said = [&self.language, &self.from, &self.header_text, &self.header_link, &self.language_column];
        let texts = variables
            .chain(said.into_iter().flatten())
            .chain(&self.button_variables)
            .chain(&self.languages)
            .chain([&self.template]);
        let characters: usize = texts.map(|text| text.chars().count()).sum();
        self.variables.len() > MOST_VARIABLES
            || self.button_variables.len() > MOST_BUTTONS
            || characters > LONGEST_CONTENT
    }

    /// Returns the language for a person: their own, or the first fallback, in which a template may be sent;
    /// otherwise the broadcast's.
    fn language_for(&self, values: &ColumnValues, catalogue: &Catalogue) -> Option<String> {
        let own = self.language_column.as_deref().and_then(|column| value_of(values, column));
        let tried = own.into_iter().chain(self.languages.iter().map(String::as_str));
        let found = tried.map(str::trim).find(|language| catalogue.may_send_in(language));
        found.map(str::to_owned).or_else(|| self.language.clone())
    }

    /// Returns the number that writes to a person, if all numbers send; otherwise `None`. A message keeps its
    /// number as long as the same numbers may write. If none may, any of them is chosen.
    fn sender_for(
        &self,
        message: MessageId,
        language: Option<&str>,
        catalogue: &Catalogue,
        may_write: &(dyn Fn(&Number) -> bool + Sync),
    ) -> Option<String> {
        if !self.spread {
            return None;
        }
        let mut able = catalogue.numbers_able(language);
        if able.iter().any(|number| may_write(number)) {
            able.retain(|number| may_write(number));
        }
        let count = u128::try_from(able.len()).ok().filter(|count| *count > 0)?;
        // The end of an id is random, so that the numbers have equal shares.
        let place = usize::try_from(message.uuid().as_u128() % count).ok()?;
        able.get(place).map(|number| number.network_id.clone())
    }

    /// Builds the send to a person, with `reference`.
    ///
    /// # Errors
    /// [`SkipReason::NoName`] and [`SkipReason::NoValue`] if a name or a cell that is needed is unknown;
    /// [`SkipReason::Value`] if no template takes it.
    pub fn request(
        &self,
        person: FilledFor<'_>,
        catalogue: &Catalogue,
        reference: String,
    ) -> Result<TemplateRequest, SkipReason> {
        self.request_from(person, catalogue, reference, &|_| true)
    }

    /// Builds the send to a person. Where all numbers send, it goes from one that may write, if any may.
    pub(super) fn request_from(
        &self,
        person: FilledFor<'_>,
        catalogue: &Catalogue,
        reference: String,
        may_write: &(dyn Fn(&Number) -> bool + Sync),
    ) -> Result<TemplateRequest, SkipReason> {
        let FilledFor { phone, values: columns, message, .. } = person;
        let values: Result<BTreeMap<String, String>, SkipReason> = self
            .variables
            .iter()
            .map(|(label, source)| Ok((label.clone(), source.value_for(person)?)))
            .collect();
        let header = HeaderRequest {
            text: self.header_text.clone(),
            link: self.header_link.clone(),
            ..HeaderRequest::default()
        };
        let language = self.language_for(columns, catalogue);
        let all = || self.sender_for(message, language.as_deref(), catalogue, may_write);
        let from = self.from.clone().or_else(all);
        Ok(TemplateRequest {
            to: phone.as_str().to_owned(),
            template: self.template.clone(),
            language,
            from,
            variables: Some(Variables::Named(values?)),
            header: (header != HeaderRequest::default()).then_some(header),
            button_variables: (!self.button_variables.is_empty()).then(|| self.button_variables.clone()),
            reference: Some(reference),
            ..TemplateRequest::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{
        BroadcastContent, ContentError, FilledFor, LONGEST_CONTENT, LONGEST_VALUE, MOST_BUTTONS,
        MOST_VARIABLES, VariableSource,
    };
    use crate::{
        broadcasts::{ColumnValues, SkipReason},
        channels::Number,
        contacts::ContactName,
        phone::PhoneNumber,
        sending::{Catalogue, TemplateRequest, Variables},
        templates::Template,
        testing::{a_broadcast_content, a_number, a_template, catalogue_of},
    };

    fn content(sources: &[(&str, VariableSource)]) -> BroadcastContent {
        BroadcastContent {
            template: "offer".to_owned(),
            variables: sources.iter().map(|(label, source)| ((*label).to_owned(), source.clone())).collect(),
            ..a_broadcast_content()
        }
    }

    fn catalogue(languages: &[&str], numbers: u8) -> Catalogue {
        let templates = languages
            .iter()
            .map(|language| Template { language: (*language).to_owned(), ..a_template("offer") });
        catalogue_of((1..=numbers).map(|index| a_number(0, index)).collect(), templates.collect())
    }

    fn request(
        content: &BroadcastContent,
        name: Option<&ContactName>,
        values: &ColumnValues,
        message: u128,
        catalogue: &Catalogue,
    ) -> Result<TemplateRequest, SkipReason> {
        let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
        let message = Uuid::from_u128(message).into();
        content.request(FilledFor { phone: &phone, name, values, message }, catalogue, "r".to_owned())
    }

    fn column(otherwise: Option<&str>) -> VariableSource {
        VariableSource::Column { column: "City".to_owned(), otherwise: otherwise.map(str::to_owned) }
    }

    #[test]
    fn each_person_gets_what_the_list_says_of_them() {
        let erbil = ColumnValues::from([("city".to_owned(), "Erbil".to_owned())]);
        for (source, values, wanted) in [
            (column(None), &erbil, Ok("Erbil")),
            (column(Some("here")), &ColumnValues::new(), Ok("here")),
            (column(None), &ColumnValues::new(), Err(SkipReason::NoValue)),
        ] {
            let request = request(&content(&[("1", source)]), None, values, 1, &catalogue(&["ar"], 1));
            let value = request.map(|request| match request.variables {
                Some(Variables::Named(values)) => values["1"].clone(),
                _ => String::new(),
            });
            assert_eq!(value, wanted.map(str::to_owned));
        }
    }

    #[test]
    fn a_persons_own_language_comes_first_then_those_in_order_if_a_template_may_be_sent_in_them() {
        let own = |language: &str| ColumnValues::from([("lang".to_owned(), language.to_owned())]);
        let content = BroadcastContent {
            language_column: Some("Lang".to_owned()),
            languages: vec!["ku".to_owned(), "en".to_owned()],
            language: Some("ar".to_owned()),
            ..content(&[])
        };
        for (values, approved, wanted) in [
            (own("en"), &["ar", "en"][..], "en"),
            (own("EN"), &["ar", "en"], "EN"),
            (own("fr"), &["ar", "en"], "en"),
            (ColumnValues::new(), &["ar", "ku", "en"], "ku"),
            (ColumnValues::new(), &["ar"], "ar"),
        ] {
            let request = request(&content, None, &values, 1, &catalogue(approved, 1)).unwrap();
            assert_eq!(request.language.as_deref(), Some(wanted), "{values:?} {approved:?}");
        }
    }

    #[test]
    fn numbers_that_share_a_broadcast_each_write_to_some_and_one_message_always_has_the_same() {
        let catalogue = catalogue(&["ar"], 3);
        let spread = BroadcastContent { spread: true, ..content(&[]) };
        let from = |message| request(&spread, None, &ColumnValues::new(), message, &catalogue).unwrap().from;
        let used: std::collections::BTreeSet<_> = (0..30).map(from).collect();
        assert_eq!(used.len(), 3, "{used:?}");
        assert_eq!(from(7), from(7));
        let one = request(&content(&[]), None, &ColumnValues::new(), 7, &catalogue).unwrap();
        assert_eq!(one.from, None);
        // Numbers that may write take over everybody; where none may, everybody keeps theirs.
        let phone = PhoneNumber::from_e164("+9647701234567").unwrap();
        let by = |message: u128, may: &[&str]| {
            let values = ColumnValues::new();
            let message = Uuid::from_u128(message).into();
            let filled = FilledFor { phone: &phone, name: None, values: &values, message };
            let may_write = |number: &Number| may.contains(&number.network_id.as_str());
            spread.request_from(filled, &catalogue, "r".to_owned(), &may_write).unwrap().from
        };
        let others: std::collections::BTreeSet<_> =
            (0..30).filter_map(|message| by(message, &["100000002", "100000003"])).collect();
        assert_eq!(Vec::from_iter(others), ["100000002", "100000003"]);
        assert_eq!(by(7, &[]), from(7));
        let both = BroadcastContent { spread: true, from: Some("1".to_owned()), ..content(&[]) };
        assert_eq!(both.check(), Err(ContentError::Spread));
    }

    #[test]
    fn a_cell_that_no_template_takes_leaves_that_person_out() {
        let cell = |text: &str| ColumnValues::from([("city".to_owned(), text.to_owned())]);
        for (text, wanted) in [
            ("Erbil", Ok(())),
            (" Erbil\n", Ok(())),
            ("أربيل\nعينكاوة", Err(SkipReason::Value)),
            ("Erbil\tAnkawa", Err(SkipReason::Value)),
            ("Erbil     Ankawa", Err(SkipReason::Value)),
        ] {
            let request =
                request(&content(&[("1", column(None))]), None, &cell(text), 1, &catalogue(&["ar"], 1));
            assert_eq!(request.map(drop), wanted, "{text:?}");
        }
        let wide = ContactName::read("سارة     أحمد").unwrap();
        let request =
            request(&content(&[("1", named(None))]), Some(&wide), &cell(""), 1, &catalogue(&["ar"], 1));
        assert_eq!(request.map(drop), Ok(()), "a name has no runs of spaces");
    }

    fn named(otherwise: Option<&str>) -> VariableSource {
        VariableSource::ContactName { otherwise: otherwise.map(str::to_owned) }
    }

    #[test]
    fn each_person_gets_their_name_or_the_word_that_stands_for_it() {
        let sara = ContactName::read("سارة").unwrap();
        for (source, name, wanted) in [
            (named(None), Some(&sara), Ok("سارة")),
            (named(Some("عميلنا")), Some(&sara), Ok("سارة")),
            (named(Some("عميلنا")), None, Ok("عميلنا")),
            (named(None), None, Err(SkipReason::NoName)),
            (VariableSource::Text("10%".to_owned()), None, Ok("10%")),
        ] {
            let content = content(&[("name", source)]);
            let request = request(&content, name, &ColumnValues::new(), 1, &catalogue(&["ar"], 1));
            let value = request.map(|request| match request.variables {
                Some(Variables::Named(values)) => values["name"].clone(),
                _ => String::new(),
            });
            assert_eq!(value, wanted.map(str::to_owned));
        }
    }

    #[test]
    fn a_value_that_nobody_can_see_or_that_is_too_long_is_refused_before_anybody_is_written_to() {
        let long = "a".repeat(LONGEST_VALUE + 1);
        for source in [VariableSource::Text(" ".to_owned()), VariableSource::Text(long), named(Some(""))] {
            assert_eq!(content(&[("1", source)]).check(), Err(ContentError::Value("1".to_owned())));
        }
        assert_eq!(
            content(&[("1", named(None)), ("2", VariableSource::Text("x".to_owned()))]).check(),
            Ok(())
        );
    }

    #[test]
    fn no_more_is_filled_in_than_any_template_has_room_for() {
        let variables = |count: usize, text: &str| BroadcastContent {
            variables: (0..count)
                .map(|label| (label.to_string(), VariableSource::Text(text.to_owned())))
                .collect(),
            ..content(&[])
        };
        let buttons =
            |count: usize| BroadcastContent { button_variables: vec!["x".to_owned(); count], ..content(&[]) };
        let long = "ا".repeat(LONGEST_CONTENT);
        let label = VariableSource::Text("x".to_owned());
        let title = VariableSource::Column { column: long.clone(), otherwise: None };
        for (content, wanted) in [
            (variables(MOST_VARIABLES, "x"), Ok(())),
            (variables(MOST_VARIABLES + 1, "x"), Err(ContentError::TooLarge)),
            (variables(31, &"ا".repeat(LONGEST_VALUE)), Ok(())),
            (variables(32, &"ا".repeat(LONGEST_VALUE)), Err(ContentError::TooLarge)),
            (buttons(MOST_BUTTONS), Ok(())),
            (buttons(MOST_BUTTONS + 1), Err(ContentError::TooLarge)),
            (content(&[(long.as_str(), label)]), Err(ContentError::TooLarge)),
            (content(&[("1", title)]), Err(ContentError::TooLarge)),
            (
                BroadcastContent { header_link: Some(long.clone()), ..content(&[]) },
                Err(ContentError::TooLarge),
            ),
            (BroadcastContent { template: long.clone(), ..content(&[]) }, Ok(())),
            (BroadcastContent { template: long.clone() + "x", ..content(&[]) }, Err(ContentError::TooLarge)),
        ] {
            assert_eq!(content.check(), wanted);
        }
    }

    #[test]
    fn quiet_hours_without_an_end_are_refused() {
        for (from, to, wanted) in [
            ("00:00", "24:00", Err(ContentError::Quiet)),
            ("00:00", "23:59", Ok(())),
            ("00:01", "24:00", Ok(())),
            ("21:00", "09:00", Ok(())),
        ] {
            let quiet = serde_json::json!({ "zone": "Asia/Baghdad", "hours": [from, to] });
            let quiet = serde_json::from_value(quiet).unwrap();
            assert_eq!(BroadcastContent { quiet, ..content(&[]) }.check(), wanted, "{from} {to}");
        }
    }

    #[test]
    fn a_content_reads_back_as_it_was_written() {
        let written = content(&[("name", named(None)), ("code", VariableSource::Text("A".to_owned()))]);
        let json = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<BroadcastContent>(&json).unwrap(), written, "{json}");
    }
}
