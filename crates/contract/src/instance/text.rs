//! Strings by format, pattern and length, with characters that often cause errors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::pattern::Pattern;
use crate::oracle::{ecma, is_format};

/// The constraints on strings.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules<'d> {
    /// `minLength`, in characters.
    pub(super) least: u64,
    /// `maxLength`.
    pub(super) most: Option<u64>,
    /// All values of `pattern`.
    pub(super) patterns: Vec<&'d str>,
    /// `format`.
    pub(super) format: Option<&'d str>,
    /// Examples of the document.
    pub(super) examples: Vec<&'d str>,
    /// Whether the text is for people.
    pub(super) readable: bool,
}

/// The maximum number of characters beyond the minimum length.
const LONGEST: u64 = 24;

/// The number of attempts to find a valid text.
const ATTEMPTS: usize = 60;

/// Text fragments that each cause a kind of error.
const PIECES: [&str; 24] = [
    "a", "Z", "0", " ", "\"", "\\", "/", "?", "&", "=", "#", "%", "+", ",", ";", "{}", "\n", "\t", "\u{7f}",
    "ü", "e\u{301}", "漢", "😀", "\u{202e}",
];

/// Words for readable texts.
const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "delta", "ember", "fern", "grove", "harbour", "iris", "juniper", "lagoon",
    "maple", "opal", "quartz", "river", "willow",
];

/// Returns a text, or an error that names the constraint that was not met.
pub(super) fn text(rules: &Rules<'_>, random: &mut fastrand::Rng) -> Result<String, String> {
    let most = rules.most.unwrap_or(u64::MAX);
    if rules.least > most {
        return Err("`minLength` is greater than `maxLength`".to_owned());
    }
    if rules.least > 1_000_000 {
        return Err("`minLength` is too large to generate an instance".to_owned());
    }
    let regexes: Vec<_> = rules.patterns.iter().filter_map(|source| ecma(source)).collect();
    let generators: Vec<_> = rules.patterns.iter().filter_map(|source| Pattern::read(source)).collect();
    let fits = |text: &str| {
        let length = text.chars().count() as u64;
        (rules.least..=most).contains(&length)
            && regexes.iter().all(|regex| regex.find(text).is_some())
            && rules.format.is_none_or(|format| is_format(format, text))
    };
    if !rules.readable
        && random.u8(0..8) == 0
        && let Some(example) = random.choice(&rules.examples).filter(|example| fits(example))
    {
        return Ok((*example).to_owned());
    }
    for _ in 0..ATTEMPTS {
        let formatted = rules.format.and_then(|format| {
            let plain = if rules.readable { of_format_plainly(format, random) } else { None };
            plain.or_else(|| of_format(format, (rules.least, most), random))
        });
        let candidate = match formatted {
            Some(text) if generators.is_empty() || fits(&text) => text,
            _ => match random.choice(&generators) {
                Some(pattern) => pattern.text(random, (rules.least, most)),
                None if rules.readable => worded(rules.least, most, random),
                None => plain(rules.least, most, random),
            },
        };
        if fits(&candidate) {
            return Ok(candidate);
        }
    }
    rules.examples.iter().find(|example| fits(example)).map(|example| (*example).to_owned()).ok_or_else(
        || match (&rules.format, rules.patterns.as_slice()) {
            (Some(format), []) => {
                format!("no text of the format `{format}` with the required length was found")
            }
            (_, patterns) => format!("no text was found that matches {}", patterns.join(" and ")),
        },
    )
}

/// Returns any text with a length within the bounds.
fn plain(least: u64, most: u64, random: &mut fastrand::Rng) -> String {
    let length = match random.u8(0..6) {
        0 => least,
        1 if most <= least.saturating_add(200) => most,
        _ => random.u64(least..=most.min(least.saturating_add(LONGEST))),
    };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let simple = random.bool();
    let mut text = Vec::with_capacity(length.min(1 << 20));
    while text.len() < length {
        if simple {
            text.push(random.alphanumeric());
        } else {
            text.extend(random.choice(PIECES).unwrap_or("a").chars());
        }
    }
    text.truncate(length);
    text.into_iter().collect()
}

/// Returns two words.
pub(super) fn words(random: &mut fastrand::Rng) -> String {
    let word = |random: &mut fastrand::Rng| *random.choice(&WORDS).unwrap_or(&WORDS[0]);
    format!("{} {}", word(random), word(random))
}

/// Returns as many words as the bounds require; the last one may be truncated.
fn worded(least: u64, most: u64, random: &mut fastrand::Rng) -> String {
    let mut text = words(random);
    while (text.len() as u64) < least {
        text.push(' ');
        text.push_str(&words(random));
    }
    text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    // A trailing space would be invisible.
    text.trim_end_matches(' ').to_owned() + if text.ends_with(' ') { "s" } else { "" }
}

/// Returns an ordinary text of a format.
fn of_format_plainly(format: &str, random: &mut fastrand::Rng) -> Option<String> {
    let day = |random: &mut fastrand::Rng| format!("2026-{:02}-{:02}", random.u8(1..=12), random.u8(1..=28));
    let clock = |random: &mut fastrand::Rng| format!("{:02}:{:02}:00Z", random.u8(8..18), random.u8(0..60));
    let word = |random: &mut fastrand::Rng| *random.choice(&WORDS).unwrap_or(&WORDS[0]);
    Some(match format {
        "date" => day(random),
        "time" => clock(random),
        "date-time" => format!("{}T{}", day(random), clock(random)),
        "duration" => "PT15M".to_owned(),
        "decimal" => format!("{}.{:02}", random.u8(1..100), random.u8(0..100)),
        "ipv4" => format!("192.0.2.{}", random.u8(1..255)),
        "ipv6" => format!("2001:db8::{:x}", random.u16(1..)),
        "hostname" => format!("{}.example", word(random)),
        "email" => format!("{}@{}.example", word(random), word(random)),
        "uri" | "url" => format!("https://{}.example/{}", word(random), word(random)),
        "uri-reference" => format!("/{}", word(random)),
        _ => return None,
    })
}

/// Returns a text of a known format, with edge cases.
fn of_format(format: &str, (least, most): (u64, u64), random: &mut fastrand::Rng) -> Option<String> {
    let word = |random: &mut fastrand::Rng| -> String {
        let length = random.usize(1..8);
        (0..length).map(|_| random.lowercase()).collect()
    };
    Some(match format {
        "date" => date(random),
        "time" => time(random),
        "date-time" => format!("{}T{}", date(random), time(random)),
        "duration" => {
            (*random.choice(&["P1D", "PT0S", "PT36H", "P1Y2M3DT4H5M6S", "P2W", "PT0.25S"])?).to_owned()
        }
        "uuid" => {
            let digits = match random.u8(0..8) {
                0 => "0".repeat(32),
                1 => "f".repeat(32),
                _ => format!("{:032x}", random.u128(..)),
            };
            [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
        }
        "byte" => {
            // Four characters encode three bytes.
            let (fewest, fullest) = (least.div_ceil(4) * 3, (most / 4 * 3).min(least.saturating_add(64)));
            let count =
                random.u64(fewest.saturating_sub(2).min(fullest)..=fullest.max(fewest.saturating_sub(2)));
            let bytes: Vec<u8> = (0..count.min(1 << 20)).map(|_| random.u8(..)).collect();
            STANDARD.encode(bytes)
        }
        "decimal" => {
            (*random.choice(&["0", "1", "-1", "0.10", "-12.345", "12345678901234567890.123456789"])?)
                .to_owned()
        }
        "ipv4" => std::net::Ipv4Addr::from(random.u32(..)).to_string(),
        "ipv6" => std::net::Ipv6Addr::from(if random.bool() { random.u128(..) } else { 1 }).to_string(),
        "hostname" => format!("{}.{}-{}.example", word(random), word(random), random.u8(..)),
        "email" => format!("{}.{}@{}.example", word(random), random.u8(..), word(random)),
        "uri" | "url" => {
            let end = random.choice(["", "/", "/a%20b?c=d&e=%26#f"])?;
            format!("https://{}.example{end}", word(random))
        }
        "uri-reference" => format!("../{}?a=b", word(random)),
        _ => return None,
    })
}

fn date(random: &mut fastrand::Rng) -> String {
    if random.u8(0..8) == 0 {
        return (*random
            .choice(&["2024-02-29", "1970-01-01", "1969-12-31", "9998-12-31", "0001-01-02"])
            .unwrap_or(&"2024-02-29"))
        .to_owned();
    }
    format!("{:04}-{:02}-{:02}", random.u16(1900..2200), random.u8(1..=12), random.u8(1..=28))
}

fn time(random: &mut fastrand::Rng) -> String {
    let fraction = random.choice(["", ".5", ".000001", ".123456789"]).unwrap_or_default();
    let offset = random.choice(["Z", "+00:00", "-07:30", "+14:00"]).unwrap_or("Z");
    format!("{:02}:{:02}:{:02}{fraction}{offset}", random.u8(0..24), random.u8(0..60), random.u8(0..60))
}

#[cfg(test)]
mod tests {
    use super::{Rules, text};

    #[test]
    fn lengths_count_characters() {
        let rules = Rules { least: 3, most: Some(5), ..Rules::default() };
        let made: Vec<String> =
            (0..200).map(|seed| text(&rules, &mut fastrand::Rng::with_seed(seed)).unwrap()).collect();
        assert!(made.iter().all(|text| (3..=5).contains(&text.chars().count())));
        assert!(made.iter().any(|text| text.contains('😀')), "astral characters occur");
    }

    #[test]
    fn what_cannot_be_met_is_said() {
        let mut random = fastrand::Rng::with_seed(1);
        let rules = Rules { least: 3, most: Some(2), ..Rules::default() };
        assert!(text(&rules, &mut random).unwrap_err().contains("minLength"));
        let rules = Rules { format: Some("uuid"), most: Some(3), ..Rules::default() };
        assert!(text(&rules, &mut random).is_err());
        // An example helps where the pattern is not understood.
        let rules = Rules { patterns: vec![r"^(a+)b\1$"], ..Rules::default() };
        assert!(text(&rules, &mut random).unwrap_err().contains(r"^(a+)b\1$"));
        let rules = Rules { examples: vec!["aba"], ..rules };
        assert_eq!(text(&rules, &mut random).unwrap(), "aba");
    }
}
