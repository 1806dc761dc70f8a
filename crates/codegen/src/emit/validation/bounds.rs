//! Bounds of numbers: the document's bounds as rules that values of the type can break.

use crate::{
    emit::ident,
    ir::{Constraint, Type},
};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// The rule of one bound; nothing if every value of the type satisfies it, or the type is not numeric.
pub(super) fn bound(ty: &Type, constraint: &Constraint) -> Option<TokenStream> {
    match ty {
        Type::F32 | Type::F64 => Some(of_float(constraint)),
        Type::Decimal { .. } => Some(of_decimal(constraint)),
        ty => of_integer(ty.range()?, constraint),
    }
}

fn of_float(constraint: &Constraint) -> TokenStream {
    let (method, text) = parts(constraint);
    let literal =
        if text.contains(['.', 'e', 'E']) { separated(text) } else { separated(&format!("{text}.0")) };
    let method = ident(method);
    quote!(.#method(#literal))
}

fn of_decimal(constraint: &Constraint) -> TokenStream {
    let (_, text) = parts(constraint);
    let (orders, rule): (&[&str], &str) = match constraint {
        Constraint::Minimum(_) => (&["Greater", "Equal"], "must be at least"),
        Constraint::Above(_) => (&["Greater"], "must be more than"),
        Constraint::Maximum(_) => (&["Less", "Equal"], "must be at most"),
        Constraint::Below(_) => (&["Less"], "must be less than"),
        _ => return quote!(.exact_multiple_of(#text)),
    };
    let orders = orders.iter().map(|order| ident(order));
    quote!(.exactly(&[#(std::cmp::Ordering::#orders),*], #text, #rule))
}

/// The word for a bound, and the bound.
fn parts(constraint: &Constraint) -> (&'static str, &str) {
    match constraint {
        Constraint::Minimum(text) => ("minimum", text),
        Constraint::Above(text) => ("above", text),
        Constraint::Maximum(text) => ("maximum", text),
        Constraint::Below(text) => ("below", text),
        Constraint::MultipleOf(text) => ("multiple_of", text),
        _ => ("", ""),
    }
}

fn of_integer((least, most): (i128, i128), constraint: &Constraint) -> Option<TokenStream> {
    let (method, text) = parts(constraint);
    let number = Fraction::parse(text)?;
    // A bound between two integers is as strict as the next one inside.
    let (method, bound) = match constraint {
        Constraint::Minimum(_) => (method, number.ceiling()),
        Constraint::Maximum(_) => (method, number.floor()),
        Constraint::Above(_) if !number.is_whole() => ("minimum", number.ceiling()),
        Constraint::Below(_) if !number.is_whole() => ("maximum", number.floor()),
        Constraint::MultipleOf(_) => {
            // n is a multiple of p/q, in lowest terms, where it is one of p.
            return match number.numerator.abs() {
                0 | 1 => None,
                step if step <= most => {
                    let step = separated(&step.to_string());
                    Some(quote!(.multiple_of(#step)))
                }
                // Of so large a step, only zero is a multiple that the type has.
                _ => Some(quote!(.minimum(0).maximum(0))),
            };
        }
        _ => (method, number.numerator),
    };
    let (always, never) = match method {
        "minimum" => (bound < least, bound > most),
        "above" => (bound < least, bound >= most),
        "maximum" => (bound > most, bound < least),
        _ => (bound > most, bound <= least),
    };
    if always {
        return None;
    }
    if never {
        let rule = format!(
            "{} {text}",
            match constraint {
                Constraint::Minimum(_) => "must be at least",
                Constraint::Above(_) => "must be more than",
                Constraint::Maximum(_) => "must be at most",
                _ => "must be less than",
            }
        );
        return Some(quote!(.never(#rule)));
    }
    let (method, bound) = (ident(method), separated(&bound.to_string()));
    Some(quote!(.#method(#bound)))
}

/// A number of a document, in lowest terms.
#[derive(Debug, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    /// Nothing for a number that no integer type comes near.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let numerator: i128 = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = 10_i128.checked_pow(exponent.unsigned_abs())?;
        if exponent >= 0 {
            return Some(Self { numerator: numerator.checked_mul(power)?, denominator: 1 });
        }
        let common = greatest_common_divisor(numerator.abs(), power);
        Some(Self { numerator: numerator / common, denominator: power / common })
    }

    const fn is_whole(&self) -> bool {
        self.denominator == 1
    }

    const fn floor(&self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    const fn ceiling(&self) -> i128 {
        -(-self.numerator).div_euclid(self.denominator)
    }
}

const fn greatest_common_divisor(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left, right);
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// A number as a person would write it: from five digits up, in groups of three.
pub(in crate::emit) fn separated(number: &str) -> TokenStream {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let whole = digits.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = digits.split_at(whole);
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text.push_str(rest);
    // Lowering only lets numbers pass; what is none after all bounds nothing.
    text.parse().unwrap_or_else(|_| Literal::u8_unsuffixed(0).into_token_stream())
}

#[cfg(test)]
mod tests {
    use super::{Fraction, of_integer, separated};
    use crate::ir::Constraint;

    #[test]
    fn long_numbers_are_grouped() {
        for (number, written) in [
            ("0", "0"),
            ("1000", "1000"),
            ("10000", "10_000"),
            ("-1234567.5", "- 1_234_567.5"),
            ("1e5", "1e5"),
        ] {
            assert_eq!(separated(number).to_string(), written);
        }
    }

    #[test]
    fn numbers_become_fractions_in_lowest_terms() {
        for (text, numerator, denominator) in
            [("2.50", 5, 2), ("-0.5", -1, 2), ("1e3", 1000, 1), ("12e-1", 6, 5), ("0", 0, 1)]
        {
            assert_eq!(Fraction::parse(text), Some(Fraction { numerator, denominator }), "{text}");
        }
        assert_eq!(Fraction::parse("1e400"), None);
    }

    #[test]
    fn bounds_of_integers_fit_their_type() {
        let byte = (0, 255);
        for (constraint, rule) in [
            (Constraint::Minimum("-1".to_owned()), ""),
            (Constraint::Minimum("0.5".to_owned()), ". minimum (1)"),
            (Constraint::Above("0.5".to_owned()), ". minimum (1)"),
            (Constraint::Above("3".to_owned()), ". above (3)"),
            (Constraint::Maximum("1e3".to_owned()), ""),
            (Constraint::Maximum("9.9".to_owned()), ". maximum (9)"),
            (Constraint::Below("-0.5".to_owned()), ". never (\"must be less than -0.5\")"),
            (Constraint::Below("0".to_owned()), ". never (\"must be less than 0\")"),
            (Constraint::MultipleOf("0.5".to_owned()), ""),
            (Constraint::MultipleOf("2.5".to_owned()), ". multiple_of (5)"),
            (Constraint::MultipleOf("1000".to_owned()), ". minimum (0) . maximum (0)"),
        ] {
            let found = of_integer(byte, &constraint).map(|rule| rule.to_string()).unwrap_or_default();
            assert_eq!(found, rule, "{constraint:?}");
        }
    }
}
