//! Amounts of money, exact.
//!
//! An amount is stored as a whole number of ten-thousandths, so that both databases compare and add up
//! amounts as integers: SQLite has no decimal numbers, and its floating-point ones would round. A sum is read
//! in two parts, because that of many large amounts does not fit into 64 bits.

use iso_currency::Currency;
use rust_decimal::Decimal;

/// Digits after the decimal point that are stored.
const SCALE: u32 = 4;
/// The largest amount in ten-thousandths: twelve digits before the point.
const LARGEST: i128 = 10_i128.pow(16) - 1;
/// Where a stored amount is divided into the two parts of a sum.
pub(super) const PART: i64 = 1_000_000_000;

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Money {
    /// The amount in ten-thousandths of the currency.
    units: i128,
    currency: Currency,
}

/// Why an amount of money is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The currency is not in ISO 4217.
    #[error("the currency is not a code of ISO 4217")]
    UnknownCurrency,
    /// The amount is not a decimal number, is negative, or has more digits than are stored.
    #[error("the amount is not a decimal number with at most 12 digits before and 4 after the point")]
    Unreadable,
}

impl Money {
    /// Reads an amount and the code of its currency, such as `12.50` and `EUR`.
    pub fn parse(amount: &str, currency: &str) -> Result<Self, MoneyError> {
        let currency = Currency::from_code(currency).ok_or(MoneyError::UnknownCurrency)?;
        let decimal = Decimal::from_str_exact(amount).map_err(|_| MoneyError::Unreadable)?.normalize();
        if decimal.scale() > SCALE {
            return Err(MoneyError::Unreadable);
        }
        let units = decimal.mantissa().checked_mul(10_i128.pow(SCALE - decimal.scale()));
        let units = units.filter(|units| (0..=LARGEST).contains(units)).ok_or(MoneyError::Unreadable)?;
        Ok(Self { units, currency })
    }

    /// Returns the amount as it is stored.
    pub(super) fn stored(&self) -> i64 {
        i64::try_from(self.units).unwrap_or(i64::MAX)
    }

    /// Makes an amount of what is stored.
    pub(super) fn of_units(units: i128, currency: &str) -> Result<Self, MoneyError> {
        let currency = Currency::from_code(currency).ok_or(MoneyError::UnknownCurrency)?;
        Ok(Self { units, currency })
    }

    /// Adds ten-thousandths of the same currency.
    pub(super) fn add(&mut self, units: i128) {
        self.units += units;
    }

    /// Returns the code of the currency.
    pub fn currency(&self) -> &'static str {
        self.currency.code()
    }

    /// Returns the amount as a decimal number, with at least as many decimal places as the currency has.
    pub fn amount(&self) -> String {
        let mut decimal = Decimal::from_i128_with_scale(self.units, SCALE).normalize();
        let places = u32::from(self.currency.exponent().unwrap_or(0));
        if decimal.scale() < places {
            decimal.rescale(places);
        }
        decimal.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_places_of_their_currency() {
        for (amount, currency, shown) in [
            ("12.5", "EUR", "12.50"),
            ("0", "EUR", "0.00"),
            ("5000", "JPY", "5000"),
            ("1.1", "JPY", "1.1"),
            ("1.0000", "KWD", "1.000"),
            ("999999999999.9999", "USD", "999999999999.9999"),
            ("0.0001", "USD", "0.0001"),
        ] {
            let money = Money::parse(amount, currency).unwrap();
            assert_eq!((money.amount().as_str(), money.currency()), (shown, currency));
            assert_eq!(Money::of_units(money.stored().into(), currency), Ok(money));
        }
    }

    #[test]
    fn other_texts_are_no_amounts() {
        for amount in ["", "-1", "1.00001", "1000000000000", "1e3", "x", "NaN", "1,5"] {
            assert_eq!(Money::parse(amount, "EUR"), Err(MoneyError::Unreadable), "{amount}");
        }
        for currency in ["", "EU", "eur", "ZZQ", "EURO"] {
            assert_eq!(Money::parse("1", currency), Err(MoneyError::UnknownCurrency), "{currency}");
        }
    }
}
