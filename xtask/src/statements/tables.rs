//! Tables of the migrations, and whether their rows belong to workspaces.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Context;

use super::tokens::{Token, read};

/// Tables that are looked up before the workspace is known, or that belong to none. They stay on the
/// coordinator.
const LOOK_UPS: [&str; 12] = [
    "__diesel_schema_migrations",
    "account_routes",
    "api_keys",
    "attempt_windows",
    "channel_routes",
    "invitations",
    "key_probe",
    "member_logins",
    "password_resets",
    "quarantine",
    "rate_windows",
    "sessions",
];

/// Names of tables and views.
#[derive(Debug)]
pub(crate) struct Tables(BTreeSet<String>);

impl Tables {
    /// Collects what the migrations in a folder have created and not dropped.
    pub(crate) fn of(migrations: &Path) -> anyhow::Result<Self> {
        let folders =
            fs::read_dir(migrations).with_context(|| format!("reading {}", migrations.display()))?;
        let mut folders = folders.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        folders.sort();
        let mut tables = BTreeSet::new();
        for file in folders.iter().map(|folder| folder.join("up.sql")).filter(|file| file.exists()) {
            collect(&fs::read_to_string(file)?, &mut tables);
        }
        Ok(Self(tables))
    }

    #[cfg(test)]
    pub(crate) fn named(names: &[&str]) -> Self {
        Self(names.iter().map(|&name| name.to_owned()).collect())
    }

    /// Returns whether its rows belong to workspaces, and are stored with their workspace.
    pub(crate) fn is_of_workspaces(&self, name: &str) -> bool {
        self.0.contains(name) && !is_look_up(name)
    }

    /// Returns whether a statement of these tokens names any of the tables.
    pub(crate) fn are_named(&self, tokens: &[Token]) -> bool {
        tokens.iter().any(|token| match token {
            Token::Group(within) => self.are_named(within),
            token => token.name().is_some_and(|name| self.0.contains(name)),
        })
    }
}

/// Returns whether it is looked up before the workspace is known.
pub(super) fn is_look_up(name: &str) -> bool {
    LOOK_UPS.contains(&name)
}

fn collect(migration: &str, tables: &mut BTreeSet<String>) {
    let tokens = read(migration);
    for command in tokens.split(|token| token.is_sign(";")) {
        let words: Vec<&str> = command.iter().filter_map(Token::name).collect();
        match words.as_slice() {
            ["create", "table" | "view", name, ..] | ["create", "unlogged", "table", name, ..] => {
                tables.insert((*name).to_owned());
            }
            ["alter", "table", old, "rename", "to", new, ..] => {
                tables.remove(*old);
                tables.insert((*new).to_owned());
            }
            ["drop", "table", names @ ..] => {
                for name in names {
                    tables.remove(*name);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Tables, is_look_up};
    use crate::workspace::root;

    #[test]
    fn the_migrations_tell_which_tables_are_of_workspaces() {
        let tables = Tables::of(&root().join("migrations")).unwrap();
        for name in ["workspaces", "messages", "live_events", "delivery_log", "delivery_queue", "deliveries"]
        {
            assert!(tables.is_of_workspaces(name), "{name}");
        }
        for name in ["old_queue", "api_keys", "pg_class", "contact_slot"] {
            assert!(!tables.is_of_workspaces(name), "{name}");
        }
        assert!(is_look_up("api_keys"));
    }
}
