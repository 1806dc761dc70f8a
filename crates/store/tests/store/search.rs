//! The full-text index, whatever the words are.

use frontdesk_store::{ContentVersion, IndexedChunk, Store, StoreError, TagError, WebpageUpdate};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, candidates, chatbot, chunk, outcome};

on_both_databases!(
    any_of_the_words_is_enough,
    hostile_words_are_only_words,
    the_most_promising_candidates_survive_the_limit,
    tags_restrict_the_search,
    tags_have_unique_names,
    a_query_may_be_long,
    the_version_tells_of_every_change,
);

async fn texts(store: &Store, world: &World, words: &[&str]) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let found = candidates(store, &world.scope(), world.chatbot.chatbot_id, &words, &[], 50).await.unwrap();
    found.into_iter().map(|chunk| chunk.text).collect()
}

async fn any_of_the_words_is_enough(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    assert_eq!(texts(store, &world, &["tuesday", "nonsense"]).await, ["we deliver on tuesday"]);
    assert_eq!(texts(store, &world, &["refunds"]).await, ["ask within a week"], "a title counts");
    assert_eq!(texts(store, &world, &["ask", "deliver", "tuesday"]).await.len(), 2);
    assert_eq!(texts(store, &world, &["ask", "deliver", "tuesday"]).await[0], "we deliver on tuesday");
    assert!(texts(store, &world, &["deliv"]).await.is_empty(), "words are compared whole");
    assert!(texts(store, &world, &[]).await.is_empty());
    assert!(texts(store, &world, &[""]).await.is_empty());
    assert!(texts(store, &world, &["zz"]).await.is_empty());
}

async fn hostile_words_are_only_words(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let hostile = [
        "\"",
        "'",
        "''",
        "*",
        "deliver*",
        "\"deliver\"",
        "NEAR",
        "near(",
        "AND",
        "OR",
        "NOT",
        "-deliver",
        "^deliver",
        "tokens:deliver",
        "{tokens}",
        ":*",
        "!",
        "&",
        "|",
        "<->",
        "deliver:*",
        "(",
        ")",
        "\\",
        "\\'",
        "%",
        "_",
        ";--",
        "\0",
        "\u{fffd}",
        "日本語",
        "🥐",
        "ﬃ",
        "İ",
        "\u{202e}",
        "a\u{301}",
        "deliver\u{a0}",
        "$1",
        "?",
        "1zzdeliver",
        "z",
        "zz",
        "z7a",
        "null",
        "true",
        "{\"token\":1}",
        "[]",
    ];
    for word in hostile {
        assert!(texts(store, &world, &[word]).await.is_empty(), "{word:?}");
        assert_eq!(texts(store, &world, &[word, "tuesday"]).await, ["we deliver on tuesday"], "{word:?}");
        let words = [word.to_owned(), "deliver".to_owned(), word.to_owned()];
        let frequencies =
            store.search().document_frequencies(&world.scope(), world.chatbot.chatbot_id, &words).await;
        assert_eq!(frequencies.unwrap(), [0, 1, 0], "{word:?}");
    }
    // The same words are found where they are part of a text, each on its own. A NUL is stored as another
    // character, and white space is not a word.
    let stored: Vec<_> =
        hostile.into_iter().filter(|word| !word.contains(['\0', '\u{fffd}', '\u{a0}'])).collect();
    let mut chunks = Vec::new();
    for word in &stored {
        let mut one = chunk("", word);
        (*word).clone_into(&mut one.terms_body);
        chunks.push(one);
    }
    let page = world.page.webpage_id;
    assert!(store.webpages().finish(&world.scope(), page, &outcome(chunks), at(9)).await.unwrap());
    for word in &stored {
        assert_eq!(texts(store, &world, &[word]).await, [(*word).to_owned()], "{word:?}");
    }
    let long = "x".repeat(10_000);
    let mut one = chunk("", "long");
    one.terms_body.clone_from(&long);
    assert!(store.webpages().finish(&world.scope(), page, &outcome(vec![one]), at(9)).await.unwrap());
    assert_eq!(texts(store, &world, &[&long]).await, ["long"]);
}

async fn the_most_promising_candidates_survive_the_limit(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let mut chunks: Vec<_> = (0..40).map(|number| chunk("", &format!("common number{number}"))).collect();
    chunks[37] = chunk("", "common rare");
    chunks[38] = chunk("", "common uncommon rare");
    chunks[39] = chunk("", "rare");
    assert!(
        store
            .webpages()
            .finish(&world.scope(), world.page.webpage_id, &outcome(chunks), at(9))
            .await
            .unwrap()
    );
    let words = ["common", "uncommon", "rare", "common"].map(str::to_owned);
    let found = candidates(store, &world.scope(), world.chatbot.chatbot_id, &words, &[], 4).await.unwrap();
    let texts: Vec<_> = found.iter().map(|chunk| chunk.text.as_str()).collect();
    assert_eq!(texts, ["common uncommon rare", "common rare", "rare", "common number0"]);
    let none = candidates(store, &world.scope(), world.chatbot.chatbot_id, &words, &[], 0).await.unwrap();
    assert!(none.is_empty());
}

async fn tags_restrict_the_search(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let more = ["a", "b"].map(|path| frontdesk_store::NewPage::root(format!("https://bot.example/{path}")));
    store.webpages().add(&scope, bot, &more, 100, at(2)).await.unwrap().unwrap();
    let mut pages = Vec::new();
    while let Some(page) = store.webpages().next_pending(&scope, bot).await.unwrap() {
        let chunks = vec![chunk("", &format!("page {}", pages.len()))];
        assert!(store.webpages().finish(&scope, page.webpage_id, &outcome(chunks), at(3)).await.unwrap());
        pages.push(page.webpage_id);
    }
    let red = store.tags().create(&scope, bot, "red", None, at(4)).await.unwrap().unwrap().tag_id;
    let blue = store.tags().create(&scope, bot, "blue", None, at(4)).await.unwrap().unwrap().tag_id;
    for (page, tag) in [(pages[0], red), (pages[1], red), (pages[1], blue), (pages[1], blue)] {
        assert!(store.tags().tag_webpage(&scope, page, tag).await.unwrap());
    }
    let found = async |tags: &[Uuid]| {
        let found = candidates(store, &scope, bot, &["page".to_owned()], tags, 10).await.unwrap();
        found.into_iter().map(|chunk| chunk.text).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]).await, ["page 0", "page 1", "page 2"]);
    assert_eq!(found(&[red]).await, ["page 0", "page 1"]);
    assert_eq!(found(&[blue]).await, ["page 1"]);
    assert_eq!(found(&[blue, red, red]).await, ["page 0", "page 1"]);
    assert!(found(&[Uuid::nil()]).await.is_empty(), "an unknown tag never means everything");
    assert!(store.tags().untag_webpage(&scope, pages[0], red).await.unwrap());
    assert!(!store.tags().untag_webpage(&scope, pages[0], red).await.unwrap());
    assert_eq!(found(&[red]).await, ["page 1"]);
    assert!(store.tags().delete(&scope, red).await.unwrap());
    assert!(found(&[red]).await.is_empty());
    assert_eq!(found(&[]).await.len(), 3, "the pages stay");
}

async fn tags_have_unique_names(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let [one, two] = [chatbot(store, &scope, "one").await, chatbot(store, &scope, "two").await];
    let tag = store.tags().create(&scope, one.chatbot_id, " Größe ", None, at(0)).await.unwrap().unwrap();
    assert_eq!((tag.name.as_str(), tag.usage_count), ("Größe", 0));
    let error = store.tags().create(&scope, one.chatbot_id, "GRÖßE", None, at(0)).await.unwrap_err();
    assert!(matches!(&error, TagError::AlreadyExists { tag_id } if *tag_id == tag.tag_id), "{error:?}");
    let error = store.tags().create(&scope, one.chatbot_id, "  ", None, at(0)).await.unwrap_err();
    assert!(matches!(error, TagError::Store(StoreError::InvalidValue { field: "name", .. })), "{error:?}");
    store.tags().create(&scope, two.chatbot_id, "größe", None, at(0)).await.unwrap().unwrap();
    let page = store.webpages().next_pending(&scope, two.chatbot_id).await.unwrap().unwrap();
    assert!(
        !store.tags().tag_webpage(&scope, page.webpage_id, tag.tag_id).await.unwrap(),
        "the tag of another chatbot"
    );
    assert_eq!(store.tags().list(&scope, one.chatbot_id).await.unwrap(), [tag]);
}

async fn a_query_may_be_long(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let mut words: Vec<String> = (0..5_000).map(|number| format!("word{number}")).collect();
    words.insert(10, "tuesday".to_owned());
    let found = candidates(store, &world.scope(), world.chatbot.chatbot_id, &words, &[], 10).await.unwrap();
    assert_eq!(found.len(), 1);
    let frequencies =
        store.search().document_frequencies(&world.scope(), world.chatbot.chatbot_id, &words).await.unwrap();
    assert_eq!((frequencies.len(), frequencies[10], frequencies.iter().sum::<u64>()), (5_001, 1, 1));
}

async fn the_version_tells_of_every_change(database: &Database) {
    let store = &database.store;
    let empty = account(store, "Empty").await.scope();
    let bot = chatbot(store, &empty, "bot").await.chatbot_id;
    assert_eq!(store.search().version(&empty, bot).await.unwrap(), ContentVersion::default());

    let world = World::new(store, "one", 1).await;
    let (scope, bot, page) = (world.scope(), world.chatbot.chatbot_id, world.page.clone());
    let version = async || store.search().version(&scope, bot).await.unwrap();
    let indexed = async || {
        let mut chunks: Vec<IndexedChunk> = Vec::new();
        store.search().indexed(&scope, bot, |chunk| chunks.push(chunk)).await.unwrap();
        chunks.sort_by_key(|chunk| chunk.chunk_no);
        chunks
    };
    let mut versions = vec![version().await];
    let chunks = indexed().await;
    assert_eq!(
        (versions[0].chunks, versions[0].last),
        (chunks.len() as u64, chunks.last().unwrap().chunk_no)
    );
    let of_page = store.chunks().of_page(&scope, page.webpage_id).await.unwrap();
    for chunk in &of_page {
        let found = chunks.iter().find(|found| found.chunk_id == chunk.chunk_id).unwrap();
        assert_eq!((found.webpage_id, &found.language), (chunk.webpage_id, &chunk.language));
        let fields = [&chunk.terms_title, &chunk.terms_headings, &chunk.terms_body];
        assert_eq!(found.words, fields.map(String::as_str).join(" "));
        let lengths = [found.length_title, found.length_headings, found.length_body];
        assert_eq!(lengths, fields.map(|words| words.split_whitespace().count() as u64));
    }

    // As many chunks as before, but others.
    let same_number = of_page.iter().map(|_| chunk("", "other words")).collect();
    assert!(store.webpages().finish(&scope, page.webpage_id, &outcome(same_number), at(9)).await.unwrap());
    versions.push(version().await);
    for enabled in [false, true] {
        let update = WebpageUpdate { enabled: Some(enabled), ..WebpageUpdate::default() };
        store.webpages().update(&scope, &page, &update, at(10)).await.unwrap().unwrap();
        versions.push(version().await);
    }
    assert_eq!((versions[2].switched_off.as_slice(), &versions[3]), (&[page.webpage_id][..], &versions[1]));
    assert!(store.webpages().delete(&scope, page.webpage_id).await.unwrap());
    versions.push(version().await);
    for pair in versions.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}
