//! What code in TypeScript notices of the difference between two clients: what was exported still is, what
//! was enough to send still is, and what was read has neither shrunk nor grown beyond what was expected.

use std::collections::{BTreeMap, BTreeSet};

use super::assign::Assignment;
use super::ty::{FURTHER, Member, Ty};
use super::{Declaration, Declarations};
use crate::interface::{Difference, Origin, Package, Weight};

/// Returns the differences between the clients of two documents, in the order of the names.
pub fn differences(base: &Declarations, revision: &Declarations) -> Vec<Difference> {
    let mut comparison = Comparison { base, revision, found: Vec::new() };
    for (name, old) in &base.exported {
        match revision.exported.get(name) {
            Some(new) => comparison.changed(name, old, new),
            None => {
                let text = format!("`{name}` is no longer exported");
                comparison.tell(Weight::Breaking, (name, ""), &text, old.names());
            }
        }
    }
    for (name, new) in &revision.exported {
        if !base.exported.contains_key(name) {
            let text = format!("`{name}` is exported");
            comparison.tell(Weight::Added, (name, ""), &text, new.names());
        }
    }
    comparison.found
}

impl Declaration {
    /// Returns all names of types that are written in it.
    fn names(&self) -> Vec<String> {
        let types: Vec<&Ty> = match self {
            Self::Interface(members) => members.values().map(|member| &member.ty).collect(),
            Self::Alias(ty) => vec![ty],
            Self::Function { arguments, output, .. } => {
                arguments.iter().map(|(_, argument)| &argument.ty).chain([output]).collect()
            }
        };
        types.into_iter().flat_map(Ty::names).map(str::to_owned).collect()
    }
}

/// Who uses a type: users write it, read it, or both.
#[derive(Clone, Copy)]
struct Use {
    written: bool,
    read: bool,
}

/// What users only write, such as arguments of functions.
const WRITTEN: Use = Use { written: true, read: false };

/// What users only read, such as responses.
const READ: Use = Use { written: false, read: true };

/// The member that stands for what a function returns.
const RETURNED: &str = "->";

struct Comparison<'d> {
    base: &'d Declarations,
    revision: &'d Declarations,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    /// Adds a difference of a declaration, or of a member of it.
    fn tell(&mut self, weight: Weight, (owner, member): (&str, &str), text: &str, mentions: Vec<String>) {
        let origin = |side: &Declarations| -> Option<Origin> {
            side.exported.contains_key(owner).then(|| side.origin(owner, member))
        };
        self.found.push(Difference {
            package: Package::JavaScript,
            only_servers: false,
            subject: owner.to_owned(),
            weight,
            text: format!("{}: {text}", Package::JavaScript),
            mentions,
            base: origin(self.base),
            revision: origin(self.revision),
        });
    }

    fn used(&self, name: &str) -> Use {
        let is_in = |side: fn(&Declarations) -> &BTreeSet<String>| {
            side(self.base).contains(name) || side(self.revision).contains(name)
        };
        let (written, read) = (is_in(|side| &side.written), is_in(|side| &side.read));
        // What no function uses is still exported, and may be used in any way.
        if written || read { Use { written, read } } else { Use { written: true, read: true } }
    }

    fn changed(&mut self, name: &str, old: &Declaration, new: &Declaration) {
        let used = self.used(name);
        match (old, new) {
            (Declaration::Interface(before), Declaration::Interface(after)) => {
                self.members(name, used, before, after);
            }
            (Declaration::Alias(before), Declaration::Alias(after)) => {
                if is_of_results(before) && is_of_results(after) {
                    self.results(name, before, after);
                } else {
                    self.types((name, ""), used, before, after);
                }
            }
            (
                Declaration::Function { module, arguments, output },
                Declaration::Function { module: other, arguments: others, output: returned },
            ) => {
                if module != other {
                    let text = format!("`{name}` moved from the module `{module}` to `{other}`");
                    self.tell(Weight::Breaking, (name, ""), &text, Vec::new());
                }
                let (before, after): (BTreeMap<_, _>, BTreeMap<_, _>) =
                    (arguments.iter().cloned().collect(), others.iter().cloned().collect());
                self.members(name, WRITTEN, &before, &after);
                self.types((name, RETURNED), READ, output, returned);
            }
            (before, after) => {
                let text = format!("`{name}` was {}, is {}", described(before), described(after));
                let fits = match (before, after) {
                    (Declaration::Function { .. }, _) | (_, Declaration::Function { .. }) => false,
                    _ => self.accepts(used, &as_type(name, before), &as_type(name, after)),
                };
                let weight = if fits { Weight::Added } else { Weight::Breaking };
                let mentions = before.names().into_iter().chain(after.names()).collect();
                self.tell(weight, (name, ""), &text, mentions);
            }
        }
    }

    fn members(
        &mut self,
        owner: &str,
        used: Use,
        old: &BTreeMap<String, Member>,
        new: &BTreeMap<String, Member>,
    ) {
        for (name, before) in old {
            let what = self.what(owner, name);
            let Some(after) = new.get(name) else {
                let text = format!("{what}, `{}`, is gone", before.ty);
                self.tell(Weight::Breaking, (owner, name), &text, names(&before.ty));
                continue;
            };
            if before.optional != after.optional {
                let (is_broken, state) = match (after.optional, used.written) {
                    (true, _) => (used.read, "may be absent"),
                    (false, true) => (true, "is required"),
                    (false, false) => (false, "is always there"),
                };
                let weight = if is_broken { Weight::Breaking } else { Weight::Added };
                self.tell(weight, (owner, name), &format!("{what} {state}"), Vec::new());
            }
            self.types((owner, name), used, &before.ty, &after.ty);
        }
        for (name, after) in new {
            if old.contains_key(name) {
                continue;
            }
            let (weight, added) = if used.written && !after.optional && name != FURTHER {
                (Weight::Breaking, "was added and is required")
            } else {
                (Weight::Added, "was added")
            };
            let text = format!("{}, `{}`, {added}", self.what(owner, name), after.ty);
            self.tell(weight, (owner, name), &text, names(&after.ty));
        }
    }

    /// Returns a member as users call it.
    fn what(&self, owner: &str, member: &str) -> String {
        let is_function = [self.base, self.revision]
            .iter()
            .any(|side| matches!(side.exported.get(owner), Some(Declaration::Function { .. })));
        let member = member.trim_matches('\'');
        if is_function { format!("`{member}` of `{owner}`") } else { format!("`{owner}.{member}`") }
    }

    /// Compares what a declaration or a member is.
    fn types(&mut self, (owner, member): (&str, &str), used: Use, old: &Ty, new: &Ty) {
        if old == new {
            return;
        }
        let is_same = Assignment::new(self.base, self.revision).fits(old, new)
            && Assignment::new(self.revision, self.base).fits(new, old);
        if is_same {
            return;
        }
        let accepts = self.accepts(used, old, new);
        let text = match member {
            "" => format!("`{owner}` was `{old}`, is `{new}`"),
            RETURNED => format!("`{owner}` returned `{old}`, returns `{new}`"),
            member => format!("{} was `{old}`, is `{new}`", self.what(owner, member)),
        };
        let weight = if accepts { Weight::Added } else { Weight::Breaking };
        let mentions = names(old).into_iter().chain(names(new)).collect();
        self.tell(weight, (owner, member), &text, mentions);
    }

    /// Returns whether code for the old type compiles with the new one.
    fn accepts(&self, used: Use, old: &Ty, new: &Ty) -> bool {
        let given = !used.written || Assignment::new(self.base, self.revision).fits(old, new);
        given && (!used.read || self.reads(old, new))
    }

    /// Returns whether code that reads the old type compiles with the new one: it expects every value, and
    /// every value that it compares with can still occur.
    fn reads(&self, old: &Ty, new: &Ty) -> bool {
        let literals = old.alternatives().iter().filter(|ty| matches!(ty, Ty::Literal(_)));
        Assignment::new(self.revision, self.base).fits(new, old)
            && literals
                .into_iter()
                .all(|literal| Assignment::new(self.base, self.revision).fits(literal, new))
    }

    /// Compares the responses of an operation, by their statuses.
    fn results(&mut self, owner: &str, old: &Ty, new: &Ty) {
        let (before, after) = (by_status(old), by_status(new));
        for (key, body) in &before {
            match after.get(key) {
                Some(other) => {
                    self.types((owner, &format!("status {key}")), READ, body, other);
                }
                None => {
                    let text = format!("`{owner}` no longer has the status {key}, `{body}`");
                    self.tell(Weight::Breaking, (owner, ""), &text, names(body));
                }
            }
        }
        for (key, body) in &after {
            if !before.contains_key(key) {
                let text = format!("`{owner}` has the status {key}, `{body}`");
                // A success is also what a call without `result()` returns. An error that was not declared
                // had an unknown body.
                let was = before.iter().find(|(key, _)| key.starts_with(SUCCESS));
                let is_broken =
                    key.starts_with(SUCCESS) && was.is_some_and(|(_, was)| !self.reads(was, body));
                let weight = if is_broken { Weight::Breaking } else { Weight::Added };
                self.tell(weight, (owner, ""), &text, names(body));
            }
        }
    }
}

/// How the statuses of successes begin in [`by_status`].
const SUCCESS: &str = "of success ";

/// Returns the bodies of responses by kind and status. What stands for all other statuses is left out.
fn by_status(results: &Ty) -> BTreeMap<String, Ty> {
    let mut found = BTreeMap::new();
    for result in results.alternatives() {
        let Ty::Generic(name, arguments) = result else { continue };
        let [status, body] = arguments.as_slice() else { continue };
        let is_rest = matches!(status, Ty::Generic(name, _) if name == "runtime.OtherStatus");
        if !is_rest {
            let kind = if name == "runtime.Success" { SUCCESS } else { "of error " };
            // Which statuses of a class are declared one by one is not a matter of the class.
            let status = match status {
                Ty::Generic(name, arguments) if name == "runtime.Others" => arguments[0].to_string(),
                status => status.to_string(),
            };
            found.insert(format!("{kind}{status}"), body.clone());
        }
    }
    found
}

/// Returns whether a type lists the responses of an operation.
fn is_of_results(ty: &Ty) -> bool {
    ty.alternatives().iter().all(
        |ty| matches!(ty, Ty::Generic(name, _) if name == "runtime.Success" || name == "runtime.Failure"),
    )
}

fn names(ty: &Ty) -> Vec<String> {
    ty.names().into_iter().map(str::to_owned).collect()
}

fn described(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Interface(_) => "an interface".to_owned(),
        Declaration::Alias(ty) => format!("`{ty}`"),
        Declaration::Function { .. } => "a function".to_owned(),
    }
}

/// Returns a declaration as a type that is not called by its name.
fn as_type(name: &str, declaration: &Declaration) -> Ty {
    match declaration {
        Declaration::Interface(members) => Ty::Object(members.clone()),
        Declaration::Alias(ty) => ty.clone(),
        Declaration::Function { .. } => Ty::Name(name.to_owned()),
    }
}
