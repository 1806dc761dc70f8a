//! Character classes, and their notation in the target engine.

use std::fmt::Write as _;

/// The code points of surrogates, which do not occur in text.
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// A predefined class of ECMA 262.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// `\d`
    Digit,
    /// `\w`
    Word,
    /// `\s`
    Space,
}

impl Named {
    /// Returns the ranges of the class.
    fn ranges(self) -> &'static [(u32, u32)] {
        match self {
            Self::Digit => &[(0x30, 0x39)],
            Self::Word => &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
            // White space and line terminators of ECMA 262, 12.2 and 12.3.
            Self::Space => &[
                (0x09, 0x0D),
                (0x20, 0x20),
                (0xA0, 0xA0),
                (0x1680, 0x1680),
                (0x2000, 0x200A),
                (0x2028, 0x2029),
                (0x202F, 0x202F),
                (0x205F, 0x205F),
                (0x3000, 0x3000),
                (0xFEFF, 0xFEFF),
            ],
        }
    }
}

/// An item of a class.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A range of code points.
    Range(u32, u32),
    /// A predefined class, or its complement.
    Named(Named, bool),
    /// A Unicode property, or its complement.
    Property(String, bool),
}

/// The characters that match some items, or the complement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) negated: bool,
    pub(crate) items: Vec<Item>,
}

impl Class {
    /// Makes a class of one item.
    pub(crate) fn of(item: Item) -> Self {
        Self { negated: false, items: vec![item] }
    }

    /// Makes the class of `.`: all characters except line terminators.
    pub(crate) fn any() -> Self {
        let items = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
        Self { negated: true, items: items.map(|(from, to)| Item::Range(from, to)).to_vec() }
    }

    /// Writes the class in the engine's notation.
    pub(crate) fn write(&self, out: &mut String) {
        let mut inner = String::new();
        for item in &self.items {
            match item {
                Item::Range(from, to) => range(*from, *to, &mut inner),
                Item::Named(named, false) => ranges(named.ranges(), &mut inner),
                Item::Named(named, true) => {
                    inner.push_str("[^");
                    ranges(named.ranges(), &mut inner);
                    inner.push(']');
                }
                Item::Property(name, negated) => {
                    let negation = if *negated { "^" } else { "" };
                    write!(inner, r"[{negation}\p{{{name}}}]").expect("a string takes every write");
                }
            }
        }
        // The engine has no empty class.
        out.push_str(match (inner.is_empty(), self.negated) {
            (false, false) => "[",
            (false, true) => "[^",
            (true, false) => r"[^\x{0}-\x{10FFFF}",
            (true, true) => r"[\x{0}-\x{10FFFF}",
        });
        out.push_str(&inner);
        out.push(']');
    }
}

fn ranges(ranges: &[(u32, u32)], out: &mut String) {
    for (from, to) in ranges {
        range(*from, *to, out);
    }
}

/// Writes a range, without surrogates.
fn range(from: u32, to: u32, out: &mut String) {
    let (first, last) = SURROGATES;
    for (from, to) in [(from, to.min(first - 1)), (from.max(last + 1), to)] {
        if from < to {
            write!(out, r"\x{{{from:X}}}-\x{{{to:X}}}").expect("a string takes every write");
        } else if from == to {
            write!(out, r"\x{{{from:X}}}").expect("a string takes every write");
        }
    }
}

/// Writes a literal character; a surrogate never matches.
pub(crate) fn literal(code: u32, out: &mut String) {
    match char::from_u32(code) {
        Some(plain) if plain.is_ascii_alphanumeric() => out.push(plain),
        Some(_) => write!(out, r"\x{{{code:X}}}").expect("a string takes every write"),
        None => Class::default().write(out),
    }
}
