//! Plain text: removal of characters that have no place in it, and the format of flowed lines (RFC 3676).

/// Returns a text with line feeds only, without control characters, without invisible characters that reorder
/// or hide text, and with at most two line feeds in a row.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_feeds = 0;
    for line in
        text.replace("\r\n", "\n").split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
    {
        let line: String = line.chars().filter(|c| !is_unwanted(*c)).map(space).collect();
        let line = line.trim_end();
        if line.is_empty() {
            line_feeds += 1;
        } else {
            line_feeds = 0;
        }
        if line_feeds <= 1 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim_matches(['\n', ' ', '\t']).to_owned()
}

/// Returns a text on one line with single spaces.
pub(crate) fn clean_line(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_whitespace() || !is_unwanted(*c)).collect::<String>();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first characters of a text.
pub(crate) fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
}

/// Returns whether a character hides or reorders text. Joiners and variation selectors stay: emoji and
/// Persian need them.
fn is_unwanted(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn space(c: char) -> char {
    if c == '\u{a0}' { ' ' } else { c }
}

/// Joins the lines of `format=flowed` text: a line that ends in a space continues in the next one of the same
/// quote depth.
pub(crate) fn unflow(text: &str, delete_space: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Option<usize> = None;
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let content = line.trim_start_matches('>');
        let depth = line.len() - content.len();
        let content = content.strip_prefix(' ').unwrap_or(content);
        let is_delimiter = content == "-- ";
        match open {
            Some(before) if before == depth && !is_delimiter => {}
            _ => {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&">".repeat(depth));
                if depth > 0 {
                    out.push(' ');
                }
            }
        }
        let flows = content.ends_with(' ') && !is_delimiter;
        out.push_str(if flows && delete_space { &content[..content.len() - 1] } else { content });
        open = flows.then_some(depth);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flowed_lines_are_joined_within_their_quote() {
        let text = "I would \nlike two.\n\n> How \n> many?\n>> Hello \n-- \nAda";
        assert_eq!(unflow(text, false), "I would like two.\n\n> How many?\n>> Hello \n-- \nAda");
        assert_eq!(unflow("日本 \n語", true), "日本語");
    }

    #[test]
    fn hidden_characters_go_and_emoji_stay() {
        assert_eq!(
            clean("a\u{202e}b\u{200b}c\0\r\n\r\n\r\n\r\n👩\u{200d}🔬 d\u{7}"),
            "abc\n\n👩\u{200d}🔬 d"
        );
        assert_eq!(clean_line(" a\r\n b\tc "), "a b c");
    }
}
