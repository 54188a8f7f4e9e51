//! Texts of mails.

use std::fmt::Write;

use domain::{
    access::{
        AlertMail,
        members::{Language, ports::InvitationMail},
        resets::ports::ResetMail,
    },
    channels::AlertKind,
};
use url::Url;

/// Text of a mail: its subject, a link, and the paragraphs around it.
pub(crate) struct Words {
    pub(crate) subject: String,
    pub(crate) language: Language,
    pub(crate) before: String,
    pub(crate) link: Url,
    pub(crate) after: String,
}

impl Words {
    pub(crate) fn text(&self) -> String {
        let Self { before, link, after, .. } = self;
        format!("{before}\n\n{link}\n\n{after}\n")
    }

    /// Renders HTML, which loads nothing.
    pub(crate) fn html(&self) -> String {
        let Self { subject, language, before, link, after } = self;
        let direction = if *language == Language::Arabic { "rtl" } else { "ltr" };
        let language = language.as_str();
        let (subject, before, after) = (escaped(subject), escaped(before), escaped(after));
        let link = escaped(link.as_str());
        format!(
            "<!doctype html>\n<html lang=\"{language}\" dir=\"{direction}\"><head><meta charset=\"utf-8\">\
             <title>{subject}</title></head><body>\n<p>{before}</p>\n<p><a href=\"{link}\" dir=\"ltr\">{link}</a></p>\n\
             <p>{after}</p>\n</body></html>\n"
        )
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "<>&\"'".contains(c) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Writes an invitation in the workspace's language: an invited person has chosen none.
pub(crate) fn invitation(mail: &InvitationMail) -> Words {
    let (workspace, link) = (&mail.workspace_name, mail.link.clone());
    if mail.language == Language::Arabic {
        return Words {
            subject: format!("دعوة للانضمام إلى {workspace}"),
            language: Language::Arabic,
            before: format!("تمت دعوتك للانضمام إلى {workspace}. افتح هذا الرابط خلال أسبوع:"),
            link,
            after: "يعمل الرابط مرة واحدة. إن لم تكن تتوقع هذه الدعوة فتجاهلها.".to_owned(),
        };
    }
    Words {
        subject: format!("You are invited to {workspace}"),
        language: Language::English,
        before: format!("You are invited to join {workspace}. Open this link within a week:"),
        link,
        after: "It works once. If you did not expect this, ignore it.".to_owned(),
    }
}

/// Writes the mail with a link for resetting the password, in its member's language.
pub(crate) fn reset(mail: &ResetMail) -> Words {
    let (workspace, link) = (&mail.workspace_name, mail.link.clone());
    if mail.language == Language::Arabic {
        return Words {
            subject: format!("كلمة سر جديدة لدى {workspace}"),
            language: Language::Arabic,
            before: format!("طُلب رابط لاختيار كلمة سر جديدة لدى {workspace}. افتح هذا الرابط خلال ساعة:"),
            link,
            after: "يعمل الرابط مرة واحدة. إن لم تطلبه فتجاهله، وتبقى كلمة سرك كما هي.".to_owned(),
        };
    }
    Words {
        subject: format!("Another password at {workspace}"),
        language: Language::English,
        before: format!(
            "Somebody asked for a link to choose another password at {workspace}. Open it within an hour:"
        ),
        link,
        after: "It works once. If it was not you, ignore it: your password stays.".to_owned(),
    }
}

/// Writes an alert about a channel, in its owner's language.
pub(crate) fn alert(mail: &AlertMail) -> Words {
    let (workspace, alert) = (&mail.workspace_name, &mail.alert);
    let is_arabic = mail.language == Language::Arabic;
    let subject = match (&alert.phone, is_arabic) {
        _ if alert.kind == AlertKind::AssistantTokens => {
            (if is_arabic { "المساعد" } else { "The assistant" }).to_owned()
        }
        (Some(phone), true) => format!("الرقم {}", phone.as_str()),
        (Some(phone), false) => format!("The number {}", phone.as_str()),
        (None, true) => format!("حساب واتساب {}", alert.account_network_id),
        (None, false) => format!("The WhatsApp account {}", alert.account_network_id),
    };
    let what = match (alert.kind, is_arabic) {
        (AlertKind::TokenRefused, true) => "لم يعد يقبل مفتاح الوصول: أعد ربطه",
        (AlertKind::TokenRefused, false) => "does not accept its token any more: connect it again",
        (AlertKind::AccountRefused, true) => "لا تسمح الشبكة بقراءته",
        (AlertKind::AccountRefused, false) => "cannot be read: the network refuses it",
        (AlertKind::AccountRestricted, true) => "قيّدته الشبكة",
        (AlertKind::AccountRestricted, false) => "was restricted by the network",
        (AlertKind::AccountDisabled, true) => "أوقفته الشبكة: لا يُرسل منه شيء",
        (AlertKind::AccountDisabled, false) => "was disabled by the network: nothing is sent from it",
        (AlertKind::AccountDeleted, true) => "حُذف لدى الشبكة",
        (AlertKind::AccountDeleted, false) => "was deleted at the network",
        (AlertKind::NumberBanned, true) => "حظرته الشبكة: لا يُرسل منه شيء",
        (AlertKind::NumberBanned, false) => "was banned by the network: nothing is sent from it",
        (AlertKind::NumberStopped, true) => "لم يعد قادراً على الإرسال",
        (AlertKind::NumberStopped, false) => "cannot send any more",
        (AlertKind::AssistantTokens, true) => {
            "استهلك أكثر من 80٪ من المسموح به لليوم: عند نفاده تُحوَّل المحادثات إلى الفريق"
        }
        (AlertKind::AssistantTokens, false) => {
            "has used over 80 % of what today may take: once all is spent, customers are handed over to the team"
        }
        (AlertKind::QualityLow, true) => "تقييم جودته منخفض: قد تقلّل الشبكة ما يُسمح بإرساله",
        (AlertKind::QualityLow, false) => "has a low quality rating: the network may let it send less",
    };
    let detail = alert.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    let (before, after) = if is_arabic {
        (
            format!("{workspace}: {subject} {what}{detail}. التفاصيل هنا:"),
            "تصل هذه الرسالة إلى كل مالك لمساحة العمل.",
        )
    } else {
        (
            format!("{workspace}: {subject} {what}{detail}. See it here:"),
            "Every owner of the workspace gets this mail.",
        )
    };
    Words {
        subject: format!("{workspace}: {subject} {what}"),
        language: mail.language,
        before,
        link: mail.link.clone(),
        after: after.to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use domain::{
        access::{
            AlertMail,
            members::{Invitation, Language, Role, ports::InvitationMail},
            resets::ports::ResetMail,
        },
        channels::{AlertKind, ChannelAlert},
        testing::{a_moment, a_workspace},
    };

    use super::{alert, invitation, reset};

    pub(crate) fn a_mail(language: Language) -> InvitationMail {
        let to = Invitation {
            id: uuid::Uuid::from_u128(1).into(),
            workspace: a_workspace().id,
            email: "omar@palm.example".parse().unwrap(),
            role: Role::Agent,
            created_at: a_moment(),
            expires_at: a_moment(),
        };
        InvitationMail {
            to,
            workspace_name: "Palm Store".to_owned(),
            language,
            link: "https://messages.example/dashboard/invitation#00ff".parse().unwrap(),
        }
    }

    pub(crate) fn a_reset(language: Language) -> ResetMail {
        ResetMail {
            to: "omar@palm.example".parse().unwrap(),
            workspace_name: "Palm Store".to_owned(),
            language,
            link: "https://messages.example/dashboard/password-reset#00ff".parse().unwrap(),
        }
    }

    #[test]
    fn a_link_for_another_password_is_in_its_language() {
        for (language, word) in [(Language::Arabic, "كلمة سر"), (Language::English, "password")] {
            let words = reset(&a_reset(language));
            assert!(words.subject.contains(word) && words.subject.contains("Palm Store"));
            assert!(
                words.text().contains("password-reset#00ff") && words.html().contains("password-reset#00ff")
            );
        }
    }

    #[test]
    fn an_owner_is_told_what_has_become_of_a_channel_in_their_language() {
        for kind in AlertKind::ALL {
            let mail = |language| AlertMail {
                to: "omar@palm.example".parse().unwrap(),
                workspace_name: "Palm Store".to_owned(),
                language,
                alert: ChannelAlert {
                    account_network_id: "102290129340398".to_owned(),
                    phone: None,
                    kind,
                    detail: Some("<why>".to_owned()),
                },
                link: "https://messages.example/dashboard/settings/channels".parse().unwrap(),
            };
            let (arabic, english) = (alert(&mail(Language::Arabic)), alert(&mail(Language::English)));
            let (about, named) = match kind {
                AlertKind::AssistantTokens => (["المساعد", "assistant"], ""),
                _ => (["حساب", "account"], "102290129340398"),
            };
            assert!(arabic.subject.contains(about[0]) && english.subject.contains(about[1]), "{kind:?}");
            for words in [arabic, english] {
                assert!(words.subject.contains(named) && words.text().contains("(<why>)"), "{kind:?}");
                assert!(
                    words.html().contains("&#60;why&#62;") && words.html().contains("/settings/channels")
                );
            }
        }
    }

    #[test]
    fn an_invitation_is_in_its_language_and_has_the_link() {
        for (language, word) in [(Language::Arabic, "دعوة"), (Language::English, "invited")] {
            let words = invitation(&a_mail(language));
            assert!(words.subject.contains(word) && words.subject.contains("Palm Store"));
            assert!(words.text().contains("invitation#00ff"));
            assert!(words.html().contains("<a href=\"https://messages.example/dashboard/invitation#00ff\""));
        }
    }

    #[test]
    fn a_name_is_no_part_of_the_page_s_markup() {
        let mail = InvitationMail { workspace_name: "A <b>&\"'shop".to_owned(), ..a_mail(Language::English) };
        let words = invitation(&mail);
        assert!(words.text().contains("A <b>&\"'shop"));
        assert!(words.html().contains("A &#60;b&#62;&#38;&#34;&#39;shop"), "{}", words.html());
    }
}
