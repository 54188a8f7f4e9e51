//! Builds the use cases of the assistant.

use std::sync::Arc;

use adapter_assistant::ModelServer;
use adapter_http::Assistant;
use adapter_postgres::Stores;
use anyhow::Context;
use domain::{
    assistant::{
        ManageAssistant, ManageModelKey, ModelPrice, Models, OwnModels, ReadTurns, RunTools, TakeTurn,
        TryAssistant, WorkspaceModels,
        ports::{LanguageModel, Tools},
        rehearsal::{ManageQuestions, ManageRehearsals, ReadHandOvers, RunRehearsals},
    },
    attachments::ports::ObjectStore,
    catalogue::BrowseCatalogue,
    conversations::ShowTyping,
    customer_records::LookUpCustomer,
    knowledge::{LookUpKnowledge, ManageKnowledge},
    paging::Cursors,
    sending::SendReply,
    systems::CallSystem,
};

use super::{
    Foundation, UseCases,
    consent::{propose, request_booking},
    hand_over::hand_over,
    systems::{capture_lead, synonyms},
    wire,
};
use crate::{config::ModelConfig, network::CountedTyping, pdf::OwnPdfReader};

/// The installation's models, and the name of the first.
#[derive(Clone)]
pub struct Model {
    name: String,
    price: Option<ModelPrice>,
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
        let (keys, clock) = (&on.stores.assistants, &on.deps.clock);
        let own = config.own_keys.then(|| wire!(OwnModels { keys, model: first, clock }));
        let fallback = fallback.map(|server| -> Arc<dyn LanguageModel> { server });
        let (prices, reads_pictures) = (config.prices, config.reads_pictures);
        let models =
            WorkspaceModels { installation: Models { first, fallback, prices, reads_pictures }, own };
        Ok(Self { name: config.first.model.clone(), price: config.price(), models })
    }
}

fn tools(on: &Foundation, systems: &CallSystem, reply: Arc<SendReply>) -> Arc<dyn Tools> {
    let synonyms = synonyms(on);
    Arc::new(RunTools {
        catalogue: wire!(BrowseCatalogue { systems, synonyms }),
        knowledge: wire!(LookUpKnowledge { store: on.stores.knowledge, synonyms }),
        customers: wire!(LookUpCustomer { systems, customers: on.stores.customer_records }),
        leads: capture_lead(on),
        bookings: request_booking(on),
        propose: propose(on, systems.clone(), reply),
    })
}

pub fn take_turn(
    on: &Foundation,
    systems: CallSystem,
    use_cases: &UseCases,
    objects: &Arc<dyn ObjectStore>,
    model: Option<Model>,
) -> TakeTurn {
    let Foundation { stores, deps, .. } = on;
    let Stores {
        assistants, consent, conversations, customer_records, knowledge, messages, workspaces, ..
    } = stores;
    let reply = &use_cases.send_reply;
    wire!(
        TakeTurn {
            turns: assistants,
            settings: assistants,
            budget: assistants,
            conversations,
            customers: customer_records,
            knowledge,
            workspaces,
            messages,
            drafts: consent,
            objects,
            reply,
            deps
        },
        tools = tools(on, &systems, Arc::clone(reply)),
        typing =
            Arc::new(CountedTyping(wire!(ShowTyping { store: conversations, network: use_cases.networks }))),
        systems,
        model = model.map(|model| model.models),
        hand_over = hand_over(on, use_cases)
    )
}

/// Builds what owners use on the dashboard.
pub fn assistant(
    on: &Foundation,
    systems: CallSystem,
    model: Option<Model>,
    reply: Arc<SendReply>,
) -> Assistant {
    let Foundation { stores, deps, .. } = on;
    let Stores { knowledge, .. } = stores;
    let price = model.as_ref().and_then(|model| model.price);
    let (name, models) = model.map(|model| (model.name, model.models)).unzip();
    let own_keys = models.as_ref().is_some_and(|models| models.own.is_some());
    Assistant {
        rehearsals: rehearsals(on, name.clone()),
        manage: assistant_settings(on, name, price),
        key: model_key(on, own_keys),
        knowledge: wire!(
            ManageKnowledge { store: knowledge, deps },
            pdfs = Arc::new(OwnPdfReader::default())
        ),
        try_out: try_out(on, systems, models, reply),
        read: read_turns(on),
        questions: wire!(ManageQuestions { store: stores.assistants, deps }),
        hand_overs: wire!(ReadHandOvers { log: stores.assistants, clock: deps.clock }),
    }
}

fn try_out(
    on: &Foundation,
    systems: CallSystem,
    model: Option<WorkspaceModels>,
    reply: Arc<SendReply>,
) -> TryAssistant {
    let Foundation { stores, deps, .. } = on;
    let Stores { assistants, knowledge, workspaces, .. } = stores;
    wire!(
        TryAssistant {
            settings: assistants,
            budget: assistants,
            knowledge,
            workspaces,
            clock: deps.clock,
            ids: deps.ids
        },
        tools = tools(on, &systems, reply),
        systems,
        model
    )
}

/// Builds the beginning and stopping of runs through test questions; `model` is the name of the
/// installation's model.
fn rehearsals(on: &Foundation, model: Option<String>) -> ManageRehearsals {
    let Foundation { stores, deps, .. } = on;
    let Stores { assistants, knowledge, workspaces, .. } = stores;
    wire!(
        ManageRehearsals {
            store: assistants,
            questions: assistants,
            settings: assistants,
            knowledge,
            turns: assistants,
            workspaces,
            deps
        },
        model
    )
}

/// Builds what asks the questions of runs.
pub fn run_rehearsals(
    on: &Foundation,
    systems: CallSystem,
    model: Option<Model>,
    reply: Arc<SendReply>,
) -> RunRehearsals {
    let Foundation { stores, deps, .. } = on;
    let Stores { assistants, .. } = stores;
    let (name, models) = model.map(|model| (model.name, model.models)).unzip();
    wire!(
        RunRehearsals { store: assistants, settings: assistants, turns: assistants, clock: deps.clock },
        try_out = try_out(on, systems, models, reply),
        model = name
    )
}

/// Builds the owners' settings; `model` is the name of the installation's model, and `price` its price.
pub fn assistant_settings(
    on: &Foundation,
    model: Option<String>,
    price: Option<ModelPrice>,
) -> ManageAssistant {
    let Foundation { stores, deps, .. } = on;
    wire!(
        ManageAssistant { store: stores.assistants, contacts: stores.contacts, deps },
        rehearsals = rehearsals(on, model.clone()),
        model,
        price
    )
}

/// Builds the management of workspaces' own model keys, if they are `allowed`.
pub fn model_key(on: &Foundation, allowed: bool) -> ManageModelKey {
    wire!(ManageModelKey { keys: on.stores.assistants, deps: on.deps }, allowed)
}

/// Builds the log of turns, which also removes old ones.
pub fn read_turns(on: &Foundation) -> ReadTurns {
    let Foundation { stores, vault, deps, .. } = on;
    wire!(ReadTurns { log: stores.assistants, clock: deps.clock }, cursors = wire!(Cursors { vault }))
}
