//! Places of sealed values, and how far values are bound to them.

use std::fmt::Display;

use crate::ids::WorkspaceId;

/// Place of a sealed value. What is sealed for one place opens at no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealContext {
    bound: String,
    formerly: String,
}

impl SealContext {
    /// Returns the place of a column, named with its table, in the row of this key in the workspace.
    /// `formerly` is what releases without binding sealed the values of this place for.
    pub fn new(
        column: &'static str,
        workspace: WorkspaceId,
        row: impl Display,
        formerly: impl Into<String>,
    ) -> Self {
        Self { bound: format!("{column}/{workspace}/{row}"), formerly: formerly.into() }
    }

    /// Returns a place in a table that belongs to no workspace.
    pub fn of_no_workspace(column: &'static str, row: impl Display, formerly: impl Into<String>) -> Self {
        Self { bound: format!("{column}//{row}"), formerly: formerly.into() }
    }

    /// Returns what authenticates a value that is bound to this place; no two places share it.
    pub fn bound(&self) -> &str {
        &self.bound
    }

    /// Returns what authenticates a value that was sealed before values were bound.
    pub fn formerly(&self) -> &str {
        &self.formerly
    }
}

/// Extent to which the sealed values of a database are bound to their places. It only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// Values are sealed unbound, as by older releases, so that one may run beside; both forms open.
    NotYet,
    /// Values are bound as they are sealed; both forms open.
    Begun,
    /// Only bound values open.
    Complete,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_places_are_the_same() {
        let workspaces = [1, 2].map(|number| WorkspaceId::from(uuid::Uuid::from_u128(number)));
        let mut places =
            vec![SealContext::of_no_workspace("a.x", 7, ""), SealContext::of_no_workspace("a.x", 8, "")];
        for column in ["a.x", "a.y", "b.x"] {
            for workspace in workspaces {
                places.extend([7, 8].map(|row| SealContext::new(column, workspace, row, "")));
            }
        }
        for (position, place) in places.iter().enumerate() {
            assert!(places[..position].iter().all(|other| other.bound() != place.bound()), "{place:?}");
        }
    }
}
