//! `POST /api/v1/chatbots/{chatbot_id}/retrieve`: the passages that an answer would be written from.

use frontdesk_assistant::{Explanation, Kind, Offer, Reason, Task, explain};
use frontdesk_knowledge::Attribute;
use frontdesk_model::{
    AnswerDecision, AnswerDecisionComparedBy, AnswerDecisionReason, AnswerDecisionRequired, FactKind,
    RetrievePassagesError, RetrievedPassage, RetrievedPassageRequired, RetrievedPassages,
};
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
    let explanation = explain(&task);
    let is_supported = explanation.reason.is_answer();
    let shown = found.passages.into_iter().take(limit).map(|passage| {
        let is_quoted = explanation.quoted.contains(&passage.chunk_id);
        let relevance = passage.relevance;
        let mut shown = RetrievedPassage::new(RetrievedPassageRequired {
            chunk_id: passage.chunk_id.into(),
            title: passage.title,
            headings: passage.headings,
            text: passage.text,
            url: passage.url,
            r#type: source_type(passage.source_type),
            score: passage.score,
        })
        .score_by_words(relevance.lexical)
        .is_quoted(is_quoted);
        shown.score_by_meaning = relevance.similarity;
        shown
    });
    let shown: Vec<RetrievedPassage> = shown.collect();
    Ok(RetrievedPassages::new(is_supported, shown).decision(decision(explanation)))
}

fn decision(explanation: Explanation) -> AnswerDecision {
    let reason = match explanation.reason {
        Reason::ExactAnswer => AnswerDecisionReason::ExactAnswer,
        Reason::LikelyAnswer => AnswerDecisionReason::LikelyAnswer,
        Reason::StatedTime => AnswerDecisionReason::StatedTime,
        Reason::UnlikelyAnswer => AnswerDecisionReason::UnlikelyAnswer,
        Reason::UnknownSubject => AnswerDecisionReason::UnknownSubject,
        Reason::NothingFound => AnswerDecisionReason::NothingFound,
        Reason::Withheld => AnswerDecisionReason::Withheld,
    };
    let compared_by = if explanation.by_meaning {
        AnswerDecisionComparedBy::WordsAndMeaning
    } else {
        AnswerDecisionComparedBy::Words
    };
    let kinds = |attributes: Vec<Attribute>| attributes.into_iter().map(fact_kind).collect::<Vec<_>>();
    let mut decision = AnswerDecision::new(AnswerDecisionRequired {
        reason,
        compared_by,
        quote: explanation.quote,
        asked_for: kinds(explanation.asked_for),
        not_stated: kinds(explanation.not_stated),
        missing_words: explanation.missing_words,
        unknown_words: explanation.unknown_words,
    });
    decision.margin = explanation.margin;
    decision
}

fn fact_kind(attribute: Attribute) -> FactKind {
    match attribute {
        Attribute::Hours => FactKind::Hours,
        Attribute::Opening => FactKind::Opening,
        Attribute::Phone => FactKind::Phone,
        Attribute::Email => FactKind::Email,
        Attribute::Address => FactKind::Address,
        Attribute::Price => FactKind::Price,
        Attribute::Payment => FactKind::Payment,
        Attribute::Date => FactKind::Date,
        Attribute::Quantity => FactKind::Quantity,
    }
}
