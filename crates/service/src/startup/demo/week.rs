//! A week of the shop: what its visitors asked, what its people replied, and what came of it.
//!
//! Everything is done as people would have done it: by requests to the interface, in the order of time. The
//! clock of the service that answers them shows the moment at which each of them is made, so every time that
//! is stored is the right one. Questions of visitors are asked of the trained chatbot.
//!
//! - `script` reads what happens, from the files in `demo/week`.
//! - `moments` says when: the script counts days from today, and knows when the shop is open.
//! - `interface` calls the interface at a moment of the past.
//! - `stage` performs the script: `names` has the ids that it needs, `visit` what visitors do.
//!
//! If the process ends while the week is made, it stays as it is.
//!
//! Nothing leaves this machine: the demonstration has no mail server and no webhooks, and the language model
//! and the web search of the configuration are not used.

mod interface;
mod moments;
mod names;
mod script;
mod stage;
mod visit;

use frontdesk_store::{
    Account, Chatbot, ContactFilter, ConversationFilter, NewUser, PageRequest, Scope, StoreError, User,
    UserError,
};
use http::StatusCode;
use jiff::Timestamp;
use uuid::Uuid;

use self::{interface::Interface, moments::Moments, script::Script, stage::Stage};
use crate::{api::Service, startup::StartError};

/// How long the account has existed, in days, when the demonstration starts for the first time.
const AGE_OF_ACCOUNT: i64 = 400;
/// How long the chatbot has existed, in days.
const AGE_OF_CHATBOT: i64 = 40;

/// Why the week cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WeekError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A colleague cannot be added.
    #[error(transparent)]
    User(#[from] UserError),
    /// The interface cannot be called.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A request was refused.
    #[error("`{story}` does not go on: {path} was answered with {status}: {body}")]
    Refused {
        /// The story of the script.
        story: String,
        /// The path of the request.
        path: String,
        /// The status of the response.
        status: StatusCode,
        /// The response.
        body: String,
    },
    /// The script is wrong. Its tests find this.
    #[error("`{story}`: {problem}")]
    Script {
        /// The story.
        story: String,
        /// What is wrong.
        problem: String,
    },
}

/// When the account of the demonstration was created, and when its chatbot: before the week begins.
pub(super) fn beginnings(now: Timestamp) -> (Timestamp, Timestamp) {
    let before = |days: i64| moments::days_before(now, days);
    (before(AGE_OF_ACCOUNT), before(AGE_OF_CHATBOT))
}

/// Makes the week, unless something has happened in the account already.
pub(super) async fn make(
    service: &Service,
    account: &Account,
    owner: &User,
    chatbot: &Chatbot,
    widget_key: Uuid,
) -> Result<(), WeekError> {
    let scope = chatbot.scope();
    if !is_untouched(service, &scope, chatbot).await? {
        return Ok(());
    }
    let script = Script::read();
    let now = service.now();
    let mut people = vec![("nora".to_owned(), owner.clone())];
    for member in &script.members {
        let new = NewUser { email: member.email.clone(), name: member.name.clone(), role: member.role() };
        let since = moments::days_before(now, member.since_days);
        people.push((member.key.clone(), service.store.users().create(&scope, &new, since).await?));
    }
    let interface = Interface::open(service).await?;
    let stage = Stage::new(interface, account, chatbot, widget_key, &people);
    stage.perform(&script, &Moments::at(now)).await?;
    // Notices to the people about it: they stay unsent even if the database is served with a mail server.
    service.store.notices().expire(now, now).await?;
    Ok(())
}

/// Whether nothing has happened in the account. A demonstration that was begun with an earlier version, and
/// used, stays as it is.
async fn is_untouched(service: &Service, scope: &Scope, chatbot: &Chatbot) -> Result<bool, StoreError> {
    let (store, first) = (&service.store, PageRequest::first(1));
    let conversations = store.conversations();
    let talks = conversations.page(scope, chatbot.chatbot_id, &ConversationFilter::default(), &first).await?;
    Ok(talks.items.is_empty()
        && store.users().list(scope).await?.len() == 1
        && store.contacts().page(scope, &ContactFilter::default(), &first).await?.items.is_empty()
        && store.webhooks().page(scope, &first).await?.items.is_empty())
}
