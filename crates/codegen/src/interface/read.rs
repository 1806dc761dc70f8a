//! From rendered files to public items: modules are followed from `lib.rs`, and what nobody can name is left
//! out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, GenericArgument, Generics, Pat, PathArguments, ReceiverKind, ReturnType, Token,
    UseTree, Visibility, WherePredicate,
};

use super::macros::{
    DeclaredError, RequiredMembers, configured, declared, endpoint, identified, listed, required_members,
    wrapped,
};
use super::{Fact, Function, Item, Openness, Package, Path};
use crate::render::spelled;

/// What a module defines and passes on.
#[derive(Debug, Default)]
struct Module {
    /// Public items by name.
    items: BTreeMap<String, Vec<(String, Item)>>,
    /// Public modules within.
    modules: BTreeSet<String>,
    /// What it passes on: the path, and the name it gets; `*` for all.
    uses: Vec<(Vec<String>, String)>,
    /// Traits that only this crate can name: their implementations are nobody else's business.
    hidden: BTreeSet<String>,
    /// What belongs to a type, by the name of the type.
    members: Vec<(String, String, Item)>,
}

/// The modules of a crate by their paths from its root.
type Modules = BTreeMap<Vec<String>, Arc<Module>>;

/// The modules that were read, by the text of their files.
#[derive(Debug, Default)]
pub(super) struct FileCache(Mutex<HashMap<String, Arc<Module>>>);

impl FileCache {
    /// The module that a file holds.
    fn module(&self, text: &str) -> syn::Result<Arc<Module>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = known().get(text) {
            return Ok(Arc::clone(module));
        }
        let file = syn::parse_file(text)?;
        let mut module = Module::default();
        for item in &file.items {
            module.take(item)?;
        }
        let module = Arc::new(module);
        known().insert(text.to_owned(), Arc::clone(&module));
        Ok(module)
    }
}

/// Adds the public items of a crate.
pub(super) fn package(
    package: Package,
    files: &BTreeMap<String, String>,
    cache: &FileCache,
    items: &mut BTreeMap<Path, Item>,
) -> syn::Result<()> {
    let root = format!("{}/src/", package.name());
    let mut modules = Modules::new();
    for (path, text) in files {
        let Some(module) = path.strip_prefix(&root).and_then(|path| path.strip_suffix(".rs")) else {
            continue;
        };
        let at: Vec<String> = match module {
            "lib" => Vec::new(),
            module => module.split('/').map(str::to_owned).collect(),
        };
        modules.insert(at, cache.module(text)?);
    }
    let mut exports: Vec<(String, Vec<String>, String)> = Vec::new();
    export(&modules, &[], "", &mut Vec::new(), &mut exports);
    // The shortest path stands for an item; other ones only lead to it.
    exports
        .sort_by_key(|(name, at, item)| (at.clone(), item.clone(), name.matches("::").count(), name.clone()));
    let mut names: BTreeMap<(Vec<String>, String), String> = BTreeMap::new();
    for (name, at, item) in exports {
        let key = |member: &str| Path { package, owner: name.clone(), member: member.to_owned() };
        // Under another name an item is one of its own, such as the errors that operations share.
        let last = name.rsplit("::").next().unwrap_or_default();
        let called = if last == item { item.clone() } else { format!("{item} as {last}") };
        if let Some(first) = names.get(&(at.clone(), called.clone())) {
            if *first != name {
                items.insert(key(""), Item { fact: Fact::Also { path: first.clone() }, gated: false });
            }
            continue;
        }
        names.insert((at.clone(), called), name.clone());
        let Some(module) = modules.get(&at) else { continue };
        for (member, fact) in module.items.get(&item).into_iter().flatten() {
            items.insert(key(member), fact.clone());
        }
    }
    let hidden: BTreeSet<&str> =
        modules.values().flat_map(|module| module.hidden.iter().map(String::as_str)).collect();
    let mut anywhere: BTreeMap<&str, &String> = BTreeMap::new();
    for ((_, name), public) in &names {
        anywhere.entry(name).or_insert(public);
    }
    for (at, module) in &modules {
        for (ty, member, item) in &module.members {
            let base = ty.split('<').next().unwrap_or(ty);
            // A type of another module may be meant, such as the call of an operation.
            let public = names.get(&(at.clone(), base.to_owned())).or_else(|| anywhere.get(base).copied());
            let trait_name = member.strip_prefix(": ").map(|name| name.split('<').next().unwrap_or(name));
            let is_hidden = trait_name.is_some_and(|name| hidden.contains(name));
            if let Some(public) = public.filter(|_| !is_hidden) {
                let owner = ty.replacen(base, public, 1);
                items.insert(Path { package, owner, member: member.clone() }, item.clone());
            }
        }
    }
    Ok(())
}

/// Every public name below a module, with the module and the name of its definition.
fn export(
    modules: &Modules,
    at: &[String],
    prefix: &str,
    open: &mut Vec<Vec<String>>,
    found: &mut Vec<(String, Vec<String>, String)>,
) {
    if open.iter().any(|known| known == at) {
        return;
    }
    let Some(module) = modules.get(at) else { return };
    open.push(at.to_vec());
    for name in module.items.keys() {
        found.push((format!("{prefix}{name}"), at.to_vec(), name.clone()));
    }
    for name in &module.modules {
        let inner: Vec<String> = at.iter().chain([name]).cloned().collect();
        export(modules, &inner, &format!("{prefix}{name}::"), open, found);
    }
    for (path, name) in &module.uses {
        let from = absolute(path, at);
        if name == "*" {
            export(modules, &from, prefix, open, found);
        } else if let Some((last, parents)) = from.split_last() {
            let mut all = Vec::new();
            export(modules, parents, "", &mut open.clone(), &mut all);
            if let Some((_, at, item)) = all.into_iter().find(|(public, _, _)| public == last) {
                found.push((format!("{prefix}{name}"), at, item));
            } else if let Some(module) = modules.get(parents)
                && module.items.contains_key(last)
            {
                found.push((format!("{prefix}{name}"), parents.to_vec(), last.clone()));
            }
        }
    }
    open.pop();
}

/// A path of a `use` from the root of the crate.
fn absolute(path: &[String], at: &[String]) -> Vec<String> {
    match path.first().map(String::as_str) {
        Some("self") => at.iter().chain(&path[1..]).cloned().collect(),
        Some("super") => at.iter().take(at.len().saturating_sub(1)).chain(&path[1..]).cloned().collect(),
        Some("crate") => path[1..].to_vec(),
        _ => path.to_vec(),
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether only the feature `server` compiles what has these attributes.
pub(super) fn is_gated(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && spelled(&attribute.meta).contains("feature = \"server\"")
    })
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// What each type of a `where` clause has to be.
fn bounds(generics: &Generics) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        match predicate {
            WherePredicate::Type(predicate) => {
                let bounds = predicate.bounds.iter().map(spelled);
                all.entry(spelled(&predicate.bounded_ty)).or_default().extend(bounds);
            }
            WherePredicate::Lifetime(predicate) => {
                let bounds = predicate.bounds.iter().map(spelled);
                all.entry(spelled(&predicate.lifetime)).or_default().extend(bounds);
            }
            other => {
                all.entry(spelled(other)).or_default();
            }
        }
    }
    all
}

/// Generics with their bounds in one order, as the order says nothing.
fn generics(generics: &Generics) -> String {
    let bounds: Vec<String> = bounds(generics)
        .into_iter()
        .map(|(ty, bounds)| format!("{ty}: {}", bounds.into_iter().collect::<Vec<_>>().join(" + ")))
        .collect();
    let bounds = if bounds.is_empty() { String::new() } else { format!(" where {}", bounds.join(", ")) };
    format!("{}{bounds}", spelled(generics))
}

impl Module {
    fn define(&mut self, name: &dyn ToString, fact: Fact, gated: bool) {
        let item = Item { fact, gated };
        self.items.entry(name.to_string()).or_default().insert(0, (String::new(), item));
    }

    fn within(&mut self, owner: &dyn ToString, member: &dyn ToString, fact: Fact, gated: bool) {
        let item = Item { fact, gated };
        self.items.entry(owner.to_string()).or_default().push((member.to_string(), item));
    }

    fn implement(&mut self, owner: &dyn ToString, name: &str, gated: bool) {
        self.within(owner, &format!(": {name}"), Fact::Impl { types: String::new() }, gated);
    }

    fn take(&mut self, item: &syn::Item) -> syn::Result<()> {
        match item {
            syn::Item::Struct(item) if is_public(&item.vis) => self.structure(item),
            syn::Item::Enum(item) if is_public(&item.vis) => self.enumeration(item),
            syn::Item::Trait(item) => self.interface(item),
            syn::Item::Impl(item) => self.implementation(item),
            syn::Item::Fn(item) if is_public(&item.vis) => {
                let fact = Fact::Function(function(&item.sig, false));
                self.define(&item.sig.ident, fact, is_gated(&item.attrs));
            }
            syn::Item::Static(item) if is_public(&item.vis) => {
                self.define(&item.ident, Fact::Constant { ty: spelled(&item.ty) }, is_gated(&item.attrs));
            }
            syn::Item::Const(item) if is_public(&item.vis) => {
                self.define(&item.ident, Fact::Constant { ty: spelled(&item.ty) }, is_gated(&item.attrs));
            }
            syn::Item::Type(item) if is_public(&item.vis) => {
                self.define(&item.ident, Fact::Alias { ty: spelled(&item.ty) }, is_gated(&item.attrs));
            }
            syn::Item::Mod(item) if is_public(&item.vis) => {
                self.modules.insert(item.ident.to_string());
            }
            syn::Item::Use(item) if is_public(&item.vis) => self.passes_on(&item.tree, &mut Vec::new()),
            syn::Item::Macro(item) => self.expands(&item.mac, is_gated(&item.attrs))?,
            _ => {}
        }
        Ok(())
    }

    fn structure(&mut self, item: &syn::ItemStruct) {
        let gated = is_gated(&item.attrs);
        let private = item.fields.iter().any(|field| !is_public(&field.vis));
        let open = if private { Openness::Everybody } else { openness(&item.attrs) };
        self.define(&item.ident, Fact::Struct { generics: generics(&item.generics), open }, gated);
        for (index, field) in item.fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis)) {
            let name = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
            self.within(
                &item.ident,
                &name,
                Fact::Field { ty: spelled(&field.ty) },
                gated || is_gated(&field.attrs),
            );
        }
        self.derives(&item.ident, &item.attrs, gated);
    }

    fn enumeration(&mut self, item: &syn::ItemEnum) {
        let gated = is_gated(&item.attrs);
        // What nobody can make, nobody takes apart.
        let open = if item.variants.is_empty() { Openness::Everybody } else { openness(&item.attrs) };
        self.define(&item.ident, Fact::Enum { open }, gated);
        for variant in &item.variants {
            let payload = spelled(&variant.fields);
            self.within(&item.ident, &variant.ident, Fact::Variant { payload }, gated);
        }
        self.derives(&item.ident, &item.attrs, gated);
    }

    fn derives(&mut self, owner: &syn::Ident, attributes: &[Attribute], gated: bool) {
        let all = Punctuated::<syn::Path, Token![,]>::parse_terminated;
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            for name in attribute.parse_args_with(all).into_iter().flatten() {
                self.implement(owner, &spelled(&name), gated);
            }
        }
    }

    fn interface(&mut self, item: &syn::ItemTrait) {
        let gated = is_gated(&item.attrs);
        if !is_public(&item.vis) {
            self.hidden.insert(item.ident.to_string());
            return;
        }
        self.define(&item.ident, Fact::Trait { bounds: spelled(&item.supertraits) }, gated);
        for member in &item.items {
            match member {
                syn::TraitItem::Fn(member) => {
                    let fact = Fact::Function(function(&member.sig, member.default.is_none()));
                    self.within(&item.ident, &format!("{}()", member.sig.ident), fact, gated);
                }
                syn::TraitItem::Type(member) => {
                    let fact = Fact::Associated {
                        bounds: spelled(&member.bounds),
                        defaulted: member.default.is_some(),
                    };
                    self.within(&item.ident, &member.ident, fact, gated);
                }
                syn::TraitItem::Const(member) => {
                    self.within(
                        &item.ident,
                        &member.ident,
                        Fact::Constant { ty: spelled(&member.ty) },
                        gated,
                    );
                }
                _ => {}
            }
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        let gated = is_gated(&item.attrs);
        let owner = owner(&item.self_ty);
        if let Some((path, _)) = &item.trait_ {
            let types: Vec<String> = item
                .items
                .iter()
                .filter_map(|member| match member {
                    syn::ImplItem::Type(member) => {
                        Some(format!("{} = {}", member.ident, spelled(&member.ty)))
                    }
                    _ => None,
                })
                .collect();
            let item = Item { fact: Fact::Impl { types: types.join(", ") }, gated };
            self.members.push((owner, format!(": {}", spelled(path)), item));
            return;
        }
        for member in &item.items {
            match member {
                syn::ImplItem::Fn(member) if is_public(&member.vis) => {
                    let fact = Fact::Function(function(&member.sig, false));
                    let item = Item { fact, gated: gated || is_gated(&member.attrs) };
                    self.members.push((owner.clone(), format!("{}()", member.sig.ident), item));
                }
                syn::ImplItem::Const(member) if is_public(&member.vis) => {
                    let item = Item { fact: Fact::Constant { ty: spelled(&member.ty) }, gated };
                    self.members.push((owner.clone(), member.ident.to_string(), item));
                }
                _ => {}
            }
        }
    }

    fn passes_on(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.passes_on(&tree.tree, path);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.passes_on(tree, path)),
            UseTree::Name(_) | UseTree::Rename(_) | UseTree::Glob(_) => {
                let (last, name) = match tree {
                    UseTree::Name(tree) => (tree.ident.to_string(), tree.ident.to_string()),
                    UseTree::Rename(tree) => (tree.ident.to_string(), tree.rename.to_string()),
                    _ => (String::new(), "*".to_owned()),
                };
                let mut full = path.clone();
                if name != "*" {
                    full.push(last);
                }
                let own = matches!(full.first().map(String::as_str), Some("self" | "super" | "crate"));
                if own {
                    self.uses.push((full, name));
                } else {
                    let path = full.join("::");
                    let name = if name == "*" { format!("{path}::*") } else { name };
                    self.define(&name, Fact::Foreign { path }, false);
                }
            }
        }
    }

    /// What the macros of the runtime make of a table.
    fn expands(&mut self, call: &syn::Macro, gated: bool) -> syn::Result<()> {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let tokens = call.tokens.clone();
        match name.as_str() {
            "open_enum" | "closed_enum" => {
                let (gated, enumeration, values) = Parser::parse2(listed, tokens)?;
                let open = name == "open_enum";
                let openness = if open { Openness::Everybody } else { Openness::Clients };
                self.define(&enumeration, Fact::Enum { open: openness }, gated);
                for value in values {
                    self.within(&enumeration, &value, Fact::Variant { payload: String::new() }, gated);
                }
                if open {
                    let payload = "(String)".to_owned();
                    self.within(&enumeration, &"Unknown", Fact::Variant { payload }, gated);
                    self.implement(&enumeration, "From<T>", gated);
                } else {
                    self.implement(&enumeration, "Copy", true);
                }
                self.implement(&enumeration, "std::str::FromStr", gated);
                let constant = Fact::Constant { ty: "&'static [&'static str]".to_owned() };
                self.within(&enumeration, &"KNOWN", constant, gated);
            }
            "client_builder" => {
                let builder = Parser::parse2(configured, tokens)?;
                let path = "frontdesk_runtime::client::Builder".to_owned();
                self.define(&builder, Fact::Foreign { path }, false);
            }
            "errors" => {
                let (attributes, name, errors) = Parser::parse2(declared, tokens)?;
                let open = if errors.is_empty() { Openness::Everybody } else { openness(&attributes) };
                self.define(&name, Fact::Enum { open }, false);
                for DeclaredError { variant, payload, response } in errors {
                    self.within(&name, &variant, Fact::Variant { payload }, false);
                    if let Some(response) = response {
                        self.implement(&name, &format!("From<{response}>"), true);
                    }
                }
                self.derives(&name, &attributes, false);
            }
            "endpoint" => {
                let (attributes, name, types) = Parser::parse2(endpoint, tokens)?;
                self.define(&name, Fact::Enum { open: Openness::Everybody }, gated);
                let item = Item { fact: Fact::Impl { types }, gated };
                self.members.push((name.to_string(), ": Endpoint".to_owned(), item));
                self.implement(&name, "Debug", gated);
                self.derives(&name, &attributes, gated);
            }
            "newtype" => {
                let (gated, owner, inner) = Parser::parse2(wrapped, tokens)?;
                self.implement(&owner, &format!("From<{inner}>"), gated);
            }
            "id" => {
                let (attributes, name) = Parser::parse2(identified, tokens)?;
                let fact = Fact::Struct { generics: String::new(), open: Openness::Everybody };
                self.define(&name, fact, gated);
                for implemented in ["Copy", "From<Uuid>", "std::fmt::Display", "std::str::FromStr"] {
                    self.implement(&name, implemented, gated);
                }
                self.derives(&name, &attributes, gated);
            }
            "required" => {
                let RequiredMembers { required, name, fields } = Parser::parse2(required_members, tokens)?;
                let fact = Fact::Struct { generics: String::new(), open: Openness::Nobody };
                self.define(&required, fact, gated);
                for (field, ty) in fields {
                    self.within(&required, &field, Fact::Field { ty }, gated);
                }
                let new = Function {
                    generics: String::new(),
                    bounds: BTreeMap::new(),
                    receiver: String::new(),
                    arguments: vec![("required".to_owned(), required.to_string())],
                    output: "Self".to_owned(),
                    demanded: false,
                };
                self.members.push((
                    name.to_string(),
                    "new()".to_owned(),
                    Item { fact: Fact::Function(new), gated },
                ));
                self.implement(&name, &format!("From<{required}>"), gated);
            }
            // They make what every object and every union has: it can be written and read.
            _ => {}
        }
        Ok(())
    }
}

/// Who can neither make a type by its parts nor take it apart by all of them, as its attributes say.
fn openness(attributes: &[Attribute]) -> Openness {
    let for_clients = |attribute: &Attribute| {
        attribute.path().is_ident("cfg_attr") && spelled(&attribute.meta).contains("non_exhaustive")
    };
    if has(attributes, "non_exhaustive") {
        Openness::Everybody
    } else if attributes.iter().any(for_clients) {
        Openness::Clients
    } else {
        Openness::Nobody
    }
}

/// The type of an `impl`, with its own types where it is not generic in them: `Messages`,
/// `Call<SendMessage>`.
fn owner(ty: &syn::Type) -> String {
    let syn::Type::Path(path) = ty else { return spelled(ty) };
    let Some(last) = path.path.segments.last() else { return spelled(ty) };
    match &last.arguments {
        PathArguments::AngleBracketed(arguments)
            if arguments.args.iter().all(|argument| matches!(argument, GenericArgument::Lifetime(_))) =>
        {
            last.ident.to_string()
        }
        _ => spelled(last),
    }
}

fn function(signature: &syn::Signature, demanded: bool) -> Function {
    let mut receiver = String::new();
    let mut arguments = Vec::new();
    for argument in &signature.inputs {
        match argument {
            // `mut self` is a matter of the body.
            FnArg::Receiver(argument) => {
                receiver = String::from(match &argument.kind {
                    ReceiverKind::Reference(..) => "&self",
                    _ => "self",
                });
            }
            FnArg::Typed(argument) => {
                let name = match &*argument.pat {
                    Pat::Ident(name) => name.ident.to_string(),
                    other => spelled(other),
                };
                arguments.push((name, spelled(&argument.ty)));
            }
        }
    }
    let output = match &signature.output {
        ReturnType::Default => "()".to_owned(),
        ReturnType::Type(_, ty) => spelled(ty),
    };
    let asynchronous = if signature.asyncness.is_some() { "async " } else { "" };
    Function {
        generics: spelled(&signature.generics),
        bounds: bounds(&signature.generics),
        receiver,
        arguments,
        output: format!("{asynchronous}{output}"),
        demanded,
    }
}
