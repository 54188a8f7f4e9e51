//! Times of day and dates in a text.

use time::{Month, OffsetDateTime, Weekday};

use super::{currencies::is_currency, numbers::folded, words};
use crate::systems::Span;

/// A time of day or a date, as far as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::assistant) enum Clock {
    Time {
        /// 0 to 23, or 0 to 11 if nobody said which half of the day.
        hour: u8,
        minute: u8,
        /// Whether the half of the day is known.
        exact: bool,
    },
    Date {
        month: u8,
        day: u8,
    },
}

impl Clock {
    /// Returns the time of day of a moment, in its own offset.
    pub(in crate::assistant) fn time_of(at: OffsetDateTime) -> Self {
        Self::Time { hour: at.hour(), minute: at.minute(), exact: true }
    }

    pub(in crate::assistant) fn date_of(at: OffsetDateTime) -> Self {
        Self::Date { month: at.month().into(), day: at.day() }
    }

    /// Returns whether it says no more than `known` does: the half of the day may be left out.
    pub(in crate::assistant) fn fits(&self, known: &Self) -> bool {
        match (self, known) {
            (
                Self::Time { hour, minute, exact: false },
                Self::Time { hour: known_hour, minute: known_minute, exact: true },
            ) => (*hour, minute) == (known_hour % 12, known_minute),
            _ => self == known,
        }
    }

    pub(in crate::assistant) fn is_at(&self, at: OffsetDateTime) -> bool {
        match *self {
            Self::Time { hour, minute, exact } => {
                let at_hour = if exact { at.hour() } else { at.hour() % 12 };
                (hour, minute) == (at_hour, at.minute())
            }
            Self::Date { month, day } => (month, day) == (u8::from(at.month()), at.day()),
        }
    }
}

const HOUR: &[&str] = &["الساعه", "ساعه", "at", "بالساعه"];
/// Words after which the hour may be in words.
const NAMED_HOUR: &[&str] = &["الساعه", "بالساعه"];
const HOURS: &[(&[&str], u8)] = &[
    (&["واحده", "الواحده", "وحده", "الوحده", "one"], 1),
    (&["اثنين", "ثنين", "ثنتين", "الثانيه", "two"], 2),
    (&["ثلاثه", "تلاثه", "الثالثه", "three"], 3),
    (&["اربعه", "الرابعه", "four"], 4),
    (&["خمسه", "الخامسه", "five"], 5),
    (&["سته", "السادسه", "six"], 6),
    (&["سبعه", "السابعه", "seven"], 7),
    (&["ثمانيه", "ثمنيه", "الثامنه", "eight"], 8),
    (&["تسعه", "التاسعه", "nine"], 9),
    (&["عشره", "العاشره", "ten"], 10),
    (&["احدعش", "هدعش", "eleven"], 11),
    (&["اثنعش", "طنعش", "ثنعش", "twelve"], 12),
];
const MORNING: &[&str] = &["ص", "صباحا", "الصبح", "صباح", "am", "الفجر"];
const EVENING: &[&str] =
    &["م", "مساء", "المسا", "ليلا", "عصرا", "العصر", "ظهرا", "الظهر", "pm", "المغرب", "بالليل"];
const MONTHS: &[(&[&str], Month)] = &[
    (&["يناير", "january", "jan"], Month::January),
    (&["فبراير", "شباط", "february", "feb"], Month::February),
    (&["مارس", "اذار", "march", "mar"], Month::March),
    (&["ابريل", "نيسان", "april", "apr"], Month::April),
    (&["مايو", "ايار", "may"], Month::May),
    (&["يونيو", "حزيران", "june", "jun"], Month::June),
    (&["يوليو", "تموز", "july", "jul"], Month::July),
    (&["اغسطس", "اب", "august", "aug"], Month::August),
    (&["سبتمبر", "ايلول", "september", "sep"], Month::September),
    (&["اكتوبر", "october", "oct"], Month::October),
    (&["نوفمبر", "november", "nov"], Month::November),
    (&["ديسمبر", "december", "dec"], Month::December),
];
const WEEKDAYS: &[(&[&str], Weekday)] = &[
    (&["السبت", "saturday"], Weekday::Saturday),
    (&["الاحد", "sunday"], Weekday::Sunday),
    (&["الاثنين", "الاتنين", "monday"], Weekday::Monday),
    (&["الثلاثاء", "الثلاثا", "tuesday"], Weekday::Tuesday),
    (&["الاربعاء", "الاربعا", "wednesday"], Weekday::Wednesday),
    (&["الخميس", "thursday"], Weekday::Thursday),
    (&["الجمعه", "friday"], Weekday::Friday),
];

/// Returns the text without its times and dates, and these.
pub(in crate::assistant) fn clocks(text: &str) -> (String, Vec<Clock>) {
    let folded = folded(text);
    let (words, glued) = split(&folded);
    let (mut rest, mut found) = (String::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        if let Some((clock, taken)) = clock_at(&words, at) {
            found.push(clock);
            at += taken;
        } else {
            rest.push_str(words.get(at).copied().unwrap_or_default());
            at += 1;
            // A letter right behind a number stays there: it may multiply it.
            if !glued.contains(&at) {
                rest.push(' ');
            }
        }
    }
    (rest, found)
}

/// Splits into words, and letters right after digits from these; returns the places of such letters, too.
fn split(folded: &str) -> (Vec<&str>, Vec<usize>) {
    let (mut words, mut apart) = (Vec::new(), Vec::new());
    for word in folded.split(' ') {
        let glued = word.find(|c: char| c.is_alphabetic()).filter(|&at| at > 0);
        match glued.map(|at| word.split_at(at)) {
            Some((digits, letters)) if digits.bytes().all(|c| c.is_ascii_digit() || c == b':') => {
                apart.push(words.len() + 1);
                words.extend([digits, letters]);
            }
            _ => words.push(word),
        }
    }
    (words, apart)
}

fn clock_at(words: &[&str], at: usize) -> Option<(Clock, usize)> {
    let word = |at: usize| {
        words.get(at).copied().unwrap_or_default().trim_matches(['.', ',', '،', '؟', '?', '!', '(', ')'])
    };
    let this = word(at);
    let half = |at: usize| {
        let said = word(at);
        MORNING.contains(&said).then_some(false).or_else(|| EVENING.contains(&said).then_some(true))
    };
    let time = |hour: u8, minute: u8, after: usize, taken: usize| {
        if hour > 23 || minute > 59 {
            return None;
        }
        let clock = match half(after) {
            Some(evening) if hour <= 12 => {
                let hour = hour % 12 + if evening { 12 } else { 0 };
                Clock::Time { hour, minute, exact: true }
            }
            _ if hour > 12 => Clock::Time { hour, minute, exact: true },
            _ => Clock::Time { hour: hour % 12, minute, exact: false },
        };
        Some((clock, taken + usize::from(half(after).is_some())))
    };
    let two = |text: &str, by: char| {
        let (one, other) = text.split_once(by)?;
        Some((one.parse::<u8>().ok()?, other.parse::<u8>().ok()?))
    };
    if let Some((hour, minute)) = two(this, ':') {
        return time(hour, minute, at + 1, 1);
    }
    let with_minutes = |hour: u8, after: usize, taken: usize| {
        let (past, more) = minutes_past(word(after), word(after + 1));
        let minutes = i16::from(hour) * 60 + past;
        let hour = u8::try_from(minutes.rem_euclid(24 * 60) / 60).ok().filter(|_| hour <= 23)?;
        time(hour, u8::try_from(minutes.rem_euclid(60)).ok()?, after + more, taken + more)
    };
    let half_follows = |after: usize| {
        let (_, more) = minutes_past(word(after), word(after + 1));
        half(after + more).is_some()
    };
    // "At 12 dollars" is a price.
    if HOUR.contains(&this) && !is_currency(word(at + 2)) {
        if let Some((hour, minute)) = two(word(at + 1), ':') {
            return time(hour, minute, at + 2, 2);
        }
        let in_words = || hour_in_words(word(at + 1)).filter(|_| NAMED_HOUR.contains(&this));
        if let Some(hour) = word(at + 1).parse().ok().or_else(in_words) {
            return with_minutes(hour, at + 2, 2);
        }
    }
    if let Some(hour) = hour_in_words(this).filter(|_| half_follows(at + 1)) {
        return with_minutes(hour, at + 1, 1);
    }
    let before = at.checked_sub(1).map_or("", word);
    if let Ok(number) = this.parse::<u8>() {
        // Two metres are not two in the afternoon.
        if half_follows(at + 1) && !words::names_a_length(before) {
            return with_minutes(number, at + 1, 1);
        }
        if let Some(month) = month(word(at + 1)).filter(|_| (1..=31).contains(&number)) {
            return Some((Clock::Date { month, day: number }, 2));
        }
    }
    if let Some(month) = month(this)
        && let Ok(day @ 1..=31) = word(at + 1).parse::<u8>()
    {
        return Some((Clock::Date { month, day }, 2));
    }
    // `10-12` may be years or sizes.
    let is_measure =
        words::is_counted(word(at + 1)) || words::names_a_size(before) || words::names_a_length(before);
    date(this).filter(|_| !is_measure).map(|clock| (clock, 1))
}

fn hour_in_words(word: &str) -> Option<u8> {
    HOURS.iter().find(|(names, _)| names.contains(&word)).map(|(_, hour)| *hour)
}

/// Returns the minutes past an hour that these words say, negative before it, and how many words do.
fn minutes_past(first: &str, second: &str) -> (i16, usize) {
    let part = |word: &str| match word {
        "نص" | "نصف" => Some(30),
        "ربع" => Some(15),
        "ثلث" => Some(20),
        _ => None,
    };
    let glued = first.strip_prefix('و').and_then(part).map(|minutes| (minutes, 1));
    let apart = || part(second).filter(|_| first == "و").map(|minutes| (minutes, 2));
    let before = || part(second).filter(|_| first == "الا").map(|minutes| (-minutes, 2));
    glued.or_else(apart).or_else(before).unwrap_or((0, 0))
}

fn month(word: &str) -> Option<u8> {
    MONTHS.iter().find(|(names, _)| names.contains(&word)).map(|(_, month)| u8::from(*month))
}

/// Parses `2026-11-25`, `25/11` and `25/11/2026`.
fn date(word: &str) -> Option<Clock> {
    let parts: Vec<_> = word.split(['-', '/']).map(str::parse::<u16>).collect::<Result<_, _>>().ok()?;
    let is_year = |part: &u16| *part >= 2000;
    let (month, day) = match parts.as_slice() {
        [year, month, day] if is_year(year) => (*month, *day),
        [day, month, year] if is_year(year) => (*month, *day),
        [day, month] => (*month, *day),
        _ => return None,
    };
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| Some(Clock::Date { month: month.try_into().ok()?, day: day.try_into().ok()? })).flatten()
}

/// Returns whether it names a day of the week, or all such days.
pub(super) fn is_weekday(word: &str) -> bool {
    let one = word.strip_suffix('s').unwrap_or(word);
    WEEKDAYS.iter().any(|(names, _)| names.contains(&one))
}

/// A day or a time of day that a sentence names.
enum Mention {
    Weekday(Weekday),
    Clock(Clock),
}

impl Mention {
    const fn is_time(&self) -> bool {
        matches!(self, Self::Clock(Clock::Time { .. }))
    }

    fn is_of(&self, slot: &Span) -> bool {
        match self {
            Self::Weekday(day) => slot.starts_at().weekday() == *day,
            Self::Clock(clock) => clock.is_at(slot.starts_at()) || clock.is_at(slot.ends_at()),
        }
    }

    /// Returns whether one slot is of this and of one of the mentions beside it. What has none beside it
    /// stands alone, and fits.
    fn fits_beside<'a>(&self, beside: impl Iterator<Item = &'a Self> + Clone, slots: &[Span]) -> bool {
        let both = |other: &Self| slots.iter().any(|slot| self.is_of(slot) && other.is_of(slot));
        beside.clone().next().is_none() || beside.into_iter().any(both)
    }
}

/// Returns whether the days of the week that a text names beside a slot's time are days of slots, and each
/// time of a slot that a sentence names with a day is of one slot with that day.
pub(super) fn weekdays_fit(text: &str, clocks: &[Clock], slots: &[Span]) -> bool {
    let of_slots = |clock: &&Clock| slots.iter().any(|span| clock.is_at(span.starts_at()));
    if !clocks.iter().any(|clock| of_slots(&clock)) {
        return true;
    }
    // Whether the day was named with a time of one of its slots, or alone.
    let mut days: Vec<(Weekday, bool)> = Vec::new();
    for sentence in sentences(text) {
        let mentions = mentions(sentence, slots);
        // Days and times take turns; what stands next to each other belongs together.
        let runs: Vec<_> = mentions.chunk_by(|one, next| one.is_time() == next.is_time()).collect();
        for (index, run) in runs.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| runs.get(before));
            let beside = || before.into_iter().chain(runs.get(index + 1)).flat_map(|run| run.iter());
            for mention in *run {
                let fits = mention.fits_beside(beside(), slots);
                match mention {
                    Mention::Weekday(day) => days.push((*day, fits)),
                    Mention::Clock(Clock::Time { .. }) if !fits => return false,
                    Mention::Clock(_) => {}
                }
            }
        }
    }
    days.iter().all(|(day, _)| {
        let is_of_slot = slots.iter().any(|slot| slot.starts_at().weekday() == *day);
        is_of_slot && days.iter().any(|(other, fits)| other == day && *fits)
    })
}

/// Splits at the ends of sentences. A point within a number or a time ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(['!', '?', '؟']);
    pieces.flat_map(|piece| piece.split(". ")).flat_map(|piece| piece.split(".\n"))
}

/// Lists the days of the week of a sentence, and the dates and times that are a slot's, in their order.
fn mentions(sentence: &str, slots: &[Span]) -> Vec<Mention> {
    let folded = folded(sentence);
    let (words, _) = split(&folded);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        if let Some((clock, taken)) = clock_at(&words, at) {
            let clock = Mention::Clock(clock);
            found.extend(slots.iter().any(|slot| clock.is_of(slot)).then_some(clock));
            at += taken;
            continue;
        }
        let names = word.split(|c: char| !c.is_alphanumeric());
        found.extend(names.filter_map(weekday).map(Mention::Weekday));
        at += 1;
    }
    found
}

fn weekday(name: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(names, _)| names.contains(&name)).map(|(_, day)| *day)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{Clock, clocks};

    #[test]
    fn a_time_is_read_however_it_is_written() {
        let five = datetime!(2026-11-25 17:00 +03:00);
        for text in ["17:00", "5:00 م", "٥:٠٠ مساءً", "الساعة 5", "الساعة ٥ مساء", "5 pm", "5pm", "at 5"]
        {
            let (_, found) = clocks(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].is_at(five), "{text}: {found:?}");
        }
        for text in ["5:00 ص", "16:00", "الساعة 6", "5 am", "5:30", "الساعة 5 ونص", "الساعة ستة", "six pm"]
        {
            assert!(!clocks(text).1[0].is_at(five), "{text}");
        }
    }

    #[test]
    fn a_time_in_words_is_read_as_one_in_digits() {
        for (text, at) in [
            ("الساعة خمسة العصر", datetime!(2026-11-25 17:00 +03:00)),
            ("الساعة الخامسة مساءً", datetime!(2026-11-25 17:00 +03:00)),
            ("خمسة العصر", datetime!(2026-11-25 17:00 +03:00)),
            ("five pm", datetime!(2026-11-25 17:00 +03:00)),
            ("الساعة 5 ونص", datetime!(2026-11-25 17:30 +03:00)),
            ("خمسة ونص العصر", datetime!(2026-11-25 17:30 +03:00)),
            ("5 ونصف مساء", datetime!(2026-11-25 17:30 +03:00)),
            ("الساعة 5 و ربع", datetime!(2026-11-25 17:15 +03:00)),
            ("الساعة ستة إلا ربع المغرب", datetime!(2026-11-25 17:45 +03:00)),
            ("الساعة واحدة إلا ثلث الظهر", datetime!(2026-11-25 12:40 +03:00)),
        ] {
            let (rest, found) = clocks(text);
            assert_eq!((found.len(), rest.trim()), (1, ""), "{text}: {found:?}");
            assert!(found[0].is_at(at), "{text}: {found:?}");
        }
        for text in ["خلال ساعة واحدة", "ثلاثة خيارات", "at one place", "خمسة آلاف", "الساعة 25 ونص"]
        {
            assert_eq!(clocks(text).1, [], "{text}");
        }
    }

    #[test]
    fn a_time_without_the_half_of_its_day_says_no_more_than_one_with_it() {
        let of = |text: &str| clocks(text).1.remove(0);
        for (said, known, fits) in [
            ("الساعة 9", "9:00 ص", true),
            ("الساعة تسعة", "9:00 م", true),
            ("9:00 م", "9:00 ص", false),
            ("9:00 ص", "الساعة 9", false),
            ("الساعة 8", "9:00 ص", false),
        ] {
            assert_eq!(of(said).fits(&of(known)), fits, "{said} {known}");
        }
    }

    #[test]
    fn a_date_is_read_however_it_is_written() {
        for text in ["2026-11-25", "25/11", "25/11/2026", "25 نوفمبر", "November 25", "٢٥/١١"] {
            assert_eq!(clocks(text).1, [Clock::Date { month: 11, day: 25 }], "{text}");
        }
    }

    #[test]
    fn prices_and_pieces_are_no_times() {
        for text in ["at 12 dollars", "at 9 IQD", "15000 دينار", "3 قطع", "15.500", "طلبك رقم 1001", "15 الف"]
        {
            assert_eq!(clocks(text).1, [], "{text}");
        }
    }
}
