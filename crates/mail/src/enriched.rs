//! The text of `text/enriched` (RFC 1896) and of `text/richtext` (RFC 1341), which came before HTML.

/// Longest name of a command, in bytes.
const MAX_COMMAND: usize = 60;

/// Returns the text without its commands, such as `<bold>`. In the older format a command breaks lines; in
/// the newer one, line feeds do if there is more than one.
pub(crate) fn to_text(text: &str, is_older: bool) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let (mut as_is, mut parameters) = (0_usize, 0_usize);
    while let Some(first) = rest.chars().next() {
        if !is_older && let Some(after) = rest.strip_prefix("<<") {
            push(&mut out, parameters, '<');
            rest = after;
        } else if let Some((command, after)) = command(rest) {
            rest = after;
            match command.to_ascii_lowercase().as_str() {
                "nofill" => as_is += 1,
                "/nofill" => as_is = as_is.saturating_sub(1),
                "param" | "comment" => parameters += 1,
                "/param" | "/comment" => parameters = parameters.saturating_sub(1),
                "nl" | "paragraph" | "/paragraph" | "np" if is_older => push(&mut out, parameters, '\n'),
                "lt" if is_older => push(&mut out, parameters, '<'),
                _ => {}
            }
        } else if first == '\n' && as_is == 0 {
            let line_feeds = rest.len() - rest.trim_start_matches('\n').len();
            rest = &rest[line_feeds..];
            if is_older || line_feeds == 1 {
                push(&mut out, parameters, ' ');
            } else {
                (1..line_feeds).for_each(|_| push(&mut out, parameters, '\n'));
            }
        } else {
            push(&mut out, parameters, first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// Parameters, such as the name of a color, are not text.
fn push(out: &mut String, parameters: usize, character: char) {
    if parameters == 0 {
        out.push(character);
    }
}

/// Returns the command with which a text begins, and what follows it.
fn command(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.bytes().take(MAX_COMMAND + 1).position(|byte| byte == b'>')?;
    let command = &inner[..end];
    let is_name = command
        .strip_prefix('/')
        .unwrap_or(command)
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_name && !command.is_empty()).then(|| (command, &inner[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn commands_are_left_out() {
        for (text, is_older, expected) in [
            ("I want <bold>seven</bold>\r\nchairs.\n\nBye", false, "I want seven chairs.\nBye"),
            ("<color><param>red</param>5 << 6</color> a < b", false, "5 < 6 a < b"),
            ("<nofill>a\nb</nofill>\nc", false, "a\nb c"),
            ("<bold>Now</bold> is<nl>the <lt> time\n\nfor", true, "Now is\nthe < time for"),
        ] {
            assert_eq!(to_text(text, is_older), expected, "{text}");
        }
    }
}
