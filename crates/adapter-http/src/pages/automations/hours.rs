//! Conversion of opening hours and waiting times between form and domain.

use dashboard_pages::{DAYS, HoursForm, words::AutomationWords};
use domain::{
    automations::{InvalidHours, InvalidMinutes, Minutes, OpeningHours, Settings, Span},
    text::latin_digits,
    zone::Zone,
};
use serde_json::{Map, Value, json};

use crate::{
    pages::{form::Form, refusal::WrongField},
    problem::Problem,
};

/// Time spans read per day: one more than allowed, so that the excess is reported.
const MOST_READ: usize = 11;

/// Midnight as the start and as the end of a day.
const MIDNIGHT: (&str, &str) = ("00:00", "24:00");

pub(super) fn read(form: &Form) -> Result<HoursForm, Problem> {
    let mut week: [Vec<(String, String)>; 7] = Default::default();
    for (day, times) in DAYS.into_iter().zip(&mut week) {
        for at in 1..=MOST_READ {
            let time = |what: &str| form.text(&format!("{day}-{at}-{what}"));
            let (opens, closes) = (time("opens")?, time("closes")?);
            if !opens.is_empty() || !closes.is_empty() {
                times.push((opens, closes));
            }
        }
    }
    let had_hours = form.filled("had-hours")?.is_some();
    // Typing hours where there were none switches them on; clearing the tick switches them off.
    let are_meant = !had_hours && week.iter().any(|times| !times.is_empty());
    Ok(HoursForm {
        idle_close: form.text("idle-close")?,
        unanswered_return: form.text("unanswered-return")?,
        has_hours: are_meant || form.filled("has-hours")?.is_some(),
        had_hours,
        zone: form.text("zone")?.trim().to_owned(),
        week,
    })
}

fn minutes(text: &str) -> Result<Option<Minutes>, InvalidMinutes> {
    // Arabic phones type digits of their own.
    let text = latin_digits(text);
    match text.trim() {
        "" => Ok(None),
        text => Minutes::try_from(text.parse::<u32>().map_err(|_| InvalidMinutes)?).map(Some),
    }
}

fn span((opens, closes): &(String, String), words: &AutomationWords) -> Result<Span, &'static str> {
    let whole_day = opens == MIDNIGHT.0 && closes == MIDNIGHT.0;
    let closes = if whole_day { MIDNIGHT.1 } else { closes.as_str() };
    if opens == closes {
        return Err(words.hours(&InvalidHours::Empty));
    }
    serde_json::from_value(json!([opens, closes])).map_err(|_| words.wrong_time)
}

/// Converts the form to settings.
///
/// # Errors
/// The field that is wrong, with the reason.
pub(super) fn settings(form: &HoursForm, words: &AutomationWords) -> Result<Settings, WrongField> {
    let in_minutes =
        |name: &str, text: &str| minutes(text).map_err(|_| WrongField::new(name, words.wrong_minutes));
    let idle_close = in_minutes("idle-close", &form.idle_close)?;
    let unanswered_return = in_minutes("unanswered-return", &form.unanswered_return)?;
    let hours = if form.has_hours { Some(hours(form, words)?) } else { None };
    Ok(Settings { hours, idle_close, unanswered_return })
}

fn hours(form: &HoursForm, words: &AutomationWords) -> Result<OpeningHours, WrongField> {
    let zone = Zone::read(&form.zone).map_err(|_| WrongField::new("zone", words.wrong_zone))?;
    let mut week = Map::new();
    for (day, times) in DAYS.into_iter().zip(&form.week) {
        let at = |at: usize, because| WrongField::new(format!("{day}-{at}-opens"), because);
        let numbered = (1..).zip(times);
        let spans = numbered.map(|(number, times)| span(times, words).map_err(|wrong| at(number, wrong)));
        let spans = spans.collect::<Result<Vec<Span>, _>>()?;
        week.insert(day.to_owned(), serde_json::to_value(spans).map_err(|_| at(1, words.wrong_time))?);
    }
    let longest = DAYS.into_iter().zip(&form.week).max_by_key(|(_, times)| times.len());
    let longest = format!("{}-1-opens", longest.map_or("", |(day, _)| day));
    let wrong = |because| WrongField::new(longest.clone(), because);
    let week = serde_json::from_value(Value::from(week)).map_err(|_| wrong(words.wrong_time))?;
    let hours = OpeningHours { zone, week };
    // With valid spans, only a day with too many of them is left to be wrong.
    hours.check().map_err(|error| wrong(words.hours(&error)))?;
    Ok(hours)
}

/// Converts the end of a span for a time field, which writes the end of a day as `00:00`.
pub(in crate::pages) fn end_in_field(end: String) -> String {
    if end == MIDNIGHT.1 { MIDNIGHT.0.to_owned() } else { end }
}

/// Converts settings to the form. Hours that are not set yet use the workspace's zone.
pub(super) fn form_of(settings: &Settings, here: &Zone) -> HoursForm {
    let Settings { hours, idle_close, unanswered_return } = settings;
    let minutes = |set: Option<Minutes>| set.map(|set| u32::from(set).to_string()).unwrap_or_default();
    let mut week: [Vec<(String, String)>; 7] = Default::default();
    let mut zone = here.to_string();
    if let Some(hours) = hours {
        zone = String::from(hours.zone.clone());
        let written = serde_json::to_value(&hours.week).unwrap_or_default();
        for (day, times) in DAYS.into_iter().zip(&mut week) {
            let spans = written.get(day).cloned().unwrap_or_default();
            let spans: Vec<(String, String)> = serde_json::from_value(spans).unwrap_or_default();
            *times = spans.into_iter().map(|(opens, closes)| (opens, end_in_field(closes))).collect();
        }
    }
    HoursForm {
        idle_close: minutes(*idle_close),
        unanswered_return: minutes(*unanswered_return),
        has_hours: hours.is_some(),
        had_hours: hours.is_some(),
        zone,
        week,
    }
}

#[cfg(test)]
mod tests {
    use dashboard_pages::{HoursForm, Language};

    use domain::zone::Zone;

    use super::{form_of, read, settings};
    use crate::pages::{form::Form, refusal::WrongField};

    fn times(times: &[(&str, &str)]) -> Vec<(String, String)> {
        times.iter().map(|(opens, closes)| ((*opens).to_owned(), (*closes).to_owned())).collect()
    }

    fn written() -> HoursForm {
        let mut form = HoursForm {
            idle_close: "1440".to_owned(),
            unanswered_return: String::new(),
            has_hours: true,
            had_hours: true,
            zone: "Asia/Baghdad".to_owned(),
            ..HoursForm::default()
        };
        form.week[0] = times(&[("09:00", "13:00"), ("20:00", "02:00")]);
        form.week[5] = times(&[("00:00", "00:00")]);
        form
    }

    #[test]
    fn hours_are_read_from_their_form_and_shown_in_it_as_they_were() {
        let words = &Language::English.words().automations;
        let read = settings(&written(), words).unwrap();
        assert_eq!(form_of(&read, &Zone::default()), written());
        let json = serde_json::to_value(&read).unwrap();
        assert_eq!(json["hours"]["week"]["saturday"], serde_json::json!([["00:00", "24:00"]]));
        let none = HoursForm { has_hours: false, ..written() };
        assert_eq!(settings(&none, words).unwrap().hours, None);
        let arabic = HoursForm { idle_close: " ١٤٤٠ ".to_owned(), ..written() };
        assert_eq!(settings(&arabic, words).unwrap(), read);
    }

    #[test]
    fn hours_that_are_written_count_unless_the_tick_was_taken_away() {
        let monday = "monday-1-opens=09%3A00&monday-1-closes=17%3A00";
        for (posted, wanted) in [
            (monday.to_owned(), true),
            ("monday-1-opens=09%3A00".to_owned(), true),
            (format!("had-hours=on&{monday}"), false),
            (format!("had-hours=on&has-hours=on&{monday}"), true),
            ("has-hours=on".to_owned(), true),
            ("zone=Asia%2FBaghdad&monday-1-opens=&monday-1-closes=".to_owned(), false),
        ] {
            let Ok(form) = Form::read(posted.as_bytes()) else { panic!("{posted} is no form") };
            let Ok(written) = read(&form) else { panic!("{posted} was not read") };
            assert_eq!(written.has_hours, wanted, "{posted}");
        }
    }

    #[test]
    fn what_is_wrong_with_hours_is_told_in_a_sentence() {
        let words = &Language::English.words().automations;
        let on_monday = |monday: &[(&str, &str)]| {
            let mut form = written();
            form.week[0] = times(monday);
            form
        };
        let unanswered = HoursForm { unanswered_return: "an hour".to_owned(), ..written() };
        for (form, field, wanted) in [
            (HoursForm { zone: "Baghdad".to_owned(), ..written() }, "zone", words.wrong_zone),
            (HoursForm { idle_close: "0".to_owned(), ..written() }, "idle-close", words.wrong_minutes),
            (unanswered, "unanswered-return", words.wrong_minutes),
            (on_monday(&[("09:00", "")]), "monday-1-opens", words.wrong_time),
            (on_monday(&[("9 am", "17:00")]), "monday-1-opens", words.wrong_time),
            (on_monday(&[("08:00", "09:00"), ("09:00", "09:00")]), "monday-2-opens", words.no_length),
            (on_monday(&[("09:00", "10:00"); 11]), "monday-1-opens", words.too_many_times),
        ] {
            assert_eq!(settings(&form, words), Err(WrongField::new(field, wanted)), "{form:?}");
        }
    }
}
