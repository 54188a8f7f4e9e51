//! Columns of a list of people, recognized by their titles.

use super::row::WrittenPerson;
use crate::text::{fold_for_search, is_blank};

/// Titles of columns of numbers, the best to write to first.
const PHONES: [&[&str]; 4] = [
    &[
        "whatsapp",
        "whatsapp no",
        "whatsapp number",
        "whatsapp phone number",
        "واتساب",
        "الواتساب",
        "رقم الواتساب",
        "رقم واتساب",
        "واتس اب",
        "الواتس اب",
        "رقم الواتس اب",
        "رقم الواتس",
    ],
    &[
        "mobile",
        "mobile number",
        "mobile phone",
        "mobile phone number",
        "mobile no",
        "cell",
        "cell phone",
        "cell number",
        "cellphone",
        "phone (mobile)",
        "جوال",
        "الجوال",
        "رقم الجوال",
        "موبايل",
        "الموبايل",
        "رقم الموبايل",
        "المحمول",
        "رقم المحمول",
        "نقال",
        "النقال",
        "الهاتف النقال",
        "الهاتف المحمول",
        "الهاتف الجوال",
        "هاتف محمول",
        "هاتف نقال",
        "هاتف جوال",
        "رقم الهاتف المحمول",
        "رقم الهاتف النقال",
        "رقم الهاتف الجوال",
        "رقم النقال",
        "رقم جوال",
        "رقم موبايل",
    ],
    &[
        "phone",
        "phone number",
        "phonenumber",
        "phone no",
        "phone 1",
        "phone number 1",
        "phone 1 - value",
        "contact no",
        "contact number",
        "primary phone",
        "number",
        "tel",
        "telephone",
        "telephone number",
        "tel no",
        "msisdn",
        "هاتف",
        "الهاتف",
        "رقم",
        "الرقم",
        "رقم الهاتف",
        "رقم هاتف",
        "رقم الاتصال",
        "رقم التواصل",
        "هاتف 1",
        "الهاتف الأساسي",
        "تلفون",
        "التلفون",
        "رقم التلفون",
        "تليفون",
        "رقم التليفون",
    ],
    &[
        "mobile phone 2",
        "phone 2",
        "phone 2 - value",
        "phone 3 - value",
        "phone 4 - value",
        "other phone",
        "home phone",
        "home phone 2",
        "phone (home)",
        "business phone",
        "business phone 2",
        "work phone",
        "phone (work)",
        "company phone",
        "company main phone",
        "هاتف 2",
        "الهاتف 2",
        "هاتف آخر",
        "هاتف المنزل",
        "هاتف العمل",
    ],
];

/// Titles of columns of whole names.
const NAMES: &[&str] = &[
    "name",
    "full name",
    "fullname",
    "display name",
    "contact",
    "contact name",
    "customer",
    "customer name",
    "اسم",
    "الاسم",
    "الاسم الكامل",
    "الاسم بالكامل",
    "الاسم الثلاثي",
    "الاسم الثلاثي واللقب",
    "الاسم الرباعي",
    "الاسم الرباعي واللقب",
    "اسم العميل",
    "اسم الزبون",
    "العميل",
    "الزبون",
    "اسم جهة الاتصال",
];

/// Titles of columns of a name's parts, in the order of the name.
const PARTS: [&[&str]; 4] = [
    &["first name", "firstname", "given name", "givenname", "forename", "الاسم الأول", "الاسم الشخصي"],
    &[
        "middle name",
        "middlename",
        "additional name",
        "second name",
        "father name",
        "father's name",
        "الاسم الأوسط",
        "الاسم الثاني",
        "اسم الأب",
    ],
    &["grandfather name", "third name", "الاسم الثالث", "اسم الجد"],
    &[
        "last name",
        "lastname",
        "family name",
        "familyname",
        "surname",
        "اسم العائلة",
        "الاسم الأخير",
        "العائلة",
        "اللقب",
        "الكنية",
        "لقب",
    ],
];

/// Separator of several values in one cell, as exports of address books write it.
const SEVERAL: &str = ":::";

/// Positions of the numbers and names in a row, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// In order of preference; the first that is filled counts.
    phones: Vec<usize>,
    whole_name: Option<usize>,
    /// In the order of the name.
    name_parts: Vec<usize>,
    /// Whether `name_parts` has a first name; without one the whole name is taken for the first part.
    has_first: bool,
}

impl Columns {
    /// Returns the columns of a list without a header: the number, then the name.
    pub fn without_header() -> Self {
        Self { phones: vec![0], whole_name: Some(1), name_parts: Vec::new(), has_first: true }
    }

    /// Recognizes the columns of a header in English or Arabic; `None` if no title is that of numbers, so
    /// that the row is no header.
    pub fn of_header(cells: &[impl AsRef<str>]) -> Option<Self> {
        let titles: Vec<String> = cells.iter().map(|cell| title(cell.as_ref())).collect();
        let is_called = |written: &str, words: &[&str]| words.iter().any(|word| title(word) == written);
        let called = |words: &[&str]| titles.iter().position(|written| is_called(written, words));
        let rank = |written: &str| PHONES.iter().position(|words| is_called(written, words));
        let mut phones: Vec<(usize, usize)> =
            titles.iter().enumerate().filter_map(|(at, written)| Some((rank(written)?, at))).collect();
        phones.sort_unstable();
        if phones.is_empty() {
            return None;
        }
        let [first, middle, third, last] = PARTS.map(called);
        Some(Self {
            phones: phones.into_iter().map(|(_, at)| at).collect(),
            whole_name: called(NAMES),
            name_parts: [first, middle, third, last].into_iter().flatten().collect(),
            has_first: first.is_some(),
        })
    }

    /// Returns the preferred column of numbers.
    pub fn phone(&self) -> usize {
        self.phones.first().copied().unwrap_or_default()
    }

    /// Returns the number of a row: the first value of the first column of numbers that is filled.
    pub fn phone_of<'c>(&self, cells: &'c [String]) -> &'c str {
        let phones = self.phones.iter().filter_map(|at| cells.get(*at));
        let phone = phones.map(String::as_str).find(|cell| !is_blank(cell)).unwrap_or_default();
        phone.split(SEVERAL).find(|part| !is_blank(part)).unwrap_or_default()
    }

    /// Reads the person of a row. A name in parts is joined, unless the row has the whole name, too.
    pub fn person(&self, cells: &[String]) -> WrittenPerson {
        let cell = |at: usize| cells.get(at).map(|cell| cell.trim()).filter(|cell| !is_blank(cell));
        let whole = self.whole_name.and_then(cell);
        let parts: Vec<&str> = self.name_parts.iter().filter_map(|at| cell(*at)).collect();
        let name = match whole {
            Some(whole) if self.has_first => whole.to_owned(),
            // Beside a column of family names, a column of names has the first names, or both.
            Some(whole) => {
                let folded = fold_for_search(whole);
                let has = |part: &&str| {
                    folded.split(' ').any(|word| fold_for_search(part) == word)
                        || folded.ends_with(&fold_for_search(part))
                };
                let missing = parts.into_iter().filter(|part| !has(part));
                [whole].into_iter().chain(missing).collect::<Vec<_>>().join(" ")
            }
            None => parts.join(" "),
        };
        WrittenPerson { phone: self.phone_of(cells).to_owned(), name }
    }

    /// Returns the titles of a header's columns that are not read.
    pub fn unread(&self, header: &[String]) -> Vec<String> {
        let is_read = |at: &usize| {
            self.phones.contains(at) || self.whole_name == Some(*at) || self.name_parts.contains(at)
        };
        let others = header.iter().enumerate().filter(|(at, title)| !is_read(at) && !is_blank(title));
        others.map(|(_, title)| title.trim().to_owned()).collect()
    }
}

fn title(written: &str) -> String {
    let folded = fold_for_search(&written.replace(['_', '-'], " "));
    folded.trim_matches([' ', ':', '*', '.', '#']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::Columns;

    fn texts(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn a_header_is_known_by_the_title_of_its_numbers() {
        for (cells, phone) in [
            (&["phone", "name"][..], Some(0)),
            (&["Name", " PHONE "], Some(1)),
            (&["id", "First-Name", "city", "phone_number"], Some(3)),
            (&["الاسم", "رقم الهاتف"], Some(1)),
            (&["الإسم", "الجوّال"], Some(1)),
            (&["WhatsApp"], Some(0)),
            (&["First Name", "Labels", "Phone 1 - Label", "Phone 1 - Value"], Some(3)),
            (&["Business Phone", "Home Phone", "Mobile Phone"], Some(2)),
            (&["phone", "mobile", "whatsapp"], Some(2)),
            (&["رقم التليفون", "رقم التلفون"], Some(0)),
            (&["Name *", "Mobile No.", "Phone:"], Some(1)),
            (&["الاسم الرباعي:", "\u{200f}رقم\u{a0}الواتس آب"], Some(1)),
            (&["07701234567", "Sara"], None),
            (&["name", "city"], None),
            (&["Phoneix", "0770"], None),
            (&[], None),
        ] {
            assert_eq!(Columns::of_header(cells).map(|found| found.phone()), phone, "{cells:?}");
        }
    }

    #[test]
    fn a_name_is_whole_however_an_address_book_exports_it() {
        for (header, row, name, unread) in [
            // Exports of Outlook, of Google before and since 2024, of HubSpot, and of Arabic ones.
            (
                &["First Name", "Middle Name", "Last Name", "Company", "Mobile Phone"][..],
                &["Zaid", "", "Kareem", "Palm", "0770"][..],
                "Zaid Kareem",
                &["Company"][..],
            ),
            (
                &[
                    "Name",
                    "Given Name",
                    "Additional Name",
                    "Family Name",
                    "Phone 1 - Type",
                    "Phone 1 - Value",
                ],
                &["Zaid Ali Kareem", "Zaid", "Ali", "Kareem", "Mobile", "0770"],
                "Zaid Ali Kareem",
                &["Phone 1 - Type"],
            ),
            (
                &["First Name", "Middle Name", "Last Name", "Labels", "Phone 1 - Value"],
                &["Zaid", "Ali", "Kareem", "* myContacts", "0770"],
                "Zaid Ali Kareem",
                &["Labels"],
            ),
            (
                &["First Name", "Last Name", "Email", "Phone Number"],
                &["", "Kareem", "", "0770"],
                "Kareem",
                &["Email"],
            ),
            (&["الاسم الأول", "اسم العائلة", "الهاتف النقال"], &["زيد", "كريم", "0770"], "زيد كريم", &[]),
            (
                &["الاسم الأول", "اسم الأب", "اسم الجد", "اللقب", "هاتف"],
                &["زيد", "علي", "حسن", "الكريم", "0770"],
                "زيد علي حسن الكريم",
                &[],
            ),
            (&["الاسم", "اللقب", "هاتف"], &["زيد", "الكريم", "0770"], "زيد الكريم", &[]),
            (&["الاسم الرباعي", "رقم الموبايل"], &["زيد علي حسن كريم", "0770"], "زيد علي حسن كريم", &[]),
            (&["name", "surname", "phone"], &["Zaid Kareem", "kareem", "0770"], "Zaid Kareem", &[]),
            (
                &["firstName", "last_name", "phone", "", "city"],
                &["Zaid", "Kareem", "0770"],
                "Zaid Kareem",
                &["city"],
            ),
        ] {
            let (header, row) = (texts(header), texts(row));
            let columns = Columns::of_header(&header).unwrap();
            let person = columns.person(&row);
            assert_eq!((person.name.as_str(), person.phone.as_str()), (name, "0770"), "{header:?}");
            assert_eq!(columns.unread(&header), unread, "{header:?}");
        }
    }

    #[test]
    fn a_number_is_of_the_first_column_of_numbers_that_is_filled() {
        let columns = Columns::of_header(&["Business Phone", "Mobile Phone", "name"]).unwrap();
        for (row, phone) in [
            (&["0780", "0770", "a"][..], "0770"),
            (&["0780", " ", "a"], "0780"),
            (&["", "0770 ::: 0750", "a"], "0770 "),
            (&["", "", "a"], ""),
            (&[], ""),
        ] {
            assert_eq!(columns.phone_of(&texts(row)), phone, "{row:?}");
        }
    }
}
