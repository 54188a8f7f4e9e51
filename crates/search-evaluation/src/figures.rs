//! Figures of a question's answers.

use std::convert::Infallible;

use domain::{
    catalogue::search::{Match, Synonyms, find},
    systems::Product,
};

use crate::{baseline, judgement::Question, shop::Shop};

/// A question with its results.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) question: Question,
    /// Ids of the results, best first.
    pub(crate) found: Vec<String>,
    /// Whole catalogue in the order of trigrams alone.
    pub(crate) by_trigrams: Vec<String>,
    /// Whether each result is labelled strong.
    pub(crate) strong: Vec<bool>,
}

/// Searches the shop as the service does.
pub(crate) fn ask(question: Question, shop: &Shop, synonyms: &Synonyms) -> Outcome {
    let search = |q: String| async move { Ok::<_, Infallible>(shop.search(&q)) };
    let found = match pollster::block_on(find(&question.asked, synonyms, search)) {
        Ok(found) => found,
        Err(never) => match never {},
    };
    let id = |product: &Product| product.listing.id.as_str().to_owned();
    let mut products: Vec<&Product> = shop.products().collect();
    baseline::order(&question.asked, &mut products);
    Outcome {
        strong: found.iter().map(|it| it.matched == Match::Strong).collect(),
        found: found.iter().map(|it| id(&it.product)).collect(),
        by_trigrams: products.into_iter().take(5).map(id).collect(),
        question,
    }
}

impl Outcome {
    /// Returns how much of what was asked for (grade 2) is among the first 20 results; of more than 20
    /// products, 20 count as all.
    pub(crate) fn recall(&self) -> f64 {
        let wanted = |id: &&String| self.question.grades.get(*id).is_some_and(|grade| *grade > 1.0);
        let all = self.question.grades.values().filter(|grade| **grade > 1.0).count().min(20);
        ratio(self.found.iter().take(20).filter(wanted).count(), all)
    }

    pub(crate) fn ndcg(&self) -> f64 {
        self.gain(&self.found)
    }

    pub(crate) fn ndcg_of_trigrams(&self) -> f64 {
        self.gain(&self.by_trigrams)
    }

    /// Returns the gain of the first five, discounted by place, relative to the best order's.
    fn gain(&self, order: &[String]) -> f64 {
        let gain = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
            let discounts = (2_u32..7).map(|place| f64::from(place).log2());
            grades.zip(discounts).map(|(grade, discount)| (grade.exp2() - 1.0) / discount).sum()
        };
        let mut best: Vec<f64> = self.question.grades.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let got = order.iter().map(|id| self.question.grades.get(id).copied().unwrap_or_default());
        gain(&mut got.into_iter()) / gain(&mut best.into_iter()).max(f64::MIN_POSITIVE)
    }

    /// Returns whether nothing is labelled strong.
    pub(crate) fn is_all_weak(&self) -> bool {
        !self.strong.contains(&true)
    }

    /// Returns whether a product that was asked for is labelled strong.
    pub(crate) fn is_labelled_strong(&self) -> bool {
        self.found
            .iter()
            .zip(&self.strong)
            .any(|(id, strong)| *strong && self.question.grades.contains_key(id))
    }
}

/// Returns `part` divided by `whole`; 1 if `whole` is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    if whole == 0 { 1.0 } else { count(part) / count(whole) }
}

/// Returns the mean of a figure over some outcomes.
pub(crate) fn mean<'a>(outcomes: impl Iterator<Item = &'a Outcome>, figure: impl Fn(&Outcome) -> f64) -> f64 {
    let all: Vec<f64> = outcomes.map(figure).collect();
    let count = f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    if all.is_empty() { 1.0 } else { all.iter().sum::<f64>() / count }
}
