//! The use of the account's AI credits, and of what its plan limits.

use frontdesk_model::{
    AccountUsage, AccountUsageRequired, DailyUsage, DailyUsageRequired, GetUsageError, PlanAllowance,
    StorageAllowance, UsageKind,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{GetUsage, Usages};
use frontdesk_store::{CreditPurpose, Month, ResourceUse, Scope};

use super::{account::acting, contacts::AccountGone, count};
use crate::{
    api::Service,
    edge::{
        Caller,
        responses::{self, timestamp},
    },
};

impl Usages for Service {
    type Caller = Caller;

    async fn get_usage(&self, request: GetUsage<Caller>) -> Result<AccountUsage, Failure<GetUsageError>> {
        let GetUsage { caller, month, account_id, .. } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let month = match month {
            None => Month::of(self.now()),
            Some(text) => Month::parse(&text).ok_or_else(|| {
                let message = "must be a month such as 2026-11".to_owned();
                responses::validation_failed([check::Failure { path: "month".to_owned(), message }])
            })?,
        };
        // Sub-accounts pay for themselves, so an agency sees its own credits unless it names one.
        let scope = Scope::of_account(caller.account_id);
        let account = self.store.accounts().find(caller.account_id).await?;
        let own = account.and_then(|account| account.monthly_credits);
        let limit = self.monthly_limit(caller.plan, own);
        let usage = self.store.credits().usage(&scope, &month, limit).await?;
        let mut days = Vec::new();
        for entry in self.store.credits().entries(&scope, &month).await? {
            let kind = match entry.purpose {
                CreditPurpose::Message => UsageKind::Message,
                CreditPurpose::Reply => UsageKind::Reply,
            };
            days.push(DailyUsage::new(DailyUsageRequired {
                day: entry.day.parse()?,
                chatbot_id: entry.chatbot_id.map(Into::into),
                kind,
                credits_used: count(entry.used),
            }));
        }
        let plan = self.store.plan_uses().of(caller.account_id).await?.ok_or(AccountGone)?;
        let shown = |using: ResourceUse| PlanAllowance::new(count(using.used), using.limit.map(count));
        Ok(AccountUsage::new(AccountUsageRequired {
            month: month.to_string(),
            resets_at: timestamp(month.end()),
            credits_used: count(usage.used),
            monthly_limit: count(usage.limit),
            monthly_remaining: count(usage.remaining()),
            days,
            chatbots: shown(plan.chatbots),
            webpages: shown(plan.webpages),
            contacts: shown(plan.contacts),
            storage: StorageAllowance::new(count(plan.storage.used), plan.storage.limit.map(count)),
        }))
    }
}
