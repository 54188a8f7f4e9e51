//! Posted forms.

use actix_web::{HttpRequest, web::Payload};
use domain::sending::MAX_KEY_CHARS;

use super::{field, links::local};
use crate::{body, problem::Problem, query::Parameters};

/// Most bytes of a form, in which each Arabic letter takes six: an assistant's facts and wordings in three
/// languages are the longest.
const LIMIT: usize = 1024 * 1024;

/// Most fields of a form. Our largest is an audience of a thousand people, each ticked.
const MOST_FIELDS: usize = 2_000;

pub(super) struct Form(Parameters);

impl Form {
    pub(super) async fn of(request: &HttpRequest, payload: Payload) -> Result<Self, Problem> {
        let bytes = body::bytes(request, payload, LIMIT).await?;
        let form = Self::read(&bytes)?;
        field::mark_posted(request, |name| form.given(name).ok().flatten());
        Ok(form)
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.split(|byte| *byte == b'&').count() > MOST_FIELDS {
            return Err(Problem::invalid(format!("a form has {MOST_FIELDS} fields at most")));
        }
        let fields = std::str::from_utf8(bytes).ok().and_then(Parameters::read_all);
        fields.map(Self).ok_or_else(|| Problem::invalid("the form cannot be read"))
    }

    /// Returns a field's text; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> Result<String, Problem> {
        Ok(self.0.get(name)?.unwrap_or_default().to_owned())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    /// Returns a field's text; `None` if it is missing or blank.
    pub(super) fn filled(&self, name: &str) -> Result<Option<String>, Problem> {
        Ok(Some(self.text(name)?).filter(|text| !text.trim().is_empty()))
    }

    /// Returns a field's text; `None` if the form lacks the field.
    pub(super) fn given(&self, name: &str) -> Result<Option<String>, Problem> {
        Ok(self.0.get(name)?.map(str::to_owned))
    }

    /// Returns the idempotency key of a draft.
    pub(super) fn key(&self) -> Result<String, Problem> {
        let key = self.text("key")?;
        let fits = !key.is_empty() && key.chars().nth(MAX_KEY_CHARS).is_none();
        if fits { Ok(key) } else { Err(Problem::invalid("`key` must have 1 to 200 characters")) }
    }

    /// Returns our page to lead to afterwards.
    pub(super) fn next(&self) -> Result<String, Problem> {
        Ok(local(&self.text("next")?).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, MOST_FIELDS};

    #[test]
    fn a_form_has_a_bounded_number_of_fields() {
        let of = |fields: usize| vec!["field=1"; fields].join("&");
        assert!(Form::read(of(MOST_FIELDS).as_bytes()).is_ok());
        assert!(Form::read(of(MOST_FIELDS + 1).as_bytes()).is_err());
    }
}
