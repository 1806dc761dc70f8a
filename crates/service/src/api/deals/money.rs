//! Values of deals: amounts of money with their currency.

use frontdesk_runtime::check;
use frontdesk_store::{Money, MoneyError};

use crate::edge::responses::failure;

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
