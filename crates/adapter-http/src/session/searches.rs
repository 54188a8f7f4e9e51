//! Limits on concurrent searches of a member and of a workspace: each may hold a connection of the store for
//! seconds.

use std::time::Duration;

use domain::ids::{MemberId, WorkspaceId};
use tokio::time::timeout;

use super::{
    signed_in::SignedIn,
    slots::{Slot, Slots},
};
use crate::problem::{DashboardCode, Problem};

/// Searches of a member running at once on each node.
const MOST_OF_MEMBER: usize = 4;
/// Searches of a workspace running at once on each node: half of a node's connections by default.
const MOST_OF_WORKSPACE: usize = 8;
/// Longest wait for a slot.
const PATIENCE: Duration = Duration::from_secs(2);
/// Pause suggested to clients that got no slot.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Searches running in this process.
pub struct Searches {
    of_member: Slots<MemberId>,
    of_workspace: Slots<WorkspaceId>,
}

/// Slots of a search, released on drop.
pub(crate) struct Searching {
    _of_member: Slot<MemberId>,
    _of_workspace: Slot<WorkspaceId>,
}

impl Default for Searches {
    fn default() -> Self {
        Self { of_member: Slots::of(MOST_OF_MEMBER), of_workspace: Slots::of(MOST_OF_WORKSPACE) }
    }
}

impl Searches {
    /// Waits a little for a slot of the member and one of the workspace.
    ///
    /// # Errors
    /// `too_many_searches` if none became free.
    pub(crate) async fn begin(&self, by: &SignedIn) -> Result<Searching, Problem> {
        self.begin_within(PATIENCE, by.session.member, by.session.workspace).await
    }

    async fn begin_within(
        &self,
        patience: Duration,
        member: MemberId,
        workspace: WorkspaceId,
    ) -> Result<Searching, Problem> {
        // Always in this order, so that a member who waits for their own slot holds none of the workspace's.
        let both = async {
            let of_member = self.of_member.take(member).await;
            let of_workspace = self.of_workspace.take(workspace).await;
            Searching { _of_member: of_member, _of_workspace: of_workspace }
        };
        timeout(patience, both).await.map_err(|_| {
            let message = "as many searches are under way as may be; wait as many seconds as the header `Retry-After` says";
            Problem::dashboard(DashboardCode::TooManySearches, message).retry_after(RETRY_AFTER)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::{ResponseError, http::header::RETRY_AFTER};
    use domain::ids::{MemberId, WorkspaceId};
    use futures_util::future::join_all;
    use uuid::Uuid;

    use super::{MOST_OF_MEMBER, MOST_OF_WORKSPACE, Searches, Searching};
    use crate::problem::Problem;

    const AT_ONCE: Duration = Duration::from_millis(20);

    fn member(number: u128) -> MemberId {
        Uuid::from_u128(number).into()
    }

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    async fn ask(searches: &Searches, of: u128, within: u128) -> Result<Searching, Problem> {
        searches.begin_within(AT_ONCE, member(of), workspace(within)).await
    }

    fn is_empty(searches: &Searches) -> bool {
        searches.of_member.are_free() && searches.of_workspace.are_free()
    }

    #[tokio::test]
    async fn of_many_searches_of_a_member_at_once_so_many_run_and_others_are_served_meanwhile() {
        let searches = Searches::default();
        let asked = join_all((0..50).map(|_| ask(&searches, 1, 1))).await;
        let (running, refused): (Vec<_>, Vec<_>) = asked.into_iter().partition(Result::is_ok);
        assert_eq!((running.len(), refused.len()), (MOST_OF_MEMBER, 50 - MOST_OF_MEMBER));
        for problem in refused.into_iter().filter_map(Result::err) {
            let answer = problem.error_response();
            let wait = answer.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap());
            assert_eq!((answer.status().as_u16(), wait), (429, Some("1")));
        }
        let (of_the_team, of_another) = (ask(&searches, 2, 1).await, ask(&searches, 3, 2).await);
        assert!(of_the_team.is_ok() && of_another.is_ok());
        drop((running, of_the_team, of_another));
        assert!(is_empty(&searches), "nothing is remembered of who is done or was refused");
    }

    #[tokio::test]
    async fn a_team_has_so_many_together_and_another_workspace_its_own() {
        let searches = Searches::default();
        let asked = join_all((0..50).map(|number| ask(&searches, number, 1))).await;
        let running: Vec<_> = asked.into_iter().filter_map(Result::ok).collect();
        assert_eq!(running.len(), MOST_OF_WORKSPACE);
        assert!(ask(&searches, 100, 2).await.is_ok());
        drop(running);
        assert!(is_empty(&searches));
    }

    #[tokio::test]
    async fn a_search_waits_a_little_for_one_that_ends() {
        let searches = Searches::default();
        let mut running = Vec::new();
        for _ in 0..MOST_OF_MEMBER {
            running.push(ask(&searches, 1, 1).await.unwrap());
        }
        let waiting = searches.begin_within(Duration::from_secs(30), member(1), workspace(1));
        let ends = async {
            tokio::task::yield_now().await;
            running.pop();
        };
        let (came, ()) = tokio::join!(waiting, ends);
        drop(came.unwrap());
        running.clear();
        assert!(is_empty(&searches));
    }
}
