//! `POST /api/v1/inbox/threads/{thread_id}/draft`: drafts a reply to what the contact of a thread has written
//! last.

use frontdesk_assistant::{Author, Kind, Offer, Task, Turn};
use frontdesk_knowledge::Retrieval;
use frontdesk_model::{DraftThreadReplyError, ThreadDraft};
use frontdesk_runtime::Failure;
use frontdesk_server::DraftThreadReply;
use frontdesk_store::{self as store, AuthorType, Chatbot, MessageDirection, MessagesFrom};

use super::credits::{Allowance, price};
use super::{error_responses, passages, sources};
use crate::edge::authorization::resources::{gone, loaded};
use crate::edge::responses;
use crate::platform::chatbot_settings::{Settings, UnreadableSettings};
use crate::{answering::Answering, edge::Caller};

/// The messages of a thread that a draft takes into account.
const HISTORY: u32 = 20;
/// The longest question, in characters.
const MAX_QUESTION: usize = 4_000;

pub(crate) async fn draft(
    service: &Answering,
    request: DraftThreadReply<Caller>,
) -> Result<ThreadDraft, Failure<DraftThreadReplyError>> {
    let DraftThreadReply { caller, thread_id, body, incoming } = request;
    let thread: store::Thread = loaded(&incoming)?;
    let chatbot = service.store.chatbots().find(&caller.scope, body.chatbot_id.uuid()).await?;
    let Some(chatbot) = chatbot.filter(|chatbot| chatbot.account_id == thread.account_id) else {
        let failure = responses::failure("chatbot_id", "is not a chatbot of this account");
        return Err(responses::validation_failed([failure]).into());
    };
    let threads = service.store.threads();
    let (newest, _) =
        threads.messages(&caller.scope, thread_id.uuid(), MessagesFrom::Newest, HISTORY).await?;
    let written: Vec<_> =
        newest.into_iter().filter(|message| message.direction != MessageDirection::Internal).collect();
    let (before, asked) =
        match written.iter().rposition(|message| message.direction != MessageDirection::Inbound) {
            Some(last) if last + 1 < written.len() => written.split_at(last + 1),
            // The account has written last, so the draft follows up on what the contact had written before.
            Some(_) => {
                let last = written.iter().rposition(|message| message.direction == MessageDirection::Inbound);
                let Some(last) = last else { return Err(nothing_to_answer().into()) };
                (&written[..last], &written[last..=last])
            }
            None => written.split_at(0),
        };
    let question = asked.iter().map(|message| message.body.as_str()).collect::<Vec<_>>().join("\n\n");
    let question: String = question.chars().take(MAX_QUESTION).collect();
    if question.trim().is_empty() {
        return Err(nothing_to_answer().into());
    }
    let allowance = Allowance::of(service, &chatbot).await?.ok_or_else(gone::<store::Thread>)?;
    let Some(reservation) = allowance.reserve().await? else {
        return Err(error_responses::credits_exhausted().into());
    };
    let history: Vec<Turn> = before.iter().map(turn).collect();
    let mut task = Task {
        question,
        stand_alone: None,
        history,
        // A person reads the draft, so there is nobody else to offer.
        offer: Offer::Past,
        retrieval: Retrieval::default(),
        settings: settings(&chatbot, body.instruction.as_deref())?,
        kind: Kind::Chat,
    };
    passages::find(&service.search, &service.assistant, &chatbot, &mut task, &[]).await?;
    let draft = service.assistant.respond(task).await;
    service.metrics.answer(draft.action.as_str());
    let usage = reservation.commit(price(&draft)).await?;
    Ok(ThreadDraft::new(draft.text, sources(draft.sources), usage))
}

fn turn(message: &store::ThreadMessage) -> Turn {
    let author = match message.author_type {
        AuthorType::Contact => Author::Visitor,
        AuthorType::TeamMember => Author::TeamMember,
        AuthorType::Ai | AuthorType::System => Author::Assistant,
    };
    Turn { author, text: message.body.clone(), action: None, needs_escalation: false }
}

/// Returns the settings of a chatbot with an instruction for one reply after its own.
fn settings(
    chatbot: &Chatbot,
    instruction: Option<&str>,
) -> Result<frontdesk_assistant::Settings, UnreadableSettings> {
    let mut settings = Settings::of(chatbot)?.for_writer();
    if let Some(instruction) = instruction {
        let own = settings.custom_instructions.take();
        settings.custom_instructions =
            Some(own.into_iter().chain([instruction.to_owned()]).collect::<Vec<_>>().join("\n\n"));
    }
    Ok(settings)
}

fn nothing_to_answer() -> frontdesk_model::Conflict {
    responses::conflict("The contact has written nothing that could be answered.")
}
