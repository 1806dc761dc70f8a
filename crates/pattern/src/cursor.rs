//! A position in the text of a pattern, with the facts that hold for the whole pattern.

use super::syntax_error::{Reason, SyntaxError};

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// With the flag `u`.
    Unicode,
    /// Without the flag `u`: annex B of ECMA 262.
    Legacy,
}

/// The capturing groups of a pattern.
#[derive(Debug, Default)]
struct Groups {
    count: usize,
    names: Vec<(String, usize)>,
    /// Whether a group is referenced.
    are_used: bool,
}

impl Groups {
    fn of(chars: &[char]) -> Self {
        let mut groups = Self::default();
        let (mut at, mut in_class) = (0, false);
        while let Some(&char) = chars.get(at) {
            match char {
                '\\' => {
                    groups.are_used |=
                        !in_class && chars.get(at + 1).is_some_and(|next| matches!(next, '1'..='9' | 'k'));
                    at += 1;
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => match (chars.get(at + 1), chars.get(at + 2), chars.get(at + 3)) {
                    (Some('?'), Some('<'), Some('=' | '!')) => {}
                    (Some('?'), Some('<'), _) => {
                        groups.count += 1;
                        let name = chars[at + 3..].iter().take_while(|char| **char != '>').collect();
                        groups.names.push((name, groups.count));
                    }
                    (Some('?'), ..) => {}
                    _ => groups.count += 1,
                },
                _ => {}
            }
            at += 1;
        }
        groups
    }
}

/// Reads the characters of a pattern, one after the other.
#[derive(Debug)]
pub(crate) struct Cursor<'p> {
    chars: &'p [char],
    at: usize,
    pub(crate) dialect: Dialect,
    groups: Groups,
}

impl<'p> Cursor<'p> {
    pub(crate) fn new(chars: &'p [char], dialect: Dialect) -> Self {
        Self { chars, at: 0, dialect, groups: Groups::of(chars) }
    }
}

impl Cursor<'_> {
    pub(crate) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Returns the next `count` characters, if there are so many.
    pub(crate) fn ahead(&self, count: usize) -> Option<String> {
        Some(self.chars.get(self.at..self.at + count)?.iter().collect())
    }

    pub(crate) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    pub(crate) fn back(&mut self) {
        self.at -= 1;
    }

    pub(crate) fn place(&self) -> usize {
        self.at
    }

    pub(crate) fn return_to(&mut self, place: usize) {
        self.at = place;
    }

    pub(crate) fn has_names(&self) -> bool {
        !self.groups.names.is_empty()
    }

    /// Returns whether a group is referenced.
    pub(crate) fn has_references(&self) -> bool {
        self.groups.are_used
    }

    pub(crate) fn group_count(&self) -> usize {
        self.groups.count
    }

    pub(crate) fn syntax_error(&self, reason: Reason) -> SyntaxError {
        SyntaxError { at: self.at, reason }
    }

    /// Skips a text, if it comes next.
    pub(crate) fn takes(&mut self, text: &str) -> bool {
        let fits = self.ahead(text.len()).is_some_and(|ahead| ahead == text);
        if fits {
            self.skip(text.len());
        }
        fits
    }

    /// Reads a name in angle brackets.
    pub(crate) fn group_name(&mut self) -> Result<String, SyntaxError> {
        let mut name = String::new();
        if self.next() == Some('<') {
            while let Some(letter) = self.next() {
                match letter {
                    '>' if !name.is_empty() => return Ok(name),
                    '$' | '_' => name.push(letter),
                    _ if letter.is_alphabetic() || (letter.is_numeric() && !name.is_empty()) => {
                        name.push(letter);
                    }
                    _ => break,
                }
            }
        }
        Err(self.syntax_error(Reason::Kind))
    }

    /// Returns the number of the group that `\k` names.
    pub(crate) fn named_group(&mut self) -> Result<usize, SyntaxError> {
        let name = self.group_name().map_err(|mistake| SyntaxError { reason: Reason::Group, ..mistake })?;
        let found = self.groups.names.iter().find(|(known, _)| *known == name);
        found.map(|(_, number)| *number).ok_or_else(|| self.syntax_error(Reason::Group))
    }

    /// Reads a decimal number, if there is one.
    pub(crate) fn decimal(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10)) {
            self.next();
            value = Some(value.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
        }
        value
    }
}
