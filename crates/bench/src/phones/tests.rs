use super::{Count, Effort, MOST_ABROAD, measure};

#[test]
fn a_mistyped_mobile_is_never_guessed_to_be_a_number_abroad_and_neighbours_are_still_read() {
    let mut mistakes = Count::default();
    for found in measure(Effort { tries: 10, numbers: 6 }).unwrap() {
        assert!(found.at_home.all > 100, "{found:?}");
        assert_eq!((found.guessed, found.lost), (0, 0), "{found:?}");
        mistakes.all += found.at_home.all;
        mistakes.counted += found.at_home.counted;
    }
    // A doubled zero makes `00`, which marks a number abroad. That is so rare among so few numbers that only
    // all regions together can be judged; `cargo xtask bench phones` judges each.
    assert!(mistakes.share() <= MOST_ABROAD, "{mistakes:?}");
}
