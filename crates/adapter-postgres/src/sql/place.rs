//! A page's position in a list, newest first.

use diesel::{
    Expression, QueryResult,
    expression::{AppearsOnTable, ValidGrouping, is_aggregate},
    pg::Pg,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{Bool, Nullable, Timestamptz, Uuid},
};
use domain::paging::Position;
use time::OffsetDateTime;

/// Whether a row with this time and id comes after the position; always, without one. Compares both as one
/// row value, which an index over both can start at, however many rows have the same time.
pub(crate) fn after<A, I>(at: A, id: I, place: Option<Position>) -> After<A, I>
where
    A: Expression<SqlType = Timestamptz>,
    I: Expression<SqlType = Uuid>,
{
    After { at, id, place_at: place.map(|place| place.at), place_id: place.map(|place| place.id) }
}

pub(crate) struct After<A, I> {
    at: A,
    id: I,
    place_at: Option<OffsetDateTime>,
    place_id: Option<uuid::Uuid>,
}

impl<A, I> Expression for After<A, I> {
    type SqlType = Bool;
}

impl<S, A: AppearsOnTable<S>, I: AppearsOnTable<S>> AppearsOnTable<S> for After<A, I> {}

impl<A, I> ValidGrouping<()> for After<A, I> {
    type IsAggregate = is_aggregate::No;
}

impl<A, I> QueryId for After<A, I> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<A: QueryFragment<Pg>, I: QueryFragment<Pg>> QueryFragment<Pg> for After<A, I> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(");
        self.at.walk_ast(out.reborrow())?;
        out.push_sql(", ");
        self.id.walk_ast(out.reborrow())?;
        out.push_sql(") < (coalesce(");
        out.push_bind_param::<Nullable<Timestamptz>, _>(&self.place_at)?;
        out.push_sql(", 'infinity'), coalesce(");
        out.push_bind_param::<Nullable<Uuid>, _>(&self.place_id)?;
        out.push_sql(", 'ffffffff-ffff-ffff-ffff-ffffffffffff'))");
        Ok(())
    }
}
