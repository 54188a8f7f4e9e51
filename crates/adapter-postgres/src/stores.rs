//! A store for each noun, over one database.

use std::sync::Arc;

use crate::{
    Database, access::PgAccess, assistant::PgAssistants, attachments::PgAttachments,
    automations::PgAutomations, broadcasts::PgBroadcasts, canned_replies::PgCannedReplies,
    catalogue::PgCatalogue, channels::PgChannels, consent::PgConsent, contacts::PgContacts,
    conversations::PgConversations, customer_records::PgCustomerRecords, groups::PgGroups,
    inbound::PgInbound, live::PgLive, messages::PgMessages, notes::PgNotes, presence::PgPresence,
    sending::PgSends, systems::PgSystems, templates::PgTemplates, vault::PgSealedValues,
    webhooks::PgWebhooks, workspaces::PgWorkspaces,
};

/// The stores of every noun. Clones share their connections.
#[derive(Clone)]
pub struct Stores {
    /// What they are over.
    pub database: Database,
    /// Members and how they are let in, API keys and the log of changes.
    pub access: Arc<PgAccess>,
    /// Assistants and their turns.
    pub assistants: Arc<PgAssistants>,
    /// Files that come with messages, and files that members upload.
    pub attachments: Arc<PgAttachments>,
    /// Rules, what messages set off by them, and conversations that went quiet.
    pub automations: Arc<PgAutomations>,
    /// Approved templates to many people, and who wants no marketing.
    pub broadcasts: Arc<PgBroadcasts>,
    /// Short texts that members answer with.
    pub canned_replies: Arc<PgCannedReplies>,
    /// What helps finding products.
    pub catalogue: Arc<PgCatalogue>,
    /// Accounts at the networks, and their numbers and pages.
    pub channels: Arc<PgChannels>,
    /// What customers are asked to confirm, and wishes for appointments.
    pub consent: Arc<PgConsent>,
    /// People.
    pub contacts: Arc<PgContacts>,
    /// Conversations, their tags, and the team's inbox.
    pub conversations: Arc<PgConversations>,
    /// Customers as their systems know them.
    pub customer_records: Arc<PgCustomerRecords>,
    /// Groups of members.
    pub groups: Arc<PgGroups>,
    /// What networks tell, journaled and recorded.
    pub inbound: Arc<PgInbound>,
    /// What browsers are told at once.
    pub live: Arc<PgLive>,
    /// Messages, and the life of each.
    pub messages: Arc<PgMessages>,
    /// What members write to each other about conversations.
    pub notes: Arc<PgNotes>,
    /// Who is in a conversation right now.
    pub presence: Arc<PgPresence>,
    /// The ledger of sends.
    pub sends: Arc<PgSends>,
    /// Systems that workspaces have connected, and the log of calls.
    pub systems: Arc<PgSystems>,
    /// Templates as they were last read from the networks.
    pub templates: Arc<PgTemplates>,
    /// Every sealed value, and the values that tell the keys.
    pub sealed_values: Arc<PgSealedValues>,
    /// Webhook addresses, the queue of deliveries, and their log.
    pub webhooks: Arc<PgWebhooks>,
    /// Workspaces and their plans.
    pub workspaces: Arc<PgWorkspaces>,
}

impl Stores {
    /// All of them, over one database.
    pub fn over(database: Database) -> Self {
        let own = || database.clone();
        Self {
            access: Arc::new(PgAccess { database: own() }),
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
            inbound: Arc::new(PgInbound { database: own() }),
            live: Arc::new(PgLive { database: own() }),
            messages: Arc::new(PgMessages { database: own() }),
            notes: Arc::new(PgNotes { database: own() }),
            presence: Arc::new(PgPresence { database: own() }),
            sends: Arc::new(PgSends { database: own() }),
            systems: Arc::new(PgSystems { database: own() }),
            templates: Arc::new(PgTemplates { database: own() }),
            sealed_values: Arc::new(PgSealedValues { database: own() }),
            webhooks: Arc::new(PgWebhooks { database: own() }),
            workspaces: Arc::new(PgWorkspaces { database: own() }),
            database,
        }
    }
}
