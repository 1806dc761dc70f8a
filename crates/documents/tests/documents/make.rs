//! Small documents, made in the test.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A ZIP archive of these parts. The first part is not compressed, as OpenDocument and EPUB require.
pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, bytes)) in parts.iter().enumerate() {
        let method = if index == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const CONTENT_TYPES: (&str, &[u8]) = ("[Content_Types].xml", b"<Types/>");

pub(crate) fn docx(body: &str) -> Vec<u8> {
    docx_with(body, &[])
}

/// As [`docx`], with further parts.
pub(crate) fn docx_with(body: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let document =
        format!("<?xml version='1.0'?><w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    let styles = "<w:styles xmlns:w='w'>\
        <w:style w:styleId='berschrift1'><w:name w:val='heading 1'/></w:style>\
        <w:style w:styleId='Own'><w:name w:val='Own'/><w:basedOn w:val='berschrift1'/></w:style></w:styles>";
    let core =
        "<cp:coreProperties xmlns:cp='c' xmlns:dc='d'><dc:title>House rules</dc:title></cp:coreProperties>";
    let mut all = vec![
        CONTENT_TYPES,
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
        ("docProps/app.xml", b"<Properties><Pages>2</Pages></Properties>"),
    ];
    all.extend(parts);
    archive(&all)
}

pub(crate) fn pptx(slides: &[&str]) -> Vec<u8> {
    let ids: String = (1..=slides.len()).map(|n| format!("<p:sldId id='25{n}' r:id='rId{n}'/>")).collect();
    let presentation =
        format!("<p:presentation xmlns:p='p' xmlns:r='r'><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    // The order of the presentation is not that of the names.
    let relations: String = (1..=slides.len())
        .map(|n| format!("<Relationship Id='rId{n}' Target='slides/slide{}.xml'/>", slides.len() + 1 - n))
        .collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let parts: Vec<(String, String)> = slides
        .iter()
        .enumerate()
        .map(|(index, slide)| {
            (
                format!("ppt/slides/slide{}.xml", slides.len() - index),
                format!("<p:sld xmlns:p='p' xmlns:a='a'>{slide}</p:sld>"),
            )
        })
        .collect();
    let mut all = vec![
        CONTENT_TYPES,
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", relations.as_bytes()),
    ];
    all.extend(parts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
    archive(&all)
}

pub(crate) fn xlsx(sheet: &str) -> Vec<u8> {
    xlsx_with_formats(sheet, &[])
}

/// A workbook whose styles are General, euros, date, percent and then these number formats.
pub(crate) fn xlsx_with_formats(sheet: &str, formats: &[&str]) -> Vec<u8> {
    let own = |number: usize| 165 + number;
    let codes: String = formats
        .iter()
        .enumerate()
        .map(|(number, code)| format!("<numFmt numFmtId='{}' formatCode='{code}'/>", own(number)))
        .collect();
    let styles: String =
        (0..formats.len()).map(|number| format!("<xf numFmtId='{}'/>", own(number))).collect();
    let styles = format!(
        "<styleSheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><numFmts><numFmt numFmtId='164' formatCode='#,##0.00\\ \"\u{20ac}\"'/>{codes}</numFmts><fonts count='1'><font/></fonts><fills count='1'><fill/></fills><borders count='1'><border/></borders><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/><xf numFmtId='14'/><xf numFmtId='9'/>{styles}</cellXfs></styleSheet>"
    );
    archive(&[
        (
            "[Content_Types].xml",
            b"<?xml version='1.0'?><Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        ),
        (
            "_rels/.rels",
            b"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' Target='xl/workbook.xml'/></Relationships>",
        ),
        (
            "xl/workbook.xml",
            b"<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'><sheets><sheet name='Menu' sheetId='1' r:id='rId1'/></sheets></workbook>",
        ),
        (
            "xl/_rels/workbook.xml.rels",
            b"<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' Target='worksheets/sheet1.xml'/></Relationships>",
        ),
        (
            "xl/styles.xml",
            styles.as_bytes(),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>{sheet}</worksheet>").as_bytes(),
        ),
    ])
}

pub(crate) fn open_document(mime_type: &str, body: &str) -> Vec<u8> {
    open_document_with(mime_type, body, &[])
}

/// As [`open_document`], with further parts.
pub(crate) fn open_document_with(mime_type: &str, body: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:table='b'><office:body>{body}</office:body></office:document-content>"
    );
    let mut all = vec![("mimetype", mime_type.as_bytes()), ("content.xml", content.as_bytes())];
    all.extend(parts);
    archive(&all)
}

pub(crate) fn epub(chapters: &[&str]) -> Vec<u8> {
    let manifest: String =
        (0..chapters.len()).map(|n| format!("<item id='c{n}' href='text/c{n}.xhtml'/>")).collect();
    let spine: String = (0..chapters.len()).map(|n| format!("<itemref idref='c{n}'/>")).collect();
    let package = format!(
        "<package xmlns:dc='d'><metadata><dc:title>Guide to bread</dc:title><dc:language>en</dc:language></metadata>\
         <manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    );
    let parts: Vec<(String, String)> = chapters
        .iter()
        .enumerate()
        .map(|(n, chapter)| {
            (format!("OEBPS/text/c{n}.xhtml"), format!("<!DOCTYPE html><html><body>{chapter}</body></html>"))
        })
        .collect();
    let mut all: Vec<(&str, &[u8])> = vec![
        ("mimetype", b"application/epub+zip"),
        (
            "META-INF/container.xml",
            b"<container><rootfiles><rootfile full-path='OEBPS/content.opf'/></rootfiles></container>",
        ),
        ("OEBPS/content.opf", package.as_bytes()),
    ];
    all.extend(parts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())));
    archive(&all)
}

/// A PDF of these objects, numbered from 1; the first is the catalog. `page_stream` makes streams.
pub(crate) fn pdf(objects: &[String]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).into_bytes());
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").into_bytes());
    }
    bytes.extend(
        format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
            .into_bytes(),
    );
    bytes
}

pub(crate) fn stream(dictionary: &str, content: &str) -> String {
    format!("<< {dictionary} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// A PDF with one page for each content.
pub(crate) fn pdf_of_pages(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Count {} /Kids [{kids}] /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> >>",
            pages.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (index, content) in pages.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {} 0 R >>", 5 + 2 * index));
        objects.push(stream("", content));
    }
    pdf(&objects)
}
