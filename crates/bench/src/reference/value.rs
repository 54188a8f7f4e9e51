//! A statement's value, from the wire's binary form to SQL text.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use data_encoding::HEXLOWER;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339, macros::datetime};
use tokio_postgres::types::{Kind, Type};
use uuid::Uuid;

/// Epoch of PostgreSQL's timestamps.
const EPOCH: OffsetDateTime = datetime!(2000-01-01 00:00 UTC);

/// A value as SQL writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    pub kind: String,
    /// `None` for NULL.
    pub text: Option<String>,
}

/// Decodes a value; `None` for NULL.
pub(super) fn value(kind: &Type, binary: bool, raw: Option<&[u8]>) -> anyhow::Result<Value> {
    let text = match raw {
        None => None,
        Some(raw) if binary => Some(written(kind, raw)?),
        Some(raw) => Some(std::str::from_utf8(raw)?.to_owned()),
    };
    Ok(Value { kind: kind.name().to_owned(), text })
}

/// Returns any valid, non-empty text of the type.
pub(super) fn any(kind: &str) -> &'static str {
    match kind {
        "uuid" => "00000000-0000-0000-0000-000000000000",
        "timestamptz" | "date" => "epoch",
        "int2" | "int4" | "int8" => "0",
        "bool" => "false",
        array if array.starts_with('_') => "{}",
        "bytea" => "\\x",
        _ => "-",
    }
}

fn written(kind: &Type, raw: &[u8]) -> anyhow::Result<String> {
    if let Kind::Array(element) = kind.kind() {
        return array(element, raw);
    }
    Ok(match *kind {
        Type::TEXT | Type::VARCHAR => std::str::from_utf8(raw)?.to_owned(),
        Type::UUID => Uuid::from_slice(raw)?.to_string(),
        Type::INT2 => i16::from_be_bytes(raw.try_into()?).to_string(),
        Type::INT4 => i32::from_be_bytes(raw.try_into()?).to_string(),
        Type::INT8 => i64::from_be_bytes(raw.try_into()?).to_string(),
        Type::BOOL => (raw == [1]).to_string(),
        Type::BYTEA => format!("\\x{}", HEXLOWER.encode(raw)),
        Type::DATE => {
            let days = i32::from_be_bytes(raw.try_into()?);
            (EPOCH + Duration::days(days.into())).date().to_string()
        }
        Type::TIMESTAMPTZ => {
            let micros = i64::from_be_bytes(raw.try_into()?);
            EPOCH.checked_add(Duration::microseconds(micros)).context("a time")?.format(&Rfc3339)?
        }
        _ => bail!("a value of type {} cannot be written", kind.name()),
    })
}

/// Decodes an array: dimensions, flags and element type, then the length and the lower bound of the one
/// dimension, then elements with their lengths.
fn array(element: &Type, raw: &[u8]) -> anyhow::Result<String> {
    let number = |at: usize| -> anyhow::Result<i32> {
        let four = raw.get(at..at + 4).context("an array that is cut off")?;
        Ok(i32::from_be_bytes(four.try_into()?))
    };
    if number(0)? == 0 {
        return Ok("{}".to_owned());
    }
    if number(0)? != 1 {
        bail!("an array of more than one dimension cannot be written");
    }
    let mut elements = Vec::new();
    let mut at = 20;
    for _ in 0..number(12)? {
        let length = number(at)?;
        at += 4;
        let Ok(length) = usize::try_from(length) else {
            elements.push("NULL".to_owned());
            continue;
        };
        let text = written(element, raw.get(at..at + length).context("an array that is cut off")?)?;
        at += length;
        let mut quoted = String::new();
        for character in text.chars() {
            if matches!(character, '"' | '\\') {
                quoted.push('\\');
            }
            quoted.push(character);
        }
        let mut element = String::new();
        write!(element, "\"{quoted}\"")?;
        elements.push(element);
    }
    Ok(format!("{{{}}}", elements.join(",")))
}

#[cfg(test)]
mod tests {
    use tokio_postgres::types::{ToSql, Type};
    use uuid::Uuid;

    use super::value;

    /// Through the encoder that clients use.
    fn read(kind: &Type, sent: &dyn ToSql) -> Option<String> {
        let mut raw = bytes::BytesMut::new();
        let null = sent.to_sql_checked(kind, &mut raw).unwrap();
        let raw = matches!(null, tokio_postgres::types::IsNull::No).then_some(&raw[..]);
        value(kind, true, raw).unwrap().text
    }

    #[test]
    fn values_are_written_as_sql_reads_them() {
        let cases: [(&Type, &dyn ToSql, &str); 9] = [
            (&Type::TEXT, &"سارة", "سارة"),
            (&Type::INT8, &-7_i64, "-7"),
            (&Type::INT4, &7_i32, "7"),
            (&Type::BOOL, &true, "true"),
            (&Type::BYTEA, &&[1_u8, 255][..], "\\x01ff"),
            (&Type::UUID, &Uuid::from_u128(1), "00000000-0000-0000-0000-000000000001"),
            (
                &Type::TIMESTAMPTZ,
                &time::macros::datetime!(2026-11-21 10:00:00.25 UTC),
                "2026-11-21T10:00:00.25Z",
            ),
            (&Type::TEXT_ARRAY, &vec![Some("a \"b\" \\"), None, Some("")], r#"{"a \"b\" \\",NULL,""}"#),
            (&Type::UUID_ARRAY, &Vec::<Uuid>::new(), "{}"),
        ];
        for (kind, sent, text) in cases {
            assert_eq!(read(kind, sent).as_deref(), Some(text), "{kind}");
        }
        assert_eq!(read(&Type::TEXT, &None::<&str>), None);
    }
}
