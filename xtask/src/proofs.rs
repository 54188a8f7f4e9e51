//! The rules of `docs/run/assistant.md` against the tests that hold them, and `docs/change/contributing.md`
//! against the tests that it names.

use std::{collections::HashSet, path::Path};

use crate::texts::texts;

/// Rules of the assistant, by their number in `docs/run/assistant.md`, with the tests that hold each.
const RULES: [(&str, &[&str]); 15] = [
    (
        "R1",
        &[
            "whatever_a_model_says_and_calls_nothing_is_done_that_the_customer_has_not_confirmed",
            "none_of_the_texts_that_are_no_yes_is_taken_for_one",
            "words_prove_nothing_where_the_summary_may_not_have_been_read_or_is_not_the_last_word",
            "words_from_before_the_network_took_the_summary_prove_nothing",
            "only_this_drafts_own_button_confirms",
            "a_yes_that_quotes_what_nobody_knows_here_confirms_nothing",
            "words_of_a_conversation_that_becomes_one_with_another_confirm_nothing_that_is_asked_there",
        ],
    ),
    (
        "R2",
        &[
            "another_price_is_not_ordered_and_the_customer_is_asked_again",
            "a_price_that_has_risen_since_is_not_ordered_and_asked_about_anew",
        ],
    ),
    (
        "R3",
        &[
            "an_order_survives_kills_at_each_step_and_is_placed_once",
            "while_one_order_is_being_passed_on_no_second_one_is_proposed",
            "what_was_confirmed_survives_kills_at_each_step_and_is_done_once",
            "a_shop_that_takes_an_order_and_does_not_answer_has_it_once",
        ],
    ),
    (
        "R4",
        &[
            "only_whoever_wrote_over_whatsapp_has_a_verified_number",
            "whoever_writes_from_a_page_is_offered_nothing_that_belongs_to_a_number_though_their_contact_has_one",
            "no_tool_takes_a_phone_number_an_id_of_the_customer_a_key_or_money",
        ],
    ),
    (
        "R5",
        &[
            "an_order_is_shown_only_to_the_number_it_was_placed_under",
            "another_customer_s_order_is_as_if_it_did_not_exist_byte_for_byte",
            "a_customers_own_order_is_cancelled_once_they_confirm_and_nobody_elses_is_found",
        ],
    ),
    (
        "R6",
        &[
            "whatever_the_evidence_is_a_text_holds_no_more_than_it",
            "an_act_without_evidence_is_refused_by_its_place_and_field",
            "a_wording_that_could_say_too_much_or_too_little_is_refused_by_its_line",
            "no_wording_that_the_evidence_does_not_bear_out_passes_beside_any_answer_of_its_turn",
            "what_is_told_beside_codes_pieces_is_refused",
            "no_words_of_codes_are_put_together_otherwise",
            "what_nobody_told_and_what_is_turned_does_not",
            "no_words_that_a_fault_spoilt_are_sent_in_place_of_codes",
            "what_was_done_at_another_total_or_time_is_told_as_it_is_and_a_person_is_asked_for",
            "words_add_up_as_people_count",
            "digits_on_keys_beside_each_other_are_one_number_and_those_of_a_list_are_not",
            "no_amount_number_or_link_of_a_models_own_gets_into_a_summary",
        ],
    ),
    (
        "R7",
        &[
            "an_act_without_evidence_is_refused_by_its_place_and_field",
            "a_time_is_told_by_the_clock_of_the_place",
            "free_times_and_empty_ranges_are_numbered_over_the_turn",
            "a_free_time_is_booked_and_an_invented_one_is_not",
            "a_time_that_has_passed_is_refused_with_what_it_is_now_and_a_day_is_a_day_of_the_workspaces_clock",
        ],
    ),
    (
        "R8",
        &[
            "no_wording_that_the_evidence_does_not_bear_out_passes_beside_any_answer_of_its_turn",
            "prose_without_acts_is_courtesy_alone_or_nothing",
            "a_wish_is_written_down_in_the_customers_words_before_they_are_told_so",
            "what_is_under_way_is_told_so",
            "who_asks_to_cancel_is_not_left_to_believe_that_it_is_done",
            "the_owners_facts_are_cited_as_they_stand",
        ],
    ),
    (
        "R9",
        &[
            "an_answer_is_begun_once_and_not_after_a_person_has_spoken_or_moved_the_conversation",
            "what_the_assistant_proposes_takes_no_place_once_its_fence_has_passed",
            "after_a_person_has_written_the_assistant_is_silent",
            "a_person_is_asked_for_no_more_once_somebody_has_spoken_since",
            "what_the_team_writes_in_the_network_s_own_app_is_theirs_and_our_own_echo_is_dropped",
        ],
    ),
    (
        "R10",
        &[
            "a_turn_past_fifteen_seconds_says_once_that_it_takes_a_moment_and_then_the_answer",
            "a_picture_or_a_voice_note_that_no_model_reads_is_acknowledged_and_gets_a_person",
            "who_writes_on_after_a_hand_over_is_told_one_sentence_more_and_none_after_a_person",
            "what_the_model_does_wrong_is_said_to_nobody_and_a_person_is_asked_for",
            "whoever_asks_for_a_person_gets_the_owners_group_and_the_model_is_not_asked",
            "once_the_days_tokens_are_spent_customers_get_a_person",
            "where_the_shop_is_down_customers_get_a_person",
            "where_no_answer_can_be_sent_customers_get_a_person",
            "where_nobody_knows_whether_the_network_has_an_answer_customers_get_a_person",
            "a_model_that_asks_for_a_person_and_a_customer_who_was_left_waiting_get_one",
            "a_shop_that_refuses_what_was_confirmed_leaves_the_customer_to_the_team",
            "a_model_that_hangs_is_waited_for_as_long_as_the_customer_can_wait",
            "a_tool_that_hangs_is_waited_for_no_longer_than_the_turn_may_take",
            "a_yes_to_what_somebody_has_asked_since_the_summary_is_no_second_one",
            "a_second_tap_on_what_came_to_nothing_or_was_done_long_ago_is_not_left_without_an_answer",
            "a_confirmation_answers_what_the_customer_waits_with_but_not_what_they_asked_before_it",
            "who_writes_while_an_answer_takes_long_waits_since_then_though_others_look_for_it_meanwhile",
            "what_was_said_after_an_answer_is_not_answered_by_whoever_finds_it_sent_when_its_sender_has_died",
            "what_nobody_has_answered_is_answered_once_the_team_gives_the_conversation_back",
            "where_what_the_assistant_tells_cannot_be_sent_a_person_is_asked_for",
            "whoever_has_confirmed_what_the_shop_does_not_take_is_told_once_that_it_is_being_passed_on",
            "what_has_changed_while_the_customer_is_asked_about_something_else_ends_with_words_and_a_person",
            "one_alone_is_asked_once_more_where_its_failure_may_pass_by_itself",
            "who_asks_to_cancel_is_not_left_to_believe_that_it_is_done",
            "prose_is_asked_for_as_acts_once_and_then_goes_out_as_courtesy_alone",
            "a_customer_is_told_once_of_a_hand_over_unless_somebody_has_answered_or_it_is_over",
            "a_hand_over_is_told_in_the_customers_language_and_in_the_owners_words",
            "every_hand_over_tells_the_customer_once_and_leaves_them_waiting",
        ],
    ),
    (
        "R11",
        &[
            "two_hundred_injections_stay_texts_in_every_field_of_every_result",
            "two_hundred_injections_in_every_field_say_no_foreign_link_no_second_line_and_no_mark",
            "what_a_shop_writes_into_its_texts_is_neither_done_nor_said",
            "acts_that_a_fault_spoilt_are_refused_and_half_of_them_say_half",
        ],
    ),
    (
        "R12",
        &[
            "a_day_takes_no_more_tokens_than_it_may_however_many_ask_at_once",
            "a_day_takes_no_more_money_than_it_may_to_the_last_place",
            "tokens_are_set_aside_for_each_that_is_asked",
            "what_was_asked_over_a_connection_that_broke_stays_set_aside",
        ],
    ),
    (
        "R13",
        &[
            "script_and_words_tell_the_language_and_arabic_in_latin_letters_is_arabic",
            "other_tongues_are_told_from_those_that_customers_are_answered_in",
            "what_is_in_no_language_is_answered_in_the_one_that_the_customer_wrote_before",
            "every_voice_has_wordings_for_every_phrase",
            "what_is_told_beside_codes_pieces_is_refused",
            "sixty_switches_of_the_language_in_one_conversation_are_answered_in_its_voice",
        ],
    ),
    (
        "R14",
        &[
            "no_phone_number_reaches_a_model_however_it_is_written",
            "no_phone_number_among_other_numbers_reaches_a_model",
            "a_phone_number_is_hidden_alone_and_what_stands_beside_it_stays",
            "what_is_no_phone_number_stays_readable",
            "a_record_tells_a_model_of_no_phone_number_and_of_every_other_number",
            "what_a_turn_reads_is_kept_nowhere_and_what_was_said_is_in_no_log",
            "whatever_goes_wrong_is_told_in_words_that_quote_nothing",
        ],
    ),
    (
        "R15",
        &[
            "an_assistant_says_in_every_voice_that_it_is_one_and_its_name",
            "it_is_a_message_of_its_own_where_the_first_has_no_text_or_no_room",
            "a_wording_that_could_say_too_much_or_too_little_is_refused_by_its_line",
            "that_no_person_answers_is_said_in_codes_words_alone",
        ],
    ),
];

/// Collects the names of all tests in the checkout at `root`.
pub(crate) fn tests(root: &Path) -> anyhow::Result<HashSet<String>> {
    let sources = texts(root, &["crates", "tests"], &["rs"])?;
    Ok(sources.values().flat_map(|source| of(source)).collect())
}

/// Lists the functions of a source right below an attribute that makes them tests.
fn of(source: &str) -> Vec<String> {
    let mut is_test = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[") {
            is_test |= line.split([']', '(']).next().is_some_and(|attribute| attribute.ends_with("test"));
            continue;
        }
        let line = line.strip_prefix("async ").unwrap_or(line);
        if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            && is_test
        {
            names.push(name.to_owned());
        }
        is_test = false;
    }
    names
}

/// Lists the rules that the page leaves out, those that no test holds, and the missing tests, each on a line.
pub(crate) fn faults(page: &str, tests: &HashSet<String>) -> Vec<String> {
    faults_of(&RULES, page, tests)
}

/// Lists what `page` and `tests` lack of a list of rules.
fn faults_of(rules: &[(&str, &[&str])], page: &str, tests: &HashSet<String>) -> Vec<String> {
    let rows: Vec<&str> = page.lines().filter_map(numbered).collect();
    let mut faults = Vec::new();
    for (rule, proof) in rules {
        if !rows.contains(rule) {
            faults.push(format!("there is no row for {rule}"));
        }
        if proof.is_empty() {
            faults.push(format!("{rule} names no test"));
        }
        let gone = proof.iter().filter(|name| !tests.contains(**name));
        faults.extend(gone.map(|name| format!("{rule}: there is no test `{name}`")));
    }
    let unproven = rows.iter().filter(|row| !rules.iter().any(|(rule, _)| rule == *row));
    faults.extend(unproven.map(|row| format!("{row} names no test")));
    faults
}

/// Returns the number of the rule that a row of the page is about, such as `R3`; `None` for other lines.
fn numbered(line: &str) -> Option<&str> {
    let (rule, _) = line.strip_prefix("| ")?.split_once(" |")?;
    let digits = rule.strip_prefix('R')?;
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit());
    is_number.then_some(rule)
}

/// Lists the missing tests that a page names, a line for each. A name of four or more words in small letters
/// is a test's.
pub(crate) fn gone(page: &str, tests: &HashSet<String>) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let named = page.split('`').skip(1).step_by(2);
    let named = named.filter(|name| name.chars().all(is_part) && name.matches('_').count() >= 3);
    let gone = named.filter(|name| !tests.contains(*name));
    gone.map(|name| format!("there is no test `{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::{faults_of, gone, of};

    #[test]
    fn a_test_that_a_page_names_and_is_gone_is_told() {
        let tests = ["every_event_is_told".to_owned()].into();
        let page = "| `webhooks/event.rs` | compiler: `an_event`, `event_types!`; `every_event_is_told` |";
        assert_eq!(gone(page, &tests), Vec::<String>::new());
        let page = page.replace("is_told", "was_told");
        assert_eq!(gone(&page, &tests), ["there is no test `every_event_was_told`"]);
    }

    #[test]
    fn tests_are_told_from_what_only_helps_them() {
        let source = "#[test]\nfn one() {}\nfn helper() {}\n    #[tokio::test]\n    #[expect(x)]\n    async fn two() {}\n\
                      #[expect(clippy::x, reason = \"test support\")]\nfn three() {}\n";
        assert_eq!(of(source), ["one", "two"]);
    }

    #[test]
    fn a_rule_without_a_row_or_a_test_and_a_test_that_is_gone_are_told() {
        let tests = ["one".to_owned(), "two".to_owned()].into();
        let page = "| | rule |\n|---|---|\n| R1 | rule |\n| R2 | rule |\n| R3 | rule |\n| READ | word |\n";
        let whole: [(&str, &[&str]); 3] = [("R1", &["one", "two"]), ("R2", &["one"]), ("R3", &["two"])];
        assert_eq!(faults_of(&whole, page, &tests), Vec::<String>::new());
        let broken: [(&str, &[&str]); 3] = [("R1", &["one", "three"]), ("R3", &[]), ("R4", &["two"])];
        let told = [
            "R1: there is no test `three`",
            "R3 names no test",
            "there is no row for R4",
            "R2 names no test",
        ];
        assert_eq!(faults_of(&broken, page, &tests), told);
    }
}
