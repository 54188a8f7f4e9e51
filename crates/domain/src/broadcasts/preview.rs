//! Preview of whom a broadcast would go to, and of what they would get.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{
    audience::Audience,
    content::{BroadcastContent, FilledFor, VariableSource},
    error::BroadcastError,
    limit::LimitPreview,
    parts::{Audiences, PART, Somebody},
    person::SkipReason,
    ports::{MarketingStopStore, MessagingLimitStore},
    prices::Estimate,
    room::Room,
    state::Broadcast,
};
use crate::{
    contacts::ContactName,
    errors::StoreError,
    ids::{AccountId, ContactId, IdSource, MessageId, WorkspaceId},
    paging::Position,
    phone::{PhoneNumber, Region},
    sending::{Catalogue, PlannedSend, Refusal, plan, ports::SendLedger},
    templates::Template,
    text::fold_for_search,
    workspaces::ShowUsage,
};

/// People examined for a preview; of a larger audience it says that there are more.
pub const PREVIEWED: usize = 5_000;
const SAMPLED: usize = 10;
/// Least that a part counts for, so that a narrow filter over many comes to an end as well.
const LOOK: usize = 100;
/// Most skipped people of a page.
const MOST_SKIPPED: usize = 100;

/// Person that a broadcast would go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledPerson {
    /// `None` for a number on a list that belongs to no contact.
    pub contact: Option<ContactId>,
    pub phone: PhoneNumber,
    pub name: Option<ContactName>,
    /// Text that they would get, or why they would be skipped.
    pub text: Result<String, SkipReason>,
}

/// Preview of a broadcast, as of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPreview {
    /// People who were examined, with those without a number.
    pub people: u64,
    /// Whether the whole audience was examined.
    pub complete: bool,
    /// Size of the audience, where it is known: if all of it was examined, and for a list.
    pub total: Option<u64>,
    pub without_number: u64,
    pub skipped: Vec<(SkipReason, u64)>,
    /// Some of the people with a number.
    pub sample: Vec<SampledPerson>,
    /// Refusal that holds for everybody.
    pub refusal: Option<Refusal>,
    /// Customers that may still become active this month; `None` is unlimited.
    pub plan_room: Option<u64>,
    /// The network's limit on the numbers that would send; `None` if it sets none.
    pub limit: Option<LimitPreview>,
    /// Likely cost of the messages to those examined; `None` without prices.
    pub estimate: Option<Estimate>,
}

/// Page of people who would be skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPeople {
    pub people: Vec<SampledPerson>,
    /// Where to go on; `None` at the end.
    pub next: Option<Position>,
}

impl BroadcastPreview {
    /// Returns how many people would be written to, as far as that is known.
    pub fn written_to(&self) -> u64 {
        let left_out: u64 = self.skipped.iter().map(|(_, people)| people).sum();
        self.total.unwrap_or(self.people).saturating_sub(self.without_number + left_out)
    }
}

/// Preview and check of a broadcast before it starts.
pub struct PreviewBroadcast {
    pub audiences: Audiences,
    pub stops: Arc<dyn MarketingStopStore>,
    pub ledger: Arc<dyn SendLedger>,
    pub limits: Arc<dyn MessagingLimitStore>,
    pub usage: ShowUsage,
    pub ids: Arc<dyn IdSource>,
}

/// Returns a catalogue without the numbers whose sends are not stored, since nobody could follow those.
pub(super) async fn catalogue(
    ledger: &dyn SendLedger,
    workspace: WorkspaceId,
    content: &BroadcastContent,
) -> Result<Catalogue, StoreError> {
    let mut catalogue = ledger.catalogue(workspace, &content.template).await?;
    catalogue.numbers.retain(|number| !number.send_only);
    Ok(catalogue)
}

/// Returns whether the template is marketing, which people can opt out of.
pub(super) fn is_marketing(catalogue: &Catalogue) -> bool {
    catalogue.templates.iter().any(|template| template.category.eq_ignore_ascii_case("MARKETING"))
}

/// Returns the first column that the content names and the audience lacks. `titles` are those of the
/// audience's list, `None` if it is no list; a column of languages matters with a list alone.
fn missing_column<'c>(content: &'c BroadcastContent, titles: Option<&[String]>) -> Option<&'c str> {
    let values = content.variables.values().filter_map(|source| match source {
        VariableSource::Column { column, .. } => Some(column.as_str()),
        VariableSource::Text(_) | VariableSource::ContactName { .. } => None,
    });
    let languages = content.language_column.as_deref().filter(|_| titles.is_some());
    let is_there = |column: &str| {
        let wanted = fold_for_search(column);
        titles.is_some_and(|titles| titles.iter().any(|title| fold_for_search(title) == wanted))
    };
    values.chain(languages).find(|column| !is_there(column))
}

#[derive(Default)]
struct Judged {
    /// Those with a number, each with their position in the audience.
    people: Vec<(Position, SampledPerson)>,
    without_number: u64,
    /// Refusal that holds for everybody.
    refusal: Option<Refusal>,
    /// Number of people who would be written to, by the category of their template.
    categories: BTreeMap<String, u64>,
    /// Numbers that would write to them: ids at the network, with their accounts.
    senders: BTreeMap<String, AccountId>,
}

struct Looked {
    preview: BroadcastPreview,
    categories: BTreeMap<String, u64>,
    senders: BTreeMap<String, AccountId>,
}

/// Returns the category of the planned template; if the send was refused, that of the first template.
fn category(catalogue: &Catalogue, planned: Option<&PlannedSend>) -> Option<String> {
    let is_it = |template: &&Template| {
        planned.is_none_or(|planned| {
            template.account == planned.number.account
                && template.language == planned.message.template.language
        })
    };
    catalogue.templates.iter().find(is_it).map(|template| template.category.to_ascii_lowercase())
}

/// Returns what a person would get. A refusal that holds for everybody is noted once.
fn text(
    content: &BroadcastContent,
    catalogue: &Catalogue,
    person: FilledFor<'_>,
    judged: &mut Judged,
) -> Result<String, SkipReason> {
    let request = content.request(person, catalogue, person.message.to_string())?;
    let to = person.phone.clone();
    let planned = match request.check_shape().and_then(|()| plan(&request, to, catalogue, person.message)) {
        Ok(planned) => Some(planned),
        Err(Refusal::VariableEmpty { .. }) => return Err(SkipReason::Value),
        Err(refusal) => {
            judged.refusal.get_or_insert(refusal);
            None
        }
    };
    if let Some(category) = category(catalogue, planned.as_ref()) {
        *judged.categories.entry(category).or_default() += 1;
    }
    if let Some(number) = planned.as_ref().map(|planned| &planned.number) {
        judged.senders.entry(number.network_id.clone()).or_insert(number.account);
    }
    Ok(planned.and_then(|planned| planned.content).unwrap_or_default())
}

impl PreviewBroadcast {
    /// Previews whom the broadcast would go to now, and what they would get.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        region: Region,
        content: &BroadcastContent,
        audience: &Audience,
    ) -> Result<BroadcastPreview, BroadcastError> {
        content.check()?;
        self.audiences.check(workspace, region, audience).await??;
        let catalogue = catalogue(&*self.ledger, workspace, content).await?;
        let marketing = is_marketing(&catalogue);
        let preview = BroadcastPreview {
            people: 0,
            complete: true,
            total: None,
            without_number: 0,
            skipped: SkipReason::ALL.map(|reason| (reason, 0)).to_vec(),
            sample: vec![],
            refusal: None,
            plan_room: None,
            limit: None,
            estimate: None,
        };
        let refusal = self.no_column(workspace, content, audience).await?;
        let preview = BroadcastPreview { refusal, ..preview };
        let mut looked = Looked { preview, categories: BTreeMap::new(), senders: BTreeMap::new() };
        if let Some(usage) = self.usage.run(workspace).await? {
            let limit = usage.plan.active_customer_limit.map(u64::from);
            looked.preview.plan_room = limit.map(|limit| limit.saturating_sub(usage.active_customers));
        }
        let (mut after, mut seen) = (None, 0);
        loop {
            let part = self.audiences.next(workspace, region, audience, after, PART).await?;
            // A part of a narrow filter may be empty, and costs a query all the same.
            seen += part.people.len().max(LOOK);
            self.look(workspace, content, &catalogue, marketing, part.people, &mut looked).await?;
            after = part.next;
            if after.is_none() || seen >= PREVIEWED {
                break;
            }
        }
        let Looked { mut preview, categories, senders } = looked;
        preview.complete = after.is_none();
        preview.total = match audience {
            _ if preview.complete => Some(preview.people),
            Audience::List(id) => {
                self.audiences.lists.complete_list(workspace, *id).await?.map(|list| list.people)
            }
            Audience::Filter(_) | Audience::Chosen(_) => None,
        };
        let now = self.usage.clock.now();
        let room = Room::look(&*self.limits, workspace, now).await?;
        preview.limit = room.preview(&senders, preview.written_to(), now);
        if let Some(prices) = self.audiences.store.prices(workspace).await? {
            preview.estimate = prices.together(&categories);
        }
        Ok(preview)
    }

    /// Lists the people who would be skipped, from a position on. A page ends with the 100th of them, or with
    /// the part of the audience in which 5,000 people were examined.
    pub async fn skipped(
        &self,
        workspace: WorkspaceId,
        region: Region,
        content: &BroadcastContent,
        audience: &Audience,
        after: Option<Position>,
    ) -> Result<SkippedPeople, BroadcastError> {
        content.check()?;
        self.audiences.check(workspace, region, audience).await??;
        let catalogue = catalogue(&*self.ledger, workspace, content).await?;
        let marketing = is_marketing(&catalogue);
        let mut found = SkippedPeople { people: Vec::new(), next: after };
        let (mut seen, mut last) = (0, None);
        loop {
            let part = self.audiences.next(workspace, region, audience, found.next, PART).await?;
            seen += part.people.len().max(LOOK);
            let judged = self.judged(workspace, content, &catalogue, marketing, part.people).await?;
            for (place, person) in judged.people.into_iter().filter(|(_, person)| person.text.is_err()) {
                if found.people.len() == MOST_SKIPPED {
                    found.next = last;
                    return Ok(found);
                }
                found.people.push(person);
                last = Some(place);
            }
            found.next = part.next;
            if found.next.is_none() || found.people.len() == MOST_SKIPPED || seen >= PREVIEWED {
                return Ok(found);
            }
        }
    }

    /// Returns a refusal if the content names a column that the audience lacks: everybody would be skipped,
    /// or get the text for a blank.
    async fn no_column(
        &self,
        workspace: WorkspaceId,
        content: &BroadcastContent,
        audience: &Audience,
    ) -> Result<Option<Refusal>, StoreError> {
        // Nothing is loaded if no column is named.
        if missing_column(content, Some(&[])).is_none() {
            return Ok(None);
        }
        let list = match audience {
            Audience::List(id) => self.audiences.lists.complete_list(workspace, *id).await?,
            Audience::Filter(_) | Audience::Chosen(_) => None,
        };
        let missing = missing_column(content, list.as_ref().map(|list| list.columns.as_slice()));
        Ok(missing.map(|column| Refusal::Invalid(format!("the audience has no column `{column}`"))))
    }

    async fn look(
        &self,
        workspace: WorkspaceId,
        content: &BroadcastContent,
        catalogue: &Catalogue,
        marketing: bool,
        people: Vec<Somebody>,
        looked: &mut Looked,
    ) -> Result<(), StoreError> {
        let preview = &mut looked.preview;
        let judged = self.judged(workspace, content, catalogue, marketing, people).await?;
        preview.people += judged.without_number + u64::try_from(judged.people.len()).unwrap_or(u64::MAX);
        preview.without_number += judged.without_number;
        if preview.refusal.is_none() {
            preview.refusal = judged.refusal;
        }
        for (category, people) in judged.categories {
            *looked.categories.entry(category).or_default() += people;
        }
        looked.senders.extend(judged.senders);
        for (_, person) in judged.people {
            if let Err(reason) = &person.text {
                for (_, count) in preview.skipped.iter_mut().filter(|(is, _)| is == reason) {
                    *count += 1;
                }
            }
            if preview.sample.len() < SAMPLED {
                preview.sample.push(person);
            }
        }
        Ok(())
    }

    async fn judged(
        &self,
        workspace: WorkspaceId,
        content: &BroadcastContent,
        catalogue: &Catalogue,
        marketing: bool,
        people: Vec<Somebody>,
    ) -> Result<Judged, StoreError> {
        let phones: Vec<PhoneNumber> = people.iter().filter_map(|it| it.phone.clone()).collect();
        let stopped: HashSet<PhoneNumber> = if marketing {
            self.stops.stopped(workspace, &phones).await?.into_iter().collect()
        } else {
            HashSet::new()
        };
        let mut judged = Judged::default();
        for Somebody { place, contact, phone, name, values } in people {
            let Some(phone) = phone else {
                judged.without_number += 1;
                continue;
            };
            let text = if stopped.contains(&phone) {
                Err(SkipReason::MarketingStopped)
            } else {
                let message = MessageId::new(&*self.ids);
                let filled = FilledFor { phone: &phone, name: name.as_ref(), values: &values, message };
                text(content, catalogue, filled, &mut judged)
            };
            judged.people.push((place, SampledPerson { contact, phone, name, text }));
        }
        Ok(judged)
    }

    /// Checks that a broadcast may begin: that somebody of its audience can be written to, and that no
    /// refusal holds for everybody. Since whoever starts it waits for this, no more than 5,000 people are
    /// examined; an audience that goes on beyond them passes.
    pub(super) async fn check(
        &self,
        workspace: WorkspaceId,
        region: Region,
        broadcast: &Broadcast,
    ) -> Result<(), BroadcastError> {
        let Broadcast { content, audience, .. } = broadcast;
        content.check()?;
        let mut catalogue = self.ledger.catalogue(workspace, &content.template).await?;
        if catalogue.templates.iter().any(Template::is_authentication) {
            return Err(BroadcastError::CodeTemplate);
        }
        catalogue.numbers.retain(|number| !number.send_only);
        self.audiences.check(workspace, region, audience).await??;
        if let Some(refusal) = self.no_column(workspace, content, audience).await? {
            return Err(refusal.into());
        }
        let marketing = is_marketing(&catalogue);
        let (mut after, mut seen) = (None, 0);
        loop {
            let part = self.audiences.next(workspace, region, audience, after, PART).await?;
            seen += part.people.len().max(LOOK);
            let judged = self.judged(workspace, content, &catalogue, marketing, part.people).await?;
            if let Some(refusal) = judged.refusal {
                return Err(refusal.into());
            }
            if judged.people.iter().any(|(_, person)| person.text.is_ok()) {
                return Ok(());
            }
            after = part.next;
            if after.is_none() {
                return Err(BroadcastError::Nobody);
            }
            if seen >= PREVIEWED {
                return Ok(());
            }
        }
    }
}
