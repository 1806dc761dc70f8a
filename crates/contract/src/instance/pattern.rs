//! Texts that match a regular expression (ECMA 262).
//!
//! The expression is parsed into literals, classes, groups, alternatives and repetitions. Assertions (`\b`,
//! lookaround) generate nothing, so callers test the text with the real engine and retry if it does not
//! match.

use std::iter::Peekable;
use std::str::Chars;

/// The maximum count of an unbounded repetition.
const REPEATED: u32 = 6;

/// The text length above which repetitions use their minimum count, unless longer texts are wanted. Nested
/// repetitions would multiply the length, and a backtracking engine may need time proportional to the product
/// of the lengths of the parts.
const LONGEST: u64 = 24;

/// The most parts that the shortest text of an expression may have: nested repetitions require any number.
const MOST_PARTS: u64 = 1 << 17;

/// The deepest nesting of groups that is parsed.
const DEEPEST: usize = 64;

/// A regular expression from which texts are generated.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    root: Node,
    /// Whether the expression is anchored at the start, and at the end.
    anchored: (bool, bool),
}

#[derive(Clone, Debug)]
enum Node {
    Class(Class),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat { node: Box<Node>, least: u32, most: Option<u32> },
    Start,
    End,
    Nothing,
}

#[derive(Clone, Debug, Default)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    fn of(ranges: &[(char, char)]) -> Self {
        Self { negated: false, ranges: ranges.to_vec() }
    }

    fn contains(&self, character: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != self.negated
    }

    fn pick(&self, random: &mut fastrand::Rng) -> Option<char> {
        if self.negated {
            const SAMPLE: &str = "aZ09_-. /~é漢😀\"\\\n";
            let fitting: Vec<char> = SAMPLE
                .chars()
                .chain((0x20..0x7f).filter_map(char::from_u32))
                .filter(|character| self.contains(*character))
                .collect();
            return random.choice(fitting);
        }
        let (from, to) = random.choice(self.ranges.iter().copied())?;
        // Ranges that include surrogates skip them, because Rust texts cannot contain them.
        (0..4).find_map(|_| char::from_u32(random.u32(from as u32..=to as u32))).or(Some(from))
    }
}

impl Pattern {
    /// Parses an expression; `None` if it has an unsupported construct, or only texts of too many parts.
    pub(super) fn read(source: &str) -> Option<Self> {
        let mut reader = Reader { rest: source.chars().peekable(), depth: 0 };
        let root = reader.choice()?;
        if reader.rest.next().is_some() || least_parts(&root) > MOST_PARTS {
            return None;
        }
        let anchored = (begins(&root), ends(&root));
        Some(Self { root, anchored })
    }

    /// Returns a text of about this many characters, which matches unless an assertion fails.
    pub(super) fn text(&self, random: &mut fastrand::Rng, (least, most): (u64, u64)) -> String {
        let mut text = String::new();
        let longest = least.saturating_add(LONGEST);
        let aim = u32::try_from(random.u64(least..=most.max(least).min(longest))).unwrap_or(u32::MAX);
        let mut room =
            Room { characters: longest, parts: MOST_PARTS.saturating_mul(4).saturating_add(longest) };
        write(&self.root, random, aim, &mut room, &mut text);
        // Without an anchor, the match may be inside a longer text.
        let missing = usize::try_from(least).unwrap_or(0).saturating_sub(text.chars().count());
        if missing > 0 {
            let filling: String = (0..missing.min(10_000)).map(|_| random.alphanumeric()).collect();
            match self.anchored {
                (_, false) => text.push_str(&filling),
                (false, true) => text.insert_str(0, &filling),
                (true, true) => {}
            }
        }
        text
    }
}

/// Returns how many nodes are visited at least to write a text.
fn least_parts(node: &Node) -> u64 {
    let within = match node {
        Node::Sequence(nodes) => nodes.iter().map(least_parts).fold(0, u64::saturating_add),
        // Any of them may be written.
        Node::Choice(nodes) => nodes.iter().map(least_parts).max().unwrap_or(0),
        Node::Repeat { node, least, .. } => least_parts(node).saturating_mul(u64::from(*least)),
        Node::Class(_) | Node::Start | Node::End | Node::Nothing => 0,
    };
    within.saturating_add(1)
}

fn begins(node: &Node) -> bool {
    match node {
        Node::Start => true,
        Node::Sequence(nodes) => nodes.first().is_some_and(begins),
        Node::Choice(nodes) => nodes.iter().any(begins),
        _ => false,
    }
}

fn ends(node: &Node) -> bool {
    match node {
        Node::End => true,
        Node::Sequence(nodes) => nodes.last().is_some_and(ends),
        Node::Choice(nodes) => nodes.iter().any(ends),
        _ => false,
    }
}

/// What may still be written.
struct Room {
    /// The characters left for repetitions.
    characters: u64,
    /// The nodes that may be visited: repetitions within each other may repeat nothing without end.
    parts: u64,
}

/// Writes a text of a node, as far as there is room.
fn write(node: &Node, random: &mut fastrand::Rng, aim: u32, room: &mut Room, text: &mut String) {
    let Some(parts) = room.parts.checked_sub(1) else { return };
    room.parts = parts;
    match node {
        Node::Class(class) => {
            text.extend(class.pick(random));
            room.characters = room.characters.saturating_sub(1);
        }
        Node::Sequence(nodes) => nodes.iter().for_each(|node| write(node, random, aim, room, text)),
        Node::Choice(nodes) => {
            if let Some(node) = random.choice(nodes.iter()) {
                write(node, random, aim, room, text);
            }
        }
        Node::Repeat { node, least, most } => {
            // Half of the repetitions are short, the other half aims at the wanted length.
            let wide = if random.bool() { aim.max(*least) } else { least.saturating_add(REPEATED) };
            let most = most.unwrap_or(wide).min(wide.max(*least)).max(*least);
            for count in 0..random.u32(*least..=most) {
                if count >= *least && room.characters == 0 || room.parts == 0 {
                    break;
                }
                write(node, random, aim, room, text);
            }
        }
        Node::Start | Node::End | Node::Nothing => {}
    }
}

/// The meaning of an escape sequence.
enum Escape {
    Class(Class),
    /// An assertion, `\b` or `\B`.
    Assertion,
}

impl Escape {
    fn class(self) -> Option<Class> {
        match self {
            Self::Class(class) => Some(class),
            Self::Assertion => None,
        }
    }
}

struct Reader<'s> {
    rest: Peekable<Chars<'s>>,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn choice(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut branches = vec![self.sequence()?];
        while self.take('|') {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(if branches.len() == 1 { branches.swap_remove(0) } else { Node::Choice(branches) })
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(next) = self.rest.peek().filter(|next| !matches!(next, '|' | ')')) {
            let node = match *next {
                '^' => {
                    self.rest.next();
                    Node::Start
                }
                '$' => {
                    self.rest.next();
                    Node::End
                }
                _ => self.atom()?,
            };
            nodes.push(self.repeated(node)?);
        }
        Some(Node::Sequence(nodes))
    }

    fn atom(&mut self) -> Option<Node> {
        match self.rest.next()? {
            '(' => self.group(),
            '[' => self.class().map(Node::Class),
            '.' => Some(Node::Class(Class {
                negated: true,
                ranges: vec![('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')],
            })),
            '\\' => self.escape().map(|escape| match escape {
                Escape::Class(class) => Node::Class(class),
                Escape::Assertion => Node::Nothing,
            }),
            '*' | '+' | '?' => None,
            literal => Some(Node::Class(Class::of(&[(literal, literal)]))),
        }
    }

    fn group(&mut self) -> Option<Node> {
        let mut generates = true;
        if self.take('?') {
            match self.rest.next()? {
                ':' => {}
                '=' | '!' => generates = false,
                '<' if self.take('=') || self.take('!') => generates = false,
                '<' => while self.rest.next()? != '>' {},
                _ => return None,
            }
        }
        let inner = self.choice()?;
        self.take(')').then_some(if generates { inner } else { Node::Nothing })
    }

    fn repeated(&mut self, node: Node) -> Option<Node> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts() {
                Some(counts) => counts,
                None => return Some(node),
            },
            _ => return Some(node),
        };
        if self.rest.peek().is_some_and(|next| matches!(next, '*' | '+' | '?' | '}')) {
            self.rest.next();
        }
        self.take('?');
        if most.is_some_and(|most| most < least) {
            return None;
        }
        Some(Node::Repeat { node: Box::new(node), least, most })
    }

    /// Parses `{2}`, `{2,}` or `{2,3}` up to the closing brace; `None` if the brace is a literal.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let mut inside = String::new();
        loop {
            match ahead.next()? {
                '}' => break,
                character => inside.push(character),
            }
        }
        let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
        let counts = (least.parse().ok()?, if most.is_empty() { None } else { Some(most.parse().ok()?) });
        for _ in 0..=inside.chars().count() {
            self.rest.next();
        }
        Some(counts)
    }

    fn class(&mut self) -> Option<Class> {
        let mut class = Class { negated: self.take('^'), ranges: Vec::new() };
        loop {
            let from = match self.rest.next()? {
                ']' => return Some(class),
                '\\' if self.take('b') => '\u{8}',
                '\\' => {
                    let escaped = self.escape()?.class()?;
                    match single(&escaped) {
                        Some(character) => character,
                        None => {
                            class.ranges.extend(positive(&escaped));
                            continue;
                        }
                    }
                }
                character => character,
            };
            let mut ahead = self.rest.clone();
            let to = if ahead.next() == Some('-') && ahead.peek().is_some_and(|next| *next != ']') {
                self.rest.next();
                match self.rest.next()? {
                    '\\' => single(&self.escape()?.class()?)?,
                    character => character,
                }
            } else {
                from
            };
            if to < from {
                return None;
            }
            class.ranges.push((from, to));
        }
    }

    /// Parses the characters after a backslash.
    fn escape(&mut self) -> Option<Escape> {
        const DIGIT: &[(char, char)] = &[('0', '9')];
        const WORD: &[(char, char)] = &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
        const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\t'), ('\n', '\n')];
        let literal = |character: char| Some(Escape::Class(Class::of(&[(character, character)])));
        match self.rest.next()? {
            'd' => Some(Escape::Class(Class::of(DIGIT))),
            'w' => Some(Escape::Class(Class::of(WORD))),
            's' => Some(Escape::Class(Class::of(SPACE))),
            'D' => Some(Escape::Class(Class { negated: true, ranges: DIGIT.to_vec() })),
            'W' => Some(Escape::Class(Class { negated: true, ranges: WORD.to_vec() })),
            'S' => Some(Escape::Class(Class { negated: true, ranges: SPACE.to_vec() })),
            'b' | 'B' => Some(Escape::Assertion),
            't' => literal('\t'),
            'n' => literal('\n'),
            'r' => literal('\r'),
            'f' => literal('\u{c}'),
            'v' => literal('\u{b}'),
            '0' => literal('\0'),
            'x' => literal(self.hex(2)?),
            'u' if self.take('{') => {
                let mut digits = String::new();
                while let Some(digit) = self.rest.next_if(|next| *next != '}') {
                    digits.push(digit);
                }
                self.rest.next()?;
                literal(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?)
            }
            'u' => literal(self.hex(4)?),
            property @ ('p' | 'P') => {
                if !self.take('{') {
                    return None;
                }
                let mut name = String::new();
                while let Some(character) = self.rest.next_if(|next| *next != '}') {
                    name.push(character);
                }
                self.rest.next()?;
                // Characters of a property that are missing here are only never generated.
                let ranges: &[(char, char)] = match name.as_str() {
                    "L" | "Letter" | "Alphabetic" => &[('a', 'z'), ('A', 'Z'), ('à', 'ö'), ('一', '十')],
                    "Lu" | "Uppercase_Letter" => &[('A', 'Z'), ('À', 'Ö')],
                    "Ll" | "Lowercase_Letter" => &[('a', 'z'), ('à', 'ö')],
                    "N" | "Nd" | "Number" | "Decimal_Number" => DIGIT,
                    "P" | "Punctuation" => &[('!', '#'), ('.', '/')],
                    "Z" | "Zs" | "Space_Separator" => &[(' ', ' ')],
                    "C" | "Cc" => &[('\u{1}', '\u{8}')],
                    "S" | "Sc" => &[('$', '$')],
                    "M" | "Mn" => &[('\u{300}', '\u{310}')],
                    _ => return None,
                };
                Some(Escape::Class(Class { negated: property == 'P', ranges: ranges.to_vec() }))
            }
            // Back references would have to repeat the text of a group.
            '1'..='9' | 'k' => None,
            character => literal(character),
        }
    }

    fn hex(&mut self, digits: usize) -> Option<char> {
        let mut value = 0;
        for _ in 0..digits {
            value = value * 16 + self.rest.next()?.to_digit(16)?;
        }
        char::from_u32(value)
    }
}

/// Returns the only character of a class.
fn single(class: &Class) -> Option<char> {
    match class.ranges.as_slice() {
        [(from, to)] if from == to && !class.negated => Some(*from),
        _ => None,
    }
}

/// Returns the ranges of a nested class; a complement is sampled from ASCII.
fn positive(class: &Class) -> Vec<(char, char)> {
    if !class.negated {
        return class.ranges.clone();
    }
    let outside = (0x20_u32..0x7f).filter_map(char::from_u32).filter(|character| class.contains(*character));
    outside.map(|character| (character, character)).collect()
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn texts_match_the_expression_they_are_made_from() {
        for source in [
            "^[a-z]{2,4}$",
            "a|b+|(?:cd)*e",
            r"^\d{3}-\d{4}$",
            r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$",
            r"^#(?:[0-9a-fA-F]{3}){1,2}$",
            r"^(?!-)[A-Za-z0-9-]{1,8}$",
            r"^[^/\s]+/[^\x00-\x1f]*$",
            r"^\u0041\x42\u{1F600}?$",
            r"^(?<year>\d{4})\/(0[1-9]|1[0-2])$",
            r"^[-_ \]\\]+$",
            r"\bword\b",
            r"^\p{L}[\p{L}\d]*$",
            "^a{,2}$",
            "^.*$",
            "^$",
            "",
        ] {
            let pattern = Pattern::read(source).unwrap_or_else(|| panic!("{source} is not read"));
            let regex = crate::oracle::ecma(source).unwrap();
            let mut random = fastrand::Rng::with_seed(7);
            let texts: Vec<String> = (0..60).map(|_| pattern.text(&mut random, (0, 12))).collect();
            let matching = texts.iter().filter(|text| regex.find(text).is_some()).count();
            // An assertion, which generates nothing, may refuse some of them.
            assert!(matching >= 30, "{source}: {matching} of {texts:?}");
        }
    }

    #[test]
    fn texts_come_near_the_length_that_is_asked_for() {
        let pattern = Pattern::read("^[a-z]+$").unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        assert!((0..40).any(|_| pattern.text(&mut random, (20, 30)).len() >= 20));
        assert!(Pattern::read("[a-z]").unwrap().text(&mut random, (9, 9)).len() >= 9);
    }

    #[test]
    fn repetitions_within_each_other_do_not_multiply() {
        let mut random = fastrand::Rng::with_seed(1);
        // No text of these can be made.
        for source in ["^(((a{9000}){9000}){9000}){9000}$", "((^{1000}){1000}){1000}", "(()|a{1000}){1000}"] {
            assert!(Pattern::read(source).is_none(), "{source}");
        }
        for source in [r"((((\b*)*)*)*)*", "((((()*)*)*)*)*", "((((^{0,1000}){0,1000}){0,1000}){0,1000})"] {
            assert_eq!(Pattern::read(source).unwrap().text(&mut random, (0, 200)), "", "{source}");
        }
        for source in [r"^(\.[a-z]+[a-z0-9-]*)*$", "^((a{2,9}){2,9}){2,9}$"] {
            let pattern = Pattern::read(source).unwrap();
            for (least, longest) in [(0, 60), (40, 100)] {
                let texts: Vec<String> = (0..200).map(|_| pattern.text(&mut random, (least, 253))).collect();
                assert!(texts.iter().all(|text| text.len() <= longest), "{source}: {texts:?}");
                assert!(texts.iter().any(|text| text.len() > 20), "{source}: {texts:?}");
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for source in ["(", "[a", r"(a)\1", "*", "a{3,1}", &"(".repeat(1000)] {
            assert!(Pattern::read(source).is_none(), "{source}");
        }
    }
}
