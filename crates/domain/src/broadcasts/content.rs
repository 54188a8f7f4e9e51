//! What a broadcast says to each person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SkipReason;
use crate::{
    contacts::ContactName,
    sending::{HeaderRequest, TemplateRequest, Variables},
    text::is_blank,
};

/// Characters of a fixed text.
pub const LONGEST_VALUE: usize = 1_024;

/// Where the value of a variable comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum VariableSource {
    /// The same for everybody.
    Text(String),
    /// The person's name.
    #[serde(rename_all = "camelCase")]
    ContactName {
        /// What stands for a name that is not known; whoever has none is left out where there is no such word.
        otherwise: Option<String>,
    },
}

/// The template, and what is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BroadcastContent {
    /// The template's name.
    pub template: String,
    /// Its language.
    pub language: Option<String>,
    /// The sending number in any spelling, or its id at the network.
    pub from: Option<String>,
    /// By label, where each value of the body comes from.
    pub variables: BTreeMap<String, VariableSource>,
    /// A text for the header.
    pub header_text: Option<String>,
    /// An address for a header that shows something.
    pub header_link: Option<String>,
    /// Values for the URL buttons that need one, in order.
    pub button_variables: Vec<String>,
}

/// What is no content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// A text is blank, or too long.
    #[error("`variables.{0}` has 1 to {LONGEST_VALUE} characters, one of them visible")]
    Value(String),
}

impl BroadcastContent {
    /// The rules that need no template.
    ///
    /// # Errors
    /// [`ContentError`].
    pub fn check(&self) -> Result<(), ContentError> {
        for (label, source) in &self.variables {
            let text = match source {
                VariableSource::Text(text) | VariableSource::ContactName { otherwise: Some(text) } => text,
                VariableSource::ContactName { otherwise: None } => continue,
            };
            if is_blank(text) || text.chars().nth(LONGEST_VALUE).is_some() {
                return Err(ContentError::Value(label.clone()));
            }
        }
        Ok(())
    }

    /// The send to somebody with this number and name, with `reference`.
    ///
    /// # Errors
    /// [`SkipReason::NoName`] where the person's name is wanted and not known.
    pub fn request(
        &self,
        phone: &str,
        name: Option<&ContactName>,
        reference: String,
    ) -> Result<TemplateRequest, SkipReason> {
        let value = |source: &VariableSource| match source {
            VariableSource::Text(text) => Ok(text.clone()),
            VariableSource::ContactName { otherwise } => {
                let name = name.map(|name| name.as_str().to_owned());
                name.or_else(|| otherwise.clone()).ok_or(SkipReason::NoName)
            }
        };
        let values: Result<BTreeMap<String, String>, SkipReason> =
            self.variables.iter().map(|(label, source)| Ok((label.clone(), value(source)?))).collect();
        let header = HeaderRequest {
            text: self.header_text.clone(),
            link: self.header_link.clone(),
            ..HeaderRequest::default()
        };
        Ok(TemplateRequest {
            to: phone.to_owned(),
            template: self.template.clone(),
            language: self.language.clone(),
            from: self.from.clone(),
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
    use super::{BroadcastContent, ContentError, LONGEST_VALUE, VariableSource};
    use crate::{broadcasts::SkipReason, contacts::ContactName, sending::Variables};

    fn content(sources: &[(&str, VariableSource)]) -> BroadcastContent {
        BroadcastContent {
            template: "offer".to_owned(),
            language: None,
            from: None,
            variables: sources.iter().map(|(label, source)| ((*label).to_owned(), source.clone())).collect(),
            header_text: None,
            header_link: None,
            button_variables: vec![],
        }
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
            let request = content(&[("name", source)]).request("+964", name, "r".to_owned());
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
    fn a_content_reads_back_as_it_was_written() {
        let written = content(&[("name", named(None)), ("code", VariableSource::Text("A".to_owned()))]);
        let json = serde_json::to_string(&written).unwrap();
        assert_eq!(serde_json::from_str::<BroadcastContent>(&json).unwrap(), written, "{json}");
    }
}
