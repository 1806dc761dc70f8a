//! Files that try to bring a parser down. Each has a clear reason, and the extractor reads the next file.

use std::time::{Duration, Instant};

use frontdesk_documents::{ExceededLimit, ExtractError, Extractor, Limits};

use super::{extractor, lines, make, read};

async fn fails(bytes: &[u8], name: &str, limits: Limits) -> ExtractError {
    let extractor = extractor(limits);
    let start = Instant::now();
    let error = extractor.extract(bytes, name).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_mins(1), "{name} took {:?}", start.elapsed());
    let next = Extractor::extract(&extractor, b"Still here, and reading.", "next.txt").await.unwrap();
    assert_eq!(lines(&next), ["Still here, and reading."]);
    assert!(error.to_string().ends_with('.'), "{error}");
    error
}

#[tokio::test]
async fn zip_bombs() {
    let zeros = vec![b' '; 64 * 1024 * 1024];
    let bomb = make::archive(&[("[Content_Types].xml", b"<x/>"), ("word/document.xml", &zeros)]);
    assert!(bomb.len() < 200_000);
    let limits = Limits::default();
    assert_eq!(
        fails(&bomb, "a.docx", limits).await,
        ExceededLimit::CompressionRatio(limits.compression_ratio).into()
    );

    // Many parts of a modest ratio.
    let limits = Limits { compression_ratio: 100_000, ..limits };
    let parts: Vec<String> = (0..5).map(|n| format!("word/part{n}.xml")).collect();
    let mut all: Vec<(&str, &[u8])> = vec![("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>")];
    all.extend(parts.iter().map(|name| (name.as_str(), zeros.as_slice())));
    let error = fails(&make::archive(&all), "a.docx", limits).await;
    assert_eq!(error, ExceededLimit::DecompressedBytes(limits.decompressed_bytes).into());

    let many: Vec<String> = (0..6_000).map(|n| format!("word/{n}")).collect();
    let mut all: Vec<(&str, &[u8])> = vec![("word/document.xml", b"<x/>")];
    all.extend(many.iter().map(|name| (name.as_str(), &b""[..])));
    let error = fails(&make::archive(&all), "a.docx", Limits::default()).await;
    assert_eq!(error, ExceededLimit::Entries(5_000).into());
}

#[tokio::test]
async fn nested_archives() {
    let inner = make::docx("<w:p/>");
    let outer = make::archive(&[
        ("[Content_Types].xml", b"<x/>"),
        ("word/document.xml", b"<x/>"),
        ("word/embedded.zip", &inner),
    ]);
    assert_eq!(fails(&outer, "a.docx", Limits::default()).await, ExceededLimit::NestedArchive.into());
    let plain = make::archive(&[("a.txt", b"hello"), ("b.zip", &inner)]);
    assert_eq!(fails(&plain, "a.zip", Limits::default()).await.code(), "unsupported_file_type");
}

#[tokio::test]
async fn a_billion_cells() {
    // A stated area and two cells in its corners must not become an area in memory.
    let corners = "<dimension ref='A1:XFD1048576'/><sheetData><row r='1'><c r='A1'><v>1</v></c></row>\
        <row r='1048576'><c r='XFD1048576'><v>2</v></c></row></sheetData>";
    let document = read(&make::xlsx(corners), "a.xlsx").await.unwrap();
    assert_eq!(lines(&document), ["## Menu", "1", "2"]);

    let limits = Limits { cells: 1_000, ..Limits::default() };
    let row: String =
        (1..=1_001).map(|row| format!("<row r='{row}'><c r='A{row}'><v>1</v></c></row>")).collect();
    let error = fails(&make::xlsx(&format!("<sheetData>{row}</sheetData>")), "a.xlsx", limits).await;
    assert_eq!(error, ExceededLimit::Cells(1_000).into());

    // Cells on the diagonal: few cells, a huge area.
    let limits = Limits { cells: 1_000, ..Limits::default() };
    let column = |mut number: usize| {
        let mut name = String::new();
        while number > 0 {
            name.insert(0, char::from(b'A' + u8::try_from((number - 1) % 26).unwrap()));
            number = (number - 1) / 26;
        }
        name
    };
    let diagonal: String =
        (1..=900).map(|n| format!("<row r='{n}'><c r='{}{n}'><v>1</v></c></row>", column(n))).collect();
    let error = fails(&make::xlsx(&format!("<sheetData>{diagonal}</sheetData>")), "a.xlsx", limits).await;
    assert_eq!(error, ExceededLimit::Cells(1_000).into());

    let repeated = "<table:table table:name='x'>".to_owned()
        + &"<table:table-row><table:table-cell table:number-columns-repeated='999999999'><text:p>1</text:p></table:table-cell></table:table-row>".repeat(100)
        + "</table:table>";
    let bytes = make::open_document("application/vnd.oasis.opendocument.spreadsheet", &repeated);
    assert_eq!(fails(&bytes, "a.ods", limits).await, ExceededLimit::Cells(1_000).into());
}

#[tokio::test]
async fn hostile_xml() {
    let deep = make::docx(&"<w:p>".repeat(100_000));
    assert_eq!(fails(&deep, "a.docx", Limits::default()).await, ExceededLimit::Depth(256).into());
    let entities =
        "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><w:document>&b;</w:document>";
    let bytes =
        make::archive(&[("[Content_Types].xml", b"<x/>"), ("word/document.xml", entities.as_bytes())]);
    assert_eq!(fails(&bytes, "a.docx", Limits::default()).await, ExceededLimit::DocumentType.into());
}

#[tokio::test]
async fn looping_pdf_objects() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned();
    // A form that draws itself, pages that are their own children, and a length that refers to itself.
    let form = make::pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [4 0 R] /MediaBox [0 0 612 792] >>".to_owned(),
        font.clone(),
        "<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>".to_owned(),
        make::stream("", "/X Do"),
        make::stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
            "/X Do",
        ),
    ]);
    let pages = make::pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [2 0 R 2 0 R] /Parent 2 0 R >>".to_owned(),
    ]);
    let length = make::pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_owned(),
        "<< /Length 4 0 R >>\nstream\nBT ET\nendstream".to_owned(),
    ]);
    let reference = make::pdf(&["1 0 R".to_owned(), "<< /Type /Pages /Count 1 /Kids [2 0 R] >>".to_owned()]);
    for (name, bytes) in
        [("form.pdf", form), ("pages.pdf", pages), ("length.pdf", length), ("reference.pdf", reference)]
    {
        let error = fails(&bytes, name, Limits { cpu_seconds: 5, ..Limits::default() }).await;
        let codes = ["extractor_limit", "extractor_failed", "damaged_file", "no_text"];
        assert!(codes.contains(&error.code()), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn a_giant_image_is_not_decoded() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(b"\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0");
    assert_eq!(fails(&png, "a.png", Limits::default()).await.code(), "no_extractor");
}

#[tokio::test]
async fn mislabelled_and_truncated_files() {
    assert_eq!(fails(&make::docx("<w:p/>"), "a.pdf", Limits::default()).await.code(), "mislabelled");
    let text = "<w:p><w:r><w:t>text</w:t></w:r></w:p>";
    let whole: [(Vec<u8>, &str); 6] = [
        (make::docx(text), "a.docx"),
        (make::pptx(&["<p:sp/>"]), "a.pptx"),
        (make::xlsx("<sheetData><row r='1'><c r='A1'><v>1</v></c></row></sheetData>"), "a.xlsx"),
        (make::open_document("application/vnd.oasis.opendocument.text", "<text:p>x</text:p>"), "a.odt"),
        (make::epub(&["<p>text</p>"]), "a.epub"),
        (make::pdf_of_pages(&["BT /F1 11 Tf 72 720 Td (text) Tj ET"]), "a.pdf"),
    ];
    for (bytes, name) in whole {
        for share in [1, 4, 7, 9] {
            let cut = &bytes[..bytes.len() * share / 10];
            // What is left of a PDF may be readable.
            let Err(error) = extractor(Limits::default()).extract(cut, name).await else { continue };
            let codes =
                ["damaged_file", "mislabelled", "unsupported_file_type", "extractor_failed", "no_text"];
            assert!(codes.contains(&error.code()), "{name} {share}: {error:?}");
        }
    }
    for (bytes, name) in [(&b""[..], "a.txt"), (b"%PDF-1.7", "a.pdf"), (b"PK\x03\x04", "noname")] {
        let code = fails(bytes, name, Limits::default()).await.code();
        assert!(["damaged_file", "unsupported_file_type"].contains(&code), "{name}: {code}");
    }
    assert_eq!(fails(&make::docx("<w:p/>"), "a.docx", Limits::default()).await, ExtractError::NoText);
}

#[tokio::test]
async fn the_process_is_limited() {
    let text = "Many words of a text that is long. ".repeat(200_000);
    let limits = Limits { output_chars: 10_000, ..Limits::default() };
    assert_eq!(fails(text.as_bytes(), "a.txt", limits).await, ExceededLimit::OutputChars(10_000).into());
    let limits = Limits { input_bytes: 1_000, ..Limits::default() };
    assert_eq!(fails(text.as_bytes(), "a.txt", limits).await, ExceededLimit::InputBytes(1_000).into());
    let limits = Limits { memory_bytes: 40 * 1024 * 1024, ..Limits::default() };
    let big = text.repeat(2);
    assert_eq!(fails(&big.as_bytes()[..14_000_000], "a.txt", limits).await, ExceededLimit::Memory.into());
    let limits = Limits { wall_clock: Duration::from_millis(1), ..Limits::default() };
    assert_eq!(extractor(limits).extract(text.as_bytes(), "a.txt").await, Err(ExceededLimit::Time.into()));
}

#[tokio::test]
async fn a_child_without_a_result_is_a_fault_of_the_service() {
    for program in ["/bin/false", "/no/such/program"] {
        let extractor = Extractor::new(program, [] as [&str; 0], Limits::default(), 1);
        let error = extractor.extract(b"text", "a.txt").await.unwrap_err();
        assert!(matches!(error, ExtractError::System { .. }), "{error:?}");
        assert!(!error.to_string().contains("bin"), "{error}");
    }
}
