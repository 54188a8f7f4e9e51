//! What systems and the owner told: orders, records, times, passages, summaries.

use super::{Teller, cited, counted, sums::times};
use time::{Date, OffsetDateTime, Time, format_description::well_known::Rfc3339, macros::format_description};

use crate::{
    assistant::speech::{
        act::{Act, OrderPart},
        evidence::{DraftSummary, Evidence},
        figures::{Edge, SMALL_HOURS},
        messages::Paragraph,
        phrase::Phrase,
        refusal::{FieldRefusal, Refusal},
        spoken::{Fact, Spoken},
        written::Id,
    },
    consent::DraftKind,
    currency::Currency,
    orders::{OrderLine, OrderStage},
    systems::{FieldValue, Slot},
    text::{fold_for_search, sentences},
};

/// Most fields of a record that are told at once.
const MOST_FIELDS: usize = 12;
/// Most lines of an order that are told.
const MOST_LINES: usize = 20;
/// Most times that are offered at once.
const MOST_SLOTS: usize = 12;
/// Most sentences that are cited.
const MOST_SENTENCES: usize = 20;

/// Fewest digits that are grouped.
const FEWEST_GROUPED: usize = 5;
/// Words of labels, folded, whose numbers name something and count nothing.
const NAMES_SOMETHING: &[&str] = &[
    "رقم",
    "الرقم",
    "كود",
    "رمز",
    "هاتف",
    "موبايل",
    "number",
    "no",
    "id",
    "code",
    "phone",
    "ژماره",
    "ژمارهي",
];

impl Teller<'_> {
    pub(super) fn order_status(self, Id(order): &Id, parts: &[OrderPart]) -> Result<Spoken, FieldRefusal> {
        let order = self.evidence.order(order)?;
        let mut told = vec![("number", self.told(order.number.as_str()))];
        if let OrderStage::Other(words) = &order.stage {
            told.push(("status", self.told(words.as_str())));
        }
        // Several orders are told in one form.
        let turn = self.rotation.turn(Phrase::OrderConfirmed, 0);
        let mut spoken = self.book.word(stage(&order.stage), turn, &told);
        let currency = order.currency.or(self.evidence.currency).unwrap_or(Currency::IQD);
        if parts.contains(&OrderPart::Lines) {
            counted(&order.lines, 0, MOST_LINES, "parts: lines")?;
            for line in &order.lines {
                spoken.add_line(self.order_line(line, currency)?);
            }
        }
        if parts.contains(&OrderPart::Total) {
            let total = Fact::Told(self.book.amount(&order.total, currency));
            spoken.add_line(self.word(Phrase::OrderTotal, &[("total", total)]));
        }
        if let Some(link) = order.tracking.as_ref().filter(|_| is_to_come(&order.stage)) {
            let link = Fact::Told(link.as_str().to_owned());
            spoken.add_line(self.word(Phrase::OrderTrack, &[("link", link)]));
        }
        Ok(spoken)
    }

    fn order_line(self, line: &OrderLine, currency: Currency) -> Result<Spoken, FieldRefusal> {
        let sum = Fact::Told(self.book.short_amount(&times(&line.price, line.quantity)?, currency));
        let title = Fact::Title(self.book.voice().isolate(line.title.as_str()));
        Ok(self.word(
            Phrase::TotalLine,
            &[("pieces", self.listed(line.quantity)), ("title", title), ("sum", sum)],
        ))
    }

    pub(super) fn under_way(self) -> Result<Spoken, FieldRefusal> {
        let is_so = self.evidence.is_under_way;
        if is_so { Ok(self.word(Phrase::UnderWay, &[])) } else { Err(Refusal::Absent.into()) }
    }

    pub(super) fn record(self, fields: &[String]) -> Result<Spoken, FieldRefusal> {
        counted(fields, 1, MOST_FIELDS, "fields")?;
        let known = self.evidence.record.as_ref().map(|record| record.fields.as_slice()).unwrap_or_default();
        let mut spoken = self.word(Phrase::RecordIntro, &[]);
        for wanted in fields {
            let folded = fold_for_search(wanted);
            let unknown =
                || Refusal::unknown(wanted, known.iter().map(|(label, _)| label.as_str())).of("fields");
            let found = known.iter().find(|(label, _)| fold_for_search(label.as_str()) == folded);
            let (label, value) = found.ok_or_else(unknown)?;
            let value = self.value(label.as_str(), value).ok_or_else(|| Refusal::Absent.of("fields"))?;
            let label = self.book.voice().capital(&label.as_str().replace('_', " "));
            let told = [("label", self.told(&label)), ("value", value)];
            spoken.add_line(self.word(Phrase::RecordItem, &told));
        }
        Ok(spoken)
    }

    fn value(self, label: &str, value: &FieldValue) -> Option<Fact> {
        match value {
            FieldValue::Text(text) => text
                .as_ref()
                .map(|text| self.moment(text.as_str()).unwrap_or_else(|| self.told(text.as_str()))),
            FieldValue::Number(number) => Some(self.told(&figure_of(label, number))),
            FieldValue::Bool(true) => Some(Fact::Told(self.book.form(Phrase::Yes, &[]))),
            FieldValue::Bool(false) => Some(Fact::Told(self.book.form(Phrase::No, &[]))),
            FieldValue::Null => None,
        }
    }

    /// Words a day or a moment that a system writes as machines do.
    fn moment(self, text: &str) -> Option<Fact> {
        let text = text.trim();
        let (day, time) = text.split_once(['T', ' ']).map_or((text, None), |(day, time)| (day, Some(time)));
        let date = Date::parse(day, format_description!("[year]-[month]-[day]")).ok()?;
        let numbers = format!("{}/{}/{}", date.day(), u8::from(date.month()), date.year());
        let Some(time) = time else { return Some(Fact::Told(self.book.voice().isolate(&numbers))) };
        if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
            return Some(Fact::Told(self.book.when(at, &self.evidence.zone, self.evidence.today)));
        }
        let time = time.get(..5).filter(|_| time.len() == 5 || time.get(5..6) == Some(":"))?;
        let time = Time::parse(time, format_description!("[hour]:[minute]")).ok()?;
        Some(Fact::Told(self.book.edge(Edge { day: date, time: Some(time) }, self.evidence.today)))
    }

    pub(super) fn slots(self, slots: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(slots, 1, MOST_SLOTS, "slots")?;
        let mut slots =
            slots.iter().map(|Id(slot)| self.evidence.slot(slot)).collect::<Result<Vec<_>, _>>()?;
        slots.sort_by_key(|slot| slot.span.starts_at());
        let service = slots.first().map(|slot| slot.service.as_str()).unwrap_or_default();
        if let [slot] = slots.as_slice() {
            let told = [("service", self.told(service)), ("when", Fact::Told(self.starts(slot)))];
            return Ok(self.word(Phrase::SlotsOne, &told));
        }
        let is_one = slots.iter().all(|slot| slot.service.as_str() == service);
        let mut spoken = if is_one {
            self.word(Phrase::SlotsOf, &[("service", self.told(service))])
        } else {
            self.word(Phrase::SlotsIntro, &[])
        };
        for times in by_day(&slots, |slot| self.day(slot), is_one) {
            spoken.add_line(self.times(&times, is_one));
        }
        Ok(spoken)
    }

    /// Words a time, or several of one day.
    fn times(self, slots: &[&Slot], is_one: bool) -> Spoken {
        let voice = self.book.voice();
        if let [first, _, ..] = slots {
            let edge = Edge { time: None, ..Edge::of(first.span.starts_at(), &self.evidence.zone) };
            let time = |slot: &&Slot| self.book.time(self.evidence.zone.told(slot.span.starts_at()).time());
            let times = voice.join(&slots.iter().map(time).collect::<Vec<_>>());
            let day = voice.capital(&self.book.edge(edge, self.evidence.today));
            return self.word(Phrase::SlotsDay, &[("day", Fact::Told(day)), ("times", Fact::Told(times))]);
        }
        let Some(slot) = slots.first() else { return Spoken::default() };
        let item = self.word(Phrase::SlotsItem, &[("when", Fact::Told(voice.capital(&self.starts(slot))))]);
        if is_one {
            return item;
        }
        let service = self.told(slot.service.as_str());
        let text = format!("{} ({})", item.text, service.text());
        Spoken::of_line(text, [item.facts, vec![service]].concat())
    }

    /// Returns the day of a time; `None` for one of the small hours, which belong to the night before.
    fn day(self, slot: &Slot) -> Option<Date> {
        let at = self.evidence.zone.told(slot.span.starts_at());
        (at.hour() >= SMALL_HOURS).then(|| at.date())
    }

    pub(super) fn starts(self, slot: &Slot) -> String {
        self.book.when(slot.span.starts_at(), &self.evidence.zone, self.evidence.today)
    }

    /// Words that no time is offered in just the range that was asked for.
    pub(super) fn no_slots(self, Id(range): &Id) -> Result<Spoken, FieldRefusal> {
        let range = self.evidence.range(range)?;
        let Evidence { zone, today, .. } = self.evidence;
        let told = |edge: Edge| self.book.edge(edge, *today);
        let (begins, ends) =
            (range.from.map(|from| Edge::of(from, zone)), range.to.map(|to| Edge::of_end(to, zone)));
        let (begins, ends) = match (begins, ends) {
            (Some(begins), Some(ends)) => (begins, ends),
            (Some(from), None) => {
                return Ok(self.word(Phrase::NoSlotsFrom, &[("from", Fact::Told(told(from)))]));
            }
            (None, Some(to)) => return Ok(self.word(Phrase::NoSlotsUntil, &[("to", Fact::Told(told(to)))])),
            (None, None) => return Ok(self.word(Phrase::NoSlotsBare, &[])),
        };
        let is_near = [Some(begins.day), begins.day.previous_day()].into_iter().any(|day| day == *today);
        let day = || {
            let day = told(Edge { time: None, ..begins });
            Fact::Told(if is_near { day } else { self.book.form(Phrase::DayOn, &[("day", &day)]) })
        };
        let time = |edge: Edge| edge.time.map(|time| Fact::Told(self.book.time(time)));
        if begins.day != ends.day {
            let edges = [("from", Fact::Told(told(begins))), ("to", Fact::Told(told(ends)))];
            return Ok(self.word(Phrase::NoSlotsBetween, &edges));
        }
        Ok(match (time(begins), time(ends)) {
            (None, None) => self.word(Phrase::NoSlotsDay, &[("day", day())]),
            (Some(from), None) => self.word(Phrase::NoSlotsAfter, &[("day", day()), ("from", from)]),
            (None, Some(to)) => self.word(Phrase::NoSlotsBefore, &[("day", day()), ("to", to)]),
            (Some(from), Some(to)) => {
                self.word(Phrase::NoSlotsHours, &[("day", day()), ("from", from), ("to", to)])
            }
        })
    }

    pub(super) fn cite(self, Id(id): &Id, numbers: &[usize]) -> Result<Spoken, FieldRefusal> {
        counted(numbers, 0, MOST_SENTENCES, "sentences")?;
        let passage = self.evidence.passage(id).map(|passage| passage.text.as_str());
        let text = match passage {
            Some(text) => text,
            None => self.evidence.fact(id)?.text_in(self.book.voice().language()).trim(),
        };
        let all = sentences(text);
        if numbers.is_empty() {
            let whole = if passage.is_some() { joined(&all) } else { text.to_owned() };
            return Ok(Spoken::of_fact(Fact::Told(whole)));
        }
        let cited = cited(&all, numbers).map_err(|why| why.of("sentences"))?;
        Ok(Spoken::of_fact(Fact::Told(joined(&cited))))
    }

    pub(super) fn propose(self, act: &Act, Id(draft): &Id) -> Result<Paragraph, FieldRefusal> {
        let DraftSummary { id, kind, text } = self.evidence.draft(draft)?;
        let proposed = match kind {
            DraftKind::Order => matches!(act, Act::ProposeOrder { .. }),
            DraftKind::Booking => matches!(act, Act::ProposeBooking { .. }),
            DraftKind::Cancellation => matches!(act, Act::ProposeCancellation { .. }),
        };
        if !proposed {
            return Err(Refusal::OtherDraft.of("draft"));
        }
        let spoken = Spoken::of_fact(Fact::Told(text.clone()));
        Ok(Paragraph { draft: Some(id.as_str().to_owned()), ..Paragraph::of(spoken) })
    }
}

/// Puts times of one day after each other together, if they are for one thing.
fn by_day<'a>(slots: &[&'a Slot], day: impl Fn(&Slot) -> Option<Date>, is_one: bool) -> Vec<Vec<&'a Slot>> {
    let mut days: Vec<Vec<&Slot>> = Vec::new();
    for slot in slots {
        let of = |known: &&Slot| is_one && day(known).is_some() && day(known) == day(slot);
        match days.last_mut().filter(|day| day.first().is_some_and(of)) {
            Some(day) => day.push(slot),
            None => days.push(vec![slot]),
        }
    }
    days
}

const fn stage(stage: &OrderStage) -> Phrase {
    match stage {
        OrderStage::Pending => Phrase::OrderPending,
        OrderStage::AwaitingPayment => Phrase::OrderAwaitingPayment,
        OrderStage::Paid => Phrase::OrderPaid,
        OrderStage::Confirmed => Phrase::OrderConfirmed,
        OrderStage::OnHold => Phrase::OrderOnHold,
        OrderStage::Postponed => Phrase::OrderPostponed,
        OrderStage::Delayed => Phrase::OrderDelayed,
        OrderStage::InProgress => Phrase::OrderInProgress,
        OrderStage::Processing => Phrase::OrderProcessing,
        OrderStage::Ready => Phrase::OrderReady,
        OrderStage::ReadyForPickup => Phrase::OrderPickup,
        OrderStage::Unshipped => Phrase::OrderUnshipped,
        OrderStage::PartlyShipped => Phrase::OrderPartShipped,
        OrderStage::Shipped => Phrase::OrderShipped,
        OrderStage::InTransit => Phrase::OrderTransit,
        OrderStage::OutForDelivery => Phrase::OrderOutForDelivery,
        OrderStage::DeliveryFailed => Phrase::OrderDeliveryFailed,
        OrderStage::Fulfilled => Phrase::OrderFulfilled,
        OrderStage::Delivered => Phrase::OrderDelivered,
        OrderStage::Returned => Phrase::OrderReturned,
        OrderStage::PartlyRefunded => Phrase::OrderPartRefunded,
        OrderStage::Refunded => Phrase::OrderRefunded,
        OrderStage::Rejected => Phrase::OrderRejected,
        OrderStage::Failed => Phrase::OrderFailed,
        OrderStage::Cancelled => Phrase::OrderCancelled,
        OrderStage::Other(_) => Phrase::OrderOther,
        OrderStage::PartlyPaid => Phrase::OrderPartPaid,
        OrderStage::AwaitingStock => Phrase::OrderAwaitingStock,
        OrderStage::ReadyToShip => Phrase::OrderReadyToShip,
        OrderStage::InWarehouse => Phrase::OrderWarehouse,
        OrderStage::WithCourier => Phrase::OrderCourier,
        OrderStage::NoAnswer => Phrase::OrderNoAnswer,
        OrderStage::PhoneOff => Phrase::OrderPhoneOff,
        OrderStage::WrongAddress => Phrase::OrderWrongAddress,
        OrderStage::PartlyDelivered => Phrase::OrderPartDelivered,
        OrderStage::PartlyReturned => Phrase::OrderPartReturned,
        OrderStage::RefusedOnDelivery => Phrase::OrderRefused,
        OrderStage::Unknown => Phrase::OrderUnknown,
    }
}

/// Returns whether an order may still be followed: there is no way to go for one that has come or never will.
const fn is_to_come(stage: &OrderStage) -> bool {
    !matches!(
        stage,
        OrderStage::Delivered
            | OrderStage::Returned
            | OrderStage::PartlyRefunded
            | OrderStage::Refunded
            | OrderStage::PartlyReturned
            | OrderStage::Rejected
            | OrderStage::RefusedOnDelivery
            | OrderStage::Failed
            | OrderStage::Cancelled
    )
}

/// Joins sentences; what ends in no mark, such as an item of a list, stays a line.
fn joined(sentences: &[&str]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() {
            text.push(if text.ends_with(['.', '!', '?', '؟', '۔', '…']) { ' ' } else { '\n' });
        }
        text.push_str(sentence);
    }
    text
}

/// Groups the digits of a number from ten thousand on, as of a balance. A year and what names something stay.
fn figure_of(label: &str, number: &str) -> String {
    let is_name = fold_for_search(label).split(' ').any(|word| NAMES_SOMETHING.contains(&word));
    let (sign, figure) = number.strip_prefix('-').map_or(("", number), |figure| ("-", figure));
    let (whole, part) = figure.split_once('.').map_or((figure, None), |(whole, part)| (whole, Some(part)));
    let is_figure =
        [whole, part.unwrap_or_default()].iter().all(|it| it.bytes().all(|it| it.is_ascii_digit()));
    let is_long = whole.len() >= FEWEST_GROUPED || (part.is_some() && whole.len() + 1 >= FEWEST_GROUPED);
    if is_name || !is_figure || !is_long {
        return number.to_owned();
    }
    let mut grouped = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    part.map_or(grouped.clone(), |part| format!("{grouped}.{part}"))
}
