//! Rules of every table (`migrations/README.md`).

use crate::stores::support::Fixture;

/// Tables that are looked up before the workspace is known, or that belong to none.
const NOT_OF_A_TENANT: [&str; 12] = [
    "__diesel_schema_migrations",
    "account_routes",
    "api_keys",
    "attempt_windows",
    "channel_routes",
    "invitations",
    "key_probe",
    "member_logins",
    "password_resets",
    "quarantine",
    "rate_windows",
    "sessions",
];

/// The first column of each row.
async fn found(query: &str) -> Vec<String> {
    let fixture = Fixture::new().await;
    let rows = fixture.client().await.query(query, &[&&NOT_OF_A_TENANT[..]]).await.unwrap();
    rows.into_iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn every_foreign_key_has_an_index() {
    let without = found(
        "SELECT key.conrelid::regclass || '.' || key.conname FROM pg_constraint key
         WHERE key.contype = 'f' AND cardinality($1::text[]) > 0 AND NOT EXISTS (
             SELECT FROM pg_index index
             WHERE index.indrelid = key.conrelid
               -- Its first columns are those of the key, in any order. An int2vector counts from 0.
               AND (index.indkey::int2[])[0:cardinality(key.conkey) - 1] @> key.conkey
               AND (index.indpred IS NULL
                    OR pg_get_expr(index.indpred, index.indrelid) LIKE '(% IS NOT NULL)'))",
    );
    assert_eq!(without.await, Vec::<String>::new());
}

#[tokio::test]
async fn every_key_of_a_tenant_s_table_begins_with_the_workspace() {
    let others = found(
        "SELECT index.indexrelid::regclass::text FROM pg_index index
         JOIN pg_class tenant ON tenant.oid = index.indrelid
         JOIN pg_attribute first ON first.attrelid = tenant.oid AND first.attnum = index.indkey[0]
         WHERE tenant.relnamespace = 'public'::regnamespace AND tenant.relname <> ALL ($1)
           AND index.indisunique AND first.attname <> 'workspace_id'",
    );
    assert_eq!(others.await, Vec::<String>::new());
}

#[tokio::test]
async fn every_foreign_key_begins_with_the_workspace_and_sets_nothing() {
    let others = found(
        "SELECT key.conrelid::regclass || '.' || key.conname FROM pg_constraint key
         JOIN pg_class tenant ON tenant.oid = key.conrelid
         JOIN pg_attribute first ON first.attrelid = key.conrelid AND first.attnum = key.conkey[1]
         WHERE key.contype = 'f' AND tenant.relnamespace = 'public'::regnamespace
           AND (first.attname <> 'workspace_id' OR key.confdeltype NOT IN ('a', 'c')
                OR tenant.relname = ANY ($1))",
    );
    assert_eq!(others.await, Vec::<String>::new());
}

#[tokio::test]
async fn no_table_has_a_trigger_or_lacks_a_primary_key() {
    let others = found(
        "SELECT relname::text FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
           AND cardinality($1::text[]) > 0
           AND (EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND NOT tgisinternal)
                OR NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary))",
    );
    assert_eq!(others.await, Vec::<String>::new());
}

#[tokio::test]
async fn the_schema_in_the_code_is_the_one_that_the_migrations_make() {
    let made = Fixture::new().await.database.schema().await;
    assert!(
        made == include_str!("../../src/schema.rs"),
        "src/schema.rs is stale: `cargo xtask schema` writes it"
    );
}
