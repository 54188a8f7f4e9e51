//! What mails say.

use domain::access::{members::ports::InvitationMail, resets::ports::ResetMail};

/// Subject and body, in Arabic for an Arabic workspace and in English for every other.
pub(crate) fn invitation(mail: &InvitationMail) -> (String, String) {
    let (workspace, link) = (&mail.workspace_name, &mail.link);
    if mail.locale.starts_with("ar") {
        let subject = format!("دعوة للانضمام إلى {workspace}");
        let body = format!(
            "تمت دعوتك للانضمام إلى {workspace}. افتح هذا الرابط خلال أسبوع:\n\n{link}\n\nيعمل الرابط مرة واحدة. إن لم تكن تتوقع هذه الدعوة فتجاهلها.\n"
        );
        return (subject, body);
    }
    let subject = format!("You are invited to {workspace}");
    let body = format!(
        "You are invited to join {workspace}. Open this link within a week:\n\n{link}\n\n\
         It works once. If you did not expect this, ignore it.\n"
    );
    (subject, body)
}

/// The same of a link for another password.
pub(crate) fn reset(mail: &ResetMail) -> (String, String) {
    let (workspace, link) = (&mail.workspace_name, &mail.link);
    if mail.locale.starts_with("ar") {
        let subject = format!("كلمة سر جديدة لدى {workspace}");
        let body = format!(
            "طُلب رابط لاختيار كلمة سر جديدة لدى {workspace}. افتح هذا الرابط خلال ساعة:\n\n{link}\n\nيعمل الرابط مرة واحدة. إن لم تطلبه فتجاهله، وتبقى كلمة سرك كما هي.\n"
        );
        return (subject, body);
    }
    let subject = format!("Another password at {workspace}");
    let body = format!(
        "Somebody asked for a link to choose another password at {workspace}. Open it within an hour:\n\n{link}\n\n\
         It works once. If it was not you, ignore it: your password stays.\n"
    );
    (subject, body)
}

#[cfg(test)]
pub(crate) mod tests {
    use domain::{
        access::{
            members::{Invitation, Role, ports::InvitationMail},
            resets::ports::ResetMail,
        },
        testing::{a_moment, a_workspace},
    };

    use super::{invitation, reset};

    pub(crate) fn a_mail(locale: &str) -> InvitationMail {
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
            locale: locale.to_owned(),
            link: "https://messages.example/dashboard/invitation#00ff".parse().unwrap(),
        }
    }

    pub(crate) fn a_reset(locale: &str) -> ResetMail {
        ResetMail {
            to: "omar@palm.example".parse().unwrap(),
            workspace_name: "Palm Store".to_owned(),
            locale: locale.to_owned(),
            link: "https://messages.example/dashboard/password-reset#00ff".parse().unwrap(),
        }
    }

    #[test]
    fn a_link_for_another_password_is_in_the_workspace_s_language() {
        for (locale, word) in [("ar", "كلمة سر"), ("en", "password")] {
            let (subject, body) = reset(&a_reset(locale));
            assert!(subject.contains(word) && subject.contains("Palm Store"), "{subject}");
            assert!(body.contains("password-reset#00ff"), "{body}");
        }
    }

    #[test]
    fn an_invitation_is_in_the_workspace_s_language_and_has_the_link() {
        for (locale, word) in [("ar", "دعوة"), ("ar-IQ", "دعوة"), ("en", "invited"), ("ku", "invited")]
        {
            let (subject, body) = invitation(&a_mail(locale));
            assert!(subject.contains(word) && subject.contains("Palm Store"), "{subject}");
            assert!(body.contains("invitation#00ff"), "{body}");
        }
    }
}
