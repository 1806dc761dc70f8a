//! Sheets of workbooks.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    frontdesk_documents_fuzz::read_archive(&[("_rels/.rels", br#"<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#), ("xl/workbook.xml", br#"<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>"#), ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="s.xml"/></Relationships>"#), ("xl/s.xml", bytes)], "a.xlsx");
});
