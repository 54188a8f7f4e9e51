//! Spans of statements for traces, with OpenTelemetry's stable names.
//!
//! A span has a summary of the operations and tables, never a text or a value. Statements outside of a trace
//! get none: most of those are searches for work, several a second.

use std::{
    fmt::{self, Display, Write as _},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use diesel::{
    connection::{Instrumentation, InstrumentationEvent},
    result::Error,
};
use trace_context::Trace;
use tracing::{Span, field::Empty, span::Id};

use crate::error::state_of;

const OPERATIONS: [&str; 5] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"];

/// Most bytes of a summary, by OpenTelemetry's convention.
const LONGEST: usize = 255;

pub(crate) struct Traced {
    database: Option<Arc<str>>,
    under_way: Vec<UnderWay>,
}

struct UnderWay {
    text: u64,
    /// Span in which it was sent.
    by: Option<Id>,
    span: Span,
}

impl Traced {
    pub(crate) fn of(database: Option<&str>) -> Self {
        Self { database: database.map(Arc::from), under_way: Vec::new() }
    }

    fn began(&mut self, query: &impl Display) {
        let by = Span::current().id();
        // The connection has a new user: the previous one has given up on its answers.
        self.under_way.retain(|statement| {
            let is_awaited = statement.by == by;
            if !is_awaited {
                failed(&statement.span, "given_up");
            }
            is_awaited
        });
        let Some(trace) = Trace::of_current() else { return };
        let text = text_of(query);
        let summary = summary(&text);
        let span = trace.step(tracing::debug_span!(
            parent: None,
            "statement",
            otel.name = summary,
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = "postgresql",
            db.namespace = self.database.as_deref(),
            db.query.summary = summary,
            db.response.status_code = Empty,
            "error.type" = Empty,
        ));
        self.under_way.push(UnderWay { text: hash(&text), by, span });
    }

    fn ended(&mut self, query: &impl Display, error: Option<&Error>) {
        if self.under_way.is_empty() {
            return;
        }
        // Statements are sent before earlier ones are answered.
        let text = hash(&text_of(query));
        let Some(place) = self.under_way.iter().position(|statement| statement.text == text) else { return };
        let ended = self.under_way.remove(place);
        if let Some(error) = error {
            let state = state_of(error);
            ended.span.record("db.response.status_code", state);
            failed(&ended.span, state.unwrap_or("_OTHER"));
        }
    }
}

impl Instrumentation for Traced {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartQuery { query, .. } => self.began(&query),
            InstrumentationEvent::FinishQuery { query, error, .. } => self.ended(&query, error),
            _ => {}
        }
    }
}

fn failed(span: &Span, error: &str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Summarizes a statement's operations and tables in their order: `INSERT messages SELECT channels`. Names
/// defined by the statement itself, in a `WITH`, are included.
fn summary(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ')' | ';'));
    let words =
        words.flat_map(|word| word.split_inclusive('(')).filter(|word| !word.is_empty() && *word != "(");
    let mut parts: Vec<&str> = Vec::new();
    let (mut before, mut last) = ("", "");
    for word in words {
        if OPERATIONS.contains(&word) && !(word == "UPDATE" && matches!(last, "FOR" | "KEY" | "DO")) {
            if parts.last() != Some(&word) {
                parts.push(word);
            }
        } else if let Some(table) = table(word, before, last) {
            parts.push(table);
        }
        (before, last) = (last, word);
    }
    if parts.is_empty() {
        parts.extend(text.split_whitespace().next());
    }
    let mut summary = String::new();
    for part in parts {
        if summary.len() + part.len() >= LONGEST {
            break;
        }
        if !summary.is_empty() {
            summary.push(' ');
        }
        summary.push_str(part);
    }
    summary
}

/// Returns the table that a word names after the two words before it.
fn table<'text>(word: &'text str, before: &str, last: &str) -> Option<&'text str> {
    let name = match last {
        "INTO" => word.trim_end_matches('('),
        "JOIN" | "UPDATE" => word,
        // `IS DISTINCT FROM` is a comparison.
        "FROM" if before != "DISTINCT" => word,
        _ => return None,
    };
    let name = name.trim_matches('"');
    let is_name = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    is_name.then_some(name)
}

/// Text that Diesel writes between a statement and its values.
const VALUES: &str = " -- binds: ";

/// Returns a statement's text without its values.
pub(crate) fn text_of(query: &impl Display) -> String {
    let mut text = UntilValues(String::new());
    // Fails where the values begin, so that they are not formatted.
    let _ = write!(text, "{query}");
    text.0
}

struct UntilValues(String);

impl fmt::Write for UntilValues {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if part == VALUES {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{ExpressionMethods, QueryDsl, debug_query, pg::Pg, sql_types::Text};

    use super::{LONGEST, summary, text_of};
    use crate::{schema::account_routes, sql::statement};

    #[test]
    fn a_text_has_no_values() {
        let query = statement("SELECT 1 WHERE :name = 'x'")
            .bind::<Text, _>("name", "the secret -- binds: of somebody");
        assert_eq!(text_of(&debug_query::<Pg, _>(&query)), "SELECT 1 WHERE $1 = 'x'");
    }

    #[test]
    fn a_summary_tells_operations_and_tables() {
        for (text, expected) in [
            ("BEGIN", "BEGIN"),
            ("SET statement_timeout = 1", "SET"),
            ("SELECT pg_notify($1, $2)", "SELECT"),
            ("SELECT extract(epoch FROM now()) FROM contacts c FOR UPDATE", "SELECT contacts"),
            (
                "SELECT a FROM contacts WHERE b IS DISTINCT FROM c FOR NO KEY UPDATE OF contacts",
                "SELECT contacts",
            ),
            ("SELECT a FROM unnest($1) JOIN messages m ON true", "SELECT messages"),
            ("INSERT INTO messages(id) VALUES ($1) ON CONFLICT DO UPDATE SET id = 1", "INSERT messages"),
            ("DELETE  FROM \"messages\" WHERE EXISTS(SELECT 1 FROM groups)", "DELETE messages SELECT groups"),
            (
                "WITH due AS (SELECT id FROM triggers), done AS (UPDATE triggers SET a = 1) SELECT (SELECT 1), id\n  FROM due",
                "SELECT triggers UPDATE triggers SELECT due",
            ),
        ] {
            assert_eq!(summary(text), expected, "{text}");
        }
        let routes = account_routes::table.filter(account_routes::network_id.eq("1")).count();
        assert_eq!(summary(&text_of(&debug_query::<Pg, _>(&routes))), "SELECT account_routes");
    }

    #[test]
    fn a_long_summary_ends_with_a_whole_word() {
        let summary = summary(&"SELECT 1 FROM conversations ".repeat(100));
        assert!(summary.len() <= LONGEST && summary.ends_with("conversations"), "{summary}");
    }
}
