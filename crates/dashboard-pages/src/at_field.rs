//! Moves the reason of a refused form to the field that it is about.
//!
//! A page shows why a form was refused in one element, which has the id [`WHY`]. [`at_field`] takes the
//! finished page and moves that element to the field, marks the field as wrong, and gives it the focus. One
//! rule serves every form: a template says only where the reason stands if it belongs to no field.
//!
//! The parser reads the HTML of our own templates from the body on, not any HTML: values of attributes stand
//! in double quotes, and typed text is escaped, so that `<` always begins a tag, and `>` ends it.

use std::ops::Range;

/// Id of the element with the reason why a form was refused.
const WHY: &str = "why";

/// Elements that have no end tag.
const VOID: [&str; 7] = ["!doctype", "br", "hr", "img", "input", "link", "meta"];

/// How a form was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentForm {
    /// Path that it was sent to, without the query.
    pub path: String,
    /// Whether it was sent by POST.
    pub is_post: bool,
    /// Names and values that tell it from other forms sent there, such as the pressed button.
    pub marks: Vec<(String, String)>,
}

/// Returns the page with its reason at the first of these fields that the form has; `None` where it has none
/// of them, or the page shows no reason.
pub fn at_field(html: &str, sent: &SentForm, fields: &[String]) -> Option<String> {
    let read = Page::read(html, sent);
    let (why, field) = (read.why?, chosen(&read.forms, fields)?);
    let mut edits = vec![
        (why.clone(), String::new()),
        (field.before..field.before, html.get(why)?.to_owned()),
        (field.tag.clone(), marked(html.get(field.tag.clone())?)),
    ];
    // The first `autofocus` of a page has the focus, wherever it stands.
    for tag in read.focused.into_iter().filter(|tag| *tag != field.tag) {
        // The last match is the attribute: typed text may hold the word, too.
        let (start, end) = html.get(tag.clone())?.rsplit_once(" autofocus")?;
        edits.push((tag, format!("{start}{end}")));
    }
    edits.extend(field.closed.iter().map(|&at| (at..at, " open".to_owned())));
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    let mut page = String::with_capacity(html.len() + 256);
    let mut at = 0;
    for (place, text) in edits {
        page.push_str(html.get(at..place.start)?);
        page.push_str(&text);
        at = place.end;
    }
    page.push_str(html.get(at..)?);
    Some(page)
}

/// Returns, among the forms that the marks fit best, the first that has one of the fields.
fn chosen<'p, 'h>(forms: &'p [Form<'h>], fields: &[String]) -> Option<&'p Field<'h>> {
    let most = forms.iter().map(|form| form.marks).max()?;
    let mut fitting = forms.iter().filter(|form| form.marks == most);
    fitting.find_map(|form| {
        fields.iter().find_map(|wanted| form.fields.iter().find(|field| field.name == wanted))
    })
}

/// Returns the field's tag, marked as wrong.
fn marked(tag: &str) -> String {
    let described = match value(tag, "aria-describedby") {
        Some(by) => tag.replacen(&describes(by), &describes(&format!("{WHY} {by}")), 1),
        None => with(tag, &describes(WHY)),
    };
    let focused = if has(tag, "autofocus") { described } else { with(&described, "autofocus") };
    with(&focused, "aria-invalid=\"true\"")
}

fn describes(by: &str) -> String {
    format!("aria-describedby=\"{by}\"")
}

/// Returns the tag with another attribute.
fn with(tag: &str, attribute: &str) -> String {
    format!("{} {attribute}>", tag.strip_suffix('>').unwrap_or(tag).trim_end())
}

/// Returns the value of an attribute.
fn value<'h>(tag: &'h str, name: &str) -> Option<&'h str> {
    let mut parts = tag.split('"');
    loop {
        let (outside, inside) = (parts.next()?, parts.next()?);
        let named =
            outside.strip_suffix('=').and_then(|outside| outside.split_ascii_whitespace().next_back());
        if named == Some(name) {
            return Some(inside);
        }
    }
}

/// Returns whether the tag has an attribute without a value.
fn has(tag: &str, name: &str) -> bool {
    let mut outside =
        tag.split('"').step_by(2).flat_map(|part| part.trim_end_matches('>').split_ascii_whitespace());
    outside.any(|part| part == name)
}

/// A visible field.
#[derive(Debug)]
struct Field<'h> {
    name: &'h str,
    /// Position of its tag.
    tag: Range<usize>,
    /// Position before it where a block may stand.
    before: usize,
    /// Positions at which to open the folded parts of the page around it.
    closed: Vec<usize>,
}

/// A form that is sent to the path of the refused one.
#[derive(Debug)]
struct Form<'h> {
    fields: Vec<Field<'h>>,
    /// Number of the marks that it has.
    marks: usize,
}

/// An element that has not ended yet.
struct Open<'h> {
    name: &'h str,
    tag: &'h str,
    at: usize,
}

impl Open<'_> {
    /// Returns whether no block may stand in it, or one would be squeezed in there.
    fn is_line(&self) -> bool {
        matches!(self.name, "label" | "p" | "span") || value(self.tag, "class") == Some("line")
    }

    /// Returns the position at which to open it, if it is folded.
    fn is_closed(&self) -> Option<usize> {
        (self.name == "details" && !has(self.tag, "open")).then_some(self.at + "<details".len())
    }
}

/// Parts of a page needed to move its reason.
#[derive(Default)]
struct Page<'h> {
    /// Position of the element with the reason.
    why: Option<Range<usize>>,
    forms: Vec<Form<'h>>,
    /// Tags with `autofocus`.
    focused: Vec<Range<usize>>,
}

impl<'h> Page<'h> {
    fn read(html: &'h str, sent: &SentForm) -> Self {
        let mut page = Self::default();
        let mut around: Vec<Open<'h>> = Vec::new();
        // Forms do not nest.
        let mut is_in_form = false;
        let mut why: Option<(usize, &str)> = None;
        // The style in the head uses `<` and `>` for other things.
        let body = html.find("<body").unwrap_or_default();
        for (at, _) in html.match_indices('<').filter(|(at, _)| *at >= body) {
            let Some(tag) = html.get(at..).and_then(|rest| rest.split_inclusive('>').next()) else { break };
            let place = at..at + tag.len();
            let bare = tag.trim_matches(['<', '/', '>']);
            let name = bare.split_ascii_whitespace().next().unwrap_or_default();
            if tag.starts_with("</") {
                if let Some((start, _)) = why.filter(|(_, of)| *of == name) {
                    page.why.get_or_insert(start..place.end);
                    why = None;
                }
                is_in_form = is_in_form && name != "form";
                if let Some(begun) = around.iter().rposition(|open| open.name == name) {
                    around.truncate(begun);
                }
                continue;
            }
            if value(tag, "id") == Some(WHY) {
                why = Some((at, name));
            }
            if has(tag, "autofocus") {
                page.focused.push(place.clone());
            }
            if name == "form" {
                is_in_form = is_sent_there(tag, sent);
                if is_in_form {
                    page.forms.push(Form { fields: Vec::new(), marks: 0 });
                }
            }
            if let Some(form) = page.forms.last_mut().filter(|_| is_in_form) {
                form.add(name, tag, place, &around, sent);
            }
            if !VOID.contains(&name) {
                around.push(Open { name, tag, at });
            }
        }
        page
    }
}

/// Returns whether the form of this tag is sent as the refused one was. A form without an action is sent to
/// the page itself.
fn is_sent_there(tag: &str, sent: &SentForm) -> bool {
    let action = value(tag, "action").unwrap_or_default();
    let path = action.split('?').next().unwrap_or_default();
    (path.is_empty() || path == sent.path) && (value(tag, "method") == Some("post")) == sent.is_post
}

impl<'h> Form<'h> {
    /// Adds the tag to the form, if it is a field or a mark.
    fn add(
        &mut self,
        element: &str,
        tag: &'h str,
        place: Range<usize>,
        around: &[Open<'h>],
        sent: &SentForm,
    ) {
        let Some(name) = value(tag, "name") else { return };
        let is_mark =
            |(marked, with): &&(String, String)| marked == name && value(tag, "value") == Some(with.as_str());
        self.marks += sent.marks.iter().filter(is_mark).count();
        let is_field = matches!(element, "input" | "select" | "textarea");
        let is_hidden = value(tag, "type") == Some("hidden") || has(tag, "hidden") || has(tag, "disabled");
        if !is_field || is_hidden {
            return;
        }
        let line = around.iter().rev().take_while(|open| open.is_line()).last();
        let before = line.map_or(place.start, |open| open.at);
        let closed = around.iter().filter_map(Open::is_closed).collect();
        self.fields.push(Field { name, tag: place, before, closed });
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use super::{SentForm, at_field};

    const WHY: &str = "<p class=\"wrong\" role=\"alert\" id=\"why\">No.</p>";

    fn sent(marks: &[(&str, &str)]) -> SentForm {
        let marks = marks.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        SentForm { path: "/dashboard/x".to_owned(), is_post: true, marks: marks.collect() }
    }

    fn placed(html: &str, marks: &[(&str, &str)], fields: &[&str]) -> Option<String> {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        at_field(html, &sent(marks), &fields)
    }

    /// A page with a reason, and a form that holds this.
    fn page(why: &str, form: &str) -> String {
        format!(
            "<main><h1>X</h1>{why}<form method=\"post\" action=\"/dashboard/x?view=mine\">{form}</form></main>"
        )
    }

    #[test]
    fn what_the_style_says_is_no_part_of_the_page() {
        let style = "<head><style>@media (width<9rem){a>b{c:d}}p[id=\"why\"]>i{}</style></head><body>";
        let page = page(WHY, "<input name=\"a\">");
        let wanted = placed(&page, &[], &["a"]).unwrap();
        assert_eq!(placed(&format!("{style}{page}"), &[], &["a"]), Some(format!("{style}{wanted}")));
    }

    #[test]
    fn the_reason_stands_at_its_field_which_is_marked_and_has_the_focus() {
        for (form, wanted) in [
            (
                "<label for=\"a\">A</label><input id=\"a\" name=\"a\" value=\"typed\">",
                "<label for=\"a\">A</label>WHY<input id=\"a\" name=\"a\" value=\"typed\" aria-describedby=\"why\" autofocus aria-invalid=\"true\">",
            ),
            (
                "<textarea name=\"a\" aria-describedby=\"hint\">typed</textarea>",
                "WHY<textarea name=\"a\" aria-describedby=\"why hint\" autofocus aria-invalid=\"true\">typed</textarea>",
            ),
            (
                "<input name=\"b\" required autofocus><select name=\"a\"><option>1</option></select>",
                "<input name=\"b\" required>WHY<select name=\"a\" aria-describedby=\"why\" autofocus aria-invalid=\"true\"><option>1</option></select>",
            ),
            (
                "<fieldset><legend>L</legend><label class=\"check\"><input type=\"checkbox\" name=\"a\" value=\"on\"> A</label></fieldset>",
                "<fieldset><legend>L</legend>WHY<label class=\"check\"><input type=\"checkbox\" name=\"a\" value=\"on\" aria-describedby=\"why\" autofocus aria-invalid=\"true\"> A</label></fieldset>",
            ),
            (
                "<input name=\"b\" value=\"an autofocus\" autofocus><input name=\"a\">",
                "<input name=\"b\" value=\"an autofocus\">WHY<input name=\"a\" aria-describedby=\"why\" autofocus aria-invalid=\"true\">",
            ),
            (
                "<div class=\"line\"><input name=\"a\" autofocus><button>B</button></div>",
                "WHY<div class=\"line\"><input name=\"a\" autofocus aria-describedby=\"why\" aria-invalid=\"true\"><button>B</button></div>",
            ),
            (
                "<details class=\"more\"><summary>S</summary><details open><p><span><input name=\"a\"></span></p></details></details>",
                "<details open class=\"more\"><summary>S</summary><details open>WHY<p><span><input name=\"a\" aria-describedby=\"why\" autofocus aria-invalid=\"true\"></span></p></details></details>",
            ),
        ] {
            let shown = placed(&page(WHY, form), &[], &["none", "a"]).unwrap();
            assert_eq!(shown, page("", &wanted.replace("WHY", WHY)));
        }
        let long =
            "<div class=\"wrong\" role=\"alert\" id=\"why\"><p>No.</p><p><bdi>A &#60;b&#62;</bdi></p></div>";
        let shown = placed(&page(long, "<input name=\"a\">"), &[], &["a"]).unwrap();
        assert!(shown.contains(&format!("?view=mine\">{long}<input name=\"a\"")), "{shown}");
    }

    #[test]
    fn what_belongs_to_no_field_that_can_be_seen_stays_above_the_form() {
        for (form, why) in [
            ("<input name=\"b\">", WHY),
            ("<input type=\"hidden\" name=\"a\">", WHY),
            ("<input type=\"email\" name=\"a\" hidden>", WHY),
            ("<button name=\"a\">A</button>", WHY),
            ("<p>name=&#34;a&#34;</p>", WHY),
            ("<input name=\"a\">", ""),
        ] {
            assert_eq!(placed(&page(why, form), &[], &["a"]), None, "{form}");
        }
        assert_eq!(placed(&page(WHY, "<input name=\"a\">"), &[], &[]), None);
        for elsewhere in [
            page(WHY, "<input name=\"a\">").replace("/dashboard/x", "/dashboard/y"),
            page(WHY, "<input name=\"a\">").replace("post", "get"),
            format!("<main>{WHY}<input name=\"a\"></main>"),
        ] {
            assert_eq!(placed(&elsewhere, &[], &["a"]), None, "{elsewhere}");
        }
    }

    #[test]
    fn of_several_forms_it_is_the_one_that_was_sent() {
        let form = |what: &str, fields: &str| {
            format!(
                "<form method=\"post\" action=\"/dashboard/x\">{fields}<button name=\"do\" value=\"{what}\">B</button></form>"
            )
        };
        let html = format!(
            "{WHY}{}{}{}",
            form("one", "<input name=\"a\">"),
            form("two", "<input name=\"a\">"),
            form("three", "")
        );
        let shown = |what: &str| placed(&html, &[("do", what), ("key", "7")], &["a"]);
        let before =
            |html: Option<String>| html.unwrap().split("id=\"why\"").next().unwrap().matches("<form").count();
        assert_eq!(before(shown("one")), 1);
        assert_eq!(before(shown("two")), 2);
        assert_eq!(shown("three"), None);
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
    fn every_page_that_tells_of_a_refusal_tells_it_where_it_can_be_moved_from() {
        let all = templates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("templates"));
        let telling = all.iter().filter(|(_, text)| text.contains("Some(refused) = refused %}"));
        assert!(telling.clone().count() > 20);
        for (path, text) in telling {
            assert!(text.contains("id=\"why\""), "{}", path.display());
        }
        for (path, text) in &all {
            assert!(!text.contains("='"), "{}: values stand in double quotes", path.display());
        }
    }

    #[test]
    fn what_was_typed_is_not_taken_for_a_part_of_the_page() {
        let typed = "<input name=\"b\" value=\"x autofocus name=&#34;a&#34; &#60;form&#62; id=&#34;why&#34;\"><input name=\"a\">";
        let shown = placed(&page(WHY, typed), &[], &["a"]).unwrap();
        let wanted = typed.replace(
            "<input name=\"a\">",
            &format!("{WHY}<input name=\"a\" aria-describedby=\"why\" autofocus aria-invalid=\"true\">"),
        );
        assert_eq!(shown, page("", &wanted));
    }
}
