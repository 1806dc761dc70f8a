//! The frontier of a crawl, what visits leave behind, and its removal.

use frontdesk_store::{AddedPages, NewPage, PageCounts, PageOutcome, PageStatus, Subject};
use sqlx::Row;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, candidates, chatbot, chunk, outcome};

on_both_databases!(
    the_frontier_takes_each_page_once_up_to_the_limit,
    pages_closest_to_a_root_come_first,
    finishing_a_page_twice_is_finishing_it_once,
    an_unchanged_page_keeps_its_chunks,
    links_are_added_with_the_page_that_has_them,
    pages_are_paged,
    a_deleted_chatbot_leaves_no_row_anywhere,
);

fn page(url: &str, depth: u32) -> NewPage {
    NewPage {
        url: format!("https://bot.example/{url}"),
        root_url: "https://bot.example/".into(),
        parent_url: Some("https://bot.example/".into()),
        depth,
    }
}

async fn the_frontier_takes_each_page_once_up_to_the_limit(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let long = page(&"x".repeat(2048), 1);
    let offered = [page("a", 1), page("b", 1), page("a", 2), page("", 1), long, page("c", 1), page("d", 1)];
    let added = store.webpages().add(&scope, bot, &offered, 4, at(2)).await.unwrap().unwrap();
    assert_eq!(added, AddedPages { added: 3, duplicate: 2, too_long: 1, over_limit: 1 });
    let added = store.webpages().add(&scope, bot, &offered, 4, at(2)).await.unwrap().unwrap();
    assert_eq!(added, AddedPages { added: 0, duplicate: 5, too_long: 1, over_limit: 1 });
    assert_eq!(
        store.webpages().counts(&scope, bot).await.unwrap(),
        PageCounts { pending: 4, ..PageCounts::default() }
    );
    assert_eq!(store.webpages().add(&scope, Uuid::nil(), &offered, 4, at(2)).await.unwrap(), None);

    let adding: Vec<_> = (0..10)
        .map(|number| {
            let store = store.clone();
            let offered = [page(&format!("e{number}"), 1), page("same", 1)];
            tokio::spawn(async move {
                store.webpages().add(&scope, bot, &offered, 10, at(3)).await.unwrap().unwrap()
            })
        })
        .collect();
    let mut total = 0;
    for task in adding {
        total += task.await.unwrap().added;
    }
    assert_eq!((total, database.count("webpages").await), (6, 10));
}

async fn pages_closest_to_a_root_come_first(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let offered = [page("deep", 3), page("first", 1), page("second", 1)];
    store.webpages().add(&scope, bot, &offered, 100, at(2)).await.unwrap().unwrap();
    let mut order = Vec::new();
    while let Some(next) = store.webpages().next_pending(&scope, bot).await.unwrap() {
        let skipped = PageOutcome::without_content(PageStatus::Skipped, "noindex");
        assert!(store.webpages().finish(&scope, next.webpage_id, &skipped, at(3)).await.unwrap());
        let now = store.webpages().find(&scope, next.webpage_id).await.unwrap().unwrap();
        assert_eq!((now.status, now.reason.as_deref()), (PageStatus::Skipped, Some("noindex")));
        assert_eq!((next.fetched_at, now.fetched_at), (None, Some(at(3))));
        order.push(next.url.rsplit('/').next().unwrap().to_owned());
    }
    assert_eq!(order, ["", "first", "second", "deep"]);
    assert_eq!(store.webpages().counts(&scope, bot).await.unwrap().skipped, 4);
}

async fn finishing_a_page_twice_is_finishing_it_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let page = store.webpages().next_pending(&scope, bot).await.unwrap().unwrap();
    let mut first = outcome(vec![chunk("Opening hours", "we open at nine"), chunk("", "closed on sunday")]);
    first.links = vec![self::page("a", 1)];
    for second in 2..5 {
        assert!(store.webpages().finish(&scope, page.webpage_id, &first, at(second)).await.unwrap());
        let chunks = store.chunks().of_page(&scope, page.webpage_id).await.unwrap();
        assert_eq!(chunks.len(), 2);
        assert_eq!((chunks[0].position, chunks[1].position), (0, 1));
        assert_eq!((chunks[0].text.as_str(), chunks[0].title.as_str()), ("we open at nine", "Opening hours"));
        assert_eq!(chunks[0].terms_body, "we open at nine");
        assert_eq!(chunks[1].terms_title, "");
        let words = ["open".to_owned(), "opening".to_owned(), "sunday".to_owned(), "monday".to_owned()];
        assert_eq!(store.search().document_frequencies(&scope, bot, &words).await.unwrap(), [1, 1, 1, 0]);
        let stats = store.search().corpus_stats(&scope, bot).await.unwrap();
        assert_eq!((stats.chunks, stats.average_title, stats.average_body), (2, 1.0, 3.5));
        let counts = PageCounts { pending: 1, ready: 1, ..PageCounts::default() };
        assert_eq!(store.webpages().counts(&scope, bot).await.unwrap(), counts);
    }
    assert_eq!(store.chatbots().find(&scope, bot).await.unwrap().unwrap().training_sources, 1);
    let second = outcome(vec![chunk("Opening hours", "we open on monday")]);
    assert!(store.webpages().finish(&scope, page.webpage_id, &second, at(9)).await.unwrap());
    let words = ["nine".to_owned(), "sunday".to_owned(), "monday".to_owned()];
    assert_eq!(store.search().document_frequencies(&scope, bot, &words).await.unwrap(), [0, 0, 1]);
    assert_eq!(database.count("chunks").await, 1);
    assert!(!store.webpages().finish(&scope, Uuid::nil(), &second, at(9)).await.unwrap());
}

async fn an_unchanged_page_keeps_its_chunks(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "bot", 1).await;
    let (scope, page) = (world.scope(), world.page.webpage_id);
    let before = store.chunks().of_page(&scope, page).await.unwrap();
    let unchanged = PageOutcome::without_content(PageStatus::Ready, "unchanged");
    assert!(store.webpages().finish(&scope, page, &unchanged, at(9)).await.unwrap());
    assert_eq!(store.chunks().of_page(&scope, page).await.unwrap(), before);
    let now = store.webpages().find(&scope, page).await.unwrap().unwrap();
    assert_eq!((now.title, now.content_hash), (world.page.title, world.page.content_hash));
    let gone = PageOutcome {
        chunks: Some(Vec::new()),
        ..PageOutcome::without_content(PageStatus::Failed, "http_error")
    };
    assert!(store.webpages().finish(&scope, page, &gone, at(10)).await.unwrap());
    assert!(store.chunks().of_page(&scope, page).await.unwrap().is_empty());
    assert_eq!(
        store.webpages().find_by_content(&scope, world.chatbot.chatbot_id, "hash").await.unwrap(),
        None
    );
}

async fn links_are_added_with_the_page_that_has_them(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let root = store.webpages().next_pending(&scope, bot).await.unwrap().unwrap();
    let mut visited = outcome(vec![chunk("Root", "welcome")]);
    visited.links = vec![page("a", 1), page("b", 1), page("", 1), page("c", 1)];
    visited.max_pages = 3;
    assert!(store.webpages().finish(&scope, root.webpage_id, &visited, at(2)).await.unwrap());
    let pending = store.webpages().list(&scope, bot, Some(PageStatus::Pending), None, 10).await.unwrap();
    let urls: Vec<_> = pending.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["https://bot.example/a", "https://bot.example/b"]);
    assert_eq!((pending[0].depth, pending[0].root_url.as_str()), (1, "https://bot.example/"));
    let twin = store.webpages().find_by_content(&scope, bot, "hash").await.unwrap().unwrap();
    assert_eq!(twin.webpage_id, root.webpage_id);
}

async fn pages_are_paged(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let offered: Vec<_> = (0..7).map(|number| page(&number.to_string(), 1)).collect();
    store.webpages().add(&scope, bot, &offered, 100, at(2)).await.unwrap().unwrap();
    let mut seen = Vec::new();
    loop {
        let after = seen.last().copied();
        let some = store.webpages().list(&scope, bot, None, after, 3).await.unwrap();
        assert!(some.len() <= 3);
        if some.is_empty() {
            break;
        }
        seen.extend(some.into_iter().map(|page| page.webpage_id));
    }
    assert_eq!(seen.len(), 8);
    assert!(seen.is_sorted());
}

async fn a_deleted_chatbot_leaves_no_row_anywhere(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let scope = world.scope();
    let day = frontdesk_store::Day::of(at(0));
    for world in [&world, &other] {
        world.chat(store).await;
        store
            .credits()
            .reserve_daily_reply(&world.scope(), world.chatbot.chatbot_id, &day, 5)
            .await
            .unwrap()
            .unwrap();
    }
    // Every table that names a chatbot, found in the catalog so that none is forgotten. Jobs name it as
    // their subject.
    let pool = database.raw().await;
    let catalog = if database.is_postgres() {
        "SELECT CAST(table_name AS TEXT) AS name, CAST(column_name AS TEXT) AS link FROM information_schema.columns \
         WHERE column_name IN ('chatbot_id', 'subject_id') AND table_schema = current_schema()"
    } else {
        "SELECT m.name AS name, c.name AS link FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
         WHERE m.type = 'table' AND c.name IN ('chatbot_id', 'subject_id')"
    };
    let tables: Vec<(String, String)> = sqlx::query(catalog)
        .fetch_all(&pool)
        .await
        .unwrap()
        .iter()
        .map(|row| (row.get("name"), row.get("link")))
        .collect();
    assert!(tables.len() >= 8, "{tables:?}");
    let rows = async |world: &World| {
        let mut rows = Vec::new();
        for (table, link) in &tables {
            let sql = format!("SELECT COUNT(*) FROM {table} WHERE {link} = $1");
            let row = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(world.chatbot.chatbot_id.to_string())
                .fetch_one(&pool)
                .await
                .unwrap();
            rows.push((table.clone(), row.get::<i64, _>(0)));
        }
        rows
    };
    let others = rows(&other).await;
    assert!(others.iter().all(|(_, count)| *count > 0), "{others:?}");
    assert!(rows(&world).await.iter().all(|(_, count)| *count > 0));
    let bindings = database.count("source_tags").await;

    assert!(store.chatbots().delete(&scope, world.chatbot.chatbot_id).await.unwrap());

    let left = rows(&world).await;
    assert!(left.iter().all(|(_, count)| *count == 0), "{left:?}");
    assert_eq!(rows(&other).await, others);
    assert_eq!(database.count("source_tags").await, bindings - 5);
    let website = Subject::website(world.website.website_id);
    assert_eq!(store.jobs().cancel(&scope, website).await.unwrap(), 0, "jobs of websites end too");
    if !database.is_postgres() {
        assert_eq!(database.count("chunk_index").await, database.count("chunks").await);
    }
    assert!(!store.chatbots().delete(&scope, world.chatbot.chatbot_id).await.unwrap());
    assert!(store.contacts().find(&scope, world.contact.contact_id).await.unwrap().is_some());
    let words = ["deliver".to_owned()];
    let found = candidates(store, &other.scope(), other.chatbot.chatbot_id, &words, &[], 9).await.unwrap();
    assert_eq!(found.len(), 1);
}
