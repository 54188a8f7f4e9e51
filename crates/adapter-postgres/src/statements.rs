//! For tests: every statement of this crate has a test that examines its plan.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const EXCEPTIONS: [(&str, &[&str]); 2] = [
    (
        "reads no table",
        &[
            "notify_channel::NOTIFY",
            "inbound::append::PLACES",
            "inbound::hold::NUMBER",
            "connect::PLAN_BY_VALUES",
            "migrate::TAKE_LOCK",
            "migrate::distribute::DISTRIBUTE",
            "owners::LIVING",
        ],
    ),
    (
        "reads or notes what PostgreSQL or the migrations say of tables",
        &[
            "migrate::APPLIED",
            "migrate::IS_WHOLE",
            "migrate::REMEMBER",
            "migrate::distribute::HAS_EXTENSION",
            "migrate::distribute::IN_CLUSTER",
            "migrate::distribute::LEFT_BEHIND",
            "migrate::distribute::NEXT",
            "migrate::distribute::SHARDS",
            "migrate::distribute::UNKNOWN_FUNCTIONS",
            "statistics::UNKNOWN",
            "vault::values::ABOUT",
            "webhooks::keeper::DAYS",
        ],
    ),
];

const TESTS: [&str; 6] = ["explained", "plans", "seeded", "statements", "testing", "tests"];

/// Modules that build statements from arguments, one that describes statements, and one only for tests.
const WITHOUT: [&str; 4] = ["sql::insert", "sql::update", "traced", "testing::schema"];

const VERBS: [&str; 5] = ["DELETE", "INSERT", "SELECT", "UPDATE", "WITH"];

type Sources = BTreeMap<String, String>;

#[test]
fn every_statement_is_explained_or_excepted_for_a_reason() {
    let exceptions = EXCEPTIONS.iter().flat_map(|(_, statements)| *statements);
    let mut sources = Sources::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut sources);
    assert!(sources.len() > 50, "{:?}", sources.keys());
    let faults = faults(&sources, exceptions.copied());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_statement_that_no_plan_names_is_a_fault_and_so_is_an_exception_that_is_none() {
    let sources = Sources::from(
        [
            (
                "thing",
                "const NAME: &str = \"no statement\";\nconst HERE: &str = \"SELECT 1\";\nconst LEFT: &str =\n    \"
                 SELECT 2\";",
            ),
            (
                "thing::a",
                "pub(super) const LIST: &str = all!(\"\");\npub(super) const ADD: &str = \"\n    INSERT INTO a\";
fn find() { sql(\" UPDATE b\"); }\n#[cfg(test)]\nmod tests {\n const HELP: &str = \"SELECT 4\"; }",
            ),
            ("thing::b", "const LIST: &str = concat!(\"SELECT 5\", rest!());\nconst ADD: &str = \"SELECT 6\";"),
            ("thing::plans", "use super::{HERE, a::{self as first, ADD as MORE}, b};\n fn x() { (b::LIST, MORE, HERE) }"),
            ("other", "const LIST: &str = \"DELETE\";\nconst KNOWN: &str = \"DELETE\";"),
            ("other::plans", "use crate::{\n    other::KNOWN,\n    thing::b,\n};\n#[test]\nfn y() { b::ADD }"),
        ]
        .map(|(module, text)| (module.to_owned(), text.to_owned())),
    );
    assert_eq!(
        faults(&sources, ["other::LIST", "other::KNOWN", "other::GONE"].into_iter()),
        [
            "thing::LEFT is not explained",
            "thing::a::LIST is not explained",
            "thing::a has a statement outside of a constant",
            "other::GONE is excepted for nothing",
            "other::KNOWN is excepted for nothing",
        ]
    );
}

fn faults<'a>(sources: &Sources, exceptions: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_test =
        |module: &str| WITHOUT.contains(&module) || module.split("::").any(|name| TESTS.contains(&name));
    let plans = sources.iter().filter(|(module, _)| module.ends_with("::plans"));
    let explained: BTreeSet<String> = plans.flat_map(|(module, text)| named(module, text)).collect();
    let mut left: BTreeSet<&str> = exceptions.collect();
    let mut faults = Vec::new();
    for (module, text) in sources.iter().filter(|(module, _)| !is_test(module)) {
        let (statements, rest) = statements(text);
        let unexplained = statements.iter().map(|name| format!("{module}::{name}"));
        let unexplained = unexplained.filter(|path| !explained.contains(path) && !left.remove(path.as_str()));
        faults.extend(unexplained.collect::<Vec<_>>().iter().map(|path| format!("{path} is not explained")));
        if rest.split('"').skip(1).any(|text| VERBS.iter().any(|verb| text.trim_start().starts_with(verb))) {
            faults.push(format!("{module} has a statement outside of a constant"));
        }
    }
    faults.extend(left.iter().map(|path| format!("{path} is excepted for nothing")));
    faults
}

/// Returns the names of constants with statements, and the text outside of these, macros, comments and tests.
fn statements(source: &str) -> (Vec<&str>, String) {
    let product = source.split("\nmod tests {").next().unwrap();
    let (mut names, mut rest) = (Vec::new(), String::new());
    let mut lines = product.lines();
    while let Some(line) = lines.next() {
        let constant = line.split_once("const ").and_then(|(_, item)| item.split_once(": &str ="));
        let is_macro = line.starts_with("macro_rules!");
        if constant.is_none() && !is_macro {
            rest.extend([line.split("//").next().unwrap(), "\n"]);
            continue;
        }
        let last = if is_macro { "\n}" } else { ";" };
        let mut item = line.to_owned();
        while !item.ends_with(last) {
            item.extend(["\n", lines.next().unwrap()]);
        }
        if let Some((name, _)) = constant
            && (item.contains("!(") || VERBS.iter().any(|verb| item.contains(verb)))
        {
            names.push(name);
        }
    }
    (names, rest)
}

/// Returns the paths of other modules' items that a test file names.
fn named(module: &str, source: &str) -> BTreeSet<String> {
    let parent = module.rsplit_once("::").unwrap().0;
    let mut known = BTreeMap::new();
    for tree in source.split("\nuse ").skip(1).chain(source.strip_prefix("use ")) {
        for leaf in leaves("", tree.split_once(';').unwrap().0) {
            let (path, name) = leaf.split_once(" as ").unwrap_or((&leaf, leaf.rsplit("::").next().unwrap()));
            let path = path.replace("super::", &format!("{parent}::")).replace("crate::", "");
            known.insert(name.to_owned(), path);
        }
    }
    let words = source.split(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
    let within = words.filter_map(|word| {
        let (name, item) = word.split_once("::")?;
        Some(format!("{}::{item}", known.get(name)?))
    });
    within.chain(known.values().cloned()).collect()
}

fn leaves(prefix: &str, tree: &str) -> Vec<String> {
    let Some((path, branches)) = tree.split_once('{') else {
        let leaf = format!("{prefix}{}", tree.trim());
        return vec![leaf.replace("::self", "")];
    };
    let prefix = format!("{prefix}{}", path.trim());
    let mut depth = 0;
    let branches = branches.rsplit_once('}').unwrap().0.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    branches.filter(|branch| !branch.trim().is_empty()).flat_map(|branch| leaves(&prefix, branch)).collect()
}

fn read(folder: &Path, module: &str, sources: &mut Sources) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let inner = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
        if path.is_dir() {
            read(&path, &inner, sources);
        } else {
            let module = if name == "mod" { module.to_owned() } else { inner };
            sources.insert(module, fs::read_to_string(path).unwrap());
        }
    }
}
