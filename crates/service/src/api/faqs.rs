//! FAQs of an account.

use std::collections::HashSet;

use frontdesk_model::{
    CreateFaqError, DeleteFaqError, Faq, FaqList, FaqRequired, GetFaqError, ListFaqsError, UpdateFaqError,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{CreateFaq, DeleteFaq, Faqs, GetFaq, ListFaqs, UpdateFaq};
use frontdesk_store::{self as store, Chatbot, FaqUpdate, NewFaq, Scope, StoreError};
use http::Extensions;
use uuid::Uuid;

use super::{account::acting, changed::changed, count, faq_items};
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

impl Resource for store::Faq {
    const PARAMETER: &'static str = "faq_id";
    const NOT_FOUND: &'static str = "FAQ not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.faqs().find(scope, id).await
    }
}

impl Faqs for Service {
    type Caller = Caller;

    async fn list_faqs(&self, request: ListFaqs<Caller>) -> Result<FaqList, Failure<ListFaqsError>> {
        let ListFaqs { caller, chatbot_id, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        if let Some(chatbot_id) = chatbot_id
            && Chatbot::load(self, Some(&caller.scope), &Extensions::new(), chatbot_id.uuid())
                .await?
                .is_none()
        {
            let failure = failure("chatbot_id".to_owned(), NO_CHATBOT);
            return Err(responses::validation_failed([failure]).into());
        }
        let page = self.store.faqs().page(&caller.scope, chatbot_id.map(Into::into), &page).await?;
        Ok(FaqList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_faq(&self, request: CreateFaq<Caller>) -> Result<Faq, Failure<CreateFaqError>> {
        let CreateFaq { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let new = NewFaq {
            name: body.name,
            description: body.description.into_value(),
            language: body.language.into_value(),
            chatbot_ids: converted_ids(body.chatbot_ids.unwrap_or_default()),
            tag_ids: converted_ids(body.tag_ids.unwrap_or_default()),
        };
        let account = Scope::of_account(caller.account_id);
        let failures = check_links(self, &account, &new.chatbot_ids, &new.tag_ids).await?;
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        Ok(shown(self.store.faqs().create(&caller.scope, &new, self.now()).await?))
    }

    async fn get_faq(&self, request: GetFaq<Caller>) -> Result<Faq, Failure<GetFaqError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_faq(&self, request: UpdateFaq<Caller>) -> Result<Faq, Failure<UpdateFaqError>> {
        let UpdateFaq { caller, faq_id, body, incoming } = request;
        let faq: store::Faq = loaded(&incoming)?;
        let account = Scope::of_account(faq.account_id);
        // Links that stay are not checked again: a chatbot may have been deleted since the FAQ was read.
        let kept = faq.chatbot_ids.as_slice();
        let (chatbot_ids, tag_ids) = (body.chatbot_ids.map(converted_ids), body.tag_ids.map(converted_ids));
        let mut failures =
            check_links(self, &account, chatbot_ids.as_deref().unwrap_or_default(), &[]).await?;
        if let Some(tag_ids) = &tag_ids {
            let chatbot_ids = chatbot_ids.as_deref().unwrap_or(kept);
            failures.extend(check_tags(self, &account, chatbot_ids, tag_ids).await?);
        }
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = FaqUpdate {
            name: body.name,
            description: changed(body.description),
            language: changed(body.language),
            chatbot_ids,
            tag_ids,
        };
        let chunk_of = &faq_items::chunk;
        let updated =
            self.store.faqs().update(&caller.scope, faq_id.uuid(), &update, chunk_of, self.now()).await?;
        Ok(shown(updated.ok_or_else(gone::<store::Faq>)?))
    }

    async fn delete_faq(&self, request: DeleteFaq<Caller>) -> Result<(), Failure<DeleteFaqError>> {
        if self.store.faqs().delete(&request.caller.scope, request.faq_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::Faq>().into())
        }
    }
}

/// The message about an id that names no chatbot.
const NO_CHATBOT: &str = "is not a chatbot of this account";

/// Checks that an FAQ of an account may be linked to these chatbots, and have these tags of theirs.
async fn check_links(
    service: &Service,
    account: &Scope,
    chatbot_ids: &[Uuid],
    tag_ids: &[Uuid],
) -> Result<Vec<check::Failure>, StoreError> {
    let mut failures = Vec::new();
    for (index, id) in chatbot_ids.iter().enumerate() {
        if Chatbot::load(service, Some(account), &Extensions::new(), *id).await?.is_none() {
            failures.push(failure(format!("chatbot_ids.{index}"), NO_CHATBOT));
        }
    }
    failures.extend(check_tags(service, account, chatbot_ids, tag_ids).await?);
    Ok(failures)
}

async fn check_tags(
    service: &Service,
    account: &Scope,
    chatbot_ids: &[Uuid],
    tag_ids: &[Uuid],
) -> Result<Vec<check::Failure>, StoreError> {
    let mut known = HashSet::new();
    if !tag_ids.is_empty() {
        for chatbot_id in chatbot_ids {
            known.extend(service.store.tags().list(account, *chatbot_id).await?.iter().map(|tag| tag.tag_id));
        }
    }
    let unknown = tag_ids.iter().enumerate().filter(|(_, id)| !known.contains(*id));
    let text = "is not a tag of a chatbot that the FAQ is linked to";
    Ok(unknown.map(|(index, _)| failure(format!("tag_ids.{index}"), text)).collect())
}

fn failure(path: String, message: &str) -> check::Failure {
    check::Failure { path, message: message.to_owned() }
}

fn shown(stored: store::Faq) -> Faq {
    Faq::new(FaqRequired {
        faq_id: stored.faq_id.into(),
        name: stored.name,
        description: stored.description,
        language: stored.language,
        chatbot_ids: converted_ids(stored.chatbot_ids),
        tag_ids: converted_ids(stored.tag_ids),
        item_count: count(stored.item_count),
        published_item_count: count(stored.published_item_count),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
