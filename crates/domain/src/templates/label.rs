//! Labels that a workspace's owners give to the variables of a template.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    Template,
    listed::{ListedTemplate, TemplateFilter},
    ports::TemplateStore,
    variable_label::{TemplateKey, VariableLabel, VariableLabels},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    text::is_blank,
};

/// Longest label, in characters.
const LONGEST_LABEL: usize = 60;

/// Reason why a template's variables cannot have the given labels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongLabels {
    #[error("the template has {wanted} variables, {given} came")]
    Count {
        /// Number of variables in the template.
        wanted: usize,
        given: usize,
    },
    #[error("a label has 1 to 60 characters that can be seen, and no control characters")]
    Label,
    #[error("two variables would both be called `{0}`")]
    Twice(String),
}

/// Reason why the variables keep the labels they had.
#[derive(Debug, thiserror::Error)]
pub enum LabelVariablesError {
    #[error("there is no such template in this workspace")]
    UnknownTemplate,
    #[error(transparent)]
    Labels(#[from] WrongLabels),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that labels the variables of a template.
pub struct LabelVariables {
    pub store: Arc<dyn TemplateStore>,
    pub deps: Deps,
}

impl LabelVariables {
    /// Labels the template's variables, in the order of their places.
    pub async fn run(
        &self,
        acting: Acting,
        key: &TemplateKey,
        wanted: Vec<VariableLabel>,
    ) -> Result<ListedTemplate, LabelVariablesError> {
        let listed = self.store.list(acting.workspace, TemplateFilter::default()).await?;
        let mut found = listed.into_iter().find(|listed| key.names(&listed.template));
        let found = found.as_mut().ok_or(LabelVariablesError::UnknownTemplate)?;
        let labels = label_variables(&found.template, wanted)?;
        let entry = acting.does(Action::TemplateLabelled, self.deps.clock.now(), &*self.deps.ids);
        let told: Vec<&str> = labels.values().map(|label| label.label.as_str()).collect();
        let entry = entry.to(&key.name).with("language", key.language.as_str()).with("labels", told);
        if !self.store.label(acting.workspace, key, &labels, &entry).await? {
            return Err(LabelVariablesError::UnknownTemplate);
        }
        found.template.labels = labels;
        Ok(found.clone())
    }
}

/// Returns the labels by place.
///
/// # Errors
/// If there is not one label for each variable, if one cannot be read, or if one equals another label or the
/// network's name for another variable: a value would not find its place.
pub fn label_variables(
    template: &Template,
    wanted: Vec<VariableLabel>,
) -> Result<VariableLabels, WrongLabels> {
    let variables = template.content.variables();
    if variables.len() != wanted.len() {
        return Err(WrongLabels::Count { wanted: variables.len(), given: wanted.len() });
    }
    let mut taken = BTreeSet::new();
    let mut labels = VariableLabels::new();
    for (index, (variable, VariableLabel { label, kind })) in variables.iter().zip(wanted).enumerate() {
        let label = label.trim().to_owned();
        if is_blank(&label) || label.chars().count() > LONGEST_LABEL || label.contains(char::is_control) {
            return Err(WrongLabels::Label);
        }
        let others = variables.iter().enumerate().filter(|(other, _)| *other != index);
        let is_another = others.into_iter().any(|(_, other)| other.place == label);
        if is_another || !taken.insert(label.clone()) {
            return Err(WrongLabels::Twice(label));
        }
        labels.insert(variable.place.clone(), VariableLabel { label, kind });
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::{WrongLabels, label_variables};
    use crate::templates::variable_label::VariableLabel;
    use crate::{
        templates::{Template, VariableKind},
        testing::{a_code_template, a_template},
    };

    fn called(labels: &[&str]) -> Vec<VariableLabel> {
        let text = |label: &&str| VariableLabel { label: (*label).to_owned(), kind: VariableKind::Text };
        labels.iter().map(text).collect()
    }

    #[test]
    fn each_variable_gets_a_label_of_its_own() {
        let template = a_template("order_ready");
        let labels = label_variables(&template, called(&[" customer ", "رقم الطلب"])).unwrap();
        let labelled = Template { labels, ..template };
        let shown: Vec<_> = labelled.variables().into_iter().map(|one| (one.place, one.label)).collect();
        let pair = |place: &str, label: &str| (place.to_owned(), label.to_owned());
        assert_eq!(shown, [pair("1", "customer"), pair("2", "رقم الطلب")]);
        assert!(label_variables(&labelled, called(&["1", "2"])).is_ok(), "back to the network's own");
    }

    #[test]
    fn labels_that_would_lose_a_value_are_refused() {
        let count = |wanted, given| WrongLabels::Count { wanted, given };
        let twice = |label: &str| WrongLabels::Twice(label.to_owned());
        let long = "ع".repeat(61);
        for (labels, refusal) in [
            (vec!["one"], count(2, 1)),
            (vec!["one", "two", "three"], count(2, 3)),
            (vec!["one", "one"], twice("one")),
            (vec!["2", "1"], twice("2")),
            (vec!["one", "\u{a0}\u{200f}"], WrongLabels::Label),
            (vec!["one", "t\u{0}wo"], WrongLabels::Label),
            (vec!["one", &long], WrongLabels::Label),
        ] {
            assert_eq!(
                label_variables(&a_template("order_ready"), called(&labels)),
                Err(refusal),
                "{labels:?}"
            );
        }
        assert_eq!(label_variables(&a_code_template("login"), called(&["code"])), Err(count(0, 1)));
    }
}
