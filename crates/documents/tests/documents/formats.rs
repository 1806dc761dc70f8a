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
