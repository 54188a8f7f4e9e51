//! Requests for a person, which are read before any model is asked.

use crate::{language::plain_letter, text::fold_for_search};

/// Words for people whom customers ask for, and which nobody buys. All words here are as [`fold_for_search`]
/// leaves them, with one letter for those that Kurdish keyboards have.
const STAFF: &[&str] = &[
    "موظف",
    "موظفه",
    "الموظف",
    "لموظف",
    "بموظف",
    "موظفين",
    "انسان",
    "بشر",
    "ادمي",
    "مسوول",
    "المسوول",
    "المدير",
    "المشرف",
    "ادمن",
    "الادمن",
    "human",
    "representative",
    "employee",
    "muwathaf",
    "mowathaf",
    "mwathaf",
    "muwadhaf",
    "muwazaf",
    "mowazaf",
    "mwazaf",
    "insan",
    "bashar",
    "mas2ool",
    "masool",
    "karmand",
    "karmandek",
    "كارمهند",
    "كارمهنديك",
    "كارمهندي",
    "كارمهندهكه",
    "كارمهندان",
    "فهرمانبهر",
    "فهرمانبهريك",
    "مروڤ",
    "مروڤيك",
    "بهرپرس",
    "بهرپرسيك",
    "يهدمين",
];
/// Words for people whom customers ask for, and after which goods are called: a manager's chair, a belt for
/// support.
const ROLES: &[&str] = &[
    "مندوب",
    "مدير",
    "مشرف",
    "الدعم",
    "agent",
    "operator",
    "staff",
    "manager",
    "mudeer",
    "mudir",
    "modeer",
    "بهريوهبهر",
];
/// Words that may stand between a word of wanting and whom is asked for.
const BETWEEN: &[&str] = &["a", "an", "the", "your", "me", "any", "there", "some"];
/// Words for anybody, which ask for a person only beside talking: a perfume may be for a person.
const ANYBODY: &[&str] = &[
    "شخص",
    "احد",
    "حد",
    "واحد",
    "person",
    "someone",
    "somebody",
    "people",
    "shakhs",
    "sha5s",
    "wa7id",
    "wahid",
    "a7ad",
    "كهس",
    "كهسيك",
    "كهسيكم",
    "يهكيك",
];
const WANTS: &[&str] = &[
    "اريد",
    "اريدك",
    "ابي",
    "ابغي",
    "ابغا",
    "بدي",
    "عايز",
    "عاوز",
    "ممكن",
    "اطلب",
    "احتاج",
    "وين",
    "اكو",
    "want",
    "need",
    "give",
    "get",
    "please",
    "can",
    "is",
    "any",
    "areed",
    "arid",
    "aryd",
    "abi",
    "mumkin",
    "momkin",
    "تكايه",
    "دهمهويت",
    "دهمهوي",
    "يهمهويت",
    "يهمهوي",
    "دهكريت",
    "دهكري",
    "دهتوانم",
    "پيويستم",
];
const TALKS: &[&str] = &[
    "احجي",
    "احچي",
    "احكي",
    "نحجي",
    "اتكلم",
    "اكلم",
    "اكلمه",
    "اتواصل",
    "تواصل",
    "حولني",
    "حولوني",
    "تحولني",
    "وصلني",
    "وصلوني",
    "خليني",
    "يجاوبني",
    "يرد",
    "رد",
    "talk",
    "speak",
    "chat",
    "connect",
    "transfer",
    "call",
    "contact",
    "a7chi",
    "ahchi",
    "a7ki",
    "ahki",
    "atkalam",
    "atkallam",
    "akalim",
    "akallim",
    "7awilni",
    "7awelni",
    "hawilni",
    "jawibni",
    "qsa",
    "قسه",
    "قسهم",
    "بدويم",
    "پهيوهندي",
    "پهيوهنديم",
    "وهلامم",
    "بمگهيهنن",
    "بمگهيهنه",
];
/// Texts that ask for a person if nothing else is said.
const WHOLE: &[&str] = &[
    "حولني",
    "حولوني",
    "خدمه العملاء",
    "خدمه الزباين",
    "customer service",
    "customer support",
    "real person",
    "7awilni",
    "7awelni",
    "خزمهتگوزاري كرياران",
    "خزمهتي كرياران",
];
/// Most words of a request: a longer text is a question about the business.
const MOST_WORDS: usize = 14;

/// Returns whether the text asks for a person of the team.
pub fn asks_for_a_person(text: &str) -> bool {
    let folded: String = fold_for_search(text).chars().map(plain_letter).collect();
    let words: Vec<_> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || words.len() > MOST_WORDS {
        return false;
    }
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let said = words.join(" ");
    let refused = words.windows(2).any(|pair| {
        matches!(pair, ["لا" | "ما" | "مو" | "not" | "dont" | "la" | "ma" | "mo", word] if WANTS.contains(word) || TALKS.contains(word))
    }) || said.contains("don t ")
        || any(&["نامهويت", "نامهوي"]);
    !refused
        && (WHOLE.contains(&said.as_str())
            || said.contains("real person")
            || said.contains("خدمه العملاء")
            || said.contains("customer service")
            || said.contains("customer support")
            // By itself the first of the two is a colour.
            || said.contains("بني ادم")
            || asks_for_a_role(&words)
            || (any(STAFF) && (any(WANTS) || any(TALKS) || words.len() <= 2))
            || (any(ANYBODY) && any(TALKS)))
}

/// Returns whether somebody with a role is asked for: to talk to, right behind a word of wanting, or with
/// nothing else said.
fn asks_for_a_role(words: &[&str]) -> bool {
    let telling: Vec<_> = words.iter().filter(|word| !BETWEEN.contains(word)).collect();
    let is_role = |word: &&str| ROLES.contains(word);
    let is_wanted = |pair: &[&&str]| matches!(pair, [wants, role] if WANTS.contains(*wants) && is_role(role));
    let is_all = telling.iter().all(|word| is_role(word) || WANTS.contains(*word));
    let talks = words.iter().any(|word| TALKS.contains(word));
    words.iter().any(is_role) && (talks || is_all || telling.windows(2).any(is_wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        for word in [STAFF, ROLES, BETWEEN, ANYBODY, WANTS, TALKS, WHOLE].into_iter().flatten() {
            let plain: String = fold_for_search(word).chars().map(plain_letter).collect();
            assert_eq!(plain, *word);
        }
    }

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
