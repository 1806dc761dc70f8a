//! `POST /api/v1/chatbots/{chatbot_id}/retrieve`: the passages that an answer would be written from.

use frontdesk_assistant::{Kind, Offer, Task, is_answerable};
use frontdesk_model::{RetrievePassagesError, RetrievedPassage, RetrievedPassages};
use frontdesk_runtime::Failure;
use frontdesk_server::RetrievePassages;
use frontdesk_store::Chatbot;

use super::{send, source_type};
use crate::edge::authorization::resources::loaded;
use crate::edge::responses;
use crate::platform::chatbot_settings::Settings;
use crate::{answering::Answering, edge::Caller};

/// The number of passages if the request does not say: as many as an answer is written from.
const DEFAULT_LIMIT: usize = 6;

pub(crate) async fn retrieve(
    service: &Answering,
    request: RetrievePassages<Caller>,
) -> Result<RetrievedPassages, Failure<RetrievePassagesError>> {
    let _answering = service.priority.begin();
    let RetrievePassages { body, incoming, .. } = request;
    let chatbot: Chatbot = loaded(&incoming)?;
    let mut failures = Vec::new();
    let tags = send::tags(service, &chatbot, &body.source_tags.unwrap_or_default(), &mut failures).await?;
    if !failures.is_empty() {
        return Err(responses::validation_failed(failures).into());
    }
    let limit = body.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
    let snapshot = service.search.snapshot(&chatbot).await?;
    let query = snapshot.query(&body.query, None, &tags).await?;
    let found = snapshot.find_up_to(&query, limit.max(DEFAULT_LIMIT)).await?;
    let task = Task {
        question: body.query,
        stand_alone: None,
        history: Vec::new(),
        offer: Offer::NotMade,
        retrieval: found.clone(),
        settings: Settings::of(&chatbot)?.for_writer(),
        kind: Kind::Chat,
    };
    let is_supported = is_answerable(&task);
    let shown = found.passages.into_iter().take(limit).map(|passage| {
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
    Ok(RetrievedPassages::new(is_supported, shown))
}
