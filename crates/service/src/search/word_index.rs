//! [`WordIndex`]: which chunks of a chatbot have which words, in memory; [`WordIndexCache`]: those of the chatbots that were asked last.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use foldhash::fast::RandomState;
use frontdesk_store::{ContentVersion, CorpusStats, IndexedChunk, QueryWord, Scope, Store, StoreError};
use uuid::Uuid;

use crate::recent::Recent;

/// Most bytes of all indexes together.
const MAX_BYTES: usize = 12 << 20;

/// Most chunks of a chatbot whose index is held in memory. That of a larger one would take the place of those of many others.
pub(super) const MAX_CHUNKS: u64 = 5_000;

/// For so long after an index was made, the database is asked instead if the content has changed. A chatbot whose content is just being
/// read changes with each page.
const PAUSE: Duration = Duration::from_secs(10);

/// A chatbot that is asked again within this time gets an index in memory: making it takes longer than a question to the database.
const SOON: Duration = Duration::from_mins(2);

/// Bytes of a chatbot beside its index.
const ASKED: usize = 96;

/// Bytes of a word beside its letters and places.
const WORD: usize = 64;

/// Bytes of a chunk.
const CHUNK: usize = 88;

/// A chunk of the index.
#[derive(Debug)]
struct Entry {
    chunk_no: i64,
    chunk_id: Uuid,
    webpage_id: Option<Uuid>,
}

/// Which chunks of a chatbot have which words.
#[derive(Debug, Default)]
pub(super) struct WordIndex {
    chunks: Vec<Entry>,
    /// The number of the last chunk.
    last: i64,
    /// The places of the chunks by their ids.
    by_id: HashMap<Uuid, u16, RandomState>,
    /// The numbers of the words.
    words: HashMap<Box<str>, u32, RandomState>,
    /// The places of the chunks that have a word, one word after the other.
    places: Vec<u16>,
    /// Where the places of each word begin, and at last the end of all.
    starts: Vec<u32>,
    stats: CorpusStats,
    main_language: Option<String>,
}

impl WordIndex {
    async fn read(store: &Store, scope: &Scope, chatbot_id: Uuid) -> Result<Self, StoreError> {
        let mut builder = Builder::default();
        store.search().indexed(scope, chatbot_id, |chunk| builder.add(chunk)).await?;
        Ok(builder.finish())
    }

    fn is_of(&self, version: &ContentVersion) -> bool {
        (self.stats.chunks, self.last) == (version.chunks, version.last)
    }

    /// Returns whether any chunk has a word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Returns the places of the chunks that have a word.
    fn places(&self, word: &str) -> &[u16] {
        let Some(number) = self.words.get(word) else { return &[] };
        let bound = |number: u32| self.starts.get(number as usize).map(|start| *start as usize);
        let range = bound(*number).zip(bound(number + 1));
        range.and_then(|(start, end)| self.places.get(start..end)).unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        let words = self.words.keys().map(|word| WORD + word.len()).sum::<usize>();
        self.chunks.len() * CHUNK + words + size_of_val(self.places.as_slice())
    }
}

/// An index on its way from the chunks that are read.
#[derive(Debug, Default)]
struct Builder {
    index: WordIndex,
    /// The numbers of words and the places of the chunks that have them, in the order of the chunks.
    occurrences: Vec<(u32, u16)>,
    /// For each word, the number of chunks that have it, and the place of the last one.
    counts: Vec<(u32, u16)>,
    lengths: [u64; 3],
    languages: BTreeMap<Option<String>, usize>,
}

impl Builder {
    fn add(&mut self, chunk: IndexedChunk) {
        let Self { index, occurrences, counts, lengths, languages } = self;
        let IndexedChunk { chunk_no, chunk_id, webpage_id, .. } = chunk;
        // More than fit were added since they were counted: they are too many for memory anyway.
        let Ok(place) = u16::try_from(index.chunks.len()) else { return };
        index.chunks.push(Entry { chunk_no, chunk_id, webpage_id });
        index.last = index.last.max(chunk_no);
        index.by_id.insert(chunk_id, place);
        for word in chunk.words.split_ascii_whitespace() {
            let Some(number) = index.words.get(word).copied() else {
                let Ok(number) = u32::try_from(counts.len()) else { return };
                index.words.insert(word.into(), number);
                counts.push((1, place));
                occurrences.push((number, place));
                continue;
            };
            if let Some((count, last)) = counts.get_mut(number as usize)
                && *last != place
            {
                (*count, *last) = (*count + 1, place);
                occurrences.push((number, place));
            }
        }
        for (sum, length) in
            lengths.iter_mut().zip([chunk.length_title, chunk.length_headings, chunk.length_body])
        {
            *sum += length;
        }
        *languages.entry(chunk.language).or_default() += 1;
    }

    fn finish(self) -> WordIndex {
        let Self { mut index, occurrences, counts, lengths: [title, headings, body], languages } = self;
        let mut end = 0;
        for (count, _) in &counts {
            index.starts.push(end);
            end += count;
        }
        let mut free = index.starts.clone();
        index.starts.push(end);
        index.places = vec![0; occurrences.len()];
        for (number, place) in occurrences {
            if let Some(next) = free.get_mut(number as usize)
                && let Some(slot) = index.places.get_mut(*next as usize)
            {
                *slot = place;
                *next += 1;
            }
        }
        index.stats = CorpusStats::new(index.chunks.len() as u64, title, headings, body);
        let most = languages.into_iter().min_by_key(|(language, count)| (Reverse(*count), language.clone()));
        index.main_language = most.and_then(|(language, _)| language);
        index
    }
}

/// The index of what a chatbot has at the moment.
#[derive(Debug)]
pub(super) struct CurrentIndex {
    index: Arc<WordIndex>,
    switched_off: Vec<Uuid>,
}

impl CurrentIndex {
    /// Returns an index if it is that of this version.
    pub(super) fn of(index: &Arc<WordIndex>, version: &ContentVersion) -> Option<Self> {
        let current = || Self { index: Arc::clone(index), switched_off: version.switched_off.clone() };
        index.is_of(version).then(current)
    }

    /// Returns the sizes of the content.
    pub(super) fn stats(&self) -> &CorpusStats {
        &self.index.stats
    }

    /// Returns the language of most chunks.
    pub(super) fn main_language(&self) -> Option<&str> {
        self.index.main_language.as_deref()
    }

    /// Returns how many chunks have a word.
    pub(super) fn frequency(&self, word: &str) -> u64 {
        self.index.places(word).len() as u64
    }

    /// Returns the chunks that have at least one of the words, at most `limit`, in the order in which the store returns them.
    pub(super) fn candidates(&self, words: &[QueryWord], limit: u32) -> Vec<Uuid> {
        let WordIndex { chunks, stats, .. } = self.index.as_ref();
        let mut scores = vec![0_i64; chunks.len()];
        for (word, weight) in QueryWord::sought(words, stats.chunks, limit, false) {
            for place in self.index.places(word) {
                if let Some(score) = scores.get_mut(usize::from(*place)) {
                    *score += weight;
                }
            }
        }
        let found = scores.into_iter().zip(chunks).filter(|(score, _)| *score > 0);
        let mut found: Vec<(i64, &Entry)> = found.filter(|(_, chunk)| self.is_switched_on(chunk)).collect();
        found.sort_unstable_by_key(|(score, chunk)| (Reverse(*score), chunk.chunk_no));
        found.into_iter().take(limit as usize).map(|(_, chunk)| chunk.chunk_id).collect()
    }

    /// Returns those of the chunks that exist and whose source is switched on.
    pub(super) fn findable(&self, chunk_ids: &[Uuid]) -> Vec<Uuid> {
        let WordIndex { chunks, by_id, .. } = self.index.as_ref();
        let chunk = |id: &Uuid| chunks.get(usize::from(*by_id.get(id)?));
        let found = chunk_ids.iter().filter_map(chunk).filter(|chunk| self.is_switched_on(chunk));
        found.map(|chunk| chunk.chunk_id).collect()
    }

    fn is_switched_on(&self, chunk: &Entry) -> bool {
        chunk.webpage_id.is_none_or(|page| !self.switched_off.contains(&page))
    }
}

/// What is known of a chatbot that was asked lately.
#[derive(Clone, Debug)]
struct Asked {
    /// Made for the second question within [`SOON`], or for a word that the content does not have.
    index: Option<Arc<WordIndex>>,
    /// When the index was made, or the first question was asked.
    since: Instant,
}

/// What a chatbot has at the moment of a question.
#[derive(Debug)]
pub(super) enum Content {
    /// It is in memory.
    Indexed(CurrentIndex),
    /// The database is asked: the chatbot was not asked lately, or its content has just changed.
    Stored(ContentVersion),
    /// The database is asked, because an index would be too large.
    Large,
}

/// Indexes in memory. The database is then only asked whether the content has changed. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct WordIndexCache(Arc<Mutex<Recent<Asked, MAX_BYTES>>>);

impl WordIndexCache {
    /// Returns what a chatbot has at the moment.
    pub(super) async fn current(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
    ) -> Result<Content, StoreError> {
        let version = store.search().version(scope, chatbot_id).await?;
        if version.chunks > MAX_CHUNKS {
            return Ok(Content::Large);
        }
        let asked = self.get(chatbot_id);
        let index = match asked.as_ref().map(|asked| (asked.index.as_ref(), asked.since.elapsed())) {
            Some((Some(index), _)) if index.is_of(&version) => Arc::clone(index),
            Some((Some(_), age)) if age < PAUSE => return Ok(Content::Stored(version)),
            Some((Some(_), _)) => self.read(store, scope, chatbot_id).await?,
            Some((None, age)) if age < SOON => self.read(store, scope, chatbot_id).await?,
            Some((None, _)) | None => {
                self.put(chatbot_id, None);
                return Ok(Content::Stored(version));
            }
        };
        if index.stats.chunks > MAX_CHUNKS {
            return Ok(Content::Large);
        }
        Ok(Content::Indexed(CurrentIndex { index, switched_off: version.switched_off }))
    }

    /// Returns the index of a chatbot that is not large, which may be of the content that it had lately.
    pub(super) async fn recent(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
    ) -> Result<Arc<WordIndex>, StoreError> {
        match self.get(chatbot_id).and_then(|asked| asked.index) {
            Some(index) => Ok(index),
            None => self.read(store, scope, chatbot_id).await,
        }
    }

    async fn read(
        &self,
        store: &Store,
        scope: &Scope,
        chatbot_id: Uuid,
    ) -> Result<Arc<WordIndex>, StoreError> {
        let index = Arc::new(WordIndex::read(store, scope, chatbot_id).await?);
        if index.stats.chunks <= MAX_CHUNKS {
            self.put(chatbot_id, Some(Arc::clone(&index)));
        }
        Ok(index)
    }

    fn get(&self, chatbot_id: Uuid) -> Option<Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(chatbot_id).cloned()
    }

    fn put(&self, chatbot_id: Uuid, index: Option<Arc<WordIndex>>) {
        let bytes = ASKED + index.as_ref().map_or(0, |index| index.bytes());
        let asked = Asked { index, since: Instant::now() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(chatbot_id, asked, bytes);
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_store::{
        AccountKind, Chatbot, NewAccount, NewChatbot, NewChunk, NewPage, PageOutcome, PageStatus, Plan,
        SourceType, WebpageUpdate,
    };
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
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

    async fn chatbot(store: &Store) -> Chatbot {
        let new = NewAccount {
            parent_id: None,
            kind: AccountKind::Standard,
            name: "Nursery".into(),
            plan: Plan::Growth,
            monthly_credits: None,
        };
        let account = store.accounts().create(&new, NOW).await.unwrap();
        let new = NewChatbot {
            name: "Help".into(),
            language: None,
            settings: json!({}),
            pages: Vec::new(),
            job: crate::background::training::job(),
        };
        store.chatbots().create(&account.scope(), &new, NOW).await.unwrap()
    }

    /// Adds a page of some chunks, and returns its id.
    async fn add_page(store: &Store, chatbot: &Chatbot, numbers: &mut Numbers) -> Uuid {
        let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
        let url = format!("https://nursery.example/{}", numbers.next(usize::MAX));
        store.webpages().add(&scope, chatbot_id, &[NewPage::root(&url)], 1_000, NOW).await.unwrap();
        let page = store.webpages().next_pending(&scope, chatbot_id).await.unwrap().unwrap();
        let language = if numbers.next(3) == 0 { "de" } else { "en" };
        let chunk = |numbers: &mut Numbers| NewChunk {
            source_type: SourceType::Webpage,
            title: "Trees".into(),
            headings: String::new(),
            text: "Trees".into(),
            url: url.clone(),
            language: Some(language.into()),
            terms_title: numbers.words(2),
            terms_headings: numbers.words(1),
            terms_body: numbers.words(8),
        };
        let outcome = PageOutcome {
            chunks: Some((0..3).map(|_| chunk(numbers)).collect()),
            ..PageOutcome::without_content(PageStatus::Ready, "ready")
        };
        assert!(store.webpages().finish(&scope, page.webpage_id, &outcome, NOW).await.unwrap());
        page.webpage_id
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
            asked.extend(index.index.chunks.iter().map(|chunk| chunk.chunk_id).step_by(3));
            let mut found =
                [index.findable(&asked), search.findable(&scope, chatbot_id, &asked).await.unwrap()];
            for ids in &mut found {
                ids.sort_unstable();
                ids.dedup();
            }
            assert_eq!(found[0], found[1]);
        }
    }

    #[tokio::test]
    async fn the_index_in_memory_answers_as_the_database_does() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let chatbot = chatbot(&store).await;
        let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
        let (cache, mut numbers) = (WordIndexCache::default(), Numbers(7));
        let current = async || match cache.current(&store, &scope, chatbot_id).await.unwrap() {
            Content::Indexed(index) => Some(index),
            Content::Stored(_) => None,
            Content::Large => panic!("a few chunks are not many"),
        };
        let outdate = |time: Duration| {
            let mut entries = cache.0.lock().unwrap();
            let asked = entries.get(chatbot_id).unwrap();
            asked.since = asked.since.checked_sub(time).unwrap();
        };
        // The first question, and one long after it, are the database's.
        assert!(current().await.is_none());
        outdate(SOON);
        assert!(current().await.is_none());
        assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;
        outdate(PAUSE);

        let mut pages = Vec::new();
        for _ in 0..20 {
            pages.push(add_page(&store, &chatbot, &mut numbers).await);
        }
        assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;

        // A page that is switched off is left out at once, without a new index.
        let page = store.webpages().find(&scope, pages[4]).await.unwrap().unwrap();
        let off = WebpageUpdate { enabled: Some(false), ..WebpageUpdate::default() };
        store.webpages().update(&scope, &page, &off, NOW).await.unwrap().unwrap();
        let index = current().await.unwrap();
        assert_eq!(index.switched_off, [pages[4]]);
        assert_equal(&store, &chatbot, &index, &mut numbers).await;

        // Changed content is the database's for a while, and then in memory again.
        assert!(store.webpages().delete(&scope, pages[7]).await.unwrap());
        assert!(current().await.is_none());
        outdate(PAUSE);
        assert_equal(&store, &chatbot, &current().await.unwrap(), &mut numbers).await;
        pages.push(add_page(&store, &chatbot, &mut numbers).await);
        assert!(current().await.is_none());
    }

    #[tokio::test]
    async fn an_index_that_is_read_for_a_question_answers_the_rest_of_it() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let chatbot = chatbot(&store).await;
        let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
        let (cache, mut numbers) = (WordIndexCache::default(), Numbers(7));
        for _ in 0..5 {
            add_page(&store, &chatbot, &mut numbers).await;
        }
        let content = cache.current(&store, &scope, chatbot_id).await.unwrap();
        let Content::Stored(version) = content else { panic!("it was not asked before") };
        let read = cache.recent(&store, &scope, chatbot_id).await.unwrap();
        let index = CurrentIndex::of(&read, &version).unwrap();
        assert_equal(&store, &chatbot, &index, &mut numbers).await;

        // An index that was in memory is not that of content which has changed since.
        add_page(&store, &chatbot, &mut numbers).await;
        let content = cache.current(&store, &scope, chatbot_id).await.unwrap();
        let Content::Stored(version) = content else { panic!("it has just changed") };
        let recent = cache.recent(&store, &scope, chatbot_id).await.unwrap();
        assert!(CurrentIndex::of(&recent, &version).is_none());
    }

    #[tokio::test]
    async fn a_chatbot_out_of_reach_has_no_content() {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let (own, foreign) = (chatbot(&store).await, chatbot(&store).await);
        let (cache, mut numbers) = (WordIndexCache::default(), Numbers(7));
        add_page(&store, &foreign, &mut numbers).await;
        let recent = cache.recent(&store, &foreign.scope(), foreign.chatbot_id).await.unwrap();
        assert_eq!(["oak", "absent", ""].map(|word| recent.has(word)), [true, false, false]);
        let current = async |scope: &Scope| cache.current(&store, scope, foreign.chatbot_id).await.unwrap();
        let Content::Indexed(index) = current(&foreign.scope()).await else { panic!("it is in memory") };
        assert_eq!(index.stats().chunks, 3);
        // The index is in memory, but what the scope reaches decides.
        let Content::Stored(version) = current(&own.scope()).await else { panic!("it is out of reach") };
        assert_eq!(version, ContentVersion::default());
        assert!(CurrentIndex::of(&recent, &version).is_none());
    }
}
