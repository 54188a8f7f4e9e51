//! Known parameters of each route: those that its document or the dashboard's table lists. Any other is
//! refused, naming the nearest known one, since a filter with a slip in its name would otherwise answer with
//! everything.

use std::{borrow::Borrow, collections::HashMap};

use actix_web::HttpRequest;

use super::Parameters;
use crate::{endpoint::as_get, problem::Problem};

/// Longest name repeated in an error, in characters.
const SHOWN: usize = 60;

/// Fewest characters by which one name is a part of another.
const SHORTEST_PART: usize = 3;

/// Query parameters of every operation, by method and path.
pub(crate) type Table = HashMap<String, Vec<String>>;

/// Source of the table, as data of the server: a function, so that the document that it is read from is made
/// only when a query is first checked.
#[derive(Clone, Copy)]
pub(crate) struct KnownParameters(pub(crate) fn() -> &'static Table);

/// Refuses a parameter that the route's document does not list.
pub(crate) fn check(request: &HttpRequest) -> Result<(), Problem> {
    if request.query_string().is_empty() {
        return Ok(());
    }
    let operation = format!("{} {}", as_get(request.method()), request.match_pattern().unwrap_or_default());
    let KnownParameters(table) = request
        .app_data::<KnownParameters>()
        .ok_or_else(|| Problem::internal("the server has no table of known parameters"))?;
    check_against(request, table().get(&operation).map(Vec::as_slice).unwrap_or_default())
}

/// Refuses a parameter that is not among these.
pub(crate) fn check_against<T: Borrow<str>>(request: &HttpRequest, known: &[T]) -> Result<(), Problem> {
    if request.query_string().is_empty() {
        return Ok(());
    }
    let given = Parameters::of(request)?;
    match given.names().find(|name| !known.iter().any(|known| known.borrow() == *name)) {
        Some(name) => Err(Problem::invalid(refusal(name, known))),
        None => Ok(()),
    }
}

fn refusal<T: Borrow<str>>(name: &str, known: &[T]) -> String {
    let shown: String = name.chars().take(SHOWN).collect();
    let all = known.join("`, `");
    match nearest(&shown, known.iter().map(T::borrow)) {
        Some(nearest) => {
            format!("unknown query parameter `{shown}`: the nearest known one is `{nearest}`, of `{all}`")
        }
        None if known.is_empty() => format!("unknown query parameter `{shown}`: this route takes none"),
        None => format!("unknown query parameter `{shown}`: this route takes `{all}`"),
    }
}

/// Returns the known name with the fewest slips, ignoring capitals and separators; `None` if none is near.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let name = plain(name);
    let slips = |known: &str| strsim::damerau_levenshtein(&name, &plain(known));
    let nearest = known.min_by_key(|known| slips(known))?;
    let part = |whole: &str, part: &str| part.len() >= SHORTEST_PART && whole.contains(part);
    let known = plain(nearest);
    (slips(nearest) * 3 <= known.len().max(name.len()) || part(&known, &name) || part(&name, &known))
        .then_some(nearest)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use actix_web::{ResponseError, test::TestRequest};

    use super::{KnownParameters, Table, check, refusal};

    fn table() -> &'static Table {
        static TABLE: LazyLock<Table> =
            LazyLock::new(|| [("GET ".to_owned(), vec!["limit".to_owned()])].into());
        &TABLE
    }

    #[test]
    fn what_the_table_lacks_is_refused_and_a_server_without_a_table_is_at_fault() {
        let with_table = |uri| TestRequest::with_uri(uri).app_data(KnownParameters(table));
        for (request, wanted) in [
            (with_table("/?limit=1"), None),
            (with_table("/?limits=1"), Some(400)),
            (TestRequest::with_uri("/?limit=1"), Some(500)),
            (TestRequest::with_uri("/"), None),
        ] {
            let refused = check(&request.to_http_request()).err();
            assert_eq!(refused.map(|problem| problem.status_code().as_u16()), wanted);
        }
    }

    #[test]
    fn the_nearest_name_is_told_however_it_was_mistyped() {
        let known = ["status", "contactId", "groupId", "since", "limit", "cursor"].map(str::to_owned);
        let table = [
            ("statu", "status"),
            ("Status", "status"),
            ("contact_id", "contactId"),
            ("contact", "contactId"),
            ("group-id", "groupId"),
            ("snice", "since"),
            ("limits", "limit"),
            ("nextCursor", "cursor"),
        ];
        for (mistyped, nearest) in table {
            let said = refusal(mistyped, &known);
            assert!(said.contains(&format!("`{mistyped}`: the nearest known one is `{nearest}`,")), "{said}");
        }
        for strange in ["foo", "phone", "x", "", "workspace", "سعر"] {
            let said = refusal(strange, &known);
            let all = "this route takes `status`, `contactId`, `groupId`, `since`, `limit`, `cursor`";
            assert_eq!(said, format!("unknown query parameter `{strange}`: {all}"));
        }
    }

    #[test]
    fn a_route_without_parameters_says_so_and_a_long_name_is_not_repeated_whole() {
        assert_eq!(refusal::<&str>("a", &[]), "unknown query parameter `a`: this route takes none");
        assert!(refusal(&"a".repeat(5_000), &["limit".to_owned()]).len() < 200);
    }
}
