//! Items of FAQs: their operations, and the passage that an item is searched by.

mod import;

use frontdesk_knowledge::FieldTerms;
use frontdesk_model::{
    CreateFaqItemError, DeleteFaqItemError, FaqImport, FaqItem, FaqItemList, FaqItemOrder, FaqItemRequired,
    FaqItemSource, FaqItemStatus, GetFaqItemError, ImportFaqItemsError, ListFaqItemsError,
    OrderFaqItemsError, UpdateFaqItemError,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{
    CreateFaqItem, DeleteFaqItem, FaqItems, GetFaqItem, ImportFaqItems, ListFaqItems, OrderFaqItems,
    UpdateFaqItem,
};
use frontdesk_store::{
    self as store, FaqItemContent, FaqItemError, FaqItemUpdate, MAX_FAQ_ITEMS, NewChunk, NewFaqItem, Ordered,
    Scope, SourceType, StoreError,
};
use http::Extensions;
use uuid::Uuid;

use super::addresses::web_address_patch;
use super::changed::changed;
use super::count;
use super::filters::check_known;
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

impl Resource for store::FaqItem {
    const PARAMETER: &'static str = "faq_item_id";
    const NOT_FOUND: &'static str = "FAQ item not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(faq)) = (scope, parents.get::<store::Faq>()) else { return Ok(None) };
        service.store.faq_items().find(scope, faq.faq_id, id).await
    }
}

impl FaqItems for Service {
    type Caller = Caller;

    async fn list_faq_items(
        &self,
        request: ListFaqItems<Caller>,
    ) -> Result<FaqItemList, Failure<ListFaqItemsError>> {
        let ListFaqItems { caller, faq_id, status, q, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let mut failures = Vec::new();
        check_known(
            "status",
            status.as_ref().map(FaqItemStatus::as_str),
            FaqItemStatus::KNOWN,
            &mut failures,
        );
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let status = status.as_ref().and_then(stored_status);
        let items = self.store.faq_items();
        let page = items.page(&caller.scope, faq_id.uuid(), status, q.as_deref(), &page).await?;
        Ok(FaqItemList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_faq_item(
        &self,
        request: CreateFaqItem<Caller>,
    ) -> Result<FaqItem, Failure<CreateFaqItemError>> {
        let CreateFaqItem { caller, faq_id, body, .. } = request;
        let mut failures = Vec::new();
        let url = web_address_patch(body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let new = NewFaqItem {
            content: FaqItemContent {
                question: body.question,
                alternative_questions: body.alternative_questions.unwrap_or_default(),
                answer: body.answer,
                url: url.into_value(),
                status: status_or_published(body.status.as_ref()),
            },
            position: body.position.and_then(|position| position.try_into().ok()),
            source: store::FaqItemSource::Manual,
        };
        match self.store.faq_items().create(&caller.scope, faq_id.uuid(), &new, &chunk, self.now()).await {
            Ok(item) => Ok(shown(item.ok_or_else(gone::<store::Faq>)?)),
            Err(FaqItemError::Full) => Err(responses::validation_failed([full()]).into()),
            Err(FaqItemError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn get_faq_item(&self, request: GetFaqItem<Caller>) -> Result<FaqItem, Failure<GetFaqItemError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_faq_item(
        &self,
        request: UpdateFaqItem<Caller>,
    ) -> Result<FaqItem, Failure<UpdateFaqItemError>> {
        let UpdateFaqItem { caller, faq_id, faq_item_id, body, .. } = request;
        let mut failures = Vec::new();
        let url = web_address_patch(body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = FaqItemUpdate {
            question: body.question,
            alternative_questions: body.alternative_questions,
            answer: body.answer,
            url: changed(url),
            position: body.position.and_then(|position| position.try_into().ok()),
            status: body.status.as_ref().and_then(stored_status),
        };
        let items = self.store.faq_items();
        match items
            .update(&caller.scope, faq_id.into(), faq_item_id.into(), &update, &chunk, self.now())
            .await
        {
            Ok(updated) => Ok(shown(updated.ok_or_else(gone::<store::FaqItem>)?)),
            Err(FaqItemError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn delete_faq_item(
        &self,
        request: DeleteFaqItem<Caller>,
    ) -> Result<(), Failure<DeleteFaqItemError>> {
        let DeleteFaqItem { caller, faq_id, faq_item_id, .. } = request;
        if self.store.faq_items().delete(&caller.scope, faq_id.into(), faq_item_id.into()).await? {
            Ok(())
        } else {
            Err(gone::<store::FaqItem>().into())
        }
    }

    async fn order_faq_items(
        &self,
        request: OrderFaqItems<Caller>,
    ) -> Result<FaqItemOrder, Failure<OrderFaqItemsError>> {
        let OrderFaqItems { caller, faq_id, body, .. } = request;
        let ordered = self
            .store
            .faq_items()
            .order(&caller.scope, faq_id.into(), &converted_ids(body.faq_item_ids.iter().copied()))
            .await?;
        match ordered.ok_or_else(gone::<store::Faq>)? {
            Ordered::Done => Ok(FaqItemOrder::new(body.faq_item_ids)),
            Ordered::NotPermutation(wrong) => Err(responses::validation_failed(misplaced(&wrong)).into()),
        }
    }

    async fn import_faq_items(
        &self,
        request: ImportFaqItems<Caller>,
    ) -> Result<FaqImport, Failure<ImportFaqItemsError>> {
        import::import(self, request).await
    }
}

/// Makes the passage of an item. Its question is the title, its alternative questions are the headings, one a
/// line.
pub(super) fn chunk(item: &store::FaqItem, language: Option<&str>) -> NewChunk {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = one_line(&item.question);
    let alternatives = &item.alternative_questions.0;
    let headings = alternatives.iter().map(|question| one_line(question)).collect::<Vec<_>>().join("\n");
    let terms = FieldTerms::of(&title, &headings, &item.answer, language);
    NewChunk {
        source_type: SourceType::Faq,
        title,
        headings,
        text: item.answer.clone(),
        url: item.url.clone().unwrap_or_default(),
        language: language.map(str::to_owned),
        terms_title: terms.title.into(),
        terms_headings: terms.headings.into(),
        terms_body: terms.body.into(),
    }
}

/// The failure of an item that an FAQ has no room for.
pub(super) fn full() -> check::Failure {
    let message = format!("is one too many: an FAQ has at most {MAX_FAQ_ITEMS} items; use another FAQ");
    check::Failure { path: "question".to_owned(), message }
}

/// The failures of a list that does not name each item once: its wrong entries, or the list if items are
/// missing.
fn misplaced(wrong: &[usize]) -> Vec<check::Failure> {
    let failure = |path: String, message: &str| check::Failure { path, message: message.to_owned() };
    if wrong.is_empty() {
        return vec![failure("faq_item_ids".to_owned(), "does not name every item of this FAQ")];
    }
    let wrong = wrong.iter().map(|index| {
        failure(format!("faq_item_ids.{index}"), "is not an item of this FAQ, or is named twice")
    });
    wrong.collect()
}

fn stored_status(status: &FaqItemStatus) -> Option<store::FaqItemStatus> {
    status.as_str().parse().ok()
}

fn status_or_published(status: Option<&FaqItemStatus>) -> store::FaqItemStatus {
    status.and_then(stored_status).unwrap_or(store::FaqItemStatus::Published)
}

/// Converts an item to the type of the interface.
pub(super) fn shown(stored: store::FaqItem) -> FaqItem {
    let status = match stored.status {
        store::FaqItemStatus::Draft => FaqItemStatus::Draft,
        store::FaqItemStatus::Published => FaqItemStatus::Published,
    };
    let source = match stored.source {
        store::FaqItemSource::Manual => FaqItemSource::Manual,
        store::FaqItemSource::Import => FaqItemSource::Import,
        store::FaqItemSource::Suggested => FaqItemSource::Suggested,
    };
    FaqItem::new(FaqItemRequired {
        faq_item_id: stored.faq_item_id.into(),
        faq_id: stored.faq_id.into(),
        question: stored.question,
        alternative_questions: stored.alternative_questions.0,
        answer: stored.answer,
        url: stored.url,
        position: count(stored.position),
        status,
        source,
        hit_count: count(stored.hit_count),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
