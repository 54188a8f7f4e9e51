//! Paths of values in an answer, and the list of what was unusable.

use std::{cell::RefCell, fmt::Write as _};

use domain::systems::{Unusable, Why};

/// Most unusable parts listed of one answer; a system that gets everything wrong is not told a thousand
/// times.
const MOST: usize = 100;

/// Path of a value in an answer.
#[derive(Clone, Copy)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Root,
    Field(&'static str),
    Item(usize),
    ItemsFrom(usize),
}

impl<'p> Path<'p> {
    pub(crate) const ROOT: Self = Self { parent: None, step: Step::Root };

    pub(crate) const fn field(&'p self, name: &'static str) -> Self {
        Self { parent: Some(self), step: Step::Field(name) }
    }

    pub(crate) const fn item(&'p self, position: usize) -> Self {
        Self { parent: Some(self), step: Step::Item(position) }
    }

    /// Returns the path of all items from `position` on.
    pub(crate) const fn items_from(&'p self, position: usize) -> Self {
        Self { parent: Some(self), step: Step::ItemsFrom(position) }
    }

    fn written(&self) -> String {
        let mut text = self.parent.map(Path::written).unwrap_or_default();
        let done = match self.step {
            Step::Root => Ok(()),
            Step::Field(name) if text.is_empty() => write!(text, "{name}"),
            Step::Field(name) => write!(text, ".{name}"),
            Step::Item(position) => write!(text, "[{position}]"),
            Step::ItemsFrom(position) => write!(text, "[{position}..]"),
        };
        // Writing to a `String` cannot fail.
        debug_assert!(done.is_ok());
        text
    }
}

/// Unusable parts, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Notes(RefCell<Vec<Unusable>>);

impl Notes {
    pub(crate) fn add(&self, path: &Path<'_>, why: Why) {
        let mut notes = self.0.borrow_mut();
        if notes.len() < MOST {
            notes.push(Unusable { path: path.written(), why });
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Unusable> {
        self.0.into_inner()
    }
}
