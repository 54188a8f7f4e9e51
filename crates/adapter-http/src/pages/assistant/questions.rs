//! `/dashboard/settings/assistant/questions`: questions that the assistant is tested with.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{QuestionRow, QuestionsPage, RunRow, Section, TypedQuestion};
use domain::{
    assistant::rehearsal::{
        AskedQuestion, Expected, Fingerprint, QuestionError, RehearsalSummary, WrittenQuestion,
    },
    audit::Acting,
    ids::{RehearsalId, TestQuestionId},
};

use super::super::{
    answer::{page, see_other},
    form::Form,
    frame, names, refusal,
};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

const PATH: &str = "/dashboard/settings/assistant/questions";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, Typed::default(), None).await
}

/// What was typed and refused; nothing if nothing was.
#[derive(Default)]
struct Typed {
    /// The question that was to be changed.
    of: Option<TestQuestionId>,
    question: TypedQuestion,
    pasted: String,
}

/// Reason a form was refused, with the field that is at fault and why, if one is.
type Fault = (Problem, Option<(&'static str, &'static str)>);

fn of_question(request: &HttpRequest, error: QuestionError) -> Fault {
    let fault = frame::bare(request).words().rehearsals.fault(&error);
    (error.into(), fault)
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    typed: Typed,
    refused: Option<Fault>,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Assistant).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let assistant = &app.dashboard.assistant;
        let now = assistant.rehearsals.fingerprint(workspace).await?;
        let asked = assistant.questions.list(workspace).await?;
        let runs = assistant.rehearsals.list(workspace).await?;
        Ok::<_, Problem>((now, asked, runs, assistant.hand_overs.run(workspace).await?))
    });
    let (now, asked, runs, week) = found.await??;
    let members = names::members(app, by).await?;
    let summary = RehearsalSummary::of(&asked, &now);
    let mut questions: Vec<_> = asked.into_iter().map(|asked| row(asked, &now)).collect();
    let run = |run: domain::assistant::rehearsal::Rehearsal| RunRow {
        by: run.member.and_then(|member| members.get(&member.to_string()).cloned()),
        is_out_of_date: run.fingerprint != now,
        run,
    };
    let runs = runs.into_iter().map(run).collect();
    let Typed { of, question, pasted } = typed;
    let typed_of = of.map(|of| of.to_string());
    let changed = questions.iter_mut().find(|row| typed_of.as_deref() == Some(&row.id));
    // What was typed over a question that is gone can be added anew.
    let draft = match changed {
        Some(row) => {
            (row.form, row.is_typed) = (question, true);
            TypedQuestion::default()
        }
        None => question,
    };
    let words = frame.words();
    let refused = refused.map(|(problem, fault)| match fault {
        Some((field, why)) => refusal::of_only(request, problem, (field, why), words),
        None => refusal::of_shared(request, problem, ("text", words.refusals.invalid), words),
    });
    let refused = refused.transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &QuestionsPage { frame: &frame, summary, questions, runs, week, draft, pasted, refused })
}

fn row(asked: AskedQuestion, now: &Fingerprint) -> QuestionRow {
    QuestionRow {
        id: asked.question.id.to_string(),
        form: TypedQuestion::from(&asked.question),
        is_typed: false,
        is_out_of_date: asked.result.as_ref().is_some_and(|result| result.fingerprint != *now),
        result: asked.result,
    }
}

fn typed(form: &Form) -> Result<TypedQuestion, Problem> {
    // Browsers end lines with CRLF, which would count as two characters.
    let lines = |name: &str| Ok::<_, Problem>(form.text(name)?.replace("\r\n", "\n"));
    Ok(TypedQuestion {
        text: lines("text")?,
        expects: form.text("expects")?,
        must: lines("must")?,
        must_not: lines("must-not")?,
    })
}

fn written(typed: &TypedQuestion) -> Result<WrittenQuestion, Problem> {
    let wrong = || Problem::invalid("`expects` is none of those that there are");
    let lines =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let expected = match typed.expects.as_str() {
        "" => Expected::default(),
        name => Expected::read(name).ok_or_else(wrong)?,
    };
    let text = typed.text.clone();
    Ok(WrittenQuestion { text, expected, must: lines(&typed.must), must_not: lines(&typed.must_not) })
}

/// Adds questions, or begins or stops a run.
pub(in crate::pages) async fn post(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (question, pasted) = (typed(&form)?, form.text("pasted")?);
    let acting = by.acting();
    let done = match form.text("do")?.as_str() {
        "add" | "take" => match written(&question) {
            Ok(one) => add(&app, &request, acting, vec![one]).await?,
            Err(problem) => Err((problem, None)),
        },
        "paste" => {
            let lines = pasted.lines().map(str::trim).filter(|line| !line.is_empty());
            let all: Vec<_> = lines.map(WrittenQuestion::of).collect();
            // Nothing is no question.
            let all = if all.is_empty() { vec![WrittenQuestion::default()] } else { all };
            let added = add(&app, &request, acting, all).await?;
            added.map_err(|(problem, fault)| (problem, fault.map(|(_, why)| ("pasted", why))))
        }
        "run" => run(&app, acting, None).await?,
        "stop" => {
            let unknown = || not_found("run under way");
            let id: RehearsalId = form.text("run")?.parse().map_err(|_| unknown())?;
            let stopped =
                app.run(move |app| async move { app.dashboard.assistant.rehearsals.stop(acting, id).await });
            // One that has ended is stopped, as was wanted.
            stopped.await??;
            Ok(())
        }
        _ => Err((Problem::invalid("`do` names nothing that can be done"), None)),
    };
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(refused) => {
            let typed = Typed { of: None, question, pasted };
            render(&app, &by, &request, typed, Some(refused)).await
        }
    }
}

async fn add(
    app: &Data<App>,
    request: &HttpRequest,
    acting: Acting,
    questions: Vec<WrittenQuestion>,
) -> Result<Result<(), Fault>, Problem> {
    let added = app.run(move |app| async move {
        app.dashboard.assistant.questions.add(acting, questions).await.map(drop)
    });
    Ok(added.await?.map_err(|error| of_question(request, error)))
}

async fn run(
    app: &Data<App>,
    acting: Acting,
    only: Option<TestQuestionId>,
) -> Result<Result<(), Fault>, Problem> {
    let began =
        app.run(
            move |app| async move { app.dashboard.assistant.rehearsals.begin(acting, only).await.map(drop) },
        );
    Ok(began.await?.map_err(|error| (error.into(), None)))
}

/// Changes, removes or asks one question.
pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: TestQuestionId = id(&request).ok_or_else(|| not_found("question"))?;
    let form = Form::of(&request, payload).await?;
    let (question, acting) = (typed(&form)?, by.acting());
    let mut typed = Typed::default();
    let done = match form.text("do")?.as_str() {
        "save" => {
            let wanted = written(&question);
            typed = Typed { of: Some(id), question, pasted: String::new() };
            match wanted {
                Ok(wanted) => {
                    let changed = app.run(move |app| async move {
                        app.dashboard.assistant.questions.change(acting, id, wanted).await.map(drop)
                    });
                    changed.await?.map_err(|error| of_question(&request, error))
                }
                Err(problem) => Err((problem, None)),
            }
        }
        "remove" => {
            let removed =
                app.run(move |app| async move { app.dashboard.assistant.questions.remove(acting, id).await });
            match removed.await? {
                // Already gone, as was wanted.
                Ok(()) | Err(QuestionError::Unknown) => Ok(()),
                Err(error) => Err(of_question(&request, error)),
            }
        }
        "run" => run(&app, acting, Some(id)).await?,
        _ => Err((Problem::invalid("`do` names nothing that can be done"), None)),
    };
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(refused) => render(&app, &by, &request, typed, Some(refused)).await,
    }
}
