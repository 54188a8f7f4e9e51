//! What a client says of an uploaded file.

use contact_file::Encoding;

use crate::{problem::Problem, query::Parameters};

/// Name and encoding of an uploaded file.
pub(crate) struct GivenFile {
    pub(crate) name: String,
    /// `None` to detect it from the bytes.
    pub(crate) encoding: Option<Encoding>,
}

pub(crate) fn encoding(parameters: &Parameters) -> Result<Option<Encoding>, Problem> {
    parameters.read("encoding", |name| name.parse().ok(), "`utf-8` or `windows-1256`")
}
