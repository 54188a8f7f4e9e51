//! A request to a webhook, without its body.

/// What a request to a webhook says before its body. Without `Debug`, since tokens and signatures are in it.
#[derive(Clone, Default)]
pub struct Head {
    /// What the parts in braces of the webhook's path stand for, by their names.
    pub path: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    /// Headers that are text, by their names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        first(&self.headers, name)
    }

    /// Returns the first parameter of this name.
    pub fn query(&self, name: &str) -> Option<&str> {
        first(&self.query, name)
    }

    /// Returns what the part of this name stands for.
    pub fn path(&self, name: &str) -> Option<&str> {
        first(&self.path, name)
    }
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
