//! Posted forms.

use actix_web::{HttpMessage, HttpRequest, web::Payload};
use domain::sending::MAX_KEY_CHARS;
use serde::de::DeserializeOwned;
use serde_json::Map;

use super::links::local;
use crate::{body, problem::Problem, query::Parameters};

/// Most bytes of a form, in which each Arabic letter takes six: an assistant's facts and wordings in three
/// languages are the longest.
const LIMIT: usize = 1024 * 1024;

/// Most fields of a form. Our largest is an audience of a thousand people, each ticked.
const MOST_FIELDS: usize = 2_000;

/// How a form was sent; attached to its request.
pub(super) struct Sent {
    /// Names of its fields.
    names: Vec<String>,
    /// Value of the pressed button.
    button: Option<String>,
    /// Idempotency key.
    key: Option<String>,
}

impl Sent {
    /// Attaches to the request how its form, of these fields, was sent.
    pub(super) fn mark(request: &HttpRequest, names: Vec<String>, value: impl Fn(&str) -> Option<String>) {
        request.extensions_mut().insert(Self { names, button: value("do"), key: value("key") });
    }

    /// Returns the value of the pressed button; `None` if it has none.
    pub(super) fn button(request: &HttpRequest) -> Option<String> {
        request.extensions().get::<Self>()?.button.clone()
    }

    /// Returns what tells the form from others of its page: the last part of its path, its button, its key.
    pub(super) fn form(request: &HttpRequest) -> Vec<String> {
        let path = request.path().rsplit('/').next().map(str::to_owned);
        let extensions = request.extensions();
        let sent = extensions.get::<Self>();
        let marks = sent.map(|sent| [sent.button.clone(), sent.key.clone()]).into_iter().flatten().flatten();
        path.into_iter().chain(marks).collect()
    }

    /// Returns the first of these names that the form has a field of, or else the first.
    pub(super) fn field(request: &HttpRequest, mut names: Vec<String>) -> Option<String> {
        let query = Parameters::of(request).ok();
        let is_sent = |name: &String| match request.extensions().get::<Self>() {
            Some(sent) => sent.names.contains(name),
            None => query.iter().flat_map(Parameters::names).any(|asked| asked == name),
        };
        let at = names.iter().position(is_sent).unwrap_or_default();
        (at < names.len()).then(|| names.swap_remove(at))
    }
}

pub(super) struct Form(Parameters);

impl Form {
    pub(super) async fn of(request: &HttpRequest, payload: Payload) -> Result<Self, Problem> {
        let bytes = body::bytes(request, payload, LIMIT).await?;
        let form = Self::read(&bytes)?;
        let names = form.names().map(str::to_owned).collect();
        Sent::mark(request, names, |name| form.given(name).ok().flatten());
        Ok(form)
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.split(|byte| *byte == b'&').count() > MOST_FIELDS {
            return Err(Problem::invalid(format!("a form has {MOST_FIELDS} fields at most")));
        }
        let fields = std::str::from_utf8(bytes).ok().and_then(Parameters::read_all);
        fields.map(Self).ok_or_else(|| Problem::invalid("the form cannot be read"))
    }

    /// Parses the fields into what an act is given, with the line ends that phones write, LF; browsers post
    /// CRLF. Its button is no field.
    pub(super) fn fields<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let mut fields = Map::new();
        for name in self.names().filter(|name| *name != "do") {
            fields.insert(name.to_owned(), self.text(name)?.replace("\r\n", "\n").into());
        }
        serde_json::from_value(fields.into()).map_err(|error| Problem::invalid(error.to_string()))
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
