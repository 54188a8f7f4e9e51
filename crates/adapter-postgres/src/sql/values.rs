//! Values of a statement, of any types.

use std::marker::PhantomData;

use diesel::{
    Column, QueryResult,
    pg::Pg,
    query_builder::AstPass,
    serialize::ToSql,
    sql_types::{Array, HasSqlType, Text},
};

pub(super) trait Value: Send {
    /// Appends the next placeholder and binds the value to it.
    fn push<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()>;
}

struct Typed<V, ST> {
    value: V,
    kind: PhantomData<fn() -> ST>,
}

impl<V, ST> Value for Typed<V, ST>
where
    V: ToSql<ST, Pg> + Send,
    Pg: HasSqlType<ST>,
{
    fn push<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<ST, V>(&self.value)
    }
}

pub(super) fn value<'a, ST, V>(value: V) -> Box<dyn Value + 'a>
where
    ST: 'a,
    V: ToSql<ST, Pg> + Send + 'a,
    Pg: HasSqlType<ST>,
{
    Box::new(Typed::<V, ST> { value, kind: PhantomData })
}

pub(crate) trait ValueOf<C>: Send + Sized {
    fn column<'a>(values: Vec<Self>) -> ColumnValues<'a>
    where
        Self: 'a;
}

impl<C, V> ValueOf<C> for V
where
    C: Column,
    C::SqlType: 'static,
    V: Send,
    Vec<V>: ToSql<Array<C::SqlType>, Pg>,
    Pg: HasSqlType<C::SqlType>,
{
    fn column<'a>(values: Vec<Self>) -> ColumnValues<'a>
    where
        Self: 'a,
    {
        ColumnValues::of::<C::SqlType, V>(C::NAME, values)
    }
}

/// One value of each row, bound together as one array: a column of `new` in the statement.
pub(crate) struct ColumnValues<'a> {
    values: Box<dyn Value + 'a>,
    /// Prefix of the name, for a second column of `new` with the same column of the table.
    prefix: &'static str,
    /// Name of the table's column, or of a value that belongs to none.
    pub(super) name: &'static str,
    /// Whether each value is a list of texts, encoded as one text.
    list: bool,
}

/// Separator of a list's items: U+001F, which no item contains.
const BETWEEN: char = '\u{1f}';

impl<'a> ColumnValues<'a> {
    pub(super) fn of<ST, V>(name: &'static str, values: Vec<V>) -> Self
    where
        ST: 'static,
        V: 'a + Send,
        Vec<V>: ToSql<Array<ST>, Pg>,
        Pg: HasSqlType<ST>,
    {
        Self { values: value::<Array<ST>, _>(values), prefix: "", name, list: false }
    }

    /// Creates a column of lists of texts. The texts must not be empty: a single empty one would be read as
    /// no text at all. An array of arrays would need equal lengths, so each list travels as one text.
    /// `string_to_array` decodes it: a cast to an array is not immutable, and a cluster refuses it.
    pub(super) fn lists<S: AsRef<str>>(name: &'static str, lists: impl Iterator<Item = Vec<S>>) -> Self {
        let lists: Vec<String> = lists.map(|list| in_one_text(&list)).collect();
        Self { values: value::<Array<Text>, _>(lists), prefix: "", name, list: true }
    }

    /// Renames the column for comparison with a column's current values.
    pub(super) fn of_now(self) -> Self {
        Self { prefix: "now_", ..self }
    }

    pub(super) fn push_reference(&self, out: &mut AstPass<'_, '_, Pg>) {
        let (before, after) = if self.list { ("string_to_array(", r", E'\x1f')") } else { ("", "") };
        for part in [before, "new.", self.prefix, self.name, after] {
            out.push_sql(part);
        }
    }
}

/// Appends `unnest($1, $2) AS new (a, b)`.
pub(super) fn push_rows<'a: 'b, 'b>(
    columns: impl Iterator<Item = &'b ColumnValues<'a>> + Clone,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    out.push_sql("unnest(");
    for (index, column) in columns.clone().enumerate() {
        push_comma(index, out);
        column.values.push(out)?;
    }
    out.push_sql(") AS new (");
    for (index, column) in columns.enumerate() {
        push_comma(index, out);
        out.push_sql(column.prefix);
        out.push_sql(column.name);
    }
    out.push_sql(")");
    Ok(())
}

pub(super) fn push_comma(index: usize, out: &mut AstPass<'_, '_, Pg>) {
    if index > 0 {
        out.push_sql(", ");
    }
}

/// Encodes a list as one text. Replaces separators inside of items by spaces.
fn in_one_text<S: AsRef<str>>(list: &[S]) -> String {
    let item = |item: &S| item.as_ref().replace(BETWEEN, " ");
    list.iter().map(item).collect::<Vec<_>>().join("\u{1f}")
}

#[cfg(test)]
mod tests {
    use super::in_one_text;

    #[test]
    fn a_list_is_in_one_text_whatever_it_holds() {
        assert_eq!(in_one_text::<&str>(&[]), "");
        assert_eq!(
            in_one_text(&["a", "b c", "\"", "\\", "NULL", "{,}"]),
            "a\u{1f}b c\u{1f}\"\u{1f}\\\u{1f}NULL\u{1f}{,}"
        );
        assert_eq!(in_one_text(&["a\u{1f}b", "c"]), "a b\u{1f}c");
    }
}
