//! The command that words an answer of the assistant from files.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use domain::{
    assistant::speech::{Answer, Evidence, Message, Phrasebook, Rotation, Telling, Voice, judge},
    text::without_direction_controls,
};
use serde_json::{Value, json};

use super::{Unreadable, given, said::Said};
use crate::cli::SayArgs;

/// Most bytes read of a file.
const MOST: u64 = 1024 * 1024;

/// Words the acts, and tells whose words go out.
///
/// # Errors
/// Everything that cannot be read or said is the fault of a file.
pub fn say(arguments: &SayArgs) -> anyhow::Result<Said> {
    given_once(arguments)?;
    let SayArgs { acts, evidence, language, register, wording, own_wordings, network, turn } = arguments;
    let answer: Answer = read(acts, "acts")?.parse().with_context(|| refused("acts"))?;
    let evidence: Evidence = read(evidence, "evidence")?.parse().with_context(|| refused("evidence"))?;
    let voice = Voice::read(language, *register).with_context(|| Unreadable::new("--language"))?;
    let mut book = Phrasebook::shipped(voice)?;
    if let Some(own) = own_wordings {
        let own = read(own, "owner's wordings")?;
        book = book.with_own(&own).with_context(|| refused("owner's wordings"))?;
    }
    let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::of(b"", *turn) };
    let speech = telling.say(&answer.acts).with_context(|| refused("acts"))?;
    let wording = wording.as_deref().map(|file| read(file, "wording")).transpose()?.or(answer.wording);
    let verdict = wording.as_ref().map(|wording| judge(&book, &speech, wording));
    let messages = match (&verdict, &wording) {
        (Some(Ok(())), Some(wording)) => speech.in_words(wording).messages(*network),
        _ => speech.messages(*network),
    };
    let objection = verdict.as_ref().and_then(|verdict| verdict.as_ref().err()).map(ToString::to_string);
    let whose = if matches!(verdict, Some(Ok(()))) { "model" } else { "code" };
    let json = json!({
        "messages": messages.iter().map(message_json).collect::<Vec<_>>(),
        "words": whose,
        "objection": objection,
    });
    let mut text: Vec<_> = messages.iter().map(message_text).collect();
    text.extend(objection.map(|why| format!("(code's words, not the model's: {why})")));
    Ok(Said::new(text.join("\n\n"), &json))
}

/// Refuses more than one file on standard input: the first reader would take all of it.
fn given_once(arguments: &SayArgs) -> anyhow::Result<()> {
    let SayArgs { acts, evidence, wording, own_wordings, .. } = arguments;
    let files = [Some(acts), Some(evidence), wording.as_ref(), own_wordings.as_ref()];
    let from_stdin = |file: &&PathBuf| file.as_path() == Path::new(given::STDIN);
    if files.into_iter().flatten().filter(from_stdin).count() > 1 {
        bail!(Unreadable::new("standard input can hold one of the files"));
    }
    Ok(())
}

fn read(file: &Path, what: &str) -> anyhow::Result<String> {
    given::text(file, MOST)
        .with_context(|| Unreadable::new(format!("the file with the {what} cannot be read")))
}

fn refused(what: &str) -> Unreadable {
    Unreadable::new(format!("the file with the {what}"))
}

fn message_json(message: &Message) -> Value {
    match message {
        Message::Text(text) => json!({ "kind": "text", "text": text }),
        Message::Photo { url, caption } => json!({ "kind": "photo", "url": url.as_str(), "text": caption }),
        Message::Summary { draft, text } => json!({ "kind": "summary", "draft": draft, "text": text }),
    }
}

/// Shows a message as a phone would: without the marks that keep directions apart.
fn message_text(message: &Message) -> String {
    let text = without_direction_controls(message.text().unwrap_or_default());
    match message {
        Message::Text(_) => text.into_owned(),
        Message::Photo { url, .. } => format!("[photo {}]\n{text}", url.as_str()).trim_end().to_owned(),
        Message::Summary { draft, .. } => format!("[summary {draft}]\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use clap::Parser;

    use super::{Said, say};
    use crate::{
        cli::{AssistantCommand, Cli, Command},
        operate::is_unreadable,
    };

    fn example(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools/assistant-say").join(name)
    }

    fn run(words: &[&str]) -> anyhow::Result<Said> {
        let line = ["messaging-service", "assistant", "say"].iter().chain(words);
        match Cli::try_parse_from(line)?.command {
            Command::Assistant(AssistantCommand::Say(arguments)) => say(&arguments),
            command => anyhow::bail!("{command:?}"),
        }
    }

    #[test]
    fn the_example_of_the_page_is_said_in_every_language() {
        let (acts, evidence) = (example("acts.json"), example("evidence.json"));
        let (acts, evidence) = (acts.to_str().unwrap(), evidence.to_str().unwrap());
        for (language, register, price) in [
            ("ar-IQ", "dialect", "15,000 دينار"),
            ("ar", "formal", "15,000 دينار"),
            ("en", "formal", "15,000 IQD"),
            ("ckb", "dialect", "15,000 دینار"),
        ] {
            let words =
                ["--acts", acts, "--evidence", evidence, "--language", language, "--register", register];
            let said = run(&words).unwrap();
            assert!(said.printed(false).contains(price), "{}", said.printed(false));
            assert!(said.printed(false).starts_with("[photo https://"), "{}", said.printed(false));
            assert!(said.printed(true).contains(r#""words":"code""#), "{}", said.printed(true));
        }
    }

    #[test]
    fn a_models_wording_goes_out_if_it_says_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).unwrap();
            file.to_str().unwrap().to_owned()
        };
        let acts = file("acts", r#"[{"act":"quote","product":"milk","parts":["price"]}]"#);
        let evidence = example("evidence.json");
        for (wording, whose, printed) in [
            (
                "Hello! حليب نيدو 900 غم: 15,000 IQD.",
                r#""words":"model""#,
                "Hello! حليب نيدو 900 غم: 15,000 IQD.",
            ),
            ("It is free today.", r#""words":"code""#, "(code's words, not the model's: "),
        ] {
            let wording = file("wording", wording);
            let said = run(&[
                "--acts",
                &acts,
                "--evidence",
                evidence.to_str().unwrap(),
                "--language",
                "en",
                "--wording",
                &wording,
            ])
            .unwrap();
            assert!(said.printed(true).contains(whose), "{}", said.printed(true));
            assert!(said.printed(false).contains(printed), "{}", said.printed(false));
        }
        let own = file("own", "[quote.price]\nOnly with us: {title} at {price}\n");
        let said = run(&[
            "--acts",
            &acts,
            "--evidence",
            evidence.to_str().unwrap(),
            "--language",
            "en",
            "--own-wordings",
            &own,
        ])
        .unwrap();
        assert!(said.printed(false).starts_with("Only with us: "), "{}", said.printed(false));
    }

    #[test]
    fn a_file_that_cannot_be_said_ends_the_command_with_2_and_names_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let (acts, own) = (folder.path().join("acts"), folder.path().join("own"));
        fs::write(&acts, r#"[{"act":"thank"},{"act":"quote","product":"tea","parts":["price"]}]"#).unwrap();
        fs::write(&own, "[greet]\nHi {name}").unwrap();
        let (evidence, good) = (example("evidence.json"), example("acts.json"));
        for (acts, evidence, own, why) in [
            (
                &acts,
                &evidence,
                None,
                "acts[1] (quote) product: `tea` is not in this turn's evidence; it has `milk`",
            ),
            (&evidence, &evidence, None, "neither a list of acts nor an object"),
            (&good, &good, None, "evidence: "),
            (&good, &example("missing.json"), None, "the file with the evidence cannot be read"),
            (&good, &evidence, Some(&own), "line 2: `{name}` is no placeholder of `greet`"),
            (&PathBuf::from("-"), &PathBuf::from("-"), None, "standard input can hold one"),
        ] {
            let mut words = vec!["--acts", acts.to_str().unwrap(), "--evidence", evidence.to_str().unwrap()];
            words.extend(["--language", "en"]);
            words.extend(own.into_iter().flat_map(|own| ["--own-wordings", own.to_str().unwrap()]));
            let error = run(&words).unwrap_err();
            assert!(is_unreadable(&error), "{error:#}");
            assert!(format!("{error:#}").contains(why), "{error:#}");
        }
    }
}
