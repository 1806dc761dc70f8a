//! Sections that show fractions, such as `# ?/?`.

use super::{decimal::Decimal, digits::digits, number_part::NumberPart};

/// Largest denominator that is searched.
const MAX_DENOMINATOR: u32 = 999;

/// Returns a number that is not negative as a fraction.
pub(super) fn shown(parts: &[NumberPart], value: f64) -> Option<String> {
    let slash = parts.iter().position(|part| *part == NumberPart::Slash)?;
    let is_place = |part: &NumberPart| matches!(part, NumberPart::Place(_));
    // The numerator is the group of places before the slash, the whole number the group before that.
    let numerator = parts[..slash].iter().rposition(|part| !is_place(part)).map_or(0, |index| index + 1);
    let denominator_end = parts[slash + 1..]
        .iter()
        .position(|part| !is_place(part))
        .map_or(parts.len(), |index| slash + 1 + index);
    let (before, suffix) = (&parts[..numerator], &parts[denominator_end..]);
    let has_whole = before.iter().any(is_place);
    let denominator = &parts[slash + 1..denominator_end];
    let (whole, rest) = if has_whole { (value.trunc(), value.fract()) } else { (0.0, value) };
    if value >= 1e9 || denominator.is_empty() {
        return None;
    }
    let (mut upper, lower) = nearest(rest, denominator)?;
    let mut whole = whole;
    if has_whole && upper == u64::from(lower) {
        whole += 1.0;
        upper = 0;
    }
    let literals = |parts: &[NumberPart]| -> String {
        parts
            .iter()
            .filter_map(|part| match part {
                NumberPart::Literal(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    };
    let suffix = literals(suffix);
    Some(match (has_whole, upper) {
        (true, 0) => format!("{}{suffix}", nonempty(digits(before, &Decimal::of(whole)).trim())),
        (true, _) if whole > 0.0 => {
            format!("{} {upper}/{lower}{suffix}", digits(before, &Decimal::of(whole)).trim())
        }
        (true, _) => format!("{upper}/{lower}{suffix}"),
        (false, _) => format!("{}{upper}/{lower}{suffix}", literals(before)),
    })
}

/// A whole number of zero is shown if there is no fraction either.
fn nonempty(shown: &str) -> &str {
    if shown.is_empty() { "0" } else { shown }
}

/// Returns numerator and denominator: the stated denominator, or the one with so many digits that fits best.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is below a billion times 999 and not negative"
)]
fn nearest(value: f64, denominator: &[NumberPart]) -> Option<(u64, u32)> {
    let places: String = denominator
        .iter()
        .filter_map(|part| match part {
            NumberPart::Place(place) => Some(*place),
            _ => None,
        })
        .collect();
    let upper = |lower: u32| (value * f64::from(lower)).round() as u64;
    if let Ok(stated) = places.parse::<u32>()
        && stated > 0
    {
        return Some((upper(stated), stated));
    }
    let most = 10_u32.checked_pow(u32::try_from(places.len()).ok()?).map_or(MAX_DENOMINATOR, |most| most - 1);
    #[expect(clippy::cast_precision_loss, reason = "numerators are small")]
    let error = |lower: &u32| (value - upper(*lower) as f64 / f64::from(*lower)).abs();
    // The first of equal denominators is the smallest.
    let lower = (1..=most.min(MAX_DENOMINATOR)).min_by(|a, b| error(a).total_cmp(&error(b)))?;
    Some((upper(lower), lower))
}
