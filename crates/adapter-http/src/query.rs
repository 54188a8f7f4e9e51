//! Reading query parameters. Unknown ones are refused, and so is a known one that comes twice.

pub(crate) mod known;

use actix_web::{HttpRequest, web::Query};

use crate::problem::Problem;

/// The parameters of a request, decoded.
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, Problem> {
        Self::read_all(request.query_string()).ok_or_else(|| Problem::invalid("the query cannot be read"))
    }

    /// Reads what is written as a query is, as forms are, too.
    pub(crate) fn read_all(text: &str) -> Option<Self> {
        Query::<Vec<(String, String)>>::from_query(text).ok().map(|pairs| Self(pairs.into_inner()))
    }

    /// Those that are filled in: a form without a script sends each of its fields, blank or not.
    pub(crate) fn filled(mut self) -> Self {
        self.0.retain(|(_, value)| !value.is_empty());
        self
    }

    /// The names of those that there are.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The parameter's value, or `None` where it is absent.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Problem::invalid(format!("`{name}` comes more than once"))),
            (Some(value), _) if value.contains('\0') => {
                Err(Problem::invalid(format!("`{name}` must not hold U+0000")))
            }
            (value, None) => Ok(value),
        }
    }

    /// The parameter as one of a fixed set of words.
    pub(crate) fn word<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Result<Option<T>, Problem> {
        self.read(name, read, &format!("one of: {}", words.join(", ")))
    }

    /// The parameter as a value that is described by `form`.
    pub(crate) fn read<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
        form: &str,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.get(name)? else { return Ok(None) };
        let wrong = || Problem::invalid(format!("`{name}` must be {form}"));
        read(text).ok_or_else(wrong).map(Some)
    }
}
