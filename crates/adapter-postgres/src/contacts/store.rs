//! The store of contacts.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, OptionalExtension,
    QueryDsl, QueryResult, SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    contacts::{
        Contact, ContactFilter, ContactProfile, KeptSignal,
        ports::{ContactStore, FoundContacts, Naming},
    },
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    live::LiveKind,
    paging::PageRequest,
    phone::PhoneNumber,
};
use futures_util::future::try_join;

use super::{
    alias::current_contact,
    conversations::conversations_with,
    count::searchable,
    count::{count, recount},
    list,
    row::{ContactRow, ProfileRow, profile, with_contact},
    signals::SignalRow,
};
use crate::{
    audit::audit,
    contacts::PgContacts,
    error::{failed, unreadable},
    live::tell,
    schema::{channels, contact_signals, contacts},
    sql::{RunQueryDsl, insert},
    transaction::{Flight, Transaction},
};

#[async_trait]
impl ContactStore for PgContacts {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError> {
        let mut connection = self.database.connection().await?;
        let found = match (&filter.phone, &filter.search) {
            (None, None) => list::everybody(&connection, workspace, page).await,
            (Some(phone), search) => {
                list::with_number(&mut connection, workspace, phone, search.as_ref(), page).await
            }
            (None, Some(search)) => {
                list::found(&mut connection, self.database.topology(), workspace, search, page).await
            }
        };
        let (rows, total) = found.map_err(failed)?;
        Ok(FoundContacts {
            rows: rows.into_iter().map(ProfileRow::read).collect::<Result<_, _>>()?,
            total: u64::try_from(total).map_err(|_| unreadable("count"))?,
        })
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Option<ContactProfile>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq(current_contact(workspace, id)))
            .select(profile(workspace))
            .get_result::<ProfileRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(ProfileRow::read).transpose()
    }

    async fn signals(&self, workspace: WorkspaceId, id: ContactId) -> Result<Vec<KeptSignal>, StoreError> {
        let mut connection = self.database.connection().await?;
        let over =
            channels::id.eq(contact_signals::channel_id).and(channels::workspace_id.eq(workspace.uuid()));
        // An outer join, so that the plan starts with the contact. Every signal has its channel.
        let rows: Vec<(SignalRow, Option<String>)> = contact_signals::table
            .left_join(channels::table.on(over))
            .filter(contact_signals::workspace_id.eq(workspace.uuid()))
            .filter(contact_signals::contact_id.eq(current_contact(workspace, id)))
            .order((contact_signals::at.desc(), contact_signals::kind))
            .select((SignalRow::as_select(), channels::kind.nullable()))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(|(row, network)| row.read(network.as_deref())).collect()
    }

    async fn find_by_phone(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<ContactProfile>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::phone.eq(phone.as_str()))
            .select(profile(workspace))
            .get_result::<ProfileRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(ProfileRow::read).transpose()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        contact: &Contact,
        entry: Option<AuditEntry>,
    ) -> Result<bool, StoreError> {
        let added = self.write(workspace, std::slice::from_ref(contact), entry.as_ref()).await?;
        Ok(!added.is_empty())
    }

    async fn add_unknown(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
    ) -> Result<Vec<PhoneNumber>, StoreError> {
        self.write(workspace, contacts, None).await
    }

    async fn find_all_by_phone(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<Contact>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<ContactRow> = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::phone.eq_any(phones.iter().map(PhoneNumber::as_str).collect::<Vec<_>>()))
            .select(ContactRow::as_select())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ContactRow::read).collect()
    }

    async fn name(&self, workspace: WorkspaceId, naming: &Naming) -> Result<bool, StoreError> {
        let Naming { contact, name, only_if_unchanged, entry } = naming;
        let transaction = self.database.transaction().await?;
        let known = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq(contact.id.uuid()))
            .for_update()
            .select((contacts::name, contacts::phone, contacts::searchable))
            .get_result::<(Option<String>, Option<String>, String)>(&mut &*transaction);
        let conversations = conversations_with(&transaction, workspace, contact.id);
        let known = transaction.begin_with(try_join(known, conversations)).await.optional();
        let Some(((known_as, phone, before), conversations)) = known.map_err(failed)? else {
            return Ok(false);
        };
        let has_same_number = phone.as_deref() == contact.phone.as_ref().map(PhoneNumber::as_str);
        let has_same_name = known_as == contact.name;
        if !has_same_number || *only_if_unchanged && !has_same_name {
            return Ok(false);
        }
        let after = searchable(Some(name.as_str()), contact.phone.as_ref());
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(contacts::table)
                .filter(contacts::workspace_id.eq(workspace.uuid()))
                .filter(contacts::id.eq(contact.id.uuid()))
                .set((contacts::name.eq(name.as_str()), contacts::searchable.eq(&after))),
        );
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &conversations);
        tell(&mut flight, workspace, LiveKind::ContactsChanged, &[(None, None)]);
        if let Some(entry) = entry {
            audit(&mut flight, workspace, entry);
        }
        recount(&mut flight, workspace, contact.id, &before, &after);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }
}

impl PgContacts {
    /// Writes the contacts whose numbers are new, with the entry if any was written. Returns their numbers.
    async fn write(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
        entry: Option<&AuditEntry>,
    ) -> Result<Vec<PhoneNumber>, StoreError> {
        let transaction = self.database.transaction().await?;
        let added = insert_unknown(&transaction, workspace, contacts).await.map_err(failed)?;
        if added.is_empty() {
            return Ok(Vec::new());
        }
        let mut flight = transaction.flight();
        if let Some(entry) = entry {
            audit(&mut flight, workspace, entry);
        }
        tell(&mut flight, workspace, LiveKind::ContactsChanged, &[(None, None)]);
        count_added(&mut flight, workspace, &added);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(added.into_iter().filter_map(|contact| contact.phone.clone()).collect())
    }
}

/// Writes the contacts whose numbers are new and returns them. Begins the transaction if necessary.
pub(super) async fn insert_unknown<'c>(
    transaction: &Transaction,
    workspace: WorkspaceId,
    contacts: &'c [Contact],
) -> QueryResult<Vec<&'c Contact>> {
    if contacts.is_empty() {
        return Ok(Vec::new());
    }
    let added = with_contact(insert(contacts::table, workspace, contacts), |contact| contact)
        .column(contacts::searchable, searchable_of)
        .in_order_of(contacts::phone)
        .on_conflict_do_nothing()
        .returning(contacts::id);
    let mut connection: &AsyncPgConnection = transaction;
    let added: Vec<uuid::Uuid> = transaction.send(added.load(&mut connection)).await?;
    let added: HashSet<uuid::Uuid> = added.into_iter().collect();
    Ok(contacts.iter().filter(|contact| added.contains(&contact.id.uuid())).collect())
}

pub(super) fn count_added(flight: &mut Flight<'_>, workspace: WorkspaceId, added: &[&Contact]) {
    let counted: Vec<_> = added.iter().map(|contact| (contact.id, searchable_of(contact))).collect();
    count(flight, workspace, &counted);
}

fn searchable_of(contact: &Contact) -> String {
    searchable(contact.name.as_deref(), contact.phone.as_ref())
}
