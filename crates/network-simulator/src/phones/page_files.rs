//! Files of a page's message.

use serde_json::{Map, Value};

use crate::chats::bubble::{Shown, text};
use crate::core::Core;

/// Lists the attachments of a page's message. A file that the simulator serves is shown by its path, so that
/// it opens under any name of the page's host.
pub(super) fn page_files(core: &Core, message: &Map<String, Value>) -> Vec<Shown> {
    let attachments = message.get("attachments").and_then(Value::as_array).into_iter().flatten();
    attachments
        .filter_map(|attachment| {
            let url = text(attachment, "/payload/url")?;
            let own = url.strip_prefix(core.base_url.as_str()).map(|path| format!("/{path}"));
            Some(Shown { kind: text(attachment, "/type")?, url: own.unwrap_or(url), name: None })
        })
        .collect()
}
