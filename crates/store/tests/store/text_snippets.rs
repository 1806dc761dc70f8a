//! Text snippets are found from the moment they are written, page by page, and leave nothing behind.

use frontdesk_store::{
    ChatbotStatus, NewChunk, NewTextSnippet, Page, PageRequest, Scope, SnippetContent, SourceType, Store,
    TextSnippet, TextSnippetUpdate,
};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, candidates, chatbot, chunk};

on_both_databases!(
    a_snippet_is_searched_with_its_tags_until_it_is_disabled,
    pages_neither_repeat_nor_lose_snippets,
    a_change_that_another_one_overtook_is_not_made,
    snippets_of_other_tenants_do_not_exist,
    tags_are_listed_by_name_and_renamed,
);

fn content(title: &str, text: &str) -> SnippetContent {
    let passage = NewChunk { source_type: SourceType::TextSnippet, ..chunk(title, text) };
    SnippetContent {
        title: title.into(),
        content: text.into(),
        url: None,
        enabled: true,
        chunks: vec![passage],
    }
}

async fn create(store: &Store, scope: &Scope, chatbot_id: Uuid, text: &str, tag_ids: &[Uuid]) -> TextSnippet {
    let new = NewTextSnippet { content: content("Notes", text), tag_ids: tag_ids.to_vec() };
    store.text_snippets().create(scope, chatbot_id, &new, at(10)).await.unwrap().unwrap()
}

async fn found(store: &Store, scope: &Scope, chatbot_id: Uuid, word: &str, tags: &[Uuid]) -> usize {
    candidates(store, scope, chatbot_id, &[word.into()], tags, 10).await.unwrap().len()
}

async fn a_snippet_is_searched_with_its_tags_until_it_is_disabled(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let red = store.tags().create(&scope, bot, "Red", Some("#ff0000"), at(2)).await.unwrap().unwrap();
    let blue = store.tags().create(&scope, bot, "Blue", None, at(2)).await.unwrap().unwrap();
    let snippet = create(store, &scope, bot, "parking behind the house", &[red.tag_id]).await;
    assert_eq!((snippet.chunk_count, snippet.char_count), (1, 24));
    assert_eq!(snippet.tag_ids, [red.tag_id]);
    let ready = store.chatbots().find(&scope, bot).await.unwrap().unwrap();
    assert_eq!((ready.status, ready.training_sources), (ChatbotStatus::Ready, 1));
    assert_eq!(found(store, &scope, bot, "parking", &[]).await, 1);
    assert_eq!(found(store, &scope, bot, "parking", &[red.tag_id]).await, 1);
    assert_eq!(found(store, &scope, bot, "parking", &[blue.tag_id]).await, 0);
    assert_eq!(store.tags().find(&scope, bot, red.tag_id).await.unwrap().unwrap().usage_count, 1);

    let off = SnippetContent { enabled: false, ..content("Notes", "parking in the yard") };
    let update = TextSnippetUpdate { content: off, tag_ids: Some(vec![blue.tag_id]) };
    let off = store.text_snippets().update(&scope, &snippet, &update, at(11)).await.unwrap().unwrap();
    assert_eq!((off.chunk_count, off.content.as_str()), (0, "parking in the yard"));
    assert_eq!(off.tag_ids, [blue.tag_id]);
    assert_eq!(found(store, &scope, bot, "parking", &[]).await, 0);
    assert_eq!(store.chatbots().find(&scope, bot).await.unwrap().unwrap().training_sources, 0);

    let update = TextSnippetUpdate { content: content("Notes", "parking in the yard"), tag_ids: None };
    let on = store.text_snippets().update(&scope, &off, &update, at(12)).await.unwrap().unwrap();
    assert_eq!(on.tag_ids, [blue.tag_id], "tags that are not sent stay");
    assert_eq!(found(store, &scope, bot, "yard", &[blue.tag_id]).await, 1);
    assert!(store.text_snippets().delete(&scope, on.text_snippet_id).await.unwrap());
    assert!(!store.text_snippets().delete(&scope, on.text_snippet_id).await.unwrap());
    for table in ["text_snippets", "text_snippet_tags", "chunks"] {
        assert_eq!(database.count(table).await, 0, "{table}");
    }
}

async fn pages_neither_repeat_nor_lose_snippets(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let mut expected = Vec::new();
    for number in 0..7 {
        expected.push(create(store, &scope, bot, &format!("snippet {number}"), &[]).await.text_snippet_id);
    }
    let mut seen = Vec::new();
    let mut request = PageRequest::first(2);
    loop {
        let Page { items, next } =
            store.text_snippets().page(&scope, bot, None, Some(true), &request).await.unwrap();
        seen.extend(items.iter().map(|snippet| snippet.text_snippet_id));
        let Some(next) = next else { break };
        // What comes between two pages goes to the end of the list, and what goes is not missed.
        if seen.len() == 2 {
            expected.push(create(store, &scope, bot, "later", &[]).await.text_snippet_id);
            assert!(store.text_snippets().delete(&scope, seen[1]).await.unwrap());
        }
        request.after = Some(next);
    }
    assert_eq!(seen, expected);
    let disabled = store.text_snippets().page(&scope, bot, None, Some(false), &PageRequest::first(10)).await;
    assert!(disabled.unwrap().items.is_empty());
}

async fn a_change_that_another_one_overtook_is_not_made(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let read = create(store, &scope, bot, "first", &[]).await;
    let update = |text: &str| TextSnippetUpdate { content: content("Notes", text), tag_ids: None };
    let snippets = store.text_snippets();
    // Within one microsecond, too.
    let second = snippets.update(&scope, &read, &update("second"), at(10)).await.unwrap().unwrap();
    assert_eq!(snippets.update(&scope, &read, &update("lost"), at(11)).await.unwrap(), None);
    assert_eq!(found(store, &scope, bot, "second", &[]).await, 1);
    assert!(snippets.update(&scope, &second, &update("third"), at(11)).await.unwrap().is_some());
}

async fn snippets_of_other_tenants_do_not_exist(database: &Database) {
    let store = &database.store;
    let own = World::new(store, "own", 1).await;
    let foreign = World::new(store, "foreign", 2).await;
    let (scope, bot) = (own.account.scope(), own.chatbot.chatbot_id);
    let snippet = create(store, &foreign.account.scope(), foreign.chatbot.chatbot_id, "canary", &[]).await;
    let id = snippet.text_snippet_id;
    let snippets = store.text_snippets();
    assert!(snippets.find(&scope, foreign.chatbot.chatbot_id, id).await.unwrap().is_none());
    assert!(snippets.find(&scope, bot, id).await.unwrap().is_none());
    assert!(!snippets.delete(&scope, id).await.unwrap());
    let update = TextSnippetUpdate { content: content("x", "y"), tag_ids: None };
    assert!(snippets.update(&scope, &snippet, &update, at(11)).await.unwrap().is_none());
    let new = NewTextSnippet { content: content("x", "y"), tag_ids: vec![foreign.tag.tag_id] };
    assert!(snippets.create(&scope, foreign.chatbot.chatbot_id, &new, at(11)).await.unwrap().is_none());
    let created = snippets.create(&scope, bot, &new, at(11)).await.unwrap().unwrap();
    assert!(created.tag_ids.is_empty(), "a tag of another tenant is no tag");
    let page = PageRequest::first(10);
    assert!(
        snippets.page(&scope, foreign.chatbot.chatbot_id, None, None, &page).await.unwrap().items.is_empty()
    );
    assert!(
        store.tags().find(&scope, foreign.chatbot.chatbot_id, foreign.tag.tag_id).await.unwrap().is_none()
    );
    assert!(store.tags().update(&scope, foreign.tag.tag_id, Some("mine"), None).await.unwrap().is_none());
    assert!(store.tags().page(&scope, foreign.chatbot.chatbot_id, &page).await.unwrap().items.is_empty());
}

async fn tags_are_listed_by_name_and_renamed(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    for name in ["delta", "Alpha", "charlie", "Bravo"] {
        store.tags().create(&scope, bot, name, Some("#0000ff"), at(2)).await.unwrap().unwrap();
    }
    let mut names = Vec::new();
    let mut request = PageRequest::first(3);
    loop {
        let page = store.tags().page(&scope, bot, &request).await.unwrap();
        names.extend(page.items.into_iter().map(|tag| tag.name));
        let Some(next) = page.next else { break };
        request.after = Some(next);
    }
    assert_eq!(names, ["Alpha", "Bravo", "charlie", "delta"]);
    let tags = store.tags().list(&scope, bot).await.unwrap();
    let changed =
        store.tags().update(&scope, tags[0].tag_id, Some("Echo"), Some(None)).await.unwrap().unwrap();
    assert_eq!((changed.name.as_str(), changed.color), ("Echo", None));
    let changed =
        store.tags().update(&scope, tags[0].tag_id, None, Some(Some("#00ff00"))).await.unwrap().unwrap();
    assert_eq!((changed.name.as_str(), changed.color.as_deref()), ("Echo", Some("#00ff00")));
    let taken = store.tags().update(&scope, tags[0].tag_id, Some(" BRAVO "), None).await.unwrap_err();
    assert!(
        matches!(taken, frontdesk_store::TagError::AlreadyExists { tag_id } if tag_id == tags[1].tag_id),
        "{taken:?}"
    );
}
