//! A store for each noun, over one database.

use std::sync::Arc;

use crate::{
    Database, access::PgAccess, assistant::PgAssistants, attachments::PgAttachments,
    automations::PgAutomations, broadcasts::PgBroadcasts, canned_replies::PgCannedReplies,
    catalogue::PgCatalogue, channels::PgChannels, consent::PgConsent, contacts::PgContacts,
    conversations::PgConversations, customer_records::PgCustomerRecords, groups::PgGroups,
    inbound::PgInbound, knowledge::PgKnowledge, live::PgLive, messages::PgMessages, notes::PgNotes,
    presence::PgPresence, sending::PgSends, systems::PgSystems, templates::PgTemplates,
    vault::PgSealedValues, webhooks::PgWebhooks, workspaces::PgWorkspaces,
};

/// The stores of every noun. Clones share their connections.
#[derive(Clone)]
pub struct Stores {
    /// Connection pools that all stores use.
    pub database: Database,
    /// Members, sessions and sign-in, API keys and the audit log.
    pub access: Arc<PgAccess>,
    /// Assistants and their turns.
    pub assistants: Arc<PgAssistants>,
    /// Files of messages, and files that members upload.
    pub attachments: Arc<PgAttachments>,
    /// Rules, the messages that trigger them, and quiet conversations.
    pub automations: Arc<PgAutomations>,
    /// Broadcasts, their lists, and marketing opt-outs.
    pub broadcasts: Arc<PgBroadcasts>,
    /// Short texts that members answer with.
    pub canned_replies: Arc<PgCannedReplies>,
    /// Synonyms for product search.
    pub catalogue: Arc<PgCatalogue>,
    /// Accounts at the networks, and their numbers and pages.
    pub channels: Arc<PgChannels>,
    /// Drafts, commitments, prepared replies, and requests for appointments.
    pub consent: Arc<PgConsent>,
    /// Contacts.
    pub contacts: Arc<PgContacts>,
    /// Conversations, their tags, and the team's inbox.
    pub conversations: Arc<PgConversations>,
    /// Customers' records in their workspaces' own systems.
    pub customer_records: Arc<PgCustomerRecords>,
    /// Groups of members.
    pub groups: Arc<PgGroups>,
    /// Updates of the networks, journaled and recorded.
    pub inbound: Arc<PgInbound>,
    /// Documents that assistants may cite.
    pub knowledge: Arc<PgKnowledge>,
    /// Live updates of browsers.
    pub live: Arc<PgLive>,
    /// Messages, and the life of each.
    pub messages: Arc<PgMessages>,
    /// Members' notes on conversations.
    pub notes: Arc<PgNotes>,
    /// Presence of members in conversations.
    pub presence: Arc<PgPresence>,
    /// The ledger of sends.
    pub sends: Arc<PgSends>,
    /// Systems that workspaces have connected, and the log of their calls.
    pub systems: Arc<PgSystems>,
    /// Templates as last read from the networks.
    pub templates: Arc<PgTemplates>,
    /// All sealed values, and the probe that identifies their keys.
    pub sealed_values: Arc<PgSealedValues>,
    /// Webhook addresses, the queue of deliveries, and their log.
    pub webhooks: Arc<PgWebhooks>,
    /// Workspaces and their plans.
    pub workspaces: Arc<PgWorkspaces>,
}

impl Stores {
    /// Creates all stores over one database.
    pub fn over(database: Database) -> Self {
        let own = || database.clone();
        Self {
            access: Arc::new(PgAccess::over(own())),
            assistants: Arc::new(PgAssistants { database: own() }),
            attachments: Arc::new(PgAttachments { database: own() }),
            automations: Arc::new(PgAutomations { database: own() }),
            broadcasts: Arc::new(PgBroadcasts { database: own() }),
            canned_replies: Arc::new(PgCannedReplies { database: own() }),
            catalogue: Arc::new(PgCatalogue { database: own() }),
            channels: Arc::new(PgChannels { database: own() }),
            consent: Arc::new(PgConsent { database: own() }),
            contacts: Arc::new(PgContacts { database: own() }),
            conversations: Arc::new(PgConversations { database: own() }),
            customer_records: Arc::new(PgCustomerRecords { database: own() }),
            groups: Arc::new(PgGroups { database: own() }),
            inbound: Arc::new(PgInbound::over(own())),
            knowledge: Arc::new(PgKnowledge { database: own() }),
            live: Arc::new(PgLive { database: own() }),
            messages: Arc::new(PgMessages { database: own() }),
            notes: Arc::new(PgNotes { database: own() }),
            presence: Arc::new(PgPresence { database: own() }),
            sends: Arc::new(PgSends::over(own())),
            systems: Arc::new(PgSystems { database: own() }),
            templates: Arc::new(PgTemplates { database: own() }),
            sealed_values: Arc::new(PgSealedValues { database: own() }),
            webhooks: Arc::new(PgWebhooks { database: own() }),
            workspaces: Arc::new(PgWorkspaces { database: own() }),
            database,
        }
    }
}
