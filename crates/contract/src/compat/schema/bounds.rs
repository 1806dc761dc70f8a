//! Bounds of numeric ranges.

use std::cmp::Ordering;

use frontdesk_document::NodeRef;

/// A bound of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'d> {
    /// The number as written.
    pub(super) value: NodeRef<'d>,
    /// Whether the number itself is excluded.
    pub(super) exclusive: bool,
    /// The integer at the end of the range, if all values are integers and the bound is one.
    whole: Option<i128>,
}

impl<'d> Bound<'d> {
    pub(super) fn new(value: NodeRef<'d>, exclusive: Option<NodeRef<'d>>, whole: bool, upper: bool) -> Self {
        let exclusive = exclusive.is_some();
        let step = match (exclusive, upper) {
            (false, _) => 0,
            (true, true) => -1,
            (true, false) => 1,
        };
        let whole = value.as_i128().filter(|_| whole).and_then(|value| value.checked_add(step));
        Self { value, exclusive, whole }
    }

    /// Returns whether a number satisfies the bound.
    pub(super) fn admits(&self, number: NodeRef<'_>, upper: bool) -> bool {
        match compare(number, self.value) {
            Ordering::Equal => !self.exclusive,
            Ordering::Less => upper,
            Ordering::Greater => !upper,
        }
    }

    /// Renders the bound for messages.
    pub(super) fn describe(&self) -> String {
        let number = self.value.as_number().unwrap_or_default();
        if self.exclusive { format!("{number} (exclusive)") } else { number.to_owned() }
    }

    /// Compares it with another bound on the same end of a range.
    fn order(&self, other: &Bound<'_>, upper: bool) -> Ordering {
        if let (Some(left), Some(right)) = (self.whole, other.whole) {
            return left.cmp(&right);
        }
        compare(self.value, other.value).then_with(|| match (self.exclusive, other.exclusive) {
            (true, false) if upper => Ordering::Less,
            (true, false) => Ordering::Greater,
            (false, true) if upper => Ordering::Greater,
            (false, true) => Ordering::Less,
            _ => Ordering::Equal,
        })
    }

    /// Returns whether `self` excludes values that `other` allows.
    pub(super) fn cuts(&self, other: Option<&Bound<'_>>, upper: bool) -> bool {
        other.is_none_or(|other| {
            let order = self.order(other, upper);
            if upper { order == Ordering::Less } else { order == Ordering::Greater }
        })
    }
}

/// Returns the stricter of two bounds.
pub(super) fn stricter<'d>(left: Bound<'d>, right: Bound<'d>, upper: bool) -> Bound<'d> {
    if right.cuts(Some(&left), upper) { right } else { left }
}

/// Compares numbers by value, exactly if both are integers.
fn compare(left: NodeRef<'_>, right: NodeRef<'_>) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let (left, right) = (left.as_f64().unwrap_or_default(), right.as_f64().unwrap_or_default());
            left.partial_cmp(&right).unwrap_or(Ordering::Equal)
        }
    }
}
