//! FAQs: questions with answers that the chatbot repeats word for word, and what it could not answer.

use released_client::model::{
    ChatbotId, FaqId, FaqItemOrder, FaqItemSource, FaqItemStatus, FaqItemUpdate, FaqUpdate, NewAnsweredItem,
    NewFaq, NewFaqItem, NewMessage,
};

use crate::{Bakery, Outcome, waiting::eventually};

const QUESTION: &str = "Is the courtyard covered when it rains?";
const ANSWER: &str = "Yes: a glass roof covers all 14 tables of the courtyard.";

/// Writes an FAQ, imports more items, orders them, and turns what nobody could answer into items.
pub async fn write(bakery: &Bakery) -> Outcome {
    let (faqs, chatbot_id) = (bakery.client.faqs(), bakery.chatbot_id);
    let faq = faqs.create(NewFaq::new("House").description("In and around the shop")).await?.into_inner();
    let faq_id = faq.faq_id;
    assert_eq!((&*faq.chatbot_ids, faq.item_count), (&[] as &[ChatbotId], 0));
    // From now on the chatbot answers from it.
    let link = FaqUpdate::new().name("The house").chatbot_ids([chatbot_id]);
    let linked = faqs.update(faq_id, link).await?;
    assert_eq!((&*linked.name, &*linked.chatbot_ids), ("The house", &[chatbot_id][..]));

    items(bakery, faq_id).await?;
    unanswered_questions(bakery, faq_id).await?;

    let faq = faqs.get(faq_id).await?;
    assert_eq!((faq.item_count, faq.published_item_count), (3, 2), "{faq:?}");
    assert_eq!(faqs.list().chatbot_id(chatbot_id).await?.faqs, [faq.into_inner()]);
    faqs.delete(faq_id).await?;
    assert!(faqs.list().await?.faqs.is_empty());
    Ok(())
}

async fn items(bakery: &Bakery, faq_id: FaqId) -> Outcome {
    let items = bakery.client.faq_items();
    let new = NewFaqItem::new(QUESTION, "Partly.").alternative_questions(["Do you have a roof outside?"]);
    let item = items.create(faq_id, new).await?.into_inner();
    let id = item.faq_item_id;
    assert_eq!((&item.status, &item.source), (&FaqItemStatus::Published, &FaqItemSource::Manual));
    let updated = items.update(faq_id, id, FaqItemUpdate::new().answer(ANSWER)).await?;
    assert_eq!((&*updated.question, &*updated.answer), (QUESTION, ANSWER));
    for asked in [QUESTION, "do you have a roof outside"] {
        let answer = bakery.client.messages().send(bakery.chatbot_id, NewMessage::new(asked)).await?;
        assert_eq!(answer.response, ANSWER);
    }

    // A file with a row that cannot be used: the others are imported.
    let file = "question,answer\nMay dogs come in?,\"They may, on a leash.\"\nIs there a piano?,\n";
    let imported = items.import(faq_id, file).status(FaqItemStatus::Draft).await?;
    assert_eq!((imported.created, imported.rejected[0].line), (1, 3), "{imported:?}");
    let dogs = imported.faq_item_ids[0];
    assert_eq!(items.get(faq_id, dogs).await?.source, FaqItemSource::Import);
    items.order(faq_id, FaqItemOrder::new([dogs, id])).await?;
    let ordered = items.list(faq_id).await?.into_inner().items;
    assert_eq!(ordered.iter().map(|item| item.faq_item_id).collect::<Vec<_>>(), [dogs, id]);
    let drafts = items.list(faq_id).status(FaqItemStatus::Draft).q("dogs").await?;
    assert_eq!(drafts.items.len(), 1);
    let piano = items.create(faq_id, NewFaqItem::new("Is there a piano?", "No.")).await?;
    items.delete(faq_id, piano.faq_item_id).await?;
    assert!(items.get(faq_id, piano.faq_item_id).await.is_err_and(|error| error.is_not_found()));
    Ok(())
}

async fn unanswered_questions(bakery: &Bakery, faq_id: FaqId) -> Outcome {
    let (questions, chatbot_id) = (bakery.client.unanswered_questions(), bakery.chatbot_id);
    for question in ["Do you sell gift vouchers?", "Who won the chess championship in 1972?"] {
        let answer = bakery.client.messages().send(chatbot_id, NewMessage::new(question)).await?;
        assert!(answer.sources.is_empty(), "{answer:?}");
    }
    let asked = eventually("both questions are listed", async || {
        let listed = questions.list(chatbot_id).await?.into_inner().unanswered_questions;
        Ok((listed.len() == 2).then_some(listed))
    })
    .await?;
    // The newest first.
    let [chess, vouchers] = &*asked else { return Err(format!("{asked:?}").into()) };
    questions.delete(chatbot_id, chess.unanswered_question_id).await?;
    let answered = NewAnsweredItem::new(faq_id, "We do, from 10 pounds.");
    let item = questions.make_faq_item(chatbot_id, vouchers.unanswered_question_id, answered).await?;
    assert_eq!((&*item.question, &item.source), ("Do you sell gift vouchers?", &FaqItemSource::Suggested));
    assert!(questions.list(chatbot_id).await?.unanswered_questions.is_empty());
    let again = NewMessage::new("Do you sell gift vouchers?");
    let answer = bakery.client.messages().send(chatbot_id, again).await?;
    assert_eq!(answer.response, "We do, from 10 pounds.");
    Ok(())
}
