//! Uploads of files before the message that names them (docs/run/networks.md, "Files and captions").

use domain::{
    attachments::StoredAttachment,
    sending::{Recipient, UploadedFile, ports::SendFailure},
};
use graph_client::{FormFile, GraphError};
use secrecy::SecretString;
use serde_json::Value;

use crate::{WhatsAppNetwork, failure};

impl WhatsAppNetwork {
    /// Uploads a file; returns its id at the network. Whatever fails here, nothing was sent to anybody.
    pub(super) async fn upload(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<UploadedFile, SendFailure> {
        let not_sent = |reason: &str| SendFailure::NotSent { reason: reason.to_owned(), retry_after: None };
        let files = self.files.as_ref().ok_or_else(|| not_sent("there is no place for files"))?;
        let opened = files.open(&file.key).await.map_err(|error| not_sent(&error.to_string()))?;
        let object = opened.ok_or_else(|| not_sent("the file is not where it was kept"))?;

        let content_type = file.content_type.as_str();
        let generic = format!("attachment.{}", file.content_type.extension());
        let name = file.title.as_deref().unwrap_or(&generic);
        let form = FormFile::new(name, content_type, object.size, object.bytes);
        let fields = [("messaging_product", "whatsapp"), ("type", content_type)];
        let path = format!("{from_network_id}/media");
        let answer: Result<Value, GraphError> = self.graph.post_file(&path, &fields, form, token).await;
        let answer = answer.map_err(|error| match failure::of_send(error, to.value()) {
            SendFailure::Unknown { reason } => SendFailure::NotSent { reason, retry_after: None },
            certain => certain,
        })?;
        let id = answer.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        id.map(|id| UploadedFile::new(id.to_owned()))
            .ok_or_else(|| not_sent("the network's answer names no file"))
    }
}
