//! How many chatbots, webpages and contacts an account may have by its plan, and how many bytes it may store.
//!
//! Whoever adds one asks [`room`] in the transaction that adds it. That locks the row of the account until
//! the transaction ends, so two additions at the same moment see each other. Plans without limits cost
//! nothing: no lock is taken, and nothing is counted.
//!
//! Bytes are never counted: triggers keep their sums in `stored_bytes` (migration 32), so adding a file does
//! not read the others. They are what rows say of contents in the storage of files (`size_bytes`), and the
//! sizes of the texts of snippets and items of FAQs in UTF-8.

use std::fmt;

use uuid::Uuid;

use crate::accounts::Plan;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::limits::{PlanLimits, ResourceLimits};
use crate::sql::row::{Columns, stored};

/// The reason of pages whose content was not stored because of the plan of the account.
pub const PLAN_LIMIT_REASON: &str = "plan_limit_reached";

/// What the plan of an account limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanResource {
    /// Chatbots.
    Chatbots,
    /// Webpages with content, and the start pages and single pages that wait for their first visit, over all
    /// chatbots.
    Webpages,
    /// Contacts, archived ones included.
    Contacts,
    /// Bytes of files, attachments, skipped e-mails, text snippets and items of FAQs.
    Storage,
}

impl fmt::Display for PlanResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Chatbots => "chatbots",
            Self::Webpages => "webpages",
            Self::Contacts => "contacts",
            Self::Storage => "bytes of storage",
        })
    }
}

impl ResourceLimits {
    /// Returns the limit of a resource.
    pub const fn of(&self, resource: PlanResource) -> Option<u64> {
        match resource {
            PlanResource::Chatbots => self.chatbots,
            PlanResource::Webpages => self.webpages,
            PlanResource::Contacts => self.contacts,
            PlanResource::Storage => self.storage,
        }
    }
}

impl PlanLimits {
    /// Returns the limits of a plan.
    pub const fn of(&self, plan: Plan) -> ResourceLimits {
        match plan {
            Plan::Trial => self.trial,
            Plan::Starter => self.starter,
            Plan::Growth => self.growth,
            Plan::Business => self.business,
            Plan::Scale => self.scale,
        }
    }

    fn limits(&self, resource: PlanResource) -> bool {
        [self.trial, self.starter, self.growth, self.business, self.scale]
            .iter()
            .any(|limits| limits.of(resource).is_some())
    }
}

/// The plan of the account includes no more of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the plan of the account includes {limit} {resource}")]
pub struct PlanLimitReached {
    /// What there may be no more of.
    pub resource: PlanResource,
    /// How many the plan includes.
    pub limit: u64,
}

/// How many of a resource an account has, and may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceUse {
    /// How many there are.
    pub used: u64,
    /// How many the plan includes; `None` is unlimited.
    pub limit: Option<u64>,
}

/// What an account has of everything that its plan limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanUse {
    /// Chatbots.
    pub chatbots: ResourceUse,
    /// Webpages.
    pub webpages: ResourceUse,
    /// Contacts.
    pub contacts: ResourceUse,
    /// Bytes.
    pub storage: ResourceUse,
}

/// How many of a resource may still be added in a transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    resource: PlanResource,
    limit: u64,
    /// `None` without a limit. May be above the limit: a plan may have changed, and contacts from
    /// conversations are always stored.
    used: Option<u64>,
}

impl Room {
    /// Room without an end.
    pub(crate) const fn unlimited(resource: PlanResource) -> Self {
        Self { resource, limit: u64::MAX, used: None }
    }

    /// Returns an error if there are more than the plan includes, counting what the transaction has added
    /// before it asked.
    pub(crate) const fn check(&self) -> Result<(), PlanLimitReached> {
        match self.used {
            Some(used) if used > self.limit => Err(self.reached()),
            _ => Ok(()),
        }
    }

    /// Takes the place of one that is going to be added, or returns an error if there is none.
    pub(crate) const fn take(&mut self) -> Result<(), PlanLimitReached> {
        self.take_many(1)
    }

    /// Takes the place of as many as are going to be added, or returns an error if there is less. Nothing
    /// always has a place.
    pub(crate) const fn take_many(&mut self, count: u64) -> Result<(), PlanLimitReached> {
        match self.used {
            Some(used) if count > 0 && count > self.limit.saturating_sub(used) => Err(self.reached()),
            Some(used) => {
                self.used = Some(used + count);
                Ok(())
            }
            None => Ok(()),
        }
    }

    const fn reached(&self) -> PlanLimitReached {
        PlanLimitReached { resource: self.resource, limit: self.limit }
    }
}

/// The condition that a webpage `w` is one of those of an account that the limit of its plan counts.
macro_rules! counted_webpage {
    ($account:literal) => {
        concat!(
            "w.account_id = ",
            $account,
            " AND (w.status = 'ready' OR (w.status = 'pending' AND w.depth = 0))"
        )
    };
}

/// Returns the room that an account has for a resource, and locks its row until the transaction ends if there
/// is a limit. `except` is a webpage that is not counted.
pub(crate) async fn room(
    transaction: &mut WriteTransaction,
    account_id: &str,
    resource: PlanResource,
    except: Option<Uuid>,
) -> Result<Room, StoreError> {
    let limits = transaction.plan_limits();
    if !limits.limits(resource) {
        return Ok(Room::unlimited(resource));
    }
    let select = transaction.dialect().pick(
        "SELECT plan FROM accounts WHERE account_id = $1",
        "SELECT plan FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
    );
    let row = sqlx::query(select).bind(account_id.to_owned()).fetch_optional(&mut **transaction).await?;
    let Some(row) = row else { return Ok(Room::unlimited(resource)) };
    let Some(limit) = limits.of(row.parsed("plan")?).of(resource) else {
        return Ok(Room::unlimited(resource));
    };
    // One more than the limit is as good as any number beyond it, so no more rows are counted.
    let count = match resource {
        PlanResource::Chatbots => {
            "SELECT COUNT(*) AS used FROM (SELECT 1 FROM chatbots WHERE account_id = $1 AND chatbot_id <> $2 LIMIT $3) AS counted"
        }
        PlanResource::Webpages => {
            // The page is subtracted: comparing the ids of all would read their rows, where the index
            // suffices to count them.
            concat!(
                "SELECT COUNT(*) - (SELECT COUNT(*) FROM webpages AS w WHERE w.webpage_id = $2 AND ",
                counted_webpage!("$1"),
                ") AS used FROM (SELECT 1 FROM webpages AS w WHERE ",
                counted_webpage!("$1"),
                " LIMIT $3 + 1) AS counted"
            )
        }
        PlanResource::Contacts => {
            "SELECT COUNT(*) AS used FROM (SELECT 1 FROM contacts WHERE account_id = $1 AND contact_id <> $2 LIMIT $3) AS counted"
        }
        PlanResource::Storage => {
            let used = stored_bytes(&mut **transaction, account_id).await?;
            return Ok(Room { resource, limit, used: Some(used) });
        }
    };
    let row = sqlx::query(count)
        .bind(account_id.to_owned())
        .bind(except.map(|id| id.to_string()).unwrap_or_default())
        .bind(stored(limit.saturating_add(1)))
        .fetch_one(&mut **transaction)
        .await?;
    Ok(Room { resource, limit, used: Some(row.number("used")?) })
}

/// Returns how many bytes an account stores.
async fn stored_bytes(
    executor: impl sqlx::Executor<'_, Database = sqlx::Any>,
    account_id: &str,
) -> Result<u64, StoreError> {
    let row = sqlx::query(
        "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS used FROM stored_bytes WHERE account_id = $1",
    )
    .bind(account_id.to_owned())
    .fetch_one(executor)
    .await?;
    Ok(row.number("used")?)
}

/// Returns the room for bytes that an account stores, like [`room`].
pub(crate) async fn storage(
    transaction: &mut WriteTransaction,
    account_id: &str,
) -> Result<Room, StoreError> {
    room(transaction, account_id, PlanResource::Storage, None).await
}

/// Returns the size of texts as they are stored, which is what the database counts.
pub(crate) fn size_of(texts: &[&str]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}

group! {
    /// What accounts have of everything that their plans limit.
    pub PlanUses, plan_uses
}

impl PlanUses<'_> {
    /// Returns what an account has of everything that its plan limits. `None` if there is no such account.
    pub async fn of(self, account_id: Uuid) -> Result<Option<PlanUse>, StoreError> {
        let row = sqlx::query(concat!(
            "SELECT plan, (SELECT COUNT(*) FROM chatbots AS c WHERE c.account_id = a.account_id) AS chatbots, \
             (SELECT COUNT(*) FROM webpages AS w WHERE ",
            counted_webpage!("a.account_id"),
            ") AS webpages, (SELECT COUNT(*) FROM contacts AS p WHERE p.account_id = a.account_id) AS contacts, \
             (SELECT CAST(COALESCE(SUM(s.bytes), 0) AS BIGINT) FROM stored_bytes AS s WHERE s.account_id = a.account_id) AS bytes \
             FROM accounts AS a WHERE a.account_id = $1"
        ))
        .bind(account_id.to_string())
        .fetch_optional(self.store.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };
        let limits = self.store.plan_limits().of(row.parsed("plan")?);
        let count = |column: &str, limit: Option<u64>| {
            Ok::<_, StoreError>(ResourceUse { used: row.number(column)?, limit })
        };
        Ok(Some(PlanUse {
            chatbots: count("chatbots", limits.chatbots)?,
            webpages: count("webpages", limits.webpages)?,
            contacts: count("contacts", limits.contacts)?,
            storage: count("bytes", limits.storage)?,
        }))
    }
}
