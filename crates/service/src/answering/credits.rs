//! AI credits: reserved before work begins, refunded if the work fails or is free.
//!
//! The account that owns the chatbot pays. For the key of an agency that may be a sub-account.

use frontdesk_assistant::{Action, Draft};
use frontdesk_model as model;
use frontdesk_store::{
    Charge, Chatbot, CreditPurpose, Day, Month, Plan, ReplyCreditsError, ReplyLimits, ReplyPeriod, Scope,
    Spending, Store, StoreError, Usage,
};
use tokio::runtime::Handle;
use uuid::Uuid;

use crate::platform::config::Limits;
use crate::platform::metrics::Metrics;
use crate::{answering::Answering, edge::Caller};

/// The highest price of one answer, in credits.
const PRICE: u64 = 1;

/// Returns the price of a draft: one credit for an answer, and for anything else only if a model ran.
pub(super) fn price(draft: &Draft) -> u64 {
    if draft.model_ran || draft.action == Action::Answer { PRICE } else { 0 }
}

/// The monthly credits of the account that owns a chatbot.
#[derive(Clone, Debug)]
pub(super) struct Allowance {
    store: Store,
    metrics: Metrics,
    scope: Scope,
    chatbot_id: Uuid,
    period: ReplyPeriod,
    limits: ReplyLimits,
}

impl Allowance {
    /// Returns the allowance of the account that owns the chatbot, or `None` if the account has just been
    /// deleted.
    pub(super) async fn of(service: &Answering, chatbot: &Chatbot) -> Result<Option<Self>, StoreError> {
        let Some(account) = service.store.accounts().find(chatbot.account_id).await? else { return Ok(None) };
        Ok(Some(Self::new(service, chatbot, account.plan, account.monthly_credits)))
    }

    /// As [`of`](Self::of), for a caller whose account may be the one that owns the chatbot: it was read with
    /// the key.
    pub(super) async fn for_caller(
        service: &Answering,
        caller: &Caller,
        chatbot: &Chatbot,
    ) -> Result<Option<Self>, StoreError> {
        if caller.account_id == chatbot.account_id {
            return Ok(Some(Self::new(service, chatbot, caller.plan, caller.monthly_credits)));
        }
        Self::of(service, chatbot).await
    }

    fn new(service: &Answering, chatbot: &Chatbot, plan: Plan, monthly_credits: Option<u64>) -> Self {
        let now = service.now();
        let monthly = service.monthly_limit(plan, monthly_credits);
        Self {
            store: service.store.clone(),
            metrics: service.metrics.clone(),
            scope: chatbot.scope(),
            chatbot_id: chatbot.chatbot_id,
            period: ReplyPeriod { day: Day::of(now), month: Month::of(now) },
            limits: reply_limits(monthly, &service.config.limits),
        }
    }

    /// Reserves the price of one answer, or returns `None` if the month's credits are used up.
    pub(super) async fn reserve(&self) -> Result<Option<Reservation>, StoreError> {
        let reserved = self.store.credits().reserve(&self.scope, &self.charge()).await?;
        Ok(reserved.map(|usage| self.reserved(usage)))
    }

    /// Returns the price of one answer, to be reserved together with the question.
    pub(super) fn charge(&self) -> Charge {
        Charge {
            month: self.period.month.clone(),
            spending: self.spending(CreditPurpose::Message),
            amount: PRICE,
            limit: self.limits.account,
        }
    }

    /// The price of one answer, reserved by the statement that returned this usage.
    pub(super) fn reserved(&self, usage: Usage) -> Reservation {
        self.reservation(CreditPurpose::Message, Some(usage))
    }

    /// Takes the price of one answer from what visitors may use today, as far as there is any.
    pub(super) async fn share_of_visitors(&self, percent: u32) -> Result<DailyShare, StoreError> {
        // At least one credit, so that widgets work with small allowances too.
        let limit = percent_of(self.limits.account, percent).max(1);
        let (scope, day) = (self.scope, self.period.day.clone());
        let is_taken = self.store.visitors().take_credits(&scope, &day, PRICE, limit).await?;
        Ok(DailyShare { store: self.store.clone(), scope, day, is_taken, is_spent: false })
    }

    /// Reserves the price of one keyless reply, within the shares of the allowance that replies may use.
    pub(super) async fn reserve_for_reply(
        &self,
    ) -> Result<Result<Reservation, ReplyCreditsError>, StoreError> {
        let (replies, spending) = (self.store.reply_credits(), self.spending(CreditPurpose::Reply));
        let reserved = replies.reserve(&self.scope, &self.period, &spending, PRICE, &self.limits).await?;
        Ok(reserved.map(|()| self.reservation(CreditPurpose::Reply, None)))
    }

    /// Where the credits are counted in detail.
    fn spending(&self, purpose: CreditPurpose) -> Spending {
        Spending { chatbot_id: self.chatbot_id, day: self.period.day.clone(), purpose }
    }

    fn reservation(&self, purpose: CreditPurpose, usage: Option<Usage>) -> Reservation {
        Reservation { allowance: self.clone(), purpose, amount: PRICE, usage }
    }

    /// Refunds credits; returns what is then used of the allowance, if the refund says so.
    async fn refund(&self, purpose: CreditPurpose, amount: u64) -> Result<Option<Usage>, StoreError> {
        let (store, scope) = (&self.store, &self.scope);
        let usage = match purpose {
            CreditPurpose::Message => Some(store.credits().refund(scope, &self.charge(), amount).await?),
            CreditPurpose::Reply => {
                let spending = self.spending(purpose);
                store.reply_credits().refund(scope, &self.period, &spending, amount).await?;
                None
            }
        };
        self.metrics.credits_refunded(amount);
        Ok(usage)
    }

    /// Returns the usage object of a response that cost `credits_used`.
    pub(super) async fn report(&self, credits_used: u64) -> Result<model::Usage, StoreError> {
        let (month, limit) = (&self.period.month, self.limits.account);
        let usage = self.store.credits().usage(&self.scope, month, limit).await?;
        Ok(report(usage, credits_used))
    }
}

/// Returns the limits of an account with this monthly allowance.
///
/// A day allows at least one credit, so that replies work with small allowances too; the share of the month
/// is what protects requests with a key, and it is rounded down.
fn reply_limits(monthly: u64, limits: &Limits) -> ReplyLimits {
    let month = percent_of(monthly, limits.reply_percent_per_month);
    let day = percent_of(monthly, limits.reply_percent_per_day).max(1);
    ReplyLimits { account: monthly, month, day }
}

fn percent_of(number: u64, percent: u32) -> u64 {
    // In two parts, because the product with the whole number could overflow.
    let percent = u64::from(percent.min(100));
    number / 100 * percent + number % 100 * percent / 100
}

fn report(usage: Usage, credits_used: u64) -> model::Usage {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (monthly_remaining, monthly_limit) = (number(usage.remaining()), number(usage.limit));
    model::Usage::new(model::UsageRequired {
        credits_used: number(credits_used),
        monthly_remaining,
        monthly_limit,
    })
}

/// The price of one answer, of the credits that visitors of an account may use today. Dropping it without
/// [`DailyShare::spend`] gives it back.
#[derive(Debug)]
pub(super) struct DailyShare {
    store: Store,
    scope: Scope,
    day: Day,
    is_taken: bool,
    is_spent: bool,
}

impl DailyShare {
    /// Whether there was as much left.
    pub(super) fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Keeps it.
    pub(super) fn spend(mut self) {
        self.is_spent = true;
    }
}

impl Drop for DailyShare {
    fn drop(&mut self) {
        if !self.is_taken || self.is_spent {
            return;
        }
        let (store, scope, day) = (self.store.clone(), self.scope, self.day.clone());
        // Without a runtime the process is shutting down, and the day has one credit less for visitors.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(error) = store.visitors().return_credits(&scope, &day, PRICE).await {
                tracing::error!(%error, account_id = %scope.account_id, "failed to give back credits of visitors");
            }
        });
    }
}

/// Credits that are reserved for work under way. Dropping it without [`Reservation::commit`], because the
/// work failed or panicked, refunds them.
#[derive(Debug)]
pub(super) struct Reservation {
    allowance: Allowance,
    /// Decides the counters that a refund decreases.
    purpose: CreditPurpose,
    amount: u64,
    /// What is used of the allowance with these credits, if the reservation said so.
    usage: Option<Usage>,
}

impl Reservation {
    /// Charges `used` of the credits, refunds the others, and returns the usage object of the response.
    pub(super) async fn commit(mut self, used: u64) -> Result<model::Usage, StoreError> {
        let unused = self.amount.saturating_sub(used);
        if unused > 0 {
            self.usage = self.allowance.refund(self.purpose, unused).await?;
        }
        self.charge(unused).await
    }

    /// As [`commit`](Self::commit), for an answer that was stored with its charge, which has refunded the
    /// credits that are not used. `refunded` is what is used of the allowance since.
    pub(super) async fn stored(
        mut self,
        used: u64,
        refunded: Option<Usage>,
    ) -> Result<model::Usage, StoreError> {
        let unused = self.amount.saturating_sub(used);
        if unused > 0 {
            self.usage = refunded;
            self.allowance.metrics.credits_refunded(unused);
        }
        self.charge(unused).await
    }

    async fn charge(mut self, unused: u64) -> Result<model::Usage, StoreError> {
        let used = self.amount - unused;
        self.allowance.metrics.credits_used(used);
        self.amount = 0;
        match self.usage {
            Some(usage) => Ok(report(usage, used)),
            None => self.allowance.report(used).await,
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.amount == 0 {
            return;
        }
        let (allowance, purpose, amount) = (self.allowance.clone(), self.purpose, self.amount);
        // Without a runtime the process is shutting down. The account then loses at most one credit per
        // request under way.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Err(error) = allowance.refund(purpose, amount).await {
                let account_id = allowance.scope.account_id;
                tracing::error!(%error, %account_id, amount, "failed to refund credits");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::config::Config;

    fn draft(action: Action, model_ran: bool) -> Draft {
        Draft {
            text: String::new(),
            offer: None,
            sources: Vec::new(),
            used_chunks: Vec::new(),
            action,
            is_unanswered: false,
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
    fn replies_have_a_share_of_the_allowance() {
        let limits =
            Limits { reply_percent_per_day: 5, reply_percent_per_month: 50, ..Config::default().limits };
        for (monthly, month, day) in [
            (0, 0, 1),
            (1, 0, 1),
            (10, 5, 1),
            (50, 25, 2),
            (2_000, 1_000, 100),
            (u64::MAX, u64::MAX / 2, u64::MAX / 20),
        ] {
            assert_eq!(reply_limits(monthly, &limits), ReplyLimits { account: monthly, month, day });
        }
    }

    #[test]
    fn remaining_credits_are_never_negative() {
        let usage = report(Usage { used: 12, limit: 10 }, 1);
        assert_eq!((usage.credits_used, usage.monthly_remaining, usage.monthly_limit), (1, 0, 10));
        assert_eq!(report(Usage { used: 0, limit: u64::MAX }, 0).monthly_limit, i64::MAX);
    }
}
