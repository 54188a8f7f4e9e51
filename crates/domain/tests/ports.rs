//! Every call of a store says first of which workspace it is, so that a store can be parted by workspaces.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use quote::ToTokens;
use syn::{FnArg, Item, TraitItem, TraitItemFn};

/// Calls that are of no one workspace, and why.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    (
        "the workspace is what the call finds out",
        &[
            "InvitationStore::find",
            "Journal::account_routes",
            "Journal::number_routes",
            "KeyStore::authenticate",
            "ResetStore::find",
            "ResetStore::reachable",
            "SessionStore::credentials",
            "SessionStore::resume",
        ],
    ),
    (
        "it asks which workspaces have work",
        &[
            "AttachmentQueue::workspaces_with_files",
            "BroadcastStore::workspaces_with_broadcasts",
            "CallLog::workspaces_with_old_calls",
            "ChannelHealth::workspaces_to_tell",
            "CommitmentStore::workspaces_with_commitments",
            "ConversationStore::departures",
            "DeliveryLog::workspaces_resending",
            "DeliveryQueue::due_workspaces",
            "DraftStore::workspaces_with_answers",
            "ImportJobStore::workspaces_with_imports",
            "Journal::workspaces_with_work",
            "KeyLog::workspaces_with_old_keys",
            "LeadStore::workspaces_with_leads",
            "LiveStore::stale",
            "LiveStore::stirred",
            "MessageSearchStore::workspaces_without_words",
            "PageStore::due_pages",
            "PreparedReplies::workspaces_with_replies",
            "QuietStore::workspaces_to_sweep",
            "SystemStore::workspaces_to_verify",
            "TemplateStore::due",
            "TriggerQueue::workspaces_with_triggers",
            "TurnLog::workspaces_with_old_turns",
            "RehearsalStore::workspaces_with_rehearsals",
            "TurnStore::workspaces_with_turns",
            "WaitingStore::workspaces_where_customers_wait",
            "UnnamedContacts::workspaces_with_unnamed",
            "UploadStore::workspaces_with_unused",
        ],
    ),
    ("it makes the workspace", &["WorkspaceStore::create"]),
    ("an operator looks for the workspace", &["WorkspaceStore::list"]),
    (
        "tries are counted by a hash, of a client's address too, before anybody is known",
        &[
            "SessionStore::attempts_of",
            "SessionStore::forgive_attempts",
            "SessionStore::give_back_attempt",
            "SessionStore::take_attempts",
        ],
    ),
    (
        "what nobody could read may be of no workspace, and operators look through all of it",
        &[
            "Journal::quarantine",
            "Quarantine::discard",
            "Quarantine::list",
            "Quarantine::open",
            "Quarantine::replay",
            "Quarantine::size",
        ],
    ),
    ("it reads what it is given, and keeps nothing", &["PdfReader::read"]),
    (
        "it is about the database as a whole: its keys, its partitions, its clock, how full it is",
        &[
            "DeliveryQueue::depth",
            "KeyProbes::advance_key_probe",
            "KeyProbes::keep_key_probe",
            "KeyProbes::key_probe",
            "KeyProbes::replace_key_probe",
            "KeyProbes::traces",
            "LogKeeper::keep",
            "LogKeeper::now",
            "SealedValues::about_how_many",
            "Walk::step",
        ],
    ),
];

#[test]
fn a_call_of_a_store_takes_its_workspace_first_unless_it_says_why_not() {
    let mut calls = Vec::new();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        calls.extend(calls_of(&fs::read_to_string(file).unwrap()));
    }
    assert!(calls.len() > 100, "the ports are somewhere else: {calls:?}");
    let without: BTreeSet<&str> =
        calls.iter().filter(|(_, has_workspace)| !has_workspace).map(|(name, _)| name.as_str()).collect();
    let allowed: BTreeSet<&str> = EXCEPTIONS.iter().flat_map(|(_, names)| *names).copied().collect();
    let forgotten: Vec<_> = without.difference(&allowed).collect();
    assert!(forgotten.is_empty(), "`workspace: WorkspaceId` has to be their first argument: {forgotten:?}");
    let outdated: Vec<_> = allowed.difference(&without).collect();
    assert!(outdated.is_empty(), "these are no exceptions any more: {outdated:?}");
}

#[test]
fn a_call_without_a_workspace_is_found_wherever_else_it_hides_one() {
    let made_up = "
        pub trait ParcelStore: Send + Sync {
            async fn find(&self, workspace: WorkspaceId, id: ParcelId) -> Result<Option<Parcel>, StoreError>;
            async fn add(&self, parcel: &Parcel, entry: &AuditEntry) -> Result<(), StoreError>;
            async fn give(&self, id: ParcelId, workspace: WorkspaceId) -> Result<(), StoreError>;
            async fn move_to(&self, workspace: &Workspace) -> Result<(), StoreError>;
            async fn count(&self) -> Result<u64, StoreError>;
            fn weigh(&self, parcel: &Parcel) -> u64;
        }
        mod inner {
            pub trait Shelf { fn clear(&self) -> BoxFuture<'_, Result<(), crate::errors::StoreError>>; }
        }";
    let without: Vec<String> =
        calls_of(made_up).into_iter().filter(|(_, has)| !has).map(|(name, _)| name).collect();
    let wanted = ["add", "give", "move_to", "count"].map(|name| format!("ParcelStore::{name}"));
    assert_eq!(without, [&wanted[..], &["Shelf::clear".to_owned()]].concat());
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// What traits have that fails as a store does, each with whether its workspace comes first.
fn calls_of(source: &str) -> Vec<(String, bool)> {
    in_items(&syn::parse_file(source).unwrap().items)
}

fn in_items(items: &[Item]) -> Vec<(String, bool)> {
    let mut calls = Vec::new();
    for item in items {
        match item {
            Item::Mod(module) => {
                calls.extend(module.content.iter().flat_map(|(_, items)| in_items(items)));
            }
            Item::Trait(port) => calls.extend(port.items.iter().filter_map(|item| match item {
                TraitItem::Fn(call) if fails_as_a_store_does(call) => {
                    Some((format!("{}::{}", port.ident, call.sig.ident), has_workspace_first(call)))
                }
                _ => None,
            })),
            _ => {}
        }
    }
    calls
}

fn fails_as_a_store_does(call: &TraitItemFn) -> bool {
    let answer = call.sig.output.to_token_stream().to_string();
    answer.split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "StoreError")
}

fn has_workspace_first(call: &TraitItemFn) -> bool {
    let first = call.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(argument) => Some(argument.to_token_stream().to_string()),
        FnArg::Receiver(_) => None,
    });
    first.is_some_and(|first| first == "workspace : WorkspaceId")
}
