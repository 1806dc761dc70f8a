//! Forgetting a visitor who has ended a session: what nobody is known of is erased.

use std::time::Duration;

use jiff::Timestamp;

use crate::contacts::account::AccountContacts;
use crate::contacts::{Contact, ContactSource};
use crate::conversations::{VisitorSession, Visitors};
use crate::sql::error::StoreError;

impl Visitors<'_> {
    /// Ends a session, and erases its conversations of which no contact is known. Returns whether there were
    /// any. What is left after `time` is the work of
    /// [`continue_erasure`](crate::Contacts::continue_erasure); nobody gets to see it any more.
    ///
    /// They are given to a contact of which nothing is known, which is then erased: so they leave by the one
    /// way by which words of people leave.
    pub async fn forget(
        self,
        session: &VisitorSession,
        time: Duration,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let scope = session.scope();
        let anonymous = self.anonymous_conversations(&scope, session.session_id).await?;
        let mut nobody = None;
        if !anonymous.is_empty() {
            let mut transaction = self.store.begin().await?;
            let dialect = self.store.dialect();
            let locked = AccountContacts::lock(&mut transaction, dialect, session.account_id, now).await?;
            if let Some(mut contacts) = locked {
                let unknown = Contact::unknown(session.account_id, ContactSource::Chatbot, now);
                nobody = Some(contacts.insert(unknown).await?.contact_id);
                transaction.commit().await?;
            }
        }
        if let Some(contact_id) = nobody {
            self.set_contact(&scope, session.session_id, contact_id).await?;
            self.store.contacts().erase_within(&scope, contact_id, time, now).await?;
        }
        self.end_session(&scope, session.session_id).await?;
        Ok(nobody.is_some())
    }
}
