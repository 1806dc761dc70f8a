//! Text snippets of a chatbot.

use frontdesk_knowledge::TextSource;
use frontdesk_model::{
    CreateTextSnippetError, DeleteTextSnippetError, GetTextSnippetError, ListTextSnippetsError, TagId,
    TextSnippet, TextSnippetList, TextSnippetRequired, TrainingStatus, UpdateTextSnippetError,
};
use frontdesk_runtime::{Failure, Patch};
use frontdesk_server::{
    CreateTextSnippet, DeleteTextSnippet, GetTextSnippet, ListTextSnippets, TextSnippets, UpdateTextSnippet,
};
use frontdesk_store::{
    self as store, Chatbot, NewChunk, NewTextSnippet, Scope, SnippetContent, SourceType, StoreError,
    TextSnippetError, TextSnippetUpdate,
};
use http::Extensions;
use uuid::Uuid;

use super::{addresses::web_address_patch, count, tags};
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// How often a change is applied anew when other changes of the same snippet come in between.
const UPDATE_ATTEMPTS: usize = 5;

impl Resource for store::TextSnippet {
    const PARAMETER: &'static str = "text_snippet_id";
    const NOT_FOUND: &'static str = "Text snippet not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        service.store.text_snippets().find(scope, chatbot.chatbot_id, id).await
    }
}

impl TextSnippets for Service {
    type Caller = Caller;

    async fn list_text_snippets(
        &self,
        request: ListTextSnippets<Caller>,
    ) -> Result<TextSnippetList, Failure<ListTextSnippetsError>> {
        let ListTextSnippets { caller, chatbot_id, tag_id, enabled, limit, cursor, incoming, .. } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        if let Some(tag_id) = tag_id {
            let chatbot: Chatbot = loaded(&incoming)?;
            let ids = [("tag_id".to_owned(), tag_id)];
            let failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
            if !failures.is_empty() {
                return Err(responses::validation_failed(failures).into());
            }
        }
        let page = self
            .store
            .text_snippets()
            .page(&caller.scope, chatbot_id.uuid(), tag_id.map(Into::into), enabled, &page)
            .await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(TextSnippetList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn create_text_snippet(
        &self,
        request: CreateTextSnippet<Caller>,
    ) -> Result<TextSnippet, Failure<CreateTextSnippetError>> {
        let CreateTextSnippet { caller, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let tag_ids = body.tag_ids.unwrap_or_default();
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &numbered(&tag_ids)).await?;
        let url = web_address_patch(body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let text = Text {
            title: body.title,
            content: body.content,
            url: url.into_value(),
            enabled: body.enabled.unwrap_or(true),
        };
        let new = NewTextSnippet { content: text.analyzed(&chatbot).await?, tag_ids: converted_ids(tag_ids) };
        let snippets = self.store.text_snippets();
        match snippets.create(&caller.scope, chatbot.chatbot_id, &new, self.now()).await {
            Ok(snippet) => Ok(shown(snippet.ok_or_else(gone::<Chatbot>)?)),
            Err(TextSnippetError::PlanLimit(reached)) => Err(responses::plan_limit_reached(reached).into()),
            Err(TextSnippetError::Store(error)) => Err(error.into()),
        }
    }

    async fn get_text_snippet(
        &self,
        request: GetTextSnippet<Caller>,
    ) -> Result<TextSnippet, Failure<GetTextSnippetError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_text_snippet(
        &self,
        request: UpdateTextSnippet<Caller>,
    ) -> Result<TextSnippet, Failure<UpdateTextSnippetError>> {
        let UpdateTextSnippet { caller, chatbot_id, text_snippet_id, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let ids = numbered(body.tag_ids.as_deref().unwrap_or_default());
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        let url = web_address_patch(body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let snippets = self.store.text_snippets();
        let mut stored: store::TextSnippet = loaded(&incoming)?;
        for _ in 0..UPDATE_ATTEMPTS {
            let text = Text {
                title: body.title.clone().unwrap_or_else(|| stored.title.clone()),
                content: body.content.clone().unwrap_or_else(|| stored.content.clone()),
                url: match &url {
                    Patch::Absent => stored.url.clone(),
                    Patch::Null => None,
                    Patch::Value(url) => Some(url.clone()),
                },
                enabled: body.enabled.unwrap_or(stored.enabled),
            };
            let update = TextSnippetUpdate {
                content: text.analyzed(&chatbot).await?,
                tag_ids: body.tag_ids.clone().map(converted_ids),
            };
            match snippets.update(&caller.scope, &stored, &update, self.now()).await {
                Ok(Some(updated)) => return Ok(shown(updated)),
                Ok(None) => {}
                Err(TextSnippetError::PlanLimit(reached)) => {
                    return Err(responses::plan_limit_reached(reached).into());
                }
                Err(TextSnippetError::Store(error)) => return Err(error.into()),
            }
            let current = snippets.find(&caller.scope, chatbot_id.into(), text_snippet_id.into()).await?;
            stored = current.ok_or_else(gone::<store::TextSnippet>)?;
        }
        Err(StoreError::Contended { entity: "text snippet" }.into())
    }

    async fn delete_text_snippet(
        &self,
        request: DeleteTextSnippet<Caller>,
    ) -> Result<(), Failure<DeleteTextSnippetError>> {
        if self.store.text_snippets().delete(&request.caller.scope, request.text_snippet_id.uuid()).await? {
            Ok(())
        } else {
            Err(gone::<store::TextSnippet>().into())
        }
    }
}

/// The fields of a snippet that answers depend on.
struct Text {
    title: String,
    content: String,
    url: Option<String>,
    enabled: bool,
}

impl Text {
    /// Splits the text into passages and analyses their words, on a thread for such work.
    async fn analyzed(self, chatbot: &Chatbot) -> Result<SnippetContent, tokio::task::JoinError> {
        let language = chatbot.language.clone();
        tokio::task::spawn_blocking(move || {
            let Self { title, content, url, enabled } = self;
            let source = TextSource { title: &title, text: &content, language: language.as_deref() };
            let chunks = source.chunks().into_iter().map(|chunk| NewChunk {
                source_type: SourceType::TextSnippet,
                title: chunk.title,
                headings: chunk.headings,
                text: chunk.text,
                url: url.clone().unwrap_or_default(),
                language: language.clone(),
                terms_title: chunk.terms.title.into(),
                terms_headings: chunk.terms.headings.into(),
                terms_body: chunk.terms.body.into(),
            });
            let chunks = chunks.collect();
            SnippetContent { title, content, url, enabled, chunks }
        })
        .await
    }
}

/// The entries of `tag_ids` with their paths.
pub(super) fn numbered(tag_ids: &[TagId]) -> Vec<(String, TagId)> {
    tag_ids.iter().enumerate().map(|(index, id)| (format!("tag_ids.{index}"), *id)).collect()
}

fn shown(stored: store::TextSnippet) -> TextSnippet {
    // A text of punctuation alone has nothing to quote.
    let is_empty = stored.enabled && stored.chunk_count == 0;
    TextSnippet::new(TextSnippetRequired {
        text_snippet_id: stored.text_snippet_id.into(),
        title: stored.title,
        content: stored.content,
        url: stored.url,
        enabled: stored.enabled,
        status: if is_empty { TrainingStatus::Skipped } else { TrainingStatus::Ready },
        char_count: count(stored.char_count),
        chunk_count: count(stored.chunk_count),
        hit_count: count(stored.hit_count),
        tag_ids: converted_ids(stored.tag_ids),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
