//! A file in a form, streamed.

use bytes::Bytes;
use futures_util::Stream;
use reqwest::{
    Body,
    multipart::{Form, Part},
};

use crate::error::GraphError;

/// A file to be uploaded within a form.
pub struct FormFile {
    name: String,
    content_type: &'static str,
    size: u64,
    bytes: Body,
}

impl FormFile {
    /// Makes a file of `size` bytes.
    pub fn new<E: Into<Box<dyn std::error::Error + Send + Sync>> + 'static>(
        name: &str,
        content_type: &'static str,
        size: u64,
        bytes: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> Self {
        Self { name: name.to_owned(), content_type, size, bytes: Body::wrap_stream(bytes) }
    }

    /// Makes a form with the file behind `fields`. Names are not percent-encoded but written in UTF-8.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Result<Form, GraphError> {
        let Self { name, content_type, size, bytes } = self;
        let refused = |_| GraphError::not_sent("a file's type cannot be written", None);
        let file = Part::stream_with_length(bytes, size).file_name(name).mime_str(content_type);
        let with_field =
            |form: Form, (name, value): &(&str, &str)| form.text((*name).to_owned(), (*value).to_owned());
        let form = fields.iter().fold(Form::new().percent_encode_noop(), with_field);
        Ok(form.part("file", file.map_err(refused)?))
    }
}
