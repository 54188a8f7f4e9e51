//! Which column of a list of people holds what.

use crate::text::fold_for_search;

/// A column of numbers is called one of these.
const PHONE: [&str; 33] = [
    "phone",
    "phone number",
    "phone no",
    "phone no.",
    "phone 1 - value",
    "mobile",
    "mobile number",
    "mobile phone",
    "cell",
    "cell phone",
    "number",
    "tel",
    "telephone",
    "msisdn",
    "whatsapp",
    "whatsapp number",
    "هاتف",
    "الهاتف",
    "رقم",
    "الرقم",
    "رقم الهاتف",
    "جوال",
    "الجوال",
    "رقم الجوال",
    "موبايل",
    "رقم الموبايل",
    "المحمول",
    "رقم المحمول",
    "تلفون",
    "التلفون",
    "رقم التلفون",
    "واتساب",
    "رقم الواتساب",
];

/// A column of names is called one of these.
const NAME: [&str; 13] = [
    "name",
    "full name",
    "contact",
    "contact name",
    "customer",
    "customer name",
    "first name",
    "اسم",
    "الاسم",
    "الاسم الكامل",
    "اسم العميل",
    "اسم الزبون",
    "العميل",
];

/// It says where the number and the name stand in a row, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    pub phone: usize,
    /// It is `None` where there is no column of names.
    pub name: Option<usize>,
}

impl Columns {
    /// It is that of a list without a header: the number first, then the name.
    pub const WITHOUT_HEADER: Self = Self { phone: 0, name: Some(1) };

    /// Returns the columns that a header names, in English or Arabic; `None` for a row that is no header,
    /// because none of its cells says that numbers stand there.
    pub fn of_header<'a>(cells: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let titles: Vec<String> = cells.into_iter().map(title).collect();
        let called = |words: &[&str]| {
            titles.iter().position(|written| words.iter().any(|word| title(word) == *written))
        };
        Some(Self { phone: called(&PHONE)?, name: called(&NAME) })
    }
}

/// Returns a column's title, without what makes no difference.
fn title(written: &str) -> String {
    fold_for_search(&written.replace(['_', '-'], " "))
}

#[cfg(test)]
mod tests {
    use super::Columns;

    #[test]
    fn a_header_is_known_by_the_title_of_its_numbers() {
        for (cells, columns) in [
            (&["phone", "name"][..], Some((0, Some(1)))),
            (&["Name", " PHONE "], Some((1, Some(0)))),
            (&["id", "First-Name", "city", "phone_number"], Some((3, Some(1)))),
            (&["الاسم", "رقم الهاتف"], Some((1, Some(0)))),
            (&["الإسم", "الجوّال"], Some((1, Some(0)))),
            (&["WhatsApp"], Some((0, None))),
            (&["First Name", "Labels", "Phone 1 - Label", "Phone 1 - Value"], Some((3, Some(0)))),
            (&["رقم التليفون", "رقم التلفون"], Some((1, None))),
            (&["07701234567", "Sara"], None),
            (&["name", "city"], None),
            (&["Phoneix", "0770"], None),
            (&[], None),
        ] {
            let found = Columns::of_header(cells.iter().copied());
            assert_eq!(found.map(|found| (found.phone, found.name)), columns, "{cells:?}");
        }
    }
}
