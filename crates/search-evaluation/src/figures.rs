//! What a question's answers are worth.

use std::convert::Infallible;

use domain::catalogue::{
    Product,
    search::{Match, Synonyms, find},
};

use crate::{baseline, judgement::Question, shop::Shop};

/// A question, with what was found.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) question: Question,
    /// Ids, the best first.
    pub(crate) found: Vec<String>,
    /// The whole catalogue as trigrams alone order it.
    pub(crate) by_trigrams: Vec<String>,
    /// Whether each of what was found is labelled strong.
    pub(crate) strong: Vec<bool>,
}

/// Asks the shop as the service does.
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
    /// Of what was asked for, how much is among the first 20. Of more than 20 all places count.
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

    /// The gain of the first five, discounted by place, of what the best order would gain.
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

    /// Whether nothing is labelled as what was asked for.
    pub(crate) fn is_all_weak(&self) -> bool {
        !self.strong.contains(&true)
    }

    /// Whether something that was asked for is labelled as such.
    pub(crate) fn is_labelled_strong(&self) -> bool {
        self.found
            .iter()
            .zip(&self.strong)
            .any(|(id, strong)| *strong && self.question.grades.contains_key(id))
    }
}

/// `part` of `whole`; all of nothing.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    if whole == 0 { 1.0 } else { count(part) / count(whole) }
}

/// The mean of a figure over some outcomes.
pub(crate) fn mean<'a>(outcomes: impl Iterator<Item = &'a Outcome>, figure: impl Fn(&Outcome) -> f64) -> f64 {
    let all: Vec<f64> = outcomes.map(figure).collect();
    let count = f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    if all.is_empty() { 1.0 } else { all.iter().sum::<f64>() / count }
}
