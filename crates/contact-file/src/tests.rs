//! What is read out of files of all kinds.

use std::io::{BufRead, BufReader};

use domain::contacts::RowError;
use proptest::prelude::*;

use super::{ContactFile, LONGEST_ROW, MOST_CELLS};

type Row = (u64, Result<(String, String), RowError>);

/// None of a file that cannot be read.
fn rows(file: impl BufRead) -> Vec<Row> {
    let rows = ContactFile::open(file).into_iter().flatten().map(Result::unwrap);
    rows.map(|row| (row.line, row.person.map(|person| (person.phone, person.name)))).collect()
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
        ("sep=|\n0770,Sara\n", vec![row(1, "sep=|", ""), row(2, "0770", "Sara")]),
        ("0770\n\n\n0780,\n", vec![row(1, "0770", ""), row(4, "0780", "")]),
        (
            "0770,\"Sa\nra\"\n0780,\"say \"\"hi\"\"\"\n",
            vec![row(1, "0770", "Sa\nra"), row(3, "0780", "say \"hi\"")],
        ),
        ("0770,Sara,more,\n", vec![row(1, "0770", "Sara")]),
        (",\n", vec![row(1, "", "")]),
        ("phone,name\n", vec![]),
        ("\u{feff}", vec![]),
        ("", vec![]),
        ("\n \n", vec![row(2, " ", "")]),
    ] {
        assert_eq!(rows(file.as_bytes()), wanted, "{file:?}");
        // In pieces of any size.
        assert_eq!(rows(BufReader::with_capacity(1, file.as_bytes())), wanted, "{file:?}");
    }
}

#[test]
fn a_file_in_utf_16_is_refused_whole() {
    let file: Vec<u8> =
        "\u{feff}phone\tname\n0770\tسارة\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refused = ContactFile::open(&file[..]).err().unwrap();
    assert_eq!(refused.to_string(), "the list is in UTF-16; save it as UTF-8");
}

#[test]
fn a_workbook_is_refused_whole() {
    for head in [&b"PK\x03\x04\x14\x00\x06\x00"[..], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"] {
        let refused = ContactFile::open(head).err().unwrap();
        assert_eq!(refused.to_string(), "the list is a workbook, as of Excel; save it as CSV (UTF-8)");
    }
    // A name may begin like one.
    assert_eq!(rows(&b"PK,0770\n"[..]), [row(1, "PK", "0770")]);
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
    let open = format!("\"{}\"", "Sara\n".repeat(LONGEST_ROW));
    for (middle, lines) in [(long, 1), (wide, 1), (open, 1 + LONGEST_ROW as u64)] {
        let file = format!("0770,Sara\n0771,{middle}\n0780,Omar\n");
        let wanted = [row(1, "0770", "Sara"), (2, Err(RowError::TooLong)), row(2 + lines, "0780", "Omar")];
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
    fn what_is_nearly_a_list_is_read_the_same_in_pieces(text in "[0-9a,;\t\"\r\n ]{0,200}", piece in 1_usize..9) {
        let whole = rows(text.as_bytes());
        prop_assert_eq!(rows(BufReader::with_capacity(piece, text.as_bytes())), whole);
    }
}
