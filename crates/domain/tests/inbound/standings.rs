//! How accounts stand at their network.

use domain::{
    channels::{AccountStanding, StandingState},
    inbound::JournalItem,
    testing::a_moment,
};

use crate::inbound::journal::{an_entry, handle, nothing};

fn stands(account: &str, state: StandingState) -> JournalItem {
    let standing = AccountStanding::since(state, a_moment());
    JournalItem::AccountStanding { account_network_id: account.to_owned(), standing }
}

#[pollster::test]
async fn what_is_news_of_an_account_is_kept_and_said_and_what_cannot_be_kept_is_tried_again() {
    let entries = vec![
        an_entry(1, stands("1022", StandingState::Disabled)),
        an_entry(2, stands("1022", StandingState::Good)),
        an_entry(3, stands("broken", StandingState::Disabled)),
    ];
    let (round, fate) = handle(entries, nothing, nothing).await;
    let said: Vec<_> =
        round.standings.iter().map(|(account, standing)| (account.as_str(), standing.state)).collect();
    assert_eq!(said, [("1022", StandingState::Disabled)]);
    assert_eq!((fate.finished.len(), round.again.len()), (2, 1));
}
