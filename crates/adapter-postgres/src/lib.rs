//! PostgreSQL implementations of all store ports.
//!
//! [`Stores`] has a store for each noun, over one [`Database`]; each folder has the rows and statements of
//! one noun. No business rule lives here: a statement is guarded by the state that the core decided on, and a
//! lost race is [`StoreError::Stale`](domain::errors::StoreError::Stale).

mod access;
mod assistant;
mod attachments;
mod audit;
mod automations;
mod bounds;
mod broadcasts;
mod canned_replies;
mod catalogue;
mod channels;
mod clock;
mod coalescer;
mod connect;
mod consent;
mod contacts;
mod conversations;
mod customer_records;
mod error;
#[cfg(test)]
#[cfg(feature = "testing")]
mod explained;
mod groups;
mod inbound;
mod knowledge;
mod live;
mod messages;
mod migrate;
mod notes;
mod notify_channel;
mod owners;
mod places;
mod pool;
mod prepared_replies;
mod presence;
#[cfg(feature = "testing")]
mod recorded;
mod schema;
#[cfg(test)]
#[cfg(feature = "testing")]
mod seeded;
mod sending;
mod sql;
#[cfg(test)]
mod statements;
mod statistics;
mod stored;
mod stores;
mod systems;
mod templates;
#[cfg(feature = "testing")]
pub mod testing;
mod traced;
mod transaction;
mod vault;
mod webhooks;
mod workspaces;

pub use access::PgAccess;
pub use assistant::PgAssistants;
pub use attachments::PgAttachments;
pub use automations::PgAutomations;
pub use broadcasts::PgBroadcasts;
pub use canned_replies::PgCannedReplies;
pub use catalogue::PgCatalogue;
pub use channels::PgChannels;
pub use clock::DatabaseClock;
pub use consent::PgConsent;
pub use contacts::PgContacts;
pub use conversations::PgConversations;
pub use customer_records::PgCustomerRecords;
pub use groups::PgGroups;
pub use inbound::{Holding, PgInbound};
pub use knowledge::PgKnowledge;
pub use live::PgLive;
pub use messages::PgMessages;
pub use migrate::{
    MigrateError, Migrated, MigrationBegun, MigrationNews, Told, migrate, migrate_distributed,
};
pub use notes::PgNotes;
pub use notify_channel::{Heard, PgNotifyChannel};
pub use pool::{Database, PoolConfig, PoolStatus};
pub use presence::PgPresence;
pub use sending::PgSends;
pub use stores::Stores;
pub use systems::PgSystems;
pub use templates::PgTemplates;
pub use vault::PgSealedValues;
pub use webhooks::PgWebhooks;
pub use workspaces::PgWorkspaces;
