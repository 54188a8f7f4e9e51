//! Who may post.

use adapter_whatsapp::WhatsAppWebhook;
use domain::inbound::ports::NetworkWebhook;
use graph_client::{signature, webhook::Gate};
use secrecy::SecretString;
use serde_json::Value;

use super::webhook;

#[test]
fn the_handshake_takes_the_agreed_token_only() {
    let agreed = webhook();
    assert!(agreed.accepts_handshake("agreed"));
    for token in ["", "agree", "agreed ", "Agreed", "سر"] {
        assert!(!agreed.accepts_handshake(token), "{token}");
    }
    let nothing_agreed =
        WhatsAppWebhook::new(Gate::new(SecretString::from("app secret"), SecretString::from("")));
    assert!(!nothing_agreed.accepts_handshake(""));
}

#[test]
fn the_signature_is_over_the_escaped_bytes_as_they_came() {
    let raw = br#"{"object":"whatsapp_business_account","entry":[],"note":"\u0645\u0631 \ud83d\ude00 \/"}"#;
    let signature = signature::sign(&SecretString::from("app secret"), raw);
    assert!(webhook().is_signed(raw, &signature));

    let written_again = serde_json::from_slice::<Value>(raw).unwrap().to_string();
    assert!(!webhook().is_signed(written_again.as_bytes(), &signature));
    for forged in ["", "sha256=", "sha256=00", signature.trim_start_matches("sha256=")] {
        assert!(!webhook().is_signed(raw, forged), "{forged}");
    }
}
