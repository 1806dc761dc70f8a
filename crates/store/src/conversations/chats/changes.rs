//! What people do with a thread, apart from writing.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::contacts::{self, Claimed};
use crate::conversations::{chats, modes, reports};
use crate::events::states::{ConversationMode, ThreadStatus};
use crate::inbox::threads::record::{Thread, ThreadPriority};
use crate::inbox::threads::reports::report_status;
use crate::inbox::threads::{Threads, claims, deal_links, state};
use crate::sql::error::StoreError;
use crate::sql::scope::Scope;

/// A change of a thread. What is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThreadUpdate {
    /// The status, with the time at which a snoozed thread comes back.
    pub status: Option<(ThreadStatus, Option<Timestamp>)>,
    /// Who takes care of it.
    pub assignee_id: Option<Option<Uuid>>,
    /// How urgent it is.
    pub priority: Option<ThreadPriority>,
    /// Whether everything in it was read; otherwise it counts as one unread message.
    pub read: Option<bool>,
    /// Labels; an array of texts.
    pub tags: Option<Value>,
    /// What it is about.
    pub subject: Option<Option<String>>,
    /// The deals that are about it; others than those of its account are ignored.
    pub deal_ids: Option<Vec<Uuid>>,
}

impl Threads<'_> {
    /// Changes a thread. `None` if there is no such thread.
    ///
    /// Assigning a chat whose visitor waits for a person accepts the handover; resolving a chat, or calling
    /// it spam, closes its conversation. What a doubtful submission says of its sender becomes a contact once
    /// its thread is no longer spam.
    pub async fn update(
        self,
        scope: &Scope,
        thread_id: Uuid,
        update: &ThreadUpdate,
        now: Timestamp,
    ) -> Result<Option<Thread>, StoreError> {
        let dialect = self.store.dialect();
        let mut transaction = self.store.begin().await?;
        // Before the thread, as what arrives does.
        let claims = match update.status {
            Some((status, _)) if status != ThreadStatus::Spam => {
                claims::lock(&mut transaction, dialect, scope, thread_id).await?
            }
            _ => None,
        };
        let chat = chats::lock_conversation(&mut transaction, dialect, scope, thread_id).await?;
        let Some(mut thread) = state::lock(&mut transaction, dialect, scope, thread_id).await? else {
            return Ok(None);
        };
        let before = thread.status;
        thread.updated_at = now;
        if let Some(assignee_id) = update.assignee_id {
            thread.assignee_id = assignee_id;
        }
        if let Some(priority) = update.priority {
            thread.priority = priority;
        }
        match update.read {
            Some(true) => thread.unread_count = 0,
            Some(false) => thread.unread_count = thread.unread_count.max(1),
            None => {}
        }
        if let Some(tags) = &update.tags {
            thread.tags = tags.clone();
        }
        if let Some(subject) = &update.subject {
            thread.subject = subject.as_deref().map(crate::sql::nul::replace_nul);
        }
        if let Some((status, snoozed_until)) = update.status {
            thread.set_status(status, snoozed_until, now);
        }
        let is_wanted = before == ThreadStatus::Spam && thread.status != ThreadStatus::Spam;
        let claimed = match claims.filter(|_| is_wanted && thread.contact_id.is_none()) {
            Some(fields) => {
                let source = thread.channel.contact_source();
                claims::accept(&mut transaction, dialect, &mut thread, &fields, source, now).await?
            }
            None => None,
        };
        state::save(&mut transaction, &thread).await?;
        if let Some(deal_ids) = &update.deal_ids {
            deal_links::replace_of_thread(&mut transaction, thread.account_id, thread_id, deal_ids).await?;
            if let Some(stored) = state::lock(&mut transaction, dialect, scope, thread_id).await? {
                thread.deal_ids = stored.deal_ids;
            }
        }
        let accepted = match (&chat, update.assignee_id.flatten()) {
            (Some(chat), Some(assignee_id)) if chat.mode == ConversationMode::HumanRequested => {
                let accepted = modes::accept(&mut transaction, chat.conversation_id).await?;
                Some((accepted, assignee_id))
            }
            _ => None,
        };
        let present = accepted.as_ref().map(|(conversation, _)| conversation.clone()).or(chat);
        let closed = chats::close_if_done(&mut transaction, present, &thread).await?;
        if let Some((conversation, assignee_id)) = &accepted {
            reports::handoff_accepted(&mut transaction, conversation, *assignee_id, now).await?;
        }
        if let Some(Claimed { contact, is_new_lead: true }) = &claimed {
            contacts::lead_created(&mut transaction, contact, None, None, now).await?;
        }
        chats::report_closed(&mut transaction, closed.as_ref(), now).await?;
        report_status(&mut transaction, &thread, before, now).await?;
        let changed = closed.or(accepted.map(|(conversation, _)| conversation));
        if let Some(changed) = changed {
            transaction.announce_conversation(changed.conversation_id);
        }
        transaction.commit().await?;
        Ok(Some(thread))
    }
}
