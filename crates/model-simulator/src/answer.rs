//! Answers of the stand-in.

/// A tool call, with its arguments as they are sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// An answer: text, or tool calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
}

impl Answer {
    pub(crate) fn words(text: &str) -> Self {
        Self { text: text.to_owned(), calls: Vec::new() }
    }

    pub(crate) fn call(name: &str, arguments: String) -> Self {
        Self { text: String::new(), calls: vec![Call { name: name.to_owned(), arguments }] }
    }
}
