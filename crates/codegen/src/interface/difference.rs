//! What a user's code notices of the difference between two interfaces, by the rules of Rust: what was named
//! is there, what was enough still is, and what was complete has not grown.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fact, Function, Interface, Item, Openness, Origin, Package, Path};

/// Whether code that compiled still does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Code may do more than before.
    Added,
    /// Code may stop compiling.
    Breaking,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The crate.
    pub package: Package,
    /// Whether only servers see it.
    pub only_servers: bool,
    /// The type, the trait or the item that it is about.
    pub subject: String,
    /// Whether code breaks.
    pub weight: Weight,
    /// What differs, such as ``model: `Chatbot::name` was `String`, is `Option<String>` ``.
    pub text: String,
    /// The types that one of both writes and the other does not.
    pub mentions: Vec<String>,
    /// Where it comes from in the base, if it is there.
    pub base: Option<Origin>,
    /// Where it comes from in the revision, if it is there.
    pub revision: Option<Origin>,
}

impl Difference {
    /// Whether users of the server crate see it.
    pub fn is_of_server(&self) -> bool {
        matches!(self.package, Package::Model | Package::Server)
    }

    /// Whether users of the client crate see it.
    pub fn is_of_client(&self) -> bool {
        matches!(self.package, Package::Model | Package::Client) && !self.only_servers
    }

    /// Whether users of the JavaScript client see it.
    pub fn is_of_javascript(&self) -> bool {
        self.package == Package::JavaScript
    }
}

/// What differs between the crates of two documents, in the order of their items.
pub fn differences(base: &Interface, revision: &Interface) -> Vec<Difference> {
    let renamed = renamed(base, revision);
    let mut comparison = Comparison { base, revision, found: Vec::new() };
    for (old, new) in &renamed {
        comparison.renamed(old, new);
    }
    let names: BTreeMap<&str, &str> = renamed.iter().map(|(old, new)| (&*old.owner, &*new.owner)).collect();
    // What has another name is compared under the new one.
    let old: BTreeMap<Path, (&Path, Item)> = base
        .items
        .iter()
        .map(|(path, item)| (under(path, &names), (path, spelled_anew(item, &names))))
        .collect();
    for (path, (written, item)) in &old {
        let owner = Path { member: String::new(), ..path.clone() };
        match revision.items.get(path) {
            Some(other) => comparison.changed(written, path, item, other),
            // With what it belongs to, it is gone without a word of its own.
            None if path.member.is_empty()
                || revision.items.contains_key(&owner)
                || !old.contains_key(&owner) =>
            {
                comparison.gone(written, item);
            }
            None => {}
        }
    }
    for (path, item) in &revision.items {
        if !old.contains_key(path) {
            let owner = Path { member: String::new(), ..path.clone() };
            if path.member.is_empty() || old.contains_key(&owner) || !revision.items.contains_key(&owner) {
                let holder = revision.items.get(&owner).filter(|_| !path.member.is_empty());
                comparison.added(path, item, holder);
            }
        }
    }
    comparison.found
}

/// Types that are the same under another name.
fn renamed(base: &Interface, revision: &Interface) -> Vec<(Path, Path)> {
    let alone = |one: &Interface, other: &Interface| {
        one.items
            .iter()
            .filter(|(path, item)| {
                path.package == Package::Model
                    && path.member.is_empty()
                    && matches!(item.fact, Fact::Struct { .. } | Fact::Enum { .. } | Fact::Alias { .. })
                    && !other.items.contains_key(path)
            })
            .map(|(path, _)| path.clone())
            .collect::<Vec<_>>()
    };
    let (mut old, mut new) = (alone(base, revision), alone(revision, base));
    // Only what is alike without any of the names in question can be the same.
    let unknown: BTreeMap<String, &str> =
        old.iter().chain(&new).map(|path| (path.owner.clone(), "_")).collect();
    let unknown: BTreeMap<&str, &str> = unknown.iter().map(|(name, mask)| (&**name, *mask)).collect();
    let mask = |interface: &Interface, path: &Path| format!("{:?}", whole(interface, path, &unknown));
    let mut alike: BTreeMap<String, Vec<Path>> = BTreeMap::new();
    for path in new.drain(..) {
        alike.entry(mask(revision, &path)).or_default().push(path);
    }
    let masked: BTreeMap<Path, String> = old.iter().map(|path| (path.clone(), mask(base, path))).collect();
    let mut found: Vec<(Path, Path)> = Vec::new();
    // A type may be the same only when those that it holds are known to be.
    loop {
        let known = found.len();
        old.retain(|before| {
            let Some(others) = alike.get_mut(&masked[before]) else { return false };
            let mut names: BTreeMap<&str, &str> =
                found.iter().map(|(old, new)| (&*old.owner, &*new.owner)).collect();
            let same = others.iter().position(|after| {
                names.insert(&before.owner, &after.owner);
                whole(base, before, &names) == whole(revision, after, &BTreeMap::new())
            });
            if let Some(index) = same {
                found.push((before.clone(), others.remove(index)));
            }
            same.is_none()
        });
        if found.len() == known {
            return found;
        }
    }
}

/// A type with its members.
fn whole(interface: &Interface, path: &Path, names: &BTreeMap<&str, &str>) -> Vec<(String, Item)> {
    interface
        .items
        .range(path.clone()..)
        .take_while(|(other, _)| other.package == path.package && other.owner == path.owner)
        .map(|(path, item)| (anew(&path.member, names), spelled_anew(item, names)))
        .collect()
}

fn under(path: &Path, names: &BTreeMap<&str, &str>) -> Path {
    let owner = anew(&path.owner, names);
    Path { package: path.package, owner, member: anew(&path.member, names) }
}

fn spelled_anew(item: &Item, names: &BTreeMap<&str, &str>) -> Item {
    let anew = |text: &String| anew(text, names);
    let fact = match &item.fact {
        Fact::Struct { generics, open } => Fact::Struct { generics: anew(generics), open: *open },
        Fact::Enum { open } => Fact::Enum { open: *open },
        Fact::Trait { bounds } => Fact::Trait { bounds: anew(bounds) },
        Fact::Alias { ty } => Fact::Alias { ty: anew(ty) },
        Fact::Constant { ty } => Fact::Constant { ty: anew(ty) },
        Fact::Foreign { path } => Fact::Foreign { path: path.clone() },
        Fact::Also { path } => Fact::Also { path: anew(path) },
        Fact::Field { ty } => Fact::Field { ty: anew(ty) },
        Fact::Variant { payload } => Fact::Variant { payload: anew(payload) },
        Fact::Associated { bounds, defaulted } => {
            Fact::Associated { bounds: anew(bounds), defaulted: *defaulted }
        }
        Fact::Impl { types } => Fact::Impl { types: anew(types) },
        Fact::Function(function) => Fact::Function(Function {
            generics: anew(&function.generics),
            bounds: function
                .bounds
                .iter()
                .map(|(ty, bounds)| (anew(ty), bounds.iter().map(anew).collect()))
                .collect(),
            receiver: function.receiver.clone(),
            arguments: function.arguments.iter().map(|(name, ty)| (name.clone(), anew(ty))).collect(),
            output: anew(&function.output),
            demanded: function.demanded,
        }),
    };
    Item { fact, gated: item.gated }
}

/// A text with other names for types.
fn anew(text: &str, names: &BTreeMap<&str, &str>) -> String {
    if names.is_empty() {
        return text.to_owned();
    }
    words(text).into_iter().map(|word| names.get(word).copied().unwrap_or(word)).collect()
}

/// The identifiers of a text, and what is between them.
fn words(text: &str) -> Vec<&str> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_name(letter) != is_name(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        found.push(word);
        rest = after;
    }
    found
}

/// Types that only one of two texts writes.
fn mentioned(old: &str, new: &str) -> Vec<String> {
    let names = |text: &str| -> BTreeSet<String> {
        words(text)
            .into_iter()
            .filter(|word| word.starts_with(|letter: char| letter.is_uppercase()))
            .map(str::to_owned)
            .collect()
    };
    names(old).symmetric_difference(&names(new)).cloned().collect()
}

/// An item as its users write it.
fn written(path: &Path) -> String {
    if path.member.is_empty() {
        path.owner.clone()
    } else if path.member.starts_with(": ") {
        format!("{}{}", path.owner, path.member)
    } else {
        format!("{}::{}", path.owner, path.member)
    }
}

/// What an item is, in a word and a type.
fn described(fact: &Fact) -> String {
    match fact {
        Fact::Struct { .. } => "a struct".to_owned(),
        Fact::Enum { .. } => "an enum".to_owned(),
        Fact::Trait { .. } => "a trait".to_owned(),
        Fact::Alias { ty } => format!("an alias of `{ty}`"),
        Fact::Foreign { path } | Fact::Also { path } => format!("`{path}`"),
        Fact::Variant { payload } if payload.is_empty() => "a variant".to_owned(),
        Fact::Constant { ty } | Fact::Field { ty } | Fact::Variant { payload: ty } => format!("`{ty}`"),
        Fact::Associated { bounds, .. } => format!("a type with `{bounds}`"),
        Fact::Impl { types } if types.is_empty() => "an implementation".to_owned(),
        Fact::Impl { types } => format!("`{types}`"),
        Fact::Function(function) => format!("`{}`", signature(function)),
    }
}

fn signature(function: &Function) -> String {
    let arguments: Vec<String> =
        function.arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!("fn({}) -> {}", arguments.join(", "), function.output)
}

/// Whether an argument for a required body became one for an optional body, which takes everything that the
/// other one took.
fn is_left_open(old: &str, new: &str) -> bool {
    old.strip_prefix("impl Borrow<")
        .is_some_and(|rest| new.strip_prefix("impl client::OptionalBody<") == Some(rest))
}

struct Comparison<'i> {
    base: &'i Interface,
    revision: &'i Interface,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn tell(
        &mut self,
        (path, gated): (&Path, bool),
        weight: Weight,
        text: &str,
        mentions: Vec<String>,
        origins: (Option<Origin>, Option<Origin>),
    ) {
        self.found.push(Difference {
            package: path.package,
            only_servers: gated,
            subject: path.owner.clone(),
            weight,
            text: format!("{}: {text}", path.package),
            mentions,
            base: origins.0,
            revision: origins.1,
        });
    }

    fn renamed(&mut self, old: &Path, new: &Path) {
        let text = format!("`{}` is called `{}`", old.owner, new.owner);
        let origins = (Some(self.base.origins.get(old)), Some(self.revision.origins.get(new)));
        let gated = self.base.items.get(old).is_some_and(|item| item.gated);
        self.tell((old, gated), Weight::Breaking, &text, vec![new.owner.clone()], origins);
    }

    fn gone(&mut self, path: &Path, item: &Item) {
        let text = match &item.fact {
            Fact::Impl { .. } => format!("`{}` is not implemented any more", written(path)),
            fact => format!("`{}`, {}, is gone", written(path), described(fact)),
        };
        let origins = (Some(self.base.origins.get(path)), None);
        let mentions = mentioned(&described(&item.fact), "");
        self.tell((path, item.gated), Weight::Breaking, &text, mentions, origins);
    }

    fn added(&mut self, path: &Path, item: &Item, holder: Option<&Item>) {
        let name = written(path);
        let holder = holder.map(|holder| &holder.fact);
        let (weight, reason) = match (&item.fact, holder) {
            (Fact::Field { .. }, Some(Fact::Struct { open: Openness::Nobody, .. })) => {
                (Weight::Breaking, ", in a struct that users may make and take apart by its fields")
            }
            (Fact::Variant { .. }, Some(Fact::Enum { open: Openness::Nobody })) => {
                (Weight::Breaking, ", in an enum that users may match completely")
            }
            (Fact::Function(Function { demanded: true, .. }), Some(Fact::Trait { .. }))
            | (Fact::Associated { defaulted: false, .. }, Some(Fact::Trait { .. })) => {
                (Weight::Breaking, ", which implementations have to write")
            }
            _ => (Weight::Added, ""),
        };
        let text = match &item.fact {
            Fact::Impl { .. } => format!("`{name}` is implemented"),
            fact => format!("`{name}`, {}, was added{reason}", described(fact)),
        };
        let origins = (None, Some(self.revision.origins.get(path)));
        let mentions = mentioned("", &described(&item.fact));
        if let (Fact::Field { .. }, Some(Fact::Struct { open: Openness::Clients, .. })) = (&item.fact, holder)
        {
            let text = format!("{text}, in a struct that servers may make and take apart by its fields");
            self.tell((path, true), Weight::Breaking, &text, mentions.clone(), origins.clone());
        }
        if let (Fact::Variant { .. }, Some(Fact::Enum { open: Openness::Clients })) = (&item.fact, holder) {
            let text = format!("{text}, in an enum that servers may match completely");
            self.tell((path, true), Weight::Breaking, &text, mentions.clone(), origins.clone());
        }
        self.tell((path, item.gated), weight, &text, mentions, origins);
    }

    fn changed(&mut self, written_path: &Path, path: &Path, old: &Item, new: &Item) {
        let name = written(path);
        let origins = || (Some(self.base.origins.get(written_path)), Some(self.revision.origins.get(path)));
        if old.gated != new.gated {
            let (weight, text) = if new.gated {
                (Weight::Breaking, format!("`{name}` is for servers only"))
            } else {
                (Weight::Added, format!("`{name}` is no longer for servers only"))
            };
            let origins = origins();
            // Servers have it either way.
            self.tell((path, false), weight, &text, Vec::new(), origins);
        }
        if old.fact == new.fact {
            return;
        }
        // What clients had to expect before is news to servers only.
        let news_of_servers =
            |(was, is): (Openness, Openness)| (was, is) == (Openness::Clients, Openness::Everybody);
        let gated = old.gated && new.gated
            || match (&old.fact, &new.fact) {
                (Fact::Enum { open: was }, Fact::Enum { open: is })
                | (Fact::Struct { open: was, .. }, Fact::Struct { open: is, .. }) => {
                    news_of_servers((*was, *is))
                }
                _ => false,
            };
        let (weight, text) = match (&old.fact, &new.fact) {
            (Fact::Function(before), Fact::Function(after)) => {
                let before = before.clone();
                let after = after.clone();
                return self.signatures((written_path, path, gated), &before, &after);
            }
            (Fact::Struct { generics: before, open: was }, Fact::Struct { generics: after, open: is }) => {
                if before != after {
                    let text = format!("`{name}` was generic in `{before}`, is in `{after}`");
                    (Weight::Breaking, text)
                } else if is > was {
                    (
                        Weight::Breaking,
                        format!("`{name}` can no longer be made and taken apart by its fields"),
                    )
                } else {
                    (Weight::Added, format!("`{name}` can be made and taken apart by its fields"))
                }
            }
            (Fact::Enum { open: was }, Fact::Enum { open: is }) => {
                if is < was {
                    (Weight::Added, format!("`{name}` can be matched completely"))
                } else {
                    (Weight::Breaking, format!("`{name}` can no longer be matched completely"))
                }
            }
            (Fact::Associated { .. }, Fact::Associated { bounds, .. }) => {
                (Weight::Breaking, format!("`{name}` has to be `{bounds}`"))
            }
            (before, after) => {
                (Weight::Breaking, format!("`{name}` was {}, is {}", described(before), described(after)))
            }
        };
        let mentions = mentioned(&described(&old.fact), &described(&new.fact));
        let origins = origins();
        self.tell((path, gated), weight, &text, mentions, origins);
    }

    /// Each argument by itself, as each comes from another place.
    fn signatures(
        &mut self,
        (written_path, path, gated): (&Path, &Path, bool),
        old: &Function,
        new: &Function,
    ) {
        let name = written(path);
        let of = |side: &Interface, path: &Path, argument: &str| Some(side.origins.argument(path, argument));
        let find =
            |all: &[(String, String)], name: &str| all.iter().find(|(other, _)| other == name).cloned();
        let (base, revision) = (self.base, self.revision);
        // An argument is given by its position; its name is nothing to the caller.
        let renamed = |index: usize, all: &Function, others: &Function| {
            let of = |one: &Function| one.arguments.get(index).cloned();
            of(all).zip(of(others)).is_some_and(|((name, ty), (other, as_well))| {
                ty == as_well
                    && find(&others.arguments, &name).is_none()
                    && find(&all.arguments, &other).is_none()
            })
        };
        for (index, (argument, ty)) in old.arguments.iter().enumerate() {
            if renamed(index, old, new) {
                continue;
            }
            let (text, mentions) = match find(&new.arguments, argument) {
                Some((_, other)) if other == *ty => continue,
                Some((_, other)) if is_left_open(ty, &other) => {
                    let text = format!("`{argument}` of `{name}` may be left out");
                    let origins = (of(base, written_path, argument), of(revision, path, argument));
                    self.tell((path, gated), Weight::Added, &text, Vec::new(), origins);
                    continue;
                }
                Some((_, other)) => {
                    (format!("`{argument}` of `{name}` was `{ty}`, is `{other}`"), mentioned(ty, &other))
                }
                None => (format!("`{name}` no longer takes `{argument}`"), mentioned(ty, "")),
            };
            let origins = (of(base, written_path, argument), of(revision, path, argument));
            self.tell((path, gated), Weight::Breaking, &text, mentions, origins);
        }
        for (index, (argument, ty)) in new.arguments.iter().enumerate() {
            if find(&old.arguments, argument).is_none() && !renamed(index, new, old) {
                let text = format!("`{name}` also takes `{argument}: {ty}`");
                let origins = (of(base, written_path, argument), of(revision, path, argument));
                self.tell((path, gated), Weight::Breaking, &text, mentioned("", ty), origins);
            }
        }
        if old.output != new.output {
            let text = format!("`{name}` gave `{}`, gives `{}`", old.output, new.output);
            let origins = (of(base, written_path, "->"), of(revision, path, "->"));
            self.tell((path, gated), Weight::Breaking, &text, mentioned(&old.output, &new.output), origins);
        }
        let order = |all: &[(String, String)], others: &[(String, String)]| -> Vec<String> {
            all.iter()
                .filter(|(name, _)| find(others, name).is_some())
                .map(|(name, _)| name.clone())
                .collect()
        };
        let whole = || (Some(base.origins.get(written_path)), Some(revision.origins.get(path)));
        if order(&old.arguments, &new.arguments) != order(&new.arguments, &old.arguments) {
            let text = format!("`{name}` takes its arguments in another order");
            self.tell((path, gated), Weight::Breaking, &text, Vec::new(), whole());
        }
        if (&old.generics, &old.receiver) != (&new.generics, &new.receiver) {
            let text = format!("`{name}` is generic in `{}`, was in `{}`", new.generics, old.generics);
            self.tell(
                (path, gated),
                Weight::Breaking,
                &text,
                mentioned(&old.generics, &new.generics),
                whole(),
            );
        }
        if old.demanded != new.demanded && new.demanded {
            let text = format!("implementations have to write `{name}`");
            self.tell((path, gated), Weight::Breaking, &text, Vec::new(), whole());
        }
        let each = |function: &Function| -> BTreeSet<(String, String)> {
            let bounds = function.bounds.iter();
            bounds.flat_map(|(ty, bounds)| bounds.iter().map(|bound| (ty.clone(), bound.clone()))).collect()
        };
        let (before, after) = (each(old), each(new));
        for (ty, bound) in after.difference(&before) {
            let text = format!("`{name}` also requires `{ty}: {bound}`");
            self.tell((path, gated), Weight::Breaking, &text, mentioned("", bound), whole());
        }
        // An implementation of a method may not require more than the trait does.
        let lifted = if new.demanded { Weight::Breaking } else { Weight::Added };
        for (ty, bound) in before.difference(&after) {
            let text = format!("`{name}` no longer requires `{ty}: {bound}`");
            self.tell((path, gated), lifted, &text, mentioned(bound, ""), whole());
        }
    }
}
