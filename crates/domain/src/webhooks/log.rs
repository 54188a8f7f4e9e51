//! Reads of the log of deliveries.

use std::sync::Arc;

use super::{
    delivery::{Delivery, DeliveryDetail, DeliveryFilter, DeliveryState, DeliverySubject},
    ports::DeliveryLog,
};
use crate::{
    clock::rfc3339_ms,
    errors::StoreError,
    events::EventType,
    ids::{DeliveryId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// Shows deliveries and what became of them.
pub struct ReadDeliveries {
    pub log: Arc<dyn DeliveryLog>,
    pub cursors: Cursors,
}

impl ReadDeliveries {
    /// Lists deliveries of an address, newest first; none if the workspace has no such address.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        asked: &AskedPage,
    ) -> Result<Page<Delivery>, PageError> {
        let list = name(filter);
        let page = self.cursors.open(workspace, &list, asked)?;
        let rows = self.log.list(workspace, filter, page).await?;
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place)))
    }

    /// Searches the deliveries of all addresses by their subject, newest first.
    pub async fn search(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        asked: &AskedPage,
    ) -> Result<Page<Delivery>, PageError> {
        let list = format!("deliveries about {subject:?}");
        let page = self.cursors.open(workspace, &list, asked)?;
        let rows = self.log.search(workspace, subject, page).await?;
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place)))
    }

    /// Finds a delivery with its body and attempts; `None` if the workspace has none of that id.
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError> {
        self.log.find(workspace, delivery).await
    }
}

fn place(delivery: &Delivery) -> Position {
    Position { at: delivery.created_at, id: delivery.id.uuid() }
}

/// Returns the name of the filtered list, to which its cursors are bound.
fn name(filter: &DeliveryFilter) -> String {
    let state = filter.state.map_or("any", DeliveryState::as_str);
    let time = |at: Option<_>| at.map(rfc3339_ms).unwrap_or_default();
    let event = filter.event.map_or("any", EventType::as_str);
    format!("deliveries {} {state} {event} {} {}", filter.address, time(filter.since), time(filter.until))
}
