//! How look-ups use their ports.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;

use super::{BrowseCatalogue, MOST_FOUND};
use crate::{
    catalogue::{
        ManageSynonyms, OwnSynonyms,
        ports::MockSynonymStore,
        search::{Match, Synonyms},
    },
    systems::{
        CallError, Capability, SystemError,
        call::fixtures::{answered, calling, product, workspace},
        ports::MockCustomSystem,
    },
    testing::some_deps,
    text::PlainText,
};

fn browse(capability: Capability, system: MockCustomSystem, own: &[&[&str]]) -> BrowseCatalogue {
    let typed = |group: &&[&str]| group.iter().map(|word| (*word).to_owned()).collect();
    let own = OwnSynonyms::read(&own.iter().map(typed).collect::<Vec<_>>()).unwrap();
    let mut store = MockSynonymStore::new();
    store.expect_synonyms().returning(move |_| Ok(own.clone()));
    let synonyms = ManageSynonyms { store: Arc::new(store), shipped: Synonyms::shipped(), deps: some_deps() };
    BrowseCatalogue { systems: calling([capability], system), synonyms: Arc::new(synonyms) }
}

fn asked(words: &str) -> PlainText {
    PlainText::read(words, 200).unwrap()
}

/// Makes a shop that finds its one product only by questions that contain `finds`, and the list of its
/// questions.
fn shop(finds: &'static str, title: &'static str) -> (MockCustomSystem, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (mut system, kept) = (MockCustomSystem::new(), asked.clone());
    system.expect_search_products().returning(move |_, query| {
        kept.lock().unwrap().push(query.words.as_str().to_owned());
        answered(if query.words.as_str().contains(finds) { vec![product("p1", title)] } else { vec![] })
    });
    (system, asked)
}

#[test]
fn a_shop_that_finds_little_is_asked_in_other_ways_and_the_owners_words_count() {
    let (system, asked_shop) = shop("مبرد", "مبرد ماء");
    let without = browse(Capability::Catalog, system, &[]).search(workspace(), &asked("زمهرير")).block_on();
    assert!(without.unwrap().products.is_empty());
    assert!(asked_shop.lock().unwrap().len() > 1, "it was asked in other ways, too");

    let (system, _) = shop("مبرد", "مبرد ماء");
    let own: &[&[&str]] = &[&["زمهرير", "مبرد"]];
    let found = browse(Capability::Catalog, system, own).search(workspace(), &asked("زمهرير")).block_on();
    let found = found.unwrap();
    assert_eq!(found.products.first().map(|it| it.matched), Some(Match::Strong));
    assert_eq!(found.currency.as_str(), "IQD");
}

#[test]
fn no_more_products_are_answered_than_anybody_reads() {
    let mut system = MockCustomSystem::new();
    system.expect_search_products().returning(|_, query| {
        assert_eq!(query.limit, 50);
        answered((0..50).map(|n| product(&format!("p{n}"), "حليب")).collect())
    });
    let found = browse(Capability::Catalog, system, &[]).search(workspace(), &asked("حليب")).block_on();
    assert_eq!(found.unwrap().products.len(), MOST_FOUND);
}

#[test]
fn a_system_without_a_catalogue_is_asked_for_no_product() {
    let browse = browse(Capability::Orders, MockCustomSystem::new(), &[]);
    let search = browse.search(workspace(), &asked("حليب")).block_on().unwrap_err();
    let product = browse.product(workspace(), "p1").block_on().unwrap_err();
    for refused in [search, product] {
        assert!(matches!(refused, SystemError::NotDeclared(Capability::Catalog)), "{refused}");
    }
}

#[test]
fn an_id_that_no_shop_can_have_is_not_found_without_asking() {
    let browse = browse(Capability::Catalog, MockCustomSystem::new(), &[]);
    for id in ["", " ", "a\nb"] {
        let refused = browse.product(workspace(), id).block_on().unwrap_err();
        assert!(matches!(refused, SystemError::Call(CallError::NotFound { .. })), "{id:?}: {refused}");
    }
}
