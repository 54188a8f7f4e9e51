//! Many rows changed by one statement.

use diesel::{
    Column, Expression, QueryResult, Table,
    expression::NonAggregate,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::{Array, HasSqlType, Text, Uuid},
};
use domain::ids::WorkspaceId;

use super::{
    returning::{Nothing, Returning},
    values::{ColumnValues, Value, ValueOf, push_comma, push_rows, value},
};

/// Changes rows of a workspace, each found by its `key`, as each of `changes` says; the first is what the row is looked
/// up by. Rows that a guard does not hold for are left as they are: whoever counts the rows knows of them.
pub(crate) fn update<T, R>(table: T, workspace: WorkspaceId, changes: &[R]) -> Update<'_, T, R> {
    let workspace = value::<Uuid, _>(workspace.uuid());
    let (columns, ranges) = (Vec::new(), Vec::new());
    Update { table, workspace, changes, columns, ranges, condition: "", returning: Nothing }
}

pub(crate) struct Update<'a, T, R, X = Nothing> {
    table: T,
    workspace: Box<dyn Value + 'a>,
    changes: &'a [R],
    columns: Vec<(Role, ColumnValues<'a>)>,
    ranges: Vec<Range<'a>>,
    condition: &'static str,
    returning: X,
}

/// A column of the table, and its first and last value.
struct Range<'a> {
    column: &'static str,
    first: Box<dyn Value + 'a>,
    last: Box<dyn Value + 'a>,
}

/// What a column of `new` is for.
#[derive(Clone, Copy)]
enum Role {
    /// The table's column of this name is equal to it.
    Equal,
    /// The table's column of this name becomes it.
    Set,
    /// … becomes what the expression says of it.
    SetTo(&'static str),
    /// … becomes the later, or larger, of both.
    Greatest,
    /// … becomes the sum of both.
    Sum,
    /// Expressions and the condition name it.
    Named,
}

impl<'a, T: Table, R, X> Update<'a, T, R, X> {
    /// A column that the row is found by.
    pub(crate) fn key<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Equal, values)
    }

    /// A column that still has to be what the change was decided on.
    pub(crate) fn guard<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect()).of_now();
        self.with(Role::Equal, values)
    }

    /// A column and what it becomes.
    pub(crate) fn set<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Set, values)
    }

    /// The same where only what is later, or larger, than the column's own is kept.
    pub(crate) fn set_greatest<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Greatest, values)
    }

    /// The same where it is added to the column's own.
    pub(crate) fn add<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Sum, values)
    }

    /// The same where the column becomes what `expression` says of `new`, with its columns by their names, and of the
    /// table.
    pub(crate) fn set_to<C, V>(self, _: C, of: impl Fn(&'a R) -> V, expression: &'static str) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::SetTo(expression), values)
    }

    /// A column that is a list of texts and becomes what `expression` says; in it, `new`'s own column is a `text`, to
    /// be read by `string_to_array(…, E'\x1f')`.
    pub(crate) fn set_list_to<C, S>(
        self,
        _: C,
        of: impl Fn(&'a R) -> Vec<S>,
        expression: &'static str,
    ) -> Self
    where
        C: Column<Table = T, SqlType = Array<Text>>,
        S: AsRef<str>,
    {
        let values = ColumnValues::lists(C::NAME, self.changes.iter().map(of));
        self.with(Role::SetTo(expression), values)
    }

    /// A value that expressions and the condition call `new.name`.
    pub(crate) fn value<ST, V>(self, name: &'static str, of: impl Fn(&'a R) -> V) -> Self
    where
        ST: 'static,
        V: Send + 'a,
        Vec<V>: ToSql<Array<ST>, Pg>,
        Pg: HasSqlType<ST>,
    {
        let values = ColumnValues::of::<ST, V>(name, self.changes.iter().map(of).collect());
        self.with(Role::Named, values)
    }

    /// Rows lie between these two, both included. It changes nothing of what is found by its key. It bounds what is read
    /// by a plan that was made while the table was empty, and of a table that is parted names the parts.
    pub(crate) fn within<C, V>(mut self, _: C, (first, last): (V, V)) -> Self
    where
        C: Column<Table = T>,
        C::SqlType: 'static,
        V: ToSql<C::SqlType, Pg> + Send + 'a,
        Pg: HasSqlType<C::SqlType>,
    {
        let (first, last) = (value::<C::SqlType, V>(first), value::<C::SqlType, V>(last));
        self.ranges.push(Range { column: C::NAME, first, last });
        self
    }

    /// What else has to hold of the row and `new`.
    pub(crate) fn when(self, condition: &'static str) -> Self {
        Self { condition, ..self }
    }

    /// Whether there is no change, and so nothing to send.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn with(mut self, role: Role, values: ColumnValues<'a>) -> Self {
        self.columns.push((role, values));
        self
    }
}

impl<'a, T: Table, R> Update<'a, T, R> {
    /// Answers this of each row that was changed.
    pub(crate) fn returning<E>(self, what: E) -> Update<'a, T, R, Returning<E>>
    where
        E: Expression + NonAggregate,
    {
        let Self { table, workspace, changes, columns, ranges, condition, returning: Nothing } = self;
        Update { table, workspace, changes, columns, ranges, condition, returning: Returning(what) }
    }
}

impl<T, R, X> Update<'_, T, R, X>
where
    T: Table + QueryFragment<Pg>,
{
    fn push_changes<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut index = 0;
        for (role, values) in &self.columns {
            if matches!(role, Role::Equal | Role::Named) {
                continue;
            }
            push_comma(index, out);
            index += 1;
            out.push_sql(values.name);
            out.push_sql(" = ");
            match role {
                Role::SetTo(expression) => out.push_sql(expression),
                Role::Greatest => {
                    out.push_sql("greatest(");
                    self.push_column(values.name, out)?;
                    out.push_sql(", ");
                    values.push_reference(out);
                    out.push_sql(")");
                }
                Role::Sum => {
                    self.push_column(values.name, out)?;
                    out.push_sql(" + ");
                    values.push_reference(out);
                }
                Role::Equal | Role::Set | Role::Named => values.push_reference(out),
            }
        }
        Ok(())
    }

    fn push_column<'b>(&'b self, name: &'static str, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(".");
        out.push_sql(name);
        Ok(())
    }
}

impl<T, R, X> QueryFragment<Pg> for Update<'_, T, R, X>
where
    T: Table + QueryFragment<Pg>,
    X: QueryFragment<Pg>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.push_changes(&mut out)?;
        out.push_sql(" FROM ");
        push_rows(self.columns.iter().map(|(_, values)| values), &mut out)?;
        out.push_sql(" WHERE ");
        self.push_column("workspace_id", &mut out)?;
        out.push_sql(" = ");
        self.workspace.push(&mut out)?;
        for (index, (role, values)) in self.columns.iter().enumerate() {
            let Role::Equal = role else { continue };
            out.push_sql(" AND ");
            self.push_column(values.name, &mut out)?;
            out.push_sql(" = ");
            values.push_reference(&mut out);
            if index == 0 {
                // The planner takes a list for short, and a set of rows that it knows nothing of for long; the first
                // column's values are the first that are bound.
                out.push_sql(" AND ");
                self.push_column(values.name, &mut out)?;
                out.push_sql(" = ANY($1)");
            }
        }
        for Range { column, first, last } in &self.ranges {
            out.push_sql(" AND ");
            self.push_column(column, &mut out)?;
            out.push_sql(" BETWEEN ");
            first.push(&mut out)?;
            out.push_sql(" AND ");
            last.push(&mut out)?;
        }
        if !self.condition.is_empty() {
            out.push_sql(" AND ");
            out.push_sql(self.condition);
        }
        self.returning.walk_ast(out)
    }
}

impl<T, R, X> QueryId for Update<'_, T, R, X> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T, R, E: Expression> Query for Update<'_, T, R, Returning<E>> {
    type SqlType = E::SqlType;
}
