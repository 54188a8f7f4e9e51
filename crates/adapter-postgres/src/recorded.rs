//! For tests: records of executed and explained statements, each text in a file of its own.
//!
//! `cargo xtask test` sets the folder, and evaluates its files when all tests have run.

use std::{
    collections::HashSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::{LazyLock, Mutex, PoisonError},
};

use diesel::connection::{Instrumentation, InstrumentationEvent};

use crate::traced::{Traced, text_of};

/// Folder of the records; `None` records nothing.
static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    #[expect(
        clippy::disallowed_methods,
        reason = "where tests leave what they find is no setting of the service"
    )]
    let folder = std::env::var_os("MESSAGING_TEST_STATEMENTS")?;
    (!folder.is_empty()).then(|| folder.into())
});

static KEPT: Mutex<Option<HashSet<(Kind, u64)>>> = Mutex::new(None);

/// What was done with a statement; each kind has a folder of its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Run by a connection of the pool.
    Executed,
    /// Explained by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "only this crate's own tests explain"))]
    Explained,
    /// Prepared with values of certain types.
    Typed,
}

/// Records a text. A failed write is noticed when the records are evaluated.
pub(crate) fn keep(kind: Kind, text: &str) {
    write(kind, text, || text.to_owned());
}

/// Records the types of a text's values, as numbers in `pg_type` with spaces between them.
pub(crate) fn keep_types(text: &str, types: &[u32]) {
    let numbers = || types.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    write(Kind::Typed, text, numbers);
}

fn write(kind: Kind, text: &str, content: impl FnOnce() -> String) {
    let Some(folder) = &*FOLDER else { return };
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.get_or_insert_default().insert((kind, hash)) {
        return;
    }
    drop(kept);
    let folder = folder.join(match kind {
        Kind::Executed => "executed",
        Kind::Explained => "explained",
        Kind::Typed => "types",
    });
    let _ = fs::create_dir_all(&folder);
    let _ = fs::write(folder.join(format!("{hash:016x}.sql")), content());
}

/// Instrumentation that records the text of each statement of its connection, without values.
pub(crate) struct Recorder(pub(crate) Traced);

impl Instrumentation for Recorder {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if let InstrumentationEvent::StartQuery { query, .. } = &event
            && FOLDER.is_some()
        {
            keep(Kind::Executed, &text_of(query));
        }
        self.0.on_connection_event(event);
    }
}
