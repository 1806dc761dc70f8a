//! Ids of other resources in bodies and queries.

use frontdesk_model::{ContactId, ThreadId};
use frontdesk_runtime::check;
use frontdesk_store::{Chatbot, Contact, Deal, DealRow, DealStatus, InboxChannel, Scope, StoreError, Thread};
use http::Extensions;
use uuid::Uuid;

use super::team_members::TeamMember;
use crate::{
    api::Service,
    edge::{authorization::resources::Resource, responses::failure},
};

/// The message about an id that names no column.
pub(super) const NO_STATUS: &str = "is not a deal status of this account";
/// The message about an id that names no row.
pub(super) const NO_ROW: &str = "is not a deal row of this account";

/// Checks ids, and collects the fields with unknown ones.
pub(super) struct References<'a> {
    service: &'a Service,
    scope: Scope,
    pub(super) failures: Vec<check::Failure>,
}

impl<'a> References<'a> {
    /// Ids must be inside of the scope.
    pub(super) fn new(service: &'a Service, scope: Scope) -> Self {
        Self { service, scope, failures: Vec::new() }
    }

    pub(super) async fn status(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<DealStatus>(path, id, NO_STATUS).await
    }

    pub(super) async fn row(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<DealRow>(path, id, NO_ROW).await
    }

    pub(super) async fn contact(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<Contact>(path, id, "is not a contact of this account").await
    }

    pub(super) async fn contacts(&mut self, path: &str, ids: Option<&[ContactId]>) -> Result<(), StoreError> {
        for (index, id) in ids.into_iter().flatten().enumerate() {
            self.contact(&format!("{path}.{index}"), Some(id.uuid())).await?;
        }
        Ok(())
    }

    pub(super) async fn thread(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<Thread>(path, id, "is not a thread of this account").await
    }

    pub(super) async fn threads(&mut self, path: &str, ids: Option<&[ThreadId]>) -> Result<(), StoreError> {
        for (index, id) in ids.into_iter().flatten().enumerate() {
            self.thread(&format!("{path}.{index}"), Some(id.uuid())).await?;
        }
        Ok(())
    }

    pub(super) async fn team_member(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<TeamMember>(path, id, "is not a team member of this account").await
    }

    pub(super) async fn channel(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<InboxChannel>(path, id, "is not a channel of this account").await
    }

    pub(super) async fn chatbot(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<Chatbot>(path, id, "is not a chatbot of this account").await
    }

    pub(super) async fn deal(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<Deal>(path, id, "is not a deal of this account").await
    }

    /// Checks another deal than `own`.
    pub(super) async fn neighbor(
        &mut self,
        path: &str,
        id: Option<Uuid>,
        own: Uuid,
    ) -> Result<(), StoreError> {
        if id == Some(own) {
            self.failures.push(failure(path, "is the deal itself"));
            return Ok(());
        }
        self.deal(path, id).await
    }

    async fn check<R: Resource>(
        &mut self,
        path: &str,
        id: Option<Uuid>,
        problem: &str,
    ) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        if R::load(self.service, Some(&self.scope), &Extensions::new(), id).await?.is_none() {
            self.failures.push(failure(path, problem));
        }
        Ok(())
    }
}
