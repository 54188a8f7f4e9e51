//! The owner's words of a turn, gathered from the settings.

use super::{
    owner::{OwnersWords, TitledFact},
    settings::{AssistantSettings, Fact},
    speech::{OwnersFact, Register},
};
use crate::{external_id::ExternalId, systems::LONGEST_LABEL, text::PlainText};

/// Gathers them from the settings and the workspace's name.
pub(super) fn gather_words(settings: &AssistantSettings, business: &str) -> OwnersWords {
    let fact = |(place, fact): (usize, &Fact)| {
        let id = ExternalId::of_text(&format!("f{}", place + 1))?;
        let said = OwnersFact { id, text: fact.text.clone(), approved: Vec::new() };
        Some(TitledFact { title: fact.title.clone(), fact: said })
    };
    OwnersWords {
        written: settings.written(),
        facts: settings.facts.iter().enumerate().filter_map(fact).collect(),
        name: settings.name.as_deref().and_then(|name| PlainText::read(name, LONGEST_LABEL)),
        business: PlainText::read(business, LONGEST_LABEL),
        register: Register::Dialect,
        wordings: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{AssistantSettings, Fact, gather_words};

    #[test]
    fn a_fact_is_cited_by_its_place_and_told_with_its_title() {
        let fact = |title: &str| Fact { title: title.to_owned(), text: format!("{title}.") };
        let settings = AssistantSettings {
            facts: vec![fact("الدوام"), fact("التوصيل")],
            name: Some("سارة".to_owned()),
            ..AssistantSettings::default()
        };
        let words = gather_words(&settings, "متجر");
        let ids: Vec<_> = words.facts.iter().map(|it| (it.fact.id.as_str(), it.title.as_str())).collect();
        assert_eq!(ids, [("f1", "الدوام"), ("f2", "التوصيل")]);
        assert!(!words.written.contains("التوصيل") && words.written.contains("سارة"));
    }
}
