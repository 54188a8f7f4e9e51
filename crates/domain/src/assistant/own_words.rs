//! The owner's words of a turn, gathered from the settings.

use super::{
    owner::{OwnersWords, TitledFact},
    settings::AssistantSettings,
};
use crate::{systems::LONGEST_LABEL, text::PlainText};

/// Gathers them from the settings and the workspace's name.
pub(super) fn gather_words(settings: &AssistantSettings, business: &str) -> OwnersWords {
    let titles = settings.facts.iter().map(|fact| fact.title.clone());
    let facts = titles.zip(settings.owners_facts()).map(|(title, fact)| TitledFact { title, fact });
    OwnersWords {
        written: settings.written(),
        facts: facts.collect(),
        name: settings.name.as_deref().and_then(|name| PlainText::read(name, LONGEST_LABEL)),
        business: PlainText::read(business, LONGEST_LABEL),
        register: settings.register,
        wordings: settings.wordings.clone(),
        introduces_itself: settings.introduces_itself,
    }
}

#[cfg(test)]
mod tests {
    use super::{AssistantSettings, gather_words};
    use crate::assistant::Fact;

    #[test]
    fn a_fact_is_cited_by_its_place_and_told_with_its_title() {
        let fact =
            |title: &str| Fact { title: title.to_owned(), text: format!("{title}."), ..Fact::default() };
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
