//! Update of many rows by one statement.

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

/// Updates rows of a workspace, each found by its `key`, from each of `changes`; the first key is what rows
/// are looked up by. Rows whose guards do not hold stay as they are, which callers notice by counting.
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

struct Range<'a> {
    column: &'static str,
    first: Box<dyn Value + 'a>,
    last: Box<dyn Value + 'a>,
}

#[derive(Clone, Copy)]
enum Role {
    /// The table's column of this name must equal it.
    Equal,
    /// The table's column of this name is set to it.
    Set,
    /// The table's column of this name is set to the expression.
    SetTo(&'static str),
    /// The table's column of this name is set to the greater of both.
    Greatest,
    /// The table's column of this name is set to the sum of both.
    Sum,
    /// Only expressions and the condition refer to it.
    Named,
}

impl<'a, T: Table, R, X> Update<'a, T, R, X> {
    /// Finds rows by this column.
    pub(crate) fn key<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Equal, values)
    }

    /// Requires that the column still has the value that the change was decided on.
    pub(crate) fn guard<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect()).of_now();
        self.with(Role::Equal, values)
    }

    pub(crate) fn set<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Set, values)
    }

    /// Sets a column to the new value if that is greater.
    pub(crate) fn set_greatest<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Greatest, values)
    }

    pub(crate) fn add<C, V>(self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::Sum, values)
    }

    /// Sets a column to `expression`, which may use columns of `new` and of the table.
    pub(crate) fn set_to<C, V>(self, _: C, of: impl Fn(&'a R) -> V, expression: &'static str) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        let values = V::column(self.changes.iter().map(of).collect());
        self.with(Role::SetTo(expression), values)
    }

    /// Sets a column of type `text[]` to `expression`, which reads `new`'s by `string_to_array(…, E'\x1f')`.
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

    /// Adds a value that expressions and the condition call `new.name`.
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

    /// Declares that all rows lie between these two values, both included. Does not change which rows the
    /// keys find. Bounds what is read by a plan that was made while the table was empty, and selects the
    /// partitions of a partitioned table.
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

    /// Adds a condition on the row and `new`.
    pub(crate) fn when(self, condition: &'static str) -> Self {
        Self { condition, ..self }
    }

    /// Whether there are no changes, so that nothing needs to be sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn with(mut self, role: Role, values: ColumnValues<'a>) -> Self {
        self.columns.push((role, values));
        self
    }
}

impl<'a, T: Table, R> Update<'a, T, R> {
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
                // The planner expects a list to be short, and an unknown set of rows to be long; the first
                // column is `$1`.
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
