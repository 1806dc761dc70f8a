//! Replies, notes, and threads that the account begins.

use frontdesk_model::{
    Conflict, ConflictError, ConflictErrorKind, CreateThreadError, CreateThreadMessageError, InboxMessage,
    Thread, ThreadMessageType, ThreadStatus,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{CreateThread, CreateThreadMessage};
use frontdesk_store::{
    self as store, Contact, InboxChannel, NewThread, NewThreadReply, ReplyKind, Scope, StoreError,
    ThreadChannel, ThreadError,
};
use http::Extensions;
use uuid::Uuid;

use super::shown;
use crate::{
    api::{Service, account::acting, converted_ids, filters::check_known},
    background::{
        channels::{self, Sending},
        jobs::Queue,
    },
    edge::{
        Caller,
        authorization::resources::{Resource, gone, loaded},
        responses,
    },
};

pub(super) async fn reply(
    service: &Service,
    request: CreateThreadMessage<Caller>,
) -> Result<InboxMessage, Failure<CreateThreadMessageError>> {
    let CreateThreadMessage { caller, thread_id, body, incoming, .. } = request;
    let thread: store::Thread = loaded(&incoming)?;
    // First of all, because what was possible then may not be now: its attachments have a message, and its
    // channel may be gone.
    if let Some(id) = &body.client_message_id
        && let Some(known) =
            service.store.threads().written_before(&caller.scope, thread_id.uuid(), id).await?
    {
        return Ok(shown::one_message(service, &caller.scope, known).await?);
    }
    let mut failures = Vec::new();
    let kind = body.r#type.as_ref();
    check_known("type", kind.map(ThreadMessageType::as_str), ThreadMessageType::KNOWN, &mut failures);
    let status = body.set_status.as_ref();
    check_known("set_status", status.map(ThreadStatus::as_str), ThreadStatus::KNOWN, &mut failures);
    let kind = if kind == Some(&ThreadMessageType::Note) { ReplyKind::Note } else { ReplyKind::Reply };
    let attachment_ids = converted_ids(body.attachment_ids.unwrap_or_default());
    check_attachments(service, &caller.scope, thread.account_id, &attachment_ids, &mut failures).await?;
    if kind == ReplyKind::Reply && thread.channel == ThreadChannel::Chatbot && !attachment_ids.is_empty() {
        failures.push(responses::failure("attachment_ids", "must be empty: chats carry no attachments"));
    }
    if !failures.is_empty() {
        return Err(responses::validation_failed(failures).into());
    }
    let sending = match kind {
        ReplyKind::Note => Sending::Fetched,
        ReplyKind::Reply => {
            let contact = contact_of(service, &caller.scope, thread.contact_id).await?;
            channels::sending(service, thread.channel, contact.as_ref())
        }
    };
    let message_id = Uuid::now_v7();
    let delivery = match sending {
        Sending::Fetched => None,
        Sending::ByJob => Some(channels::delivery_job(message_id)),
        Sending::Impossible(reason) => return Err(closed(reason).into()),
    };
    let new = NewThreadReply {
        message_id,
        kind,
        body: body.body,
        author_id: caller.user_id,
        attachment_ids,
        client_message_id: body.client_message_id,
        set_status: status.map(|status| status.as_str().parse()).transpose()?.map(|status| (status, None)),
        delivery,
    };
    match service.store.threads().reply(&caller.scope, thread_id.uuid(), &new, service.now()).await {
        Ok(written) => {
            let written = written.ok_or_else(gone::<store::Thread>)?;
            service.job_signals.enqueued(Queue::Channels);
            Ok(shown::one_message(service, &caller.scope, written.message).await?)
        }
        Err(ThreadError::ChannelClosed) => Err(closed(match thread.channel {
            ThreadChannel::Chatbot => "The chat is closed. Its visitor can open it again with a new message.",
            _ => "The channel of the thread was deleted or switched off.",
        })
        .into()),
        Err(ThreadError::NoAttachment(id)) => {
            Err(responses::validation_failed([no_attachment(&new.attachment_ids, id)]).into())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn create(
    service: &Service,
    request: CreateThread<Caller>,
) -> Result<Thread, Failure<CreateThreadError>> {
    let CreateThread { caller, body, .. } = request;
    let caller = acting(service, caller, body.account_id.map(Into::into)).await??;
    let scope = &caller.scope;
    let mut failures = Vec::new();
    let channel =
        InboxChannel::load(service, Some(scope), &Extensions::new(), body.channel_id.uuid()).await?;
    if channel.is_none() {
        failures.push(responses::failure("channel_id", "is not a channel of this account"));
    }
    if channel.as_ref().is_some_and(|channel| !channels::begins_threads(channel.kind)) {
        failures.push(responses::failure("channel_id", "is a channel that cannot begin threads"));
    }
    let contact = contact_of(service, scope, Some(body.contact_id.uuid())).await?;
    let account_id = channel.as_ref().map_or(caller.account_id, |channel| channel.account_id);
    if contact.as_ref().is_none_or(|contact| contact.account_id != account_id) {
        failures.push(responses::failure("contact_id", "is not a contact of this account"));
    }
    let attachment_ids = converted_ids(body.attachment_ids.unwrap_or_default());
    check_attachments(service, scope, account_id, &attachment_ids, &mut failures).await?;
    let Some(channel) = channel.filter(|_| failures.is_empty()) else {
        return Err(responses::validation_failed(failures).into());
    };
    let message_id = Uuid::now_v7();
    let delivery = match channels::sending(service, channel.kind.into(), contact.as_ref()) {
        Sending::Fetched => None,
        Sending::ByJob => Some(channels::delivery_job(message_id)),
        Sending::Impossible(reason) => return Err(closed(reason).into()),
    };
    let new = NewThread {
        channel_id: channel.channel_id,
        contact_id: body.contact_id.uuid(),
        subject: body.subject,
        external_key: None,
        message: NewThreadReply {
            message_id,
            kind: ReplyKind::Reply,
            body: body.body,
            author_id: caller.user_id,
            attachment_ids,
            client_message_id: body.client_message_id,
            set_status: None,
            delivery,
        },
    };
    match service.store.threads().create(scope, &new, service.now()).await {
        Ok(Some(created)) => {
            service.job_signals.enqueued(Queue::Channels);
            let message = shown::one_message(service, scope, created.message).await?;
            Ok(shown::thread(created.thread).messages([message]))
        }
        Ok(None) | Err(ThreadError::ChannelClosed) => {
            Err(closed("The channel was deleted or switched off.").into())
        }
        Err(ThreadError::NoContact) => {
            let failure = responses::failure("contact_id", "is not a contact of this account");
            Err(responses::validation_failed([failure]).into())
        }
        Err(ThreadError::NoAttachment(id)) => {
            Err(responses::validation_failed([no_attachment(&new.message.attachment_ids, id)]).into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn contact_of(
    service: &Service,
    scope: &Scope,
    contact_id: Option<Uuid>,
) -> Result<Option<Contact>, StoreError> {
    match contact_id {
        Some(contact_id) => service.store.contacts().find(scope, contact_id).await,
        None => Ok(None),
    }
}

/// Adds a failing field for each attachment that a thread of an account cannot have: neither the account nor
/// the caller's own has it, or a message has it already.
async fn check_attachments(
    service: &Service,
    scope: &Scope,
    account_id: Uuid,
    ids: &[Uuid],
    failures: &mut Vec<check::Failure>,
) -> Result<(), StoreError> {
    for (index, id) in ids.iter().enumerate() {
        let attachment = service.store.threads().find_attachment(scope, *id).await?;
        let is_free = attachment.is_some_and(|attachment| {
            attachment.message_id.is_none() && [account_id, scope.account_id].contains(&attachment.account_id)
        });
        if !is_free || ids[..index].contains(id) {
            failures.push(no_attachment(ids, *id));
        }
    }
    Ok(())
}

fn no_attachment(ids: &[Uuid], id: Uuid) -> check::Failure {
    let index = ids.iter().rposition(|known| *known == id).unwrap_or_default();
    let path = format!("attachment_ids.{index}");
    responses::failure(&path, "is not an attachment of this account that no message has")
}

/// Returns the 409 for a thread whose channel sends nothing.
fn closed(reason: &str) -> Conflict {
    Conflict { body: ConflictError::new(ConflictErrorKind::ChannelClosed, reason) }
}
