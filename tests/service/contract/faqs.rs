//! FAQs in answers: published items are answered word for word, and what could not be answered becomes an
//! item.

use frontdesk_client::{
    Client,
    model::{
        Answer, Faq, FaqItem, FaqItemOrder, FaqItemSource, FaqItemStatus, FaqItemUpdate, FaqUpdate,
        NewAnsweredItem, NewFaq, NewFaqItem, NewMessage, NewTag, NewTextSnippet, RetrievalRequest,
        SourceType,
    },
};
use frontdesk_model::FaqItemId;
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases,
    patience::until,
    site,
};

on_both_databases!(
    a_published_item_is_answered_word_for_word,
    a_file_becomes_items,
    the_order_is_a_permutation,
    an_unanswered_question_becomes_an_answer,
    a_search_without_an_answer_is_free,
    cited_sources_are_counted,
);

const QUESTION: &str = "Is the courtyard covered when it rains?";
const ANSWER: &str = "Yes: a glass roof covers all 14 tables of the courtyard.\n\nUmbrellas are at the door.";

async fn ask(client: &Client, chatbot_id: Uuid, question: &str) -> Answer {
    client.messages().send(chatbot_id.into(), NewMessage::new(question)).await.unwrap().into_inner()
}

async fn faq_of(client: &Client, chatbot_id: Uuid) -> Faq {
    client.faqs().create(NewFaq::new("House").chatbot_ids([chatbot_id.into()])).await.unwrap().into_inner()
}

async fn item_of(client: &Client, faq_id: Uuid) -> FaqItem {
    client.faq_items().create(faq_id.into(), NewFaqItem::new(QUESTION, ANSWER)).await.unwrap().into_inner()
}

async fn a_published_item_is_answered_word_for_word(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    assert!(!ask(&client, chatbot_id, QUESTION).await.response.contains("glass roof"));

    let faq = client.faqs().create(NewFaq::new("House")).await.unwrap().into_inner();
    let alternatives = ["Do you have a roof over the patio?"];
    let new = NewFaqItem::new(QUESTION, ANSWER).alternative_questions(alternatives);
    let item = client.faq_items().create(faq.faq_id, new).await.unwrap().into_inner();
    assert_eq!((item.status.clone(), item.source.clone()), (FaqItemStatus::Published, FaqItemSource::Manual));
    let says_it = async |question: &str| ask(&client, chatbot_id, question).await.response == ANSWER;
    assert!(!says_it(QUESTION).await, "an FAQ that is not linked is used");

    let sources = client.chatbots().get(chatbot_id.into()).await.unwrap().training_sources;
    let link = FaqUpdate::new().chatbot_ids([chatbot_id.into()]);
    client.faqs().update(faq.faq_id, link).await.unwrap();
    assert_eq!(client.chatbots().get(chatbot_id.into()).await.unwrap().training_sources, sources + 1);
    let answer = ask(&client, chatbot_id, QUESTION).await;
    assert_eq!(answer.response, ANSWER);
    let cited: Vec<_> = answer.sources.iter().map(|source| (&*source.title, &*source.url)).collect();
    assert_eq!(cited, [(QUESTION, "")]);
    assert_eq!(answer.sources[0].r#type, SourceType::Faq);
    assert!(says_it("do you have a ROOF over the patio").await, "an alternative question is not recognized");

    let items = client.faq_items();
    let change = |update: FaqItemUpdate| items.update(faq.faq_id, item.faq_item_id, update);
    change(FaqItemUpdate::new().status(FaqItemStatus::Draft)).await.unwrap();
    assert!(!says_it(QUESTION).await, "a draft is used");
    change(FaqItemUpdate::new().status(FaqItemStatus::Published).answer("No roof at all.")).await.unwrap();
    assert_eq!(ask(&client, chatbot_id, QUESTION).await.response, "No roof at all.");
    change(FaqItemUpdate::new().answer(ANSWER)).await.unwrap();
    assert!(says_it(QUESTION).await);
    client.faqs().update(faq.faq_id, FaqUpdate::new().chatbot_ids([])).await.unwrap();
    assert!(!says_it(QUESTION).await, "an FAQ that is no longer linked is used");

    // Tags restrict a message to FAQs as to other sources.
    let tag = client.tags().create(chatbot_id.into(), NewTag::new("House")).await.unwrap().into_inner();
    let link = FaqUpdate::new().chatbot_ids([chatbot_id.into()]).tag_ids([tag.tag_id]);
    client.faqs().update(faq.faq_id, link).await.unwrap();
    let message = NewMessage::new(QUESTION).source_tags(["House"]);
    assert_eq!(client.messages().send(chatbot_id.into(), message).await.unwrap().response, ANSWER);
    client.faqs().update(faq.faq_id, FaqUpdate::new().tag_ids([])).await.unwrap();
    let message = NewMessage::new(QUESTION).source_tags(["House"]);
    assert_ne!(client.messages().send(chatbot_id.into(), message).await.unwrap().response, ANSWER);

    client.faqs().delete(faq.faq_id).await.unwrap();
    assert!(!says_it(QUESTION).await, "a deleted item is used");
    service.stop().await;
}

async fn a_file_becomes_items(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let faq_id = faq_of(&client, chatbot_id).await.faq_id;
    let file = "\u{feff}Question;Answer;Author\r\n\
        Is the courtyard covered when it rains?;\"Yes, by a \"\"glass roof\"\";\r\nall year.\";Jo\r\n\
        \r\n\
        No answer here;;Jo\r\n\
        is the courtyard covered, when it rains;Again;Jo\r\n\
        Broken;\"quote\" behind;Jo\r\n\
        May dogs come in?;=They may, on a leash;Jo\r\n";
    let done = client.faq_items().import(faq_id, file).await.unwrap().into_inner();
    assert_eq!((done.created, done.faq_item_ids.len()), (2, 2));
    let rejected: Vec<_> = done.rejected.iter().map(|row| (row.line, &*row.message)).collect();
    assert_eq!(
        rejected,
        [
            (5, "The answer is empty."),
            (6, "The FAQ has this question already."),
            (7, "Text follows a closing quote. A quote inside of a field is written twice."),
        ]
    );
    let answer = ask(&client, chatbot_id, QUESTION).await;
    assert_eq!(answer.response, "Yes, by a \"glass roof\";\r\nall year.");
    let listed = client.faq_items().list(faq_id).await.unwrap().into_inner();
    let texts: Vec<_> = listed.items.iter().map(|item| (&*item.question, &item.source)).collect();
    assert_eq!(texts, [(QUESTION, &FaqItemSource::Import), ("May dogs come in?", &FaqItemSource::Import)]);
    assert_eq!(client.faq_items().import(faq_id, file).await.unwrap().created, 0);

    for wrong in ["", "\n", "Do you deliver?,Yes.", "question,reply\na,b", "\"question,answer\na,b"] {
        let refused = client.faq_items().import(faq_id, wrong).await;
        assert_eq!(status(&refused), 422, "{wrong:?}");
    }
    let draft = "question,answer\nIs there a piano?,Yes.\n";
    let drafts = client.faq_items().import(faq_id, draft).status(FaqItemStatus::Draft).await.unwrap();
    assert_eq!(drafts.created, 1);
    assert_ne!(ask(&client, chatbot_id, "Is there a piano?").await.response, "Yes.");
    service.stop().await;
}

async fn the_order_is_a_permutation(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let faq_id = client.faqs().create(NewFaq::new("House")).await.unwrap().faq_id;
    let mut ids = Vec::new();
    for question in ["One?", "Two?", "Three?"] {
        let new = NewFaqItem::new(question, "Yes.");
        ids.insert(0, client.faq_items().create(faq_id, new).await.unwrap().faq_item_id);
    }
    let order = async |ids: &[FaqItemId]| {
        let ordered = client.faq_items().order(faq_id, FaqItemOrder::new(ids.to_vec())).await;
        status(&ordered)
    };
    assert_eq!(order(&ids).await, 200);
    let strange = [ids[0], ids[1], Uuid::nil().into()];
    for wrong in [&ids[1..], &[ids[0], ids[1], ids[1]], &strange, &[]] {
        assert_eq!(order(wrong).await, 422, "{wrong:?}");
    }
    let listed = client.faq_items().list(faq_id).await.unwrap().into_inner();
    assert_eq!(listed.items.iter().map(|item| item.faq_item_id).collect::<Vec<_>>(), ids);
    assert_eq!(listed.items.iter().map(|item| item.position).collect::<Vec<_>>(), [1, 2, 3]);
    service.stop().await;
}

async fn an_unanswered_question_becomes_an_answer(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let faq_id = faq_of(&client, chatbot_id).await.faq_id;
    for question in
        [QUESTION, "is the courtyard  covered when it rains", "Hello!", "I want to talk to a person"]
    {
        ask(&client, chatbot_id, question).await;
    }
    let question = until("both questions are counted", async || {
        let listed = client.unanswered_questions().list(chatbot_id.into()).await.unwrap().into_inner();
        assert!(listed.unanswered_questions.len() < 2, "{listed:?}");
        listed.unanswered_questions.into_iter().find(|question| question.times_asked == 2)
    })
    .await;
    assert_eq!(question.question, QUESTION);

    let id = question.unanswered_question_id;
    let unlinked = client.faqs().create(NewFaq::new("Other")).await.unwrap().faq_id;
    let questions = client.unanswered_questions();
    let refused =
        questions.make_faq_item(chatbot_id.into(), id, NewAnsweredItem::new(unlinked, ANSWER)).await;
    assert_eq!(status(&refused), 422, "an FAQ that the chatbot does not use");
    let item =
        questions.make_faq_item(chatbot_id.into(), id, NewAnsweredItem::new(faq_id, ANSWER)).await.unwrap();
    assert_eq!((&*item.question, &item.source), (QUESTION, &FaqItemSource::Suggested));
    assert_eq!(ask(&client, chatbot_id, QUESTION).await.response, ANSWER);
    let again = questions.make_faq_item(chatbot_id.into(), id, NewAnsweredItem::new(faq_id, ANSWER)).await;
    assert_eq!(status(&again), 404);
    assert!(questions.list(chatbot_id.into()).await.unwrap().unanswered_questions.is_empty());
    service.stop().await;
}

async fn a_search_without_an_answer_is_free(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let faq_id = faq_of(&client, chatbot_id).await.faq_id;
    item_of(&client, faq_id.uuid()).await;
    let search = async |request: RetrievalRequest| {
        client.passages().retrieve(chatbot_id.into(), request).await.unwrap().into_inner()
    };
    let found = search(RetrievalRequest::new(QUESTION)).await;
    assert!(found.is_supported, "{found:?}");
    let first = &found.passages[0];
    assert_eq!((&*first.title, &*first.text, &first.r#type), (QUESTION, ANSWER, &SourceType::Faq));
    assert!(found.passages.is_sorted_by(|one, next| one.score >= next.score), "{found:?}");
    let delivery = search(RetrievalRequest::new("What does delivery cost?").limit(1)).await;
    assert_eq!(delivery.passages.len(), 1);
    assert!(delivery.is_supported && delivery.passages[0].url.ends_with("/delivery"), "{delivery:?}");
    let unknown = search(RetrievalRequest::new("Who won the chess championship in 1972?")).await;
    assert!(!unknown.is_supported, "{unknown:?}");

    assert_eq!(service.database.credits_used(&acme.scope()).await, 0);
    let unanswered = client.unanswered_questions().list(chatbot_id.into()).await.unwrap().into_inner();
    assert!(unanswered.unanswered_questions.is_empty(), "a search leaves a question behind");
    service.stop().await;
}

async fn cited_sources_are_counted(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let faq_id = faq_of(&client, chatbot_id).await.faq_id;
    let item_id = item_of(&client, faq_id.uuid()).await.faq_item_id;
    let new = NewTextSnippet::new("Parking", "Cars can be parked in the abandoned limestone quarry.");
    let snippet_id = client.text_snippets().create(chatbot_id.into(), new).await.unwrap().text_snippet_id;
    for question in [QUESTION, QUESTION, "Can cars be parked in the quarry?"] {
        let answer = ask(&client, chatbot_id, question).await;
        assert_eq!(answer.usage.credits_used, 1, "{answer:?}");
    }
    until("the hits are counted", async || {
        let item = client.faq_items().get(faq_id, item_id).await.unwrap().hit_count;
        let snippet = client.text_snippets().get(chatbot_id.into(), snippet_id).await.unwrap().hit_count;
        assert!(item <= 2 && snippet <= 1, "counted too often: {item} and {snippet}");
        ((item, snippet) == (2, 1)).then_some(())
    })
    .await;
    service.stop().await;
}
