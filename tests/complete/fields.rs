//! The fields of a value as data, so that a new one shows without anybody listing it.

use std::fmt::Debug;

/// Lists the fields of a value with their contents, as its `Debug` prints them.
fn printed(value: &impl Debug) -> Vec<(String, String)> {
    let printed = format!("{value:#?}");
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in printed.lines().filter_map(|line| line.strip_prefix("    ")) {
        let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
        match line.split_once(": ").filter(|(name, _)| is_name(name)) {
            Some((name, rest)) => fields.push((name.to_owned(), rest.to_owned())),
            None => fields.last_mut().unwrap().1.push_str(line),
        }
    }
    fields
}

/// Lists the names of a value's fields.
pub(crate) fn fields(value: &impl Debug) -> Vec<String> {
    printed(value).into_iter().map(|(name, _)| name).collect()
}

/// Lists the fields of a sample that came back changed, or that show nothing because the sample has no value
/// there.
pub(crate) fn forgotten(sample: &impl Debug, read: &impl Debug) -> Vec<String> {
    let mut faults = Vec::new();
    for (field, other) in printed(sample).into_iter().zip(printed(read)) {
        if ["None,", "[],", "\"\",", "{},"].contains(&field.1.as_str()) {
            faults.push(format!("the sample has no `{}`", field.0));
        }
        if field != other {
            faults.push(format!("the store forgets `{}`", field.0));
        }
    }
    faults
}

/// Lists what two lists do not have in common, each with the words for it.
pub(crate) fn differences(there: &[String], unlisted: &str, listed: &[&str], unknown: &str) -> Vec<String> {
    let missing = there.iter().filter(|name| !listed.contains(&name.as_str()));
    let gone = listed.iter().filter(|name| !there.iter().any(|there| there == *name));
    let missing = missing.map(|name| format!("`{name}` {unlisted}"));
    missing.chain(gone.map(|name| format!("`{name}` {unknown}"))).collect()
}

#[test]
fn a_value_tells_its_own_fields_and_none_of_what_is_inside_them() {
    #[derive(Debug)]
    #[expect(dead_code, reason = "it is printed")]
    struct Made {
        name: &'static str,
        of_day: Option<Inner>,
        tags: Vec<u8>,
        left: Option<u8>,
    }
    #[derive(Debug)]
    #[expect(dead_code, reason = "it is printed")]
    struct Inner {
        deep: u8,
        none: Option<u8>,
    }
    let made =
        Made { name: "a: b", of_day: Some(Inner { deep: 1, none: None }), tags: Vec::new(), left: None };
    assert_eq!(fields(&made), ["name", "of_day", "tags", "left"]);
    let without = ["the sample has no `tags`", "the sample has no `left`"];
    assert_eq!(forgotten(&made, &made), without);
}

#[test]
fn what_the_store_forgets_is_named_and_so_is_what_a_sample_lacks() {
    #[derive(Debug)]
    #[expect(dead_code, reason = "it is printed")]
    struct Person {
        name: &'static str,
        birthday: Option<(u16, u8)>,
    }
    let born = |birthday| Person { name: "Sara", birthday };
    let (sample, read) = (born(Some((1990, 2))), born(None));
    assert_eq!(forgotten(&sample, &sample), Vec::<String>::new());
    assert_eq!(forgotten(&sample, &read), ["the store forgets `birthday`"]);
    assert_eq!(forgotten(&sample, &born(Some((1990, 3)))), ["the store forgets `birthday`"]);
    assert_eq!(forgotten(&read, &read), ["the sample has no `birthday`"]);
}
