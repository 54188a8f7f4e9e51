//! Options that a product can be had in, such as sizes and colours.

use crate::{
    assistant::speech::{
        evidence::{Chosen, is_nameless},
        phrase::Phrase,
    },
    systems::{Availability, Variant},
    text::fold_for_search,
};

/// Names of options that each voice has its own word for, and the phrase with that word.
const KNOWN: &[(Phrase, &[&str])] = &[
    (
        Phrase::QuoteSizes,
        &[
            "size",
            "sizes",
            "مقاس",
            "المقاس",
            "المقاسات",
            "قياس",
            "القياس",
            "القياسات",
            "سايز",
            "سایز",
            "سایزەکان",
            "قەبارە",
            "قەبارەکان",
            "ئەندازە",
            "beden",
            "نمرة",
        ],
    ),
    (Phrase::QuoteVolumes, &["volume", "حجم", "الحجم", "الأحجام"]),
    (
        Phrase::QuoteColours,
        &[
            "color",
            "colour",
            "colors",
            "colours",
            "لون",
            "اللون",
            "الألوان",
            "ڕەنگ",
            "رەنگ",
            "ڕەنگەکان",
            "رەنگەکان",
            "renk",
        ],
    ),
    (Phrase::QuoteCapacities, &["capacity", "storage", "سعة", "السعة", "السعات", "میمۆری"]),
];

/// Options of the variants that can be had, or of the chosen one.
pub(super) struct Options<'a> {
    /// Names, sizes last.
    names: Vec<&'a str>,
    /// Values of each variant by these names; `None` where it has none.
    variants: Vec<Vec<Option<&'a str>>>,
}

impl<'a> Options<'a> {
    pub(super) fn of(chosen: Chosen<'a>) -> Self {
        let is_there = |variant: &&Variant| {
            chosen.variant.is_some() || variant.listing.availability != Availability::Out
        };
        let variants: Vec<_> = chosen.variants().into_iter().filter(is_there).collect();
        let mut names: Vec<&str> = Vec::new();
        let told = variants.iter().flat_map(|variant| &variant.options);
        for (name, _) in told.filter(|(_, value)| !is_nameless(value.as_str())) {
            if !names.contains(&name.as_str()) {
                names.push(name.as_str());
            }
        }
        names.sort_by_key(|name| is_size(name));
        let value = |variant: &'a Variant, wanted: &str| {
            let found = variant.options.iter().find(|(name, _)| name.as_str() == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let values = |variant: &'a Variant| names.iter().map(|name| value(variant, name)).collect::<Vec<_>>();
        let variants = distinct(variants.into_iter().map(values));
        Self { names, variants }
    }

    /// Lists each option with its values.
    pub(super) fn each(&self) -> Vec<(&'a str, Vec<&'a str>)> {
        let values =
            |at: usize| distinct(self.variants.iter().filter_map(|values| values.get(at).copied().flatten()));
        self.names.iter().enumerate().map(|(at, name)| (*name, values(at))).collect()
    }

    /// Returns whether there is a variant for each choice among the values.
    pub(super) fn are_free(&self) -> bool {
        let choices = self.each().iter().try_fold(1_usize, |all, (_, values)| all.checked_mul(values.len()));
        choices == Some(self.variants.len()) || self.names.len() < 2
    }

    /// Lists the last options by the values of those before: the sizes of each colour.
    pub(super) fn together(&self) -> Vec<(String, Vec<&'a str>)> {
        let mut all: Vec<(String, Vec<&str>)> = Vec::new();
        for values in &self.variants {
            let mut known: Vec<_> = values.iter().copied().flatten().collect();
            let last = known.pop().unwrap_or_default();
            let first = known.join(" / ");
            match all.iter_mut().find(|(of, _)| *of == first) {
                Some((_, values)) => values.push(last),
                None => all.push((first, vec![last])),
            }
        }
        all
    }
}

impl Chosen<'_> {
    /// Returns the product as a whole in place of a variant that is sold out: what else there is can be
    /// chosen.
    pub(super) fn or_others(self) -> Self {
        let is_out = self.variant.is_some() && self.availability() == Availability::Out;
        if is_out { Self { variant: None, ..self } } else { self }
    }

    /// Returns the variant that a text names by a value of its options, if all that it names are sold out.
    pub(super) fn sold_out_in(self, text: &str) -> Option<Self> {
        let words = |text: &str| {
            let folded = fold_for_search(text);
            let words: Vec<_> =
                folded.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
            format!(" {} ", words.join(" "))
        };
        let said = words(text);
        let is_said = |value: &str| {
            Some(words(value)).filter(|it| it.trim() != "").is_some_and(|it| said.contains(&it))
        };
        let is_named = |variant: &&Variant| variant.options.iter().any(|(_, value)| is_said(value.as_str()));
        let named: Vec<_> = self.product.variants.iter().filter(is_named).collect();
        let is_out = |variant: &&Variant| variant.listing.availability == Availability::Out;
        let variant = named.first().filter(|_| self.variant.is_none() && named.iter().all(is_out));
        Some(Self { variant: Some(variant?), ..self })
    }
}

fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// Returns the phrase with the voice's own word for an option, if there is one.
pub(super) fn known(name: &str) -> Option<Phrase> {
    let name = fold_for_search(name);
    let is_named = |names: &[&str]| names.iter().any(|known| fold_for_search(known) == name);
    KNOWN.iter().find(|(_, names)| is_named(names)).map(|(phrase, _)| *phrase)
}

pub(super) fn is_size(name: &str) -> bool {
    matches!(known(name), Some(Phrase::QuoteSizes | Phrase::QuoteVolumes))
}
