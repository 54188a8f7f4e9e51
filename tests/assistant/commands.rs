//! What operators show and set of an assistant.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{Chat, on};
use crate::support::command;

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "every option of one command, set and shown")]
async fn an_operator_sets_whether_an_assistant_answers_and_what_a_day_takes() {
    let chat = Chat::new(&on()).await;
    let world = &chat.counter.world;
    let workspace = world.workspace.as_str();
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    chat.turn(1).await;
    let shown = world.operator(&["assistant", "show", workspace]);
    for line in ["mode       on\n", "model      none\n", "tokens     2000000 a day\n", "facts      1\n"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let usage = world.operator(&["assistant", "usage", workspace]);
    let lines: Vec<Vec<&str>> = usage.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.len() == 2 && lines[0][0] == "DAY" && lines[1][1..4] == ["1", "1", "0"], "{usage}");
    let script = |arguments: &[&str]| -> Value {
        serde_json::from_str(&world.operator(&[arguments, &["--json"]].concat())).unwrap()
    };
    let usage = script(&["assistant", "usage", workspace]);
    assert_eq!((&usage["rows"][0]["turns"], &usage["rows"][0]["handedOver"]), (&json!(1), &json!(0)));

    let set = world.operator(&["assistant", "set", workspace, "--mode", "off"]);
    assert!(set.contains("mode       off\n") && set.contains("tokens     2000000 a day\n"), "{set}");
    let set = world.operator(&["assistant", "set", workspace, "--daily-tokens", "1000"]);
    assert!(set.contains("mode       off\n") && set.contains("tokens     1000 a day\n"), "{set}");
    let kept = chat.counter.owner.get("/assistant").await.body;
    assert_eq!((&kept["mode"], &kept["dailyTokens"]), (&json!("off"), &json!(1000)));
    assert_eq!(kept["facts"][0]["title"], json!("التوصيل"));
    assert_eq!(chat.rows.count("audit_log WHERE action = 'assistant.changed'").await, 3);

    let set = |arguments: &[&str]| {
        let mut set = command(&world.secrets);
        set.args(["assistant", "set", workspace]).args(arguments).stdin(Stdio::null()).output().unwrap()
    };
    for (arguments, problem) in [
        (&["--mode", "on"][..], "has no language model"),
        (&["--mode", "test"], "`testNumbers`"),
        (&["--daily-tokens", "0"], "`dailyTokens` is 1 to"),
    ] {
        let refused = set(arguments);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(1) && said.contains(problem), "{said}");
    }

    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let group = chat.counter.owner.post("/groups", &json!({ "name": "Sales" })).await;
    let facts = file("facts.json", r#"[{ "title": "الدوام", "text": "من 9 إلى 17", "en": "From 9 to 17" }]"#);
    let own = file("own.txt", "# ours\n[greet]\nهلا بيكم\n");
    let instructions = file("instructions", "لا تذكر المنافسين");
    let mut arguments =
        vec!["assistant", "set", workspace, "--test-number", "0770 999 9999", "--name", "نور"];
    arguments.extend(["--tone", "ودود", "--instructions-file", &instructions, "--facts-file", &facts]);
    let told = file(
        "hand-over.json",
        r#"{ "en": "Sara answers you.", "arWhenClosed": "نفتح {when}", "ckb": "سارا وەڵامتان دەداتەوە." }"#,
    );
    arguments.extend(["--hand-over-file", &told]);
    let own = format!("ar={own}");
    arguments.extend([
        "--register",
        "formal",
        "--wordings",
        &own,
        "--introduces-itself",
        "false",
        "--rehearses-changes",
        "false",
    ]);
    arguments.extend(["--group", group.text("/id"), "--languages", "en,ar,ckb", "--tools", "searchProducts"]);
    world.operator(&arguments);
    let mut kept = chat.counter.owner.get("/assistant").await.body;
    assert!(kept.as_object_mut().unwrap().remove("tokensToday").unwrap().as_u64().unwrap() > 0);
    for (of_today, none) in [("rehearsal", json!(null)), ("costToday", json!("0")), ("currency", json!(null))]
    {
        assert_eq!(kept.as_object_mut().unwrap().remove(of_today), Some(none), "{of_today}");
    }
    let wanted = json!({
        "mode": "off", "testNumbers": ["+9647709999999"], "name": "نور", "tone": "ودود",
        "instructions": "لا تذكر المنافسين", "facts": [{ "title": "الدوام", "text": "من 9 إلى 17", "en": "From 9 to 17" }],
        "register": "formal", "wordings": { "ar": "# ours\n[greet]\nهلا بيكم\n", "en": null, "ckb": null },
        "introducesItself": false, "rehearsesChanges": false, "groupId": group.body["id"],
        "languages": ["en", "ar", "ckb"], "dailyTokens": 1000,
        "tools": ["searchProducts"], "model": "stand-in", "key": null, "dailyTurns": 0,
        "handOver": {
            "ar": null, "en": "Sara answers you.", "arWhenClosed": "نفتح {when}", "enWhenClosed": null,
            "ckb": "سارا وەڵامتان دەداتەوە.", "ckbWhenClosed": null, "minutes": 10,
        },
        "dailyBudget": null,
    });
    assert_eq!(kept, wanted);
    let mut shown = script(&["assistant", "show", workspace]);
    // The command is run where no model is set.
    shown["model"] = json!("stand-in");
    assert_eq!(shown, wanted);
    world.operator(&["assistant", "set", workspace, "--name", "", "--group", "", "--tools", "all"]);
    let none = format!("ar={}", file("none.txt", "\n"));
    world.operator(&["assistant", "set", workspace, "--wordings", &none]);
    let kept = chat.counter.owner.get("/assistant").await.body;
    assert_eq!(kept["wordings"]["ar"], json!(null), "the service's own words are back");
    assert_eq!((&kept["name"], &kept["groupId"], &kept["tools"]), (&json!(null), &json!(null), &json!(null)));
    assert_eq!(kept["tone"], json!("ودود"));

    let broken = file("broken.json", r#"{ "title": "الدوام" }"#);
    let wrong = format!("en={}", file("wrong.txt", "[greet]\nCall 0770"));
    for (arguments, problem, code) in [
        (&["--facts-file", broken.as_str()][..], "no JSON list", 2),
        (&["--hand-over-file", broken.as_str()], "no JSON object", 2),
        (&["--facts-file", "/no/such/file"], "cannot be read", 2),
        (&["--instructions-file", "/no/such/file"], "cannot be read", 2),
        (&["--wordings", "en=/no/such/file"], "cannot be read", 2),
        (&["--wordings", wrong.as_str()], "`wordings.en`: line 2: a wording has no digit", 1),
        (&["--wordings", "fr=file"], "a language and a file", 2),
        (&["--test-number", "12"], "--test-number", 2),
        (&["--group", "sales"], "the id of a group", 2),
        (&["--group", "0199b9f0-0000-7000-8000-000000000001"], "no such group", 1),
    ] {
        let refused = set(arguments);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(code) && said.contains(problem), "{arguments:?}: {said}");
    }
    // Without anything to change, with a tool or a language that there is not: nothing is begun.
    for arguments in [&[][..], &["--tools", "dropTables"], &["--languages", "fr"]] {
        let refused = set(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
    }
}
