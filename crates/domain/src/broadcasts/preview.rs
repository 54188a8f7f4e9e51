//! Looking at whom a broadcast would go to, and at what they would get.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::{
    Audience, Audiences, Broadcast, BroadcastContent, BroadcastError, Estimate, FilledFor, LimitPreview,
    SkipReason, VariableSource,
    limit::Room,
    parts::{PART, Somebody},
    ports::{MarketingStopStore, MessagingLimitStore},
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

/// So many people are looked at for a preview; of more, it says that there are more.
pub const PREVIEWED: usize = 5_000;
/// So many people are shown.
const SAMPLED: usize = 10;
/// It is what an empty part counts for, so that a narrow filter over many ends as well.
const LOOK: usize = 100;
/// A page of those who would be left out has at most so many people.
const MOST_SKIPPED: usize = 100;

/// A broadcast would go to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledPerson {
    /// It is `None` of somebody on a list who is not known.
    pub contact: Option<ContactId>,
    pub phone: PhoneNumber,
    pub name: Option<ContactName>,
    /// They would get this; where they would be left out, it says why.
    pub text: Result<String, SkipReason>,
}

/// It says whom a broadcast would go to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPreview {
    /// The audience has so many people.
    pub people: u64,
    /// It says whether these are all; otherwise there are more.
    pub complete: bool,
    /// How many there are altogether, where that is known: where these are all, and of a list.
    pub total: Option<u64>,
    /// Those without a number.
    pub without_number: u64,
    /// So many would be left out, by why.
    pub skipped: Vec<(SkipReason, u64)>,
    /// They are some of those with a number.
    pub sample: Vec<SampledPerson>,
    /// It speaks against sending the broadcast at all.
    pub refusal: Option<Refusal>,
    /// So many more customers may become active this month; `None` is unlimited.
    pub plan_room: Option<u64>,
    /// It says how many people the network lets the numbers write to that send it; `None` where it sets no limit.
    pub limit: Option<LimitPreview>,
    /// It is what the messages of those who were looked at are likely to cost, where somebody has written
    /// down prices.
    pub estimate: Option<Estimate>,
}

/// They would be left out of an audience, and are listed part by part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedPeople {
    pub people: Vec<SampledPerson>,
    /// Looking goes on from there; `None` is the end.
    pub next: Option<Position>,
}

impl BroadcastPreview {
    /// Returns how many would be written to, as far as that is known.
    pub fn written_to(&self) -> u64 {
        let left_out: u64 = self.skipped.iter().map(|(_, people)| people).sum();
        self.total.unwrap_or(self.people).saturating_sub(self.without_number + left_out)
    }
}

/// It says whom a broadcast would go to, before it goes.
pub struct PreviewBroadcast {
    pub audiences: Audiences,
    pub stops: Arc<dyn MarketingStopStore>,
    pub ledger: Arc<dyn SendLedger>,
    pub limits: Arc<dyn MessagingLimitStore>,
    /// It says how much of the plan is left.
    pub usage: ShowUsage,
    pub ids: Arc<dyn IdSource>,
}

/// Returns a catalogue without the numbers whose sends are kept nowhere: nobody could follow those.
pub(super) async fn catalogue(
    ledger: &dyn SendLedger,
    workspace: WorkspaceId,
    content: &BroadcastContent,
) -> Result<Catalogue, StoreError> {
    let mut catalogue = ledger.catalogue(workspace, &content.template).await?;
    catalogue.numbers.retain(|number| !number.send_only);
    Ok(catalogue)
}

/// Says whether what is sent is marketing: whoever wants none is left out.
pub(super) fn is_marketing(catalogue: &Catalogue) -> bool {
    catalogue.templates.iter().any(|template| template.category.eq_ignore_ascii_case("MARKETING"))
}

/// The first column that a content names and the audience has not: these are the titles of its list, where it is one. A column
/// of languages is heeded with a list alone.
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

/// Some people would get this.
#[derive(Default)]
struct Judged {
    people: Vec<SampledPerson>,
    without_number: u64,
    /// It speaks against sending it to anybody.
    refusal: Option<Refusal>,
    /// Those who would be written to, by the category of the template that they would get.
    categories: BTreeMap<String, u64>,
    /// The numbers that would write to them: their ids at the network, with their accounts.
    senders: BTreeMap<String, AccountId>,
}

/// A preview while it is made.
struct Looked {
    preview: BroadcastPreview,
    categories: BTreeMap<String, u64>,
    senders: BTreeMap<String, AccountId>,
}

/// The category of the template that was planned; where a send was refused, that of the first.
fn category(catalogue: &Catalogue, planned: Option<&PlannedSend>) -> Option<String> {
    let is_it = |template: &&Template| {
        planned.is_none_or(|planned| {
            template.account == planned.number.account
                && template.language == planned.message.template.language
        })
    };
    catalogue.templates.iter().find(is_it).map(|template| template.category.to_ascii_lowercase())
}

/// Returns what somebody would get. What holds for everybody is noted once.
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
    /// Says whom it would go to now, and what they would get.
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
            // Of a narrow filter a part may be empty: it costs a look all the same.
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

    /// Lists those who would be left out, from a place on: as many as are among the next 5,000, 100 at most.
    ///
    /// # Errors
    /// See [`BroadcastError`].
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
        let mut seen = 0;
        loop {
            let part = self.audiences.next(workspace, region, audience, found.next, PART).await?;
            seen += part.people.len().max(LOOK);
            let judged = self.judged(workspace, content, &catalogue, marketing, part.people).await?;
            found.people.extend(judged.people.into_iter().filter(|person| person.text.is_err()));
            found.next = part.next;
            if found.next.is_none() || found.people.len() >= MOST_SKIPPED || seen >= PREVIEWED {
                return Ok(found);
            }
        }
    }

    /// Returns what speaks against a content that names a column which the audience has not: everybody would be left out, or
    /// get the word for a blank.
    async fn no_column(
        &self,
        workspace: WorkspaceId,
        content: &BroadcastContent,
        audience: &Audience,
    ) -> Result<Option<Refusal>, StoreError> {
        // Nothing is asked where no column is named.
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
        for person in judged.people {
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

    /// Returns what these people would get.
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
        for Somebody { contact, phone, name, values } in people {
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
            judged.people.push(SampledPerson { contact, phone, name, text });
        }
        Ok(judged)
    }

    /// Checks that a broadcast may begin: that somebody of its audience can be written to, among the next 5,000 where it is
    /// larger, and that nothing speaks against the first who can be. Whoever starts it waits for this, and it is looked no
    /// further than that.
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
            if judged.people.iter().any(|person| person.text.is_ok()) {
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
