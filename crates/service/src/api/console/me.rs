//! Me: the person who is signed in, with their password and sessions.

use frontdesk_console_model::{
    self as model, ChangePasswordError, EndSessionError, GetMeError, ListSessionsError, Message, NotFound,
    SessionEntry, SessionEntryRequired, SessionList, Unauthorized, UpdateMeError,
};
use frontdesk_console_server::{ChangePassword, EndSession, GetMe, ListSessions, Me, UpdateMe};
use frontdesk_runtime::Failure;
use frontdesk_store::{AuditAction, Person, Session};

use super::{Console, attempts::Attempt, refused_password};
use crate::edge::{
    authorization::console::{session_ended, validation_failed},
    responses::{failure, timestamp},
};

fn shown(person: Person) -> model::Person {
    model::Person::new(model::PersonRequired {
        person_id: person.person_id.into(),
        name: person.name,
        email: person.email,
        created_at: timestamp(person.created_at),
        password_changed_at: timestamp(person.password_changed_at),
    })
}

/// The person was deleted after the request was authorized.
fn gone() -> Unauthorized {
    Unauthorized { body: session_ended() }
}

fn wrong_password() -> model::ValidationFailed {
    validation_failed([failure("current_password", "is wrong")])
}

impl Me for Console {
    type Caller = Session;

    async fn get_me(&self, request: GetMe<Session>) -> Result<model::Person, Failure<GetMeError>> {
        let person = self.service.store.people().find(request.caller.person_id).await?;
        Ok(shown(person.ok_or_else(gone)?))
    }

    async fn update_me(&self, request: UpdateMe<Session>) -> Result<model::Person, Failure<UpdateMeError>> {
        let (people, person_id) = (self.service.store.people(), request.caller.person_id);
        let person = match &request.body.name {
            Some(name) => people.rename(person_id, name).await?,
            None => people.find(person_id).await?,
        };
        Ok(shown(person.ok_or_else(gone)?))
    }

    async fn change_password(
        &self,
        request: ChangePassword<Session>,
    ) -> Result<(), Failure<ChangePasswordError>> {
        let ChangePassword { caller: session, body, incoming } = request;
        let people = self.service.store.people();
        let person = people.find(session.person_id).await?.ok_or_else(gone)?;
        let attempt = Attempt::with_password(&incoming, &session.email);
        if !attempt.verify(self, Some(&person), body.current_password.expose()).await?? {
            return Err(wrong_password().into());
        }
        let password = body.new_password.expose();
        if let Some(failure) = refused_password("new_password", password, &person.name, &person.email) {
            return Err(validation_failed([failure]).into());
        }
        let hash = self.passwords.slot().await?.hash(password).await?;
        if !people.change_password(&person, &hash, session.session_id, self.service.now()).await? {
            // Another request has changed it after it was verified here.
            return Err(wrong_password().into());
        }
        Ok(self.note(&session, &incoming, AuditAction::PasswordChanged, None).await?)
    }

    async fn list_sessions(
        &self,
        request: ListSessions<Session>,
    ) -> Result<SessionList, Failure<ListSessionsError>> {
        let current = request.caller;
        let sessions = self.service.store.sessions().list(current.person_id, self.service.now()).await?;
        Ok(SessionList::new(sessions.into_iter().map(|session| {
            SessionEntry::new(SessionEntryRequired {
                session_id: session.session_id.into(),
                current: session.session_id == current.session_id,
                user_agent: session.user_agent.clone(),
                created_at: timestamp(session.created_at),
                last_used_at: timestamp(session.last_used_at),
                expires_at: timestamp(session.expires_at()),
            })
        })))
    }

    async fn end_session(&self, request: EndSession<Session>) -> Result<(), Failure<EndSessionError>> {
        let EndSession { caller: session, session_id, incoming } = request;
        if !self.service.store.sessions().end(session.person_id, session_id.uuid()).await? {
            return Err(NotFound { body: Message::new("Session not found.") }.into());
        }
        Ok(self.note(&session, &incoming, AuditAction::SessionEnded, Some((session_id.uuid(), ""))).await?)
    }
}
