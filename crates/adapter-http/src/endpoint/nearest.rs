//! Search for the route that an unknown path was likely meant for.

/// Longest path that is compared with others, in bytes.
const LONGEST_PATH: usize = 200;
/// Slips counted for a placeholder such as `{id}` that the path lacks.
const PLACE: usize = 4;

/// Returns the path with the fewest slips, ignoring capitals and slashes; `None` if none is near.
pub(crate) fn nearest<'a>(path: &str, paths: &'a [String]) -> Option<&'a str> {
    if path.len() > LONGEST_PATH {
        return None;
    }
    let written = path.to_lowercase();
    let given: Vec<&str> = parts(&written).collect();
    let nearest = paths.iter().min_by_key(|known| slips(&given, known))?;
    // The beginning that all paths share says nothing.
    let told: usize = given.iter().skip(1).map(|part| part.len()).sum();
    (slips(&given, nearest) * 3 <= told && told > 0).then_some(nearest.as_str())
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

fn slips(given: &[&str], known: &str) -> usize {
    let known = known.to_lowercase();
    let known: Vec<&str> = parts(&known).collect();
    let is_place = |part: &str| part.starts_with('{');
    let compared = given
        .iter()
        .zip(&known)
        .map(|(given, known)| if is_place(known) { 0 } else { strsim::damerau_levenshtein(given, known) });
    let left = known.iter().skip(given.len()).map(|part| if is_place(part) { PLACE } else { part.len() });
    let over = given.iter().skip(known.len()).map(|part| part.len());
    compared.chain(left).chain(over).sum()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_route_that_was_likely_meant_is_told_and_none_where_none_is_near() {
        let paths = ["/v1/me", "/v1/contacts", "/v1/contacts/{id}", "/v1/messages", "/v1/messages/template"];
        let paths = [&paths[..], &["/v1/conversations/{id}/messages"]].concat();
        let paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
        let id = "0192f0c1-7a00-7000-8000-000000000001";
        for (path, wanted) in [
            ("/v1/me/", Some("/v1/me")),
            ("/v1//me", Some("/v1/me")),
            ("/v1/ME", Some("/v1/me")),
            ("/v1/contact", Some("/v1/contacts")),
            ("/v1/contacts/", Some("/v1/contacts")),
            (&format!("/v1/contact/{id}"), Some("/v1/contacts/{id}")),
            (&format!("/v1/contacts/{id}/"), Some("/v1/contacts/{id}")),
            ("/v1/message/templates", Some("/v1/messages/template")),
            (&format!("/v1/conversation/{id}/message"), Some("/v1/conversations/{id}/messages")),
            ("/v1", None),
            ("/v1/", None),
            ("/v1/nothing", None),
            ("/v1/webhooks", None),
            (&format!("/v1/{}", "me/".repeat(10_000)), None),
        ] {
            assert_eq!(nearest(path, &paths), wanted, "{path}");
        }
    }
}
