//! Training content beside the website: tags, text snippets and files.

use released_client::{
    model::{
        CreateTagError, DownloadFileOkHeaders, File, FileContent, FileId, FileKind, FileUpdate, NewFile,
        NewMessage, NewTag, NewTextSnippet, TagId, TagUpdate, TextSnippetUpdate, TrainingStatus,
        UploadFileError,
    },
    runtime::{Patch, codec},
};

use crate::{Bakery, Outcome, waiting::eventually};

/// Adds content, answers from it, changes it and removes it.
pub async fn teach(bakery: &Bakery) -> Outcome {
    let tag_id = tags(bakery).await?;
    text_snippets(bakery, tag_id).await?;
    files(bakery, tag_id).await?;

    let tags = bakery.client.tags();
    assert_eq!(tags.get(bakery.chatbot_id, tag_id).await?.usage_count, 0, "all its content is deleted");
    tags.delete(bakery.chatbot_id, tag_id).await?;
    assert!(tags.get(bakery.chatbot_id, tag_id).await.is_err_and(|error| error.is_not_found()));
    Ok(())
}

/// A tag groups content, whatever its kind.
async fn tags(bakery: &Bakery) -> Outcome<TagId> {
    let (tags, chatbot_id) = (bakery.client.tags(), bakery.chatbot_id);
    let tag = tags.create(chatbot_id, NewTag::new("Visit").color("#1a7f5c")).await?.into_inner();
    assert_eq!((&*tag.name, tag.color.as_deref()), ("Visit", Some("#1a7f5c")));
    // The name is unique, and the error names the tag that has it.
    let taken = tags.create(chatbot_id, NewTag::new("visit")).await.expect_err("the name is taken");
    let CreateTagError::Conflict(taken) = taken.into_declared()? else { return Err("not a conflict".into()) };
    assert_eq!(taken.existing_id, Some(tag.tag_id.uuid()));

    let update = TagUpdate::new().name("Visits").color(Patch::Null);
    let renamed = tags.update(chatbot_id, tag.tag_id, update).await?;
    assert_eq!((&*renamed.name, &renamed.color), ("Visits", &None));
    let listed = tags.list(chatbot_id).await?;
    assert_eq!(listed.tags, [renamed.into_inner()]);
    Ok(tag.tag_id)
}

async fn text_snippets(bakery: &Bakery, tag_id: TagId) -> Outcome {
    let (snippets, chatbot_id) = (bakery.client.text_snippets(), bakery.chatbot_id);
    let parking =
        NewTextSnippet::new("Parking", "You can park free of charge behind the shop.").tag_ids([tag_id]);
    let snippet = snippets.create(chatbot_id, parking).await?.into_inner();
    let id = snippet.text_snippet_id;
    // A message can be restricted to the content with some tags.
    let question = NewMessage::new("Where can I park?").source_tags(["Visits"]);
    let answer = bakery.client.messages().send(chatbot_id, question).await?;
    assert!(answer.response.contains("behind the shop"), "{answer:?}");

    let update = TextSnippetUpdate::new().content("You can park for two hours.").enabled(false);
    let updated = snippets.update(chatbot_id, id, update).await?;
    assert_eq!((updated.enabled, &*updated.title), (false, "Parking"));
    assert_eq!(snippets.get(chatbot_id, id).await?.content, "You can park for two hours.");
    let off = snippets.list(chatbot_id).tag_id(tag_id).enabled(false).await?;
    assert_eq!(off.text_snippets.iter().map(|snippet| snippet.text_snippet_id).collect::<Vec<_>>(), [id]);
    snippets.delete(chatbot_id, id).await?;
    assert!(snippets.list(chatbot_id).await?.text_snippets.is_empty());
    Ok(())
}

const MENU: &str = "Bread,Price\nRye loaf,4.20\nSeeded roll,0.80\n";

/// Files are read in the background.
async fn files(bakery: &Bakery, tag_id: TagId) -> Outcome {
    let (files, chatbot_id) = (bakery.client.files(), bakery.chatbot_id);
    let menu = || codec::File::new(MENU).named("menu.csv");
    let new = NewFile::new(menu()).title("Price list").tag_ids([tag_id]);
    let uploaded = files.upload(chatbot_id, new).await?.into_inner();
    assert_eq!((&uploaded.kind, &uploaded.status), (&FileKind::Spreadsheet, &TrainingStatus::Pending));
    let id = uploaded.file_id;
    let read = ready(bakery, id).await?;
    assert_eq!((&*read.file_name, read.size_bytes), ("menu.csv", i64::try_from(MENU.len())?));
    let answer =
        bakery.client.messages().send(chatbot_id, NewMessage::new("How much is the rye loaf?")).await?;
    assert!(answer.response.contains("4.20"), "{answer:?}");
    let text = files.get_content(chatbot_id, id).await?;
    assert!(text.text.contains("Rye loaf") && text.chunks.len() == 1, "{text:?}");
    assert_eq!(read.warnings.as_deref(), Some(&[][..]), "{read:?}");
    // The same content is not stored twice.
    let twice = files.upload(chatbot_id, NewFile::new(menu())).await.expect_err("it is there already");
    let UploadFileError::Conflict(twice) = twice.into_declared()? else {
        return Err("not a conflict".into());
    };
    assert_eq!(twice.existing_id, Some(id.uuid()));

    let update = FileUpdate::new().title("Bread and prices").url("https://bakery.example/menu");
    let updated = files.update(chatbot_id, id, update).await?;
    assert_eq!(updated.url.as_deref(), Some("https://bakery.example/menu"));
    let later = MENU.replace("4.20", "4.50");
    let content = FileContent::new(codec::File::new(later.clone()).named("menu-2.csv"));
    files.replace_content(chatbot_id, id, content).await?;
    let replaced = ready(bakery, id).await?;
    assert_eq!((&*replaced.file_name, &*replaced.title), ("menu-2.csv", "Bread and prices"));

    let download = files.download(chatbot_id, id).await?;
    let headers: DownloadFileOkHeaders = download.typed_headers()?;
    assert!(headers.content_disposition.contains("menu-2.csv"), "{headers:?}");
    assert_eq!(download.into_inner().text(10_000).await?, later);
    let listed = files.list(chatbot_id).kind(FileKind::Spreadsheet).q("prices").await?;
    assert_eq!(listed.files.iter().map(|file| file.file_id).collect::<Vec<_>>(), [id]);
    files.delete(chatbot_id, id).await?;
    assert!(files.list(chatbot_id).await?.files.is_empty());
    Ok(())
}

/// Waits until a file is read.
async fn ready(bakery: &Bakery, file_id: FileId) -> Outcome<File> {
    eventually("the file is read", async || {
        let file = bakery.client.files().get(bakery.chatbot_id, file_id).await?.into_inner();
        assert!(!matches!(file.status, TrainingStatus::Failed | TrainingStatus::Skipped), "{file:?}");
        Ok((file.status == TrainingStatus::Ready).then_some(file))
    })
    .await
}
