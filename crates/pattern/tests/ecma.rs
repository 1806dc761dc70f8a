//! Comparison with `regress`, an engine for ECMA 262: both accept the same patterns, and both match the same
//! texts.

use fastrand::Rng;
use frontdesk_pattern::Pattern;

/// Patterns from real documents, and edge cases of the dialect.
const PATTERNS: &[&str] = &[
    // Of documents.
    r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
    r"^\d{4}-\d{2}-\d{2}$",
    r"^(?!0{3})\d{3}$",
    r"^(?=.*[A-Z])(?=.*\d).{4,}$",
    r"^[^\s@]+@[^\s@]+$",
    r"^\+?[1-9]\d{1,14}$",
    r"[\w-]+",
    r"^[\w\-.]+$",
    r"^$|^a$",
    r"^\S(.*\S)?$",
    r"^[\u0020-\u007E]*$",
    r"^[\s\S]{0,3}$",
    r"^(a|b){1,2000}$",
    r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    r"^\{[a-z]+\}$",
    r"^[a-z]{,3}$",
    r"a{b",
    r"a]b}",
    // Classes.
    r"[]",
    r"[^]",
    r"[a-]",
    r"[-a]",
    r"[a\-c]",
    r"[a-\d]",
    r"[\d-a]",
    r"[\b]",
    r"[a&&b]",
    r"[a~~b]",
    r"[[a]]",
    r"[^\d\W]",
    r"[\D\S]",
    r"[.]",
    r"[\]\\]",
    r"[^\n]",
    r"[é-ü]",
    r"[\u{1F600}-\u{1F64F}]",
    r"[\cA]",
    r"[\c_]",
    r"[\c!]",
    r"[\0]",
    r"[\1]",
    r"[\uD83D\uDE00]",
    // Escapes.
    r"\/",
    r"\-",
    r"\_",
    r"\cA",
    r"\c!",
    r"\x41",
    r"\x4",
    r"\u0041",
    r"\u{41}",
    r"\u{1F600}",
    r"\uD83D\uDE00",
    r"\uD83D",
    r"\u{3}",
    r"\0",
    r"\07",
    r"\8",
    r"\101",
    r"\a",
    r"\e",
    r"\z",
    r"\A",
    r"\p{L}",
    r"\P{L}+",
    r"[\p{Lu}\d]",
    r"[\P{L}\P{N}]",
    r"\p{Script=Greek}",
    r"\k",
    r"\t\v\f\r\n",
    r"\d",
    r"\D",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\b",
    r"\B",
    r"\ba",
    r"a\b",
    r"é\b",
    r"\Ba",
    r".",
    r"^.$",
    r"a$",
    r"^a",
    r"^\s+$",
    // Groups and what refers to them.
    r"(a)\1",
    r"(a)|\1b",
    r"\1(a)",
    r"(?<x>a)\k<x>",
    r"(?<x>a)\k<y>",
    r"(?<x>a)\1",
    r"(?:a|b)c",
    r"(?=a)\w",
    r"(?!a)\w",
    r"(?<=a)b",
    r"(?<!a)b",
    r"(?<=a+)b",
    r"(a)(b)(c)\3\2\1",
    r"(a)?\1b",
    r"\2(a)",
    r"(?=(a))\1",
    r"(a|ab)(c|bcd)(d*)",
    r"()",
    r"(|a)+b",
    r"(?:)",
    r"(?<=^|a)b",
    r"(?<!\w)1",
    // Quantifiers.
    r"a*",
    r"a+?b",
    r"a??",
    r"a{2}",
    r"a{2,}",
    r"a{2,3}?",
    r"a{0}",
    r"a{,2}",
    r"a{2",
    r"(?=a)*b",
    r"(?=a){2}a",
    r"(a*)*b",
    r"(a+)+$",
    r"(a?){3}a{3}",
    r"^(?:a{1,3}){2,3}$",
    r"^.{2,1500}$",
    r"^(?:ab){1001,}$",
    // No patterns.
    r"*",
    r"a**",
    r"a{2}{3}",
    r"(",
    r")",
    r"(a",
    r"[a",
    r"[b-a]",
    r"a{3,2}",
    r"\",
    r"(?<a",
    r"(?<1>a)",
    r"(?<=a)*",
    r"(?P<x>a)",
    r"+",
];

/// Parts of test texts: characters in the patterns, and similar ones that other dialects would match.
const PIECES: &[&str] = &[
    "", "a", "b", "c", "ab", "A", "Z", "_", "-", "0", "1", "9", "٣", "é", "ß", "Ω", "𝒜", "😀", " ", "\u{a0}",
    "\u{feff}", "\u{85}", "\n", "\r", "\u{2028}", "\t", "\u{b}", "\0", "\u{1}", "\u{1f}", "\u{8}", "{", "}",
    "[", "]", "\\", "/", ".", "@", "=", "+", "uuu", "k", "p{L}", "x4", "==", "aa", "aaa", "abc", "\u{7}",
    "{,2}",
];

fn texts(random: &mut Rng) -> Vec<String> {
    let mut texts: Vec<String> = PIECES.iter().map(|piece| (*piece).to_owned()).collect();
    for _ in 0..400 {
        let pieces = random.usize(2..7);
        texts.push((0..pieces).map(|_| PIECES[random.usize(..PIECES.len())]).collect());
    }
    texts
}

#[test]
fn patterns_mean_what_they_mean_in_ecma_262() {
    let mut random = Rng::with_seed(262);
    let mut different = Vec::new();
    for source in PATTERNS {
        let known = regress::Regex::with_flags(source, "u").or_else(|_| regress::Regex::new(source));
        match (Pattern::new(source), known) {
            (Ok(ours), Ok(known)) => {
                let differs = |text: &String| ours.is_match(text) != known.find(text).is_some();
                different.extend(texts(&mut random).into_iter().find(differs).map(|text| (*source, text)));
            }
            (Err(_), Err(_)) => {}
            (ours, known) => different.push((*source, format!("{ours:?} {known:?}"))),
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn a_text_cannot_stall_a_pattern() {
    // `regress` would take longer than the universe is old for each of these.
    let hostile = "a".repeat(60) + "!";
    for source in [
        r"^(a+)+$",
        r"^(a|a)*$",
        r"^(?:a?){60}a{60}$",
        r"^(?=(a+)+$).*$",
        r"^(a+)+\1$",
        r"^(?:(?:a{1,60}){1,60}){1,60}$",
        r"^((a+)+){1,5000}$",
    ] {
        assert!(!Pattern::new(source).unwrap().is_match(&hostile), "{source}");
    }
}

#[test]
fn long_repetitions_are_counted() {
    for (source, most) in [
        (r"^.{0,65535}$", 65_535),
        (r"^[\s\S]{1,131072}$", 131_072),
        (r"^(?:\p{L}|[0-9]){2,20000}$", 20_000),
        (r"^(?:[a-z]{1,64}[0-9]?){0,5000}$", 5_000 * 64),
    ] {
        let pattern = Pattern::new(source).unwrap();
        assert!(pattern.is_match(&"a".repeat(most)), "{source}");
        assert!(!pattern.is_match(&"a".repeat(most + 1)), "{source}");
    }
}

#[test]
fn syntax_errors_have_a_position() {
    for (source, message) in [
        (r"a(b", "an unmatched parenthesis, after 3 characters"),
        (r"a**", "a quantifier that has nothing to repeat, after 3 characters"),
        (r"(?P<n>a)", "an unsupported kind of group, after 3 characters"),
        (r"[b-a]", "a range whose end precedes its beginning, after 4 characters"),
        ("ab\\", "a backslash that escapes nothing, after 3 characters"),
    ] {
        assert_eq!(Pattern::new(source).unwrap_err().to_string(), message, "{source}");
    }
}
