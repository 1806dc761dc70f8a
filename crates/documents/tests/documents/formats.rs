//! One document of each format.

use frontdesk_documents::DocumentKind;

use super::{lines, make, read};

#[tokio::test]
async fn a_word_document() {
    let body = "<w:p><w:pPr><w:pStyle w:val='berschrift1'/></w:pPr><w:r><w:t>Opening hours</w:t></w:r></w:p>\
        <w:p><w:r><w:t xml:space='preserve'>We open </w:t></w:r><w:r><w:t>at 9.</w:t></w:r>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>Secret</w:t></w:r><w:del><w:r><w:delText>Old</w:delText></w:r></w:del></w:p>\
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Dogs &amp; cats</w:t></w:r></w:p>\
        <w:p><w:pPr><w:pStyle w:val='Own'/></w:pPr><w:r><w:t>Prices</w:t></w:r></w:p>\
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Item</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Price</w:t></w:r></w:p></w:tc></w:tr>\
        <w:tr><w:tc><w:p><w:r><w:t>Tea</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3.20</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let document = read(&make::docx(body), "rules.docx").await.unwrap();
    assert_eq!(
        lines(&document),
        ["# Opening hours", "We open at 9.", "- Dogs & cats", "# Prices", "Tea – Price: 3.20"]
    );
    assert_eq!((document.title.as_str(), document.page_count), ("House rules", Some(2)));
    assert_eq!(document.kind, DocumentKind::Document);
}

#[tokio::test]
async fn headers_and_footers_of_pages_are_read_once() {
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let part = |text: &str| format!("<w:ftr xmlns:w='w'>{}</w:ftr>", paragraph(text));
    let (first, other, body) =
        (part("Emergencies: 0113 496 0777"), part("12 Mill Lane"), paragraph("Tea 3.20"));
    let parts = [("word/header1.xml", &other), ("word/footer1.xml", &first), ("word/footer2.xml", &first)];
    let parts = parts.map(|(name, text)| (name, text.as_bytes()));
    let document = read(&make::docx_with(&body, &parts), "prices.docx").await.unwrap();
    assert_eq!(lines(&document), ["Tea 3.20", "12 Mill Lane", "Emergencies: 0113 496 0777"]);

    let styles = "<office:document-styles><style:style><text:p>not shown</text:p></style:style><office:master-styles>\
        <style:master-page><style:header><text:p>12 Mill Lane</text:p></style:header>\
        <style:footer><text:p>Emergencies: 0113 496 0777</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>";
    let kind = "application/vnd.oasis.opendocument.text";
    let bytes =
        make::open_document_with(kind, "<text:p>Tea 3.20</text:p>", &[("styles.xml", styles.as_bytes())]);
    let document = read(&bytes, "prices.odt").await.unwrap();
    assert_eq!(lines(&document), ["Tea 3.20", "12 Mill Lane", "Emergencies: 0113 496 0777"]);
}

#[tokio::test]
async fn a_presentation() {
    let title = |text: &str| {
        format!(
            "<p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )
    };
    let body = "<p:sp><p:nvPr><p:ph idx='1'/></p:nvPr><p:txBody><a:p><a:r><a:t>Free parking</a:t></a:r></a:p></p:txBody></p:sp>\
        <p:sp><p:nvPr><p:ph type='sldNum'/></p:nvPr><p:txBody><a:p><a:r><a:t>7</a:t></a:r></a:p></p:txBody></p:sp>";
    let slides = [format!("{}{body}", title("Welcome")), title("Prices")];
    let document = read(&make::pptx(&[&slides[0], &slides[1]]), "talk.pptx").await.unwrap();
    assert_eq!(lines(&document), ["## Welcome", "- Free parking", "## Prices"]);
    assert_eq!((document.title.as_str(), document.page_count), ("Welcome", Some(2)));
}

#[tokio::test]
async fn an_excel_workbook() {
    let sheet = "<dimension ref='A1:C3'/><sheetData>\
        <row r='1'><c r='A1' t='inlineStr'><is><t>Dish</t></is></c><c r='B1' t='inlineStr'><is><t>Price</t></is></c>\
        <c r='D1' t='inlineStr'><is><t>Since</t></is></c><c r='E1' t='inlineStr'><is><t>Discount</t></is></c></row>\
        <row r='2'><c r='A2' t='inlineStr'><is><t>Soup</t></is></c><c r='B2' s='1'><v>6.5</v></c><c r='D2' s='2'><v>45943</v></c><c r='E2' s='3'><v>0.15</v></c></row>\
        <row r='4'><c r='A4' t='inlineStr'><is><t>Cake</t></is></c><c r='B4'><v>4</v></c></row></sheetData>";
    let document = read(&make::xlsx(sheet), "menu.xlsx").await.unwrap();
    assert_eq!(
        lines(&document),
        ["## Menu", "Soup – Price: 6.50 \u{20ac}; Since: 2025-10-13; Discount: 15%", "Cake – Price: 4"]
    );
    assert_eq!(document.kind, DocumentKind::Spreadsheet);
    assert_eq!(document.page_count, Some(1));
}

#[tokio::test]
async fn a_workbook_is_read_as_it_is_shown() {
    let text = |cell: &str, text: &str| format!("<c r='{cell}' t='inlineStr'><is><t>{text}</t></is></c>");
    let number =
        |cell: &str, style: usize, value: &str| format!("<c r='{cell}' s='{style}'><v>{value}</v></c>");
    let row = |attributes: &str, cells: &[String]| format!("<row {attributes}>{}</row>", cells.concat());
    let sheet = [
        "<cols><col min='3' max='3' hidden='1'/></cols><sheetData>".to_owned(),
        row(
            "r='1'",
            &[
                text("A1", "Group"),
                text("B1", "Item"),
                text("C1", "Cost"),
                text("D1", "Postcode"),
                text("E1", "Duration"),
                text("F1", "Balance"),
                text("G1", "Sold"),
                text("H1", "Since"),
            ],
        ),
        row(
            "r='2'",
            &[
                text("A2", "Fences"),
                text("B2", "Panel"),
                number("C2", 1, "9.1"),
                number("D2", 4, "1067"),
                number("E2", 5, "1.5"),
                number("F2", 6, "-1234.5"),
                "<c r='G2' t='b'><v>1</v></c>".to_owned(),
                number("H2", 7, "45943"),
            ],
        ),
        row("r='3' hidden='1'", &[text("A3", "HIDDEN"), number("B3", 1, "1")]),
        row(
            "r='4'",
            &[
                text("A4", "COVERED"),
                text("B4", "Post"),
                number("D4", 4, "42"),
                number("E4", 5, "0.25"),
                number("F4", 6, "7"),
                "<c r='G4' t='e'><v>#N/A</v></c>".to_owned(),
                number("H4", 7, "45944"),
            ],
        ),
        "</sheetData><mergeCells><mergeCell ref='A2:A4'/></mergeCells>".to_owned(),
    ];
    let formats = ["00000", "[h]:mm", "#,##0.00\\ \u{20ac};[Red]#,##0.00\\ \u{20ac}", "dd\\.mm\\.yyyy"];
    let document = read(&make::xlsx_with_formats(&sheet.concat(), &formats), "fences.xlsx").await.unwrap();
    assert_eq!(
        lines(&document),
        [
            "## Menu",
            "Fences – Item: Panel; Postcode: 01067; Duration: 36:00; Balance: -1,234.50 \u{20ac}; Sold: TRUE; Since: 13.10.2025",
            "Fences – Item: Post; Postcode: 00042; Duration: 6:00; Balance: 7.00 \u{20ac}; Since: 14.10.2025",
        ]
    );
    let codes: Vec<&str> = document.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["hidden_content", "cell_errors"]);
    let message = &document.warnings[0].message;
    assert!(message.starts_with("1 hidden row and 1 hidden column with content were not read."), "{message}");
}

#[tokio::test]
async fn an_open_document_spreadsheet_is_read_as_it_is_shown() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let body = format!(
        "<office:automatic-styles><style:style style:name='ta2' style:family='table'><style:table-properties table:display='false'/></style:style></office:automatic-styles>\
         <table:table table:name='Rooms'><table:table-column/><table:table-column table:visibility='collapse'/><table:table-column table:number-columns-repeated='3'/>\
         <table:table-row>{}{}<table:table-cell table:number-columns-spanned='2'><text:p>Summer</text:p></table:table-cell><table:covered-table-cell><text:p>COVERED</text:p></table:covered-table-cell></table:table-row>\
         <table:table-row>{}{}{}{}</table:table-row><table:table-row>{}{}{}{}</table:table-row>\
         <table:table-row table:visibility='filter'>{}</table:table-row></table:table>\
         <table:table table:name='Secret' table:style-name='ta2'><table:table-row>{}</table:table-row></table:table>",
        cell("Room"),
        cell("HIDDEN"),
        cell("Room"),
        cell("HIDDEN"),
        cell("Week"),
        cell("Weekend"),
        cell("Double"),
        cell("HIDDEN"),
        cell("80 \u{20ac}"),
        cell("#DIV/0!"),
        cell("HIDDEN"),
        cell("HIDDEN"),
    );
    let bytes = make::open_document("application/vnd.oasis.opendocument.spreadsheet", &body);
    let document = read(&bytes, "rooms.ods").await.unwrap();
    assert_eq!(lines(&document), ["## Rooms", "Double – Summer Week: 80 \u{20ac}"]);
    let messages: Vec<&str> = document.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(messages[0].starts_with("1 hidden sheet, 1 hidden row and 1 hidden column"), "{messages:?}");
    assert_eq!(messages[1], "1 cell shows an error and was left out.");
}

#[tokio::test]
async fn an_open_document_text() {
    let body = "<text:h text:outline-level='2'>Garden</text:h><text:p>Open<text:s/>daily</text:p>\
        <text:list><text:list-item><text:p>Roses</text:p></text:list-item></text:list>\
        <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Day</text:p></table:table-cell><table:table-cell><text:p>Hall</text:p></table:table-cell></table:table-row></table:table-header-rows>\
        <table:table-row><table:table-cell><text:p>Monday</text:p></table:table-cell><table:table-cell><text:p>North</text:p></table:table-cell></table:table-row></table:table>\
        <text:p>End</text:p>";
    let bytes = make::open_document("application/vnd.oasis.opendocument.text", body);
    let document = read(&bytes, "garden.odt").await.unwrap();
    assert_eq!(lines(&document), ["## Garden", "Open daily", "- Roses", "Monday – Hall: North", "End"]);
}

#[tokio::test]
async fn an_open_document_spreadsheet() {
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let body = format!(
        "<table:table table:name='Rooms'><table:table-row>{}{}<table:table-cell table:number-columns-repeated='16000'/></table:table-row>\
         <table:table-row>{}{}</table:table-row><table:table-row table:number-rows-repeated='1000000'><table:table-cell/></table:table-row></table:table>",
        cell("Room"),
        cell("Rate"),
        cell("Double"),
        cell("120.00 \u{20ac}")
    );
    let bytes = make::open_document("application/vnd.oasis.opendocument.spreadsheet", &body);
    let document = read(&bytes, "rooms.ods").await.unwrap();
    assert_eq!(lines(&document), ["## Rooms", "Double – Rate: 120.00 \u{20ac}"]);
    assert_eq!(document.kind, DocumentKind::Spreadsheet);
}

#[tokio::test]
async fn a_book() {
    let document = read(
        &make::epub(&["<h1>Dough</h1><p>Knead it well.</p>", "<h1>Oven</h1><p>Bake for an hour.</p>"]),
        "bread.epub",
    )
    .await
    .unwrap();
    assert_eq!(lines(&document), ["# Dough", "Knead it well.", "# Oven", "Bake for an hour."]);
    assert_eq!((document.title.as_str(), document.page_count), ("Guide to bread", Some(2)));
}

#[tokio::test]
async fn chapters_are_found_under_every_spelling_and_reported_if_missing() {
    let chapter = |text: &str| format!("<html><body><p>{text}</p></body></html>").into_bytes();
    let package = "<package><manifest>\
        <item id='a' href='a%20b.xhtml'/><item id='b' href='Gr\u{f6}\u{df}e.xhtml'/><item id='c' href='K%C3%A4se.xhtml'/>\
        <item id='d' href='gone.xhtml'/><item id='e' href='https://elsewhere.example/e.xhtml'/><item id='f' href='../../etc/passwd'/>\
        <item id='g' href='Upper.xhtml'/><item id='cover' href='cover.png' media-type='image/png'/>\
        </manifest><spine><itemref idref='cover'/><itemref idref='g'/><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/>\
        <itemref idref='d'/><itemref idref='e'/><itemref idref='f'/><itemref idref='nothing'/></spine></package>";
    let container = "<container><rootfiles><rootfile full-path='O/c.opf'/></rootfiles></container>";
    let texts =
        [chapter("Space here."), chapter("Size here."), chapter("Cheese here."), chapter("Upper here.")];
    let bytes = make::archive(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("O/c.opf", package.as_bytes()),
        ("O/a b.xhtml", &texts[0]),
        // As macOS writes it, with a letter and an accent.
        ("O/Gro\u{308}\u{df}e.xhtml", &texts[1]),
        ("O/K\u{e4}se.xhtml", &texts[2]),
        ("O/upper.xhtml", &texts[3]),
    ]);
    let document = read(&bytes, "book.epub").await.unwrap();
    assert_eq!(lines(&document), ["Upper here.", "Space here.", "Size here.", "Cheese here."]);
    let messages: Vec<&str> = document.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "The chapter gone.xhtml is not in the file, so it was not read.",
            "The chapter https://elsewhere.example/e.xhtml is outside of the file, so it was not read.",
            "The chapter ../../etc/passwd is not in the file, so it was not read.",
            "The chapter nothing is not in the list of the book's parts, so it was not read.",
        ]
    );
    let nothing = make::archive(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.as_bytes()),
        ("O/c.opf", package.as_bytes()),
    ]);
    assert_eq!(read(&nothing, "book.epub").await.unwrap_err().code(), "damaged_file");
}

#[tokio::test]
async fn columns_of_a_pdf_are_read_one_after_the_other() {
    let left = [
        "Our workshop repairs mow-",
        "ers and chainsaws within",
        "four days. A new chain",
        "costs 26 euros with",
        "fitting.",
    ];
    let right = [
        "The shop opens at eight",
        "on weekdays and at nine",
        "on Saturdays. On Sundays",
        "it is closed, and on the",
        "first of May.",
    ];
    let mut content = "BT /F1 16 Tf 72 750 Td (Workshop guide) Tj ET ".to_owned();
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 720 - 14 * index;
        content.push_str(&format!(
            "BT /F1 11 Tf 72 {y} Td ({left}) Tj ET BT /F1 11 Tf 330 {y} Td ({right}) Tj ET "
        ));
    }
    let document = read(&make::pdf_of_pages(&[&content]), "guide.pdf").await.unwrap();
    assert_eq!(
        lines(&document),
        [
            "# Workshop guide",
            "Our workshop repairs mowers and chainsaws within four days. A new chain costs 26 euros with fitting.",
            "The shop opens at eight on weekdays and at nine on Saturdays. On Sundays it is closed, and on the first of May.",
        ]
    );
}

#[tokio::test]
async fn glyphs_of_a_pdf_are_letters() {
    let widths = "500 ".repeat(255);
    let font = |more: &str| {
        format!(
            "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+X /FirstChar 1 /LastChar 200 /Widths [{widths}] {more} >>"
        )
    };
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange \
        1 beginbfchar <01> <FB01> endbfchar 1 beginbfrange <20> <7E> <0020> endbfrange endcmap";
    let names = "/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /f_i /uni20AC /u2122 /uniFB00 300 /A] >>";
    for (font, shown, expected) in [
        (font("/ToUnicode 6 0 R"), "The \\001replace is warm.", "The fireplace is warm."),
        (
            font(names),
            "The \\001ne o\\004er costs 12 \\002 \\003.",
            "The fine offer costs 12 \u{20ac} \u{2122}.",
        ),
        (font("/Encoding /StandardEncoding"), "The plain line.", "The plain line."),
    ] {
        let bytes = make::pdf(&[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Count 1 /Kids [4 0 R] /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> >>".to_owned(),
            font,
            "<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>".to_owned(),
            make::stream("", &format!("BT /F1 11 Tf 72 720 Td ({shown}) Tj ET")),
            make::stream("", map),
        ]);
        let document = read(&bytes, "glyphs.pdf").await.unwrap();
        assert_eq!(lines(&document), [expected]);
        assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    }
}

#[tokio::test]
async fn damaged_tables_of_a_pdf_are_repaired() {
    let whole =
        make::pdf_of_pages(&["BT /F1 11 Tf 72 720 Td (We open at nine on every day of the week.) Tj ET"]);
    let at = whole.windows(4).position(|window| window == b"xref").unwrap();
    // Something was inserted near the beginning, the table is cut off, or its beginning is not where it says.
    let mut moved = whole.clone();
    moved.splice(9..9, b"% a line that a mail gateway has added\n".iter().copied());
    let cut = whole[..at].to_vec();
    let start = whole.windows(9).position(|window| window == b"startxref").unwrap();
    let mut elsewhere = whole[..start].to_vec();
    elsewhere.extend_from_slice(b"startxref\n7\n%%EOF\n");
    for (name, bytes) in [("moved", moved), ("cut", cut), ("elsewhere", elsewhere)] {
        let document = read(&bytes, "hours.pdf").await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(lines(&document), ["We open at nine on every day of the week."], "{name}");
        assert_eq!(document.warnings.len(), 1, "{name}: {:?}", document.warnings);
    }
    assert!(read(&whole, "hours.pdf").await.unwrap().warnings.is_empty());
}

#[tokio::test]
async fn a_pdf_document() {
    let first = "BT /F1 24 Tf 72 720 Td (Opening hours) Tj ET \
        BT /F1 11 Tf 72 680 Td (We are open on every day of the week, except on) Tj 0 -14 Td (public holidays.) Tj \
        0 -30 Td (Monday) Tj 120 0 Td (9 to 5) Tj ET";
    let second = "BT /F1 11 Tf 72 720 Td (Caf\\351 on the second page.) Tj ET";
    let document = read(&make::pdf_of_pages(&[first, second]), "hours.pdf").await.unwrap();
    assert_eq!(
        lines(&document),
        [
            "# Opening hours",
            "We are open on every day of the week, except on public holidays.",
            "Monday 9 to 5",
            "Caf\u{e9} on the second page.",
        ]
    );
    assert_eq!((document.title.as_str(), document.page_count), ("Opening hours", Some(2)));
}

#[tokio::test]
async fn texts_and_tables() {
    let markdown = "---\ntitle: Shipping guide\n---\n# Shipping\n\nWe ship\nwithin **two** days.\n\n- Europe\n  - France\n- Asia\n\n| Zone | Price |\n|---|---|\n| One | 5 |\n\n```\nnpm  i\n```\n";
    let document = read(markdown.as_bytes(), "ship.md").await.unwrap();
    assert_eq!(
        lines(&document),
        [
            "# Shipping",
            "We ship within two days.",
            "- Europe",
            "- France",
            "- Asia",
            "One – Price: 5",
            "npm  i"
        ]
    );
    assert_eq!(document.title, "Shipping guide");

    let document = read(b"Gericht;Preis\nSuppe;6,50\nK\xe4se;4,00\n", "Karte_2026.csv").await.unwrap();
    assert_eq!(lines(&document), ["Suppe – Preis: 6,50", "Käse – Preis: 4,00"]);
    assert_eq!((document.title.as_str(), document.kind), ("Karte 2026", DocumentKind::Spreadsheet));

    let document = read(b"First line of text, which is read as it is.\n", "notes.txt").await.unwrap();
    assert_eq!(lines(&document), ["First line of text, which is read as it is."]);

    let html = b"<!doctype html><title>About us</title><main><h1>About us</h1><p>We bake bread.</p></main>";
    let document = read(html, "about.html").await.unwrap();
    assert_eq!(lines(&document), ["# About us", "We bake bread."]);
    assert_eq!((document.title.as_str(), document.mime_type.as_str()), ("About us", "text/html"));
}

#[tokio::test]
async fn images_and_recordings_are_recognised() {
    for (bytes, name, mime_type) in [
        (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "a.png", "image/png"),
        (b"ID3\x04\0\0\0\0\0\0", "a.mp3", "audio/mpeg"),
    ] {
        let error = read(bytes, name).await.unwrap_err();
        assert_eq!(error.code(), "no_extractor");
        assert!(
            matches!(&error, frontdesk_documents::ExtractError::NoExtractor { mime_type: found, .. } if found == mime_type)
        );
    }
}
