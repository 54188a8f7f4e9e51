//! Insertion of many rows by one statement.

use diesel::{
    Column, Expression, QueryResult, Table,
    expression::NonAggregate,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Array, Text, Uuid},
};
use domain::ids::WorkspaceId;

use super::{
    returning::{Owner, Returning},
    values::{ColumnValues, Value, ValueOf, push_comma, push_rows, value},
};

/// Inserts `rows` of a workspace into a table. The column `workspace_id` is filled besides the named ones.
///
/// The statement reads the workspace's own row, so that a cluster that is sharded by workspace runs it on the
/// one node that holds both. If the workspace does not exist, nothing is inserted.
pub(crate) fn insert<T, R>(table: T, workspace: WorkspaceId, rows: &[R]) -> Insert<'_, T, R> {
    let workspace = value::<Uuid, _>(workspace.uuid());
    let conflict = Conflict {
        tolerated: false,
        keys: Vec::new(),
        merged: Vec::new(),
        where_distinct: false,
        not_later: None,
    };
    Insert { table, workspace, rows, columns: Vec::new(), order: Vec::new(), conflict, returning: Owner }
}

pub(crate) struct Insert<'a, T, R, X = Owner> {
    table: T,
    workspace: Box<dyn Value + 'a>,
    rows: &'a [R],
    columns: Vec<ColumnValues<'a>>,
    order: Vec<&'static str>,
    conflict: Conflict,
    returning: X,
}

struct Conflict {
    tolerated: bool,
    keys: Vec<&'static str>,
    merged: Vec<(&'static str, Merge)>,
    where_distinct: bool,
    not_later: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Merge {
    Replace,
    Add,
    Least,
}

/// Columns of a table, as a tuple.
pub(crate) trait Columns<T> {
    fn names() -> Vec<&'static str>;
}

macro_rules! columns {
    ($($column:ident),*) => {
        impl<T: Table, $($column: Column<Table = T>),*> Columns<T> for ($($column,)*) {
            fn names() -> Vec<&'static str> {
                vec![$($column::NAME),*]
            }
        }
    };
}

columns!();
columns!(A);
columns!(A, B);
columns!(A, B, C);

impl<'a, T: Table, R, X> Insert<'a, T, R, X> {
    pub(crate) fn column<C, V>(mut self, _: C, of: impl Fn(&'a R) -> V) -> Self
    where
        C: Column<Table = T>,
        V: ValueOf<C> + 'a,
    {
        self.columns.push(V::column(self.rows.iter().map(of).collect()));
        self
    }

    pub(crate) fn list<C, S>(mut self, _: C, of: impl Fn(&'a R) -> Vec<S>) -> Self
    where
        C: Column<Table = T, SqlType = Array<Text>>,
        S: AsRef<str>,
    {
        self.columns.push(ColumnValues::lists(C::NAME, self.rows.iter().map(of)));
        self
    }

    /// Inserts rows in the order of this column, then of the next named, as writers lock in one order.
    pub(crate) fn in_order_of<C: Column<Table = T>>(mut self, _: C) -> Self {
        self.order.push(C::NAME);
        self
    }

    /// Skips a row that conflicts.
    pub(crate) fn on_conflict_do_nothing(mut self) -> Self {
        self.conflict.tolerated = true;
        self
    }

    /// On conflict of `workspace_id` and these columns, updates the existing row as the following calls say.
    pub(crate) fn on_conflict<C: Columns<T>>(mut self, _: C) -> Self {
        self.conflict.tolerated = true;
        self.conflict.keys = C::names();
        self
    }

    /// On conflict, sets this column to the new value.
    pub(crate) fn set_excluded<C: Column<Table = T>>(mut self, _: C) -> Self {
        self.conflict.merged.push((C::NAME, Merge::Replace));
        self
    }

    /// On conflict, adds the new value to this column.
    pub(crate) fn add_excluded<C: Column<Table = T>>(mut self, _: C) -> Self {
        self.conflict.merged.push((C::NAME, Merge::Add));
        self
    }

    /// On conflict, sets this column to the smaller of both values.
    pub(crate) fn set_least<C: Column<Table = T>>(mut self, _: C) -> Self {
        self.conflict.merged.push((C::NAME, Merge::Least));
        self
    }

    /// On conflict, updates only if a column that is set differs.
    pub(crate) fn where_distinct(mut self) -> Self {
        self.conflict.where_distinct = true;
        self
    }

    /// On conflict, updates only if this column is not later than the new value.
    pub(crate) fn where_not_later<C: Column<Table = T>>(mut self, _: C) -> Self {
        self.conflict.not_later = Some(C::NAME);
        self
    }

    /// Whether there are no rows, so that nothing needs to be sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn push_conflict<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>
    where
        T: QueryFragment<Pg>,
    {
        if !self.conflict.tolerated {
            return Ok(());
        }
        out.push_sql(" ON CONFLICT");
        if self.conflict.merged.is_empty() {
            out.push_sql(" DO NOTHING");
            return Ok(());
        }
        out.push_sql(" (workspace_id");
        for key in &self.conflict.keys {
            out.push_sql(", ");
            out.push_sql(key);
        }
        out.push_sql(") DO UPDATE SET ");
        for (index, (column, merge)) in self.conflict.merged.iter().enumerate() {
            push_comma(index, out);
            out.push_sql(column);
            out.push_sql(match merge {
                Merge::Least => " = least(",
                Merge::Add | Merge::Replace => " = ",
            });
            if let Merge::Add | Merge::Least = merge {
                self.table.walk_ast(out.reborrow())?;
                out.push_sql(".");
                out.push_sql(column);
            }
            out.push_sql(match merge {
                Merge::Replace => "excluded.",
                Merge::Add => " + excluded.",
                Merge::Least => ", excluded.",
            });
            out.push_sql(column);
            if let Merge::Least = merge {
                out.push_sql(")");
            }
        }
        if !self.conflict.where_distinct {
            return self.push_not_later(out);
        }
        out.push_sql(" WHERE (");
        for (index, (column, _)) in self.conflict.merged.iter().enumerate() {
            push_comma(index, out);
            self.table.walk_ast(out.reborrow())?;
            out.push_sql(".");
            out.push_sql(column);
        }
        out.push_sql(") IS DISTINCT FROM (");
        for (index, (column, _)) in self.conflict.merged.iter().enumerate() {
            push_comma(index, out);
            out.push_sql("excluded.");
            out.push_sql(column);
        }
        out.push_sql(")");
        Ok(())
    }

    fn push_not_later<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>
    where
        T: QueryFragment<Pg>,
    {
        if let Some(column) = self.conflict.not_later {
            out.push_sql(" WHERE ");
            self.table.walk_ast(out.reborrow())?;
            out.push_sql(".");
            out.push_sql(column);
            out.push_sql(" <= excluded.");
            out.push_sql(column);
        }
        Ok(())
    }
}

impl<'a, T: Table, R> Insert<'a, T, R> {
    pub(crate) fn returning<E>(self, what: E) -> Insert<'a, T, R, Returning<E>>
    where
        E: Expression + NonAggregate,
    {
        let Self { table, workspace, rows, columns, order, conflict, returning: Owner } = self;
        Insert { table, workspace, rows, columns, order, conflict, returning: Returning(what) }
    }
}

impl<T, R, X> QueryFragment<Pg> for Insert<'_, T, R, X>
where
    T: Table + QueryFragment<Pg>,
    X: QueryFragment<Pg>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("INSERT INTO ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" (workspace_id");
        for values in &self.columns {
            out.push_sql(", ");
            out.push_sql(values.name);
        }
        out.push_sql(") SELECT owner.workspace_id");
        for values in &self.columns {
            out.push_sql(", ");
            values.push_reference(&mut out);
        }
        out.push_sql(" FROM workspaces owner, ");
        push_rows(self.columns.iter(), &mut out)?;
        out.push_sql(" WHERE owner.workspace_id = ");
        self.workspace.push(&mut out)?;
        for (index, name) in self.order.iter().enumerate() {
            out.push_sql(if index == 0 { " ORDER BY new." } else { ", new." });
            out.push_sql(name);
        }
        self.push_conflict(&mut out)?;
        self.returning.walk_ast(out)
    }
}

impl<T, R, X> QueryId for Insert<'_, T, R, X> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T, R, E: Expression> Query for Insert<'_, T, R, Returning<E>> {
    type SqlType = E::SqlType;
}
