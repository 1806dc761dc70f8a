//! A PDF of 25 MB: scanned pages as they come from an office, each with a picture and its recognized text.

use std::time::Duration;

use frontdesk_client::model::{NewFile, NewMessage, TrainingStatus};
use frontdesk_runtime::codec;
use frontdesk_store::Plan;

use super::{noise, sentences};
use crate::{
    database::Database,
    installation::{Installation, learned},
    on_both_databases,
    patience::until,
    site::{Page, Site},
    wire::Request,
};

on_both_databases!(a_pdf_of_25_mb_is_answered_from_its_last_page);

/// The size of the largest file in bytes.
const FILE: usize = 25 * 1024 * 1024;

const PAGES: usize = 64;

/// Words of a page, in rows: a scanner places each of them by itself, and draws none of them.
fn recognized(text: &str) -> String {
    let mut content = String::from("q 612 0 0 792 0 0 cm /Scan Do Q BT /F1 11 Tf 3 Tr\n");
    for (row, words) in text.split(' ').collect::<Vec<_>>().chunks(10).enumerate() {
        for (column, word) in words.iter().enumerate() {
            let (left, up) = (40 + 55 * column, 740 - 14 * row);
            content.push_str(&format!("1 0 0 1 {left} {up} Tm ({word} ) Tj\n"));
        }
    }
    content.push_str("ET");
    content
}

/// Returns a PDF of exactly this size, whose last page says `last`.
fn scan(size: usize, last: &str) -> Vec<u8> {
    let mut pdf = Pdf::default();
    let kids: String = (0..PAGES).map(|page| format!("{} 0 R ", 4 + 3 * page)).collect();
    pdf.object("<< /Type /Catalog /Pages 2 0 R >>");
    pdf.object(&format!("<< /Type /Pages /Count {PAGES} /Kids [{kids}] /MediaBox [0 0 612 792] >>"));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
    // The last picture takes what the sizes of all others have left, less what the end of the file takes.
    let (picture, end) = (size / PAGES - 16 * 1024, 20 * (4 + 3 * PAGES) + 400);
    for page in 0..PAGES {
        let (content, scan) = (5 + 3 * page, 6 + 3 * page);
        pdf.object(&format!(
            "<< /Type /Page /Parent 2 0 R /Contents {content} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /Scan {scan} 0 R >> >> >>"
        ));
        let text = (0..12).map(|part| sentences(12 * page + part)).collect::<Vec<_>>().join(" ");
        let text = if page + 1 == PAGES { format!("{text} {last}") } else { text };
        pdf.stream("", recognized(&text).as_bytes());
        let length = if page + 1 == PAGES { size - pdf.bytes.len() - end } else { picture };
        let image = "/Type /XObject /Subtype /Image /Width 1654 /Height 2339 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode";
        pdf.stream(image, &noise(page as u64, length));
    }
    pdf.finish(size)
}

/// A PDF as it is written.
#[derive(Default)]
struct Pdf {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Pdf {
    fn begin(&mut self) {
        if self.offsets.is_empty() {
            self.bytes.extend(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n");
        }
        self.offsets.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.offsets.len()).into_bytes());
    }

    fn object(&mut self, text: &str) {
        self.begin();
        self.bytes.extend(format!("{text}\nendobj\n").into_bytes());
    }

    fn stream(&mut self, dictionary: &str, content: &[u8]) {
        self.begin();
        self.bytes.extend(format!("<< {dictionary} /Length {} >>\nstream\n", content.len()).into_bytes());
        self.bytes.extend(content);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    /// Writes the table of the objects, after a comment that makes up the size.
    fn finish(mut self, size: usize) -> Vec<u8> {
        let count = self.offsets.len() + 1;
        let entries: String = self.offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
        let end = |table: usize| {
            format!(
                "xref\n0 {count}\n0000000000 65535 f \n{entries}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table:08}\n%%EOF\n"
            )
        };
        let table = size - end(0).len();
        let comment = table - self.bytes.len();
        self.bytes.extend(std::iter::once(b'%').chain(std::iter::repeat_n(b' ', comment - 2)).chain([b'\n']));
        self.bytes.extend(end(table).into_bytes());
        self.bytes
    }
}

async fn a_pdf_of_25_mb_is_answered_from_its_last_page(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.http.body_timeout = Duration::from_mins(5);
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site =
        Site::of([("/", Page::html("Nursery", "<p>The nursery is closed on every Monday.</p>"))]).await;
    let bot = learned(&client, &site).await;
    let content = scan(FILE, "The spare key of the boathouse hangs behind the barometer.");
    assert_eq!(content.len(), FILE);
    let file = NewFile::new(codec::File::new(content.clone()).named("scans.pdf"));
    let uploaded = client.files().upload(bot.into(), file).await.unwrap().into_inner();
    let read = until("the file is read", async || {
        let file = client.files().get(bot.into(), uploaded.file_id).await.unwrap().into_inner();
        (!matches!(file.status, TrainingStatus::Pending | TrainingStatus::Processing)).then_some(file)
    })
    .await;
    assert_eq!(
        (read.status.clone(), read.page_count),
        (TrainingStatus::Ready, i64::try_from(PAGES).ok()),
        "{read:?}"
    );
    let asked = NewMessage::new("Where does the spare key of the boathouse hang?");
    let answer = client.messages().send(bot.into(), asked).await.unwrap().into_inner();
    assert!(answer.response.contains("behind the barometer"), "{answer:?}");
    // The first page is known as well.
    let asked = NewMessage::new("When was lot 3 planted?");
    let answer = client.messages().send(bot.into(), asked).await.unwrap().into_inner();
    assert!(answer.response.contains("Lot 3 was planted in spring"), "{answer:?}");

    let path = format!("/api/v1/chatbots/{bot}/files/{}/download", uploaded.file_id);
    let download = Request::new("GET", &path).key(&acme.key.text).send(service.address()).await;
    assert!(download.body == content, "the download is what was uploaded: {}", download.status);
    // One byte more is refused by its size, not by the connection.
    let larger = NewFile::new(codec::File::new(scan(FILE + 1, "Nobody reads this.")).named("larger.pdf"));
    let refused = client.files().upload(bot.into(), larger).await.unwrap_err();
    assert_eq!(refused.status().unwrap().as_u16(), 413, "{refused:?}");
    service.stop().await;
}
