//! Owns the way from a pattern of ECMA 262 to one of the engine with the same meaning.

use std::fmt;

use super::class::{Class, Item, Named, literal};
use super::escape::Escaped;

/// How a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// With the flag `u`.
    Unicode,
    /// Without it, as annex B of ECMA 262 has it.
    Legacy,
}

/// What is wrong with a pattern, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Characters before the place.
    pub at: usize,
    /// What is wrong there.
    pub reason: Reason,
}

/// What may be wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A backslash is the last character.
    Backslash,
    /// An escape that has no meaning.
    Escape,
    /// A property that is not named as it should be.
    Property,
    /// A reference to a group that there is not.
    Group,
    /// A group of an unknown kind, or with a name that is none.
    Kind,
    /// A parenthesis without its other one.
    Parenthesis,
    /// A class without its end.
    Class,
    /// A range that ends before it begins, or with a set.
    Range,
    /// A quantifier behind nothing that could be repeated.
    Quantifier,
    /// A brace or bracket without its other one.
    Bracket,
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            Reason::Backslash => "a backslash that escapes nothing",
            Reason::Escape => "an escape that has no meaning",
            Reason::Property => "a property that is not named as `\\p{Letter}` is",
            Reason::Group => "a reference to a group that there is not",
            Reason::Kind => "a group of a kind that is not taken",
            Reason::Parenthesis => "a parenthesis without its other one",
            Reason::Class => "a class that does not end",
            Reason::Range => "a range that does not go from one character to a later one",
            Reason::Quantifier => "a quantifier that has nothing to repeat",
            Reason::Bracket => "a bracket or brace that should be escaped",
        };
        write!(formatter, "{reason}, after {} characters", self.at)
    }
}

impl std::error::Error for Mistake {}

/// The pattern as the engine writes it; what is repeated more often than `most_copies` is counted.
pub(crate) fn translated(source: &str, dialect: Dialect, most_copies: u32) -> Result<String, Mistake> {
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

/// The groups of a pattern that remember what they matched.
#[derive(Debug, Default)]
struct Groups {
    count: usize,
    names: Vec<(String, usize)>,
    /// Whether something refers to one.
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

/// A group that has not ended yet.
#[derive(Debug)]
struct Open {
    /// Where it begins in the output.
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
    /// Where that begins in the output which a quantifier would repeat.
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

    /// The next so many characters, if there are.
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

    pub(crate) fn mistake(&self, reason: Reason) -> Mistake {
        Mistake { at: self.at, reason }
    }

    fn takes(&mut self, text: &str) -> bool {
        let fits = self.ahead(text.len()).is_some_and(|ahead| ahead == text);
        if fits {
            self.skip(text.len());
        }
        fits
    }

    fn run(&mut self) -> Result<(), Mistake> {
        while let Some(char) = self.next() {
            let start = self.out.len();
            match char {
                '^' => self.assertion(r"\A"),
                '$' => self.assertion(r"\z"),
                '|' => self.assertion("|"),
                '(' => self.open_group()?,
                ')' => {
                    let group = self.open.pop().ok_or_else(|| self.mistake(Reason::Parenthesis))?;
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
        if self.open.is_empty() { Ok(()) } else { Err(self.mistake(Reason::Parenthesis)) }
    }

    /// What takes no character, and cannot be repeated.
    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = None;
    }

    /// A bracket or brace that old patterns may leave as it is.
    fn plain(&mut self, char: char) -> Result<(), Mistake> {
        if self.dialect == Dialect::Unicode {
            return Err(self.mistake(Reason::Bracket));
        }
        self.atom = Some(self.out.len());
        literal(u32::from(char), &mut self.out);
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), Mistake> {
        let start = self.out.len();
        let kind = ["?:", "?=", "?!", "?<=", "?<!"].into_iter().find(|kind| self.takes(kind));
        let repeatable = match kind {
            Some(kind) => {
                self.out.push('(');
                self.out.push_str(kind);
                // Annex B lets what looks ahead be repeated.
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

    /// A name in angle brackets.
    fn group_name(&mut self) -> Result<String, Mistake> {
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
        Err(self.mistake(Reason::Kind))
    }

    /// The number of the group that is named behind `\k`.
    pub(crate) fn named_group(&mut self) -> Result<usize, Mistake> {
        let name = self.group_name().map_err(|mistake| Mistake { reason: Reason::Group, ..mistake })?;
        let found = self.groups.names.iter().find(|(known, _)| *known == name);
        found.map(|(_, number)| *number).ok_or_else(|| self.mistake(Reason::Group))
    }

    fn escaped(&mut self) -> Result<(), Mistake> {
        let start = self.out.len();
        match self.escape(false)? {
            Escaped::Char(code) => literal(code, &mut self.out),
            Escaped::Item(item) => Class::of(item).write(&mut self.out),
            Escaped::Group(number) => {
                // A group that took no part matches the empty text in ECMA 262, and nothing in the engine.
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

    /// `\b` and `\B`: the engine's own look at letters beyond ASCII, too.
    fn boundary(&mut self, negated: bool) {
        let mut word = String::new();
        Class::of(Item::Named(Named::Word, false)).write(&mut word);
        let (first, second) = if negated { ("=", "!") } else { ("!", "=") };
        self.assertion(&format!("(?:(?<={word})(?{first}{word})|(?<!{word})(?{second}{word}))"));
    }

    fn class(&mut self) -> Result<Class, Mistake> {
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
                        return Err(self.mistake(Reason::Range));
                    }
                    class.items.push(Item::Range(from, to));
                }
                (from, Some(to)) if self.dialect == Dialect::Legacy => {
                    let dash = u32::from('-');
                    class.items.extend([from, Item::Range(dash, dash), to]);
                }
                _ => return Err(self.mistake(Reason::Range)),
            }
        }
    }

    /// The next part of a class; nothing at its end. A single character is a range.
    fn class_item(&mut self) -> Result<Option<Item>, Mistake> {
        let Some(char) = self.next() else { return Err(self.mistake(Reason::Class)) };
        let code = match char {
            ']' => return Ok(None),
            '\\' => match self.escape(true)? {
                Escaped::Char(code) => code,
                Escaped::Item(item) => return Ok(Some(item)),
                Escaped::Boundary { .. } | Escaped::Group(_) => return Err(self.mistake(Reason::Escape)),
            },
            other => u32::from(other),
        };
        Ok(Some(Item::Range(code, code)))
    }

    /// What stands behind an opening brace, if that makes a quantifier: the least and the most.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, Mistake> {
        let place = self.place();
        let least = self.decimal();
        let most = if self.takes(",") { self.decimal() } else { least };
        match least {
            Some(least) if self.takes("}") => {
                if most.is_some_and(|most| most < least) {
                    return Err(self.mistake(Reason::Range));
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

    /// Repeats what was written last.
    fn quantified(&mut self, least: u32, most: Option<u32>) -> Result<(), Mistake> {
        let start = self.atom.take().ok_or_else(|| self.mistake(Reason::Quantifier))?;
        let lazy = self.takes("?");
        if ["(?=", "(?!"].iter().any(|kind| self.out[start..].starts_with(kind)) {
            // ECMA 262 gives up a repetition that takes no character, beyond the least.
            if least == 0 {
                self.out.truncate(start);
            }
            return Ok(());
        }
        if most.unwrap_or(least) > self.most_copies {
            // Looking at nothing keeps the engine from writing all repetitions out.
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
