//! Parts of the year.

/// A part of the year, from one day to another in any year. It may go past the end of the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    first: u16,
    last: u16,
}

/// Days of a month in the count of [`Period`]. Months after the twelfth have the feasts whose dates differ
/// from year to year.
const MONTH: u16 = 32;

impl Period {
    pub(super) const fn new(first: (u16, u16), last: (u16, u16)) -> Self {
        Self { first: first.0 * MONTH + first.1, last: last.0 * MONTH + last.1 }
    }

    pub(super) const fn month(month: u16) -> Self {
        Self::new((month, 1), (month, 31))
    }

    /// Returns the month and the day of the beginning.
    pub(super) const fn first(self) -> (u16, u16) {
        (self.first / MONTH, self.first % MONTH)
    }

    /// Returns the month and the day of the end.
    pub(super) const fn last(self) -> (u16, u16) {
        (self.last / MONTH, self.last % MONTH)
    }

    /// Returns the period from the beginning of this one to the end of another.
    pub(super) const fn through(self, other: Self) -> Self {
        Self { first: self.first, last: other.last }
    }

    /// Returns whether the two have a day in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.parts().into_iter().any(|(first, last)| {
            other
                .parts()
                .into_iter()
                .any(|(other_first, other_last)| first <= other_last && other_first <= last)
        })
    }

    /// Returns about how many days there are.
    pub fn days(self) -> u16 {
        self.parts().into_iter().map(|(first, last)| (last + 1).saturating_sub(first)).sum()
    }

    /// Returns whether it is a day on which businesses of most countries are closed.
    pub fn is_public_holiday(self) -> bool {
        let holidays = [Self::new((12, 25), (12, 26)), Self::new((1, 1), (1, 1))];
        (13 * MONTH..14 * MONTH).contains(&self.first)
            || (self.days() <= 3 && holidays.iter().any(|holiday| holiday.overlaps(self)))
    }

    /// Returns whether it is a feast whose date differs from year to year.
    pub fn is_movable(self) -> bool {
        self.first >= 13 * MONTH
    }

    /// Returns the part until the end of the year and the part from its beginning. The second may be empty.
    fn parts(self) -> [(u16, u16); 2] {
        const END: u16 = 13 * MONTH - 1;
        if self.first <= self.last {
            [(self.first, self.last), (1, 0)]
        } else {
            [(self.first, END), (MONTH, self.last)]
        }
    }
}
