//! `RETURNING` clauses.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment},
};

/// No clause: the statement only counts rows.
pub(crate) struct Nothing;

pub(crate) struct Returning<E>(pub(super) E);

impl QueryFragment<Pg> for Nothing {
    fn walk_ast<'b>(&'b self, _: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        Ok(())
    }
}

/// The workspace of each inserted row, which nobody reads. A cluster that is sharded by workspace keeps an
/// error's SQLSTATE only if an insertion from a query returns something.
pub(crate) struct Owner;

impl QueryFragment<Pg> for Owner {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(" RETURNING workspace_id");
        Ok(())
    }
}

impl<E: QueryFragment<Pg>> QueryFragment<Pg> for Returning<E> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(" RETURNING ");
        self.0.walk_ast(out)
    }
}
