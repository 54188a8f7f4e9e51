//! Statements that are written out, with named values.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error,
    serialize::ToSql,
    sql_types::{HasSqlType, Untyped, Uuid},
};
use domain::ids::WorkspaceId;

use super::values::{Value, value};

/// Creates a statement in which `:name` stands for a value, any number of times. Its text is constant, so
/// that its prepared statement is cached, unlike that of `diesel::sql_query`.
pub(crate) fn statement<'a>(text: &'static str) -> Statement<'a> {
    Statement { text, values: Vec::new() }
}

pub(crate) struct Statement<'a> {
    text: &'static str,
    values: Vec<(&'static str, Box<dyn Value + 'a>)>,
}

impl<'a> Statement<'a> {
    pub(crate) fn bind<ST, V>(mut self, name: &'static str, bound: V) -> Self
    where
        ST: 'a,
        V: ToSql<ST, Pg> + Send + 'a,
        Pg: HasSqlType<ST>,
    {
        self.values.push((name, value::<ST, V>(bound)));
        self
    }

    pub(crate) fn of(self, workspace: WorkspaceId) -> Self {
        self.bind::<Uuid, _>("workspace", workspace.uuid())
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Part {
    sent: &'static str,
    name: Option<&'static str>,
}

/// Splits a text at its names. A name consists of small letters, digits and `_` after a single colon.
fn parts(text: &'static str) -> impl Iterator<Item = Part> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        let starts = |(at, _): &(usize, &str)| {
            let (before, after) =
                (text.get(..*at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
            !before.ends_with(':') && after.starts_with(|letter: char| letter.is_ascii_lowercase())
        };
        let Some((at, _)) = text.match_indices(':').find(starts) else {
            return Some(Part { sent: text, name: None });
        };
        let (sent, after) = text.split_at(at);
        let after = after.strip_prefix(':').unwrap_or_default();
        let (name, left) = after.split_at(after.find(|letter| !is_name(letter)).unwrap_or(after.len()));
        rest = Some(left);
        Some(Part { sent, name: Some(name) })
    })
}

/// Replaces names by numbers; returns the text and the names in the order of their numbers.
fn numbered(text: &'static str) -> (String, Vec<&'static str>) {
    let (mut sent, mut names) = (String::new(), Vec::new());
    for part in parts(text) {
        sent.push_str(part.sent);
        let Some(name) = part.name else { continue };
        let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        sent.extend(["$", &(number + 1).to_string()]);
    }
    (sent, names)
}

#[cfg(test)]
pub(crate) fn positional(text: &'static str) -> String {
    numbered(text).0
}

pub(crate) type Bare<'v> = &'v (dyn tokio_postgres::types::ToSql + Sync);

/// Prepares a text and its values for a connection outside of the pool, such as one that listens or migrates.
/// If a value is missing, the server refuses the statement.
pub(crate) fn bare<'v>(text: &'static str, values: &[(&'static str, Bare<'v>)]) -> (String, Vec<Bare<'v>>) {
    let (sent, names) = numbered(text);
    let value = |name: &'static str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    (sent, names.into_iter().filter_map(value).collect())
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let mut bound: Vec<&str> = Vec::with_capacity(self.values.len());
        for part in parts(self.text) {
            out.push_sql(part.sent);
            let Some(name) = part.name else { continue };
            if let Some(number) = bound.iter().position(|known| *known == name) {
                out.push_sql(&format!("${}", number + 1));
                continue;
            }
            let mut values = self.values.iter();
            let Some((_, value)) = values.find(|(known, _)| *known == name) else {
                return Err(Error::QueryBuilderError(format!("nothing is bound to :{name}").into()));
            };
            bound.push(name);
            value.push(&mut out)?;
        }
        if bound.len() == self.values.len() {
            return Ok(());
        }
        let left: Vec<_> =
            self.values.iter().map(|(name, _)| *name).filter(|name| !bound.contains(name)).collect();
        Err(Error::QueryBuilderError(format!("the statement does not name {left:?}").into()))
    }
}

impl QueryId for Statement<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Statement<'_> {
    type SqlType = Untyped;
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use diesel::{
        OptionalExtension,
        sql_types::{BigInt, Nullable, Text},
    };

    use super::{bare, positional, statement};
    use crate::{
        sql::RunQueryDsl,
        testing::{TestDatabase, stores},
    };

    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        number: i64,
    }

    #[test]
    fn a_name_is_numbered_where_it_comes_first() {
        assert_eq!(
            positional("SELECT :b::text, :a, :b, ':: 10:00', x[1:2]"),
            "SELECT $1::text, $2, $1, ':: 10:00', x[1:2]"
        );
        assert_eq!(positional("SELECT 1"), "SELECT 1");
        assert_eq!(positional("a = :a_1"), "a = $1");
    }

    #[test]
    fn past_the_pool_values_are_sent_by_their_names_in_whatever_order() {
        let (text, values) = bare("SELECT :b, :a, :b", &[("a", &1_i32), ("b", &"two")]);
        assert_eq!(text, "SELECT $1, $2, $1");
        assert_eq!(format!("{values:?}"), r#"["two", 1]"#);
        assert_eq!(bare("SELECT :b", &[("a", &1_i32)]).1.len(), 0);
    }

    #[tokio::test]
    async fn a_statement_is_prepared_once_for_a_connection() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        for value in ["one", "two", "three"] {
            let marked = statement("SELECT length(:value)::bigint AS number, 'marked'")
                .bind::<Text, _>("value", value);
            let found = marked.get_result::<Row>(&mut connection).await.unwrap();
            assert_eq!(usize::try_from(found.number).unwrap(), value.len());
        }
        let count = "SELECT count(*) AS number FROM pg_prepared_statements WHERE statement LIKE :like";
        let count =
            statement(count).bind::<Text, _>("like", "%marked%").get_result::<Row>(&mut connection).await;
        assert_eq!(count.unwrap().number, 1);
    }

    #[tokio::test]
    async fn values_are_bound_by_their_names_in_whatever_order() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        let query = |above| {
            statement("SELECT number FROM generate_series(:first, :last) number WHERE :above IS NULL OR number > :above")
                .bind::<Nullable<BigInt>, Option<i64>>("above", above)
                .bind::<BigInt, _>("last", 3)
                .bind::<BigInt, _>("first", 1)
        };
        let rows = query(None).load::<Row>(&mut connection).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(query(Some(1)).execute(&mut connection).await.unwrap(), 2);
        assert!(query(Some(3)).get_result::<Row>(&mut connection).await.optional().unwrap().is_none());
    }

    #[tokio::test]
    async fn a_name_without_a_value_and_a_value_without_a_name_are_refused_before_anything_is_sent() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        assert!(statement("SELECT :a").execute(&mut connection).await.is_err());
        assert!(statement("SELECT 1").bind::<BigInt, _>("a", 1).execute(&mut connection).await.is_err());
        assert!(statement("SELECT :a + 1").bind::<BigInt, _>("a", 1).execute(&mut connection).await.is_ok());
    }
}
