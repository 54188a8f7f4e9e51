//! For tests: rules of migrations, so that they run on distributed tables (`migrations/README.md`).

use super::{MIGRATIONS, commands::commands};

/// Last migration from before tables could be distributed.
const BEFORE: &str = "0053";

#[test]
fn every_migration_runs_where_tables_are_distributed() {
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > BEFORE) {
        assert_eq!(faults(migration.text), Vec::<String>::new(), "{}", migration.version);
    }
}

#[test]
fn what_a_distributed_database_refuses_is_found() {
    let constraint = "a constraint stands alone in its ALTER TABLE, under a name";
    let column = "a column is added without a constraint";
    for (text, wanted) in [
        ("ALTER TABLE a ADD COLUMN b int, ADD COLUMN c numeric(3, 1) NOT NULL DEFAULT 0", None),
        ("ALTER TABLE a ADD CONSTRAINT c CHECK (b IN (1, 2)); CREATE TABLE d (e int CHECK (e > 0))", None),
        ("ALTER TABLE a DROP CONSTRAINT c, ALTER COLUMN b DROP NOT NULL; UPDATE a SET b = 1", None),
        ("-- A comment.\nALTER TABLE a ADD COLUMN b int, ADD CONSTRAINT c CHECK (b > 0)", Some(constraint)),
        ("ALTER TABLE a ADD FOREIGN KEY (workspace_id, b) REFERENCES c", Some(constraint)),
        ("ALTER TABLE a ADD COLUMN b int CHECK (b > 0)", Some(column)),
        ("ALTER TABLE a ADD COLUMN b uuid REFERENCES c", Some(column)),
        ("ALTER TABLE a ALTER COLUMN b SET (n_distinct = 1)", Some("n_distinct cannot be set")),
        (
            "CREATE TABLE a (b int); INSERT INTO a SELECT 1",
            Some("a new table is filled by the next migration"),
        ),
    ] {
        assert_eq!(faults(text), wanted.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

fn faults(text: &str) -> Vec<String> {
    let mut made = Vec::new();
    let mut faults = Vec::new();
    for command in commands(text) {
        let lines = command.lines().map(|line| line.split("--").next().unwrap());
        let words: Vec<String> = lines.flat_map(str::split_whitespace).map(str::to_lowercase).collect();
        let said = words.join(" ");
        let names = |verb: &str| said.strip_prefix(verb).and_then(|rest| rest.split_whitespace().next());
        if let Some(table) = names("create table ").or(names("create unlogged table ")) {
            made.push(table.to_owned());
        }
        if names("insert into ").is_some_and(|table| made.iter().any(|one| one == table)) {
            faults.push("a new table is filled by the next migration".to_owned());
        }
        if !said.starts_with("alter table ") {
            continue;
        }
        let adds = ["constraint", "foreign", "check", "unique", "primary"];
        let parts = parts(&said);
        let constraints =
            parts.iter().filter(|part| adds.iter().any(|add| part.contains(&format!(" add {add}"))));
        let is_named = said.contains(" add constraint ");
        if constraints.count() > 0 && (parts.len() > 1 || !is_named) {
            faults.push("a constraint stands alone in its ALTER TABLE, under a name".to_owned());
        }
        let column =
            |part: &&String| part.contains(" add column ") || part.trim_start().starts_with("add column ");
        let bound = ["check (", "references ", "unique", "primary key"];
        if parts.iter().filter(column).any(|part| bound.iter().any(|word| part.contains(word))) {
            faults.push("a column is added without a constraint".to_owned());
        }
        if said.contains("n_distinct") {
            faults.push("n_distinct cannot be set".to_owned());
        }
    }
    faults
}

fn parts(command: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = command.split(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    parts.map(|part| format!(" {}", part.trim())).collect()
}
