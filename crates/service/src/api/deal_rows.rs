//! Deal rows: the rows of the sales board of an account.

use frontdesk_model::{
    CreateDealRowError, DealRow, DealRowList, DealRowOrder, DealRowRequired, DeleteDealRowError,
    GetDealRowError, ListDealRowsError, OrderDealRowsError, UpdateDealRowError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CreateDealRow, DealRows, DeleteDealRow, GetDealRow, ListDealRows, OrderDealRows, UpdateDealRow,
};
use frontdesk_store::{self as store, BoardError, DealRowUpdate, NewDealRow, Scope, StoreError};
use http::Extensions;
use uuid::Uuid;

use super::account::acting;
use super::changed::changed;
use super::count;
use super::deal_statuses::misordered;
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, failure, timestamp},
    },
};

impl Resource for store::DealRow {
    const PARAMETER: &'static str = "deal_row_id";
    const NOT_FOUND: &'static str = "Deal row not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        service.store.deal_rows().find(scope, id).await
    }
}

impl DealRows for Service {
    type Caller = Caller;

    async fn list_deal_rows(
        &self,
        request: ListDealRows<Caller>,
    ) -> Result<DealRowList, Failure<ListDealRowsError>> {
        let ListDealRows { caller, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.deal_rows().page(&caller.scope, &page).await?;
        Ok(DealRowList::new(page.items.into_iter().map(shown), listing.pagination(page.next.as_ref())))
    }

    async fn create_deal_row(
        &self,
        request: CreateDealRow<Caller>,
    ) -> Result<DealRow, Failure<CreateDealRowError>> {
        let CreateDealRow { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let new = NewDealRow {
            name: body.name,
            color: body.color.into_value(),
            is_collapsed: body.is_collapsed.unwrap_or(false),
        };
        match self.store.deal_rows().create(&caller.scope, &new, self.now()).await {
            Ok(row) => Ok(shown(row)),
            Err(BoardError::AlreadyExists(id)) => Err(taken(id).into()),
            Err(BoardError::LimitReached(limit)) => {
                let message = format!(
                    "The board has {limit} rows already, which is the most that it may have. Delete one first."
                );
                Err(responses::limit_reached(&message).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn order_deal_rows(
        &self,
        request: OrderDealRows<Caller>,
    ) -> Result<DealRowOrder, Failure<OrderDealRowsError>> {
        let OrderDealRows { caller, account_id, body, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        match self.store.deal_rows().order(&caller.scope, &converted_ids(body.deal_row_ids)).await? {
            Ok(order) => Ok(DealRowOrder::new(order.into_iter().map(Into::into))),
            Err(wrong) => {
                let problem = "is not a deal row of this account, or is named twice";
                Err(responses::validation_failed(misordered("deal_row_ids", &wrong, problem)).into())
            }
        }
    }

    async fn get_deal_row(&self, request: GetDealRow<Caller>) -> Result<DealRow, Failure<GetDealRowError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_deal_row(
        &self,
        request: UpdateDealRow<Caller>,
    ) -> Result<DealRow, Failure<UpdateDealRowError>> {
        let UpdateDealRow { caller, deal_row_id, body, .. } = request;
        let update =
            DealRowUpdate { name: body.name, color: changed(body.color), is_collapsed: body.is_collapsed };
        match self.store.deal_rows().update(&caller.scope, deal_row_id.uuid(), &update, self.now()).await {
            Ok(row) => Ok(shown(row.ok_or_else(gone::<store::DealRow>)?)),
            Err(BoardError::AlreadyExists(id)) => Err(taken(id).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn delete_deal_row(
        &self,
        request: DeleteDealRow<Caller>,
    ) -> Result<(), Failure<DeleteDealRowError>> {
        let DeleteDealRow { caller, deal_row_id, move_to, .. } = request;
        match self
            .store
            .deal_rows()
            .delete(&caller.scope, deal_row_id.uuid(), move_to.map(Into::into), self.now())
            .await
        {
            Ok(true) => Ok(()),
            Ok(false) => Err(gone::<store::DealRow>().into()),
            Err(BoardError::NoTarget) => {
                let problem = "is not another deal row of this account";
                Err(responses::validation_failed([failure("move_to", problem)]).into())
            }
            Err(BoardError::Needed) => {
                Err(responses::conflict("The default row of the board cannot be deleted.").into())
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn taken(id: Uuid) -> frontdesk_model::Conflict {
    responses::already_exists("There is a deal row with this name already.", id)
}

/// Converts a row to the type of the interface.
pub(super) fn shown(stored: store::DealRow) -> DealRow {
    DealRow::new(DealRowRequired {
        deal_row_id: stored.deal_row_id.into(),
        name: stored.name,
        color: stored.color,
        is_collapsed: stored.is_collapsed,
        is_default: stored.is_default,
        position: count(stored.position),
        deal_count: count(stored.deal_count),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}
