//! Webpages of a chatbot.

use frontdesk_knowledge::{FieldTerms, Page, extract_html};
use frontdesk_model::{
    CreateWebpageError, CreateWebpageSuccess, CreateWebpagesError, CreatedWebpages, DeleteWebpageError,
    GetWebpageContentError, GetWebpageError, ListWebpagesError, RefreshWebpageError, RejectedUrl,
    RejectedUrlRequired, TrainingFailure, TrainingFailureRequired, TrainingStatus, UpdateWebpageError,
    Webpage, WebpageChunk, WebpageContent, WebpageList,
};
use frontdesk_runtime::{Failure, Patch};
use frontdesk_server::{
    CreateWebpage, CreateWebpages, DeleteWebpage, GetWebpage, GetWebpageContent, ListWebpages,
    RefreshWebpage, UpdateWebpage, Webpages,
};
use frontdesk_store::{
    self as store, Chatbot, ChunkRecord, NewChunk, NewWebpage, PushedPage, Scope, StoreError, WebpageError,
    WebpageFilter, WebpageUpdate,
};
use http::Extensions;
use url::Url;
use uuid::Uuid;

use super::{count, filters::check_known, tags, text_snippets::numbered, websites::address};
use crate::{
    api::{Service, converted_ids},
    background::{jobs::Queue, training},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// The message of the 409 when a page exists.
const EXISTS: &str = "The chatbot has a page with this address already.";
/// The longest address of a page in bytes.
const MAX_URL_BYTES: usize = 2048;

impl Resource for store::Webpage {
    const PARAMETER: &'static str = "webpage_id";
    const NOT_FOUND: &'static str = "Webpage not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        let page = service.store.webpages().find(scope, id).await?;
        Ok(page.filter(|page| page.chatbot_id == chatbot.chatbot_id))
    }
}

impl Webpages for Service {
    type Caller = Caller;

    async fn list_webpages(
        &self,
        request: ListWebpages<Caller>,
    ) -> Result<WebpageList, Failure<ListWebpagesError>> {
        let ListWebpages { caller, chatbot_id, limit, cursor, incoming, .. } = &request;
        let listing = Listing::new(&self.cursors, caller, incoming);
        let page = listing.page(*limit, cursor.as_deref())?;
        let chatbot: Chatbot = loaded(incoming)?;
        let ids: Vec<_> = request.tag_id.iter().map(|id| ("tag_id".to_owned(), *id)).collect();
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        if let Some(website_id) = request.website_id
            && self
                .store
                .websites()
                .find(&caller.scope, chatbot_id.uuid(), website_id.uuid())
                .await?
                .is_none()
        {
            let message = "is not a website of this chatbot".to_owned();
            failures.push(frontdesk_runtime::check::Failure { path: "website_id".to_owned(), message });
        }
        let status = request.status.as_ref().map(TrainingStatus::as_str);
        check_known("status", status, TrainingStatus::KNOWN, &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        // A state that no page can have, such as `processing`, selects none.
        let status = request.status.as_ref().map(|status| status.as_str().parse());
        if matches!(status, Some(Err(_))) {
            return Ok(WebpageList::new([], listing.pagination(None)));
        }
        let filter = WebpageFilter {
            website_id: request.website_id.map(Into::into),
            standalone: request.standalone,
            status: status.and_then(Result::ok),
            tag_id: request.tag_id.map(Into::into),
            text: request.q.clone(),
        };
        let page = self.store.webpages().page(&caller.scope, chatbot_id.uuid(), &filter, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(WebpageList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn create_webpage(
        &self,
        request: CreateWebpage<Caller>,
    ) -> Result<CreateWebpageSuccess, Failure<CreateWebpageError>> {
        let CreateWebpage { caller, chatbot_id, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let ids = numbered(body.tag_ids.as_deref().unwrap_or_default());
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        let url = address(&body.url, "url", &mut failures);
        if url.len() > MAX_URL_BYTES {
            let message = format!("must have at most {MAX_URL_BYTES} bytes in its normal form");
            failures.push(frontdesk_runtime::check::Failure { path: "url".to_owned(), message });
        }
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let pages = self.store.webpages();
        if let Some(html) = body.html {
            let content = read_html(url.parse()?, html, body.title.clone()).await?;
            let pushed = PushedPage {
                url,
                custom_title: body.title,
                content,
                tag_ids: body.tag_ids.map(converted_ids),
            };
            let (page, is_new) = match pages.push(&caller.scope, chatbot_id.uuid(), &pushed, self.now()).await
            {
                Ok(stored) => stored.ok_or_else(gone::<Chatbot>)?,
                Err(WebpageError::PlanLimit(reached)) => {
                    return Err(responses::plan_limit_reached(reached).into());
                }
                Err(error) => return Err(error.into()),
            };
            let page = shown(page);
            return Ok(if is_new {
                CreateWebpageSuccess::Created(page.into())
            } else {
                CreateWebpageSuccess::Ok(page.into())
            });
        }
        let tag_ids = body.tag_ids.unwrap_or_default();
        let new = NewWebpage { url, custom_title: body.title, tag_ids: converted_ids(tag_ids) };
        let created =
            pages.create(&caller.scope, chatbot_id.uuid(), &new, training::page_job, self.now()).await;
        self.job_signals.enqueued(Queue::Crawl);
        match created {
            Ok(page) => Ok(CreateWebpageSuccess::Created(shown(page.ok_or_else(gone::<Chatbot>)?).into())),
            Err(WebpageError::AlreadyExists { webpage_id }) => {
                Err(responses::already_exists(EXISTS, webpage_id).into())
            }
            Err(WebpageError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn create_webpages(
        &self,
        request: CreateWebpages<Caller>,
    ) -> Result<CreatedWebpages, Failure<CreateWebpagesError>> {
        let CreateWebpages { caller, chatbot_id, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let tag_ids = body.tag_ids.unwrap_or_default();
        let failures = tags::check_ids(self, &caller.scope, &chatbot, &numbered(&tag_ids)).await?;
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let (mut added, mut rejected) = (Vec::new(), Vec::new());
        for text in body.urls {
            let url = match training::start_url(&text) {
                Ok(url) if url.as_str().len() <= MAX_URL_BYTES => url,
                Ok(_) => {
                    let message = format!("The address has more than {MAX_URL_BYTES} bytes.");
                    rejected.push(RejectedUrl::new(RejectedUrlRequired { url: text, message }));
                    continue;
                }
                Err(problem) => {
                    rejected.push(RejectedUrl::new(RejectedUrlRequired {
                        url: text,
                        message: format!("The address {problem}."),
                    }));
                    continue;
                }
            };
            let new = NewWebpage {
                url: url.into(),
                custom_title: None,
                tag_ids: converted_ids(tag_ids.iter().copied()),
            };
            let pages = self.store.webpages();
            match pages.create(&caller.scope, chatbot_id.uuid(), &new, training::page_job, self.now()).await {
                Ok(page) => added.push(shown(page.ok_or_else(gone::<Chatbot>)?)),
                Err(WebpageError::AlreadyExists { .. }) => rejected
                    .push(RejectedUrl::new(RejectedUrlRequired { url: text, message: EXISTS.to_owned() })),
                Err(WebpageError::PlanLimit(reached)) => {
                    rejected.push(RejectedUrl::new(RejectedUrlRequired {
                        url: text,
                        message: responses::plan_limit_message(reached),
                    }));
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.job_signals.enqueued(Queue::Crawl);
        Ok(CreatedWebpages::new(added, rejected))
    }

    async fn get_webpage(&self, request: GetWebpage<Caller>) -> Result<Webpage, Failure<GetWebpageError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_webpage(
        &self,
        request: UpdateWebpage<Caller>,
    ) -> Result<Webpage, Failure<UpdateWebpageError>> {
        let UpdateWebpage { caller, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let page: store::Webpage = loaded(&incoming)?;
        let ids = numbered(body.tag_ids.as_deref().unwrap_or_default());
        let failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let custom_title = match body.title {
            Patch::Absent => None,
            Patch::Null => Some(None),
            Patch::Value(title) => Some(Some(title)),
        };
        let chunks = match &custom_title {
            Some(title) if *title != page.custom_title => {
                let chunks = self.store.chunks().of_page(&caller.scope, page.webpage_id).await?;
                let title = title.clone().or_else(|| page.title.clone()).unwrap_or_default();
                let renamed = move || chunks.into_iter().map(|chunk| under_title(chunk, &title)).collect();
                Some(tokio::task::spawn_blocking(renamed).await?)
            }
            _ => None,
        };
        let update = WebpageUpdate {
            custom_title,
            chunks,
            enabled: body.enabled,
            tag_ids: body.tag_ids.map(converted_ids),
        };
        let updated = self.store.webpages().update(&caller.scope, &page, &update, self.now()).await?;
        Ok(shown(updated.ok_or_else(gone::<store::Webpage>)?))
    }

    async fn delete_webpage(
        &self,
        request: DeleteWebpage<Caller>,
    ) -> Result<(), Failure<DeleteWebpageError>> {
        if self.store.webpages().delete(&request.caller.scope, request.webpage_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::Webpage>().into())
        }
    }

    async fn refresh_webpage(
        &self,
        request: RefreshWebpage<Caller>,
    ) -> Result<Webpage, Failure<RefreshWebpageError>> {
        let page: store::Webpage = loaded(&request.incoming)?;
        let job = training::page_job(page.webpage_id);
        let refreshed = self.store.webpages().refresh(&request.caller.scope, &page, &job, self.now()).await?;
        self.job_signals.enqueued(Queue::Crawl);
        Ok(shown(refreshed.ok_or_else(gone::<store::Webpage>)?))
    }

    async fn get_webpage_content(
        &self,
        request: GetWebpageContent<Caller>,
    ) -> Result<WebpageContent, Failure<GetWebpageContentError>> {
        let chunks = self.store.chunks().of_page(&request.caller.scope, request.webpage_id.uuid()).await?;
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let text = texts.join("\n\n");
        let chunks = chunks
            .into_iter()
            .map(|chunk| WebpageChunk::new(chunk.chunk_id.into(), i64::from(chunk.position), chunk.text));
        Ok(WebpageContent::new(text, chunks))
    }
}

/// Reads a page that came with its content. Directives to crawlers and sign-in forms mean nothing in it.
async fn read_html(
    url: Url,
    html: String,
    title: Option<String>,
) -> Result<store::WebpageContent, tokio::task::JoinError> {
    // Extraction is CPU-bound and must not block the threads that serve requests.
    let read = move || {
        let extracted = extract_html(html.as_bytes(), Some("text/html; charset=utf-8"), &url, "frontdesk");
        let page = Page::new(url, extracted);
        let chunks = if page.has_text() { training::new_chunks(&page, title.as_deref()) } else { Vec::new() };
        store::WebpageContent {
            title: page.title,
            content_hash: page.content_hash,
            language: page.language,
            chunks,
        }
    };
    tokio::task::spawn_blocking(read).await
}

/// Returns a passage under another title.
fn under_title(chunk: ChunkRecord, title: &str) -> NewChunk {
    let terms = FieldTerms::of(title, "", "", chunk.language.as_deref());
    NewChunk {
        source_type: chunk.source_type,
        title: title.to_owned(),
        headings: chunk.headings,
        text: chunk.text,
        url: chunk.url,
        language: chunk.language,
        terms_title: terms.title.into(),
        terms_headings: chunk.terms_headings,
        terms_body: chunk.terms_body,
    }
}

/// A stored page as the interface shows it.
fn shown(stored: store::Webpage) -> Webpage {
    let status = match stored.status {
        store::PageStatus::Pending => TrainingStatus::Pending,
        store::PageStatus::Ready => TrainingStatus::Ready,
        store::PageStatus::Failed => TrainingStatus::Failed,
        store::PageStatus::Skipped => TrainingStatus::Skipped,
    };
    let at = timestamp(stored.fetched_at.unwrap_or(stored.updated_at));
    let message = training::reason_as_text(&stored);
    let last_error = stored
        .reason
        .clone()
        .zip(message)
        .map(|(code, text)| TrainingFailure::new(TrainingFailureRequired { code, message: text, at }));
    Webpage {
        webpage_id: stored.webpage_id.into(),
        website_id: stored.website_id.map(Into::into),
        url: stored.url,
        final_url: stored.final_url,
        title: stored.custom_title.or(stored.title),
        status,
        http_status: stored.http_status.map(i64::from),
        content_hash: stored.content_hash,
        language: stored.language,
        last_fetched_at: stored.fetched_at.map(timestamp),
        last_error,
        enabled: stored.enabled,
        char_count: count(stored.char_count),
        chunk_count: count(stored.chunk_count),
        hit_count: count(stored.hit_count),
        tag_ids: converted_ids(stored.tag_ids),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    }
}
