//! A list of people, taken over by the operator's command.

use std::{
    fmt::Write as _,
    fs,
    io::Write as _,
    process::{Command, Stdio},
};

use reqwest::{Body, Method};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    support::{Answer, Browser, Service, Visitor, World, command, eventually},
    terminal::left_pipe,
};

const LIST: &str = "\u{feff}الاسم;المدينة;رقم الهاتف\r\n\
    سارة;بغداد;٠٧٧٠ ١٢٣ ٤٥٦٧\r\n\
    Omar;Basra;nobody\r\n\
    \"Ali\r\nKhalid\";Basra;+964 780 123 4567\r\n\
    Sara;Mosul;00964 770 123 4567\r\n\
    Zaynab;Erbil;0770\r\n";

const OWNER: &str = "owner@palm.example";

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
    assert_eq!(world.operator(&import), "created 2\nknown 1\nrefused 2\nnot read: المدينة\n");
    let told = fs::read_to_string(&refused).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    assert!(lines[0].starts_with("line 3: the number is ") && lines[1].starts_with("line 7: the number is "));
    assert_eq!(world.operator(&import), "created 0\nknown 3\nrefused 2\nnot read: المدينة\n");
    for (search, total) in [("", 2), ("ساره", 1), ("ali khalid", 1), ("0780", 1), ("omar", 0)] {
        assert_eq!(totals(&world, search).await, total, "{search}");
    }

    let output = command(&world.secrets).args(&import[..4]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), told, "without a file: standard error");
    let output = command(&world.secrets).args(&import[..4]).stderr(left_pipe()).output().unwrap();
    assert!(output.status.success(), "nobody reads who is refused: {output:?}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "created 0\nknown 3\nrefused 2\nnot read: المدينة\n"
    );
    // What cannot be read ends with 2.
    for (arguments, code, words) in [
        (&[&world.workspace, &*list, "--refused", &list][..], 1, "overwrite"),
        (&[&world.workspace, "/nowhere.csv"], 2, "/nowhere.csv"),
        (&[&world.workspace, folder.path().to_str().unwrap()], 2, "the list cannot be read: "),
        (&["0197f3c2-7c1a-7e55-9d0e-000000000000", &list], 1, "there is no such workspace"),
    ] {
        let output = command(&world.secrets).args(["contacts", "import"]).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && said.contains(words), "{arguments:?}: {said}");
    }
    assert_eq!(fs::read_to_string(&list).unwrap(), LIST);
}

#[tokio::test]
async fn a_dry_run_says_what_an_import_would_find_and_writes_nothing() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.csv");
    fs::write(&list, LIST).unwrap();
    let import = ["contacts", "import", &world.workspace, list.to_str().unwrap(), "--dry-run"];
    let before = world.rows().await.all_counts().await;
    let said = "nothing was written; an import would say:\n";
    assert_eq!(world.operator(&import), format!("{said}created 2\nknown 1\nrefused 2\nnot read: المدينة\n"));
    assert_eq!(world.rows().await.all_counts().await, before);
    world.operator(&import[..4]);
    assert_eq!(world.operator(&import), format!("{said}created 0\nknown 3\nrefused 2\nnot read: المدينة\n"));
    let json: Value = serde_json::from_str(&world.operator(&[&import[..], &["--json"]].concat())).unwrap();
    assert_eq!(
        json,
        json!({ "created": 0, "known": 3, "refused": 2, "notRead": ["المدينة"], "dryRun": true })
    );
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

/// An owner's browser at a service.
async fn owner(world: &World, service: &Service, email: &str) -> Browser {
    Browser::joined(service.base_url(), &world.secrets, &world.workspace, email, "owner").await
}

async fn import(owner: &Browser, list: impl Into<Body>) -> Answer {
    let request = owner.request(Method::POST, "/contact-imports").header("content-type", "text/csv");
    Answer::to(request.body(list)).await
}

#[tokio::test]
async fn an_owner_s_list_is_taken_over_and_answered_with_what_is_refused() {
    let world = World::new().await;
    let owner = owner(&world, &world.service, OWNER).await;
    let first = import(&owner, LIST).await;
    assert_eq!((first.status, &first.body["created"], &first.body["known"]), (200, &json!(2), &json!(1)));
    let lines: Vec<&Value> =
        first.body["refusedRows"].as_array().unwrap().iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [3, 7], "{first:?}");
    assert!(first.text("/refusedRows/0/reason").starts_with("the number is "), "{first:?}");
    let again = import(&owner, LIST).await;
    assert_eq!((again.status, &again.body["created"], &again.body["known"]), (200, &json!(0), &json!(3)));
    assert_eq!(totals(&world, "").await, 2);
    let log = owner.get("/audit?limit=2").await;
    let rows = &log.body["rows"];
    assert_eq!((&rows[1]["action"], &rows[1]["details"]), (&json!("contacts.import_began"), &json!({})));
    let counts = json!({ "created": 0, "known": 3, "refused": 2 });
    assert_eq!((&rows[0]["action"], &rows[0]["details"]), (&json!("contacts.imported"), &counts));
    let empty = import(&owner, "").await;
    assert_eq!(
        empty.body,
        json!({ "created": 0, "known": 0, "refused": 0, "refusedRows": [], "notRead": [] })
    );
}

#[tokio::test]
async fn a_list_comes_in_pieces_of_any_length_up_to_the_limit() {
    let world = World::new().await;
    let small = Service::start_with(&world.secrets, &[("MESSAGING_IMPORT_LIMIT", "20000")]).await;
    let (unbounded, bounded) =
        (owner(&world, &world.service, OWNER).await, owner(&world, &small, "other@palm.example").await);
    let list: String = (0..2_300).fold(String::from("name,phone\n"), |mut list, number| {
        writeln!(list, "Zaynab {number},0770{number:07}").unwrap();
        list
    });
    // Announced, and found out on the way.
    import(&bounded, list.clone()).await.assert_error(413, "too long");
    let pieces = |list: &str| {
        let pieces: Vec<_> =
            list.as_bytes().chunks(777).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
        Body::wrap_stream(futures_util::stream::iter(pieces))
    };
    import(&bounded, pieces(&list)).await.assert_error(413, "too long, unannounced");
    assert!(totals(&world, "").await < 2_300, "what came before the limit may be there");
    let taken = eventually("a turn", async || {
        let taken = import(&unbounded, pieces(&list)).await;
        (taken.status != 409).then_some(taken)
    })
    .await;
    assert_eq!(taken.status, 200, "{taken:?}");
    let count = |name: &str| taken.body[name].as_u64().unwrap();
    assert_eq!((count("created") + count("known"), count("refused")), (2_300, 0));
    assert_eq!(totals(&world, "").await, 2_300);
}

#[tokio::test]
async fn of_a_list_that_breaks_off_no_half_row_is_taken_and_the_next_has_its_turn() {
    let world = World::new().await;
    let owner = owner(&world, &world.service, OWNER).await;
    let address = world.service.base_url().strip_prefix("http://").unwrap();
    let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /dashboard/api/contact-imports HTTP/1.1\r\nhost: {address}\r\nx-dashboard: 1\r\ncookie: {}\r\n\
         content-length: 1000\r\n\r\n07701234567,Sara\n0770123",
        owner.cookie.as_ref().unwrap()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let rows = world.rows().await;
    eventually("the beginning", async || {
        (rows.count("audit_log WHERE action = 'contacts.import_began'").await == 1).then_some(())
    })
    .await;
    import(&owner, LIST).await.assert_refused(409, "import_running", &json!({}), "one at a time");
    let mut visitor = Visitor::signed_in(world.service.base_url(), OWNER).await;
    for (path, fields) in [
        ("/dashboard/contacts/import", &[("rows", "07801234567")][..]),
        ("/dashboard/broadcasts/lists", &[("name", "a"), ("rows", "phone\n07801234567")]),
    ] {
        let refused = visitor.post(path, fields).await;
        assert_eq!(refused.status, 422, "{path}: {refused:?}");
        assert!(refused.html.contains("A list is being imported already."), "{path}: {}", refused.html);
    }
    drop(connection);
    let taken = eventually("a turn", async || {
        let taken = import(&owner, "07801234567").await;
        (taken.status == 200).then_some(taken)
    })
    .await;
    assert_eq!(taken.body["created"], 1, "{taken:?}");
    assert_eq!(rows.count("contacts").await, 1, "nothing of what broke off");
    assert_eq!(rows.count("audit_log WHERE action = 'contacts.imported'").await, 1);
}

#[tokio::test]
async fn an_owner_who_is_removed_meanwhile_writes_no_more_of_their_list() {
    let world = World::new().await;
    let first = owner(&world, &world.service, OWNER).await;
    let second = owner(&world, &world.service, "second@palm.example").await;
    let id = second.member_id().await;
    let address = world.service.base_url().strip_prefix("http://").unwrap();
    let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
    let rows = |from: u32| {
        (from..from + 700).fold(String::new(), |mut rows, number| {
            writeln!(rows, "0770{number:07}").unwrap();
            rows
        })
    };
    let (begin, rest) = (rows(0), rows(700));
    let head = format!(
        "POST /dashboard/api/contact-imports HTTP/1.1\r\nhost: {address}\r\nx-dashboard: 1\r\ncookie: {}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        second.cookie.as_ref().unwrap(),
        begin.len() + rest.len()
    );
    connection.write_all((head + &begin).as_bytes()).await.unwrap();
    let written = world.rows().await;
    eventually("the first part", async || (written.count("contacts").await == 500).then_some(())).await;
    assert_eq!(first.delete(&format!("/members/{id}")).await.status, 204);
    connection.write_all(rest.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("not_signed_in"), "{answer}");
    assert_eq!(written.count("contacts").await, 500);
    assert_eq!(written.count("audit_log WHERE action = 'contacts.imported'").await, 0);
    assert_eq!(import(&first, "07801234567").await.body["created"], 1, "the next has its turn");
}

#[tokio::test]
async fn a_list_that_is_packed_is_refused_and_says_why() {
    let world = World::new().await;
    let owner = owner(&world, &world.service, OWNER).await;
    for (encoding, is_taken) in [("gzip", false), ("br", false), ("identity", true)] {
        let request = owner.request(Method::POST, "/contact-imports").header("content-encoding", encoding);
        let answer = Answer::to(request.body(LIST)).await;
        if is_taken {
            assert_eq!(answer.status, 200, "{answer:?}");
        } else {
            answer.assert_refused(415, "content_encoding", &json!({}), encoding);
        }
    }
}
