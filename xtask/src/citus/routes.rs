//! The coordinator's route of a statement, found by running it with made-up values.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use tokio_postgres::{AsyncMessage, Client, NoTls, types::Type};

use super::values::{WORKSPACE, literal};
use crate::run::say;
use crate::statements::{beginning, reason};

/// Settings as on requests' connections; the coordinator also reports its commands to workers.
const SET_UP: &str = "SET plan_cache_mode = auto; SET jit = off; SET enable_seqscan = off;
    SET statement_timeout = '30s'; SET client_min_messages = notice; SET citus.log_remote_commands = on";

/// Runs of each statement: after five, a plan for all values could be chosen.
const RUNS: usize = 7;

/// SQLSTATE classes of errors that only made-up values cause: the statement was planned, and ran. They are
/// two rows instead of one (21), invalid data (22), rows that are missing or exist already (23), and a failed
/// guard (40).
const BY_VALUES: [&str; 4] = ["21", "22", "23", "40"];

/// A command to a worker, as the coordinator reports it.
struct Told {
    command: String,
    node: String,
}

pub(super) struct Route {
    text: String,
    nodes: BTreeSet<String>,
    commands: usize,
    /// Error because of which it did not run.
    refused: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    OneNode,
    Coordinator,
    SeveralWithReason,
    Several,
    Refused,
}

impl Route {
    fn kind(&self) -> Kind {
        match (&self.refused, self.nodes.len()) {
            (Some(_), _) => Kind::Refused,
            (None, 0) => Kind::Coordinator,
            (None, 1) => Kind::OneNode,
            _ if reason(&self.text).is_some() => Kind::SeveralWithReason,
            _ => Kind::Several,
        }
    }
}

/// Runs each statement, with the types of its values by their numbers, as far as they are known.
pub(super) async fn of_all(url: &str, statements: &[(String, Vec<u32>)]) -> anyhow::Result<Vec<Route>> {
    let (client, mut connection) = tokio_postgres::connect(url, NoTls).await?;
    let told: Arc<Mutex<Vec<Told>>> = Arc::default();
    let heard = Arc::clone(&told);
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notice(notice) = message
                && let Some(command) = notice.message().strip_prefix("issuing ")
            {
                let node = notice.detail().unwrap_or_default().split_whitespace().nth(2).unwrap_or_default();
                let told = Told { command: command.to_owned(), node: node.to_owned() };
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(told);
            }
        }
    });
    client.batch_execute(SET_UP).await?;
    let seed = format!(
        "INSERT INTO workspaces (workspace_id, name, locale, region, created_at)
         VALUES ('{WORKSPACE}', 'A workspace', 'ar', 'IQ', now())"
    );
    client.batch_execute(&seed).await.context("making a workspace")?;
    let mut routes = Vec::new();
    for (text, types) in statements {
        // An unknown type is left to the server.
        let known = types.iter().map(|number| Type::from_oid(*number).unwrap_or(Type::UNKNOWN));
        routes.push(of(&client, &told, text, &known.collect::<Vec<_>>()).await?);
    }
    Ok(routes)
}

async fn of(client: &Client, told: &Mutex<Vec<Told>>, text: &str, known: &[Type]) -> anyhow::Result<Route> {
    let mut route = Route { text: text.to_owned(), nodes: BTreeSet::new(), commands: 0, refused: None };
    let types: Vec<Type> = match client.prepare_typed(text, known).await {
        Ok(statement) => statement.params().to_vec(),
        Err(error) => {
            route.refused = Some(said(&error));
            return Ok(route);
        }
    };
    let declared: Vec<&str> = types.iter().map(Type::name).collect();
    let declared =
        if declared.is_empty() { String::new() } else { format!("({})", names(&types).join(", ")) };
    let values = types.iter().map(literal).collect::<Vec<_>>().join(", ");
    let values = if values.is_empty() { values } else { format!("({values})") };
    if let Err(error) = client.batch_execute(&format!("PREPARE made_up {declared} AS {text}")).await {
        route.refused = Some(said(&error));
        return Ok(route);
    }
    for _ in 0..RUNS {
        client.batch_execute("BEGIN").await?;
        mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        let ran = client.batch_execute(&format!("EXECUTE made_up {values}")).await;
        let told = mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        client.batch_execute("ROLLBACK").await?;
        // Commands that only open a transaction do not count.
        let commands = told
            .iter()
            .filter(|told| !told.command.starts_with("BEGIN") && !told.command.starts_with("SAVEPOINT"));
        route.commands = commands.clone().count();
        route.nodes = commands.map(|told| told.node.clone()).collect();
        if let Err(error) = ran {
            let by_values =
                error.code().is_some_and(|code| BY_VALUES.iter().any(|class| code.code().starts_with(class)));
            if !by_values {
                route.refused = Some(said(&error));
                break;
            }
        }
    }
    client.batch_execute("DEALLOCATE made_up").await?;
    Ok(route)
}

fn names(types: &[Type]) -> Vec<String> {
    let named = |of: &Type| match of.kind() {
        tokio_postgres::types::Kind::Array(element) => format!("{}[]", element.name()),
        _ => of.name().to_owned(),
    };
    types.iter().map(named).collect()
}

fn said(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), |said| format!("{} ({})", said.message(), said.code().code()))
}

/// Prints all routes; returns the number of unacceptable ones.
pub(super) fn tell(routes: &[Route]) -> usize {
    let mut by_kind: BTreeMap<Kind, Vec<&Route>> = BTreeMap::new();
    for route in routes {
        by_kind.entry(route.kind()).or_default().push(route);
    }
    for (kind, routes) in &by_kind {
        let title = match kind {
            Kind::OneNode => "run on the one node of their workspace",
            Kind::Coordinator => "run on the coordinator: they look up, or ask the server",
            Kind::SeveralWithReason => "read on several nodes, for a reason",
            Kind::Several => "run on several nodes, WITHOUT A REASON",
            Kind::Refused => "are REFUSED",
        };
        say(&format!("{} statements {title}", routes.len()));
        for route in routes {
            let why = match kind {
                Kind::Refused => route.refused.clone().unwrap_or_default(),
                Kind::SeveralWithReason => reason(&route.text).unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            let why = if why.is_empty() { why } else { format!("\n             {why}") };
            say(&format!(
                "  {:>2} commands, {} nodes: {}{why}",
                route.commands,
                route.nodes.len(),
                beginning(&route.text)
            ));
        }
    }
    [Kind::Several, Kind::Refused].iter().filter_map(|kind| by_kind.get(kind)).map(Vec::len).sum()
}
