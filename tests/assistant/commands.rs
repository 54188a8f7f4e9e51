//! What operators show and set of an assistant.

use std::process::Stdio;

use serde_json::json;

use super::{Chat, on};
use crate::support::command;

#[tokio::test]
async fn an_operator_sets_whether_an_assistant_answers_and_what_a_day_takes() {
    let chat = Chat::new(&on()).await;
    let world = &chat.counter.world;
    let workspace = world.workspace.as_str();
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.turn(1).await;
    let shown = world.operator(&["assistant", "show", workspace]);
    for line in ["mode       on\n", "model      none\n", "tokens     500000 a day\n", "facts      1\n"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let usage = world.operator(&["assistant", "usage", workspace]);
    assert!(usage.contains("  turns 1  answered 1  handed over 0  tokens read "), "{usage}");

    let set = world.operator(&["assistant", "set", workspace, "--mode", "off"]);
    assert!(set.contains("mode       off\n") && set.contains("tokens     500000 a day\n"), "{set}");
    let set = world.operator(&["assistant", "set", workspace, "--daily-tokens", "1000"]);
    assert!(set.contains("mode       off\n") && set.contains("tokens     1000 a day\n"), "{set}");
    let kept = chat.counter.owner.get("/assistant").await.body;
    assert_eq!((&kept["mode"], &kept["dailyTokens"]), (&json!("off"), &json!(1000)));
    assert_eq!(kept["facts"][0]["title"], json!("التوصيل"));
    let log = "SELECT action FROM audit_log WHERE action = 'assistant.changed'";
    assert_eq!(chat.rows.texts(log).await.len(), 3);

    for (arguments, problem) in [
        (&["--mode", "on"][..], "has no language model"),
        (&["--mode", "test"], "`testNumbers`"),
        (&["--daily-tokens", "0"], "`dailyTokens` is 1 to"),
    ] {
        let refused = command(&world.secrets)
            .args(["assistant", "set", workspace])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(1) && said.contains(problem), "{said}");
    }
}
