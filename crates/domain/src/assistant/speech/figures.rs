//! Counts, amounts and times, in the forms of a voice's nouns.

use time::{Date, Duration, OffsetDateTime, Time, Weekday};

use super::{phrase::Phrase, phrasebook::Phrasebook};
use crate::{
    currency::Currency,
    money::{Money, figure},
    zone::Zone,
};

/// First hour that belongs to its own day and not to the night before.
pub(super) const SMALL_HOURS: u8 = 4;
/// First hour that is no evening any more.
const NIGHT: u8 = 21;

/// Beginning or end of a range, by the clock of the place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) day: Date,
    /// `None` where the range has the whole day.
    pub(super) time: Option<Time>,
}

impl Edge {
    /// Returns the beginning of a range.
    pub(super) fn of(from: OffsetDateTime, zone: &Zone) -> Self {
        let at = zone.told(from);
        Self { day: at.date(), time: Some(at.time()).filter(|time| *time != Time::MIDNIGHT) }
    }

    /// Returns the end of a range: one at midnight, or a minute before, has the whole day before.
    pub(super) fn of_end(to: OffsetDateTime, zone: &Zone) -> Self {
        let (at, before) = (zone.told(to), zone.told(to.saturating_sub(Duration::SECOND)));
        let last = [before, at].into_iter().find(|at| at.hour() == 23 && at.minute() == 59);
        match last {
            Some(last) => Self { day: last.date(), time: None },
            None => Self { day: at.date(), time: Some(at.time()) },
        }
    }
}

/// Form of a counted noun, by the rules of Arabic; in other languages several are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Two,
    /// 3 to 10, and what ends so.
    Few,
    /// 11 to 99, and what ends so.
    Many,
    /// Whole hundreds, 101 and 102, and fractions.
    Hundred,
}

impl Form {
    const fn of(count: u64) -> Self {
        match (count, count % 100) {
            (1, _) => Self::One,
            (2, _) => Self::Two,
            (_, 3..=10) => Self::Few,
            (_, 11..=99) => Self::Many,
            _ => Self::Hundred,
        }
    }

    fn of_amount(money: &Money, currency: Currency) -> Self {
        match money.in_currency(currency).parts() {
            (whole, "") => whole.parse().map_or(Self::Hundred, Self::of),
            _ => Self::Hundred,
        }
    }

    const fn piece(self) -> Phrase {
        match self {
            Self::One => Phrase::PieceOne,
            Self::Two => Phrase::PieceTwo,
            Self::Few => Phrase::PieceFew,
            Self::Many => Phrase::PieceMany,
            Self::Hundred => Phrase::PieceHundred,
        }
    }

    const fn dinar(self) -> Phrase {
        match self {
            Self::One => Phrase::DinarOne,
            Self::Two => Phrase::DinarTwo,
            Self::Few => Phrase::DinarFew,
            Self::Many => Phrase::DinarMany,
            Self::Hundred => Phrase::DinarHundred,
        }
    }

    const fn dollar(self) -> Phrase {
        match self {
            Self::One => Phrase::DollarOne,
            Self::Two => Phrase::DollarTwo,
            Self::Few => Phrase::DollarFew,
            Self::Many => Phrase::DollarMany,
            Self::Hundred => Phrase::DollarHundred,
        }
    }
}

impl Phrasebook {
    /// Counts pieces: `2 ×`, `5 دانە`.
    pub(super) fn pieces(&self, count: u32) -> String {
        self.form(Form::of(count.into()).piece(), &[("n", &count.to_string())])
    }

    /// Formats an amount within a sentence: `25,000 دينار`.
    pub(super) fn amount(&self, money: &Money, currency: Currency) -> String {
        let form = Form::of_amount(money, currency);
        self.money(money, currency, form.dinar(), form.dollar())
    }

    /// Formats an amount in a list: `25,000 دينار`.
    pub(super) fn short_amount(&self, money: &Money, currency: Currency) -> String {
        self.money(money, currency, Phrase::DinarShort, Phrase::DollarShort)
    }

    /// Formats the lower of two amounts that stand beside each other: dinars are named once.
    pub(super) fn lower_amount(&self, money: &Money, currency: Currency) -> String {
        if currency == Currency::IQD { figure(money, currency) } else { self.amount(money, currency) }
    }

    fn money(&self, money: &Money, currency: Currency, dinar: Phrase, dollar: Phrase) -> String {
        let figure = figure(money, currency);
        match currency.as_str() {
            "IQD" => self.form(dinar, &[("n", &figure)]),
            "USD" => self.form(dollar, &[("n", &figure)]),
            code => format!("{figure} {}", self.voice().isolate(code)),
        }
    }

    /// Formats a moment as a clock of `zone` shows it: `السبت 28/11 الساعة 4:30 العصر`. The small hours
    /// belong to the night of the day before, and are told with it.
    pub(super) fn when(&self, at: OffsetDateTime, zone: &Zone, today: Option<Date>) -> String {
        let edge = Edge { time: Some(zone.told(at).time()), ..Edge::of(at, zone) };
        let eve = edge.day.previous_day().filter(|_| zone.told(at).hour() < SMALL_HOURS);
        let Some(eve) = eve else { return self.edge(edge, today) };
        let (when, eve) = (self.edge(edge, None), self.form(weekday(eve.weekday()), &[]));
        self.form(Phrase::WhenNight, &[("when", &when), ("eve", &eve)])
    }

    /// Formats a day, with the time of the day if it has one.
    pub(super) fn edge(&self, edge: Edge, today: Option<Date>) -> String {
        let (day, date) = (self.named_day(edge.day, today), self.day_and_month(edge.day));
        match edge.time {
            None => self.form(Phrase::Date, &[("day", &day), ("date", &date)]),
            Some(time) => {
                let time = self.time(time);
                self.form(Phrase::When, &[("day", &day), ("date", &date), ("time", &time)])
            }
        }
    }

    /// Formats a time of the day: `4:30 العصر`.
    pub(super) fn time(&self, time: Time) -> String {
        let hour = time.hour();
        let shown = format!("{}:{:02}", (hour + 11) % 12 + 1, time.minute());
        self.form(part_of_day(hour), &[("time", &shown)])
    }

    fn named_day(&self, date: Date, today: Option<Date>) -> String {
        let day = self.form(weekday(date.weekday()), &[]);
        if today == Some(date) {
            self.form(Phrase::DayToday, &[("day", &day)])
        } else if today.and_then(Date::next_day) == Some(date) {
            self.form(Phrase::DayTomorrow, &[("day", &day)])
        } else {
            day
        }
    }

    fn day_and_month(&self, date: Date) -> String {
        self.voice().isolate(&format!("{}/{}", date.day(), u8::from(date.month())))
    }
}

const fn part_of_day(hour: u8) -> Phrase {
    match hour {
        0..SMALL_HOURS => Phrase::TimeSmallHours,
        SMALL_HOURS..=11 => Phrase::TimeMorning,
        12..=14 => Phrase::TimeNoon,
        15..=17 => Phrase::TimeAfternoon,
        18..NIGHT => Phrase::TimeEvening,
        _ => Phrase::TimeNight,
    }
}

const fn weekday(day: Weekday) -> Phrase {
    match day {
        Weekday::Saturday => Phrase::DaySaturday,
        Weekday::Sunday => Phrase::DaySunday,
        Weekday::Monday => Phrase::DayMonday,
        Weekday::Tuesday => Phrase::DayTuesday,
        Weekday::Wednesday => Phrase::DayWednesday,
        Weekday::Thursday => Phrase::DayThursday,
        Weekday::Friday => Phrase::DayFriday,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::{Edge, Money, Phrasebook, Zone};
    use crate::assistant::speech::Voice::{self, English, FormalArabic, IraqiArabic, Sorani};

    fn book(voice: Voice) -> Phrasebook {
        Phrasebook::shipped(voice).unwrap()
    }

    #[test]
    fn a_noun_agrees_with_its_number() {
        for (voice, count, counted) in [
            (IraqiArabic, 1, "1 ×"),
            (FormalArabic, 11, "11 ×"),
            (English, 2, "2 ×"),
            (Sorani, 1, "یەک دانە"),
            (Sorani, 2, "دوو دانە"),
            (Sorani, 5, "5 دانە"),
        ] {
            assert_eq!(book(voice).pieces(count), counted);
        }
        for (voice, amount, currency, full, short) in [
            (IraqiArabic, "25000", "IQD", "25,000 دينار", "25,000 دينار"),
            (FormalArabic, "250", "IQD", "250 ديناراً", "250 دينار"),
            (FormalArabic, "1003", "IQD", "1,003 دنانير", "1,003 دينار"),
            (FormalArabic, "12.5", "USD", "12.50 دولار", "12.50 دولار"),
            (Sorani, "25000.00", "IQD", "25,000 دینار", "25,000 دینار"),
            (English, "25000", "IQD", "25,000 IQD", "25,000 IQD"),
            (English, "12.5", "USD", "$12.50", "$12.50"),
            (English, "3", "EUR", "3 EUR", "3 EUR"),
            (IraqiArabic, "3", "EUR", "3 \u{2068}EUR\u{2069}", "3 \u{2068}EUR\u{2069}"),
        ] {
            let (money, currency) = (Money::of_number(amount).unwrap(), currency.parse().unwrap());
            let book = book(voice);
            assert_eq!(book.amount(&money, currency), full);
            assert_eq!(book.short_amount(&money, currency), short);
        }
    }

    #[test]
    fn a_time_is_told_by_the_clock_of_the_place() {
        let zone = Zone::default();
        for (voice, at, told) in [
            (IraqiArabic, datetime!(2026-11-28 13:30 UTC), "السبت \u{2068}28/11\u{2069} الساعة 4:30 العصر"),
            (FormalArabic, datetime!(2026-11-28 06:00 UTC), "السبت \u{2068}28/11\u{2069} الساعة 9:00 صباحاً"),
            (English, datetime!(2026-11-28 09:00 UTC), "Saturday 28/11 at 12:00 pm"),
            (
                English,
                datetime!(2026-11-28 21:05 UTC),
                "Sunday 29/11 at 12:05 am, in the night after Saturday",
            ),
            (
                IraqiArabic,
                datetime!(2026-11-28 21:30 UTC),
                "ليلة السبت على الأحد \u{2068}29/11\u{2069} الساعة 12:30 بعد منتصف الليل",
            ),
            (Sorani, datetime!(2026-11-27 16:00 UTC), "هەینی \u{2068}27/11\u{2069} کاتژمێر 7:00ی ئێوارە"),
        ] {
            assert_eq!(book(voice).when(at, &zone, None), told);
        }
        let today = Some(date!(2026 - 11 - 28));
        let sunday = Edge { day: date!(2026 - 11 - 29), time: None };
        assert_eq!(book(English).edge(sunday, None), "Sunday 29/11");
        assert_eq!(book(English).edge(sunday, today), "tomorrow, Sunday 29/11");
        let noon = datetime!(2026-11-28 09:00 UTC);
        assert!(book(IraqiArabic).when(noon, &zone, today).starts_with("اليوم السبت "));
    }
}
