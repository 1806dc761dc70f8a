//! Tokenization of text into words, numbers, identifiers and CJK pairs.

/// The kind of a token, which determines whether it is stemmed and whether its absence counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A natural word: stop words and stems apply.
    Word,
    /// A number, an identifier or a CJK pair: used unchanged.
    Verbatim,
    /// An additional spelling of the tokens after it.
    Alias,
}

/// A lower-cased token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) kind: TokenKind,
}

impl Token {
    fn new(text: impl Into<String>, kind: TokenKind) -> Self {
        Self { text: text.into(), kind }
    }
}

/// Returns all tokens of `text` in reading order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut run = String::new();
    let mut characters = text.chars().filter(|character| !is_invisible(*character)).peekable();
    while let Some(character) = characters.next() {
        if is_word(character) || character == '_' {
            run.extend(character.to_lowercase());
            continue;
        }
        let joins =
            !run.is_empty() && is_joiner(character) && characters.peek().is_some_and(|next| is_word(*next));
        if joins {
            run.push(if character == '\u{2019}' { '\'' } else { character });
        } else {
            flush(&mut run, &mut tokens);
        }
    }
    flush(&mut run, &mut tokens);
    tokens
}

/// Returns whether a character is invisible. Such characters hide text from people or break words for a
/// filter.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || unicode_normalization::char::is_combining_mark(character)
}

/// Returns whether a character joins two word characters into a compound.
fn is_joiner(character: char) -> bool {
    matches!(character, '-' | '.' | ',' | '\'' | '\u{2019}' | '\u{2010}' | '\u{2011}')
}

fn flush(run: &mut String, tokens: &mut Vec<Token>) {
    let text = std::mem::take(run);
    // Most runs are plain words, for which the rules below do nothing.
    if text.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return flush_simple(&text, tokens);
    }
    if !text.chars().any(char::is_alphanumeric) {
        return;
    }
    if text.chars().any(is_unspaced_script) {
        return flush_unspaced(&text, tokens);
    }
    if text.starts_with(|character: char| character.is_numeric()) && is_number(&text) {
        tokens.push(Token::new(text.replace(',', ""), TokenKind::Verbatim));
        return;
    }
    // A comma only joins digits; between words it is punctuation without a space.
    for part in text.split(',') {
        flush_compound(part, tokens);
    }
}

fn flush_compound(text: &str, tokens: &mut Vec<Token>) {
    if let Some((head, tail)) = text.split_once('\'') {
        return flush_apostrophe(head, tail, tokens);
    }
    let parts: Vec<&str> =
        text.split(['-', '_', '.', '\u{2010}', '\u{2011}']).filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 {
        return flush_simple(text.trim_matches('_'), tokens);
    }
    let is_version =
        parts.iter().skip(1).all(|part| part.chars().all(char::is_numeric)) && text.contains('.');
    if is_version {
        tokens.push(Token::new(text, TokenKind::Verbatim));
        return;
    }
    let joined: String = if text.contains(['_', '.']) { text.to_owned() } else { parts.concat() };
    tokens.push(Token::new(joined, TokenKind::Alias));
    for part in parts {
        flush_simple(part, tokens);
    }
}

/// Adds the tokens of a word with an apostrophe: `owner` for `owner's`, `isn't` unchanged, `équipe` for
/// `l'équipe`.
fn flush_apostrophe(head: &str, tail: &str, tokens: &mut Vec<Token>) {
    match tail {
        "s" => flush_compound(head, tokens),
        "t" | "re" | "ve" | "ll" | "d" | "m" => {
            tokens.push(Token::new(format!("{head}'{tail}"), TokenKind::Word));
        }
        _ if head.chars().count() <= 2
            || matches!(head, "qu" | "jusqu" | "lorsqu" | "dell" | "nell" | "all" | "un") =>
        {
            flush_compound(tail, tokens);
        }
        _ => {
            flush_compound(head, tokens);
            flush_compound(tail, tokens);
        }
    }
}

fn flush_simple(text: &str, tokens: &mut Vec<Token>) {
    if text.is_empty() {
        return;
    }
    let kind = if text.chars().any(char::is_numeric) { TokenKind::Verbatim } else { TokenKind::Word };
    // A single letter split off a compound (`e-mail`) or left alone is noise; a single digit is a number.
    if kind == TokenKind::Word && text.chars().count() == 1 {
        return;
    }
    tokens.push(Token::new(text, kind));
}

/// Adds pairs of adjacent characters in scripts without spaces; other runs are words.
fn flush_unspaced(text: &str, tokens: &mut Vec<Token>) {
    let characters: Vec<char> = text.chars().collect();
    for run in characters.chunk_by(|left, right| is_unspaced_script(*left) == is_unspaced_script(*right)) {
        if !is_unspaced_script(run[0]) {
            flush_compound(&run.iter().collect::<String>(), tokens);
        } else if run.len() == 1 {
            tokens.push(Token::new(run[0], TokenKind::Verbatim));
        } else {
            tokens.extend(
                run.windows(2).map(|pair| Token::new(pair.iter().collect::<String>(), TokenKind::Verbatim)),
            );
        }
    }
}

fn is_number(text: &str) -> bool {
    text.chars().all(|character| character.is_numeric() || matches!(character, ',' | '.'))
}

fn is_unspaced_script(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}
