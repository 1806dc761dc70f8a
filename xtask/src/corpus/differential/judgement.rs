//! What each server makes of a request, and the disagreements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::case::{Case, Expected, Skipped};
use super::exchange::{Request, Response};

/// What a server makes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It calls this operation, if the server says which.
    Accepted(Option<String>),
    /// It is refused.
    Refused {
        /// The status.
        status: u16,
        /// The dotted paths of the failing fields; `None` if the server does not name any.
        fields: Option<BTreeSet<String>>,
    },
    /// The server failed.
    Failed(String),
}

impl Judgement {
    /// Reads a response of the mock.
    pub fn of_mock(response: &Response) -> Self {
        // The mock names the preferences that it applied only in responses of an operation.
        if response.header("preference-applied").is_some() {
            return Self::Accepted(None);
        }
        let fields: BTreeSet<String> = response.all("x-mock-violation").filter_map(field).collect();
        Self::Refused { status: response.status, fields: (!fields.is_empty()).then_some(fields) }
    }

    /// Reads a response of the generated server.
    pub fn of_server(response: &Response) -> Self {
        let Some(report) = response.report() else {
            // The connection refuses what the router does not see, such as a request that is not HTTP.
            return Self::Refused { status: response.status, fields: None };
        };
        if report["panicked"] == true {
            return Self::Failed("the code panicked".to_owned());
        }
        if report["reached"] == true {
            return Self::Accepted(report["operation"].as_str().map(str::to_owned));
        }
        let fields = report["fields"].as_array().map(|fields| {
            let names = fields.iter().filter_map(Value::as_str);
            names.map(|name| escaped(&without_place(name))).collect::<BTreeSet<_>>()
        });
        Self::Refused { status: response.status, fields: fields.filter(|fields| !fields.is_empty()) }
    }
}

/// Returns the dotted path of a violation as the mock writes it: `query limit /0: …`, `body /a/b: …`. Those
/// of other places name no field.
fn field(line: &str) -> Option<String> {
    let (place, rest) = line.split_once([' ', ':'])?;
    if !matches!(place, "path" | "query" | "header" | "cookie" | "body") {
        return None;
    }
    let (place, _) = rest.split_once(": ").unwrap_or((rest, ""));
    // Without name and pointer, the colon is directly behind the place.
    if line.starts_with("body: ") {
        return Some("body".to_owned());
    }
    let steps = place.trim().replace(" /", "/");
    let steps = steps
        .strip_prefix('/')
        .unwrap_or(&steps)
        .split('/')
        .map(|step| step.replace("~1", "/").replace("~0", "~"));
    Some(steps.collect::<Vec<_>>().join("."))
}

/// Returns the path of a field without the place that servers add to the name of a parameter if others have
/// the same name: `id (query)`. The mock names the place of every parameter.
fn without_place(field: &str) -> String {
    let (name, rest) = field.split_once('.').unwrap_or((field, ""));
    let places = [" (path)", " (query)", " (header)", " (cookie)"];
    match places.iter().find_map(|place| name.strip_suffix(place)) {
        Some(name) if rest.is_empty() => name.to_owned(),
        Some(name) => format!("{name}.{rest}"),
        None => field.to_owned(),
    }
}

/// Returns a text as the headers of the mock escape it.
fn escaped(text: &str) -> String {
    let plain = |character: char| character == ' ' || character.is_ascii_graphic();
    text.chars()
        .map(
            |character| {
                if plain(character) { character.to_string() } else { character.escape_default().to_string() }
            },
        )
        .collect()
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The kind of disagreement.
    pub kind: &'static str,
    /// The operation.
    pub operation: String,
    /// What was sent.
    pub purpose: String,
    /// The judgement of the mock.
    pub mock: Judgement,
    /// The judgement of the generated server.
    pub server: Judgement,
    /// The keys of the responses that the operation declares.
    pub declared: Vec<String>,
    /// The request.
    pub request: Request,
}

/// The number of requests for each kind of disagreement that is meant, by its name and reason.
pub type Meant = BTreeMap<(&'static str, &'static str), usize>;

/// The result of a document.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// All disagreements, but for those that are meant.
    pub differences: Vec<Difference>,
    /// The number of requests for each kind of disagreement that is meant.
    pub meant: Meant,
    /// The operations for which no request was made.
    pub skipped: Vec<Skipped>,
    /// The number of requests.
    pub requests: usize,
    /// Responses that the generated client cannot read.
    pub unreadable: Vec<String>,
    /// The number of responses that it was given.
    pub responses: usize,
}

impl Verdict {
    /// Compares the judgements of one request. `declared` are the keys of the responses of its operation;
    /// `meant` returns name and reason of a disagreement that is meant.
    pub fn add(
        &mut self,
        case: &Case,
        declared: &[String],
        [mock, server]: [Judgement; 2],
        allow: [Option<&str>; 2],
        meant: impl Fn(&Difference) -> Option<(&'static str, &'static str)>,
    ) {
        self.requests += 1;
        let Some(kind) = kind(case, &mock, &server, allow) else { return };
        let difference = Difference {
            kind,
            operation: case.operation.clone(),
            purpose: case.purpose.clone(),
            mock,
            server,
            declared: declared.to_vec(),
            request: case.request.clone(),
        };
        match meant(&difference) {
            Some(kind) => *self.meant.entry(kind).or_default() += 1,
            None => self.differences.push(difference),
        }
    }

    /// Returns the number of disagreements.
    pub fn count(&self) -> usize {
        self.differences.len() + self.unreadable.len()
    }
}

fn kind(case: &Case, mock: &Judgement, server: &Judgement, allow: [Option<&str>; 2]) -> Option<&'static str> {
    use Judgement::{Accepted, Failed, Refused};
    let mistaken = |operation: &Option<String>| {
        let called = operation.as_deref().map(str::to_ascii_lowercase);
        case.expected == Expected::Reached
            && !case.operation.is_empty()
            && called.is_some_and(|called| called != case.operation.to_ascii_lowercase())
    };
    match (mock, server) {
        (Accepted(_) | Refused { .. }, Accepted(_)) if case.expected == Expected::Unchecked => None,
        (Accepted(_) | Refused { .. }, Refused { .. }) if case.expected == Expected::Unchecked => {
            Some("the server checks what is stated as unchecked")
        }
        (Failed(_), _) => Some("the mock fails"),
        (_, Failed(_)) => Some("the server fails"),
        (Accepted(_), Refused { .. }) => Some("only the mock accepts"),
        (Refused { .. }, Accepted(_)) => Some("only the server accepts"),
        (Accepted(_), Accepted(_)) if case.expected == Expected::Refused => Some("both accept what is wrong"),
        (Accepted(_), Accepted(operation)) if mistaken(operation) => Some("another operation is called"),
        (Refused { .. }, Refused { .. }) if case.expected == Expected::Reached => {
            Some("both refuse what is valid")
        }
        (Refused { status, fields }, Refused { status: other_status, fields: other_fields }) => {
            if status != other_status {
                Some("the statuses differ")
            } else if allow[0] != allow[1] {
                Some("the Allow headers differ")
            } else if fields.is_some() && other_fields.is_some() && fields != other_fields {
                Some("the fields differ")
            } else {
                None
            }
        }
        (Accepted(_), Accepted(_)) => None,
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted(Some(operation)) => write!(formatter, "calls {operation}"),
            Self::Accepted(None) => formatter.write_str("accepts it"),
            Self::Refused { status, fields: None } => write!(formatter, "refuses it with {status}"),
            Self::Refused { status, fields: Some(fields) } => {
                let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
                write!(formatter, "refuses it with {status} for `{}`", fields.join("`, `"))
            }
            Self::Failed(reason) => write!(formatter, "fails: {reason}"),
        }
    }
}

/// The longest request that is shown in full, in characters.
const MAX_LENGTH: usize = 600;

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, operation, purpose, mock, server, request, .. } = self;
        let operation = if operation.is_empty() { "no operation" } else { operation };
        writeln!(formatter, "{kind}: {operation}, {purpose}")?;
        writeln!(formatter, "  the mock {mock}; the server {server}")?;
        let text = request.to_string();
        let start: String = text.chars().take(MAX_LENGTH).collect();
        writeln!(formatter, "  {start}{}", if start.len() < text.len() { "…" } else { "" })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differences, meant, skipped, requests, unreadable, responses } = self;
        writeln!(formatter, "{requests} requests, {responses} responses")?;
        for Skipped { operation, reason } in skipped {
            writeln!(formatter, "no request to {operation}: {reason}")?;
        }
        for ((name, reason), count) in meant {
            writeln!(formatter, "{count} times, as meant: {name}: {reason}")?;
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for difference in differences {
            *kinds.entry(difference.kind).or_default() += 1;
        }
        for (kind, count) in kinds {
            writeln!(formatter, "{count} times: {kind}")?;
        }
        writeln!(formatter)?;
        for difference in differences {
            write!(formatter, "{difference}")?;
        }
        for response in unreadable {
            writeln!(formatter, "{response}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{escaped, field, without_place};

    #[test]
    fn places_of_parameters_are_no_part_of_their_names() {
        for (field, expected) in [
            ("id (query)", "id"),
            ("id (header).0.a", "id.0.a"),
            ("id", "id"),
            ("a (b)", "a (b)"),
            ("a.b (query)", "a.b (query)"),
        ] {
            assert_eq!(without_place(field), expected);
        }
    }

    #[test]
    fn violations_name_fields_as_servers_do() {
        for (line, expected) in [
            ("body /contact/custom/2: is too long", Some("contact.custom.2")),
            ("query limit: must be an integer", Some("limit")),
            ("query ids /0: must be: an integer", Some("ids.0")),
            ("body: is required", Some("body")),
            ("body /: is not known", Some("")),
            ("body /guest/: is not known", Some("guest.")),
            ("security: send a token", None),
        ] {
            assert_eq!(field(line).as_deref(), expected, "{line}");
        }
        assert_eq!(escaped("größe"), "gr\\u{f6}\\u{df}e");
    }
}
