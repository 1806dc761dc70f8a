//! What a chatbot answers from follows each change of its content, whatever is in memory.

use frontdesk_store::WebpageUpdate;

use super::*;
use crate::{
    fixtures::{NOW, add_page, chatbot, chunk, store, write_page},
    freshness::{LAG, LARGE},
    memory::Kept,
};

const QUESTION: &str = "When are parcels delivered?";

/// A chatbot and a search in its content.
struct Nursery {
    store: Store,
    chatbot: Chatbot,
    search: ContentSearch,
}

impl Nursery {
    async fn with(embedding: EmbeddingModel) -> Self {
        let store = store().await;
        let chatbot = chatbot(&store).await;
        let search = ContentSearch::new(store.clone(), embedding);
        Self { store, chatbot, search }
    }

    /// A chatbot that was asked lately, so that its only page is in memory.
    async fn in_memory(text: &str) -> (Self, Uuid) {
        let nursery = Self::with(EmbeddingModel::none()).await;
        let page = nursery.add("parcels", text).await;
        nursery.ask(QUESTION).await;
        assert_eq!(nursery.ask(QUESTION).await, [text]);
        assert!(nursery.is_in_memory().await);
        (nursery, page)
    }

    async fn add(&self, path: &str, text: &str) -> Uuid {
        let url = format!("https://nursery.example/{path}");
        add_page(&self.store, &self.chatbot, &url, vec![chunk(text)]).await
    }

    async fn switch(&self, page: Uuid, enabled: bool) {
        let scope = self.chatbot.scope();
        let page = self.store.webpages().find(&scope, page).await.unwrap().unwrap();
        let update = WebpageUpdate { enabled: Some(enabled), ..WebpageUpdate::default() };
        self.store.webpages().update(&scope, &page, &update, NOW).await.unwrap().unwrap();
    }

    async fn delete(&self, page: Uuid) {
        assert!(self.store.webpages().delete(&self.chatbot.scope(), page).await.unwrap());
    }

    fn kept(&self) -> Kept {
        self.search.memory.of(self.chatbot.chatbot_id)
    }

    async fn is_in_memory(&self) -> bool {
        self.search.snapshot(&self.chatbot).await.unwrap().is_in_memory()
    }

    async fn found(&self, question: &str) -> Retrieval {
        self.search.find(&self.chatbot, question, None, &[]).await.unwrap()
    }

    /// The texts that are found for a question, in the order of the alphabet.
    async fn ask(&self, question: &str) -> Vec<String> {
        let found = self.found(question).await.passages;
        let mut texts: Vec<String> = found.into_iter().map(|passage| passage.text).collect();
        texts.sort();
        texts
    }

    /// What is found right after a change of the content, which the database answers, and the same later,
    /// when it is in memory again.
    async fn ask_soon_and_later(&self) -> Vec<String> {
        assert!(!self.is_in_memory().await);
        let soon = self.ask(QUESTION).await;
        self.kept().age(LAG);
        assert_eq!(self.ask(QUESTION).await, soon);
        assert!(self.is_in_memory().await);
        soon
    }
}

const TUESDAYS: &str = "Parcels are delivered on Tuesdays.";
const ISLANDS: &str = "Parcels to the islands are delivered on Fridays.";
const BOAT: &str = "Parcels to the islands are delivered by boat.";

#[tokio::test]
async fn pages_are_found_once_they_are_added_and_no_more_once_they_are_deleted() {
    let (nursery, tuesdays) = Nursery::in_memory(TUESDAYS).await;
    let islands = nursery.add("islands", ISLANDS).await;
    assert_eq!(nursery.ask_soon_and_later().await, [TUESDAYS, ISLANDS]);
    nursery.delete(tuesdays).await;
    assert_eq!(nursery.ask_soon_and_later().await, [ISLANDS]);
    nursery.delete(islands).await;
    assert!(nursery.ask_soon_and_later().await.is_empty());
}

#[tokio::test]
async fn a_changed_page_is_found_with_its_new_text() {
    let (nursery, page) = Nursery::in_memory(TUESDAYS).await;
    for text in [ISLANDS, BOAT, TUESDAYS] {
        write_page(&nursery.store, &nursery.chatbot, page, vec![chunk(text)]).await;
        assert_eq!(nursery.ask_soon_and_later().await, [text]);
    }
}

#[tokio::test]
async fn a_page_that_is_switched_off_is_not_found() {
    let (nursery, page) = Nursery::in_memory(TUESDAYS).await;
    // The index in memory stays that of the content.
    for (enabled, expected) in [(false, Vec::new()), (true, vec![TUESDAYS])] {
        nursery.switch(page, enabled).await;
        assert!(nursery.is_in_memory().await);
        assert_eq!(nursery.ask(QUESTION).await, expected);
    }
}

#[tokio::test]
async fn a_deleted_chatbot_finds_nothing() {
    let (nursery, _) = Nursery::in_memory(TUESDAYS).await;
    let Nursery { store, chatbot, .. } = &nursery;
    assert!(store.chatbots().delete(&chatbot.scope(), chatbot.chatbot_id).await.unwrap());
    assert!(nursery.ask_soon_and_later().await.is_empty());
}

#[tokio::test]
async fn a_snapshot_stays_as_it_was_when_it_was_taken() {
    let (nursery, page) = Nursery::in_memory(TUESDAYS).await;
    let snapshot = nursery.search.snapshot(&nursery.chatbot).await.unwrap();
    nursery.add("islands", ISLANDS).await;
    nursery.delete(page).await;
    let query = snapshot.query(QUESTION, None, &[]).await.unwrap();
    let found = snapshot.find(&query).await.unwrap().passages;
    assert_eq!(found.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>(), [TUESDAYS]);
    assert_eq!(nursery.ask(QUESTION).await, [ISLANDS]);
}

#[tokio::test]
async fn a_chatbot_that_was_dropped_from_memory_is_read_again() {
    let (mut first, _) = Nursery::in_memory(TUESDAYS).await;
    first.search.memory = Memory::of_bytes(1);
    let second = Nursery {
        chatbot: chatbot(&first.store).await,
        store: first.store.clone(),
        search: first.search.clone(),
    };
    second.add("islands", ISLANDS).await;
    for _ in 0..3 {
        assert_eq!(first.ask(QUESTION).await, [TUESDAYS]);
        assert!(first.search.memory.has(first.chatbot.chatbot_id));
        assert_eq!(second.ask(QUESTION).await, [ISLANDS]);
        assert!(!first.search.memory.has(first.chatbot.chatbot_id));
    }
}

#[tokio::test]
async fn the_database_answers_for_a_large_chatbot() {
    let nursery = Nursery::with(EmbeddingModel::none()).await;
    let many = (0..=LARGE).map(|number| chunk(&format!("Tree {number} is an oak."))).collect();
    let trees = add_page(&nursery.store, &nursery.chatbot, "https://nursery.example/trees", many).await;
    let tuesdays = nursery.add("parcels", TUESDAYS).await;
    for question in [QUESTION, "Which parcles?"] {
        assert_eq!(nursery.ask(question).await, [TUESDAYS]);
        assert!(!nursery.is_in_memory().await);
    }
    // Its sizes and its vocabulary may lag behind, but not what is found.
    nursery.delete(tuesdays).await;
    nursery.add("islands", ISLANDS).await;
    assert_eq!(nursery.ask(QUESTION).await, [ISLANDS]);
    assert!(nursery.ask("Which isalnds?").await.is_empty());
    nursery.kept().age(LAG);
    assert_eq!(nursery.ask("Which isalnds?").await, [ISLANDS]);
    // Once it has become small, it gets an index.
    nursery.delete(trees).await;
    nursery.kept().age(LAG);
    for is_in_memory in [false, true] {
        assert_eq!(nursery.is_in_memory().await, is_in_memory);
        assert_eq!(nursery.ask(QUESTION).await, [ISLANDS]);
    }
}

#[cfg(feature = "bundled-model")]
mod vectors {
    use super::*;

    const DOGS: &str = "Dogs and cats may stay in all rooms on the ground floor for 8 euros a night.";
    const GARAGE: &str = "Guests leave their cars in the garage behind the station.";
    /// No word of it is in the content.
    const GERMAN: &str = "Darf ich meinen Hund mitbringen?";

    impl Nursery {
        /// Makes the vectors that are missing.
        async fn embed(&self) {
            let (vectors, model) = (self.store.vectors(), self.search.embedding());
            let id = model.id().await.unwrap().unwrap();
            let chunks = vectors.unembedded(&id, 100).await.unwrap();
            vectors.save(&id, &model.embed_chunks(chunks).await.unwrap()).await.unwrap();
        }

        /// The number of vectors that a question is compared with.
        async fn compared(&self) -> usize {
            self.found(GERMAN).await.support.cosines.map_or(0, |cosines| cosines.count)
        }
    }

    #[tokio::test]
    async fn vectors_are_compared_once_they_are_made() {
        let nursery = Nursery::with(EmbeddingModel::bundled()).await;
        let garage = nursery.add("garage", GARAGE).await;
        nursery.add("dogs", DOGS).await;
        // The model is loaded for the first question.
        assert_eq!(nursery.compared().await, 0);
        nursery.embed().await;
        assert_eq!(nursery.compared().await, 2);
        assert_eq!(nursery.found(GERMAN).await.passages[0].text, DOGS);

        let parcels = nursery.add("parcels", TUESDAYS).await;
        assert_eq!(nursery.compared().await, 2);
        nursery.embed().await;
        assert_eq!(nursery.compared().await, 3);

        // One is removed, then one removed and another added.
        nursery.delete(garage).await;
        assert_eq!(nursery.compared().await, 2);
        nursery.delete(parcels).await;
        nursery.add("islands", ISLANDS).await;
        nursery.embed().await;
        assert_eq!(nursery.compared().await, 2);
        assert_eq!(nursery.found(GERMAN).await.passages[0].text, DOGS);
    }
}
