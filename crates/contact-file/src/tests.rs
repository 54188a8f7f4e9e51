//! What is read out of files of all kinds.

use std::io::{BufRead, BufReader, Cursor, Write};

use domain::contacts::RowError;
use proptest::prelude::*;

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    ContactFile, Encoding, Unreadable,
    row::{LONGEST_ROW, MOST_CELLS},
};

type Row = (u64, Result<(String, String), RowError>);

/// Reads the rows; none of a file that cannot be read.
fn rows(file: impl BufRead) -> Vec<Row> {
    let rows = ContactFile::open(file).into_iter().flatten().map_while(Result::ok);
    rows.map(|row| (row.line, row.person.map(|person| (person.phone, person.name)))).collect()
}

/// Returns why a file cannot be read.
fn unreadable(file: &[u8]) -> Option<Unreadable> {
    match ContactFile::open(file) {
        Ok(mut rows) => rows.find_map(|row| Unreadable::of(&row.err()?)),
        Err(error) => Unreadable::of(&error),
    }
}

fn row(line: u64, phone: &str, name: &str) -> Row {
    (line, Ok((phone.to_owned(), name.to_owned())))
}

#[test]
fn a_file_is_read_however_its_program_wrote_it() {
    let two = |first| vec![row(first, "0770", "Sara"), row(first + 1, "0780", "Omar, Ali")];
    for (file, wanted) in [
        ("0770,Sara\n0780,\"Omar, Ali\"\n", two(1)),
        ("0770,Sara\r\n0780,\"Omar, Ali\"", two(1)),
        ("phone,name\n0770,Sara\n0780,\"Omar, Ali\"\n", two(2)),
        ("\u{feff}Name;City;Phone\r\nSara;Basra;0770\r\nOmar, Ali;;0780\r\n", two(2)),
        ("\u{feff}\"الاسم\"\t\"رقم الهاتف\"\nSara\t0770\nOmar, Ali\t0780\n", two(2)),
        ("\r\n\n0770\tSara\n0780\tOmar, Ali", two(3)),
        ("\u{feff}sep=;\r\nName;Town, street, number;Phone\r\nSara;;0770\r\nOmar, Ali;;0780\r\n", two(3)),
        ("\"SEP=,\"\nphone;,name\n", vec![row(2, "phone;", "name")]),
        ("sep=\t\nName\tPhone\nSara\t0770\nOmar, Ali\t0780", two(3)),
        ("sep=|\nName|Phone\nSara|0770\nOmar, Ali|0780", two(3)),
        ("phone|name\r0770|Sara\r0780|Omar, Ali\r", two(2)),
        ("sep=/\n0770,Sara\n", vec![row(1, "sep=/", ""), row(2, "0770", "Sara")]),
        ("0770\n\n\n0780,\n", vec![row(1, "0770", ""), row(4, "0780", "")]),
        // A title above the header, whether a spreadsheet has filled its line up or not.
        (
            "Customers of 2026\n\nName;Phone\nSara;0770\nOmar, Ali;0780\n",
            [vec![row(1, "Customers of 2026", "")], two(4)].concat(),
        ),
        (
            "زبائن,,\r\nName,City,Phone\r\nSara,,0770\r\n\"Omar, Ali\",,0780\r\n",
            [vec![row(1, "زبائن", "")], two(3)].concat(),
        ),
        // What comes below somebody's number is no header.
        ("07701234567,Sara\nname,phone\n", vec![row(1, "07701234567", "Sara"), row(2, "name", "phone")]),
        (
            "0770,\"Sa\nra\"\n0780,\"say \"\"hi\"\"\"\n",
            vec![row(1, "0770", "Sa\nra"), row(3, "0780", "say \"hi\"")],
        ),
        ("0770,Sara,more,\n", vec![row(1, "0770", "Sara")]),
        (",\n", vec![row(1, "", "")]),
        ("phone,name\n", vec![]),
        ("\u{feff}", vec![]),
        ("", vec![]),
        ("\n \n", vec![row(2, "", "")]),
    ] {
        assert_eq!(rows(file.as_bytes()), wanted, "{file:?}");
        // In pieces of any size.
        assert_eq!(rows(BufReader::with_capacity(1, file.as_bytes())), wanted, "{file:?}");
    }
}

#[test]
fn a_file_in_utf_16_is_read_by_its_mark() {
    let text = "\u{feff}phone\tname\n0770\tسارة\n0780\tعمر";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for file in [little, big] {
        for piece in [1, 3, 4096] {
            let read = rows(BufReader::with_capacity(piece, &file[..]));
            assert_eq!(read, [row(2, "0770", "سارة"), row(3, "0780", "عمر")]);
        }
    }
}

#[test]
fn a_file_in_utf_16_without_a_mark_is_read_by_its_first_letters() {
    for text in ["phone\tname\n0770\tسارة", "الهاتف\tالاسم\n0770\tسارة", "\"هاتف\";اسم\r\n0770;سارة"]
    {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for file in [little, big] {
            for piece in [1, 3, 4096] {
                let read = rows(BufReader::with_capacity(piece, &file[..]));
                assert_eq!(read, [row(2, "0770", "سارة")], "{text}");
            }
        }
    }
}

#[test]
fn a_file_in_windows_1256_is_read_where_that_is_certain_or_said() {
    let file = b"phone;name\n0770;\xd3\xc7\xd1\xc9\n0780;\xe3\xcd\xe3\xcf \xda\xe1\xed\n";
    assert_eq!(rows(&file[..]), [row(2, "0770", "سارة"), row(3, "0780", "محمد علي")]);
    // Cyrillic, ISO 8859-6 and Latin letters of other encodings.
    for other in [
        &b"phone;name\n0770;\xce\xeb\xfc\xe3\xe0\n0780;\xc8\xe2\xe0\xed\n"[..],
        b"phone;name\n0770;\xe5\xcd\xe5\xcf\n0780;\xd9\xe4\xea \xe8\xe7\xea\n",
        b"phone;name\n0770;M\xfcller\n0780;Zo\xeb\n",
    ] {
        assert_eq!(unreadable(other), Some(Unreadable::Encoding));
    }
    let short = b"0770,\xda\xe1\n";
    assert_eq!(unreadable(short), Some(Unreadable::Encoding));
    let said = ContactFile::open_as(&short[..], Some(Encoding::Windows1256)).unwrap().next();
    assert_eq!(said.unwrap().unwrap().person.unwrap().name, "عل");
    assert_eq!("WINDOWS-1256".parse(), Ok(Encoding::Windows1256));
    assert!("latin1".parse::<Encoding>().is_err());
}

/// A workbook of one sheet with these rows, and of another one that is empty.
fn workbook(sheet: &str, strings: &str) -> Vec<u8> {
    workbook_of([sheet, ""], strings)
}

/// A workbook of two sheets with these rows.
fn workbook_of([sheet, more]: [&str; 2], strings: &str) -> Vec<u8> {
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let parts = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship \
                 Id=\"r1\" Type=\"{relations}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
                 <Relationship Id=\"r1\" Type=\"{relations}/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
                 <Relationship Id=\"r2\" Type=\"{relations}/worksheet\" Target=\"worksheets/sheet2.xml\"/>\
                 <Relationship Id=\"r3\" Type=\"{relations}/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{relations}\"><sheets><sheet name=\"People\" sheetId=\"1\" \
                 r:id=\"r1\"/><sheet name=\"More\" sheetId=\"2\" r:id=\"r2\"/></sheets></workbook>"
            ),
        ),
        ("xl/sharedStrings.xml", format!("<sst xmlns=\"{main}\">{strings}</sst>")),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{sheet}</sheetData></worksheet>"),
        ),
        (
            "xl/worksheets/sheet2.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{more}</sheetData></worksheet>"),
        ),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_is_read_row_by_row() {
    let strings = ["phone", "first name", "last name", "city", "سارة", "علي"];
    let strings = strings.iter().map(|text| format!("<si><t>{text}</t></si>")).collect::<Vec<_>>().concat();
    let head = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c>\
                <c r=\"C1\" t=\"s\"><v>2</v></c><c r=\"D1\" t=\"s\"><v>3</v></c></row>";
    let people = "<row r=\"2\"><c r=\"A2\"><v>7701234567</v></c><c r=\"B2\" t=\"s\"><v>4</v></c>\
                  <c r=\"C2\" t=\"s\"><v>5</v></c></row>\
                  <row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><t>+9647701234567</t></is></c></row>\
                  <row r=\"5\"><c r=\"A5\"><v>9.647701234567E+12</v></c><c r=\"C5\" t=\"s\"><v>5</v></c></row>\
                  <row r=\"6\"><c r=\"A6\" t=\"e\"><v>#REF!</v></c></row>";
    let long = "a".repeat(LONGEST_ROW);
    let long = format!(
        "<row r=\"7\"><c r=\"A7\"><v>1</v></c><c r=\"B7\" t=\"inlineStr\"><is><t>{long}</t></is></c></row>\
         <row r=\"8\"><c r=\"A8\"><v>7801234567</v></c></row>"
    );
    let file = workbook(&format!("{head}{people}{long}"), &strings);
    let wanted = [
        row(2, "7701234567", "سارة علي"),
        row(4, "+9647701234567", ""),
        row(5, "9647701234567", "علي"),
        row(6, "#REF!", ""),
        (7, Err(RowError::TooLong)),
        row(8, "7801234567", ""),
    ];
    assert_eq!(rows(&file[..]), wanted);
    let mut read = ContactFile::open(&file[..]).unwrap();
    assert_eq!(read.by_ref().count(), 6);
    assert_eq!(read.unread(), ["city", "More"]);
    assert_eq!(ContactFile::open(&file[..]).unwrap().rows().unread(), ["More"]);
    assert!(ContactFile::open(&b"phone,city\n"[..]).unwrap().rows().unread().is_empty());
}

#[test]
fn the_first_sheet_that_has_rows_is_read_and_rows_of_others_are_refused() {
    let cell = |at: &str, text: &str| format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let people = |phone: &str| {
        format!("<row r=\"1\">{}</row><row r=\"3\">{}</row>", cell("A1", "phone"), cell("A3", phone))
    };
    let (one, other) = (people("0770"), people("0780"));
    let refused = |line| (line, Err(RowError::OtherSheet));
    for (sheets, wanted, unread) in [
        ([&*one, &*other], vec![row(3, "0770", ""), refused(1), refused(3)], "More"),
        (["", &*other], vec![row(3, "0780", "")], "People"),
        // Painted, and empty.
        (["<row r=\"1\"><c r=\"A1\" s=\"1\"/></row>", &*other], vec![row(3, "0780", "")], "People"),
        (["", ""], vec![], "People"),
    ] {
        let file = workbook_of(sheets, "");
        assert_eq!(rows(&file[..]), wanted);
        assert_eq!(ContactFile::open(&file[..]).unwrap().unread(), [unread]);
    }
}

#[test]
fn a_workbook_that_unpacks_without_end_or_is_none_is_refused_whole() {
    let bomb = workbook(&" ".repeat(65 * 1024 * 1024), "");
    assert!(bomb.len() < 1024 * 1024, "{}", bomb.len());
    assert_eq!(unreadable(&bomb), Some(Unreadable::TooLarge));
    // One text in many cells, and cells at the far end of many rows.
    let long = format!("<si><t>{}</t></si>", "a".repeat(8 * 1024));
    let cells = |column: &str| -> String {
        (1..20_000)
            .map(|row| format!("<row r=\"{row}\"><c r=\"{column}{row}\" t=\"s\"><v>0</v></c></row>"))
            .collect::<Vec<_>>()
            .concat()
    };
    assert_eq!(unreadable(&workbook(&cells("A"), &long)), Some(Unreadable::TooLarge));
    assert_eq!(unreadable(&workbook(&cells("IV"), "<si><t>a</t></si>")), Some(Unreadable::TooLarge));
    for head in [&b"PK\x03\x04\x14\x00\x06\x00"[..], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"] {
        assert_eq!(unreadable(head), Some(Unreadable::Workbook));
    }
    // A name may begin like one.
    assert_eq!(rows(&b"PK,0770\n"[..]), [row(1, "PK", "0770")]);
}

#[test]
fn cards_are_people_as_phones_export_them() {
    let file = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Kareem;Zaid;;;\r\nFN:Zaid Kareem\r\nTEL;type=HOME:0662\r\n\
                item1.TEL;type=CELL;type=pref:0770 123\r\n 4567\r\nEND:VCARD\r\n\
                BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;=D8=B3=D8=A7=\r\n=D8=B1=D8=A9;;;\r\n\
                TEL;CELL:+9647801234567\r\nEND:VCARD\r\n\
                begin:vcard\r\nFN:No\\, number\r\nend:vcard\r\nBEGIN:VCARD\r\nN:Kareem;Omar;;;\r\nFN:\r\nPHOTO:LONG\r\n\
                TEL;VALUE=uri;TYPE=cell:tel:+9647901234567\r\nEND:VCARD\r\nBEGIN:VCARD\r\nTEL:0790";
    let file = file.replace("LONG", &"a".repeat(2 * LONGEST_ROW));
    let wanted = [
        row(1, "0770 1234567", "Zaid Kareem"),
        row(9, "+9647801234567", "سارة"),
        row(15, "", "No, number"),
        row(18, "tel:+9647901234567", "Omar Kareem"),
        row(24, "0790", ""),
    ];
    assert_eq!(rows(file.as_bytes()), wanted);
    assert_eq!(rows(BufReader::with_capacity(1, file.as_bytes())), wanted);
}

#[test]
fn a_quotation_that_is_left_open_is_refused_by_its_line_and_the_next_line_begins_a_row() {
    let open = |line| (line, Err(RowError::OpenQuote));
    let person = |line: u64| row(line, &format!("0770111{line:04}"), &format!("Person {line}"));
    let people = |lines: std::ops::RangeInclusive<u64>| -> String {
        lines.map(|line| format!("0770111{line:04},Person {line}\n")).collect::<Vec<_>>().concat()
    };
    for (file, wanted) in [
        // To the end of the file, and past the longest row.
        (format!("phone,name\n07701110002,\"Um Ali\n{}", people(3..=22)), 3..=22),
        (format!("phone,name\n07701110002,\"Um Ali\n{}", people(3..=2_000)), 3..=2_000),
        // Until a quotation mark that stands in a row of its own, at the beginning or the end of a cell.
        (format!("phone,name\n07701110002,\"Um Ali\n{}0770111000x,\"Person 9\"\n", people(3..=8)), 3..=8),
        (format!("phone,name\n07701110002,\"Um Ali\n{}0770111000x,Person 9\"\n", people(3..=8)), 3..=8),
        (format!("phone,name\n\"07701110002,Um Ali\n{}\"0770111000x\",\"Person 9\"\n", people(3..=8)), 3..=8),
    ] {
        let read = rows(file.as_bytes());
        let lines = wanted.clone().count();
        assert_eq!(read.first(), Some(&open(2)), "{file}");
        assert_eq!(read.get(1..=lines).unwrap(), wanted.map(person).collect::<Vec<_>>(), "{file}");
    }
    // Below a title.
    let titled = format!(
        "Customers\nphone,name\n07701110002,\"Um Ali\n{}\"0770111000x\",\"Person 9\"\n",
        people(4..=8)
    );
    let read = rows(titled.as_bytes());
    assert_eq!(read.get(1..7).unwrap(), [vec![open(3)], (4..=8).map(person).collect()].concat());
    // A name may go over two lines in front of a number.
    let name = "name;city;phone\n\"Ali\nKhalid\";Basra;+964 780 123 4567\nOmar;Basra;07701110003\n";
    let cells: Vec<_> =
        ContactFile::open(name.as_bytes()).unwrap().rows().map(|row| row.unwrap().1.unwrap()).collect();
    assert!(
        cells.contains(&["Ali\nKhalid", "Basra", "+964 780 123 4567"].map(str::to_owned).to_vec()),
        "{cells:?}"
    );
    assert_eq!(rows(name.as_bytes()).len(), 2);
    // What is a note, and ends, is one.
    let note = "phone,note\n07701110002,\"two lines,\nof a \"\"note\"\"\n\"\n07701110003,b\n";
    let cells = ContactFile::open(note.as_bytes()).unwrap().rows().map(|row| row.unwrap().1.unwrap());
    assert_eq!(cells.last().unwrap(), ["07701110003", "b"]);
    assert_eq!(rows(note.as_bytes()).len(), 2);
}

#[test]
fn a_row_that_is_no_text_is_refused_alone() {
    let file = b"0770,Sara\n0771,Sa\xd8\n\xd8,\xb1\n0780,Omar\n";
    let refused = |line| (line, Err(RowError::NotText));
    assert_eq!(rows(&file[..]), [row(1, "0770", "Sara"), refused(2), refused(3), row(4, "0780", "Omar")]);
}

#[test]
fn a_row_that_is_too_long_is_refused_and_the_next_is_read() {
    let long = "a".repeat(LONGEST_ROW + 1);
    let wide = ",".repeat(MOST_CELLS + 1);
    for middle in [long, wide] {
        let file = format!("0770,Sara\n0771,{middle}\n0780,Omar\n");
        let wanted = [row(1, "0770", "Sara"), (2, Err(RowError::TooLong)), row(3, "0780", "Omar")];
        assert_eq!(rows(file.as_bytes()), wanted);
    }
}

#[test]
fn every_file_of_the_corpus_is_read_the_same_in_pieces() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpora/contact-files");
    let mut read = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let whole = rows(&bytes[..]);
        for piece in [1, 2, 7] {
            assert_eq!(rows(BufReader::with_capacity(piece, &bytes[..])), whole);
        }
        read += 1;
    }
    assert!(read > 10, "{read}");
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), piece in 1_usize..40) {
        let whole = rows(&bytes[..]);
        prop_assert_eq!(&rows(BufReader::with_capacity(piece, &bytes[..])), &whole);
        prop_assert!(whole.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn every_line_is_accounted_for(
        lines in prop::collection::vec("0770[0-9]{7},[a-z ]{0,6}|[\",a-z ]{0,8}|\"[a-z]{0,3}", 0..40),
    ) {
        let file = format!("phone,name\n{}", lines.join("\n"));
        let read = rows(file.as_bytes());
        // Each line begins a row, is empty, or is a further one of the row that began before it, which holds no row of
        // somebody else.
        let mut next = 2;
        for (line, person) in &read {
            prop_assert!(*line >= next);
            for between in next..*line {
                let text = &lines[usize::try_from(between).unwrap() - 2];
                prop_assert!(!(text.starts_with("0770") && text.matches('"').count() == 0), "{} is lost", text);
            }
            if let Ok((phone, name)) = person {
                prop_assert!(!phone.contains("\n0770") && !name.contains("\n0770"));
            }
            next = line + 1;
        }
        let people = read.iter().filter(|(_, person)| person.as_ref().is_ok_and(|(phone, _)| phone.starts_with("0770")));
        let written = lines.iter().filter(|line| line.starts_with("0770") && !line.contains('"'));
        prop_assert!(people.count() >= written.count());
    }

    #[test]
    fn what_is_nearly_a_list_is_read_the_same_in_pieces(text in "[0-9a,;\t\"\r\n ]{0,200}", piece in 1_usize..9) {
        let whole = rows(text.as_bytes());
        prop_assert_eq!(rows(BufReader::with_capacity(piece, text.as_bytes())), whole);
    }
}
