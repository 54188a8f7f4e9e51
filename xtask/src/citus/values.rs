//! Made-up values for a statement.

use tokio_postgres::types::{Kind, Type};

/// Id of the only workspace, and of everything else.
pub(super) const WORKSPACE: &str = "00000001-0000-7000-8000-000000000000";

/// Returns any value of a type, as SQL writes it.
pub(super) fn literal(of: &Type) -> String {
    if let Kind::Array(element) = of.kind() {
        return format!("ARRAY[{}]::{}[]", literal(element), element.name());
    }
    let value = match of.name() {
        "uuid" => WORKSPACE,
        "bool" => "true",
        "int2" | "int4" | "int8" | "numeric" | "float4" | "float8" | "oid" => "1",
        "timestamptz" | "timestamp" => "2026-11-22 10:00:00Z",
        "date" => "2026-11-01",
        "time" => "10:00",
        "interval" => "1 second",
        "bytea" => "\\x01",
        "json" | "jsonb" => "{}",
        "inet" => "127.0.0.1",
        _ => "a",
    };
    format!("'{value}'::{}", of.name())
}

#[cfg(test)]
mod tests {
    use tokio_postgres::types::Type;

    use super::literal;

    #[test]
    fn values_have_their_types() {
        assert_eq!(literal(&Type::INT8), "'1'::int8");
        assert_eq!(literal(&Type::TEXT_ARRAY), "ARRAY['a'::text]::text[]");
    }
}
