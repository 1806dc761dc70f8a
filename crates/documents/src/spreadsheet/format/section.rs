//! One section of a number format, as a list of parts.

use frontdesk_knowledge::Language;

use super::date::{self, DatePart};
use super::names;
use super::number_part::NumberPart;
use super::sign::Sign;

/// A section.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) condition: Option<Condition>,
    /// The language of the names of months and days; English unless the section states another one.
    pub(super) language: Language,
    /// Whether the section is the date or time format of the computer.
    pub(super) is_system_date: bool,
    pub(super) has_color: bool,
}

/// What a section shows.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Number(Vec<NumberPart>),
    Date(Vec<DatePart>),
    Unknown,
}

/// The section of cells without a format.
pub(super) static GENERAL: Section = Section {
    kind: Kind::Unknown,
    condition: None,
    language: Language::English,
    is_system_date: false,
    has_color: false,
};

/// A condition on the number, such as `[>=100]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Condition {
    operator: Operator,
    limit: f64,
}

#[derive(Debug, Clone, Copy)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
}

impl Condition {
    fn parse(text: &str) -> Option<Self> {
        let operators = [
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("<>", Operator::Unequal),
            ("<", Operator::Less),
            (">", Operator::Greater),
            ("=", Operator::Equal),
        ];
        let (sign, operator) = operators.into_iter().find(|(sign, _)| text.starts_with(sign))?;
        Some(Self { operator, limit: text[sign.len()..].trim().parse().ok()? })
    }

    #[expect(clippy::float_cmp, reason = "the number is compared as the file states it")]
    pub(super) fn admits(&self, value: f64) -> bool {
        match self.operator {
            Operator::Less => value < self.limit,
            Operator::LessOrEqual => value <= self.limit,
            Operator::Greater => value > self.limit,
            Operator::GreaterOrEqual => value >= self.limit,
            Operator::Equal => value == self.limit,
            Operator::Unequal => value != self.limit,
        }
    }

    /// Returns whether it leaves no positive number to the next section, as `[>=0]` does.
    pub(super) fn leaves_negatives(&self) -> bool {
        matches!(self.operator, Operator::Greater | Operator::GreaterOrEqual) && self.limit == 0.0
    }
}

/// Splits a format at the semicolons that are not literal.
pub(super) fn split(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let (mut is_quoted, mut is_escaped) = (false, false);
    for character in code.chars() {
        let is_end = character == ';' && !is_quoted && !is_escaped;
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = !is_escaped && !is_quoted && character == '\\';
        if is_end {
            sections.push(String::new());
        } else if let Some(section) = sections.last_mut() {
            section.push(character);
        }
    }
    sections
}

impl Section {
    pub(super) fn parse(text: &str) -> Self {
        let mut section = GENERAL.clone();
        let Some(signs) = section.signs(text) else { return section };
        section.kind = if date::is_date(&signs) {
            date::parse(&signs).map_or(Kind::Unknown, Kind::Date)
        } else {
            NumberPart::parse(&signs).map_or(Kind::Unknown, Kind::Number)
        };
        section
    }

    /// Reads the signs of a section, and what it states in brackets.
    fn signs(&mut self, text: &str) -> Option<Vec<Sign>> {
        let mut signs = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => signs.push(Sign::Literal(
                    characters.by_ref().take_while(|character| *character != '"').collect(),
                )),
                '\\' => signs.push(Sign::Literal(characters.next()?.to_string())),
                // The width of a character, which is at most a space.
                '_' => {
                    characters.next();
                    signs.push(Sign::Literal(" ".to_owned()));
                }
                // A character that fills the cell.
                '*' => {
                    characters.next();
                }
                '[' => {
                    let inner: String =
                        characters.by_ref().take_while(|character| *character != ']').collect();
                    signs.extend(self.bracket(&inner));
                }
                _ => signs.push(Sign::Code(character)),
            }
        }
        Some(signs)
    }

    fn bracket(&mut self, inner: &str) -> Option<Sign> {
        if let Some(currency) = inner.strip_prefix('$') {
            // [$€-407] is a currency with a language, [$-407] the language alone.
            let (symbol, locale) = currency.split_once('-').unwrap_or((currency, ""));
            self.language = names::language_of_locale(locale).unwrap_or(self.language);
            self.is_system_date |= matches!(locale.to_ascii_uppercase().as_str(), "F800" | "F400");
            return (!symbol.is_empty()).then(|| Sign::Literal(symbol.to_owned()));
        }
        let lower = inner.to_ascii_lowercase();
        let unit = lower.chars().next()?;
        if matches!(unit, 'h' | 'm' | 's') && lower.chars().all(|character| character == unit) {
            return Some(Sign::Elapsed(unit, lower.len()));
        }
        match Condition::parse(inner) {
            Some(condition) => self.condition = Some(condition),
            // [Red], [Color 3]; others, such as [DBNum1], choose digits.
            None => self.has_color |= !lower.starts_with("dbnum"),
        }
        None
    }

    /// Returns whether the section has a place for a text, `@`.
    pub(super) fn has_text_place(&self) -> bool {
        matches!(&self.kind, Kind::Number(parts) if parts.contains(&NumberPart::TextPlace))
    }

    /// Returns whether the section shows by signs or words that a number is negative.
    pub(super) fn marks_negative(&self) -> bool {
        let Kind::Number(parts) = &self.kind else { return false };
        parts.iter().any(|part| match part {
            NumberPart::Literal(text) => {
                text.contains(['-', '−', '–', '(']) || text.chars().filter(|c| c.is_alphabetic()).count() > 3
            }
            _ => false,
        })
    }
}
