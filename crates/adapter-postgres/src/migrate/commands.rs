//! A migration's text as its commands.

/// The commands of a text, each without its semicolon, those that say nothing left out.
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

/// How long the comment, the quoted text or the letter is that `rest` begins with.
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

/// The dollars that a function's body begins with, such as `$$` or `$body$`.
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
    use super::commands;

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
}
