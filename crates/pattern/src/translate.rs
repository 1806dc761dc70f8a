//! Translation of patterns from ECMA 262 to the engine's syntax.

use std::fmt;

use super::class::{Class, Item, Named, literal};
use super::escape::Escaped;

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// With the flag `u`.
    Unicode,
    /// Without the flag `u`: annex B of ECMA 262.
    Legacy,
}

/// A syntax error of a pattern, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The number of characters before the error.
    pub at: usize,
    /// The reason.
    pub reason: Reason,
}

/// The kinds of syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The last character is a backslash.
    Backslash,
    /// An escape sequence without a meaning.
    Escape,
    /// An invalid name of a Unicode property.
    Property,
    /// A reference to a group that does not exist.
    Group,
    /// A group of an unknown kind, or with an invalid name.
    Kind,
    /// An unmatched parenthesis.
    Parenthesis,
    /// An unterminated class.
    Class,
    /// A range whose end precedes its beginning, or that contains a predefined class.
    Range,
    /// A quantifier without anything to repeat.
    Quantifier,
    /// An unmatched brace or bracket.
    Bracket,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            Reason::Backslash => "a backslash that escapes nothing",
            Reason::Escape => "an escape that has no meaning",
            Reason::Property => "a Unicode property that is not of the form `\\p{Letter}`",
            Reason::Group => "a reference to a group that does not exist",
            Reason::Kind => "an unsupported kind of group",
            Reason::Parenthesis => "an unmatched parenthesis",
            Reason::Class => "a class that is not closed",
            Reason::Range => "a range whose end precedes its beginning",
            Reason::Quantifier => "a quantifier that has nothing to repeat",
            Reason::Bracket => "a bracket or brace that should be escaped",
        };
        write!(formatter, "{reason}, after {} characters", self.at)
    }
}

impl std::error::Error for SyntaxError {}

/// Translates a pattern. Repetitions of more than `most_copies` are counted instead of expanded.
pub(crate) fn translated(source: &str, dialect: Dialect, most_copies: u32) -> Result<String, SyntaxError> {
    let chars: Vec<char> = source.chars().collect();
    let groups = Groups::of(&chars);
    let mut translator = Translator {
        chars: &chars,
        at: 0,
        dialect,
        most_copies,
        groups,
        out: String::with_capacity(2 * source.len()),
        open: Vec::new(),
        atom: None,
    };
    translator.run()?;
    Ok(translator.out)
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

/// An open group.
#[derive(Debug)]
struct Open {
    /// Its start in the output.
    start: usize,
    /// Whether it may be repeated.
    repeatable: bool,
}

#[derive(Debug)]
pub(crate) struct Translator<'p> {
    chars: &'p [char],
    at: usize,
    pub(crate) dialect: Dialect,
    most_copies: u32,
    groups: Groups,
    out: String,
    open: Vec<Open>,
    /// The start of the last item in the output, which a quantifier would repeat.
    atom: Option<usize>,
}

impl Translator<'_> {
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

    pub(crate) fn group_count(&self) -> usize {
        self.groups.count
    }

    pub(crate) fn syntax_error(&self, reason: Reason) -> SyntaxError {
        SyntaxError { at: self.at, reason }
    }

    fn takes(&mut self, text: &str) -> bool {
        let fits = self.ahead(text.len()).is_some_and(|ahead| ahead == text);
        if fits {
            self.skip(text.len());
        }
        fits
    }

    fn run(&mut self) -> Result<(), SyntaxError> {
        while let Some(char) = self.next() {
            let start = self.out.len();
            match char {
                '^' => self.assertion(r"\A"),
                '$' => self.assertion(r"\z"),
                '|' => self.assertion("|"),
                '(' => self.open_group()?,
                ')' => {
                    let group = self.open.pop().ok_or_else(|| self.syntax_error(Reason::Parenthesis))?;
                    self.out.push(')');
                    self.atom = group.repeatable.then_some(group.start);
                }
                '.' => {
                    Class::any().write(&mut self.out);
                    self.atom = Some(start);
                }
                '[' => {
                    let class = self.class()?;
                    class.write(&mut self.out);
                    self.atom = Some(start);
                }
                '\\' => self.escaped()?,
                '*' => self.quantified(0, None)?,
                '+' => self.quantified(1, None)?,
                '?' => self.quantified(0, Some(1))?,
                '{' => match self.bounds()? {
                    Some((least, most)) => self.quantified(least, most)?,
                    None => self.plain(char)?,
                },
                ']' | '}' => self.plain(char)?,
                other => {
                    literal(u32::from(other), &mut self.out);
                    self.atom = Some(start);
                }
            }
        }
        if self.open.is_empty() { Ok(()) } else { Err(self.syntax_error(Reason::Parenthesis)) }
    }

    /// Writes an item of zero width, which cannot be repeated.
    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = None;
    }

    /// Writes a literal bracket or brace, which the legacy syntax allows.
    fn plain(&mut self, char: char) -> Result<(), SyntaxError> {
        if self.dialect == Dialect::Unicode {
            return Err(self.syntax_error(Reason::Bracket));
        }
        self.atom = Some(self.out.len());
        literal(u32::from(char), &mut self.out);
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.out.len();
        let kind = ["?:", "?=", "?!", "?<=", "?<!"].into_iter().find(|kind| self.takes(kind));
        let repeatable = match kind {
            Some(kind) => {
                self.out.push('(');
                self.out.push_str(kind);
                // Annex B allows quantifiers after lookahead.
                kind == "?:" || (self.dialect == Dialect::Legacy && matches!(kind, "?=" | "?!"))
            }
            None => {
                if self.takes("?") {
                    self.group_name()?;
                }
                self.out.push_str(if self.groups.are_used { "(" } else { "(?:" });
                true
            }
        };
        self.open.push(Open { start, repeatable });
        self.atom = None;
        Ok(())
    }

    /// Reads a name in angle brackets.
    fn group_name(&mut self) -> Result<String, SyntaxError> {
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

    fn escaped(&mut self) -> Result<(), SyntaxError> {
        let start = self.out.len();
        match self.escape(false)? {
            Escaped::Char(code) => literal(code, &mut self.out),
            Escaped::Item(item) => Class::of(item).write(&mut self.out),
            Escaped::Group(number) => {
                // In ECMA 262 a backreference to a group that did not participate matches the empty string; in the
                // engine it fails.
                self.out.push_str(&format!(r"(?({number})\{number})"));
            }
            Escaped::Boundary { negated } => {
                self.boundary(negated);
                return Ok(());
            }
        }
        self.atom = Some(start);
        Ok(())
    }

    /// Writes `\b` or `\B`, for which the engine would also consider letters beyond ASCII.
    fn boundary(&mut self, negated: bool) {
        let mut word = String::new();
        Class::of(Item::Named(Named::Word, false)).write(&mut word);
        let (first, second) = if negated { ("=", "!") } else { ("!", "=") };
        self.assertion(&format!("(?:(?<={word})(?{first}{word})|(?<!{word})(?{second}{word}))"));
    }

    fn class(&mut self) -> Result<Class, SyntaxError> {
        let mut class = Class { negated: self.takes("^"), items: Vec::new() };
        loop {
            let Some(item) = self.class_item()? else { return Ok(class) };
            let place = self.place();
            if !self.takes("-") {
                class.items.push(item);
                continue;
            }
            match (item, self.class_item()?) {
                (item, None) => {
                    self.return_to(place);
                    class.items.push(item);
                }
                (Item::Range(from, _), Some(Item::Range(to, _))) => {
                    if from > to {
                        return Err(self.syntax_error(Reason::Range));
                    }
                    class.items.push(Item::Range(from, to));
                }
                (from, Some(to)) if self.dialect == Dialect::Legacy => {
                    let dash = u32::from('-');
                    class.items.extend([from, Item::Range(dash, dash), to]);
                }
                _ => return Err(self.syntax_error(Reason::Range)),
            }
        }
    }

    /// Reads the next item of a class; `None` at its end. A single character is a range.
    fn class_item(&mut self) -> Result<Option<Item>, SyntaxError> {
        let Some(char) = self.next() else { return Err(self.syntax_error(Reason::Class)) };
        let code = match char {
            ']' => return Ok(None),
            '\\' => match self.escape(true)? {
                Escaped::Char(code) => code,
                Escaped::Item(item) => return Ok(Some(item)),
                Escaped::Boundary { .. } | Escaped::Group(_) => return Err(self.syntax_error(Reason::Escape)),
            },
            other => u32::from(other),
        };
        Ok(Some(Item::Range(code, code)))
    }

    /// Reads the rest of a quantifier after an opening brace: minimum and maximum. `None` if it is not a quantifier.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, SyntaxError> {
        let place = self.place();
        let least = self.decimal();
        let most = if self.takes(",") { self.decimal() } else { least };
        match least {
            Some(least) if self.takes("}") => {
                if most.is_some_and(|most| most < least) {
                    return Err(self.syntax_error(Reason::Range));
                }
                Ok(Some((least, most)))
            }
            _ => {
                self.return_to(place);
                Ok(None)
            }
        }
    }

    fn decimal(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10)) {
            self.next();
            value = Some(value.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
        }
        value
    }

    /// Repeats the last item.
    fn quantified(&mut self, least: u32, most: Option<u32>) -> Result<(), SyntaxError> {
        let start = self.atom.take().ok_or_else(|| self.syntax_error(Reason::Quantifier))?;
        let lazy = self.takes("?");
        if ["(?=", "(?!"].iter().any(|kind| self.out[start..].starts_with(kind)) {
            // ECMA 262 ends a repetition when an iteration beyond the minimum matches the empty string.
            if least == 0 {
                self.out.truncate(start);
            }
            return Ok(());
        }
        if most.unwrap_or(least) > self.most_copies {
            // The empty lookahead keeps the engine from expanding the repetition.
            self.out.insert_str(start, "(?:(?=)");
            self.out.push(')');
        }
        match (least, most) {
            (0, None) => self.out.push('*'),
            (1, None) => self.out.push('+'),
            (0, Some(1)) => self.out.push('?'),
            (least, None) => self.out.push_str(&format!("{{{least},}}")),
            (least, Some(most)) => self.out.push_str(&format!("{{{least},{most}}}")),
        }
        if lazy {
            self.out.push('?');
        }
        Ok(())
    }
}
