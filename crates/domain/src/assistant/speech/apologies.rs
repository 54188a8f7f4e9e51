//! Apologies that wordings begin or end with: an answer has one.

use super::voice::Voice;

/// Beginnings that apologise, longest first.
const fn openings(voice: Voice) -> &'static [&'static str] {
    match voice {
        Voice::English => &[
            "We're so sorry about this. ",
            "I'm so sorry about this. ",
            "I'm really sorry. ",
            "Sorry, ",
            "I'm afraid ",
        ],
        Voice::IraqiArabic => &[
            "حقكم علينا، نعتذر. ",
            "نعتذر على اللي صار، ",
            "نعتذر منكم، سامحونا. ",
            "العفو منكم، ",
            "نعتذر منكم، ",
            "العفو، ",
            "نعتذر، ",
            "للأسف ",
        ],
        Voice::FormalArabic => {
            &["نعتذر عما حدث. ", "نأسف لذلك، و", "نعتذر منكم. ", "نعتذر، ", "عذراً، ", "للأسف "]
        }
        Voice::Sorani => &[
            "داوای لێبوردن دەکەین. ",
            "داوای لێبوردن دەکەین، ",
            "ببوورن بۆ ئەوەی ڕوویدا، ",
            "لێمان ببوورن. ",
            "ببوورن، ",
            "بەداخەوە، ",
            "بەداخەوە ",
        ],
    }
}

/// Ends that apologise.
const fn endings(voice: Voice) -> &'static [&'static str] {
    match voice {
        Voice::English => &[", sorry.", ", I'm afraid."],
        Voice::IraqiArabic => &["، سامحونا.", "، سامحونا", "، نعتذر"],
        Voice::FormalArabic => &[],
        Voice::Sorani => &["، ببوورن"],
    }
}

/// Returns whether a text begins with an apology.
pub(super) fn begins_sorry(text: &str, voice: Voice) -> bool {
    openings(voice).iter().any(|opening| text.starts_with(opening))
}

/// Returns whether a text begins or ends with an apology.
pub(super) fn is_sorry(text: &str, voice: Voice) -> bool {
    begins_sorry(text, voice) || endings(voice).iter().any(|ending| text.ends_with(ending))
}

/// Returns what a beginning says without its apology.
pub(super) fn without_opening(words: &str, voice: Voice) -> Option<String> {
    let rest = openings(voice).iter().find_map(|opening| words.strip_prefix(opening))?;
    let mut rest = rest.chars();
    Some(rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect())
}

/// Returns what an end says without its apology.
pub(super) fn without_ending(words: &str, voice: Voice) -> Option<String> {
    let (rest, ending) =
        endings(voice).iter().find_map(|ending| words.strip_suffix(ending).map(|rest| (rest, ending)))?;
    Some(format!("{rest}{}", if ending.ends_with('.') { "." } else { "" }))
}
