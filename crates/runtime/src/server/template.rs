//! Owns [`Template`]: a path template of a document, matched against a path.

/// A path template, split at its slashes.
#[derive(Clone, Debug)]
pub(super) struct Template {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug)]
enum Segment {
    Literal(&'static str),
    /// Alternating text and parameters, as in `{name}.{format}`; a lone parameter is the common case.
    Mixed(Vec<Piece>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece {
    Text(&'static str),
    Parameter(&'static str),
}

impl Template {
    pub(super) fn parse(path: &'static str) -> Self {
        Self { segments: path.split('/').skip(1).map(Segment::parse).collect() }
    }

    /// The same template for axum's router, in which parameters are named by position: templates that differ only in
    /// their parameters' names, or in the text around a parameter, share one route.
    pub(super) fn route(&self) -> String {
        let mut route = String::new();
        for (index, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Literal(text) => {
                    route.push('/');
                    route.push_str(&text.replace('{', "{{").replace('}', "}}"));
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

    /// The parameters in the decoded segments that axum captured, or `None` if the text around them differs.
    pub(super) fn captures<'v>(
        &self,
        values: impl Iterator<Item = &'v str>,
    ) -> Option<Vec<(&'static str, String)>> {
        let mut captures = Vec::new();
        let mixed = self.segments.iter().filter_map(|segment| match segment {
            Segment::Mixed(pieces) => Some(pieces),
            Segment::Literal(_) => None,
        });
        for (pieces, value) in mixed.zip(values) {
            capture(pieces, value, &mut captures)?;
        }
        Some(captures)
    }

    /// How much literal text stands around parameters: of two templates that match, the one with more is meant.
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
                pieces.push(Piece::Text(before));
            }
            pieces.push(Piece::Parameter(name));
            rest = tail;
        }
        if pieces.is_empty() {
            return Self::Literal(text);
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Self::Mixed(pieces)
    }
}

/// Matches one segment; a parameter ends where the text after it first occurs, and is never empty.
fn capture(pieces: &[Piece], value: &str, captures: &mut Vec<(&'static str, String)>) -> Option<()> {
    let mut rest = value;
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) => rest = rest.strip_prefix(text)?,
            Piece::Parameter(name) => {
                let left = pieces.len();
                let end = match pieces.peek() {
                    None | Some(Piece::Parameter(_)) => rest.len(),
                    Some(Piece::Text(text)) if left == 1 && rest.ends_with(text) => rest.len() - text.len(),
                    // The last dot of `report.v2.json` is the one that `{name}.{format}` means.
                    Some(Piece::Text(text)) if left == 2 => rest.rfind(text)?,
                    Some(Piece::Text(text)) => rest.find(text)?,
                };
                if end == 0 {
                    return None;
                }
                captures.push((*name, rest[..end].to_owned()));
                rest = &rest[end..];
            }
        }
    }
    rest.is_empty().then_some(())
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
            let captures = Template::parse(path).captures([value].into_iter());
            assert_eq!(captures.map(|captures| captures[0].1.clone()).as_deref(), expected, "{path} {value}");
        }
        let both = Template::parse("/{from}..{to}").captures(["a..b"].into_iter()).unwrap();
        assert_eq!(both, [("from", "a".to_owned()), ("to", "b".to_owned())]);
        let both = Template::parse("/{name}.{format}").captures(["report.v2.json"].into_iter()).unwrap();
        assert_eq!(both, [("name", "report.v2".to_owned()), ("format", "json".to_owned())]);
    }
}
