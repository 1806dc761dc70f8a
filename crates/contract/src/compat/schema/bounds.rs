//! The ends of ranges of numbers.

use std::cmp::Ordering;

use frontdesk_document::NodeRef;

/// An end of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'d> {
    /// The number as it is written.
    pub(super) value: NodeRef<'d>,
    /// Whether the number itself does not belong to the range.
    pub(super) exclusive: bool,
    /// The integer at the end of the range, where all values are integers and the bound is one.
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

    /// Whether a number lies on the right side of the bound.
    pub(super) fn admits(&self, number: NodeRef<'_>, upper: bool) -> bool {
        match compare(number, self.value) {
            Ordering::Equal => !self.exclusive,
            Ordering::Less => upper,
            Ordering::Greater => !upper,
        }
    }

    /// The bound as people write it.
    pub(super) fn told(&self) -> String {
        let number = self.value.as_number().unwrap_or_default();
        if self.exclusive { format!("{number} (exclusive)") } else { number.to_owned() }
    }

    /// Where it lies against another one, whose range ends on the same side.
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

    /// Whether the range of `self` loses values of the range of `other`.
    pub(super) fn cuts(&self, other: Option<&Bound<'_>>, upper: bool) -> bool {
        other.is_none_or(|other| {
            let order = self.order(other, upper);
            if upper { order == Ordering::Less } else { order == Ordering::Greater }
        })
    }
}

/// The one of two that leaves less.
pub(super) fn stricter<'d>(left: Bound<'d>, right: Bound<'d>, upper: bool) -> Bound<'d> {
    if right.cuts(Some(&left), upper) { right } else { left }
}

/// Numbers by their size: exactly where both are integers.
fn compare(left: NodeRef<'_>, right: NodeRef<'_>) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let (left, right) = (left.as_f64().unwrap_or_default(), right.as_f64().unwrap_or_default());
            left.partial_cmp(&right).unwrap_or(Ordering::Equal)
        }
    }
}
