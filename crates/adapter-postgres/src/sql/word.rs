//! Words as literals in a statement.

use diesel::{
    AppearsOnTable, Expression, QueryResult, SelectableExpression,
    expression::{ValidGrouping, is_aggregate},
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::Text,
};

/// Creates a literal for one of our words. From a bound value the planner could not conclude that a partial
/// index contains all rows with it. The text stays constant, and so its prepared statement is cached.
pub(crate) const fn word(word: &'static str) -> Word {
    Word(word)
}

#[derive(Clone, Copy)]
pub(crate) struct Word(&'static str);

impl Expression for Word {
    type SqlType = Text;
}

impl<S> AppearsOnTable<S> for Word {}

impl<S> SelectableExpression<S> for Word {}

impl<G> ValidGrouping<G> for Word {
    type IsAggregate = is_aggregate::Never;
}

impl QueryId for Word {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for Word {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("'");
        out.push_sql(&self.0.replace('\'', "''"));
        out.push_sql("'");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{ExpressionMethods, QueryDsl, debug_query, pg::Pg};

    use super::word;
    use crate::schema::conversations;

    #[test]
    fn a_word_stands_in_the_text_and_ends_nowhere_but_at_its_end() {
        for (said, written) in [("open", "'open'"), ("it's", "'it''s'")] {
            let query =
                conversations::table.filter(conversations::status.eq(word(said))).select(conversations::id);
            let text = debug_query::<Pg, _>(&query).to_string();
            assert!(text.contains(&format!(r#""status" = {written})"#)), "{text}");
            assert!(text.contains("binds: []"), "{text}");
        }
    }
}
