//! Web pages as text: headings, lists and tables as Markdown has them, the rest without tags.

/// Elements whose content nobody reads on the page.
const UNSEEN: &[&str] = &["script", "style", "head", "template", "noscript", "svg"];
/// Elements that stand apart from what is around them.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "header",
    "footer",
    "main",
    "nav",
    "aside",
    "ul",
    "ol",
    "dl",
    "table",
    "blockquote",
    "hr",
    "pre",
    "form",
    "figure",
];
/// Signs that a text is a page.
const SIGNS: &[&str] = &[
    "<!doctype html",
    "<html",
    "</p>",
    "</div>",
    "</li>",
    "</td>",
    "</h1>",
    "</h2>",
    "</h3>",
    "</span>",
    "<br>",
    "<br/>",
    "<br />",
];
/// Characters of the longest entity, such as `&#x1F600;`.
const LONGEST_ENTITY: usize = 10;

pub(super) fn is_page(text: &str) -> bool {
    // Long enough for the signs of any page, and nothing is copied whole.
    let end =
        (0..=text.len().min(64 * 1024)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let begins = text.get(..end).unwrap_or_default().to_ascii_lowercase();
    SIGNS.iter().any(|sign| begins.contains(sign))
}

/// Returns the text of a page.
pub(super) fn text_of(html: &str) -> String {
    let mut page = Page::default();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        page.say(before);
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            page.text.push('<');
            rest = tag;
            continue;
        }
        let (written, behind) = tag.split_once('>').unwrap_or((tag, ""));
        let (is_end, name) = match written.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, written),
        };
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        rest = if !is_end && UNSEEN.contains(&name.as_str()) { after_end(behind, &name) } else { behind };
        page.mark(&name, is_end);
    }
    page.say(rest);
    page.text
}

/// Returns what is behind the end of an element, nothing if it has none.
fn after_end<'a>(html: &'a str, name: &str) -> &'a str {
    let mut ends = html.match_indices("</").filter_map(|(at, _)| html.get(at + 2..));
    let end = ends.find(|rest| rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name)));
    end.and_then(|end| end.split_once('>')).map_or("", |(_, rest)| rest)
}

#[derive(Default)]
struct Page {
    text: String,
    /// Whether the row of a table has cells that head columns.
    is_head: bool,
}

impl Page {
    fn mark(&mut self, name: &str, is_end: bool) {
        let level = name.strip_prefix('h').and_then(|level| level.parse::<usize>().ok());
        match name {
            "li" if !is_end => self.text.push_str("\n- "),
            "br" | "dt" | "dd" | "caption" | "option" => self.text.push('\n'),
            "tr" if !is_end => {
                self.text.push_str("\n| ");
                self.is_head = false;
            }
            "tr" if self.is_head => self.text.push_str("\n|---|"),
            "td" | "th" if is_end => {
                self.text.push_str(" | ");
                self.is_head |= name == "th";
            }
            name if BLOCKS.contains(&name) => self.text.push_str("\n\n"),
            _ => match level.filter(|level| (1..=6).contains(level)) {
                Some(level) if !is_end => {
                    self.text.push_str("\n\n");
                    self.text.extend(std::iter::repeat_n('#', level));
                    self.text.push(' ');
                }
                Some(_) => self.text.push_str("\n\n"),
                None => {}
            },
        }
    }

    /// Adds text between tags, in which a line break is a space.
    fn say(&mut self, written: &str) {
        let mut rest = written;
        while let Some((before, entity)) = rest.split_once('&') {
            self.push(before);
            let end = entity.char_indices().take(LONGEST_ENTITY).find(|(_, c)| *c == ';').map(|(at, _)| at);
            let named = end.and_then(|end| entity.split_at_checked(end));
            let meant = named.and_then(|(name, behind)| Some((meant(name)?, behind.strip_prefix(';')?)));
            let (c, behind) = meant.unwrap_or(('&', entity));
            self.text.push(c);
            rest = behind;
        }
        self.push(rest);
    }

    fn push(&mut self, text: &str) {
        self.text.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
    }
}

/// Returns the character that an entity stands for.
fn meant(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
        return char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" | "ensp" | "emsp" | "thinsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "laquo" => '«',
        "raquo" => '»',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "bull" => '•',
        "middot" => '·',
        "times" => '×',
        "euro" => '€',
        "copy" => '©',
        "zwnj" => '\u{200c}',
        _ => return None,
    })
}
