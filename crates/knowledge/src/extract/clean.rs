//! Removal of invisible characters and superfluous white space.

/// Returns `text` without invisible characters and with every run of white space as one space.
pub(crate) fn clean_text(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    push_folded(&mut cleaned, text);
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

/// Appends `text` to `out`, with every run of white space as one space, also where the two meet.
pub(super) fn push_folded(out: &mut String, text: &str) {
    for character in text.chars() {
        if character.is_whitespace() {
            if !out.is_empty() && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
        } else if keeps(character, out) {
            // Keyboards have no slash of their own for fractions.
            out.push(if matches!(character, '\u{2044}' | '\u{2215}') { '/' } else { character });
        }
    }
}

/// Appends program text with its white space unchanged.
pub(super) fn push_verbatim(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '\r' => {}
            '\n' | '\t' => out.push(character),
            character if keeps(character, out) => out.push(character),
            _ => {}
        }
    }
}

/// Returns whether a character is visible to a reader.
///
/// Zero-width joiners are part of the spelling in Arabic and Indic scripts and in emoji. Elsewhere they only
/// hide text.
fn keeps(character: char, before: &str) -> bool {
    match character {
        '\u{200c}' | '\u{200d}' => before.chars().next_back().is_some_and(|previous| previous >= '\u{590}'),
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e01ef}' => false,
        character => !character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_and_white_space_go() {
        let cases = [
            ("  a \n\t b  ", "a b"),
            ("ig\u{200b}nore \u{202e}this", "ignore this"),
            ("tag\u{e0041}\u{e0042}ged", "tagged"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200d}b", "ab"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("soft\u{ad}hyphen", "softhyphen"),
            ("non\u{a0}breaking", "non breaking"),
            ("nul\u{0}l", "null"),
            ("1\u{2044}2 cup", "1/2 cup"),
        ];
        for (text, expected) in cases {
            assert_eq!(clean_text(text), expected, "{text:?}");
        }
    }
}
