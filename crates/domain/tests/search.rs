//! The search for products, held to questions by somebody who had not seen it: asked of a shop that compares
//! titles byte by byte, and of one that folds them.

use std::{cell::Cell, collections::BTreeMap, convert::Infallible};

use data_encoding::HEXLOWER;
use domain::{
    catalogue::search::{Found, MAX_VARIANTS_ASKED, Match, Synonyms, find},
    external_id::ExternalId,
    money::Money,
    systems::{Availability, Listing, MAX_SEARCH_LIMIT, Product, Variant},
    text::{PlainText, fold_for_search},
};
use sha2::{Digest, Sha256};

const SHOP: &str = include_str!("../../../tests/corpora/search/products.tsv");
const OPEN: &str = include_str!("../../../tests/corpora/search/questions.tsv");
const LOCKED: &str = include_str!("../../../tests/corpora/search/locked/questions.tsv");
const LOCKED_CHECKSUM: &str = "a156f2d9d0dcf5128e415d24325fcedfbda75f6d8f6192152dc5cfb9f4c8a819";

/// Goals: of all questions that want a product, and of each kind of them.
const RECALL: f64 = 0.92;
const NDCG: f64 = 0.90;
const OF_A_KIND: f64 = 0.80;
/// Results that recall is measured in, and those that the order is.
const RECALLED: usize = 20;
const ORDERED: usize = 5;

/// A shop's own search: whether it shows a title for a question.
type Shows = fn(&str, &str) -> bool;

const SHOPS: [(&str, Shows); 2] = [
    ("byte by byte", |title, asked| title.contains(asked)),
    ("folding", |title, asked| fold_for_search(title).contains(&fold_for_search(asked))),
];

#[test]
fn strangers_questions_find_what_they_want_first() {
    for (set, questions) in [("open", OPEN), ("locked", LOCKED)] {
        for (shop, shows) in SHOPS {
            let figures = Figures::of(questions, shows);
            let [recall, ndcg] = figures.mean();
            assert!(recall >= RECALL && ndcg >= NDCG, "{set}, {shop}: {recall:.3}, {ndcg:.3}");
            for (kind, [recall, ndcg]) in figures.by_kind() {
                assert!(
                    recall >= OF_A_KIND && ndcg >= OF_A_KIND,
                    "{set}, {shop}, {kind}: {recall:.3}, {ndcg:.3}"
                );
            }
        }
    }
}

#[test]
fn a_question_that_wants_no_product_has_no_strong_match() {
    for (_, shows) in SHOPS {
        let strong: Vec<&str> = wanting_nothing(OPEN).filter(|asked| is_strong(asked, shows)).collect();
        assert!(strong.is_empty(), "{strong:#?}");
        // A count alone: nobody who mends the search shall know these.
        assert_eq!(wanting_nothing(LOCKED).filter(|asked| is_strong(asked, shows)).count(), 0, "locked");
    }
}

#[test]
fn the_locked_third_of_the_questions_is_as_it_was_written() {
    assert_eq!(HEXLOWER.encode(&Sha256::digest(LOCKED)), LOCKED_CHECKSUM);
}

/// Recall and nDCG of questions, by kind.
struct Figures(BTreeMap<&'static str, Vec<[f64; 2]>>);

impl Figures {
    fn of(questions: &'static str, shows: Shows) -> Self {
        let mut figures: BTreeMap<&str, Vec<[f64; 2]>> = BTreeMap::new();
        for (asked, wanted, kind) in rows(questions).filter(|(_, wanted, _)| !wanted.is_empty()) {
            let wanted: Vec<&str> = wanted.split(',').collect();
            let found = search(asked, shows);
            let hits: Vec<bool> =
                found.iter().map(|it| wanted.contains(&it.product.listing.id.as_str())).collect();
            figures.entry(kind).or_default().push([recall(&hits, wanted.len()), ndcg(&hits, wanted.len())]);
        }
        Self(figures)
    }

    fn mean(&self) -> [f64; 2] {
        mean(self.0.values().flatten())
    }

    fn by_kind(&self) -> impl Iterator<Item = (&str, [f64; 2])> {
        self.0.iter().map(|(kind, figures)| (*kind, mean(figures.iter())))
    }
}

fn mean<'a>(figures: impl Iterator<Item = &'a [f64; 2]> + Clone) -> [f64; 2] {
    let count = float(figures.clone().count());
    let [recall, ndcg] = figures.fold([0.0, 0.0], |[a, b], [recall, ndcg]| [a + recall, b + ndcg]);
    [recall / count, ndcg / count]
}

fn recall(hits: &[bool], wanted: usize) -> f64 {
    float(hits.iter().take(RECALLED).filter(|hit| **hit).count()) / float(wanted)
}

fn ndcg(hits: &[bool], wanted: usize) -> f64 {
    let gain = |hits: &mut dyn Iterator<Item = bool>| -> f64 {
        hits.take(ORDERED).zip(2_u32..).map(|(hit, place)| f64::from(hit) / f64::from(place).log2()).sum()
    };
    gain(&mut hits.iter().copied()) / gain(&mut std::iter::repeat_n(true, wanted))
}

#[expect(clippy::unwrap_used, reason = "test support")]
fn float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn wanting_nothing(questions: &'static str) -> impl Iterator<Item = &'static str> {
    rows(questions).filter(|(_, wanted, _)| wanted.is_empty()).map(|(asked, ..)| asked)
}

fn is_strong(asked: &str, shows: Shows) -> bool {
    search(asked, shows).iter().any(|it| it.matched == Match::Strong)
}

/// Searches as the service does, with no more requests than it may make.
fn search(asked: &str, shows: Shows) -> Vec<Found> {
    let (shop, requests) = (products(), Cell::new(0));
    let ask = |q: String| {
        requests.set(requests.get() + 1);
        let matching = shop.iter().filter(|it| shows(it.listing.title.as_str(), &q));
        let answer: Vec<Product> = matching.take(usize::from(MAX_SEARCH_LIMIT)).cloned().collect();
        async move { Ok::<_, Infallible>(answer) }
    };
    let found = match pollster::block_on(find(asked, &Synonyms::shipped(), ask)) {
        Ok(found) => found,
        Err(never) => match never {},
    };
    assert!(requests.get() <= 1 + MAX_VARIANTS_ASKED, "{asked}");
    found
}

/// Lists the questions of a set, the ids that each wants, and its kind.
#[expect(clippy::panic, reason = "test support")]
fn rows(questions: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    questions.lines().skip(1).map(|row| match row.split('\t').collect::<Vec<_>>()[..] {
        [asked, wanted, kind] => (asked, wanted, kind),
        _ => panic!("{row}"),
    })
}

#[expect(clippy::panic, clippy::unwrap_used, reason = "test support")]
fn products() -> Vec<Product> {
    let text = |written: &str| PlainText::read(written, 200).unwrap();
    let product = |row: &str| {
        let [id, title, category, price, _, options, _] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let listing = |id: &str, title: &str| Listing {
            id: ExternalId::of_text(id).unwrap(),
            title: text(title),
            price: Money::of_number(price).unwrap(),
            availability: Availability::In,
        };
        let mut product = Product::of(listing(id, title));
        product.categories = vec![text(category)];
        let options = options.split(',').filter(|option| !option.is_empty());
        product.variants = options
            .enumerate()
            .map(|(at, option)| Variant {
                listing: listing(&format!("{id}-{at}"), option),
                options: vec![(text("النوع"), text(option))],
            })
            .collect();
        product
    };
    SHOP.lines().skip(1).map(product).collect()
}
