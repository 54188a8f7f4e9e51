//! Builds the use cases of the assistant.

use std::sync::Arc;

use adapter_assistant::ModelServer;
use adapter_http::Assistant;
use anyhow::Context;
use domain::{
    appointments::RequestBooking,
    assistant::{
        ManageAssistant, ManageModelKey, Models, OwnModels, ReadTurns, RunTools, TakeTurn, TryAssistant,
        WorkspaceModels,
        ports::{LanguageModel, Tools},
    },
    catalogue::{BrowseCatalogue, ManageSynonyms, search::Synonyms},
    customer_records::{CaptureLead, LookUpCustomer},
    paging::Cursors,
    sending::SendReply,
    systems::CallSystem,
};

use super::{Foundation, UseCases, consent::propose, hand_over::hand_over};
use crate::config::ModelConfig;

/// The installation's models, and the name of the first.
#[derive(Clone)]
pub struct Model {
    name: String,
    models: WorkspaceModels,
}

impl Model {
    /// Makes clients of the configured servers; nothing is asked yet.
    pub fn of(on: &Foundation, config: &ModelConfig) -> anyhow::Result<Self> {
        let server = |config: &adapter_assistant::Config| -> anyhow::Result<Arc<ModelServer>> {
            let server = ModelServer::new(config.clone(), &on.trust).map_err(anyhow::Error::msg);
            Ok(Arc::new(server.context("the language model's server")?))
        };
        let first = server(&config.first)?;
        let fallback = config.fallback.as_ref().map(server).transpose()?;
        let own = config.own_keys.then(|| OwnModels {
            keys: on.stores.assistants.clone(),
            model: first.clone(),
            clock: on.deps.clock.clone(),
        });
        let fallback = fallback.map(|server| -> Arc<dyn LanguageModel> { server });
        let models = WorkspaceModels { installation: Models { first, fallback }, own };
        Ok(Self { name: config.first.model.clone(), models })
    }
}

fn tools(on: &Foundation, systems: &CallSystem, reply: Arc<SendReply>) -> Arc<dyn Tools> {
    let Foundation { stores, vault, deps, .. } = on.clone();
    let synonyms =
        ManageSynonyms { store: stores.catalogue.clone(), shipped: Synonyms::shipped(), deps: deps.clone() };
    Arc::new(RunTools {
        catalogue: BrowseCatalogue { systems: systems.clone(), synonyms: Arc::new(synonyms) },
        customers: LookUpCustomer { systems: systems.clone(), customers: stores.customer_records.clone() },
        leads: CaptureLead {
            leads: stores.customer_records.clone(),
            customers: stores.customer_records.clone(),
            systems: stores.systems.clone(),
            vault: vault.clone(),
            deps: deps.clone(),
        },
        bookings: RequestBooking {
            requests: stores.consent,
            customers: stores.customer_records,
            systems: stores.systems,
            vault,
            deps,
        },
        propose: propose(on, systems.clone(), reply),
    })
}

pub fn take_turn(
    on: &Foundation,
    systems: CallSystem,
    use_cases: &UseCases,
    model: Option<Model>,
) -> TakeTurn {
    let Foundation { stores, deps, .. } = on.clone();
    TakeTurn {
        turns: stores.assistants.clone(),
        settings: stores.assistants.clone(),
        budget: stores.assistants,
        conversations: stores.conversations,
        customers: stores.customer_records,
        workspaces: stores.workspaces,
        messages: stores.messages,
        drafts: stores.consent,
        tools: tools(on, &systems, Arc::clone(&use_cases.send_reply)),
        systems,
        model: model.map(|model| model.models),
        reply: Arc::clone(&use_cases.send_reply),
        hand_over: hand_over(on, use_cases),
        deps,
    }
}

/// Builds what owners use on the dashboard.
pub fn assistant(
    on: &Foundation,
    systems: CallSystem,
    model: Option<Model>,
    reply: Arc<SendReply>,
) -> Assistant {
    let Foundation { stores, deps, .. } = on.clone();
    let (name, models) = model.map(|model| (model.name, model.models)).unzip();
    let own_keys = models.as_ref().is_some_and(|models| models.own.is_some());
    Assistant {
        manage: assistant_settings(on, name),
        key: model_key(on, own_keys),
        try_out: TryAssistant {
            settings: stores.assistants.clone(),
            budget: stores.assistants,
            tools: tools(on, &systems, reply),
            systems,
            workspaces: stores.workspaces,
            model: models,
            clock: deps.clock,
            ids: deps.ids,
        },
        read: read_turns(on),
    }
}

/// Builds the owners' settings; `model` is the name of the installation's model.
pub fn assistant_settings(on: &Foundation, model: Option<String>) -> ManageAssistant {
    let Foundation { stores, deps, .. } = on.clone();
    ManageAssistant { store: stores.assistants, contacts: stores.contacts, model, deps }
}

/// Builds the management of workspaces' own model keys, if they are `allowed`.
pub fn model_key(on: &Foundation, allowed: bool) -> ManageModelKey {
    ManageModelKey { keys: on.stores.assistants.clone(), allowed, deps: on.deps.clone() }
}

/// Builds the log of turns, which also removes old ones.
pub fn read_turns(on: &Foundation) -> ReadTurns {
    let Foundation { stores, vault, deps, .. } = on.clone();
    ReadTurns { log: stores.assistants, cursors: Cursors { vault }, clock: deps.clock }
}
