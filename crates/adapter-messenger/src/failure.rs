//! Translation of failed calls into the core's errors.

use domain::{channels::ports::NetworkError, sending::ports::SendFailure};
use graph_client::GraphError;
use serde_json::Value;

/// Translates the failure of a send. The client's reasons quote nothing.
pub(crate) fn of_send(error: GraphError) -> SendFailure {
    match error {
        GraphError::NotSent { reason, retry_after } => SendFailure::NotSent { reason, retry_after },
        GraphError::Refused(refusal) => {
            SendFailure::Refused { code: refusal.code, subcode: refusal.subcode, message: refusal.words() }
        }
        GraphError::Unknown { reason } => SendFailure::Unknown { reason },
    }
}

/// Translates the failure of a question.
pub(crate) fn of_question(error: GraphError) -> NetworkError {
    match error {
        GraphError::NotSent { reason, .. } | GraphError::Unknown { reason } => {
            NetworkError::Unavailable(reason)
        }
        GraphError::Refused(refusal) => {
            NetworkError::Refused { code: refusal.code, message: refusal.words() }
        }
    }
}

/// Checks that an answer confirms the request, by its `success`.
pub(crate) fn confirmed(answer: &Value) -> Result<(), NetworkError> {
    if answer.get("success").and_then(Value::as_bool) == Some(true) {
        Ok(())
    } else {
        Err(NetworkError::Unavailable("the answer does not confirm the change".to_owned()))
    }
}
