//! Vectors that are still to be made.

use std::collections::BTreeMap;

use frontdesk_store::{
    Chatbot, ChunkVectors, NewChunk, NewPage, NewVectors, Scope, Store, UnembeddedChunk, VectorProgress,
};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, chatbot, chunk, outcome};

on_both_databases!(
    accounts_take_turns,
    the_newest_chatbot_and_its_start_pages_come_first,
    chunks_that_say_the_same_keep_their_vectors,
    progress_counts_what_a_model_has_processed,
);

const OTHER: &str = "another model";

/// Adds a page with one chunk for each text, and returns its id.
async fn add_page(store: &Store, scope: &Scope, chatbot: &Chatbot, depth: u32, texts: &[&str]) -> Uuid {
    let url = format!("https://{}.example/{}", chatbot.name, texts[0]);
    let page = NewPage { url: url.clone(), root_url: url, parent_url: None, depth };
    store.webpages().add(scope, chatbot.chatbot_id, &[page], 100, at(2)).await.unwrap().unwrap();
    let pages = store.webpages().list(scope, chatbot.chatbot_id, None, None, 100).await.unwrap();
    let webpage_id = pages.last().unwrap().webpage_id;
    store_texts(store, scope, webpage_id, texts).await;
    webpage_id
}

async fn store_texts(store: &Store, scope: &Scope, webpage_id: Uuid, texts: &[&str]) {
    let chunks: Vec<NewChunk> = texts.iter().map(|text| chunk("Title", text)).collect();
    assert!(store.webpages().finish(scope, webpage_id, &outcome(chunks), at(3)).await.unwrap());
}

async fn waiting(store: &Store, model: &str) -> Vec<UnembeddedChunk> {
    store.vectors().unembedded(model, 100).await.unwrap()
}

/// Stores vectors of a model for all chunks; each vector says which text it is of.
async fn embed(store: &Store, model: &str) {
    let vectors =
        |chunk: &UnembeddedChunk| ChunkVectors { vector: chunk.text.clone().into_bytes(), segments: vec![7] };
    let made: Vec<_> = waiting(store, model)
        .await
        .iter()
        .map(|chunk| NewVectors { chunk_id: chunk.chunk_id, vectors: Some(vectors(chunk)) })
        .collect();
    store.vectors().save(model, &made).await.unwrap();
}

async fn the_newest_chatbot_and_its_start_pages_come_first(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let (older, newer) = (chatbot(store, &scope, "older").await, chatbot(store, &scope, "newer").await);
    add_page(store, &scope, &newer, 1, &["third", "fourth"]).await;
    add_page(store, &scope, &older, 0, &["fifth"]).await;
    add_page(store, &scope, &newer, 0, &["first", "second"]).await;
    let mut order = Vec::new();
    loop {
        // Batches of three, so that one holds chunks of both kinds.
        let Some((_, chunks)) = store.vectors().unembedded_in_turn("m", None, 3).await.unwrap() else {
            break;
        };
        let made = chunks.iter().map(|chunk| NewVectors { chunk_id: chunk.chunk_id, vectors: None });
        store.vectors().save("m", &made.collect::<Vec<_>>()).await.unwrap();
        order.push(chunks.into_iter().map(|chunk| chunk.text).collect::<Vec<_>>());
    }
    assert_eq!(order, [vec!["first", "second", "third"], vec!["fourth"], vec!["fifth"]]);
}

async fn chunks_that_say_the_same_keep_their_vectors(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let page = add_page(store, &scope, &bot, 0, &["menu", "prices", "footer"]).await;
    embed(store, "m").await;
    let last = store.vectors().last(&scope, bot.chatbot_id, "m").await.unwrap();
    // The page is stored again: one chunk is gone, one has another text, and the places have changed.
    store_texts(store, &scope, page, &["prices", "menu of today", "menu"]).await;
    let texts: Vec<_> = waiting(store, "m").await.into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(texts, ["menu of today"]);
    let chunks = store.chunks().of_page(&scope, page).await.unwrap();
    let mut kept = Vec::new();
    let each = |vector: frontdesk_store::StoredVector| {
        let of = chunks.iter().find(|chunk| chunk.chunk_id == vector.chunk_id).unwrap();
        assert_eq!(vector.vector, of.text.as_bytes(), "a vector stays with its text");
        // Who has read the others asks for higher numbers.
        assert!(vector.vector_no > last);
        kept.push(of.text.clone());
        Ok(())
    };
    store.vectors().after(&scope, bot.chatbot_id, "m", last, each).await.unwrap();
    kept.sort();
    assert_eq!(kept, ["menu", "prices"]);
    let ids: Vec<_> = chunks.iter().map(|chunk| chunk.chunk_id).collect();
    let segments = store.vectors().segments(&scope, bot.chatbot_id, "m", &ids).await.unwrap();
    assert!(segments.len() == 2 && segments.iter().all(|(_, bytes)| *bytes == [7]), "{segments:?}");
    assert_eq!(database.count("chunk_vectors").await, 2, "what is gone has no vectors");
}

async fn progress_counts_what_a_model_has_processed(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let (bot, other) = (chatbot(store, &scope, "bot").await, chatbot(store, &scope, "other").await);
    let progress = async |chatbot_id, model| {
        let mut found = store.vectors().progress(&scope, chatbot_id, model).await.unwrap();
        found.sort_by_key(|progress| progress.chatbot_id);
        found
    };
    let of = |bot: &Chatbot, passages, processed| VectorProgress {
        chatbot_id: bot.chatbot_id,
        passages,
        processed,
    };
    assert_eq!(progress(None, Some("m")).await, [], "without passages nothing is missing");
    add_page(store, &scope, &bot, 0, &["a", "b"]).await;
    embed(store, "m").await;
    add_page(store, &scope, &bot, 1, &["c"]).await;
    add_page(store, &scope, &other, 0, &["d"]).await;
    assert_eq!(progress(None, Some("m")).await, [of(&bot, 3, 2), of(&other, 1, 0)]);
    assert_eq!(progress(Some(other.chatbot_id), Some("m")).await, [of(&other, 1, 0)]);
    // Vectors of another model do not count, whether its name comes before or after.
    for model in [None, Some("a"), Some("z")] {
        assert_eq!(progress(Some(bot.chatbot_id), model).await, [of(&bot, 3, 0)], "{model:?}");
    }
    let unprocessed =
        async |limit| store.vectors().count_unprocessed(&scope, bot.chatbot_id, limit).await.unwrap();
    assert_eq!(unprocessed(10).await, 1);
    embed(store, "m").await;
    assert_eq!((progress(None, Some("m")).await, unprocessed(10).await), (vec![], 0));
    add_page(store, &scope, &bot, 1, &["e", "f", "g"]).await;
    assert_eq!((unprocessed(10).await, unprocessed(2).await), (3, 2));
}

async fn accounts_take_turns(database: &Database) {
    let store = &database.store;
    let mut expected = BTreeMap::new();
    for (name, seed) in [("one", 1), ("two", 2), ("three", 3)] {
        let account_id = World::new(store, name, seed).await.account.account_id;
        expected.insert(account_id, 0);
    }
    let all = store.vectors().unembedded(OTHER, 1_000).await.unwrap().len();
    let mut order = Vec::new();
    let mut after = None;
    while let Some((account_id, chunks)) = store.vectors().unembedded_in_turn(OTHER, after, 1).await.unwrap()
    {
        let [chunk] = &chunks[..] else { panic!("{chunks:?}") };
        let vectors = Some(ChunkVectors { vector: vec![1, 2], segments: Vec::new() });
        let made = [NewVectors { chunk_id: chunk.chunk_id, vectors }];
        store.vectors().save(OTHER, &made).await.unwrap();
        *expected.get_mut(&account_id).unwrap() += 1;
        order.push(account_id);
        after = Some(account_id);
    }
    assert_eq!(order.len(), all, "every chunk once");
    // All have as many, so each round serves each.
    let accounts: Vec<_> = expected.keys().copied().collect();
    assert!(expected.values().all(|chunks| chunks * 3 == all && *chunks > 1), "{expected:?}");
    assert!(order.chunks(3).all(|round| round == accounts), "{order:?}");
    // A new model begins with the first again.
    let (first, chunks) = store.vectors().unembedded_in_turn("third", None, 100).await.unwrap().unwrap();
    assert_eq!((first, chunks.len() * 3), (accounts[0], all), "only chunks of one account");
}
