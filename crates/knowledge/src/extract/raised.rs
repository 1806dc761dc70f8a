//! Raised numbers, which would run into the number before them, and struck-out text.

use super::dom::{self, NodeRef};
use super::prices;

/// The digits, raised.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Returns whether text is struck out: a price or a date that is not valid any more.
pub(super) fn is_struck_out(node: &NodeRef<'_>) -> bool {
    let is_styled = || {
        let style = dom::attribute(node, "style").unwrap_or_default().to_ascii_lowercase();
        style.contains("line-through")
    };
    matches!(dom::name(node), "s" | "del" | "strike") || is_styled()
}

/// Returns what a reader sees of a raised number after the text `before`: cents of a price, the numerator of
/// a fraction, or an exponent. `None` if the element is read like any other.
pub(super) fn number(before: &str, node: &NodeRef<'_>) -> Option<String> {
    if dom::name(node) != "sup" || !before.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let text: String =
        node.descendants().filter_map(|inner| inner.value().as_text()).map(|text| &**text).collect();
    let digits = text.trim();
    if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let after = node.next_sibling().and_then(|next| Some(next.value().as_text()?.trim_start().to_owned()));
    let after = after.unwrap_or_default();
    if after.starts_with(['/', '\u{2044}']) {
        return Some(format!(" {digits}"));
    }
    let amount = before.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_whole = !amount.ends_with(['.', ',']);
    let is_price = amount.trim_end().ends_with(prices::is_currency) || after.starts_with(prices::is_currency);
    if is_price && is_whole && digits.len() == 2 {
        return Some(format!(".{digits}"));
    }
    Some(digits.bytes().map(|digit| RAISED[usize::from(digit - b'0')]).collect())
}
