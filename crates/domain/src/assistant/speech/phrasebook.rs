//! Wordings of one voice: files that a linguist edits, and the owner's own in their place.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use super::{
    apologies::{without_ending, without_opening},
    phrase::Phrase,
    spoken::{Fact, Span, Spoken},
    voice::Voice,
};

/// Longest wording, in characters.
pub const LONGEST_WORDING_LINE: usize = 300;
/// Placeholder of a link, which stands on a line of its own at the end: a sign behind it would belong to it.
const LINK: &str = "link";

static IRAQI_ARABIC: Shipped = LazyLock::new(|| read_whole(include_str!("wordings/ar-dialect.txt")));
static FORMAL_ARABIC: Shipped = LazyLock::new(|| read_whole(include_str!("wordings/ar-formal.txt")));
static ENGLISH: Shipped = LazyLock::new(|| read_whole(include_str!("wordings/en.txt")));
static SORANI: Shipped = LazyLock::new(|| read_whole(include_str!("wordings/ckb.txt")));

/// Wordings of one voice for every phrase.
#[derive(Debug, Clone)]
pub struct Phrasebook {
    voice: Voice,
    wordings: Wordings,
}

/// Wordings of each phrase, shared by the turns that speak them.
type Wordings = Arc<HashMap<Phrase, Vec<Wording>>>;
/// A file that comes with the program, read once.
type Shipped = LazyLock<Result<Wordings, WordingError>>;

/// A sentence with places for what evidence tells.
type Wording = Vec<Part>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Words(String),
    Place(&'static str),
}

/// Error of a file of wordings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordingError {
    #[error("line {line}: {fault}")]
    Line {
        /// Counted from 1.
        line: usize,
        fault: WordingFault,
    },
    #[error("`{key}` has {found} wordings and needs {least}")]
    TooFew { key: &'static str, found: usize, least: usize },
}

/// Fault of one line of a file of wordings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordingFault {
    #[error("a wording stands under a key, such as [greet]")]
    NoKey,
    #[error("`{0}` is always said in the service's own words")]
    NotOwned(&'static str),
    #[error("`{0}` is nothing that is said")]
    UnknownKey(String),
    #[error("`{0}` stands twice")]
    KeyTwice(&'static str),
    #[error("`{{{found}}}` is no placeholder of `{key}`; it has {known}")]
    UnknownPlace { key: &'static str, found: String, known: String },
    #[error("a wording of `{key}` has `{{{place}}}`")]
    MissingPlace { key: &'static str, place: &'static str },
    #[error("a brace is open")]
    OpenBrace,
    #[error("a wording has no digit: numbers are put in by code")]
    Digit,
    #[error("`{{link}}` ends a wording")]
    LinkWithin,
    #[error("a wording has at most {LONGEST_WORDING_LINE} characters")]
    TooLong,
}

impl Phrasebook {
    /// Returns the service's own wordings.
    ///
    /// # Errors
    /// Only if a file that comes with the program is broken, which tests exclude.
    pub fn shipped(voice: Voice) -> Result<Self, WordingError> {
        let shipped = match voice {
            Voice::IraqiArabic => &IRAQI_ARABIC,
            Voice::FormalArabic => &FORMAL_ARABIC,
            Voice::English => &ENGLISH,
            Voice::Sorani => &SORANI,
        };
        Ok(Self { voice, wordings: (**shipped).clone()? })
    }

    /// Replaces the wordings of each phrase that `file` has.
    pub fn with_own(mut self, file: &str) -> Result<Self, WordingError> {
        let own = read(file, Phrase::is_owners)?;
        if let Some((phrase, _)) = own.iter().find(|(_, wordings)| wordings.is_empty()) {
            return Err(WordingError::TooFew { key: phrase.key(), found: 0, least: 1 });
        }
        Arc::make_mut(&mut self.wordings).extend(own);
        Ok(self)
    }

    pub const fn voice(&self) -> Voice {
        self.voice
    }

    /// Words a phrase: `turn` chooses among its wordings, so that the next turn has another.
    pub(super) fn word(&self, phrase: Phrase, turn: u64, told: &[(&str, Fact)]) -> Spoken {
        let wordings: Vec<_> = self.wordings_of(phrase).iter().collect();
        spoken(phrase, &wordings, turn, told)
    }

    /// Words a phrase without the apology that a wording may have: one has been said.
    pub(super) fn word_on(&self, phrase: Phrase, turn: u64, told: &[(&str, Fact)]) -> Spoken {
        let plain: Vec<_> =
            self.wordings_of(phrase).iter().map(|wording| self.without_apology(wording)).collect();
        spoken(phrase, &plain.iter().collect::<Vec<_>>(), turn, told)
    }

    /// Words a phrase for a line among others of its kind: by a wording that begins with evidence, if it has
    /// one.
    pub(super) fn word_in_row(&self, phrase: Phrase, turn: u64, told: &[(&str, Fact)]) -> Spoken {
        let all = self.wordings_of(phrase);
        let plain: Vec<_> =
            all.iter().filter(|wording| matches!(wording.first(), Some(Part::Place(_)))).collect();
        spoken(phrase, &if plain.is_empty() { all.iter().collect() } else { plain }, turn, told)
    }

    fn without_apology(&self, wording: &Wording) -> Wording {
        let mut plain = wording.clone();
        if let Some(Part::Words(words)) = plain.first_mut()
            && let Some(rest) = without_opening(words, self.voice)
        {
            *words = rest;
        }
        if let Some(Part::Words(words)) = plain.last_mut()
            && let Some(rest) = without_ending(words, self.voice)
        {
            *words = rest;
        }
        plain
    }

    /// Words a phrase that names no evidence by a wording that asks nothing, if it has one.
    pub(super) fn state(&self, phrase: Phrase, turn: u64, is_sorry: bool) -> Spoken {
        let asks = |part: &Part| matches!(part, Part::Words(words) if words.contains(['?', '؟']));
        let all = self.wordings_of(phrase).iter();
        let all = all.map(|wording| if is_sorry { self.without_apology(wording) } else { wording.clone() });
        let all: Vec<_> = all.collect();
        let stating: Vec<_> = all.iter().filter(|wording| !wording.iter().any(asks)).collect();
        spoken(phrase, &if stating.is_empty() { all.iter().collect() } else { stating }, turn, &[])
    }

    fn wordings_of(&self, phrase: Phrase) -> &[Wording] {
        self.wordings.get(&phrase).map(Vec::as_slice).unwrap_or_default()
    }

    /// Lists the ways to say a phrase that has no places for evidence.
    pub(super) fn ways(&self, phrase: Phrase) -> impl Iterator<Item = String> {
        self.wordings_of(phrase).iter().map(|wording| fill(wording, &[]).0)
    }

    /// Lists the wordings of a phrase, with `*` for what evidence tells.
    #[cfg(test)]
    pub(super) fn patterns(&self, phrase: Phrase) -> impl Iterator<Item = String> {
        let pattern = |part: &Part| match part {
            Part::Words(words) => words.clone(),
            Part::Place(_) => "*".to_owned(),
        };
        self.wordings_of(phrase).iter().map(move |wording| wording.iter().map(pattern).collect())
    }

    /// Words a phrase that has a single wording, such as the form of a noun.
    pub(super) fn form(&self, phrase: Phrase, told: &[(&str, &str)]) -> String {
        let told: Vec<_> = told.iter().map(|(name, text)| (*name, Fact::Told((*text).to_owned()))).collect();
        self.word(phrase, 0, &told).text
    }
}

fn pick<'a>(wordings: &[&'a Wording], turn: u64) -> &'a [Part] {
    let count = u64::try_from(wordings.len()).unwrap_or_default();
    let place = turn.checked_rem(count).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| wordings.get(place)).map(|wording| wording.as_slice()).unwrap_or_default()
}

fn spoken(phrase: Phrase, wordings: &[&Wording], turn: u64, told: &[(&str, Fact)]) -> Spoken {
    let (text, facts) = fill(pick(wordings, turn), told);
    let ways = wordings.iter().map(|wording| fill(wording, told).0).collect();
    Spoken { text, facts, spans: vec![Span { phrase: Some(phrase), ways }] }
}

/// Puts evidence into the places of a wording; also returns what it has put in, in order.
fn fill(wording: &[Part], told: &[(&str, Fact)]) -> (String, Vec<Fact>) {
    let (mut text, mut facts) = (String::new(), Vec::new());
    for part in wording {
        match part {
            Part::Words(words) => text.push_str(words),
            Part::Place(place) => {
                if let Some((_, fact)) = told.iter().find(|(name, _)| name == place) {
                    text.push_str(if *place == LINK { "\n" } else { "" });
                    text.push_str(fact.text());
                    facts.push(fact.clone());
                }
            }
        }
    }
    (text, facts)
}

/// Reads a file that has wordings for every phrase.
fn read_whole(file: &str) -> Result<Wordings, WordingError> {
    let wordings = read(file, |_| true)?;
    for phrase in Phrase::ALL {
        let (found, least) = (wordings.get(&phrase).map_or(0, Vec::len), phrase.least());
        if found < least {
            return Err(WordingError::TooFew { key: phrase.key(), found, least });
        }
    }
    Ok(Arc::new(wordings))
}

/// Reads `[key]` lines with the wordings of each below; `#` begins a remark.
fn read(
    file: &str,
    may_have: impl Fn(Phrase) -> bool,
) -> Result<HashMap<Phrase, Vec<Wording>>, WordingError> {
    let mut wordings: HashMap<Phrase, Vec<Wording>> = HashMap::new();
    let mut under = None;
    for (place, line) in file.lines().enumerate() {
        let line = line.trim();
        let at = |fault| WordingError::Line { line: place + 1, fault };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(key) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let phrase = Phrase::read(key)
                .ok_or_else(|| at(WordingFault::UnknownKey(key.chars().take(50).collect())))?;
            if !may_have(phrase) {
                return Err(at(WordingFault::NotOwned(phrase.key())));
            }
            if wordings.insert(phrase, Vec::new()).is_some() {
                return Err(at(WordingFault::KeyTwice(phrase.key())));
            }
            under = Some(phrase);
        } else {
            let phrase = under.ok_or_else(|| at(WordingFault::NoKey))?;
            wordings.entry(phrase).or_default().push(wording(phrase, line).map_err(at)?);
        }
    }
    Ok(wordings)
}

fn wording(phrase: Phrase, line: &str) -> Result<Wording, WordingFault> {
    if line.chars().count() > LONGEST_WORDING_LINE {
        return Err(WordingFault::TooLong);
    }
    if line.contains(char::is_numeric) {
        return Err(WordingFault::Digit);
    }
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').ok_or(WordingFault::OpenBrace)?;
        let place = place(phrase, name)?;
        if place == LINK && !behind.is_empty() {
            return Err(WordingFault::LinkWithin);
        }
        let words = if place == LINK { before.trim_end() } else { before };
        parts.extend([Part::Words(words.to_owned()), Part::Place(place)]);
        rest = behind;
    }
    if rest.contains('}') {
        return Err(WordingFault::OpenBrace);
    }
    parts.push(Part::Words(rest.to_owned()));
    parts.retain(|part| *part != Part::Words(String::new()));
    let lacks = |place: &&&'static str| !parts.contains(&Part::Place(place));
    match phrase.places().iter().find(lacks) {
        Some(place) => Err(WordingFault::MissingPlace { key: phrase.key(), place }),
        None => Ok(parts),
    }
}

fn place(phrase: Phrase, name: &str) -> Result<&'static str, WordingFault> {
    let known = [phrase.places(), phrase.optional_places()].concat();
    known.iter().copied().find(|known| *known == name).ok_or_else(|| {
        let named: Vec<_> = known.iter().map(|place| format!("{{{place}}}")).collect();
        let known = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
        let found = name.chars().take(50).collect();
        WordingFault::UnknownPlace { key: phrase.key(), found, known }
    })
}

#[cfg(test)]
mod tests {
    use super::{Fact, Phrase, Phrasebook, Voice, pick};

    fn own(file: &str) -> Result<Phrasebook, String> {
        Phrasebook::shipped(Voice::English).unwrap().with_own(file).map_err(|error| error.to_string())
    }

    #[test]
    fn every_voice_has_wordings_for_every_phrase() {
        for voice in Voice::ALL {
            assert_eq!(Phrasebook::shipped(voice).map(|_| ()), Ok(()), "{voice:?}");
        }
        assert!(Phrase::ALL.into_iter().all(|phrase| Phrase::read(phrase.key()) == Some(phrase)));
    }

    #[test]
    fn two_turns_after_each_other_have_different_wordings() {
        for voice in Voice::ALL {
            let book = Phrasebook::shipped(voice).unwrap();
            for phrase in Phrase::ALL.into_iter().filter(|phrase| phrase.least() > 1) {
                for turn in 0..5 {
                    let wordings: Vec<_> = book.wordings_of(phrase).iter().collect();
                    assert_ne!(pick(&wordings, turn), pick(&wordings, turn + 1), "{}", phrase.key());
                }
            }
        }
    }

    #[test]
    fn an_owner_replaces_wordings_phrase_by_phrase() {
        let book = own("# ours\n[greet]\nWelcome to the shop\n\n[quote.link]\nSee {link}\n").unwrap();
        let link = Fact::Told("https://shop.example/1".to_owned());
        assert_eq!(book.word(Phrase::Greet, 7, &[]).text, "Welcome to the shop");
        assert_eq!(book.word(Phrase::QuoteLink, 1, &[("link", link)]).text, "See\nhttps://shop.example/1");
        assert_eq!(book.wordings_of(Phrase::Thank).len(), 3);
    }

    #[test]
    fn a_wording_that_could_say_too_much_or_too_little_is_refused_by_its_line() {
        for (file, why) in [
            ("Hello", "line 1: a wording stands under a key"),
            ("[greet]\nHello {name}", "line 2: `{name}` is no placeholder of `greet`; it has none"),
            ("[quote.price]\n{title}", "a wording of `quote.price` has `{price}`"),
            ("[quote.price]\n{title} {prise}", "it has {title}, {price}"),
            ("[greet]\nCall 0770", "no digit"),
            ("[greet]\nCall ٠٧٧٠", "no digit"),
            ("[greet]\nHello {", "a brace is open"),
            ("[greet]\nHello }", "a brace is open"),
            ("[hallo]\nHello", "line 1: `hallo` is nothing that is said"),
            ("[greet]\nHello\n[greet]\nHi", "line 3: `greet` stands twice"),
            ("[quote.link]\nSee {link}.", "`{link}` ends a wording"),
            ("[greet]", "`greet` has 0 wordings"),
            ("[not_a_person]\nI am a person", "line 1: `not_a_person` is always said"),
            ("[introduce]\nHello", "line 1: `introduce` is always said"),
        ] {
            let error = own(file).unwrap_err();
            assert!(error.contains(why), "{file}: {error}");
        }
        assert!(own(&format!("[greet]\n{}", "x".repeat(301))).unwrap_err().contains("at most 300"));
    }
}
