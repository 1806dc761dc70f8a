//! AI credits: taken before work begins, given back where the work came to nothing.
//!
//! The account pays that owns the chatbot, which for the key of an agency may be a sub-account.

use frontdesk_assistant::{Action, Draft};
use frontdesk_model as model;
use frontdesk_store::{Chatbot, Month, Scope, Store, StoreError, Usage};
use tokio::runtime::Handle;

use crate::{metrics::Metrics, service::Service};

/// What one answer may cost at most.
const PRICE: u64 = 1;

/// What a draft costs: an answer of either writer one credit, anything else only if a model ran for it.
pub(super) fn price(draft: &Draft) -> u64 {
    if draft.model_ran || draft.action == Action::Answer { PRICE } else { 0 }
}

/// Whose credits a chatbot uses, and how many there are in this month.
#[derive(Clone, Debug)]
pub(super) struct Allowance {
    store: Store,
    metrics: Metrics,
    scope: Scope,
    month: Month,
    limit: u64,
}

impl Allowance {
    /// The allowance of the account that owns the chatbot. `None` when the account has just been deleted, and the
    /// chatbot with it.
    pub(super) async fn of(service: &Service, chatbot: &Chatbot) -> Result<Option<Self>, StoreError> {
        let Some(account) = service.store.account(chatbot.account_id).await? else { return Ok(None) };
        Ok(Some(Self {
            store: service.store.clone(),
            metrics: service.metrics.clone(),
            scope: chatbot.scope(),
            month: Month::of(service.now()),
            limit: service.monthly_limit(account.plan, account.monthly_credits),
        }))
    }

    /// Takes the price of one answer. `None` when the month's credits are used up.
    pub(super) async fn reserve(&self) -> Result<Option<Reservation>, StoreError> {
        let taken = self.store.reserve_credits(&self.scope, &self.month, PRICE, self.limit).await?;
        Ok(taken.map(|_| Reservation { allowance: self.clone(), amount: PRICE }))
    }

    async fn refund(&self, amount: u64) -> Result<(), StoreError> {
        if amount > 0 {
            self.store.refund_credits(&self.scope, &self.month, amount).await?;
            self.metrics.credits_refunded(amount);
        }
        Ok(())
    }

    /// What a call reports that cost `credits_used`.
    pub(super) async fn report(&self, credits_used: u64) -> Result<model::Usage, StoreError> {
        let usage = self.store.credit_usage(&self.scope, &self.month, self.limit).await?;
        Ok(report(usage, credits_used))
    }
}

fn report(usage: Usage, credits_used: u64) -> model::Usage {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (monthly_remaining, monthly_limit) = (number(usage.remaining()), number(usage.limit));
    model::Usage::new(number(credits_used), monthly_remaining, monthly_limit)
}

/// Credits that are taken and not yet earned. Dropped without [`Reservation::settle`], because the work failed or
/// panicked, it gives them back.
#[derive(Debug)]
pub(super) struct Reservation {
    allowance: Allowance,
    amount: u64,
}

impl Reservation {
    /// Keeps `used` of the credits and gives the others back; what the call reports.
    pub(super) async fn settle(mut self, used: u64) -> Result<model::Usage, StoreError> {
        let unused = self.amount.saturating_sub(used);
        self.allowance.refund(unused).await?;
        let used = self.amount - unused;
        self.allowance.metrics.credits_used(used);
        self.amount = 0;
        self.allowance.report(used).await
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.amount == 0 {
            return;
        }
        let (allowance, amount) = (self.allowance.clone(), self.amount);
        // Without a runtime the process is ending; the credits are then lost to the account, at most one per call
        // under way.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(error) = allowance.refund(amount).await {
                let account_id = allowance.scope.account_id;
                tracing::error!(%error, %account_id, amount, "credits could not be given back");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(action: Action, model_ran: bool) -> Draft {
        Draft {
            text: String::new(),
            sources: Vec::new(),
            action,
            needs_escalation: false,
            writer: "extractive",
            model_ran,
        }
    }

    #[test]
    fn answers_cost_one_and_refusals_only_what_a_model_cost() {
        for (action, without_model) in
            [(Action::Answer, 1), (Action::Clarify, 0), (Action::Refuse, 0), (Action::Escalate, 0)]
        {
            assert_eq!(price(&draft(action, false)), without_model, "{action:?}");
            assert_eq!(price(&draft(action, true)), 1, "{action:?} by a model");
        }
    }

    #[test]
    fn usage_never_shows_less_than_nothing() {
        let usage = report(Usage { used: 12, limit: 10 }, 1);
        assert_eq!((usage.credits_used, usage.monthly_remaining, usage.monthly_limit), (1, 0, 10));
        assert_eq!(report(Usage { used: 0, limit: u64::MAX }, 0).monthly_limit, i64::MAX);
    }
}
