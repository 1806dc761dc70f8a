//! Parsing of `$ref` texts (RFC 3986 references with RFC 6901 pointers as fragments), and paths relative to a
//! file.

/// A parsed reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The file, relative to the one that holds the reference; `None` for the same file.
    pub(crate) file: Option<String>,
    /// The unescaped parts of the pointer; none for the whole file.
    pub(crate) tokens: Vec<String>,
}

/// Why a text is not a reference that can be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// It leads to another machine or scheme.
    Remote,
    /// It is not a reference, for this reason, with what to write instead.
    Invalid(String, &'static str),
}

/// Takes a reference apart.
pub(crate) fn parse(text: &str) -> Result<Reference, Malformed> {
    let invalid = |reason: &str, hint| Err(Malformed::Invalid(reason.to_owned(), hint));
    if text.is_empty() {
        return invalid("it is empty", "write where the value is, such as `#/components/schemas/Pet`");
    }
    if text.starts_with("//") || has_scheme(text) {
        return Err(Malformed::Remote);
    }
    let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
    if path.contains('?') {
        return invalid(
            "files have no query part",
            "remove the `?` and what follows it, or write it as `%3F`",
        );
    }
    let Some(path) = percent_decode(path) else {
        return invalid("its percent-encoding is broken", "write `%` as `%25`");
    };
    let Some(pointer) = percent_decode(fragment) else {
        return invalid("its percent-encoding is broken", "write `%` as `%25`");
    };
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return invalid(
            "what follows `#` is not a JSON pointer",
            "begin the pointer with `/`, as in `#/components/schemas/Pet`",
        );
    }
    let mut tokens = Vec::new();
    for token in pointer.split('/').skip(1) {
        let Some(token) = unescape(token) else {
            return invalid("`~` is not followed by 0 or 1", "write `~` as `~0` and `/` as `~1`");
        };
        tokens.push(token);
    }
    Ok(Reference { file: (!path.is_empty()).then_some(path), tokens })
}

/// Returns whether a text begins with a URI scheme. One letter is a drive, not a scheme.
fn has_scheme(text: &str) -> bool {
    let scheme = text.split([':', '/', '#', '?']).next().unwrap_or_default();
    scheme.len() > 1
        && text[scheme.len()..].starts_with(':')
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digit =
                |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
            let value = digit(1)? * 16 + digit(2)?;
            decoded.push(u8::try_from(value).ok()?);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(decoded).ok()
}

/// Returns a pointer token without its escapes; `None` if an escape is broken.
fn unescape(token: &str) -> Option<String> {
    if !token.contains('~') {
        return Some(token.to_owned());
    }
    let mut text = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

/// Appends a token to a pointer, escaped.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    if !token.contains(['~', '/']) {
        pointer.push_str(token);
        return;
    }
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Returns a pointer as the fragment of a `$ref`. Characters that a URI must not contain are percent-encoded,
/// except the braces of path templates, which every tool writes unencoded.
pub(crate) fn as_fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for character in pointer.chars() {
        match character {
            ' ' => fragment.push_str("%20"),
            '"' => fragment.push_str("%22"),
            '%' => fragment.push_str("%25"),
            '<' => fragment.push_str("%3C"),
            '>' => fragment.push_str("%3E"),
            '\\' => fragment.push_str("%5C"),
            '^' => fragment.push_str("%5E"),
            '`' => fragment.push_str("%60"),
            '|' => fragment.push_str("%7C"),
            '#' if !fragment.is_empty() => fragment.push_str("%23"),
            other => fragment.push(other),
        }
    }
    fragment
}

/// Returns the path of `relative` as seen from the file `base`, with `.` and `..` resolved.
pub(crate) fn join(base: &str, relative: &str) -> String {
    let folder =
        if relative.starts_with('/') { "" } else { base.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let rooted = relative.starts_with('/') || base.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

/// Returns a URI without fragment as seen from the URI `base` (RFC 3986, section 5.2).
pub(crate) fn resolve(base: &str, uri: &str) -> String {
    if has_scheme(uri) || base.is_empty() {
        return uri.to_owned();
    }
    let scheme = if has_scheme(base) { base.find(':').map_or(0, |colon| colon + 1) } else { 0 };
    if uri.starts_with("//") {
        return format!("{}{uri}", &base[..scheme]);
    }
    let has_authority = base[scheme..].starts_with("//");
    let after_slashes = if has_authority { scheme + 2 } else { scheme };
    let path = if has_authority {
        base[after_slashes..].find('/').map_or(base.len(), |slash| after_slashes + slash)
    } else {
        scheme
    };
    // Without a path, what follows an authority is below its root.
    let own = if has_authority && path == base.len() { "/" } else { &base[path..] };
    format!("{}{}", &base[..path], join(own, uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_relative_to_their_base() {
        for (base, uri, expected) in [
            ("https://a.example/schemas/order", "customer", "https://a.example/schemas/customer"),
            ("https://a.example/schemas/order", "common/address", "https://a.example/schemas/common/address"),
            ("https://a.example/schemas/order", "../pet", "https://a.example/pet"),
            ("https://a.example/schemas/order", "/pet", "https://a.example/pet"),
            ("https://a.example", "pet", "https://a.example/pet"),
            ("https://a.example/schemas/order", "//b.example/pet", "https://b.example/pet"),
            ("https://a.example/schemas/order", "urn:pet", "urn:pet"),
            ("/schemas/order", "pet", "/schemas/pet"),
            ("schemas/order", "pet", "schemas/pet"),
            ("", "pet", "pet"),
        ] {
            assert_eq!(resolve(base, uri), expected, "{uri} at {base}");
        }
    }

    #[test]
    fn references_are_taken_apart() {
        let of = |text: &str| {
            let Reference { file, tokens } = parse(text).expect("a reference");
            (file.unwrap_or_default(), tokens)
        };
        assert_eq!(of("#"), (String::new(), vec![]));
        assert_eq!(of("a.yaml"), ("a.yaml".into(), vec![]));
        assert_eq!(of("./a%20b.yaml#/x"), ("./a b.yaml".into(), vec!["x".into()]));
        assert_eq!(
            of("#/paths/~1pets~1%7Bid%7D/~0"),
            (String::new(), ["paths", "/pets/{id}", "~"].map(String::from).into())
        );
        assert_eq!(of("#/"), (String::new(), vec![String::new()]));
        assert_eq!(of("C:/a.yaml").0, "C:/a.yaml");
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for text in
            ["http://example.com/a.yaml", "HTTPS://x#/a", "file:///etc/passwd", "urn:x", "//host/a.yaml"]
        {
            assert_eq!(parse(text), Err(Malformed::Remote), "{text}");
        }
        for text in ["", "#Pet", "a.yaml#Pet", "#/a~2b", "#/a~", "#/%zz", "#/%f", "a?b", "#/%ff"] {
            assert!(matches!(parse(text), Err(Malformed::Invalid(..))), "{text}");
        }
    }

    #[test]
    fn paths_are_joined() {
        for (base, relative, joined) in [
            ("openapi.yaml", "a.yaml", "a.yaml"),
            ("v1/openapi.yaml", "./a.yaml", "v1/a.yaml"),
            ("v1/x/openapi.yaml", "../a.yaml", "v1/a.yaml"),
            ("v1/openapi.yaml", "../../a.yaml", "../a.yaml"),
            ("../openapi.yaml", "../a.yaml", "../../a.yaml"),
            ("/v1/openapi.yaml", "../../../a.yaml", "/a.yaml"),
            ("v1/openapi.yaml", "/etc/a.yaml", "/etc/a.yaml"),
            ("a//b/./c.yaml", "d//e.yaml", "a/b/d/e.yaml"),
        ] {
            assert_eq!(join(base, relative), joined, "{base} + {relative}");
        }
    }

    #[test]
    fn fragments_survive_a_round_trip() {
        let mut pointer = String::from("#");
        push_token(&mut pointer, "a b%/~#\"{id}");
        let tokens = parse(&as_fragment(&pointer)).expect("a reference").tokens;
        assert_eq!(tokens, ["a b%/~#\"{id}"]);
    }
}
