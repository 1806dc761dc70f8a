//! Files from upload to answer, and to their end.

use frontdesk_client::model::{
    DownloadFileOkHeaders, FileContent, FileKind, FileUpdate, NewFile, NewTag, TrainingStatus,
};
use frontdesk_runtime::{Uuid, codec};
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases,
    patience::until,
    site::{Page, Site},
};

on_both_databases!(files_are_read_and_leave_nothing_behind);

const MENU: &str = "Dish,Price\nLentil soup,6.50\nApple cake,4.20\n";

fn file(name: &str, content: impl Into<codec::ByteStream>) -> codec::File {
    codec::File::new(content).named(name)
}

async fn files_are_read_and_leave_nothing_behind(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&customer);
    let site = Site::answering(|path| match path {
        "/" => Page::html("Café", "<p>Welcome to the café at the old harbour, which opened in 1987.</p>"),
        _ => Page::missing(),
    })
    .await;
    let chatbot_id = learned(&client, &site).await;
    let files = client.files();
    let read = async |file_id: Uuid| {
        until("the file is read", async || {
            let file = files.get(chatbot_id.into(), file_id.into()).await.unwrap().into_inner();
            let is_busy = matches!(file.status, TrainingStatus::Pending | TrainingStatus::Processing);
            (!is_busy).then_some(file)
        })
        .await
    };

    let uploaded = files.upload(chatbot_id.into(), NewFile::new(file("menu.csv", MENU))).await.unwrap();
    assert_eq!((uploaded.status.clone(), &uploaded.kind), (TrainingStatus::Pending, &FileKind::Spreadsheet));
    let menu = read(uploaded.file_id.uuid()).await;
    assert_eq!(
        (menu.status.clone(), menu.chunk_count, menu.title.as_str()),
        (TrainingStatus::Ready, 1, "menu")
    );
    let answer = client
        .messages()
        .send(chatbot_id.into(), frontdesk_client::model::NewMessage::new("How much is the lentil soup?"));
    let answer = answer.await.unwrap();
    assert!(answer.response.contains("6.50"), "{answer:?}");

    // The same content again, as a new file and as the content of another one.
    let again = files.upload(chatbot_id.into(), NewFile::new(file("other.csv", MENU))).await;
    assert_eq!(status(&again), 409, "{again:?}");
    let hours = files
        .upload(chatbot_id.into(), NewFile::new(file("hours.txt", "We are closed on Sunday.")))
        .await
        .unwrap();
    let same = files
        .replace_content(chatbot_id.into(), hours.file_id, FileContent::new(file("menu.csv", MENU)))
        .await;
    assert_eq!(status(&same), 409, "{same:?}");
    let hours_id = read(hours.file_id.uuid()).await.file_id;
    let next = FileContent::new(file("hours-2.txt", "We are closed on Monday and on Tuesday."));
    assert_eq!(status(&files.replace_content(chatbot_id.into(), hours_id, next).await), 202);
    let hours = read(hours_id.uuid()).await;
    assert_eq!((hours.file_name.as_str(), hours.size_bytes), ("hours-2.txt", 39));

    // What cannot be read says why, and what is not accepted is refused.
    let broken = files
        .upload(chatbot_id.into(), NewFile::new(file("broken.pdf", "%PDF-1.7 nothing else")))
        .await
        .unwrap();
    let broken = read(broken.file_id.uuid()).await;
    assert_eq!(broken.status, TrainingStatus::Failed);
    assert_eq!(broken.last_error.unwrap().code, "damaged_file");
    let image = files
        .upload(chatbot_id.into(), NewFile::new(file("a.png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..])))
        .await
        .unwrap();
    let image = read(image.file_id.uuid()).await;
    assert_eq!(
        (image.status, image.last_error.unwrap().code.as_str()),
        (TrainingStatus::Skipped, "no_extractor")
    );
    for (name, content) in [("a.zip", "PK\x03\x04"), ("a.pdf", "only a text"), ("a.txt", "")] {
        let refused = files.upload(chatbot_id.into(), NewFile::new(file(name, content))).await;
        assert_eq!(status(&refused), 415, "{name}: {refused:?}");
    }

    let download = files.download(chatbot_id.into(), menu.file_id).await.unwrap();
    let headers: DownloadFileOkHeaders = download.typed_headers().unwrap();
    assert!(headers.content_disposition.starts_with("attachment; filename=\"menu.csv\""));
    assert_eq!(download.into_inner().text(1_000).await.unwrap(), MENU);

    // A title is indexed, tags limit the search, and a file that is switched off is not used.
    let tag = client.tags().create(chatbot_id.into(), NewTag::new("food")).await.unwrap();
    let update = FileUpdate::new().title("Menu and prices").tag_ids([tag.tag_id]);
    assert_eq!(
        files.update(chatbot_id.into(), menu.file_id, update).await.unwrap().status,
        TrainingStatus::Pending
    );
    assert_eq!(read(menu.file_id.uuid()).await.title, "Menu and prices");
    let off = files.update(chatbot_id.into(), menu.file_id, FileUpdate::new().enabled(false)).await.unwrap();
    assert_eq!((off.chunk_count, off.status.clone(), off.hit_count), (0, TrainingStatus::Ready, 1));

    // Nothing stays of a deleted file, and nothing of a deleted chatbot after the next cleaning.
    let objects = || objects(service.files.path());
    let before = objects();
    files.delete(chatbot_id.into(), menu.file_id).await.unwrap();
    assert_eq!(objects(), before - 1);
    client.chatbots().delete(chatbot_id.into()).await.unwrap();
    service.database.run("UPDATE stored_objects SET created_at = 0").await;
    service.database.make_due(&["delete_orphaned_objects"]).await;
    until("the cleaning ends", async || (objects() == 0).then_some(())).await;
    service.stop().await;
}

/// Returns how many objects a folder has.
fn objects(folder: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.path().is_dir() { objects(&entry.path()) } else { 1 }).sum()
}
