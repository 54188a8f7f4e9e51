//! Every field of a contact is kept, shown, documented and, where people give it, taken in, imported and
//! logged.

use std::{collections::BTreeMap, sync::Arc};

use adapter_postgres::testing::TestDatabase;
use domain::{
    audit::{Acting, Action},
    contacts::{
        Columns, ContactName, ContactProfile, RenameContact, WrittenPerson,
        ports::{ContactStore, MockContactStore},
    },
    ids::MemberId,
    testing::{ManualClock, SequentialIds, a_contact, a_moment, a_vault, a_workspace, deps_of},
    workspaces::ports::WorkspaceStore,
};
use serde_json::{Value, json};

use crate::fields::{differences, fields, forgotten};

/// A field of a contact.
struct Field {
    /// Name in the domain's `Contact` or `ContactProfile`.
    name: &'static str,
    /// Name in the API.
    wire: &'static str,
    /// Source of its value.
    from: From,
}

/// Source of a field's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    /// The service or a network.
    Service,
    /// Whoever adds the person: by the API, and by a column of a list.
    Adding,
    /// As [`From::Adding`]; members may also change it afterwards, which the log of changes records.
    Team,
}

const FIELDS: [Field; 10] = [
    Field { name: "id", wire: "id", from: From::Service },
    Field { name: "name", wire: "name", from: From::Team },
    Field { name: "phone", wire: "phone", from: From::Adding },
    Field { name: "source", wire: "source", from: From::Service },
    Field { name: "created_at", wire: "createdAt", from: From::Service },
    Field { name: "avatar_url", wire: "avatarUrl", from: From::Service },
    Field { name: "channels", wire: "channels", from: From::Service },
    Field { name: "tags", wire: "tags", from: From::Service },
    Field { name: "conversations", wire: "conversations", from: From::Service },
    Field { name: "last_active_at", wire: "lastActiveAt", from: From::Service },
];

/// Where a field has to show.
struct Places<'a> {
    /// The document of the API, whose bodies the dashboard shares.
    document: &'a Value,
    /// The columns that a list can have.
    columns: &'a [String],
    /// What the log of changes tells of a change of all that members change.
    logged: &'a [String],
}

/// What is missing of the fields. `there` are those that the domain has.
fn faults(there: &[String], listed: &[Field], places: &Places<'_>) -> Vec<String> {
    let names: Vec<_> = listed.iter().map(|field| field.name).collect();
    let mut faults = differences(
        there,
        "is a field of a contact, and FIELDS does not say where it shows",
        &names,
        "is in FIELDS and no field of a contact",
    );
    for Field { name, wire, from } in listed {
        let has =
            |schema: &str| !places.document["components"]["schemas"][schema]["properties"][*wire].is_null();
        if !has("Contact") {
            faults.push(format!("`{wire}` is not in `Contact` of the API"));
        }
        if *from != From::Service {
            if !has("ContactForm") {
                faults.push(format!("`{wire}` cannot be given to a person who is added"));
            }
            if !places.columns.iter().any(|column| column == name) {
                faults.push(format!("`{name}` is no column of a list that is imported"));
            }
        }
        if *from == From::Team {
            if !has("ContactName") {
                faults.push(format!("`{wire}` cannot be changed by the API"));
            }
            if !places.logged.iter().any(|key| key == wire) {
                faults.push(format!("the log of changes does not tell of `{wire}`"));
            }
        }
    }
    faults
}

/// The keys that the log of changes has of a member's change of all there is to change.
async fn logged() -> Vec<String> {
    let mut store = MockContactStore::new();
    store.expect_find().returning(|_, _| Ok(Some(ContactProfile::without_conversations(a_contact()))));
    let (told, heard) = std::sync::mpsc::channel();
    store.expect_name().returning(move |_, naming| {
        told.send(naming.entry.clone()).unwrap();
        Ok(true)
    });
    let (clock, ids) = (Arc::new(ManualClock::at(a_moment())), Arc::new(SequentialIds::default()));
    let rename = RenameContact { store: Arc::new(store), deps: deps_of(clock, ids) };
    let (by, name) = (Acting::operator(a_workspace().id), ContactName::read("Sara").unwrap());
    rename.run_by(by, a_contact().id, &name).await.unwrap().unwrap();
    let mut told: Vec<String> = heard.recv().unwrap().unwrap().details.keys().cloned().collect();
    told.sort_unstable();
    told
}

/// The fields of a contact and of what is known of them besides.
fn there() -> Vec<String> {
    let profile = fields(&ContactProfile::without_conversations(a_contact()));
    let besides = profile.into_iter().filter(|name| name != "contact");
    fields(&a_contact()).into_iter().chain(besides).collect()
}

/// What a row of a list says of a person: nothing compiles until a new field of it is named here.
fn columns() -> Vec<String> {
    let WrittenPerson { phone: _, name: _ } = Columns::without_header().person(&[]);
    ["phone", "name"].map(str::to_owned).to_vec()
}

#[tokio::test]
async fn every_field_of_a_contact_shows_wherever_one_has_to() {
    let document = serde_json::from_str(adapter_http::openapi()).unwrap();
    let places = Places { document: &document, columns: &columns(), logged: &logged().await };
    let faults = faults(&there(), &FIELDS, &places);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn a_contact_is_kept_with_every_field() {
    let database = TestDatabase::fresh().await;
    let ids = Arc::new(SequentialIds::default());
    let stores = database.stores(Arc::new(a_vault()), ids.clone());
    let (workspace, contact) = (a_workspace(), a_contact());
    let entry = Acting::operator(workspace.id).does(Action::WorkspaceCreated, a_moment(), &*ids);
    WorkspaceStore::create(&*stores.workspaces, &workspace, MemberId::new(&*ids), "o@o.example", &entry)
        .await
        .unwrap();
    assert!(ContactStore::add(&*stores.contacts, workspace.id, &contact, None).await.unwrap());
    let found = ContactStore::find(&*stores.contacts, workspace.id, contact.id).await.unwrap().unwrap();
    assert_eq!(forgotten(&contact, &found.contact), Vec::<String>::new());
    assert_eq!(contact, found.contact);
}

/// Returns `birthday`, a field of the domain that the team sets.
fn birthday() -> (Vec<String>, [Field; 1]) {
    (vec!["birthday".to_owned()], [Field { name: "birthday", wire: "birthday", from: From::Team }])
}

fn document(schemas: &[&str]) -> Value {
    let schema = || json!({ "properties": { "birthday": { "type": "string" } } });
    let schemas: BTreeMap<_, _> = schemas.iter().map(|name| ((*name).to_owned(), schema())).collect();
    json!({ "components": { "schemas": schemas } })
}

#[test]
fn a_field_that_is_only_in_the_domain_is_missing_from_the_list() {
    let there = vec!["id".to_owned(), "birthday".to_owned()];
    let listed = [
        Field { name: "id", wire: "id", from: From::Service },
        Field { name: "gone", wire: "id", from: From::Service },
    ];
    let document = json!({ "components": { "schemas": { "Contact": { "properties": { "id": {} } } } } });
    let places = Places { document: &document, columns: &[], logged: &[] };
    assert_eq!(
        faults(&there, &listed, &places),
        [
            "`birthday` is a field of a contact, and FIELDS does not say where it shows",
            "`gone` is in FIELDS and no field of a contact",
        ]
    );
}

/// Fields that exist, and what is missing of them.
type Case<'a> = (&'a [&'a str], &'a [String], &'a [String], &'a [&'a str]);

#[test]
fn of_a_field_that_is_half_there_each_missing_half_is_named() {
    let (there, listed) = birthday();
    let all = ["Contact", "ContactForm", "ContactName"];
    let column = vec!["birthday".to_owned()];
    let cases: [Case<'_>; 6] = [
        (&all, &column, &column, &[]),
        (&all, &column, &[], &["the log of changes does not tell of `birthday`"]),
        (&all, &[], &column, &["`birthday` is no column of a list that is imported"]),
        (&["Contact", "ContactForm"], &column, &column, &["`birthday` cannot be changed by the API"]),
        (
            &["Contact", "ContactName"],
            &column,
            &column,
            &["`birthday` cannot be given to a person who is added"],
        ),
        (&["ContactForm", "ContactName"], &column, &column, &["`birthday` is not in `Contact` of the API"]),
    ];
    for (schemas, columns, logged, wanted) in cases {
        let document = document(schemas);
        assert_eq!(faults(&there, &listed, &Places { document: &document, columns, logged }), wanted);
    }
}
