//! A country's mobile numbers, from its numbering plan.

use anyhow::Context;
use domain::phone::{PhoneNumber, Region};
use phonenumber::{
    Metadata,
    metadata::{DATABASE, Descriptor},
};

use super::slips::before_one_slip;

pub(super) struct Country {
    region: Region,
    plan: &'static Metadata,
}

impl Country {
    pub(super) fn of(region: &str) -> anyhow::Result<Self> {
        let plan = DATABASE.by_id(region).with_context(|| format!("{region} has no numbering plan"))?;
        Ok(Self { region: region.parse()?, plan })
    }

    pub(super) fn region(&self) -> Region {
        self.region
    }

    pub(super) fn code(&self) -> u16 {
        self.plan.country_code()
    }

    /// Returns the most digits of a mobile number.
    pub(super) fn longest_mobile(&self) -> usize {
        self.lengths().max().unwrap_or_default()
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        let mobile = self.plan.descriptors().mobile();
        mobile.into_iter().flat_map(Descriptor::possible_length).map(|&length| usize::from(length))
    }

    /// Returns a mobile number of every length and every three-digit prefix that mobiles have; a prefix is
    /// skipped after `tries` numbers that are no mobiles. The same in every run.
    pub(super) fn mobiles(&self, tries: usize) -> Vec<String> {
        let mut dice = Dice(7);
        let mut mobiles = Vec::new();
        for length in self.lengths() {
            let mut known = vec![String::new()];
            for _ in 0..3 {
                let longer =
                    known.iter().flat_map(|prefix| ('0'..='9').map(move |digit| format!("{prefix}{digit}")));
                known =
                    longer.filter(|prefix| self.mobile(prefix, length, tries, &mut dice).is_some()).collect();
            }
            mobiles.extend(known.iter().filter_map(|prefix| self.mobile(prefix, length, tries, &mut dice)));
        }
        mobiles
    }

    /// Searches a mobile number with this prefix and length.
    fn mobile(&self, prefix: &str, length: usize, tries: usize, dice: &mut Dice) -> Option<String> {
        let rest = length.saturating_sub(prefix.len());
        (0..tries).map(|_| format!("{prefix}{}", dice.digits(rest))).find(|number| self.is_mobile(number))
    }

    /// Returns the spellings of a mobile at home: with the trunk prefix and without.
    pub(super) fn spellings(&self, mobile: &str) -> Vec<String> {
        let trunk = self.plan.national_prefix().map(|trunk| format!("{trunk}{mobile}"));
        trunk.into_iter().chain([mobile.to_owned()]).collect()
    }

    /// Iraq's plan has mobiles that nobody has (docs/change/decisions/contacts.md, "Telephone numbers").
    fn is_mobile(&self, national: &str) -> bool {
        let mobile = self.plan.descriptors().mobile();
        let is_in_use = self.plan.id() != "IQ"
            || ["75", "77", "78", "79"].contains(&national.get(..2).unwrap_or_default());
        is_in_use
            && mobile.is_some_and(|mobile| mobile.is_match(national))
            && self.reads_as(national, national)
    }

    fn reads_as(&self, written: &str, national: &str) -> bool {
        let read = PhoneNumber::parse(written, self.region);
        read.is_ok_and(|read| read.digits() == format!("{}{national}", self.code()))
    }

    /// Returns whether a number typed here is parsed as one of another country.
    pub(super) fn reads_abroad(&self, written: &str) -> bool {
        let read = PhoneNumber::parse(written, self.region);
        read.is_ok_and(|read| !read.digits().starts_with(&self.code().to_string()))
    }

    /// Returns whether one slip turns a mobile, as written at home, into these digits.
    pub(super) fn explains(&self, digits: &str) -> bool {
        let trunk = self.plan.national_prefix().unwrap_or_default();
        let bare = |meant: &str| self.is_mobile(meant);
        before_one_slip(digits)
            .iter()
            .any(|meant| bare(meant) || (!trunk.is_empty() && meant.strip_prefix(trunk).is_some_and(bare)))
    }
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| self.digit()).collect()
    }

    fn digit(&mut self) -> char {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'0' + u8::try_from((self.0 >> 33) % 10).unwrap_or_default())
    }
}
