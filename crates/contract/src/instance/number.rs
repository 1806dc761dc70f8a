//! Numbers within bounds, edge cases first.

use serde_json::{Number, Value};

/// The constraints on numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Range<'d> {
    /// The lower bounds as written, and whether each is exclusive.
    pub(super) least: Vec<(&'d str, bool)>,
    /// The upper bounds.
    pub(super) greatest: Vec<(&'d str, bool)>,
    /// The values of `multipleOf`, as written.
    pub(super) steps: Vec<&'d str>,
    /// The bounds of an integer format.
    pub(super) format: Option<(i128, i128)>,
    /// Whether the number must be exact in single precision.
    pub(super) single: bool,
}

/// A decimal number: an integer multiple of ten to the power of minus the scale.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    units: i128,
    scale: u32,
}

impl Decimal {
    /// Parses a JSON number exactly; `None` if it needs more than 38 digits.
    fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let mut units: i128 = format!("{whole}{fraction}").parse().ok()?;
        let mut scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent.parse().ok()?)?;
        while scale < 0 {
            units = units.checked_mul(10)?;
            scale += 1;
        }
        Some(Self { units, scale: u32::try_from(scale).ok()? })
    }

    /// Converts the units to a finer scale.
    fn at(self, scale: u32) -> Option<i128> {
        self.units.checked_mul(10_i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }
}

/// The range of numbers in readable instances.
const SMALL: (i128, i128) = (1, 100);

/// Returns an integer, or `None` if there is none. A `readable` one is small if the bounds allow it.
pub(super) fn integer(range: &Range<'_>, readable: bool, random: &mut fastrand::Rng) -> Option<Value> {
    // Without a format, integers have 64 bits, as in generated code.
    let (mut least, mut greatest) = range.format.unwrap_or((i64::MIN.into(), i64::MAX.into()));
    for (text, excluded) in &range.least {
        least = least.max(bound(text, *excluded, true)?);
    }
    for (text, excluded) in &range.greatest {
        greatest = greatest.min(bound(text, *excluded, false)?);
    }
    let mut step = 1_i128;
    for text in &range.steps {
        // An integer is a multiple of n/10^s if it is a multiple of n/gcd(n, 10^s).
        let decimal = Decimal::read(text)?;
        let unit = 10_i128.checked_pow(decimal.scale)?;
        let whole = decimal.units / gcd(decimal.units, unit);
        step = step.checked_mul(whole / gcd(step, whole))?;
    }
    if readable && let Some(small) = multiple(least.max(SMALL.0), greatest.min(SMALL.1), step, random) {
        return whole(small);
    }
    multiple(least, greatest, step, random).and_then(whole)
}

/// Returns a number, or `None` if there is none. A `readable` one is small if the bounds allow it.
pub(super) fn number(range: &Range<'_>, readable: bool, random: &mut fastrand::Rng) -> Option<Value> {
    if !range.steps.is_empty() {
        return stepped(range, random);
    }
    let edge = if range.single { f64::from(f32::MAX) } else { f64::MAX };
    let mut least = -edge;
    let mut greatest = edge;
    let mut open = (false, false);
    for (text, excluded) in &range.least {
        let value: f64 = text.parse().ok()?;
        if value >= least {
            (least, open.0) = (value, *excluded);
        }
    }
    for (text, excluded) in &range.greatest {
        let value: f64 = text.parse().ok()?;
        if value <= greatest {
            (greatest, open.1) = (value, *excluded);
        }
    }
    let fits = |value: f64| {
        value.is_finite()
            && (value > least || (!open.0 && value >= least))
            && (value < greatest || (!open.1 && value <= greatest))
    };
    let narrow = |value: f64| if range.single { single(value) } else { value };
    if readable {
        // Multiples of 1/4 are exact in every precision.
        let small = f64::from(random.u16(4..400)) / 4.0;
        if let Some(small) = [small, 0.5, least.ceil()].into_iter().find(|value| fits(*value)) {
            return Number::from_f64(narrow(small)).map(Value::Number);
        }
    }
    let within = least.max(-1e6) + random.f64() * (greatest.min(1e6) - least.max(-1e6)).max(0.0);
    let middle = least / 2.0 + greatest / 2.0;
    let awkward = [0.0, -1.5, 1.0, 0.1, 1e-7, -2.5e-5, 123_456.75, 1e15, -9.5e20, least, greatest];
    let candidate = *random.choice(&awkward).unwrap_or(&0.0);
    let chosen = [if random.bool() { candidate } else { within }, within, middle, least, greatest]
        .into_iter()
        .map(narrow)
        .find(|value| fits(*value))?;
    // Half of the integral numbers are written without a fraction, because decoders must accept both.
    if chosen.fract() == 0.0 && chosen.abs() < 1e9 && random.bool() {
        return format!("{chosen:.0}").parse::<i64>().ok().map(Value::from);
    }
    Number::from_f64(chosen).map(Value::Number)
}

/// Returns the number with the shortest digits of the nearest single-precision number, as a program that
/// stores it would write.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the nearest number of single precision is what is asked for"
)]
fn single(value: f64) -> f64 {
    let digits = serde_json::to_string(&(value as f32));
    digits.ok().and_then(|digits| digits.parse().ok()).unwrap_or(value)
}

/// Returns a multiple of a step that may have a fraction.
fn stepped(range: &Range<'_>, random: &mut fastrand::Rng) -> Option<Value> {
    let steps = range.steps.iter().map(|text| Decimal::read(text)).collect::<Option<Vec<_>>>()?;
    let bounds = |texts: &[(&str, bool)]| {
        texts
            .iter()
            .map(|(text, excluded)| Some((Decimal::read(text)?, *excluded)))
            .collect::<Option<Vec<_>>>()
    };
    let (lower, upper) = (bounds(&range.least)?, bounds(&range.greatest)?);
    let scales = steps.iter().chain(lower.iter().map(|it| &it.0)).chain(upper.iter().map(|it| &it.0));
    let scale = scales.map(|decimal| decimal.scale).max()?;
    // The quotients stay in the range in which doubles represent all integers.
    let edge = 10_i128.checked_pow(scale.checked_add(6)?)?;
    let (mut least, mut greatest) = (None, None);
    for (bound, excluded) in lower {
        let bound = bound.at(scale)? + i128::from(excluded);
        least = least.max(Some(bound));
    }
    for (bound, excluded) in upper {
        let bound = bound.at(scale)? - i128::from(excluded);
        greatest = Some(greatest.map_or(bound, |other: i128| other.min(bound)));
    }
    let least = least.unwrap_or_else(|| greatest.unwrap_or(0).min(0) - edge);
    let greatest = greatest.unwrap_or_else(|| least.max(0) + edge);
    let mut step = 1_i128;
    for decimal in steps {
        let units = decimal.at(scale)?;
        step = step.checked_mul(units / gcd(step, units))?;
    }
    let units = multiple(least, greatest, step, random)?;
    let unit = 10_i128.checked_pow(scale)?;
    if units % unit == 0 {
        return whole(units / unit);
    }
    let sign = if units < 0 { "-" } else { "" };
    let (units, unit) = (units.unsigned_abs(), unit.unsigned_abs());
    let text = format!("{sign}{}.{:0width$}", units / unit, units % unit, width = scale as usize);
    Number::from_f64(text.parse().ok()?).map(Value::Number)
}

/// Returns a multiple of a step between two inclusive bounds.
fn multiple(least: i128, greatest: i128, step: i128, random: &mut fastrand::Rng) -> Option<i128> {
    let first = least.checked_add(step - 1)?.div_euclid(step);
    let last = greatest.div_euclid(step);
    if first > last {
        return None;
    }
    let quotient = match random.u8(0..6) {
        0 => first,
        1 => last,
        2 => 0.clamp(first, last),
        3 => random.i128(first..=last),
        _ => {
            let near = 0.clamp(first, last);
            random.i128(near.saturating_sub(1000).max(first)..=near.saturating_add(1000).min(last))
        }
    };
    quotient.checked_mul(step)
}

/// Returns the nearest integer inside a bound.
fn bound(text: &str, excluded: bool, lower: bool) -> Option<i128> {
    let Some(decimal) = Decimal::read(text) else {
        // A number that needs more than 128 bits is beyond every integer.
        let value: f64 = text.parse().ok()?;
        return Some(if value > 0.0 { i128::MAX / 4 } else { i128::MIN / 4 });
    };
    let unit = 10_i128.checked_pow(decimal.scale)?;
    let exact = decimal.units.rem_euclid(unit) == 0;
    let floor = decimal.units.div_euclid(unit);
    Some(match (lower, exact) {
        (true, true) => floor + i128::from(excluded),
        (true, false) => floor + 1,
        (false, true) => floor - i128::from(excluded),
        (false, false) => floor,
    })
}

/// Converts an integer to JSON; `None` if it needs more than 64 bits.
pub(super) fn whole(value: i128) -> Option<Value> {
    i64::try_from(value).map(Value::from).or_else(|_| u64::try_from(value).map(Value::from)).ok()
}

fn gcd(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.max(1)
}

#[cfg(test)]
mod tests {
    use super::{Range, integer, number};
    use serde_json::Value;

    fn many(make: impl Fn(&mut fastrand::Rng) -> Option<Value>) -> Vec<Value> {
        (0..200).filter_map(|seed| make(&mut fastrand::Rng::with_seed(seed))).collect()
    }

    #[test]
    fn integers_keep_their_bounds_and_reach_them() {
        let range = Range { least: vec![("-0.5", false)], greatest: vec![("10", true)], ..Range::default() };
        let found = many(|random| integer(&range, false, random));
        assert_eq!(found.len(), 200);
        assert!(found.iter().all(|value| (0..=9).contains(&value.as_i64().unwrap())));
        assert!(found.contains(&0.into()) && found.contains(&9.into()));
        let range = Range { format: Some((0, u64::MAX.into())), ..Range::default() };
        assert!(many(|random| integer(&range, false, random)).contains(&u64::MAX.into()));
        assert!(many(|random| integer(&Range::default(), false, random)).contains(&i64::MIN.into()));
    }

    #[test]
    fn multiples_are_exact() {
        let range = Range { steps: vec!["4", "6"], ..Range::default() };
        assert!(
            many(|random| integer(&range, false, random))
                .iter()
                .all(|value| value.as_i64().unwrap() % 12 == 0)
        );
        let range = Range { steps: vec!["0.01"], least: vec![("0", true)], ..Range::default() };
        for value in many(|random| number(&range, false, random)) {
            let text = value.to_string();
            assert!(value.as_f64().unwrap() > 0.0, "{text}");
            assert!(text.split_once('.').is_none_or(|(_, digits)| digits.len() <= 2), "{text}");
        }
    }

    #[test]
    fn readable_numbers_are_small_where_they_may_be() {
        let small = |value: &Value| (0.0..=100.0).contains(&value.as_f64().unwrap());
        assert!(many(|random| integer(&Range::default(), true, random)).iter().all(small));
        assert!(many(|random| number(&Range::default(), true, random)).iter().all(small));
        let range =
            Range { least: vec![("1000", true)], greatest: vec![("1001.5", true)], ..Range::default() };
        assert!(many(|random| integer(&range, true, random)).iter().all(|value| *value == 1001));
        for value in many(|random| number(&range, true, random)) {
            assert!((1000.0..1001.5).contains(&value.as_f64().unwrap()), "{value}");
        }
    }

    #[test]
    fn where_no_number_fits_there_is_none() {
        let range = Range { least: vec![("2", true)], greatest: vec![("3", true)], ..Range::default() };
        assert!(many(|random| integer(&range, false, random)).is_empty());
        assert_eq!(many(|random| number(&range, false, random)).len(), 200);
        let range = Range { least: vec![("2", true)], greatest: vec![("2", false)], ..Range::default() };
        assert!(many(|random| number(&range, false, random)).is_empty());
    }
}
