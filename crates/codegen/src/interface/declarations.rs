//! What TypeScript users of the JavaScript client see of it: the exported declarations.
//!
//! - `read`: from the rendered `.d.ts` files to declarations.
//! - `ty`: types as they are written.
//! - `assign`: which types accept the values of others, by the rules of TypeScript.
//! - [`difference`]: what a user's code notices of a change.
//!
//! Declarations are identified by their names: the root of the package exports all of them, and no two have
//! the same one.

mod assign;
pub mod difference;
mod read;
mod ty;

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_document::Document;

use self::ty::{Member, Ty};
use super::origin::Origins;
use super::{Package, Path};
use crate::emit::javascript;
use crate::{GenerateError, Options, lowered, package};

/// The exported declarations of the JavaScript client that a document makes.
#[derive(Clone, Debug)]
pub struct Declarations {
    exported: BTreeMap<String, Declaration>,
    /// The types that users write, and those that they read.
    written: BTreeSet<String>,
    read: BTreeSet<String>,
    origins: Origins,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Declaration {
    /// An object type.
    Interface(BTreeMap<String, Member>),
    /// Another type.
    Alias(Ty),
    /// A function, with the module that exports it.
    Function { module: String, arguments: Vec<(String, Member)>, output: Ty },
}

impl Declarations {
    /// Returns the declarations of the client that a document would make. Fails where
    /// [`generate`](crate::generate) fails.
    pub fn of(document: &Document, options: &Options) -> Result<Self, GenerateError> {
        let (api, _) = lowered(document, options)?;
        let mut exported = BTreeMap::new();
        for (path, text) in javascript::emit(&api, options, &package::Package::default()) {
            let module = path.strip_prefix(javascript::FOLDER).and_then(|path| path.strip_prefix('/'));
            let module = module.and_then(|path| path.strip_suffix(".d.ts"));
            let Some(module) = module.filter(|module| !module.starts_with("runtime/")) else { continue };
            let read = read::declarations(module, &text).map_err(|problem| {
                GenerateError::Defect(format!("`{path}` cannot be read again: {problem}"))
            })?;
            exported.extend(read);
        }
        let mut declarations = Self {
            exported,
            written: BTreeSet::new(),
            read: BTreeSet::new(),
            origins: Origins::of_javascript(&api, document),
        };
        declarations.follow_uses();
        Ok(declarations)
    }

    /// Returns the number of exported declarations.
    pub fn len(&self) -> usize {
        self.exported.len()
    }

    /// Returns whether nothing is exported.
    pub fn is_empty(&self) -> bool {
        self.exported.is_empty()
    }

    /// Finds out which types users write and which they read, from the functions and the events.
    fn follow_uses(&mut self) {
        let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
        for (name, declaration) in &self.exported {
            match declaration {
                Declaration::Function { arguments, output, .. } => {
                    for (_, argument) in arguments {
                        self.follow(&argument.ty, &mut written);
                    }
                    self.follow(output, &mut read);
                }
                Declaration::Alias(_) if name == javascript::EVENT => {
                    self.follow(&Ty::Name(name.clone()), &mut read);
                }
                Declaration::Interface(_) | Declaration::Alias(_) => {}
            }
        }
        (self.written, self.read) = (written, read);
    }

    fn follow(&self, ty: &Ty, found: &mut BTreeSet<String>) {
        for name in ty.names() {
            if !self.exported.contains_key(name) || !found.insert(name.to_owned()) {
                continue;
            }
            match &self.exported[name] {
                Declaration::Interface(members) => {
                    for member in members.values() {
                        self.follow(&member.ty, found);
                    }
                }
                Declaration::Alias(ty) => self.follow(ty, found),
                Declaration::Function { .. } => {}
            }
        }
    }

    /// Returns where a declaration, or a member of it, comes from.
    fn origin(&self, owner: &str, member: &str) -> super::Origin {
        let path = Path { package: Package::JavaScript, owner: owner.to_owned(), member: member.to_owned() };
        self.origins.get(&path)
    }
}
