//! A file in a form, `multipart/form-data`, streamed.

use std::fmt::Write as _;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use reqwest::Body;
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::GraphError;

/// Why a file's bytes ended before their end.
type Broken = Box<dyn std::error::Error + Send + Sync>;

/// A file that is uploaded.
pub struct FormFile {
    name: String,
    content_type: &'static str,
    size: u64,
    bytes: stream::BoxStream<'static, Result<Bytes, Broken>>,
}

impl FormFile {
    /// A file of `size` bytes.
    pub fn new<E: Into<Broken>>(
        name: &str,
        content_type: &'static str,
        size: u64,
        bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> Self {
        let bytes = bytes.map(|chunk| chunk.map_err(Into::into)).boxed();
        Self { name: quoted(name), content_type, size, bytes }
    }

    /// The form's content type, its length and the form itself.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Result<(String, u64, Body), GraphError> {
        let mut random = [0; 16];
        let refused = |_| GraphError::not_sent("no randomness for a form", None);
        SystemRandom::new().fill(&mut random).map_err(refused)?;
        let boundary = hex::encode(random);
        let mut head = String::new();
        for (name, value) in fields {
            let field =
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            head.push_str(&field);
        }
        let Self { name, content_type, size, bytes } = self;
        let file =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"");
        let _ = write!(head, "{file}\r\nContent-Type: {content_type}\r\n\r\n");
        let tail = format!("\r\n--{boundary}--\r\n");
        let around = u64::try_from(head.len() + tail.len()).unwrap_or_default();
        let one = |text: String| stream::iter([Ok::<_, Broken>(Bytes::from(text))]);
        let body = Body::wrap_stream(one(head).chain(bytes).chain(one(tail)));
        Ok((format!("multipart/form-data; boundary={boundary}"), size + around, body))
    }
}

/// A name that cannot end its quotes, as browsers write it.
fn quoted(name: &str) -> String {
    let safe = name.replace('"', "%22").replace(['\r', '\n'], " ");
    if safe.is_empty() { "file".to_owned() } else { safe }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, FormFile, quoted, stream};

    #[test]
    fn a_name_stays_within_its_quotes() {
        for (name, wanted) in
            [("صورة.png", "صورة.png"), ("a\"b.pdf", "a%22b.pdf"), ("a\r\nb", "a  b"), ("", "file")]
        {
            assert_eq!(quoted(name), wanted);
        }
    }

    #[test]
    fn the_length_counts_the_form_around_the_file() {
        let file = || {
            let bytes = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"abc"))]);
            FormFile::new("a.txt", "text/plain", 3, bytes)
        };
        let (content_type, bare, _) = file().form(&[]).unwrap();
        let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let form = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
             Content-Type: text/plain\r\n\r\nabc\r\n--{boundary}--\r\n"
        );
        assert_eq!(bare, u64::try_from(form.len()).unwrap());
        assert!(file().form(&[("type", "text/plain")]).unwrap().1 > bare);
    }
}
