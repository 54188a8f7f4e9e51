//! Lists of people that an owner gives at the dashboard, and that are written in the background.

use std::fmt::Write as _;

use reqwest::{Body, Method};
use serde_json::{Value, json};

use crate::support::{Answer, Browser, Service, World, eventually};

const OWNER: &str = "owner@palm.example";
const PAGE: &str = "/dashboard/contacts/import";

async fn owner(world: &World) -> Browser {
    Browser::joined(world.service.base_url(), &world.secrets, &world.workspace, OWNER, "owner").await
}

/// Uploads a list as the page's script does.
async fn upload(owner: &Browser, name: &str, list: impl Into<Body>) -> Answer {
    let request = owner.request(Method::POST, "/contact-imports").query(&[("name", name)]);
    Answer::to(request.header("prefer", "respond-async").body(list)).await
}

/// The import once it has ended, with its refused rows.
async fn ended(owner: &Browser, id: &str) -> Value {
    eventually("the end of an import", async || {
        let found = owner.get(&format!("/contact-imports/{id}")).await;
        assert_eq!(found.status, 200, "{found:?}");
        (found.text("/job/state") == "finished").then_some(found.body)
    })
    .await
}

fn counts(import: &Value) -> [u64; 4] {
    ["people", "created", "known", "refused"].map(|count| import["job"][count].as_u64().unwrap())
}

#[tokio::test]
async fn a_list_whose_writing_was_killed_is_written_on_and_everybody_is_counted_once() {
    let mut world = World::new().await;
    let (mut owner, rows) = (owner(&world).await, world.rows().await);
    let mut visitor = owner.visitor();
    let list = (0..1_200).fold("name,phone\n".to_owned(), |mut list, number| {
        writeln!(list, "Zaynab {number},0770{number:07}").unwrap();
        list
    }) + "Omar,nobody\nSara,07700000000\n";

    // Somebody else writes one of the second part, and takes their time.
    let held = world.rows().await;
    let somebody = format!(
        "BEGIN; INSERT INTO contacts (workspace_id, id, phone, source, created_at)
         VALUES ('{}', gen_random_uuid(), '+9647700000700', 'import', now())",
        world.workspace
    );
    held.change(&somebody).await;
    let begun = visitor.post(PAGE, &[("rows", &list)]).await;
    assert_eq!(begun.status, 303, "{begun:?}");
    let id = begun.location.strip_prefix(&format!("{PAGE}/")).unwrap().to_owned();
    eventually("the middle", async || {
        let first = rows.count("import_jobs WHERE created = 500 AND state = 'running'").await;
        (first == 1 && rows.waits_for_another().await).then_some(())
    })
    .await;
    assert_eq!(rows.count("contacts").await, 500);
    let half = visitor.get(&begun.location).await.html;
    assert!(half.contains("max=\"1201\" value=\"500\"") && half.contains("It is no phone number."), "{half}");
    upload(&owner, "second.csv", "07801234567").await.assert_refused(
        409,
        "import_running",
        &json!({}),
        "two",
    );
    let second = visitor.post(PAGE, &[("rows", "07801234567")]).await;
    assert!(second.status == 422 && second.html.contains("A list is being imported already."), "{second:?}");

    world.service.kill();
    held.change("ROLLBACK").await;
    world.service = Service::start(&world.secrets).await;
    owner.moved_to(world.service.base_url());
    let import = ended(&owner, &id).await;
    assert_eq!(counts(&import), [1_201, 1_200, 1, 1]);
    assert_eq!(rows.count("contacts").await, 1_200);
    assert_eq!(rows.count("import_job_parts").await, 0);
    assert_eq!(rows.count("audit_log WHERE action = 'contacts.imported'").await, 1);
    let found = world.api().get("/v1/contacts?search=zaynab").await;
    assert_eq!(found.body["total"], 1_200);
    let shown = owner.get("/contact-imports").await;
    assert_eq!((shown.text("/rows/0/id"), shown.text("/rows/0/state")), (&*id, "finished"));
}

#[tokio::test]
async fn what_is_odd_about_a_list_is_told_row_by_row_and_what_is_none_is_refused() {
    let world = World::new().await;
    let owner = owner(&world).await;
    let long = "ع".repeat(4_096);
    let list = format!(
        "الاسم;رقم الهاتف;<b>المدينة</b>\r\n<script>alert(1)</script>;07701234567\r\n'=1+1;٠٧٧٠١٢٣٤٥٦٨\r\n{long};07701234569\r\n\
         Omar;nobody\r\n"
    );
    let list = [list.as_bytes(), b"\xff\xfe;07701234560\r\n"].concat();
    let taken = upload(&owner, "<b>people</b>.csv", list).await;
    assert_eq!((taken.status, taken.header("preference-applied")), (202, Some("respond-async")), "{taken:?}");
    let id = taken.text("/id").to_owned();
    assert_eq!(taken.header("location"), Some(&*format!("/dashboard/api/contact-imports/{id}")));
    let import = ended(&owner, &id).await;
    assert_eq!(counts(&import), [2, 2, 0, 3]);
    assert_eq!(import["job"]["notRead"], json!(["<b>المدينة</b>"]));
    let rows: Vec<_> = import["refusedRows"].as_array().unwrap().iter().collect();
    let told = rows.iter().map(|row| json!([row["line"], row["column"], row["code"]])).collect::<Vec<_>>();
    let wanted = [
        json!([4, "name", "name_length"]),
        json!([5, "phone", "not_a_number"]),
        json!([6, null, "not_text"]),
    ];
    assert_eq!(told, wanted);
    let names = world.rows().await.texts("SELECT name FROM contacts ORDER BY phone").await;
    assert_eq!(names, ["<script>alert(1)</script>", "=1+1"]);

    // A header that names no column of numbers.
    let taken = upload(&owner, "", "name,city\nSara,Erbil\n").await;
    let nobody = ended(&owner, taken.text("/id")).await;
    assert_eq!(counts(&nobody), [0, 0, 0, 2]);
    assert_eq!(nobody["job"]["notRead"], json!([]));
    let mut visitor = owner.visitor();
    let page = visitor.get(&format!("{PAGE}/{}", taken.text("/id"))).await.html;
    assert!(page.contains("Nobody of this list was taken.") && !page.contains("are not read"), "{page}");
    let page = visitor.get(&format!("{PAGE}/{id}")).await.html;
    assert!(
        page.contains("Columns and sheets that are not read: <bdi class=\"tag\">&#60;b&#62;المدينة"),
        "{page}"
    );
    let page = visitor.get(PAGE).await.html;
    assert!(page.contains("&#60;b&#62;people") && !page.contains("<b>people"), "{page}");

    for (name, list, said) in [
        ("empty.csv", &b""[..], "the list has no rows"),
        ("header.csv", b"phone,name\r\n\r\n", "the list has no rows"),
        ("latin.csv", b"phone,name\n0770,Zo\xeb\n0780,M\xfcller\n", "the list is not in UTF-8"),
        ("people.xlsx", b"PK\x03\x04\x14\0\x06\0", "save it as CSV"),
        (&*long, b"07701234567", "`name` has at most 255 characters"),
    ] {
        let refused = upload(&owner, name, list).await;
        assert!(refused.status == 400 && refused.text("/message").contains(said), "{said}: {refused:?}");
    }
    let plain = owner.request(Method::POST, "/contact-imports").query(&[("name", "a.csv")]);
    Answer::to(plain.body("07701234567")).await.assert_error(400, "a name of what is not followed");
    assert_eq!(owner.get("/contact-imports").await.body["rows"].as_array().unwrap().len(), 2);
    assert_eq!(owner.get("/contact-imports/nothing").await.status, 404);

    let small = Service::start_with(&world.secrets, &[("MESSAGING_IMPORT_LIMIT", "2000")]).await;
    let mut bounded = owner.clone();
    bounded.moved_to(small.base_url());
    upload(&bounded, "large.csv", "07701234567\n".repeat(400)).await.assert_error(413, "too large");
    assert_eq!(owner.get("/contact-imports").await.body["rows"].as_array().unwrap().len(), 2);
}
