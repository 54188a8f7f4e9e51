//! Answers as models give them: calls of one tool, or the same JSON in a text.

use serde_json::Value;

use super::super::{
    model::ToolCall,
    speech::{Answer, AnswerError},
    toolbox::ANSWER,
};
use crate::text::is_blank;

/// Reads the calls as one answer: acts of all of them in their order, each once. `beside` is a wording if no
/// call has one.
pub(super) fn read(calls: &[ToolCall], beside: &str) -> Result<Answer, AnswerError> {
    let mut all = Answer { acts: Vec::new(), wording: None };
    let mut wordings = Vec::new();
    for call in calls {
        let Answer { acts, wording } = call.arguments.parse()?;
        for act in acts {
            if !all.acts.contains(&act) {
                all.acts.push(act);
            }
        }
        wordings.push(wording);
    }
    // A wording of one of several answers is no wording of them all.
    let own = if wordings.len() == 1 { wordings.pop().flatten() } else { None };
    let beside = (!is_blank(beside)).then(|| beside.to_owned());
    all.wording = own.filter(|own| !is_blank(own)).or(beside);
    Ok(all)
}

/// Returns the answer that a text is or holds, as servers without calls write it; `None` for prose.
pub(super) fn written_in(text: &str) -> Option<String> {
    let is_acts = |value: &Value| value.get("acts").is_some();
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    let value: Value = serde_json::from_str(text.get(from..=to)?).ok()?;
    if is_acts(&value) {
        return Some(value.to_string());
    }
    // Some write the whole call.
    let of_call = |value: &Value| match value.get("arguments").or_else(|| value.get("parameters"))? {
        Value::String(arguments) => Some(arguments.clone()),
        arguments => is_acts(arguments).then(|| arguments.to_string()),
    };
    let is_answer = value.get("name").and_then(Value::as_str) == Some(ANSWER);
    of_call(&value).filter(|_| is_answer)
}

#[cfg(test)]
mod tests {
    use super::{ToolCall, read, written_in};

    fn call(arguments: &str) -> ToolCall {
        ToolCall {
            id: "c".to_owned(),
            name: "answer".to_owned(),
            arguments: arguments.to_owned(),
            state: None,
        }
    }

    #[test]
    fn an_answer_in_a_text_is_found_and_prose_is_none() {
        let acts = r#"{"acts":[{"act":"greet"}]}"#;
        for text in [
            acts.to_owned(),
            format!("```json\n{acts}\n```"),
            format!("Here it is:\n```\n{acts}\n```\nDone."),
            format!(r#"{{"name":"answer","arguments":{acts}}}"#),
            format!(r#"{{"name":"answer","parameters":{acts}}}"#),
            serde_json::json!({ "name": "answer", "arguments": acts }).to_string(),
        ] {
            assert_eq!(written_in(&text).as_deref(), Some(acts), "{text}");
        }
        for text in ["هلا بيكم", "", "{", "}{", r#"{"price":1}"#, r#"{"name":"sql","arguments":{"acts":[]}}"#]
        {
            assert_eq!(written_in(text), None, "{text}");
        }
    }

    #[test]
    fn several_answers_are_one_and_their_wordings_are_none() {
        let (greet, thank) =
            (r#"{"acts":[{"act":"greet"}],"wording":"Hi"}"#, r#"[{"act":"thank"},{"act":"greet"}]"#);
        let both = read(&[call(greet), call(thank)], "").unwrap();
        assert_eq!(
            both.acts.iter().map(super::super::super::speech::Act::name).collect::<Vec<_>>(),
            ["greet", "thank"]
        );
        assert_eq!(both.wording, None);
        assert_eq!(read(&[call(greet)], "Hello").unwrap().wording.as_deref(), Some("Hi"));
        assert_eq!(read(&[call(thank)], "Hello").unwrap().wording.as_deref(), Some("Hello"));
        assert!(read(&[call(greet), call("{")], "").is_err());
    }
}
