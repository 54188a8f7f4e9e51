//! Following feeds and keeping them short.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    live::{Feed, FeedPosition, FollowFeed, KEPT_FOR, Start, SweepFeeds, ports::MockLiveStore},
    testing::{ManualClock, a_moment, a_workspace, some_deps},
};
use uuid::Uuid;

const FEED: Feed = Feed { epoch: Uuid::from_u128(7), last: 20, forgotten: 10 };

fn following(store: MockLiveStore) -> FollowFeed {
    FollowFeed { store: Arc::new(store), deps: some_deps() }
}

#[pollster::test]
async fn a_feed_is_opened_before_it_is_said_where_to_begin() {
    let mut store = MockLiveStore::new();
    store.expect_open().returning(|_, _, _| Ok(FEED));
    let follow = following(store);
    let now = FeedPosition { epoch: FEED.epoch, number: 20 };
    assert_eq!(follow.begin(a_workspace().id, None).await.unwrap(), Start::Now(now));
    let heard = FeedPosition { number: 12, ..now };
    let begun = follow.begin(a_workspace().id, Some(&heard.to_string())).await.unwrap();
    assert_eq!(begun, Start::GoOn(heard));
}

#[pollster::test]
async fn only_feeds_that_have_stirred_are_numbered() {
    let gone: WorkspaceId = Uuid::from_u128(2).into();
    let mut store = MockLiveStore::new();
    let unread: WorkspaceId = Uuid::from_u128(4).into();
    store.expect_stirred().returning(move |_| Ok(vec![unread, a_workspace().id, gone]));
    store.expect_number().times(3).returning(move |workspace, _| {
        if workspace == unread { Err(StoreError::Stale) } else { Ok((workspace != gone).then_some(FEED)) }
    });
    let quiet = Uuid::from_u128(3).into();
    let seen = [(a_workspace().id, 3), (gone, 4), (quiet, 5), (unread, 6)];
    let mut news = following(store).news(&seen).await.unwrap();
    assert!(matches!(news.remove(0), (of, Err(StoreError::Stale)) if of == unread), "it holds up no other");
    let news: Vec<_> = news.into_iter().map(|(of, feed)| (of, feed.unwrap())).collect();
    assert_eq!(news, [(a_workspace().id, Some(FEED)), (gone, None)]);
}

#[pollster::test]
async fn what_is_old_is_forgotten_to_the_last_and_no_longer_than_it_may_take() {
    let left = Arc::new(AtomicU32::new(3));
    let mut store = MockLiveStore::new();
    store
        .expect_stale()
        .withf(|before| *before == a_moment() - KEPT_FOR)
        .returning(|_| Ok(vec![a_workspace().id]));
    let still = Arc::clone(&left);
    store.expect_forget().returning(move |_, _| Ok(still.fetch_sub(1, Ordering::Relaxed) > 1));
    let sweep = SweepFeeds { store: Arc::new(store), clock: Arc::new(ManualClock::at(a_moment())) };
    sweep.run(&|| true).await.unwrap();
    assert_eq!(left.load(Ordering::Relaxed), 3);
    sweep.run(&|| false).await.unwrap();
    assert_eq!(left.load(Ordering::Relaxed), 0);
}
