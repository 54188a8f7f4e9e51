//! Looking at whom a broadcast would go to, and at what they would get.

use std::{collections::HashSet, sync::Arc};

use super::{
    Audience, Broadcast, BroadcastContent, BroadcastError, SkipReason,
    ports::{BroadcastStore, MarketingStopStore},
};
use crate::{
    contacts::{Contact, ContactName, directory::DirectoryRow, ports::ContactDirectory},
    errors::StoreError,
    ids::{ContactId, IdSource, MessageId, WorkspaceId},
    paging::Position,
    phone::{PhoneNumber, Region},
    sending::{Catalogue, Refusal, plan, ports::SendLedger},
    templates::Template,
};

/// People that are looked at for a preview; of more, it says that there are more.
pub const PREVIEWED: usize = 5_000;
/// People that are shown.
const SAMPLED: usize = 10;
/// People that are read at once.
pub(super) const PART: u32 = 500;

/// Somebody whom a broadcast would go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledPerson {
    /// Who.
    pub contact: ContactId,
    /// Their number.
    pub phone: PhoneNumber,
    /// Their name.
    pub name: Option<ContactName>,
    /// What they would get; where they would be left out, why.
    pub text: Result<String, SkipReason>,
}

/// Whom a broadcast would go to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPreview {
    /// People of the audience.
    pub people: u64,
    /// Whether these are all; otherwise there are more.
    pub complete: bool,
    /// Those without a number.
    pub without_number: u64,
    /// Those who would be left out, by why.
    pub skipped: Vec<(SkipReason, u64)>,
    /// Some of those with a number.
    pub sample: Vec<SampledPerson>,
    /// What speaks against sending it at all.
    pub refusal: Option<Refusal>,
}

/// Looks at audiences.
pub struct PreviewBroadcast {
    /// Where broadcasts are kept.
    pub store: Arc<dyn BroadcastStore>,
    /// Who wants no marketing.
    pub stops: Arc<dyn MarketingStopStore>,
    /// Everybody.
    pub directory: Arc<dyn ContactDirectory>,
    /// Templates and numbers.
    pub ledger: Arc<dyn SendLedger>,
    /// For ids that are never sent.
    pub ids: Arc<dyn IdSource>,
}

/// Some of an audience, and where to go on; `None` is its end.
pub(super) struct Part {
    pub(super) people: Vec<Contact>,
    pub(super) next: Option<Position>,
}

/// The next of an audience.
pub(super) async fn next_part(
    store: &dyn BroadcastStore,
    directory: &dyn ContactDirectory,
    workspace: WorkspaceId,
    region: Region,
    audience: &Audience,
    after: Option<Position>,
) -> Result<Part, StoreError> {
    // What was written down passed as it was written.
    let filter = audience.filter(region).map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let Some(filter) = filter else {
        let Audience::Chosen(contacts) = audience else { return Ok(Part { people: vec![], next: None }) };
        return Ok(Part { people: store.contacts(workspace, contacts).await?, next: None });
    };
    let found = directory.directory(workspace, &filter, PART, after).await?;
    let most = usize::try_from(PART).unwrap_or(usize::MAX);
    let mut rows = found.rows;
    let more = rows.len() > most;
    rows.truncate(most);
    let next = if more { rows.last().map(DirectoryRow::place) } else { found.reached };
    Ok(Part { people: rows.into_iter().map(|row| row.profile.contact).collect(), next })
}

/// A catalogue without the numbers whose sends are kept nowhere: nobody could follow those.
pub(super) async fn catalogue(
    ledger: &dyn SendLedger,
    workspace: WorkspaceId,
    content: &BroadcastContent,
) -> Result<Catalogue, StoreError> {
    let mut catalogue = ledger.catalogue(workspace, &content.template).await?;
    catalogue.numbers.retain(|number| !number.send_only);
    Ok(catalogue)
}

/// Whether what is sent is marketing: whoever wants none is left out.
pub(super) fn is_marketing(catalogue: &Catalogue) -> bool {
    catalogue.templates.iter().any(|template| template.category.eq_ignore_ascii_case("MARKETING"))
}

/// The name that a contact has for sends.
pub(super) fn name_of(contact: &Contact) -> Option<ContactName> {
    contact.name.as_deref().and_then(|name| ContactName::read(name).ok())
}

impl PreviewBroadcast {
    /// Whom it would go to now, and what they would get.
    ///
    /// # Errors
    /// See [`BroadcastError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        region: Region,
        content: &BroadcastContent,
        audience: &Audience,
    ) -> Result<BroadcastPreview, BroadcastError> {
        content.check()?;
        audience.filter(region)?;
        let catalogue = catalogue(&*self.ledger, workspace, content).await?;
        let marketing = is_marketing(&catalogue);
        let mut preview = BroadcastPreview {
            people: 0,
            complete: true,
            without_number: 0,
            skipped: SkipReason::ALL.map(|reason| (reason, 0)).to_vec(),
            sample: vec![],
            refusal: None,
        };
        let (mut after, mut seen) = (None, 0);
        loop {
            let part = next_part(&*self.store, &*self.directory, workspace, region, audience, after).await?;
            seen += part.people.len();
            self.look(workspace, content, &catalogue, marketing, part.people, &mut preview).await?;
            after = part.next;
            if after.is_none() || seen >= PREVIEWED {
                preview.complete = after.is_none();
                return Ok(preview);
            }
        }
    }

    async fn look(
        &self,
        workspace: WorkspaceId,
        content: &BroadcastContent,
        catalogue: &Catalogue,
        marketing: bool,
        people: Vec<Contact>,
        preview: &mut BroadcastPreview,
    ) -> Result<(), StoreError> {
        let phones: Vec<PhoneNumber> = people.iter().filter_map(|it| it.phone.clone()).collect();
        let stopped: HashSet<PhoneNumber> = if marketing {
            self.stops.stopped(workspace, &phones).await?.into_iter().collect()
        } else {
            HashSet::new()
        };
        for person in people {
            preview.people += 1;
            let Some(phone) = person.phone.clone() else {
                preview.without_number += 1;
                continue;
            };
            let name = name_of(&person);
            let text = if stopped.contains(&phone) {
                Err(SkipReason::MarketingStopped)
            } else {
                self.text(content, catalogue, &phone, name.as_ref(), preview)
            };
            if let Err(reason) = &text {
                for (_, count) in preview.skipped.iter_mut().filter(|(is, _)| is == reason) {
                    *count += 1;
                }
            }
            if preview.sample.len() < SAMPLED {
                preview.sample.push(SampledPerson { contact: person.id, phone, name, text });
            }
        }
        Ok(())
    }

    /// What somebody would get. What holds for everybody is noted once.
    fn text(
        &self,
        content: &BroadcastContent,
        catalogue: &Catalogue,
        phone: &PhoneNumber,
        name: Option<&ContactName>,
        preview: &mut BroadcastPreview,
    ) -> Result<String, SkipReason> {
        let request = content.request(phone.as_str(), name, String::new())?;
        match plan(&request, phone.clone(), catalogue, MessageId::new(&*self.ids)) {
            Ok(planned) => Ok(planned.content.unwrap_or_default()),
            Err(Refusal::VariableEmpty { .. }) => Err(SkipReason::Value),
            Err(refusal) => {
                preview.refusal.get_or_insert(refusal);
                Ok(String::new())
            }
        }
    }

    /// Whether a broadcast may begin.
    ///
    /// # Errors
    /// See [`BroadcastError`].
    pub(super) async fn check(
        &self,
        workspace: WorkspaceId,
        region: Region,
        broadcast: &Broadcast,
    ) -> Result<(), BroadcastError> {
        let Broadcast { content, audience, .. } = broadcast;
        let known = self.ledger.catalogue(workspace, &content.template).await?;
        if known.templates.iter().any(Template::is_authentication) {
            return Err(BroadcastError::CodeTemplate);
        }
        let preview = self.run(workspace, region, content, audience).await?;
        if let Some(refusal) = preview.refusal {
            return Err(refusal.into());
        }
        let skipped: u64 = preview.skipped.iter().map(|(_, count)| count).sum();
        if preview.complete && preview.people <= preview.without_number + skipped {
            return Err(BroadcastError::Nobody);
        }
        Ok(())
    }
}
