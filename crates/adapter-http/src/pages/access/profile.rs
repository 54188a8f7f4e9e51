//! `/dashboard/profile`: the member's own name, password, second factor and sessions.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{Factor, Moment, ProfilePage, RefusedRow, Section, SessionRow};
use domain::{
    access::{
        members::Language,
        sessions::{
            ChangePasswordError, ListedSession, Password, PasswordError, RecoveryCode, RefusedSignIns,
        },
    },
    errors::StoreError,
    ids::SessionId,
    removal::Revoked,
    text::latin_digits,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame,
        language::unknown_language,
        notice,
        refusal::{self, WrongField},
    },
    link::wrong_password,
};
use crate::{
    app::App,
    dashboard::{device::renew_device, members::gone},
    problem::{Code, DashboardCode, Problem},
    session::SignedIn,
};

const PATH: &str = "/dashboard/profile";

enum Done {
    /// Nothing to report.
    Seen,
    OthersEnded,
    PasswordChanged,
    PasswordRefused(PasswordError),
    Offered(String),
    Confirmed(Vec<String>),
}

impl Done {
    /// Returns the message for the next page, shown once; `None` if there is none or it is shown at once.
    fn told(&self) -> Option<String> {
        match self {
            Self::Seen | Self::OthersEnded | Self::PasswordRefused(_) => None,
            Self::PasswordChanged => Some("changed".to_owned()),
            Self::Offered(secret) => Some(format!("offered {secret}")),
            Self::Confirmed(codes) => Some(format!("codes {}", codes.join(" "))),
        }
    }

    fn read(told: &str) -> Self {
        match told.split_once(' ') {
            Some(("offered", secret)) => Self::Offered(secret.to_owned()),
            Some(("codes", codes)) => Self::Confirmed(codes.split(' ').map(str::to_owned).collect()),
            _ if told == "changed" => Self::PasswordChanged,
            _ => Self::Seen,
        }
    }
}

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let done = notice::open(&app, &by, &request).map_or(Done::Seen, |told| Done::read(&told));
    render(&app, &by, &request, Ok(done), None).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Result<Done, Problem>,
    name: Option<String>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Profile).await?;
    let (session, current) = (by.session.clone(), by.session.id);
    let found = app.run(move |app| async move {
        let member = app.dashboard.members.get(session.workspace, session.member).await?;
        let sessions = app.dashboard.sessions.list(&session).await?;
        Ok::<_, StoreError>((member, sessions, app.dashboard.refusals.of(&session).await?))
    });
    let (member, sessions, refusals) = found.await??;
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
        Ok(Done::Offered(secret)) => factor = Factor::Offered(secret),
        Ok(Done::Confirmed(codes)) => factor = Factor::Confirmed(codes),
        Err(problem) => {
            status = StatusCode::UNPROCESSABLE_ENTITY;
            // The offered secret stays valid: the next code may be right.
            if problem.code() == Some(Code::Dashboard(DashboardCode::WrongCode)) && !member.second_factor {
                factor = Factor::Offered(String::new());
            }
            refused = Some(match &name {
                Some(_) => refusal::of_only(request, problem, ("name", words.access.name_rule), words)?,
                None => refusal::of_form(request, problem, words)?,
            });
        }
    }
    let row = |session: ListedSession| SessionRow {
        id: session.id.to_string(),
        is_current: session.id == current,
        address: session.address,
        browser: session.user_agent,
        seen_at: session.seen_at.into(),
    };
    page(
        status,
        &ProfilePage {
            frame: &frame,
            name: name.or(member.name).unwrap_or_default(),
            email: member.email.as_str().to_owned(),
            factor,
            sessions: sessions.into_iter().map(row).collect(),
            refusals: refusals.iter().map(refused_row).collect(),
            done: told,
            refused,
        },
    )
}

fn refused_row(refused: &RefusedSignIns) -> RefusedRow {
    let last_at = OffsetDateTime::parse(&refused.last_at, &Rfc3339).ok().map(Moment::from);
    RefusedRow {
        is_code: refused.asked == "code",
        tries: refused.tries,
        last_at,
        address: refused.address.as_ref().map(ToString::to_string),
    }
}

pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    if form.text("do")? == "leave" {
        return leave(&app, by, &request).await;
    }
    let done = done(&app, by.clone(), &form).await;
    let is_known_anew = matches!(done, Ok(Done::OthersEnded | Done::PasswordChanged));
    let told = done.as_ref().ok().and_then(Done::told);
    let mut answer = match (told, done) {
        (Some(text), _) => notice::redirect_with(&app, &by, PATH, &text)?,
        (None, Ok(Done::Seen | Done::OthersEnded)) => see_other(PATH),
        (None, done) => {
            let name = if done.is_err() { form.given("name")? } else { None };
            render(&app, &by, &request, done, name).await?
        }
    };
    if is_known_anew {
        renew_device(&app, by, &request, &mut answer).await;
    }
    Ok(answer)
}

async fn leave(app: &Data<App>, by: SignedIn, request: &HttpRequest) -> Result<HttpResponse, Problem> {
    let member = by.session.member;
    match gone(app, by.clone(), member, Revoked::default()).await {
        Ok(()) => {
            let mut answer = see_other("/dashboard/sign-in?after=left");
            app.edge.cookies.forget(&mut answer);
            Ok(answer)
        }
        Err(problem) => render(app, &by, request, Err(problem), None).await,
    }
}

async fn done(app: &Data<App>, by: SignedIn, form: &Form) -> Result<Done, Problem> {
    let (what, name, code) = (form.text("do")?, form.text("name")?, latin_digits(&form.text("code")?));
    let (current, new) = (Password::presented(form.text("current")?), form.text("new")?);
    let language = Language::read(&form.text("language")?);
    let ended: Option<SessionId> = form.text("session")?.parse().ok();
    let done = app.run(move |app| async move {
        let (dashboard, session, address) = (&app.dashboard, &by.session, by.address);
        match what.as_str() {
            "rename" => dashboard.members.rename(by.acting(), session.member, &name).await?,
            "language" => {
                let language = language.ok_or_else(unknown_language)?;
                dashboard.members.choose_language(by.acting(), session.member, language).await?;
            }
            "end-others" => {
                dashboard.sessions.end_others(session, address).await?;
                return Ok(Done::OthersEnded);
            }
            "end" => {
                if let Some(ended) = ended {
                    dashboard.sessions.end(session, ended, address).await?;
                }
            }
            "disable" => dashboard.second_factor.disable(session, &current, address).await?,
            "password" => {
                return match dashboard.change_password.run(session, current, new, address).await {
                    Ok(()) => Ok(Done::PasswordChanged),
                    Err(ChangePasswordError::Password(error)) => Ok(Done::PasswordRefused(error)),
                    Err(error) => Err(error.into()),
                };
            }
            "offer" => {
                let offered = dashboard.second_factor.offer(session, &current).await?;
                return Ok(Done::Offered(offered.secret.in_base32()));
            }
            "confirm" => {
                let codes = dashboard.second_factor.confirm(session, &code, address).await?;
                return Ok(Done::Confirmed(codes.iter().map(RecoveryCode::reveal).collect()));
            }
            _ => return Err(Problem::invalid("`do` names nothing that can be done")),
        }
        Ok(Done::Seen)
    });
    done.await?
}
