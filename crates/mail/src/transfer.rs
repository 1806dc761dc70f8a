//! The encodings in which parts travel (`Content-Transfer-Encoding`), read as far as they go: what is broken
//! stays as it is.

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Base64 that may have been cut off.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes base64. Characters outside of its alphabet are skipped, and so are up to three characters at the
/// end that do not make a byte.
pub(crate) fn base64(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    // Texts that were encoded one by one and put together have padding within.
    for run in text.split(|byte| *byte == b'=') {
        let mut letters: Vec<u8> = run
            .iter()
            .copied()
            .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
            .collect();
        if letters.len() % 4 == 1 {
            letters.pop();
        }
        // Cannot fail, as all that could is left out.
        bytes.extend(LENIENT.decode(&letters).unwrap_or_default());
    }
    bytes
}

/// Splits base64 text from what follows it: servers append a footer without looking at the encoding. Its
/// letters would be taken for base64.
pub(crate) fn without_footer(text: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    let (mut is_padded, mut was_empty) = (false, false);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let content = line.trim_ascii();
        let is_encoded =
            content.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        let is_rule = content.len() > 1 && content.iter().all(|byte| b"-_=*".contains(byte));
        let has_words = content.split(u8::is_ascii_whitespace).filter(|word| word.len() > 1).count() > 1;
        let is_other = is_rule && !is_encoded
            || was_empty && has_words
            || is_padded && (!is_encoded || content.len() % 4 != 0);
        if at > 0 && is_other {
            return text.split_at(at);
        }
        if content.is_empty() {
            was_empty = true;
        } else {
            (is_padded, was_empty) = (content.ends_with(b"="), false);
        }
        at += line.len();
    }
    (text, &[])
}

/// Decodes quoted-printable text. An `=` that begins neither a byte nor a broken line is one.
pub(crate) fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let ending = &line[content.len()..];
        let content = content.trim_ascii_end();
        let (content, ending) = match content.strip_suffix(b"=") {
            Some(content) => (content, &b""[..]),
            None => (content, ending),
        };
        push_escaped(content, &mut bytes);
        bytes.extend(ending);
    }
    bytes
}

/// Decodes the text of an encoded word in the encoding `Q`.
pub(crate) fn q_word(text: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = text.iter().map(|byte| if *byte == b'_' { b' ' } else { *byte }).collect();
    let mut bytes = Vec::with_capacity(spaced.len());
    push_escaped(&spaced, &mut bytes);
    bytes
}

fn push_escaped(text: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if let (b'=', [high, low, ..]) = (*first, after)
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            bytes.push(high << 4 | low);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::{base64, quoted_printable, without_footer};

    #[test]
    fn what_was_cut_off_is_read_to_its_end() {
        for (text, bytes) in [
            ("SGVsbG8=", "Hello"),
            ("SGVsbG8", "Hello"),
            ("SGVsbG", "Hell"),
            ("SGVsb", "Hel"),
            ("SGVs\r\nbG8=\r\n", "Hello"),
            ("SGVsbG8=SGVsbG8=", "HelloHello"),
            ("SGVs!bG8=", "Hello"),
            ("", ""),
        ] {
            assert_eq!(base64(text.as_bytes()), bytes.as_bytes(), "{text}");
        }
        for (text, bytes) in [
            ("Gr=C3=BC=C3=9Fe", "Grüße"),
            ("one =\r\ntwo", "one two"),
            ("one=  \r\ntwo", "onetwo"),
            ("price = 5, a=ZZ b=C", "price = 5, a=ZZ b=C"),
            ("line  \r\nnext=", "line\r\nnext"),
            ("https://a.example/?b=c&d==", "https://a.example/?b=c&d="),
        ] {
            assert_eq!(String::from_utf8_lossy(&quoted_printable(text.as_bytes())), bytes, "{text}");
        }
    }

    #[test]
    fn a_footer_below_base64_is_found() {
        for (text, encoded) in [
            ("SGVsbG8=\r\n\r\n--\r\nScanned by A", "SGVsbG8=\r\n\r\n"),
            ("SGVsbG8=\r\nScanned by A", "SGVsbG8=\r\n"),
            ("SGVsbG8=\r\nUnsubscribe", "SGVsbG8=\r\n"),
            ("SGVsbG8h\n\nThis list is read by all", "SGVsbG8h\n\n"),
            ("SGVsbG8h\n-- \nlist", "SGVsbG8h\n"),
            ("SGVs\r\n \t!!\r\nbG8=", "SGVs\r\n \t!!\r\nbG8="),
            ("SGVsbG8=\r\nSGVsbG8=\r\n", "SGVsbG8=\r\nSGVsbG8=\r\n"),
            ("SGVs\n\nbG8=", "SGVs\n\nbG8="),
            ("--", "--"),
        ] {
            let (found, footer) = without_footer(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(found), encoded, "{text}");
            assert_eq!(found.len() + footer.len(), text.len());
        }
    }
}
