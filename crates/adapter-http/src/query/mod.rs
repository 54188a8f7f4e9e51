//! Parsing of query parameters. Unknown ones are refused, and so is a known one that comes twice.

pub(crate) mod known;

use std::collections::HashMap;

use actix_web::{HttpRequest, web::Query};

use crate::problem::Problem;

/// Description of the times accepted by filters and windows.
pub(crate) const MOMENT: &str = "a date or a time such as 2026-11-21T10:00:00Z";

/// Decoded parameters of a request.
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
    /// Index by name: a form may have thousands of fields, and be asked for each of them.
    by_name: HashMap<String, Place>,
}

/// Index of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    At(usize),
    Several,
}

impl Parameters {
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, Problem> {
        let text = request.query_string();
        if let Some(pair) = text.split('&').find(|pair| !is_utf8(pair)) {
            let name = pair.split('=').next().unwrap_or_default();
            let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
            return Err(Problem::invalid(format!("`{name}` is not UTF-8, percent-encoded")));
        }
        Self::read_all(text).ok_or_else(|| Problem::invalid("the query cannot be read"))
    }

    /// Parses a text in the form of a query, as forms also are; `None` if it is not UTF-8 when decoded.
    pub(crate) fn read_all(text: &str) -> Option<Self> {
        if !is_utf8(text) {
            return None;
        }
        Query::<Vec<(String, String)>>::from_query(text).ok().map(|pairs| Self::indexed(pairs.into_inner()))
    }

    fn indexed(pairs: Vec<(String, String)>) -> Self {
        let mut by_name = HashMap::with_capacity(pairs.len());
        for (at, (name, _)) in pairs.iter().enumerate() {
            let place = by_name.entry(name.clone()).or_insert(Place::At(at));
            if *place != Place::At(at) {
                *place = Place::Several;
            }
        }
        Self { pairs, by_name }
    }

    /// Keeps the filled parameters: a form without a script sends each of its fields, blank or not.
    pub(crate) fn filled(self) -> Self {
        Self::indexed(self.pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// Lists the names of the parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| name.as_str())
    }

    /// Lists the parameters with their values.
    pub(crate) fn pairs(&self) -> Result<Vec<(String, String)>, Problem> {
        let pair = |name: &str| Ok((name.to_owned(), self.get(name)?.unwrap_or_default().to_owned()));
        self.names().map(pair).collect()
    }

    /// Returns the parameter's value; `None` if it is absent.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, Problem> {
        let value = match self.by_name.get(name) {
            Some(Place::Several) => return Err(Problem::invalid(format!("`{name}` comes more than once"))),
            Some(Place::At(at)) => self.pairs.get(*at).map(|(_, value)| value.as_str()),
            None => None,
        };
        if value.is_some_and(|value| value.contains('\0')) {
            return Err(Problem::invalid(format!("`{name}` must not hold U+0000")));
        }
        Ok(value)
    }

    /// Parses the parameter as one of a fixed set of words.
    pub(crate) fn word<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
        words: &[&str],
    ) -> Result<Option<T>, Problem> {
        self.read(name, read, &format!("one of: {}", words.join(", ")))
    }

    /// Parses the parameter with `read`; an error describes its values by `form`.
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

/// Returns whether a path, query or form is UTF-8 when percent-decoded. Parsers of URLs put `U+FFFD` in place
/// of what is not, and look that up.
pub(crate) fn is_utf8(encoded: &str) -> bool {
    !encoded.contains('%') || percent_encoding::percent_decode_str(encoded).decode_utf8().is_ok()
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn a_parameter_is_found_by_its_name_and_refused_where_it_comes_twice() {
        let given = Parameters::read_all("a=1&b=&c=2&c=3&d=%00&a-1=4").unwrap();
        assert_eq!(given.get("a").unwrap(), Some("1"));
        assert_eq!(given.get("b").unwrap(), Some(""));
        assert_eq!(given.get("e").unwrap(), None);
        assert!(given.get("c").is_err() && given.get("d").is_err());
        assert_eq!(given.names().collect::<Vec<_>>(), ["a", "b", "c", "c", "d", "a-1"]);
        let filled = Parameters::read_all("a=&b=1&a=2").unwrap().filled();
        assert_eq!((filled.get("a").unwrap(), filled.get("b").unwrap()), (Some("2"), Some("1")));
    }

    #[test]
    fn what_is_not_utf8_is_read_as_nothing() {
        for (text, taken) in [
            ("search=%D8%B3", true),
            ("search=100%25", true),
            ("search=100%", true),
            ("search=%FF", false),
            ("%FF=1", false),
            ("search=%D8", false),
            ("search=%D8&limit=%B3", false),
            ("a=1&search=%ED%A0%80", false),
        ] {
            assert_eq!(Parameters::read_all(text).is_some(), taken, "{text}");
        }
    }

    #[test]
    fn many_parameters_are_each_found_in_no_time() {
        let names: Vec<String> = (0..100_000).map(|at| format!("named-{at}")).collect();
        let given: Vec<String> = names.iter().map(|name| format!("{name}=x")).collect();
        let given = Parameters::read_all(&given.join("&"));
        let (given, began) = (given.unwrap(), std::time::Instant::now());
        assert!(names.iter().all(|name| given.get(name).unwrap() == Some("x")));
        // Searching the list for each name takes minutes.
        assert!(began.elapsed().as_secs() < 5);
    }
}
