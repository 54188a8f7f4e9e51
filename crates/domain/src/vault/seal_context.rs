//! Where sealed values are kept, and how far they are bound to it.

use std::fmt::Display;

use crate::ids::WorkspaceId;

/// It says where a sealed value is kept. What is sealed for one place opens at no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealContext {
    bound: String,
    formerly: String,
}

impl SealContext {
    /// Makes that of a workspace's column, named with its table, and the key of the row in that workspace.
    /// `formerly` is what releases sealed a value of this place for that did not bind it.
    pub fn new(
        column: &'static str,
        workspace: WorkspaceId,
        row: impl Display,
        formerly: impl Into<String>,
    ) -> Self {
        Self { bound: format!("{column}/{workspace}/{row}"), formerly: formerly.into() }
    }

    /// Returns the same of a table that belongs to no workspace.
    pub fn of_no_workspace(column: &'static str, row: impl Display, formerly: impl Into<String>) -> Self {
        Self { bound: format!("{column}//{row}"), formerly: formerly.into() }
    }

    /// Returns what a value is authenticated with that is bound to this place. No other place has the same.
    pub fn bound(&self) -> &str {
        &self.bound
    }

    /// Returns what a value is authenticated with that was sealed before values were bound.
    pub fn formerly(&self) -> &str {
        &self.formerly
    }
}

/// It says how far the sealed values of a database are bound to their places. It goes forward only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// Values are sealed as releases did that do not bind them, so that one may run beside; both forms open.
    NotYet,
    /// Values are bound when they are sealed; both forms open.
    Begun,
    /// Only what is bound opens.
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
