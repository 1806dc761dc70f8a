//! Changes for users of the generated packages: the finding that explains each change, and the version bumps
//! that they require.
//!
//! The caller provides the changes ([`Change`]), because the generator knows both interfaces. This module
//! assigns each to a finding, by its location in the document or because it follows from another change. A
//! change without an explanation becomes a finding of its own.

use std::collections::{BTreeMap, HashMap};

use super::addresses::shape;
use super::collect::name;
use super::effect::{Bump, Bumps, Level, Verdict};
use super::finding::{CodeBumps, Comparison, Finding, Use};
use super::rules::{self, Rule};
use crate::compat::direction::Direction;

/// The location in a document from which an item of generated code derives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file and the JSON pointer of a schema.
    pub schema: Option<(String, String)>,
    /// A property or a value of that schema.
    pub member: Option<String>,
    /// Operations, as method and path. An empty one stands for the document.
    pub operations: Vec<String>,
    /// The part of these operations, in the form of [`Use::place`].
    pub part: Option<String>,
}

/// A change of the interface of generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What changes, without a full stop.
    pub text: String,
    /// The type or item that changes.
    pub subject: String,
    /// Other types whose changes may cause this one.
    pub mentions: Vec<String>,
    /// The version bump that the server crate needs.
    pub server: Bump,
    /// The version bump that the client crate needs.
    pub client: Bump,
    /// The version bump that the JavaScript client needs.
    pub javascript: Bump,
    /// The origin in the base.
    pub base: Option<Origin>,
    /// The origin in the revision.
    pub revision: Option<Origin>,
}

impl Change {
    fn breaks(&self) -> bool {
        self.server.max(self.client).max(self.javascript) == Bump::Major
    }
}

/// How well a finding explains a change; 0 means not at all.
type Closeness = u8;

/// The language of the code that uses a generated package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    TypeScript,
}

impl Comparison {
    /// Replaces the estimated verdicts and versions by those that follow from the changes of generated code.
    pub fn with_code(mut self, changes: &[Change]) -> Self {
        self.explain(Language::Rust, changes);
        self.code = Some(changes.iter().fold(CodeBumps::default(), |bumps, change| CodeBumps {
            server: bumps.server.max(change.server),
            client: bumps.client.max(change.client),
        }));
        self
    }

    /// Adds the verdicts and versions that follow from the changes of the JavaScript client's types. Nothing
    /// is estimated without them.
    pub fn with_javascript(mut self, changes: &[Change]) -> Self {
        self.explain(Language::TypeScript, changes);
        let bumps = changes.iter().map(|change| change.javascript);
        self.javascript = Some(bumps.max().unwrap_or_default());
        self
    }

    /// Assigns the changes to the findings that explain them.
    fn explain(&mut self, language: Language, changes: &[Change]) {
        let (explained, left) = explanations(&self.findings, changes);
        for (index, finding) in self.findings.iter_mut().enumerate() {
            let of_it = explained.iter().zip(changes).filter(|(by, _)| by.contains(&index));
            language.finalize(finding, of_it.map(|(_, change)| change));
        }
        let left: Vec<&Change> = left.iter().map(|index| &changes[*index]).collect();
        self.findings.extend(unexplained(language, &left));
    }
}

impl Language {
    fn verdict(self) -> Verdict {
        match self {
            Self::Rust => Verdict::Source,
            Self::TypeScript => Verdict::Types,
        }
    }

    /// The rule of changes that no other finding explains, and the packages that they concern.
    fn rule(self) -> (&'static Rule, &'static str) {
        match self {
            Self::Rust => (rules::RUST_INTERFACE, "in the generated crates"),
            Self::TypeScript => (rules::TYPESCRIPT_INTERFACE, "in the JavaScript client"),
        }
    }

    /// Replaces the estimate of a finding by what follows from the changes that it explains.
    fn finalize<'c>(self, finding: &mut Finding, changes: impl Iterator<Item = &'c Change>) {
        let verdict = self.verdict();
        finding.verdicts.retain(|other| *other != verdict);
        // Runtime checks and docs follow the document, whatever else stays.
        let patch = Bump::Patch;
        let bumps = &mut finding.bumps;
        match self {
            Self::Rust => (bumps.server, bumps.client) = (patch, patch),
            Self::TypeScript => bumps.javascript = Some(patch),
        }
        for change in changes {
            if change.breaks() && !finding.verdicts.contains(&verdict) {
                finding.verdicts.push(verdict);
                finding.verdicts.sort_unstable();
            }
            let bumps = &mut finding.bumps;
            match self {
                Self::Rust => {
                    bumps.server = bumps.server.max(change.server);
                    bumps.client = bumps.client.max(change.client);
                }
                Self::TypeScript => bumps.javascript = bumps.javascript.max(Some(change.javascript)),
            }
            finding.code.push(change.text.clone());
        }
    }
}

/// Returns the findings that explain each change, by index, and the changes without an explanation.
fn explanations(findings: &[Finding], changes: &[Change]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut explained: Vec<Vec<usize>> = changes
        .iter()
        .map(|change| {
            let each: Vec<Closeness> = findings.iter().map(|finding| closeness(change, finding)).collect();
            let most = each.iter().copied().max().unwrap_or_default();
            (0..findings.len()).filter(|index| most > 0 && each[*index] == most).collect()
        })
        .collect();
    let (mut by_subject, mut by_mention) =
        (HashMap::<&str, Vec<usize>>::new(), HashMap::<&str, Vec<usize>>::new());
    for (index, change) in changes.iter().enumerate() {
        by_subject.entry(&change.subject).or_default().push(index);
        for mentioned in &change.mentions {
            by_mention.entry(mentioned).or_default().push(index);
        }
    }
    // A change may follow from another one, and that from a third.
    loop {
        let open: Vec<usize> = (0..changes.len()).filter(|index| explained[*index].is_empty()).collect();
        let mut found = Vec::new();
        for index in &open {
            let change = &changes[*index];
            let named = [&change.subject].into_iter().chain(&change.mentions);
            let subjects = named.filter_map(|name| by_subject.get(name.as_str()));
            let others = subjects.chain(by_mention.get(change.subject.as_str())).flatten();
            let mut by: Vec<usize> = others.flat_map(|other| explained[*other].iter().copied()).collect();
            by.sort_unstable();
            by.dedup();
            if !by.is_empty() {
                found.push((*index, by));
            }
        }
        if found.is_empty() {
            return (explained, open);
        }
        for (index, by) in found {
            explained[index] = by;
        }
    }
}

fn closeness(change: &Change, finding: &Finding) -> Closeness {
    let directions = [(&change.base, &finding.base), (&change.revision, &finding.revision)];
    let by_schema = directions.into_iter().filter_map(|(origin, location)| {
        let (origin, location) = (origin.as_ref()?, location.as_ref()?);
        let (file, pointer) = origin.schema.as_ref()?;
        (*file == location.file)
            .then(|| below(pointer, origin.member.as_deref(), &location.pointer, &finding.message))
    });
    let by_use = [&change.base, &change.revision]
        .into_iter()
        .flatten()
        .flat_map(|origin| finding.uses.iter().map(|used| in_operation(origin, used)));
    by_schema.chain(by_use).max().unwrap_or_default()
}

/// Returns how close a location is to a schema, or to a property of it.
fn below(pointer: &str, member: Option<&str>, place: &str, message: &str) -> Closeness {
    let Some(rest) = place.strip_prefix(pointer).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    else {
        // A change around a schema may affect it.
        let around = pointer.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
        return u8::from(around);
    };
    let Some(name) = member else {
        return if rest.contains("/properties/") { 2 } else { 4 };
    };
    let escaped = format!("/properties/{}", name.replace('~', "~0").replace('/', "~1"));
    let inside = rest.find("/properties/").map(|at| &rest[at..]);
    match inside {
        Some(inside) if inside == escaped || inside.starts_with(&format!("{escaped}/")) => 5,
        Some(_) => 0,
        None if message.contains(&format!("`{name}`")) || message.contains(&format!("\"{name}\"")) => 5,
        None => 2,
    }
}

fn in_operation(origin: &Origin, used: &Use) -> Closeness {
    if !origin.operations.iter().any(|operation| shape(operation) == shape(&used.operation)) {
        return 0;
    }
    match &origin.part {
        Some(part) if used.place == *part => 5,
        Some(part) if used.place.starts_with(part.as_str()) => 3,
        // The whole operation was removed or renamed.
        _ if used.place.is_empty() => 4,
        Some(_) => 0,
        None if used.place.contains(" › .") => 0,
        None => 1,
    }
}

/// Makes findings of unexplained changes, one for each type or item that breaks code.
fn unexplained(language: Language, changes: &[&Change]) -> Vec<Finding> {
    let mut subjects: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        subjects.entry(&change.subject).or_default().push(change);
    }
    let breaking = |changes: &Vec<&Change>| changes.iter().any(|change| change.breaks());
    subjects
        .into_iter()
        .filter(|(_, changes)| breaking(changes))
        .map(|(subject, changes)| {
            let (rule, packages) = language.rule();
            let message = format!("the interface of `{subject}` {packages} changed");
            let operations =
                changes[0].base.iter().chain(&changes[0].revision).flat_map(|origin| &origin.operations);
            let mut uses: Vec<Use> = Vec::new();
            for operation in operations {
                let used = Use { operation: operation.clone(), place: String::new() };
                if !uses.contains(&used) {
                    uses.push(used);
                }
            }
            if uses.is_empty() {
                uses.push(Use { operation: String::new(), place: format!("code › {subject}") });
            }
            let mut finding = Finding {
                id: name(rule, Direction::Response, subject, &message),
                rule,
                level: Level::Safe,
                verdicts: Vec::new(),
                message,
                excuse: None,
                uses,
                base: None,
                revision: None,
                witness: None,
                bumps: Bumps { spec: Bump::Patch, ..Bumps::default() },
                code: Vec::new(),
            };
            language.finalize(&mut finding, changes.into_iter());
            finding
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_close_to_the_member_that_they_are_about() {
        let schema = "/components/schemas/A";
        let at = |member, place: &str, message| below(schema, member, place, message);
        assert_eq!(at(Some("b"), "/components/schemas/A/properties/b/type", ""), 5);
        assert_eq!(at(Some("b"), "/components/schemas/A/properties/bc/type", ""), 0);
        assert_eq!(at(Some("b"), "/components/schemas/A/allOf/0/properties/b", ""), 5);
        assert_eq!(at(Some("b"), "/components/schemas/A/required", "`b` must be there"), 5);
        assert_eq!(at(None, "/components/schemas/A/properties/b", ""), 2);
        assert_eq!(at(None, "/components/schemas/AB", ""), 0);
        assert_eq!(at(None, "/components", ""), 1);
    }

    #[test]
    fn parts_of_operations_are_told_apart() {
        let origin = |part: &str| Origin {
            operations: vec!["GET /a/{id}".to_owned()],
            part: (!part.is_empty()).then(|| part.to_owned()),
            ..Origin::default()
        };
        let used = |place: &str| Use { operation: "GET /a/{thing}".to_owned(), place: place.to_owned() };
        assert_eq!(in_operation(&origin("request body"), &used("request body application/json")), 3);
        assert_eq!(in_operation(&origin("request body"), &used("response 200")), 0);
        assert_eq!(in_operation(&origin(""), &used("")), 4);
        assert_eq!(in_operation(&origin(""), &used("response 200 application/json › .name")), 0);
    }
}
