//! Requests for a person, which are read before any model is asked.

use std::sync::LazyLock;

use super::{List, read_lists, words_of};

static LISTS: LazyLock<[List; 7]> = LazyLock::new(|| {
    let names = ["staff", "roles", "between", "anybody", "wants", "talks", "whole"];
    read_lists(include_str!("person.txt"), names)
});

/// Words right before one of wanting or talking, which refuse it.
const REFUSES: &[&str] = &["لا", "ما", "مو", "not", "dont", "la", "ma", "mo"];
/// What refuses wherever it stands.
const REFUSALS: &[&str] = &["don t ", "نامهويت", "نامهوي"];
/// What asks for a person wherever it stands. By itself the first word of the last is a colour.
const NAMED: &[&str] = &["real person", "خدمه العملاء", "customer service", "customer support", "بني ادم"];
/// Most words of a request: a longer text is a question about the business.
const MOST_WORDS: usize = 14;

/// Returns whether the text asks for a person of the team.
pub fn asks_for_a_person(text: &str) -> bool {
    let [staff, _, _, anybody, wants, talks, whole] = &*LISTS;
    let words = words_of(text);
    if words.is_empty() || words.len() > MOST_WORDS {
        return false;
    }
    let said = words.join(" ");
    let refuses = |pair: &[String]| match pair {
        [no, word] if REFUSES.contains(&no.as_str()) => wants.has(word) || talks.has(word),
        _ => false,
    };
    let wants_none = words.windows(2).any(refuses) || REFUSALS.iter().any(|refusal| said.contains(refusal));
    !wants_none
        && (whole.has(&said)
            || NAMED.iter().any(|named| said.contains(named))
            || asks_for_a_role(&words)
            || (staff.has_any(&words)
                && (wants.has_any(&words) || talks.has_any(&words) || words.len() <= 2))
            || (anybody.has_any(&words) && talks.has_any(&words)))
}

/// Returns whether somebody with a role is asked for: to talk to, right behind a word of wanting, or with
/// nothing else said.
fn asks_for_a_role(words: &[String]) -> bool {
    let [_, roles, between, _, wants, talks, _] = &*LISTS;
    let telling: Vec<_> = words.iter().filter(|word| !between.has(word)).collect();
    let is_wanted = |pair: &[&String]| matches!(pair, [want, role] if wants.has(want) && roles.has(role));
    let is_all = telling.iter().all(|word| roles.has(word) || wants.has(word));
    roles.has_any(words) && (talks.has_any(words) || is_all || telling.windows(2).any(is_wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_a_person_is_understood() {
        for text in [
            "أريد موظف",
            "اريد احجي ويه موظف",
            "ممكن أكلم شخص؟",
            "حولني لموظف",
            "حولني",
            "موظف",
            "ابي اكلم المدير",
            "أريد أتكلم مع إنسان مو روبوت",
            "خدمة العملاء",
            "ممكن خدمة العملاء لو سمحت",
            "خليني احجي ويا واحد",
            "I want to talk to a human",
            "human please",
            "can I speak to someone",
            "agent",
            "transfer me to a real person",
            "let me talk to a person",
            "اكو بني آدم يرد؟",
            "connect me to customer support",
            "وين الدعم",
            "اريد الأدمن",
            "ممكن مدير لو سمحت",
            "مدير",
            "agent please",
            "can I get an agent",
            "give me a manager",
            "is there any staff I can speak to",
            "areed a7chi weya muwathaf",
            "mumkin a7chi wiya wa7id?",
            "7awilni",
            "mudeer",
            "دەمەوێت قسە لەگەڵ کارمەندێک بکەم",
            "کارمەند",
            "دەکرێت کەسێک وەڵامم بداتەوە؟",
            "ئەمەوێ قسە لەگەڵ مرۆڤ بکەم نەک ڕۆبۆت",
            "بەڕێوەبەر تکایە",
        ] {
            assert!(asks_for_a_person(text), "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_people_is_no_request() {
        for text in [
            "",
            "شكد السعر",
            "اريد عطر لشخص عزيز",
            "اريد واحد حليب",
            "ما اريد احجي ويه موظف",
            "I don't want to talk to an agent",
            "is this for one person?",
            "اريد كرسي لشخص واحد",
            "اريد حذاء بني",
            "عندكم حقيبة بني غامق؟",
            "اريد كرسي مدير",
            "كرسي مدير",
            "ممكن سعر مكتب مدير",
            "شكد سعر كرسي مدير جلد",
            "اريد مشد الدعم للظهر",
            "I want the price of the manager chair",
            "ma areed a7chi weya muwathaf",
            "areed wa7id 7aleeb",
            "نامەوێت قسە لەگەڵ کارمەند بکەم",
            "دیارییەکم بۆ کەسێکی ئازیز دەوێت",
        ] {
            assert!(!asks_for_a_person(text), "{text}");
        }
    }
}
