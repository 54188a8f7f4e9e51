//! Evidence of a turn: all that an answer may rest on.

use std::collections::HashSet;

use time::OffsetDateTime;

use super::check::{
    Clock, Number, Promise, Sense, clocks, folded, numbers, speaks_of_money, spoken_of, without_links,
    without_phrase,
};
use crate::{
    currency::Currency, link::WebLink, money::Money, orders::OrderStatus, systems::Span,
    text::fold_for_search,
};

/// Something that was done in this turn, or was seen to be done, so that an answer may say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// The system has this order of the customer's.
    OrderSeen,
    /// The order has left, or the system has a word of its own for its status.
    OrderSent,
    /// The system says that the order is cancelled.
    CancellationSeen,
    LeadCaptured,
    BookingRequested,
    /// What the customer confirmed is under way: they are told what comes of it.
    UnderWay,
}

/// All that tools returned, the owner wrote and the customer wrote. Lives as long as the turn.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Money that may be said: prices and totals from a system, and amounts that the owner wrote.
    money: HashSet<Money>,
    /// Codes of the currencies of that money; empty if nobody knows.
    currencies: HashSet<String>,
    /// Numbers in texts, which may be said of anything but money.
    figures: HashSet<Money>,
    /// Digits that things are called by, such as the numbers of orders.
    references: HashSet<String>,
    /// Numbers that the customer wrote: quantities and references, never money.
    customer: HashSet<Money>,
    customer_references: HashSet<String>,
    /// Every run of digits that the customer wrote, those of times too.
    customer_digits: HashSet<String>,
    slots: Vec<Span>,
    clocks: HashSet<Clock>,
    links: HashSet<String>,
    deeds: HashSet<Deed>,
    promises: HashSet<Promise>,
    /// Numbers of the customer's orders that were looked up, folded for search.
    orders: HashSet<String>,
    titles: Vec<String>,
    /// Titles of several words that speak of no money, folded: a number in one of them is a part of a name.
    names: HashSet<String>,
    title_words: HashSet<String>,
    system_failed: bool,
}

impl Evidence {
    /// Adds a price or a total that a system told.
    pub fn price(&mut self, amount: &Money) {
        self.money.insert(amount.clone());
    }

    /// Adds the currency of prices.
    pub fn currency(&mut self, currency: Currency) {
        self.currencies.insert(currency.as_str().to_owned());
    }

    /// Adds what a system calls something, in whatever language.
    pub fn text(&mut self, text: &str) {
        self.description(text);
        self.titles.push(text.to_owned());
        let folded = folded(text);
        let words = folded.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        self.title_words.extend(words.filter(|word| !speaks_of_money(word)).map(str::to_owned));
        if folded.contains(' ') && !speaks_of_money(text) {
            self.names.insert(folded);
        }
    }

    /// Adds what a system says of something. Unlike a name, it is repeated in the customer's language.
    pub fn description(&mut self, text: &str) {
        for number in numbers(text) {
            self.figures.extend(number.values);
            self.references.insert(number.digits);
        }
    }

    pub fn today(&mut self, now: OffsetDateTime) {
        self.clocks.insert(Clock::date_of(now));
    }

    /// Adds what the owner wrote for the assistant: whatever it says may be said.
    pub fn owner(&mut self, text: &str) {
        self.links.extend(without_links(text).1);
        self.promises.extend(spoken_of(text));
        self.fact(text);
    }

    /// Adds a system's fact about the customer, such as a balance: amounts and times may be said, links not.
    pub fn fact(&mut self, text: &str) {
        let (text, clocks) = clocks(&without_links(text).0);
        self.clocks.extend(clocks);
        for number in numbers(&text) {
            self.currencies.extend(number.currency.into_iter().flatten().map(|code| (*code).to_owned()));
            self.money.extend(number.values);
            self.references.insert(number.digits);
        }
    }

    /// Adds what the customer wrote.
    pub fn customer(&mut self, text: &str) {
        let text = without_links(text).0;
        self.customer_digits.extend(numbers(&text).into_iter().map(|number| number.digits));
        let (text, _) = clocks(&text);
        for number in numbers(&text) {
            self.customer.extend(number.values);
            self.customer_references.insert(number.digits);
        }
    }

    /// Adds a time that can be booked.
    pub fn slot(&mut self, span: Span) {
        self.slots.push(span);
    }

    /// Adds a time of something else that a system told, such as when an order was placed.
    pub fn moment(&mut self, at: OffsetDateTime) {
        self.clocks.extend([Clock::time_of(at), Clock::date_of(at)]);
    }

    /// Adds the page of a product, or the page where an order is followed.
    pub fn link(&mut self, link: &WebLink) {
        self.links.insert(link.as_str().to_owned());
    }

    /// Adds something that was done, or was seen to be done.
    pub fn deed(&mut self, deed: Deed) {
        self.deeds.insert(deed);
    }

    /// Adds an order of the customer's, and its status.
    pub fn order(&mut self, number: &str, status: OrderStatus) {
        self.text(number);
        self.orders.insert(fold_for_search(number));
        self.deed(Deed::OrderSeen);
        match status {
            OrderStatus::Cancelled => self.deed(Deed::CancellationSeen),
            OrderStatus::Shipped | OrderStatus::Delivered | OrderStatus::Unknown => {
                self.deed(Deed::OrderSent);
            }
            OrderStatus::Pending
            | OrderStatus::Confirmed
            | OrderStatus::Processing
            | OrderStatus::Refunded => {}
        }
    }

    /// Records that the workspace's system could not be asked.
    pub fn system_failed(&mut self) {
        self.system_failed = true;
    }

    pub fn extend(&mut self, other: Self) {
        self.money.extend(other.money);
        self.currencies.extend(other.currencies);
        self.figures.extend(other.figures);
        self.references.extend(other.references);
        self.customer.extend(other.customer);
        self.customer_references.extend(other.customer_references);
        self.customer_digits.extend(other.customer_digits);
        self.slots.extend(other.slots);
        self.clocks.extend(other.clocks);
        self.links.extend(other.links);
        self.deeds.extend(other.deeds);
        self.orders.extend(other.orders);
        self.promises.extend(other.promises);
        self.titles.extend(other.titles);
        self.names.extend(other.names);
        self.title_words.extend(other.title_words);
        self.system_failed |= other.system_failed;
    }

    pub(super) const fn has_system_failed(&self) -> bool {
        self.system_failed
    }

    pub(super) fn bears_number(&self, number: &Number) -> bool {
        let any = |known: &HashSet<Money>| number.values.iter().any(|value| known.contains(value));
        let is_called = !number.digits.is_empty() && self.references.contains(&number.digits);
        let is_money = || any(&self.money) && self.bears_currency(number);
        let is_of_name = || number.beside.iter().any(|word| self.title_words.contains(word));
        match number.sense {
            Sense::Money => is_money(),
            Sense::Priced => is_money() || (is_called && is_of_name()),
            Sense::Lettered => is_money() || is_called,
            Sense::Reference => {
                any(&self.figures) || is_called || self.customer_references.contains(&number.digits)
            }
            // Small numbers are points of a list or pieces; larger ones are money until something else is
            // known.
            Sense::Bare => {
                (number.is_at_most(LARGEST_COUNT) && (number.is_whole() || number.is_counted))
                    || any(&self.money)
                    || any(&self.figures)
                    || is_called
                    || (number.is_at_most(LARGEST_QUANTITY) && any(&self.customer))
            }
        }
    }

    /// Returns whether it is no amount and the customer has written it.
    pub(super) fn is_of_customer(&self, number: &Number) -> bool {
        !number.sense.may_be_money()
            && ((!number.digits.is_empty() && self.customer_digits.contains(&number.digits))
                || number.values.iter().any(|value| self.customer.contains(value)))
    }

    fn bears_currency(&self, number: &Number) -> bool {
        self.currencies.is_empty()
            || number.currency.is_none_or(|codes| codes.iter().any(|code| self.currencies.contains(*code)))
    }

    pub(super) fn bears_promise(&self, promise: Promise) -> bool {
        self.promises.contains(&promise)
    }

    pub(super) fn bears_clock(&self, clock: &Clock) -> bool {
        self.clocks.iter().any(|known| clock.fits(known))
            || self.slots.iter().any(|span| clock.is_at(span.starts_at()) || clock.is_at(span.ends_at()))
    }

    pub(super) fn slots(&self) -> &[Span] {
        &self.slots
    }

    pub(super) fn bears_link(&self, link: &str) -> bool {
        self.links.contains(link)
    }

    pub(super) fn has(&self, deed: Deed) -> bool {
        self.deeds.contains(&deed)
    }

    /// Returns whether the text, folded for search, names one of the customer's orders.
    pub(super) fn names_order(&self, folded: &str) -> bool {
        let mut words = folded.split(|c: char| c.is_whitespace() || "#.,:;!?،؛؟()".contains(c));
        words.any(|word| self.orders.contains(word)) || {
            let written = self.orders.iter().filter(|number| number.contains(' '));
            written.into_iter().any(|number| folded.contains(number.as_str()))
        }
    }

    /// Removes names of several words from a folded text: numbers in them are no amounts.
    pub(super) fn without_names(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, name| without_phrase(&text, name))
    }

    /// Removes what systems call their things, in whatever language that is.
    pub(super) fn without_titles(&self, text: &str) -> String {
        self.titles.iter().fold(text.to_owned(), |text, title| text.replace(title.as_str(), " "))
    }
}

/// Largest count that may be said without evidence.
const LARGEST_COUNT: u32 = 10;
/// Largest number of the customer's that is a quantity by itself.
const LARGEST_QUANTITY: u32 = 99;
