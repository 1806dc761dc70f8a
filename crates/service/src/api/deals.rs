//! Deals of an account, and its sales board.

mod conversion;
mod money;

use frontdesk_model::{
    CreateDealError, Deal, DealBoard, DealChangeList, DealList, DealOutcome, DeleteDealError,
    GetDealBoardError, GetDealError, ListDealChangesError, ListDealsError, ListDealsSortBy,
    ListDealsSortDirection, LoseDealError, MoveDealError, ReopenDealError, RestoreDealError, UpdateDealError,
    ValidationFailed, WinDealError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    CreateDeal, Deals, DeleteDeal, GetDeal, GetDealBoard, ListDealChanges, ListDeals, LoseDeal, MoveDeal,
    ReopenDeal, RestoreDeal, UpdateDeal, WinDeal,
};
use frontdesk_store::{
    self as store, DealError, DealFilter, DealMove, DealOrder, DealPlace, DealSortKey, DealUpdate, NewDeal,
    Scope, StoreError,
};
use http::Extensions;
use uuid::Uuid;

pub(super) use self::conversion::shown;
use self::conversion::{board, change, civil, moment, percent};
use super::account::acting;
use super::changed::changed;
use super::filters::check_known;
use super::references::{self, References};
use crate::{
    api::{Service, converted_ids},
    edge::{
        Caller, Edge,
        authorization::resources::{CurrentOperation, Resource, gone, loaded},
        pages::Listing,
        responses::{self, failure},
    },
};

/// The largest number of deals in the response with a board.
const BOARD_DEALS: usize = 10_000;
/// How many deals each cell of a board lists if the request does not say.
const PER_CELL: u32 = 10;

impl Resource for store::Deal {
    const PARAMETER: &'static str = "deal_id";
    const NOT_FOUND: &'static str = "Deal not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        let deals = service.store.deals();
        match parents.get() {
            Some(CurrentOperation("restoreDeal")) => deals.find_any(scope, id).await,
            _ => deals.find(scope, id).await,
        }
    }
}

impl Deals for Service {
    type Caller = Caller;

    async fn list_deals(&self, request: ListDeals<Caller>) -> Result<DealList, Failure<ListDealsError>> {
        let caller = acting(self, request.caller, request.account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &request.incoming);
        let page = listing.page(request.limit, request.cursor.as_deref())?;
        let mut references = References::new(self, caller.scope);
        references.status("deal_status_id", request.deal_status_id.map(Into::into)).await?;
        references.row("deal_row_id", request.deal_row_id.map(Into::into)).await?;
        references.contact("contact_id", request.contact_id.map(Into::into)).await?;
        references.thread("thread_id", request.thread_id.map(Into::into)).await?;
        references.team_member("owner_id", request.owner_id.map(Into::into)).await?;
        let mut failures = references.failures;
        for (index, outcome) in request.outcome.iter().flatten().enumerate() {
            let path = format!("outcome.{index}");
            check_known(&path, Some(outcome.as_str()), DealOutcome::KNOWN, &mut failures);
        }
        let is_cell = request.deal_status_id.is_some() && request.deal_row_id.is_some();
        let deleted = request.deleted.unwrap_or(false);
        let key = match request.sort_by.unwrap_or(ListDealsSortBy::CreatedAt) {
            ListDealsSortBy::CreatedAt => DealSortKey::Created,
            ListDealsSortBy::UpdatedAt => DealSortKey::Updated,
            ListDealsSortBy::Value => DealSortKey::Value,
            ListDealsSortBy::ExpectedCloseDate => DealSortKey::ExpectedClose,
            ListDealsSortBy::Position => DealSortKey::Position,
        };
        if key == DealSortKey::Position && (!is_cell || deleted) {
            let problem =
                "`position` needs `deal_status_id` and `deal_row_id`, and cannot be combined with `deleted`";
            failures.push(failure("sort_by", problem));
        }
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let descending = match request.sort_direction {
            Some(direction) => direction == ListDealsSortDirection::Desc,
            None => !matches!(key, DealSortKey::Position | DealSortKey::ExpectedClose),
        };
        let outcomes = request.outcome.unwrap_or_default();
        let filter = DealFilter {
            deal_status_id: request.deal_status_id.map(Into::into),
            deal_row_id: request.deal_row_id.map(Into::into),
            contact_id: request.contact_id.map(Into::into),
            thread_id: request.thread_id.map(Into::into),
            owner_id: request.owner_id.map(Into::into),
            outcomes: outcomes.iter().filter_map(|outcome| outcome.as_str().parse().ok()).collect(),
            expected_close_before: request.expected_close_before.map(civil).transpose()?,
            updated_since: request.updated_since.map(moment).transpose()?,
            updated_until: request.updated_until.map(moment).transpose()?,
            text: request.q,
            deleted,
        };
        let order = DealOrder { key, descending };
        let page = self.store.deals().page(&caller.scope, &filter, order, &page).await?;
        let now = self.now();
        let deals = page.items.into_iter().map(|deal| shown(deal, now));
        Ok(DealList::new(deals, listing.pagination(page.next.as_ref())))
    }

    async fn create_deal(&self, request: CreateDeal<Caller>) -> Result<Deal, Failure<CreateDealError>> {
        let CreateDeal { caller, body, .. } = request;
        let caller = acting(self, caller, body.account_id.map(Into::into)).await??;
        let mut references = References::new(self, Scope::of_account(caller.account_id));
        references.status("deal_status_id", body.deal_status_id.map(Into::into)).await?;
        references.row("deal_row_id", body.deal_row_id.map(Into::into)).await?;
        references.contacts("contact_ids", body.contact_ids.as_deref()).await?;
        references.threads("thread_ids", body.thread_ids.as_deref()).await?;
        let owner_id = body.owner_id.into_value();
        references.team_member("owner_id", owner_id.map(Into::into)).await?;
        let mut failures = references.failures;
        let value = money::money(changed(body.value), changed(body.currency), &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let new = NewDeal {
            title: body.title,
            deal_status_id: body.deal_status_id.map(Into::into),
            deal_row_id: body.deal_row_id.map(Into::into),
            contact_ids: converted_ids(body.contact_ids.unwrap_or_default()),
            thread_ids: converted_ids(body.thread_ids.unwrap_or_default()),
            value: value.flatten(),
            probability: body.probability.into_value().and_then(percent),
            expected_close_date: body.expected_close_date.into_value().map(civil).transpose()?,
            owner_id: owner_id.map(Into::into),
        };
        let deals = self.store.deals();
        match deals.create(&caller.scope, &new, Some(caller.user_id), self.now()).await {
            Ok(deal) => Ok(shown(deal, self.now())),
            Err(error) => Err(match misplaced(&error) {
                Some(problem) => problem.into(),
                None => error.into(),
            }),
        }
    }

    async fn get_deal_board(
        &self,
        request: GetDealBoard<Caller>,
    ) -> Result<DealBoard, Failure<GetDealBoardError>> {
        let GetDealBoard { caller, deal_row_id, per_cell, account_id, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let account = Scope::of_account(caller.account_id);
        let mut references = References::new(self, account);
        references.row("deal_row_id", deal_row_id.map(Into::into)).await?;
        if !references.failures.is_empty() {
            return Err(responses::validation_failed(references.failures).into());
        }
        let asked = per_cell.and_then(|number| u32::try_from(number).ok());
        let mut largest = u32::MAX;
        let per_cell = |cells: usize| {
            largest = u32::try_from(BOARD_DEALS / cells.max(1)).unwrap_or(u32::MAX);
            asked.unwrap_or(PER_CELL).min(largest)
        };
        let found = self.store.deals().board(&account, deal_row_id.map(Into::into), per_cell).await?;
        if asked.is_some_and(|asked| asked > largest) {
            let problem =
                format!("must be at most {largest} on this board, or name one row by `deal_row_id`");
            return Err(responses::validation_failed([failure("per_cell", problem)]).into());
        }
        Ok(board(found, self.now()))
    }

    async fn get_deal(&self, request: GetDeal<Caller>) -> Result<Deal, Failure<GetDealError>> {
        Ok(shown(loaded(&request.incoming)?, self.now()))
    }

    async fn update_deal(&self, request: UpdateDeal<Caller>) -> Result<Deal, Failure<UpdateDealError>> {
        let UpdateDeal { caller, deal_id, body, incoming } = request;
        let deal: store::Deal = loaded(&incoming)?;
        let mut references = References::new(self, Scope::of_account(deal.account_id));
        references.contacts("contact_ids", body.contact_ids.as_deref()).await?;
        references.threads("thread_ids", body.thread_ids.as_deref()).await?;
        let owner_id = changed(body.owner_id).map(|owner_id| owner_id.map(Into::into));
        references.team_member("owner_id", owner_id.flatten()).await?;
        let mut failures = references.failures;
        let value = money::changed_money(
            changed(body.value),
            changed(body.currency),
            deal.value.as_ref(),
            &mut failures,
        );
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let update = DealUpdate {
            title: body.title,
            contact_ids: body.contact_ids.map(converted_ids),
            thread_ids: body.thread_ids.map(converted_ids),
            value,
            probability: changed(body.probability).map(|probability| probability.and_then(percent)),
            expected_close_date: match changed(body.expected_close_date) {
                Some(date) => Some(date.map(civil).transpose()?),
                None => None,
            },
            owner_id,
        };
        let updated = self.store.deals().update(&caller.scope, deal_id.uuid(), &update, self.now()).await?;
        Ok(shown(updated.ok_or_else(gone::<store::Deal>)?, self.now()))
    }

    async fn delete_deal(&self, request: DeleteDeal<Caller>) -> Result<(), Failure<DeleteDealError>> {
        let DeleteDeal { caller, deal_id, .. } = request;
        let deals = self.store.deals();
        if deals.delete(&caller.scope, deal_id.uuid(), Some(caller.user_id), self.now()).await? {
            Ok(())
        } else {
            Err(gone::<store::Deal>().into())
        }
    }

    async fn restore_deal(&self, request: RestoreDeal<Caller>) -> Result<Deal, Failure<RestoreDealError>> {
        let RestoreDeal { caller, deal_id, .. } = request;
        let deals = self.store.deals();
        let restored = deals.restore(&caller.scope, deal_id.uuid(), Some(caller.user_id), self.now()).await?;
        Ok(shown(restored.ok_or_else(gone::<store::Deal>)?, self.now()))
    }

    async fn move_deal(&self, request: MoveDeal<Caller>) -> Result<Deal, Failure<MoveDealError>> {
        let MoveDeal { caller, deal_id, body, incoming, .. } = request;
        let deal: store::Deal = loaded(&incoming)?;
        let mut references = References::new(self, Scope::of_account(deal.account_id));
        references.status("deal_status_id", body.deal_status_id.map(Into::into)).await?;
        references.row("deal_row_id", body.deal_row_id.map(Into::into)).await?;
        references.neighbor("before_deal_id", body.before_deal_id.map(Into::into), deal_id.uuid()).await?;
        references.neighbor("after_deal_id", body.after_deal_id.map(Into::into), deal_id.uuid()).await?;
        let mut failures = references.failures;
        let place = match (body.before_deal_id, body.after_deal_id) {
            (None, None) => DealPlace::End,
            (Some(id), None) => DealPlace::Before(id.uuid()),
            (None, Some(id)) => DealPlace::After(id.uuid()),
            (Some(_), Some(_)) => {
                failures.push(failure("after_deal_id", "must not be sent together with `before_deal_id`"));
                DealPlace::End
            }
        };
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let to = DealMove {
            deal_status_id: body.deal_status_id.map(Into::into),
            deal_row_id: body.deal_row_id.map(Into::into),
            place,
        };
        match self
            .store
            .deals()
            .move_to(&caller.scope, deal_id.uuid(), &to, Some(caller.user_id), self.now())
            .await
        {
            Ok(moved) => Ok(shown(moved.ok_or_else(gone::<store::Deal>)?, self.now())),
            Err(DealError::NeighborElsewhere | DealError::NoNeighbor) => Err(responses::conflict(
                "The deal to place it beside is not in that cell any more. Read the board again.",
            )
            .into()),
            Err(error) => Err(match misplaced(&error) {
                Some(problem) => problem.into(),
                None => error.into(),
            }),
        }
    }

    async fn win_deal(&self, request: WinDeal<Caller>) -> Result<Deal, Failure<WinDealError>> {
        let WinDeal { caller, deal_id, .. } = request;
        let won =
            self.store.deals().win(&caller.scope, deal_id.uuid(), Some(caller.user_id), self.now()).await?;
        Ok(shown(won.ok_or_else(gone::<store::Deal>)?, self.now()))
    }

    async fn lose_deal(&self, request: LoseDeal<Caller>) -> Result<Deal, Failure<LoseDealError>> {
        let LoseDeal { caller, deal_id, body, .. } = request;
        let reason = body.unwrap_or_default().lost_reason;
        let (deals, author) = (self.store.deals(), Some(caller.user_id));
        let lost = deals.lose(&caller.scope, deal_id.uuid(), reason.as_deref(), author, self.now()).await?;
        Ok(shown(lost.ok_or_else(gone::<store::Deal>)?, self.now()))
    }

    async fn reopen_deal(&self, request: ReopenDeal<Caller>) -> Result<Deal, Failure<ReopenDealError>> {
        let ReopenDeal { caller, deal_id, .. } = request;
        let deals = self.store.deals();
        let reopened = deals.reopen(&caller.scope, deal_id.uuid(), Some(caller.user_id), self.now()).await?;
        Ok(shown(reopened.ok_or_else(gone::<store::Deal>)?, self.now()))
    }

    async fn list_deal_changes(
        &self,
        request: ListDealChanges<Caller>,
    ) -> Result<DealChangeList, Failure<ListDealChangesError>> {
        let ListDealChanges { caller, deal_id, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let page = self.store.deals().changes(&caller.scope, deal_id.uuid(), &page).await?;
        Ok(DealChangeList::new(page.items.into_iter().map(change), listing.pagination(page.next.as_ref())))
    }
}

/// The failure of a column or row that has been deleted since it was checked.
fn misplaced(error: &DealError) -> Option<ValidationFailed> {
    let problem = match error {
        DealError::NoStatus => failure("deal_status_id", references::NO_STATUS),
        DealError::NoRow => failure("deal_row_id", references::NO_ROW),
        _ => return None,
    };
    Some(responses::validation_failed([problem]))
}
