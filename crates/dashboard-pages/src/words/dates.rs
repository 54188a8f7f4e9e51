//! Days and months in words, as people in Iraq and in Britain write them.

use time::Date;

use super::Language;

impl Language {
    /// Returns the name of a month.
    fn month_name(self, date: Date) -> &'static str {
        use time::Month as M;
        let (english, arabic) = match date.month() {
            M::January => ("January", "كانون الثاني"),
            M::February => ("February", "شباط"),
            M::March => ("March", "آذار"),
            M::April => ("April", "نيسان"),
            M::May => ("May", "أيار"),
            M::June => ("June", "حزيران"),
            M::July => ("July", "تموز"),
            M::August => ("August", "آب"),
            M::September => ("September", "أيلول"),
            M::October => ("October", "تشرين الأول"),
            M::November => ("November", "تشرين الثاني"),
            M::December => ("December", "كانون الأول"),
        };
        match self {
            Self::English => english,
            Self::Arabic => arabic,
        }
    }

    /// Formats a day in words: 28 November 2026.
    pub fn day(self, date: Date) -> String {
        format!("{} {}", date.day(), self.month(date))
    }

    /// Formats the month of a day in words: November 2026.
    pub fn month(self, date: Date) -> String {
        format!("{} {}", self.month_name(date), date.year())
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::Language;

    #[test]
    fn a_day_is_written_as_in_baghdad_and_in_london() {
        let day = date!(2026 - 11 - 28);
        assert_eq!(Language::Arabic.day(day), "28 تشرين الثاني 2026");
        assert_eq!(Language::English.day(day), "28 November 2026");
        assert_eq!(Language::Arabic.month(date!(2027 - 01 - 01)), "كانون الثاني 2027");
    }
}
