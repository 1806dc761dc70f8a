//! Attributes: the kinds of facts that visitors of a business ask for, such as opening hours, prices and
//! contact details.
//!
//! [`asked()`] returns the attributes that a question asks for, [`given()`] those that a text states. Search
//! adds the attributes of a chunk to its index terms, so that "Can I call you?" finds a phone number that has
//! no word of the question beside it. The extractive writer prefers texts that state the requested attribute,
//! and refuses if none does.

mod asked;
mod calendar;
mod days;
mod feasts;
mod given;
mod moments;
mod period;
mod years;

pub use asked::asked;
pub(crate) use calendar::names_feast;
pub use calendar::{names_holidays, periods};
pub use days::Days;
pub use given::given;
pub use moments::names_opening;
pub use moments::says_when;
pub use period::Period;
pub use years::speaks_of_past_year;

/// A kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Attribute {
    /// Times at which the business is open, or something takes place.
    Hours,
    /// Times at which a business or a part of it is open or closed, rather than the time of something else.
    Opening,
    /// A telephone number.
    Phone,
    /// An email address.
    Email,
    /// A postal address or another description of the way.
    Address,
    /// An amount of money.
    Price,
    /// Ways to pay.
    Payment,
    /// A date.
    Date,
    /// A number that is not a price: an amount, a size, a duration.
    Quantity,
}

impl Attribute {
    /// Every attribute.
    pub const ALL: [Self; 9] = [
        Self::Hours,
        Self::Opening,
        Self::Phone,
        Self::Email,
        Self::Address,
        Self::Price,
        Self::Payment,
        Self::Date,
        Self::Quantity,
    ];

    /// Returns the index term of chunks with the attribute. No word of a text gives this term, because the
    /// analysis of words removes the colon.
    pub(crate) const fn term(self) -> &'static str {
        match self {
            Self::Hours => "fact:hours",
            Self::Opening => "fact:opening",
            Self::Phone => "fact:phone",
            Self::Email => "fact:email",
            Self::Address => "fact:address",
            Self::Price => "fact:price",
            Self::Payment => "fact:payment",
            Self::Date => "fact:date",
            Self::Quantity => "fact:quantity",
        }
    }

    /// Returns whether chunks with the attribute are found by it. Numbers and dates are in too many texts,
    /// and opening hours are hours.
    pub(crate) const fn is_indexed(self) -> bool {
        !matches!(self, Self::Opening | Self::Date | Self::Quantity)
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of attributes, with the days of the week that a question or a text names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    bits: u16,
    /// The days of the week.
    pub days: Days,
}

impl Attributes {
    /// Adds an attribute.
    pub fn insert(&mut self, attribute: Attribute) {
        self.bits |= attribute.bit();
    }

    /// Returns whether the set has an attribute.
    pub fn contains(self, attribute: Attribute) -> bool {
        self.bits & attribute.bit() != 0
    }

    /// Returns whether the set has no attribute.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Returns the number of attributes.
    pub fn len(self) -> u32 {
        self.bits.count_ones()
    }

    /// Returns the attributes and days of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits, days: self.days.union(other.days) }
    }

    /// Returns the attributes that both sets have. The days are those of both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { bits: self.bits & other.bits, days: self.days.intersection(other.days) }
    }

    /// Returns the attributes in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Attribute> {
        Attribute::ALL.into_iter().filter(move |attribute| self.contains(*attribute))
    }
}
