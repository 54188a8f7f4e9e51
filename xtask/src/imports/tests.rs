use std::fs;
use std::path::Path;

use super::Sources;

/// Writes the files of a crate into a folder `src`.
fn write(src: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = src.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn read(files: &[(&str, &str)]) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    let mut told = Vec::new();
    for sources in Sources::read_all(folder.path())? {
        for it in &sources.imports {
            told.push(format!("{}:{} {} {}", sources.files[it.from], it.line, sources.files[it.to], it.name));
        }
    }
    Ok(told)
}

/// Reads a crate in which `a.rs` has this text, beside `b/mod.rs`, which re-exports, and `b/c.rs`, which
/// defines.
fn imports_of(text: &str) -> Vec<String> {
    let files = [
        ("lib.rs", "mod a;\nmod b;\npub use b::Kind;\nuse b::Hidden;\n"),
        ("a.rs", text),
        (
            "b/mod.rs",
            "pub(crate) mod c;\npub(crate) mod d;\nmod place;\nmod outside;\n\
             pub(crate) use c::{Hidden, Kind, Kind as Renamed};\npub use place::place;\npub use outside::*;\n\
             pub(crate) use time::Date;\n",
        ),
        ("b/c.rs", "pub enum Kind { A }\npub struct Hidden;\nmade! { pub Made }\npub fn c() {}\n"),
        ("b/d.rs", "pub(crate) mod wire {\n    pub fn serialize() {}\n    pub use super::super::c::c;\n}\n"),
        ("b/outside.rs", "pub struct Outside;\n"),
        ("b/place.rs", "pub fn place() {}\n"),
    ];
    let mut told = read(&files).unwrap();
    told.retain(|line| line.starts_with("a.rs:"));
    told
}

#[test]
fn imports_are_followed_to_the_file_that_defines_the_name() {
    for (text, told) in [
        ("use crate::Kind;", "a.rs:1 b/c.rs Kind"),
        ("use crate::b::Kind;", "a.rs:1 b/c.rs Kind"),
        ("use super::b::Renamed;", "a.rs:1 b/c.rs Kind"),
        ("use super::Hidden;", "a.rs:1 b/c.rs Hidden"),
        ("use crate::b::c::{Kind, Kind as Other};", "a.rs:1 b/c.rs Kind"),
        ("use crate::b::Kind::*;", "a.rs:1 b/c.rs Kind"),
        ("use crate::b::c::Made;", "a.rs:1 b/c.rs Made"),
        ("use crate::b::Outside;", "a.rs:1 b/outside.rs Outside"),
        ("use crate::b::place;", "a.rs:1 b/place.rs place"),
        ("use crate::b::nothing;", "a.rs:1 b/mod.rs nothing"),
        ("\nfn f() -> crate::b::Kind { self::f() }", "a.rs:2 b/c.rs Kind"),
        ("fn f() {\n    use crate::b::Kind;\n}", "a.rs:2 b/c.rs Kind"),
        ("mod e {\n    use super::super::b::Kind;\n}", "a.rs:2 b/c.rs Kind"),
        ("mod e {\n    use super::*;\n    fn f(_: Kind) {}\n}\nuse crate::b::*;", "a.rs:3 b/c.rs Kind"),
        ("fn f() { <u8 as crate::b::c::Kind>::f() }", "a.rs:1 b/c.rs Kind"),
    ] {
        assert_eq!(imports_of(text), [told], "{text}");
    }
}

#[test]
fn modules_and_re_exports_are_doors() {
    for (text, told) in [
        ("use crate::b;", vec![]),
        ("use crate::b::c;\nuse b::d;", vec![]),
        ("use crate::b::c::{self};\nfn f() { c::c(); c::c(); }", vec!["a.rs:2 b/c.rs c"]),
        ("use crate::b;\nfn f() { b::d::wire::c() }", vec!["a.rs:2 b/c.rs c"]),
        ("pub use crate::b::Kind;", vec![]),
        ("pub(crate) use crate::b::Kind;\nfn f(_: Kind) {}", vec!["a.rs:2 b/c.rs Kind"]),
        ("pub(crate) use crate::b::Kind;\nfn f() { Kind::of() }", vec!["a.rs:2 b/c.rs Kind"]),
        ("use crate::b::*;\nfn f() { let e = 1; e + 1 }", vec![]),
        ("use time::Date;\nuse crate::b::Date as Other;\nuse ::b::Kind;", vec![]),
    ] {
        assert_eq!(imports_of(text), told, "{text}");
    }
}

#[test]
fn macros_and_attributes_are_read() {
    for (text, told) in [
        ("fn f() { assert!(x.is(crate::b::Kind::A)) }", "a.rs:1 b/c.rs Kind"),
        ("use crate::b;\nfn f() { vec![b::place(), $b::Kind] }", "a.rs:2 b/place.rs place"),
        ("macro_rules! m {\n    () => { $crate::b::Kind::A };\n}", "a.rs:2 b/c.rs Kind"),
        ("macro_rules! m {\n    () => { fn f() { $crate::b::Kind::A } };\n}", "a.rs:2 b/c.rs Kind"),
        ("made! { fn f() { crate::b::Kind::A } }", "a.rs:1 b/c.rs Kind"),
        ("impl S {\n    made! { fn f() { crate::b::Kind::A } }\n}", "a.rs:2 b/c.rs Kind"),
        ("#[serde(with = \"crate::b::d::wire\")]\nstruct S;", ""),
        ("#[serde(with = \"crate::b::d::wire::serialize\")]\nstruct S;", "a.rs:1 b/d.rs serialize"),
        ("struct S {\n    #[serde(default = \"crate::b::place\")]\n    a: u8,\n}", "a.rs:2 b/place.rs place"),
        ("#[diesel(table_name = crate::b::c::made)]\nstruct S;", "a.rs:1 b/c.rs made"),
        ("/// [`crate::b::Kind`], not crate::b::Kind.\nstruct S;", ""),
    ] {
        assert_eq!(imports_of(text).concat(), told, "{text}");
    }
}

#[test]
fn a_macro_is_called_below_the_module_that_defines_it() {
    let files = [
        ("lib.rs", "macro_rules! say { () => {} }\nmod a;\n"),
        ("a.rs", "fn f() {\n    say!();\n    format!();\n    told!();\n}\nmacro_rules! told { () => {} }"),
    ];
    assert_eq!(read(&files).unwrap(), ["a.rs:2 lib.rs say"]);
}

#[test]
fn what_is_for_tests_alone_is_left_out() {
    for condition in [
        "test",
        "feature = \"mocks\"",
        "any(test, feature = \"testing\")",
        "all(unix, test)",
        "not(not(test))",
    ] {
        for item in [
            "use crate::b::Kind;",
            "mod tests { use crate::b::Kind; }",
            "mod gone;",
            "struct S(crate::b::Kind);",
            "fn f() -> crate::b::Kind {}",
        ] {
            let text = format!("#[cfg({condition})]\n{item}");
            assert_eq!(imports_of(&text), Vec::<String>::new(), "{text}");
        }
        for (before, inner, after) in [
            ("struct S {", "a: crate::b::Kind,", "}"),
            ("enum E {", "A(crate::b::Kind),", "}"),
            ("impl S {", "fn f() -> crate::b::Kind {}", "}"),
            ("trait T {", "fn f() -> crate::b::Kind;", "}"),
            ("fn f() {", "let a = crate::b::Kind::A;", "}"),
            ("fn f() {", "if true { crate::b::place() }", "}"),
            ("fn f() {", "crate::b::place();", "}"),
            ("fn f() {", "assert!(crate::b::place());", "}"),
            ("fn f() { S {", "a: crate::b::Kind::A,", "} }"),
            ("fn f() { match a {", "crate::b::Kind::A => 1,", "_ => 2 } }"),
        ] {
            let text = format!("{before} #[cfg({condition})] {inner} {after}");
            assert_eq!(imports_of(&text), Vec::<String>::new(), "{text}");
        }
    }
    for condition in
        ["not(test)", "any(test, feature = \"sandbox\")", "feature = \"sandbox\"", "any(unix, windows)"]
    {
        let text = format!("#[cfg({condition})]\nuse crate::b::Kind;");
        assert_eq!(imports_of(&text), ["a.rs:2 b/c.rs Kind"], "{text}");
    }
}

#[test]
fn a_circle_of_re_exports_ends() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nuse a::Lost;\n"),
        ("a.rs", "pub use crate::b::Lost;\npub use crate::b::*;\n"),
        ("b.rs", "pub use crate::a::Lost;\npub use crate::a::*;\n"),
    ];
    assert_eq!(read(&files).unwrap(), Vec::<String>::new());
}

#[test]
fn a_library_and_a_program_are_read_each_for_itself() {
    let files = [
        ("lib.rs", "mod a;\nuse a::A;\n"),
        ("a.rs", "pub struct A;"),
        ("main.rs", "mod b;\nfn main() { b::run() }"),
        ("b.rs", "pub fn run() {}"),
    ];
    assert_eq!(read(&files).unwrap(), ["lib.rs:2 a.rs A", "main.rs:2 b.rs run"]);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    for (files, fault) in [
        (vec![("a.rs", "")], "has neither lib.rs nor main.rs"),
        (vec![("lib.rs", "mod a;")], "there is no file of the module a"),
        (vec![("lib.rs", "mod a;"), ("a/mod.rs", "mod b;")], "there is no file of the module a/b"),
        (
            vec![("lib.rs", "#[path = \"b.rs\"]\nmod a;")],
            "the module a has its file elsewhere (#[path]), which is not followed",
        ),
        (vec![("lib.rs", "struct;")], "lib.rs"),
    ] {
        let told = read(&files).unwrap_err().to_string();
        assert!(told.ends_with(fault), "{told}");
    }
}
