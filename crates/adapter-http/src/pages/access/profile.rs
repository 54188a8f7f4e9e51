//! `/me` and `/sessions`, in the browser `/dashboard/profile`: the member's own name, password, second factor
//! and sessions.

use actix_web::{HttpResponse, http::StatusCode, web::Payload};
use dashboard_pages::{Factor, Moment, Offered, ProfilePage, RefusedRow, Section, SessionRow};
use domain::{
    access::{
        members::Language,
        sessions::{
            ChangePasswordError, ListedSession, Password, PasswordError, RecoveryCode, RefusedSignIns,
            SecondFactorError,
        },
    },
    errors::StoreError,
    removal::Revoked,
    text::latin_digits,
};
use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tracing::warn;

use super::{
    super::{
        act::{self, Answer, Call, Given, Rows},
        answer::{page, see_other},
        language::unknown_language,
        refusal::{self, WrongField},
    },
    link::wrong_password,
    team::gone,
};
use crate::{
    dashboard::me,
    problem::{Code, DashboardCode, Problem},
};

const PATH: &str = "/dashboard/profile";

/// What is to be other than it is of oneself. What is left out stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnProfile {
    name: Option<String>,
    /// What one's pages and mails are in.
    language: Option<Language>,
}

/// The password until now, and the one from now on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewPassword {
    current_password: String,
    /// At least 10 characters, at most 1024 bytes.
    new_password: String,
}

/// The password, to confirm a change.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnPassword {
    password: String,
}

/// A code of the device.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceCode {
    code: String,
}

/// Codes for a lost device, each good for once. Shown once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

/// Something to do to one's own profile.
enum Wanted {
    Profile(OwnProfile),
    EndOthers,
    /// Ends the session of this id.
    End(String),
    /// Switches the second factor off.
    Disable(Password),
    Password(Password, String),
    /// Offers a second factor.
    Offer(Password),
    /// Switches the offered second factor on, by a code of it.
    Confirm(String),
}

enum Done {
    /// Nothing to report.
    Seen,
    OthersEnded,
    PasswordChanged,
    PasswordRefused(PasswordError),
    Offered(Offered),
    Confirmed(Vec<String>),
}

impl Done {
    /// Returns the message for the next page, shown once; `None` if there is none or it is shown at once.
    fn told(&self) -> Option<String> {
        match self {
            Self::Seen | Self::OthersEnded | Self::PasswordRefused(_) => None,
            Self::PasswordChanged => Some("changed".to_owned()),
            Self::Offered(Offered { secret, uri }) => Some(format!("offered {secret} {uri}")),
            Self::Confirmed(codes) => Some(format!("codes {}", codes.join(" "))),
        }
    }

    fn read(told: &str) -> Self {
        match told.split_once(' ') {
            Some(("offered", offered)) => offered.split_once(' ').map_or(Self::Seen, |(secret, uri)| {
                Self::Offered(Offered { secret: secret.to_owned(), uri: uri.to_owned() })
            }),
            Some(("codes", codes)) => Self::Confirmed(codes.split(' ').map(str::to_owned).collect()),
            _ if told == "changed" => Self::PasswordChanged,
            _ => Self::Seen,
        }
    }
}

/// Who is signed in, and where; in the browser, their profile.
pub(in crate::pages) async fn show(call: Call) -> Answer {
    if call.is_of_api() {
        let (workspace, member) = (call.workspace(), call.by.session.member);
        let found = call.run(move |app| async move { app.dashboard.members.get(workspace, member).await });
        let member = found.await?.ok_or_else(|| Problem::internal("a session without its member"))?;
        return act::ok(&me::body(&call.app, member).await?);
    }
    let done = call.told().map_or(Done::Seen, |told| Done::read(&told));
    render(&call, Ok(done), None).await
}

/// One's own sessions, newest first.
pub(in crate::pages) async fn sessions(call: Call) -> Answer {
    let session = call.by.session.clone();
    let listed = call.run(move |app| async move { app.dashboard.sessions.list(&session).await });
    act::ok(&Rows { rows: listed.await?.into_iter().map(|session| session_row(session, &call)).collect() })
}

/// The last tries to sign in as oneself that were refused, newest first, at most 20.
pub(in crate::pages) async fn refusals(call: Call) -> Answer {
    let session = call.by.session.clone();
    let found = call.run(move |app| async move { app.dashboard.refusals.of(&session).await });
    act::ok(&Rows { rows: found.await?.into_iter().map(refused_row).collect() })
}

fn session_row(session: ListedSession, call: &Call) -> SessionRow {
    SessionRow {
        id: session.id,
        current: session.id == call.by.session.id,
        address: session.address,
        user_agent: session.user_agent,
        began_at: session.began_at.into(),
        seen_at: session.seen_at.into(),
    }
}

fn refused_row(refused: RefusedSignIns) -> RefusedRow {
    let RefusedSignIns { asked, locked, tries, first_at, last_at, address } = refused;
    let last = OffsetDateTime::parse(&last_at, &Rfc3339).ok().map(Moment::from);
    let (first_at, address) = (first_at.into(), address.map(|address| address.to_string()));
    RefusedRow { asked, locked, tries, first_at, last_at, last, address }
}

async fn render(call: &Call, done: Result<Done, Problem>, name: Option<String>) -> Answer {
    let frame = call.frame(Section::Profile).await?;
    let (session, request) = (call.by.session.clone(), &call.request);
    let found = call.run(move |app| async move {
        let member = app.dashboard.members.get(session.workspace, session.member).await?;
        let sessions = app.dashboard.sessions.list(&session).await?;
        Ok::<_, StoreError>((member, sessions, app.dashboard.refusals.of(&session).await?))
    });
    let (member, sessions, refusals) = found.await?;
    let member = member.ok_or_else(|| Problem::internal("a session without its member"))?;
    let mut factor = if member.second_factor { Factor::On } else { Factor::Off };
    let (mut status, mut told, mut refused) = (StatusCode::OK, None, None);
    let words = frame.words();
    match done {
        Ok(Done::Seen | Done::OthersEnded) => {}
        Ok(Done::PasswordChanged) => told = Some(words.profile.changed),
        Ok(Done::PasswordRefused(error)) => {
            status = StatusCode::UNPROCESSABLE_ENTITY;
            refused = Some(WrongField::new("new", wrong_password(error, &words.access)).refused(request));
        }
        Ok(Done::Offered(offered)) => factor = Factor::Offered(Some(offered)),
        Ok(Done::Confirmed(codes)) => factor = Factor::Confirmed(codes),
        Err(problem) => {
            status = StatusCode::UNPROCESSABLE_ENTITY;
            // The offered secret stays valid: the next code may be right.
            if problem.code() == Some(Code::Dashboard(DashboardCode::WrongCode)) && !member.second_factor {
                factor = Factor::Offered(None);
            }
            refused = Some(match &name {
                Some(_) => refusal::of_only(request, problem, ("name", words.access.name_rule), words)?,
                None => refusal::of_form(request, problem, words)?,
            });
        }
    }
    page(
        status,
        &ProfilePage {
            frame: &frame,
            name: name.or(member.name).unwrap_or_default(),
            email: member.email.as_str().to_owned(),
            factor,
            sessions: sessions.into_iter().map(|session| session_row(session, call)).collect(),
            refusals: refusals.into_iter().map(refused_row).collect(),
            done: told,
            refused,
        },
    )
}

/// Changes one's own name, language or password, offers, confirms or switches off a second factor (TOTP, RFC
/// 6238), ends sessions, or leaves the workspace.
///
/// With another password, all other sessions end, and no other browser is known for the member any more; so
/// where all others are ended.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    let name = match &given {
        Given::Form(_) if call.what() == "leave" => return leave(&call).await,
        Given::Form(form) => form.given("name")?,
        Given::Json(_) => None,
    };
    let done = done(&call, given).await;
    let is_known_anew = matches!(done, Ok(Done::OthersEnded | Done::PasswordChanged));
    let told = done.as_ref().ok().and_then(Done::told);
    let mut answer = match (told, done) {
        (_, Err(problem)) if call.is_of_api() => return Err(problem),
        (_, Ok(done)) if call.is_of_api() => match done {
            Done::PasswordRefused(error) => return Err(error.into()),
            Done::Offered(offered) => act::ok(&offered)?,
            Done::Confirmed(recovery_codes) => act::ok(&RecoveryCodes { recovery_codes })?,
            Done::Seen | Done::OthersEnded | Done::PasswordChanged => call.done(PATH),
        },
        (Some(text), _) => call.tell(PATH, &text)?,
        (None, Ok(Done::Seen | Done::OthersEnded)) => see_other(PATH),
        (None, done) => {
            let name = name.filter(|_| done.is_err());
            render(&call, done, name).await?
        }
    };
    if is_known_anew {
        renew_device(&call, &mut answer).await;
    }
    Ok(answer)
}

/// Gives the browser a new device after all of the member's others were forgotten. A failure is only logged,
/// since what was done stands without it.
async fn renew_device(call: &Call, answer: &mut HttpResponse) {
    let session = call.by.session.clone();
    let device = call.app.run(move |app| async move { app.dashboard.sessions.device(&session).await });
    match device.await {
        Ok(Ok(Some(device))) => call.app.edge.cookies.keep_device(&call.request, answer, &device),
        Ok(Ok(None)) => {}
        Ok(Err(error)) => warn!(%error, "a browser is not known for its member any more"),
        Err(_) => warn!("a browser is not known for its member any more"),
    }
}

async fn leave(call: &Call) -> Answer {
    match gone(call, call.by.session.member, Revoked::default()).await {
        Ok(()) => {
            let mut answer = see_other("/dashboard/sign-in?after=left");
            call.app.edge.cookies.forget(&mut answer);
            Ok(answer)
        }
        Err(problem) => render(call, Err(problem), None).await,
    }
}

async fn wanted(call: &Call, given: Given) -> Result<Wanted, Problem> {
    let what = call.what();
    Ok(match given {
        Given::Json(payload) => match what.as_str() {
            "set" => Wanted::Profile(call.json(payload).await?),
            "password" => {
                let NewPassword { current_password, new_password } = call.json(payload).await?;
                Wanted::Password(Password::presented(current_password), new_password)
            }
            "second-factor" => {
                Wanted::Offer(Password::presented(call.json::<OwnPassword>(payload).await?.password))
            }
            "confirm" => Wanted::Confirm(call.json::<DeviceCode>(payload).await?.code),
            _ => Wanted::EndOthers,
        },
        Given::Form(form) => {
            let current = || form.text("current").map(Password::presented);
            match what.as_str() {
                "rename" => Wanted::Profile(OwnProfile { name: Some(form.text("name")?), language: None }),
                "language" => {
                    let language = Language::read(&form.text("language")?).ok_or_else(unknown_language)?;
                    Wanted::Profile(OwnProfile { name: None, language: Some(language) })
                }
                "end-others" => Wanted::EndOthers,
                "end" => Wanted::End(form.text("session")?),
                "disable" => Wanted::Disable(current()?),
                "password" => Wanted::Password(current()?, form.text("new")?),
                "offer" => Wanted::Offer(current()?),
                "confirm" => Wanted::Confirm(latin_digits(&form.text("code")?)),
                _ => return Err(Problem::invalid("`do` names nothing that can be done")),
            }
        }
    })
}

async fn done(call: &Call, given: Given) -> Result<Done, Problem> {
    let (wanted, by) = (wanted(call, given).await?, call.by.clone());
    let done = call.run(move |app| async move {
        let (dashboard, session, address) = (&app.dashboard, &by.session, by.address);
        match wanted {
            Wanted::Profile(OwnProfile { name, language }) => {
                let (members, acting) = (&dashboard.members, by.acting());
                if let Some(name) = name {
                    members.rename(acting, session.member, &name).await?;
                }
                if let Some(language) = language {
                    members.choose_language(acting, session.member, language).await?;
                }
            }
            Wanted::EndOthers => {
                dashboard.sessions.end_others(session, address).await?;
                return Ok(Done::OthersEnded);
            }
            Wanted::End(ended) => {
                if let Ok(ended) = ended.parse() {
                    dashboard.sessions.end(session, ended, address).await?;
                }
            }
            Wanted::Disable(current) => dashboard.second_factor.disable(session, &current, address).await?,
            Wanted::Password(current, new) => {
                return match dashboard.change_password.run(session, current, new, address).await {
                    Ok(()) => Ok(Done::PasswordChanged),
                    Err(ChangePasswordError::Password(error)) => Ok(Done::PasswordRefused(error)),
                    Err(error) => Err(error.into()),
                };
            }
            Wanted::Offer(current) => {
                let offered = dashboard.second_factor.offer(session, &current).await?;
                return Ok(Done::Offered(Offered { secret: offered.secret.in_base32(), uri: offered.uri }));
            }
            Wanted::Confirm(code) => {
                let codes = dashboard.second_factor.confirm(session, &code, address).await?;
                return Ok(Done::Confirmed(codes.iter().map(RecoveryCode::reveal).collect()));
            }
        }
        Ok::<_, Problem>(Done::Seen)
    });
    done.await
}

/// Returns the problem of a change that was confirmed with a wrong password.
fn another_password() -> Problem {
    Problem::dashboard(DashboardCode::WrongPassword, "the password is another")
}

impl From<PasswordError> for Problem {
    fn from(error: PasswordError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<ChangePasswordError> for Problem {
    fn from(error: ChangePasswordError) -> Self {
        match error {
            ChangePasswordError::Throttled(throttled) => throttled.into(),
            ChangePasswordError::Wrong => another_password(),
            ChangePasswordError::Password(error) => error.into(),
            ChangePasswordError::Busy(busy) => busy.into(),
            ChangePasswordError::Store(error) => error.into(),
        }
    }
}

impl From<SecondFactorError> for Problem {
    fn from(error: SecondFactorError) -> Self {
        let refused = |code, error: SecondFactorError| Self::dashboard(code, error.to_string());
        match error {
            SecondFactorError::Throttled(throttled) => throttled.into(),
            SecondFactorError::WrongPassword => another_password(),
            SecondFactorError::WrongCode => refused(DashboardCode::WrongCode, error),
            SecondFactorError::AlreadyOn => refused(DashboardCode::SecondFactorOn, error),
            SecondFactorError::NotOffered => refused(DashboardCode::SecondFactorNotOffered, error),
            SecondFactorError::Busy(busy) => busy.into(),
            SecondFactorError::Store(error) => error.into(),
        }
    }
}
