//! Arabic and Latin names of people, as found in the address books of shops.

use std::collections::BTreeMap;

use domain::text::fold_for_search;

use crate::load::float;

/// Family name of about ten people in each workspace, and the search text that finds them.
pub(super) const RARE: (&str, &str) = ("Krzyżanowska", "krzyzan");

const FIRST: &str = "\
    أحمد, محمد, علي, حسين, مصطفى, عمر, يوسف, إبراهيم, كرار, حيدر, سجاد, مرتضى, عبد الله, زيد, ياسر, \
    سارة, زينب, فاطمة, مريم, نور, رقية, هدى, آية, شهد, دعاء, إسراء, رنا, سلوى, Ahmed, Mohammed, Ali, \
    Hussein, Mustafa, Omar, Yousif, Ibrahim, Karrar, Haider, Zaid, Sara, Zainab, Fatima, Maryam, Noor, \
    Huda, Rayan, Hanan, Rana, Lara, Dana, José, Zoë, François, Björn";

const LAST: &str = "\
    الجبوري, العبيدي, الدليمي, التميمي, الموسوي, الحسيني, الربيعي, الخفاجي, الكعبي, البصري, كاظم, جاسم, \
    عباس, صالح, حمودي, ناصر, رشيد, فاضل, قاسم, طه, Al-Jubouri, Al-Obaidi, Kadhim, Jasim, Abbas, Salih, \
    Hammoudi, Nasser, Rashid, Qasim, Barzani, Talabani, Hassan, Aziz, Jamal, Khalil, Mansour, Saeed, \
    Younis, Osman, Hanna, Müller, Öztürk";

/// A name with its searchable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The name as the person writes it.
    pub(super) written: String,
    /// The name as the service folds it.
    pub(super) folded: String,
}

impl Name {
    fn of(first: &str, last: &str) -> Self {
        let written = format!("{first} {last}");
        let folded = fold_for_search(&written);
        Self { written, folded }
    }
}

/// Combines every first name with every last name except the rare one.
pub(super) fn common() -> Vec<Name> {
    FIRST.split(", ").flat_map(|first| LAST.split(", ").map(move |last| Name::of(first, last))).collect()
}

pub(super) fn rare() -> Name {
    Name::of("Ewa", RARE.0)
}

/// Finds the two letters whose share of these names is nearest to a fifth; returns them with the share.
pub(super) fn two_letters_in_a_fifth(names: &[Name]) -> (String, f64) {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for name in names {
        let letters: Vec<char> = name.folded.chars().collect();
        let mut parts: Vec<String> = letters
            .windows(2)
            .filter(|two| two.iter().all(|letter| letter.is_alphabetic()))
            .map(|two| two.iter().collect())
            .collect();
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            *counts.entry(part).or_default() += 1;
        }
    }
    let all = float(u64::try_from(names.len()).unwrap_or(u64::MAX));
    let shares = counts.into_iter().map(|(part, count)| (part, float(count) / all));
    let distance = |share: f64| (share - 0.2).abs();
    shares.min_by(|(_, one), (_, other)| distance(*one).total_cmp(&distance(*other))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{RARE, common, rare, two_letters_in_a_fifth};

    #[test]
    fn two_letters_are_in_a_fifth_of_the_names_and_the_rare_part_in_none_of_them() {
        let (part, share) = two_letters_in_a_fifth(&common());
        assert_eq!(part.chars().count(), 2);
        assert!((0.18..0.22).contains(&share), "{part}: {share}");
        assert!(rare().folded.contains(RARE.1));
        assert!(common().iter().all(|name| !name.folded.contains(RARE.1)));
    }
}
