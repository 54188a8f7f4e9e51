//! Relevance judgements of questions, as the file states them.
//!
//! A line is a kind, the question, and what is relevant, between tabs. What is relevant comes in grades
//! between `~`, the best first, and a grade in alternatives between `|`. An alternative is words that a title
//! and its variants' titles contain letter for letter: `_` stands for a space, and `^` for the beginning of
//! the title. A question for what the shop does not have has none.

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use domain::systems::Product;

use crate::shop::Shop;

/// A question with the grades of the products that answer it: 2 for what was asked for, 1 for what comes
/// close.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) kind: String,
    pub(crate) asked: String,
    /// Grades by product id; empty for what the shop does not have.
    pub(crate) grades: BTreeMap<String, f64>,
}

impl Question {
    pub(crate) fn read(file: &str, shop: &Shop) -> anyhow::Result<Vec<Self>> {
        let lines = file.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| Self::of(line, shop).with_context(|| line.to_owned())).collect()
    }

    fn of(line: &str, shop: &Shop) -> anyhow::Result<Self> {
        let fields: Vec<_> = line.split('\t').collect();
        let [kind, asked, relevant] = fields[..] else { bail!("not three fields") };
        let mut grades = BTreeMap::new();
        for (rules, grade) in
            relevant.split('~').zip([2.0, 1.0]).filter(|(rules, _)| !rules.trim().is_empty())
        {
            for rule in rules.split('|') {
                let before = grades.len();
                for product in shop.products().filter(|product| meets(product, rule)) {
                    grades.entry(product.listing.id.as_str().to_owned()).or_insert(grade);
                }
                ensure!(grade < 2.0 || grades.len() > before, "no product for {rule:?}");
            }
        }
        ensure!(grades.is_empty() == (kind == "absent"), "relevant products are missing, or there are some");
        Ok(Self { kind: kind.to_owned(), asked: asked.to_owned(), grades })
    }

    /// Returns whether the shop has what is asked for.
    pub(crate) fn is_present(&self) -> bool {
        !self.grades.is_empty()
    }
}

fn meets(product: &Product, rule: &str) -> bool {
    let title = product.listing.title.as_str();
    let mut all = title.to_owned();
    for variant in &product.variants {
        all.push('\n');
        all.push_str(variant.listing.title.as_str());
    }
    rule.split_whitespace().all(|word| {
        let word = word.replace('_', " ");
        word.strip_prefix('^').map_or_else(|| all.contains(&word), |start| title.starts_with(start))
    })
}
