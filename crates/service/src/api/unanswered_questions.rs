//! Questions that a chatbot could not answer.

use frontdesk_model::{
    DeleteUnansweredQuestionError, FaqItem, ListUnansweredQuestionsError, MakeFaqItemError,
    UnansweredQuestion, UnansweredQuestionList, UnansweredQuestionRequired,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{DeleteUnansweredQuestion, ListUnansweredQuestions, MakeFaqItem, UnansweredQuestions};
use frontdesk_store::{self as store, AnsweredQuestion, Chatbot, Faq, FaqItemError, Scope, StoreError};
use http::Extensions;
use uuid::Uuid;

use super::{count, faq_items};
use crate::{
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

impl Resource for store::UnansweredQuestion {
    const PARAMETER: &'static str = "unanswered_question_id";
    const NOT_FOUND: &'static str = "Unanswered question not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        service.store.unanswered_questions().find(scope, chatbot.chatbot_id, id).await
    }
}

impl UnansweredQuestions for Service {
    type Caller = Caller;

    async fn list_unanswered_questions(
        &self,
        request: ListUnansweredQuestions<Caller>,
    ) -> Result<UnansweredQuestionList, Failure<ListUnansweredQuestionsError>> {
        let ListUnansweredQuestions { caller, chatbot_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.unanswered_questions().page(&caller.scope, chatbot_id.uuid(), &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(UnansweredQuestionList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn delete_unanswered_question(
        &self,
        request: DeleteUnansweredQuestion<Caller>,
    ) -> Result<(), Failure<DeleteUnansweredQuestionError>> {
        let DeleteUnansweredQuestion { caller, unanswered_question_id, .. } = request;
        if self.store.unanswered_questions().delete(&caller.scope, unanswered_question_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::UnansweredQuestion>().into())
        }
    }

    async fn make_faq_item(
        &self,
        request: MakeFaqItem<Caller>,
    ) -> Result<FaqItem, Failure<MakeFaqItemError>> {
        let MakeFaqItem { caller, chatbot_id, body, incoming, .. } = request;
        let question: store::UnansweredQuestion = loaded(&incoming)?;
        let faq = Faq::load(self, Some(&caller.scope), &Extensions::new(), body.faq_id.uuid()).await?;
        if !faq.is_some_and(|faq| faq.chatbot_ids.contains(&chatbot_id.uuid())) {
            let message = "is not an FAQ that this chatbot answers from".to_owned();
            let failure = check::Failure { path: "faq_id".to_owned(), message };
            return Err(responses::validation_failed([failure]).into());
        }
        let answered =
            AnsweredQuestion { faq_id: body.faq_id.uuid(), question: body.question, answer: body.answer };
        let questions = self.store.unanswered_questions();
        let chunk_of = &faq_items::chunk;
        match questions.make_item(&caller.scope, &question, &answered, chunk_of, self.now()).await {
            Ok(item) => Ok(faq_items::shown(item.ok_or_else(gone::<store::UnansweredQuestion>)?)),
            Err(FaqItemError::Full) => Err(responses::validation_failed([faq_items::full()]).into()),
            Err(FaqItemError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }
}

fn shown(stored: store::UnansweredQuestion) -> UnansweredQuestion {
    UnansweredQuestion::new(UnansweredQuestionRequired {
        unanswered_question_id: stored.unanswered_question_id.into(),
        question: stored.question,
        times_asked: count(stored.times_asked),
        first_asked_at: timestamp(stored.first_asked_at),
        last_asked_at: timestamp(stored.last_asked_at),
    })
}
