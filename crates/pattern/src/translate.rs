//! Translation of patterns from ECMA 262 to the engine's syntax.

use super::class::{Class, Item, Named, literal};
use super::cursor::{Cursor, Dialect};
use super::escape::Escaped;
use super::syntax_error::{Reason, SyntaxError};

/// Translates a pattern. Repetitions of more than `most_copies` are counted instead of expanded.
pub(crate) fn translated(source: &str, dialect: Dialect, most_copies: u32) -> Result<String, SyntaxError> {
    let chars: Vec<char> = source.chars().collect();
    let mut translator = Translator {
        cursor: Cursor::new(&chars, dialect),
        most_copies,
        out: String::with_capacity(2 * source.len()),
        open: Vec::new(),
        atom: None,
    };
    translator.run()?;
    Ok(translator.out)
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
struct Translator<'p> {
    cursor: Cursor<'p>,
    most_copies: u32,
    out: String,
    open: Vec<Open>,
    /// The start of the last item in the output, which a quantifier would repeat.
    atom: Option<usize>,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<(), SyntaxError> {
        while let Some(char) = self.cursor.next() {
            let start = self.out.len();
            match char {
                '^' => self.assertion(r"\A"),
                '$' => self.assertion(r"\z"),
                '|' => self.assertion("|"),
                '(' => self.open_group()?,
                ')' => {
                    let group =
                        self.open.pop().ok_or_else(|| self.cursor.syntax_error(Reason::Parenthesis))?;
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
        if self.open.is_empty() { Ok(()) } else { Err(self.cursor.syntax_error(Reason::Parenthesis)) }
    }

    /// Writes an item of zero width, which cannot be repeated.
    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = None;
    }

    /// Writes a literal bracket or brace, which the legacy syntax allows.
    fn plain(&mut self, char: char) -> Result<(), SyntaxError> {
        if self.cursor.dialect == Dialect::Unicode {
            return Err(self.cursor.syntax_error(Reason::Bracket));
        }
        self.atom = Some(self.out.len());
        literal(u32::from(char), &mut self.out);
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.out.len();
        let kind = ["?:", "?=", "?!", "?<=", "?<!"].into_iter().find(|kind| self.cursor.takes(kind));
        let repeatable = match kind {
            Some(kind) => {
                self.out.push('(');
                self.out.push_str(kind);
                // Annex B allows quantifiers after lookahead.
                kind == "?:" || (self.cursor.dialect == Dialect::Legacy && matches!(kind, "?=" | "?!"))
            }
            None => {
                if self.cursor.takes("?") {
                    self.cursor.group_name()?;
                }
                self.out.push_str(if self.cursor.has_references() { "(" } else { "(?:" });
                true
            }
        };
        self.open.push(Open { start, repeatable });
        self.atom = None;
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), SyntaxError> {
        let start = self.out.len();
        match self.cursor.escape(false)? {
            Escaped::Char(code) => literal(code, &mut self.out),
            Escaped::Item(item) => Class::of(item).write(&mut self.out),
            Escaped::Group(number) => {
                // In ECMA 262 a backreference to a group that did not participate matches the empty string;
                // in the engine it fails.
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
        let mut class = Class { negated: self.cursor.takes("^"), items: Vec::new() };
        loop {
            let Some(item) = self.class_item()? else { return Ok(class) };
            let place = self.cursor.place();
            if !self.cursor.takes("-") {
                class.items.push(item);
                continue;
            }
            match (item, self.class_item()?) {
                (item, None) => {
                    self.cursor.return_to(place);
                    class.items.push(item);
                }
                (Item::Range(from, _), Some(Item::Range(to, _))) => {
                    if from > to {
                        return Err(self.cursor.syntax_error(Reason::Range));
                    }
                    class.items.push(Item::Range(from, to));
                }
                (from, Some(to)) if self.cursor.dialect == Dialect::Legacy => {
                    let dash = u32::from('-');
                    class.items.extend([from, Item::Range(dash, dash), to]);
                }
                _ => return Err(self.cursor.syntax_error(Reason::Range)),
            }
        }
    }

    /// Reads the next item of a class, or returns `None` after the last. A single character is a range.
    fn class_item(&mut self) -> Result<Option<Item>, SyntaxError> {
        let Some(char) = self.cursor.next() else { return Err(self.cursor.syntax_error(Reason::Class)) };
        let code = match char {
            ']' => return Ok(None),
            '\\' => match self.cursor.escape(true)? {
                Escaped::Char(code) => code,
                Escaped::Item(item) => return Ok(Some(item)),
                Escaped::Boundary { .. } | Escaped::Group(_) => {
                    return Err(self.cursor.syntax_error(Reason::Escape));
                }
            },
            other => u32::from(other),
        };
        Ok(Some(Item::Range(code, code)))
    }

    /// Reads the rest of a quantifier after an opening brace: minimum and maximum. `None` if it is not a
    /// quantifier.
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>, SyntaxError> {
        let place = self.cursor.place();
        let least = self.cursor.decimal();
        let most = if self.cursor.takes(",") { self.cursor.decimal() } else { least };
        match least {
            Some(least) if self.cursor.takes("}") => {
                if most.is_some_and(|most| most < least) {
                    return Err(self.cursor.syntax_error(Reason::Range));
                }
                Ok(Some((least, most)))
            }
            _ => {
                self.cursor.return_to(place);
                Ok(None)
            }
        }
    }

    /// Repeats the last item.
    fn quantified(&mut self, least: u32, most: Option<u32>) -> Result<(), SyntaxError> {
        let start = self.atom.take().ok_or_else(|| self.cursor.syntax_error(Reason::Quantifier))?;
        let lazy = self.cursor.takes("?");
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
