//! Refused forms, and the page in place of one that could not be shown.

use std::{
    cell::Cell,
    fmt::{self, Display},
};

use askama::{Template, filters::HtmlSafe};

use crate::frame::Frame;

/// A refused form: why, and at which field.
///
/// `templates/field.html` shows it: its macro `field` before the field that it is about, `forms` above the
/// forms if none of them has that field.
#[derive(Debug, Clone, Default)]
pub struct Refused {
    /// Reason in one sentence.
    pub(crate) because: String,
    /// Specific cause, or the network's words.
    pub(crate) detail: Option<String>,
    /// Name of the wrong field; `None` if it is about no single one.
    pub(crate) field: Option<String>,
    /// What tells the form from others of its page: last part of its path, its button, its key.
    form: Vec<String>,
    /// What became of the message that was to be sent.
    pub(crate) outcome: Option<Outcome>,
    /// Path of that message's history, and words for it.
    pub(crate) explained: Option<(String, &'static str)>,
    is_shown: Cell<bool>,
}

impl Refused {
    /// Creates a refusal that is about no single field.
    pub fn new(because: impl Into<String>) -> Self {
        Self { because: because.into(), ..Self::default() }
    }

    /// Returns the reason in one sentence.
    pub fn because(&self) -> &str {
        &self.because
    }

    /// Names the field that it is about.
    #[must_use]
    pub fn at(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// Returns whether a message that was to be sent is over: refused by the network, and recorded so.
    pub fn is_over(&self) -> bool {
        self.outcome == Some(Outcome::Recorded)
    }

    /// Names the form that was sent.
    #[must_use]
    pub fn in_form(self, form: Vec<String>) -> Self {
        Self { form, ..self }
    }

    /// Returns whether this form was sent.
    pub(crate) fn is_of(&self, form: &str) -> bool {
        self.form.iter().any(|mark| mark == form)
    }

    /// Adds the specific cause.
    #[must_use]
    pub fn with(self, detail: Option<String>) -> Self {
        Self { detail, ..self }
    }

    /// Adds what became of the message that was to be sent, and the path of its history with words for it.
    #[must_use]
    pub fn of_message(self, outcome: Outcome, explained: Option<(String, &'static str)>) -> Self {
        Self { outcome: Some(outcome), explained, ..self }
    }
}

/// Outcome of an answer that was not accepted as usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was sent.
    Refused,
    /// Refused by the network, and recorded in the conversation as failed.
    Recorded,
    /// Whether it was sent is unknown; the id of the message, where that is known.
    Unclear(Option<String>),
}

impl Outcome {
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Recorded => "recorded",
            Self::Unclear(_) => "unclear",
        }
    }

    /// Returns the message whose outcome is unknown, where its id is known.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Refused | Self::Recorded => None,
            Self::Unclear(id) => id.as_deref(),
        }
    }
}

/// Attributes of a field.
pub(crate) struct Marks {
    is_wrong: bool,
    has_focus: bool,
    hint: String,
}

impl Marks {
    pub(crate) const fn is_wrong(&self) -> bool {
        self.is_wrong
    }
}

impl Display for Marks {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_wrong, self.hint.as_str()) {
            (true, "") => to.write_str(" aria-describedby=\"why\"")?,
            (true, hint) => write!(to, " aria-describedby=\"why {hint}\"")?,
            (false, "") => {}
            (false, hint) => write!(to, " aria-describedby=\"{hint}\"")?,
        }
        to.write_str(if self.has_focus { " autofocus" } else { "" })?;
        to.write_str(if self.is_wrong { " aria-invalid=\"true\"" } else { "" })
    }
}

/// Ids of hints are ours.
impl HtmlSafe for Marks {}

/// Returns the attributes of this field of a form. The first that fits is the wrong one.
pub(crate) fn marks(
    refused: Option<&Refused>,
    name: impl Display,
    form: impl Display,
    hint: impl Display,
    focus: bool,
) -> Marks {
    let form = form.to_string();
    let is_wrong = refused.is_some_and(|refused| {
        !refused.is_shown.get()
            && refused.field.as_ref().is_some_and(|field| *field == name.to_string())
            && (form.is_empty() || refused.form.contains(&form))
    });
    if let Some(refused) = refused.filter(|_| is_wrong) {
        refused.is_shown.set(true);
    }
    let names_another = refused.is_some_and(|refused| refused.field.is_some());
    Marks { is_wrong, has_focus: is_wrong || (focus && !names_another), hint: hint.to_string() }
}

/// Returns whether a field shows the reason.
pub(crate) fn is_shown(refused: Option<&Refused>) -> bool {
    refused.is_some_and(|refused| refused.is_shown.get())
}

/// Page that says why there is nothing to see.
#[derive(Template)]
#[template(path = "refused.html")]
pub struct RefusedPage<'a> {
    pub frame: &'a Frame,
    /// Reason in one sentence.
    pub because: &'a str,
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use askama::Template;

    use super::{Outcome, Refused};

    /// Two forms that share a name, and a part that is folded.
    #[derive(Template)]
    #[template(
        source = r#"{%- import "field.html" as f -%}
{% call f::forms(refused) %}<form>{% call(marks) f::field(refused, "a", its_form = "one") %}<input name="a"{{ marks }}>{% endcall %}</form>
<form>{% call(marks) f::field(refused, "a", its_form = "two", its_hint = "hint", its_focus = true) %}<p><input name="a" value="{{ typed }}"{{ marks }}>{% endcall %}</p>
{% call f::folded(refused, "", false) %}{% call(marks) f::field(refused, "c-" ~ 1) %}<select name="c-1"{{ marks }}>{% endcall %}</select>{% endcall %}</form>{% endcall %}"#,
        ext = "html"
    )]
    struct Page {
        refused: Option<Refused>,
        typed: &'static str,
    }

    const WHY: &str = "<p class=\"wrong\" role=\"alert\" id=\"why\">No.</p>";

    fn shown(refused: Option<Refused>) -> String {
        Page { refused, typed: "<b>" }.render().unwrap()
    }

    fn page(above: &str, [one, two, folded]: [&str; 3]) -> String {
        format!("{above}<form>{one}</form>\n<form>{two}</p>\n{folded}</select></details></form>")
    }

    #[test]
    fn the_reason_stands_at_its_field_which_is_marked_and_has_the_focus() {
        let marks = "autofocus aria-invalid=\"true\"";
        let (one, two) = ("<input name=\"a\">", "<p><input name=\"a\" value=\"&#60;b&#62;\"");
        let folded = "<details><select name=\"c-1\">";
        let left = format!("{two} aria-describedby=\"hint\">");
        let focused = format!("{two} aria-describedby=\"hint\" autofocus>");
        let in_form = |form: &str, field: &str| {
            let form = vec!["page".to_owned(), form.to_owned()];
            Some(Refused::new("No.").at(field).in_form(form))
        };
        for (refused, above, parts) in [
            (None, "", [one, &focused, folded]),
            (Some(Refused::new("No.")), WHY, [one, &focused, folded]),
            (in_form("one", "b"), WHY, [one, &left, folded]),
            (in_form("three", "a"), WHY, [one, &left, folded]),
            (
                in_form("one", "a"),
                "",
                [&format!("{WHY}<input name=\"a\" aria-describedby=\"why\" {marks}>"), &left, folded],
            ),
            (
                in_form("two", "a"),
                "",
                [one, &format!("{WHY}{two} aria-describedby=\"why hint\" {marks}>"), folded],
            ),
            (
                in_form("two", "c-1"),
                "",
                [
                    one,
                    &left,
                    &format!("<details open>{WHY}<select name=\"c-1\" aria-describedby=\"why\" {marks}>"),
                ],
            ),
        ] {
            assert_eq!(shown(refused.clone()), page(above, parts), "{refused:?}");
        }
    }

    #[test]
    fn a_reason_comes_with_its_cause_or_with_what_became_of_the_message() {
        let caused = shown(Some(Refused::new("No.").with(Some("<i>".to_owned()))));
        assert!(caused.starts_with(
            "<div class=\"wrong\" role=\"alert\" id=\"why\"><p>No.</p><p><bdi>&#60;i&#62;</bdi></p></div>"
        ));
        let outcome = Outcome::Unclear(Some("7".to_owned()));
        let sent = Refused::new("No.").of_message(outcome, Some(("/7".to_owned(), "More")));
        let sent = shown(Some(sent));
        assert!(
            sent.starts_with(
                "<p class=\"wrong\" role=\"alert\" id=\"why\" data-outcome=\"unclear\" data-message=\"7\">No. \
                 <a href=\"/7\">More</a></p>"
            ),
            "{sent}"
        );
    }

    /// Templates below a folder, by their paths.
    fn templates(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(templates(&path));
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
        found
    }

    #[test]
    fn only_the_macros_say_why_a_form_was_refused_and_every_page_with_fields_has_a_place_above_them() {
        let all = templates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("templates"));
        assert!(all.iter().filter(|(_, text)| text.contains("f::forms(refused)")).count() > 20);
        for (path, text) in all {
            let (name, path) = (path.file_name().unwrap_or_default(), path.display());
            let is_part =
                ["list.html", "rule.html", "proposed.html", "proposed_end.html", "new_password.html"]
                    .iter()
                    .any(|part| name == *part);
            let has_fields = text.contains("f::field(refused") && !is_part;
            assert!(!has_fields || text.contains("f::forms(refused)"), "{path}");
            assert_eq!(text.contains("id=\"why\""), name == "field.html", "{path}");
        }
    }
}
