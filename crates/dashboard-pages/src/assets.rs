//! Scripts and the sign. Both are built into the program, under a path that changes with any of them, so that
//! browsers keep them for good. The style stands in the pages.

use std::borrow::Cow;

/// A file that pages load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    pub name: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

impl Asset {
    fn is_script(&self) -> bool {
        self.content_type.starts_with("text/javascript")
    }

    /// Returns the content that a browser needs: of a script, all but lines of comments and indentation.
    /// Lines are judged one by one, since no text of a script goes over the end of its line.
    pub fn lean(&self) -> Cow<'static, [u8]> {
        match std::str::from_utf8(self.bytes) {
            Ok(script) if self.is_script() => Cow::Owned(lean_script(script).into_bytes()),
            _ => Cow::Borrowed(self.bytes),
        }
    }
}

fn lean_script(script: &str) -> String {
    let mut in_comment = false;
    let is_code = |line: &&str| {
        let words = line.trim();
        if in_comment {
            in_comment = !words.ends_with("*/");
            return false;
        }
        let (is_block, ends) = (words.starts_with("/**"), words.contains("*/"));
        in_comment = is_block && !ends;
        // What follows a comment on its own line is code.
        !words.starts_with("//") && !(is_block && (!ends || words.ends_with("*/")))
    };
    script.split_inclusive('\n').filter(is_code).map(|line| line.trim_start_matches(' ')).collect()
}

/// Script of the worker that shows a page while nothing answers. Its path has no version: a browser keeps one
/// worker for a path.
pub const SERVICE_WORKER: &str = include_str!("../assets/service-worker.js");

macro_rules! assets {
    ($($name:literal: $content_type:literal;)*) => {
        const ASSETS: &[Asset] = &[$(Asset {
            name: $name,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../assets/", $name)),
        },)*];
    };
}

assets! {
    "page.js": "text/javascript; charset=utf-8";
    "alerts.js": "text/javascript; charset=utf-8";
    "attach.js": "text/javascript; charset=utf-8";
    "bubble.js": "text/javascript; charset=utf-8";
    "canned.js": "text/javascript; charset=utf-8";
    "composer.js": "text/javascript; charset=utf-8";
    "copy.js": "text/javascript; charset=utf-8";
    "dom.js": "text/javascript; charset=utf-8";
    "emoji.js": "text/javascript; charset=utf-8";
    "entries.js": "text/javascript; charset=utf-8";
    "file.js": "text/javascript; charset=utf-8";
    "forms.js": "text/javascript; charset=utf-8";
    "history.js": "text/javascript; charset=utf-8";
    "keys.js": "text/javascript; charset=utf-8";
    "live.js": "text/javascript; charset=utf-8";
    "menus.js": "text/javascript; charset=utf-8";
    "palette.js": "text/javascript; charset=utf-8";
    "patch.js": "text/javascript; charset=utf-8";
    "post.js": "text/javascript; charset=utf-8";
    "prefs.js": "text/javascript; charset=utf-8";
    "present.js": "text/javascript; charset=utf-8";
    "storage.js": "text/javascript; charset=utf-8";
    "switch.js": "text/javascript; charset=utf-8";
    "times.js": "text/javascript; charset=utf-8";
    "typed.js": "text/javascript; charset=utf-8";
    "unsent.js": "text/javascript; charset=utf-8";
    "upload.js": "text/javascript; charset=utf-8";
    "voice.js": "text/javascript; charset=utf-8";
    "icon.svg": "image/svg+xml";
}

/// Hash of all files (FNV-1a), which names their version.
const VERSION: u64 = {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut files: &[Asset] = ASSETS;
    while let [file, rest @ ..] = files {
        let mut bytes = file.bytes;
        while let [byte, after @ ..] = bytes {
            hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
            bytes = after;
        }
        files = rest;
    }
    hash
};

/// Returns the path of the files' folder.
pub fn assets_path() -> String {
    format!("/dashboard/assets/{VERSION:016x}")
}

/// Returns all files.
pub const fn assets() -> &'static [Asset] {
    ASSETS
}

/// Returns the file with this name; `None` for another version.
pub fn asset(version: &str, name: &str) -> Option<&'static Asset> {
    let right = version == format!("{VERSION:016x}");
    ASSETS.iter().find(|asset| right && asset.name == name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use domain::live::LiveKind;

    use super::{ASSETS, asset, assets_path, lean_script};

    fn text(name: &str) -> &'static str {
        let file = ASSETS.iter().find(|file| file.name == name).unwrap();
        std::str::from_utf8(file.bytes).unwrap()
    }

    #[test]
    fn scripts_lose_lines_of_comments_and_indents_and_nothing_else() {
        let script = "// Head\n\n/** One. */\nconst a = 1; // kept\n/**\n * Two.\n * @param {b} c\n */\n\
                      \u{20} /** @type {b} */ (c);\nconst d = \"/** \";\n  // In it.\n";
        assert_eq!(
            lean_script(script),
            "\nconst a = 1; // kept\n/** @type {b} */ (c);\nconst d = \"/** \";\n"
        );
        for file in ASSETS.iter().filter(|file| file.is_script()) {
            let over_an_end = |line: &&str| line.matches('`').count() % 2 == 1;
            assert_eq!(text(file.name).lines().find(over_an_end), None, "{}", file.name);
            assert!(file.lean().len() < file.bytes.len(), "{}", file.name);
        }
    }

    #[test]
    fn pages_listen_for_everything_that_the_feed_tells() {
        let list = text("live.js").split_once("const EVENTS = [").unwrap().1.split_once("];").unwrap().0;
        let mut listened: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        let mut told: Vec<&str> = LiveKind::ALL.into_iter().map(LiveKind::as_str).chain(["reset"]).collect();
        listened.sort_unstable();
        told.sort_unstable();
        assert_eq!(listened, told);
    }

    #[test]
    fn an_answer_is_sent_by_the_composer_s_script_alone() {
        assert!(text("forms.js").contains("form[data-again]"));
        let conversation = include_str!("../templates/inbox/conversation.html");
        assert!(conversation.contains("form class=\"composer\""));
        assert!(
            !conversation.contains(" data-again"),
            "what sends forms in the background would send it, too"
        );
    }

    #[test]
    fn every_script_that_another_loads_is_there() {
        for file in
            ASSETS.iter().filter(|file| Path::new(file.name).extension().is_some_and(|ext| ext == "js"))
        {
            for line in text(file.name).lines().filter(|line| line.starts_with("import ")) {
                let name = line.split('"').nth(1).and_then(|path| path.strip_prefix("./")).unwrap();
                assert!(ASSETS.iter().any(|other| other.name == name), "{}: {line}", file.name);
            }
        }
    }

    #[test]
    fn a_file_is_found_under_its_version_alone() {
        let path = assets_path();
        let version = path.rsplit('/').next().unwrap();
        assert!(asset(version, "page.js").is_some());
        assert_eq!(asset(version, "page"), None);
        assert_eq!(asset("0000000000000000", "page.js"), None);
    }
}
