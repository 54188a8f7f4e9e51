//! Translation of failed calls into the core's errors.

use domain::{channels::ports::NetworkError, sending::ports::SendFailure};
use graph_client::GraphError;
use serde_json::Value;

use crate::scrub::scrub;

/// Translates the failure of a send to `recipient`. The reasons are for the log and do not contain the
/// recipient.
pub(crate) fn of_send(error: GraphError, recipient: &str) -> SendFailure {
    let reason = |text: String| scrub(&text, Some(recipient));
    match error {
        GraphError::NotSent { reason: text, retry_after } => {
            SendFailure::NotSent { reason: reason(text), retry_after }
        }
        GraphError::Refused(refusal) => {
            SendFailure::Refused { code: refusal.code, subcode: refusal.subcode, message: refusal.words() }
        }
        GraphError::Unknown { reason: text } => SendFailure::Unknown { reason: reason(text) },
    }
}

/// Translates the failure of a question about an account.
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

#[cfg(test)]
mod tests {
    use domain::broadcasts::holds_for_all;
    use graph_client::{Class, Refusal, Surface, classify};

    use super::{GraphError, NetworkError, SendFailure, of_question, of_send};

    fn refused(details: Option<&str>) -> GraphError {
        GraphError::Refused(Refusal {
            code: 132_000,
            subcode: None,
            message: "(#132000) Number of parameters".to_owned(),
            details: details.map(str::to_owned),
            class: Class::Final,
        })
    }

    #[test]
    fn a_refusal_speaks_by_its_details_where_it_has_any() {
        let to = "+9647701234567";
        for (details, message) in [
            (Some("body: 1 of 2"), "body: 1 of 2"),
            (Some("  "), "(#132000) Number of parameters"),
            (None, "(#132000) Number of parameters"),
        ] {
            let message = message.to_owned();
            let of_send = of_send(refused(details), to);
            assert_eq!(
                of_send,
                SendFailure::Refused { code: 132_000, subcode: None, message: message.clone() }
            );
            assert_eq!(of_question(refused(details)), NetworkError::Refused { code: 132_000, message });
        }
    }

    #[test]
    fn a_refusal_has_the_network_s_own_code_and_what_tells_more_of_it() {
        for wanted in [Some(33), Some(2_494_010), None] {
            let refusal = Refusal {
                code: 100,
                subcode: wanted,
                message: "Unsupported post request".to_owned(),
                details: None,
                class: Class::Channel,
            };
            let told = of_send(GraphError::Refused(refusal), "+9647701234567");
            let SendFailure::Refused { code, subcode, .. } = told else { panic!("{told:?}") };
            assert_eq!((code, subcode), (100, wanted));
        }
    }

    #[test]
    fn what_no_message_can_help_holds_for_everybody_of_a_broadcast() {
        for code in (0..1_000).chain(130_000..140_000).chain(2_494_000..2_495_000) {
            let class = classify(code, None, 400, Surface::WhatsApp);
            let is_nobodys = matches!(class, Class::Channel | Class::Later);
            assert!(!is_nobodys || holds_for_all(code), "{code} is {class:?}");
        }
    }

    #[test]
    fn a_reason_for_the_log_does_not_name_the_recipient() {
        let to = "+9647701234567";
        let reason = || "to +964 770 123 4567".to_owned();
        let gone = "to …".to_owned();
        assert_eq!(
            of_send(GraphError::Unknown { reason: reason() }, to),
            SendFailure::Unknown { reason: gone.clone() }
        );
        assert_eq!(
            of_send(GraphError::NotSent { reason: reason(), retry_after: None }, to),
            SendFailure::NotSent { reason: gone, retry_after: None }
        );
    }
}
