//! The index in memory answers as the database does.

use std::time::Duration;

use frontdesk_store::{Chatbot, NewChunk, QueryWord, Store, WebpageUpdate};
use uuid::Uuid;

use super::*;
use crate::{
    fixtures::{NOW, add_page, chatbot, chunk, store},
    freshness::{LAG, SOON},
    memory::Memory,
};

const WORDS: [&str; 12] =
    ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "lime", "pear", "plum", "größe", "npm_token"];

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn words(&mut self, count: usize) -> String {
        // Earlier words are much more frequent than later ones.
        let word = |numbers: &mut Self| {
            let below = numbers.next(WORDS.len()) + 1;
            WORDS[numbers.next(below)]
        };
        (0..count).map(|_| word(self)).collect::<Vec<_>>().join(" ")
    }
}

/// Adds a page of some chunks, and returns its id.
async fn add(store: &Store, chatbot: &Chatbot, numbers: &mut Numbers) -> Uuid {
    let language = if numbers.next(3) == 0 { "de" } else { "en" };
    let chunks = (0..3).map(|_| NewChunk {
        language: Some(language.into()),
        terms_title: numbers.words(2),
        terms_headings: numbers.words(1),
        terms_body: numbers.words(8),
        ..chunk("Trees")
    });
    let chunks = chunks.collect();
    let url = format!("https://nursery.example/{}", numbers.next(usize::MAX));
    add_page(store, chatbot, &url, chunks).await
}

/// Compares what the index in memory returns with what the database does.
async fn assert_equal(store: &Store, chatbot: &Chatbot, index: &CurrentIndex, numbers: &mut Numbers) {
    let (scope, chatbot_id, search) = (chatbot.scope(), chatbot.chatbot_id, store.search());
    assert_eq!(*index.stats(), search.corpus_stats(&scope, chatbot_id).await.unwrap());
    let language = search.main_language(&scope, chatbot_id).await.unwrap();
    assert_eq!(index.main_language(), language.as_deref());
    let all: Vec<String> = WORDS.iter().chain(&["", "absent"]).map(|word| (*word).to_owned()).collect();
    let frequencies: Vec<u64> = all.iter().map(|word| index.frequency(word)).collect();
    assert_eq!(frequencies, search.document_frequencies(&scope, chatbot_id, &all).await.unwrap());
    for _ in 0..50 {
        let word = |text: &str| QueryWord { text: text.to_owned(), chunks: index.frequency(text) };
        let count = numbers.next(5);
        let words: Vec<QueryWord> = numbers.words(count).split(' ').chain(["absent"]).map(word).collect();
        let limit = u32::try_from(numbers.next(40)).unwrap();
        let chunks = index.stats().chunks;
        let stored = search.candidates(&scope, chatbot_id, &words, chunks, &[], limit).await.unwrap();
        assert_eq!(index.candidates(&words, limit), stored, "{limit} of {words:?}");
        let mut asked: Vec<Uuid> = stored.into_iter().chain([Uuid::nil()]).collect();
        asked.extend(index.chunk_ids().step_by(3));
        let mut found = [index.findable(&asked), search.findable(&scope, chatbot_id, &asked).await.unwrap()];
        for ids in &mut found {
            ids.sort_unstable();
            ids.dedup();
        }
        assert_eq!(found[0], found[1]);
    }
}

fn stored(store: &Store, chatbot: &Chatbot) -> StoredContent {
    StoredContent { store: store.clone(), scope: chatbot.scope(), chatbot_id: chatbot.chatbot_id }
}

#[tokio::test]
async fn the_index_in_memory_answers_as_the_database_does() {
    let store = store().await;
    let chatbot = chatbot(&store).await;
    let scope = chatbot.scope();
    let (stored, mut numbers) = (stored(&store, &chatbot), Numbers(7));
    let kept = Memory::new().of(chatbot.chatbot_id);
    let current = async || match Content::check(&stored, &kept).await.unwrap() {
        Content::Indexed(index) => Some(index),
        Content::Stored(_) => None,
        Content::Large(_) => panic!("a few chunks are not many"),
    };
    // The first question, and one long after it, are the database's.
    assert!(current().await.is_none());
    kept.age(SOON);
    assert!(current().await.is_none());
    assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;
    kept.age(LAG);

    let mut pages = Vec::new();
    for _ in 0..20 {
        pages.push(add(&store, &chatbot, &mut numbers).await);
    }
    assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;

    // A page that is switched off is left out at once, without a new index.
    let page = store.webpages().find(&scope, pages[4]).await.unwrap().unwrap();
    let off = WebpageUpdate { enabled: Some(false), ..WebpageUpdate::default() };
    store.webpages().update(&scope, &page, &off, NOW).await.unwrap().unwrap();
    let index = current().await.unwrap();
    assert_eq!(index.switched_off(), [pages[4]]);
    assert_equal(&store, &chatbot, &index, &mut numbers).await;

    // Changed content is the database's for a while, and then in memory again.
    assert!(store.webpages().delete(&scope, pages[7]).await.unwrap());
    assert!(current().await.is_none());
    kept.age(LAG);
    assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;
    pages.push(add(&store, &chatbot, &mut numbers).await);
    assert!(current().await.is_none());
    kept.age(Duration::ZERO);
    assert!(current().await.is_none());
}

#[tokio::test]
async fn an_index_that_is_read_for_a_question_answers_the_rest_of_it() {
    let store = store().await;
    let chatbot = chatbot(&store).await;
    let (stored, mut numbers) = (stored(&store, &chatbot), Numbers(7));
    let kept = Memory::new().of(chatbot.chatbot_id);
    for _ in 0..5 {
        add(&store, &chatbot, &mut numbers).await;
    }
    let content = Content::check(&stored, &kept).await.unwrap();
    assert!(content.in_memory().is_none(), "it was not asked before");
    let words = ["oak", "absent"].map(str::to_owned).to_vec();
    assert_eq!(content.known(&stored, &kept, words.clone()).await.unwrap(), ["oak"]);
    assert_equal(&store, &chatbot, content.in_memory().unwrap(), &mut numbers).await;

    // An index that was in memory is not that of content which has changed since.
    add(&store, &chatbot, &mut numbers).await;
    let content = Content::check(&stored, &kept).await.unwrap();
    assert_eq!(content.known(&stored, &kept, words).await.unwrap(), ["oak"]);
    assert!(content.in_memory().is_none(), "it has just changed");
}

#[tokio::test]
async fn a_chatbot_out_of_reach_has_no_content() {
    let store = store().await;
    let (own, foreign) = (chatbot(&store).await, chatbot(&store).await);
    let mut numbers = Numbers(7);
    add(&store, &foreign, &mut numbers).await;
    let within = stored(&store, &foreign);
    let beyond = StoredContent { scope: own.scope(), ..within.clone() };
    let kept = Memory::new().of(foreign.chatbot_id);
    Content::check(&within, &kept).await.unwrap();
    let content = Content::check(&within, &kept).await.unwrap();
    assert_eq!(content.stats(&within).await.unwrap().chunks, 3);
    // The index is in memory, but what the scope reaches decides.
    let content = Content::check(&beyond, &kept).await.unwrap();
    assert!(content.in_memory().is_none());
    assert_eq!(content.stats(&beyond).await.unwrap().chunks, 0);
}
