use std::sync::Arc;

use pollster::FutureExt;

use crate::{
    audit::Acting,
    errors::StoreError,
    knowledge::{
        GivenDocument, KnowledgeError, LARGEST_DOCUMENT, ManageKnowledge, Source, Unreadable,
        ports::{Kept, MockKnowledgeStore, MockPdfReader},
        read::read,
    },
    testing::{a_workspace, some_deps},
};

#[test]
fn a_text_is_told_by_its_name_and_its_signs() {
    for (name, text, source) in [
        ("policy.txt", "نوصل لكل المحافظات", Source::Text),
        ("", "نوصل لكل المحافظات", Source::Text),
        ("POLICY.MD", "نوصل", Source::Markdown),
        ("", "# التوصيل\nنوصل", Source::Markdown),
        ("page.html", "نوصل", Source::Page),
        ("", "<div><p>نوصل</p></div>", Source::Page),
    ] {
        assert_eq!(read(text.as_bytes(), name).unwrap().0, source, "{name} {text}");
    }
    for (bytes, why) in [
        (&b""[..], Unreadable::Empty),
        (" \u{202e}\u{200f}\n\u{0}".as_bytes(), Unreadable::Empty),
        ("— … •".as_bytes(), Unreadable::Empty),
        (&[0xc7, 0xe1, 0xca], Unreadable::NotText),
        (b"PK\x03\x04\xff\xfe", Unreadable::NotText),
        (b"<html><script>let a = 1;</script></html>", Unreadable::Empty),
    ] {
        assert_eq!(read(bytes, "").err(), Some(why), "{bytes:?}");
    }
}

#[test]
fn a_page_is_read_without_its_tags() {
    let html = "<!DOCTYPE html><html><head><title>no</title><style>p{}</style></head><body><nav>A</nav>\
        <h2 class=\"x\">التوصيل\n والشحن</h2><p>خلال 3&nbsp;أيام &amp; أقل &#1610; a < b &unknown;</p><!-- <p>no</p> -->\
        <ul><li>بغداد</li><li>البصرة</li></ul><table><tr><th>المدينة</th><th>السعر</th></tr><tr><td>أربيل</td><td>7000</td></tr>\
        </table>x<br>y<script>if (a < b) { no() }</script>";
    let (_, text) = read(html.as_bytes(), "").unwrap();
    let lines: Vec<_> = super::super::read::lines(&text).filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "A",
            "## التوصيل والشحن",
            "خلال 3 أيام & أقل ي a < b &unknown;",
            "- بغداد",
            "- البصرة",
            "| المدينة | السعر |",
            "|---|",
            "| أربيل | 7000 |",
            "x",
            "y",
        ]
    );
}

#[test]
fn what_is_brought_is_refused_by_its_field_or_kept_under_its_name() {
    let bring = |title: &str, name: &str, bytes: Vec<u8>, kept: Kept| {
        let mut store = MockKnowledgeStore::new();
        store.expect_keep().returning(move |_, _, _, _, _| Ok(kept));
        let pdfs = Arc::new(MockPdfReader::new());
        let manage = ManageKnowledge { store: Arc::new(store), pdfs: pdfs.clone(), deps: some_deps() };
        let given = GivenDocument { title: title.to_owned(), name: name.to_owned(), bytes };
        let read = given.read(&*pdfs).map_err(|error| error.to_string())?;
        let added = manage.add(Acting::operator(a_workspace().id), read).block_on();
        added.map_err(|error| error.to_string())
    };
    let text = || "نوصل خلال يومين.".as_bytes().to_vec();
    let refused = |added: Result<_, String>| added.err().unwrap_or_default();
    assert_eq!(bring(" سياسة ", "a.txt", text(), Kept::Yes).unwrap().title, "سياسة");
    assert_eq!(bring("", "delivery.v2.txt", text(), Kept::Yes).unwrap().title, "delivery.v2");
    assert!(refused(bring(" ", "", text(), Kept::Yes)).starts_with("`title`"));
    assert_eq!(refused(bring("", "", vec![], Kept::Yes)), Unreadable::Empty.to_string());
    assert!(refused(bring(&"x".repeat(121), "", text(), Kept::Yes)).starts_with("`title`"));
    let large = vec![b'a'; LARGEST_DOCUMENT + 1];
    assert!(refused(bring("A", "", large, Kept::Yes)).starts_with("`document` is larger"));
    for (kept, why) in [
        (Kept::NoRoomForDocument, KnowledgeError::TooManyDocuments),
        (Kept::NoRoomForPassages, KnowledgeError::TooManyPassages),
        (Kept::Unknown, KnowledgeError::Unknown),
    ] {
        assert_eq!(refused(bring("A", "", text(), kept)), why.to_string());
    }
}

#[test]
fn a_pdf_is_read_elsewhere_and_split_like_any_text() {
    let read = |answer: Result<Result<&'static str, Unreadable>, StoreError>| {
        let mut pdfs = MockPdfReader::new();
        let text = move |_| answer.map(|read| read.map(str::to_owned));
        pdfs.expect_read().withf(|bytes| bytes == b"%PDF-1.7 letters").return_once(text);
        let given = GivenDocument {
            name: "prices.pdf".to_owned(),
            bytes: b"%PDF-1.7 letters".to_vec(),
            ..<_>::default()
        };
        let mut store = MockKnowledgeStore::new();
        store.expect_keep().returning(|_, document, passages, _, _| {
            assert_eq!((document.source, &*document.title), (Source::Pdf, "prices"));
            let [passage] = passages else { panic!("{passages:?}") };
            assert_eq!(
                (&*passage.heading, passage.sentences.concat()),
                ("الأسعار", "تنظيف — 25,000 دينار".to_owned())
            );
            Ok(Kept::Yes)
        });
        let manage = ManageKnowledge { store: Arc::new(store), pdfs: Arc::new(pdfs), deps: some_deps() };
        let read = given.read(&*manage.pdfs)?;
        manage.add(Acting::operator(a_workspace().id), read).block_on()
    };
    read(Ok(Ok("\n## الأسعار\n| تنظيف | 25,000 دينار |\n"))).unwrap();
    assert!(matches!(read(Ok(Ok("\n"))), Err(KnowledgeError::Invalid(Unreadable::Empty))));
    assert!(matches!(
        read(Ok(Err(Unreadable::PdfLocked))),
        Err(KnowledgeError::Invalid(Unreadable::PdfLocked))
    ));
    let failed = StoreError::Unavailable("no process".to_owned());
    assert!(matches!(read(Err(failed)), Err(KnowledgeError::Store(StoreError::Unavailable(_)))));
}
