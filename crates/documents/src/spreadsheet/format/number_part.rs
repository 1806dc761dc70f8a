//! What a section for numbers consists of.

use super::sign::Sign;

/// Most digits that a format can ask for; more are a mistake or an attack.
const MAX_PLACES: usize = 64;

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NumberPart {
    Literal(String),
    /// A place for a digit: `0`, `#` or `?`.
    Place(char),
    Point,
    Comma,
    Percent,
    /// `E+` or `E-`; whether a positive exponent has a sign.
    Exponent(bool),
    Slash,
    /// `General`: the number as it is.
    General,
    /// `@`.
    TextPlace,
}

impl NumberPart {
    /// Returns `None` for a section that is not understood.
    pub(super) fn parse(signs: &[Sign]) -> Option<Vec<Self>> {
        let mut parts = Vec::with_capacity(signs.len());
        let mut index = 0;
        while let Some(sign) = signs.get(index) {
            index += 1;
            let character = match sign {
                Sign::Literal(text) => {
                    parts.push(Self::Literal(text.clone()));
                    continue;
                }
                Sign::Elapsed(..) => return None,
                Sign::Code(character) => *character,
            };
            let after_slash = parts.contains(&Self::Slash);
            parts.push(match character {
                '0' | '#' | '?' => Self::Place(character),
                '1'..='9' if after_slash => Self::Place(character),
                '.' => Self::Point,
                ',' => Self::Comma,
                '%' => Self::Percent,
                '@' => Self::TextPlace,
                '/' if parts.iter().any(|part| matches!(part, Self::Place(_))) => Self::Slash,
                'E' | 'e' => match signs.get(index) {
                    Some(Sign::Code(sign @ ('+' | '-'))) => {
                        index += 1;
                        Self::Exponent(*sign == '+')
                    }
                    _ => return None,
                },
                'G' | 'g' => {
                    const REST: &str = "eneral";
                    let rest: String = signs[index..]
                        .iter()
                        .take(REST.len())
                        .map_while(|sign| match sign {
                            Sign::Code(character) => Some(character.to_ascii_lowercase()),
                            _ => None,
                        })
                        .collect();
                    if rest != REST {
                        return None;
                    }
                    index += REST.len();
                    Self::General
                }
                character if character.is_ascii_alphabetic() => return None,
                character => Self::Literal(character.to_string()),
            });
        }
        let places = parts.iter().filter(|part| matches!(part, Self::Place(_))).count();
        let once = |part: &Self| parts.iter().filter(|other| *other == part).count() <= 1;
        (places <= MAX_PLACES && once(&Self::Point) && once(&Self::Slash)).then_some(parts)
    }
}
