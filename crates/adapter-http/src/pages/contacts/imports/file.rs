//! What a client says of an uploaded file.

use contact_file::Encoding;

use crate::{problem::Problem, query::Parameters};

/// Name and encoding of an uploaded file.
pub(in crate::pages) struct GivenFile {
    pub(in crate::pages) name: String,
    /// `None` to detect it from the bytes.
    pub(in crate::pages) encoding: Option<Encoding>,
}

pub(in crate::pages) fn encoding(parameters: &Parameters) -> Result<Option<Encoding>, Problem> {
    parameters.read("encoding", |name| name.parse().ok(), "`utf-8` or `windows-1256`")
}
