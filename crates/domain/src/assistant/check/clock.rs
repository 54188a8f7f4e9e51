//! Times of day and dates in a text.

use time::{Month, OffsetDateTime, Weekday};

use crate::{appointments::Span, text::fold_for_search};

/// It is a time of day or a date, as far as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::assistant) enum Clock {
    /// The half of the day is `None` where it may be before or after noon.
    Time {
        /// It is from 0 to 23, or 0 to 11 where nobody said which half of the day.
        hour: u8,
        minute: u8,
        /// It says whether the half of the day is known.
        exact: bool,
    },
    Date {
        /// It counts from 1.
        month: u8,
        /// It counts from 1.
        day: u8,
    },
}

impl Clock {
    /// Returns the time of day of a moment, with the offset it is told with.
    pub(in crate::assistant) fn time_of(at: OffsetDateTime) -> Self {
        Self::Time { hour: at.hour(), minute: at.minute(), exact: true }
    }

    /// Returns the date of a moment, with the offset it is told with.
    pub(in crate::assistant) fn date_of(at: OffsetDateTime) -> Self {
        Self::Date { month: at.month().into(), day: at.day() }
    }

    /// Says whether it is that moment.
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
    let folded = fold_for_search(text);
    let words: Vec<&str> = split(&folded);
    let (mut rest, mut found) = (String::new(), Vec::new());
    let mut at = 0;
    while at < words.len() {
        if let Some((clock, taken)) = clock_at(&words, at) {
            found.push(clock);
            at += taken;
        } else {
            rest.push_str(words.get(at).copied().unwrap_or_default());
            rest.push(' ');
            at += 1;
        }
    }
    (rest, found)
}

/// Splits into words, with letters that stand right after digits apart from them.
fn split(folded: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in folded.split(' ') {
        let glued = word.find(|c: char| c.is_alphabetic()).filter(|&at| at > 0);
        match glued.map(|at| word.split_at(at)) {
            Some((digits, letters)) if digits.bytes().all(|c| c.is_ascii_digit() || c == b':') => {
                words.extend([digits, letters]);
            }
            _ => words.push(word),
        }
    }
    words
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
    if HOUR.contains(&this) {
        if let Some((hour, minute)) = two(word(at + 1), ':') {
            return time(hour, minute, at + 2, 2);
        }
        if let Ok(hour) = word(at + 1).parse() {
            return time(hour, 0, at + 2, 2);
        }
    }
    if let Ok(number) = this.parse::<u8>() {
        if half(at + 1).is_some() {
            return time(number, 0, at + 1, 1);
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
    date(this).map(|clock| (clock, 1))
}

fn month(word: &str) -> Option<u8> {
    MONTHS.iter().find(|(names, _)| names.contains(&word)).map(|(_, month)| u8::from(*month))
}

/// Reads `2026-11-25`, `25/11` and `25/11/2026`.
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

/// Says whether the days of the week that a text names with a slot's time are days of slots at that time.
pub(super) fn weekdays_fit(text: &str, clocks: &[Clock], slots: &[Span]) -> bool {
    let of_slots = |clock: &&Clock| slots.iter().any(|span| clock.is_at(span.starts_at()));
    if !clocks.iter().any(|clock| of_slots(&clock)) {
        return true;
    }
    let folded = fold_for_search(text);
    let words = || folded.split(|c: char| !c.is_alphanumeric());
    let named = WEEKDAYS.iter().filter(|(names, _)| words().any(|word| names.contains(&word)));
    named.into_iter().all(|(_, day)| slots.iter().any(|span| span.starts_at().weekday() == *day))
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
        for text in ["5:00 ص", "16:00", "الساعة 6", "5 am", "5:30"] {
            assert!(!clocks(text).1[0].is_at(five), "{text}");
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
        for text in ["15000 دينار", "3 قطع", "15.500", "طلبك رقم 1001", "15 الف"] {
            assert_eq!(clocks(text).1, [], "{text}");
        }
    }
}
