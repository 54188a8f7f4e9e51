//! Pages of imported lists of people.

use askama::Template;
use domain::contacts::{ImportReport, ImportState, RefusedRow};

use crate::{frame::Frame, moment::Moment, refused::Refused};

/// A list that is imported in the background.
#[derive(Debug, Clone)]
pub struct ImportRow {
    pub id: String,
    /// Name of its file; empty where it came as rows.
    pub name: String,
    pub state: ImportState,
    /// Rows of people that have arrived.
    pub people: u64,
    /// Outcome of the rows so far.
    pub report: ImportReport,
    /// Titles of columns, and of other sheets, that are not read.
    pub not_read: Vec<String>,
    pub began_at: Moment,
}

impl ImportRow {
    /// Returns the number of rows that are written.
    const fn done(&self) -> u64 {
        self.report.created.saturating_add(self.report.known)
    }

    fn is_running(&self) -> bool {
        self.state == ImportState::Running
    }

    fn is_arriving(&self) -> bool {
        self.state == ImportState::Arriving
    }

    /// Returns whether nobody was found in it: its columns may have other titles.
    fn has_nobody(&self) -> bool {
        self.state == ImportState::Finished && self.people == 0
    }
}

/// Page to upload a list, and of the lists uploaded.
#[derive(Template)]
#[template(path = "contacts/imports.html")]
pub struct ImportsPage<'a> {
    pub frame: &'a Frame,
    /// Newest first.
    pub imports: Vec<ImportRow>,
    /// Most bytes of a file.
    pub most: usize,
    /// Pasted rows that were refused.
    pub draft: String,
    pub refused: Option<Refused>,
}

/// Page of one list's progress.
#[derive(Template)]
#[template(path = "contacts/import.html")]
pub struct ImportPage<'a> {
    pub frame: &'a Frame,
    pub import: ImportRow,
    /// The first refused rows.
    pub refusals: Vec<RefusedRow>,
}

impl ImportPage<'_> {
    fn has_more_refusals(&self) -> bool {
        u64::try_from(self.refusals.len()).is_ok_and(|told| told < self.import.report.refused)
    }
}

#[cfg(test)]
mod tests {
    use askama::Template;
    use domain::{
        access::members::Role,
        contacts::{ImportReport, ImportState, RefusedRow, RowError},
    };
    use time::macros::datetime;

    use super::{ImportPage, ImportRow, ImportsPage};
    use crate::{
        frame::{Frame, Section, Viewer},
        words::Language,
    };

    fn row(state: ImportState, people: u64) -> ImportRow {
        ImportRow {
            id: "7".to_owned(),
            name: "<b>people</b>.csv".to_owned(),
            state,
            people,
            report: ImportReport { created: 2, known: 1, refused: 5 },
            not_read: vec!["<b>city</b>".to_owned()],
            began_at: datetime!(2026-11-21 10:00 UTC).into(),
        }
    }

    fn frame(language: Language) -> Frame {
        let viewer = Viewer {
            member: "1".to_owned(),
            name: "Sara".to_owned(),
            role: Role::Owner,
            workspace: "Palm Store".to_owned(),
        };
        let path = "/dashboard/contacts/import".to_owned();
        Frame {
            language,
            viewer: Some(viewer),
            section: Section::Contacts,
            path,
            token: None,
            zone: None,
            is_fetched: false,
            said: None,
            feed: None,
        }
    }

    #[test]
    fn each_refused_row_has_its_number_its_column_and_its_reason_in_both_languages() {
        for language in Language::ALL {
            let frame = frame(language);
            let words = &frame.words().imports;
            let refusals = (10..).zip(RowError::ALL).map(|(line, why)| RefusedRow { line, why }).collect();
            let page = ImportPage { frame: &frame, import: row(ImportState::Running, 9), refusals };
            let html = page.render().unwrap();
            for (line, why) in (10..).zip(RowError::ALL) {
                let told = [format!("<td>{line}</td>"), words.of_column(&why).to_owned()];
                assert!(told.iter().all(|told| html.contains(told)), "{why}");
                assert!(html.contains(&words.of_refusal(&why).replace('\'', "&#39;")), "{why}");
            }
            assert!(html.contains("max=\"9\" value=\"3\"") && html.contains(words.running), "{html}");
            assert!(html.contains(words.not_read) && html.contains("&#60;b&#62;city"), "{html}");
            assert!(!html.contains("<b>"), "a name and a title are no markup");
        }
    }

    #[test]
    fn a_file_is_given_by_a_script_and_rows_without_one() {
        let frame = frame(Language::English);
        let imports = vec![row(ImportState::Arriving, 0), row(ImportState::Finished, 0)];
        let page =
            ImportsPage { frame: &frame, imports, most: 1_024, draft: "<i>".to_owned(), refused: None };
        let html = page.render().unwrap();
        assert!(html.contains("data-file-to=\"/dashboard/api/contact-imports\"") && html.contains("1024"));
        assert!(html.contains("<form method=\"post\" action=\"/dashboard/contacts/import\">"), "{html}");
        assert!(html.contains("&#60;i&#62;</textarea>") && !html.contains("<b>people"), "{html}");
    }
}
