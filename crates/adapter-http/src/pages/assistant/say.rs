//! Acts that an owner has worded, in place of a chat that is tried.

use domain::{
    assistant::{
        ActsToSay, SaidActs, SayError,
        speech::{Answer, AnswerError, Evidence, EvidenceError, Message, Voice},
    },
    channels::ChannelKind,
};
use serde::Serialize;

use super::super::act::Call;
use crate::problem::Problem;

/// A message as the customer would get it.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum MessageBody {
    Text {
        text: String,
    },
    /// The text is its caption; null where the network has none.
    Photo {
        url: String,
        text: Option<String>,
    },
    /// What the customer is asked to confirm.
    Summary {
        draft: String,
        text: String,
    },
}

impl From<Message> for MessageBody {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(text) => Self::Text { text },
            Message::Photo { url, caption } => Self::Photo { url: url.as_str().to_owned(), text: caption },
            Message::Summary { draft, text } => Self::Summary { draft, text },
        }
    }
}

/// Reads acts and their evidence, both JSON as the files of `messaging-service assistant say` have it.
pub(super) fn read(acts: &str, evidence: &str, language: &str, network: &str) -> Result<ActsToSay, Problem> {
    let one_of =
        |field: &str, names: &[&str]| Problem::invalid(format!("`{field}` is one of {}", names.join(", ")));
    let answer: Answer = acts.parse().map_err(|error| of_acts(&error))?;
    let evidence: Evidence =
        evidence.parse().map_err(|error: EvidenceError| Problem::invalid(format!("`evidence`: {error}")))?;
    let voice = Voice::read(language, None).ok_or_else(|| one_of("language", &Voice::TAGS))?;
    let networks = ChannelKind::ALL.map(ChannelKind::as_str);
    let channel = ChannelKind::read(network).ok_or_else(|| one_of("network", &networks))?;
    Ok(ActsToSay { answer, evidence, voice, channel })
}

/// Words acts by the owner's register and wordings.
pub(super) async fn say(call: &Call, acts: ActsToSay) -> Result<SaidActs, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.assistant.try_out.say(workspace, acts).await }).await
}

fn of_acts(error: &AnswerError) -> Problem {
    Problem::invalid(format!("`acts`: {error}"))
}

impl From<SayError> for Problem {
    fn from(error: SayError) -> Self {
        match error {
            SayError::Acts(error) => of_acts(&error),
            SayError::Wordings(error) => Self::invalid(format!("`wordings`: {error}")),
            SayError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_cannot_be_said_is_refused_by_its_field() {
        let acts = r#"[{"act":"greet"}]"#;
        assert!(read(acts, "{}", "ar", "whatsapp").is_ok());
        for (acts, evidence, language, network, why) in [
            (r#"[{"act":"promise"}]"#, "{}", "ar", "whatsapp", "`acts`: acts[0]: unknown variant `promise`"),
            ("hello", "{}", "ar", "whatsapp", "`acts`: neither a list of acts"),
            (acts, r#"{"prices":[]}"#, "ar", "whatsapp", "`evidence`: evidence: unknown field `prices`"),
            (acts, r#"{"slots":[{"id":1}]}"#, "ar", "whatsapp", "`evidence`: slots[0]: "),
            (acts, "{}", "fr", "whatsapp", "`language` is one of ar-IQ, ar, en, ckb"),
            (acts, "{}", "ar", "sms", "`network` is one of "),
        ] {
            let refused = read(acts, evidence, language, network).err().map(|problem| problem.to_string());
            assert!(refused.as_ref().is_some_and(|said| said.starts_with(why)), "{why}: {refused:?}");
        }
    }
}
