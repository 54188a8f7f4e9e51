//! Splitting of a migration into commands.

/// Splits a text into its commands, without semicolons and without empty commands.
pub(super) fn commands(text: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(';') {
            commands.extend(text.get(from..at));
            from = at + 1;
        }
        at += skipped(rest);
    }
    commands.extend(text.get(from..));
    commands.retain(|command| says_something(command));
    commands
}

/// Returns the name of the index that the command builds concurrently, which is invalid if interrupted.
pub(super) fn built_index(command: &str) -> Option<&str> {
    let lines = command.lines().filter_map(|line| line.split("--").next());
    let mut words = lines.flat_map(str::split_whitespace).peekable();
    let is = |word: Option<&str>, wanted: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    if !is(words.next(), "CREATE") {
        return None;
    }
    words.next_if(|word| word.eq_ignore_ascii_case("UNIQUE"));
    if !is(words.next(), "INDEX") || !is(words.next(), "CONCURRENTLY") {
        return None;
    }
    for word in ["IF", "NOT", "EXISTS"] {
        words.next_if(|next| next.eq_ignore_ascii_case(word));
    }
    words.next()
}

fn skipped(rest: &str) -> usize {
    let up_to = |begin: usize, end: &str| {
        let found = rest.get(begin..).and_then(|within| within.find(end));
        found.map_or(rest.len(), |found| begin + found + end.len())
    };
    let mark = mark(rest);
    if rest.starts_with("--") {
        up_to(2, "\n")
    } else if rest.starts_with("/*") {
        up_to(2, "*/")
    } else if rest.starts_with('\'') {
        up_to(1, "'")
    } else if rest.starts_with('"') {
        up_to(1, "\"")
    } else if let Some(mark) = mark {
        up_to(mark.len(), mark)
    } else {
        rest.chars().next().map_or(1, char::len_utf8)
    }
}

/// Returns the mark that a dollar-quoted text begins with, such as `$$` or `$body$`.
fn mark(rest: &str) -> Option<&str> {
    let name = rest.strip_prefix('$')?;
    let end = name.find(|letter: char| !letter.is_alphabetic() && letter != '_')?;
    name.get(end..)?.starts_with('$').then(|| rest.get(..end + 2))?
}

fn says_something(command: &str) -> bool {
    command.lines().any(|line| !line.trim().is_empty() && !line.trim().starts_with("--"))
}

#[cfg(test)]
mod tests {
    use super::{built_index, commands};

    #[test]
    fn a_text_is_parted_where_its_commands_end() {
        let text = "-- First; a comment.\nCREATE TABLE a (b text DEFAULT 'x;''y;');\n\n/* ; */ UPDATE a SET \"b;\" = $1;
            CREATE FUNCTION f() RETURNS void AS $$ BEGIN; END; $$;
            CREATE FUNCTION g() RETURNS void AS $it$ a; $$ b; $it$;\n-- The end;\n;";
        let found: Vec<&str> = commands(text).into_iter().map(str::trim).collect();
        assert_eq!(
            found,
            [
                "-- First; a comment.\nCREATE TABLE a (b text DEFAULT 'x;''y;')",
                "/* ; */ UPDATE a SET \"b;\" = $1",
                "CREATE FUNCTION f() RETURNS void AS $$ BEGIN; END; $$",
                "CREATE FUNCTION g() RETURNS void AS $it$ a; $$ b; $it$",
            ]
        );
    }

    #[test]
    fn an_index_that_is_built_concurrently_is_named() {
        for (command, wanted) in [
            ("-- Whose.\nCREATE INDEX CONCURRENTLY a ON b (c)", Some("a")),
            ("create unique index concurrently a\n    on b (c)", Some("a")),
            ("\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a -- CONCURRENTLY\nON b (c)", Some("a")),
            ("CREATE INDEX a ON b (c)", None),
            ("DROP INDEX CONCURRENTLY IF EXISTS a", None),
            ("CREATE TABLE a (b int)", None),
            ("CREATE", None),
            ("", None),
        ] {
            assert_eq!(built_index(command), wanted, "{command}");
        }
    }
}
