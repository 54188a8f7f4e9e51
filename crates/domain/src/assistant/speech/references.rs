//! References of acts, as the log of turns keeps them.

use super::{
    act::Act,
    evidence::{Evidence, Kind},
    written::Id,
};

impl Act {
    /// Lists what it refers to, each with its kind before it, as `product:12`; of orders, records and drafts
    /// the kind alone, and of a passage its document, its place and the sentences: `passage:7/2#1`.
    pub fn references(&self, evidence: &Evidence) -> Vec<String> {
        let named = |kind: &str, Id(id): &Id| format!("{kind}:{id}");
        let goods = |product: &Id, variant: &Option<Id>| {
            let variant = variant.iter().map(|id| named("variant", id));
            std::iter::once(named("product", product)).chain(variant).collect()
        };
        let all = |kind: &str, ids: &[Id]| ids.iter().map(|id| named(kind, id)).collect();
        let choice = |id: &Id| match evidence.kind_of(&id.0) {
            Some(Kind::Variant) => named("variant", id),
            Some(Kind::Slot) => named("slot", id),
            Some(Kind::Product) | None => named("product", id),
        };
        match self {
            Self::Quote { product, variant, .. }
            | Self::Multiple { product, variant, .. }
            | Self::Discount { product, variant }
            | Self::DeclineOffer { product: Some(product), variant, .. }
            | Self::ConfirmUnderstanding { product, variant, .. } => goods(product, variant),
            Self::List { products } | Self::Compare { products } | Self::Closest { products } => {
                all("product", products)
            }
            Self::Total { lines } => {
                lines.iter().flat_map(|line| goods(&line.product, &line.variant)).collect::<Vec<String>>()
            }
            Self::OrderStatus { .. } => vec!["order".to_owned()],
            Self::Record { .. } => vec!["record".to_owned()],
            Self::Slots { slots } => all("slot", slots),
            Self::NoSlots { range } => vec![named("range", range)],
            Self::Cite { fact, sentences } => vec![match evidence.passage(&fact.0) {
                Some(passage) => format!("passage:{}#{}", passage.of, numbers(sentences)),
                None => named("fact", fact),
            }],
            Self::ProposeOrder { .. } | Self::ProposeBooking { .. } | Self::ProposeCancellation { .. } => {
                vec!["draft".to_owned()]
            }
            Self::Ask { options, .. } => options.iter().map(choice).collect(),
            Self::Clarify { a, b } => vec![choice(a), choice(b)],
            Self::DeclineOffer { product: None, .. }
            | Self::NotFound { .. }
            | Self::HowToOrder {}
            | Self::UnderWay {}
            | Self::Greet {}
            | Self::Thank {}
            | Self::Apologise {}
            | Self::Wait {}
            | Self::YouAreWelcome {}
            | Self::Bye {}
            | Self::WhoIAm {}
            | Self::NotAPerson {}
            | Self::Cannot { .. }
            | Self::Lead { .. }
            | Self::HandOver { .. } => Vec::new(),
        }
    }
}

fn numbers(sentences: &[usize]) -> String {
    sentences.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::Act;
    use crate::assistant::speech::tests::a_shop;

    #[test]
    fn a_reference_has_its_kind_before_it_and_of_an_order_there_is_no_more() {
        for (act, references) in [
            (
                r#"{"act":"quote","product":"shirt","variant":"shirt-m","parts":["price"]}"#,
                "product:shirt variant:shirt-m",
            ),
            (r#"{"act":"list","products":["milk",2]}"#, "product:milk product:2"),
            (r#"{"act":"total","lines":[{"product":2,"quantity":1}]}"#, "product:2"),
            (
                r#"{"act":"ask","what":"size","options":["shirt-m","s1","milk"]}"#,
                "variant:shirt-m slot:s1 product:milk",
            ),
            (r#"{"act":"order_status","order":"A-1042"}"#, "order"),
            (r#"{"act":"record","fields":["x"]}"#, "record"),
            (r#"{"act":"no_slots","range":"r1"}"#, "range:r1"),
            (r#"{"act":"cite","fact":"delivery"}"#, "fact:delivery"),
            (r#"{"act":"cite","passage":"p1","sentences":[2,1]}"#, "passage:guide/3#2,1"),
            (r#"{"act":"cite","fact":"p1"}"#, "passage:guide/3#"),
            (r#"{"act":"lead","words":"x"}"#, ""),
        ] {
            let act: Act = serde_json::from_str(act).unwrap();
            assert_eq!(act.references(&a_shop()).join(" "), references);
        }
    }
}
