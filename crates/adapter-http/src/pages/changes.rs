//! `/audit`, in the browser `/dashboard/settings/log`: the log of changes.

use std::collections::{BTreeMap, HashMap};

use dashboard_pages::{ChangeRow, Language, LogPage, Section, Words};
use domain::{
    access::{Scope, members::Role},
    assistant::{AssistantMode, speech::Register},
    audit::{Action, AuditEntry, AuditFilter},
    broadcasts::BroadcastState,
    consent::{CommitmentState, DraftKind},
    events::EventType,
    ids::{AuditId, MemberId},
    pause_reason::PauseReason,
    systems::{Capability, StateName},
    zone::Zone,
};
use serde::Serialize;
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use url::form_urlencoded::Serializer;

use super::{
    act::{self, Answer, Call, PageOfRows},
    answer::ok,
};
use crate::{paging::read_page, problem::Problem};

/// One change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryBody {
    id: AuditId,
    /// Who; null for an operator's command, for what the service did by itself (`system.changed`), and for
    /// who tried to sign in as `subject` (`sign_in.failed` and `sign_in.locked`, with the number of tries).
    member_id: Option<MemberId>,
    action: &'static str,
    /// To what: mostly an id.
    subject: Option<String>,
    details: Map<String, Value>,
    /// From where; null for an operator's command.
    address: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

fn entry(entry: &AuditEntry) -> EntryBody {
    EntryBody {
        id: entry.id,
        member_id: entry.actor.member(),
        action: entry.action.as_str(),
        subject: entry.subject.clone(),
        details: entry.details.clone(),
        address: entry.address.map(|address| address.to_string()),
        created_at: entry.at,
    }
}

/// What was changed by whom, newest first; of one member or one action if the query says so.
pub(super) async fn list(call: Call) -> Answer {
    let parameters = call.parameters()?;
    let actions: Vec<&str> = Action::ALL.iter().map(|action| action.as_str()).collect();
    let filter = AuditFilter {
        member: parameters.read("memberId", |text| text.parse().ok(), "the id of a member")?,
        action: parameters.word("action", Action::read, &actions)?,
    };
    let (workspace, asked) = (call.workspace(), read_page(&parameters)?);
    let listed =
        call.run(move |app| async move { app.dashboard.list_audit.run(workspace, filter, &asked).await });
    let listed = listed.await?;
    if call.is_of_api() {
        return act::ok(&PageOfRows::of(listed, entry));
    }
    let text = |name: &str| Ok::<_, Problem>(parameters.get(name)?.unwrap_or_default());
    let (member, action) = (text("memberId")?, text("action")?);
    let mut names = call.names().await?;
    let mut members: Vec<(String, String)> = names.clone().into_iter().collect();
    members.sort_by(|one, other| one.1.cmp(&other.1));
    let grouped = call.run(move |app| async move { app.dashboard.groups.list(workspace).await });
    names.extend(grouped.await?.into_iter().map(|group| (group.id.to_string(), group.name)));
    let earlier = listed.next.map(|next| {
        let mut query = Serializer::new(String::new());
        query.append_pair("memberId", member).append_pair("action", action).append_pair("cursor", &next);
        format!("/dashboard/settings/log?{}", query.finish())
    });
    let frame = call.frame(Section::Log).await?;
    let zone = &call.by.session.time_zone;
    let around = Around { names: &names, words: frame.words(), language: frame.language, zone };
    let changes = listed.rows.into_iter().map(|entry| row(entry, &around)).collect();
    let (member, action) = (member.to_owned(), filter.action);
    ok(&LogPage { frame: &frame, changes, members, member, action, earlier })
}

/// Context for rendering changes.
struct Around<'a> {
    /// Names of members and groups, by id.
    names: &'a HashMap<String, String>,
    words: &'a Words,
    language: Language,
    /// Zone of the times shown.
    zone: &'a Zone,
}

fn row(entry: AuditEntry, around: &Around<'_>) -> ChangeRow {
    let Around { names, words, .. } = around;
    // Sorted by name: the database returns keys by their length.
    let details: BTreeMap<&String, &Value> = entry.details.iter().collect();
    let detail =
        |(name, value): (&String, &Value)| (words.changes.detail(name).to_owned(), told(name, value, around));
    ChangeRow {
        id: entry.id.to_string(),
        at: entry.at.into(),
        by: entry.actor.member().and_then(|member| names.get(&member.to_string()).cloned()),
        action: entry.action,
        details: details.into_iter().map(detail).collect(),
        subject: entry.subject.map(|subject| subject_of(entry.action, subject, names, words)),
        address: entry.address.map(|address| address.to_string()),
    }
}

/// Returns the name of a change's subject and the link to it; for a subject without a known name, the name of
/// its kind.
fn subject_of(
    action: Action,
    subject: String,
    names: &HashMap<String, String>,
    words: &Words,
) -> (String, Option<String>) {
    if let Some(name) = names.get(&subject) {
        return (name.clone(), None);
    }
    // Whatever has no id of ours is its own name.
    if subject.parse::<MemberId>().is_err() {
        return (subject, None);
    }
    let (kind, place) = words.changes.subject(action);
    let href = match place {
        "" => None,
        place if place.ends_with('/') => Some(format!("/dashboard/{place}{subject}")),
        place => Some(format!("/dashboard/{place}")),
    };
    (kind.to_owned(), href)
}

/// Renders a detail's value; empty for objects, such as opening hours, and for ids without a known name, of
/// which the log says only that they changed.
fn told(detail: &str, value: &Value, around: &Around<'_>) -> String {
    let words = around.words;
    match value {
        Value::Null => words.changes.none.to_owned(),
        Value::Bool(true) => words.changes.yes.to_owned(),
        Value::Bool(false) => words.changes.no.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text_of(detail, text, around),
        Value::Array(values) if values.is_empty() => words.changes.none.to_owned(),
        Value::Array(values) => {
            let told: Vec<String> = values.iter().map(|value| told(detail, value, around)).collect();
            told.join(words.common.comma)
        }
        Value::Object(_) => String::new(),
    }
}

fn text_of(detail: &str, text: &str, around: &Around<'_>) -> String {
    if let Some(name) = around.names.get(text) {
        return name.clone();
    }
    if text.parse::<MemberId>().is_ok() {
        let is_person = matches!(detail, "member" | "ownerId");
        return if is_person { around.words.changes.left.to_owned() } else { String::new() };
    }
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        let at = around.zone.told(at);
        return format!(
            "{}{}{:02}:{:02}",
            around.language.day(at.date()),
            around.words.common.comma,
            at.hour(),
            at.minute()
        );
    }
    worded(detail, text, around.words).unwrap_or(text).to_owned()
}

/// Translates one of our codes; `None` for other texts.
fn worded<'a>(detail: &str, text: &str, words: &'a Words) -> Option<&'a str> {
    match detail {
        "role" | "from" | "to" => {
            let state = || BroadcastState::read(text).map(|state| words.broadcasts.of_state(&state));
            Role::read(text).map(|role| words.owner.of_role(&role)).or_else(state)
        }
        "language" => Language::read(text).map(Language::name),
        "scopes" => text.parse::<Scope>().ok().map(|scope| words.owner.scope(&scope)),
        "events" => EventType::read(text).map(|event| words.codes.event(&event)),
        "category" => words.codes.known_category(text),
        "mode" => AssistantMode::read(text).map(|mode| words.assistant.mode(&mode)),
        "what" => words.rehearsals.done(text),
        "register" => Register::read(text).map(|register| words.assistant.register(&register)),
        "asked" => match text {
            "password" => Some(words.access.password),
            "code" => Some(words.access.code),
            _ => None,
        },
        "capabilities" => Capability::ALL
            .into_iter()
            .find(|one| one.as_str() == text)
            .map(|one| words.system.capability(&one)),
        "kind" => {
            DraftKind::ALL.into_iter().find(|one| one.as_str() == text).map(|one| words.proposals.kind(one))
        }
        "reason" => PauseReason::ALL
            .into_iter()
            .find(|one| one.as_str() == text)
            .map(|one| words.broadcasts.of_pause(&one)),
        "state" | "was" => state_of(text, words),
        "filters" => words.changes.filter(text),
        _ => None,
    }
}

/// Translates a state of a system, of a lead or of a confirmed draft.
fn state_of<'a>(text: &str, words: &'a Words) -> Option<&'a str> {
    let system =
        StateName::ALL.into_iter().find(|one| one.as_str() == text).map(|one| words.system.state(&one));
    let confirmed = || {
        let state = CommitmentState::ALL.into_iter().find(|one| one.as_str() == text);
        state.map(|state| words.proposals.outcome(state))
    };
    let lead = || match text {
        "waiting" => Some(words.changes.lead_waiting),
        "not_told" => Some(words.changes.lead_not_told),
        _ => None,
    };
    system.or_else(confirmed).or_else(lead)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use dashboard_pages::Language;
    use domain::{access::Scope, audit::Action, events::EventType, zone::Zone};
    use serde_json::json;

    use super::{Around, subject_of, told};

    const ID: &str = "0192f0c1-7a00-7000-8000-000000000001";

    #[test]
    fn what_was_changed_is_called_by_its_name_or_its_kind_and_leads_to_its_page() {
        let words = Language::English.words();
        let names = HashMap::from([(ID.to_owned(), "Sara".to_owned())]);
        let nobody = HashMap::new();
        for (action, subject, names, wanted) in [
            (Action::RoleChanged, ID, &names, ("Sara", None)),
            (Action::RoleChanged, ID, &nobody, ("Somebody who has left", None)),
            (Action::TemplateDeleted, "order_ready", &nobody, ("order_ready", None)),
            (
                Action::ConversationTagged,
                ID,
                &nobody,
                ("Conversation", Some("/dashboard/inbox/0192f0c1-7a00-7000-8000-000000000001")),
            ),
            (Action::KeyIssued, ID, &nobody, ("API key", Some("/dashboard/settings/keys"))),
            (Action::WebhookRemoved, ID, &nobody, ("Webhook address", None)),
        ] {
            let (name, href) = subject_of(action, subject.to_owned(), names, words);
            assert_eq!((name.as_str(), href.as_deref()), wanted, "{action:?}");
        }
    }

    #[test]
    fn a_detail_is_told_in_words() {
        let words = Language::Arabic.words();
        let names = HashMap::from([(ID.to_owned(), "سارة".to_owned())]);
        let zone = Zone::named("Asia/Baghdad").unwrap();
        let around = Around { names: &names, words, language: Language::Arabic, zone: &zone };
        let unknown = "0192f0c1-7a00-7000-8000-000000000002";
        for (detail, value, wanted) in [
            ("role", json!("owner"), "مالك"),
            ("to", json!("paused"), words.broadcasts.paused),
            ("language", json!("en"), "English"),
            ("language", json!("en_US"), "en_US"),
            ("enabled", json!(false), "لا"),
            ("idleClose", json!(null), "لا شيء"),
            ("member", json!(ID), "سارة"),
            ("member", json!(unknown), words.changes.left),
            ("messageId", json!(unknown), ""),
            ("invitation", json!(unknown), ""),
            ("lastAt", json!("2026-11-28T13:34:49.475Z"), "28 تشرين الثاني 2026، 16:34"),
            ("asked", json!("password"), "كلمة المرور"),
            ("capabilities", json!(["catalog", "orders"]), "المنتجات والأسعار، الطلبات"),
            ("kind", json!("cancellation"), "إلغاء"),
            ("state", json!("needs_reconnection"), words.system.needs_reconnection),
            ("state", json!("given_up"), words.proposals.given_up),
            ("reason", json!("no_number"), words.broadcasts.no_number),
            ("filters", json!(["tag", "activeSince"]), "الوسم، آخر رسالة من"),
            ("category", json!("MARKETING"), "تسويق"),
            ("labels", json!(["customer", "order"]), "customer، order"),
            ("scopes", json!(["messages:send"]), words.owner.scope(&Scope::MessagesSend)),
            ("events", json!(["message.sent"]), words.codes.event(&EventType::MessageSent)),
            ("tries", json!(3), "3"),
        ] {
            assert_eq!(told(detail, &value, &around), wanted, "{detail}");
        }
        assert_eq!(words.changes.detail("tries"), "المحاولات");
        assert_eq!(words.changes.detail("ofTomorrow"), "ofTomorrow");
    }
}
