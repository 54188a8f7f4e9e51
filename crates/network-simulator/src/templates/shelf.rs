//! Templates of one account, in the order in which they came, found by name without a search.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Template;

/// Templates of one account. A position is never given twice, so that a cursor stays valid while rows come
/// and go.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    rows: BTreeMap<u64, Arc<Template>>,
    by_name: HashMap<String, Vec<u64>>,
    by_id: HashMap<String, u64>,
    next: u64,
}

impl Shelf {
    /// Adds a template, in place of the one with its id or its name and language.
    pub(crate) fn put(&mut self, template: Template) -> Arc<Template> {
        let known = self.by_id.get(template.id()).copied();
        let known = known.or_else(|| self.position(template.name(), template.language()));
        let position = known.unwrap_or(self.next);
        if let Some(old) = self.rows.get(&position).cloned() {
            self.forget(position, &old);
        } else {
            self.next += 1;
        }
        let template = Arc::new(template);
        self.by_id.insert(template.id().to_owned(), position);
        self.by_name.entry(template.name().to_owned()).or_default().push(position);
        self.rows.insert(position, Arc::clone(&template));
        template
    }

    pub(crate) fn find(&self, name: &str, language: &str) -> Option<&Arc<Template>> {
        self.rows.get(&self.position(name, language)?)
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Arc<Template>> {
        self.rows.get(self.by_id.get(id)?)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &Arc<Template>)> {
        self.rows.iter().map(|(position, template)| (*position, template))
    }

    /// Removes the template with this id; `false` if there is none.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let Some(position) = self.by_id.get(id).copied() else { return false };
        if let Some(old) = self.rows.remove(&position) {
            self.forget(position, &old);
        }
        true
    }

    fn position(&self, name: &str, language: &str) -> Option<u64> {
        self.by_name
            .get(name)?
            .iter()
            .copied()
            .find(|position| self.rows.get(position).is_some_and(|template| template.language() == language))
    }

    fn forget(&mut self, position: u64, template: &Template) {
        self.by_id.remove(template.id());
        if let Some(positions) = self.by_name.get_mut(template.name()) {
            positions.retain(|known| *known != position);
            if positions.is_empty() {
                self.by_name.remove(template.name());
            }
        }
    }
}
