//! Generator of Diesel's schema from a migrated database.

use std::fmt::Write;

use tokio_postgres::{Client, NoTls};

use super::TestDatabase;

const HEADER: &str = "//! Tables as the migrations make them, written by `cargo xtask schema`; a test fails if they are stale.\n";

/// All tables by name with their columns in order. Partitions are left out.
const COLUMNS: &str = "
    SELECT class.relname::text, attribute.attname::text, type.typname::text, attribute.attnotnull
    FROM pg_class class
    JOIN pg_attribute attribute ON attribute.attrelid = class.oid
    JOIN pg_type type ON type.oid = attribute.atttypid
    WHERE class.relnamespace = 'public'::regnamespace AND class.relkind IN ('r', 'p') AND NOT class.relispartition
      AND attribute.attnum > 0 AND NOT attribute.attisdropped AND class.relname NOT LIKE '\\_\\_diesel%'
    ORDER BY class.relname, attribute.attnum";

const KEYS: &str = "
    SELECT attribute.attname::text FROM pg_index key
    CROSS JOIN unnest(key.indkey) WITH ORDINALITY AS place (column_number, position)
    JOIN pg_attribute attribute
      ON attribute.attrelid = key.indrelid AND attribute.attnum = place.column_number
    WHERE key.indrelid = to_regclass($1) AND key.indisprimary
    ORDER BY place.position";

impl TestDatabase {
    /// Returns the text of `src/schema.rs`.
    ///
    /// # Panics
    /// When the database cannot be read, or has a column of a type that no statement uses yet.
    #[expect(clippy::expect_used, reason = "a test without its database has failed")]
    pub async fn schema(&self) -> String {
        let (client, connection) = tokio_postgres::connect(self.url(), NoTls).await.expect("a connection");
        tokio::spawn(connection);
        write_schema(&client).await.expect("a schema")
    }
}

async fn write_schema(client: &Client) -> Result<String, Box<dyn std::error::Error>> {
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for row in client.query(COLUMNS, &[]).await? {
        let (table, column): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let kind = kind(row.try_get(2)?).ok_or_else(|| format!("{table}.{column} has no known type"))?;
        let kind = if row.try_get(3)? { kind.to_owned() } else { format!("Nullable<{kind}>") };
        if tables.last().is_none_or(|(last, _)| *last != table) {
            tables.push((table, Vec::new()));
        }
        let Some((_, columns)) = tables.last_mut() else { continue };
        columns.push(format!("{column} -> {kind}"));
    }
    let mut text = HEADER.to_owned();
    for (table, columns) in &tables {
        let quoted = format!("\"{table}\"");
        let keys: Vec<String> = client
            .query(KEYS, &[&quoted])
            .await?
            .iter()
            .map(|row| row.try_get(0))
            .collect::<Result<_, _>>()?;
        write!(text, "\ndiesel::table! {{\n    {table} ({}) {{\n", keys.join(", "))?;
        for column in columns {
            writeln!(text, "        {column},")?;
        }
        text.push_str("    }\n}\n");
    }
    let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
    write!(text, "\ndiesel::allow_tables_to_appear_in_same_query!(\n    {},\n);\n", names.join(",\n    "))?;
    Ok(text)
}

/// Returns Diesel's SQL type for a type of PostgreSQL. Lists of texts here contain no NULL; those of ids may.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" => "Bool",
        "bytea" => "Binary",
        "date" => "Date",
        "int2" => "SmallInt",
        "int4" => "Integer",
        "int8" => "BigInt",
        "jsonb" => "Jsonb",
        "text" => "Text",
        "timestamptz" => "Timestamptz",
        "uuid" => "Uuid",
        "_text" => "Array<Text>",
        "_uuid" => "Array<Nullable<Uuid>>",
        _ => return None,
    })
}
