//! The inbox: threads, their messages and attachments.

mod attachments;
pub(in crate::api) mod shown;
mod writing;

use frontdesk_model::{
    Attachment, CreateThreadError, CreateThreadMessageError, DownloadAttachmentError, DownloadAttachmentOk,
    DraftThreadReplyError, GetThreadError, InboxMessage, InboxMessageList, ListThreadMessagesError,
    ListThreadsError, Thread, ThreadChannel, ThreadDraft, ThreadList, ThreadPriority, ThreadStatus,
    UpdateThreadError, UploadAttachmentError,
};
use frontdesk_runtime::{Failure, Patch};
use frontdesk_server::{
    CreateThread, CreateThreadMessage, DownloadAttachment, DraftThreadReply, GetThread, Inbox,
    ListThreadMessages, ListThreads, UpdateThread, UploadAttachment,
};
use frontdesk_store::{self as store, MessagesFrom, Scope, StoreError, ThreadFilter, ThreadUpdate};
use http::Extensions;
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use super::{account::acting, changed::changed, filters::check_known, references::References};
use crate::{
    answering,
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses,
    },
};

/// The messages that are returned with a thread.
const NEWEST: u32 = 20;
/// The number of messages on a page if the request does not say.
const DEFAULT_LIMIT: u32 = 25;

impl Resource for store::Thread {
    const PARAMETER: &'static str = "thread_id";
    const NOT_FOUND: &'static str = "Thread not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.threads().find(scope, id).await
    }
}

impl Resource for store::Attachment {
    const PARAMETER: &'static str = "attachment_id";
    const NOT_FOUND: &'static str = "Attachment not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.threads().find_attachment(scope, id).await
    }
}

impl Inbox for Service {
    type Caller = Caller;

    async fn list_threads(
        &self,
        request: ListThreads<Caller>,
    ) -> Result<ThreadList, Failure<ListThreadsError>> {
        let caller = acting(self, request.caller, request.account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &request.incoming);
        let page = listing.page(request.limit, request.cursor.as_deref())?;
        let (status, channel) = (request.status.as_ref(), request.channel.as_ref());
        let mut failures = Vec::new();
        check_known("status", status.map(ThreadStatus::as_str), ThreadStatus::KNOWN, &mut failures);
        check_known("channel", channel.map(ThreadChannel::as_str), ThreadChannel::KNOWN, &mut failures);
        let scope = &caller.scope;
        let mut references = References::new(self, *scope);
        references.channel("channel_id", request.channel_id.map(Into::into)).await?;
        references.team_member("assignee_id", request.assignee_id.map(Into::into)).await?;
        references.contact("contact_id", request.contact_id.map(Into::into)).await?;
        references.chatbot("chatbot_id", request.chatbot_id.map(Into::into)).await?;
        references.deal("deal_id", request.deal_id.map(Into::into)).await?;
        failures.extend(references.failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let updated_since = request.updated_since.map(frontdesk_runtime::Timestamp::as_microseconds);
        let filter = ThreadFilter {
            status: status.map(|status| status.as_str().parse()).transpose()?,
            without_spam: updated_since.is_none(),
            channel: channel.map(|channel| channel.as_str().parse()).transpose()?,
            channel_id: request.channel_id.map(Into::into),
            assignee_id: request.assignee_id.map(Into::into),
            unassigned: request.unassigned,
            contact_id: request.contact_id.map(Into::into),
            chatbot_id: request.chatbot_id.map(Into::into),
            deal_id: request.deal_id.map(Into::into),
            unread: request.unread,
            updated_since: updated_since.map(Timestamp::from_microsecond).transpose()?,
            text: request.q.clone(),
        };
        let page = self.store.threads().page(scope, &filter, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(ThreadList::new(page.items.into_iter().map(shown::thread), pagination))
    }

    async fn create_thread(
        &self,
        request: CreateThread<Caller>,
    ) -> Result<Thread, Failure<CreateThreadError>> {
        writing::create(self, request).await
    }

    async fn get_thread(&self, request: GetThread<Caller>) -> Result<Thread, Failure<GetThreadError>> {
        let thread: store::Thread = loaded(&request.incoming)?;
        let (scope, id) = (&request.caller.scope, thread.thread_id);
        let (newest, _) = self.store.threads().messages(scope, id, MessagesFrom::Newest, NEWEST).await?;
        let messages = shown::messages(&self.store, scope, newest).await?;
        Ok(shown::thread(thread).messages(messages))
    }

    async fn update_thread(
        &self,
        request: UpdateThread<Caller>,
    ) -> Result<Thread, Failure<UpdateThreadError>> {
        let UpdateThread { caller, thread_id, body, incoming } = request;
        let now = self.now();
        let mut failures = Vec::new();
        let (status, priority) = (body.status.as_ref(), body.priority.as_ref());
        check_known("status", status.map(ThreadStatus::as_str), ThreadStatus::KNOWN, &mut failures);
        check_known("priority", priority.map(ThreadPriority::as_str), ThreadPriority::KNOWN, &mut failures);
        let snoozed_until = body.snoozed_until.value().map(|until| until.as_microseconds());
        let snoozed_until = snoozed_until.map(Timestamp::from_microsecond).transpose()?;
        let is_snoozed = status == Some(&ThreadStatus::Snoozed);
        if snoozed_until.is_some() && !is_snoozed {
            failures.push(responses::failure("snoozed_until", "needs `status` to be `snoozed`"));
        } else if snoozed_until.is_some_and(|until| until <= now) {
            failures.push(responses::failure("snoozed_until", "must be in the future"));
        }
        // A thread may belong to another account that the caller reaches, and so do its deals.
        let thread: store::Thread = loaded(&incoming)?;
        let mut references = References::new(self, Scope::of_account(thread.account_id));
        for (index, id) in body.deal_ids.iter().flatten().enumerate() {
            references.deal(&format!("deal_ids.{index}"), Some(id.uuid())).await?;
        }
        failures.extend(references.failures);
        let mut references = References::new(self, caller.scope);
        references.team_member("assignee_id", body.assignee_id.value().copied().map(Into::into)).await?;
        failures.extend(references.failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = ThreadUpdate {
            status: status
                .map(|status| status.as_str().parse())
                .transpose()?
                .map(|status| (status, snoozed_until)),
            assignee_id: match body.assignee_id {
                Patch::Absent => None,
                Patch::Null => Some(None),
                Patch::Value(id) => Some(Some(id.uuid())),
            },
            priority: priority.map(|priority| priority.as_str().parse()).transpose()?,
            read: body.read,
            tags: body.tags.map(|tags| json!(tags.iter().map(store::replace_nul).collect::<Vec<_>>())),
            subject: changed(body.subject),
            deal_ids: body.deal_ids.map(converted_ids),
        };
        let updated = self.store.threads().update(&caller.scope, thread_id.uuid(), &update, now).await?;
        Ok(shown::thread(updated.ok_or_else(gone::<store::Thread>)?))
    }

    async fn list_thread_messages(
        &self,
        request: ListThreadMessages<Caller>,
    ) -> Result<InboxMessageList, Failure<ListThreadMessagesError>> {
        let ListThreadMessages { caller, thread_id, before, after, limit, .. } = request;
        let threads = self.store.threads();
        let (name, id) = match (before, after) {
            (Some(_), Some(_)) => {
                let failure = responses::failure("after", "must be absent if `before` is there");
                return Err(responses::validation_failed([failure]).into());
            }
            (Some(id), None) => ("before", Some(id)),
            (None, after) => ("after", after),
        };
        let position = match id {
            Some(id) => match threads.find_message(&caller.scope, thread_id.into(), id.into()).await? {
                Some(message) => Some(message.position),
                None => {
                    let failure = responses::failure(name, "is not a message of this thread");
                    return Err(responses::validation_failed([failure]).into());
                }
            },
            None => None,
        };
        let from = match position {
            None => MessagesFrom::Newest,
            Some(position) if before.is_some() => MessagesFrom::Before(position),
            Some(position) => MessagesFrom::After(position),
        };
        let limit = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let (found, has_more) = threads.messages(&caller.scope, thread_id.uuid(), from, limit).await?;
        Ok(InboxMessageList::new(shown::messages(&self.store, &caller.scope, found).await?, has_more))
    }

    async fn create_thread_message(
        &self,
        request: CreateThreadMessage<Caller>,
    ) -> Result<InboxMessage, Failure<CreateThreadMessageError>> {
        writing::reply(self, request).await
    }

    async fn draft_thread_reply(
        &self,
        request: DraftThreadReply<Caller>,
    ) -> Result<ThreadDraft, Failure<DraftThreadReplyError>> {
        Box::pin(answering::draft_for_thread(self, request)).await
    }

    async fn upload_attachment(
        &self,
        request: UploadAttachment<Caller>,
    ) -> Result<Attachment, Failure<UploadAttachmentError>> {
        attachments::upload(self, request).await
    }

    async fn download_attachment(
        &self,
        request: DownloadAttachment<Caller>,
    ) -> Result<DownloadAttachmentOk, Failure<DownloadAttachmentError>> {
        attachments::download(self, request).await
    }
}
