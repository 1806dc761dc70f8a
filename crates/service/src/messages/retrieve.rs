//! `POST /api/v1/chatbots/{chatbot_id}/retrieve`: the passages that an answer would be written from.

use frontdesk_model::{RetrievePassagesError, RetrievedPassage, RetrievedPassages};
use frontdesk_runtime::Failure;
use frontdesk_server::RetrievePassages;
use frontdesk_store::Chatbot;

use super::{passages, send, source_type};
use crate::answers;
use crate::authorization::resources::loaded;
use crate::service::{Caller, Service};

/// The number of passages if the request does not say: as many as an answer is written from.
const DEFAULT_LIMIT: usize = 6;

pub(super) async fn retrieve(
    service: &Service,
    request: RetrievePassages<Caller>,
) -> Result<RetrievedPassages, Failure<RetrievePassagesError>> {
    let RetrievePassages { body, incoming, .. } = request;
    let chatbot: Chatbot = loaded(&incoming)?;
    let mut failures = Vec::new();
    let tags = send::tags(service, &chatbot, &body.source_tags.unwrap_or_default(), &mut failures).await?;
    if !failures.is_empty() {
        return Err(answers::validation_failed(failures).into());
    }
    let limit = body.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
    let found = passages::find_up_to(&service.store, &chatbot, &body.query, &tags, limit).await?;
    let shown = found.passages.into_iter().map(|passage| {
        RetrievedPassage::new(
            passage.chunk_id,
            passage.title,
            passage.headings,
            passage.text,
            passage.url,
            source_type(passage.source_type),
            passage.score,
        )
    });
    Ok(RetrievedPassages::new(found.support.accepted, shown))
}
