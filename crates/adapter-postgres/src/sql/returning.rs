//! What a statement answers of the rows that it wrote.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, QueryFragment},
};

/// Nothing but their count.
pub(crate) struct Nothing;

/// An expression over each.
pub(crate) struct Returning<E>(pub(super) E);

impl QueryFragment<Pg> for Nothing {
    fn walk_ast<'b>(&'b self, _: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        Ok(())
    }
}

/// The workspace of each row that is inserted, which nobody reads. A cluster that is sharded by workspace keeps the code
/// of an error only where what inserts from a query answers something.
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
