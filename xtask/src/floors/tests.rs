use std::fs;

use super::faults;

/// Writes a crate `crates/shop`, each file given as `path: text`, and lists its faults.
fn faults_in(files: &[&str]) -> Vec<String> {
    let checkout = tempfile::tempdir().unwrap();
    for file in files {
        let (path, text) = file.split_once(": ").unwrap();
        let path = checkout.path().join("crates/shop").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    faults(checkout.path(), &["crates/shop".to_owned()]).unwrap()
}

const SHOP: [&str; 6] = [
    "floors.txt: # Ground first.\nmoney\n\ngoods people # nouns\norders\n",
    "src/lib.rs: pub mod goods; mod money; mod orders; mod people; fn f() { orders::order() }",
    "src/goods/mod.rs: mod good; pub use good::Good;",
    "src/goods/good.rs: use crate::money::Money;\npub struct Good(Money);",
    "src/people/mod.rs: pub struct Person;",
    "src/orders.rs: use crate::{goods::Good, people::Person};\npub fn order(_: Good, _: Person) {}",
];
const MONEY: &str = "src/money.rs: pub struct Money;";

/// Lists the faults of the shop with one file written otherwise.
fn faults_if(file: &str) -> Vec<String> {
    let (path, _) = file.split_once(": ").unwrap();
    let mut files: Vec<_> = SHOP.into_iter().chain([MONEY]).filter(|it| !it.starts_with(path)).collect();
    files.push(file);
    faults_in(&files)
}

#[test]
fn imports_that_run_down_are_no_fault() {
    assert_eq!(faults_if(MONEY), Vec::<String>::new());
}

#[test]
fn imports_that_do_not_run_down_are_named() {
    for (file, told) in [
        (
            "src/people/mod.rs: pub struct Person;\nfn f() { crate::orders::order() }",
            "crates/shop/src/people/mod.rs:2: imports `order` of orders.rs, which is above: \
             `people` stands on line 4 of floors.txt, `orders` on 5",
        ),
        (
            "src/people/mod.rs: pub struct Person(crate::goods::Good);",
            "crates/shop/src/people/mod.rs:1: imports `Good` of goods/good.rs, which is beside: \
             `people` and `goods` stand on line 4 of floors.txt",
        ),
        (
            "src/people/mod.rs: pub struct Person;\n\nuse crate::f;",
            "crates/shop/src/people/mod.rs:3: imports `f` of lib.rs, which is the root, and imported by nobody",
        ),
    ] {
        assert!(faults_if(file).contains(&told.to_owned()), "{:?}", faults_if(file));
    }
}

#[test]
fn a_table_that_differs_from_the_tree_is_a_fault() {
    let words = |table: &str| faults_if(&format!("floors.txt: {table}"));
    assert_eq!(words("money\ngoods people\n"), ["crates/shop/floors.txt: `orders` stands on no line"]);
    assert_eq!(
        words("money\ngoods people gone\norders"),
        ["crates/shop/floors.txt:2: there is no `gone` in src"]
    );
    assert_eq!(
        words("money\ngoods people money\norders"),
        ["crates/shop/floors.txt:2: has `money` once more"]
    );
    assert_eq!(
        words("money goods people orders lib"),
        [
            "crates/shop/floors.txt:1: there is no `lib` in src",
            "crates/shop/src/goods/good.rs:1: imports `Money` of money.rs, which is beside: \
             `goods` and `money` stand on line 1 of floors.txt",
            "crates/shop/src/orders.rs:1: imports `Good` of goods/good.rs, which is beside: \
             `orders` and `goods` stand on line 1 of floors.txt",
            "crates/shop/src/orders.rs:1: imports `Person` of people/mod.rs, which is beside: \
             `orders` and `people` stand on line 1 of floors.txt",
        ]
    );
}

/// Files that import each other in a circle.
fn ring(names: &[&str]) -> Vec<String> {
    let next = names.iter().cycle().skip(1);
    let files = names.iter().zip(next).map(|(name, next)| {
        format!("src/{name}.rs: use crate::{}::f as g;\npub fn f() {{}}", next.replace("/mod", ""))
    });
    let modules: Vec<_> = names.iter().map(|name| format!("mod {};", name.replace("/mod", ""))).collect();
    files.chain([format!("src/lib.rs: {}", modules.concat())]).collect()
}

fn faults_of_ring(names: &[&str]) -> Vec<String> {
    let files = ring(names);
    let files: Vec<_> = files.iter().map(String::as_str).collect();
    faults_in(&files)
}

#[test]
fn a_circle_of_files_is_a_fault_if_it_is_larger_than_three() {
    assert_eq!(faults_of_ring(&["a", "b", "c"]), Vec::<String>::new());
    assert_eq!(
        faults_of_ring(&["a", "b", "c", "d"]),
        ["crates/shop: 4 files import each other in a circle: a.rs, b.rs, c.rs, d.rs\
          \n    a.rs:1 `f` of b.rs\n    b.rs:1 `f` of c.rs\n    c.rs:1 `f` of d.rs\n    d.rs:1 `f` of a.rs"]
    );
}

#[test]
fn a_circle_with_a_folder_is_a_fault() {
    assert_eq!(
        faults_of_ring(&["a/mod", "b"]),
        ["crates/shop: 2 folders import each other in a circle: a, b\
          \n    a/mod.rs:1 `f` of b.rs\n    b.rs:1 `f` of a/mod.rs"]
    );
}
