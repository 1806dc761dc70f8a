//! Escape sequences.

use super::class::{Item, Named};
use super::cursor::{Cursor, Dialect};
use super::syntax_error::{Reason, SyntaxError};

/// Characters of the syntax, which a backslash makes literal.
const SYNTAX: &str = r"^$\.*+?()[]{}|/";

/// The meaning of an escape sequence.
#[derive(Clone, Debug)]
pub(crate) enum Escaped {
    /// A character.
    Char(u32),
    /// A character class.
    Item(Item),
    /// A word boundary, or its complement.
    Boundary { negated: bool },
    /// A backreference.
    Group(usize),
}

impl Cursor<'_> {
    /// Reads an escape sequence after its backslash.
    pub(crate) fn escape(&mut self, in_class: bool) -> Result<Escaped, SyntaxError> {
        let Some(first) = self.next() else { return Err(self.syntax_error(Reason::Backslash)) };
        Ok(match first {
            'd' => Escaped::Item(Item::Named(Named::Digit, false)),
            'D' => Escaped::Item(Item::Named(Named::Digit, true)),
            'w' => Escaped::Item(Item::Named(Named::Word, false)),
            'W' => Escaped::Item(Item::Named(Named::Word, true)),
            's' => Escaped::Item(Item::Named(Named::Space, false)),
            'S' => Escaped::Item(Item::Named(Named::Space, true)),
            'b' if in_class => Escaped::Char(0x08),
            'b' | 'B' if !in_class => Escaped::Boundary { negated: first == 'B' },
            't' => Escaped::Char(0x09),
            'n' => Escaped::Char(0x0A),
            'v' => Escaped::Char(0x0B),
            'f' => Escaped::Char(0x0C),
            'r' => Escaped::Char(0x0D),
            'c' => self.control(in_class)?,
            'x' => match self.hexadecimal(2) {
                Some(code) => Escaped::Char(code),
                None => self.itself(first, in_class)?,
            },
            'u' => match self.code_point(in_class)? {
                Some(code) => Escaped::Char(code),
                None => self.itself(first, in_class)?,
            },
            'p' | 'P' if self.dialect == Dialect::Unicode => {
                Escaped::Item(Item::Property(self.property()?, first == 'P'))
            }
            'k' if !in_class && (self.dialect == Dialect::Unicode || self.has_names()) => {
                Escaped::Group(self.named_group()?)
            }
            '0'..='9' => self.number(first, in_class)?,
            other => self.itself(other, in_class)?,
        })
    }

    /// Reads a character that a backslash makes literal.
    fn itself(&mut self, escaped: char, in_class: bool) -> Result<Escaped, SyntaxError> {
        let allowed = match self.dialect {
            Dialect::Unicode => SYNTAX.contains(escaped) || (in_class && escaped == '-'),
            Dialect::Legacy => true,
        };
        if allowed { Ok(Escaped::Char(u32::from(escaped))) } else { Err(self.syntax_error(Reason::Escape)) }
    }

    fn control(&mut self, in_class: bool) -> Result<Escaped, SyntaxError> {
        let legacy = self.dialect == Dialect::Legacy;
        match self.peek() {
            Some(letter)
                if letter.is_ascii_alphabetic()
                    || (legacy && in_class && (letter.is_ascii_digit() || letter == '_')) =>
            {
                self.next();
                Ok(Escaped::Char(u32::from(letter) % 32))
            }
            // A literal backslash: the letter is read again.
            _ if legacy => {
                self.back();
                Ok(Escaped::Char(u32::from('\\')))
            }
            _ => Err(self.syntax_error(Reason::Escape)),
        }
    }

    /// Reads `count` hexadecimal digits, or nothing if there are fewer.
    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text = self.ahead(digits)?;
        if !text.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.skip(digits);
        u32::from_str_radix(&text, 16).ok()
    }

    /// Reads the code point after `\u`, if there is one.
    fn code_point(&mut self, in_class: bool) -> Result<Option<u32>, SyntaxError> {
        let unicode = self.dialect == Dialect::Unicode;
        if unicode && self.peek() == Some('{') {
            self.next();
            let mut code = 0_u32;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(16)) {
                self.next();
                digits += 1;
                code = code.saturating_mul(16).saturating_add(digit);
            }
            let closed = self.next() == Some('}');
            return if closed && digits > 0 && code <= 0x0010_FFFF {
                Ok(Some(code))
            } else {
                Err(self.syntax_error(Reason::Escape))
            };
        }
        let Some(high) = self.hexadecimal(4) else { return Ok(None) };
        // A surrogate pair is one character, except in legacy patterns that list the halves.
        if (0xD800..0xDC00).contains(&high)
            && (unicode || !in_class)
            && self.ahead(2).as_deref() == Some(r"\u")
        {
            let place = self.place();
            self.skip(2);
            match self.hexadecimal(4) {
                Some(low) if (0xDC00..0xE000).contains(&low) => {
                    return Ok(Some(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)));
                }
                _ => self.return_to(place),
            }
        }
        Ok(Some(high))
    }

    /// Reads the property after `\p`.
    fn property(&mut self) -> Result<String, SyntaxError> {
        let mut name = String::new();
        if self.next() == Some('{') {
            while let Some(letter) = self.next() {
                match letter {
                    '}' if !name.is_empty() => return Ok(name),
                    '_' | '=' => name.push(letter),
                    _ if letter.is_ascii_alphanumeric() => name.push(letter),
                    _ => break,
                }
            }
        }
        Err(self.syntax_error(Reason::Property))
    }

    /// Reads a digit after a backslash: a backreference, or a legacy octal escape.
    fn number(&mut self, first: char, in_class: bool) -> Result<Escaped, SyntaxError> {
        let place = self.place();
        if first != '0' && !in_class {
            let mut group = first.to_digit(10).unwrap_or_default() as usize;
            while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10)) {
                self.next();
                group = group.saturating_mul(10).saturating_add(digit as usize);
            }
            if group <= self.group_count() {
                return Ok(Escaped::Group(group));
            }
            self.return_to(place);
        }
        if self.dialect == Dialect::Unicode {
            let alone = first == '0' && !self.peek().is_some_and(|next| next.is_ascii_digit());
            return if alone { Ok(Escaped::Char(0)) } else { Err(self.syntax_error(Reason::Group)) };
        }
        let Some(mut code) = first.to_digit(8) else { return self.itself(first, in_class) };
        while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) {
            if code * 8 + digit > 0o377 {
                break;
            }
            self.next();
            code = code * 8 + digit;
        }
        Ok(Escaped::Char(code))
    }
}
