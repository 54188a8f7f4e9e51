//! What is read of PDFs that people make, and what becomes of those that are made to harm.

use std::io::Write;

use flate2::{Compress, Compression, FlushCompress};
use pdf_text::{Isolated, LONGEST_TEXT, PdfError, read};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

const PRICES: &[u8] = include_bytes!("documents/prices.pdf");
const FORMS: &[u8] = include_bytes!("documents/forms.pdf");
const LOCKED: &[u8] = include_bytes!("documents/locked.pdf");

/// Reads in a process of its own.
#[expect(clippy::unwrap_used, reason = "test support")]
fn read_apart(bytes: &[u8]) -> Result<String, PdfError> {
    let program = Isolated { program: env!("CARGO_BIN_EXE_pdf-text").into(), arguments: &[] };
    program.read(bytes.to_vec()).unwrap()
}

/// Makes a PDF of objects; the first is the catalogue.
#[expect(clippy::unwrap_used, reason = "test support")]
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut pdf = b"%PDF-1.7\n".to_vec();
    for (number, object) in (1..).zip(objects) {
        writeln!(pdf, "{number} 0 obj").unwrap();
        pdf.extend(object);
        pdf.extend(b"\nendobj\n");
    }
    pdf.extend(b"trailer <</Root 1 0 R>>\n%%EOF\n");
    pdf
}

/// Makes a PDF of one page with this content, which can draw the form `F`.
fn page(content: Vec<u8>, form: Vec<u8>) -> Vec<u8> {
    let page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 6 0 R>>";
    let resources = b"<</Font<</H<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</F 5 0 R>>>>";
    pdf(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
        page.to_vec(),
        content,
        form,
        resources.to_vec(),
    ])
}

fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let begin = format!("<<{entries}/Length {}>>\nstream\n", bytes.len());
    [begin.as_bytes(), bytes, b"\nendstream"].concat()
}

fn page_saying(content: &str) -> Vec<u8> {
    page(stream("", content.as_bytes()), stream("", b""))
}

/// Deflates a megabyte of this so many times over, without making all of it.
#[expect(clippy::unwrap_used, reason = "test support")]
fn deflated(piece: &[u8], megabytes: usize) -> Vec<u8> {
    let megabyte = piece.repeat(1024 * 1024 / piece.len());
    let mut block = Vec::with_capacity(megabyte.len());
    let mut deflate = Compress::new(Compression::best(), false);
    deflate.compress_vec(&megabyte, &mut block, FlushCompress::Full).unwrap();
    [&b"\x78\xda"[..], &block.repeat(megabytes)].concat()
}

#[test]
fn a_price_list_that_a_browser_printed_is_read_as_it_was_written() {
    let text = read(PRICES.to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "# عيادة الابتسامة",
            "نستقبل المراجعين من الساعة 9:00 صباحاً إلى 8:30 مساءً عدا الجمعة. العنوان: شارع 62 (الطابق 2).",
            "## الأسعار",
            "| الخدمة | المدة | السعر |",
            "| تنظيف الأسنان | 30 دقيقة | 25,000 دينار |",
            "| زراعة سن (Straumann) | 3 جلسات | 1,250,000 دينار |",
            "خصم 10.5% حتى 31/12/2026 بالرمز SALE-2026.",
            "للحجز: 0770-123-4567 أو +964 770 123 4567",
        ]
    );
    assert_eq!(read_apart(PRICES), Ok(text));
}

#[test]
fn forms_of_letters_that_stand_from_left_to_right_are_letters_again() {
    assert_eq!(
        read(FORMS.to_vec()).unwrap().trim(),
        "نوصل إلى كل المحافظات خلال 2-3 أيام.\n\
         أجور التوصيل 5,000 دينار داخل بغداد، و8,000 دينار لغيرها.\n\
         لأن الآلات والإلكترونيات لا تستبدل."
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    for (bytes, why) in [
        (LOCKED, PdfError::Encrypted),
        (b"%PDF-1.7", PdfError::Broken),
        (b"%PDF-1.7\n\xff\x00 1 0 obj <</Type/Catalog/Pages 1 0 R>> endobj", PdfError::Broken),
        (&page_saying("0 0 600 800 re f"), PdfError::NoText),
        (&page_saying("BT /H 12 Tf (  ...) Tj ET"), PdfError::NoText),
    ] {
        assert_eq!(read_apart(bytes), Err(why));
    }
    assert!(read_apart(PRICES.get(..PRICES.len() / 2).unwrap()).is_err());
    assert_eq!(
        read_apart(&page_saying("BT /H 12 Tf 9 9 Td (We wrap gifts.) Tj ET")).unwrap().trim(),
        "We wrap gifts."
    );
}

#[test]
fn a_pdf_that_would_take_more_than_it_may_is_stopped() {
    let says = b"BT /H 12 Tf 9 9 Td (wrap) Tj ET ";
    let flate = |bytes: &[u8]| page(stream("/Filter/FlateDecode", bytes), stream("", b""));
    for (what, bytes) in [
        ("memory", flate(&deflated(b" ", 1500))),
        ("text", flate(&deflated(says, LONGEST_TEXT / 100_000))),
        (
            "time",
            page(
                stream("", b"/F Do"),
                stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources 6 0 R", b"/F Do /F Do /F Do"),
            ),
        ),
    ] {
        assert!(bytes.len() < 2 * 1024 * 1024, "{what}: {}", bytes.len());
        assert_eq!(read_apart(&bytes), Err(PdfError::TooMuch), "{what}");
    }
}

#[test]
fn what_is_nested_without_end_ends() {
    for bytes in [
        page_saying(&"[".repeat(1_000_000)),
        page_saying(&"q ".repeat(500_000)),
        page_saying(&"<</A".repeat(300_000)),
        pdf(&[
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]/Parent 2 0 R>>".to_vec(),
        ]),
    ] {
        assert!(read_apart(&bytes).is_err());
    }
}

#[test]
fn a_program_that_cannot_be_started_is_no_fault_of_the_document() {
    let program = Isolated { program: "/nonexistent".into(), arguments: &[] };
    assert!(program.read(PRICES.to_vec()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_bytes_panic(
        random in prop::collection::vec(any::<u8>(), 0..400),
        at in 0..FORMS.len(),
        changed in prop::collection::vec((0..FORMS.len(), any::<u8>()), 0..40),
    ) {
        let _ = read([b"%PDF-1.4\n", &*random].concat());
        let mut bytes = FORMS.to_vec();
        for (at, byte) in changed {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        let _ = read(bytes.clone());
        bytes.truncate(at);
        let _ = read(bytes);
    }
}
