//! Rules for buttons under a text (docs/run/networks.md, "Buttons under a text").

use std::collections::HashSet;

use super::super::{
    message::{MAX_BUTTON_ID_CHARS, MAX_BUTTON_TITLE_CHARS, MAX_REPLY_BUTTONS},
    refusal::Refusal,
};
use crate::{channels::ChannelKind, messages::ReplyButton, text::is_blank};

/// Returns the length limit of a text with buttons, in characters; `None` if it is that of a text without.
pub(super) const fn longest_text(kind: ChannelKind) -> Option<usize> {
    match kind {
        ChannelKind::Whatsapp => Some(1_024),
        ChannelKind::Messenger | ChannelKind::Instagram => None,
    }
}

/// Refuses buttons that some network would not take, and a text too long to carry buttons on this one.
pub(super) fn check(buttons: &[ReplyButton], text: &str, kind: ChannelKind) -> Result<(), Refusal> {
    let rule = |rule: String| Err(Refusal::Invalid(rule));
    if buttons.is_empty() {
        return Ok(());
    }
    if buttons.len() > MAX_REPLY_BUTTONS {
        return rule(format!("there are at most {MAX_REPLY_BUTTONS} buttons"));
    }
    if let Some(longest) = longest_text(kind).filter(|longest| text.chars().count() > *longest) {
        let network = kind.spoken();
        return rule(format!("a text with buttons has at most {longest} characters on {network}"));
    }
    let formed = |text: &str, longest: usize| !is_blank(text) && text.chars().nth(longest).is_none();
    if !buttons.iter().all(|button| formed(&button.title, MAX_BUTTON_TITLE_CHARS)) {
        return rule(format!("a button's title has 1 to {MAX_BUTTON_TITLE_CHARS} characters"));
    }
    if !buttons.iter().all(|button| formed(&button.id, MAX_BUTTON_ID_CHARS)) {
        return rule(format!("a button's id has 1 to {MAX_BUTTON_ID_CHARS} characters"));
    }
    let ids: HashSet<_> = buttons.iter().map(|button| &button.id).collect();
    let titles: HashSet<_> = buttons.iter().map(|button| &button.title).collect();
    if ids.len() < buttons.len() || titles.len() < buttons.len() {
        return rule("no two buttons have the same id or the same title".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ChannelKind, ReplyButton, check};

    fn button(id: &str, title: &str) -> ReplyButton {
        ReplyButton { id: id.to_owned(), title: title.to_owned() }
    }

    #[test]
    fn buttons_are_as_many_and_as_long_as_every_network_takes_them() {
        let (whatsapp, messenger) = (ChannelKind::Whatsapp, ChannelKind::Messenger);
        let two = [button("a", "أؤكد"), button("b", "تعديل")];
        let (fitting, long) = ("ب".repeat(1_024), "ب".repeat(1_025));
        for (buttons, text, kind, fits) in [
            (&[][..], long.as_str(), whatsapp, true),
            (&two, "text", whatsapp, true),
            (&two, long.as_str(), whatsapp, false),
            (&two, long.as_str(), messenger, true),
            (&two, fitting.as_str(), whatsapp, true),
            (&["a", "b", "c", "d"].map(|id| button(id, id)), "text", messenger, false),
            (&[button("a", "a"), button("a", "b")], "text", messenger, false),
            (&[button("a", "a"), button("b", "a")], "text", messenger, false),
            (&[button("a", &"ب".repeat(20))], "text", whatsapp, true),
            (&[button("a", &"ب".repeat(21))], "text", whatsapp, false),
            (&[button("a", " ")], "text", whatsapp, false),
            (&[button("", "a")], "text", whatsapp, false),
            (&[button(&"a".repeat(257), "a")], "text", whatsapp, false),
        ] {
            assert_eq!(check(buttons, text, kind).is_ok(), fits, "{buttons:?} {kind:?}");
        }
    }
}
