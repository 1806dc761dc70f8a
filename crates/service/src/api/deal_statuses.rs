//! Deal statuses: the columns of the sales board of an account.

use frontdesk_model::{
    CreateDealStatusError, DealStatus, DealStatusKind, DealStatusList, DealStatusOrder, DealStatusRequired,
    DeleteDealStatusError, GetDealStatusError, ListDealStatusesError, OrderDealStatusesError,
    UpdateDealStatusError,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{
    CreateDealStatus, DealStatuses, DeleteDealStatus, GetDealStatus, ListDealStatuses, OrderDealStatuses,
    UpdateDealStatus,
};
use frontdesk_store::{self as store, BoardError, DealStatusUpdate, NewDealStatus, Scope, StoreError};
use http::Extensions;
use uuid::Uuid;

use super::account::acting;
use super::changed::changed;
use super::count;
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, failure, timestamp},
    },
};

impl Resource for store::DealStatus {
    const PARAMETER: &'static str = "deal_status_id";
    const NOT_FOUND: &'static str = "Deal status not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.deal_statuses().find(scope, id).await
    }
}

impl DealStatuses for Service {
    type Caller = Caller;

    async fn list_deal_statuses(
        &self,
        request: ListDealStatuses<Caller>,
    ) -> Result<DealStatusList, Failure<ListDealStatusesError>> {
        let ListDealStatuses { caller, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.deal_statuses().page(&caller.scope, &page).await?;
        Ok(DealStatusList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_deal_status(
        &self,
        request: CreateDealStatus<Caller>,
    ) -> Result<DealStatus, Failure<CreateDealStatusError>> {
        let CreateDealStatus { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let kind = body.kind.as_ref().map_or(store::DealStatusKind::Open, stored_kind);
        let usual = match kind {
            store::DealStatusKind::Open => None,
            store::DealStatusKind::Won => Some(100),
            store::DealStatusKind::Lost => Some(0),
        };
        let new = NewDealStatus {
            name: body.name,
            color: body.color.into_value(),
            kind,
            probability: changed(body.probability).map_or(usual, |given| given.and_then(small)),
            rot_after_days: body.rot_after_days.into_value().and_then(small),
        };
        match self.store.deal_statuses().create(&caller.scope, &new, self.now()).await {
            Ok(status) => Ok(shown(status)),
            Err(BoardError::AlreadyExists(id)) => Err(taken(id).into()),
            Err(BoardError::LimitReached(limit)) => {
                let message = format!(
                    "The board has {limit} columns already, which is the most that it may have. Delete one first."
                );
                Err(responses::limit_reached(&message).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn order_deal_statuses(
        &self,
        request: OrderDealStatuses<Caller>,
    ) -> Result<DealStatusOrder, Failure<OrderDealStatusesError>> {
        let OrderDealStatuses { caller, account_id, body, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        match self.store.deal_statuses().order(&caller.scope, &converted_ids(body.deal_status_ids)).await? {
            Ok(order) => Ok(DealStatusOrder::new(order.into_iter().map(Into::into))),
            Err(wrong) => {
                let failures = misordered(
                    "deal_status_ids",
                    &wrong,
                    "is not a deal status of this account, or is named twice",
                );
                Err(responses::validation_failed(failures).into())
            }
        }
    }

    async fn get_deal_status(
        &self,
        request: GetDealStatus<Caller>,
    ) -> Result<DealStatus, Failure<GetDealStatusError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_deal_status(
        &self,
        request: UpdateDealStatus<Caller>,
    ) -> Result<DealStatus, Failure<UpdateDealStatusError>> {
        let UpdateDealStatus { caller, deal_status_id, body, .. } = request;
        let update = DealStatusUpdate {
            name: body.name,
            color: changed(body.color),
            kind: body.kind.as_ref().map(stored_kind),
            probability: changed(body.probability).map(|given| given.and_then(small)),
            rot_after_days: changed(body.rot_after_days).map(|given| given.and_then(small)),
        };
        let statuses = self.store.deal_statuses();
        match statuses.update(&caller.scope, deal_status_id.uuid(), &update, self.now()).await {
            Ok(status) => Ok(shown(status.ok_or_else(gone::<store::DealStatus>)?)),
            Err(BoardError::AlreadyExists(id)) => Err(taken(id).into()),
            Err(BoardError::InUse) => Err(responses::in_use(
                "The column has deals, so its kind cannot be changed. Move the deals to another column first.",
            )
            .into()),
            Err(BoardError::Needed) => Err(needed().into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn delete_deal_status(
        &self,
        request: DeleteDealStatus<Caller>,
    ) -> Result<(), Failure<DeleteDealStatusError>> {
        let DeleteDealStatus { caller, deal_status_id, move_to, .. } = request;
        let (statuses, author) = (self.store.deal_statuses(), Some(caller.user_id));
        match statuses
            .delete(&caller.scope, deal_status_id.uuid(), move_to.map(Into::into), author, self.now())
            .await
        {
            Ok(true) => Ok(()),
            Ok(false) => Err(gone::<store::DealStatus>().into()),
            Err(BoardError::NoTarget) => {
                let problem = "is not another deal status of this account that is open or of the same kind";
                Err(responses::validation_failed([failure("move_to", problem)]).into())
            }
            Err(BoardError::InUse) => Err(responses::in_use(
                "The column has deals. Say by `move_to` which column takes them, or move them first.",
            )
            .into()),
            Err(BoardError::Needed) => Err(needed().into()),
            Err(error) => Err(error.into()),
        }
    }
}

fn taken(id: Uuid) -> frontdesk_model::Conflict {
    responses::already_exists("There is a deal status with this name already.", id)
}

fn needed() -> frontdesk_model::Conflict {
    responses::conflict("This is the last open column of the board. Add another one first.")
}

/// The failures of an order: its entries that name nothing, or something a second time.
pub(super) fn misordered(list: &str, wrong: &[usize], problem: &str) -> Vec<check::Failure> {
    wrong.iter().map(|index| failure(&format!("{list}.{index}"), problem)).collect()
}

/// A number within the bounds of the contract.
fn small(given: i64) -> Option<u32> {
    u32::try_from(given).ok()
}

/// The contract and the store have the same kinds.
fn stored_kind(given: &DealStatusKind) -> store::DealStatusKind {
    given.as_str().parse().unwrap_or(store::DealStatusKind::Open)
}

/// Converts a column to the type of the interface.
pub(super) fn shown(stored: store::DealStatus) -> DealStatus {
    DealStatus::new(DealStatusRequired {
        deal_status_id: stored.deal_status_id.into(),
        name: stored.name,
        color: stored.color,
        kind: match stored.kind {
            store::DealStatusKind::Open => DealStatusKind::Open,
            store::DealStatusKind::Won => DealStatusKind::Won,
            store::DealStatusKind::Lost => DealStatusKind::Lost,
        },
        probability: stored.probability.map(i64::from),
        rot_after_days: stored.rot_after_days.map(i64::from),
        position: count(stored.position),
        deal_count: count(stored.deal_count),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
