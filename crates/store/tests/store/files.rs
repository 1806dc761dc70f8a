//! Files are read once for each revision, and their objects are found when nothing names them any more.

use frontdesk_store::{
    ChatbotStatus, FileContent, FileError, FileKind, FileOutcome, FileStatus, FileUpdate, FileWarning,
    FileWarnings, FilesFilter, NewChunk, PageRequest, SourceType,
};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, candidates, chatbot, chunk, file, job};

on_both_databases!(
    only_the_latest_revision_is_indexed,
    content_is_unique_within_a_chatbot,
    lists_are_filtered,
    objects_that_no_file_names_are_found,
);

fn outcome(text: &str) -> FileOutcome {
    FileOutcome {
        status: FileStatus::Ready,
        error: None,
        title: Some("Title of the document".into()),
        language: Some("en".into()),
        page_count: Some(3),
        char_count: text.len() as u64,
        warnings: FileWarnings(vec![FileWarning {
            code: "hidden_content".into(),
            message: "1 hidden row.".into(),
        }]),
        chunks: vec![NewChunk { source_type: SourceType::File, ..chunk("Menu", text) }],
    }
}

fn update() -> FileUpdate {
    FileUpdate { title: None, url: None, enabled: None, tag_ids: None, job: job("read_file") }
}

async fn only_the_latest_revision_is_indexed(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let tag = store.tags().create(&scope, bot, "Food", None, at(2)).await.unwrap().unwrap();
    let files = store.files();
    let first = files.create(&scope, bot, &file("soup", &[tag.tag_id]), at(3)).await.unwrap().unwrap();
    assert_eq!((first.status, first.revision, first.title.as_str()), (FileStatus::Pending, 1, "Menu"));
    assert_eq!(first.tag_ids, [tag.tag_id]);
    assert!(files.begin_reading(&scope, &first).await.unwrap());

    let content =
        FileContent { sha256: "other".into(), object_key: "other".into(), ..file("soup", &[]).content };
    let again = job("read_file");
    let replaced = files.replace_content(&scope, bot, first.file_id, &content, &again, at(4)).await;
    let replaced = replaced.unwrap().unwrap();
    assert_eq!((replaced.former_object_key, replaced.file.revision), (first.object_key.clone(), 2));
    assert!(!files.finish_reading(&scope, &first, &outcome("soup"), at(5)).await.unwrap());
    assert!(files.finish_reading(&scope, &replaced.file, &outcome("cake"), at(5)).await.unwrap());
    assert!(!files.begin_reading(&scope, &replaced.file).await.unwrap());

    let found = async |word: &str| {
        let words = [word.to_owned()];
        candidates(store, &scope, bot, &words, &[tag.tag_id], 10).await.unwrap().len()
    };
    assert_eq!((found("soup").await, found("cake").await), (0, 1));
    let ready = files.find(&scope, bot, first.file_id).await.unwrap().unwrap();
    assert_eq!(
        (ready.title.as_str(), ready.chunk_count, ready.page_count),
        ("Title of the document", 1, Some(3))
    );
    let trained = store.chatbots().find(&scope, bot).await.unwrap().unwrap();
    assert_eq!((trained.status, trained.training_sources), (ChatbotStatus::Ready, 1));

    let off = FileUpdate { enabled: Some(false), ..update() };
    let off = files.update(&scope, bot, first.file_id, &off, at(6)).await.unwrap().unwrap();
    assert_eq!((off.revision, off.chunk_count, found("cake").await), (2, 0, 0));
    let on = FileUpdate { enabled: Some(true), title: Some("Own".into()), ..update() };
    let on = files.update(&scope, bot, first.file_id, &on, at(7)).await.unwrap().unwrap();
    assert_eq!((on.revision, on.status, on.title.as_str()), (3, FileStatus::Pending, "Own"));
    assert!(files.finish_reading(&scope, &on, &outcome("cake"), at(8)).await.unwrap());
    assert_eq!(files.find(&scope, bot, first.file_id).await.unwrap().unwrap().title, "Own");
    assert_eq!(found("cake").await, 1);
    assert_eq!(files.delete(&scope, first.file_id).await.unwrap().as_deref(), Some("other"));
    assert_eq!(found("cake").await, 0);
}

async fn content_is_unique_within_a_chatbot(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let other = chatbot(store, &scope, "two").await.chatbot_id;
    let files = store.files();
    let first = files.create(&scope, bot, &file("soup", &[]), at(3)).await.unwrap().unwrap();
    let again = files.create(&scope, bot, &file("soup", &[]), at(3)).await.unwrap_err();
    assert!(matches!(again, FileError::AlreadyExists { file_id } if file_id == first.file_id), "{again:?}");
    assert!(files.create(&scope, other, &file("soup", &[]), at(3)).await.unwrap().is_some());
    let second = files.create(&scope, bot, &file("cake", &[]), at(4)).await.unwrap().unwrap();
    let same = file("soup", &[]).content;
    let taken = files.replace_content(&scope, bot, second.file_id, &same, &job("read_file"), at(5)).await;
    assert!(matches!(taken, Err(FileError::AlreadyExists { file_id }) if file_id == first.file_id));
    // The same content once more is read again.
    assert!(
        files
            .replace_content(&scope, bot, first.file_id, &same, &job("read_file"), at(5))
            .await
            .unwrap()
            .is_some()
    );
}

async fn lists_are_filtered(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let files = store.files();
    let mut image = file("image", &[]);
    image.title = Some("100% of the Garden".into());
    image.content.kind = FileKind::Image;
    let image = files.create(&scope, bot, &image, at(3)).await.unwrap().unwrap();
    let menu = files.create(&scope, bot, &file("menu", &[]), at(4)).await.unwrap().unwrap();
    let failed = FileOutcome {
        status: FileStatus::Failed,
        error: Some(("no_text".into(), "The file contains no text.".into())),
        chunks: Vec::new(),
        ..outcome("")
    };
    assert!(files.finish_reading(&scope, &menu, &failed, at(5)).await.unwrap());
    let ids = async |filter: FilesFilter| {
        let page = files.page(&scope, bot, &filter, &PageRequest::first(10)).await.unwrap();
        page.items.iter().map(|file| file.file_id).collect::<Vec<_>>()
    };
    let all = FilesFilter::default;
    assert_eq!(ids(all()).await, [image.file_id, menu.file_id]);
    assert_eq!(ids(FilesFilter { kind: Some(FileKind::Image), ..all() }).await, [image.file_id]);
    assert_eq!(ids(FilesFilter { status: Some(FileStatus::Failed), ..all() }).await, [menu.file_id]);
    assert_eq!(ids(FilesFilter { text: Some("% OF".into()), ..all() }).await, [image.file_id]);
    assert_eq!(
        ids(FilesFilter { text: Some("MENU.P".into()), ..all() }).await,
        [image.file_id, menu.file_id]
    );
    let menu = files.find(&scope, bot, menu.file_id).await.unwrap().unwrap();
    assert_eq!((menu.error_code.as_deref(), menu.error_at), (Some("no_text"), Some(at(5))));
}

async fn objects_that_no_file_names_are_found(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let new = file("soup", &[]);
    let objects = store.stored_objects();
    objects.register(&new.content.object_key, at(3)).await.unwrap();
    objects.register("never used", at(3)).await.unwrap();
    objects.register("just written", at(9)).await.unwrap();
    store.files().create(&scope, bot, &new, at(3)).await.unwrap().unwrap();
    assert_eq!(objects.orphans(at(5), 10).await.unwrap(), ["never used"]);
    objects.forget("never used").await.unwrap();
    assert!(store.chatbots().delete(&scope, bot).await.unwrap());
    assert_eq!(objects.orphans(at(5), 10).await.unwrap(), [new.content.object_key]);
}
