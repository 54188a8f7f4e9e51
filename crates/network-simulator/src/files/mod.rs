//! Files that people and businesses send, and the addresses under which the network serves them.

mod samples;

use std::sync::Arc;

use actix_web::web::Bytes;

use crate::log::Recent;

pub(crate) use samples::sample;

/// A file that somebody sent, or that the business uploaded or had fetched.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) id: String,
    /// Number, page or Instagram account that it was sent to.
    pub(crate) channel_id: String,
    pub(crate) content_type: String,
    pub(crate) bytes: Bytes,
}

#[derive(Debug)]
pub(crate) struct Files {
    by_id: Recent<String, Arc<File>>,
}

impl Files {
    pub(crate) fn new(keep: usize) -> Self {
        Self { by_id: Recent::new(keep) }
    }

    pub(crate) fn put(&mut self, file: File) -> Arc<File> {
        let file = Arc::new(file);
        self.by_id.put(file.id.clone(), Arc::clone(&file));
        file
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<File>> {
        self.by_id.get(&id.to_owned()).cloned()
    }
}
