//! Ranks: texts whose order is the order of cards in a cell, so that a move writes one row.
//!
//! A rank is a fraction in base 36 without the point and without trailing zeros, so comparing bytes compares
//! numbers. The first [`HEAD`] digits count the cards that were added at either end, which keeps ranks short
//! however many there are; between two neighbors, further digits are added.
//!
//! `fractional_index` offers the same as binary keys, but its keys grow with each card that is added at an
//! end.

/// Digits in the order of their bytes.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE: usize = DIGITS.len();
/// The digits that are counted through at the ends of a cell: 78 billion places.
const HEAD: usize = 7;
const PLACES: u64 = 36_u64.pow(7);
/// What follows the head of a rank at an end, in the middle of the digits.
const MIDDLE: char = 'i';

/// The longest rank, in bytes. About 200 cards fit between two others, one always in front of the one before;
/// then the ranks of the cell are written anew.
pub(super) const LONGEST: usize = 48;

/// Returns a rank between two others; `None` is the beginning or the end of the cell. The first must be
/// smaller than the second.
pub(super) fn between(after: Option<&str>, before: Option<&str>) -> String {
    match (after, before) {
        (None, None) => place(PLACES / 2),
        (Some(after), None) if head(after) + 1 < PLACES => place(head(after) + 1),
        (None, Some(before)) if head(before) > 0 => place(head(before) - 1),
        (after, before) => {
            let mut rank = String::new();
            midpoint(after.unwrap_or_default().as_bytes(), before.map(str::as_bytes), &mut rank);
            rank
        }
    }
}

/// Returns ranks for all cards of a cell, in ascending order and larger than `last`, the largest present one.
/// So none of them is taken while they are written one after the other. Returns `None` if there are not
/// enough of them.
pub(super) fn spread(last: &str, count: usize) -> Option<Vec<String>> {
    let first = head(last) + 1;
    let end = first.checked_add(u64::try_from(count).ok()?)?;
    (end <= PLACES).then(|| (first..end).map(place).collect())
}

/// Returns the rank in the middle of a counted place.
fn place(number: u64) -> String {
    let mut digits = [b'0'; HEAD];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[usize::try_from(rest % 36).unwrap_or_default()];
        rest /= 36;
    }
    digits.into_iter().map(char::from).chain([MIDDLE]).collect()
}

/// Returns the counted place that a rank belongs to.
fn head(rank: &str) -> u64 {
    let digits = rank.bytes().map(value).chain(std::iter::repeat(0));
    digits.take(HEAD).fold(0, |number, digit| number * 36 + digit as u64)
}

fn value(digit: u8) -> usize {
    DIGITS.iter().position(|known| *known == digit).unwrap_or_default()
}

/// Appends the shortest fraction between two others; without `before`, the upper one is 1.
fn midpoint(after: &[u8], before: Option<&[u8]>, rank: &mut String) {
    if let Some(before) = before {
        let same = before
            .iter()
            .enumerate()
            .take_while(|(index, digit)| after.get(*index).copied().unwrap_or(b'0') == **digit);
        let same = same.count();
        if same > 0 {
            rank.extend(before[..same].iter().copied().map(char::from));
            return midpoint(after.get(same..).unwrap_or_default(), Some(&before[same..]), rank);
        }
    }
    let low = after.first().map_or(0, |digit| value(*digit));
    let high = before.and_then(<[u8]>::first).map_or(BASE, |digit| value(*digit));
    if high > low + 1 {
        rank.push(char::from(DIGITS[usize::midpoint(low, high)]));
        return;
    }
    match before {
        Some(before) if before.len() > 1 => rank.push(char::from(before[0])),
        _ => {
            rank.push(char::from(DIGITS[low]));
            midpoint(after.get(1..).unwrap_or_default(), None, rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_at_the_ends_have_short_ranks() {
        let first = between(None, None);
        let (mut low, mut high) = (first.clone(), first);
        for _ in 0..100_000 {
            let (below, above) = (between(None, Some(&low)), between(Some(&high), None));
            assert!(below < low && high < above, "{below} {low} {high} {above}");
            (low, high) = (below, above);
        }
        assert_eq!((low.len(), high.len()), (HEAD + 1, HEAD + 1));
    }

    #[test]
    fn there_is_a_rank_between_any_two() {
        // A generator of numbers that is the same in each run.
        let mut state = 7_u64;
        let mut random = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let mut ranks: Vec<String> = Vec::new();
        for _ in 0..3_000 {
            let at = random(ranks.len() + 1);
            let after = at.checked_sub(1).map(|index| ranks[index].as_str());
            let rank = between(after, ranks.get(at).map(String::as_str));
            assert!(!rank.ends_with('0') && rank.bytes().all(|byte| DIGITS.contains(&byte)), "{rank}");
            ranks.insert(at, rank);
        }
        assert!(ranks.is_sorted_by(|one, next| one < next), "{ranks:?}");
        assert!(ranks.iter().all(|rank| rank.len() < LONGEST));
    }

    #[test]
    fn many_cards_fit_at_one_place() {
        let low = between(None, None);
        let mut high = between(Some(&low), None);
        for number in 0..160 {
            let rank = between(Some(&low), Some(&high));
            assert!(low < rank && rank < high && rank.len() <= LONGEST, "{number}: {low} {rank} {high}");
            high = rank;
        }
        let (mut low, high) = (low.clone(), between(Some(&low), None));
        for number in 0..160 {
            let rank = between(Some(&low), Some(&high));
            assert!(low < rank && rank < high && rank.len() <= LONGEST, "{number}: {low} {rank} {high}");
            low = rank;
        }
    }

    #[test]
    fn the_limits_of_counting_are_no_limits() {
        let last = place(PLACES - 1);
        assert!(between(Some(&last), None) > last);
        let first = place(0);
        assert!(between(None, Some(&first)) < first);
        assert_eq!(spread(&last, 1), None);
    }

    #[test]
    fn new_ranks_of_a_cell_are_larger_than_the_old_ones() {
        let ranks = spread("i0000005zzzz", 3).unwrap();
        assert!(ranks[0].as_str() > "i0000005zzzz" && ranks.is_sorted(), "{ranks:?}");
    }
}
