//! Detection of schemas that are written identically in both documents, and therefore need no comparison.

use std::collections::HashMap;

use frontdesk_document::{Kind, NodeId, NodeRef};

/// The known results for pairs of schemas: `true` if they and everything that they refer to are written
/// identically.
#[derive(Debug, Default)]
pub(super) struct Same {
    known: HashMap<(NodeId, NodeId), bool>,
}

impl Same {
    /// Returns whether two schemas and everything that they refer to are written identically.
    pub(super) fn holds(&mut self, base: NodeRef<'_>, revision: NodeRef<'_>) -> bool {
        let start = (base.id(), revision.id());
        if let Some(known) = self.known.get(&start) {
            return *known;
        }
        // All reachable schemas are checked together; a schema that refers to a different one is different.
        let mut found: Vec<((NodeId, NodeId), Vec<usize>)> = vec![(start, Vec::new())];
        let mut numbers = HashMap::from([(start, 0)]);
        let mut differing = Vec::new();
        let mut next = 0;
        while let Some((pair, _)) = found.get(next) {
            let (left, right) = (base.document().node(pair.0), revision.document().node(pair.1));
            let mut targets = Vec::new();
            if !alike(left, right, &mut targets) {
                differing.push(next);
                targets.clear();
            }
            for target in targets {
                match self.known.get(&target) {
                    Some(true) => {}
                    Some(false) => differing.push(next),
                    None => {
                        let number = *numbers.entry(target).or_insert_with(|| {
                            found.push((target, Vec::new()));
                            found.len() - 1
                        });
                        found[number].1.push(next);
                    }
                }
            }
            next += 1;
        }
        let mut same = vec![true; found.len()];
        while let Some(number) = differing.pop() {
            if std::mem::replace(&mut same[number], false) {
                differing.extend(&found[number].1);
            }
        }
        self.known.extend(found.into_iter().zip(&same).map(|((pair, _), same)| (pair, *same)));
        same[0]
    }
}

/// Returns whether two values are written identically; their references are added to `targets`.
fn alike(left: NodeRef<'_>, right: NodeRef<'_>, targets: &mut Vec<(NodeId, NodeId)>) -> bool {
    let mut waiting = vec![(left, right)];
    while let Some((left, right)) = waiting.pop() {
        let kind = left.kind();
        if kind != right.kind() || left.len() != right.len() {
            return false;
        }
        match kind {
            Kind::Null => {}
            Kind::Bool if left.as_bool() == right.as_bool() => {}
            Kind::Integer | Kind::Number if left.as_number() == right.as_number() => {}
            Kind::String if left.as_str() == right.as_str() => {}
            Kind::Bool | Kind::Integer | Kind::Number | Kind::String => return false,
            Kind::Array => waiting.extend(left.items().zip(right.items())),
            Kind::Object => {
                if left.reference().is_some() {
                    if left.reference() != right.reference() {
                        return false;
                    }
                    let (Ok(left), Ok(right)) = (left.resolve(), right.resolve()) else { return false };
                    targets.push((left.id(), right.id()));
                    continue;
                }
                for (one, other) in left.members().zip(right.members()) {
                    if one.0 != other.0 {
                        return false;
                    }
                    waiting.push((one.1, other.1));
                }
            }
        }
    }
    true
}
