//! `bench phones`: who else would get a message whose number was mistyped, and whether neighbours' numbers
//! are still recognized.
//!
//! Needs neither the service's program nor a database: parsing a number is a pure function.

mod country;
mod slips;
#[cfg(test)]
mod tests;

use domain::phone::{PhoneError, PhoneNumber};

use crate::{
    figures::{Figures, Goal},
    load::float,
};
use country::Country;
use slips::slips;

/// Twenty regions, each with the countries around it.
const REGIONS: [(&str, &str); 20] = [
    ("AE", "OM SA"),
    ("BH", "QA SA"),
    ("DE", "AT BE CH CZ DK FR LU NL PL"),
    ("DZ", "LY MA ML MR NE TN"),
    ("EG", "IL LY SD"),
    ("FR", "BE CH DE ES IT LU"),
    ("GB", "IE"),
    ("IN", "BD BT CN MM NP PK"),
    ("IQ", "IR JO KW SA SY TR"),
    ("IR", "AF AM AZ IQ PK TM TR"),
    ("JO", "IL IQ PS SA SY"),
    ("KW", "IQ SA"),
    ("LB", "IL SY"),
    ("MA", "DZ ES"),
    ("OM", "AE SA YE"),
    ("QA", "BH SA"),
    ("SA", "AE BH IQ JO KW OM QA YE"),
    ("SY", "IL IQ JO LB TR"),
    ("TR", "AM AZ BG GE GR IQ IR SY"),
    ("US", "MX"),
];

/// Largest percentage of mistakes that may be parsed as a number abroad.
const MOST_ABROAD: f64 = 0.5;

/// Share of some spellings.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Count {
    /// Number of spellings.
    pub all: u64,
    /// Number of those that meet the condition.
    pub counted: u64,
}

/// Results for a region.
#[derive(Debug)]
pub struct Found {
    pub region: &'static str,
    /// Mistakes in mobiles as written at home, with the leading zero and without; counted are those parsed as
    /// a number abroad.
    pub at_home: Count,
    /// Number of these that were parsed so without beginning with the `00` that marks a number abroad.
    pub guessed: u64,
    /// The same behind the region's own country code, without plus sign.
    pub with_own_code: Count,
    /// Mobiles of the countries around, without plus sign, that no mistake at home explains; counted are
    /// those recognized as theirs or, where the digits are also a number at home, as that.
    pub neighbours: Count,
    /// All mobiles of the countries around, without plus sign; counted are those recognized.
    pub all_neighbours: Count,
    /// Mobiles of the countries around that are longer than one at home, that no mistake explains, and that
    /// were doubted all the same.
    pub lost: u64,
}

/// Size of the sample.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Numbers tried behind a prefix before it counts as one that no mobile has.
    pub tries: usize,
    /// Largest number of a country's mobiles; of more prefixes, a regular selection is taken.
    pub numbers: usize,
}

/// Measures every region.
pub fn measure(effort: Effort) -> anyhow::Result<Vec<Found>> {
    REGIONS.iter().map(|&(region, around)| found(region, around, effort)).collect()
}

/// Notes the results as figures.
pub fn run(small: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let effort =
        if small { Effort { tries: 20, numbers: 20 } } else { Effort { tries: 500, numbers: 1_000 } };
    for found in measure(effort)? {
        let region = found.region;
        let mistakes = |name: &str| format!("{region}: mistakes read as a number abroad, {name}");
        let neighbours = |name: &str| format!("{region}: numbers of neighbours read, {name}");
        let goal = Some(Goal::AtMost(MOST_ABROAD));
        figures.note(mistakes("as at home"), (found.at_home.share(), "%"), None, goal);
        figures.note(mistakes("behind its own code"), (found.with_own_code.share(), "%"), None, None);
        figures.note(
            neighbours("where no mistake explains them"),
            (found.neighbours.share(), "%"),
            None,
            None,
        );
        figures.note(neighbours("all"), (found.all_neighbours.share(), "%"), None, None);
    }
    Ok(())
}

impl Effort {
    fn of(self, country: &Country) -> Vec<String> {
        let mobiles = country.mobiles(self.tries);
        let step = mobiles.len().div_ceil(self.numbers).max(1);
        mobiles.into_iter().step_by(step).collect()
    }
}

impl Count {
    fn note(&mut self, counted: bool) {
        self.all += 1;
        self.counted += u64::from(counted);
    }

    /// Returns the share in percent.
    pub fn share(self) -> f64 {
        if self.all == 0 { 0.0 } else { 100.0 * float(self.counted) / float(self.all) }
    }
}

fn found(region: &'static str, around: &str, effort: Effort) -> anyhow::Result<Found> {
    let home = Country::of(region)?;
    let mut found = Found {
        region,
        at_home: Count::default(),
        guessed: 0,
        with_own_code: Count::default(),
        neighbours: Count::default(),
        all_neighbours: Count::default(),
        lost: 0,
    };
    for mobile in effort.of(&home) {
        for written in home.spellings(&mobile) {
            for slip in slips(&written) {
                let abroad = home.reads_abroad(&slip);
                found.at_home.note(abroad);
                found.guessed += u64::from(abroad && !slip.starts_with("00"));
            }
        }
        let written = format!("{}{mobile}", home.code());
        for slip in slips(&written) {
            found.with_own_code.note(home.reads_abroad(&slip));
        }
    }
    for neighbour in around.split(' ') {
        let neighbour = Country::of(neighbour)?;
        for mobile in effort.of(&neighbour) {
            let written = format!("{}{mobile}", neighbour.code());
            let read = PhoneNumber::parse(&written, home.region());
            found.all_neighbours.note(read.is_ok());
            if !home.explains(&written) {
                found.neighbours.note(read.is_ok());
                let doubted = read == Err(PhoneError::Doubtful);
                found.lost += u64::from(doubted && written.len() > home.longest_mobile());
            }
        }
    }
    Ok(found)
}
