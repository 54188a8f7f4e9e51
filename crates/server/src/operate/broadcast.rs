//! Commands about broadcasts.

use std::{collections::BTreeMap, io::stdin};

use anyhow::{Context, anyhow, bail};
use domain::{
    audit::Acting,
    automations::QuietHours,
    broadcasts::{
        Audience, AudienceFilter, Broadcast, BroadcastContent, BroadcastPreview, BroadcastProgress,
        BroadcastState, Change, LeftOutNumber, LimitPreview, ManageBroadcasts, PeopleFilter, PersonState,
        SkipReason, VariableSource, WrittenBroadcast, amount, ports::ListedPerson,
    },
    clock::rfc3339_ms,
    contacts::ContactName,
    ids::WorkspaceId,
    paging::{AskedPage, PageLimit},
    pause_reason::PauseReason,
    phone::{PhoneNumber, Region},
    tag::Tag,
    workspaces::{Workspace, ports::WorkspaceStore},
    zone::Zone,
};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{
    Unreadable, confirm,
    said::{Listing, Said},
};
use crate::{
    cli::{BroadcastArgs, BroadcastCommand, CreateArgs},
    wiring::Operations,
};

const LISTED: &[&str] = &["id", "state", "name", "template", "startsAt", "reason", "createdAt"];
const PEOPLE: &[&str] = &[
    "phone",
    "state",
    "reason",
    "name",
    "deliveredAt",
    "readAt",
    "undeliveredAt",
    "networkCode",
    "answeredAt",
    "messageId",
];

/// Runs a command. Before people are written to, asks the terminal if `asks` is set.
pub async fn run(command: BroadcastCommand, operations: &Operations, asks: bool) -> anyhow::Result<Said> {
    let manage = &operations.manage_broadcasts;
    match command {
        BroadcastCommand::List { workspace, limit, cursor } => {
            let here = found(workspace, operations).await?.time_zone;
            let limit = PageLimit::new(limit).context("--limit must be from 1 to 100")?;
            let page = manage.list(workspace, &AskedPage { limit, cursor }).await?;
            let begins = |broadcast: &Broadcast| broadcast.starts_at.map_or_else(none, |at| told(&here, at));
            let begins = page.rows.iter().map(begins).collect();
            let listing = Listing::new(LISTED, 5, page.rows.iter().map(row).collect());
            let listing = listing.told("startsAt", begins);
            Ok(listing.page("--cursor", "nextCursor", &json!(page.next)))
        }
        BroadcastCommand::Show(of) => {
            let here = found(of.workspace, operations).await?.time_zone;
            show(manage, of, &here).await
        }
        BroadcastCommand::Create(args) => create(manage, *args, operations).await,
        BroadcastCommand::Start { of, at, dry_run } => start(of, at, dry_run, operations, asks).await,
        BroadcastCommand::Pause(of) => moves(operations, of, Change::Pause).await,
        BroadcastCommand::Resume(of) => moves(operations, of, Change::Resume).await,
        BroadcastCommand::Cancel(of) => moves(operations, of, Change::Cancel).await,
        BroadcastCommand::People { of, state, reason, limit, cursor } => {
            let filter = PeopleFilter { state, reason };
            people(manage, of, &filter, usize::try_from(limit)?, cursor).await
        }
    }
}

async fn found(workspace: WorkspaceId, operations: &Operations) -> anyhow::Result<Workspace> {
    let found = WorkspaceStore::find(&*operations.stores.workspaces, workspace).await?;
    found.context("there is no such workspace")
}

async fn start(
    of: BroadcastArgs,
    at: Option<String>,
    dry_run: bool,
    operations: &Operations,
    asks: bool,
) -> anyhow::Result<Said> {
    let manage = &operations.manage_broadcasts;
    let Workspace { region, time_zone, .. } = found(of.workspace, operations).await?;
    let at = begins_at(&time_zone, at.as_deref(), manage.deps.clock.now())?;
    let (broadcast, _) = manage.get(of.workspace, of.broadcast).await?;
    let look = manage.preview.run(of.workspace, region, &broadcast.content, &broadcast.audience);
    if dry_run {
        return Ok(previewed(&look.await?));
    }
    if asks {
        let question = question(&broadcast.name, &look.await?, at.map(|at| told(&time_zone, at)));
        confirm(&question, true, &mut stdin().lock())?;
    }
    moved(manage, of, (region, &time_zone), Change::start(at, manage.deps.clock.now())).await
}

/// Parses `--at`; `None` for now.
fn begins_at(
    here: &Zone,
    written: Option<&str>,
    now: OffsetDateTime,
) -> anyhow::Result<Option<OffsetDateTime>> {
    match moment(here, "--at", written, "a moment, such as 2026-11-27T10:00, or a day, for its midnight")? {
        Some(at) if Change::is_over(at, now) => {
            bail!("`--at` is over: it was {}; without `--at` the broadcast begins now", told(here, at))
        }
        at => Ok(at),
    }
}

/// Formats a time by the workspace's clock, in the way `--at` takes it.
fn told(here: &Zone, at: OffsetDateTime) -> String {
    let there = here.told(at);
    format!("{} {:02}:{:02} ({here})", there.date(), there.hour(), there.minute())
}

/// Returns the table's mark for nothing.
fn none() -> String {
    "-".to_owned()
}

fn question(name: &str, preview: &BroadcastPreview, at: Option<String>) -> String {
    let people = preview.written_to();
    let more = if preview.total.is_some() { "" } else { " or more" };
    let when = at.map_or_else(|| "now".to_owned(), |at| format!("at {at}"));
    format!("Send \"{name}\" to {people}{more} people, {when}? What was sent cannot be taken back.")
}

async fn moves(operations: &Operations, of: BroadcastArgs, change: Change) -> anyhow::Result<Said> {
    let Workspace { region, time_zone, .. } = found(of.workspace, operations).await?;
    moved(&operations.manage_broadcasts, of, (region, &time_zone), change).await
}

async fn moved(
    manage: &ManageBroadcasts,
    of: BroadcastArgs,
    (region, here): (Region, &Zone),
    change: Change,
) -> anyhow::Result<Said> {
    let broadcast = manage.change(Acting::operator(of.workspace), region, of.broadcast, change).await?;
    let state = broadcast.state.as_str();
    let waits = broadcast.state == BroadcastState::Scheduled;
    let starts_at = broadcast.starts_at.filter(|_| waits);
    let text = starts_at.map_or_else(|| state.to_owned(), |at| format!("{state}, begins {}", told(here, at)));
    Ok(Said::new(text, &json!({ "id": broadcast.id, "state": state, "startsAt": starts_at.map(rfc3339_ms) })))
}

fn row(broadcast: &Broadcast) -> Vec<Value> {
    vec![
        json!(broadcast.id),
        json!(broadcast.state.as_str()),
        json!(broadcast.name),
        json!(broadcast.content.template),
        json!(broadcast.starts_at.map(rfc3339_ms)),
        json!(broadcast.reason.map(PauseReason::as_str)),
        json!(rfc3339_ms(broadcast.created_at)),
    ]
}

async fn show(manage: &ManageBroadcasts, of: BroadcastArgs, here: &Zone) -> anyhow::Result<Said> {
    let (broadcast, progress) = manage.get(of.workspace, of.broadcast).await?;
    let listing = Listing::new(LISTED, LISTED.len(), Vec::new());
    let mut object = listing.object(&row(&broadcast));
    let counts = counts(&progress);
    let lines = counts.iter().map(|(name, people)| format!("{name:<12} {people}"));
    let people = progress.people.iter();
    let people =
        people.filter_map(|(state, reason, people)| Some((state.as_str(), reason.clone()?, *people)));
    let codes = progress.undelivered_codes.iter();
    let codes = codes.map(|(code, people)| ("undelivered", code.to_string(), *people));
    let reason_lines =
        people.chain(codes).map(|(state, reason, people)| format!("{state:<12} {people}  {reason}"));
    let reasons = progress.reasons().into_iter();
    let reasons: Vec<Value> =
        reasons.map(|(reason, people)| json!({ "reason": reason, "people": people })).collect();
    let limited_until = broadcast.limited_until.map(rfc3339_ms);
    let waits = limited_until.as_ref().map(|until| format!("waits for the messaging limit, until {until}"));
    let quiet_until = broadcast.quiet_until(manage.deps.clock.now()).map(rfc3339_ms);
    let quiet = quiet_until.as_ref().map(|until| format!("quiet until {until}"));
    let without = progress.left_out.iter().map(|number| {
        let phone = number.phone.as_ref().map_or("a number", PhoneNumber::as_str);
        let code = number.code.map(|code| format!(" ({code})")).unwrap_or_default();
        format!("without {phone}: {}{code}, since {}", number.reason.as_str(), rfc3339_ms(number.at))
    });
    let text = std::iter::once(format!("{}  {}", broadcast.state.as_str(), broadcast.name))
        .chain(broadcast.starts_at.map(|at| format!("{:<12} {}", "starts at", told(here, at))))
        .chain(broadcast.reason.map(|reason| format!("paused: {}", reason.as_str())))
        .chain(waits)
        .chain(quiet)
        .chain(without)
        .chain(lines)
        .chain(reason_lines);
    let text = text.collect::<Vec<_>>().join("\n");
    if let Some(object) = object.as_object_mut() {
        object.insert("collected".to_owned(), json!(broadcast.collected));
        object.insert("limitedUntil".to_owned(), json!(limited_until));
        object.insert("quietUntil".to_owned(), json!(quiet_until));
        object.insert("progress".to_owned(), json!(counts));
        object.insert("reasons".to_owned(), json!(reasons));
        object.insert("leftOut".to_owned(), json!(left_out(&progress)));
    }
    Ok(Said::new(text, &object))
}

fn left_out(progress: &BroadcastProgress) -> Vec<Value> {
    let number = |number: &LeftOutNumber| {
        json!({
            "phone": number.phone.as_ref().map(PhoneNumber::as_str),
            "reason": number.reason.as_str(),
            "code": number.code,
            "at": rfc3339_ms(number.at),
        })
    };
    progress.left_out.iter().map(number).collect()
}

fn counts(progress: &BroadcastProgress) -> BTreeMap<&'static str, u64> {
    let states = PersonState::ALL.map(|state| (state.as_str(), progress.count(state)));
    let followed = [
        ("delivered", progress.delivered),
        ("read", progress.read),
        ("undelivered", progress.undelivered),
        ("answered", progress.answered),
        ("stopped", progress.stopped),
    ];
    states.into_iter().chain(followed).collect()
}

fn previewed(preview: &BroadcastPreview) -> Said {
    let left_out: BTreeMap<&str, u64> = preview
        .skipped
        .iter()
        .filter(|(_, people)| *people > 0)
        .map(|(reason, people)| (SkipReason::as_str(*reason), *people))
        .collect();
    let more = if preview.total.is_some() { "" } else { " or more" };
    let mut lines = vec![
        "nothing was begun; a start would say:".to_owned(),
        format!("people         {}{more}", preview.total.unwrap_or(preview.people)),
        format!("without number {}", preview.without_number),
    ];
    lines.extend(left_out.iter().map(|(reason, people)| format!("left out       {people}  {reason}")));
    lines.extend(preview.plan_room.map(|room| format!("plan room      {room}")));
    lines.extend(preview.limit.map(limit));
    lines.extend(preview.estimate.as_ref().map(|cost| format!("likely cost    {}", cost.told())));
    let estimate = preview.estimate.as_ref().map(|cost| format!("{} {}", amount(cost.micros), cost.currency));
    let refusal = preview.refusal.as_ref().map(ToString::to_string);
    lines.extend(refusal.as_ref().map(|refusal| format!("refused        {refusal}")));
    let messaging_limit =
        preview.limit.map(|limit| json!({ "people": limit.people, "left": limit.left, "days": limit.days }));
    let object = json!({
        "people": preview.people, "complete": preview.complete, "total": preview.total,
        "withoutNumber": preview.without_number,
        "skipped": left_out, "planRoom": preview.plan_room, "messagingLimit": messaging_limit,
        "estimate": estimate, "refusal": refusal, "dryRun": true,
    });
    Said::new(lines.join("\n"), &object)
}

fn limit(limit: LimitPreview) -> String {
    let LimitPreview { people, left, days } = limit;
    let takes = if days > 1 { format!(": it takes about {days} days") } else { String::new() };
    format!("number limit   {people} in 24 hours, {left} left{takes}")
}

async fn create(
    manage: &ManageBroadcasts,
    args: CreateArgs,
    operations: &Operations,
) -> anyhow::Result<Said> {
    let Workspace { region, time_zone, .. } = found(args.workspace, operations).await?;
    let variables = variables(&args)?;
    let active_since = day(&time_zone, "--active-since", args.active_since.as_deref())?;
    let active_until = day(&time_zone, "--active-until", args.active_until.as_deref())?;
    let zone = args.quiet_zone.unwrap_or(time_zone);
    let quiet = args.quiet.map(|hours| QuietHours { zone, hours });
    let CreateArgs { workspace, author, name, template, language, from, spread, .. } = args;
    let team = operations.stores.access.as_ref();
    let team = domain::access::members::ports::MemberStore::team(team, workspace).await?;
    if !team.iter().any(|member| member.id == author) {
        return Err(anyhow!("the workspace has no such member"));
    }
    let content = BroadcastContent {
        template,
        language,
        from,
        variables,
        header_text: args.header_text,
        header_link: args.header_link,
        button_variables: args.button,
        language_column: args.language_column,
        languages: args.fallback_language,
        spread,
        quiet,
    };
    let audience = match args.list {
        Some(list) => Audience::List(list),
        None => Audience::Filter(AudienceFilter {
            search: args.search,
            tags: args.tag.iter().map(|tag| Tag::read(tag)).collect::<Result<_, _>>()?,
            channel: args.channel,
            source: args.source,
            group: args.group,
            active_since,
            active_until,
            ..AudienceFilter::default()
        }),
    };
    let written = WrittenBroadcast { name, content, audience };
    let added = manage.add(Acting::operator(workspace), author, region, written).await?;
    Ok(Said::new(added.id.to_string(), &json!({ "id": added.id, "state": added.state.as_str() })))
}

/// Parses an option that takes a day, which stands for its beginning by the workspace's clock, or a moment.
fn day(here: &Zone, option: &str, written: Option<&str>) -> anyhow::Result<Option<OffsetDateTime>> {
    moment(here, option, written, "a day, such as 2026-11-21, or a moment, such as 2026-11-21T10:00")
}

/// Parses an option's moment by the workspace's clock; `rule` says what it has to be.
fn moment(
    here: &Zone,
    option: &str,
    written: Option<&str>,
    rule: &str,
) -> anyhow::Result<Option<OffsetDateTime>> {
    let wrong = || Unreadable::new(format!("`{option}` is {rule}"));
    Ok(written.map(|written| here.read_moment(written.trim()).ok_or_else(wrong)).transpose()?)
}

/// Collects the source of each variable. A label that is given twice is refused: nobody would see which
/// source was used.
fn variables(args: &CreateArgs) -> anyhow::Result<BTreeMap<String, VariableSource>> {
    let text = args.text.iter().map(|(label, text)| (label.clone(), VariableSource::Text(text.clone())));
    let name = args.contact_name.iter().map(|written| match written.split_once('=') {
        Some((label, otherwise)) => {
            (label.to_owned(), VariableSource::ContactName { otherwise: Some(otherwise.to_owned()) })
        }
        None => (written.clone(), VariableSource::ContactName { otherwise: None }),
    });
    let column = args.column.iter().map(|(label, title)| {
        (label.clone(), VariableSource::Column { column: title.clone(), otherwise: None })
    });
    let mut variables = BTreeMap::new();
    for (label, source) in text.chain(name).chain(column) {
        let twice = format!("the value of `{label}` is given more than once");
        if variables.insert(label, source).is_some() {
            bail!(Unreadable::new(twice));
        }
    }
    Ok(variables)
}

async fn people(
    manage: &ManageBroadcasts,
    of: BroadcastArgs,
    filter: &PeopleFilter,
    limit: usize,
    mut cursor: Option<String>,
) -> anyhow::Result<Said> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    loop {
        // The last page ends where the limit does, and so does its cursor.
        let wanted = limit.saturating_sub(rows.len()).min(100);
        let wanted = PageLimit::new(u64::try_from(wanted)?).context("a page has 1 to 100")?;
        let asked = AskedPage { limit: wanted, cursor };
        let page = manage.people(of.workspace, of.broadcast, filter, &asked).await?;
        let page = page.context("there is no such broadcast")?;
        rows.extend(page.rows.iter().map(person));
        cursor = page.next;
        if cursor.is_none() || rows.len() >= limit {
            return Ok(Listing::new(PEOPLE, 4, rows).page("--cursor", "nextCursor", &json!(cursor)));
        }
    }
}

fn person(listed: &ListedPerson) -> Vec<Value> {
    let ListedPerson { person, state, reason, followed, .. } = listed;
    let moment = |at: Option<OffsetDateTime>| json!(at.map(rfc3339_ms));
    vec![
        json!(person.phone.as_str()),
        json!(state.as_str()),
        json!(reason),
        json!(person.name.as_ref().map(ContactName::as_str)),
        moment(followed.delivered_at),
        moment(followed.read_at),
        moment(followed.undelivered_at),
        json!(followed.code),
        moment(followed.answered_at),
        json!(person.message),
    ]
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use domain::broadcasts::{BroadcastPreview, LimitPreview, SkipReason};
    use time::macros::datetime;

    use super::{Zone, begins_at, day, limit, question, told, variables};
    use crate::{
        cli::{BroadcastCommand, Cli, Command},
        operate::is_unreadable,
    };

    #[test]
    fn a_day_begins_by_the_workspaces_clock_and_a_moment_is_its_own() {
        let here = Zone::read("Asia/Baghdad").unwrap();
        for (written, wanted) in [
            ("2026-11-21", Some(datetime!(2026-11-20 21:00 UTC))),
            (" 2026-11-21T10:00 ", Some(datetime!(2026-11-21 7:00 UTC))),
            ("2026-11-21T10:00:00Z", Some(datetime!(2026-11-21 10:00 UTC))),
            ("yesterday", None),
            ("2026-13-01", None),
            ("", None),
        ] {
            let read = day(&here, "--active-since", Some(written));
            assert_eq!(read.ok(), wanted.map(Some), "{written}");
        }
        assert_eq!(day(&here, "--active-since", None).unwrap(), None);
        let error = day(&here, "--active-until", Some("soon")).unwrap_err();
        assert!(error.to_string().starts_with("`--active-until` is a day"), "{error}");
        assert!(is_unreadable(&error));
    }

    #[test]
    fn nobody_is_written_to_at_a_time_that_is_over() {
        let (here, now) = (Zone::read("Asia/Baghdad").unwrap(), datetime!(2026-11-21 7:00 UTC));
        for (written, wanted) in [
            (None, None),
            (Some(" 2026-11-21T10:00 "), Some(datetime!(2026-11-21 7:00 UTC))),
            (Some("2026-11-21T09:56"), Some(datetime!(2026-11-21 6:56 UTC))),
            (Some("2026-11-22T10:00:00Z"), Some(datetime!(2026-11-22 10:00 UTC))),
            (Some("2026-11-22"), Some(datetime!(2026-11-21 21:00 UTC))),
        ] {
            assert_eq!(begins_at(&here, written, now).unwrap(), wanted, "{written:?}");
        }
        for (written, words, unreadable) in [
            ("soon", "`--at` is a moment, such as 2026-11-27T10:00, or a day, for its midnight", true),
            ("2025-11-21T10:00", "`--at` is over: it was 2025-11-21 10:00 (Asia/Baghdad)", false),
            ("2026-11-21T09:54", "`--at` is over", false),
        ] {
            let error = begins_at(&here, Some(written), now).unwrap_err();
            assert!(error.to_string().starts_with(words), "{error}");
            assert_eq!(is_unreadable(&error), unreadable, "{error}");
        }
    }

    #[test]
    fn a_value_that_is_given_twice_is_refused() {
        let read = |options: &[&str]| {
            let id = "0197f3c2-7c1a-7e55-9d0e-000000000000";
            let asked = ["x", "broadcast", "create", id, "--author", id, "--name", "x", "--template", "x"];
            let asked = [&asked[..], &["--list", id], options].concat();
            match Cli::try_parse_from(asked).unwrap().command {
                Command::Broadcast(BroadcastCommand::Create(args)) => variables(&args),
                other => panic!("{other:?}"),
            }
        };
        let all = read(&["--text", "1=a", "--text", "2=b", "--contact-name", "3=x", "--column", "4=d"]);
        assert_eq!(all.unwrap().len(), 4);
        for options in [
            &["--text", "1=a", "--text", "1=b"][..],
            &["--contact-name", "1", "--contact-name", "1=x"],
            &["--column", "1=a", "--column", "1=a"],
            &["--text", "1=a", "--contact-name", "1"],
            &["--contact-name", "1", "--column", "1=a"],
        ] {
            let error = read(options).unwrap_err();
            assert!(error.to_string().contains("`1` is given more than once"), "{error}");
            assert!(is_unreadable(&error), "{error}");
        }
    }

    #[test]
    fn the_networks_limit_is_told_with_how_long_it_takes() {
        for (days, wanted) in [
            (1, "number limit   1000 in 24 hours, 800 left"),
            (5, "number limit   1000 in 24 hours, 800 left: it takes about 5 days"),
        ] {
            assert_eq!(limit(LimitPreview { people: 1_000, left: 800, days }), wanted);
        }
    }

    #[test]
    fn the_terminal_is_asked_with_how_many_people_are_written_to() {
        let look = |total| BroadcastPreview {
            people: 5_000,
            complete: total == Some(5_000),
            total,
            without_number: 3,
            skipped: vec![(SkipReason::NoName, 2)],
            sample: vec![],
            refusal: None,
            plan_room: None,
            limit: None,
            estimate: None,
        };
        let at = Some(told(&Zone::read("Asia/Baghdad").unwrap(), datetime!(2026-11-27 7:00 UTC)));
        for (total, at, wanted) in [
            (Some(5_000), None, "Send \"Hours\" to 4995 people, now?"),
            (Some(90_000), None, "Send \"Hours\" to 89995 people, now?"),
            (None, at, "Send \"Hours\" to 4995 or more people, at 2026-11-27 10:00 (Asia/Baghdad)?"),
        ] {
            let asked = question("Hours", &look(total), at);
            assert!(asked.starts_with(wanted), "{asked}");
        }
    }
}
