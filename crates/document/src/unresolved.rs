//! Explains why a reference has no target, and guesses the intended one.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::forest::{Failure, Forest, NodeId};
use crate::reference::{Malformed, as_fragment};
use crate::tree::Data;

/// Names of one object that are compared; beyond that, a guess is not worth its time.
const MAX_CANDIDATES: usize = 5_000;

/// Names longer than this are not compared, because the work grows with the product of the lengths.
const MAX_NAME: usize = 120;

/// Returns the diagnostic for a reference text that cannot be followed; `guess` says whether to search for
/// the intended target.
pub(crate) fn explain(
    forest: &Forest,
    value: NodeId,
    text: &str,
    failure: &Failure,
    guess: bool,
) -> Diagnostic {
    let span = forest.span(value);
    match failure {
        Failure::Malformed(Malformed::Remote) | Failure::NotAsked(_) => Diagnostic::error(
            codes::REMOTE_REFERENCE,
            span,
            format!("`{text}` leads to another machine or scheme"),
        )
        .note("documents are read without a network, so that the same files always mean the same")
        .hint("copy the file beside this one and refer to it by its path, or say where a copy is: `--map ADDRESS=FOLDER`"),
        Failure::Malformed(Malformed::Invalid(reason, hint)) => Diagnostic::error(
            codes::INVALID_REFERENCE,
            span,
            format!("`{text}` is not a reference: {reason}"),
        )
        .hint(*hint),
        Failure::Missing { parent, token, rest } => {
            missing(forest, value, text, *parent, (token, rest), guess)
        }
        Failure::Circle => Diagnostic::error(
            codes::REFERENCE_CYCLE,
            span,
            format!("`{text}` leads through references in a circle"),
        )
        .hint("refer to the value directly"),
        Failure::NotLoaded(path) => {
            Diagnostic::error(codes::UNREADABLE_FILE, span, format!("`{path}` is not part of the document"))
        }
        Failure::Unreadable => {
            Diagnostic::error(codes::UNREADABLE_FILE, span, format!("the file of `{text}` could not be read"))
        }
    }
}

fn missing(
    forest: &Forest,
    value: NodeId,
    text: &str,
    parent: NodeId,
    (token, rest): (&str, &[String]),
    guess: bool,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        codes::UNRESOLVED_REFERENCE,
        forest.span(value),
        format!("`{text}` does not exist"),
    );
    let at_root = forest.parent(parent).is_none();
    let place = if at_root { forest.source(parent.file).path().to_owned() } else { forest.pointer(parent) };
    let explanation = match forest.node(parent).data {
        Data::Object { .. } => format!("`{place}` has no member `{token}`"),
        Data::Array { .. } => format!("`{place}` is an array without an element `{token}`"),
        _ => format!("`{place}` is neither an object nor an array"),
    };
    diagnostic = if at_root {
        diagnostic.note(explanation)
    } else {
        diagnostic.related(forest.key_span(parent), explanation)
    };
    let meant = guess
        .then(|| alike(forest, parent, token))
        .flatten()
        .map(|found| rest.iter().try_fold(found, |node, token| forest.child(node, token)).unwrap_or(found))
        .or_else(|| elsewhere(forest, parent, token).filter(|_| rest.is_empty()));
    match meant {
        Some(target) => diagnostic.hint(format!("did you mean `{}`?", reference_to(forest, value, target))),
        None => diagnostic.hint("add the missing value, or correct the reference"),
    }
}

/// Returns a reference to `target` as it would be written at `site`.
fn reference_to(forest: &Forest, site: NodeId, target: NodeId) -> String {
    let fragment = as_fragment(&forest.pointer(target));
    if site.file == target.file {
        return fragment;
    }
    let written = forest.string(site).and_then(|text| text.split_once('#')).map_or("", |(file, _)| file);
    format!("{written}{fragment}")
}

/// Returns the member of `parent` whose key is most like `token`: at most one edit for every three characters
/// apart.
fn alike(forest: &Forest, parent: NodeId, token: &str) -> Option<NodeId> {
    let wanted = token.to_lowercase();
    let length = wanted.chars().count();
    let reach = (length / 3).max(1);
    if length < 2 || wanted.len() > MAX_NAME {
        return None;
    }
    forest
        .children(parent)
        .take(MAX_CANDIDATES)
        .filter_map(|child| Some((forest.key(child)?.to_lowercase(), child)))
        .filter(|(key, _)| key.len() <= MAX_NAME && key.chars().count().abs_diff(length) <= reach)
        .map(|(key, child)| (strsim::osa_distance(&key, &wanted), child))
        .filter(|(distance, _)| *distance <= reach)
        // The first of equals wins, so the result does not depend on how minima are found.
        .min_by_key(|(distance, child)| (*distance, *child))
        .map(|(_, child)| child)
}

/// Returns an entry of the same name in another section of the same `components`.
fn elsewhere(forest: &Forest, parent: NodeId, token: &str) -> Option<NodeId> {
    let components = forest.member(forest.file_root(parent.file)?, "components")?;
    forest
        .children(components)
        .filter(|section| *section != parent)
        .find_map(|section| forest.member(section, token))
}
