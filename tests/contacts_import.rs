//! A list of people, taken over by the operator's command.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use crate::support::{World, command, eventually};

const LIST: &str = "\u{feff}الاسم;المدينة;رقم الهاتف\r\n\
    سارة;بغداد;٠٧٧٠ ١٢٣ ٤٥٦٧\r\n\
    Omar;Basra;nobody\r\n\
    \"Ali\r\nKhalid\";Basra;+964 780 123 4567\r\n\
    Sara;Mosul;00964 770 123 4567\r\n\
    Zaynab;Erbil;0770\r\n";

async fn totals(world: &World, search: &str) -> u64 {
    world.api().get(&format!("/v1/contacts?search={search}")).await.body["total"].as_u64().unwrap()
}

#[tokio::test]
async fn a_list_is_taken_over_and_what_is_refused_is_told_by_line() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (list, refused) = (path("list.csv"), path("refused.txt"));
    fs::write(&list, LIST).unwrap();
    let import = ["contacts", "import", &world.workspace, &list, "--refused", &refused];
    assert_eq!(world.operator(&import), "created 2\nknown 1\nrefused 2\n");
    let told = fs::read_to_string(&refused).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lines[0].starts_with("line 3: the number is ") && lines[1].starts_with("line 7: the number is "));
    assert_eq!(world.operator(&import), "created 0\nknown 3\nrefused 2\n");
    for (search, total) in [("", 2), ("ساره", 1), ("ali khalid", 1), ("0780", 1), ("omar", 0)] {
        assert_eq!(totals(&world, search).await, total, "{search}");
    }

    let output = command(&world.secrets).args(&import[..4]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), told, "without a file: standard error");
    for (arguments, words) in [
        (&[&world.workspace, &*list, "--refused", &list][..], "overwrite"),
        (&[&world.workspace, "/nowhere.csv"], "/nowhere.csv"),
        (&["0197f3c2-7c1a-7e55-9d0e-000000000000", &list], "there is no such workspace"),
    ] {
        let output = command(&world.secrets).args(["contacts", "import"]).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(words), "{arguments:?}: {said}");
    }
    assert_eq!(fs::read_to_string(&list).unwrap(), LIST);
}

#[tokio::test]
async fn a_list_whose_import_was_killed_is_taken_over_whole_the_next_time() {
    let world = World::new().await;
    let list = (0..2_300).fold(String::new(), |mut list, number| {
        writeln!(list, "0770{number:07},Zaynab {number}").unwrap();
        list
    });
    let start = || -> Command {
        let mut command = command(&world.secrets);
        command.args(["contacts", "import", &world.workspace, "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    };
    let mut killed = start().spawn().unwrap();
    let input = killed.stdin.as_mut().unwrap();
    input.write_all(&list.as_bytes()[..list.len() * 2 / 3]).unwrap();
    input.flush().unwrap();
    let rows = world.rows().await;
    let before = eventually("two batches", async || {
        let count = rows.count("contacts").await;
        (count >= 1_000).then_some(count)
    })
    .await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(before < 2_300);

    let mut again = start().spawn().unwrap();
    again.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    let output = again.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let count = |word: &str| -> u64 {
        said.lines().find_map(|line| line.strip_prefix(word)).unwrap().trim().parse().unwrap()
    };
    assert_eq!((count("created") + count("known"), count("refused")), (2_300, 0), "{said}");
    assert!(count("known") >= 1_000, "{said}");
    assert_eq!(rows.count("contacts").await, 2_300);
    for (search, total) in [("", 2_300), ("za", 2_300), ("zaynab 2299", 1), ("nobody", 0)] {
        assert_eq!(totals(&world, search).await, total, "{search}");
    }
}
