//! FAQs: their published items are searched in their chatbots from the moment they are written, and leave
//! nothing behind.

use frontdesk_store::{
    AnsweredQuestion, ChatbotStatus, Faq, FaqItem, FaqItemSource, FaqItemStatus, FaqItemUpdate, FaqUpdate,
    ImportedItem, NewFaq, Ordered, PageRequest, Scope, Store,
};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, candidates, chatbot, faq_chunk, faq_item};

on_both_databases!(
    an_item_is_searched_in_the_chatbots_of_its_faq,
    items_keep_the_order_that_they_are_given,
    an_import_adds_no_question_twice,
    unanswered_questions_are_counted_and_bounded,
    a_question_becomes_an_item_once,
    hits_are_counted_once_for_each_source,
    changes_at_the_same_time_do_not_block_each_other,
);

async fn faq(store: &Store, scope: &Scope, chatbot_ids: &[Uuid], tag_ids: &[Uuid]) -> Faq {
    let new = NewFaq {
        name: "Shipping".into(),
        chatbot_ids: chatbot_ids.to_vec(),
        tag_ids: tag_ids.to_vec(),
        ..NewFaq::default()
    };
    store.faqs().create(scope, &new, at(10)).await.unwrap()
}

async fn add(store: &Store, scope: &Scope, faq: &Faq, question: &str, answer: &str) -> FaqItem {
    let new = faq_item(question, answer);
    store.faq_items().create(scope, faq.faq_id, &new, &faq_chunk, at(11)).await.unwrap().unwrap()
}

async fn found(store: &Store, scope: &Scope, chatbot_id: Uuid, word: &str, tags: &[Uuid]) -> usize {
    candidates(store, scope, chatbot_id, &[word.into()], tags, 10).await.unwrap().len()
}

async fn questions(store: &Store, scope: &Scope, faq_id: Uuid) -> Vec<String> {
    let page = store.faq_items().page(scope, faq_id, None, None, &PageRequest::first(100)).await.unwrap();
    page.items.into_iter().map(|item| item.question).collect()
}

async fn an_item_is_searched_in_the_chatbots_of_its_faq(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let other = account(store, "two").await.scope();
    let one = chatbot(store, &scope, "one").await.chatbot_id;
    let two = chatbot(store, &scope, "two").await.chatbot_id;
    let foreign = chatbot(store, &other, "three").await.chatbot_id;
    let tag = store.tags().create(&scope, one, "Red", None, at(2)).await.unwrap().unwrap().tag_id;
    let faq = faq(store, &scope, &[one, foreign], &[tag]).await;
    assert_eq!((faq.chatbot_ids.as_slice(), faq.tag_ids.as_slice()), ([one].as_slice(), [tag].as_slice()));

    let item = add(store, &scope, &faq, "parking?", "behind the house").await;
    assert_eq!((item.position, item.hit_count, item.source), (1, 0, FaqItemSource::Manual));
    assert_eq!(found(store, &scope, one, "behind", &[]).await, 1);
    assert_eq!(found(store, &scope, one, "behind", &[tag]).await, 1);
    assert_eq!(found(store, &scope, two, "behind", &[]).await, 0);
    assert_eq!(found(store, &other, foreign, "behind", &[]).await, 0);
    let ready = store.chatbots().find(&scope, one).await.unwrap().unwrap();
    assert_eq!((ready.status, ready.training_sources), (ChatbotStatus::Ready, 1));
    assert_eq!(store.tags().find(&scope, one, tag).await.unwrap().unwrap().usage_count, 1);

    let update = FaqUpdate { chatbot_ids: Some(vec![two]), ..FaqUpdate::default() };
    let linked = store.faqs().update(&scope, faq.faq_id, &update, &faq_chunk, at(12)).await.unwrap().unwrap();
    assert_eq!((linked.chatbot_ids.as_slice(), linked.tag_ids.len()), ([two].as_slice(), 0));
    assert_eq!(found(store, &scope, one, "behind", &[]).await, 0);
    assert_eq!(found(store, &scope, two, "behind", &[]).await, 1);
    assert_eq!(store.chatbots().find(&scope, one).await.unwrap().unwrap().training_sources, 0);

    let both = FaqUpdate {
        chatbot_ids: Some(vec![one, two]),
        language: Some(Some("de".into())),
        ..FaqUpdate::default()
    };
    store.faqs().update(&scope, faq.faq_id, &both, &faq_chunk, at(13)).await.unwrap().unwrap();
    for bot in [one, two] {
        let chunks = candidates(store, &scope, bot, &["behind".into()], &[], 10).await.unwrap();
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].language.as_deref(), Some("de"));
    }

    let draft = FaqItemUpdate { status: Some(FaqItemStatus::Draft), ..FaqItemUpdate::default() };
    let items = store.faq_items();
    let draft = items.update(&scope, faq.faq_id, item.faq_item_id, &draft, &faq_chunk, at(14)).await;
    assert_eq!(draft.unwrap().unwrap().status, FaqItemStatus::Draft);
    for bot in [one, two] {
        assert_eq!(found(store, &scope, bot, "behind", &[]).await, 0);
        assert_eq!(store.chatbots().find(&scope, bot).await.unwrap().unwrap().training_sources, 0);
    }
    let changed = FaqItemUpdate {
        status: Some(FaqItemStatus::Published),
        answer: Some("in the yard".into()),
        ..FaqItemUpdate::default()
    };
    items.update(&scope, faq.faq_id, item.faq_item_id, &changed, &faq_chunk, at(15)).await.unwrap().unwrap();
    assert_eq!(found(store, &scope, one, "behind", &[]).await, 0);
    assert_eq!(found(store, &scope, one, "yard", &[]).await, 1);

    assert!(store.chatbots().delete(&scope, two).await.unwrap());
    let left = store.faqs().find(&scope, faq.faq_id).await.unwrap().unwrap();
    assert_eq!((left.chatbot_ids.as_slice(), left.published_item_count), ([one].as_slice(), 1));
    assert!(store.faqs().delete(&scope, faq.faq_id).await.unwrap());
    assert!(!store.faqs().delete(&scope, faq.faq_id).await.unwrap());
    for table in ["faqs", "faq_items", "faq_chatbots", "faq_tags", "chunks"] {
        assert_eq!(database.count(table).await, 0, "{table}");
    }
}

async fn items_keep_the_order_that_they_are_given(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let faq_id = faq(store, &scope, &[], &[]).await;
    for question in ["a", "b", "c"] {
        add(store, &scope, &faq_id, question, "answer").await;
    }
    let faq_id = faq_id.faq_id;
    let items = store.faq_items();
    let mut first = faq_item("first", "50% off!");
    first.position = Some(1);
    let first = items.create(&scope, faq_id, &first, &faq_chunk, at(12)).await.unwrap().unwrap();
    assert_eq!(questions(store, &scope, faq_id).await, ["first", "a", "b", "c"]);
    let last = FaqItemUpdate { position: Some(3), ..FaqItemUpdate::default() };
    items.update(&scope, faq_id, first.faq_item_id, &last, &faq_chunk, at(13)).await.unwrap().unwrap();
    assert_eq!(questions(store, &scope, faq_id).await, ["a", "first", "b", "c"]);

    let all = items.page(&scope, faq_id, None, None, &PageRequest::first(100)).await.unwrap().items;
    let mut ids: Vec<Uuid> = all.iter().map(|item| item.faq_item_id).collect();
    ids.reverse();
    assert_eq!(items.order(&scope, faq_id, &ids).await.unwrap(), Some(Ordered::Done));
    assert_eq!(questions(store, &scope, faq_id).await, ["c", "b", "first", "a"]);
    let wrong = |wrong: &[usize]| Some(Ordered::NotPermutation(wrong.to_vec()));
    assert_eq!(items.order(&scope, faq_id, &ids[1..]).await.unwrap(), wrong(&[]));
    assert_eq!(items.order(&scope, faq_id, &[&ids[..], &ids[..1]].concat()).await.unwrap(), wrong(&[4]));
    let strange = [ids[0], Uuid::nil(), ids[1]];
    assert_eq!(items.order(&scope, faq_id, &strange).await.unwrap(), wrong(&[1]));
    assert_eq!(questions(store, &scope, faq_id).await, ["c", "b", "first", "a"]);

    for (text, count) in [("50% OFF", 1), ("50_", 0), ("FIRST", 1), ("answer", 3), ("nothing", 0)] {
        let page = items.page(&scope, faq_id, None, Some(text), &PageRequest::first(100)).await.unwrap();
        assert_eq!(page.items.len(), count, "{text}");
    }
    let drafts = Some(FaqItemStatus::Draft);
    let page = items.page(&scope, faq_id, drafts, None, &PageRequest::first(100)).await.unwrap();
    assert!(page.items.is_empty());
}

async fn an_import_adds_no_question_twice(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let faq = faq(store, &scope, &[bot], &[]).await;
    let rows = ["Where?", "When?", "where"].map(|question| faq_item(question, "imported").content);
    let items = store.faq_items();
    let first = items.import(&scope, faq.faq_id, &rows, &faq_chunk, at(12)).await.unwrap().unwrap();
    assert!(matches!(
        first[..],
        [ImportedItem::Created(_), ImportedItem::Created(_), ImportedItem::Duplicate]
    ));
    assert_eq!(found(store, &scope, bot, "imported", &[]).await, 2);
    let again = items.import(&scope, faq.faq_id, &rows, &faq_chunk, at(13)).await.unwrap().unwrap();
    assert_eq!(again, [ImportedItem::Duplicate; 3]);
    assert_eq!(questions(store, &scope, faq.faq_id).await, ["Where?", "When?"]);
}

async fn unanswered_questions_are_counted_and_bounded(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let questions = store.unanswered_questions();
    for (second, question) in ["Do you  deliver?", "do you deliver", "?!", "Hours?"].iter().enumerate() {
        questions.record(&scope, bot, question, at(20 + i64::try_from(second).unwrap())).await.unwrap();
    }
    let page = questions.page(&scope, bot, &PageRequest::first(10)).await.unwrap();
    let seen: Vec<_> = page.items.iter().map(|item| (&*item.question, item.times_asked)).collect();
    assert_eq!(seen, [("Hours?", 1), ("Do you deliver?", 2)]);
    let long = questions.record(&scope, bot, &"ä".repeat(2_000), at(30)).await.unwrap().unwrap();
    assert_eq!(long.question.chars().count(), 500);
    for number in 0..510 {
        questions.record(&scope, bot, &format!("question {number}"), at(40 + number)).await.unwrap();
    }
    assert_eq!(database.count("unanswered_questions").await, 500);
    let newest = questions.page(&scope, bot, &PageRequest::first(1)).await.unwrap();
    assert_eq!(newest.items[0].question, "question 509");
    let next = PageRequest { after: newest.next, limit: 1 };
    assert_eq!(questions.page(&scope, bot, &next).await.unwrap().items[0].question, "question 508");
    assert!(store.chatbots().delete(&scope, bot).await.unwrap());
    assert_eq!(database.count("unanswered_questions").await, 0);
}

async fn a_question_becomes_an_item_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let faq = faq(store, &scope, &[bot], &[]).await;
    let questions = store.unanswered_questions();
    let question = questions.record(&scope, bot, "Gift cards?", at(20)).await.unwrap().unwrap();
    let answered = AnsweredQuestion { faq_id: faq.faq_id, question: None, answer: "from ten euros".into() };
    let item = questions.make_item(&scope, &question, &answered, &faq_chunk, at(21)).await.unwrap().unwrap();
    assert_eq!((&*item.question, item.source), ("Gift cards?", FaqItemSource::Suggested));
    assert_eq!(found(store, &scope, bot, "euros", &[]).await, 1);
    assert!(questions.make_item(&scope, &question, &answered, &faq_chunk, at(22)).await.unwrap().is_none());
    assert_eq!(database.count("faq_items").await, 1);
}

async fn hits_are_counted_once_for_each_source(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let bot = chatbot(store, &scope, "one").await.chatbot_id;
    let faq = faq(store, &scope, &[bot], &[]).await;
    let item = add(store, &scope, &faq, "parking?", "behind the house").await;
    let chunks = candidates(store, &scope, bot, &["behind".into()], &[], 10).await.unwrap();
    let id = chunks[0].chunk_id;
    let answers = [vec![id, id, Uuid::nil()], vec![id], Vec::new()];
    store.hits().count(&scope, bot, &answers).await.unwrap();
    store.hits().count(&scope, bot, &[vec![id]]).await.unwrap();
    store.hits().count(&scope, bot, &[]).await.unwrap();
    let after = store.faq_items().find(&scope, faq.faq_id, item.faq_item_id).await.unwrap().unwrap();
    assert_eq!((after.hit_count, after.updated_at), (3, item.updated_at));
}

async fn changes_at_the_same_time_do_not_block_each_other(database: &Database) {
    let store = &database.store;
    let scope = account(store, "one").await.scope();
    let mut bots = Vec::new();
    for name in ["one", "two", "three"] {
        bots.push(chatbot(store, &scope, name).await.chatbot_id);
    }
    let faq_one = faq(store, &scope, &bots, &[]).await;
    bots.reverse();
    let faq_two = faq(store, &scope, &bots, &[]).await;
    let mut work = tokio::task::JoinSet::new();
    for number in 0..12 {
        let (store, faq) = (store.clone(), if number % 2 == 0 { faq_one.clone() } else { faq_two.clone() });
        let links = FaqUpdate { chatbot_ids: Some(bots[number % 3..].to_vec()), ..FaqUpdate::default() };
        work.spawn(async move {
            add(&store, &scope, &faq, &format!("question {number}"), "same words").await;
            store.faqs().update(&scope, faq.faq_id, &links, &faq_chunk, at(20)).await.unwrap().unwrap();
        });
    }
    work.join_all().await;
    for faq in [&faq_one, &faq_two] {
        let all = FaqUpdate { chatbot_ids: Some(bots.clone()), ..FaqUpdate::default() };
        store.faqs().update(&scope, faq.faq_id, &all, &faq_chunk, at(21)).await.unwrap().unwrap();
    }
    for bot in bots {
        let chunks = candidates(store, &scope, bot, &["same".into()], &[], 100).await.unwrap();
        assert_eq!(chunks.len(), 12);
    }
}
