//! [`Template`]: a path template of a document and its matching.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use smallvec::SmallVec;
use std::{borrow::Cow, ops::Range};

/// The characters that a path has only percent-encoded (RFC 3986, section 3.3). A `%` of the document begins
/// an encoded character already.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The parameters of one path; few paths have more than two.
pub(super) type Captures = SmallVec<[Capture; 2]>;

/// The text that matches a parameter. It is copied only if it has to be decoded.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    pub(super) name: &'static str,
    range: Range<usize>,
    decoded: Option<String>,
}

impl Capture {
    /// Returns the matched text, percent-decoded.
    pub(super) fn text<'p>(&'p self, path: &'p str) -> &'p str {
        self.decoded.as_deref().unwrap_or_else(|| self.raw(path))
    }

    /// Returns the matched text unchanged.
    pub(super) fn raw<'p>(&self, path: &'p str) -> &'p str {
        path.get(self.range.clone()).unwrap_or_default()
    }
}

/// A path template, split at its slashes.
#[derive(Clone, Debug)]
pub(super) struct Template {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
enum Segment {
    /// Text, percent-encoded.
    Literal(Cow<'static, str>),
    /// Alternating text and parameters, as in `{name}.{format}`; usually a single parameter.
    Mixed(Vec<Piece>),
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// Text, percent-encoded.
    Text(Cow<'static, str>),
    Parameter(&'static str),
}

impl Template {
    pub(super) fn parse(path: &'static str) -> Self {
        Self { segments: path.split('/').skip(1).map(Segment::parse).collect() }
    }

    /// Returns the template for axum's router, in which parameters are named by position: templates that
    /// differ only in the names of parameters, or in the text around them, share one route.
    pub(super) fn route(&self) -> String {
        let mut route = String::new();
        for (index, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Literal(text) => {
                    route.push('/');
                    route.push_str(text);
                }
                Segment::Mixed(_) => {
                    route.push_str("/{s");
                    route.push_str(&index.to_string());
                    route.push('}');
                }
            }
        }
        if route.is_empty() { "/".to_owned() } else { route }
    }

    /// Returns the template for axum's router, and its other spellings, in which characters are not encoded
    /// that clients may send as they are, or encoded with lowercase digits.
    pub(super) fn spellings(&self) -> Vec<String> {
        let route = self.route();
        let mut spellings = vec![route.clone()];
        if route.contains('%') {
            let raw = ["%5B", "%5D", "%5E", "%7C"].iter().zip(["[", "]", "^", "|"]);
            spellings.push(raw.fold(route.clone(), |text, (encoded, raw)| text.replace(encoded, raw)));
            spellings.push(with_digits(&route, str::to_ascii_lowercase));
            spellings.dedup();
        }
        spellings
    }

    /// Returns the parameters of a path that axum has routed here, or `None` if the text around them differs.
    pub(super) fn captures(&self, path: &str) -> Option<Captures> {
        let mut captures = Captures::new();
        let mut start = usize::from(path.starts_with('/'));
        for (segment, value) in self.segments.iter().zip(path[start..].split('/')) {
            if let Segment::Mixed(pieces) = segment {
                // A parameter alone has no text around it to compare.
                let value = if pieces.len() > 1 { normalized(value.into()) } else { Cow::Borrowed(value) };
                capture(pieces, &value, start, &mut captures)?;
            }
            start += value.len() + 1;
        }
        Some(captures)
    }

    /// Returns the amount of literal text around parameters: of two matching templates, the one with more
    /// takes precedence.
    pub(super) fn literal_weight(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Literal(text) => text.len(),
                Segment::Mixed(pieces) => pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) => text.len(),
                        Piece::Parameter(_) => 0,
                    })
                    .sum(),
            })
            .sum()
    }
}

impl Segment {
    fn parse(text: &'static str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{')
            && let Some((name, tail)) = after.split_once('}')
        {
            if !before.is_empty() {
                pieces.push(Piece::Text(encoded(before)));
            }
            pieces.push(Piece::Parameter(name));
            rest = tail;
        }
        if pieces.is_empty() {
            return Self::Literal(encoded(text));
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(encoded(rest)));
        }
        Self::Mixed(pieces)
    }
}

/// Returns text as a path has it, in the one spelling that all templates of it share.
fn encoded(text: &'static str) -> Cow<'static, str> {
    normalized(utf8_percent_encode(text, NOT_IN_PATHS).into())
}

/// Returns the text with uppercase digits in its percent-encoded characters (RFC 3986, section 6.2.2.1). Its
/// length stays.
fn normalized(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('%') { with_digits(&text, str::to_ascii_uppercase).into() } else { text }
}

/// Matches one segment that begins at `start`. A parameter ends at the first occurrence of the text after it,
/// and is never empty.
fn capture(pieces: &[Piece], value: &str, start: usize, captures: &mut Captures) -> Option<()> {
    let mut rest = value;
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) => rest = rest.strip_prefix(&**text)?,
            Piece::Parameter(name) => {
                let left = pieces.len();
                let end = match pieces.peek() {
                    None | Some(Piece::Parameter(_)) => rest.len(),
                    Some(Piece::Text(text)) if left == 1 && rest.ends_with(&**text) => {
                        rest.len() - text.len()
                    }
                    // `{name}.{format}` splits `report.v2.json` at its last dot.
                    Some(Piece::Text(text)) if left == 2 => rest.rfind(&**text)?,
                    Some(Piece::Text(text)) => rest.find(&**text)?,
                };
                if end == 0 {
                    return None;
                }
                let begin = start + value.len() - rest.len();
                let decoded =
                    if rest[..end].contains('%') { Some(percent_decoded(&rest[..end])?) } else { None };
                captures.push(Capture { name, range: begin..begin + end, decoded });
                rest = &rest[end..];
            }
        }
    }
    rest.is_empty().then_some(())
}

/// Writes the digits of percent-encoded characters in upper or lower case.
fn with_digits(text: &str, case: fn(&str) -> String) -> String {
    let mut parts = text.split('%');
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        written.push('%');
        let is_encoded = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        written.push_str(&if is_encoded { case(digits) } else { digits.to_owned() });
        written.push_str(rest);
    }
    written
}

/// Decodes percent-encoded text if it is UTF-8. A `%` without two hexadecimal digits is literal.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()) {
            Some(byte) if *first == b'%' => {
                decoded.push(byte);
                rest = &tail[2..];
            }
            _ => {
                decoded.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn parameters_are_named_by_position_for_the_router() {
        for (path, route) in [
            ("/", "/"),
            ("/pets", "/pets"),
            ("/pets/{petId}", "/pets/{s1}"),
            ("/pets/{petId}.json", "/pets/{s1}"),
            ("/a/{x}/b/{y}", "/a/{s1}/b/{s3}"),
            ("/a b/ü/{x}", "/a%20b/%C3%BC/{s2}"),
            ("/a%20b", "/a%20b"),
            ("/a%5bb/{x}%c3%bc", "/a%5Bb/{s1}"),
        ] {
            assert_eq!(Template::parse(path).route(), route);
        }
    }

    #[test]
    fn text_around_parameters_must_match() {
        for (path, value, expected) in [
            ("/{id}", "7", Some("7")),
            ("/{id}.json", "a.json.json", Some("a.json")),
            ("/{id}.json", "7.xml", None),
            ("/{id}.json", ".json", None),
            ("/v{id}", "v2", Some("2")),
        ] {
            assert_eq!(
                captured(path, &format!("/{value}")).map(|texts| texts[0].1.clone()).as_deref(),
                expected
            );
        }
        let both = captured("/{from}..{to}", "/a..b").unwrap();
        assert_eq!(both, [("from", "a".to_owned()), ("to", "b".to_owned())]);
        let both = captured("/x/{name}.{format}", "/x/report.v2.json").unwrap();
        assert_eq!(both, [("name", "report.v2".to_owned()), ("format", "json".to_owned())]);
    }

    #[test]
    fn literals_are_matched_as_clients_may_spell_them() {
        assert_eq!(Template::parse("/ü|a").spellings(), ["/%C3%BC%7Ca", "/%C3%BC|a", "/%c3%bc%7ca"]);
        assert_eq!(Template::parse("/pets/{id}").spellings(), ["/pets/{s1}"]);
        // The document may have the other spelling.
        assert_eq!(Template::parse("/a%5bb").spellings(), ["/a%5Bb", "/a[b", "/a%5bb"]);
        for template in ["/{id}ü", "/{id}%c3%bc"] {
            for path in ["/7%C3%BC", "/7%c3%bc"] {
                assert_eq!(captured(template, path).unwrap(), [("id", "7".to_owned())]);
            }
        }
    }

    #[test]
    fn captures_keep_what_came_and_say_what_it_means() {
        let path = "/a/x%2Fy/b/1,2";
        let captures = Template::parse("/a/{name}/b/{ids}").captures(path).unwrap();
        assert_eq!((captures[0].text(path), captures[0].raw(path)), ("x/y", "x%2Fy"));
        assert_eq!((captures[1].text(path), captures[1].raw(path)), ("1,2", "1,2"));
        assert!(Template::parse("/{name}").captures("/%FF").is_none(), "no UTF-8 names nothing");
    }

    fn captured(template: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
        let captures = Template::parse(template).captures(path)?;
        Some(captures.iter().map(|capture| (capture.name, capture.text(path).to_owned())).collect())
    }
}
