//! [`Path`]: the location of a value in a body.

use std::fmt;

/// A location in a body, kept as a linked list on the stack so that it costs nothing for a valid body.
///
/// Its text is dotted from the root, as in `contact.custom.2`; the root itself is `body`.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    segment: Segment<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'p> {
    Root,
    Name(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// Returns the location of the body itself.
    pub const ROOT: Path<'static> = Path { parent: None, segment: Segment::Root };

    /// Returns the location of the member of this name.
    pub const fn name(&'p self, name: &'p str) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Name(name) }
    }

    /// Returns the location of the entry at this position, counted from zero.
    pub const fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parent {
            Some(parent) if !matches!(parent.segment, Segment::Root) => write!(formatter, "{parent}.")?,
            _ => {}
        }
        match self.segment {
            Segment::Root => formatter.write_str("body"),
            Segment::Name(name) => formatter.write_str(name),
            Segment::Index(index) => write!(formatter, "{index}"),
        }
    }
}
