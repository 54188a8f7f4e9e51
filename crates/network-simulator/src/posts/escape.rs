//! JSON as the network writes it: ASCII only, slashes escaped. The network signs that text, so a receiver
//! that verifies anything but the raw bytes fails here as it would in production.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};

/// Serializes `value` with non-ASCII as `\uxxxx` (lower-case hex, surrogate pairs) and `/` as `\/`.
pub(crate) fn escaped(value: &Value) -> Result<String, String> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Escaping);
    value.serialize(&mut serializer).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for character in fragment.chars() {
            match character {
                '/' => writer.write_all(b"\\/")?,
                character if character.is_ascii() => write!(writer, "{character}")?,
                character => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_beyond_ascii_and_every_slash_is_escaped() {
        let written = escaped(&json!({ "text": "مa/é👍\"\n" })).unwrap();
        assert_eq!(written, r#"{"text":"\u0645a\/\u00e9\ud83d\udc4d\"\n"}"#);
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), json!({ "text": "مa/é👍\"\n" }));
    }
}
