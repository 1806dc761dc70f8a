//! Keys: the API keys of an account.

use frontdesk_console_model::{
    Conflict, ConflictError, ConflictErrorKind, CreateKeyError, DeleteKeyError, Forbidden, ForbiddenError,
    ForbiddenErrorKind, Key, KeyList, KeyRequired, ListKeysError, Message, NewKeyCreated,
    NewKeyCreatedRequired, NotFound,
};
use frontdesk_console_server::{CreateKey, DeleteKey, Keys, ListKeys};
use frontdesk_runtime::Failure;
use frontdesk_store::{ApiKeyError, AuditAction, Scope, Session};

use super::Console;
use crate::{
    edge::responses::timestamp,
    platform::secrets::keys::{KeyError, WantedKey, issue_key},
};

/// The keys that an account may have.
const MOST: usize = 100;

impl Keys for Console {
    type Caller = Session;

    async fn list_keys(&self, request: ListKeys<Session>) -> Result<KeyList, Failure<ListKeysError>> {
        let scope = Scope::of_account(request.caller.account_id);
        let users = self.service.store.users().list(&scope).await?;
        let keys = self.service.store.api_keys().list(&scope).await?;
        Ok(KeyList::new(keys.into_iter().rev().map(|key| {
            let name = users.iter().find(|user| user.user_id == key.user_id).map(|user| user.name.clone());
            Key::new(KeyRequired {
                key_id: key.key_id.into(),
                name: key.name,
                masked: key.display_prefix,
                member_id: key.user_id.into(),
                member_name: name.unwrap_or_default(),
                created_at: timestamp(key.created_at),
                last_used_at: key.last_used_at.map(timestamp),
            })
        })))
    }

    async fn create_key(
        &self,
        request: CreateKey<Session>,
    ) -> Result<NewKeyCreated, Failure<CreateKeyError>> {
        let CreateKey { caller: session, body, incoming } = request;
        let (store, scope) = (&self.service.store, Scope::of_account(session.account_id));
        if store.api_keys().list(&scope).await?.len() >= MOST {
            let message = format!("An account has at most {MOST} API keys. Delete one first.");
            return Err(
                Conflict { body: ConflictError::new(ConflictErrorKind::LimitReached, message) }.into()
            );
        }
        let wanted = WantedKey { user_id: session.user_id, name: body.name, rate_per_minute: None };
        let keys = &self.service.config.keys;
        let issued = match issue_key(store, keys, &scope, wanted, self.service.now()).await {
            Ok(Some(issued)) => issued,
            // The role was changed, or the user was deleted, after the request was authorized.
            Ok(None) | Err(KeyError::Key(ApiKeyError::NotAllowed { .. })) => {
                let message = "Your role in this account does not allow this.";
                let body = ForbiddenError::new(ForbiddenErrorKind::Forbidden, message);
                return Err(Forbidden { body }.into());
            }
            Err(error) => return Err(error.into()),
        };
        let key = issued.record;
        self.note(&session, &incoming, AuditAction::KeyCreated, Some((key.key_id, &key.name))).await?;
        Ok(NewKeyCreated::new(NewKeyCreatedRequired {
            key_id: key.key_id.into(),
            name: key.name,
            masked: key.display_prefix,
            member_id: key.user_id.into(),
            member_name: session.person_name,
            created_at: timestamp(key.created_at),
            last_used_at: None,
            key: issued.key.expose().into(),
        }))
    }

    async fn delete_key(&self, request: DeleteKey<Session>) -> Result<(), Failure<DeleteKeyError>> {
        let DeleteKey { caller: session, key_id, incoming } = request;
        let (keys, scope) = (self.service.store.api_keys(), Scope::of_account(session.account_id));
        let known = keys.list(&scope).await?.into_iter().find(|key| key.key_id == key_id.uuid());
        let Some(key) = known else { return Err(not_found().into()) };
        if !keys.delete(&scope, key_id.uuid()).await? {
            return Err(not_found().into());
        }
        Ok(self.note(&session, &incoming, AuditAction::KeyDeleted, Some((key_id.uuid(), &key.name))).await?)
    }
}

fn not_found() -> NotFound {
    NotFound { body: Message::new("API key not found.") }
}
