//! What the fields of a deal name: ids of other resources, and amounts of money.

use frontdesk_runtime::check;
use frontdesk_store::{Contact, Deal, DealRow, DealStatus, Money, MoneyError, Scope, StoreError, Thread};
use http::Extensions;
use uuid::Uuid;

use crate::{answers::failure, authorization::resources::Resource, service::Service};

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

    pub(super) async fn contacts(&mut self, path: &str, ids: Option<&[Uuid]>) -> Result<(), StoreError> {
        for (index, id) in ids.into_iter().flatten().enumerate() {
            self.contact(&format!("{path}.{index}"), Some(*id)).await?;
        }
        Ok(())
    }

    pub(super) async fn thread(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        self.check::<Thread>(path, id, "is not a thread of this account").await
    }

    pub(super) async fn threads(&mut self, path: &str, ids: Option<&[Uuid]>) -> Result<(), StoreError> {
        for (index, id) in ids.into_iter().flatten().enumerate() {
            self.thread(&format!("{path}.{index}"), Some(*id)).await?;
        }
        Ok(())
    }

    pub(super) async fn team_member(&mut self, path: &str, id: Option<Uuid>) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        if self.service.store.users().find(&self.scope, id).await?.is_none() {
            self.failures.push(failure(path, "is not a team member of this account"));
        }
        Ok(())
    }

    /// Checks another deal than `own`.
    pub(super) async fn neighbour(
        &mut self,
        path: &str,
        id: Option<Uuid>,
        own: Uuid,
    ) -> Result<(), StoreError> {
        if id == Some(own) {
            self.failures.push(failure(path, "is the deal itself"));
            return Ok(());
        }
        self.check::<Deal>(path, id, "is not a deal of this account").await
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

/// Reads value and currency of a new deal: both or none.
#[expect(clippy::option_option, reason = "fields that are left out and such that are cleared are different")]
pub(super) fn money(
    value: Option<Option<String>>,
    currency: Option<Option<String>>,
    failures: &mut Vec<check::Failure>,
) -> Option<Option<Money>> {
    changed_money(value, currency, None, failures)
}

/// Reads the change of value and currency of a deal. One of both may be left out if the deal has it already.
#[expect(clippy::option_option, reason = "fields that are left out and such that are cleared are different")]
pub(super) fn changed_money(
    value: Option<Option<String>>,
    currency: Option<Option<String>>,
    known: Option<&Money>,
    failures: &mut Vec<check::Failure>,
) -> Option<Option<Money>> {
    if value.is_none() && currency.is_none() {
        return None;
    }
    // A value that is cleared takes its currency along.
    if value == Some(None) && currency.is_none() {
        return Some(None);
    }
    let value = value.unwrap_or_else(|| known.map(Money::amount));
    let currency = currency.unwrap_or_else(|| known.map(|known| known.currency().to_owned()));
    let (path, problem) = match (value, currency) {
        (None, None) => return Some(None),
        (Some(_), None) => ("currency", "is required with a value"),
        (None, Some(_)) => ("value", "is required with a currency"),
        (Some(value), Some(currency)) => match Money::parse(&value, &currency) {
            Ok(money) => return Some(Some(money)),
            Err(MoneyError::UnknownCurrency) => {
                ("currency", "is not a currency code of ISO 4217, such as EUR")
            }
            Err(MoneyError::Unreadable) => {
                ("value", "must be a decimal number with at most 12 digits before and 4 after the point")
            }
        },
    };
    failures.push(failure(path, problem));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_a_currency() {
        let eur = Money::parse("5", "EUR").unwrap();
        let text = |text: &str| Some(Some(text.to_owned()));
        let read = |value, currency, known: Option<&Money>| {
            let mut failures = Vec::new();
            let money = changed_money(value, currency, known, &mut failures);
            (money, failures.into_iter().map(|failure| failure.path).collect::<Vec<_>>())
        };
        assert_eq!(read(None, None, Some(&eur)), (None, vec![]));
        assert_eq!(read(text("5.00"), text("EUR"), None), (Some(Some(eur.clone())), vec![]));
        assert_eq!(read(text("5"), None, Some(&eur)), (Some(Some(eur.clone())), vec![]));
        assert_eq!(read(Some(None), None, Some(&eur)), (Some(None), vec![]));
        assert_eq!(read(Some(None), Some(None), Some(&eur)), (Some(None), vec![]));
        assert_eq!(read(text("5"), None, None), (None, vec!["currency".to_owned()]));
        assert_eq!(read(text("5"), Some(None), Some(&eur)), (None, vec!["currency".to_owned()]));
        assert_eq!(read(None, text("EUR"), None), (None, vec!["value".to_owned()]));
        assert_eq!(read(text("5"), text("ZZQ"), None), (None, vec!["currency".to_owned()]));
    }
}
